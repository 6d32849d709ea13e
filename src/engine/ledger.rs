//! The accounts of a run: the outcome of every pair, and the work done.

use std::collections::BTreeMap;

use super::models::Models;
use super::pair_times::SlowPair;
use crate::broad::frames::BroadWork;
use crate::bvh::kind::TreeKind;
use crate::bvh::trees::Trees;
use crate::query::Verdict;
use crate::query::stage_work::StageWork;
use closefit_geometry::scene::Scene;
use closefit_geometry::scene::pair_rules::PairCounts;

/// The count of all pairs by outcome: `pairs = sum(excluded) + apart + decided + undecided + elsewhere`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Ledger {
    /// All pairs of parts.
    pub pairs: u64,
    /// Excluded pairs, by reason.
    pub excluded: BTreeMap<String, u64>,
    /// Pairs that each entry of the scene's rules decides, excluded or checked; empty without rules.
    pub by_entry: Vec<u64>,
    /// Pairs proven clear by their boxes alone, which along some axis are farther apart than max(clearance,
    /// tolerance) of the pair; in a sweep, than clearance + precision at all times.
    pub apart: u64,
    /// Candidate pairs that were decided.
    pub decided: u64,
    /// Candidate pairs whose verdict is undecided.
    pub undecided: u64,
    /// Candidate pairs that other runs decide: 0 but for a run of some of the pairs, by a
    /// [`PairJournal`](super::PairJournal).
    pub elsewhere: u64,
}

impl Ledger {
    /// Creates a ledger: `parts` parts, their pairs as counted, `near` candidate pairs, none decided yet.
    pub(super) fn new(parts: usize, counted: PairCounts, near: u64) -> Self {
        let PairCounts { excluded, by_entry } = counted;
        let parts = parts as u64;
        let pairs = parts * parts.saturating_sub(1) / 2;
        let apart = pairs - excluded.values().sum::<u64>() - near;
        Self { pairs, excluded, by_entry, apart, ..Self::default() }
    }

    /// Returns the number of pairs in the scope of the check: all that are not excluded. If it is 0,
    /// nothing was checked.
    pub fn asked(&self) -> u64 {
        self.apart + self.decided + self.undecided + self.elsewhere
    }

    /// Counts the verdict of a candidate pair.
    pub(super) fn enter(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Undecided => self.undecided += 1,
            _ => self.decided += 1,
        }
    }
}

/// The trees of one kind that were built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuiltTrees {
    /// Name of the kind.
    pub tree: &'static str,
    /// Number of trees.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The number of those that were taken from a cache.
    pub from_cache: u64,
}

impl BuiltTrees {
    /// Counts trees of a kind.
    pub(super) fn of(kind: TreeKind, count: usize, trees: &dyn Trees) -> Self {
        Self { tree: kind.name(), count: count as u64, bytes: trees.bytes() as u64, from_cache: 0 }
    }
}

/// Work done. It goes into `run.json` only, never into the report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Counters {
    /// The work of each stage.
    pub work: StageWork,
    /// The pair that took longest, if that is more than a thousand times as long as the median pair.
    pub slow: Option<SlowPair>,
    /// The work of the broad phase, in its own units.
    pub broad: BroadWork,
    /// Triangles of the unique meshes; instances count once.
    pub unique_triangles: u64,
    /// Bytes of the vertices and triangles of the unique meshes.
    pub mesh_bytes: u64,
    /// The trees of meshes in candidate pairs.
    pub trees: BuiltTrees,
    /// Bytes of the convex hulls of meshes in candidate pairs.
    pub hull_bytes: u64,
    /// Bytes of the topology of meshes in candidate pairs.
    pub topology_bytes: u64,
    /// Seconds building trees (wall clock).
    pub build_s: f64,
    /// Seconds finding candidate pairs.
    pub broad_s: f64,
    /// Seconds deciding pairs.
    pub decide_s: f64,
}

impl Counters {
    /// Creates the counters of a scene's meshes and trees.
    pub(super) fn of(scene: &Scene, kind: TreeKind, models: &Models, build_s: f64) -> Self {
        let built = BuiltTrees::of(kind, models.count, &*models.trees);
        let trees = BuiltTrees { from_cache: models.from_cache, ..built };
        let mut counters = Self { build_s, trees, ..Self::default() };
        for mesh in &scene.meshes {
            counters.unique_triangles += mesh.triangles().len() as u64;
            counters.mesh_bytes += mesh.bytes() as u64;
        }
        counters.topology_bytes = models.topologies().map(|topology| topology.bytes() as u64).sum();
        counters
    }
}

//! The books of a run: what became of every pair, and what it took.

use std::collections::BTreeMap;

use super::models::Models;
use crate::hierarchy::Hierarchy;
use crate::narrow::Work;
use crate::query::Verdict;
use crate::scene::Scene;

/// Every pair, accounted for: `pairs = sum(excluded) + apart + decided + undecided`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// All pairs of parts.
    pub pairs: u64,
    /// Left out, by reason.
    pub excluded: BTreeMap<String, u64>,
    /// Boxes too far apart along an axis for the pair to be listed: of posed parts, max(clearance, tolerance);
    /// of moving ones, clearance + precision at all times.
    pub apart: u64,
    /// Looked at and decided.
    pub decided: u64,
    /// Looked at and undecided.
    pub undecided: u64,
}

impl Ledger {
    /// Of a scene of so many parts of which these pairs are left out, and so many are near; none decided yet.
    pub(super) fn new(parts: usize, excluded: BTreeMap<String, u64>, near: usize) -> Self {
        let (parts, near) = (parts as u64, near as u64);
        let pairs = parts * parts.saturating_sub(1) / 2;
        let apart = pairs - excluded.values().sum::<u64>() - near;
        Self { pairs, excluded, apart, ..Self::default() }
    }

    /// Enters a pair that was looked at.
    pub(super) fn enter(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Undecided => self.undecided += 1,
            _ => self.decided += 1,
        }
    }
}

/// Work done; goes into `run.json` only, never into the report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Pairs of boxes tested for separation.
    pub box_tests: u64,
    /// Pairs of triangles that reached a triangle test.
    pub triangle_tests: u64,
    /// Of those, handed to `settle`: what lanes leave unsure, or, in the scalar path, all whose boxes meet.
    pub settled_exactly: u64,
    /// Triangles of the unique meshes: instances share theirs.
    pub unique_triangles: u64,
    /// Bytes of the unique meshes' vertices and triangles.
    pub mesh_bytes: u64,
    /// Bytes of the trees of those that are in a candidate pair.
    pub tree_bytes: u64,
    /// Bytes of their components.
    pub topology_bytes: u64,
    /// Seconds building trees (wall clock).
    pub build_s: f64,
    /// Seconds finding candidate pairs.
    pub broad_s: f64,
    /// Seconds deciding pairs.
    pub decide_s: f64,
}

impl Counters {
    /// Of the meshes and trees of a scene.
    pub(super) fn of<T: Hierarchy>(scene: &Scene, models: &Models<T>, build_s: f64) -> Self {
        let mut counters = Self { build_s, ..Self::default() };
        for mesh in &scene.meshes {
            counters.unique_triangles += mesh.triangles().len() as u64;
            counters.mesh_bytes += mesh.bytes() as u64;
        }
        for model in models.all() {
            counters.tree_bytes += model.tree.bytes() as u64;
            counters.topology_bytes += model.topology.bytes() as u64;
        }
        counters
    }

    /// Adds what deciding took.
    pub(super) fn add(&mut self, work: Work) {
        self.box_tests += work.box_tests;
        self.triangle_tests += work.triangle_tests;
        self.settled_exactly += work.settled;
    }
}

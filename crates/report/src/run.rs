//! The record `run.json` of how a run went. Unlike the report it depends on machine, threads and time.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::document::word::Word;
use super::document::{Format, SlowPairRow};
use super::reading::Reading;
use closefit::internals::broad::recursive_grid::Kinds;
use closefit::internals::engine::{BuiltTrees, CrossChecked, SlowPair};
use closefit::internals::narrow::Spent;
use closefit::internals::query::stage_work::StageWork;
use closefit::scene::Scene;
use closefit::{BroadPhase, BroadWork, Counters, DepthDetail, Device, Method, Strategy, Tally, Work};
use closefit_geometry::hull::closest_features::HullWork;
use closefit_geometry::hull::contact_region::RegionWork;
use closefit_geometry::hull::filter::HullFilter;
use closefit_geometry::parallel;

/// The record of one run.
#[derive(Debug, Serialize)]
pub struct RunRecord {
    closefit: Format,
    version: &'static str,
    command: &'static str,
    /// The files, and how they were read.
    #[serde(flatten)]
    reading: Reading,
    /// The kind of tree.
    tree: &'static str,
    /// The executor of the tree's kernels, or `gpu`.
    backend: &'static str,
    /// The name of the compute device's adapter.
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter: Option<&'static str>,
    /// Work done by the device; the executor did the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<DeviceWork>,
    /// The detail of depths, unless it was full.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<&'static str>,
    /// The agreement of several kinds of trees about every candidate pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    cross_check: Option<CrossCheckRecord>,
    /// The pairs that were left undecided, if any were.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<LeftRecord>,
    /// The search over time of a sweep.
    #[serde(flatten)]
    over_time: Option<OverTime>,
    broad: BroadCounts,
    /// The filter by convex hulls, unless there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    hull: Option<&'static str>,
    threads: usize,
    work: WorkCounts,
    /// The pair that took longest, if that is more than a thousand times as long as the median pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    slow_pair: Option<SlowPairRow>,
    seconds: Seconds,
    memory: MemoryAccount,
    /// The largest amount of memory held at once, if the system reports it.
    peak_memory_bytes: Option<u64>,
}

/// The pairs that a run left undecided.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LeftRecord {
    /// The reason.
    pub why: &'static str,
    /// The number of pairs that are decided.
    pub decided: u64,
    /// The number of candidate pairs.
    pub near: u64,
}

/// The settings of the search over time, on which no answer but the width of brackets depends.
#[derive(Debug, Serialize)]
struct OverTime {
    /// The options of the method, by name.
    method: BTreeMap<&'static str, String>,
    /// The largest width of the brackets of distances.
    precision: f64,
}

#[derive(Debug, Serialize)]
struct DeviceWork {
    #[serde(flatten, serialize_with = "with_shares")]
    tally: Tally,
    /// Reason why the CPU continued without the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

impl DeviceWork {
    fn new(device: Device) -> Self {
        let failure = device.failure().map(|failure| failure.in_one_line());
        Self { tally: device.tally(), failure }
    }
}

/// Writes the counts of a device's work in their order, and in place of the outcomes of triangle tests for
/// contact their shares: the first three add up to 1, or to 0 if there were none.
fn with_shares<S: Serializer>(tally: &Tally, serializer: S) -> Result<S::Ok, S::Error> {
    let share = |part: u64| ratio(part, tally.contact_tests());
    let mut map = serializer.serialize_map(None)?;
    for (name, count) in tally.counts() {
        match name {
            "meets" => {
                map.serialize_entry("share_proven_apart", &share(tally.proven_apart()))?;
                map.serialize_entry("share_proven_to_meet", &share(count))?;
            }
            "unsure" => map.serialize_entry("share_unsure", &share(count))?,
            // Those undecided on the device but decided by the CPU's f64 kernel.
            "extra_unsure" => map.serialize_entry("share_extra_unsure", &share(count))?,
            _ => map.serialize_entry(name, &count)?,
        }
        if name == "pairs" {
            map.serialize_entry("pairs_refused", &tally.refused)?;
        }
    }
    map.serialize_entry("waited_s", &tally.waited_s)?;
    map.end()
}

#[derive(Debug, Serialize)]
struct WorkCounts {
    /// The sum of all stages.
    #[serde(flatten)]
    total: Tests,
    /// Share of the triangle tests settled exactly; 0 without any test.
    share_settled_exactly: f64,
    #[serde(serialize_with = "in_order")]
    stages: Vec<(&'static str, Stage)>,
}

/// Walks over closest features, and the proofs along the directions that they found.
#[derive(Debug, Serialize)]
struct WalkCounts {
    walks: u64,
    remembered_starts: u64,
    /// Pairs of features that the walks came to, the first included.
    steps: u64,
    steps_per_walk: f64,
    most_steps: u64,
    plane_steps: u64,
    /// Walks that ended because the hulls meet.
    meetings: u64,
    stalled: u64,
    capped: u64,
    proofs_tried: u64,
    proofs_won: u64,
    /// Questions that needed no walk, because an earlier proof still held.
    proofs_kept: u64,
    vertices_tested: u64,
    /// Pairs of closest features by colour, and the pairs of triangles at red ones that bounded a search.
    red_red: u64,
    red_green: u64,
    green_green: u64,
    red_settled: u64,
}

impl From<&HullWork> for WalkCounts {
    fn from(work: &HullWork) -> Self {
        Self {
            walks: work.walks,
            remembered_starts: work.remembered,
            steps: work.steps,
            steps_per_walk: ratio(work.steps, work.walks),
            most_steps: work.most_steps,
            plane_steps: work.plane_steps,
            meetings: work.meetings,
            stalled: work.stalled,
            capped: work.capped,
            proofs_tried: work.proofs,
            proofs_won: work.proven,
            proofs_kept: work.kept,
            vertices_tested: work.vertices,
            red_red: work.red_red,
            red_green: work.red_green,
            green_green: work.green_green,
            red_settled: work.settled,
        }
    }
}

/// Contact regions of pairs whose hulls were not proven apart.
#[derive(Debug, Serialize)]
struct RegionCounts {
    regions_tried: u64,
    regions_found: u64,
    /// Planes that entered on the way to the bounds of regions.
    region_planes: u64,
    region_plane_steps: u64,
    /// Mean share of a region in the volume of the smaller part's box.
    share_of_volume_left: f64,
    /// Regions met by so few triangles of a part that these were searched one by one.
    regions_searched: u64,
    triangles_dropped: u64,
}

impl From<&RegionWork> for RegionCounts {
    fn from(work: &RegionWork) -> Self {
        Self {
            regions_tried: work.tried,
            regions_found: work.found,
            region_planes: work.entered,
            region_plane_steps: work.planes,
            share_of_volume_left: ratio(work.millionths_left, work.found) / 1e6,
            regions_searched: work.searched,
            triangles_dropped: work.dropped,
        }
    }
}

#[derive(Debug, Serialize)]
struct Stage {
    #[serde(flatten)]
    tests: Tests,
    /// The work of the stage `hull`, if the filter was used.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    walks: Option<WalkCounts>,
    /// The contact regions of that stage, if some were searched.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    regions: Option<RegionCounts>,
    /// Wall-clock seconds that threads spent in the stage, added over threads; absent for `broad`.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_seconds: Option<f64>,
}

/// The broad phase, and its work in its own units.
#[derive(Debug, Serialize)]
struct BroadCounts {
    method: &'static str,
    frames: u64,
    /// Boxes of parts that are static in all frames, if there are some.
    #[serde(skip_serializing_if = "is_zero")]
    fixed: u64,
    box_tests: u64,
    /// Ends of sorted lists that passed each other, along each axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    exchanges: Option<[u64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recursive_grid: Option<RecursiveGridCounts>,
}

#[derive(Debug, Serialize)]
struct RecursiveGridCounts {
    levels: u64,
    cells: KindCounts,
    references: u64,
    /// References per cell that has any.
    boxes_per_cell: f64,
    largest_leaf: u64,
    cells_visited: u64,
    decisions: KindCounts,
}

#[derive(Debug, Serialize)]
struct KindCounts {
    empty: u64,
    partial: u64,
    full: u64,
}

impl From<Kinds> for KindCounts {
    fn from(Kinds { empty, partial, full }: Kinds) -> Self {
        Self { empty, partial, full }
    }
}

impl BroadCounts {
    fn new(work: &BroadWork) -> Self {
        let &BroadWork { method, frames, fixed, box_tests, exchanges, visits, shape } = work;
        let recursive_grid = (method == BroadPhase::RecursiveGrid).then(|| RecursiveGridCounts {
            levels: shape.levels,
            cells: shape.cells.into(),
            references: shape.references,
            boxes_per_cell: ratio(shape.references, shape.cells.partial + shape.cells.full),
            largest_leaf: shape.largest_leaf,
            cells_visited: visits.cells,
            decisions: visits.decisions.into(),
        });
        let exchanges = (method == BroadPhase::Lists).then_some(exchanges);
        Self { method: method.name(), frames, fixed, box_tests, exchanges, recursive_grid }
    }
}

#[derive(Debug, Serialize)]
struct Tests {
    box_tests: u64,
    /// Number of tests of boxes at one time of a stretch, before they are tested over all of it.
    #[serde(skip_serializing_if = "is_zero")]
    discrete_tests: u64,
    triangle_tests: u64,
    /// Number of those triangle tests that exact predicates or exact arithmetic settled.
    settled_exactly: u64,
    /// Number of bounding volumes refitted to a turned frame.
    updates: u64,
    /// Number of exchanges in sorted lists of ends of boxes.
    exchanges: u64,
    /// The same along x, y and z.
    exchanges_by_axis: [u64; 3],
    /// Number of pairs of boxes that such lists found to overlap.
    overlaps: u64,
    /// Number of searches in which boxes could exclude nothing.
    unboxed: u64,
}

impl From<Work> for Tests {
    fn from(work: Work) -> Self {
        let Work { box_tests, discrete_tests, triangle_tests, exact_tests, .. } = work;
        let Work { updates, exchanges, overlaps, unboxed, .. } = work;
        let (exchanges, exchanges_by_axis) = (exchanges.iter().sum(), exchanges);
        Self {
            box_tests,
            discrete_tests,
            triangle_tests,
            settled_exactly: exact_tests,
            updates,
            exchanges,
            exchanges_by_axis,
            overlaps,
            unboxed,
        }
    }
}

impl WorkCounts {
    fn new(work: &StageWork) -> Self {
        let total = work.total();
        Self {
            total: total.tests.into(),
            share_settled_exactly: ratio(total.exact_tests, total.triangle_tests),
            stages: work.named().map(|(name, spent)| (name, Stage::new(name, spent, work))).collect(),
        }
    }
}

impl Stage {
    fn new(name: &str, spent: Spent, work: &StageWork) -> Self {
        // Candidate pairs are found in runs, by all threads together: the seconds of the run tell how long it
        // took.
        let thread_seconds = (name != "broad").then_some(spent.time.as_secs_f64());
        let walks = (name == "hull" && work.walks.walks > 0).then(|| WalkCounts::from(&work.walks));
        let regions = (name == "hull" && work.regions.tried > 0).then(|| RegionCounts::from(&work.regions));
        Self { tests: spent.tests.into(), walks, regions, thread_seconds }
    }
}

/// Writes names and values as an object, in their order.
fn in_order<S: Serializer>(entries: &[(&str, Stage)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().map(|(name, stage)| (name, stage)))
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Wall-clock seconds of the stages of a run, which follow each other without a gap.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    /// Reading and welding.
    pub read: f64,
    /// Posing all parts.
    pub pose: f64,
    /// Finding candidate pairs.
    pub broad: f64,
    /// Building trees.
    pub build: f64,
    /// Deciding pairs.
    pub decide: f64,
    /// Comparing kinds of trees; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_check: Option<f64>,
    /// Finding the ways out of clashes; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ways_out: Option<f64>,
    /// Measuring a distance over time; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<f64>,
    /// Hashing meshes and poses.
    pub digest: f64,
    /// Making the report and writing all files but this record.
    pub report: f64,
    /// All of these.
    pub total: f64,
}

impl Seconds {
    /// Adds the stages of a lap in the engine; what is left of it went into posing.
    pub fn add_engine(&mut self, lap: f64, counters: &Counters) {
        let &Counters { broad_s, build_s, decide_s, .. } = counters;
        self.broad += broad_s;
        self.build += build_s;
        self.decide += decide_s;
        self.pose += lap - (broad_s + build_s + decide_s);
    }

    /// Returns the seconds of a run that began with reading; what is left of all of them went into the report
    /// and its files.
    pub fn of_run(self, read: f64, total: f64) -> Self {
        let Self { pose, broad, build, decide, cross_check, ways_out, trace, digest, .. } = self;
        let asked = pose + broad + build + decide + digest;
        let others = [cross_check, ways_out, trace].into_iter().flatten().sum::<f64>();
        Self { read, report: total - read - asked - others, total, ..self }
    }
}

/// A cross-check in which all strategies agree.
#[derive(Clone, Debug, Serialize)]
pub struct CrossCheckRecord {
    /// Each tree and executor, with the number of pairs about which it agrees with the run's own.
    strategies: Vec<Agreement>,
    disagreed: u64,
    #[serde(skip)]
    built: Vec<BuiltTrees>,
}

#[derive(Clone, Debug, Serialize)]
struct Agreement {
    tree: &'static str,
    backend: &'static str,
    agreed: u64,
}

impl CrossCheckRecord {
    /// Records the number of pairs about which each strategy agrees with the first; no pair is disagreed
    /// about.
    pub fn new(checked: &CrossChecked) -> Self {
        let of = |&(strategy, agreed): &(Strategy, u64)| Agreement {
            tree: strategy.tree().name(),
            backend: strategy.backend(),
            agreed,
        };
        let strategies = checked.agreed.iter().map(of).collect();
        Self { strategies, disagreed: 0, built: checked.built.clone() }
    }

    /// Returns a line for the terminal, with a line break before it.
    pub fn in_words(&self) -> String {
        let methods = self.strategies.len();
        let pairs = self.strategies.first().map_or(0, |first| first.agreed);
        let s = if pairs == 1 { "" } else { "s" };
        format!("\ncross-check: {methods} methods agree on {pairs} candidate pair{s}")
    }
}

/// The memory of the unique meshes while pairs are decided.
#[derive(Debug, Serialize)]
struct MemoryAccount {
    mesh_bytes: u64,
    tree_bytes: u64,
    /// The trees that decided pairs, and the trees of a cross-check, by kind.
    trees: Vec<TreeCounts>,
    hull_bytes: u64,
    topology_bytes: u64,
    unique_triangles: u64,
    /// The sum of these bytes per unique triangle; 0 for a scene without triangles.
    bytes_per_triangle: f64,
}

/// The trees of one kind. A cross-check builds its own, including trees of the run's kind.
#[derive(Debug, Serialize)]
struct TreeCounts {
    tree: &'static str,
    count: u64,
    bytes: u64,
    /// The number of those that were not built but taken from a cache.
    #[serde(skip_serializing_if = "is_zero")]
    from_cache: u64,
}

impl MemoryAccount {
    /// Adds trees to the trees of their kind, if there are any.
    fn add(&mut self, built: &BuiltTrees) {
        let &BuiltTrees { tree, count, bytes, from_cache } = built;
        if count == 0 {
            return;
        }
        match self.trees.iter_mut().find(|known| known.tree == tree) {
            Some(known) => {
                known.count += count;
                known.bytes += bytes;
                known.from_cache += from_cache;
            }
            None => self.trees.push(TreeCounts { tree, count, bytes, from_cache }),
        }
    }
}

impl RunRecord {
    /// Returns the record with the detail of depths.
    pub fn with_depth(self, depth: DepthDetail) -> Self {
        Self { depth: (depth != DepthDetail::Full).then(|| depth.word()), ..self }
    }

    /// Returns the record with the settings of a search over time.
    pub fn with_method(self, method: &Method, precision: f64) -> Self {
        let method = method.options().collect();
        Self { over_time: Some(OverTime { method, precision }), ..self }
    }

    /// Returns the record with the pairs that were left undecided, if any were.
    pub fn with_left(self, left: Option<LeftRecord>) -> Self {
        Self { left, ..self }
    }

    /// Returns the record with the pair of a scene that took far longer than most, if there is one.
    pub fn with_slow_pair(self, slow: Option<SlowPair>, scene: &Scene) -> Self {
        Self { slow_pair: slow.map(|slow| SlowPairRow::new(slow, scene)), ..self }
    }

    /// Returns the record with the outcome of a cross-check and the trees that it built.
    pub fn with_cross_check(mut self, cross_check: Option<CrossCheckRecord>) -> Self {
        cross_check.iter().flat_map(|record| &record.built).for_each(|built| self.memory.add(built));
        Self { cross_check, ..self }
    }

    /// Returns the record of a command on this pool's threads.
    pub fn new(
        command: &'static str,
        reading: Reading,
        (strategy, hull): (Strategy, HullFilter),
        counters: &Counters,
        seconds: Seconds,
    ) -> Self {
        let &Counters { mesh_bytes, trees, hull_bytes, topology_bytes, unique_triangles, .. } = counters;
        let bytes = mesh_bytes + trees.bytes + hull_bytes + topology_bytes;
        let mut memory = MemoryAccount {
            mesh_bytes,
            tree_bytes: trees.bytes,
            trees: Vec::new(),
            hull_bytes,
            topology_bytes,
            unique_triangles,
            bytes_per_triangle: ratio(bytes, unique_triangles),
        };
        memory.add(&trees);
        Self {
            closefit: Format,
            version: env!("CARGO_PKG_VERSION"),
            command,
            reading,
            tree: strategy.tree().name(),
            backend: strategy.backend(),
            adapter: strategy.device().map(|device| device.name()),
            device: strategy.device().map(DeviceWork::new),
            depth: None,
            cross_check: None,
            left: None,
            over_time: None,
            broad: BroadCounts::new(&counters.broad),
            hull: (hull != HullFilter::Off).then(|| hull.name()),
            threads: parallel::threads(),
            work: WorkCounts::new(&counters.work),
            slow_pair: None,
            seconds,
            memory,
            peak_memory_bytes: peak_memory_bytes(),
        }
    }
}

/// Returns the peak resident memory of this process, if the kernel reports it in `/proc`.
fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit::Refused;

    #[test]
    fn exchanges_along_the_axes_are_added() {
        let tests = Tests::from(Work { exchanges: [1, 20, 300], ..Work::NONE });
        assert_eq!((tests.exchanges, tests.exchanges_by_axis), (321, [1, 20, 300]));
    }

    #[test]
    fn a_devices_counts_have_their_names_and_order() {
        let refused = Refused { sheared: 3, sizes_differ: 4, ..Refused::default() };
        let tally = Tally {
            batches: 1,
            pairs: 2,
            refused,
            triangle_tests: 22,
            meets: 4,
            unsure: 2,
            distance_triangle_tests: 8,
            stretches_apart: 5,
            stretch_triangle_tests: 6,
            waited_s: 0.5,
            ..Tally::default()
        };
        let work = DeviceWork { tally, failure: None };
        let expected = r#"{"batches":1,"pairs":2,
            "pairs_refused":{"sheared":3,"sizes_differ":4,"far_apart":0,"imprecise":0,"not_finite":0},
            "rounds":0,"launches":0,"answered":0,"box_steps":0,"leaf_steps":0,"items":0,"box_tests":0,"triangle_tests":22,
            "posed_tests":0,
            "share_proven_apart":0.25,"share_proven_to_meet":0.5,"share_unsure":0.25,"share_extra_unsure":0.0,
            "distances":0,"distance_rounds":0,"distance_triangle_tests":8,"survivors":0,
            "stretches":0,"stretches_apart":5,"stretch_triangle_tests":6,"broad_boxes":0,"broad_tests":0,"broad_pairs":0,
            "trees":0,"tree_bytes_up":0,"bytes_up":0,"bytes_down":0,
            "peak_bytes":0,"peak_working_bytes":0,"waited_s":0.5}"#;
        let expected: String = expected.lines().map(str::trim_start).collect();
        assert_eq!(serde_json::to_string(&work).unwrap(), expected);
    }
}

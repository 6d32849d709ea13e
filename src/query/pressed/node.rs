//! Stretches of time in the order of the search, and times spread over a stretch.

use std::cmp::Ordering;

use crate::query::pair_sweep::PairSweep;
use closefit_geometry::motion::cells::{Cells, Stretch};

/// A stretch of time within a span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    /// No depth in the stretch exceeds this.
    pub bound: f64,
    pub span: usize,
    pub stretch: Stretch,
    /// True if the bound comes from the depth at the middle.
    pub is_asked: bool,
}

impl Node {
    /// Returns its start as a share of its span, exactly.
    fn share(&self) -> f64 {
        self.stretch.index as f64 / (1u64 << self.stretch.level) as f64
    }
}

impl Eq for Node {}

impl Ord for Node {
    /// The largest bound is the greatest; of equal bounds the earliest, then the longest stretch.
    fn cmp(&self, other: &Self) -> Ordering {
        (self.bound.total_cmp(&other.bound))
            .then_with(|| other.span.cmp(&self.span))
            .then_with(|| other.share().total_cmp(&self.share()))
            .then_with(|| other.stretch.level.cmp(&self.stretch.level))
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns times spread over a stretch: shares of it that grow by the golden ratio, less whole numbers, fall
/// on all phases of what repeats itself in the motion.
pub(super) fn spread([from, to]: [f64; 2], count: u32) -> impl Iterator<Item = f64> {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    (1..=count).map(move |k| from + (to - from) * (f64::from(k) * GOLDEN).fract())
}

/// Returns stretches that together cover the time from one moment to another: of each span, the fewest whole
/// parts of its halvings that cover its cells there.
pub(super) fn cover(sweep: &PairSweep, [from, to]: [f64; 2]) -> Vec<Node> {
    let mut nodes = Vec::new();
    for span in 0..sweep.spans() {
        let cells = sweep.cells(span);
        if cells.to <= from || cells.from >= to {
            continue;
        }
        let (mut first, end) = (last_before(cells, from), cells.count().min(last_before(cells, to) + 1));
        while first < end {
            // The largest part that begins at the first cell and ends in time.
            let most = (end - first).ilog2().min(first.trailing_zeros()).min(cells.level);
            let stretch = Stretch { level: cells.level - most, index: first >> most };
            nodes.push(Node { bound: f64::INFINITY, span, stretch, is_asked: false });
            first += 1 << most;
        }
    }
    nodes
}

/// Returns the last cell that starts at or before a time, or the first.
fn last_before(cells: &Cells, time: f64) -> u64 {
    let (mut low, mut high) = (0, cells.count());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if cells.start(cells.cell(middle)) <= time { low = middle } else { high = middle }
    }
    low
}

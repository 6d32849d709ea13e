//! The search through time, from one stretch to its halves, the earlier first (Redon et al. 2002,
//! sections 4.2 and 6; unless told otherwise, the search never goes past the current collision time).
//!
//! A stretch inherits its *front* from the stretch that it is a half of: the pairs of boxes and of triangles
//! that could not be proven apart over all of that time. Some can over the shorter time. The others are
//! opened as long as they are large compared with their movement (the paper's subdivision test), and become
//! the front of its halves. So boxes are opened and time is halved in turn, the constants of a stretch are
//! computed once, and contact in an earlier half is found before the later half is searched.
//! [`Order::SpaceFirst`] follows one pair of a front after the other through time instead.

use std::ops::Range;

use super::method::{Method, Order, Triangles};
use super::roots::{Roots, UnposedLeaves};
use crate::narrow::{SLACK, Work};
use closefit_geometry::motion::cells::{Cells, Stretch};
use closefit_geometry::motion::moment::Moment;
use closefit_geometry::motion::span::PairSpan;

/// Two trees, as the search through time needs them.
pub trait TreePair {
    /// A pair of boxes, or of triangles, not yet proven apart.
    type Item: Copy;

    /// Returns the pair of both roots.
    fn whole(&self) -> Self::Item;

    /// Returns the part (0 the pair's first, 1 its second) whose tree stands still; the other's boxes move
    /// past it.
    fn seen_from(&self) -> usize {
        0
    }

    /// Returns the method. The search itself uses only `fronts`, `order` and `triangles`.
    fn method(&self) -> Method {
        Method::FASTEST
    }

    /// Consumes the stack and appends to `left` all that is not proven farther apart than `limit` over a
    /// moment, opened as far as is worthwhile.
    fn narrow(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<Self::Item>,
        left: &mut Vec<Self::Item>,
        work: &mut Work,
    );

    /// True if any pair on the stack is within `limit` at a moment without extent.
    fn is_within(&self, moment: &Moment, limit: f64, stack: &mut Vec<Self::Item>, work: &mut Work) -> bool;

    /// True for a pair of triangles or of leaves, which conservative advancement can treat.
    fn is_triangles(_item: &Self::Item) -> bool {
        false
    }

    /// Returns the triangles of a pair of triangles or of leaves, in coordinates of their parts; `None` for
    /// boxes.
    fn leaves(&self, _item: &Self::Item) -> Option<UnposedLeaves<'_>> {
        None
    }

    /// Returns for how many seconds after the moment's middle, at most its half width, a front of triangles
    /// certainly stays farther apart than `limit`; `None` if it is within the limit now.
    fn free_time(
        &self,
        _moment: &Moment,
        _limit: f64,
        _front: &[Self::Item],
        _work: &mut Work,
    ) -> Option<f64> {
        Some(0.0)
    }
}

/// A proof about much time at once. It takes as long as many tests, so a search asks for it only once it is
/// long.
pub trait Foresight {
    /// Returns the length, in tests of boxes, after which a search asks.
    fn patience(&self) -> u64;

    /// True only if the distance exceeds `limit` in the middles of a range of cells.
    fn stays_beyond(&mut self, cells: Range<u64>, limit: f64, work: &mut Work) -> bool;

    /// True only if it is already known that the distance exceeds `limit` in the middles of a range of cells.
    fn is_known_beyond(&self, _cells: &Range<u64>, _limit: f64) -> bool {
        false
    }
}

/// No proof about much time.
pub struct NoForesight;

impl Foresight for NoForesight {
    fn patience(&self) -> u64 {
        u64::MAX
    }

    fn stays_beyond(&mut self, _cells: Range<u64>, _limit: f64, _work: &mut Work) -> bool {
        false
    }
}

/// Buffers reused between searches.
#[derive(Clone, Debug)]
pub struct Scratch<Item> {
    /// The fronts of the current stretch and of those that contain it, one after the other.
    items: Vec<Item>,
    /// The items of the current front still to be tested.
    stack: Vec<Item>,
}

impl<Item> Default for Scratch<Item> {
    fn default() -> Self {
        Self { items: Vec::new(), stack: Vec::new() }
    }
}

/// Returns the first of a range of cells at whose middle the distance is at most `limit`.
pub fn first_within<T: TreePair>(
    trees: &T,
    (motion, cells): (&PairSpan, &Cells),
    range: Range<u64>,
    limit: f64,
    foresight: &mut dyn Foresight,
    scratch: &mut Scratch<T::Item>,
    work: &mut Work,
) -> Option<u64> {
    if range.is_empty() {
        return None;
    }
    let Scratch { items, stack } = scratch;
    items.clear();
    items.push(trees.whole());
    let patience = length(work).saturating_add(foresight.patience());
    let roots = Roots::new((motion, cells), trees.seen_from());
    let mut search = FrontSearch {
        trees,
        motion,
        cells,
        roots,
        range,
        limit,
        patience,
        foresight,
        monotone_axes: None,
        items,
        stack,
        work,
    };
    search.stretch(Stretch::WHOLE, 0..1)
}

/// Returns the length of a search: its tests of boxes, and its tests of triangles, which take about four
/// times as long.
fn length(work: &Work) -> u64 {
    work.box_tests + 4 * work.triangle_tests
}

/// Largest number of triangle pairs in a front that is advanced; for larger fronts, time is halved.
const FEW: usize = 32;

/// Largest number of advancement steps before time is halved after all. For surfaces that slide along each
/// other a stretch proves more, because it covers both sides of its middle.
const STEPS: u32 = 12;

struct FrontSearch<'a, T: TreePair> {
    trees: &'a T,
    motion: &'a PairSpan<'a>,
    cells: &'a Cells,
    roots: Roots<'a>,
    range: Range<u64>,
    limit: f64,
    /// The length after which the search asks for a proof about all the time that is left.
    patience: u64,
    foresight: &'a mut dyn Foresight,
    /// The axes along which all coordinates only grow or only fall, once they are needed.
    monotone_axes: Option<[bool; 3]>,
    items: &'a mut Vec<T::Item>,
    stack: &'a mut Vec<T::Item>,
    work: &'a mut Work,
}

impl<T: TreePair> FrontSearch<'_, T> {
    fn seen(&self, moment: Moment) -> Moment {
        if self.trees.seen_from() == 0 { moment } else { moment.flipped() }
    }

    /// Returns the first cell of a stretch within the limit. Recurses once per halving.
    fn stretch(&mut self, stretch: Stretch, front: Range<usize>) -> Option<u64> {
        let cells = self.cells.range(stretch);
        if cells.end <= self.range.start
            || cells.start >= self.range.end
            || self.foresight.is_known_beyond(&cells, self.limit)
        {
            return None;
        }
        if length(self.work) >= self.patience {
            self.patience = u64::MAX;
            let left = cells.start.max(self.range.start)..self.range.end;
            if self.foresight.stays_beyond(left.clone(), self.limit, self.work) {
                self.range.end = left.start;
                return None;
            }
        }
        let moment = self.seen(self.motion.over(self.cells, stretch));
        self.stack.clear();
        self.stack.extend_from_slice(&self.items[front]);
        if stretch.level == self.cells.level {
            let near = self.trees.is_within(&moment, self.limit, self.stack, self.work);
            return near.then_some(stretch.index);
        }
        let start = self.items.len();
        self.trees.narrow(&moment, self.limit, self.stack, self.items, self.work);
        let solved = self.solve(stretch, start);
        let end = self.items.len();
        let found = if start == end {
            None
        } else {
            self.advance(cells.clone(), start..end).unwrap_or_else(|from| {
                self.drop_apart(from..cells.end.min(self.range.end), start);
                let end = self.items.len();
                let before = std::mem::replace(&mut self.range.start, from);
                let left = if self.trees.method().fronts { start..end } else { 0..1 };
                let found = match self.trees.method().order {
                    Order::TimeFirst => self.halves(stretch, left),
                    Order::SpaceFirst => self.one_by_one(stretch, left),
                };
                self.range.start = before;
                found
            })
        };
        self.items.truncate(start);
        earlier(found, solved)
    }

    /// Removes the pairs of few triangles from the front that begins at `start` whose coordinates alone prove
    /// that they stay beyond the limit in some cells.
    ///
    /// Along some axes the computed coordinates only grow or only fall, so that in all these cells they lie
    /// between those in the first and in the last, to the last bit. No rounding blurs this proof, while every
    /// other needs a gap that exceeds the limit by more than all that rounding may add: at a small rate that
    /// takes very many cells.
    fn drop_apart(&mut self, cells: Range<u64>, start: usize) {
        let front = &self.items[start..];
        if front.len() > FEW || !front.iter().all(T::is_triangles) || cells.end - cells.start < 2 {
            return;
        }
        let axes = *self.monotone_axes.get_or_insert_with(|| self.motion.monotone_axes());
        let times = [cells.start, cells.end - 1].map(|cell| self.cells.middle(self.cells.cell(cell)));
        if axes == [false; 3] || !self.motion.holds(times) {
            return;
        }
        let moments = times.map(|time| self.seen(self.motion.moment(time, 0.0)));
        let limit = self.limit * SLACK;
        let mut kept = start;
        for at in start..self.items.len() {
            let item = self.items[at];
            let are_apart = self.trees.leaves(&item).is_some_and(|leaves| {
                self.work.triangle_tests += u64::from(leaves.lanes.count_ones());
                leaves.are_apart_between(&moments, axes, limit)
            });
            if !are_apart {
                self.items[kept] = item;
                kept += 1;
            }
        }
        self.items.truncate(kept);
    }

    /// Ends the search at a cell that is within the limit: the current collision time.
    fn hit(&mut self, cell: u64) {
        if self.trees.method().collision_time {
            self.range.end = cell;
        }
    }

    /// Removes the pairs of triangles from the front that begins at `start`, and returns the first cell of a
    /// stretch at which one of them is within the limit, if the method solves them. The search then ends
    /// there.
    fn solve(&mut self, stretch: Stretch, start: usize) -> Option<u64> {
        if self.trees.method().triangles != Triangles::Roots {
            return None;
        }
        let (mut first, mut boxes) = (None, start);
        for at in start..self.items.len() {
            let item = self.items[at];
            let Some(leaves) = self.trees.leaves(&item) else {
                self.items[boxes] = item;
                boxes += 1;
                continue;
            };
            if let Some(cell) = self.first_of_leaves(stretch, item, &leaves) {
                first = earlier(first, Some(cell));
                self.hit(cell);
            }
        }
        self.items.truncate(boxes);
        first
    }

    /// Returns the first cell of a stretch at which two leaves are within the limit. A root is only where
    /// that may be.
    fn first_of_leaves(&mut self, stretch: Stretch, item: T::Item, leaves: &UnposedLeaves) -> Option<u64> {
        let cells = self.cells.range(stretch);
        let mut cell = cells.start.max(self.range.start);
        let end = cells.end.min(self.range.end);
        let mut sharp = false;
        while cell < end {
            let moment = self.seen(self.motion.over(self.cells, self.cells.cell(cell)));
            self.stack.clear();
            self.stack.push(item);
            if self.trees.is_within(&moment, self.limit, self.stack, self.work) {
                return Some(cell);
            }
            cell = self.roots.first_after(leaves, (stretch, cell..end), self.limit, sharp, self.work)?;
            sharp = true;
        }
        None
    }

    /// Returns the first cell of both halves of a stretch within the limit.
    fn halves(&mut self, stretch: Stretch, front: Range<usize>) -> Option<u64> {
        stretch.halves().into_iter().find_map(|half| self.stretch(half, front.clone()))
    }

    /// Does the same for one item of the front after the other, by default none beyond the first cell found
    /// so far.
    fn one_by_one(&mut self, stretch: Stretch, front: Range<usize>) -> Option<u64> {
        let mut first = None;
        for item in front {
            if let Some(cell) = self.halves_of_one(stretch, item) {
                first = earlier(first, Some(cell));
                self.hit(cell);
            }
        }
        first
    }

    /// Does the same for one item. Without a current collision time, a hit in the earlier half of two boxes'
    /// time does not spare them the later one; triangles have no use for a later hit of their own.
    fn halves_of_one(&mut self, stretch: Stretch, item: usize) -> Option<u64> {
        let Method { collision_time, fronts, .. } = self.trees.method();
        if collision_time || !fronts || T::is_triangles(&self.items[item]) {
            return self.halves(stretch, item..item + 1);
        }
        let [a, b] = stretch.halves().map(|half| self.stretch(half, item..item + 1));
        earlier(a, b)
    }

    /// Searches a stretch's cells by conservative advancement if only a few triangles are left. A step ends
    /// when a pair could first come near along the direction between its closest points, which is Newton's
    /// step for pairs that collide. Returns the first cell or none; the first cell not passed as an error if
    /// steps are too short.
    fn advance(&mut self, cells: Range<u64>, front: Range<usize>) -> Result<Option<u64>, u64> {
        let mut cell = cells.start.max(self.range.start);
        let end = cells.end.min(self.range.end);
        let Method { fronts, triangles, .. } = self.trees.method();
        let few = fronts && triangles == Triangles::Directions && front.len() <= FEW;
        if !(few && self.items[front.clone()].iter().all(T::is_triangles)) {
            return Err(cell);
        }
        let width = (self.cells.to - self.cells.from) / self.cells.count() as f64;
        for _ in 0..STEPS {
            let ahead = width * (end - cell) as f64;
            let moment = self.seen(self.motion.moment(self.cells.middle(self.cells.cell(cell)), ahead));
            let Some(free) = self.trees.free_time(&moment, self.limit, &self.items[front.clone()], self.work)
            else {
                return Ok(Some(cell));
            };
            // A little less, because the times of middles are rounded.
            let passed = (free / width * (1.0 - 1e-9)) as u64;
            cell += 1 + passed;
            if cell >= end {
                return Ok(None);
            }
        }
        Err(cell)
    }
}

/// Returns the earlier of two cells.
fn earlier(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}

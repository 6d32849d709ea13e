//! The search through time: from one stretch to its halves, the earlier first (Redon et al. 2002, sections 4.2
//! and 6: the current collision time is passed on by not going past it).
//!
//! A stretch takes over, from the one that it is a half of, the *front*: the pairs of boxes and of triangles
//! that could not be told apart over all of it. Over the shorter time some of them can; what is left is
//! opened as long as boxes are large for how far they move (the paper's subdivision test, asked of both), and
//! is the front of its halves. So boxes are opened in space and time halved in turn, constants of a stretch are
//! found once, and what an earlier half has in contact is found before a later one is looked at.

use std::ops::Range;

use super::method::{Method, Triangles};
use crate::motion::cells::{Cells, Stretch};
use crate::motion::moment::Moment;
use crate::motion::span::PairSpan;
use crate::narrow::Work;

/// Two trees, whose boxes are looked at over stretches of time.
pub trait Trees {
    /// Boxes or triangles of both that were not told apart.
    type Item: Copy;

    /// Both trees as a whole.
    fn whole(&self) -> Self::Item;

    /// The part (0 the pair's first, 1 its second) that the first tree is of: the other's boxes move past it.
    fn seen_from(&self) -> usize {
        0
    }

    /// How to go about it; of this the search itself keeps to `fronts` and `triangles`.
    fn method(&self) -> Method {
        Method::FASTEST
    }

    /// Takes what is on the stack, and appends to `left` what of it is not proven to be farther apart than
    /// `limit` over a moment, opened as far as is worth while.
    fn narrow(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<Self::Item>,
        left: &mut Vec<Self::Item>,
        work: &mut Work,
    );

    /// True when something on the stack is within `limit` of each other at a moment without extent.
    fn is_within(&self, moment: &Moment, limit: f64, stack: &mut Vec<Self::Item>, work: &mut Work) -> bool;

    /// True for a pair of triangles, or leaves of them, which may be advanced.
    fn is_triangles(_item: &Self::Item) -> bool {
        false
    }

    /// Seconds after the moment's middle, as far as it reaches, for which a front of triangles certainly stays
    /// farther apart than `limit`; `None` where it is not now.
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

/// Reused between searches.
#[derive(Clone, Debug)]
pub struct Scratch<Item> {
    /// The fronts of the present stretch and of those that it is a part of, one after the other.
    items: Vec<Item>,
    /// What of the present front is still to be looked at.
    stack: Vec<Item>,
}

impl<Item> Default for Scratch<Item> {
    fn default() -> Self {
        Self { items: Vec::new(), stack: Vec::new() }
    }
}

/// The first of a range of cells at whose middle the distance is at most `limit`.
pub fn first_within<T: Trees>(
    trees: &T,
    (motion, cells): (&PairSpan, &Cells),
    range: Range<u64>,
    limit: f64,
    scratch: &mut Scratch<T::Item>,
    work: &mut Work,
) -> Option<u64> {
    if range.is_empty() {
        return None;
    }
    let Scratch { items, stack } = scratch;
    items.clear();
    items.push(trees.whole());
    let mut search = Search { trees, motion, cells, range, limit, items, stack, work };
    search.stretch(Stretch::WHOLE, 0..1)
}

/// Fronts of more triangles than this are halved in time, not advanced.
const FEW: usize = 32;

/// Steps of an advancement before time is halved after all: surfaces that slide along each other want both
/// sides of a middle.
const STEPS: u32 = 12;

struct Search<'a, T: Trees> {
    trees: &'a T,
    motion: &'a PairSpan<'a>,
    cells: &'a Cells,
    range: Range<u64>,
    limit: f64,
    items: &'a mut Vec<T::Item>,
    stack: &'a mut Vec<T::Item>,
    work: &'a mut Work,
}

impl<T: Trees> Search<'_, T> {
    fn seen(&self, moment: Moment) -> Moment {
        if self.trees.seen_from() == 0 { moment } else { moment.flipped() }
    }

    /// The first cell within a stretch; as deep as cells are halved.
    fn stretch(&mut self, stretch: Stretch, front: Range<usize>) -> Option<u64> {
        let finer = self.cells.level - stretch.level;
        let cells = (stretch.index << finer)..((stretch.index + 1) << finer);
        if cells.end <= self.range.start || cells.start >= self.range.end {
            return None;
        }
        let moment = self.seen(self.motion.over(self.cells, stretch));
        self.stack.clear();
        self.stack.extend_from_slice(&self.items[front]);
        if finer == 0 {
            let near = self.trees.is_within(&moment, self.limit, self.stack, self.work);
            return near.then_some(stretch.index);
        }
        let start = self.items.len();
        self.trees.narrow(&moment, self.limit, self.stack, self.items, self.work);
        let end = self.items.len();
        let found = if start == end {
            None
        } else {
            self.advance(cells, start..end).unwrap_or_else(|from| {
                let before = std::mem::replace(&mut self.range.start, from);
                let left = if self.trees.method().fronts { start..end } else { 0..1 };
                let found = stretch.halves().into_iter().find_map(|half| self.stretch(half, left.clone()));
                self.range.start = before;
                found
            })
        };
        self.items.truncate(start);
        found
    }

    /// Goes through a stretch's cells by conservative advancement, where only a few triangles are left: each is
    /// free until it could have come near along the direction of its closest points, which is Newton's step
    /// for those that meet. The first cell, or none; or, where steps turn out short, the cell that is not passed.
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
            // A little less, for the times of middles are rounded.
            let passed = (free / width * (1.0 - 1e-9)) as u64;
            cell += 1 + passed;
            if cell >= end {
                return Ok(None);
            }
        }
        Err(cell)
    }
}

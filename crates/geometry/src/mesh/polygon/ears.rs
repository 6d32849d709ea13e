//! Ears of a polygon, clipped one after another.
//!
//! Where the boundary turns back at a corner, or stays, its triangle has no area: the lowest such corner is
//! clipped first. Otherwise a slit could lie on the edge of a triangle, and its points do not say on which
//! side. Then the lowest ear is clipped: a convex corner whose triangle nothing of what is left of the
//! boundary enters. Where there is none, it is the lowest corner on a straight line. An ear stays one as long
//! as its neighbours do, since nothing can come into its triangle but by crossing the boundary.
//!
//! Boundaries that touch themselves count by where they go: a corner on the edge of a triangle is in the way
//! only if an edge leads from it into the triangle. Therefore a hole that a doubled edge connects is no
//! obstacle.
//!
//! Among `n` corners the search for one in a triangle visits some `sqrt(n)` boxes of a tree, and each of `3
//! n` triangles is searched once, unless the corner that was in its way goes. Orders of corners that make
//! that happen often are errors beyond [`MOST_WORK`].

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::Flat;
use super::corner_tree::CornerTree;
use crate::ids::to_u32;

/// Number of boxes and corners that may be visited for each corner of a polygon. Polygons of a few hundred
/// corners never come near it, whatever their order.
const MOST_WORK: u64 = 1 << 12;

/// A polygon that takes too much time to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a polygon of {corners} corners takes more than {MOST_WORK} comparisons for each to be cut into triangles"
)]
pub struct TooMuchWork {
    /// Number of its corners.
    pub corners: usize,
}

/// The nature of a corner that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nature {
    /// The boundary turns back at the corner, or stays.
    Back,
    Ear,
    /// Convex, with another corner in the way.
    Blocked(u32),
    /// A corner on the line between its neighbours.
    Straight,
    Reflex,
    Clipped,
}

/// Clips all ears of a counterclockwise polygon; `None` if at some point no corner is left that may be
/// clipped.
pub fn clip(flat: &Flat) -> Result<Option<Vec<[u32; 3]>>, TooMuchWork> {
    let count = flat.points.len();
    let mut rest = Rest::new(flat);
    let mut triangles = Vec::with_capacity(count - 2);
    let most = MOST_WORK.saturating_mul(count as u64);
    (0..to_u32(count)).for_each(|corner| rest.judge(corner));
    while triangles.len() < count - 2 {
        if rest.work > most {
            return Err(TooMuchWork { corners: count });
        }
        let Some(corner) = rest.lowest() else { return Ok(None) };
        let mut triangle = rest.triangle(corner);
        let lowest = (0..3).min_by_key(|&k| triangle[k]).unwrap_or_default();
        triangle.rotate_left(lowest);
        triangles.push(triangle);
        rest.remove(corner);
    }
    Ok(Some(triangles))
}

/// The rest of a polygon.
struct Rest<'a> {
    flat: &'a Flat,
    before: Vec<u32>,
    after: Vec<u32>,
    natures: Vec<Nature>,
    /// The corners that each corner has been in the way of.
    blocked: Vec<Vec<u32>>,
    /// The corners that may be clipped, by the order of their kinds; some are no longer such.
    backs: BinaryHeap<Reverse<u32>>,
    ears: BinaryHeap<Reverse<u32>>,
    straight: BinaryHeap<Reverse<u32>>,
    tree: CornerTree,
    /// Number of boxes and corners visited.
    work: u64,
}

impl<'a> Rest<'a> {
    fn new(flat: &'a Flat) -> Self {
        let count = to_u32(flat.points.len());
        Self {
            flat,
            before: (0..count).map(|i| i.checked_sub(1).unwrap_or(count - 1)).collect(),
            after: (0..count).map(|i| if i + 1 == count { 0 } else { i + 1 }).collect(),
            natures: vec![Nature::Reflex; count as usize],
            blocked: vec![Vec::new(); count as usize],
            backs: BinaryHeap::new(),
            ears: BinaryHeap::new(),
            straight: BinaryHeap::new(),
            tree: CornerTree::new(flat),
            work: 0,
        }
    }

    /// Returns a corner between its neighbours.
    fn triangle(&self, corner: u32) -> [u32; 3] {
        [self.before[corner as usize], corner, self.after[corner as usize]]
    }

    fn point(&self, corner: u32) -> [f64; 2] {
        self.flat.points[corner as usize]
    }

    /// Takes the lowest corner that may be clipped.
    fn lowest(&mut self) -> Option<u32> {
        let Self { backs, ears, straight, natures, .. } = self;
        let take = |heap: &mut BinaryHeap<Reverse<u32>>, nature| {
            std::iter::from_fn(|| heap.pop())
                .map(|Reverse(corner)| corner)
                .find(|&c| natures[c as usize] == nature)
        };
        take(backs, Nature::Back)
            .or_else(|| take(ears, Nature::Ear))
            .or_else(|| take(straight, Nature::Straight))
    }

    /// Removes a corner, and judges all corners again whose nature may have changed.
    fn remove(&mut self, corner: u32) {
        let [before, _, after] = self.triangle(corner);
        self.natures[corner as usize] = Nature::Clipped;
        self.after[before as usize] = after;
        self.before[after as usize] = before;
        self.tree.remove(corner);
        self.judge(before);
        self.judge(after);
        for changed in [before, corner, after] {
            for other in std::mem::take(&mut self.blocked[changed as usize]) {
                if self.natures[other as usize] == Nature::Blocked(changed) {
                    self.judge(other);
                }
            }
        }
    }

    /// Finds out the nature of a corner.
    fn judge(&mut self, corner: u32) {
        let nature = self.nature(corner);
        self.natures[corner as usize] = nature;
        match nature {
            Nature::Back => self.backs.push(Reverse(corner)),
            Nature::Ear => self.ears.push(Reverse(corner)),
            Nature::Straight => self.straight.push(Reverse(corner)),
            Nature::Blocked(other) => self.blocked[other as usize].push(corner),
            Nature::Reflex | Nature::Clipped => {}
        }
    }

    fn nature(&mut self, corner: u32) -> Nature {
        let triangle = self.triangle(corner);
        let points @ [a, b, c] = triangle.map(|corner| self.point(corner));
        match self.flat.turn(a, b, c) {
            Ordering::Less => Nature::Reflex,
            // Along a line, lexicographic order is the order on the line.
            Ordering::Equal if a < b && b < c || c < b && b < a => Nature::Straight,
            Ordering::Equal => Nature::Back,
            Ordering::Greater => {
                let mut work = self.work;
                let in_the_way = |other| {
                    self.natures[other as usize] != Nature::Clipped
                        && !triangle.contains(&other)
                        && self.is_in_the_way(other, &points)
                };
                let found = self.tree.find(self.flat, &points, &mut work, in_the_way);
                self.work = work;
                found.map_or(Nature::Ear, Nature::Blocked)
            }
        }
    }

    /// True if a corner lies inside a triangle, or on its boundary with an edge that leads inside.
    fn is_in_the_way(&self, corner: u32, &[a, b, c]: &[[f64; 2]; 3]) -> bool {
        let edges = [[a, b], [b, c], [c, a]];
        let side = |[from, to]: [[f64; 2]; 2], of: u32| self.flat.turn(from, to, self.point(of));
        let sides = edges.map(|edge| side(edge, corner));
        if sides.contains(&Ordering::Less) {
            return false;
        }
        let [before, _, after] = self.triangle(corner);
        let leads_inside =
            |to: u32| edges.iter().zip(sides).all(|(&edge, here)| here.is_gt() || side(edge, to).is_gt());
        leads_inside(before) || leads_inside(after)
    }
}

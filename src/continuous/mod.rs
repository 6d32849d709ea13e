//! Two parts over a stretch of time: when they first come near each other, and how near they come.
//!
//! *In*: two shapes, their motion between two keyframes ([`PairSpan`]), and the cells into which that time is
//! cut. *Out*: cells. A cell counts by the distance at its middle alone, on the coordinates of the poses there
//! ([`PairSpan::over`]); whatever moves in between only proves that cells need not be looked at.

mod binary;
mod drift;
pub mod edge_edge_time;
pub mod elementary;
pub(crate) mod fronts;
pub mod interval_boxes;
pub mod method;
pub mod moving_boxes;
pub mod moving_triangles;
pub mod root;
pub mod swept_boxes;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod vertex_face_time;
mod wide;

use std::ops::Range;

use glam::DVec3;

use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::{Body, Model};
use crate::hierarchy::obb8::Obb8;
use crate::hierarchy::tree::Tree;
use crate::mesh::Mesh;
use crate::motion::cells::Cells;
use crate::motion::moment::Moment;
use crate::motion::span::PairSpan;
use crate::narrow::tree_tree::{self, Nearest, Work};
use method::Method;

/// Boxes that move by more than this share of their extents are not opened before time is halved: the constant of
/// the subdivision test of Redon et al. 2002, section 4.1.2. The inequality printed there adds one box's extent to
/// the path and holds that against the other's: boxes of one size would never be opened.
const SUBDIVISION: f32 = 0.2;

/// No extent counts for less than this share of the boxes' sizes: what is flat, and moves across itself, would
/// never be opened.
const FLAT: f32 = 0.05;

/// A mesh with its tree.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// What it needs once.
    pub model: &'a Model,
}

/// Two shapes between two keyframes.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a> {
    /// The two, with trees of one backend.
    pub shapes: [Shape<'a>; 2],
    /// How they move.
    pub motion: &'a PairSpan<'a>,
    /// Into which their time is cut.
    pub cells: &'a Cells,
    /// How time is searched.
    pub method: Method,
}

/// Reused between searches: nothing is allocated once it is warm.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    wide: fronts::Scratch<wide::Item>,
    binary: fronts::Scratch<binary::Item>,
}

/// The first of a range of cells at whose middle the two are within `limit` of each other.
///
/// # Panics
/// For trees of different backends.
pub fn first_within(
    pair: &Moving,
    range: Range<u64>,
    limit: f64,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<u64> {
    let (time, method) = ((pair.motion, pair.cells), pair.method);
    let seen_from = time.0.steadier();
    let shapes = [pair.shapes[seen_from], pair.shapes[1 - seen_from]];
    match shapes.map(|shape| &shape.model.tree) {
        [Tree::Wide(a), Tree::Wide(b)] => {
            let trees = wide::Trees { trees: [a, b], seen_from, spin: time.0.spin(), method };
            fronts::first_within(&trees, time, range, limit, &mut scratch.wide, work)
        }
        [Tree::Binary(a), Tree::Binary(b)] => {
            let meshes = shapes.map(|shape| shape.mesh);
            let trees = binary::Trees { trees: [a, b], meshes, seen_from, method };
            fronts::first_within(&trees, time, range, limit, &mut scratch.binary, work)
        }
        _ => panic!("one backend builds all trees of a run"),
    }
}

/// [`first_within`] of two wide trees, which hold all that it needs, by the fastest method.
pub fn wide_first_within(
    trees: [&Obb8; 2],
    time: (&PairSpan, &Cells),
    range: Range<u64>,
    limit: f64,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<u64> {
    let seen_from = time.0.steadier();
    let trees = [trees[seen_from], trees[1 - seen_from]];
    let trees = wide::Trees { trees, seen_from, spin: time.0.spin(), method: Method::FASTEST };
    fronts::first_within(&trees, time, range, limit, &mut scratch.wide, work)
}

/// Of a range of cells, those whose middle has the smallest distance in steps of `unit`, rounded up: that
/// number of steps, and the first cell; `None` where none has fewer than `below`.
pub fn lowest(
    pair: &Moving,
    range: Range<u64>,
    unit: f64,
    below: u64,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<(u64, u64)> {
    if range.is_empty() {
        return None;
    }
    // From here on no cell has fewer steps than `floor`, and what has been passed over has more than `steps`.
    let (mut from, mut floor, mut steps, mut best) = (range.start, 0, below, None);
    let mut slow = false;
    // Parts that are near from the first cell on have no first time to be looked for among all their boxes.
    let start = pair.cells.middle(pair.cells.cell(from));
    let mut known = pair.is_within(start, steps.saturating_sub(1) as f64 * unit, work).then_some(from);
    while floor < steps {
        // Where a descent gained little the next may too: halving what is left ends soon in any landscape.
        let aim = if slow { floor + (steps - 1 - floor) / 2 } else { steps - 1 };
        let found =
            known.take().or_else(|| first_within(pair, from..range.end, aim as f64 * unit, scratch, work));
        let Some(found) = found else {
            floor = aim + 1;
            continue;
        };
        let (distance, cell) = pair.descend(found, range.end, unit, work);
        let reached = steps_of(distance, unit);
        slow = reached.saturating_sub(floor) > (steps - floor) / 2;
        (from, steps, best) = (found, reached, Some(cell));
    }
    let cell = best?;
    let first = first_within(pair, from..cell, steps as f64 * unit, scratch, work);
    Some((steps, first.unwrap_or(cell)))
}

/// The smallest `j` for which `distance <= j * unit`.
pub fn steps_of(distance: f64, unit: f64) -> u64 {
    let mut steps = (distance / unit).ceil() as u64;
    while steps > 0 && (steps - 1) as f64 * unit >= distance {
        steps -= 1;
    }
    while (steps as f64) * unit < distance {
        steps += 1;
    }
    steps
}

/// Distances looked at to see where in a stretch of time they are small.
const SAMPLES: u64 = 8;

impl Moving<'_> {
    /// The two where they are at a time, for questions about their triangles: their boxes are not found.
    pub fn bodies(&self, time: f64) -> [Body<'_>; 2] {
        self.bodies_at(&self.motion.moment(time, 0.0))
    }

    fn bodies_at(&self, moment: &Moment) -> [Body<'_>; 2] {
        [0, 1].map(|side| {
            let Shape { mesh, model } = self.shapes[side];
            Body::new(mesh, model, moment.poses[side], Aabb::EMPTY)
        })
    }

    /// The closest pair of triangles at a time, if within `bound`; in contact the lowest pair that touches.
    pub fn nearest(&self, time: f64, bound: f64, work: &mut Work) -> Option<Nearest> {
        let [a, b] = self.bodies(time);
        match tree_tree::contacts(&a, &b, work).first() {
            Some(&triangles) => Some(Nearest { distance: 0.0, triangles }),
            None => tree_tree::nearest(&a, &b, bound, work),
        }
    }

    /// True when the two are within `bound` of each other at a time.
    pub fn is_within(&self, time: f64, bound: f64, work: &mut Work) -> bool {
        let [a, b] = self.bodies(time);
        tree_tree::touches(&a, &b, work) || tree_tree::nearest(&a, &b, bound, work).is_some()
    }

    /// The distance at a time.
    pub fn distance(&self, time: f64, work: &mut Work) -> f64 {
        let [a, b] = self.bodies(time);
        if tree_tree::touches(&a, &b, work) {
            return 0.0;
        }
        tree_tree::nearest(&a, &b, f64::INFINITY, work).expect("no distance exceeds infinity").distance
    }

    /// The distance at the middle of a cell, and how fast it changes.
    fn slope(&self, cell: u64, work: &mut Work) -> (f64, f64) {
        let moment = self.motion.moment(self.cells.middle(self.cells.cell(cell)), 0.0);
        let [a, b] = self.bodies_at(&moment);
        if tree_tree::touches(&a, &b, work) {
            return (0.0, 0.0);
        }
        let nearest = tree_tree::nearest(&a, &b, f64::INFINITY, work).expect("no bound");
        let [p, q] = tree_tree::witness(&a, &b, &nearest);
        let velocity = moment.velocity + moment.angular.cross(q);
        (nearest.distance, (q - p).normalize_or(DVec3::ZERO).dot(velocity))
    }

    /// A small distance, and a cell that has it, at or after a given one: some cells ahead are looked at, and
    /// from the best of them the slope leads downhill. Proves nothing.
    fn descend(&self, from: u64, end: u64, unit: f64, work: &mut Work) -> (f64, u64) {
        let (ahead, width) = (end - from, (self.cells.to - self.cells.from) / self.cells.count() as f64);
        let (mut best, mut slope) = ((f64::INFINITY, from), 0.0);
        for sample in 0..SAMPLES.min(ahead) {
            let cell = from + (u128::from(ahead) * u128::from(sample) / u128::from(SAMPLES)) as u64;
            let (distance, change) = self.slope(cell, work);
            if distance < best.0 {
                (best, slope) = ((distance, cell), change);
            }
        }
        let stride = ahead / SAMPLES + 1;
        let (mut lo, mut hi) = if slope < 0.0 {
            (best.1, best.1.saturating_add(stride).min(end - 1))
        } else {
            (best.1.saturating_sub(stride).max(from), best.1)
        };
        let mut at = best.1;
        while hi - lo > 1 && best.0 > 0.0 {
            // As far as it would go at this slope: no more to gain than a part of a step?
            if slope.abs() * width * ((hi - lo) as f64) < 0.25 * unit {
                break;
            }
            at = if at == lo || at == hi { lo + (hi - lo) / 2 } else { at };
            let (distance, change) = self.slope(at, work);
            slope = change;
            if distance < best.0 {
                best = (distance, at);
            }
            if change < 0.0 {
                lo = at;
            } else {
                hi = at;
            }
            at = lo;
        }
        best
    }
}

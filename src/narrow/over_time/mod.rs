//! Two parts over a stretch of time: when they first come near each other, and how near they come.
//!
//! *In*: two shapes, their motion between two keyframes ([`PairSpan`]), and the cells into which that time is
//! cut. *Out*: cells. A cell counts by the distance at its middle alone, on the coordinates of the poses there
//! ([`PairSpan::over`]); whatever moves in between only proves that cells need not be looked at.

pub mod edge_edge_time;
pub mod elementary;
pub mod interval_boxes;
pub mod root;
pub mod vertex_face_time;

use std::ops::Range;

use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::{Body, Model};
use crate::motion::cells::{Cells, Stretch};
use crate::motion::pair::PairSpan;
use crate::narrow::tree_tree::{self, Nearest, Work};
use crate::scene::Mesh;

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
    /// The two.
    pub shapes: [Shape<'a>; 2],
    /// How they move.
    pub motion: &'a PairSpan<'a>,
    /// Into which their time is cut.
    pub cells: &'a Cells,
}

/// Reused between searches.
#[derive(Clone, Debug, Default)]
pub struct Scratch {}

/// The first of a range of cells at whose middle the two are within `limit` of each other.
pub fn first_within(
    pair: &Moving,
    range: Range<u64>,
    limit: f64,
    _scratch: &mut Scratch,
    work: &mut Work,
) -> Option<u64> {
    let mut cell = range.start;
    while cell < range.end {
        let distance = pair.distance(pair.cells.middle(pair.cells.cell(cell)), work);
        if distance <= limit {
            return Some(cell);
        }
        cell = cell.saturating_add(pair.clear_cells(distance - limit));
    }
    None
}

/// Of a range of cells, those whose middle has the smallest distance in steps of `unit`, rounded up: that
/// number of steps, and the first cell; `None` where all are at `below` or more.
pub fn lowest(
    pair: &Moving,
    range: Range<u64>,
    unit: f64,
    below: u64,
    _scratch: &mut Scratch,
    work: &mut Work,
) -> Option<(u64, u64)> {
    let (mut cell, mut best) = (range.start, (below, None));
    while cell < range.end {
        let distance = pair.distance(pair.cells.middle(pair.cells.cell(cell)), work);
        let steps = steps_of(distance, unit);
        if steps < best.0 {
            best = (steps, Some(cell));
        }
        // Anything that has one step less.
        let limit = best.0.saturating_sub(1) as f64 * unit;
        cell = cell.saturating_add(pair.clear_cells(distance - limit));
    }
    best.1.map(|cell| (best.0, cell))
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

impl Moving<'_> {
    /// The two where they are at a time, for questions about standing parts.
    pub fn bodies(&self, time: f64) -> [Body<'_>; 2] {
        let moment = self.motion.moment(time, 0.0);
        [0, 1].map(|side| {
            let Shape { mesh, model } = self.shapes[side];
            Body::new(mesh, model, moment.poses[side], Aabb::EMPTY)
        })
    }

    /// The closest pair of triangles at a time, if within `bound`; with distance 0, some pair in contact.
    pub fn nearest(&self, time: f64, bound: f64, work: &mut Work) -> Option<Nearest> {
        let [a, b] = self.bodies(time);
        match tree_tree::contacts(&a, &b, work).first() {
            Some(&triangles) => Some(Nearest { distance: 0.0, triangles }),
            None => tree_tree::nearest(&a, &b, bound, work),
        }
    }

    fn distance(&self, time: f64, work: &mut Work) -> f64 {
        self.nearest(time, f64::INFINITY, work).map_or(f64::INFINITY, |nearest| nearest.distance)
    }

    /// From a cell whose middle is farther than a limit by `room`: how many cells on, at least 1, is the first
    /// whose middle may not be?
    fn clear_cells(&self, room: f64) -> u64 {
        let still = self.motion.over(self.cells, Stretch { level: self.cells.level, index: 0 });
        let width = (self.cells.to - self.cells.from) / self.cells.count() as f64;
        let cells = (room - still.slack) / (still.speed * width) * (1.0 - 1e-9);
        if cells > 1.0 { (cells as u64).max(1) } else { 1 }
    }
}

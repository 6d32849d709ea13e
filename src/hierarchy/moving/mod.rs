//! Two moving meshes: their trees, searched through time.
//!
//! *In*: two shapes, their motion between two keyframes ([`PairSpan`]), and the cells into which that time is
//! cut. *Out*: cells. A cell counts by the distance at its middle alone, with coordinates at the poses there
//! ([`PairSpan::over`]).

mod coaxial;
mod hulls;
mod memory;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::ops::Range;

use glam::DVec3;

use super::Hierarchy;
use super::body::{At, Body, Model};
use super::mesh_hull::MeshHull;
use super::standing_pair::{StandingPair, witness};
use crate::bounds::aabb::Aabb;
use crate::continuous::fronts::{self, Foresight};
use crate::continuous::known_apart::KnownApart;
use crate::continuous::lowest::{self, Approach};
use crate::continuous::method::Method;
use crate::exact::distance::distance;
use crate::executor::Executor;
use crate::mesh::Mesh;
use crate::motion::cells::Cells;
use crate::motion::moment::Moment;
use crate::motion::span::PairSpan;
use crate::narrow::{Nearest, Work};
use coaxial::{CoaxialProof, Patience};
pub use hulls::HullSearch;
use hulls::WithHulls;
pub use memory::Memory;

/// A mesh with its tree.
#[derive(Debug)]
pub struct Shape<'a, T> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// The tree and topology.
    pub model: &'a Model<T>,
}

impl<T> Clone for Shape<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shape<'_, T> {}

/// Two moving trees in the order of the search: the second moves past the first.
#[derive(Clone, Copy, Debug)]
pub struct MovingTrees<'a, T> {
    /// The trees.
    pub trees: [&'a T; 2],
    /// Their meshes.
    pub meshes: [&'a Mesh; 2],
    /// The part that the first tree belongs to: 0 for the pair's first, 1 for its second.
    pub seen_from: usize,
    /// Upper bound of the speed at which any direction turns, in radians per second.
    pub spin: f64,
    /// The method of the search through time.
    pub method: Method,
    /// The executor of the search.
    pub executor: Executor,
}

/// Two shapes that move between two keyframes.
#[derive(Clone, Copy, Debug)]
pub struct MovingPair<'a, T> {
    /// The shapes.
    pub shapes: [Shape<'a, T>; 2],
    /// The motion of both.
    pub motion: &'a PairSpan<'a>,
    /// The cells into which their time is cut.
    pub cells: &'a Cells,
    /// The method of the search through time.
    pub method: Method,
    /// The shapes' convex hulls, if they are used as a filter.
    pub hulls: Option<[&'a MeshHull; 2]>,
    /// The cells that need no search, if some are known.
    pub known: Option<&'a KnownApart>,
}

/// The question whether two trees stay farther apart than a limit over a stretch of time.
#[derive(Debug)]
pub struct StretchQuestion<'a, T> {
    /// The trees; the second moves past the first.
    pub trees: [&'a T; 2],
    /// The stretch, as seen from the first.
    pub moment: Moment,
    /// The limit.
    pub limit: f64,
    /// Index, among the questions of the last call, of one about the same trees in the same order, whose stretch contains
    /// this one and whose limit is no smaller. A device may go on from where it gave up that one.
    pub parent: Option<u32>,
}

/// State kept between searches: buffers, so that nothing is allocated once they have grown, and what was learned of
/// when to try a proof.
#[derive(Clone, Debug)]
pub struct Scratch<T: Hierarchy> {
    fronts: fronts::Scratch<T::Front>,
    patience: Patience,
    /// The walks over the shapes' hulls.
    pub hulls: HullSearch,
}

impl<T: Hierarchy> Default for Scratch<T> {
    fn default() -> Self {
        Self {
            fronts: fronts::Scratch::default(),
            patience: Patience::default(),
            hulls: HullSearch::default(),
        }
    }
}

impl<'a, T: Hierarchy> MovingPair<'a, T> {
    /// Returns the first cell of a range at whose middle the shapes are within `limit` of each other.
    pub fn first_within(
        &self,
        range: Range<u64>,
        limit: f64,
        scratch: &mut Scratch<T>,
        work: &mut Work,
    ) -> Option<u64> {
        let Scratch { fronts, patience, hulls } = scratch;
        self.first_by(&mut CoaxialProof::new(self, patience), range, limit, (fronts, hulls), work)
    }

    fn first_by(
        &self,
        foresight: &mut dyn Foresight,
        range: Range<u64>,
        limit: f64,
        (scratch, hulls): (&mut fronts::Scratch<T::Front>, &mut HullSearch),
        work: &mut Work,
    ) -> Option<u64> {
        let seen_from = self.motion.steadier();
        let shapes = [self.shapes[seen_from], self.shapes[1 - seen_from]];
        let trees = T::stretch(MovingTrees {
            trees: shapes.map(|shape| &shape.model.tree),
            meshes: shapes.map(|shape| shape.mesh),
            seen_from,
            spin: self.motion.spin(),
            method: self.method,
            executor: shapes[0].model.executor,
        });
        let executor = shapes[0].model.executor;
        let trees = WithHulls { trees, hulls: self.hulls, executor, search: RefCell::new(hulls) };
        fronts::first_within(&trees, (self.motion, self.cells), range, limit, foresight, scratch, work)
    }

    /// Finds the cell with the smallest distance at its middle: see [`lowest::lowest`].
    pub fn lowest(
        &self,
        range: Range<u64>,
        unit: f64,
        below: u64,
        scratch: &mut Scratch<T>,
        work: &mut Work,
    ) -> Option<(u64, u64)> {
        let Scratch { fronts, patience, hulls } = scratch;
        let foresight = CoaxialProof::new(self, patience);
        lowest::lowest(&mut Searching { pair: self, foresight, fronts, hulls }, range, unit, below, work)
    }

    /// Returns both bodies at a time, for questions about their triangles. Their boxes are not computed.
    pub fn bodies(&self, time: f64) -> [Body<'a, At<'a, T>>; 2] {
        self.bodies_at(&self.motion.moment(time, 0.0))
    }

    fn bodies_at(&self, moment: &Moment) -> [Body<'a, At<'a, T>>; 2] {
        [0, 1].map(|side| {
            let Shape { mesh, model } = self.shapes[side];
            Body::new(mesh, model, moment.poses[side], Aabb::EMPTY)
        })
    }

    /// Returns the closest pair of triangles at a time, if within `bound`; in contact, the lowest pair that
    /// touches.
    pub fn nearest(&self, time: f64, bound: f64, work: &mut Work) -> Option<Nearest> {
        let [a, b] = self.bodies(time);
        let pair = [&a, &b];
        match pair.contacts(work).first() {
            Some(&triangles) => Some(Nearest { distance: 0.0, triangles }),
            None => pair.nearest(bound, work),
        }
    }

    /// True when the shapes are within `bound` of each other at a time.
    pub fn is_within(&self, time: f64, bound: f64, work: &mut Work) -> bool {
        self.is_within_still(time, bound, &mut Memory::default(), work)
    }

    /// True when the shapes are within `bound` of each other at a time. Triangles that were within the bound at earlier
    /// times are tried first.
    pub fn is_within_still(&self, time: f64, bound: f64, memory: &mut Memory, work: &mut Work) -> bool {
        let moment = self.motion.moment(time, 0.0);
        let posed = |side: usize, triangle: u32| {
            self.shapes[side].mesh.corners(triangle).map(|v| moment.poses[side].apply(v))
        };
        memory.is_near(|&[a, b]| {
            *work += Work::exact(1);
            distance(&posed(0, a), &posed(1, b)) <= bound
        }) || {
            let [a, b] = self.bodies_at(&moment);
            let found = [&a, &b].within(bound, work);
            found.into_iter().for_each(|triangles| memory.add(triangles));
            found.is_some()
        }
    }

    /// Returns the distance at a time.
    pub fn distance(&self, time: f64, work: &mut Work) -> f64 {
        let [a, b] = self.bodies(time);
        if [&a, &b].touches(work) {
            return 0.0;
        }
        [&a, &b].nearest(f64::INFINITY, work).expect("no distance exceeds infinity").distance
    }

    /// Returns the distance at a time, and its rate of change.
    fn slope(&self, time: f64, work: &mut Work) -> (f64, f64) {
        let moment = self.motion.moment(time, 0.0);
        let [a, b] = self.bodies_at(&moment);
        if [&a, &b].touches(work) {
            return (0.0, 0.0);
        }
        let nearest = [&a, &b].nearest(f64::INFINITY, work).expect("no bound");
        let [p, q] = witness([&a, &b], &nearest);
        let velocity = moment.velocity + moment.angular.cross(q);
        (nearest.distance, (q - p).normalize_or(DVec3::ZERO).dot(velocity))
    }
}

/// A pair, with buffers for its searches.
struct Searching<'a, T: Hierarchy> {
    pair: &'a MovingPair<'a, T>,
    foresight: CoaxialProof<'a, T>,
    fronts: &'a mut fronts::Scratch<T::Front>,
    hulls: &'a mut HullSearch,
}

impl<T: Hierarchy> Approach for Searching<'_, T> {
    fn cells(&self) -> &Cells {
        self.pair.cells
    }

    fn first_within(&mut self, range: Range<u64>, limit: f64, work: &mut Work) -> Option<u64> {
        self.pair.first_by(&mut self.foresight, range, limit, (self.fronts, self.hulls), work)
    }

    fn is_within(&self, time: f64, bound: f64, work: &mut Work) -> bool {
        self.pair.is_within(time, bound, work)
    }

    fn slope(&self, time: f64, work: &mut Work) -> (f64, f64) {
        self.pair.slope(time, work)
    }
}

//! Two moving meshes: their trees, searched through time.
//!
//! *In*: two shapes, their motion between two keyframes ([`PairSpan`]), and the cells into which that time is
//! cut. *Out*: cells. A cell counts by the distance at its middle alone, with coordinates at the poses there
//! ([`PairSpan::over`]).

mod coaxial;
mod hulls;
mod memory;

use std::cell::RefCell;
use std::fmt::Debug;
use std::ops::Range;

use glam::DVec3;

use super::Hierarchy;
use super::mesh_hull::MeshHull;
use super::posed_model::{Model, PosedModel};
use super::static_pair::{StaticPair, answer, witness};
use crate::continuous::fronts::{self, Foresight};
use crate::continuous::known_apart::KnownApart;
use crate::continuous::lowest::{self, Approach};
use crate::continuous::method::Method;
use crate::narrow::{Nearest, Work};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::motion::cells::Cells;
use closefit_geometry::motion::moment::Moment;
use closefit_geometry::motion::span::PairSpan;
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
    /// The motion of the pair, its first part first.
    pub motion: &'a PairSpan<'a>,
    /// The method of the search through time.
    pub method: Method,
    /// The executor of the search.
    pub executor: Executor,
}

/// Two shapes with trees of one kind, which callers do not know.
pub trait MovingShapes: Debug + Sync {
    /// Returns the meshes.
    fn meshes(&self) -> [&Mesh; 2];

    /// See [`Hierarchy::COMPARES_PROFILES`].
    fn compares_profiles(&self) -> bool;

    /// Calls `ask` with both bodies at their poses and with their boxes, declared surfaces or not.
    fn with_bodies(
        &self,
        placed: [(Pose, Aabb); 2],
        are_surfaces: [bool; 2],
        ask: &mut dyn FnMut(&dyn StaticPair),
    );

    /// Returns a search through time, with buffers of its own.
    fn search(&self) -> Box<dyn TimeSearch + '_>;

    /// Calls `ask` with the shapes as they are once the vertices of one (0 or 1) have been moved. Its
    /// components stay as they are.
    fn with_vertices(&self, side: usize, vertices: Vec<DVec3>, ask: &mut dyn FnMut(&dyn MovingShapes));
}

impl dyn MovingShapes + '_ {
    /// Returns what both bodies answer at their poses.
    pub fn ask_at<R>(
        &self,
        placed: [(Pose, Aabb); 2],
        are_surfaces: [bool; 2],
        ask: impl FnOnce(&dyn StaticPair) -> R,
    ) -> R {
        answer(ask, |ask| self.with_bodies(placed, are_surfaces, ask))
    }
}

/// The search of two shapes through time. It keeps buffers between searches, so that nothing is allocated
/// once they have grown.
pub trait TimeSearch {
    /// Returns the first cell of a range at whose middle the shapes of a pair are within `limit` of each
    /// other. The search is of the same shapes.
    fn first_within(
        &mut self,
        pair: &MovingPair,
        range: Range<u64>,
        limit: f64,
        proofs: (&mut dyn Foresight, &mut HullSearch),
        work: &mut Work,
    ) -> Option<u64>;
}

impl<T: Hierarchy> MovingShapes for [Shape<'_, T>; 2] {
    fn meshes(&self) -> [&Mesh; 2] {
        self.map(|shape| shape.mesh)
    }

    fn compares_profiles(&self) -> bool {
        T::COMPARES_PROFILES
    }

    fn with_bodies(
        &self,
        placed: [(Pose, Aabb); 2],
        are_surfaces: [bool; 2],
        ask: &mut dyn FnMut(&dyn StaticPair),
    ) {
        let [a, b] = [0, 1].map(|side| {
            let (Shape { mesh, model }, (pose, bounds)) = (self[side], placed[side]);
            PosedModel::new(mesh, model, pose, bounds).declared_surface(are_surfaces[side])
        });
        ask(&[&a, &b]);
    }

    fn search(&self) -> Box<dyn TimeSearch + '_> {
        Box::new(TreeSearch { shapes: *self, fronts: fronts::Scratch::default() })
    }

    fn with_vertices(&self, side: usize, vertices: Vec<DVec3>, ask: &mut dyn FnMut(&dyn MovingShapes)) {
        let Shape { mesh, model } = self[side];
        let mesh = mesh.with_vertices(vertices);
        let model = Model::new(model.tree.of_moved(&mesh), model.executor, model.topology.clone());
        let mut shapes = *self;
        shapes[side] = Shape { mesh: &mesh, model: &model };
        ask(&shapes);
    }
}

/// The search of two trees of one kind.
struct TreeSearch<'a, T: Hierarchy> {
    shapes: [Shape<'a, T>; 2],
    fronts: fronts::Scratch<T::Front>,
}

impl<T: Hierarchy> TimeSearch for TreeSearch<'_, T> {
    fn first_within(
        &mut self,
        pair: &MovingPair,
        range: Range<u64>,
        limit: f64,
        (foresight, hulls): (&mut dyn Foresight, &mut HullSearch),
        work: &mut Work,
    ) -> Option<u64> {
        let seen_from = pair.motion.steadier();
        let shapes = [self.shapes[seen_from], self.shapes[1 - seen_from]];
        let executor = shapes[0].model.executor;
        let trees = T::stretch(MovingTrees {
            trees: shapes.map(|shape| &shape.model.tree),
            meshes: shapes.map(|shape| shape.mesh),
            seen_from,
            motion: pair.motion,
            method: pair.method,
            executor,
        });
        let meshes = self.shapes.map(|shape| shape.mesh);
        let search = RefCell::new(hulls);
        let trees = WithHulls { trees, hulls: pair.hulls, meshes, executor, search };
        let time = (pair.motion, pair.cells);
        fronts::first_within(&trees, time, range, limit, foresight, &mut self.fronts, work)
    }
}

/// Two shapes that move between two keyframes.
#[derive(Clone, Copy, Debug)]
pub struct MovingPair<'a> {
    /// The shapes.
    pub shapes: &'a dyn MovingShapes,
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

/// Largest number of times that a device halves a stretch.
pub const LEVELS: u32 = 3;

/// The question in which parts of a stretch of time two trees stay farther apart than a limit. A tree is a
/// reference, or its place among [`Trees`](super::trees::Trees).
#[derive(Debug)]
pub struct StretchQuestion<Tree> {
    /// The trees; the second moves past the first.
    pub trees: [Tree; 2],
    /// The stretch, as seen from the first.
    pub moment: Moment,
    /// The limit.
    pub limit: f64,
    /// Number of times that the stretch is halved, at most [`LEVELS`]. The moment's time is cut into
    /// `2^levels` equal parts, and the lowest bit of an answer is for the earliest part.
    pub levels: u32,
}

impl<Tree> StretchQuestion<Tree> {
    /// Returns the question with other names for its trees.
    pub fn of<Other>(&self, tree: impl FnMut(&Tree) -> Other) -> StretchQuestion<Other> {
        let Self { trees, moment, limit, levels } = self;
        StretchQuestion { trees: trees.each_ref().map(tree), moment: *moment, limit: *limit, levels: *levels }
    }

    /// Returns the answer if nothing is proven: the bits of all parts.
    pub fn all_parts(&self) -> u32 {
        (1 << (1 << self.levels)) - 1
    }
}

/// The state of a pair between searches: buffers, when to try a proof, and walks over hulls.
pub struct Scratch<'a> {
    search: Box<dyn TimeSearch + 'a>,
    patience: Patience,
    /// The walks over the shapes' hulls.
    pub hulls: HullSearch,
}

impl<'a> Scratch<'a> {
    /// Nothing is known of two shapes yet.
    pub fn of(shapes: &'a dyn MovingShapes) -> Self {
        Self { search: shapes.search(), patience: Patience::default(), hulls: HullSearch::default() }
    }
}

impl MovingPair<'_> {
    /// Returns the first cell of a range at whose middle the shapes are within `limit` of each other.
    pub fn first_within(
        &self,
        range: Range<u64>,
        limit: f64,
        scratch: &mut Scratch,
        work: &mut Work,
    ) -> Option<u64> {
        let Scratch { search, patience, hulls } = scratch;
        search.first_within(self, range, limit, (&mut CoaxialProof::new(self, patience), hulls), work)
    }

    /// Finds the cell with the smallest distance at its middle: see [`lowest::lowest`].
    pub fn lowest(
        &self,
        range: Range<u64>,
        unit: f64,
        below: u64,
        scratch: &mut Scratch,
        work: &mut Work,
    ) -> Option<(u64, u64)> {
        let Scratch { search, patience, hulls } = scratch;
        let foresight = CoaxialProof::new(self, patience);
        let mut searching = Searching { pair: self, search: &mut **search, foresight, hulls };
        lowest::lowest(&mut searching, range, unit, below, work)
    }

    /// Returns what both bodies answer at a time. Their boxes are not computed.
    pub fn ask_at<R>(&self, time: f64, ask: impl FnOnce(&dyn StaticPair) -> R) -> R {
        self.ask_during(&self.motion.moment(time, 0.0), ask)
    }

    fn ask_during<R>(&self, moment: &Moment, ask: impl FnOnce(&dyn StaticPair) -> R) -> R {
        self.shapes.ask_at(moment.poses.map(|pose| (pose, Aabb::EMPTY)), [false; 2], ask)
    }

    /// Returns the closest pair of triangles at a time, if within `bound`; in contact, the lowest pair that
    /// touches.
    pub fn nearest(&self, time: f64, bound: f64, work: &mut Work) -> Option<Nearest> {
        self.ask_at(time, |pair| match pair.contacts(work).first() {
            Some(&triangles) => Some(Nearest { distance: 0.0, triangles }),
            None => pair.nearest(bound, work),
        })
    }

    /// True when the shapes are within `bound` of each other at a time.
    pub fn is_within(&self, time: f64, bound: f64, work: &mut Work) -> bool {
        self.is_within_still(time, bound, &mut Memory::default(), work)
    }

    /// True when the shapes are within `bound` of each other at a time. Triangles that were within the bound
    /// at earlier times are tried first.
    pub fn is_within_still(&self, time: f64, bound: f64, memory: &mut Memory, work: &mut Work) -> bool {
        let (moment, meshes) = (self.motion.moment(time, 0.0), self.shapes.meshes());
        let posed =
            |side: usize, triangle: u32| meshes[side].corners(triangle).map(|v| moment.poses[side].apply(v));
        memory.is_near(|&[a, b]| {
            *work += Work::exact(1);
            distance(&posed(0, a), &posed(1, b)) <= bound
        }) || {
            let found = self.ask_during(&moment, |pair| pair.within(bound, work));
            found.into_iter().for_each(|triangles| memory.add(triangles));
            found.is_some()
        }
    }

    /// Returns the distance at a time.
    pub fn distance(&self, time: f64, work: &mut Work) -> f64 {
        self.ask_at(time, |pair| {
            if pair.touches(work) {
                return 0.0;
            }
            pair.nearest(f64::INFINITY, work).expect("no distance exceeds infinity").distance
        })
    }

    /// Returns the distance at a time, and its rate of change.
    fn slope(&self, time: f64, work: &mut Work) -> (f64, f64) {
        let moment = self.motion.moment(time, 0.0);
        self.ask_during(&moment, |pair| {
            if pair.touches(work) {
                return (0.0, 0.0);
            }
            let nearest = pair.nearest(f64::INFINITY, work).expect("no bound");
            let [p, q] = work.ask(|| witness(pair.bodies(), &nearest));
            let velocity = moment.velocity + moment.angular.cross(q);
            (nearest.distance, (q - p).normalize_or(DVec3::ZERO).dot(velocity))
        })
    }
}

/// A pair, with the buffers of its search.
struct Searching<'a> {
    pair: &'a MovingPair<'a>,
    search: &'a mut dyn TimeSearch,
    foresight: CoaxialProof<'a>,
    hulls: &'a mut HullSearch,
}

impl Approach for Searching<'_> {
    fn cells(&self) -> &Cells {
        self.pair.cells
    }

    fn first_within(&mut self, range: Range<u64>, limit: f64, work: &mut Work) -> Option<u64> {
        self.search.first_within(self.pair, range, limit, (&mut self.foresight, self.hulls), work)
    }

    fn is_within(&self, time: f64, bound: f64, work: &mut Work) -> bool {
        self.pair.is_within(time, bound, work)
    }

    fn slope(&self, time: f64, work: &mut Work) -> (f64, f64) {
        self.pair.slope(time, work)
    }
}

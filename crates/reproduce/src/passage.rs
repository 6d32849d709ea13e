//! Two meshes, one of which moves, as the search through time sees them, with its work counted.

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::moving::{MovingTrees, Shape};
use closefit::internals::bvh::posed_model::Model;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::query::pair_sweep::PairSweep;
use closefit::internals::query::time_of_impact::contacts;
use closefit::{Mesh, Method, Motion, Pose, TimesOfImpact, Work};
use closefit_geometry::executor::Executor;
use closefit_geometry::mesh::topology::Topology;
use closefit_geometry::motion::frames::Frames;
use closefit_geometry::motion::joint::Joint;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_methods::internals::binary_obb::{BinaryObb, Recipe, Split, StretchSearch};

/// A mesh with its tree.
pub struct Body<T = WideObb> {
    pub mesh: Mesh,
    model: Model<T>,
    placed: PlacedPart,
}

/// The paper's tree: binary, split by min-max, with a triangle in each leaf.
const BINARY: Recipe = Recipe { split: Split::MinMax, leaf: 1, ..Recipe::DEFAULT };

/// A question of a search through time: its method, the distance that it asks about, and its precision.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub method: Method,
    /// The distance that counts as near; at least half the precision does.
    pub near: f64,
    pub precision: f64,
}

impl Asked {
    /// Returns the question of a simulator that stops bodies at a distance from each other.
    pub fn before_contact(near: f64, method: Method) -> Self {
        Self { method, near, precision: 0.25 * near }
    }
}

impl Body {
    /// Returns a mesh with the default tree.
    pub fn new(mesh: Mesh, executor: Executor) -> Self {
        let model = Model::of(&mesh, executor, Default::default());
        Self::with(mesh, model)
    }
}

impl<T: Hierarchy> Body<T> {
    fn with(mesh: Mesh, model: Model<T>) -> Self {
        let placed = PlacedPart::of(Pose::IDENTITY, None, mesh.vertices());
        Self { mesh, model, placed }
    }

    /// Returns when another body, which moves, first comes near this one, which is static at the origin.
    /// Adds the work of the search.
    ///
    /// # Errors
    /// About the smallest possible precision, if the requested one is smaller.
    pub fn met_by(
        &self,
        moving: &Self,
        motion: &Motion,
        asked: Asked,
        work: &mut Work,
    ) -> Result<Option<TimesOfImpact>, f64> {
        self.past(moving, motion, |pair, range| {
            let shapes = [self, moving].map(|body| Shape { mesh: &body.mesh, model: &body.model });
            let sweep = PairSweep::new(&shapes, pair, range, asked.precision)?;
            let sweep = sweep.within(asked.near).by(asked.method);
            let mut searched = sweep.searched();
            let found = contacts(&sweep, &mut searched);
            *work += searched.work.continuous.tests;
            Ok(found)
        })
    }

    /// Calls `ask` with the motion of another body past this one, and with its range of time.
    fn past<R>(&self, moving: &Self, motion: &Motion, ask: impl FnOnce(&PairMotion, [f64; 2]) -> R) -> R {
        let mut frames = Frames::default();
        let frame = frames.add(None, Joint::Moving(motion.clone()));
        let placed_parts = [self.placed, PlacedPart { frame: Some(frame), ..moving.placed }];
        let range = frames.time_range().expect("it moves");
        ask(&PairMotion::new(&frames, placed_parts), range)
    }
}

impl Body<BinaryObb> {
    /// Returns a mesh with the paper's tree.
    pub fn binary(mesh: Mesh) -> Self {
        let topology = Topology::of(&mesh, Default::default());
        let model = Model::new(BinaryObb::build_as(&mesh, &BINARY), Executor::Scalar, topology);
        Self::with(mesh, model)
    }

    /// Calls `ask` with the search of the trees of this body and of another one, which moves from the
    /// parameter 0 to 1.
    pub fn searched<R>(
        &self,
        moving: &Self,
        motion: &Motion,
        method: Method,
        ask: impl FnOnce(&StretchSearch) -> R,
    ) -> R {
        self.past(moving, motion, |pair, [from, to]| {
            let (bodies, motion) = ([self, moving], &pair.span(from, to));
            ask(&BinaryObb::stretch(MovingTrees {
                trees: bodies.map(|body| &body.model.tree),
                meshes: bodies.map(|body| &body.mesh),
                seen_from: 0,
                motion,
                method,
                executor: Executor::Scalar,
            }))
        })
    }
}

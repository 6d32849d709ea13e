//! Two meshes of which one moves, as the search through time sees them, with its work counted.

use closefit::internals::bvh::moving::Shape;
use closefit::internals::bvh::posed_model::Model;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::query::pair_sweep::PairSweep;
use closefit::internals::query::time_of_impact::contacts;
use closefit::{Mesh, Method, Motion, Pose, TimesOfImpact, Work};
use closefit_geometry::executor::Executor;
use closefit_geometry::motion::frames::Frames;
use closefit_geometry::motion::joint::Joint;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};

/// A mesh with its tree.
pub struct Body {
    pub mesh: Mesh,
    model: Model<WideObb>,
    placed: PlacedPart,
}

/// A question of a search through time: its method, the distance that it asks about, and its precision.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub method: Method,
    /// The distance that counts as near; at least half the precision does.
    pub near: f64,
    pub precision: f64,
}

impl Body {
    pub fn new(mesh: Mesh, executor: Executor) -> Self {
        let model = Model::of(&mesh, executor, Default::default());
        let placed = PlacedPart::of(Pose::IDENTITY, None, mesh.vertices());
        Self { mesh, model, placed }
    }

    /// Returns when another body, which moves, first comes near this one, which stands still at the origin.
    /// Adds the work of the search.
    ///
    /// # Errors
    /// About the smallest possible precision, if the one asked for is smaller.
    pub fn met_by(
        &self,
        moving: &Self,
        motion: &Motion,
        asked: Asked,
        work: &mut Work,
    ) -> Result<Option<TimesOfImpact>, f64> {
        let mut frames = Frames::default();
        let frame = frames.add(None, Joint::Moving(motion.clone()));
        let placed_parts = [self.placed, PlacedPart { frame: Some(frame), ..moving.placed }];
        let pair = PairMotion::new(&frames, placed_parts);
        let shapes = [self, moving].map(|body| Shape { mesh: &body.mesh, model: &body.model });
        let range = frames.time_range().expect("it moves");
        let sweep = PairSweep::new(&shapes, &pair, range, asked.precision)?;
        let sweep = sweep.within(asked.near).by(asked.method);
        let mut searched = sweep.searched();
        let found = contacts(&sweep, &mut searched);
        *work += searched.work.continuous.tests;
        Ok(found)
    }
}

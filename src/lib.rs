//! closefit: exact clash and clearance checking of triangle-mesh assemblies.
//!
//! | question | two meshes, once | one pair at many poses | a simulation | an assembly |
//! |---|---|---|---|---|
//! | do they touch? | [`intersects()`] | [`PoseBatch::intersects`] | [`World::intersecting`] | |
//! | which triangles touch? | [`contact_triangles()`] | [`PoseBatch::contact_triangles`] | [`World::contacts`] | |
//! | what do they share: points, curves, areas? | [`contact_geometry()`] | | | |
//! | which triangles of one mesh touch each other? | [`self_contacts()`] | | | |
//! | how much space do both fill? | [`overlap_volume()`] | | | |
//! | how far does one reach out of the other? | [`protrusion()`] | | | |
//! | how far apart, and where? | [`distance()`], [`distance_up_to()`] | [`PoseBatch::distance`] | [`World::pairs_within`] | |
//! | closer than a limit? | [`intersects_within()`] | [`PoseBatch::intersects_within`] | [`World::pairs_within`] | |
//! | clash, contact, clearance, inside? how deep? | [`verdict()`] | [`PoseBatch::verdict`] | | [`Assembly::check`] |
//! | when do they first touch? | [`time_of_impact()`] | | [`World::advance`] | [`Assembly::sweep`] |
//! | how close over a motion? | [`closest_approach()`] | | | [`Assembly::sweep`] |
//! | how far can a part move? the way out of a clash? | | | | [`Assembly::slack`], [`Assembly::ways_out`] |
//!
//! [`Worlds`] answers for many copies of one scene at once.
//!
//! A [`CollisionMesh`] is a mesh that is ready for questions, and [`CollisionMesh::at`] is that mesh at a
//! pose. A [`PairMemory`] makes repeated questions about one pair faster, a [`PairBatch`] answers thousands
//! of pairs at once, and a [`PreparedCheck`] repeats the check of an assembly whose parts move. A mesh that
//! changes its shape keeps its hierarchy: [`CollisionMesh::refit`].
//!
//! Other crates have [other hierarchies](CollisionMesh::build_as) and answers within a budget of work
//! (`closefit-methods`), files and reports (`closefit-scene`, `closefit-report`), and curved surfaces
//! (`closefit-surface`).
//!
//! Data flows one way: from parts to pairs whose boxes are near, to pairs of triangles that no filter could
//! exclude, to exact answers. A filter may skip work only by proof, and exact or certified arithmetic alone
//! gives answers, so no answer depends on thread count, order, instruction set or machine.
//!
//! # Poses
//!
//! A [`Pose`] places a mesh. It is made from an axis and an angle, from a quaternion, or from rows of a
//! matrix, and poses are composed by `*`, the right one applied first:
//!
//! ```
//! use closefit::{CollisionMesh, DVec3, Pose, distance};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let mesh = CollisionMesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//!
//! // A quarter turn about z, then a shift; and the same turn as a quaternion x, y, z, w of any length.
//! let turn = Pose::from_axis_angle([0.0, 0.0, 1.0], 90_f64.to_radians()).ok_or("no axis")?;
//! let same = Pose::from_quaternion([0.0, 0.0, 1.0, 1.0]).ok_or("no direction")?;
//! let pose = Pose::translation([0.0, 3.0, 0.0]) * turn;
//! assert!(pose.apply(DVec3::X).distance(DVec3::Y * 4.0) < 1e-15);
//! assert!(same.apply(DVec3::X).distance(DVec3::Y) < 1e-15);
//!
//! let found = distance(&mesh.at(&Pose::IDENTITY)?, &mesh.at(&pose)?);
//! assert_eq!(found.distance, 2.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! `gpu` (default) searches thousands of pairs at once on a compute device. `serde` lets settings and results
//! be written.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod assembly;
mod broad;
mod bvh;
mod collide;
mod collision_mesh;
mod contact_geometry;
mod continuous;
mod engine;
mod gpu;
mod motion_queries;
mod narrow;
mod overlap_volume;
mod pair_batch;
mod pair_memory;
mod pose_batch;
mod posed_mesh;
mod protrusion;
mod query;
mod self_contacts;
mod verdict;
mod vertex_distances;
mod world;
mod worlds;

/// The modules behind the public interface, for this project's own crates, tests and benchmarks. They change
/// without notice.
// `doc(hidden)` alone leaves a page for each public item that has a second path here: rustdoc redirects from
// it.
#[cfg(not(doc))]
#[doc(hidden)]
pub mod internals {
    macro_rules! modules {
        ($($module:ident),+ $(,)?) => {
            $(#[allow(missing_docs)] pub mod $module { pub use crate::$module::*; })+
        };
    }
    modules!(broad, continuous, engine, gpu, bvh, narrow, query);
}

/// Compiles and runs the examples of the README and of the manual.
#[cfg(doctest)]
mod manual {
    #[doc = include_str!("../README.md")]
    struct Readme;

    #[doc = include_str!("../docs/library.md")]
    struct Library;

    #[doc = include_str!("../docs/methods.md")]
    struct Methods;

    #[doc = include_str!("../docs/tutorials/rust.md")]
    struct Tutorial;
}

pub use assembly::{Assembly, Run};
pub use broad::frames::BroadWork;
pub use broad::method::BroadPhase;
pub use broad::recursive_grid::{GridRule, GridRuleError, Kinds as CellKinds, Shape as GridShape, Visits};
pub use bvh::cache::{MODEL_VERSION, ModelCache, ModelKey, ModelName, ModelStore, SavedModel};
pub use bvh::kind::{TreeKind, types as kind};
pub use bvh::sphere_levels::SphereCountsError;
pub use bvh::strategy::{Strategy, Unavailable};
pub use closefit_geometry::bounds::aabb::Aabb;
pub use closefit_geometry::executor::Executor;
pub use closefit_geometry::hull::closest_features::HullWork;
pub use closefit_geometry::hull::filter::HullFilter;
pub use closefit_geometry::ids::{BodyId, PartId};
pub use closefit_geometry::lanes::FourPoses;
pub use closefit_geometry::math::pose::Pose;
pub use closefit_geometry::mesh::topology::Winding;
pub use closefit_geometry::mesh::{Mesh, MeshError};
pub use closefit_geometry::motion::{Between, Keyframe, Motion, MotionError};
pub use closefit_geometry::pool::{Pool, PoolError};
pub use closefit_geometry::scene;
pub use closefit_geometry::units::Unit;
pub use collide::{
    Closest, Distance, contact_triangles, distance, distance_up_to, intersects, intersects_within,
};
pub use collision_mesh::{CollisionMesh, PoseError, RefitError};
pub use contact_geometry::contact_geometry;
pub use continuous::method::{self, Method};
pub use engine::{
    Axes, CheckError, CheckResult, Counters, EncounterRecord, JointBoxRequest, KeptModels, KnownPair, Ledger,
    Margin, NearRow, NeighbourAtStart, NoJournal, Observer, PairJournal, PairState, PartSlack, PosedPair,
    PreparedCheck, PreparedScene, Room, RowScratch, RowsOnDevice, Separation, SharedVolume, SlackError,
    SlackRequest, SlackResult, Stage, StartState, SweepError, SweepResult, Unobserved,
};
pub use glam::DVec3;
#[cfg(feature = "gpu")]
pub use gpu::Choice as Adapter;
pub use gpu::{Device, DeviceError, Refused, Tally};
pub use motion_queries::{
    ApproachError, MovingMesh, closest_approach, time_of_impact, time_of_impact_within,
};
pub use narrow::Work;
pub use overlap_volume::overlap_volume;
#[cfg(feature = "gpu")]
pub use pair_batch::Session;
pub use pair_batch::{PairAnswer, PairBatch};
pub use pair_memory::{PairMemory, PairWork};
pub use pose_batch::{PoseBatch, PoseBatchError};
pub use posed_mesh::{BodyBounds, PosedMesh, UnknownBodyBounds};
pub use protrusion::protrusion;
pub use query::clearance::Clearance;
pub use query::contact_geometry::{ContactGeometry, ContactPatch};
pub use query::intervals::{Interval, Intervals};
pub use query::joint_box::{ClosestConfiguration, Encounter};
pub use query::moving_pair::{MovingPairRecord, SweepRequest};
pub use query::overlap_volume::{OverlapVolume, VolumeUnknown};
pub use query::pressed::Pressed;
pub use query::protrusion::Protrusion;
pub use query::time_of_impact::{TimeOfImpact, TimesOfImpact};
pub use query::touch::{FeaturePair, Touch};
pub use query::{CheckRequest, Containment, Depth, DepthDetail, Location, PairRecord, Verdict, WayOut};
pub use self_contacts::self_contacts;
pub use verdict::verdict;
pub use vertex_distances::vertex_distances;
pub use world::{
    AdvanceError, AdvanceRequest, BodyContacts, BodyDistance, BodyGroups, ContactChange, ContactEvent, Step,
    World, WorldError, WorldWork,
};
pub use worlds::{Worlds, WorldsContacts, WorldsDistances, WorldsError};

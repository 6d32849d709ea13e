//! closefit: exact clash and clearance checking of triangle-mesh assemblies.
//!
//! | you have | you want | use |
//! |---|---|---|
//! | two meshes at rest | contact, where, and distance, thousands of times a second | [`Tree`], [`intersects()`], [`contacts()`], [`distance()`], [`PairMemory`] |
//! | two meshes, one or both at many poses | the same, and verdicts, of every row of poses at once | [`Rows`] |
//! | a mesh that changes its shape | the same, without building its tree again | [`Tree::refit`] |
//! | another kind of tree, to compare or to check | the same, by Zachmann's BoxTree, k-DOPs, octrees and others | [`Tree::build_as`], and the crate `closefit-methods` |
//! | two meshes at rest, and a fixed budget of work | what is known of contacts and distance so far | `closefit_methods::anytime` |
//! | many bodies that move from frame to frame | the pairs in contact or close to each other in each frame; who meets whom | [`World`], [`BodyGroups`] |
//! | two meshes at rest | a verdict: containment, depth, duplicates, contact, distance | [`Model`], [`verdict()`] |
//! | two moving meshes | the first time of contact, the smallest distance | [`Model`], [`Motion`], [`time_of_contact()`], [`closest_approach()`] |
//! | many parts | all verdicts, at rest or moving, and an account of every pair | [`Assembly`] |
//! | many parts | how far each can move alone, and the way out of a clash | [`Assembly::slack`], [`Assembly::ways_out`] |
//! | files | what the command line does | [`scene`], [`Assembly`], and the crates `closefit-scene` and `closefit-report` |
//! | curved surfaces, parametric or implicit | certified contacts and times of contact | the crate `closefit-surface` |
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
//! use closefit::{DVec3, Mesh, Pose, Tree, distance};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let tree = Tree::build(&Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?);
//!
//! // A quarter turn about z, then a shift; and the same turn as a quaternion x, y, z, w of any length.
//! let turn = Pose::from_axis_angle([0.0, 0.0, 1.0], 90_f64.to_radians()).ok_or("no axis")?;
//! let same = Pose::from_quaternion([0.0, 0.0, 1.0, 1.0]).ok_or("no direction")?;
//! let pose = Pose::translation([0.0, 3.0, 0.0]) * turn;
//! assert!(pose.apply(DVec3::X).distance(DVec3::Y * 4.0) < 1e-15);
//! assert!(same.apply(DVec3::X).distance(DVec3::Y) < 1e-15);
//!
//! let found = distance(&tree.at(&Pose::IDENTITY)?, &tree.at(&pose)?);
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
mod batch;
mod broad;
mod collide;
mod continuous;
mod engine;
mod gpu;
mod hierarchy;
mod model;
mod narrow;
mod query;
mod rows;
mod sweep;
mod verdict;
mod vertex_distances;
mod world;

/// The rooms behind the doors, for this project's own crates, tests and benchmarks. They change without
/// notice.
// `doc(hidden)` alone leaves a page for each public item that has a second path here: rustdoc redirects from
// it.
#[cfg(not(doc))]
#[doc(hidden)]
pub mod internals {
    macro_rules! rooms {
        ($($room:ident),+ $(,)?) => {
            $(#[allow(missing_docs)] pub mod $room { pub use crate::$room::*; })+
        };
    }
    rooms!(broad, continuous, engine, gpu, hierarchy, narrow, query);
    pub use closefit_geometry::{
        bounds, exact, executor, hull, ids, lanes, math, memory, mesh, motion, pool, scene, text, units,
    };
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
}

pub use assembly::Assembly;
#[cfg(feature = "gpu")]
pub use batch::Session;
pub use batch::{Batch, Finding};
pub use broad::frames::BroadWork;
pub use broad::method::BroadPhase;
pub use broad::recursive_grid::{Kinds as CellKinds, Shape as GridShape, Visits};
pub use closefit_geometry::bounds::aabb::Aabb;
pub use closefit_geometry::executor::Executor;
pub use closefit_geometry::hull::closest_features::HullWork;
pub use closefit_geometry::hull::filter::HullFilter;
pub use closefit_geometry::ids::{BodyId, PartId};
pub use closefit_geometry::math::pose::Pose;
pub use closefit_geometry::mesh::topology::Winding;
pub use closefit_geometry::mesh::{Mesh, MeshError};
pub use closefit_geometry::motion::{Between, Keyframe, Motion, MotionError};
pub use closefit_geometry::pool::{Pool, PoolError};
pub use closefit_geometry::scene;
pub use closefit_geometry::units::Unit;
pub use collide::{
    BodyBounds, Closest, Distance, PairMemory, PairWork, Placed, PoseError, RefitError, Tree, contacts,
    distance, intersects, within,
};
pub use continuous::method::{self, Method};
pub use engine::{
    Axes, CheckError, CheckResult, Counters, EncounterRecord, JointBoxRequest, Ledger, Margin,
    NeighbourAtStart, Observer, PairJournal, PartSlack, PosedPair, PreparedScene, PreparedCheck, Room, RowScratch,
    Separation, KnownPair, SlackError, SlackRequest, SlackResult, Stage, StartState, SweepError, SweepResult,
    PairState, NoJournal, Unobserved,
};
pub use glam::DVec3;
#[cfg(feature = "gpu")]
pub use gpu::Choice as Adapter;
pub use gpu::{Device, DeviceError, Refused, Tally};
pub use hierarchy::cache::{MODEL_VERSION, ModelCache, ModelKey, ModelName, ModelStore, SavedModel};
pub use hierarchy::kind::{TreeKind, types as kind};
pub use hierarchy::sphere_levels::SphereCountsError;
pub use hierarchy::strategy::{Strategy, Unavailable};
pub use model::Model;
pub use narrow::Work;
pub use query::clearance::Clearance;
pub use query::intervals::{Interval, Intervals};
pub use query::joint_box::{ClosestConfiguration, Encounter};
pub use query::moving_pair::{MovingPairRecord, SweepRequest};
pub use query::pressed::Pressed;
pub use query::time_of_contact::{TimeOfContact, TimesOfContact};
pub use query::touch::{FeaturePair, Touch};
pub use query::{CheckRequest, Containment, Depth, DepthDetail, Location, PairRecord, Verdict, WayOut};
pub use rows::{Rows, RowsError};
pub use sweep::{ApproachError, Moving, closest_approach, time_of_contact, time_within};
pub use verdict::{Body, verdict};
pub use vertex_distances::vertex_distances;
pub use world::{BodyContacts, BodyDistance, BodyGroups, World, WorldError, WorldWork};

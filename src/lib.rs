//! closefit: exact clash and clearance checking of triangle-mesh assemblies.
//!
//! Data flows one way:
//!
//! ```text
//! scene -> exact -> narrow -> continuous -> hierarchy -> broad -> query -> engine -> report -> cli
//! ```
//!
//! All but [`exact`] and [`query`] are conservative filters: they may skip work only by proof.
//! [`exact`] and [`query`] alone give answers, in exact or certified arithmetic, so that no
//! answer depends on thread count, order or machine.
//!
//! # As a library
//!
//! A simulation needs the names of this page only: a [`Mesh`] gets a [`Tree`] once; a tree at a [`Pose`] is
//! [`Placed`], in no time; two placed trees are asked whether they [intersect](intersects()), for their
//! [`contacts`] and their [`distance()`]. A [`PairMemory`] makes the next question about the same pair quick,
//! and a [`World`] keeps many bodies. See [`collide`] and [`mod@world`].
//!
//! Of two meshes that move, each a [`Movable`] along a [`Motion`], [`time_of_contact`] and [`closest_approach`]
//! give certified brackets. See [`mod@sweep`]. Curved surfaces, parametric or implicit, are in [`surface`].
//!
//! The modules of the flow are open for those who take closefit apart, and change more often.

pub mod batch;
pub mod bounds;
pub mod broad;
#[cfg(feature = "cli")]
pub mod cli;
pub mod collide;
pub mod continuous;
pub mod engine;
pub mod exact;
pub mod executor;
pub mod hierarchy;
pub mod hull;
pub mod ids;
pub mod lanes;
pub mod math;
pub mod mesh;
pub mod motion;
pub mod narrow;
pub mod query;
#[cfg(feature = "report")]
pub mod report;
pub mod scene;
pub mod surface;
pub mod sweep;
pub mod text;
pub mod units;
pub mod world;

/// Compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use batch::{Batch, Finding};
pub use collide::{
    Closest, Distance, PairMemory, Placed, PoseError, Tree, contacts, distance, intersects, within,
};
pub use glam::DVec3;
pub use ids::BodyId;
pub use math::pose::Pose;
pub use mesh::Mesh;
pub use motion::{Between, Keyframe, Motion};
pub use sweep::{Movable, Moving, SweepError, closest_approach, time_of_contact, time_within};
pub use world::World;

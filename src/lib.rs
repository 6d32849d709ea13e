//! closefit: exact clash and clearance checking of triangle-mesh assemblies.
//!
//! Data flows one way:
//!
//! ```text
//! scene -> hierarchy -> broad -> narrow -> settle -> query -> engine -> report -> cli
//! ```
//!
//! Everything before [`settle`] is a conservative filter: it may skip work only by proof.
//! [`settle`] and [`query`] alone give answers, in exact or certified arithmetic, so that no
//! answer depends on thread count, order or machine.

pub mod backend;
pub mod bounds;
pub mod broad;
pub mod cli;
pub mod engine;
pub mod hierarchy;
pub mod hull;
pub mod ids;
pub mod math;
pub mod narrow;
pub mod query;
pub mod report;
pub mod scene;
pub mod settle;
pub mod text;
pub mod units;

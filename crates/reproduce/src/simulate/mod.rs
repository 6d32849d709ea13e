//! Motions that follow from exact answers, so that they are the same for every method and on every machine:
//! plain arithmetic, sines by `libm`, and no clock.

pub mod cage;
pub mod chain;
pub mod drive;
pub mod impulses;
mod path;
#[cfg(test)]
mod pile;
pub mod rigid;
pub mod rotation;
pub mod swarm;
pub mod walk;

pub use path::{Path, add_poses};

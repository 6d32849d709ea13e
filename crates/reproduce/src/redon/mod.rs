//! The experiments of Redon, Kheddar and Coquillart 2002.

pub mod applications;
mod interval;
pub mod optimisations;
mod scenes;
mod tracks;

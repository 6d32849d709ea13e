//! The experiments of Sanna and Milani 2004.

pub mod cdfast;
pub mod kdops;
mod scaling;
pub mod scenes;

//! The experiments of Sanna and Milani 2004.

pub mod kdops;
mod scenes;

//! The experiments of Lin, Manocha, Cohen and Gottschalk 1997.

pub mod box_test;
mod convex_tests;
pub mod crowds;
pub mod impulses;
pub mod polytopes;
pub mod torpedo;

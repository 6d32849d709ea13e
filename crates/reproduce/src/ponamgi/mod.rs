//! The experiments of Ponamgi, Manocha and Lin 1995.

pub mod chain;
pub mod threads;

//! Arithmetic that every stage stands on and that knows none of them.

pub mod dd;
pub mod error_bounds;
pub mod exact;
pub mod jacobi;
pub mod pose;
pub mod predicates;

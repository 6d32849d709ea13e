//! Arithmetic that every stage stands on and that knows none of them.

pub mod exact;
pub mod pose;
pub mod predicates;

//! The only stage that answers: exact contact, correctly rounded distance.

pub mod contact;
pub mod distance;
pub mod features;
mod integers;
pub mod point;
mod refine;
mod sides;

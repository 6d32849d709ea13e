//! The only stage that answers: exact contact, correctly rounded distance, exact winding numbers.

pub mod contact;
pub mod distance;
pub mod point;
pub mod winding;

//! How deep two parts overlap: the largest distance from a point of one's surface that lies inside the
//! other's solid to that solid's surface, as a certified bracket.

pub mod exact;

pub use exact::{Found, depth, nearest_closed};

//! The closest points of two triangles, counted.

use glam::DVec3;

use super::{Work, count};
use closefit_geometry::exact::distance::{witness_by_integers, witness_without_integers};
use closefit_geometry::math::Triangle;

/// Returns the closest points of triangles that do not meet, on `a` and on `b`. Counts one test, as exact if
/// integers were needed.
pub fn witness(a: &Triangle, b: &Triangle) -> [DVec3; 2] {
    let proven = witness_without_integers(a, b);
    count(if proven.is_some() { Work::triangles(1) } else { Work::exact(1) });
    proven.unwrap_or_else(|| witness_by_integers(a, b))
}

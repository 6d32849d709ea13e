//! Arithmetic that every stage uses and that depends on none of them.

pub mod directions;
pub mod disjoint_sets;
pub mod double_double;
pub mod error_bounds;
pub mod grid;
pub mod inline_integer;
pub mod interval;
pub mod jacobi;
pub mod pose;
pub mod predicates;
pub mod rational_point;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

use glam::DVec3;

/// Three posed corners of a triangle. It stands for their closed convex hull, which may be a segment or a
/// point.
pub type Triangle = [DVec3; 3];

/// Returns the corners of a triangle in ascending order of their coordinates, which must be numbers.
pub fn ascending(t: &Triangle) -> Triangle {
    let mut corners = *t;
    corners.sort_unstable_by(|p, q| {
        p.to_array().partial_cmp(&q.to_array()).expect("posed coordinates are numbers")
    });
    corners
}

/// Returns the coordinates of a triangle's corners in ascending order: two triangles have the same if they
/// differ in the order of their corners alone.
pub fn ascending_coordinates(t: &Triangle) -> [[f64; 3]; 3] {
    ascending(t).map(|p| p.to_array())
}

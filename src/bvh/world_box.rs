//! World-aligned boxes around the oriented boxes of a posed tree.

use glam::DVec3;

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::math::pose::{Pose, SMALLEST};

/// Returns a bound of the rounding error, per coordinate, of a box computed in the world, for a tree whose
/// vertices have coordinates of at most `largest_coordinate`.
///
/// Every intermediate value of posing a vertex, or a box around vertices (which reaches less than 4 times as
/// far), is at most 8 `size`; fewer than 16 roundings of half an EPSILON follow each other.
pub fn margin(pose: &Pose, largest_coordinate: f64) -> f64 {
    let row = |m: &[f64; 4]| (m[0].abs() + m[1].abs() + m[2].abs()) * largest_coordinate + m[3].abs();
    let size = pose.rows.iter().map(row).fold(0.0, f64::max);
    64.0 * f64::EPSILON * size + SMALLEST
}

/// Returns a world-aligned box around the contents of an oriented box of the part's frame.
#[inline]
pub fn around(obb: &Obb, pose: &Pose, margin: f64) -> Aabb {
    let row = |m: &[f64; 4]| {
        let linear = DVec3::new(m[0], m[1], m[2]);
        let centre = linear.dot(obb.center) + m[3];
        let [a, b, c] = &obb.axes;
        let half = linear.dot(*a).abs() * obb.half.x
            + linear.dot(*b).abs() * obb.half.y
            + linear.dot(*c).abs() * obb.half.z
            + margin;
        if half.is_finite() && centre.is_finite() {
            [centre - half, centre + half]
        } else {
            [f64::NEG_INFINITY, f64::INFINITY] // an overflow bounds nothing
        }
    };
    let [x, y, z] = pose.rows.each_ref().map(row);
    Aabb { lo: DVec3::new(x[0], y[0], z[0]), hi: DVec3::new(x[1], y[1], z[1]) }
}

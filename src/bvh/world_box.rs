//! World-aligned boxes around posed vertices, and around the oriented boxes of a posed tree.

use glam::DVec3;

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::in_lanes;
use closefit_geometry::lanes::{Simd, SimdBase, Vec3x4, Vector, f64x4};
use closefit_geometry::math::pose::{Pose, SMALLEST, flush_tiny};
use closefit_geometry::mesh::Mesh;

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

/// Returns the exact box of a mesh's posed vertices: what [`Mesh::posed_bounds`] returns. The pose must be
/// admissible, so that no coordinate is infinite.
pub fn exact(mesh: &Mesh, pose: &Pose) -> Aabb {
    let (fours, rest) = mesh.vertices().as_chunks();
    let mut last = [mesh.vertices()[0]; 4];
    last[..rest.len()].copy_from_slice(rest);
    let [lo, hi] = in_lanes!(simd => {
        let mut ends = [Vector([f64x4::splat(simd, 0.0); 3]); 2];
        extend_in_lanes(simd, &last, pose, &mut ends, true);
        for four in fours {
            extend_in_lanes(simd, four, pose, &mut ends, false);
        }
        let [lo, hi] = ends;
        [
            [lo[0].reduce_min(), lo[1].reduce_min(), lo[2].reduce_min()],
            [hi[0].reduce_max(), hi[1].reduce_max(), hi[2].reduce_max()],
        ]
    });
    // Tiny coordinates become 0, which keeps their order.
    Aabb { lo: flush_tiny(lo.into()), hi: flush_tiny(hi.into()) }
}

/// Extends a box, as its lowest and highest coordinates, to four posed vertices, or begins it with them.
#[inline(always)]
fn extend_in_lanes<S: Simd>(
    simd: S,
    [a, b, c, d]: &[DVec3; 4],
    pose: &Pose,
    [lo, hi]: &mut [Vec3x4<S>; 2],
    begins: bool,
) {
    let x = f64x4::from_slice(simd, &[a.x, b.x, c.x, d.x]);
    let y = f64x4::from_slice(simd, &[a.y, b.y, c.y, d.y]);
    let z = f64x4::from_slice(simd, &[a.z, b.z, c.z, d.z]);
    for k in 0..3 {
        let row = &pose.rows[k];
        let linear = Vector::splat(simd, DVec3::new(row[0], row[1], row[2]));
        let at = linear.dot(Vector([x, y, z])) + f64x4::splat(simd, row[3]);
        (lo[k], hi[k]) = if begins { (at, at) } else { (lo[k].min(at), hi[k].max(at)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::math::testing::Stream;

    #[test]
    fn the_box_is_that_of_single_vertices() {
        let mut stream = Stream(11);
        for count in (3..40).chain([1000]) {
            let mut vertices: Vec<DVec3> = (0..count).map(|_| stream.point()).collect();
            // Coordinates that are 0, or become it.
            vertices[0].x = 0.0;
            vertices[1].y = 1e-70;
            let triangles: Vec<[u32; 3]> = (2..count).map(|k| [k - 2, k - 1, k]).collect();
            let mesh = Mesh::new(&vertices, &triangles).expect("valid");
            let [a, b, c, d] = [(); 4].map(|()| stream.point());
            for rows in [
                [[a.x, a.y, a.z, d.x], [b.x, b.y, b.z, d.y], [c.x, c.y, c.z, d.z]],
                [[0.0, 0.0, -1.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]],
                [[1e-70, 0.0, 0.0, -0.0], [0.0, -1e40, 0.0, 0.0], [0.0, 0.0, -1e-70, 0.0]],
            ] {
                let pose = Pose { rows };
                let [found, expected] = [exact(&mesh, &pose), mesh.posed_bounds(&pose)];
                let bits = |found: Aabb| [found.lo, found.hi].map(|p| p.to_array().map(f64::to_bits));
                assert_eq!(bits(found), bits(expected), "{count} {pose:?}");
            }
        }
    }
}

//! The triangles of two leaves, posed and laid out so that every pair of them has a lane.
//!
//! A leaf has one or two triangles, so two leaves make at most four pairs: lane `2 i + j` is triangle `i` of
//! leaf a and triangle `j` of leaf b. A leaf of one triangle repeats it in the unused lanes, which its mask
//! leaves out.

use glam::DVec3;

use super::pose_columns::PoseColumns;
use closefit_geometry::lanes::{Simd, SimdBase, SimdCombine, SimdSplit, Triangles4, Vec3x4, Vector, f64x4};

/// The leaf's position in a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Its triangles lie in lanes 0 0 1 1.
    A,
    /// Its triangles lie in lanes 0 1 0 1.
    B,
}

/// A leaf's posed triangles in lanes, with their boxes.
#[derive(Clone, Copy, Debug)]
pub struct PosedLeaf<S: Simd> {
    /// Corners, exactly as `Pose::apply` puts them.
    pub corner: Triangles4<S>,
    /// Lowest coordinates of each triangle.
    pub lo: Vec3x4<S>,
    /// Bit `l` is set where lane `l` holds a triangle of the leaf.
    pub hi: Vec3x4<S>,
    /// Bit `l` is set where lane `l` holds a triangle that is there.
    pub lanes: u32,
}

impl<S: Simd> PosedLeaf<S> {
    /// Returns a leaf without triangles.
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        let zero = f64x4::splat(simd, 0.0);
        let nowhere = Vector([zero; 3]);
        Self { corner: [nowhere; 3], lo: nowhere, hi: nowhere, lanes: 0 }
    }

    /// Poses the one or two triangles of a leaf, given by the indices of their corners.
    #[inline(always)]
    pub fn posed(columns: &PoseColumns<S>, vertices: &[DVec3], triangles: &[[u32; 3]], side: Side) -> Self {
        let first = columns.triangle(vertices, triangles[0]);
        let (second, lanes) = match (triangles.get(1), side) {
            (Some(second), _) => (columns.triangle(vertices, *second), 0b1111),
            (None, Side::A) => (first, 0b0011),
            (None, Side::B) => (first, 0b0101),
        };
        let corner = [
            transpose(first[0], second[0], side),
            transpose(first[1], second[1], side),
            transpose(first[2], second[2], side),
        ];
        Self::new(corner, lanes)
    }

    /// Takes lanes of triangles as they are; bit `l` of `lanes` says whether lane `l` counts.
    #[inline(always)]
    pub fn new(corner: Triangles4<S>, lanes: u32) -> Self {
        let [p, q, r] = corner;
        Self { corner, lo: p.min(q).min(r), hi: p.max(q).max(r), lanes }
    }
}

/// Turns one corner of both triangles from coordinates in lanes into triangles in lanes.
#[inline(always)]
fn transpose<S: Simd>(first: f64x4<S>, second: f64x4<S>, side: Side) -> Vec3x4<S> {
    match side {
        Side::A => {
            let ((x0, y0), (z0, _)) = (first.zip_low(first).split(), first.zip_high(first).split());
            let ((x1, y1), (z1, _)) = (second.zip_low(second).split(), second.zip_high(second).split());
            Vector([x0.combine(x1), y0.combine(y1), z0.combine(z1)])
        }
        Side::B => {
            let ((x, y), (z, _)) = (first.zip_low(second).split(), first.zip_high(second).split());
            Vector([x.combine(x), y.combine(y), z.combine(z)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::lanes::{Level, dispatch, level};
    use closefit_geometry::math::pose::Pose;

    #[inline(always)]
    fn check<S: Simd>(simd: S, pose: &Pose, vertices: &[DVec3], triangles: &[[u32; 3]]) {
        for (side, order) in [(Side::A, [0, 0, 1, 1]), (Side::B, [0, 1, 0, 1])] {
            let leaf = PosedLeaf::posed(&PoseColumns::new(simd, pose), vertices, triangles, side);
            for (lane, nth) in order.into_iter().enumerate() {
                let there = nth < triangles.len();
                assert_eq!(leaf.lanes >> lane & 1 == 1, there);
                let triangle = triangles[if there { nth } else { 0 }];
                let posed = triangle.map(|v| pose.apply(vertices[v as usize]));
                let at = |p: &Vec3x4<S>| [p[0][lane], p[1][lane], p[2][lane]].map(f64::to_bits);
                let bits = |p: DVec3| p.to_array().map(f64::to_bits);
                assert_eq!([0, 1, 2].map(|i| at(&leaf.corner[i])), posed.map(bits));
                assert_eq!(at(&leaf.lo), bits(posed[0].min(posed[1]).min(posed[2])));
                assert_eq!(at(&leaf.hi), bits(posed[0].max(posed[1]).max(posed[2])));
            }
        }
    }

    #[test]
    fn posed_to_the_bit() {
        let rows = [[0.36, 0.48, -0.8, 1.5], [-0.8, 0.6, 0.0, -0.0], [0.48, 0.64, 0.6, 1e-61]];
        for scale in [1.0, 1e-61, 3e40] {
            let pose = Pose { rows: rows.map(|row| row.map(|x| x * scale)) };
            let vertices: Vec<DVec3> = (0..40)
                .map(|k| f64::from(k) * 0.1)
                .map(|x| DVec3::new(x.sin(), x - 2.0, (x * 7.0).cos()) * if x > 3.0 { 1e-60 } else { 1.0 })
                .collect();
            for k in 0..34 {
                let triangles = [[k, k + 1, k + 2], [k + 5, k + 2, k + 1]];
                for count in [1, 2] {
                    dispatch!(level(), simd => check(simd, &pose, &vertices, &triangles[..count]));
                    dispatch!(Level::baseline(), simd => check(simd, &pose, &vertices, &triangles[..count]));
                }
            }
        }
    }
}

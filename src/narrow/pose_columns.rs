//! Poses in lanes.

use glam::DVec3;

use closefit_geometry::lanes::{Select, Simd, SimdBase, f64x4};
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::{Pose, SMALLEST};

/// A pose whose columns are in lanes, so that posing a vertex takes one multiplication and addition per
/// column.
#[derive(Clone, Copy, Debug)]
pub struct PoseColumns<S: Simd> {
    columns: [f64x4<S>; 4],
    smallest: f64x4<S>,
    zero: f64x4<S>,
}

impl<S: Simd> PoseColumns<S> {
    /// Loads the columns of a pose; the fourth lane is 0.
    #[inline(always)]
    pub fn new(simd: S, pose: &Pose) -> Self {
        let rows = &pose.rows;
        // A constant would be made by a move of half a register whose encoding Valgrind 3.19 does not know.
        let none = std::hint::black_box(0.0);
        let column = |j: usize| f64x4::load_array(simd, [rows[0][j], rows[1][j], rows[2][j], none]);
        Self {
            columns: [column(0), column(1), column(2), column(3)],
            smallest: f64x4::splat(simd, SMALLEST),
            zero: f64x4::splat(simd, 0.0),
        }
    }

    /// Does [`Pose::apply`], with coordinates in lanes.
    #[inline(always)]
    pub fn apply(&self, vertices: &[DVec3], v: u32) -> f64x4<S> {
        let v = &vertices[v as usize];
        let [x, y, z, shift] = self.columns;
        let posed = ((x * v.x + y * v.y) + z * v.z) + shift;
        posed.abs().simd_lt(self.smallest).select(self.zero, posed)
    }

    /// Poses three vertices.
    #[inline(always)]
    pub fn triangle(&self, vertices: &[DVec3], [p, q, r]: [u32; 3]) -> [f64x4<S>; 3] {
        [self.apply(vertices, p), self.apply(vertices, q), self.apply(vertices, r)]
    }

    /// Poses three vertices and returns them as a triangle.
    #[inline(always)]
    pub fn corners(&self, vertices: &[DVec3], indices: [u32; 3]) -> Triangle {
        let [p, q, r] = self.triangle(vertices, indices);
        let point = |p: f64x4<S>| DVec3::new(p[0], p[1], p[2]);
        [point(p), point(q), point(r)]
    }
}

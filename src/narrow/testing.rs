//! Pairs of triangles, both hard and easy for filters, for the tests of kernels.

use glam::DVec3;

use super::posed_leaf::PosedLeaf;
use closefit_geometry::lanes::{Simd, SimdBase, Triangles4, Vector, f64x4};
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::flush_tiny;
use closefit_geometry::math::testing::Stream;

/// A deterministic stream of pairs of triangles.
pub struct Pairs(Stream);

impl Pairs {
    /// Starts a stream. Different seeds give different pairs.
    pub fn new(seed: u64) -> Self {
        Self(Stream(seed))
    }

    /// Returns a point of a coarse grid, so that coincidences abound.
    fn grid_point(&mut self) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| self.0.below(4) as f64))
    }

    fn any_point(&mut self, grid: bool) -> DVec3 {
        if grid { self.grid_point() } else { self.0.point() }
    }

    /// Returns a point in or near the triangle's plane: inside, on an edge, at a corner, or outside.
    fn near(&mut self, t: &Triangle) -> DVec3 {
        let [x, y] = match self.0.below(4) {
            0 => [0.0, self.0.signed()],
            1 => [self.0.below(2) as f64, 0.0],
            2 => [0.5, 0.25 * self.0.below(4) as f64],
            _ => [self.0.signed(), self.0.signed()],
        };
        let off = match self.0.below(3) {
            0 => 1e-16,
            1 => 1e-9,
            _ => 0.0,
        };
        t[0] + (t[1] - t[0]) * x + (t[2] - t[0]) * y + self.0.point() * off
    }

    /// Returns a triangle of full size.
    fn triangle(&mut self, grid: bool) -> Triangle {
        let mut t = [0; 3].map(|_| self.any_point(grid));
        match self.0.below(12) {
            0 => t[2] = t[0],
            1 => t = [t[0]; 3],
            2 => t[2] = t[0] + (t[1] - t[0]) * 0.5,
            3 => t[2] = t[0] + (t[1] - t[0]) * self.0.signed() + self.0.point() * 1e-7, // a sliver
            _ => {}
        }
        t
    }

    /// Returns two triangles with admissible coordinates.
    pub fn pair(&mut self) -> [Triangle; 2] {
        let grid = self.0.below(5) == 0;
        let a = self.triangle(grid);
        let mut b = self.triangle(grid);
        match self.0.below(8) {
            0 => b[0] = a[0],
            1 => b = [a[self.0.below(3) as usize], a[self.0.below(3) as usize], b[2]],
            2 => b = [0; 3].map(|_| self.near(&a)),
            3 => b[0] = self.near(&a),
            4 => {
                let (place, size) = (self.0.point() * 2.0, 0.1 + self.0.signed().abs());
                b = b.map(|p| p * size + place);
            }
            5 => {
                // Nearly parallel faces close to each other.
                let (normal, gap) = (self.0.point(), [0.0, 1e-15, 1e-9, 1e-3][self.0.below(4) as usize]);
                b = a.map(|p| p + normal * gap + self.0.point() * gap);
            }
            _ => {}
        }
        let far = match self.0.below(6) {
            0 => self.0.point() * 1e6,
            1 => DVec3::new(1e3, 0.0, 0.0),
            _ => DVec3::ZERO,
        };
        let scale = match self.0.below(8) {
            0 => 2f64.powi(self.0.below(340) as i32 - 170),
            1 => 2f64.powi(-190),
            _ => 1.0,
        };
        [a, b].map(|t| t.map(|p| flush_tiny((p + far) * scale)))
    }
}

/// Packs four pairs into a pair of leaves. Lanes are independent, so any pairs may stand side by side.
#[inline(always)]
pub fn block<S: Simd>(simd: S, pairs: &[[Triangle; 2]; 4]) -> [PosedLeaf<S>; 2] {
    let lanes = |side: usize, corner: usize, k: usize| {
        f64x4::load_array(simd, std::array::from_fn(|lane| pairs[lane][side][corner][k]))
    };
    [0, 1].map(|side| {
        let corner: Triangles4<S> =
            [0, 1, 2].map(|i| Vector([lanes(side, i, 0), lanes(side, i, 1), lanes(side, i, 2)]));
        PosedLeaf::new(corner, 0b1111)
    })
}

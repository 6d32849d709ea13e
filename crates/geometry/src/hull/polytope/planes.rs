//! Planes as columns, tested eight at a time.

use std::ops::Range;

use glam::DVec3;

use crate::ids::to_u32;
use crate::lanes::LANES;

/// Planes `normal . x = offset` with unit normals.
///
/// The planes of a cell follow each other, and a test takes the next [`LANES`] of them at once. The lanes
/// beyond the cell's last plane hold planes of other cells, or zeros, and do not count.
#[derive(Clone, Debug)]
pub struct Planes {
    normals: [Vec<f64>; 3],
    offsets: Vec<f64>,
}

impl Planes {
    /// Lists planes by their normals and a point on each.
    pub fn new(planes: impl Iterator<Item = (DVec3, DVec3)>) -> Self {
        let mut all = Self { normals: Default::default(), offsets: Vec::new() };
        for (normal, point) in planes {
            all.push(normal, normal.dot(point));
        }
        (0..LANES).for_each(|_| all.push(DVec3::ZERO, 0.0));
        all
    }

    fn push(&mut self, normal: DVec3, offset: f64) {
        for (column, coordinate) in self.normals.iter_mut().zip(normal.to_array()) {
            column.push(coordinate);
        }
        self.offsets.push(offset);
    }

    /// Returns the number of planes.
    pub fn len(&self) -> usize {
        self.offsets.len() - LANES
    }

    /// Returns the normal of a plane.
    #[inline]
    pub fn normal(&self, plane: u32) -> DVec3 {
        DVec3::from_array(self.normals.each_ref().map(|column| column[plane as usize]))
    }

    /// Returns the height of a point above a plane.
    #[inline]
    pub fn height(&self, plane: u32, x: DVec3) -> f64 {
        self.normal(plane).dot(x) - self.offsets[plane as usize]
    }

    /// Returns the heights of a point above eight planes, from `first` on.
    #[inline]
    pub fn heights(&self, first: u32, x: DVec3) -> [f64; LANES] {
        let eight = |column: &[f64]| -> [f64; LANES] {
            column[first as usize..][..LANES].try_into().expect("padded with eight")
        };
        let [nx, ny, nz] = self.normals.each_ref().map(|column| eight(column));
        let offset = eight(&self.offsets);
        std::array::from_fn(|i| ((nx[i] * x.x + ny[i] * x.y) + nz[i] * x.z) - offset[i])
    }

    /// Returns the plane above which a point is highest, among a range, and the height: the first in a tie,
    /// and minus infinity for an empty range.
    #[inline]
    pub fn highest(&self, range: Range<u32>, x: DVec3) -> (u32, f64) {
        self.best(range, x, |height| height)
    }

    /// Returns the plane below which a point is deepest, among a range, and the depth.
    #[inline]
    pub fn deepest(&self, range: Range<u32>, x: DVec3) -> (u32, f64) {
        self.best(range, x, |height| -height)
    }

    #[inline]
    fn best(&self, range: Range<u32>, x: DVec3, score: impl Fn(f64) -> f64) -> (u32, f64) {
        let mut best = (range.start, f64::NEG_INFINITY);
        for first in range.clone().step_by(LANES) {
            let of_cell = range.end - first;
            for (plane, height) in (first..).zip(self.heights(first, x)).take(of_cell as usize) {
                if score(height) > best.1 {
                    best = (plane, score(height));
                }
            }
        }
        best
    }

    /// True when every number is finite and every normal has a length of 1, up to rounding.
    pub fn are_valid(&self) -> bool {
        let of = |plane| self.normal(plane).length() - 1.0;
        (0..to_u32(self.len()))
            .all(|plane| of(plane).abs() < 1e-12 && self.offsets[plane as usize].is_finite())
    }

    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        4 * size_of::<f64>() * self.offsets.len()
    }
}

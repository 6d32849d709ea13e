//! Mean and covariance of a surface, integrated over its triangles (Lin et al. 1997, section 4.2.1).

use glam::DVec3;

use crate::math::jacobi::eigenvectors;

/// Sums over triangles, weighted by area: vertices that crowd a small patch count for no more than it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    weight: f64,
    first: DVec3,
    second: [DVec3; 3],
}

impl Moments {
    /// Of these triangles, with corners relative to a point nearby.
    pub(super) fn of_surface(triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let mut sums = Self::default();
        for [p, q, r] in triangles {
            let area = 0.5 * (q - p).cross(r - p).length();
            let center = (p + q + r) / 3.0;
            // The integral of x x^T over a triangle of area A: A / 12 (9 m m^T + p p^T + q q^T + r r^T).
            sums.weight += area;
            sums.first += area * center;
            for (v, share) in [(center, 9.0), (p, 1.0), (q, 1.0), (r, 1.0)] {
                sums.add_square(v, area * share / 12.0);
            }
        }
        sums
    }

    /// Of points of equal weight: for what has no area.
    pub(super) fn of_points(points: impl Iterator<Item = DVec3>) -> Self {
        let mut sums = Self::default();
        for p in points {
            sums.weight += 1.0;
            sums.first += p;
            sums.add_square(p, 1.0);
        }
        sums
    }

    fn add_square(&mut self, v: DVec3, weight: f64) {
        for (row, x) in self.second.iter_mut().zip(v.to_array()) {
            *row += v * (x * weight);
        }
    }

    /// True when there is something to take axes of.
    pub(super) fn has_weight(&self) -> bool {
        self.weight > 0.0
    }

    /// Eigenvectors of the covariance: the directions of most and least spread among them.
    pub(super) fn axes(&self) -> [DVec3; 3] {
        let mean = self.first / self.weight;
        let rows: [DVec3; 3] = std::array::from_fn(|i| self.second[i] / self.weight - mean * mean[i]);
        // Upper triangle only: the two halves may differ by rounding.
        let [x, y, z] = rows;
        eigenvectors([[x.x, x.y, x.z], [x.y, y.y, y.z], [x.z, y.z, z.z]])
    }
}

//! Mean and covariance of surfaces, in a form that adds up without cancellation (Chan et al. 1979).

use glam::DVec3;

use closefit_geometry::math::Triangle;
use closefit_geometry::math::jacobi::eigenvectors;

/// The spread of a surface, integrated over its triangles (Lin et al. 1997, section 4.2.1) and so weighted by
/// area: many vertices on a small patch count for no more than the patch.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The area, or the number of points.
    pub weight: f64,
    /// The mean of all points.
    pub mean: DVec3,
    /// Weight times covariance: xx, yy, zz, xy, yz, zx.
    pub second: [f64; 6],
}

impl Spread {
    /// The spread of an empty set.
    pub const NONE: Self = Self { weight: 0.0, mean: DVec3::ZERO, second: [0.0; 6] };

    /// Returns the spread of a triangle.
    #[inline]
    pub fn of_triangle(corners: Triangle) -> Self {
        let [p, q, r] = corners;
        let (weight, mean) = (0.5 * (q - p).cross(r - p).length(), (p + q + r) / 3.0);
        // The integral of (x - m) (x - m)^T over a triangle of area A: A / 12 times the sum over its corners.
        let mut second = [0.0; 6];
        for corner in corners {
            add(&mut second, squares(corner - mean), weight / 12.0);
        }
        Self { weight, mean, second }
    }

    /// Returns the spread of a point, with weight 1.
    #[inline]
    pub fn of_point(p: DVec3) -> Self {
        Self { weight: 1.0, mean: p, second: [0.0; 6] }
    }

    /// Returns the spread of the union of both.
    #[inline]
    pub fn with(self, other: Self) -> Self {
        let weight = self.weight + other.weight;
        if weight <= 0.0 {
            return Self::NONE;
        }
        let (apart, share) = (other.mean - self.mean, other.weight / weight);
        let mut second = self.second;
        add(&mut second, other.second, 1.0);
        add(&mut second, squares(apart), self.weight * share);
        Self { weight, mean: self.mean + apart * share, second }
    }

    /// Returns the spread of the union of all.
    pub fn of_all<'a>(parts: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let weight: f64 = parts.clone().map(|part| part.weight).sum();
        if weight <= 0.0 {
            return Self::NONE;
        }
        let mean = parts.clone().map(|part| part.mean * part.weight).sum::<DVec3>() / weight;
        let mut second = [0.0; 6];
        for part in parts {
            let moved = squares(part.mean - mean);
            for ((sum, own), moved) in second.iter_mut().zip(part.second).zip(moved) {
                *sum += own + part.weight * moved;
            }
        }
        Self { weight, mean, second }
    }

    /// Returns the eigenvectors of the covariance, which include the directions of most and least spread.
    pub fn axes(&self) -> [DVec3; 3] {
        let [xx, yy, zz, xy, yz, zx] = self.second.map(|x| x / self.weight);
        eigenvectors([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    }

    /// Returns the covariance divided by its trace; NaN where the trace is 0.
    pub fn shape(&self) -> [f32; 6] {
        let trace = self.second[0] + self.second[1] + self.second[2];
        self.second.map(|x| (x / trace) as f32)
    }
}

fn squares(DVec3 { x, y, z }: DVec3) -> [f64; 6] {
    [x * x, y * y, z * z, x * y, y * z, z * x]
}

fn add(sums: &mut [f64; 6], terms: [f64; 6], weight: f64) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += term * weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::math::testing::Stream;

    /// A surface has the same spread whether its pieces are added one by one or all at once.
    #[test]
    fn parts_add_up() {
        let mut stream = Stream(1);
        for _ in 0..1_000 {
            let at = stream.point() * 1e6;
            let t = [0; 3].map(|_| at + stream.point());
            let middle = [(t[0] + t[1]) * 0.5, (t[1] + t[2]) * 0.5, (t[2] + t[0]) * 0.5];
            let parts = [
                [t[0], middle[0], middle[2]],
                [t[1], middle[1], middle[0]],
                [t[2], middle[2], middle[1]],
                middle,
            ];
            let parts = parts.map(Spread::of_triangle);
            let whole = Spread::of_triangle(t);
            let one_by_one = parts.into_iter().fold(Spread::NONE, Spread::with);
            for other in [one_by_one, Spread::of_all(parts.iter())] {
                assert!((other.weight - whole.weight).abs() < 1e-9 && other.mean.distance(whole.mean) < 1e-8);
                for (x, y) in other.second.iter().zip(whole.second) {
                    assert!((x - y).abs() < 1e-8, "{other:?} {whole:?}");
                }
            }
        }
    }
}

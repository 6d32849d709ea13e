//! The squared distance between a point and a triangle, in f64.
//!
//! The root of the result is the distance between the point and *some* point of the triangle, computed to
//! within [`LENGTH`](closefit_geometry::math::error_bounds::LENGTH) of their reach, so the true distance
//! exceeds it by no more than that. The triangle's point is the nearest one except for slivers, whose feet
//! rounding may displace; so a large result proves nothing.
//!
//! The nearest point is on an edge, unless the foot of the perpendicular falls inside. Each edge is clamped
//! to its ends, and a foot counts only if its weights make it a point of the triangle, so rounding of the
//! weights costs tightness alone.
//!
//! - [`scalar::squared`]: the reading copy.
//! - [`simd::squared`], [`simd::squared_of_points`]: four triangles, or four points, at once, with the same
//!   bits.

pub mod scalar;
pub mod simd;

use glam::DVec3;

use closefit_geometry::math::Triangle;

/// A triangle with everything that does not depend on the point.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// The corners.
    pub corner: Triangle,
    /// Edge `i` from corner `i` to the next.
    pub edge: Triangle,
    /// Inverses of the edges' squares; a huge number for squares of 0.
    pub inverse: [f64; 3],
    /// Scalar products of the two edges that leave the first corner: each with itself, then both.
    pub products: [f64; 3],
    /// Inverse of the squared area; a huge number for an area of 0.
    pub inverse_area: f64,
}

impl Face {
    /// Prepares a triangle.
    #[inline]
    pub fn of(t: &Triangle) -> Self {
        let edge = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        let square = [edge[0].dot(edge[0]), edge[1].dot(edge[1]), edge[2].dot(edge[2])];
        let mixed = -edge[0].dot(edge[2]);
        Self {
            corner: *t,
            edge,
            inverse: [inverse(square[0]), inverse(square[1]), inverse(square[2])],
            products: [square[0], square[2], mixed],
            inverse_area: inverse(square[0] * square[2] - mixed * mixed),
        }
    }
}

/// Returns 1 / x, without dividing by 0 and so without NaN.
#[inline]
fn inverse(x: f64) -> f64 {
    1.0 / x.max(f64::MIN_POSITIVE)
}

/// Four prepared triangles, as structure of arrays.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Faces4 {
    corner: [[[f64; 4]; 3]; 3],
    edge: [[[f64; 4]; 3]; 3],
    inverse: [[f64; 4]; 3],
    products: [[f64; 4]; 3],
    inverse_area: [f64; 4],
}

impl Faces4 {
    /// The same triangle four times.
    pub fn splat(face: &Face) -> Self {
        let vector = |v: DVec3| v.to_array().map(|x| [x; 4]);
        Self {
            corner: face.corner.map(vector),
            edge: face.edge.map(vector),
            inverse: face.inverse.map(|x| [x; 4]),
            products: face.products.map(|x| [x; 4]),
            inverse_area: [face.inverse_area; 4],
        }
    }

    /// Puts a triangle into a lane.
    pub fn set(&mut self, lane: usize, face: &Face) {
        for i in 0..3 {
            for k in 0..3 {
                self.corner[i][k][lane] = face.corner[i][k];
                self.edge[i][k][lane] = face.edge[i][k];
            }
            self.inverse[i][lane] = face.inverse[i];
            self.products[i][lane] = face.products[i];
        }
        self.inverse_area[lane] = face.inverse_area;
    }
}

/// Four points, by coordinate.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Points4(pub [[f64; 4]; 3]);

impl Points4 {
    /// Packs up to four points, repeating the first in the remaining lanes.
    #[inline]
    pub fn of(points: &[DVec3]) -> Self {
        let mut four = points[0].to_array().map(|x| [x; 4]);
        for (lane, p) in points.iter().enumerate() {
            for (k, x) in p.to_array().into_iter().enumerate() {
                four[k][lane] = x;
            }
        }
        Self(four)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::exact::distance::distance;
    use closefit_geometry::lanes::{Level, SimdBase, dispatch, level};
    use closefit_geometry::math::testing::Stream;

    fn point(stream: &mut Stream) -> DVec3 {
        // Multiples of a quarter, which put feet on edges and corners, and arbitrary numbers.
        DVec3::from_array([(); 3].map(|()| match stream.bits() % 3 {
            0 => (stream.signed() * 8.0).round() / 4.0,
            _ => stream.signed() * 2.0,
        }))
    }

    #[test]
    fn no_less_than_the_distance_and_hardly_more() {
        let mut stream = Stream(1);
        for _ in 0..20_000 {
            let t = [(); 3].map(|()| point(&mut stream));
            let p = point(&mut stream);
            let found = scalar::squared(p, &Face::of(&t)).sqrt();
            let d = distance(&[p; 3], &t);
            assert!(found >= d - 1e-14, "{found} {d}");
            let [u, v, w] = Face::of(&t).edge;
            let sharp = u.cross(v).length() / u.dot(u).max(v.dot(v)).max(w.dot(w));
            assert!(sharp < 1e-3 || found <= d + 1e-10, "{found} {d} {t:?} {p}");
        }
    }

    #[test]
    fn lanes_say_what_the_reading_copy_says() {
        let mut stream = Stream(2);
        for _ in 0..20_000 {
            let unit = libm::ldexp(1.0, [0, -190, 190][(stream.bits() % 8).saturating_sub(5) as usize]);
            let faces = [(); 4].map(|()| Face::of(&[(); 3].map(|()| point(&mut stream) * unit)));
            let p = point(&mut stream) * unit;
            let mut four = Faces4::splat(&faces[0]);
            (1..4).for_each(|lane| four.set(lane, &faces[lane]));
            let expected = faces.each_ref().map(|face| scalar::squared(p, face).to_bits());
            for level in [level(), Level::baseline()] {
                let found = dispatch!(level, simd => simd::squared(simd, p, &four).to_array());
                assert_eq!(found.map(f64::to_bits), expected, "{p} {faces:?}");
            }
            let points = [(); 3].map(|()| point(&mut stream) * unit);
            let expected = points.map(|p| scalar::squared(p, &faces[0]).to_bits());
            for level in [level(), Level::baseline()] {
                let points = Points4::of(&points);
                let found =
                    dispatch!(level, simd => simd::squared_of_points(simd, &points, &faces[0]).to_array());
                assert_eq!(found.map(f64::to_bits)[..3], expected, "{points:?} {faces:?}");
            }
        }
    }
}

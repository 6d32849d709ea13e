//! Reference forms of small tests, generic over their numbers, so that their operations can be counted.

use std::ops::{Add, Mul, Neg, Sub};

use closefit_generate::random::Random;
use closefit_methods::internals::counted::{Counted, counted};

/// A number of the reference forms.
pub trait Number:
    Copy
    + From<f64>
    + PartialOrd
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
{
    /// Returns the magnitude.
    fn magnitude(self) -> Self {
        if self < Self::from(0.0) { -self } else { self }
    }
}

impl Number for f64 {}
impl Number for Counted<f64> {}

/// Returns the inner product.
pub fn dot<N: Number>(p: [N; 3], q: [N; 3]) -> N {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

/// Returns the difference of two vectors.
pub fn minus<N: Number>(p: [N; 3], q: [N; 3]) -> [N; 3] {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

/// Returns the vector product.
pub fn cross<N: Number>(p: [N; 3], q: [N; 3]) -> [N; 3] {
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
}

/// True if a segment meets a triangle, up to rounding: where its line meets the plane, in coordinates of the
/// triangle's sides (Möller and Trumbore 1997), without a division.
pub fn segment_meets<N: Number>(ends: [[N; 3]; 2], corners: [[N; 3]; 3]) -> bool {
    let [first, second] = [minus(corners[1], corners[0]), minus(corners[2], corners[0])];
    let along = minus(ends[1], ends[0]);
    let across = cross(along, second);
    let volume = dot(first, across);
    let zero = N::from(0.0);
    let is_positive = volume > zero;
    // A coordinate is a share of the volume, whatever the sign of that.
    let within = |share: N| {
        if is_positive { share >= zero && share <= volume } else { share <= zero && share >= volume }
    };
    let from = minus(ends[0], corners[0]);
    let u = dot(from, across);
    if !within(u) {
        return false;
    }
    let q = cross(from, first);
    let v = dot(along, q);
    within(v) && within(u + v) && within(dot(second, q))
}

/// True if two triangles meet, up to rounding: if an edge of one meets the other.
pub fn triangles_meet<N: Number>(a: [[N; 3]; 3], b: [[N; 3]; 3]) -> bool {
    let edges = |t: [[N; 3]; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    edges(a).into_iter().any(|edge| segment_meets(edge, b))
        || edges(b).into_iter().any(|edge| segment_meets(edge, a))
}

/// Returns the mean number of operations of a test of two triangles whose boxes overlap.
pub fn mean_triangle_test() -> f64 {
    let mut random = Random::new(7);
    let (mut sum, mut tests) = (0, 0_u32);
    while tests < 1_000 {
        let mut triangle = || {
            let middle = random.direction() * random.between(0.0, 0.7);
            [(); 3].map(|()| (middle + random.direction() * 0.5).to_array())
        };
        let [a, b] = [triangle(), triangle()];
        let end = |t: &[[f64; 3]; 3], k: usize, of: fn(f64, f64) -> f64| of(of(t[0][k], t[1][k]), t[2][k]);
        let apart = |a: &[[f64; 3]; 3], b: &[[f64; 3]; 3], k| end(a, k, f64::max) < end(b, k, f64::min);
        if (0..3).any(|k| apart(&a, &b, k) || apart(&b, &a, k)) {
            continue;
        }
        let numbers = |t: [[f64; 3]; 3]| t.map(|p| p.map(Counted));
        sum += counted(|| triangles_meet(numbers(a), numbers(b))).1.total();
        tests += 1;
    }
    sum as f64 / f64::from(tests)
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::exact::contact;
    use glam::DVec3;

    /// The reference forms tell what the exact tests tell, on points of no special position.
    #[test]
    fn reference_forms_tell_what_exact_tests_tell() {
        let mut random = Random::new(5);
        let mut point = || DVec3::from_array(std::array::from_fn(|_| random.between(-1.0, 1.0)));
        let [mut crossing, mut meeting] = [0; 2];
        for _ in 0..10_000 {
            let (a, b) = ([point(), point(), point()], [point(), point(), point()]);
            let numbers = |p: DVec3| p.to_array();
            let found = segment_meets([a[0], a[1]].map(numbers), b.map(numbers));
            assert_eq!(found, contact::segment_meets([a[0], a[1]], &b));
            crossing += u32::from(found);
            let found = triangles_meet(a.map(numbers), b.map(numbers));
            assert_eq!(found, contact::triangles_meet(&a, &b));
            meeting += u32::from(found);
        }
        assert!(crossing > 500 && meeting > 1_000, "{crossing} {meeting}");
    }

    #[test]
    fn a_whole_edge_test_takes_about_sixty_operations() {
        let counted_to = |z: f64| {
            let point = |p: [f64; 3]| p.map(Counted);
            let corners = [point([0.0; 3]), point([1.0, 0.0, 0.0]), point([0.0, 1.0, 0.0])];
            counted(|| segment_meets([point([0.2, 0.2, -1.0]), point([0.2, 0.2, z])], corners))
        };
        let (found, made) = counted_to(1.0);
        assert!(found);
        // Two cross and four inner products, four differences and a sum.
        assert_eq!((made.multiplications, made.additions), (2 * 6 + 4 * 3, 2 * 3 + 4 * 2 + 4 * 3 + 1));
        assert!(!counted_to(-0.5).0);
    }
}

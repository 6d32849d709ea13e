//! Exact sides of points with respect to a plane. Also cheap for points on the plane, such as points of
//! mating faces.
//!
//! The static filter is Shewchuk's ("Adaptive precision floating-point arithmetic and fast robust geometric
//! predicates", 1997, section 4.3). Most cases that it cannot decide are zero. Exact arguments decide common
//! corners and coordinates of few bits, double-double arithmetic decides near misses, and expansions decide
//! the rest.

use std::cmp::Ordering::Equal;

use glam::{DVec3, Vec3Swizzles};

use crate::math::Triangle;
use crate::math::double_double::{self, Vector, cross, difference, dot, rounded};
use crate::math::error_bounds::{VOLUME, VOLUME_DOUBLE_DOUBLE};
use crate::math::predicates::{self, Sign};

/// Returns the sides of three points with respect to the plane of a triangle, as [`predicates::orient3d`]
/// does.
pub fn sides(points: &Triangle, plane: &Triangle) -> [Sign; 3] {
    let filter = Filter::of(plane);
    let side = |p: DVec3| filter.side(p).unwrap_or_else(|| unfiltered(plane, p));
    [side(points[0]), side(points[1]), side(points[2])]
}

/// Returns the same as [`predicates::orient3d`].
pub fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    let plane = [a, b, c];
    Filter::of(&plane).side(d).unwrap_or_else(|| unfiltered(&plane, d))
}

/// A plane in f64 for the static filter.
struct Filter {
    origin: DVec3,
    normal: DVec3,
    /// The normal's components with the absolute values of their products added.
    size: DVec3,
}

impl Filter {
    fn of(plane: &Triangle) -> Self {
        let (u, v) = (plane[1] - plane[0], plane[2] - plane[0]);
        let (left, right) = (u.yzx() * v.zxy(), u.zxy() * v.yzx());
        Self { origin: plane[0], normal: left - right, size: left.abs() + right.abs() }
    }

    /// Returns the side of a point; `None` where rounding may change it.
    fn side(&self, p: DVec3) -> Option<Sign> {
        let from = p - self.origin;
        let (volume, size) = (self.normal.dot(from), self.size.dot(from.abs()));
        // Underflow does no harm: where the size is 0, every product has a factor of 0.
        (volume.abs() > VOLUME * size || size == 0.0).then(|| sign(volume))
    }
}

/// Returns the side of a point that the filter cannot decide.
#[cold]
fn unfiltered(plane: &Triangle, p: DVec3) -> Sign {
    if p == plane[1] || p == plane[2] || plane[1] == plane[2] {
        return Equal;
    }
    let edge = |q: DVec3| difference(q, plane[0]);
    let edges = [edge(plane[1]), edge(plane[2]), edge(p)];
    in_whole_numbers(&edges)
        .or_else(|| in_double_double(&edges))
        .unwrap_or_else(|| predicates::orient3d(plane[0], plane[1], plane[2], p))
}

/// Returns the sign of a determinant whose entries are multiples, below 2^40, of one power of two; otherwise
/// `None`.
fn in_whole_numbers(rows: &[Vector; 3]) -> Option<Sign> {
    let reach = rows.iter().fold(0.0f64, |r, row| r.max(rounded(row).abs().max_element()));
    let unit = double_double::power_of_two_below(reach) / (1u64 << 39) as f64;
    let mut whole = [[0i128; 3]; 3];
    for (row, whole) in rows.iter().zip(&mut whole) {
        for (x, whole) in row.iter().zip(whole) {
            let units = x.high / unit;
            let truncated = units as i64;
            if x.low != 0.0 || truncated as f64 != units {
                return None;
            }
            *whole = i128::from(truncated);
        }
    }
    // Entries are below 2^40, minors below 2^81 and the sum below 2^123, so i128 does not overflow.
    let [u, v, w] = whole;
    let term = |i: usize, j: usize, k: usize| (u[i] * v[j] - u[j] * v[i]) * w[k];
    Some((term(1, 2, 0) + term(2, 0, 1) + term(0, 1, 2)).cmp(&0))
}

/// Returns the sign of a determinant, unless it is too close to 0.
fn in_double_double([u, v, w]: &[Vector; 3]) -> Option<Sign> {
    let volume = dot(&cross(u, v), w).high;
    let (a, b, c) = (rounded(u).abs(), rounded(v).abs(), rounded(w).abs());
    let size = (a.yzx() * b.zxy() + a.zxy() * b.yzx()).dot(c);
    (volume.abs() > VOLUME_DOUBLE_DOUBLE * size).then(|| sign(volume))
}

fn sign(x: f64) -> Sign {
    // Adding 0 turns -0 into 0.
    (x + 0.0).total_cmp(&0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A coordinate: a whole number, a full mantissa or a power of two.
    fn coordinate() -> impl Strategy<Value = f64> {
        let powers = (-199..199i32, prop::bool::ANY)
            .prop_map(|(e, negative)| libm::ldexp(if negative { -1.0 } else { 1.0 }, e));
        prop_oneof![4 => (-4..4i32).prop_map(f64::from), 2 => -1.0..1.0f64, 1 => powers]
    }

    fn point() -> impl Strategy<Value = DVec3> {
        proptest::array::uniform3(coordinate()).prop_map(DVec3::from_array)
    }

    /// Four points, the last often on or next to the plane of the others.
    fn four() -> impl Strategy<Value = [DVec3; 4]> {
        let any = proptest::array::uniform4(point());
        let on = (proptest::array::uniform3(point()), 0..5u32, 0..5u32, 0..2u32).prop_map(
            |([a, b, c], i, j, ulps)| {
                let mut d = a + (b - a) * (f64::from(i) / 2.0) + (c - a) * (f64::from(j) / 2.0);
                (0..ulps).for_each(|_| d.x = d.x.next_up());
                [a, b, c, d]
            },
        );
        prop_oneof![any, on].prop_map(|four| four.map(|p| DVec3::from_array(p.to_array().map(admissible))))
    }

    fn admissible(x: f64) -> f64 {
        if x.abs() < libm::ldexp(1.0, -200) { 0.0 } else { x }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn every_way_agrees_with_expansions([a, b, c, d] in four()) {
            let expected = predicates::orient3d(a, b, c, d);
            prop_assert_eq!(side(a, b, c, d), expected);
            prop_assert_eq!(unfiltered(&[a, b, c], d), expected);
            let edges = [b, c, d].map(|p| difference(p, a));
            prop_assert!(in_whole_numbers(&edges).is_none_or(|found| found == expected));
            prop_assert!(in_double_double(&edges).is_none_or(|found| found == expected));
        }
    }

    #[test]
    fn each_way_decides_what_it_is_for() {
        let edges = |points: [[f64; 3]; 3]| points.map(|p| difference(DVec3::from_array(p), DVec3::ZERO));
        let tilted = edges([[3.0, 1.0, 2.0], [1.0, 5.0, 4.0], [4.0, 6.0, 6.0]]);
        assert_eq!(in_whole_numbers(&tilted), Some(Equal));
        assert_eq!(in_double_double(&tilted), None);
        let above = edges([[0.1, 0.2, 0.3], [0.7, 0.1, 0.2], [0.8, 0.3, 0.5 + 1e-25]]);
        assert_eq!(in_whole_numbers(&above), None);
        assert!(in_double_double(&above).is_some());
        let widest = (1u64 << 40) as f64 - 1.0;
        let widest = edges([[widest, -widest, widest], [-widest, -widest, widest], [widest, widest, widest]]);
        assert_eq!(in_whole_numbers(&widest), in_double_double(&widest));
    }
}

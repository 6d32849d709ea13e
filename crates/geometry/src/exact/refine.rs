//! The distance of two triangles in double-double arithmetic, when that proves its rounding.
//!
//! Any two points of the triangles bound their distance from above, and the gap along any direction bounds it
//! from below. Therefore the features that f64 chose need no proof of being closest: their closest points and
//! a direction between them are computed to about 106 bits. If both bounds lie between the same two midpoints
//! of neighbouring f64 (Ziv's rounding test), no other feature matters, even if it is tied, degenerate or
//! nearly as close.

use glam::DVec3;

use super::along::Axis;
use super::contact::triangles_meet;
use super::features::{Feature, Floats, ends};
use crate::math::Triangle;
use crate::math::double_double::{
    DoubleDouble, Vector, cross, difference, dot, minus_scaled, opposite, power_of_two_below, rounded,
};
use crate::math::error_bounds::{POINTS_APART, UNIT};

/// Returns the correctly rounded distance of triangles that do not meet; `None` if integers are needed.
pub fn distance_apart(a: &Triangle, b: &Triangle, floats: &Floats) -> Option<f64> {
    let (feature, offset) = floats.nearest();
    if let Some(distance) = along_an_axis(a, b, offset, floats.error) {
        return Some(distance);
    }
    let scaled = Scaled::of(a, b)?;
    let first = scaled.closest(feature);
    let distance = first.as_ref().and_then(|closest| scaled.rounded_distance(closest)).or_else(|| {
        // f64 cannot tell nearly tied features apart: take the closest of all candidates.
        let candidates = floats.candidates();
        let all = candidates.into_iter().filter_map(|feature| scaled.closest(feature));
        let closest = all.reduce(|best, next| if next.squared < best.squared { next } else { best })?;
        scaled.rounded_distance(&closest)
    })?;
    Some(distance * scaled.unit)
}

/// The smallest unit of points: distances below 2^-1000 are not rounded once.
const SMALLEST_UNIT: f64 = f64::from_bits((1023 - 900) << 52);

/// Returns the distance of two points, correctly rounded; `None` if double-double arithmetic does not prove
/// it.
pub fn distance_of_points(p: DVec3, q: DVec3) -> Option<f64> {
    let offset = difference(q, p);
    let lengths = rounded(&offset).abs();
    let longest = lengths.max_element();
    let unit = power_of_two_below(longest);
    if !(unit >= SMALLEST_UNIT && unit.is_finite()) {
        return None;
    }
    // A difference of two coordinates is rounded once already.
    if lengths.to_array().into_iter().filter(|length| *length > 0.0).count() == 1 {
        return Some(longest);
    }
    let offset = of_about_unit_length(&offset);
    let squared = dot(&offset, &offset);
    let root = squared.high.sqrt();
    let rest = DoubleDouble::from(squared.high) - DoubleDouble::product(root, root);
    let distance = root + (rest.high + squared.low) / (2.0 * root);
    // 18 u^2 for the square of the offset, 10 u^2 for the square of a bound, 4 u^2 each for their difference.
    let is_beyond = |bound: DoubleDouble, sign: f64| {
        let bound = bound * bound;
        let error = 64.0 * UNIT * UNIT * (squared.high + bound.high);
        (bound - squared).high * sign > error
    };
    let is_between = is_beyond(half_way(distance, distance.next_up()), 1.0)
        && is_beyond(half_way(distance, distance.next_down()), -1.0);
    is_between.then_some(distance * unit)
}

/// True only if the rounded distance of triangles that do not meet is proven to be at least `bound`.
pub fn is_at_least(a: &Triangle, b: &Triangle, bound: f64) -> bool {
    let (feature, _) = Floats::of(a, b).nearest();
    Scaled::of(a, b).is_some_and(|scaled| {
        let bound = bound / scaled.unit;
        let closest = scaled.closest(feature);
        closest.is_some_and(|closest| scaled.sees(&closest, half_way(bound, bound.next_down())))
    })
}

/// Returns the middle between a number and one of its neighbours.
pub(super) fn half_way(from: f64, to: f64) -> DoubleDouble {
    DoubleDouble { high: from, low: (to - from) / 2.0 }
}

/// Returns the distance along a coordinate axis if corners that face each other along it overlap when seen
/// along the axis: the distance is then a difference of two coordinates. It often lies halfway between two
/// f64, where no finite precision could prove its rounding.
fn along_an_axis(a: &Triangle, b: &Triangle, offset: DVec3, error: f64) -> Option<f64> {
    let may_be_along = |axis: &usize| (0..3).all(|k| k == *axis || offset[k].abs() <= error);
    let gap = |axis: usize, below: &Triangle, above: &Triangle| {
        let top = below[0][axis].max(below[1][axis]).max(below[2][axis]);
        let bottom = above[0][axis].min(above[1][axis]).min(above[2][axis]);
        let overlap = || triangles_meet(&facing(below, axis, top), &facing(above, axis, bottom));
        (bottom > top && overlap()).then_some(bottom - top)
    };
    (0..3).filter(may_be_along).find_map(|axis| gap(axis, a, b).or_else(|| gap(axis, b, a)))
}

/// Returns the hull of the corners at a given level of an axis, projected along the axis.
fn facing(t: &Triangle, axis: usize, level: f64) -> Triangle {
    let at_level = t.iter().find(|p| p[axis] == level).expect("the level of a corner");
    t.map(|p| {
        let mut seen = if p[axis] == level { p } else { *at_level };
        seen[axis] = 0.0;
        seen
    })
}

/// Both triangles in units of a power of two, chosen so that the largest coordinate offset from a corner of
/// the first is from 1 to 2. Nothing below then over- or underflows except terms far below the error bounds.
pub(super) struct Scaled {
    pub(super) a: Triangle,
    pub(super) b: Triangle,
    pub(super) unit: f64,
    reach: f64,
}

/// Closest points of two features.
struct Closest {
    /// Vector from the point on `a` to the point on `b`, within [`POINTS_APART`] of the vector between two
    /// points of the triangles.
    offset: Vector,
    squared: DoubleDouble,
    /// Direction perpendicular to both features, if both points lie in their interiors.
    perpendicular: Option<Vector>,
}

impl Scaled {
    /// Scales two triangles; `None` if all corners coincide.
    pub(super) fn of(a: &Triangle, b: &Triangle) -> Option<Self> {
        let origin = a[0];
        let most = |t: &Triangle| (t[0] - origin).abs().max((t[1] - origin).abs()).max((t[2] - origin).abs());
        let reach = most(a).max(most(b)).max_element();
        let unit = power_of_two_below(reach);
        let scaled = |t: &Triangle| [t[0] / unit, t[1] / unit, t[2] / unit];
        (unit > 0.0).then(|| Self { a: scaled(a), b: scaled(b), unit, reach: reach / unit })
    }

    /// Returns the closest points of two features; `None` for a corner that does not project into the face,
    /// since edges are then as close.
    fn closest(&self, feature: Feature) -> Option<Closest> {
        let (offset, perpendicular) = match feature {
            Feature::Edges(i, j) => between_edges(ends(&self.a, i), ends(&self.b, j)),
            Feature::CornerFace(i) => {
                let (height, normal) = above_face(self.a[i], &self.b)?;
                (opposite(&height), Some(normal))
            }
            Feature::FaceCorner(j) => {
                let (height, normal) = above_face(self.b[j], &self.a)?;
                (height, Some(normal))
            }
        };
        Some(Closest { offset, squared: dot(&offset, &offset), perpendicular })
    }

    /// Returns the distance rounded to nearest, if these points and a direction between them prove it.
    fn rounded_distance(&self, closest: &Closest) -> Option<f64> {
        let DoubleDouble { high, low } = closest.squared;
        let root = high.sqrt();
        let rest = DoubleDouble::from(high) - DoubleDouble::product(root, root);
        let distance = root + (rest.high + low) / (2.0 * root);
        // Far below this the bounds are too wide, and squares of squares would underflow.
        if distance.is_nan() || distance < SMALLEST {
            return None;
        }
        // (offset + e)^2 < bound^2: the error is e * (2 * offset + e), 18 u^2 for the square of either side,
        // and 4 u^2 each for their difference: below 48 u^2 in all.
        let above = half_way(distance, distance.next_up());
        let error = POINTS_APART * self.reach;
        let error = error * (2.0 * root + error) * (1.0 + 8.0 * UNIT)
            + 64.0 * UNIT * UNIT * (high + above.high * above.high);
        if (above * above - closest.squared).high <= error {
            return None;
        }
        self.sees(closest, half_way(distance, distance.next_down())).then_some(distance)
    }

    /// True if a direction between these points proves that the distance exceeds a bound.
    fn sees(&self, closest: &Closest, bound: DoubleDouble) -> bool {
        let axis = Axis::new(self.direction(closest), self.a[0], self.reach);
        axis.sees(axis.end(&self.a), axis.begin(&self.b), axis.needed(bound))
    }

    /// Returns [`Scaled::direction`] between two features; `None` for a corner that does not project into the
    /// face.
    pub(super) fn direction_between(&self, feature: Feature) -> Option<Vector> {
        self.closest(feature).map(|closest| self.direction(&closest))
    }

    /// Returns a direction from `a` to `b` of length 1 to 4. The gap along any direction is a lower bound; of
    /// the two directions available, this takes the one that rounding tilts less.
    fn direction(&self, closest: &Closest) -> Vector {
        let offset = rounded(&closest.offset);
        let direction = match closest.perpendicular {
            Some(normal) if rounded(&normal).length() > offset.length() * self.reach => {
                if rounded(&normal).dot(offset) < 0.0 { opposite(&normal) } else { normal }
            }
            _ => closest.offset,
        };
        of_about_unit_length(&direction)
    }
}

/// Returns a vector times the power of two that makes its largest coordinate 1 to 2.
pub(super) fn of_about_unit_length(v: &Vector) -> Vector {
    let factor = 1.0 / power_of_two_below(rounded(v).abs().max_element());
    let scaled = |x: DoubleDouble| DoubleDouble { high: x.high * factor, low: x.low * factor };
    [scaled(v[0]), scaled(v[1]), scaled(v[2])]
}

/// Distances below this share of the triangles' reach are left to integers.
pub(super) const SMALLEST: f64 = 1.0 / (1u64 << 60) as f64;

/// Returns the vector between the closest points of two segments (Ericson, "Real-Time Collision Detection",
/// section 5.1.9), and the common normal if both points are interior.
fn between_edges([p, p1]: [DVec3; 2], [q, q1]: [DVec3; 2]) -> (Vector, Option<Vector>) {
    let (u, v, w) = (difference(p1, p), difference(q1, q), difference(q, p));
    let normal = cross(&u, &v);
    // The normal instead of squared lengths: it stays accurate for almost parallel edges.
    let s = fraction(dot(&cross(&w, &v), &normal), dot(&normal, &normal));
    let from_a = minus_scaled(&w, &u, s);
    let t = fraction(-dot(&from_a, &v), dot(&v, &v));
    let offset = minus_scaled(&from_a, &v, -t);
    if is_inside(s) && is_inside(t) {
        return (offset, Some(normal));
    }
    if is_inside(t) {
        return (offset, None);
    }
    let from_b = minus_scaled(&w, &v, -t);
    let s = fraction(dot(&from_b, &u), dot(&u, &u));
    (minus_scaled(&from_b, &u, s), None)
}

/// Returns the perpendicular from a face to a corner, and the face's normal; `None` unless its foot is
/// inside.
fn above_face(p: DVec3, t: &Triangle) -> Option<(Vector, Vector)> {
    let (u, v, w) = (difference(t[1], t[0]), difference(t[2], t[0]), difference(p, t[0]));
    let normal = cross(&u, &v);
    let squared = dot(&normal, &normal);
    let x = dot(&cross(&w, &v), &normal).quotient(squared);
    let y = dot(&cross(&u, &w), &normal).quotient(squared);
    let inside = x >= DoubleDouble::ZERO && y >= DoubleDouble::ZERO && x + y <= DoubleDouble::ONE;
    inside.then(|| (minus_scaled(&minus_scaled(&w, &u, x), &v, y), normal))
}

fn is_inside(x: DoubleDouble) -> bool {
    x > DoubleDouble::ZERO && x < DoubleDouble::ONE
}

/// Returns a quotient clamped to 0..1; 0 unless numerator and denominator are positive.
fn fraction(numerator: DoubleDouble, denominator: DoubleDouble) -> DoubleDouble {
    let (zero, one) = (DoubleDouble::ZERO, DoubleDouble::ONE);
    if !(numerator > zero && denominator > zero) {
        zero
    } else if numerator >= denominator {
        one
    } else {
        let x = numerator.quotient(denominator);
        if x < one { x } else { one }
    }
}

#[cfg(test)]
mod tests {
    use super::super::integers;
    use super::*;
    use crate::math::testing::{Stream, cases};

    fn t(points: [[f64; 3]; 3]) -> Triangle {
        points.map(DVec3::from_array)
    }

    /// Returns the double-double result after checking that it agrees with integers where it gives one.
    fn settled(a: &Triangle, b: &Triangle) -> Option<f64> {
        let floats = Floats::of(a, b);
        let found = distance_apart(a, b, &floats);
        let expected = integers::distance_apart(a, b, &floats);
        assert!(found.is_none_or(|found| found == expected), "{found:?}, not {expected}: {a:?} {b:?}");
        found
    }

    #[test]
    fn a_distance_half_way_between_two_floats() {
        let plate = |z: f64| t([[0.1, 0.2, z], [0.7, 0.3, z], [0.2, 0.9, z]]);
        let ulp = f64::EPSILON;
        for (low, high) in [(-0.5 - ulp / 4.0 * 3.0, 1.0), (-0.5 - ulp / 4.0, 1.0), (-ulp, 1.0 + ulp)] {
            assert_eq!(settled(&plate(low), &plate(high)), Some(high - low));
            assert_eq!(settled(&plate(high), &plate(low)), Some(high - low));
        }
        // These do not overlap when seen along the axis.
        let beside = plate(1.0).map(|p| p + DVec3::new(3.0, 0.0, 0.0));
        assert!(settled(&plate(0.0), &beside).is_some_and(|distance| distance > 2.0));
    }

    #[test]
    fn distances_of_points_are_rounded_once() {
        let mut random = Stream(29);
        let mut proven = 0;
        for case in 0..cases(2000) {
            // Full and short coordinates, some equal, some all but equal, far from the origin or near it.
            let unit = libm::ldexp(1.0, random.pick(&[0, 0, -300, 300]));
            let p = random.point() * random.pick(&[1.0, 1e6, 0.0]);
            let short = DVec3::from_array([0; 3].map(|_| random.below(4) as f64));
            let off = random.point() * random.pick(&[1.0, 1e-9, 1e-30, 0.0]);
            let q = p + random.pick(&[short, DVec3::ZERO, DVec3::X, DVec3::new(3.0, 0.0, 4.0)]) + off;
            let (p, q) = (p * unit, q * unit);
            if p == q {
                assert_eq!(distance_of_points(p, q), None, "{case}");
                continue;
            }
            let (a, b) = ([p; 3], [q; 3]);
            let expected = integers::distance_apart(&a, &b, &Floats::of(&a, &b));
            if let Some(found) = distance_of_points(p, q) {
                proven += 1;
                assert_eq!(found, expected, "{case}: {p:?} {q:?}");
                assert_eq!(distance_of_points(q, p), Some(expected), "{case}");
            }
        }
        assert!(4 * proven > 3 * cases(2000) / 2, "only {proven}");
        assert_eq!(distance_of_points(DVec3::ZERO, DVec3::new(0.0, 1e-290, 1e-290)), None);
    }

    #[test]
    fn every_feature_may_be_closest() {
        let a = t([[0.0, 0.0, 0.0], [1.1, 0.1, 0.0], [0.2, 1.3, 0.1]]);
        for direction in 0..200 {
            let (sin, cos) = libm::sincos(f64::from(direction) * 0.7);
            let height = f64::from(direction % 20) * 0.1 - 1.0;
            let by = DVec3::new(sin, cos, height) * 2.5;
            let b = a.map(|p| DVec3::new(p.y - 0.3, p.z + 0.1, p.x * 0.7) + by);
            assert!(settled(&a, &b).is_some(), "{direction}");
        }
    }

    #[test]
    fn ties_without_an_axis() {
        // Two copies of one tilted and rounded mesh pattern, so edges are parallel only up to rounding.
        let [u, v] = [DVec3::new(0.9, 0.3, 0.1), DVec3::new(-0.2, 0.8, 0.4)];
        let normal = u.cross(v).normalize();
        let at = |i: i32, j: i32, z: f64| u * f64::from(i) + v * f64::from(j) + normal * z;
        let mut answered = 0;
        for (i, j) in (-2..=2).flat_map(|i| (-2..=2).map(move |j| (i, j))) {
            let a = [at(0, 0, 0.0), at(1, 0, 0.0), at(0, 1, 0.0)];
            let b = [at(i, j, 0.7), at(i + 1, j, 0.7), at(i, j + 1, 0.7)];
            answered += usize::from(settled(&a, &b).is_some());
        }
        assert!(answered >= 24, "only {answered} of 25");
    }

    #[test]
    fn tiny_and_huge_alike() {
        let a = t([[0.0, 0.0, 0.0], [1.1, 0.1, 0.0], [0.2, 1.3, 0.1]]);
        let b = t([[0.3, 0.2, 0.7], [1.1, 0.4, 1.9], [0.2, -1.3, 1.1]]);
        let distance = settled(&a, &b).expect("an ordinary pair");
        for exponent in [-197, -60, 60, 199] {
            let power = libm::ldexp(1.0, exponent);
            let [p, q] = [&a, &b].map(|t| t.map(|p| p * power));
            assert_eq!(settled(&p, &q), Some(distance * power), "2^{exponent}");
        }
        let far = DVec3::new(3e9, -2e9, 1e9);
        assert!(settled(&a.map(|p| p + far), &b.map(|p| p + far)).is_some());
    }

    #[test]
    fn what_106_bits_cannot_tell() {
        let a = t([[0.0, 0.0, 0.0], [1e6, 1.0, 0.0], [0.0, 1e6, 0.0]]);
        let b = t([[1.0, 1.0, 1e-30], [2.0, 1.0, 1.0], [1.0, 2.0, 1.0]]);
        // Along an axis no precision is needed.
        assert_eq!(settled(&a, &b), Some(1e-30));
        let tilt = |p: DVec3| DVec3::new(p.x, p.y + 0.5 * p.z, p.z - 0.5 * p.y);
        assert_eq!(settled(&a.map(tilt), &b.map(tilt)), None);
        assert_eq!(settled(&[DVec3::ONE; 3], &[DVec3::ONE; 3]), None);
    }
}

//! Triangles seen along a direction, in double-double arithmetic.
//!
//! The gap between the end of one triangle and the beginning of another along any direction bounds their
//! distance from below. Therefore a direction needs no error bound of its own, and one serves any number of
//! pairs: each triangle is looked at once.

use glam::DVec3;

use super::features::Floats;
use super::refine::{Scaled, half_way, of_about_unit_length};
use crate::bounds::aabb::Aabb;
use crate::math::Triangle;
use crate::math::double_double::{
    DoubleDouble, Vector, cross, difference, dot, opposite, power_of_two_below, rounded,
};
use crate::math::error_bounds::{GAP_SEEN, PROJECTED, UNIT};

/// A direction, and where it is looked from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    direction: Vector,
    towards: DVec3,
    origin: DVec3,
    /// The largest offset of a coordinate from the origin times the sum of the sizes of the direction's.
    size: f64,
}

impl Axis {
    /// The direction, for points within `reach` of the origin in each coordinate.
    pub(super) fn new(direction: Vector, origin: DVec3, reach: f64) -> Self {
        let towards = rounded(&direction);
        Self { direction, towards, origin, size: towards.abs().element_sum() * reach }
    }

    /// Returns where a triangle ends.
    pub(super) fn end(&self, t: &Triangle) -> DoubleDouble {
        self.farthest(t, &self.direction, self.towards)
    }

    /// Returns where a triangle begins.
    pub(super) fn begin(&self, t: &Triangle) -> DoubleDouble {
        -self.farthest(t, &opposite(&self.direction), -self.towards)
    }

    fn farthest(&self, t: &Triangle, direction: &Vector, towards: DVec3) -> DoubleDouble {
        let project = |p: DVec3| towards.dot(p - self.origin);
        let rough = [project(t[0]), project(t[1]), project(t[2])];
        let most = rough[0].max(rough[1]).max(rough[2]);
        let mut farthest = DoubleDouble::from(f64::NEG_INFINITY);
        for (p, rough) in t.iter().zip(rough) {
            if rough >= most - PROJECTED * self.size {
                let exact = dot(direction, &difference(*p, self.origin));
                farthest = if exact > farthest { exact } else { farthest };
            }
        }
        farthest
    }

    /// Returns what the square of a gap must exceed for the distance to exceed a bound.
    pub(super) fn needed(&self, bound: DoubleDouble) -> DoubleDouble {
        bound * bound * dot(&self.direction, &self.direction)
    }

    /// True if the gap from an end to a beginning proves that.
    ///
    /// `(gap - e)^2 > bound^2 n^2`: the error is `2 gap e`, 10 u^2 for the square, 38 u^2 for the product of
    /// squares, and 4 u^2 each for their difference.
    #[inline]
    pub(super) fn sees(&self, end: DoubleDouble, begin: DoubleDouble, needed: DoubleDouble) -> bool {
        let gap = begin - end;
        let seen = gap * gap;
        let error = 2.0 * gap.high * (GAP_SEEN * self.size) * (1.0 + 8.0 * UNIT)
            + 64.0 * UNIT * UNIT * (seen.high + needed.high);
        gap.high > 0.0 && (seen - needed).high > error
    }
}

/// A direction along which many pairs of triangles are compared.
#[derive(Clone, Copy, Debug)]
pub struct Along {
    axis: Axis,
    /// The unit of lengths, a power of two: the largest length in it is from 1 to 2.
    unit: f64,
}

/// Largest deviation from 1 of the cosine of an angle between a face and the others whose mean is taken.
const LEVEL: f64 = 1.0 / (1 << 30) as f64;

impl Along {
    /// Chooses a direction in which to look at triangles with all corners within `bounds`: the one between
    /// two that do not meet, or the mean normal of all `others` that are level with it. Rounding tilts a
    /// large face less than a sliver. Returns `None` where the two do not tell.
    pub fn between(
        [a, b]: [&Triangle; 2],
        others: impl Iterator<Item = Triangle>,
        bounds: &Aabb,
    ) -> Option<Self> {
        let (feature, _) = Floats::of(a, b).nearest();
        let first = Scaled::of(a, b)?.direction_between(feature)?;
        let reach = (bounds.hi - a[0]).max(a[0] - bounds.lo).max_element() * (1.0 + 4.0 * UNIT);
        let unit = power_of_two_below(reach);
        if !(unit > 0.0 && unit.is_finite()) {
            return None;
        }
        let direction = mean_normal(&first, others.map(|t| t.map(|p| p / unit))).unwrap_or(first);
        Some(Self { axis: Axis::new(direction, a[0] / unit, reach / unit), unit })
    }

    /// True for directions that tell about the same.
    pub fn is_level_with(&self, other: &Self) -> bool {
        let [v, w] = [self, other].map(|along| along.axis.towards);
        v.dot(w).abs() > (1.0 - LEVEL) * v.length() * w.length()
    }

    /// Returns the heights of three points along the direction. No height of a triangle is beyond its
    /// corners.
    #[inline]
    pub fn heights(&self, t: &Triangle) -> [DoubleDouble; 3] {
        t.map(|p| dot(&self.axis.direction, &difference(p / self.unit, self.axis.origin)))
    }

    /// Returns the height of a point as f64 finds it.
    #[inline]
    pub fn roughly(&self, p: DVec3) -> f64 {
        self.axis.towards.dot(p / self.unit - self.axis.origin)
    }

    /// Returns a length in the unit of heights across the direction.
    pub fn scaled(&self, length: f64) -> f64 {
        length / self.unit
    }

    /// Returns the length of the direction: heights are so many times as long as they are in space.
    pub fn length(&self) -> f64 {
        self.axis.towards.length()
    }

    /// Returns the largest coordinate that points have, as seen from the origin.
    pub fn reach(&self) -> f64 {
        self.axis.size / self.axis.towards.abs().element_sum()
    }

    /// Returns a point as it is seen along the coordinate axis closest to the direction: its other two
    /// coordinates, within two roundings of what they are from the origin.
    #[inline]
    pub fn aside(&self, p: DVec3) -> [f64; 2] {
        self.across(p / self.unit - self.axis.origin)
    }

    /// Returns how far a way of this scaled length along the direction leads aside.
    pub fn lean(&self, length: f64) -> [f64; 2] {
        self.across(self.axis.towards.normalize() * length)
    }

    #[inline]
    fn across(&self, v: DVec3) -> [f64; 2] {
        let n = self.axis.towards.abs();
        if n.z >= n.x && n.z >= n.y {
            [v.x, v.y]
        } else if n.x >= n.y {
            [v.y, v.z]
        } else {
            [v.z, v.x]
        }
    }

    /// Returns a number by which a gap has to exceed that between two heights for the rounded distance to be
    /// at least `bound`, proven also for a sum of a few rounded heights; infinity if none is found.
    pub fn needed(&self, [end, begin]: [DoubleDouble; 2], bound: f64) -> f64 {
        let bound = bound / self.unit;
        let needed = self.axis.needed(half_way(bound, bound.next_down()));
        // The root of it, by one step of Newton's iteration.
        let rough = needed.high.sqrt();
        let rest = (needed - DoubleDouble::product(rough, rough)).high / (2.0 * rough);
        let gain = (DoubleDouble::sum(rough, rest) - (begin - end)).high;
        let room = 2.0 * GAP_SEEN * (self.axis.size + rough);
        for doubled in 0..8 {
            let more = gain + f64::from(1 << doubled) * (room + 4.0 * UNIT * gain.abs());
            if self.axis.sees(end, begin + DoubleDouble::from(more), needed) {
                return more + room;
            }
        }
        f64::INFINITY
    }
}

/// Returns the mean of the normals of faces that are level with a direction, on its side; `None` if there are
/// none.
fn mean_normal(first: &Vector, faces: impl Iterator<Item = Triangle>) -> Option<Vector> {
    let towards = rounded(first).normalize();
    let mut sum = [DoubleDouble::ZERO; 3];
    for t in faces {
        let normal = cross(&difference(t[1], t[0]), &difference(t[2], t[0]));
        let along = rounded(&normal).dot(towards);
        if along.abs() > (1.0 - LEVEL) * rounded(&normal).length() {
            let normal = if along < 0.0 { opposite(&normal) } else { normal };
            sum = [sum[0] + normal[0], sum[1] + normal[1], sum[2] + normal[2]];
        }
    }
    // Far from where products of the direction lose digits.
    let usual = f64::MIN_POSITIVE.sqrt()..f64::MAX.sqrt();
    usual.contains(&rounded(&sum).abs().max_element()).then(|| of_about_unit_length(&sum))
}

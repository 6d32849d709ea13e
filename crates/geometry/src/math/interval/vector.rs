//! Vectors of three intervals, and matrices of three times three.

use std::ops::{Add, Mul, Sub};

use glam::DVec3;

use super::Interval;
use crate::math::pose::Pose;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalVec3(pub [Interval; 3]);

/// A matrix of intervals, by rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalMat3(pub [IntervalVec3; 3]);

impl IntervalVec3 {
    /// Encloses the image of the box under a pose, in exact arithmetic on the pose's entries.
    pub fn posed(self, pose: &Pose) -> Self {
        IntervalMat3::of_pose(pose) * self + Self(pose.rows.map(|row| Interval::point(row[3])))
    }

    /// The origin.
    pub const ZERO: Self = Self([Interval::ZERO; 3]);

    /// Creates the box of one point.
    pub fn point(p: DVec3) -> Self {
        Self(p.to_array().map(Interval::point))
    }

    /// Encloses `x x' + y y' + z z'`.
    pub fn dot(self, other: Self) -> Interval {
        let [x, y, z] = [0, 1, 2].map(|k| self.0[k] * other.0[k]);
        x + y + z
    }

    /// Encloses the vector products.
    pub fn cross(self, other: Self) -> Self {
        Self([(1, 2), (2, 0), (0, 1)].map(|(i, j)| self.0[i] * other.0[j] - self.0[j] * other.0[i]))
    }

    /// Encloses the lengths; tighter than the root of [`IntervalVec3::dot`].
    pub fn length(self) -> Interval {
        let [x, y, z] = self.0.map(Interval::square);
        (x + y + z).sqrt()
    }

    /// Multiplies each coordinate by a factor.
    pub fn scale(self, factor: Interval) -> Self {
        Self(self.0.map(|x| x * factor))
    }

    /// Returns the smallest box that contains both.
    pub fn hull(self, other: Self) -> Self {
        Self([0, 1, 2].map(|k| self.0[k].hull(other.0[k])))
    }

    /// Returns the points in both boxes; `None` if there are none.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let [x, y, z] = [0, 1, 2].map(|k| self.0[k].intersection(other.0[k]));
        Some(Self([x?, y?, z?]))
    }

    /// Returns the intersection of two boxes that are known to contain a common point.
    pub fn meet(self, other: Self) -> Self {
        Self([0, 1, 2].map(|k| self.0[k].meet(other.0[k])))
    }

    /// True when the box contains a point.
    pub fn contains(self, p: DVec3) -> bool {
        (0..3).all(|k| self.0[k].contains(p[k]))
    }

    /// Returns the box widened by a distance on all sides.
    pub fn widened(self, by: f64) -> Self {
        Self(self.0.map(|x| x + Interval::within(by)))
    }

    /// Returns a point in the box, about its middle.
    pub fn middle(self) -> DVec3 {
        DVec3::from_array(self.0.map(Interval::middle))
    }

    /// Returns half the diagonal, rounded up.
    pub fn radius(self) -> f64 {
        Self(self.0.map(|x| Interval::point(x.width()))).length().hi * 0.5
    }
}

impl Add for IntervalVec3 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self([0, 1, 2].map(|k| self.0[k] + other.0[k]))
    }
}

impl Sub for IntervalVec3 {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self([0, 1, 2].map(|k| self.0[k] - other.0[k]))
    }
}

impl IntervalMat3 {
    /// Returns the linear part of a pose.
    pub fn of_pose(pose: &Pose) -> Self {
        Self(pose.rows.map(|[x, y, z, _]| IntervalVec3([x, y, z].map(Interval::point))))
    }

    /// Encloses the rotation of a quaternion of any length but zero: entries over its squared length.
    pub fn rotation([x, y, z, w]: [Interval; 4]) -> Self {
        let [xx, yy, zz, ww] = [x, y, z, w].map(Interval::square);
        let square = xx + yy + zz + ww;
        let twice = |a: Interval| a + a;
        let rows = [
            [ww + xx - yy - zz, twice(x * y - w * z), twice(x * z + w * y)],
            [twice(x * y + w * z), ww - xx + yy - zz, twice(y * z - w * x)],
            [twice(x * z - w * y), twice(y * z + w * x), ww - xx - yy + zz],
        ];
        Self(rows.map(|row| IntervalVec3(row.map(|entry| (entry / square).meet(Interval::UNIT)))))
    }

    /// Returns one column.
    pub fn column(&self, j: usize) -> IntervalVec3 {
        IntervalVec3(self.0.map(|row| row.0[j]))
    }

    /// Creates a matrix from columns.
    pub fn of_columns(columns: [IntervalVec3; 3]) -> Self {
        Self([0, 1, 2].map(|i| IntervalVec3(columns.map(|column| column.0[i]))))
    }

    /// Multiplies each column by a number.
    pub fn scale_columns(self, by: [f64; 3]) -> Self {
        let by = by.map(Interval::point);
        Self(self.0.map(|row| IntervalVec3([0, 1, 2].map(|j| row.0[j] * by[j]))))
    }
}

impl Mul<IntervalVec3> for IntervalMat3 {
    type Output = IntervalVec3;

    fn mul(self, v: IntervalVec3) -> IntervalVec3 {
        IntervalVec3(self.0.map(|row| row.dot(v)))
    }
}

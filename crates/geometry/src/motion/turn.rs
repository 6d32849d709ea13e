//! Rotation at a constant rate about a fixed axis.

use glam::DVec3;

use crate::math::interval::{Interval, IntervalMat3, IntervalVec3};

/// A quaternion `[x, y, z, w]`.
pub type Quaternion = [f64; 4];

/// Length below which the vector part of a relative quaternion gives no axis, because its entries are off by
/// some 4u. The motion left out, a turn of at most 2^-43, is in [`Turn::left_out`].
const NO_AXIS: f64 = 1.0 / (1u64 << 44) as f64;

/// A rotation from one orientation to another over a parameter from 0 to 1; possibly none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Orientation at 0, of length 1.
    start: Quaternion,
    /// Unit axis in the parent's frame; zero if nothing turns.
    pub axis: DVec3,
    /// Angle in radians; positive if something turns, otherwise 0.
    pub angle: f64,
    /// Angle in radians between the end and the requested orientation.
    pub left_out: f64,
}

impl Turn {
    /// Creates a constant orientation. Returns `None` for a quaternion without direction.
    pub fn still(at: Quaternion) -> Option<Self> {
        Some(Self { start: normalized(at)?, axis: DVec3::ZERO, angle: 0.0, left_out: 0.0 })
    }

    /// Creates the shortest turn between two orientations. The signs of the quaternions choose between two
    /// half turns. A turn too small for a stable axis becomes none. Returns `None` for a quaternion without
    /// direction.
    pub fn shortest(from: Quaternion, to: Quaternion) -> Option<Self> {
        let (from, to) = (normalized(from)?, normalized(to)?);
        let dot = ((from[0] * to[0] + from[1] * to[1]) + from[2] * to[2]) + from[3] * to[3];
        let to = if dot < 0.0 { to.map(|x| -x) } else { to };
        let [x, y, z, _] = product(to, conjugate(from));
        let v = DVec3::new(x, y, z);
        let length = v.length();
        if length < NO_AXIS {
            return Some(Self { left_out: 2.0 * length, ..Self::still(from)? });
        }
        let angle = 2.0 * libm::atan2(length, dot.abs());
        Some(Self { start: from, axis: v / length, angle, left_out: 0.0 })
    }

    /// Creates a turn of any angle about an axis of any length; none if the axis is zero or not finite.
    pub fn about(from: Quaternion, axis: DVec3, angle: f64) -> Option<Self> {
        let start = normalized(from)?;
        let length = axis.length();
        if angle == 0.0 || !(length > 0.0 && length.is_finite()) {
            return Self::still(start);
        }
        let axis = axis / length * angle.signum();
        Some(Self { start, axis, angle: angle.abs(), left_out: 0.0 })
    }

    /// True when the rotation matrix has the same bits in one row at every parameter: it turns about that
    /// coordinate axis, from an orientation about the same axis, so every product in which the row differs
    /// from an identity's is 0.
    pub fn keeps_row(&self, row: usize) -> bool {
        let axis = self.axis.to_array();
        self.angle == 0.0 || (0..3).all(|i| i == row || (axis[i] == 0.0 && self.start[i] == 0.0))
    }

    /// Returns the orientation at a parameter.
    pub fn at(&self, s: f64) -> Quaternion {
        if self.angle == 0.0 {
            return self.start;
        }
        let (sin, cos) = libm::sincos(0.5 * (self.angle * s));
        let u = self.axis * sin;
        product([u.x, u.y, u.z, cos], self.start)
    }

    /// Encloses the rotation at a parameter, in exact arithmetic: the rotation by the stored start and axis,
    /// normalised exactly, without the rounding of [`Turn::at`].
    pub(super) fn orientation(&self, at: Interval) -> IntervalMat3 {
        let start = IntervalMat3::rotation(self.start.map(Interval::point));
        IntervalMat3::of_columns([0, 1, 2].map(|j| self.turned(start.column(j), at)))
    }

    /// Encloses a vector turned by the rotation from parameter 0 to a range of the parameter, by Rodrigues'
    /// formula. Each entry has one sine and one versine, so intervals are tight: a product of quaternions has
    /// each several times, and widens them.
    pub(super) fn turned(&self, v: IntervalVec3, by: Interval) -> IntervalVec3 {
        if self.angle == 0.0 {
            return v;
        }
        let angle = by * Interval::point(self.angle);
        let across = self.direction().cross(v);
        v + across.scale(angle.sin()) + self.direction().cross(across).scale(angle.versine())
    }

    /// Encloses the axis at length 1.
    pub(super) fn direction(&self) -> IntervalVec3 {
        let axis = IntervalVec3::point(self.axis);
        let length = axis.length();
        IntervalVec3(axis.0.map(|x| x / length))
    }
}

/// Normalises a quaternion, in the contract's order of operations. Returns `None` if it has no direction.
pub fn normalized(q: Quaternion) -> Option<Quaternion> {
    let [x, y, z, w] = q;
    let length = (((x * x + y * y) + z * z) + w * w).sqrt();
    (length > 0.0 && length.is_finite()).then(|| q.map(|x| x / length))
}

/// Returns the product of two quaternions: first `b`, then `a`.
pub fn product(a: Quaternion, b: Quaternion) -> Quaternion {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        ((aw * bx + ax * bw) + ay * bz) - az * by,
        ((aw * by + ay * bw) + az * bx) - ax * bz,
        ((aw * bz + az * bw) + ax * by) - ay * bx,
        ((aw * bw - ax * bx) - ay * by) - az * bz,
    ]
}

fn conjugate([x, y, z, w]: Quaternion) -> Quaternion {
    [-x, -y, -z, w]
}

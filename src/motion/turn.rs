//! Turning at a constant rate about a fixed axis.

use glam::DVec3;

use crate::math::interval::{Interval, IntervalMat3, IntervalVec3};

/// A quaternion `[x, y, z, w]`.
pub type Quaternion = [f64; 4];

/// Vector parts of a relative quaternion shorter than this tell no axis: its entries are off by some 4u.
/// What is left out of the motion, half a turn of 2^-43 at most, is in [`Turn::left_out`].
const NO_AXIS: f64 = 1.0 / (1u64 << 44) as f64;

/// From one orientation to another, or none at all, over a parameter from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// The orientation at 0, of length 1.
    start: Quaternion,
    /// Unit, in the parent's frame; zero where nothing turns.
    pub axis: DVec3,
    /// Radians; positive where something turns.
    pub angle: f64,
    /// Radians by which the end differs from the orientation asked for.
    pub left_out: f64,
}

impl Turn {
    /// No turn. `None` for a quaternion without direction.
    pub fn still(at: Quaternion) -> Option<Self> {
        Some(Self { start: normalized(at)?, axis: DVec3::ZERO, angle: 0.0, left_out: 0.0 })
    }

    /// The shortest turn between two orientations; where the two halves are equally long, the one that the
    /// signs say. A turn too small to have a stable axis is none. `None` for a quaternion without direction.
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

    /// A turn of any angle about an axis of any length, which must not be zero.
    pub fn about(from: Quaternion, axis: DVec3, angle: f64) -> Option<Self> {
        let start = normalized(from)?;
        let length = axis.length();
        if angle == 0.0 || !(length > 0.0 && length.is_finite()) {
            return Self::still(start);
        }
        let axis = axis / length * angle.signum();
        Some(Self { start, axis, angle: angle.abs(), left_out: 0.0 })
    }

    /// The orientation at a parameter.
    pub fn at(&self, s: f64) -> Quaternion {
        if self.angle == 0.0 {
            return self.start;
        }
        let (sin, cos) = libm::sincos(0.5 * (self.angle * s));
        let u = self.axis * sin;
        product([u.x, u.y, u.z, cos], self.start)
    }

    /// The rotation at a parameter, as meant: of the stored start and axis, brought to length 1 exactly, without
    /// the rounding of [`Turn::at`].
    pub(super) fn orientation(&self, at: Interval) -> IntervalMat3 {
        let start = IntervalMat3::rotation(self.start.map(Interval::point));
        IntervalMat3::of_columns([0, 1, 2].map(|j| self.turned(start.column(j), at)))
    }

    /// A vector, turned by what a stretch of the parameter turns from 0: Rodrigues' formula. Each entry is one
    /// sine and one versine of a small angle, so it is as tight as their own ranges, which products of
    /// quaternions are not.
    pub(super) fn turned(&self, v: IntervalVec3, by: Interval) -> IntervalVec3 {
        if self.angle == 0.0 {
            return v;
        }
        let angle = by * Interval::point(self.angle);
        let across = self.direction().cross(v);
        v + across.scale(angle.sin()) + self.direction().cross(across).scale(angle.versine())
    }

    /// The axis at length 1.
    pub(super) fn direction(&self) -> IntervalVec3 {
        let axis = IntervalVec3::point(self.axis);
        let length = axis.length();
        IntervalVec3(axis.0.map(|x| x / length))
    }
}

/// At length 1, by the contract's order of operations.
pub fn normalized(q: Quaternion) -> Option<Quaternion> {
    let [x, y, z, w] = q;
    let length = (((x * x + y * y) + z * z) + w * w).sqrt();
    (length > 0.0 && length.is_finite()).then(|| q.map(|x| x / length))
}

/// First `b`, then `a`.
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

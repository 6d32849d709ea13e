//! The axis of a joint that has one value: an angle or a shift.

use glam::DVec3;

use super::joint::{Motion, MotionError, STRAIGHT, turned};
use crate::lanes::{FourNumbers, Poses4, Simd, SimdBase, Vec3x4, f64x4};
use crate::math::pose::Pose;

/// The axis, of length 1 and through the origin of the joint's frame, about or along which a joint moves what
/// it carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointAxis {
    /// The joint turns; its value is an angle in radians.
    Turning(DVec3),
    /// The joint slides; its value is a length.
    Sliding(DVec3),
}

impl JointAxis {
    /// Returns the parent-from-child pose at a value: to the last bit the pose of [`motion`](Self::motion) at
    /// a keyframe.
    pub fn pose(self, value: f64) -> Pose {
        let (rotation, translation) = match self {
            Self::Turning(axis) => (turned(axis, value), DVec3::ZERO),
            Self::Sliding(axis) => (STRAIGHT, axis * value),
        };
        Pose::from_trs(rotation, [1.0; 3], translation.to_array()).unwrap_or(NOWHERE)
    }

    /// Returns [`pose`](Self::pose) at the value in each lane.
    #[inline(always)]
    pub fn poses<S: Simd>(self, simd: S, values: &FourNumbers) -> Poses4<S> {
        match self {
            Self::Turning(axis) => {
                let (mut sin, mut cos) = ([0.0; 4], [0.0; 4]);
                for (lane, &angle) in values.iter().enumerate() {
                    (sin[lane], cos[lane]) = libm::sincos(0.5 * angle);
                }
                let axis = Vec3x4::splat(simd, axis) * f64x4::load_array(simd, sin);
                Poses4::rotations(simd, [axis[0], axis[1], axis[2], f64x4::load_array(simd, cos)])
            }
            Self::Sliding(axis) => {
                let mut poses = Poses4::splat(simd, &Pose::IDENTITY);
                let shift = Vec3x4::splat(simd, axis) * f64x4::load_array_ref(simd, values);
                (poses.rows[0][3], poses.rows[1][3], poses.rows[2][3]) = (shift[0], shift[1], shift[2]);
                poses
            }
        }
    }

    /// Returns the motion through values at times, linear between them.
    ///
    /// # Errors
    /// [`MotionError`].
    pub fn motion(self, times: &[f64], values: &[f64]) -> Result<Motion, MotionError> {
        match self {
            Self::Turning(axis) => Motion::about(axis, times, values),
            Self::Sliding(axis) => Motion::along(axis, times, values),
        }
    }
}

/// The pose at a value that is not finite.
const NOWHERE: Pose = Pose { rows: [[f64::NAN; 4]; 3] };

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn poses_are_those_of_the_motion_at_its_keyframes(
            axis in prop::array::uniform3(-1.0..1.0_f64),
            values in [-9.0..9.0_f64, -9.0..9.0_f64],
        ) {
            let axis = DVec3::from_array(axis);
            prop_assume!(axis.length() > 1e-3);
            let axis = axis / axis.length();
            for axis in [JointAxis::Turning(axis), JointAxis::Sliding(axis)] {
                let motion = axis.motion(&[1.0, 2.0], &values).expect("finite");
                prop_assert_eq!([1.0, 2.0].map(|time| motion.pose(time)), values.map(|value| axis.pose(value)));
            }
        }
    }

    #[test]
    fn a_value_that_is_no_number_leads_nowhere() {
        for axis in [JointAxis::Turning(DVec3::X), JointAxis::Sliding(DVec3::X)] {
            assert!(!axis.pose(f64::NAN).is_finite() && !axis.pose(f64::INFINITY).is_finite());
        }
    }
}

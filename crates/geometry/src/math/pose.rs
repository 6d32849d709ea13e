//! Poses: 3x4 matrices of f64, in the exact operation order of the contract.

use std::ops::Mul;

use glam::{DMat3, DVec3};

use super::error_bounds::STRETCH;

/// Posed coordinates smaller than this in magnitude are 0.
pub const SMALLEST: f64 = f64::from_bits((1023 - 200) << 52); // 2^-200
/// Posed coordinates larger than this in magnitude are an input error.
pub const LARGEST: f64 = f64::from_bits((1023 + 200) << 52); // 2^200

/// Returns the point with coordinates smaller than 2^-200 replaced by 0 (never -0).
#[inline]
pub fn flush_tiny(p: DVec3) -> DVec3 {
    let flush = |x: f64| if x.abs() < SMALLEST { 0.0 } else { x };
    DVec3::new(flush(p.x), flush(p.y), flush(p.z))
}

/// An affine map from a part's frame to the world, as rows `[m0, m1, m2, m3]`.
///
/// Any linear part is admitted (scaled, mirrored, sheared, not quite orthonormal) and used unchanged.
///
/// A product of poses applies the right one first:
///
/// ```
/// use closefit_geometry::math::pose::Pose;
/// use glam::DVec3;
///
/// // A hand, 2 along the arm; the arm turns by 90 degrees about z, and stands at x = 5.
/// let turn = Pose::from_axis_angle([0.0, 0.0, 1.0], 90_f64.to_radians()).expect("an axis");
/// let arm = Pose::translation([5.0, 0.0, 0.0]) * turn;
/// let hand = arm * Pose::translation([2.0, 0.0, 0.0]);
/// assert!(hand.apply(DVec3::ZERO).distance(DVec3::new(5.0, 2.0, 0.0)) < 1e-15);
///
/// // The same turn as a quaternion x, y, z, w, of any length.
/// let same = Pose::from_quaternion([0.0, 0.0, 1.0, 1.0]).expect("not of length 0");
/// assert!(same.apply(DVec3::X).distance(DVec3::Y) < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Pose {
    /// Three rows of four entries: a row of the linear part, then of the translation.
    pub rows: [[f64; 4]; 3],
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self::translation([0.0; 3]);

    /// Returns poses that lie one after the other in a list of numbers, twelve each, row by row; `None` if
    /// the last one is incomplete. Nothing is copied.
    ///
    /// ```
    /// use closefit_geometry::math::pose::Pose;
    ///
    /// let numbers = [Pose::IDENTITY, Pose::translation([0.0, 0.0, 4.0])].map(<[f64; 12]>::from).concat();
    /// let poses = Pose::in_twelves(&numbers).expect("two times twelve");
    /// assert_eq!(poses[1], Pose::translation([0.0, 0.0, 4.0]));
    /// assert_eq!(Pose::in_twelves(&numbers[1..]), None);
    /// ```
    pub fn in_twelves(numbers: &[f64]) -> Option<&[Self]> {
        bytemuck::try_cast_slice(numbers).ok()
    }

    /// Creates a translation.
    pub const fn translation([x, y, z]: [f64; 3]) -> Self {
        Self { rows: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]] }
    }

    /// True when no coordinate of magnitude up to `largest` can exceed 2^200 once posed; false for NaN and
    /// infinity.
    pub fn keeps_in_range(&self, largest: f64) -> bool {
        let row = |m: &[f64; 4]| (m[0].abs() + m[1].abs() + m[2].abs()) * largest + m[3].abs();
        // Summed so that a NaN remains NaN.
        self.rows.iter().map(row).sum::<f64>() < LARGEST
    }

    /// Creates a rotation from a quaternion `[x, y, z, w]`, first divided by its length. Returns `None` for
    /// one whose length is zero or not finite.
    pub fn from_quaternion(rotation: [f64; 4]) -> Option<Self> {
        Self::from_trs(rotation, [1.0; 3], [0.0; 3])
    }

    /// Creates a rotation by an angle in radians about an axis through the origin, counterclockwise as seen
    /// from the axis's tip. The axis may have any length. Returns `None` for an axis that is zero or not
    /// finite, and for such an angle.
    ///
    /// The quaternion has the sine and cosine of half the angle from `libm`, so the same bits on every
    /// machine.
    pub fn from_axis_angle(axis: [f64; 3], angle: f64) -> Option<Self> {
        // By the largest coordinate first: no square overflows or vanishes.
        let largest = axis.into_iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let [x, y, z] = axis.map(|x| x / largest);
        let length = ((x * x + y * y) + z * z).sqrt();
        let (sin, cos) = libm::sincos(0.5 * angle);
        let [x, y, z] = [x, y, z].map(|x| x / length * sin);
        Self::from_quaternion([x, y, z, cos])
    }

    /// Creates a pose from a quaternion `[x, y, z, w]` (first divided by its length), a scale that multiplies
    /// the columns of the rotation, and a translation. Returns `None` for a quaternion whose length is zero
    /// or not finite.
    pub fn from_trs(rotation: [f64; 4], scale: [f64; 3], translation: [f64; 3]) -> Option<Self> {
        let [x, y, z, w] = rotation;
        let length = (((x * x + y * y) + z * z) + w * w).sqrt();
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        let (x, y, z, w) = (x / length, y / length, z / length, w / length);
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, xy, xz) = (x * x2, x * y2, x * z2);
        let (yy, yz, zz) = (y * y2, y * z2, z * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        let r = [
            [1.0 - (yy + zz), xy - wz, xz + wy],
            [xy + wz, 1.0 - (xx + zz), yz - wx],
            [xz - wy, yz + wx, 1.0 - (xx + yy)],
        ];
        let [sx, sy, sz] = scale;
        Some(Self {
            rows: std::array::from_fn(|i| [r[i][0] * sx, r[i][1] * sy, r[i][2] * sz, translation[i]]),
        })
    }

    /// Creates a scaling along the axes.
    pub const fn scaling([x, y, z]: [f64; 3]) -> Self {
        Self { rows: [[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0]] }
    }

    /// Returns the linear part.
    pub fn linear(&self) -> DMat3 {
        let [x, y, z] = self.rows.map(|m| DVec3::new(m[0], m[1], m[2]));
        DMat3::from_cols(x, y, z).transpose()
    }

    /// Returns the translation.
    pub fn shift(&self) -> DVec3 {
        DVec3::from_array(self.rows.map(|m| m[3]))
    }

    /// Returns `parent * child`, which applies the child's map first, then the parent's. An entry is
    /// `(a0*b0 + a1*b1) + a2*b2`, rounded in that order, plus the parent's translation in the last column.
    #[inline]
    pub fn compose(parent: &Self, child: &Self) -> Self {
        let [p, q, r] = &parent.rows;
        Self { rows: [child.row_below(p), child.row_below(q), child.row_below(r)] }
    }

    /// Returns a row of the product of a pose, whose row is given, and this one.
    #[inline(always)]
    fn row_below(&self, p: &[f64; 4]) -> [f64; 4] {
        let [x, y, z] = &self.rows;
        let entry = |j: usize| (p[0] * x[j] + p[1] * y[j]) + p[2] * z[j];
        [entry(0), entry(1), entry(2), entry(3) + p[3]]
    }

    /// Returns the posed point, rounded in the contract's order. Tiny coordinates become 0 (never -0).
    #[inline]
    pub fn apply(&self, v: DVec3) -> DVec3 {
        let coordinate = |m: &[f64; 4]| ((m[0] * v.x + m[1] * v.y) + m[2] * v.z) + m[3];
        flush_tiny(DVec3::new(
            coordinate(&self.rows[0]),
            coordinate(&self.rows[1]),
            coordinate(&self.rows[2]),
        ))
    }

    /// True when every entry is finite.
    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|x| x.is_finite())
    }
}

/// Twelve numbers, row by row: three of the linear part and one of the translation in each row.
impl From<[f64; 12]> for Pose {
    fn from(numbers: [f64; 12]) -> Self {
        bytemuck::cast(numbers)
    }
}

impl From<Pose> for [f64; 12] {
    fn from(pose: Pose) -> Self {
        bytemuck::cast(pose)
    }
}

impl Mul for Pose {
    type Output = Self;

    /// Returns [`compose`](Pose::compose) of the two.
    fn mul(self, child: Self) -> Self {
        Self::compose(&self, &child)
    }
}

/// Returns an upper bound of the largest factor by which lengths grow, the largest singular value; infinite
/// or NaN where numbers overflow.
pub fn stretch(linear: &DMat3) -> f64 {
    let size = linear.to_cols_array().into_iter().fold(0.0, |size, entry| entry.abs().max(size));
    if size == 0.0 {
        return 0.0;
    }
    // Squares of entries of at most 1 lose nothing that counts.
    let unit = DMat3::from_cols(linear.x_axis / size, linear.y_axis / size, linear.z_axis / size);
    // No eigenvalue of L^T L exceeds the largest row sum.
    let square = unit.transpose() * unit;
    let sums = square.x_axis.abs() + square.y_axis.abs() + square.z_axis.abs();
    sums.max_element().sqrt() * size * (1.0 + STRETCH)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI, TAU};

    use glam::DQuat;
    use proptest::prelude::*;

    use super::*;
    use crate::math::testing::quaternions;

    proptest! {
        /// Rodrigues' formula, which knows no quaternions, and `glam`.
        #[test]
        fn a_turn_about_an_axis_is_that_of_rodrigues(
            axis in prop::array::uniform3(-1.0..1.0_f64),
            exponent in -1000..1000_i32,
            angle in -10.0..10.0_f64,
            v in prop::array::uniform3(-1.0..1.0_f64),
        ) {
            let direction = DVec3::from_array(axis);
            prop_assume!(direction.length() > 1e-3);
            let scaled = axis.map(|x| x * 2f64.powi(exponent));
            let pose = Pose::from_axis_angle(scaled, angle).expect("an axis");
            let (u, v) = (direction.normalize(), DVec3::from_array(v));
            let (sin, cos) = angle.sin_cos();
            let turned = v * cos + u.cross(v) * sin + u * (u.dot(v) * (1.0 - cos));
            prop_assert!(pose.apply(v).distance(turned) < 1e-14, "{} {turned}", pose.apply(v));
            let glam = DQuat::from_axis_angle(u, angle).mul_vec3(v);
            prop_assert!(pose.apply(v).distance(glam) < 1e-14);
        }

        /// The formulas of the contract, written once more.
        #[test]
        fn quaternions_and_products_have_the_contracts_bits(q in quaternions(), other in quaternions(), shift: [f64; 3]) {
            let pose = Pose::from_quaternion(q).expect("not of length 0");
            let [x, y, z, w] = q;
            let length = (((x * x + y * y) + z * z) + w * w).sqrt();
            let [x, y, z, w] = q.map(|c| c / length);
            let (x2, y2, z2) = (x + x, y + y, z + z);
            prop_assert_eq!(pose.rows[0], [1.0 - (y * y2 + z * z2), x * y2 - w * z2, x * z2 + w * y2, 0.0]);
            prop_assert_eq!(pose.rows[1], [x * y2 + w * z2, 1.0 - (x * x2 + z * z2), y * z2 - w * x2, 0.0]);
            prop_assert_eq!(pose.rows[2], [x * z2 - w * y2, y * z2 + w * x2, 1.0 - (x * x2 + y * y2), 0.0]);

            let other = Pose::from_trs(other, [1.5, -1.0, 0.25], [0.1, 0.2, 0.3]).expect("not of length 0");
            let product = pose * other;
            for (i, j) in (0..3).flat_map(|i| (0..4).map(move |j| (i, j))) {
                let [a, b] = [pose.rows[i], [other.rows[0][j], other.rows[1][j], other.rows[2][j], 0.0]];
                let entry = (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
                prop_assert_eq!(product.rows[i][j], if j == 3 { entry + a[3] } else { entry });
            }
            // A shift after a turn leaves every bit of the turn as it is.
            let shifted = Pose::translation(shift) * pose;
            let placed = Pose::from_trs(q, [1.0; 3], shift).expect("not of length 0");
            prop_assert!(shifted == placed || !placed.is_finite());
        }
    }

    #[test]
    fn turns_that_are_none_are_refused() {
        let (axis, bad) = ([0.0, 0.0, 1.0], [f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
        assert_eq!(Pose::from_axis_angle([0.0; 3], 1.0), None);
        assert_eq!(Pose::from_quaternion([0.0; 4]), None);
        for x in bad {
            assert_eq!(Pose::from_axis_angle(axis, x), None);
            for place in 0..3 {
                let mut axis = axis;
                axis[place] = x;
                assert_eq!(Pose::from_axis_angle(axis, 1.0), None, "{axis:?}");
            }
            assert_eq!(Pose::from_quaternion([0.0, x, 0.0, 1.0]), None);
        }
        for axis in [[5e-324, 0.0, 0.0], [f64::MAX, 0.0, 0.0]] {
            let half = Pose::from_axis_angle(axis, PI).expect("an axis").apply(DVec3::Y);
            assert!(half.distance(DVec3::NEG_Y) < 1e-15);
        }
        assert_eq!(Pose::from_axis_angle(axis, 0.0), Some(Pose::IDENTITY));
        let quarters =
            [1.0, 2.0, 3.0, 4.0].map(|n| Pose::from_axis_angle(axis, n * FRAC_PI_2).expect("an axis"));
        for (pose, to) in quarters.iter().zip([DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y, DVec3::X]) {
            assert!(pose.apply(DVec3::X).distance(to) < 1e-15);
        }
        assert!(
            Pose::from_axis_angle(axis, 1e6 * TAU).expect("an axis").apply(DVec3::X).distance(DVec3::X)
                < 1e-9
        );
    }
}

//! One oriented box against the eight of a block: separating axes (Lin et al. 1997, section 4.2.2), and
//! bounds of the distance.
//!
//! The box comes in the block's frame as a [`Single`], its half extents already widened by
//! [`the pair that places it`] says, by which everything that rounding did before is covered. Then:
//!
//! - [`simd::meeting`]: the lanes that no axis separates. A lane that is left out is apart, by proof.
//! - [`simd::distances`]: proven lower bounds of the squared distances.
//!
//! **Why a lane that is left out is apart.** Were the boxes to meet, their centres would be no farther from
//! each other than `|T| <= Ha + Hb`, the sums of their half extents. So an error of `k u |T|` (`u` = 2^-24)
//! in a length along a unit axis is one of `k u (Ha + Hb)`, whatever their distance really is. Let `c_ij` be
//! the scalar product of axis i of the one and axis j of the other:
//!
//! - Axes are unit and perpendicular to each other within 8u (of the placed one: and the poses' skew,
//!   [`SKEW_LIMIT`], at most 16u): `c_ij` is off by at most 12u for j = 0, 1, and, as a difference of
//!   products of those, by 32u + 4 skew for j = 2. [`PARALLEL`] covers that wherever `c_ij` is a factor
//!   of a radius, and of the difference of centres as far as the extents that the same radius multiplies
//!   bound it.
//! - `T` along an axis is off by 8u |T|, and the products of an edge axis by a further 48u |T| |n|: `n`, the
//!   axis, is no longer than 1, and every half extent that a radius of it leaves out is multiplied by `|n|`.
//!   Both boxes' [`crate::math::error_bounds::F32_EXTENT`], 128u (Ha + Hb) in all directions, covers that, |n| long or short.
//!
//! Products below 2^-126 may vanish; the widening of [`the pair that places it`] includes a length that is larger.
//! Infinite or not, a NaN never compares greater: what overflows is not left out.

pub mod scalar;
pub mod simd;

/// Added to each scalar product of axes.
pub const PARALLEL: f32 = 1.0 / (1 << 16) as f32;

/// Poses whose linear part, brought to unit size, is farther than this from orthonormal do not come here.
pub const SKEW_LIMIT: f64 = 1.0 / (1 << 20) as f64;

/// How much of the distance of the centres the bound of a distance gives away: 8u for what is along an
/// axis, and as much again for adding up squares.
pub const FAR: f32 = 1.0 / (1 << 19) as f32;

/// A box in the frame of a block: relative to its origin, in its tree's normal coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Single {
    /// Middle.
    pub center: [f32; 3],
    /// Unit axes, perpendicular to each other, of either handedness.
    pub axes: [[f32; 3]; 3],
    /// Half extents along the axes.
    pub half: [f32; 3],
}

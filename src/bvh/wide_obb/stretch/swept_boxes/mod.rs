//! One moving box against the eight of a block: separating axes that hold over a stretch of time.
//!
//! This is the test of Redon et al. 2002, section 4.1.2, with another bound in place of interval
//! arithmetic. The axes are taken at the middle of the stretch, and fixed to one part; the other part's box
//! moves past them. Along a unit axis n, a point p of that box moves by `n . v(p)` times half the stretch,
//! and deviates no more than the bound of the second derivative allows. Over the box, `|n . v(p)| <= |n .
//! v(c)| + sum e_k |x_k . (n x w)|`, with c the centre, `e_k` and `x_k` half extents and axes, and w the
//! angular velocity. So each axis has its own bound, and a box that moves along a face stays separated from
//! it.
//!
//! Compared with the discrete test ([`box_box`](crate::bvh::wide_obb::box_box)), every radius grows by that
//! movement, by the deviation and by the limit. The rounding argument holds as it stands: boxes that come
//! within the limit during the stretch have centres no farther apart than the sum of both radii, including
//! all that is added. [`WIDER`] of the added terms covers that, and their own rounding.

pub mod scalar;
pub mod simd;

use crate::bvh::wide_obb::box_box::{FAR, Single};
use crate::continuous::method::K;

/// Relative rounding of all that is added to a radius, in units of roundoff.
/// [`F32_EXTENT`](closefit_geometry::math::error_bounds::F32_EXTENT) takes 128 for the places of the boxes. A
/// path and a turn carried by skewed poses take 128 (8 times
/// [`SKEW_LIMIT`](crate::bvh::wide_obb::box_box::SKEW_LIMIT)). Their conversion to f32, the axes along
/// which they are taken, and their products take fewer than 32. There is room for 512.
pub const WIDER: f32 = 1.0 / (1 << 15) as f32;

/// Share of the distance of centres that the direction of the gaps gives away: as
/// [`FAR`](crate::bvh::wide_obb::box_box::FAR) does along an axis, and twice as much for its length.
pub const DIRECTED: f32 = 3.0 * FAR;

/// The side that moves, past axes that are fixed to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovingSide {
    /// The single box moves.
    One,
    /// The block's boxes move.
    Block,
}

/// A box in the frame of a block, and how one of the two moves as seen from the other: a velocity field `v +
/// w x p`, of either sign, times half the stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingSingle {
    /// The box at the middle; its axes are right-handed.
    pub single: Single,
    /// The field at its centre, along its own axes.
    pub way: [f32; 3],
    /// The turn in radians, along its own axes.
    pub turn: [f32; 3],
    /// Added to all radii: the limit, the deviation of the moving side, and [`WIDER`] of both, of the path,
    /// and of the turn times the box's size.
    pub deviation: f32,
    /// The part of the deviation that a shorter stretch would not have.
    pub by_acceleration: f32,
    /// The distance within which boxes need not be opened before time is halved: the limit, or a negative
    /// number over a moment without extent, where all boxes are opened.
    pub enough: f32,
    /// The constant of the subdivision test.
    pub k: K,
    /// True for a leaf, which is never opened.
    pub is_leaf: bool,
}

impl MovingSingle {
    /// True if the direction of the gaps is worth a test: if the limit and the deviation are large for the
    /// box. Boxes that are far apart for their sizes look nearer along their own axes than they are.
    #[inline(always)]
    fn is_far(&self) -> bool {
        let [x, y, z] = self.single.half;
        self.deviation > 0.25 * (x + y + z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::wide_obb::stretch::drift::Drift;
    use crate::bvh::wide_obb::stretch::testing::{self, BoxTest, Case, Said};
    use crate::continuous::method::Axes;
    use closefit_geometry::lanes::Simd;

    /// The box of a case; `BLOCK` says that the block moves.
    struct Swept<const BLOCK: bool>(MovingSingle);

    impl<const BLOCK: bool> Swept<BLOCK> {
        const SIDE: MovingSide = if BLOCK { MovingSide::Block } else { MovingSide::One };
    }

    fn said(meeting: impl Fn(Axes) -> [u32; 2]) -> Said {
        let [[all, long], [faces, longer]] = Axes::ALL.map(meeting);
        assert_eq!(long, all & longer);
        ([all, faces], longer)
    }

    impl<const BLOCK: bool> BoxTest for Swept<BLOCK> {
        fn new(Case { motion, deviations, limit, single, single_is_leaf, block, k, .. }: &Case) -> Self {
            let added = (limit + deviations[usize::from(BLOCK)]) as f32 * (1.0 + f32::EPSILON);
            let by_acceleration = deviations[usize::from(BLOCK)] as f32;
            let [velocity, angular] = [motion.velocity, motion.angular].map(|v| v.as_vec3());
            let drift = Drift::centred(velocity, angular, [added, by_acceleration, *limit as f32]);
            Self(drift.moving(*single, *single_is_leaf, &block.origin, *k))
        }

        #[inline(always)]
        fn in_lanes<S: Simd>(&self, simd: S, Case { block, asked, .. }: &Case) -> Said {
            let test = simd::Test::new(simd, &self.0, block, Self::SIDE);
            said(|tried| test.meeting(*asked, tried))
        }

        fn by_reading_copy(&self, Case { block, asked, .. }: &Case) -> Said {
            let test = scalar::Test { one: &self.0, block, side: Self::SIDE };
            said(|tried| test.meeting(*asked, tried))
        }
    }

    #[test]
    fn lanes_say_what_the_reading_copy_says() {
        testing::lanes_say_what_the_reading_copy_says::<Swept<false>>();
        testing::lanes_say_what_the_reading_copy_says::<Swept<true>>();
    }

    #[test]
    fn what_is_left_out_stays_apart() {
        testing::what_is_left_out_stays_apart::<Swept<false>>();
        testing::what_is_left_out_stays_apart::<Swept<true>>();
    }
}

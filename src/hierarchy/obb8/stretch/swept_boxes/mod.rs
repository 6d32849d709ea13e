//! One moving box against the eight of a block: separating axes that hold over a stretch of time.
//!
//! Redon et al. 2002, section 4.1.2, with another bound in place of interval arithmetic. The axes are those
//! of the middle of the stretch, fixed to one part; the other part's box moves past them. Along a unit axis n, a
//! point p of that box goes `n . v(p)` times half the stretch, and sags no more than the second derivative lets it;
//! over the box, `|n . v(p)| <= |n . v(c)| + sum e_k |x_k . (n x w)|`, c the centre, `e_k`, `x_k` half extents
//! and axes, w the angular velocity. So each axis has its own bound, and what moves along a face stays separated
//! from it.
//!
//! Beside the discrete test ([`box_box`](crate::hierarchy::obb8::box_box)) every radius grows by that, by the sag and
//! by the limit. The argument for its rounding holds as it stands: boxes that come within the limit during
//! the stretch have centres no farther apart than both radii, all that is added included. [`WIDER`] of what is
//! added covers that, and the roundings of the added terms themselves.

pub mod scalar;
pub mod simd;

use crate::hierarchy::obb8::box_box::Single;

/// Relative rounding of all that is added to a radius: [`F32_EXTENT`](crate::math::error_bounds::F32_EXTENT), 128
/// units, for where the boxes are; 128 (8 times [`SKEW_LIMIT`](crate::hierarchy::obb8::box_box::SKEW_LIMIT)) for a way
/// and a turn that such poses carry; fewer than 32 for their conversion to f32, the axes along which they are
/// taken, and their products. Of 512.
pub const WIDER: f32 = 1.0 / (1 << 15) as f32;

/// Which of the two moves, past axes that are fixed to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// The single box.
    One,
    /// The block's boxes.
    Block,
}

/// A box in the frame of a block, and how one of the two moves as seen from the other: a velocity field
/// `v + w x p`, of either sign, times half the stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MovingSingle {
    /// Where it is at the middle; its axes are right-handed.
    pub single: Single,
    /// Along its own axes, the field at its centre.
    pub way: [f32; 3],
    /// Along its own axes, the turn in radians.
    pub turn: [f32; 3],
    /// What is added to all radii: the limit, the sag of what moves, and [`WIDER`] of both, of the way, and of the
    /// turn times the box's size.
    pub sag: f32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::continuous::method::Axes;
    use crate::hierarchy::obb8::stretch::drift::Drift;
    use crate::hierarchy::obb8::stretch::testing::{self, BoxTest, Case, Said};
    use crate::lanes::Simd;

    /// A case's box, and who moves.
    struct Swept<const BLOCK: bool>(MovingSingle);

    impl<const BLOCK: bool> Swept<BLOCK> {
        const MOVER: Mover = if BLOCK { Mover::Block } else { Mover::One };
    }

    fn said(meeting: impl Fn(Axes) -> [u32; 2]) -> Said {
        let [[all, long], [faces, longer]] = Axes::ALL.map(meeting);
        assert_eq!(long, all & longer);
        ([all, faces], longer)
    }

    impl<const BLOCK: bool> BoxTest for Swept<BLOCK> {
        fn new(Case { motion, sags, limit, single, block, .. }: &Case) -> Self {
            let added = (limit + sags[usize::from(BLOCK)]) as f32 * (1.0 + f32::EPSILON);
            let drift = Drift::centred(motion.velocity.as_vec3(), motion.angular.as_vec3(), added);
            Self(drift.moving(*single, &block.origin))
        }

        #[inline(always)]
        fn in_lanes<S: Simd>(&self, simd: S, Case { block, asked, .. }: &Case) -> Said {
            let test = simd::Test::new(simd, &self.0, block, Self::MOVER);
            said(|tried| test.meeting(*asked, tried))
        }

        fn by_reading_copy(&self, Case { block, asked, .. }: &Case) -> Said {
            let test = scalar::Test { one: &self.0, block, mover: Self::MOVER };
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

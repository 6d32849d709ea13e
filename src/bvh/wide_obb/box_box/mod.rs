//! One oriented box against the eight of a block: separating axes (Lin et al. 1997, section 4.2.2), and
//! bounds of the distance.
//!
//! The caller gives the box in the block's frame as a [`Single`], with half extents already widened by
//! [`F32_EXTENT`](closefit_geometry::math::error_bounds::F32_EXTENT) of their sum and by all earlier
//! rounding. The tests are:
//!
//! - [`simd::meeting`]: the lanes that no axis separates. A lane that is left out is proven apart.
//! - [`simd::distances`]: proven lower bounds of the squared distances.
//! - [`simd::point_distances`]: the same for a ball. The axes of the block's boxes alone give the tightest
//!   bound.
//! - [`simd::between_centers`]: a hint which boxes to look at first.
//!
//! **Why a lane that is left out is apart.** If the boxes meet, their centres are no farther apart than `|T|
//! <= Ha + Hb`, the sums of their half extents. So an error of `k u |T|` (`u` = 2^-24) in a length along a
//! unit axis is at most `k u (Ha + Hb)`, whatever the true distance. Let `c_ij` be the scalar product of axis
//! i of one box and axis j of the other:
//!
//! - Axes are unit and mutually perpendicular within 8u (the axes of the placed box also within the
//!   placements' skew, [`SKEW_LIMIT`], at most 16u). So `c_ij` is off by at most 12u for j = 0, 1 and, as a
//!   difference of products of those, by 32u + 4 skew for j = 2. [`PARALLEL`] covers that where `c_ij` is a
//!   factor of a radius. It also covers the error in the difference of centres, as far as that is bounded
//!   by the extents that the same radius multiplies.
//! - `T` along an axis is off by 8u |T|, and the products for an edge axis by a further 48u |T| |n|. The axis
//!   `n` is no longer than 1, and every half extent that its radius leaves out is multiplied by `|n|`. The
//!   [`closefit_geometry::math::error_bounds::F32_EXTENT`] of both boxes, 128u (Ha + Hb) in all directions,
//!   covers that for any |n|.
//!
//! **Why the gaps bound the distance.** Let `n` be the computed direction, of computed length at most 1,
//! given by its components along the single box's axes. The following holds for any such n, that is, for the
//! direction `w = sum n_i a_i`. Its length exceeds the length of n by at most half the skew of the axes:
//! 32u. The products `n . c_j` are off by at most `|n|_1 < 1.74` times the 96u above and 3u, which twice
//! [`PARALLEL`] covers. `|w . a_i|` exceeds `|n_i|` by at most 32u, and radii are rounded by 4u of either
//! extent; the widening by 128u of the extents covers both. The difference of centres along w is off by 14u
//! |T| for the error of T and 3u for its product, and subtracting the radii costs 3u: 20u |T|, of the 32u
//! that [`FAR`] allows.
//!
//! Products below 2^-126 may vanish; the widening includes a larger length. A NaN never compares greater,
//! whether from infinity or not, so a lane that overflows is not left out.

pub mod scalar;
pub mod simd;

pub use crate::bvh::placement::SKEW_LIMIT;

/// Added to each scalar product of axes.
pub const PARALLEL: f32 = 1.0 / (1 << 16) as f32;

/// Share of the distance of centres that a lower bound gives away: 8u for the error along an axis, and as
/// much again for adding up squares.
pub const FAR: f32 = 1.0 / (1 << 19) as f32;

/// Share of the squared gap along a direction that a lower bound gives away: twice 32u for its length, and 8u
/// for computing it and the squares, rounded up to 128u.
pub const TURNED: f32 = 4.0 * FAR;

/// Lower bound applied to squared directions, so that nothing is divided by 0. A shorter direction only gives
/// a weaker bound.
pub const SHORT: f32 = 1e-30;

/// A box in the frame of a block: relative to its origin, in its tree's normal coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Single {
    /// Centre.
    pub center: [f32; 3],
    /// Unit axes, perpendicular to each other, of either handedness.
    pub axes: [[f32; 3]; 3],
    /// Half extents along the axes.
    pub half: [f32; 3],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::wide_obb::{Block, Child, NOTHING};
    use closefit_geometry::lanes::{LANES, Level, Simd, SimdBase, dispatch, is_fused, level};
    use closefit_geometry::math::jacobi::eigenvectors;
    use closefit_geometry::math::testing::Stream;
    use glam::DVec3;

    /// Boxes drawn from a stream of random numbers.
    trait Draw {
        fn frame(&mut self) -> [DVec3; 3];
        fn half(&mut self) -> [f32; 3];
        fn single(&mut self) -> Single;
        fn block(&mut self) -> Block;
    }

    impl Draw for Stream {
        /// A random frame, or the coordinate axes.
        fn frame(&mut self) -> [DVec3; 3] {
            if self.bits().is_multiple_of(4) {
                return [DVec3::X, DVec3::Y, DVec3::Z];
            }
            let [a, b, c, d, e, f] = [(); 6].map(|()| self.signed());
            let [x, y, _] = eigenvectors([[a, b, c], [b, d, e], [c, e, f]]);
            [x, y, x.cross(y)]
        }

        /// Half extents of cubes, plates, needles and points; sometimes beyond the range of f32.
        fn half(&mut self) -> [f32; 3] {
            [(); 3].map(|()| match self.bits() % 16 {
                0 => 0.0,
                1 => 1e-30,
                2 => f32::INFINITY,
                3..7 => (self.signed().abs() * 1e-3) as f32,
                _ => self.signed().abs() as f32,
            })
        }

        fn single(&mut self) -> Single {
            let spread = [1.0, 1e-3, 1e18][(self.bits() % 8).saturating_sub(5) as usize];
            Single {
                center: [(); 3].map(|()| (self.signed() * spread) as f32),
                axes: self.frame().map(|axis| axis.as_vec3().to_array()),
                half: self.half(),
            }
        }

        fn block(&mut self) -> Block {
            let mut block = Block::EMPTY;
            for lane in 0..LANES {
                if self.bits().is_multiple_of(8) {
                    continue;
                }
                let (frame, half) = (self.frame(), self.half());
                block.child[lane] = Child::Leaf { first: 0, count: 1 }.code();
                for k in 0..3 {
                    block.center[k][lane] = (self.signed() * 2.0) as f32;
                    block.axes[0][k][lane] = frame[0][k] as f32;
                    block.axes[1][k][lane] = frame[1][k] as f32;
                    block.half[k][lane] = half[k];
                }
            }
            block
        }
    }

    #[inline(always)]
    fn in_lanes<S: Simd>(simd: S, one: &Single, block: &Block, limit: f32) -> (u32, [[u32; LANES]; 3]) {
        let (distances, centers) =
            (simd::distances(simd, one, block, limit), simd::between_centers(simd, one, block));
        let ball = simd::point_distances(simd, &one.center, one.half[0], block);
        let bits = [distances, ball, centers].map(|x| x.to_array().map(f32::to_bits));
        (simd::meeting(simd, one, block), bits)
    }

    #[test]
    fn lanes_say_what_the_reading_copy_says() {
        let fused = is_fused();
        let (mut stream, mut meeting) = (Stream(1), 0);
        for _ in 0..200_000 {
            let (one, block) = (stream.single(), stream.block());
            let limit = [-1.0, 0.01, f32::INFINITY][(stream.bits() % 3) as usize];
            let (distances, centers) =
                (scalar::distances(&one, &block, limit), scalar::between_centers(&one, &block));
            let ball = scalar::point_distances(&one.center, one.half[0], &block);
            let bits = [distances, ball, centers].map(|x| x.map(f32::to_bits));
            let expected = (scalar::meeting(&one, &block), bits);
            let found = dispatch!(level(), simd => in_lanes(simd, &one, &block, limit));
            // Without fused operations the bits differ, but the proofs hold.
            if fused {
                assert_eq!(found, expected, "{one:?} {block:?}");
            }
            meeting += found.0.count_ones();
        }
        assert!((50_000..1_200_000).contains(&meeting), "{meeting}");
    }

    /// Corners of boxes proven apart are no nearer than the bound, with fused operations or without. Lanes
    /// without a box are apart from everything.
    #[test]
    fn what_is_left_out_is_apart() {
        let (mut stream, mut apart) = (Stream(2), 0);
        for _ in 0..20_000 {
            let (one, block) = (stream.single(), stream.block());
            for level in [level(), Level::baseline()] {
                let (meeting, [squared, ball, _]) =
                    dispatch!(level, simd => in_lanes(simd, &one, &block, f32::INFINITY));
                for lane in 0..LANES {
                    if block.half[0][lane] == NOTHING {
                        let bounds = [squared[lane], ball[lane]];
                        assert!(meeting >> lane & 1 == 0 && bounds == [f32::INFINITY.to_bits(); 2]);
                        continue;
                    }
                    let bound = |squared: u32| f64::from(f32::from_bits(squared)).sqrt();
                    let (bound, ball) = (bound(squared[lane]), bound(ball[lane]));
                    apart += u32::from(meeting >> lane & 1 == 0);
                    let (mut nearest, mut in_ball, mut meet) = (f64::INFINITY, f64::INFINITY, false);
                    for _ in 0..12 {
                        let p = somewhere(&mut stream, &one.center, &one.axes, &one.half);
                        let axes: [[f32; 3]; 2] = block.axes.map(|axis| axis.map(|column| column[lane]));
                        let [a, b] = axes.map(|axis| DVec3::from_array(axis.map(f64::from)));
                        let third = a.cross(b).as_vec3().to_array();
                        let center = block.center.map(|column| column[lane]);
                        let half = block.half.map(|column| column[lane]);
                        let q = somewhere(&mut stream, &center, &[axes[0], axes[1], third], &half);
                        let distance = p.distance(q);
                        nearest = nearest.min(distance);
                        let from = DVec3::from_array(one.center.map(f64::from));
                        in_ball = in_ball.min(from.distance(q) - f64::from(one.half[0]));
                        meet |= distance == 0.0;
                    }
                    // NaN if a box extends to infinity.
                    assert!(nearest.is_nan() || bound <= nearest * (1.0 + 1e-6), "{bound} {nearest}");
                    assert!(in_ball.is_nan() || ball <= in_ball.max(0.0) * (1.0 + 1e-6), "{ball} {in_ball}");
                    assert!(!meet || meeting >> lane & 1 == 1);
                }
            }
        }
        assert!(apart > 50_000, "{apart}");
    }

    /// Returns a corner of a box, or a point in its interior.
    fn somewhere(stream: &mut Stream, center: &[f32; 3], axes: &[[f32; 3]; 3], half: &[f32; 3]) -> DVec3 {
        let mut p = DVec3::from_array(center.map(f64::from));
        for (axis, half) in axes.iter().zip(half) {
            let along =
                if stream.bits().is_multiple_of(2) { stream.signed() } else { stream.signed().signum() };
            if *half > 0.0 {
                p += DVec3::from_array(axis.map(f64::from)) * (along * f64::from(*half));
            }
        }
        p
    }
}

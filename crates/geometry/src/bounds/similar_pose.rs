//! Poses that turn and scale, in four rows, prepared to place balls of their frame, and to compare boxes of
//! the frame with balls of the world: the ball's centre is brought into the frame, where the box does not
//! move.

use glam::DVec3;

use super::obb::Obb;
use super::posed_ball::{FourBalls, ROUNDED};
use crate::lanes::{
    FourNumbers, FourPoses, Poses4, Select, Simd, SimdBase, SimdFloat, SimdMask, Vec3x4, Vector, f64x4,
    in_lanes,
};
use crate::math::error_bounds::POSED;
use crate::math::pose::{LARGEST, Pose, SMALLEST};

/// Relative differences between the lengths of the columns of a linear part, and from a right angle between
/// them, up to which it counts as a similarity.
const SIMILAR: f64 = 1.0 / (1 << 20) as f64;

/// The share by which a similarity may lengthen more than its first column says, with the roundings of that
/// and of a product.
const LONGER: f64 = 4.0 * SIMILAR;

/// Scales larger than this, or smaller than its inverse, are left out: squares of lengths keep in range.
const LARGEST_SCALE: f64 = 1e30;

/// The share of the size of a box, and of the distance between the ball's centre and the frame's origin, by
/// which a box is taken to be nearer.
///
/// Let `L` be the linear part, `s` the length of its first column, and `t` the shift. Rows of `L^T L / s^2 -
/// I` add up to at most E = 2^-18. For a point p of the box at its place P, and the ball's centre c, let
/// `v = L^T (c - t) / s^2`: `L^T (P - c) = s^2 (p - v + E p)`, so `|P - c| >= s (|p - v| - E |p|) (1 - E)`.
/// The box's axes, of skew d up to 2^-20, see p at x and v at y: `|p - v| >= (|x - y| - d |x|) (1 - d)`. All
/// coordinates of p are at most R, so `|p| <= sqrt(3) R` and `|x| <= 6 R`, and `s |p - v|` is at most
/// `sqrt(3) s R + |c - t|` and its share E. What is lost is below `20 2^-20 (s R + |c - t|)`; roundings are a
/// few u of the same sizes.
const NEARER: f64 = 1.0 / (1 << 15) as f64;

/// Poses of the same thing in four rows, each nearly a similarity or left out.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct SimilarPoses {
    /// The inverses of the squared scales.
    inverse: FourNumbers,
    scale: FourNumbers,
    /// The distances by which rounding moves a ball's centre and its contents, together.
    off: FourNumbers,
    /// The largest coordinate of what is placed, in its own frame.
    reach: f64,
    /// A mask of the rows in which the pose is a similarity, and places nothing beyond 2^200.
    lanes: u32,
}

impl SimilarPoses {
    /// Prepares poses. `reach` bounds the magnitude of every coordinate of all that they place.
    #[inline(always)]
    pub fn new<S: Simd>(simd: S, poses: &Poses4<S>, reach: f64) -> Self {
        let squared = product(poses, 0, 0);
        let most = squared * SIMILAR;
        let [p, q, r] = &poses.rows;
        // Summed so that a NaN remains NaN.
        let size = row_size(p, reach) + row_size(q, reach) + row_size(r, reach);
        let scale = squared.sqrt();
        let is_usable = (product(poses, 1, 1) - squared).abs().simd_le(most)
            & (product(poses, 2, 2) - squared).abs().simd_le(most)
            & product(poses, 0, 1).abs().simd_le(most)
            & product(poses, 1, 2).abs().simd_le(most)
            & product(poses, 2, 0).abs().simd_le(most)
            & size.simd_lt(LARGEST)
            & scale.simd_ge(1.0 / LARGEST_SCALE)
            & scale.simd_lt(LARGEST_SCALE);
        Self {
            inverse: (f64x4::splat(simd, 1.0) / squared).to_array(),
            scale: scale.to_array(),
            off: (size * (2.0 * POSED) + 4.0 * SMALLEST).to_array(),
            reach,
            lanes: is_usable.to_bitmask() as u32,
        }
    }

    /// Returns a mask of the rows in which the pose is a similarity, and places nothing beyond 2^200.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }

    /// Returns balls about a centre that contain what is within the radii around it, in the rows in which the
    /// pose is a similarity. A ball of an infinite radius is farther from nothing.
    #[inline(always)]
    pub fn balls<S: Simd>(
        &self,
        simd: S,
        poses: &Poses4<S>,
        (center, radii): (DVec3, [f64; 2]),
    ) -> [FourBalls; 2] {
        let center = poses.apply(simd, Vec3x4::splat(simd, center));
        let scale = f64x4::load_array_ref(simd, &self.scale) * (1.0 + LONGER);
        let off = f64x4::load_array_ref(simd, &self.off);
        [FourBalls::new(center, scale * radii[0] + off), FourBalls::new(center, scale * radii[1] + off)]
    }

    /// Returns a mask in which the bit of a row is set only if the distance between the contents of a box at
    /// the row's pose and of its ball exceeds `bound`, which is 0 or more. The contents of the box are posed
    /// as by [`Pose::apply`], the contents of the ball perhaps, too. The box's axes must be a
    /// [frame](Obb::has_frame).
    #[inline(always)]
    pub fn farther<S: Simd>(
        &self,
        simd: S,
        poses: &FourPoses,
        (obb, balls): (&Obb, &FourBalls),
        bound: f64,
    ) -> u32 {
        let Poses4 { rows: [p, q, r] } = poses.load(simd);
        let (center, radius) = balls.load(simd);
        let between = center - Vector([p[3], q[3], r[3]]);
        let inverse = f64x4::load_array_ref(simd, &self.inverse);
        let own = Vector([
            Vector([p[0], q[0], r[0]]).dot(between) * inverse,
            Vector([p[1], q[1], r[1]]).dot(between) * inverse,
            Vector([p[2], q[2], r[2]]).dot(between) * inverse,
        ]);
        let from_middle = own - Vec3x4::splat(simd, obb.center);
        let scale = f64x4::load_array_ref(simd, &self.scale);
        let beyond = Vector([
            beyond_side(simd, obb.axes[0], obb.half.x, from_middle),
            beyond_side(simd, obb.axes[1], obb.half.y, from_middle),
            beyond_side(simd, obb.axes[2], obb.half.z, from_middle),
        ]) * scale;
        let way = between[0].abs() + between[1].abs() + between[2].abs();
        let size = scale * self.reach + way;
        let off = f64x4::load_array_ref(simd, &self.off);
        let least = (radius + off + bound + size * NEARER) * (1.0 + ROUNDED);
        // NaN: not farther.
        self.lanes & beyond.dot(beyond).simd_gt(least * least).to_bitmask() as u32
    }
}

/// Returns an upper bound of the scale of a pose that is nearly a similarity. `reach` bounds the magnitude of
/// every coordinate of all that it places. `None` for another pose, or one that places them beyond 2^200.
pub fn scale_of(pose: &Pose, reach: f64) -> Option<f64> {
    let similar = in_lanes!(simd => SimilarPoses::new(simd, &Poses4::splat(simd, pose), reach));
    (similar.lanes != 0).then(|| similar.scale[0] * (1.0 + LONGER))
}

/// Returns the product of two columns of linear parts.
#[inline(always)]
fn product<S: Simd>(poses: &Poses4<S>, i: usize, j: usize) -> f64x4<S> {
    let [p, q, r] = &poses.rows;
    p[i] * p[j] + q[i] * q[j] + r[i] * r[j]
}

/// Returns a bound of a posed coordinate, by the row of the pose that gives it.
#[inline(always)]
fn row_size<S: Simd>(m: &[f64x4<S>; 4], reach: f64) -> f64x4<S> {
    (m[0].abs() + m[1].abs() + m[2].abs()) * reach + m[3].abs()
}

/// Returns how far points are beyond both sides of a box along one of its axes; 0 between them, and for NaN.
#[inline(always)]
fn beyond_side<S: Simd>(simd: S, axis: DVec3, half: f64, from_middle: Vec3x4<S>) -> f64x4<S> {
    let beyond = Vec3x4::splat(simd, axis).dot(from_middle).abs() - half;
    beyond.simd_gt(0.0).select(beyond, f64x4::splat(simd, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::posed_ball::PosedBall;
    use crate::lanes::ROWS;
    use crate::math::testing::Stream;

    /// The same pose in all rows, if it is nearly a similarity.
    fn similar(pose: &Pose, reach: f64) -> Option<(SimilarPoses, FourPoses)> {
        let poses = FourPoses::splat(pose);
        let similar = in_lanes!(simd => SimilarPoses::new(simd, &poses.load(simd), reach));
        assert!(similar.lanes == 0 || similar.lanes == 0b1111, "rows differ");
        (similar.lanes != 0).then_some((similar, poses))
    }

    fn splat(ball: &PosedBall) -> FourBalls {
        in_lanes!(simd => FourBalls::new(Vec3x4::splat(simd, ball.center), f64x4::splat(simd, ball.radius)))
    }

    fn is_farther(
        (similar, poses): &(SimilarPoses, FourPoses),
        obb: &Obb,
        ball: &PosedBall,
        bound: f64,
    ) -> bool {
        let farther = in_lanes!(simd => similar.farther(simd, poses, (obb, &splat(ball)), bound));
        assert!(farther == 0 || farther == 0b1111, "rows differ");
        farther != 0
    }

    /// The formulas for one row: if a pose is a similarity, a ball at it, and if a ball of the world is
    /// farther from a box.
    fn of_one_row(
        pose: &Pose,
        reach: f64,
        obb: &Obb,
        (ball, bound): (&PosedBall, f64),
    ) -> Option<(PosedBall, bool)> {
        let [p, q, r] = &pose.rows;
        let product = |i: usize, j: usize| p[i] * p[j] + q[i] * q[j] + r[i] * r[j];
        let squared = product(0, 0);
        let most = SIMILAR * squared;
        let off =
            [product(1, 1) - squared, product(2, 2) - squared, product(0, 1), product(1, 2), product(2, 0)];
        let row = |m: &[f64; 4]| (m[0].abs() + m[1].abs() + m[2].abs()) * reach + m[3].abs();
        let (size, scale) = (row(p) + row(q) + row(r), squared.sqrt());
        let is_similar = off.iter().all(|off| off.abs() <= most);
        if !(is_similar && size < LARGEST && (1.0 / LARGEST_SCALE..LARGEST_SCALE).contains(&scale)) {
            return None;
        }
        let off = 2.0 * POSED * size + 4.0 * SMALLEST;
        let around = PosedBall {
            center: pose.apply(obb.center),
            radius: scale * (1.0 + LONGER) * obb.half.length() + off,
        };
        let between = ball.center - pose.shift();
        let inverse = squared.recip();
        let column = |j: usize| (p[j] * between.x + q[j] * between.y + r[j] * between.z) * inverse;
        let from_middle = DVec3::new(column(0), column(1), column(2)) - obb.center;
        let seen = DVec3::from_array(obb.axes.map(|axis| axis.dot(from_middle)));
        let beyond = (seen.abs() - obb.half).max(DVec3::ZERO) * scale;
        let size = scale * reach + between.abs().element_sum();
        let least = (ball.radius + off + bound + NEARER * size) * (1.0 + ROUNDED);
        Some((around, beyond.length_squared() > least * least))
    }

    /// Compares rows that differ with the formulas for one, bit for bit.
    #[test]
    fn each_row_has_the_bits_of_one_alone() {
        let mut stream = Stream(22);
        let (mut farther, mut left_out) = ([0, 0], 0);
        for case in 0..5_000 {
            let unit = stream.pick(&[1e-60, 1e-20, 1.0, 1e20, 1e58]);
            let points: Vec<DVec3> = (0..4).map(|_| stream.point() * unit).collect();
            let obb = Obb::around(points.iter().copied(), Obb::COORDINATE_AXES);
            let reach = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
            let bound = unit * stream.pick(&[0.0, 0.3]);
            let rows = [(); ROWS].map(|()| {
                let scale = stream.pick(&[1.0, 1.0, -0.5, 1e-31, 1e29]);
                let scale = [scale, scale * stream.pick(&[1.0, 1.0, -1.0, 1.5]), scale];
                let [x, y, z] = stream.point().to_array();
                let shift = stream.point() * unit * stream.pick(&[0.0, 1.0, 1e9]);
                let pose = Pose::from_trs([x, y, z, 1.0], scale, shift.to_array()).expect("a rotation");
                let special = stream.pick(&[1.0, 1.0, 1.0, 1.0, 1.0, f64::NAN, f64::INFINITY]);
                let center = shift + stream.point() * unit * stream.pick(&[1.0, 4.0]) * scale[0].abs();
                let radius = unit * scale[0].abs() * stream.pick(&[0.0, 1.0]) * special;
                (pose, PosedBall { center, radius })
            });
            let (mut poses, mut balls) = (FourPoses::splat(&rows[0].0), splat(&rows[0].1));
            for (lane, (pose, ball)) in rows.iter().enumerate() {
                poses.set(lane, pose);
                balls.set(lane, ball);
            }
            let similar = in_lanes!(simd => SimilarPoses::new(simd, &poses.load(simd), reach));
            let radii = [obb.half.length(); 2];
            let around = in_lanes!(simd => similar.balls(simd, &poses.load(simd), (obb.center, radii)))[0];
            let found = in_lanes!(simd => similar.farther(simd, &poses, (&obb, &balls), bound));
            for (lane, (pose, ball)) in rows.iter().enumerate() {
                let is = |mask: u32| mask >> lane & 1 == 1;
                let Some((expected, is_farther)) = of_one_row(pose, reach, &obb, (ball, bound)) else {
                    assert!(!is(similar.lanes) && !is(found), "case {case}, row {lane}");
                    left_out += 1;
                    continue;
                };
                assert!(is(similar.lanes), "case {case}, row {lane}: {pose:?}");
                assert_eq!(is(found), is_farther, "case {case}, row {lane}: {pose:?} {ball:?}");
                let around = around.get(lane);
                assert_eq!(around.radius.to_bits(), expected.radius.to_bits(), "case {case}, row {lane}");
                let bits = |p: DVec3| p.to_array().map(f64::to_bits);
                assert_eq!(bits(around.center), bits(expected.center), "case {case}, row {lane}");
                farther[usize::from(is_farther)] += 1;
            }
        }
        assert!(farther.iter().all(|&rows| rows > 1_000) && left_out > 1_000, "{farther:?}, {left_out}");
    }

    /// Points in a box and points in a ball, which face each other a little nearer or farther than a bound;
    /// poses turn, scale and mirror.
    #[test]
    fn what_is_farther_is_farther() {
        let mut stream = Stream(21);
        let (mut farther, mut cases) = ([0, 0], 0);
        while cases < 20_000 {
            let unit = stream.pick(&[1e-20, 1.0, 1e20]);
            let shift = unit * stream.pick(&[0.0, 1.0, 1e3]);
            let scale = stream.pick(&[1.0, 1.0, 1e-3, 40.0]);
            let [x, y, z] = stream.point().to_array();
            let mirrored = [scale * stream.pick(&[1.0, -1.0]), scale, scale];
            let at = (stream.point() * shift).to_array();
            let pose = Pose::from_trs([x, y, z, 1.0], mirrored, at).expect("a rotation");
            let stretch = DVec3::new(1.0, stream.pick(&[1.0, 0.1]), stream.pick(&[1.0, 0.01]));
            let points: Vec<DVec3> = (0..5).map(|_| stream.point() * stretch * unit / scale).collect();
            let [x, y, z] = stream.point().to_array();
            let turn = Pose::from_quaternion([x, y, z, 1.0]).expect("a rotation").linear();
            let axes = stream.pick(&[Obb::COORDINATE_AXES, [turn.x_axis, turn.y_axis, turn.z_axis]]);
            let obb = Obb::around(points.iter().copied(), axes);
            assert!(obb.has_frame());
            let reach = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
            let similar = similar(&pose, reach).expect("it turns and scales");
            let posed = || points.iter().map(|p| pose.apply(*p));
            let direction = stream.point().normalize_or_zero();
            if direction == DVec3::ZERO {
                continue;
            }
            cases += 1;
            // The ball's nearest point is some gap beyond the highest point along a direction.
            let tip = posed().max_by(|p, q| direction.dot(*p).total_cmp(&direction.dot(*q))).expect("some");
            let bound = unit * stream.pick(&[0.0, 0.3]);
            let gap = bound + unit * stream.pick(&[-0.2, 0.0, 1e-9, 1e-3, 0.5, 3.0]);
            let radius = unit * stream.pick(&[0.0, 0.1, 2.0]);
            let center = tip + direction * (gap + radius);
            let ball = PosedBall { center, radius };
            let least = posed().map(|p| p.distance(center) - radius).fold(f64::INFINITY, f64::min);
            let found = is_farther(&similar, &obb, &ball, bound);
            let rounding = 1e-14 * (unit + shift);
            assert!(!found || least > bound - rounding, "case {cases}: {least:e}, {bound:e}, unit {unit:e}");
            farther[usize::from(found)] += 1;
            let radii = [obb.half.length(), 2.0 * obb.half.length()];
            let (of, poses) = &similar;
            let [around, twice] = in_lanes!(simd => of.balls(simd, &poses.load(simd), (obb.center, radii)));
            assert_eq!(in_lanes!(simd => around.farther(simd, &twice, 0.0)), 0);
            let [around, twice] = [around, twice].map(|balls| balls.get(3));
            assert!(posed().all(|p| p.distance(around.center) <= around.radius));
            assert!(twice.radius > 1.9 * around.radius);
        }
        assert!(farther.iter().all(|&cases| cases > 5_000), "{farther:?}");
    }

    /// A box is found to be farther if the ball is beyond one of its sides by a ten thousandth of its size.
    #[test]
    fn balls_beyond_a_side_are_farther() {
        let ends = [DVec3::new(-1.0, -2.0, -3.0), DVec3::new(1.0, 2.0, 3.0)];
        let obb = Obb::around(ends.into_iter(), Obb::COORDINATE_AXES);
        let turn = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).expect("an axis");
        let pose = Pose::translation([5.0, 6.0, 7.0]) * turn;
        let similar = similar(&pose, 3.0).expect("it turns");
        for (side, half) in [(DVec3::X, 1.0), (DVec3::Y, 2.0), (DVec3::NEG_Z, 3.0)] {
            let ball = |gap: f64| PosedBall { center: pose.apply(side * (half + gap + 0.5)), radius: 0.5 };
            assert!(is_farther(&similar, &obb, &ball(0.251), 0.25));
            assert!(!is_farther(&similar, &obb, &ball(0.25), 0.25));
        }
        // Beyond a corner, by the straight way.
        let corner = pose.apply(DVec3::new(1.3, 2.4, 3.0));
        assert!(is_farther(&similar, &obb, &PosedBall { center: corner, radius: 0.0 }, 0.499));
        assert!(!is_farther(&similar, &obb, &PosedBall { center: corner, radius: 0.0 }, 0.5));
    }

    #[test]
    fn poses_that_stretch_or_are_no_numbers_are_left_out() {
        let pose =
            |scale: [f64; 3]| Pose::from_trs([0.1, 0.2, 0.3, 1.0], scale, [0.0; 3]).expect("a rotation");
        assert!(similar(&pose([2.0; 3]), 1.0).is_some());
        for scale in [[1.0, 1.0, 1.001], [1.0, 0.0, 1.0], [0.0; 3], [1e40; 3], [f64::NAN; 3]] {
            assert!(similar(&pose(scale), 1.0).is_none(), "{scale:?}");
        }
        assert!(similar(&Pose::translation([1e70, 0.0, 0.0]), 1.0).is_none());
        assert!(similar(&Pose::translation([f64::NAN, 0.0, 0.0]), 1.0).is_none());
        let similar = similar(&Pose::IDENTITY, 1.0).expect("the identity");
        let cube = Obb::around([DVec3::NEG_ONE, DVec3::ONE].into_iter(), Obb::COORDINATE_AXES);
        let far = |x: f64, radius: f64| PosedBall { center: DVec3::new(x, 0.0, 0.0), radius };
        assert!(is_farther(&similar, &cube, &far(1e6, 1.0), 0.0));
        for ball in [far(1e6, f64::INFINITY), far(1e6, f64::NAN), far(f64::NAN, 1.0), far(2.0, 1.0)] {
            assert!(!is_farther(&similar, &cube, &ball, 0.0), "{ball:?}");
        }
        let everything = Obb { half: DVec3::INFINITY, ..cube };
        assert!(!is_farther(&similar, &everything, &far(1e6, 1.0), 0.0));
    }
}

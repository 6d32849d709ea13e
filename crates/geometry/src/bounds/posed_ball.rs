//! Balls at a pose, prepared once for comparison with many others in the same row, for four rows at a time.

use glam::DVec3;

use crate::lanes::{FourNumbers, Simd, SimdBase, SimdMask, Vec3x4, Vector, f64x4};
use crate::math::error_bounds::POSED;
use crate::math::pose::{Pose, SMALLEST, stretch};

/// The share by which a sum of radii is larger for the roundings of it and of the distance between centres.
pub(super) const ROUNDED: f64 = 1.0 / (1u64 << 40) as f64;

/// A posed ball.
#[derive(Clone, Copy, Debug)]
pub struct PosedBall {
    pub(super) center: DVec3,
    pub(super) radius: f64,
}

/// A posed ball in each of four rows.
///
/// Distances are between the contents of two balls, posed as by [`Pose::apply`]: rounded, and 0 below 2^-200.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct FourBalls {
    center: [FourNumbers; 3],
    radius: FourNumbers,
}

impl PosedBall {
    /// Poses a ball. `reach` bounds the magnitude of every coordinate of its centre and of its contents. A
    /// ball of an infinite radius is farther from nothing.
    pub fn new(center: DVec3, radius: f64, pose: &Pose, reach: f64) -> Self {
        let row = |m: &[f64; 4]| (m[0].abs() + m[1].abs() + m[2].abs()) * reach + m[3].abs();
        let size = pose.rows.iter().map(row).fold(0.0, f64::max);
        // The centre and the contents are rounded, and flushed to 0, each for itself.
        let off = 2.0 * POSED * size + 4.0 * SMALLEST;
        Self { center: pose.apply(center), radius: stretch(&pose.linear()) * radius + off }
    }
}

impl FourBalls {
    /// Balls with these centres and radii.
    #[inline(always)]
    pub(super) fn new<S: Simd>(center: Vec3x4<S>, radius: f64x4<S>) -> Self {
        let [x, y, z] = center.0;
        Self { center: [x.to_array(), y.to_array(), z.to_array()], radius: radius.to_array() }
    }

    /// Sets the ball of a row.
    pub fn set(&mut self, lane: usize, ball: &PosedBall) {
        for (coordinate, to) in self.center.iter_mut().zip(ball.center.to_array()) {
            coordinate[lane] = to;
        }
        self.radius[lane] = ball.radius;
    }

    /// Returns the ball of a row.
    #[cfg(test)]
    pub(super) fn get(&self, lane: usize) -> PosedBall {
        let center = DVec3::from_array(self.center.map(|coordinate| coordinate[lane]));
        PosedBall { center, radius: self.radius[lane] }
    }

    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S) -> (Vec3x4<S>, f64x4<S>) {
        let [x, y, z] = &self.center;
        let [x, y] = [f64x4::load_array_ref(simd, x), f64x4::load_array_ref(simd, y)];
        (Vector([x, y, f64x4::load_array_ref(simd, z)]), f64x4::load_array_ref(simd, &self.radius))
    }

    /// Returns a mask in which the bit of a row is set only if the distance between the contents of its two
    /// balls exceeds `bound`, which is 0 or more.
    #[inline(always)]
    pub fn farther<S: Simd>(&self, simd: S, other: &Self, bound: f64) -> u32 {
        let ((from, radius), (to, other_radius)) = (self.load(simd), other.load(simd));
        let reach = (radius + other_radius + bound) * (1.0 + ROUNDED);
        let between = to - from;
        // Radii of at least 2^-200 have squares that lose nothing. NaN: not farther.
        between.dot(between).simd_gt(reach * reach).to_bitmask() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{ROWS, in_lanes};
    use crate::math::testing::Stream;

    /// The same ball in all rows.
    fn splat(ball: &PosedBall) -> FourBalls {
        let center = ball.center.to_array().map(|x| [x; ROWS]);
        FourBalls { center, radius: [ball.radius; ROWS] }
    }

    fn is_farther(a: &PosedBall, b: &PosedBall, bound: f64) -> bool {
        let farther = in_lanes!(simd => splat(a).farther(simd, &splat(b), bound));
        assert!(farther == 0 || farther == 0b1111, "rows differ");
        farther != 0
    }

    /// Compares rows that differ with the formula for one.
    #[test]
    fn each_row_is_compared_for_itself() {
        let mut stream = Stream(13);
        let mut counts = [0, 0];
        for case in 0..5_000 {
            let unit = stream.pick(&[1e-300, 1e-60, 1.0, 1e60, 1e200]);
            let bound = unit * stream.pick(&[0.0, 0.3]);
            let special = [f64::NAN, f64::INFINITY, 0.0];
            let mut ball = || PosedBall {
                center: stream.point() * unit * stream.pick(&[1.0, 1.0, 3.0]),
                radius: if stream.below(9) == 0 {
                    stream.pick(&special)
                } else {
                    unit * stream.signed().abs()
                },
            };
            let rows = [(); ROWS].map(|()| [ball(), ball()]);
            let mut four = [splat(&rows[0][0]), splat(&rows[0][1])];
            for (lane, row) in rows.iter().enumerate() {
                four[0].set(lane, &row[0]);
                four[1].set(lane, &row[1]);
            }
            let found = in_lanes!(simd => four[0].farther(simd, &four[1], bound));
            for (lane, [a, b]) in rows.iter().enumerate() {
                let [x, y, z] = (b.center - a.center).to_array();
                let reach = (a.radius + b.radius + bound) * (1.0 + ROUNDED);
                let expected = x * x + y * y + z * z > reach * reach;
                assert_eq!(found >> lane & 1 == 1, expected, "case {case}, row {lane}: {a:?} {b:?}");
                counts[usize::from(expected)] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count > 2_000), "{counts:?}");
    }

    /// Balls that face each other with their farthest points, a little nearer or farther than a bound; poses
    /// turn, scale, mirror and stretch.
    #[test]
    fn what_is_farther_is_farther() {
        let mut stream = Stream(11);
        let (mut farther, mut cases) = (0, 0);
        while cases < 20_000 {
            let unit = stream.pick(&[1e-30, 1.0, 1e20]);
            let far = unit * stream.pick(&[0.0, 0.0, 1e3, 1e9]);
            let bound = unit * stream.pick(&[0.0, 0.3]);
            let sides = [(); 2].map(|()| {
                let center = stream.point() * unit;
                let points: Vec<DVec3> = (0..4).map(|_| center + stream.point() * unit).collect();
                let [x, y, z] = stream.point().to_array();
                let scale = [stream.pick(&[1.0, 1.0, -0.5]), 1.0, stream.pick(&[1.0, 2.0])];
                let pose = Pose::from_trs([x, y, z, 1.0], scale, [0.0; 3]).expect("a rotation");
                let radius = points.iter().map(|p| p.distance(center)).fold(0.0, f64::max);
                let largest = |p: &DVec3| p.abs().max_element();
                let reach = points.iter().map(largest).fold(largest(&center), f64::max);
                (center, points, pose, radius * (1.0 + 1e-12), reach)
            });
            let direction = stream.point().normalize_or_zero();
            if direction == DVec3::ZERO {
                continue;
            }
            cases += 1;
            // The second is moved so that the two are some gap apart along a direction.
            let along = |side: usize, sign: f64| {
                let (_, points, pose, ..) = &sides[side];
                let height = |p: &DVec3| sign * direction.dot(pose.apply(*p));
                points.iter().map(height).fold(f64::NEG_INFINITY, f64::max)
            };
            let gap = bound + unit * stream.pick(&[-0.5, 0.0, 1e-9, 0.5, 3.0]);
            let shift = direction * (along(0, 1.0) + along(1, -1.0) + gap);
            let at = |by: DVec3| Pose::translation((by + DVec3::splat(far)).to_array());
            let poses = [at(DVec3::ZERO) * sides[0].2, at(shift) * sides[1].2];
            let balls = [0, 1].map(|side| {
                let (center, _, _, radius, reach) = sides[side];
                PosedBall::new(center, radius, &poses[side], reach)
            });
            let posed = |side: usize| sides[side].1.iter().map(move |p| poses[side].apply(*p));
            let distances = posed(0).flat_map(|p| posed(1).map(move |q| p.distance(q)));
            let least = distances.fold(f64::INFINITY, f64::min);
            let found = is_farther(&balls[0], &balls[1], bound);
            assert_eq!(found, is_farther(&balls[1], &balls[0], bound), "case {cases}");
            assert!(!found || least > bound, "case {cases}: {least:e} is not beyond {bound:e}");
            farther += u32::from(found);
        }
        assert!((3_000..15_000).contains(&farther), "{farther} farther");
    }

    /// A ball's farthest point, and another point at the bound or a little beyond it: a radius that is too
    /// small by a millionth fails.
    #[test]
    fn balls_of_the_farthest_points_end_at_the_bound() {
        let mut stream = Stream(12);
        for case in 0..20_000 {
            let far = stream.pick(&[0.0, 1e3, 1e7]);
            let [x, y, z] = stream.point().to_array();
            let turn = Pose::from_quaternion([x, y, z, 1.0]).expect("a rotation");
            let tip = DVec3::X * 1.5;
            let facing = turn.apply(tip);
            let pose = Pose::translation([far; 3]) * turn;
            // The other one is a point on the way out.
            let gap = stream.pick(&[0.25, 0.25 + 1e-6, 0.25 - 1e-6]);
            let point = facing + facing.normalize() * gap + DVec3::splat(far);
            let at = Pose::translation(point.to_array());
            let ball = PosedBall::new(DVec3::ZERO, 1.5, &pose, 1.5);
            let other = PosedBall::new(DVec3::ZERO, 0.0, &at, 0.0);
            let apart = pose.apply(tip).distance(at.apply(DVec3::ZERO));
            assert!(!is_farther(&ball, &other, 0.25) || apart > 0.25, "case {case}");
            assert_eq!(is_farther(&ball, &other, 0.25), gap > 0.25 + 1e-7, "case {case}: {gap} from {far}");
        }
    }

    #[test]
    fn hopeless_numbers_are_never_farther() {
        let at = |x: f64| Pose::translation([x, 0.0, 0.0]);
        let near = PosedBall::new(DVec3::ZERO, 1.0, &at(0.0), 1.0);
        assert!(is_farther(&near, &PosedBall::new(DVec3::ZERO, 1.0, &at(1e6), 1.0), 0.0));
        assert!(!is_farther(&near, &PosedBall::new(DVec3::ZERO, f64::INFINITY, &at(1e6), 1.0), 0.0));
        assert!(!is_farther(&near, &PosedBall::new(DVec3::ZERO, 1.0, &at(f64::NAN), 1.0), 0.0));
        assert!(!is_farther(&near, &PosedBall::new(DVec3::ZERO, 1.0, &at(1e6), 1.0), f64::NAN));
        assert!(!is_farther(&near, &PosedBall::new(DVec3::ZERO, 1.0, &at(2.0), 1.0), 0.0), "touching");
    }
}

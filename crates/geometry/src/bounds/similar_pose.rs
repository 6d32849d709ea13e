//! A pose that turns and scales, prepared to place balls of its frame, and to compare boxes of its frame with
//! balls of the world: the ball's centre is brought into the frame, where the box does not move.

use glam::DVec3;

use super::obb::Obb;
use super::posed_ball::{PosedBall, ROUNDED};
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

/// A pose that is nearly a similarity.
#[derive(Clone, Copy, Debug)]
pub struct SimilarPose {
    pose: Pose,
    /// The inverse of the squared scale.
    inverse: f64,
    scale: f64,
    /// The largest coordinate of what is placed, in its own frame.
    reach: f64,
    /// The distance by which rounding moves a ball's centre and its contents, together.
    off: f64,
}

impl SimilarPose {
    /// Prepares a pose. `reach` bounds the magnitude of every coordinate of all that it places. `None` for a
    /// pose that is no similarity, or places them beyond 2^200.
    #[inline]
    pub fn new(pose: &Pose, reach: f64) -> Option<Self> {
        let [p, q, r] = &pose.rows;
        let product = |i: usize, j: usize| p[i] * p[j] + q[i] * q[j] + r[i] * r[j];
        let squared = product(0, 0);
        let most = SIMILAR * squared;
        let is_similar = (product(1, 1) - squared).abs() <= most
            && (product(2, 2) - squared).abs() <= most
            && product(0, 1).abs() <= most
            && product(1, 2).abs() <= most
            && product(2, 0).abs() <= most;
        let row = |m: &[f64; 4]| (m[0].abs() + m[1].abs() + m[2].abs()) * reach + m[3].abs();
        // Summed so that a NaN remains NaN.
        let size = row(p) + row(q) + row(r);
        let scale = squared.sqrt();
        let is_usable = is_similar && size < LARGEST && (1.0 / LARGEST_SCALE..LARGEST_SCALE).contains(&scale);
        let off = 2.0 * POSED * size + 4.0 * SMALLEST;
        is_usable.then(|| Self { pose: *pose, inverse: squared.recip(), scale, reach, off })
    }

    /// Returns an upper bound of the scale.
    pub fn scale(&self) -> f64 {
        self.scale * (1.0 + LONGER)
    }

    /// Returns balls about a centre that contain what is within the radii around it. A ball of an infinite
    /// radius is farther from nothing.
    #[inline]
    pub fn balls<const N: usize>(&self, center: DVec3, radii: [f64; N]) -> [PosedBall; N] {
        let center = self.pose.apply(center);
        radii.map(|radius| PosedBall { center, radius: self.scale() * radius + self.off })
    }

    /// True only if the distance between the contents of a box and of a ball exceeds `bound`, which is 0 or
    /// more. The contents of the box are posed as by [`Pose::apply`], the contents of the ball perhaps, too.
    /// The box's axes must be a [frame](Obb::has_frame).
    #[inline]
    pub fn is_farther(&self, obb: &Obb, ball: &PosedBall, bound: f64) -> bool {
        let [p, q, r] = &self.pose.rows;
        let between = ball.center - self.pose.shift();
        let column = |j: usize| (p[j] * between.x + q[j] * between.y + r[j] * between.z) * self.inverse;
        let from_middle = DVec3::new(column(0), column(1), column(2)) - obb.center;
        let [x, y, z] = obb.axes;
        let seen = DVec3::new(x.dot(from_middle), y.dot(from_middle), z.dot(from_middle));
        let beyond = (seen.abs() - obb.half).max(DVec3::ZERO) * self.scale;
        let size = self.scale * self.reach + between.abs().element_sum();
        let least = (ball.radius + self.off + bound + NEARER * size) * (1.0 + ROUNDED);
        // NaN: not farther.
        beyond.length_squared() > least * least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::Stream;

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
            let similar = SimilarPose::new(&pose, reach).expect("it turns and scales");
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
            let found = similar.is_farther(&obb, &ball, bound);
            let rounding = 1e-14 * (unit + shift);
            assert!(!found || least > bound - rounding, "case {cases}: {least:e}, {bound:e}, unit {unit:e}");
            farther[usize::from(found)] += 1;
            let [around, twice] = similar.balls(obb.center, [obb.half.length(), 2.0 * obb.half.length()]);
            assert!(posed().all(|p| p.distance(around.center) <= around.radius));
            assert!(twice.radius > 1.9 * around.radius && !around.is_farther(&twice, 0.0));
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
        let similar = SimilarPose::new(&pose, 3.0).expect("it turns");
        for (side, half) in [(DVec3::X, 1.0), (DVec3::Y, 2.0), (DVec3::NEG_Z, 3.0)] {
            let ball = |gap: f64| PosedBall { center: pose.apply(side * (half + gap + 0.5)), radius: 0.5 };
            assert!(similar.is_farther(&obb, &ball(0.251), 0.25));
            assert!(!similar.is_farther(&obb, &ball(0.25), 0.25));
        }
        // Beyond a corner, by the straight way.
        let corner = pose.apply(DVec3::new(1.3, 2.4, 3.0));
        assert!(similar.is_farther(&obb, &PosedBall { center: corner, radius: 0.0 }, 0.499));
        assert!(!similar.is_farther(&obb, &PosedBall { center: corner, radius: 0.0 }, 0.5));
    }

    #[test]
    fn poses_that_stretch_or_are_no_numbers_are_left_out() {
        let pose =
            |scale: [f64; 3]| Pose::from_trs([0.1, 0.2, 0.3, 1.0], scale, [0.0; 3]).expect("a rotation");
        assert!(SimilarPose::new(&pose([2.0; 3]), 1.0).is_some());
        for scale in [[1.0, 1.0, 1.001], [1.0, 0.0, 1.0], [0.0; 3], [1e40; 3], [f64::NAN; 3]] {
            assert!(SimilarPose::new(&pose(scale), 1.0).is_none(), "{scale:?}");
        }
        assert!(SimilarPose::new(&Pose::translation([1e70, 0.0, 0.0]), 1.0).is_none());
        assert!(SimilarPose::new(&Pose::translation([f64::NAN, 0.0, 0.0]), 1.0).is_none());
        let similar = SimilarPose::new(&Pose::IDENTITY, 1.0).expect("the identity");
        let cube = Obb::around([DVec3::NEG_ONE, DVec3::ONE].into_iter(), Obb::COORDINATE_AXES);
        let far = |x: f64, radius: f64| PosedBall { center: DVec3::new(x, 0.0, 0.0), radius };
        assert!(similar.is_farther(&cube, &far(1e6, 1.0), 0.0));
        for ball in [far(1e6, f64::INFINITY), far(1e6, f64::NAN), far(f64::NAN, 1.0), far(2.0, 1.0)] {
            assert!(!similar.is_farther(&cube, &ball, 0.0), "{ball:?}");
        }
        let everything = Obb { half: DVec3::INFINITY, ..cube };
        assert!(!similar.is_farther(&everything, &far(1e6, 1.0), 0.0));
    }
}

//! One moving oriented box against the eight of a block, over a whole stretch of time: the interval
//! separating axes of Redon et al. 2002, section 4.1.2.
//!
//! *In*: the box in the middle of the stretch, in the block's frame and widened as for [`box_box`], and the
//! motion of its tree ([`IntervalFrame`]). *Out*: the lanes that no axis keeps apart. In a lane that is left
//! out, the meshes' points in the two boxes are farther than `limit` from each other throughout the stretch.
//!
//! Intervals are kept as centre and radius. Every number of the discrete test is a function of time with a
//! value `x` and a derivative `x'` at the middle and a bound of its second derivative, so over `h` to either
//! side it is within `|h x'| + h^2 |x''| / 2` of `x` (the mean-value form).
//!
//! The paper's own way, with intervals of coordinates, is in [`natural_boxes`](super::natural_boxes).
//!
//! Let e be an axis of the single box and f one of the block's, let T lead from the single box's centre to
//! the block's, and let w be the turn. The test separates the meshes' points in the boxes:
//!
//! - Along f, a point at `a + x` moves by `f . v(a) + x . (f x w)` and the deviation of its part
//!   ([`Moment::deviation`]). So T moves with the centre's velocity, and each radius changes with `c' = (f x
//!   w) . e`, the derivative of `c = e . f`.
//! - Along e, seen from the box itself, the block moves: the same with `v(b)` and its own deviation.
//! - Along `n = e x f`, seen from the box, n turns by `h |n'| <= h s` and bends by `(h s)^2 / 2`, for a bound
//!   s of the [spin](closefit_geometry::motion::span::PairSpan::spin). Besides the derivative of `n . T`, by
//!   the product rule, this adds `h^2 |n'| |v(q)|` and `(h s)^2 / 2 (|q - p| + h |v(q)|)`, for points p and q
//!   of the two boxes.
//!
//! **Rounding.** The argument of [`box_box`] for the discrete test also holds here, with three additions.
//! First, boxes within `limit` of each other at some time have `|T| <= Ha + Hb + limit + movement` in the
//! middle. Of the movement, path and deviation are known, and 128 units of them and of the limit are added.
//! Second, the turn of the centre about a mesh's point adds up to `(h s)^2 / 2` of Ha + Hb. Third, each
//! derivative is off by at most 128 units of the path and turn from which it is made, whose sum may cancel;
//! those are added too, except for 8 units of the turn's share of T. In all that is 1.5 (56 + 8) = 96 units
//! of `Ha + Hb`, with half turns up to [`LARGEST_TURN`], of the 128 by which boxes are widened.
//!
//! [`box_box`]: crate::bvh::wide_obb::box_box

pub mod scalar;
pub mod simd;

use glam::DMat3;

use crate::bvh::wide_obb::box_box::scalar::sum_of_sizes;
use crate::bvh::wide_obb::box_box::{PARALLEL, Single};
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::bvh::wide_obb::stretch::drift::swung;
use crate::continuous::FLAT;
use crate::continuous::method::K;
use closefit_geometry::math::error_bounds::F32_EXTENT;
use closefit_geometry::motion::moment::Moment;

/// Largest turn to either side of the middle, in radians. Over stretches that turn farther, nothing is left
/// out.
pub const LARGEST_TURN: f32 = 1.0;

/// The motion of one tree's boxes in the normal coordinates of another, from the middle of a stretch to its
/// end, with the terms that tests derive from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalFrame {
    /// `h w`: half the turn.
    turn: [f32; 3],
    /// `h v`: half the path of the normal origin.
    shift: [f32; 3],
    deviation: f32,
    deviation_back: f32,
    /// `(h s)^2 / 2`.
    half_turn_squared: f32,
    /// Added to the absolute scalar products of axes.
    parallel: f32,
    /// Share that edge axes add of the block's path, of the distance of the centres, and of the block's half
    /// extents.
    per_path: f32,
    per_distance: f32,
    per_size: f32,
    /// Rounding error of paths: a constant, and a share of a centre's coordinates.
    rounding: f32,
    rounding_per_place: f32,
    /// The constant of the subdivision test.
    k: K,
}

/// 128 units of f32 roundoff.
const ROOM: f32 = F32_EXTENT as f32;

impl IntervalFrame {
    /// Prepares the boxes of `of` as seen from `to`, both as they stand in the middle of the stretch. `of` is
    /// part number `side` (0 the first, 1 the second), and no direction turns faster than `spin`. Returns
    /// `None` where f32 cannot tell: for a pose with shear or uneven scale.
    pub fn new(
        moment: &Moment,
        spin: f64,
        side: usize,
        of: &PosedWideObb,
        to: &PosedWideObb,
        k: K,
    ) -> Option<Self> {
        if !(of.is_rigid() && to.is_rigid()) {
            return None;
        }
        let sign = if side == 1 { moment.half } else { -moment.half };
        let inverse: DMat3 = to.linear.inverse();
        let velocity = inverse * (moment.velocity + moment.angular.cross(to.origin)) * sign;
        // An angular velocity is an axial vector: a reflection reverses it.
        let angular = inverse * moment.angular * (sign * to.scale * to.linear.determinant().signum());
        let up = |x: f64| x as f32 * (1.0 + ROOM) + f32::MIN_POSITIVE;
        Some(Self::centred(
            angular.as_vec3().to_array(),
            velocity.as_vec3().to_array(),
            [side, 1 - side].map(|side| up((moment.deviation(side) + swung(moment, of, to)) / to.scale)),
            up(spin * moment.half),
            k,
        ))
    }

    /// Converts a limit to the normal coordinates of `to`.
    pub fn limit(limit: f64, to: &PosedWideObb) -> f32 {
        (limit / to.scale) as f32 * (1.0 + ROOM)
    }

    /// Combines half the turn and half the path of the normal origin. No point of the boxes is off its
    /// straight path by more than the first deviation, in any direction fixed to the block; no point of the
    /// block is off by more than the second, in any direction fixed to the boxes. No direction turns farther
    /// than `spin`. `k` is the constant of the subdivision test.
    pub fn centred(
        turn: [f32; 3],
        shift: [f32; 3],
        [deviation, deviation_back]: [f32; 2],
        spin: f32,
        k: K,
    ) -> Self {
        let spin = if spin <= LARGEST_TURN { spin } else { f32::INFINITY };
        let half_turn_squared = 0.5 * spin * spin * (1.0 + ROOM);
        Self {
            turn,
            shift,
            deviation,
            deviation_back,
            half_turn_squared,
            parallel: PARALLEL * (1.0 + spin),
            per_path: spin + half_turn_squared + ROOM,
            per_distance: half_turn_squared + ROOM * spin,
            per_size: half_turn_squared * (3.0 + spin),
            rounding: ROOM * (sum_of_sizes(shift) + deviation.max(deviation_back)),
            rounding_per_place: ROOM * sum_of_sizes(turn),
            k,
        }
    }
}

/// The terms that all lanes have in common.
#[derive(Clone, Copy, Debug)]
struct Terms {
    /// Half the turn, and half the path of the box's centre, along its axes.
    turn: [f32; 3],
    shift: [f32; 3],
    /// Terms added to the radii: along the block's axes, along the box's own, and along edge axes.
    face: f32,
    own_face: f32,
    edge: f32,
}

fn along(axes: &[[f32; 3]; 3], v: [f32; 3]) -> [f32; 3] {
    axes.map(|axis| axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2])
}

impl Terms {
    #[inline(always)]
    fn new(one: &Single, origin: &[f32; 3], over: &IntervalFrame, limit: f32) -> Self {
        let (w, v) = (over.turn, over.shift);
        let p = [origin[0] + one.center[0], origin[1] + one.center[1], origin[2] + one.center[2]];
        let path = [
            v[0] + (w[1] * p[2] - w[2] * p[1]),
            v[1] + (w[2] * p[0] - w[0] * p[2]),
            v[2] + (w[0] * p[1] - w[1] * p[0]),
        ];
        let base = (limit + ROOM * limit + over.rounding) + over.rounding_per_place * sum_of_sizes(p);
        Self {
            turn: along(&one.axes, w),
            shift: along(&one.axes, path),
            face: base + over.deviation,
            own_face: base + over.deviation_back,
            edge: base + over.deviation_back + over.half_turn_squared * sum_of_sizes(one.half),
        }
    }

    /// Returns the single box's terms of the subdivision test, each times half the path's length: half the
    /// path, the box's extent along it, and the allowance for a flat box of size 1. A turn by the same share,
    /// which the paper's short frames do not have, carries the ends of boxes as far, whatever their centres
    /// do; such stretches are to be halved.
    #[inline(always)]
    fn own(&self, one: &Single, over: &IntervalFrame) -> [f32; 3] {
        if over.half_turn_squared > 0.5 * over.k.value() * over.k.value() {
            return [f32::INFINITY, 0.0, 0.0];
        }
        let ([x, y, z], h) = (self.shift, &one.half);
        let squared = x * x + y * y + z * z;
        let flat = FLAT * squared.sqrt();
        let extent = h[0] * x.abs() + h[1] * y.abs() + h[2] * z.abs();
        [squared, extent + flat * sum_of_sizes(*h), flat]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::wide_obb::stretch::testing::{self, BoxTest, Case, Said, frame, mesh};
    use crate::bvh::wide_obb::{Block, Child, WideObb};
    use crate::continuous::method::Axes;
    use crate::narrow::triangle_distance;
    use closefit_geometry::lanes::{LANES, Simd, dispatch, level};
    use closefit_geometry::math::Triangle;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::math::testing::Stream;
    use closefit_geometry::motion::frames::Frames;
    use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
    use glam::{DAffine3, DVec3};

    /// The frame of a case.
    struct Interval(IntervalFrame);

    fn up(x: f64) -> f32 {
        x as f32 * (1.0 + ROOM)
    }

    impl BoxTest for Interval {
        fn new(Case { motion, deviations, k, .. }: &Case) -> Self {
            let [turn, shift] = [motion.angular, motion.velocity].map(|v| v.as_vec3().to_array());
            Self(IntervalFrame::centred(turn, shift, deviations.map(up), up(motion.angular.length()), *k))
        }

        #[inline(always)]
        fn in_lanes<S: Simd>(&self, simd: S, Case { single, block, asked, limit, .. }: &Case) -> Said {
            let over = (&self.0, *limit as f32);
            let meeting = |tried| simd::meeting(simd, single, (block, *asked), over, tried);
            (Axes::ALL.map(meeting), simd::subdivide(simd, single, block, &self.0))
        }

        fn by_reading_copy(&self, Case { single, block, asked, limit, .. }: &Case) -> Said {
            let over = (&self.0, *limit as f32);
            let meeting = |tried| scalar::meeting(single, (block, *asked), over, tried);
            (Axes::ALL.map(meeting), scalar::subdivide(single, block, &self.0))
        }
    }

    #[test]
    fn lanes_say_what_the_reading_copy_says() {
        testing::lanes_say_what_the_reading_copy_says::<Interval>();
    }

    #[test]
    fn what_is_left_out_stays_apart() {
        testing::what_is_left_out_stays_apart::<Interval>();
    }

    #[test]
    fn turns_too_far_leave_nothing_out() {
        let mut stream = Stream(3);
        for _ in 0..100 {
            let case = Case::new(&mut stream);
            let Interval(frame) = Interval::new(&case);
            let IntervalFrame { turn, shift, deviation, deviation_back, k, .. } = frame;
            let far =
                IntervalFrame::centred(turn, shift, [deviation, deviation_back], 1.01 * LARGEST_TURN, k);
            let all = [case.asked & case.used(); 2];
            let far = Interval(far);
            assert_eq!(dispatch!(level(), simd => far.in_lanes(simd, &case)).0, all);
        }
    }

    fn affine(pose: Pose) -> DAffine3 {
        let column = |j: usize| DVec3::from_array(pose.rows.map(|row| row[j]));
        DAffine3::from_cols(column(0), column(1), column(2), column(3))
    }

    /// Returns a box of one tree in the frame of a block of another.
    fn placed(block: &Block, lane: usize, of: &PosedWideObb, to: &PosedWideObb, origin: &[f32; 3]) -> Single {
        let f64s = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
        let column = |columns: &[[f32; LANES]; 3]| f64s(columns.map(|column| column[lane]));
        let inverse = to.linear.inverse();
        let world = of.linear * (f64s(block.origin) + column(&block.center)) + of.origin;
        let center = inverse * (world - to.origin) - f64s(*origin);
        let ratio = of.scale / to.scale;
        let axes = [column(&block.axes[0]), column(&block.axes[1])];
        let axes =
            [axes[0], axes[1], axes[0].cross(axes[1])].map(|axis| inverse * (of.linear * axis) / ratio);
        let half = column(&block.half) * ratio;
        let half = half + half.element_sum() * F32_EXTENT + (of.error + to.error) / to.scale + 1e-6;
        let f32s = |v: DVec3| v.as_vec3().to_array();
        Single { center: f32s(center), axes: axes.map(f32s), half: f32s(half) }
    }

    /// Chains of joints, mirrored and scaled: at sampled times, the triangles of leaves that are left out are
    /// farther apart than the limit.
    #[test]
    fn triangles_of_moving_trees_stay_apart() {
        let (mut stream, mut left_out, mut kept) = (Stream(4), 0, 0);
        for _ in 0..60 {
            let meshes = [mesh(&mut stream), mesh(&mut stream)];
            let trees = meshes.each_ref().map(WideObb::build);
            let mut frames = Frames::default();
            let stem = frame(&mut stream, &mut frames, None);
            let ends = [0; 2].map(|_| {
                (0..1 + stream.below(2)).fold(stem, |above, _| frame(&mut stream, &mut frames, Some(above)))
            });
            let placed_parts =
                [0, 1].map(|k| PlacedPart::of(Pose::IDENTITY, Some(ends[k]), meshes[k].vertices()));
            let pair = PairMotion::new(&frames, placed_parts);
            let span = pair.span(0.0, 1.0);
            let half = stream.pick(&[0.2, 0.05, 0.01, 0.001]);
            let time = 0.5 + 0.2 * stream.signed();
            let moment = span.moment(time, half);
            let posed = [0, 1].map(|k| PosedWideObb::new(&trees[k], &moment.poses[k]));
            let limit = stream.pick(&[0.0, 0.1]);
            for side in [0, 1] {
                let (of, to) = (&posed[side], &posed[1 - side]);
                let over = IntervalFrame::new(&moment, span.spin(), side, of, to, K::PAPER).unwrap();
                // The velocity is the derivative of the position.
                let p = stream.point();
                let at = |t: f64| {
                    let now = pair.poses(t).map(affine);
                    let [then_of, then_to] = [side, 1 - side].map(|k| affine(moment.poses[k]));
                    let world = DAffine3 { matrix3: to.linear, translation: to.origin };
                    let seen = then_to * now[1 - side].inverse() * now[side] * then_of.inverse();
                    (world.inverse() * seen * world).transform_point3(p)
                };
                let difference = (at(time + 1e-6) - at(time - 1e-6)) / 2e-6 * half;
                let f64s = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
                let velocity = f64s(over.shift) + f64s(over.turn).cross(p);
                assert!(difference.abs_diff_eq(velocity, 1e-5), "{difference} {velocity}");
                let normal_limit = IntervalFrame::limit(limit, to);
                let corners = |k: usize, index: usize, t: f64| -> Triangle {
                    let pose = pair.poses(time + half * t)[k];
                    trees[k].corners[index].map(|v| pose.apply(trees[k].vertices[v as usize]))
                };
                for block in &trees[side].blocks {
                    for (lane, code) in block.child.into_iter().enumerate() {
                        let Child::Leaf { first, count } = Child::of(code) else { continue };
                        for other in &trees[1 - side].blocks {
                            let single = placed(block, lane, of, to, &other.origin);
                            let over = (&over, normal_limit);
                            let meeting = scalar::meeting(&single, (other, 0xff), over, Axes::All);
                            for (l, code) in other.child.into_iter().enumerate() {
                                let Child::Leaf { first: from, count: n } = Child::of(code) else { continue };
                                if meeting >> l & 1 == 1 {
                                    kept += 1;
                                    continue;
                                }
                                left_out += 1;
                                for (p, q) in
                                    (first..first + count).flat_map(|p| (from..from + n).map(move |q| (p, q)))
                                {
                                    for t in [-1.0, -0.5, 0.0, 0.5, 1.0] {
                                        let a = corners(side, p as usize, t);
                                        let b = corners(1 - side, q as usize, t);
                                        let distance = triangle_distance::scalar::bounds(&a, &b).at_most;
                                        assert!(distance > limit, "{distance} {limit} {moment:?} {over:?}");
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(left_out > 10_000 && kept > 1_000, "{left_out} {kept}");
    }
}

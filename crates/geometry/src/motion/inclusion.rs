//! Inclusion functions of joints and chains of joints: enclosures of a vertex over a stretch of time (Redon
//! et al. 2002, section 3.2, equations 5 and 6).
//!
//! They enclose the intended motion, in exact arithmetic; [`PairSpan`](super::span::PairSpan) bounds
//! separately how far rounding may move a posed vertex from it. Two forms are intersected:
//!
//! - *natural*: the leaf's box passes through one joint after another, each of which turns it about the
//!   middle of the stretch by a small angle. Correct for stretches of any length.
//! - *centred*: the position at the middle, plus the stretch times all velocities. In a chain it does not
//!   turn boxes repeatedly, and wins for stretches below about a radian. For a single joint, the natural form
//!   is as tight.

use glam::DVec3;

use super::frames::{FrameId, Frames};
use super::joint::{Joint, Span, Timed};
use crate::math::interval::{Interval, IntervalMat3, IntervalVec3};
use crate::math::pose::Pose;

/// Positions and velocities of a point over a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried {
    /// Enclosure of the positions.
    pub place: IntervalVec3,
    /// Enclosure of the velocities, per second.
    pub velocity: IntervalVec3,
}

impl Carried {
    /// Creates a point at rest.
    pub fn still(at: DVec3) -> Self {
        Self { place: IntervalVec3::point(at), velocity: IntervalVec3::ZERO }
    }

    /// Maps the point from a fixed frame to the frame above it.
    pub fn posed(self, pose: &Pose) -> Self {
        Self { place: self.place.posed(pose), velocity: IntervalMat3::of_pose(pose) * self.velocity }
    }
}

impl Joint {
    /// Maps a point of the frame into the parent's frame, over a stretch of time without a keyframe inside.
    /// At an end where the motion jumps, the pose of the interior counts.
    pub fn carry(&self, point: Carried, time: Interval) -> Carried {
        match self {
            Self::Fixed(pose) => point.posed(pose),
            Self::Moving(motion) => match motion.span(time.lo, time.hi) {
                None => point.posed(&motion.pose(time.middle())),
                Some(span) => span.carry(point, motion.scale(), time),
            },
        }
    }
}

impl Span {
    fn carry(&self, point: Carried, scale: [f64; 3], time: Interval) -> Carried {
        let Self { turn, travel } = self;
        let (part, rate) = turn.over(time);
        let middle = Interval::point(part.middle());
        let about = turn.piece.orientation(middle).scale_columns(scale);
        let turned = |v: IntervalVec3| turn.piece.turned(about * v, part - middle);
        let (place, carried) = (turned(point.place), turned(point.velocity));
        let angular = turn.piece.direction().scale(Interval::point(turn.piece.angle) * rate);
        let spun = if turn.piece.angle == 0.0 { IntervalVec3::ZERO } else { angular.cross(place) };
        let (part, rate) = travel.over(time);
        Carried {
            place: place + travel.piece.over(part),
            velocity: carried + spun + travel.piece.velocity_over(part).scale(rate),
        }
    }
}

impl<T> Timed<T> {
    /// Returns the range of the parameter over a stretch of time, and its rate.
    fn over(&self, time: Interval) -> (Interval, Interval) {
        let from = Interval::point(self.from);
        let rate = Interval::ONE / (Interval::point(self.to) - from);
        ((time - from) * rate, rate)
    }
}

/// Returns enclosures of the positions of a point over a stretch of time in the natural and in the centred
/// form. `carry` encloses the point over any stretch.
pub fn forms(carry: impl Fn(Interval) -> Carried, time: Interval) -> [IntervalVec3; 2] {
    let middle = Interval::point(time.middle());
    let Carried { place, velocity } = carry(time);
    [place, carry(middle).place + velocity.scale(time - middle)]
}

impl Frames {
    /// Encloses the world positions of a vertex of a frame, over a time without a keyframe inside.
    pub fn vertex_over(&self, id: FrameId, vertex: DVec3, time: Interval) -> IntervalVec3 {
        let chain = self.chain(id);
        let carry = |time: Interval| {
            chain
                .iter()
                .rev()
                .fold(Carried::still(vertex), |point, &id| self.get(id).joint.carry(point, time))
        };
        let [natural, centred] = forms(carry, time);
        natural.meet(centred)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{points, quaternions};
    use crate::motion::joint::{Between, Keyframe, Motion};
    use proptest::prelude::*;

    fn joint() -> impl Strategy<Value = Joint> {
        let between =
            prop_oneof![3 => Just(Between::Screw), 3 => Just(Between::Linear), 1 => Just(Between::Step)];
        let scale = prop_oneof![Just([1.0; 3]), Just([-2.0, 2.0, 2.0]), Just([0.5, 1.0, 2.0])];
        let near = prop_oneof![Just(1.0), Just(1e-3), Just(1e-9), Just(0.0)];
        let keys = (quaternions(), quaternions(), points(3.0), points(3.0), near);
        let moving = (keys, between, scale).prop_map(|((q0, q1, t0, t1, near), between, scale)| {
            let mixed = std::array::from_fn(|i| q0[i] + near * (q1[i] - q0[i]));
            let keys = [(0.0, q0, t0), (1.0, mixed, t1)];
            let keys = keys.map(|(time, rotation, translation)| Keyframe { time, rotation, translation });
            Joint::Moving(Motion::through(&keys, between, scale).unwrap())
        });
        let fixed = (quaternions(), points(2.0))
            .prop_map(|(q, t)| Joint::Fixed(Pose::from_trs(q, [1.0; 3], t.to_array()).unwrap()));
        prop_oneof![1 => fixed, 3 => moving]
    }

    /// Rounding error of positions of this size.
    const ROUNDING: f64 = 1e-12;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn poses_are_where_they_may_be(
            joints in prop::collection::vec(joint(), 1..5),
            vertex in points(2.0),
            (from, width) in (0.0..1.0f64, prop_oneof![Just(1.0), Just(0.1), Just(1e-3), Just(1e-8), Just(0.0)]),
        ) {
            let mut frames = Frames::default();
            let leaf = joints.into_iter().fold(None, |above, joint| Some(frames.add(above, joint))).unwrap();
            // The last moment of a step does not belong to the stretch.
            let time = Interval::new(from * 0.999, (from + width).min(1.0) * 0.999);
            let within = frames.vertex_over(leaf, vertex, time).widened(ROUNDING * 100.0);
            let chain = frames.chain(leaf);
            let carry = |time: Interval| chain.iter().rev().fold(Carried::still(vertex), |p, &id| {
                frames.get(id).joint.carry(p, time)
            });
            let Carried { place, velocity } = carry(time);
            for step in 0..=16 {
                let t = (time.lo + (time.hi - time.lo) * f64::from(step) / 16.0).min(time.hi);
                let p = frames.pose(leaf, t).apply(vertex);
                prop_assert!(within.contains(p), "{within:?} {p}");
                // Difference quotients equal velocities at some time in between.
                let (early, late) = (t.min(time.hi - 1e-3), t.min(time.hi - 1e-3) + 1e-3);
                if early >= time.lo && width >= 0.1 {
                    let speed = (frames.pose(leaf, late).apply(vertex) - frames.pose(leaf, early).apply(vertex)) / (late - early);
                    prop_assert!(velocity.widened(1e-8).contains(speed), "{velocity:?} {speed}");
                }
                // Smaller stretches have smaller enclosures.
                let inner = carry(Interval::point(t)).place;
                prop_assert!(place.widened(ROUNDING * 100.0).contains(inner.middle()));
                prop_assert!(inner.radius() < 1e-11 * (1.0 + place.middle().length()), "{}", inner.radius());
            }
        }
    }

    /// Compares the widths of both forms with the extent that the vertex really sweeps, for a chain of three
    /// turning joints and for long and short stretches.
    #[test]
    fn the_centred_form_wins_when_stretches_are_short() {
        let mut frames = Frames::default();
        let keys = [([0.0, 0.0, 0.0, 1.0], DVec3::ZERO), ([0.6, 0.0, 0.48, 0.64], DVec3::X)];
        let keys = [0, 1].map(|i| Keyframe { time: i as f64, rotation: keys[i].0, translation: keys[i].1 });
        let mut leaf = None;
        for _ in 0..3 {
            let motion = Motion::through(&keys, Between::Linear, [1.0; 3]).unwrap();
            leaf = Some(frames.add(leaf, Joint::Moving(motion)));
        }
        let (leaf, vertex) = (leaf.unwrap(), DVec3::new(0.3, 1.0, -0.5));
        let ratios = |width: f64| {
            let time = Interval::new(0.4, 0.4 + width);
            let chain = frames.chain(leaf);
            let carry = |time: Interval| {
                chain.iter().rev().fold(Carried::still(vertex), |p, &id| frames.get(id).joint.carry(p, time))
            };
            let swept =
                (0..=64).map(|k| frames.pose(leaf, time.lo + width * f64::from(k) / 64.0).apply(vertex));
            let swept = swept.map(IntervalVec3::point).reduce(IntervalVec3::hull).unwrap();
            forms(carry, time).map(|form| form.radius() / swept.radius())
        };
        let [natural, centred] = ratios(0.5);
        assert!(natural < centred && natural < 6.0, "{natural} {centred}");
        let [natural, centred] = ratios(0.01);
        assert!(centred < natural && centred < 1.1 && natural < 3.0, "{natural} {centred}");
    }
}

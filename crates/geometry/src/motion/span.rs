//! Two parts between two keyframes: the constants of that time, and bounds of the relative motion.
//!
//! Let `P` be a point of one part and `n` a unit direction fixed to the other. Over a stretch of time of half
//! width h, the position of `P` along `n` differs from that at the middle by no more than
//! `h |n . v(P)| + h^2 K / 2`, where `v` is the relative velocity at the middle, which is a screw, and K is
//! an acceleration bound. The relative acceleration follows the usual formula of a moving frame,
//! `a_P - a_frame(P) - 2 w x v`. Each term is bounded joint by joint: `|a_i| + w_i^2 r_i`, and
//! `2 w_i (u_j + w_j r_j)` for a joint j below i.

use glam::DVec3;

use super::ball::CarriedBall;
use super::cells::{Cells, FINEST, Stretch};
use super::inclusion::{Carried, forms};
use super::joint::{Joint, Span};
use super::moment::Moment;
use super::pair::{JointChain, PairMotion, composed};
use crate::math::error_bounds::{MOVED, UNIT, VELOCITY};
use crate::math::interval::{Interval, IntervalVec3};
use crate::math::pose::Pose;

/// Two parts between two keyframes, with the constants of that time.
#[derive(Clone, Debug)]
pub struct PairSpan<'a> {
    pub(super) chains: [ChainSpan<'a>; 2],
    pub(super) pair: &'a PairMotion<'a>,
    pub(super) from: f64,
    pub(super) to: f64,
    /// Bound on the rounding error of distances between posed vertices, compared with the intended motion.
    pub(super) rounding: f64,
}

/// The joints of one part during the span.
#[derive(Clone, Debug)]
pub(super) struct ChainSpan<'a> {
    pub chain: &'a JointChain<'a>,
    /// Joints of this chain alone that move during the span, root first.
    pub moving: Vec<MovingJoint<'a>>,
    /// Upper bound on the speed of a point, as seen from where the two chains branch.
    speed: f64,
    /// Acceleration bound of a point, as seen from the same frame.
    acceleration_bound: f64,
    /// Sum of the angular rates.
    spin: f64,
    /// Upper bound on the distance from the world's origin of a vertex, and of every step of the chain.
    pub extent: f64,
    /// Relative deviation of the last moving joint's parent frame from a similarity; bounds the relative
    /// error of that joint's motion.
    pub skew: f64,
    /// Bound for joints that carry both parts in a frame that is not a similarity. As they turn, lengths
    /// differ by the skew, so distances between the two parts change, but not faster than the sum of both
    /// chains' drifts.
    pub drift: f64,
    /// Upper bound on the world length of a unit vector in the part's own coordinates.
    gain: f64,
    /// Upper bound on the distance of a posed vertex from its intended position.
    rounding: f64,
}

/// A moving joint. Lengths are in world units.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingJoint<'a> {
    /// Index among the joints of the chain.
    at: usize,
    pub span: &'a Span,
    /// Angular rate, in radians per second.
    rate: f64,
    /// Speed of its origin in its parent's frame.
    travel: f64,
    /// Acceleration of its origin in its parent's frame.
    acceleration_bound: f64,
    /// Upper bound on the distance of a vertex from its origin.
    reach: f64,
}

impl MovingJoint<'_> {
    /// Returns an upper bound on the speed that the joint gives to a point at a distance from its origin.
    fn speed(&self, distance: f64) -> f64 {
        self.travel + self.rate * distance
    }
}

/// Returns an acceleration bound of a point that joints carry, root first, at given distances from them.
fn acceleration_bound(joints: &[MovingJoint], distance: impl Fn(usize) -> f64) -> f64 {
    let (mut sum, mut spin) = (0.0, 0.0);
    for (i, joint) in joints.iter().enumerate() {
        let speed = joint.speed(distance(i));
        sum += joint.acceleration_bound + joint.rate * joint.rate * distance(i) + 2.0 * spin * speed;
        spin += joint.rate;
    }
    sum
}

/// The joints above a joint in its chain.
#[derive(Clone, Copy)]
struct Above {
    /// Upper bound on the length that they give to a unit vector.
    gain: f64,
    /// Their deviation from a similarity.
    skew: f64,
    /// The gain of the joint itself.
    own: f64,
}

/// Returns an upper bound on the length that a linear map gives to a unit vector, and the map's deviation
/// from a similarity.
pub(super) fn gain_and_skew(pose: &Pose) -> (f64, f64) {
    let m = pose.linear();
    let t = m.transpose() * m;
    let sums = [t.row(0), t.row(1), t.row(2)].map(|row| row.abs().element_sum());
    let most = sums.into_iter().fold(0.0, f64::max);
    let scale = (t.x_axis.x + t.y_axis.y + t.z_axis.z) / 3.0;
    let off = |i: usize, j: usize| (t.col(j)[i] / scale - if i == j { 1.0 } else { 0.0 }).abs();
    let skew = (0..9).fold(0.0, |most: f64, k| most.max(off(k / 3, k % 3)));
    (most.sqrt() * (1.0 + 8.0 * UNIT), 3.0 * skew)
}

/// The factor by which lengths along a chain have to exceed the reach of the ball for that to count. Where no
/// lengths cancel, they are as good a bound, and cost less.
const CANCELLED: f64 = 64.0;

impl<'a> ChainSpan<'a> {
    fn new(chain: &'a JointChain<'a>, from: f64, to: f64) -> Self {
        // Gain and skew of everything above each joint, from the root down.
        let mut above = Vec::with_capacity(chain.joints.len());
        let (mut gain, mut skew) = chain.base.as_ref().map_or((1.0, 0.0), gain_and_skew);
        for joint in &chain.joints {
            let (own, off) = match joint {
                Joint::Fixed(pose) => gain_and_skew(pose),
                Joint::Moving(motion) => gain_and_skew(&Pose::scaling(motion.scale())),
            };
            above.push(Above { gain, skew, own });
            gain *= own;
            skew += off;
        }
        // Reaches, from the leaf up.
        let mut lengths = gain * chain.placed.reach;
        let mut ball = CarriedBall::new(chain, [from, to]);
        // The ball's own size, which no joint lessens.
        let enough = CANCELLED * gain * chain.placed.radius;
        let (mut moving, mut left_out) = (Vec::new(), 0.0);
        let (mut drift, mut wobble) = (0.0, 0.0);
        for (at, joint) in chain.joints.iter().enumerate().rev() {
            let Above { gain, skew, own } = above[at];
            match joint {
                Joint::Fixed(pose) => lengths += gain * pose.shift().length(),
                Joint::Moving(motion) => match motion.span(from, to) {
                    Some(span) => {
                        let mut reach = lengths;
                        if lengths > enough {
                            let composed = gain * own * ball.below(at).reach();
                            reach = if CANCELLED * composed < lengths { composed } else { lengths };
                        }
                        let (turns, travels) = (span.turn.rate(), span.travel.rate());
                        let (turn, travel) = (&span.turn.piece, &span.travel.piece);
                        let rate = turn.angle * turns * (1.0 + MOVED);
                        left_out += turn.left_out * reach;
                        if at >= chain.own {
                            moving.push(MovingJoint {
                                at,
                                span,
                                rate,
                                travel: gain * travel.length() * travels * (1.0 + MOVED),
                                acceleration_bound: gain
                                    * travel.acceleration()
                                    * travels
                                    * travels
                                    * (1.0 + MOVED),
                                reach,
                            });
                        } else {
                            // For a vector u that turns at the rate w, |d/dt |L u|| <= skew w |L u|; the
                            // factor 2 covers terms of second order in the skew.
                            wobble += 2.0 * skew * rate;
                            drift += 2.0 * skew * rate * reach;
                        }
                        lengths += gain * travel.reach();
                    }
                    None => lengths += gain * motion.pose(0.5 * from + 0.5 * to).shift().length(),
                },
            }
        }
        moving.reverse();
        let extent = lengths + chain.base.as_ref().map_or(0.0, |pose| pose.shift().length());
        Self {
            chain,
            speed: moving.iter().map(|joint| joint.speed(joint.reach)).sum::<f64>() + drift,
            acceleration_bound: acceleration_bound(&moving, |i| moving[i].reach),
            spin: moving.iter().map(|joint| joint.rate).sum::<f64>() + wobble,
            extent,
            skew: moving.last().map_or(0.0, |joint| above[joint.at].skew),
            drift,
            gain,
            rounding: left_out + MOVED * (chain.joints.len() + 1) as f64 * extent,
            moving,
        }
    }

    /// Returns the pose at a time, given the pose of the joints that carry both parts. Calls `each` with the
    /// origin of each moving joint and its contribution to the velocity field `v + w x p`.
    pub fn at(&self, stem: Option<Pose>, time: f64, mut each: impl FnMut(DVec3, DVec3, DVec3)) -> Pose {
        let mut moving = self.moving.iter().peekable();
        let mut pose = stem;
        for (at, joint) in self.chain.joints.iter().enumerate().skip(self.chain.own) {
            let world = composed(pose, &joint.pose(time));
            if let Some(MovingJoint { span, .. }) = moving.next_if(|joint| joint.at == at) {
                let parameter = span.travel.parameter(time);
                let velocity = span.travel.piece.velocity(parameter) * span.travel.rate();
                let angular = span.turn.piece.axis * (span.turn.piece.angle * span.turn.rate());
                let (velocity, angular) = match &pose {
                    None => (velocity, angular),
                    Some(above) => {
                        let m = above.linear();
                        // A reflection reverses the sense of rotation.
                        let squared = (m.x_axis.length_squared()
                            + m.y_axis.length_squared()
                            + m.z_axis.length_squared())
                            / 3.0;
                        let scale = squared.sqrt() * m.determinant().signum();
                        (m * velocity, m * angular / scale)
                    }
                };
                each(world.shift(), velocity, angular);
            }
            pose = Some(world);
        }
        pose.expect("a joint or a pose")
    }
}

/// The smallest movement within a cell, as a share of the rounding. Distances that differ from a limit by
/// less than the rounding are decided cell by cell, and this bounds their number while parts approach each
/// other.
const SHARE_OF_MOVEMENT: f64 = 1.0 / 64.0;

impl<'a> PairSpan<'a> {
    pub(super) fn new(pair: &'a PairMotion<'a>, from: f64, to: f64) -> Self {
        let chains = pair.chains.each_ref().map(|chain| ChainSpan::new(chain, from, to));
        let speed = chains[0].speed + chains[1].speed;
        let clock = 16.0 * UNIT * from.abs().max(to.abs());
        let rounding = 2.0 * (chains[0].rounding + chains[1].rounding) + speed * clock;
        Self { chains, pair, from, to, rounding }
    }

    /// Returns the motion of one part of the pair as seen from the world: see [`PairMotion::alone`].
    pub fn alone(&self, side: usize) -> PairMotion<'a> {
        self.pair.alone(side)
    }

    /// Returns an upper bound on the speed of points of one part, as seen from where the two chains branch,
    /// plus the same bound of the other.
    pub fn speed(&self) -> f64 {
        self.chains[0].speed + self.chains[1].speed
    }

    /// Returns a bound on the rounding error of distances between posed vertices, compared with the intended
    /// motion.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Returns an upper bound on the angular rate of a direction fixed to one part as seen from the other, in
    /// radians per second.
    pub fn spin(&self) -> f64 {
        (self.chains[0].spin + self.chains[1].spin) * self.room()
    }

    /// Returns the part (0 the first, 1 the second) as seen from which the other's points accelerate less.
    /// Seen from a part that turns fast, everything far from it swings around.
    pub fn steadier(&self) -> usize {
        if self.chains.iter().all(|chain| chain.spin == 0.0) {
            return 0;
        }
        let [first, second] = self.moment(0.5 * self.from + 0.5 * self.to, 0.0).acceleration_bound;
        usize::from(first < second)
    }

    /// Returns an upper bound on the speed, in all, by which frames that are not similarities let points
    /// leave the motions of rigid bodies.
    pub(super) fn unevenness(&self) -> f64 {
        let [a, b] = &self.chains;
        2.0 * (a.skew + b.skew) * self.speed() + (a.drift + b.drift)
    }

    /// Returns the factor that covers rounding and frames that are not similarities in rates.
    fn room(&self) -> f64 {
        1.0 + MOVED + 4.0 * (self.chains[0].skew + self.chains[1].skew)
    }

    /// Encloses the positions of a vertex of one part (0 the first, 1 the second) during a stretch of the
    /// span, as seen from where the two chains branch: joints that carry both parts are held at the middle of
    /// the stretch. Does not include the rounding of poses, which [`Moment::slack`] covers.
    pub fn vertex_over(&self, side: usize, vertex: DVec3, time: Interval) -> IntervalVec3 {
        let chain = self.chains[side].chain;
        let (common, own) = chain.joints.split_at(chain.own);
        let middle = time.middle();
        let carry = |time: Interval| {
            let point =
                own.iter().rev().fold(Carried::still(vertex), |point, joint| joint.carry(point, time));
            let point = common.iter().rev().fold(point, |point, joint| point.posed(&joint.pose(middle)));
            chain.base.iter().fold(point, Carried::posed)
        };
        let [natural, centred] = forms(carry, time);
        natural.meet(centred)
    }

    /// Returns the cells: the least number `2^k` for which no point of the pair moves farther than half of
    /// `precision` within a cell, rounding included. A precision that has room for little but rounding is an
    /// error.
    ///
    /// # Errors
    /// The smallest possible precision, approximately.
    pub fn cells(&self, precision: f64) -> Result<Cells, f64> {
        let path = self.speed() * (self.to - self.from);
        let room = 0.5 * precision - self.rounding - 8.0 * UNIT * precision;
        // What a cell leaves to the movement, at the least.
        let least = path.min((path / (1u64 << FINEST) as f64).max(SHARE_OF_MOVEMENT * self.rounding));
        let at_best = 2.0 * (self.rounding + least) * (1.0 + 64.0 * UNIT);
        let fits = |level: &u32| path / (1u64 << level) as f64 <= room;
        match (0..=FINEST).find(fits) {
            Some(level) if room >= least => Ok(Cells { from: self.from, to: self.to, level }),
            _ => Err(at_best),
        }
    }

    /// Returns the relative motion over a stretch of the cells.
    pub fn over(&self, cells: &Cells, stretch: Stretch) -> Moment {
        self.moment(cells.middle(stretch), cells.half_width(stretch))
    }

    /// Returns the relative motion around a time, `half` seconds to either side.
    pub fn moment(&self, time: f64, half: f64) -> Moment {
        let (mut velocity, mut angular, mut leverage) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        let extent = self.chains[0].extent + self.chains[1].extent;
        let mut origins = [const { Origins::NONE }; 2];
        let [first, second] = &mut origins;
        let mut add = |sign: f64, origins: &mut Origins, at: DVec3, v: DVec3, w: DVec3| {
            velocity += (v - w.cross(at)) * sign;
            angular += w * sign;
            leverage += v.length() + w.length() * extent;
            origins.push(at);
        };
        let stems = self.pair.stems(time);
        let pose_a = self.chains[0].at(stems[0], time, |at, v, w| add(-1.0, first, at, v, w));
        let pose_b = self.chains[1].at(stems[1], time, |at, v, w| add(1.0, second, at, v, w));
        let poses = [pose_a, pose_b];
        let [a, b] = &self.chains;
        let joints = a.chain.joints.len().max(b.chain.joints.len()) + 1;
        let uncertain = half * (VELOCITY * joints as f64 * leverage + self.unevenness());
        let acceleration_bound =
            [0, 1].map(|of| self.acceleration_bound(of, &poses, &origins[1 - of], half) * self.room());
        Moment {
            poses,
            time,
            half,
            velocity,
            angular,
            acceleration_bound,
            speed: self.speed(),
            slack: self.rounding + uncertain,
        }
    }

    /// Returns an acceleration bound of one part's points as seen from the other part, whose moving joints
    /// have these origins.
    fn acceleration_bound(&self, of: usize, poses: &[Pose; 2], origins: &Origins, half: f64) -> f64 {
        let (own, frame) = (&self.chains[of], &self.chains[1 - of]);
        if frame.moving.is_empty() {
            return own.acceleration_bound;
        }
        let middle = poses[of].linear() * own.chain.placed.center + poses[of].shift();
        let around = own.gain * own.chain.placed.radius + half * self.speed() + own.rounding;
        let distance = |joint: usize| (origins.get(joint) - middle).length() + around;
        if own.moving.is_empty()
            && let [joint] = &frame.moving[..]
        {
            // -a + 2 w x v of the frame's own points: of 2 w x (w x r) and -w x (w x r), one w x (w x r)
            // remains.
            return joint.acceleration_bound + joint.rate * (2.0 * joint.travel + joint.rate * distance(0));
        }
        let carried: f64 = frame.moving.iter().enumerate().map(|(i, joint)| joint.speed(distance(i))).sum();
        own.acceleration_bound
            + acceleration_bound(&frame.moving, distance)
            + 2.0 * frame.spin * (own.speed + carried)
    }
}

/// Origins of moving joints. Chains are short, and this is in the hottest loop, so few origins need no heap.
#[derive(Clone, Debug)]
struct Origins {
    few: [DVec3; 8],
    count: usize,
    more: Vec<DVec3>,
}

impl Origins {
    const NONE: Self = Self { few: [DVec3::ZERO; 8], count: 0, more: Vec::new() };

    fn push(&mut self, at: DVec3) {
        match self.few.get_mut(self.count) {
            Some(slot) => *slot = at,
            None => self.more.push(at),
        }
        self.count += 1;
    }

    fn get(&self, index: usize) -> DVec3 {
        self.few.get(index).copied().unwrap_or_else(|| self.more[index - self.few.len()])
    }
}

#[cfg(test)]
mod tests {
    use std::array;

    use super::*;
    use crate::math::testing::{cases, points, quaternions};
    use crate::motion::frames::{FrameId, Frames};
    use crate::motion::joint::{Between, Keyframe, Motion};
    use crate::motion::pair::PlacedPart;
    use proptest::prelude::*;

    fn joint() -> impl Strategy<Value = Joint> {
        let scale = prop_oneof![3 => Just(1.0), 1 => 0.5..2.0f64];
        let fixed = (quaternions(), scale, points(2.0), any::<bool>()).prop_map(|(q, s, t, mirrored)| {
            let x = if mirrored { -s } else { s };
            Joint::Fixed(Pose::from_trs(q, [x, s, s], t.to_array()).unwrap())
        });
        let between = prop_oneof![Just(Between::Screw), Just(Between::Linear)];
        let moving = (quaternions(), quaternions(), points(2.0), points(2.0), between, any::<bool>())
            .prop_map(|(q0, q1, t0, t1, between, slow)| {
                let q1 = if slow { array::from_fn(|i| q0[i] + 1e-3 * q1[i]) } else { q1 };
                let keys = [(0.0, q0, t0), (1.0, q1, t1)].map(|(time, rotation, translation)| Keyframe {
                    time,
                    rotation,
                    translation,
                });
                Joint::Moving(Motion::through(&keys, between, [1.0; 3]).unwrap())
            });
        prop_oneof![1 => fixed, 2 => moving]
    }

    fn inverse(pose: &Pose, p: DVec3) -> DVec3 {
        pose.linear().inverse() * (p - pose.shift())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(2000)))]

        #[test]
        fn points_move_as_bounded(
            common in prop::collection::vec(joint(), 0..2),
            own in [prop::collection::vec(joint(), 0..3), prop::collection::vec(joint(), 0..3)],
            vertices in [prop::collection::vec(points(1.0), 1..5), prop::collection::vec(points(1.0), 1..5)],
            direction in points(1.0),
            (middle, width) in (0.1..0.9f64, prop_oneof![Just(0.1), Just(1e-2), Just(1e-4)]),
            skewed in any::<bool>(),
            stretched in prop_oneof![Just(None), prop::array::uniform3(0.2..3.0f64).prop_map(Some)],
        ) {
            prop_assume!(direction.length() > 0.1);
            let mut frames = Frames::default();
            // The largest deviation from a similarity that is admitted for a frame in which something turns.
            let skew = Pose::scaling([1.0, 1.0 + 3e-7, 1.0 - 1e-7]);
            let base = skewed.then(|| frames.add(None, Joint::Fixed(skew)));
            let stem = common.into_iter().fold(base, |above, joint| Some(frames.add(above, joint)));
            let mut ends = own.map(|joints| joints.into_iter().fold(stem, |above, joint| Some(frames.add(above, joint))));
            if let Some(scale) = stretched {
                // Below all joints that move, a part may have any linear map of its own.
                ends[0] = Some(frames.add(ends[0], Joint::Fixed(Pose::scaling(scale))));
            }
            let placed_parts = [0, 1].map(|side| PlacedPart::of(Pose::IDENTITY, ends[side], &vertices[side]));
            let pair = PairMotion::new(&frames, placed_parts);
            let span = pair.span(0.0, 1.0);
            let half = width * 0.99;
            let moment = span.moment(middle, half);
            prop_assert_eq!(moment.poses, pair.poses(middle));
            for side in 0..2 {
                prop_assert_eq!(pair.alone(side).poses(middle), [Pose::IDENTITY, moment.poses[side]]);
            }
            prop_assert_eq!(moment.poses, placed_parts.map(|placed| placed.pose_at(&frames, middle)));
            let direction = direction.normalize();
            for step in -4..=4 {
                let time = middle + f64::from(step) / 4.0 * half;
                let now = pair.poses(time);
                let stretch = Interval::new(middle - half, middle + half);
                for (side, &vertex) in [0, 1].into_iter().flat_map(|k| vertices[k].iter().map(move |v| (k, v))) {
                    // The joints that carry both parts are held at the middle.
                    let there = now[side].apply(vertex);
                    let held = stem.map_or(there, |stem| {
                        frames.pose(stem, middle).apply(inverse(&frames.pose(stem, time), there))
                    });
                    prop_assert!(span.vertex_over(side, vertex, stretch).widened(1e-9).contains(held));
                }
                for (&p, &q) in vertices[0].iter().flat_map(|p| vertices[1].iter().map(move |q| (p, q))) {
                    let apart = |poses: &[Pose; 2]| (poses[0].apply(p) - poses[1].apply(q)).length();
                    let change = (apart(&now) - apart(&moment.poses)).abs();
                    prop_assert!(change <= moment.speed * (time - middle).abs() * (1.0 + 1e-9) + 1e-12);
                }
                for side in 0..2 {
                    let (of, seen) = (side, 1 - side);
                    for &vertex in &vertices[of] {
                        let there = moment.poses[of].apply(vertex);
                        let moved = moment.poses[seen].apply(inverse(&now[seen], now[of].apply(vertex)));
                        let sign = if side == 1 { 1.0 } else { -1.0 };
                        let velocity = sign * (moment.velocity + moment.angular.cross(there));
                        let along = (moved - there).dot(direction);
                        let bound = half * velocity.dot(direction).abs() + moment.deviation(of);
                        prop_assert!(along.abs() <= bound * (1.0 + 1e-9) + 1e-12, "{along} {bound} {moment:?}");
                        // The velocity is the derivative of the position.
                        let dt = 1e-6;
                        if step == 0 {
                            let at = |t: f64| {
                                let now = pair.poses(t);
                                moment.poses[seen].apply(inverse(&now[seen], now[of].apply(vertex)))
                            };
                            let difference = (at(middle + dt) - at(middle - dt)) / (2.0 * dt);
                            let off = if skewed { 1e-4 } else { 0.0 };
                            prop_assert!((difference - velocity).length() < 1e-6 + off, "{difference} {velocity}");
                        }
                    }
                }
            }
        }
    }

    /// A chain in which each joint has a pivot of its own: it moves what is drawn as if the pivot were at the
    /// origin.
    fn pivoted(frames: &mut Frames, joints: Vec<Joint>, pivots: &[DVec3]) -> Option<FrameId> {
        let fixed = |shift: DVec3| Joint::Fixed(Pose::translation(shift.to_array()));
        joints.into_iter().zip(pivots).fold(None, |above, (joint, &pivot)| {
            let own = [fixed(pivot), joint, fixed(-pivot)];
            own.into_iter().fold(above, |above, joint| Some(frames.add(above, joint)))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(1000)))]

        #[test]
        fn no_vertex_is_beyond_its_reach_where_lengths_cancel(
            joints in prop::collection::vec(joint(), 1..4),
            near in any::<bool>(),
            pivots in prop::array::uniform3(points(1.0)),
            vertices in prop::collection::vec(points(1.0), 1..5),
            power in 0..7i32,
            (from, to) in (0.0..0.5f64, 0.5..1.0f64),
        ) {
            let size = 10f64.powi(power);
            let at = size * pivots[0];
            // Joints of which one is at the vertices, or all are somewhere.
            let pivots = pivots.map(|pivot| at + if near { pivot } else { size * pivot });
            let vertices: Vec<DVec3> = vertices.iter().map(|&v| at + v).collect();
            let mut frames = Frames::default();
            let end = pivoted(&mut frames, joints, &pivots);
            let world = PlacedPart::of(Pose::IDENTITY, None, &[DVec3::ZERO]);
            let pair = PairMotion::new(&frames, [world, PlacedPart::of(Pose::IDENTITY, end, &vertices)]);
            let span = pair.span(from, to);
            let chain = &span.chains[1];
            let leading = frames.all().len() - chain.chain.joints.len();
            let times: Vec<f64> = (0..=8).map(|step| from + (to - from) * f64::from(step) / 8.0).collect();
            for (&time, &vertex) in times.iter().flat_map(|t| vertices.iter().map(move |v| (t, v))) {
                let there = frames.pose(end.unwrap(), time).apply(vertex);
                for joint in &chain.moving {
                    let origin = frames.pose(FrameId((leading + joint.at) as u32), time).shift();
                    let room = joint.reach * (1.0 + 1e-12) + span.rounding;
                    prop_assert!((there - origin).length() <= room, "{joint:?}");
                }
                for &other in &times {
                    let moved = (frames.pose(end.unwrap(), other).apply(vertex) - there).length();
                    let bound = span.speed() * (other - time).abs() * (1.0 + 1e-12) + span.rounding;
                    prop_assert!(moved <= bound, "{moved} {bound}");
                }
            }
        }
    }

    #[test]
    fn a_part_drawn_far_away_has_as_many_cells_as_a_near_one() {
        let keys = [0.0, 1.0].map(|time| Keyframe {
            time,
            rotation: [0.0, 0.0, time, 1.0 - time],
            translation: DVec3::ZERO,
        });
        let turn = Joint::Moving(Motion::through(&keys, Between::Screw, [1.0; 3]).unwrap());
        let world = PlacedPart::of(Pose::IDENTITY, None, &[DVec3::ZERO]);
        let cells = |joints: usize, far: f64, precision: f64| {
            let mut frames = Frames::default();
            let at = DVec3::new(far, -2.0 * far, 0.5 * far);
            let pivots: Vec<DVec3> = (0..joints).map(|i| at + DVec3::X * i as f64).collect();
            let end = pivoted(&mut frames, vec![turn.clone(); joints], &pivots);
            let placed = PlacedPart::of(Pose::IDENTITY, end, &[at, at + DVec3::Y]);
            let pair = PairMotion::new(&frames, [world, placed]);
            pair.span(0.0, 1.0).cells(precision).map(|cells| cells.level)
        };
        // A turn by pi moves what is at a distance of 1 by no more than half of 1e-3 in 2^13 cells.
        for far in [1e3, 1e5, 1e7] {
            assert_eq!(cells(1, far, 1e-3), Ok(13));
            // Turns below turns are bounded a little differently near and far.
            for joints in [2, 3] {
                let near = cells(joints, 0.0, 1e-3).map(|level| level + 1);
                assert!(cells(joints, far, 1e-3) <= near, "{joints} joints, {far}");
            }
        }
        // What f64 cannot resolve is refused: poses round by about 1e-3.
        let least = cells(1, 1e10, 1e-3).unwrap_err();
        assert!(least > 1e-3);
        // A turn by pi moves what is at a distance of 1 by 1/64 of 1e-3 in 2^18 cells.
        assert!(cells(1, 1e10, least).is_ok_and(|level| level <= 18));
    }

    #[test]
    fn keyframes_are_met_and_a_screw_goes_around() {
        let half = 0.5f64.sqrt();
        let keys = [
            ([0.0, 0.0, 0.0, 1.0], DVec3::new(1.0, 0.0, 0.0)),
            ([0.0, 0.0, half, half], DVec3::new(0.0, 1.0, 3.0)),
        ]
        .map(|(rotation, translation)| Keyframe { time: translation.z, rotation, translation });
        let screw = Motion::through(&keys, Between::Screw, [1.0; 3]).unwrap();
        let linear = Motion::through(&keys, Between::Linear, [1.0; 3]).unwrap();
        for time in [0.0, 3.0] {
            assert_eq!(screw.pose(time), linear.pose(time));
        }
        let p = screw.pose(1.5).apply(DVec3::ZERO);
        assert!((p - DVec3::new(half, half, 1.5)).length() < 1e-15, "{p}");
        let p = linear.pose(1.5).apply(DVec3::ZERO);
        assert!((p - DVec3::new(0.5, 0.5, 1.5)).length() < 1e-15, "{p}");
        // The screw axis is x = y = 0 in world coordinates, so a point there moves straight up.
        for k in 0..=8 {
            let time = f64::from(k) * 0.375;
            let p = screw.pose(time).apply(DVec3::new(-1.0, 0.0, 0.0));
            assert!((p - DVec3::new(0.0, 0.0, time)).length() < 1e-14, "{p}");
        }
    }

    #[test]
    fn cells_are_as_fine_as_asked() {
        let keys = [0.0, 1.0].map(|x| Keyframe {
            time: x,
            rotation: [0.0, 0.0, 0.0, 1.0],
            translation: DVec3::X * x,
        });
        let mut frames = Frames::default();
        let moving =
            frames.add(None, Joint::Moving(Motion::through(&keys, Between::Screw, [1.0; 3]).unwrap()));
        let placed_parts =
            [None, Some(moving)].map(|frame| PlacedPart::of(Pose::IDENTITY, frame, &[DVec3::Y]));
        let pair = PairMotion::new(&frames, placed_parts);
        assert_eq!(pair.times([-1.0, 2.0]), [-1.0, 0.0, 1.0, 2.0]);
        let level = |precision: f64| pair.span(0.0, 1.0).cells(precision).map(|cells| cells.level);
        assert_eq!(level(2.1), Ok(0));
        assert_eq!(level(0.01), Ok(8));
        assert!(level(1e-15).unwrap_err() > 1e-15);
        let least = level(1e-15).unwrap_err();
        assert_eq!(level(least), Ok(FINEST));
        assert_eq!(pair.span(1.0, 2.0).cells(1e-9).unwrap().level, 0);
    }
}

//! A ball around a part's vertices, carried up the joints that move it.
//!
//! The lengths along a chain add up to a bound on the distance of a vertex from a joint. Where they cancel,
//! as a shift by -T with vertices about T, drawn in the world's coordinates, that bound is too large by any
//! factor. The ball is where the vertices are: fixed joints carry its centre.

use glam::DVec3;

use super::joint::{Joint, Motion, Span};
use super::pair::JointChain;
use super::span::gain_and_skew;
use crate::math::error_bounds::{MOVED, SUMS, UNIT};
use crate::math::pose::Pose;

/// A ball that contains the vertices of a part at all times of a span, in the frame of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    center: DVec3,
    radius: f64,
}

/// The ball of a chain's part, carried no farther up than it is needed.
pub(super) struct CarriedBall<'a> {
    chain: &'a JointChain<'a>,
    /// The times between which the joints move.
    between: [f64; 2],
    ball: Ball,
    /// The joint in whose parent the ball is; the number of joints for the part itself.
    at: usize,
}

impl<'a> CarriedBall<'a> {
    /// Creates the ball around the part of a chain between two times.
    pub fn new(chain: &'a JointChain<'a>, between: [f64; 2]) -> Self {
        let ball = Ball { center: chain.placed.center, radius: chain.placed.radius };
        Self { chain, between, ball, at: chain.joints.len() }
    }

    /// Returns the ball in the frame of a joint. It goes up the chain only, from call to call.
    pub fn below(&mut self, joint: usize) -> Ball {
        let [from, to] = self.between;
        while self.at > joint + 1 {
            self.at -= 1;
            self.ball = match self.chain.joints[self.at] {
                Joint::Fixed(pose) => self.ball.posed(pose, gain_and_skew(pose).0, pose.shift().length()),
                Joint::Moving(motion) => {
                    let (gain, _) = gain_and_skew(&Pose::scaling(motion.scale()));
                    match motion.span(from, to) {
                        Some(span) => self.ball.moved(motion, span, [from, to], gain),
                        None => {
                            let pose = motion.pose(0.5 * from + 0.5 * to);
                            self.ball.posed(&pose, gain, pose.shift().length())
                        }
                    }
                }
            };
        }
        self.ball
    }
}

impl Ball {
    /// Returns an upper bound on the distance of a vertex from the frame's origin.
    pub fn reach(&self) -> f64 {
        (self.center.length() + self.radius) * (1.0 + SUMS)
    }

    /// Returns the ball in the parent's frame. `gain` bounds the length that the pose gives to a unit vector,
    /// and `shift` its shift and the lengths from which that was computed.
    fn posed(self, pose: &Pose, gain: f64, shift: f64) -> Self {
        let rounding = MOVED * (gain * self.reach() + shift);
        let center = pose.linear() * self.center + pose.shift();
        Self { center, radius: (gain * self.radius + rounding) * (1.0 + SUMS) }
    }

    /// Returns the ball in the parent's frame of a joint that moves from one time to another. About the
    /// middle of that time, its centre turns by half of the angle and moves by half of the path.
    fn moved(self, motion: &Motion, span: &Span, [from, to]: [f64; 2], gain: f64) -> Self {
        let (turn, travel) = (&span.turn, &span.travel);
        let middle = 0.5 * from + 0.5 * to;
        let half = (middle - from).max(to - middle) * (1.0 + 4.0 * UNIT);
        let angle = turn.piece.angle * turn.rate() * half + turn.piece.left_out;
        let path = travel.piece.length() * travel.rate() * half;
        // By more, the larger ball around the joint's origin, which does not turn, is the better one.
        let ball = if angle < 1.0 { self } else { Self { center: DVec3::ZERO, radius: self.reach() } };
        let there = ball.posed(&motion.pose(middle), gain, travel.piece.reach());
        let turned = angle * gain * ball.center.length();
        Self { radius: (there.radius + turned + path) * (1.0 + MOVED), ..there }
    }
}

//! The joints of a pair as screws in one frame of reference: the motion of Redon et al. 2002, section 3.1,
//! equations 1, 2 and 5.
//!
//! The frame of reference is the world at the start of the span, so the joints that carry both parts stand
//! still there. A joint in a chain turns about an axis that the joints above it carry. Where `W` leads from
//! its parent's frame to the world at the start and `S(t)` is its screw, the part's points are at `W1 S1(t)
//! W1^-1 W2 S2(t) W2^-1 ... x`, for their places x at the start: each `W S(t) W^-1` is a screw of the world.

use glam::{DMat3, DVec3};

use super::joint::Span;
use super::span::PairSpan;
use crate::math::error_bounds::SCREWED;
use crate::math::interval::{Interval, IntervalVec3};
use crate::math::pose::Pose;

/// A turn about an axis and a slide, both at constant rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screw {
    /// World from the frame of the axis, whose third direction is the direction of the axis: a rotation. It
    /// is the linear part of the paper's `P^-1`.
    pub frame: DMat3,
    /// A point on the axis at the start.
    pub through: DVec3,
    /// Angular rate, in radians per second; not negative.
    rate: f64,
    /// Velocity of that point, in the frame of the axis; along the axis unless the joint moves linearly.
    slide: DVec3,
}

/// The numbers of the paper's matrix `V(t)` (equation 2), enclosed over a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScrewOver {
    /// Sines of the angle.
    pub sin: Interval,
    /// Its cosines.
    pub cos: Interval,
    /// Displacements, in the frame of the axis.
    pub slide: IntervalVec3,
}

/// The motions of two parts during a span.
#[derive(Clone, Debug)]
pub struct PairScrews {
    /// The parts' poses at the start.
    pub poses: [Pose; 2],
    /// The screws of each, root first.
    pub screws: [Vec<Screw>; 2],
    /// Time of the start, in seconds.
    start: f64,
    /// Upper bound on how far the distance of a vertex of one part from one of the other, at any time of the
    /// span, is from the vector between their places by the screws in f64.
    pub slack: f64,
}

impl Screw {
    /// Creates the screw of a joint whose origin has a velocity.
    fn of(span: &Span, origin: DVec3, velocity: DVec3, angular: DVec3) -> Option<Self> {
        let rate = angular.length();
        if rate == 0.0 {
            return Some(Self { frame: DMat3::IDENTITY, through: DVec3::ZERO, rate, slide: velocity });
        }
        let axis = angular / rate;
        let (x, y) = axis.any_orthonormal_pair();
        let frame = DMat3::from_cols(x, y, axis);
        let (turn, travel) = (&span.turn, &span.travel);
        let Some(arc) = travel.piece.arc_angle() else {
            return Some(Self { frame, through: origin, rate, slide: frame.transpose() * velocity });
        };
        // The arc and the turn have the same axis.
        (arc == turn.piece.angle && travel.from == turn.from && travel.to == turn.to).then(|| Self {
            frame,
            through: origin + axis.cross(velocity) / rate,
            rate,
            slide: DVec3::Z * axis.dot(velocity),
        })
    }

    /// Encloses the paper's `V(t)` over a stretch of time, in seconds since the start.
    fn over(&self, time: Interval) -> ScrewOver {
        let angle = time * Interval::point(self.rate);
        ScrewOver { sin: angle.sin(), cos: angle.cos(), slide: IntervalVec3::point(self.slide).scale(time) }
    }
}

impl PairScrews {
    /// Encloses the screws of one part (0 the first, 1 the second) around a time, `half` seconds to either
    /// side.
    pub fn over(&self, side: usize, time: f64, half: f64) -> impl Iterator<Item = (&Screw, ScrewOver)> {
        let middle = Interval::point(time) - Interval::point(self.start);
        let time = middle + Interval::within(half);
        self.screws[side].iter().map(move |screw| (screw, screw.over(time)))
    }
}

impl PairSpan<'_> {
    /// Returns the motions of both parts as screws; `None` if a joint moves along an arc that is not the arc
    /// of its turn, or if lengths exceed what intervals can hold.
    pub fn screws(&self) -> Option<PairScrews> {
        let (start, seconds) = (self.from, self.to - self.from);
        let stems = self.pair.stems(start);
        let mut screws = [Vec::new(), Vec::new()];
        let (mut poses, mut lengths, mut turn) = ([Pose::IDENTITY; 2], 0.0, 1.0);
        let mut are_screws = true;
        for side in [0, 1] {
            let chain = &self.chains[side];
            let mut moving = chain.moving.iter();
            poses[side] = chain.at(stems[side], start, |origin, velocity, angular| {
                let joint = moving.next().expect("one call for each moving joint");
                let Some(screw) = Screw::of(joint.span, origin, velocity, angular) else {
                    are_screws = false;
                    return;
                };
                lengths += screw.through.length() + screw.slide.length() * seconds;
                turn += screw.rate * seconds;
                screws[side].push(screw);
            });
            lengths += 4.0 * chain.extent;
        }
        let joints = self.chains.iter().map(|chain| chain.chain.joints.len()).max().unwrap_or(0) + 1;
        let slack =
            2.0 * self.rounding + self.unevenness() * seconds + SCREWED * joints as f64 * lengths * turn;
        (are_screws && slack < LARGEST_SLACK).then_some(PairScrews { poses, screws, start, slack })
    }
}

/// A slack above which nothing is tested: squares of lengths are far from overflow.
const LARGEST_SLACK: f64 = 1e60;

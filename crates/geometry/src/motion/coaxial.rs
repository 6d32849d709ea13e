//! The axis about which two parts turn during a span.
//!
//! The map from a point to its radius about a line and its height along it makes no distance longer. A part
//! that only turns about the line keeps all its radii and heights. Therefore if two parts only turn about one
//! line, no two of their points are ever closer to each other than their places in the half plane of radius
//! and height.
//!
//! Nothing turns exactly about the line that is computed here. Let ℓ be that line, and let a part turn about
//! a line of its own, nowhere farther from ℓ than Δ within the part's reach. Radius and height about either
//! line then differ by at most Δ, at every time, so those about ℓ change by at most 2 Δ. [`Coaxial::slack`]
//! adds this up for both parts, with rounding and with frames that are not similarities. Any two parts may be
//! examined: where they do not share an axis, the slack is large.

use std::array;

use glam::DVec3;

use super::course::Course;
use super::span::{ChainSpan, PairSpan};
use crate::math::error_bounds::{MOVED, PROFILE, TURNED};
use crate::math::pose::{Pose, SMALLEST};

/// Two parts that turn about one axis during a span, and slide along it. Coordinates are world coordinates
/// at the middle of the span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coaxial {
    /// Poses of the two parts at the middle.
    pub poses: [Pose; 2],
    /// A point on the axis.
    pub point: DVec3,
    /// Direction of the axis, of length 1 up to rounding.
    pub direction: DVec3,
    /// The middle of the span, in seconds.
    pub middle: f64,
    /// Speed of the second part along the axis, as seen from the first.
    pub slide: f64,
    /// Upper bound on how much closer two points can come than their computed radii and heights at the middle
    /// say, for heights that are moved by the slide.
    pub slack: f64,
    /// A world axis along which the posed coordinates of all vertices have the same bits at all times inside
    /// the span.
    pub constant: Option<usize>,
}

/// The motion of one part: a turn about a line, and a straight motion of that line.
struct Turning {
    pose: Pose,
    /// A point on the line and its direction, if the part turns.
    line: Option<[DVec3; 2]>,
    /// Velocity of the line.
    velocity: DVec3,
    /// Upper bound of the deviation of any vertex from that motion, per unit of its distance from the line's
    /// point.
    error: f64,
}

impl PairSpan<'_> {
    /// Returns the axis about which the two parts turn. `None` if neither turns, or if a part is carried by
    /// more than one moving joint that does not carry the other.
    pub fn coaxial(&self) -> Option<Coaxial> {
        let middle = 0.5 * self.from + 0.5 * self.to;
        let half = (middle - self.from).max(self.to - middle);
        let stems = self.pair.stems(middle);
        let a = Turning::of(&self.chains[0], stems[0], middle)?;
        let b = Turning::of(&self.chains[1], stems[1], middle)?;
        let [point, direction] = a.line.or(b.line)?;
        let along = |v: DVec3| direction * direction.dot(v);
        // Coordinates below the smallest become 0.
        let mut slack = self.rounding + 8.0 * SMALLEST;
        let mut reach = 0.0f64;
        for (turning, chain) in [&a, &b].into_iter().zip(&self.chains) {
            let distance = chain.extent + point.length();
            let [at, toward] = turning.line.unwrap_or([point, direction]);
            let (away, farthest) = (at - point, distance + at.length());
            let off = (away - along(away)).length();
            let lean = (toward - direction).length().min((toward + direction).length());
            slack += 2.0 * (off + lean * farthest) + turning.error * farthest;
            slack += half * (chain.drift + (turning.velocity - along(turning.velocity)).length());
            reach = reach.max(distance + half * turning.velocity.length());
        }
        slack = (slack + PROFILE * reach) * (1.0 + MOVED);
        let constant = array::from_fn(|side| self.courses(side).map(|course| course == Course::Constant));
        slack.is_finite().then_some(Coaxial {
            poses: [a.pose, b.pose],
            point,
            direction,
            middle,
            slide: direction.dot(b.velocity - a.velocity),
            slack,
            constant: constant_axis(direction, constant),
        })
    }
}

/// Returns the world axis nearest to a direction, if the rows of both poses are constant there.
fn constant_axis(direction: DVec3, constant: [[bool; 3]; 2]) -> Option<usize> {
    let size = direction.abs();
    let axis = (0..3).find(|&i| size[i] == size.max_element())?;
    constant.iter().all(|rows| rows[axis]).then_some(axis)
}

impl Turning {
    /// Returns the motion of a part that no more than one joint moves.
    fn of(chain: &ChainSpan, stem: Option<Pose>, time: f64) -> Option<Self> {
        let mut seen = None;
        let pose = chain.at(stem, time, |at, velocity, angular| seen = Some((at, velocity, angular)));
        let joints = chain.chain.joints.len() + 1;
        let error = TURNED * joints as f64 + 16.0 * chain.skew;
        let (([], None) | ([_], Some(_))) = (&chain.moving[..], seen) else { return None };
        let Some((at, velocity, angular)) = seen else {
            return Some(Self { pose, line: None, velocity: DVec3::ZERO, error });
        };
        let span = chain.moving[0].span;
        let square = angular.length_squared();
        if square == 0.0 {
            return Some(Self { pose, line: None, velocity, error });
        }
        let direction = angular / square.sqrt();
        let (turn, travel) = (&span.turn, &span.travel);
        match travel.piece.arc_angle() {
            None => Some(Self { pose, line: Some([at, direction]), velocity, error }),
            // The arc of a screw is about the turn's axis and takes the same time, so the axis stays where it
            // is.
            Some(angle) if angle == turn.piece.angle && [turn.from, turn.to] == [travel.from, travel.to] => {
                let point = at + angular.cross(velocity) / square;
                let velocity = direction * direction.dot(velocity);
                Some(Self { pose, line: Some([point, direction]), velocity, error })
            }
            Some(_) => None,
        }
    }
}

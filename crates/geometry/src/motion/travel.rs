//! The path of a frame's origin between two keyframes.

use glam::DVec3;

use super::course::Course;
use super::turn::Turn;
use crate::math::interval::{Interval, IntervalVec3};

/// A path over a parameter from 0 to 1, at constant speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    start: DVec3,
    /// Displacement of a straight path; for a screw, the displacement along its axis.
    along: DVec3,
    arc: Option<Arc>,
}

/// The arc about a screw's axis, in addition to its advance. It is given by its chord, so that a distant axis
/// or a small angle loses no digits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Arc {
    /// Vector from the start to the end, projected along the axis.
    chord: DVec3,
    /// Cross product of the axis and the chord.
    side: DVec3,
    angle: f64,
    /// `1 / sin(angle / 2)`.
    gain: f64,
}

impl Travel {
    /// Creates a path that stays at one point.
    pub fn still(at: DVec3) -> Self {
        Self { start: at, along: DVec3::ZERO, arc: None }
    }

    /// Creates a straight line.
    pub fn straight(from: DVec3, to: DVec3) -> Self {
        Self { start: from, along: to - from, arc: None }
    }

    /// Creates the helix about the axis of the turn that leads from one point to the other (Redon et al.
    /// 2002, equations 1 and 2); a straight line if nothing turns. The turn must be at most pi.
    pub fn screw(from: DVec3, to: DVec3, turn: &Turn) -> Self {
        let by = to - from;
        if turn.angle == 0.0 {
            return Self::straight(from, to);
        }
        let along = turn.axis * turn.axis.dot(by);
        let chord = by - along;
        if chord == DVec3::ZERO {
            return Self { start: from, along, arc: None };
        }
        let (side, angle) = (turn.axis.cross(chord), turn.angle);
        let gain = 1.0 / libm::sin(0.5 * angle);
        Self { start: from, along, arc: Some(Arc { chord, side, angle, gain }) }
    }

    /// Returns the position of the origin at a parameter.
    pub fn at(&self, s: f64) -> DVec3 {
        let straight = self.start + self.along * s;
        let Some(Arc { chord, side, angle, gain }) = self.arc else { return straight };
        let share = libm::sin(0.5 * (angle * s)) * gain;
        let (sin, cos) = libm::sincos(0.5 * (angle * (s - 1.0)));
        straight + (chord * cos + side * sin) * share
    }

    /// Encloses the positions over a range of the parameter, in exact arithmetic on the stored values. It
    /// evaluates the arc at the middle and adds the rest up to the ends:
    /// `sin(p + e) - sin p = sin e cos p - (1 - cos e) sin p` with a small e.
    pub fn over(&self, s: Interval) -> IntervalVec3 {
        let straight = IntervalVec3::point(self.start) + IntervalVec3::point(self.along).scale(s);
        let Some(arc) = self.arc else { return straight };
        let middle = Interval::point(s.middle());
        let angle = Interval::point(arc.angle);
        let part = angle * (s - middle);
        let (radial, tangent) = arc.frame(middle);
        let share = (middle * angle * HALF).sin() * Interval::point(arc.gain);
        let (sin, cos) = circular((middle - Interval::ONE) * angle * HALF);
        let (chord, side) = arc.sides();
        let there = (chord.scale(cos) + side.scale(sin)).scale(share);
        straight + there + tangent.scale(part.sin()) + radial.scale(part.versine())
    }

    /// Encloses the derivatives by the parameter over a range of it.
    pub fn velocity_over(&self, s: Interval) -> IntervalVec3 {
        let along = IntervalVec3::point(self.along);
        let Some(arc) = self.arc else { return along };
        let middle = Interval::point(s.middle());
        let angle = Interval::point(arc.angle);
        let part = angle * (s - middle);
        let (radial, tangent) = arc.frame(middle);
        along + (tangent - tangent.scale(part.versine()) + radial.scale(part.sin())).scale(angle)
    }

    /// Returns the derivative by the parameter.
    pub fn velocity(&self, s: f64) -> DVec3 {
        let Some(Arc { chord, side, angle, gain }) = self.arc else { return self.along };
        let (sin, cos) = libm::sincos(angle * (s - 0.5));
        self.along + (chord * cos + side * sin) * (0.5 * angle * gain)
    }

    /// Returns the angle of the arc about a screw's axis, if there is an arc.
    pub fn arc_angle(&self) -> Option<f64> {
        self.arc.map(|arc| arc.angle)
    }

    /// Returns the course of a coordinate of the position as the parameter grows.
    pub fn course(&self, coordinate: usize) -> Course {
        let is_zero = |v: DVec3| v[coordinate] == 0.0;
        match self.arc {
            Some(arc) if !(is_zero(arc.chord) && is_zero(arc.side)) => Course::Other,
            _ => Course::along(self.along[coordinate]),
        }
    }

    /// Returns the length of the path.
    pub fn length(&self) -> f64 {
        let around = self.arc.map_or(0.0, |arc| arc.chord.length() * (0.5 * arc.angle * arc.gain));
        (self.along.length_squared() + around * around).sqrt()
    }

    /// Returns the magnitude of the second derivative by the parameter, which is constant.
    pub fn acceleration(&self) -> f64 {
        self.arc.map_or(0.0, |arc| arc.chord.length() * (0.5 * arc.angle * arc.angle * arc.gain))
    }

    /// Returns an upper bound on the distance of the path from the parent's origin.
    pub fn reach(&self) -> f64 {
        let chord = self.arc.map_or(0.0, |arc| arc.chord.length());
        self.start.length() + self.along.length() + chord
    }
}

const HALF: Interval = Interval::point(0.5);

fn circular(angle: Interval) -> (Interval, Interval) {
    (angle.sin(), angle.cos())
}

impl Arc {
    fn sides(&self) -> (IntervalVec3, IntervalVec3) {
        (IntervalVec3::point(self.chord), IntervalVec3::point(self.side))
    }

    /// Returns, at a parameter, the vector to the axis, and the same vector turned back by a quarter turn,
    /// along the path.
    fn frame(&self, at: Interval) -> (IntervalVec3, IntervalVec3) {
        let (sin, cos) = circular(Interval::point(self.angle) * (at - HALF));
        let (chord, side) = self.sides();
        let half_gain = Interval::point(self.gain) * HALF;
        let tangent = chord.scale(cos) + side.scale(sin);
        ((side.scale(cos) - chord.scale(sin)).scale(half_gain), tangent.scale(half_gain))
    }
}

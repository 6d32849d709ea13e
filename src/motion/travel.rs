//! The path of a frame's origin between two keyframes.

use glam::DVec3;

use super::turn::Turn;

/// A path over a parameter from 0 to 1, at constant speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    start: DVec3,
    /// Straight on; for a screw, along its axis.
    along: DVec3,
    arc: Option<Arc>,
}

/// What a screw adds to its advance: an arc about its axis, given by its chord, so that an axis far away or
/// a small angle costs no digits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Arc {
    /// From the start to the end, seen along the axis.
    chord: DVec3,
    /// The axis, crossed with the chord.
    side: DVec3,
    angle: f64,
    /// `1 / sin(angle / 2)`
    gain: f64,
}

impl Travel {
    /// No movement.
    pub fn still(at: DVec3) -> Self {
        Self { start: at, along: DVec3::ZERO, arc: None }
    }

    /// A straight line.
    pub fn straight(from: DVec3, to: DVec3) -> Self {
        Self { start: from, along: to - from, arc: None }
    }

    /// The helix about the axis of the turn that leads from one point to the other (Redon et al. 2002,
    /// equations 1 and 2); straight where nothing turns. The turn must be of at most pi.
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

    /// Where the origin is at a parameter.
    pub fn at(&self, s: f64) -> DVec3 {
        let straight = self.start + self.along * s;
        let Some(Arc { chord, side, angle, gain }) = self.arc else { return straight };
        let share = libm::sin(0.5 * (angle * s)) * gain;
        let (sin, cos) = libm::sincos(0.5 * (angle * (s - 1.0)));
        straight + (chord * cos + side * sin) * share
    }

    /// Its derivative by the parameter.
    pub fn velocity(&self, s: f64) -> DVec3 {
        let Some(Arc { chord, side, angle, gain }) = self.arc else { return self.along };
        let (sin, cos) = libm::sincos(angle * (s - 0.5));
        self.along + (chord * cos + side * sin) * (0.5 * angle * gain)
    }

    /// How long the path is.
    pub fn length(&self) -> f64 {
        let around = self.arc.map_or(0.0, |arc| arc.chord.length() * (0.5 * arc.angle * arc.gain));
        (self.along.length_squared() + around * around).sqrt()
    }

    /// The size of its second derivative, which is the same everywhere.
    pub fn bend(&self) -> f64 {
        self.arc.map_or(0.0, |arc| arc.chord.length() * (0.5 * arc.angle * arc.angle * arc.gain))
    }

    /// No point of the path is farther from the parent's origin.
    pub fn reach(&self) -> f64 {
        let chord = self.arc.map_or(0.0, |arc| arc.chord.length());
        self.start.length() + self.along.length() + chord
    }
}

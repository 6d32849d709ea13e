//! How one frame stands or moves in its parent's.

use std::array;

use glam::DVec3;

use super::travel::Travel;
use super::turn::{Quaternion, Turn, normalized};
use crate::math::error_bounds::MOVED;
use crate::math::pose::Pose;

/// A frame in its parent's.
#[derive(Clone, Debug, PartialEq)]
pub enum Joint {
    /// It stands.
    Fixed(Pose),
    /// It moves.
    Moving(Motion),
}

/// A rigid placement at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// Seconds.
    pub time: f64,
    /// Of any length but zero.
    pub rotation: Quaternion,
    /// In the parent's frame.
    pub translation: DVec3,
}

/// How to move from one keyframe to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Between {
    /// Constant velocities about the screw axis, the shortest turn.
    #[default]
    Screw,
    /// Translation linear, rotation at a constant rate about the frame's origin, the shortest turn.
    Linear,
    /// None until the next keyframe, then a jump.
    Step,
}

/// Why keyframes are no motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// None are given.
    #[error("there are no keyframes")]
    Empty,
    /// A time is not after the one before it, or not finite.
    #[error("keyframe {index}: the time {time} does not come after the one before it")]
    Time {
        /// Which.
        index: usize,
        /// Its time.
        time: f64,
    },
    /// A quaternion of length zero, or not finite.
    #[error("keyframe {index}: the quaternion {rotation:?} has no direction")]
    Rotation {
        /// Which.
        index: usize,
        /// It.
        rotation: Quaternion,
    },
    /// A translation that is not finite.
    #[error("keyframe {index}: the translation {translation} is not finite")]
    Translation {
        /// Which.
        index: usize,
        /// It.
        translation: DVec3,
    },
}

/// A piece of a motion, and the stretch of time over which its parameter goes from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed<T> {
    /// Where the parameter is 0.
    pub from: f64,
    /// Where it is 1; later.
    pub to: f64,
    /// The piece.
    pub piece: T,
}

impl<T> Timed<T> {
    fn parameter(&self, time: f64) -> f64 {
        (time - self.from) / (self.to - self.from)
    }
}

/// What happens between two times of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The rotation.
    pub turn: Timed<Turn>,
    /// The translation.
    pub travel: Timed<Travel>,
}

/// A keyframed rigid motion, with a scale of the frame's own that does not change. Before its first time and
/// after its last it stands still.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Strictly increasing, at least one.
    times: Vec<f64>,
    /// The pose at each time; where it jumps, the new one.
    stops: Vec<Pose>,
    /// Between each time and the next.
    spans: Vec<Span>,
    /// Multiplies the rotation's columns.
    scale: [f64; 3],
}

impl Motion {
    /// Through keyframes, in the order of their times.
    ///
    /// # Errors
    /// [`MotionError`].
    pub fn through(keyframes: &[Keyframe], between: Between, scale: [f64; 3]) -> Result<Self, MotionError> {
        let mut spans = Vec::new();
        for (index, key) in keyframes.iter().enumerate() {
            let Keyframe { rotation, translation, .. } = *key;
            if normalized(rotation).is_none() {
                return Err(MotionError::Rotation { index, rotation });
            }
            if !translation.is_finite() {
                return Err(MotionError::Translation { index, translation });
            }
        }
        for pair in keyframes.windows(2) {
            let [
                Keyframe { rotation: r0, translation: t0, .. },
                Keyframe { rotation: r1, translation: t1, .. },
            ] = [pair[0], pair[1]];
            let turn = if between == Between::Step { Turn::still(r0) } else { Turn::shortest(r0, r1) };
            let turn = turn.expect("checked above");
            let travel = match between {
                Between::Screw => Travel::screw(t0, t1, &turn),
                Between::Linear => Travel::straight(t0, t1),
                Between::Step => Travel::still(t0),
            };
            let (from, to) = (pair[0].time, pair[1].time);
            spans.push(Span {
                turn: Timed { from, to, piece: turn },
                travel: Timed { from, to, piece: travel },
            });
        }
        let stops = keyframes.iter().map(|key| (key.rotation, key.translation)).collect::<Vec<_>>();
        Self::of_spans(keyframes.iter().map(|key| key.time).collect(), &stops, spans, scale)
    }

    /// From its spans: the placement at each time, and one span from each time to the next.
    ///
    /// # Errors
    /// [`MotionError`].
    ///
    /// # Panics
    /// When the numbers of times, stops and spans do not fit.
    pub fn of_spans(
        times: Vec<f64>,
        stops: &[(Quaternion, DVec3)],
        spans: Vec<Span>,
        scale: [f64; 3],
    ) -> Result<Self, MotionError> {
        if times.is_empty() {
            return Err(MotionError::Empty);
        }
        assert!(stops.len() == times.len() && spans.len() == times.len() - 1, "a span between two times");
        let mut before = f64::NEG_INFINITY;
        for (index, &time) in times.iter().enumerate() {
            if !(time > before && time.is_finite()) {
                return Err(MotionError::Time { index, time });
            }
            before = time;
        }
        let posed = |(index, &(rotation, translation)): (usize, &(Quaternion, DVec3))| {
            Pose::from_trs(rotation, scale, translation.to_array())
                .ok_or(MotionError::Rotation { index, rotation })
        };
        let stops = stops.iter().enumerate().map(posed).collect::<Result<_, _>>()?;
        Ok(Self { times, stops, spans, scale })
    }

    /// Its keyframe times.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Multiplies the rotation's columns.
    pub fn scale(&self) -> [f64; 3] {
        self.scale
    }

    /// The pose at a time: *the* function, which every answer uses. A keyframe's own pose at its time;
    /// between two, the turn and the travel at `(time - from) / (to - from)`, composed as the contract
    /// composes a quaternion, a scale and a translation; outside all keyframes that of the nearest.
    pub fn pose(&self, time: f64) -> Pose {
        let after = self.times.partition_point(|&t| t <= time);
        let last = self.times.len() - 1;
        match after {
            0 => self.stops[0],
            n if n > last || self.times[n - 1] == time => self.stops[n - 1],
            n => {
                let Span { turn, travel } = &self.spans[n - 1];
                let rotation = turn.piece.at(turn.parameter(time));
                let translation = travel.piece.at(travel.parameter(time));
                Pose::from_trs(rotation, self.scale, translation.to_array()).expect("of length 1")
            }
        }
    }

    /// True when it is not the same throughout.
    pub fn moves(&self) -> bool {
        self.stops.iter().any(|stop| *stop != self.stops[0])
            || self.times.windows(2).any(|w| self.span(w[0], w[1]).is_some())
    }

    /// Keyframe times at which it jumps: the span that leads there ends elsewhere than at the keyframe's own
    /// pose, by more than rounding and what its turn leaves out.
    pub fn jumps(&self) -> impl Iterator<Item = f64> + '_ {
        (1..self.times.len()).filter(|&key| !self.arrives(key)).map(|key| self.times[key])
    }

    fn arrives(&self, key: usize) -> bool {
        let time = self.times[key];
        let stop = self.pose(time);
        let Span { turn, travel } = &self.spans[key - 1];
        let rotation = turn.piece.at(turn.parameter(time));
        let translation = travel.piece.at(travel.parameter(time)).to_array();
        let end = Pose::from_trs(rotation, self.scale, translation).expect("of length 1");
        let turned = MOVED + turn.piece.left_out;
        let allowed: [f64; 4] = array::from_fn(|column| {
            self.scale.get(column).map_or(MOVED * travel.piece.reach(), |scale| turned * scale.abs())
        });
        let near = |row: usize| (0..4).all(|j| (end.rows[row][j] - stop.rows[row][j]).abs() <= allowed[j]);
        (0..3).all(near)
    }

    /// What happens in a stretch of time that holds no keyframe inside; `None` where it stands still.
    pub fn span(&self, from: f64, to: f64) -> Option<&Span> {
        let middle = 0.5 * from + 0.5 * to;
        let after = self.times.partition_point(|&t| t <= middle);
        if after == 0 || after == self.times.len() {
            return None;
        }
        let span = &self.spans[after - 1];
        (span.turn.piece.angle > 0.0 || span.travel.piece.length() > 0.0 || span.turn.piece.left_out > 0.0)
            .then_some(span)
    }
}

impl Span {
    /// The travel's parameter at a time, and how fast it goes.
    pub fn travel_at(&self, time: f64) -> (f64, f64) {
        (self.travel.parameter(time), 1.0 / (self.travel.to - self.travel.from))
    }

    /// How fast the turn's parameter goes.
    pub fn turn_rate(&self) -> f64 {
        1.0 / (self.turn.to - self.turn.from)
    }
}

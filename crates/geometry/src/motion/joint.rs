//! Joints: the fixed or moving placement of a frame in its parent.

use std::array;
use std::str::FromStr;
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};

use super::course::Course;
use super::travel::Travel;
use super::turn::{Quaternion, Turn, normalized};
use crate::math::error_bounds::{MOVED, UNIT};
use crate::math::pose::{LARGEST, Pose};

/// The placement of a frame in its parent.
#[derive(Clone, Debug, PartialEq)]
pub enum Joint {
    /// A constant pose.
    Fixed(Pose),
    /// A keyframed motion.
    Moving(Motion),
}

/// A rigid placement at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// Time in seconds.
    pub time: f64,
    /// Orientation, of any length but zero.
    pub rotation: Quaternion,
    /// Translation in the parent's frame.
    pub translation: DVec3,
}

/// The latest time, 2^200 s; its negative is the earliest. Squares of times, which multiply bounds of
/// motions, are then far from overflow.
pub const LATEST: f64 = LARGEST;

/// The interpolation from one keyframe to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Between {
    /// Constant velocities along and about the screw axis, with the shortest turn.
    #[default]
    Screw,
    /// Linear translation, and rotation at a constant rate about the frame's origin, with the shortest turn.
    Linear,
    /// No motion until the next keyframe, then a jump.
    Step,
}

/// A text that names no interpolation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is neither 'screw' nor 'linear' nor 'step'")]
pub struct UnknownBetween(String);

impl FromStr for Between {
    type Err = UnknownBetween;

    fn from_str(text: &str) -> Result<Self, UnknownBetween> {
        match text {
            "screw" => Ok(Self::Screw),
            "linear" => Ok(Self::Linear),
            "step" => Ok(Self::Step),
            other => Err(UnknownBetween(other.to_owned())),
        }
    }
}

/// The reason why keyframes do not form a motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// There are no keyframes.
    #[error("there are no keyframes")]
    Empty,
    /// A time does not come after the one before it, or is NaN.
    #[error("keyframe {index}: the time {time} does not come after the one before it")]
    Time {
        /// Index of the keyframe.
        index: usize,
        /// Its time.
        time: f64,
    },
    /// The magnitude of a time exceeds 2^200.
    #[error("keyframe {index}: the time {time:e} s is not within 2^200")]
    Late {
        /// Index of the keyframe.
        index: usize,
        /// Its time.
        time: f64,
    },
    /// A quaternion has length zero or is not finite.
    #[error("keyframe {index}: the quaternion {rotation:?} has no direction")]
    Rotation {
        /// Index of the keyframe.
        index: usize,
        /// Its quaternion.
        rotation: Quaternion,
    },
    /// A translation exceeds the limit of posed coordinates or is NaN.
    #[error("keyframe {index}: the translation {translation} is not within 2^200")]
    Translation {
        /// Index of the keyframe.
        index: usize,
        /// Its translation.
        translation: DVec3,
    },
    /// A pose is sheared, or scaled otherwise than the first.
    #[error("keyframe {index}: the pose is sheared, or its scale differs from the first pose's")]
    NotRigid {
        /// Index of the keyframe.
        index: usize,
    },
    /// An angle or shift exceeds the limit of posed coordinates or is NaN.
    #[error("keyframe {index}: the joint value {value:e} is not within 2^200")]
    Value {
        /// Index of the keyframe.
        index: usize,
        /// Its joint value.
        value: f64,
    },
}

/// A piece of a motion, and the stretch of time over which its parameter goes from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed<T> {
    /// Time at which the parameter is 0.
    pub from: f64,
    /// Time at which the parameter is 1; after `from`.
    pub to: f64,
    /// The piece.
    pub piece: T,
}

impl<T> Timed<T> {
    /// Returns the parameter at a time, from 0 to 1 within the stretch.
    pub fn parameter(&self, time: f64) -> f64 {
        (time - self.from) / (self.to - self.from)
    }

    /// Returns the rate of the parameter, per second.
    pub fn rate(&self) -> f64 {
        1.0 / (self.to - self.from)
    }
}

/// The motion between two keyframe times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The rotation.
    pub turn: Timed<Turn>,
    /// The translation.
    pub travel: Timed<Travel>,
}

/// The quaternion of no turn.
pub(super) const STRAIGHT: Quaternion = [0.0, 0.0, 0.0, 1.0];

/// Returns the quaternion of a turn by an angle about an axis of length 1.
pub(super) fn turned(axis: DVec3, angle: f64) -> Quaternion {
    let (sin, cos) = libm::sincos(0.5 * angle);
    [axis.x * sin, axis.y * sin, axis.z * sin, cos]
}

/// A keyframed rigid motion, with a constant scale of the frame itself. Before its first time and after its
/// last it is at rest. Clones share the keyframes.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Keyframe times; strictly increasing, at least one.
    times: Arc<[f64]>,
    /// Rotation and translation at each time; those after the jump if it jumps.
    stops: Arc<[(Quaternion, DVec3)]>,
    /// The pose at each time, where it was given as a matrix: a quaternion gives it up to rounding only.
    poses: Option<Arc<[Pose]>>,
    /// Motion between each time and the next.
    spans: Arc<[Span]>,
    /// Scale, which multiplies the columns of the rotation.
    scale: [f64; 3],
    /// Interpolation, if it is the same between all keyframes.
    between: Option<Between>,
}

impl Motion {
    /// Creates a motion through keyframes, in the order of their times.
    ///
    /// # Errors
    /// [`MotionError`].
    pub fn through(keyframes: &[Keyframe], between: Between, scale: [f64; 3]) -> Result<Self, MotionError> {
        let mut spans = Vec::new();
        for (index, key) in keyframes.iter().enumerate() {
            let Keyframe { rotation, .. } = *key;
            if normalized(rotation).is_none() {
                return Err(MotionError::Rotation { index, rotation });
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
        let times = keyframes.iter().map(|key| key.time).collect();
        Ok(Self { between: Some(between), ..Self::of_spans(times, stops, spans, scale)? })
    }

    /// Creates the screw from one pose at time 0 to another at time 1, at which it has exactly these poses.
    /// They may mirror and scale, both by the same factors. Rotations may be off by 2^-17, as products of
    /// f32 matrices are.
    ///
    /// # Errors
    /// [`MotionError::NotRigid`] for a pose that is sheared or scaled otherwise than the first, and
    /// [`MotionError::Translation`].
    pub fn screw(from: &Pose, to: &Pose) -> Result<Self, MotionError> {
        let scale = scale_of(from);
        let keyframe = |(index, pose): (usize, &Pose)| {
            let rotation = rotation_of(pose, scale).ok_or(MotionError::NotRigid { index })?;
            Ok(Keyframe { time: index as f64, rotation, translation: pose.shift() })
        };
        let keyframes: Vec<Keyframe> =
            [from, to].into_iter().enumerate().map(keyframe).collect::<Result<_, _>>()?;
        let motion = Self::through(&keyframes, Between::Screw, scale)?;
        Ok(Self { poses: Some([*from, *to].into()), ..motion })
    }

    /// Creates a hinge: a rotation about an axis of length 1 through the frame's origin. Between two times
    /// the angle, in radians, changes linearly, even over many turns.
    ///
    /// # Errors
    /// [`MotionError`].
    pub fn about(axis: DVec3, times: &[f64], angles: &[f64]) -> Result<Self, MotionError> {
        let piece = |from: f64, to: f64| {
            let mut turn = Turn::about(turned(axis, from), axis, to - from).expect("of length 1");
            // The current angle takes 3 roundings of the whole, which may be many turns; no other bound
            // allows for that.
            turn.left_out = 4.0 * UNIT * turn.angle;
            (turn, Travel::still(DVec3::ZERO))
        };
        Self::of_values(times, angles, |angle| (turned(axis, angle), DVec3::ZERO), piece)
    }

    /// Creates a slider: a shift along an axis of length 1. Between two times the shift changes linearly.
    ///
    /// # Errors
    /// [`MotionError`].
    pub fn along(axis: DVec3, times: &[f64], shifts: &[f64]) -> Result<Self, MotionError> {
        let piece = |from: f64, to: f64| {
            let turn = Turn::still(STRAIGHT).expect("of length 1");
            (turn, Travel::straight(axis * from, axis * to))
        };
        Self::of_values(times, shifts, |shift| (STRAIGHT, axis * shift), piece)
    }

    /// Creates a motion through the values of a one-dimensional joint.
    fn of_values(
        times: &[f64],
        values: &[f64],
        stop: impl Fn(f64) -> (Quaternion, DVec3),
        piece: impl Fn(f64, f64) -> (Turn, Travel),
    ) -> Result<Self, MotionError> {
        assert_eq!(times.len(), values.len(), "a value for each time");
        if let Some(index) = values.iter().position(|value| value.is_nan() || value.abs() > LARGEST) {
            return Err(MotionError::Value { index, value: values[index] });
        }
        let spans = times.windows(2).zip(values.windows(2)).map(|(times, values)| {
            let ((from, to), (turn, travel)) = ((times[0], times[1]), piece(values[0], values[1]));
            Span { turn: Timed { from, to, piece: turn }, travel: Timed { from, to, piece: travel } }
        });
        let stops: Vec<_> = values.iter().map(|&value| stop(value)).collect();
        Self::of_spans(times.to_vec(), stops, spans.collect(), [1.0; 3])
    }

    /// Creates a motion from the placement at each time and one span from each time to the next.
    ///
    /// # Errors
    /// [`MotionError`].
    ///
    /// # Panics
    /// If the numbers of times, stops and spans do not match.
    pub fn of_spans(
        times: Vec<f64>,
        stops: Vec<(Quaternion, DVec3)>,
        spans: Vec<Span>,
        scale: [f64; 3],
    ) -> Result<Self, MotionError> {
        if times.is_empty() {
            return Err(MotionError::Empty);
        }
        assert!(stops.len() == times.len() && spans.len() == times.len() - 1, "a span between two times");
        let mut before = f64::NEG_INFINITY;
        for (index, &time) in times.iter().enumerate() {
            if time.abs() > LATEST {
                return Err(MotionError::Late { index, time });
            }
            if time.is_nan() || time <= before {
                return Err(MotionError::Time { index, time });
            }
            before = time;
        }
        for (index, &(rotation, translation)) in stops.iter().enumerate() {
            if normalized(rotation).is_none() {
                return Err(MotionError::Rotation { index, rotation });
            }
            if translation.is_nan() || translation.abs().max_element() > LARGEST {
                return Err(MotionError::Translation { index, translation });
            }
        }
        let (times, stops, spans) = (times.into(), stops.into(), spans.into());
        Ok(Self { times, stops, poses: None, spans, scale, between: None })
    }

    /// Returns the keyframes and their interpolation, if it is the same between all of them.
    pub fn keyframes(&self) -> Option<(Vec<Keyframe>, Between)> {
        let keyframe = |(&time, &(rotation, translation))| Keyframe { time, rotation, translation };
        Some((self.times.iter().zip(&*self.stops).map(keyframe).collect(), self.between?))
    }

    /// Returns the keyframe times.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Returns rotation and translation at each keyframe time; after the jump, if it jumps there.
    pub fn stops(&self) -> &[(Quaternion, DVec3)] {
        &self.stops
    }

    /// Returns the motion from each keyframe time to the next.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the memory of the keyframes in bytes.
    pub fn bytes(&self) -> usize {
        self.times.len() * Self::KEYFRAME_BYTES
    }

    /// Memory of a keyframe in bytes.
    pub const KEYFRAME_BYTES: usize = size_of::<(f64, Quaternion, DVec3)>() + size_of::<Span>();

    /// Returns the scale, which multiplies the columns of the rotation.
    pub fn scale(&self) -> [f64; 3] {
        self.scale
    }

    /// Returns the pose at a time; every answer uses this function. At a keyframe it is the keyframe's own
    /// pose. Between two keyframes it composes the turn (the earlier keyframe's rotation if nothing turns)
    /// and the travel at `(time - from) / (to - from)`, as the contract composes a quaternion, a scale and a
    /// translation. Outside all keyframes it is the pose of the nearest.
    pub fn pose(&self, time: f64) -> Pose {
        let after = self.times.partition_point(|&t| t <= time);
        let last = self.times.len() - 1;
        match after {
            0 => self.stop(0),
            n if n > last || self.times[n - 1] == time => self.stop(n - 1),
            n => {
                let Span { turn, travel } = &self.spans[n - 1];
                // Bit-identical to the pose at the keyframe, so that a frame at rest has one pose.
                let still = turn.piece.angle == 0.0;
                let rotation = if still { self.stops[n - 1].0 } else { turn.piece.at(turn.parameter(time)) };
                self.posed((rotation, travel.piece.at(travel.parameter(time))))
            }
        }
    }

    /// Returns the pose at a keyframe.
    fn stop(&self, key: usize) -> Pose {
        self.poses.as_ref().map_or_else(|| self.posed(self.stops[key]), |poses| poses[key])
    }

    fn posed(&self, (rotation, translation): (Quaternion, DVec3)) -> Pose {
        Pose::from_trs(rotation, self.scale, translation.to_array()).expect("rotations have a direction")
    }

    /// True when the pose is not the same at all times.
    pub fn moves(&self) -> bool {
        let first = self.stop(0);
        (1..self.stops.len()).any(|key| self.stop(key) != first)
            || self.times.windows(2).any(|w| self.span(w[0], w[1]).is_some())
    }

    /// Returns the keyframe times at which the motion jumps: the preceding span ends at a pose that differs
    /// from the keyframe's own by more than rounding and the amount that its turn leaves out.
    pub fn jumps(&self) -> impl Iterator<Item = f64> + '_ {
        (1..self.times.len()).filter(|&key| !self.arrives(key)).map(|key| self.times[key])
    }

    fn arrives(&self, key: usize) -> bool {
        let time = self.times[key];
        let stop = self.stop(key);
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

    /// Returns the courses of the rows of the pose at all times strictly inside a stretch without a keyframe.
    pub fn courses(&self, from: f64, to: f64) -> [Course; 3] {
        self.span(from, to).map_or([Course::Constant; 3], |Span { turn, travel }| {
            let keeps = |row: usize| turn.piece.keeps_row(row);
            array::from_fn(|row| if keeps(row) { travel.piece.course(row) } else { Course::Other })
        })
    }

    /// Returns the motion in a stretch of time without a keyframe inside; `None` if it is at rest.
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

/// Entries of a rotation that is a product of f32 matrices may be off by this much.
const ROUGH: f64 = 1.0 / (1 << 17) as f64;

/// Returns the factors by which a pose scales its axes; one is negative if it mirrors.
fn scale_of(pose: &Pose) -> [f64; 3] {
    let linear = pose.linear();
    let length = |column: DVec3| {
        let length = column.length();
        if (length - 1.0).abs() <= ROUGH { 1.0 } else { length }
    };
    let [x, y, z] = [linear.x_axis, linear.y_axis, linear.z_axis].map(length);
    [if linear.determinant() < 0.0 { -x } else { x }, y, z]
}

/// Returns the rotation of a pose with this scale; `None` if it has another, or a shear.
fn rotation_of(pose: &Pose, scale: [f64; 3]) -> Option<Quaternion> {
    let linear = pose.linear();
    let [x, y, z] = scale;
    let turned = DMat3::from_cols(linear.x_axis / x, linear.y_axis / y, linear.z_axis / z);
    let rotation = DQuat::from_mat3(&turned).to_array();
    let straight = Pose::from_quaternion(rotation)?.linear();
    // False for NaN, which a scale of 0 makes.
    let is_near = (turned - straight).to_cols_array().iter().all(|entry| entry.abs() <= 2.0 * ROUGH);
    is_near.then_some(rotation)
}

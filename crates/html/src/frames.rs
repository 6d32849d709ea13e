//! The frames that move parts, so that the page can pose them at any time by the rule that defines motions.

use closefit_geometry::motion::joint::{Motion, Span, Timed};
use closefit_geometry::motion::{Frames, Joint};
use serde::Serialize;

/// A frame: at rest in its parent at a pose, or moving through stops.
#[derive(Serialize)]
#[serde(untagged)]
pub enum FrameRow {
    /// A frame at rest.
    Still {
        /// The frame in which it is placed.
        parent: Option<u32>,
        /// The rows of its pose.
        pose: [f64; 12],
    },
    /// A moving frame.
    Moving {
        /// The frame in which it is placed.
        parent: Option<u32>,
        /// The scale, which multiplies the columns of its rotation.
        scale: [f64; 3],
        /// The times of its stops.
        times: Vec<f64>,
        /// Rotation and translation at each time.
        stops: Vec<[f64; 7]>,
        /// The ways from each time to the next.
        spans: Vec<[f64; 8]>,
    },
}

/// Returns all frames, parents first.
pub fn rows(frames: &Frames) -> Vec<FrameRow> {
    let rows = frames.all().iter().map(|frame| {
        let parent = frame.parent.map(|parent| parent.0);
        match &frame.joint {
            Joint::Fixed(pose) => FrameRow::Still { parent, pose: (*pose).into() },
            Joint::Moving(motion) => moving(parent, motion),
        }
    });
    rows.collect()
}

fn moving(parent: Option<u32>, motion: &Motion) -> FrameRow {
    let times = motion.times().to_vec();
    let stop = |&([x, y, z, w], translation): &([f64; 4], glam::DVec3)| {
        let [u, v, s] = translation.to_array();
        [x, y, z, w, u, v, s]
    };
    let spans =
        motion.spans().iter().zip(times.windows(2)).map(|(span, times)| way(span, [times[0], times[1]]));
    let (spans, stops) = (spans.collect(), motion.stops().iter().map(stop).collect());
    FrameRow::Moving { parent, scale: motion.scale(), times, stops, spans }
}

/// Returns the way between two times: where the translation ends, the axis and the angle of the turn, and 1
/// for a screw.
fn way(Span { turn, travel }: &Span, [from, to]: [f64; 2]) -> [f64; 8] {
    let [x, y, z] = travel.piece.at(travel.parameter(to)).to_array();
    let [u, v, w] = turn.piece.axis.to_array();
    let angle = turn.piece.angle * share(turn, from, to);
    let is_screw = travel.piece.arc_angle().is_some();
    [x, y, z, u, v, w, angle, f64::from(u8::from(is_screw))]
}

/// Returns the share of a piece that lies between two times.
fn share<T>(piece: &Timed<T>, from: f64, to: f64) -> f64 {
    (to - from) * piece.rate()
}

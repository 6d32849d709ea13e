//! `slack.json`: how much room parts have. `schema/slack.schema.json` describes it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::word::{self, Word};
use super::{PartRow, SceneRow};
use crate::digest::Digests;
use closefit::{Axes, Margin, NeighbourAtStart, PartSlack, Room, SlackResult, StartState};
use closefit_geometry::ids::PartId;
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::scene::Scene;

/// The version of the format of `slack.json`.
const FORMAT: u32 = 1;

/// The names of the six ways along or about axes, in their order.
pub const WAYS: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// The document of `slack`: the room of some parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlackReport {
    /// The version of the format.
    #[serde(rename = "closefit-slack")]
    pub closefit_slack: u32,
    /// The scene.
    pub scene: SceneRow,
    /// All parts of the scene, in the order of their ids.
    pub parts: Vec<PartRow>,
    /// The settings of the run.
    pub settings: SlackSettings,
    /// The parts that were examined, in that order.
    pub slack: Vec<SlackRow>,
}

/// The settings of the question how much room parts have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlackSettings {
    /// The clearance that parts keep.
    pub clearance: f64,
    /// The tolerance: overlap up to this depth at the start is contact.
    pub tolerance: f64,
    /// The precision: a part is stopped within half of it of the clearance.
    pub precision: f64,
    /// The axes along and about which parts move.
    #[serde(with = "word")]
    pub axes: Axes,
    /// The point on the axes of the turns, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<[f64; 3]>,
    /// The time at which moving parts stand, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// True if winding and seams of meshes were not repaired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_is: bool,
}

impl Word for Axes {
    const WORDS: &[(Self, &str)] = &[(Self::Scene, "scene"), (Self::Part, "part")];
}

/// A part by its id and name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedRow {
    /// Its index in the list of parts.
    pub id: u32,
    /// Its name.
    pub name: Arc<str>,
}

/// The room of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlackRow {
    /// The part.
    #[serde(flatten)]
    pub part: NamedRow,
    /// Its key.
    pub key: Arc<str>,
    /// The number of parts that it was checked against.
    pub asked: u64,
    /// The nearest part, and the length of every safe shift.
    pub margin: Option<MarginRow>,
    /// The neighbours that are nearer than the clearance already.
    pub at_start: Vec<AtStartRow>,
    /// The neighbours for which it is not known whether one of the two parts lies inside the other.
    pub undecided: Vec<NamedRow>,
    /// The three axes, of length 1.
    pub axes: [[f64; 3]; 3],
    /// The point on the axes of the turns.
    pub about: [f64; 3],
    /// The room to shift along each axis.
    pub shifts: Vec<RoomRow>,
    /// The room to turn about each axis, in radians.
    pub turns: Vec<RoomRow>,
}

/// The nearest part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarginRow {
    /// The part.
    #[serde(flatten)]
    pub part: NamedRow,
    /// Its distance; 0 in contact.
    pub distance: f64,
    /// No shorter shift brings the part nearer than the clearance to any other.
    pub shift: f64,
}

/// A neighbour that is nearer than the clearance already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtStartRow {
    /// The neighbour.
    #[serde(flatten)]
    pub part: NamedRow,
    /// Its distance; 0 in contact.
    pub distance: f64,
    /// The way in which it is near.
    #[serde(with = "word")]
    pub state: StateWord,
    /// The step by which the part is taken off it before it moves, if it touches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<[f64; 3]>,
}

/// The way in which a neighbour is near at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateWord {
    /// It is apart, and nearer than the clearance.
    Near,
    /// It touches.
    Touches,
    /// It overlaps, and leaves no room.
    Overlaps,
    /// One lies inside the other, which leaves no room.
    Contained,
}

impl Word for StateWord {
    const WORDS: &[(Self, &str)] = &[
        (Self::Near, "near"),
        (Self::Touches, "touches"),
        (Self::Overlaps, "overlaps"),
        (Self::Contained, "contained"),
    ];
}

/// The room of a part in one way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoomRow {
    /// The way: `+x`, `-x` and so on.
    pub way: String,
    /// The part keeps the clearance until here.
    pub at_least: f64,
    /// Here it does not; `None` if nothing stops it.
    pub at_most: Option<f64>,
    /// The part that stops it.
    pub stopped_by: Option<NamedRow>,
    /// The neighbours that it touches at the start, and still at `at_least`.
    pub still_touching: Vec<NamedRow>,
}

impl SlackReport {
    /// Makes the document of the room of parts of this scene.
    pub fn new(scene: &Scene, result: &SlackResult) -> Self {
        let digests = Digests::standing(scene);
        let parts = PartRow::all(scene, &digests.parts, |part| part.pose);
        let request = &result.request;
        Self {
            closefit_slack: FORMAT,
            scene: SceneRow::new(scene, digests.scene),
            settings: SlackSettings {
                clearance: request.clearance,
                tolerance: request.tolerance,
                precision: request.precision,
                axes: request.axes,
                about: request.about.map(|point| point.to_array()),
                at: scene.time,
                as_is: request.winding == Winding::AsFound,
            },
            slack: result.parts.iter().map(|found| SlackRow::new(&parts, found)).collect(),
            parts,
        }
    }
}

impl NamedRow {
    pub(super) fn new(parts: &[PartRow], part: PartId) -> Self {
        Self { id: part.0, name: parts[part.index()].name.clone() }
    }
}

impl SlackRow {
    fn new(parts: &[PartRow], found: &PartSlack) -> Self {
        let named = |part: PartId| NamedRow::new(parts, part);
        let rooms = |rooms: &[Room; 6]| {
            let rows = WAYS.iter().zip(rooms).map(|(way, room)| RoomRow::new(parts, way, room));
            rows.collect()
        };
        Self {
            part: named(found.part),
            key: parts[found.part.index()].key.clone(),
            asked: found.asked,
            margin: found.margin.map(|Margin { part, distance, shift }| MarginRow {
                part: named(part),
                distance,
                shift,
            }),
            at_start: found.at_start.iter().map(|neighbour| AtStartRow::new(parts, neighbour)).collect(),
            undecided: found.undecided.iter().map(|&part| named(part)).collect(),
            axes: found.axes.map(|axis| axis.to_array()),
            about: found.about.to_array(),
            shifts: rooms(&found.shifts),
            turns: rooms(&found.turns),
        }
    }
}

impl AtStartRow {
    fn new(parts: &[PartRow], neighbour: &NeighbourAtStart) -> Self {
        let (state, step) = match neighbour.state {
            StartState::Near => (StateWord::Near, None),
            StartState::Touching { step } => (StateWord::Touches, Some(step.to_array())),
            StartState::Overlapping => (StateWord::Overlaps, None),
            StartState::Contained => (StateWord::Contained, None),
        };
        Self { part: NamedRow::new(parts, neighbour.part), distance: neighbour.distance, state, step }
    }
}

impl RoomRow {
    fn new(parts: &[PartRow], way: &str, room: &Room) -> Self {
        Self {
            way: way.to_owned(),
            at_least: room.at_least,
            at_most: room.at_most,
            stopped_by: room.stopped_by.map(|part| NamedRow::new(parts, part)),
            still_touching: room.still_touching.iter().map(|&part| NamedRow::new(parts, part)).collect(),
        }
    }
}

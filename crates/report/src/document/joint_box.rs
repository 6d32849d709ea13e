//! `joint-box.json`: which pairs of a robot's parts can meet while its joints stay within ranges.
//! `schema/joint-box.schema.json` describes it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::word::{self, Word};
use super::{PartRow, SceneRow};
use crate::digest::Digests;
use closefit::{CheckRequest, ClosestConfiguration, Encounter, EncounterRecord, JointBoxRequest};
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::scene::{Robot, Scene};

/// The version of the format of `joint-box.json`.
const FORMAT: u32 = 1;

/// The document of `joint-box`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointBoxReport {
    /// The version of the format.
    #[serde(rename = "closefit-joint-box")]
    pub closefit_joint_box: u32,
    /// The scene.
    pub scene: SceneRow,
    /// All parts of the scene, in the order of their ids.
    pub parts: Vec<PartRow>,
    /// The settings of the run.
    pub settings: JointBoxSettings,
    /// The pairs, in the order of their ids.
    pub pairs: Vec<EncounterRow>,
}

/// The settings of the question which pairs can meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointBoxSettings {
    /// Parts this close count as near.
    pub clearance: f64,
    /// The tolerance of containment.
    pub tolerance: f64,
    /// The width of the bracket of a smallest distance at which a search may end.
    pub precision: f64,
    /// The largest number of configurations that are examined for each pair.
    pub most: usize,
    /// The lowest and the highest value of each joint, in radians or lengths. Joints that follow others are
    /// left out.
    pub joints: BTreeMap<String, [f64; 2]>,
    /// True if winding and seams of meshes were not repaired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_is: bool,
}

/// The encounter of a pair over all configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EncounterWord {
    /// The parts are near in every configuration.
    Always,
    /// They are in some, and not in others.
    Sometimes,
    /// It is not known.
    Unknown,
    /// They are in none.
    Never,
}

impl Word for EncounterWord {
    const WORDS: &[(Self, &str)] = &[
        (Self::Always, "always"),
        (Self::Sometimes, "sometimes"),
        (Self::Unknown, "unknown"),
        (Self::Never, "never"),
    ];
}

/// A pair over all configurations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncounterRow {
    /// The ids of the parts, the lower one first.
    pub ids: [u32; 2],
    /// The name of the first part.
    pub a: String,
    /// The name of the second part.
    pub b: String,
    /// The encounter of the pair.
    #[serde(with = "word")]
    pub encounter: EncounterWord,
    /// The joints that place one part relative to the other.
    pub joints: Vec<String>,
    /// The bracket of the smallest distance, for pairs that are never near and for pairs whose encounter is
    /// not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<ClosestRow>,
    /// A configuration in which the parts are near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<Configuration>,
    /// A configuration in which they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<Configuration>,
    /// The reason why it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

/// The values of all joints by their names.
pub type Configuration = BTreeMap<String, f64>;

/// A bracket of the smallest distance over all configurations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClosestRow {
    /// No distance is smaller.
    pub at_least: f64,
    /// The distance at `at`: the smallest is no larger.
    pub at_most: f64,
    /// The configuration with that distance.
    pub at: Configuration,
}

impl JointBoxReport {
    /// Makes the document of the encounters of a robot's parts.
    pub fn new(
        (scene, robot): (&Scene, &Robot),
        request: &CheckRequest,
        asked: &JointBoxRequest,
        found: &[EncounterRecord],
    ) -> Self {
        let digests = Digests::standing(scene);
        let own = robot.joints.iter().zip(&asked.ranges.ranges);
        let own = own.filter(|(joint, _)| joint.axis.is_some() && joint.mimic.is_none());
        Self {
            closefit_joint_box: FORMAT,
            scene: SceneRow::new(scene, digests.scene),
            parts: PartRow::all(scene, &digests.parts, |part| part.pose),
            settings: JointBoxSettings {
                clearance: request.clearance,
                tolerance: request.tolerance,
                precision: asked.precision,
                most: asked.most,
                joints: own.map(|(joint, &range)| (joint.name.to_string(), range)).collect(),
                as_is: request.winding == Winding::AsFound,
            },
            pairs: found.iter().map(|record| EncounterRow::new(scene, robot, record)).collect(),
        }
    }

    /// Returns the number of pairs with this encounter.
    pub fn count(&self, encounter: EncounterWord) -> usize {
        self.pairs.iter().filter(|pair| pair.encounter == encounter).count()
    }
}

impl EncounterRow {
    fn new(scene: &Scene, robot: &Robot, record: &EncounterRecord) -> Self {
        let [a, b] = record.ids.map(|id| scene.parts[id.index()].name.to_string());
        let named = |values: &Vec<f64>| configuration(robot, values);
        let bracket = |closest: &ClosestConfiguration| ClosestRow {
            at_least: closest.at_least,
            at_most: closest.at_most,
            at: named(&closest.at),
        };
        let (encounter, distance, near, apart, unknown) = match &record.encounter {
            Encounter::Never(closest) => (EncounterWord::Never, Some(bracket(closest)), None, None, None),
            Encounter::Always => (EncounterWord::Always, None, None, None, None),
            Encounter::Sometimes { near, apart } => {
                (EncounterWord::Sometimes, None, Some(named(near)), Some(named(apart)), None)
            }
            Encounter::Unknown { why, closest } => {
                (EncounterWord::Unknown, Some(bracket(closest)), None, None, Some(why.clone()))
            }
        };
        let joints = record.joints.iter().map(|&joint| robot.joints[joint].name.to_string()).collect();
        Self { ids: record.ids.map(|id| id.0), a, b, encounter, joints, distance, near, apart, unknown }
    }
}

/// Returns the values of the joints that can be moved by themselves.
fn configuration(robot: &Robot, values: &[f64]) -> Configuration {
    let own = robot.joints.iter().zip(values);
    let own = own.filter(|(joint, _)| joint.axis.is_some() && joint.mimic.is_none());
    own.map(|(joint, &value)| (joint.name.to_string(), value)).collect()
}

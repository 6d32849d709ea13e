//! The documents that closefit writes and reads back: `report.json` of a check and of a sweep, and the output
//! of `inspect --json`. `schema/report.schema.json` describes them.
//!
//! A document is self-contained: CSV and tables are made from it alone, so they can be made again later, on
//! another machine. It is a pure function of input and settings.

mod audit;
mod bench;
mod check;
mod contact_geometry;
mod features;
mod finding;
mod inspect;
mod intervals;
mod joint_box;
mod left_open;
mod pair;
pub(crate) mod part;
mod rarely;
mod read;
mod robot;
mod rules;
mod self_contacts;
mod slack;
mod slow_pair;
mod sweep;
mod volume;
mod waivers;
mod way_out;
pub(crate) mod word;

use std::collections::BTreeMap;

use blake3::Hash;
use serde::{Deserialize, Serialize};

use crate::groups::GroupRow;
pub use audit::{AuditReport, AuditSettings, AuditedLink, AuditedSrdf, NeverLine, NeverWord, OutsideRow};
pub use bench::{
    BenchReport, BenchSettings, ChoiceWord, MachineRow, MethodRow, MethodWork, QuestionWord, SecondsRow,
};
pub use check::{CheckReport, CheckSettings, DepthRow, MoreOfPair, PairRow, PartOfPair, WhereRow};
use closefit::Ledger;
use closefit::internals::engine::NO_RELATIVE_MOTION;
use closefit_geometry::ids::PartId;
use closefit_geometry::scene::{LeftOut, Scene, Up};
use closefit_geometry::units::Unit;
pub use contact_geometry::{GeometryRow, PatchRow};
pub use features::{CapRow, ColoursRow, FaceColoursRow, FeaturesRow, HullRow, LoopRow, Side, SubsetRow};
pub use finding::Finding;
pub use inspect::{ComponentsRow, Inspection, MeshRow, MotionRow, NoFeatures, PosedRow};
pub use intervals::{ContactRow, IntervalRow, IntervalsRow};
pub use joint_box::{
    ClosestRow, Configuration, EncounterRow, EncounterWord, JointBoxReport, JointBoxSettings,
};
pub use left_open::{BUDGET, CRASHED, SHARD_MISSING};
pub use pair::{ContainedRow, Inside, PairKey, Sides, pair_key};
pub use part::PartRow;
pub use rarely::Rarely;
pub use read::DocumentError;
pub(crate) use read::refused_json;
pub use robot::{MimicRow, RobotJointKind, RobotJointRow, RobotRow};
pub use rules::{ByVerdict, ExcludeRow, Kind, RuleOfPair, RuleRow, RulesRow};
pub use self_contacts::SelfContactsRow;
pub use slack::{AtStartRow, MarginRow, NamedRow, RoomRow, SlackReport, SlackRow, SlackSettings, StateWord};
pub use slow_pair::SlowPairRow;
pub use sweep::{
    ClearanceRow, JointKind, JointRow, MovingPairRow, PressedRow, SweepReport, SweepSettings,
    TimeOfContactRow,
};
pub use volume::VolumeRow;
pub use waivers::{Status, StatusOfPair, WaiverRow};
pub use way_out::WayOutRow;
pub use word::Word;

/// The version of the format. Documents of any other version are rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Format;

impl Format {
    /// The number in the document.
    pub const NUMBER: u32 = 2;
}

impl TryFrom<u32> for Format {
    type Error = DocumentError;

    fn try_from(found: u32) -> Result<Self, DocumentError> {
        if found == Self::NUMBER { Ok(Self) } else { Err(DocumentError::Format { found }) }
    }
}

impl From<Format> for u32 {
    fn from(_: Format) -> u32 {
        Format::NUMBER
    }
}

/// The command that a document comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// A check of parts at rest.
    Check,
    /// A sweep of moving parts.
    Sweep,
    /// An inspection of parts and meshes, without comparing any.
    Inspect,
}

impl Word for Command {
    const WORDS: &[(Self, &str)] =
        &[(Self::Check, "check"), (Self::Sweep, "sweep"), (Self::Inspect, "inspect")];
}

/// Any document, as read by [`Document::read`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Document {
    /// The document of `check`.
    Check(CheckReport),
    /// The document of `sweep`.
    Sweep(SweepReport),
    /// The document of `inspect`.
    Inspect(Inspection),
}

/// A report on pairs. Commands differ in settings and pairs. Fields are in the order of their keys in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report<S, P> {
    /// The version of the format.
    pub closefit: Format,
    /// The command.
    #[serde(with = "word")]
    pub command: Command,
    /// The scene.
    pub scene: SceneRow,
    /// Its parts, in the order of their ids.
    #[serde(serialize_with = "crate::json::in_parallel")]
    pub parts: Vec<PartRow>,
    /// The settings of the run.
    pub settings: S,
    /// The summary of all pairs.
    pub ledger: LedgerRow,
    /// The rules, if any were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesRow>,
    /// The pairs that are not clear, sorted by ids.
    #[serde(
        serialize_with = "crate::json::in_parallel",
        bound(serialize = "P: Serialize + Sync", deserialize = "P: Deserialize<'de>")
    )]
    pub pairs: Vec<P>,
    /// The groups of the pairs, if they were requested.
    #[serde(default, serialize_with = "crate::json::in_parallel", skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupRow>,
    /// The parts that touch themselves, if this was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_contacts: Option<Vec<SelfContactsRow>>,
    /// The distance of two parts over time, if a sweep was to find it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceRow>,
}

/// The distance of two parts over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceRow {
    /// Their indices in the list of parts.
    pub ids: [u32; 2],
    /// Times in seconds, ascending, each with the distance.
    pub distances: Vec<[f64; 2]>,
}

impl TraceRow {
    /// Makes the row of two parts.
    pub fn new(pair: [PartId; 2], distances: Vec<[f64; 2]>) -> Self {
        Self { ids: pair.map(|id| id.0), distances }
    }
}

/// A scene as a report shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneRow {
    /// The unit of all lengths in the document, if the files or the user say one.
    pub unit: Option<Unit>,
    /// The axis that points up, if the files say so.
    pub up: Option<Up>,
    /// The number of triangles of all parts, shared meshes counted once per part.
    pub triangles: u64,
    /// Links and shapes of the files without a mesh to check; absent from JSON if there are none.
    #[serde(default, skip_serializing_if = "LeftOut::is_nothing")]
    pub left_out: LeftOut,
    /// The digest, which changes when any part does, or its name.
    #[serde(with = "part::hexadecimal")]
    pub digest: Hash,
}

impl SceneRow {
    fn new(scene: &Scene, digest: Hash) -> Self {
        let &Scene { unit, up, left_out, .. } = scene;
        Self { unit, up, triangles: super::triangle_count(scene), left_out, digest }
    }
}

/// The summary of all pairs of parts: `pairs = sum(excluded) + apart + decided + undecided`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerRow {
    /// The number of pairs of parts.
    pub pairs: u64,
    /// The numbers of excluded pairs, by reason.
    pub excluded: BTreeMap<String, u64>,
    /// The digest of what excludes them, by which two reports show that they exclude the same pairs; absent
    /// from JSON if none is, or only for its motion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded_by: Option<String>,
    /// The number of pairs proven apart by their boxes.
    pub apart: u64,
    /// The number of candidate pairs that were decided.
    pub decided: u64,
    /// The number of candidate pairs that stayed undecided.
    pub undecided: u64,
}

impl LedgerRow {
    /// True if a pair is excluded for another reason than its motion: by rules, sides, sets or a robot.
    pub(crate) fn excludes_some_by_choice(&self) -> bool {
        self.excluded.keys().any(|reason| reason != NO_RELATIVE_MOTION)
    }

    /// Returns the number of pairs that do not move relative to each other.
    pub(crate) fn without_motion(&self) -> u64 {
        self.excluded.get(NO_RELATIVE_MOTION).copied().unwrap_or(0)
    }

    /// Returns the number of pairs that no reason excludes.
    pub fn asked(&self) -> u64 {
        self.pairs - self.excluded.values().sum::<u64>()
    }
}

impl From<&Ledger> for LedgerRow {
    fn from(ledger: &Ledger) -> Self {
        let Ledger { pairs, excluded, apart, decided, undecided, .. } = ledger.clone();
        Self { pairs, excluded, excluded_by: None, apart, decided, undecided }
    }
}

//! The answers of a check at many poses, or of many scenes: a line of JSON for each row.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::document::{ByVerdict, CheckReport, ContainedRow, DepthRow, word};
use closefit::{Depth, PosedPair, Verdict};
use closefit_geometry::scene::Scene;

/// The line of a row.
#[derive(Debug, Serialize)]
pub struct RowLine<'r> {
    /// The number of rows before it.
    pub row: u64,
    /// Its id, if the rows have ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'r str>,
    /// Its time in seconds, if it is a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// The findings, or the reason why there are none.
    #[serde(flatten)]
    pub outcome: RowOutcome<RowPairs<'r>>,
}

/// The line of a scene in a list of them.
#[derive(Debug, Serialize)]
pub struct SceneLine<'r> {
    /// The number of rows before it.
    pub row: u64,
    /// Its id as the list has it, a text or a number, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'r RawValue>,
    /// The findings, or the reason why there are none.
    #[serde(flatten)]
    pub outcome: RowOutcome<SceneFindings>,
}

/// The findings of a row, or the reason why there are none.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum RowOutcome<F> {
    /// The findings.
    Found(F),
    /// The row cannot be checked.
    Refused {
        /// The reason.
        error: String,
    },
}

/// The findings of a scene in short.
#[derive(Debug, Serialize)]
pub struct SceneFindings {
    /// The worst verdict; `clear` if no pair is listed.
    #[serde(serialize_with = "word::serialize")]
    pub verdict: Verdict,
    /// True if a pair that no waiver accepts fails, or a claim does not hold.
    pub fails: bool,
    /// The numbers of listed pairs. The others are clear.
    pub by_verdict: ByVerdict,
    /// The smallest distance of the listed pairs; none if none is listed.
    pub distance: Option<f64>,
    /// The tolerance of pairs to which no rule gives another, in the scene's unit.
    pub tolerance: f64,
    /// Notes on what was repaired, converted or left out, or decides nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl SceneFindings {
    /// Makes the findings of a report.
    pub fn new(report: &CheckReport, fails: bool, notes: Vec<String>) -> Self {
        let mut by_verdict = ByVerdict::default();
        report.pairs.iter().for_each(|pair| by_verdict.add(pair.verdict));
        Self {
            verdict: report.pairs.iter().map(|pair| pair.verdict).min().unwrap_or(Verdict::Clear),
            fails,
            by_verdict,
            distance: report.pairs.iter().map(|pair| pair.distance).reduce(f64::min),
            tolerance: report.settings.tolerance,
            notes,
        }
    }
}

/// The pairs of a row that are not clear.
#[derive(Debug, Serialize)]
pub struct RowPairs<'r> {
    /// The worst verdict; `clear` if no pair is listed.
    #[serde(serialize_with = "word::serialize")]
    pub verdict: Verdict,
    /// The pairs, sorted by ids.
    pub pairs: Vec<RowPair<'r>>,
    /// The smallest distance of the listed pairs; none if none is listed.
    pub distance: Option<f64>,
}

/// A listed pair of a row, with the keys of a pair in a report.
#[derive(Debug, Serialize)]
pub struct RowPair<'r> {
    ids: [u32; 2],
    a: &'r str,
    b: &'r str,
    #[serde(serialize_with = "word::serialize")]
    verdict: Verdict,
    distance: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<DepthRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contained: Option<ContainedRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth_unknown: Option<String>,
}

impl<'r> RowPairs<'r> {
    /// Makes the pairs of a row of a scene.
    pub fn new(scene: &'r Scene, found: Vec<PosedPair>) -> Self {
        let verdict = found.iter().map(|pair| pair.verdict).min().unwrap_or(Verdict::Clear);
        let distance = found.iter().map(|pair| pair.distance).reduce(f64::min);
        Self { verdict, pairs: found.into_iter().map(|pair| RowPair::new(scene, pair)).collect(), distance }
    }
}

impl<'r> RowPair<'r> {
    fn new(scene: &'r Scene, found: PosedPair) -> Self {
        let PosedPair { ids, verdict, distance, contained, depth, depth_unknown, .. } = found;
        let [a, b] = ids.map(|id| &*scene.parts[id.index()].name);
        let depth = depth.map(|Depth { at_least, at_most }| DepthRow { at_least, at_most });
        let contained = ContainedRow::of(contained);
        Self { ids: ids.map(|id| id.0), a, b, verdict, distance, depth, contained, depth_unknown }
    }

    /// Returns the ids of the two parts, and the verdict.
    pub fn decided(&self) -> ([u32; 2], Verdict) {
        (self.ids, self.verdict)
    }
}

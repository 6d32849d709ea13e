//! The way out of a clash: a row of a pair.

use serde::{Deserialize, Serialize};

use super::slack::NamedRow;
use super::{PairRow, PartOfPair, PartRow, word};
use closefit::{Separation, Verdict};

/// A translation that parts the two of a clash, and a bracket of the least length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WayOutRow {
    /// The part that is moved.
    pub part: PartOfPair,
    /// No shorter translation parts them.
    pub at_least: f64,
    /// The length of this one.
    pub at_most: f64,
    /// The translation.
    pub by: [f64; 3],
    /// The verdict on the two afterwards.
    #[serde(with = "word")]
    pub leaves: Verdict,
    /// The parts with which the moved one then clashes and did not before, or not as deep.
    pub meets: Vec<NamedRow>,
}

impl PairRow {
    /// Returns the row with the way out that was found.
    pub fn with_way_out(mut self, parts: &[PartRow], found: Option<&Separation>) -> Self {
        let row = |found: &Separation| WayOutRow {
            part: if found.part.0 == self.sides.ids[0] { PartOfPair::A } else { PartOfPair::B },
            at_least: found.at_least,
            at_most: found.at_most,
            by: found.step.to_array(),
            leaves: found.leaves,
            meets: found.meets.iter().map(|&part| NamedRow::new(parts, part)).collect(),
        };
        if let Some(found) = found {
            self.more.way_out = Some(Box::new(row(found)));
        }
        self
    }
}

//! The volume that two parts share: a row of a pair.

use serde::{Deserialize, Serialize};

use super::{CheckReport, PairRow, StatusOfPair};
use crate::certificate::Outcome;
use closefit::{OverlapVolume, SharedVolume, Verdict};

/// A bracket of the volume that two parts share, in the cube of the scene's unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VolumeRow {
    /// The volume is no smaller than this.
    pub at_least: f64,
    /// The volume is no larger than this.
    pub at_most: f64,
    /// The centroid, unless the volume may be 0.
    pub centroid: Option<[f64; 3]>,
}

impl CheckReport {
    /// Returns the report with the outcome of the largest volume that a rule allows, for each pair that
    /// overlaps or may do so. A pair that is proven to share no more is accepted. `apart` says how far true
    /// surfaces may lie outside their meshes, and these outside them.
    pub fn with_volume_limits(
        mut self,
        most: impl Fn([u32; 2]) -> Option<f64>,
        apart: impl Fn([u32; 2]) -> [f64; 2],
    ) -> Self {
        for pair in &mut self.pairs {
            let may_overlap = matches!(pair.verdict, Verdict::Clash | Verdict::Meets | Verdict::Undecided);
            let Some(most) = most(pair.sides.ids).filter(|_| may_overlap) else { continue };
            let bracket = pair.more.volume.as_deref().map(|volume| [volume.at_least, volume.at_most]);
            let outcome = Outcome::of_volume(bracket, apart(pair.sides.ids), most);
            pair.more.volume_limit = Some(outcome);
            if outcome == Outcome::Holds {
                pair.status = StatusOfPair::accepted().into();
            }
        }
        self
    }
}

impl PairRow {
    /// Returns the row with the volume that was found, or with the reason why there is none.
    pub fn with_volume(mut self, found: &SharedVolume) -> Self {
        let row = |found: &OverlapVolume| VolumeRow {
            at_least: found.at_least,
            at_most: found.at_most,
            centroid: found.centroid.map(|centroid| centroid.to_array()),
        };
        match found {
            None => {}
            Some(Ok(found)) => self.more.volume = Some(Box::new(row(found))),
            Some(Err(why)) => {
                let why = why.with_names([&*self.sides.a, &*self.sides.b]);
                self.more.volume_unknown = Some(why.into());
            }
        }
        self
    }
}

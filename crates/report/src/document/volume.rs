//! The volume that two parts share: a row of a pair.

use serde::{Deserialize, Serialize};

use super::PairRow;
use closefit::{OverlapVolume, SharedVolume};

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

impl PairRow {
    /// Returns the row with the volume that was found, or with the reason why there is none.
    pub fn with_volume(self, found: &SharedVolume) -> Self {
        let row = |found: &OverlapVolume| VolumeRow {
            at_least: found.at_least,
            at_most: found.at_most,
            centroid: found.centroid.map(|centroid| centroid.to_array()),
        };
        let (volume, volume_unknown) = match found {
            None => (None, None),
            Some(Ok(found)) => (Some(Box::new(row(found))), None),
            Some(Err(why)) => (None, Some(why.with_names([&*self.sides.a, &*self.sides.b]))),
        };
        Self { volume, volume_unknown, ..self }
    }
}

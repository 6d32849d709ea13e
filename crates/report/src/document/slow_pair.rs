//! A pair that took far longer than most.

use serde::{Deserialize, Serialize};

use closefit::PartId;
use closefit::internals::engine::SlowPair;
use closefit_geometry::scene::Scene;

/// A pair that took more than a thousand times as long as the median pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowPairRow {
    /// The ids of its parts.
    pub ids: [PartId; 2],
    /// The name of the first.
    pub a: String,
    /// The name of the second.
    pub b: String,
    /// The time in seconds that threads spent on it.
    pub thread_seconds: f64,
    /// The median time of all candidate pairs, or up to an eighth more.
    pub median_seconds: f64,
    /// The stage that took longest.
    pub stage: String,
    /// The time of that stage.
    pub stage_seconds: f64,
}

impl SlowPairRow {
    /// Makes the row of a pair of a scene.
    pub fn new(slow: SlowPair, scene: &Scene) -> Self {
        let [a, b] = slow.ids.map(|part| scene.parts[part.index()].name.to_string());
        let (stage, in_stage) = slow.stage;
        Self {
            ids: slow.ids,
            a,
            b,
            thread_seconds: slow.time.as_secs_f64(),
            median_seconds: slow.median.as_secs_f64(),
            stage: stage.to_owned(),
            stage_seconds: in_stage.as_secs_f64(),
        }
    }
}

//! `bench.json`: the cost of each method for the same answers about a scene. `schema/bench.schema.json`
//! describes it.

use serde::{Deserialize, Serialize};

use super::word::{self, Word};
use super::{SceneRow, SlowPairRow};
use crate::digest::Digests;
use closefit::Work;
use closefit_geometry::scene::Scene;

/// The version of the format of `bench.json`.
const FORMAT: u32 = 1;

/// The document of `bench`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// The version of the format.
    #[serde(rename = "closefit-bench")]
    pub closefit_bench: u32,
    /// The scene.
    pub scene: SceneRow,
    /// The number of parts.
    pub parts: usize,
    /// The settings of the run.
    pub settings: BenchSettings,
    /// The methods, the default first, then those that differ from it in one choice.
    pub methods: Vec<MethodRow>,
    /// The times, which hold for one machine.
    pub this_machine: MachineRow,
}

/// The settings of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchSettings {
    /// The question.
    #[serde(with = "word")]
    pub question: QuestionWord,
    /// Pairs this close are listed.
    pub clearance: f64,
    /// Overlap up to this depth is contact.
    pub tolerance: f64,
    /// The largest width of the brackets of distances over a motion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// The number of poses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poses: Option<u64>,
}

/// The question that every method answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionWord {
    /// A check of parts at rest.
    Rest,
    /// A sweep over a motion.
    Motion,
    /// A check at many poses.
    Poses,
}

impl Word for QuestionWord {
    const WORDS: &[(Self, &str)] = &[(Self::Rest, "rest"), (Self::Motion, "motion"), (Self::Poses, "poses")];
}

/// The choice in which a method differs from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceWord {
    /// The kind of tree, and the executor of its kernels.
    Tree,
    /// The broad phase.
    Broad,
    /// The filter by convex hulls.
    Hull,
    /// The search over time.
    Method,
}

impl Word for ChoiceWord {
    const WORDS: &[(Self, &str)] =
        &[(Self::Tree, "tree"), (Self::Broad, "broad"), (Self::Hull, "hull"), (Self::Method, "method")];
}

/// A method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodRow {
    /// The choice in which it differs from the default; of the default itself, its tree.
    #[serde(with = "word")]
    pub choice: ChoiceWord,
    /// The name of what was chosen.
    pub name: String,
    /// The work; none if it was stopped, or at many poses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<MethodWork>,
    /// True if it took longer than the limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
}

/// The work of a method. It does not depend on the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodWork {
    /// Tests of boxes.
    pub box_tests: u64,
    /// Tests of triangles.
    pub triangle_tests: u64,
    /// Tests of triangles that exact arithmetic decided.
    pub settled_exactly: u64,
    /// Bounding volumes refitted.
    pub updates: u64,
    /// Exchanges in sorted lists.
    pub exchanges: u64,
    /// Bytes of trees and hulls.
    pub bytes: u64,
}

impl MethodWork {
    /// Returns the counts of some work, with bytes held.
    pub fn of(work: &Work, bytes: u64) -> Self {
        Self {
            box_tests: work.box_tests + work.discrete_tests,
            triangle_tests: work.triangle_tests,
            settled_exactly: work.exact_tests,
            updates: work.updates,
            exchanges: work.exchanges.iter().sum(),
            bytes,
        }
    }
}

/// The times of the methods on a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineRow {
    /// The name of the processor.
    pub processor: String,
    /// The number of threads.
    pub threads: usize,
    /// The number of rounds, in which the methods take turns. The one with the least CPU time counts.
    pub rounds: u32,
    /// The seconds of each method, in their order; none of those that were stopped.
    pub seconds: Vec<Option<SecondsRow>>,
    /// The pair on which the default method took more than a thousand times as long as on the median pair, if
    /// there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow_pair: Option<SlowPairRow>,
}

/// The seconds of a method: by the wall clock, but for those that methods are compared by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SecondsRow {
    /// Finding candidate pairs.
    pub broad: f64,
    /// Building trees and hulls.
    pub build: f64,
    /// Deciding pairs.
    pub decide: f64,
    /// The time that all threads had a core, in the round that took the least of it.
    pub cpu: f64,
    /// The most of that over the rounds, less the least.
    pub spread: f64,
}

/// The share by which times of one and the same method may differ, beyond what its rounds show.
const NOISE: f64 = 0.1;

impl SecondsRow {
    /// Returns the seconds that passed.
    pub fn total(&self) -> f64 {
        self.broad + self.build + self.decide
    }

    /// True if the CPU times of two methods differ by more than noise: a tenth of the longer one, and the
    /// spread of either over its rounds.
    pub fn differs_from(&self, other: &Self) -> bool {
        let noise = (NOISE * self.cpu.max(other.cpu)).max(self.spread).max(other.spread);
        (self.cpu - other.cpu).abs() > noise
    }
}

impl BenchReport {
    /// Makes the document of some methods and their times.
    pub fn new(
        scene: &Scene,
        settings: BenchSettings,
        methods: Vec<MethodRow>,
        this_machine: MachineRow,
    ) -> Self {
        let digest = Digests::standing(scene).scene;
        let (parts, scene) = (scene.parts.len(), SceneRow::new(scene, digest));
        Self { closefit_bench: FORMAT, scene, parts, settings, methods, this_machine }
    }

    /// Returns the place of the method with the least CPU time; `None` if all were stopped.
    pub fn fastest(&self) -> Option<usize> {
        let totals = self.this_machine.seconds.iter().enumerate();
        let totals = totals.filter_map(|(place, seconds)| Some((place, seconds.as_ref()?.cpu)));
        totals.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_a_tenth_or_the_spread() {
        let row = |cpu, spread| SecondsRow { cpu, spread, ..SecondsRow::default() };
        for (one, other, differs) in [
            (row(1.0, 0.0), row(0.91, 0.0), false),
            (row(1.0, 0.0), row(0.89, 0.0), true),
            (row(1.0, 0.4), row(0.63, 0.0), false),
            (row(1.0, 0.0), row(0.63, 0.4), false),
            (row(1.0, 0.3), row(0.63, 0.3), true),
            (row(0.0, 0.0), row(0.0, 0.0), false),
        ] {
            assert_eq!(one.differs_from(&other), differs, "{one:?} {other:?}");
            assert_eq!(other.differs_from(&one), differs, "{other:?} {one:?}");
        }
    }
}

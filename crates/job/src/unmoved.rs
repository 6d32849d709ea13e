//! The pairs of a robot that a sweep along a joint does not ask, since neither part moves against the other.

use std::collections::BTreeSet;

use crate::error::JobError;
use crate::job::Job;
use crate::sweep::at_rest;
use closefit::internals::engine::NO_RELATIVE_MOTION;
use closefit::{Assembly, Observer, PairJournal, PairRecord, PairState, PartId, Run, SweepRequest, Verdict};
use closefit_geometry::motion::FrameId;
use closefit_geometry::scene::{Part, Scene};
use closefit_geometry::text::printable;
use closefit_report::table::counted;

/// Largest number of pairs that a note names.
const MOST_NAMED: usize = 4;

/// The pairs to decide: with a part of the robot, and without relative motion.
struct Unmoved {
    of_robot: BTreeSet<PartId>,
    /// The frame that moves each part, if one does.
    moved_by: Vec<Option<FrameId>>,
}

impl PairJournal<PairRecord> for Unmoved {
    fn is_selective(&self) -> bool {
        true
    }

    fn state(&self, _: u64, pair: [PartId; 2]) -> PairState {
        let [a, b] = pair.map(|part| self.moved_by[part.index()]);
        let is_asked = a == b && pair.iter().any(|part| self.of_robot.contains(part));
        if is_asked { PairState::Pending } else { PairState::OtherShard }
    }
}

impl Job {
    /// Returns a note with the clashes between parts that the joint of a sweep does not move against each
    /// other, if there are any: the sweep excludes these pairs. `of_robot` are the parts of the robot; the
    /// parts stand as at the start of the sweep.
    ///
    /// # Errors
    /// [`JobError::Check`].
    pub fn clashes_without_motion(
        &self,
        request: &SweepRequest,
        of_robot: BTreeSet<PartId>,
        observer: &dyn Observer,
    ) -> Result<Option<String>, JobError> {
        let scene = self.scene();
        let moved_by = |part: &Part| part.frame.and_then(|frame| scene.frames.mover(frame));
        let unmoved = Unmoved { of_robot, moved_by: scene.parts.iter().map(moved_by).collect() };
        let start = Assembly::from(scene.at(request.from));
        let run = Run::default().observer(observer).journal(&unmoved);
        let found = start.check_with(&at_rest(request), run).map_err(|error| self.refused(error, scene))?;
        let clashes: Vec<[PartId; 2]> =
            found.pairs.iter().filter(|pair| pair.verdict == Verdict::Clash).map(|pair| pair.ids).collect();
        Ok((!clashes.is_empty()).then(|| in_words(scene, &clashes)))
    }
}

fn in_words(scene: &Scene, clashes: &[[PartId; 2]]) -> String {
    let name = |part: PartId| printable(&scene.parts[part.index()].name);
    let named: Vec<String> =
        clashes.iter().take(MOST_NAMED).map(|&[a, b]| format!("{}, {}", name(a), name(b))).collect();
    let more = match clashes.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let pairs = counted(clashes.len() as u64, "excluded pair", "excluded pairs");
    let verb = if clashes.len() == 1 { "clashes" } else { "clash" };
    format!("{pairs} ({NO_RELATIVE_MOTION}) {verb}, see 'closefit check': {}{more}", named.join("; "))
}

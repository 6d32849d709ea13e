//! A scene, and what a project asks of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::{JobError, NothingAsked, files_line, with_file};
use crate::pairs::Pairs;
use crate::read::ReadScene;
use closefit::{Assembly, CheckError, KeptModels, Ledger, SweepError};
use closefit_geometry::scene::Scene;
use closefit_project::{CompiledClaim, Fail, Over, RulesFile, Sides};
use closefit_report::document::JointRow;

/// The questions to a scene. By default, about every pair.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The sides between which pairs are checked.
    pub sides: Option<Sides>,
    /// Groups, rules, exclusions, waivers and claims.
    pub rules: Option<RulesFile>,
}

/// A scene with a project, which can be checked and swept any number of times.
#[derive(Clone, Debug)]
pub struct Job {
    assembly: Arc<Assembly>,
    paths: Vec<PathBuf>,
    pub(crate) pairs: Pairs,
    /// The models that checks of rows have built of the scene.
    pub(crate) models: KeptModels,
    /// The joint along which it is swept, if it is.
    pub(crate) joint: Option<JointRow>,
    /// The values of its robot's joints, if these were given.
    pub(crate) at_joints: Option<BTreeMap<String, f64>>,
}

impl Job {
    /// Applies a project to a scene.
    ///
    /// # Errors
    /// [`JobError::Rules`] if a length has no value in the scene's unit, or if a claim is about no pair.
    pub fn new(read: ReadScene, project: Project) -> Result<Self, JobError> {
        let ReadScene { mut scene, paths, files, models } = read;
        let pairs = Pairs::applied(project, &mut scene, &files)?;
        Ok(Self {
            assembly: Arc::new(Assembly::from(scene)),
            paths,
            pairs,
            models,
            joint: None,
            at_joints: None,
        })
    }

    /// Returns the job with the parts where they are at a time, in seconds.
    pub fn at(self, time: f64) -> Self {
        Self { assembly: Arc::new(Assembly::from(self.scene().at(time))), ..self }
    }

    /// Returns the job with the scene at values of its robot's joints.
    pub(crate) fn placed(self, joints: BTreeMap<String, f64>, scene: Scene) -> Self {
        Self { assembly: Arc::new(Assembly::from(scene)), at_joints: Some(joints), ..self }
    }

    /// Returns the job with the scene swept along a joint.
    pub(crate) fn along(self, joint: JointRow, scene: Scene) -> Self {
        Self { assembly: Arc::new(Assembly::from(scene)), joint: Some(joint), ..self }
    }

    /// Returns the parts. Checks of the assembly ignore claims and waivers.
    pub fn assembly(&self) -> &Arc<Assembly> {
        &self.assembly
    }

    /// Returns the scene, with its rules.
    pub fn scene(&self) -> &Scene {
        self.assembly.scene()
    }

    /// Returns the mildest verdict with which a pair fails, if its rule says one.
    pub fn fail_of(&self, ids: [u32; 2]) -> Option<Fail> {
        self.pairs.fail_of(ids)
    }

    /// Returns the diagonal of the box of all parts at a time, or as they were read.
    ///
    /// # Errors
    /// [`JobError::Check`] for a part that cannot be posed.
    pub fn diagonal(&self, time: Option<f64>) -> Result<f64, JobError> {
        self.assembly.diagonal(time).map_err(|error| self.refused(error, self.scene()))
    }

    /// Returns the files of the scene, for messages.
    pub(crate) fn files(&self) -> String {
        files_line(&self.paths)
    }

    /// Adds to the engine's error about a scene the file of the part.
    pub(crate) fn refused(&self, error: CheckError, scene: &Scene) -> JobError {
        with_file(error, scene, &self.paths)
    }

    /// Adds to the engine's error about a sweep of a scene its files.
    pub(crate) fn refused_sweep(&self, error: SweepError, scene: &Scene) -> JobError {
        match error {
            SweepError::Check(error) => self.refused(error, scene),
            error => JobError::Sweep { files: self.files(), error },
        }
    }

    /// Returns a note for each claim that a run does not ask: of one at rest or in motion, the claims of the
    /// other; of a run that asks none, all.
    pub fn claims_not_asked(&self, asked: Option<Over>) -> Vec<String> {
        let claims = self.pairs.claims().map_or(&[][..], |claims| claims.all);
        let others = claims.iter().filter(|claim| Some(claim.over) != asked);
        let note = |claim: &CompiledClaim| {
            let command = if claim.over == Over::Rest { "check" } else { "sweep" };
            format!("claim '{}' is not asked here: 'closefit {command}' asks it", claim.id)
        };
        others.map(note).collect()
    }

    /// Returns a note for a run that asks no volumes, if a rule limits them.
    pub fn volumes_not_asked(&self) -> Option<String> {
        let note = "'volume_at_most' of rules is not asked here: a check of one pose asks it";
        self.pairs.limit_volumes().then(|| note.to_owned())
    }

    /// Refuses a run whose rules have only claims if it asks none of them.
    pub(crate) fn refuse_no_claim(&self, asked: Option<Over>) -> Result<(), JobError> {
        let claims = self.pairs.claims().map_or(&[][..], |claims| claims.all);
        let is_asked = claims.iter().any(|claim| Some(claim.over) == asked);
        if is_asked || !self.pairs.are_only_claims() {
            return Ok(());
        }
        let why = NothingAsked::NoClaim(self.claims_not_asked(asked).join("; "));
        Err(JobError::Nothing { files: self.files(), why })
    }

    /// Refuses a job that checks no pair; `still` says that it needs motion, and has none.
    pub(crate) fn refuse_empty(&self, ledger: &Ledger, still: bool) -> Result<(), JobError> {
        if ledger.asked() > 0 {
            return Ok(());
        }
        let why = match self.pairs.why_empty() {
            _ if ledger.pairs == 0 => NothingAsked::OnePart,
            _ if still => NothingAsked::NothingMoves,
            Some(notes) => NothingAsked::NoParts(notes),
            None => NothingAsked::Excluded(ledger.excluded.clone()),
        };
        Err(JobError::Nothing { files: self.files(), why })
    }
}

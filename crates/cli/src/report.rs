//! `closefit report`: the findings of a finished run, shown in their scene.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};

use crate::errors::naming_files;
use crate::files::read_file;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::settings::scene_exports::{ExportContext, SceneExports};
use crate::settings::written::{Watched, WrittenFile};
use crate::{machine, terminal};
use closefit_geometry::scene::Scene;
use closefit_job::{at_joints_again, files_line, read_from, swept_again};
use closefit_report::certificate::CertifiedSettings;
use closefit_report::digest::{Digests, PartDigests};
use closefit_report::document::{PartRow, Report};
use closefit_report::{Certificate, Document, Reading};
use closefit_scene::read::{Motions, ReadOptions};
use closefit_views::Views;

/// The findings of a finished run to show.
#[derive(Clone, Debug)]
pub struct ReportPlan {
    /// The folder that the run has written.
    pub out: PathBuf,
    pub scene_exports: SceneExports,
    pub quiet: bool,
    /// The files that the run writes.
    pub written: Vec<WrittenFile>,
}

/// Shows the findings of a run.
pub fn run(plan: &ReportPlan) -> anyhow::Result<Outcome> {
    let ReportPlan { out, scene_exports: exports, .. } = plan;
    let path = out.join("report.json");
    if exports.is_empty() {
        bail!("{}: nothing to write: say what, such as --picture FILE", out.display());
    }
    let review = exports.review()?;
    let document = Document::read(&read_file(&path)?).with_context(|| path.display().to_string())?;
    let finished = FinishedRun { path, reading: reading(&out.join("run.json"))?, written: &plan.written };
    let inputs = finished.reading.inputs();
    let certificate = FinishedClaims::read(&out.join("certificate.json"))?;
    let made = match &document {
        Document::Check(report) => {
            let read = naming_files(&inputs, finished.scene(report.settings.at.is_some()))?;
            let scene = match (report.settings.at, &report.settings.joints) {
                (Some(time), _) => read.at(time),
                (None, Some(joints)) => {
                    at_joints_again(&read, joints).map_err(|why| finished.refused(&why))?
                }
                (None, None) => read,
            };
            finished.refuse_changes(&report.parts, &scene, &Digests::standing(&scene).parts)?;
            let certificate = certificate.of(report);
            let context = ExportContext { certificate, review: &review, heat_map: None, inputs: &inputs };
            exports.files(&Views::of(&scene, report), &context)
        }
        Document::Sweep(report) => {
            let read = naming_files(&inputs, finished.scene(true))?;
            let range = [report.settings.from, report.settings.to];
            let scene = match &report.settings.joint {
                Some(joint) => swept_again(&read, joint, range).map_err(|why| finished.refused(&why))?,
                None => read,
            };
            let digests = Digests::moving(&scene, range);
            finished.refuse_changes(&report.parts, &scene, &digests.parts)?;
            let certificate = certificate.of(report);
            let context = ExportContext { certificate, review: &review, heat_map: None, inputs: &inputs };
            exports.files(&Views::of(&scene, report), &context)
        }
        _ => bail!("{}: it has no findings: it is not of a check or a sweep", finished.path.display()),
    };
    let made = naming_files(&inputs, made)?;
    terminal::write_output_with(Vec::new(), made.files)?;
    if !plan.quiet {
        terminal::print_notes(made.notes.iter());
    }
    Ok(Outcome::Pass)
}

/// Reads from a `run.json` which files the run read.
fn reading(path: &Path) -> anyhow::Result<Reading> {
    serde_json::from_slice(&read_file(path)?).with_context(|| path.display().to_string())
}

/// The certificate of a finished run, if it has one.
struct FinishedClaims(Option<Certificate>);

impl FinishedClaims {
    fn read(path: &Path) -> anyhow::Result<Self> {
        if !path.exists() {
            return Ok(Self(None));
        }
        let certificate = Certificate::read(&read_file(path)?).with_context(|| path.display().to_string())?;
        Ok(Self(Some(certificate)))
    }

    /// Returns the certificate if it belongs to a report: an earlier run may have left it.
    fn of<S, P>(&self, report: &Report<S, P>) -> Option<&Certificate>
    where
        for<'a> CertifiedSettings: From<&'a S>,
    {
        self.0.as_ref().filter(|certificate| certificate.belongs_to(report))
    }
}

/// A finished run, whose scene is read again.
struct FinishedRun<'a> {
    /// The path of its report.
    path: PathBuf,
    reading: Reading,
    /// The files that this run writes.
    written: &'a [WrittenFile],
}

impl FinishedRun<'_> {
    /// Reads the scene again; its motions must be valid if the run was about times.
    fn scene(&self, moves: bool) -> anyhow::Result<Scene> {
        let motions = if moves { Motions::Required } else { Motions::Noted };
        let options = ReadOptions { motions, memory: machine::memory(), ..self.reading.options() };
        let disk = Watched::of(self.written);
        let read = read_from(&disk, &self.reading.inputs(), &options, &Progress::new(true))?;
        disk.refuse()?;
        Ok(read.scene)
    }

    /// Refuses a scene whose parts are not the report's, in its order: its findings are about other parts.
    fn refuse_changes(
        &self,
        parts: &[PartRow],
        scene: &Scene,
        digests: &[PartDigests],
    ) -> anyhow::Result<()> {
        let changed = |(part, digests): &(&PartRow, &PartDigests)| {
            let was = PartDigests { mesh: part.mesh_digest, pose: part.pose_digest };
            was != **digests || part.name != scene.parts[part.id].name
        };
        let why = match parts.iter().zip(digests).find(changed) {
            Some((part, _)) => format!("'{}' has changed since the report", part.name),
            None if parts.len() == scene.parts.len() => return Ok(()),
            None => format!("{} parts, where the report has {}", scene.parts.len(), parts.len()),
        };
        Err(anyhow!("{}: {why} in {}", files_line(&self.reading.inputs()), self.path.display()))
    }

    /// Returns an error about the scene.
    fn refused(&self, why: &str) -> anyhow::Error {
        anyhow!("{}: {why}", files_line(&self.reading.inputs()))
    }
}

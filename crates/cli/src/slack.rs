//! `closefit slack`: how far parts can move, each alone, before they come near others.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{anyhow, bail};

use crate::errors::{of_flag, refusal};
use crate::outcome::Outcome;
use crate::pair_commands::{self, in_pool};
use crate::progress::Progress;
use crate::settings::input::{AtTime, Input};
use crate::settings::length::FlagLength;
use crate::settings::pairs::PairChoice;
use crate::terminal;
use closefit::internals::engine::Clock;
use closefit::{Axes, DVec3, Observer, PartId, SlackError, SlackRequest, Stage, Strategy};
use closefit_geometry::ids::to_u32;
use closefit_geometry::scene::Scene;
use closefit_job::{Job, JobError, files_line, parts_listed};
use closefit_report::files::NewFile;
use closefit_report::table::counted;
use closefit_report::{SlackReport, csv, json, table};

/// A question about the slack of parts.
#[derive(Clone, Debug)]
pub struct SlackPlan {
    pub input: Input,
    pub pairs: PairChoice,
    pub at: Option<AtTime>,
    /// The parts, as the user names them.
    pub parts: Vec<String>,
    /// True to ask about every part.
    pub all: bool,
    pub clearance: FlagLength,
    pub tolerance: Option<FlagLength>,
    pub precision: Option<FlagLength>,
    pub axes: Axes,
    /// The point on the axes of all turns: the sign and the length of each coordinate.
    pub about: Option<[(f64, FlagLength); 3]>,
    /// The most rows of the table of all parts; `None` for all.
    pub rows: Option<usize>,
    pub out: Option<PathBuf>,
    pub strategy: Strategy,
    pub threads: Option<u16>,
}

/// Finds how far parts can move.
pub fn run(plan: &SlackPlan) -> anyhow::Result<Outcome> {
    in_pool(plan.out.as_deref(), plan.threads, |clock| run_in_pool(plan, clock))
}

fn run_in_pool(plan: &SlackPlan, clock: Clock) -> anyhow::Result<Outcome> {
    let input = &plan.input;
    let progress = Progress::new(input.quiet);
    let job = input.job_at_rest(&plan.pairs, plan.at.as_ref(), &progress)?;
    let scene = job.scene();
    progress.name_parts(Arc::clone(job.assembly()));
    let parts = parts(plan, scene)?;
    let request = plan.request(&job)?;
    let report = job.slack(&parts, &request, &progress).map_err(|error| refused(error, plan))?;
    if plan.out.is_some() {
        progress.begin(Stage::Writing, 0);
        let files: Vec<NewFile> = vec![
            ("slack.csv".to_owned(), Box::new(|file| csv::write_slack(&report, file))),
            ("slack.json".to_owned(), Box::new(|file| json::write(file, &report))),
        ];
        terminal::write_output(files)?;
    }
    drop(progress);
    input.print_document(&report, || in_words(&report, plan, clock))?;
    input.say_notes(scene, &job.claims_not_asked(None));
    Ok(Outcome::Pass)
}

/// Returns the parts to examine.
fn parts(plan: &SlackPlan, scene: &Scene) -> anyhow::Result<Vec<PartId>> {
    let files = files_line(&plan.input.scenes);
    match (&plan.parts[..], plan.all) {
        ([], true) => Ok((0..to_u32(scene.parts.len())).map(PartId).collect()),
        ([], false) => bail!("{files}: which parts? name them after the scene, or give --all"),
        ([first, ..], true) => {
            bail!("{files}: --all is about every part, '{first}' too: give one or the other")
        }
        (names, false) => parts_listed(scene, names).map_err(|why| anyhow!("{files}: {why}")),
    }
}

/// Returns the text for stdout.
fn in_words(report: &SlackReport, plan: &SlackPlan, clock: Clock) -> String {
    let width = Some(pair_commands::width());
    let tables = match plan.all {
        true => table::slack_of_all(report, plan.rows, width),
        false => {
            let each = report.slack.iter().map(|row| table::slack_of_part(report, row, width));
            each.collect::<Vec<_>>().join("\n")
        }
    };
    let all = counted(report.parts.len() as u64, "part", "parts");
    let parts = format!("{} of {all} examined", report.slack.len());
    pair_commands::summary(&plan.input.scenes, [&table::slack_header(report), &tables, &parts], clock)
}

/// Adds the flag to a refusal that is about one.
fn refused(error: JobError, plan: &SlackPlan) -> anyhow::Error {
    match error {
        JobError::Slack { error: SlackError::Precision { asked, smallest }, .. }
            if plan.precision.is_none() =>
        {
            let why = anyhow!(
                "the default precision of {asked:e} is too fine for f64 here: the smallest possible is about {smallest:e}"
            );
            of_flag(why, "--precision")
        }
        JobError::Slack { error, .. } => of_flag(error, "--precision"),
        JobError::Nothing { .. } => anyhow!(error),
        error => refusal(error),
    }
}

impl SlackPlan {
    /// Returns the request for a scene, with lengths in its unit.
    fn request(&self, job: &Job) -> anyhow::Result<SlackRequest> {
        let (input, scene) = (&self.input, job.scene());
        let mut request = job.slack_request()?.clearance(self.clearance.in_unit(scene)?);
        if let Some(tolerance) = &self.tolerance {
            request = request.tolerance(tolerance.in_unit(scene)?);
        }
        if let Some(precision) = &self.precision {
            request = request.precision(precision.in_unit(scene)?);
        }
        if let Some(about) = &self.about {
            let mut point = [0.0; 3];
            for (coordinate, (sign, length)) in point.iter_mut().zip(about) {
                *coordinate = sign * length.in_unit(scene)?;
            }
            request = request.about(DVec3::from_array(point));
        }
        Ok(request.axes(self.axes).strategy(self.strategy).winding(input.winding).memory(input.memory()))
    }
}

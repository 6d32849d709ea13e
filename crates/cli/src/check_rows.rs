//! `closefit check` at many poses: a line of JSON for each row.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;

use crate::errors::{of_flag, refusal};
use crate::joints::{at_joints, names_joint};
use crate::outcome::Outcome;
use crate::pair_commands::{self, in_pool, strategy_notes};
use crate::progress::Progress;
use crate::settings::input::Input;
use crate::settings::pair_run::PairRun;
use crate::settings::pairs::rules_text;
use crate::settings::question::CheckSettings;
use crate::{row_lines, terminal};
use closefit::internals::engine::Clock;
use closefit::{CheckRequest, Device, Tally, Verdict};
use closefit_geometry::scene::Scene;
use closefit_geometry::text::printable;
use closefit_job::{Job, JobError, RowJournal, RowOptions, RowSource, RowSummary, robot_of};
use closefit_report::table;
use closefit_scene::read::Motions;

/// A check at many poses.
#[derive(Clone, Debug)]
pub struct RowsPlan {
    pub run: PairRun,
    pub settings: CheckSettings,
    pub poses: Poses,
    /// True to end each row at its first pair that clashes.
    pub ends_at_clash: bool,
}

/// The poses of the rows.
#[derive(Clone, Debug)]
pub enum Poses {
    /// The configurations of a robot in a file, and the values of the joints without a column.
    Configurations { file: PathBuf, at_joints: Option<String> },
    /// The poses of the second of two parts, in a file.
    OfPart(PathBuf),
    /// The times from the first to the second, at a step, and the text that says so.
    Times([f64; 3], String),
}

impl RowsPlan {
    /// Returns the file that has the rows, if a file has.
    pub fn file(&self) -> Option<&Path> {
        match &self.poses {
            Poses::Configurations { file, .. } | Poses::OfPart(file) => Some(file),
            Poses::Times(..) => None,
        }
    }
}

impl Poses {
    /// Opens the rows of a scene, which was read from this input.
    fn source(&self, scene: &Scene, input: &Input) -> anyhow::Result<RowSource> {
        match self {
            Self::Configurations { file, at_joints } => configurations(file, at_joints.as_deref(), scene),
            Self::OfPart(file) => Ok(RowSource::poses(file, scene)?),
            Self::Times([from, to, step], text) => {
                let refused = |why: String| of_flag(anyhow!(why), format!("--at {text}"));
                if !input.has_times(scene) {
                    return Err(refused("nothing in the scene moves".to_owned()));
                }
                RowSource::times(*from, *to, *step).map_err(refused)
            }
        }
    }
}

fn configurations(file: &Path, values: Option<&str>, scene: &Scene) -> anyhow::Result<RowSource> {
    let refused = |why: String| of_flag(anyhow!(why), format!("--configurations {}", file.display()));
    let robot = robot_of(scene).map_err(refused)?;
    let others = match values {
        None => robot.rest(),
        Some(text) => at_joints(text, scene)?,
    };
    let rows = RowSource::configurations(file, scene, others)?;
    let Some(text) = values else { return Ok(rows) };
    let is_twice = |&joint: &usize| rows.has_column(joint) && names_joint(text, &robot.joints[joint].name);
    match (0..robot.joints.len()).find(is_twice) {
        None => Ok(rows),
        Some(joint) => {
            let name = printable(&robot.joints[joint].name);
            let why = anyhow!("'{name}' has a column in {}: leave out its value", file.display());
            Err(of_flag(why, format!("--at-joints {text}")))
        }
    }
}

/// Checks a scene at every row, and writes the lines to stdout or to the directory of `--out`; or checks the
/// rows of a shard, and keeps their lines.
pub fn run(plan: &RowsPlan) -> anyhow::Result<Outcome> {
    plan.run.fail_on.refuse_changes()?;
    in_pool(plan.run.claimed(), plan.run.threads, |clock| run_in_pool(plan, clock))
}

fn run_in_pool(plan: &RowsPlan, mut clock: Clock) -> anyhow::Result<Outcome> {
    let run = &plan.run;
    let strategy = run.search.on_device(run.search.strategy()?)?;
    let journal = run.long_run.open(run.out.as_deref())?;
    let progress = run.progress();
    let motions = if let Poses::Times(..) = plan.poses { Motions::Required } else { Motions::Noted };
    let job = run.input.job(&run.pairs, motions, &progress)?;
    progress.name_parts(Arc::clone(job.assembly()));
    let request = plan.settings.request(&job, &run.input, (&run.search, strategy))?;

    let mut rows = plan.poses.source(job.scene(), &run.input)?;
    let read_s = clock.lap();
    let rules = rules_text(run.pairs.rules.as_deref())?;
    let fail_on = [("fail on", run.fail_on.word())];
    let lines = journal.clone().map(|journal| RowJournal::new(journal, &fail_on, ("rules file", &rules)));
    let options =
        RowOptions { ends_at_clash: plan.ends_at_clash, allow_empty: run.allow_empty, journal: lines };
    let asked = (&request, &options);
    if let Some(journal) = journal.as_ref().filter(|journal| journal.shard().is_some()) {
        write_rows(run, &job, asked, &mut rows, &progress, &mut io::sink()).map_err(refusal)?;
        drop(progress);
        return pair_commands::finish_shard(journal, run.input.quiet);
    }
    let write = |out: &mut dyn Write| write_rows(run, &job, asked, &mut rows, &progress, out);
    let Some(summary) = row_lines::written(run.out.as_deref(), write)?.map_err(refusal)? else {
        return Ok(run.fail_on.of_unread_rows());
    };
    pair_commands::finish(journal.as_ref())?;
    drop(progress);
    finished(plan, (&job, &rows), &summary, &request, [read_s, clock.lap()])
}

fn write_rows(
    run: &PairRun,
    job: &Job,
    asked: (&CheckRequest, &RowOptions),
    rows: &mut RowSource,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<RowSummary, JobError> {
    let fails = |ids: [u32; 2], verdict: Verdict| run.fail_on.of_pair(job, ids).fails(verdict);
    job.check_rows(rows, asked, &fails, progress, out)
}

/// Says what was found, and returns the outcome.
fn finished(
    plan: &RowsPlan,
    (job, rows): (&Job, &RowSource),
    summary: &RowSummary,
    request: &CheckRequest,
    [read_s, rows_s]: [f64; 2],
) -> anyhow::Result<Outcome> {
    row_lines::refuse_wrong(plan.file(), summary)?;
    let tolerance = table::scene_length(job.scene().unit, request.tolerance);
    let each = rows_s / summary.rows.max(1) as f64;
    let each = if each < 1e-3 { format!("{:.1} µs", each * 1e6) } else { format!("{:.1} ms", each * 1e3) };
    let counts = row_lines::counts(summary);
    let told =
        format!("{counts}; tolerance {tolerance}; read in {read_s:.2} s, then {rows_s:.2} s, {each} a row");
    let notes = [told].into_iter().chain(rows.notes(job.scene())).chain(job.claims_not_asked(None));
    let notes = notes.chain(job.volumes_not_asked());
    let notes: Vec<String> = notes.collect();
    plan.run.input.say_notes(job.scene(), &notes);
    let beyond = table::clearance_note(request.clearance, job.diagonal(None)?, job.scene().unit);
    if !plan.run.input.quiet {
        let searched = request.strategy.device().map(device_note);
        let notes = beyond.into_iter().chain(searched).chain(strategy_notes(request.strategy));
        let notes: Vec<_> = notes.collect();
        terminal::print_notes(notes.iter());
    }
    Ok(if summary.fails { Outcome::Fail } else { Outcome::Pass })
}

/// Says what a device did for the rows.
fn device_note(device: Device) -> String {
    let Tally { pairs, launches, .. } = device.tally();
    let name = device.name();
    format!("--backend gpu: {name} searched {pairs} pairs for contacts, in {launches} launches")
}

//! `closefit batch`: many scenes, one after the other, with a line of JSON for each.
//!
//! All threads work on one scene at a time, so a run takes no more memory than its largest scene.

use std::io::{self, ErrorKind, Write};
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::args::{Input, PairArgs, ReadingArgs, RunArgs};
use super::diff::refuse_changes;
use super::grouping::{GroupArgs, GroupsAsked};
use super::help::{BATCH, OUTPUT, with_exit_status};
use super::kept_args::{self, BudgetArgs, KeptArgs};
use super::progress::Progress;
use super::project::{ProjectAsked, rules_text};
use super::question_args::{Asked, QuestionArgs};
use super::{Outcome, check, check_results, decide, in_one_line, read_scene, refusal, row_lines, terminal};
use closefit::internals::engine::{Clock, Observer, Stage};
use closefit_job::{
    CheckOptions, Finished, Job, JobError, KeptRows, ListedFiles, ListedScene, RowAnswer, RowSummary,
    RowsFile, SceneList,
};
use closefit_project::SetText;
use closefit_report::CheckReport;
use closefit_report::diff::Review;
use closefit_report::files::WriteError;
use closefit_report::json;
use closefit_report::rows::{RowOutcome, SceneFindings, SceneLine};
use closefit_scene::read::Motions;

#[derive(Debug, Args)]
#[command(after_help = with_exit_status(BATCH, false),
    mut_arg("out", |out| out.help("Write the lines to rows.jsonl in this directory instead of stdout")))]
pub struct BatchArgs {
    /// List of scenes: a line of JSON for each
    list: PathBuf,
    #[command(flatten)]
    question: QuestionArgs,
    /// Ask only about the parts of a set, such as type=IfcPipe*,model=A; given twice, about pairs of a part
    /// of each set
    #[arg(long = "set", value_name = "SET", help_heading = "Pairs")]
    sets: Vec<SetText>,
    /// Rules for the scenes whose rows name none
    #[arg(long, value_name = "FILE", help_heading = "Pairs")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    groups: GroupArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Print no notes or progress
    #[arg(long, help_heading = OUTPUT)]
    quiet: bool,
    #[command(flatten)]
    pub kept: KeptArgs,
    #[command(flatten)]
    run: RunArgs,
}

impl BatchArgs {
    /// Returns the list.
    pub fn list(&self) -> &Path {
        &self.list
    }

    /// Returns the arguments of reading some files.
    fn input(&self, scenes: Vec<PathBuf>) -> Input {
        let (reading, quiet) = (self.reading.clone(), self.quiet);
        Input { scenes, reading, models: Vec::new(), trajectory: None, json: false, quiet }
    }

    /// Returns the arguments about pairs for a scene that may have rules of its own.
    fn pairs(&self, rules: Option<PathBuf>) -> PairArgs {
        let rules = rules.or_else(|| self.rules.clone());
        PairArgs { against: Vec::new(), sets: self.sets.clone(), rules, srdf: None }
    }

    /// Returns a rows file as that of lines that depend on these arguments.
    fn kept(&self, file: Arc<RowsFile>) -> anyhow::Result<KeptRows> {
        let Self { question, reading, .. } = self;
        let said = |given: bool| if given { "yes" } else { "no" }.to_owned();
        let mut settings = vec![
            ("clearance", question.clearance.clone()),
            ("tolerance", question.tolerance.clone().unwrap_or_else(|| "default".to_owned())),
            ("depth", format!("{:?}", question.depth)),
            ("sets", format!("{:?}", self.sets)),
            ("unit", format!("{:?}", reading.unit)),
            ("collision geometry", said(reading.collision_geometry)),
            ("as is", said(reading.as_is)),
            ("outside", said(reading.allow_outside)),
            ("allow empty", said(self.run.allow_empty)),
            ("fail on", self.run.fail_on.word()),
        ];
        // What earlier versions did not know is no part of the settings unless it is given.
        if !reading.packages.is_empty() {
            settings.push(("packages", format!("{:?}", reading.packages)));
        }
        if reading.allow_missing {
            settings.push(("missing", said(true)));
        }
        Ok(KeptRows::new(file, &settings, ("rules file", &rules_text(self.rules.as_deref())?)))
    }
}

pub fn run(args: &BatchArgs) -> anyhow::Result<Outcome> {
    refuse_changes(args.run.fail_on)?;
    let input = args.input(vec![args.list.clone()]);
    let (out, threads) = (args.kept.claimed(&args.run), args.run.threads);
    decide::in_pool(out, threads, &input, |clock| run_in_pool(args, &input, clock))
}

fn run_in_pool(args: &BatchArgs, input: &Input, mut clock: Clock) -> anyhow::Result<Outcome> {
    let asked = Asked::of(&args.question, &args.run, input)?;
    let groups = GroupsAsked::of(&args.groups, input)?;
    // A fault of these rules is not that of each row.
    ProjectAsked::of(&args.pairs(None))?;
    let file = args.kept.open(args.run.out.as_deref(), BudgetArgs { budget: None })?;
    let shard = file.as_deref().filter(|file| file.shard().is_some());
    let kept = file.clone().map(|file| args.kept(file)).transpose()?;
    let mut list = SceneList::open(&args.list)?;
    let progress = args.kept.progress(args.quiet);
    let mut batch = Batch { args, asked, groups, progress, shard, summary: RowSummary::default() };
    if let Some(shard) = shard {
        batch.write_rows(&mut list, kept.as_ref(), &mut io::sink())?;
        drop(batch);
        return kept_args::finish_shard(shard, args.quiet);
    }
    let write = |out: &mut dyn Write| batch.write_rows(&mut list, kept.as_ref(), out);
    if row_lines::written(args.run.out.as_deref(), write)??.is_none() {
        return Ok(Outcome::Pass);
    }
    kept_args::finish(file.as_ref())?;
    let Batch { asked, progress, summary, .. } = batch;
    drop(progress);
    row_lines::refuse_wrong(Some(&args.list), &summary)?;
    if !args.quiet {
        clock.lap();
        let (counts, total_s) = (row_lines::counts(&summary), clock.total());
        let each_ms = total_s * 1e3 / summary.rows.max(1) as f64;
        let told = format!("{counts}; {total_s:.2} s, {each_ms:.1} ms a row");
        let notes: Vec<_> = std::iter::once(told).chain(decide::strategy_notes(asked.strategy)).collect();
        terminal::print_notes(notes.iter());
    }
    Ok(if summary.fails { Outcome::Fail } else { Outcome::Pass })
}

/// A run over the rows of a list.
struct Batch<'a> {
    args: &'a BatchArgs,
    asked: Asked<'a>,
    groups: GroupsAsked,
    progress: Progress,
    /// The rows file of a shard.
    shard: Option<&'a RowsFile>,
    /// The findings so far.
    summary: RowSummary,
}

impl Batch<'_> {
    /// Checks the scenes of the list, or those that are left, and writes a line for each.
    fn write_rows(
        &mut self,
        list: &mut SceneList,
        kept: Option<&KeptRows>,
        out: &mut dyn Write,
    ) -> Result<(), JobError> {
        let left: Vec<Range<u64>> = match kept {
            None => iter::once(0..u64::MAX).collect(),
            Some(kept) => list.begin(kept, &mut |answer| self.write(answer, out))?,
        };
        self.progress.begin(Stage::Deciding, 0);
        let is_left = |row: u64| left.iter().any(|range| range.contains(&row));
        let mut rows = 0;
        while let Some(listed) = list.next_row()? {
            rows += 1;
            if is_left(listed.row) {
                let answer = self.answer(listed)?;
                kept.map_or(Ok(()), |kept| kept.keep(&answer))?;
                self.write(answer, out)?;
                self.progress.advance();
            }
        }
        match rows {
            0 if !self.args.run.allow_empty => {
                let why = "nothing would be checked: it has no row (--allow-empty accepts that)".to_owned();
                Err(JobError::File { file: self.args.list.display().to_string(), why })
            }
            _ => Ok(()),
        }
    }

    fn write(&mut self, answer: RowAnswer, out: &mut dyn Write) -> Result<(), JobError> {
        out.write_all(answer.line.as_bytes())?;
        // Whoever reads along sees each line as soon as its scene is decided.
        out.flush()?;
        self.summary.add(answer.verdict, answer.fails);
        Ok(())
    }

    /// Checks the scene of a row. A full disk is no fault of the row, which has another answer once there is
    /// space: it ends the run.
    fn answer(&self, ListedScene { row, id, files }: ListedScene) -> Result<RowAnswer, JobError> {
        let found = files.map(|files| self.scene(files));
        if let Ok(Err(error)) = &found
            && let Some(full) = full_disk(error)
        {
            return Err(full);
        }
        let found = found.and_then(|found| found.map_err(|error| in_one_line(&error)));
        if self.cancelled() {
            return Err(JobError::Interrupted);
        }
        let verdict = found.as_ref().map(|found| found.verdict).map_err(String::clone);
        let fails = found.as_ref().is_ok_and(|found| found.fails);
        let outcome = match found {
            Ok(found) => RowOutcome::Found(found),
            Err(error) => RowOutcome::Refused { error },
        };
        Ok(RowAnswer { line: json::line(&SceneLine { row, id: id.as_ref(), outcome }), verdict, fails })
    }

    /// Checks the scene of a row, and writes its files.
    fn scene(&self, files: ListedFiles) -> anyhow::Result<SceneFindings> {
        let mut clock = Clock::start();
        let ListedFiles { scene, rules, out } = files;
        let input = self.args.input(scene);
        let pairs = self.args.pairs(rules);
        let project = ProjectAsked::of(&pairs)?;
        let job = project.of_scene(read_scene(&input, Motions::Noted, None, self)?)?;
        let read_s = clock.lap();
        let request = self.asked.request(&input, &job)?;
        let options = CheckOptions {
            groups: self.groups.options(job.scene(), &input)?,
            ways_out: self.args.question.way_out,
            allow_empty: self.args.run.allow_empty,
            ..CheckOptions::default()
        };
        let found = job.check(&request, &options, self).map_err(refusal)?;
        if let Some(out) = out {
            let (report, review) = (&found.report, Review::default());
            let files = check_results::files(report, &review, found.certificate.as_ref());
            let files = check::with_record(files, &found, (&input, &request, None), (read_s, &mut clock));
            match (&self.args.run.out, self.shard) {
                (Some(_), None) => terminal::write_while_writing(&out, files)?,
                _ => terminal::write_between(&out, files)?,
            }
        }
        self.findings(&job, found, request.clearance)
    }

    fn findings(
        &self,
        job: &Job,
        found: Finished<CheckReport>,
        clearance: f64,
    ) -> anyhow::Result<SceneFindings> {
        let (run, scene) = (&self.args.run, job.scene());
        let outcome = check_results::outcome(run, job, &found.report, found.certificate.as_ref());
        let beyond = decide::clearance_note(clearance, job.diagonal(None)?, scene);
        let notes = scene.notes.iter().cloned().chain(found.notes).chain(found.repairs).chain(beyond);
        Ok(SceneFindings::new(&found.report, outcome == Outcome::Fail, notes.collect()))
    }
}

/// Returns the error of files for which there is no space.
fn full_disk(error: &anyhow::Error) -> Option<JobError> {
    match error.downcast_ref::<WriteError>()? {
        WriteError::Io { path, source } => match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                let why = format!("cannot be written: {source}");
                Some(JobError::File { file: path.display().to_string(), why })
            }
            _ => None,
        },
        _ => None,
    }
}

/// A scene of a list shows no progress of its own.
impl Observer for Batch<'_> {
    fn opens_device(&self, open: &mut dyn FnMut()) {
        self.progress.opens_device(open);
    }

    fn cancelled(&self) -> bool {
        match self.shard {
            Some(rows) => rows.is_closed(),
            None => self.args.run.out.is_some() && terminal::is_stopped(),
        }
    }
}

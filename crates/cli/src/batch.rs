//! `closefit batch`: many scenes, one after the other, with a line of JSON for each.
//!
//! All threads work on one scene at a time, so a run takes no more memory than its largest scene.

use std::io::{self, ErrorKind, Write};
use std::iter;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::errors::{in_one_line, naming_files, refusal};
use crate::outcome::Outcome;
use crate::pair_commands::{self, in_pool, strategy_notes};
use crate::pair_results::PairResults;
use crate::progress::Progress;
use crate::settings::groups::{GroupSettings, Groups};
use crate::settings::input::Input;
use crate::settings::pair_run::PairRun;
use crate::settings::pairs::{PairChoice, rules_text};
use crate::settings::question::CheckSettings;
use crate::settings::written::{Watched, WrittenFile};
use crate::{row_lines, terminal};
use closefit::internals::engine::Clock;
use closefit::{Observer, Stage, Strategy};
use closefit_geometry::mesh::topology::Winding;
use closefit_job::{
    CheckOptions, JobError, Journal, ListedFiles, ListedScene, RowAnswer, RowJournal, RowSummary, SceneList,
};
use closefit_report::diff::Review;
use closefit_report::files::WriteError;
use closefit_report::json;
use closefit_report::rows::{RowOutcome, SceneFindings, SceneLine};
use closefit_report::table::clearance_note;
use closefit_scene::read::Motions;

/// Checks of many scenes.
#[derive(Clone, Debug)]
pub struct BatchPlan {
    /// The list of scenes.
    pub list: PathBuf,
    /// The settings of every check; the input has no scene, and the rules are for scenes that have none.
    pub run: PairRun,
    pub settings: CheckSettings,
    pub groups: GroupSettings,
}

impl BatchPlan {
    /// Returns the journal of the lines, which depend on these settings.
    fn row_journal(&self, journal: Arc<Journal>) -> anyhow::Result<RowJournal> {
        let Self { run: PairRun { input, pairs, .. }, settings: question, .. } = self;
        let reading = &input.reading;
        let said = |given: bool| if given { "yes" } else { "no" }.to_owned();
        let tolerance = question.tolerance.as_ref().map_or("default", |tolerance| &tolerance.text);
        let mut settings = vec![
            ("clearance", question.clearance.text.clone()),
            ("tolerance", tolerance.to_owned()),
            ("depth", format!("{:?}", question.depth)),
            ("sets", format!("{:?}", pairs.sets)),
            ("unit", format!("{:?}", reading.unit)),
            ("collision geometry", said(reading.collision_geometry)),
            ("as is", said(input.winding == Winding::AsFound)),
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
        Ok(RowJournal::new(journal, &settings, ("rules file", &rules_text(pairs.rules.as_deref())?)))
    }
}

/// Checks the scenes of a list.
pub fn run(plan: &BatchPlan) -> anyhow::Result<Outcome> {
    plan.run.fail_on.refuse_changes()?;
    in_pool(plan.run.claimed(), plan.run.threads, |clock| run_in_pool(plan, clock))
}

fn run_in_pool(plan: &BatchPlan, mut clock: Clock) -> anyhow::Result<Outcome> {
    let run = &plan.run;
    let strategy = run.search.on_device(run.search.strategy()?)?;
    let groups = plan.groups.read()?;
    // A fault of these rules ends the run: it is no fault of any one row.
    run.pairs.read_rules()?;
    let journal = run.long_run.open(run.out.as_deref())?;
    let shard = journal.as_deref().filter(|journal| journal.shard().is_some());
    let lines = journal.clone().map(|journal| plan.row_journal(journal)).transpose()?;
    let mut list = SceneList::open(&plan.list)?;
    let (progress, summary) = (run.progress(), RowSummary::default());
    let mut batch = Batch { plan, strategy, groups, progress, shard, summary };
    if let Some(shard) = shard {
        batch.write_rows(&mut list, lines.as_ref(), &mut io::sink())?;
        drop(batch);
        return pair_commands::finish_shard(shard, run.input.quiet);
    }
    let write = |out: &mut dyn Write| batch.write_rows(&mut list, lines.as_ref(), out);
    if row_lines::written(run.out.as_deref(), write)??.is_none() {
        return Ok(run.fail_on.of_unread_rows());
    }
    pair_commands::finish(journal.as_ref())?;
    let Batch { progress, summary, .. } = batch;
    drop(progress);
    row_lines::refuse_wrong(Some(&plan.list), &summary)?;
    if !run.input.quiet {
        clock.lap();
        let (counts, total_s) = (row_lines::counts(&summary), clock.total());
        let each_ms = total_s * 1e3 / summary.rows.max(1) as f64;
        let told = format!("{counts}; {total_s:.2} s, {each_ms:.1} ms a row");
        let notes: Vec<_> = std::iter::once(told).chain(strategy_notes(strategy)).collect();
        terminal::print_notes(notes.iter());
    }
    Ok(if summary.fails { Outcome::Fail } else { Outcome::Pass })
}

/// A run over the rows of a list.
struct Batch<'a> {
    plan: &'a BatchPlan,
    strategy: Strategy,
    groups: Groups<'a>,
    progress: Progress,
    /// The journal of a shard.
    shard: Option<&'a Journal>,
    /// The findings so far.
    summary: RowSummary,
}

impl Batch<'_> {
    /// Checks the scenes of the list, or those that are left, and writes a line for each.
    fn write_rows(
        &mut self,
        list: &mut SceneList,
        journal: Option<&RowJournal>,
        out: &mut dyn Write,
    ) -> Result<(), JobError> {
        let left: Vec<Range<u64>> = match journal {
            None => iter::once(0..u64::MAX).collect(),
            Some(journal) => list.begin(journal, &mut |answer| self.write(answer, out))?,
        };
        self.progress.begin(Stage::Deciding, 0);
        let is_left = |row: u64| left.iter().any(|range| range.contains(&row));
        let mut rows = 0;
        while let Some(listed) = list.next_row()? {
            rows += 1;
            if is_left(listed.row) {
                let answer = self.answer(listed)?;
                journal.map_or(Ok(()), |journal| journal.keep(&answer))?;
                self.write(answer, out)?;
                self.progress.advance();
            }
        }
        match rows {
            0 if !self.plan.run.allow_empty => {
                let why = "nothing would be checked: it has no row (--allow-empty accepts that)".to_owned();
                Err(JobError::File { file: self.plan.list.display().to_string(), why })
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

    /// Checks the scene of a row. A full disk is not the row's fault, which has another answer once there is
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
        Ok(RowAnswer { line: json::line(&SceneLine { row, id: id.as_deref(), outcome }), verdict, fails })
    }

    /// Checks the scene of a row, and writes its files.
    fn scene(&self, ListedFiles { scene, rules, out }: ListedFiles) -> anyhow::Result<SceneFindings> {
        let run = &self.plan.run;
        let mut input = Input { scenes: scene, ..run.input.clone() };
        input.written.extend(out.as_deref().into_iter().flat_map(WrittenFile::of_row));
        let pairs = PairChoice { rules: rules.or_else(|| run.pairs.rules.clone()), ..run.pairs.clone() };
        let besides = Watched::of(&input.written);
        iter::once(&self.plan.list).chain(&pairs.rules).for_each(|path| besides.reads(path));
        besides.refuse()?;
        naming_files(&input.scenes, self.scene_of(&input, &pairs, out))
    }

    fn scene_of(
        &self,
        input: &Input,
        pairs: &PairChoice,
        out: Option<PathBuf>,
    ) -> anyhow::Result<SceneFindings> {
        let mut clock = Clock::start();
        let (plan, run) = (self.plan, &self.plan.run);
        let job = input.job(pairs, Motions::Noted, self)?;
        let read_s = clock.lap();
        let request = plan.settings.request(&job, input, (&run.search, self.strategy))?;
        let options = CheckOptions {
            groups: self.groups.options(job.scene())?,
            contact_geometry: plan.settings.finds_geometry,
            volumes: plan.settings.finds_volumes,
            self_contacts: plan.settings.finds_self_contacts,
            ways_out: plan.settings.finds_ways_out,
            allow_empty: run.allow_empty,
            ..CheckOptions::default()
        };
        let found = job.check(&request, &options, self).map_err(refusal)?;
        let review = Review::default();
        let results = PairResults { input, fail_on: run.fail_on, job: &job, found: &found, review: &review };
        if let Some(out) = out {
            let mut files = results.files();
            let record =
                results.record(request.hull, (read_s, &mut clock), |record| record.with_depth(request.depth));
            files.push(record);
            match (&run.out, self.shard) {
                (Some(_), None) => terminal::write_while_writing(&out, files)?,
                _ => terminal::write_between(&out, files)?,
            }
        }
        let beyond = clearance_note(request.clearance, job.diagonal(None)?, job.scene().unit);
        let notes = job.scene().notes.iter().chain(&found.notes).chain(&found.repairs).cloned();
        let fails = results.outcome() == Outcome::Fail;
        Ok(SceneFindings::new(&found.report, fails, notes.chain(beyond).collect()))
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
            Some(journal) => journal.is_closed(),
            None => self.plan.run.out.is_some() && terminal::is_stopped(),
        }
    }
}

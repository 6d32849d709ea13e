//! `closefit check` at many poses: a line of JSON for each row.

use std::io::{self, Write};

use anyhow::bail;

use super::args::CheckArgs;
use super::progress::Progress;
use super::{Outcome, decide, refusal, row_args, say_notes, terminal};
use closefit::internals::engine::Clock;
use closefit::internals::query::{CheckRequest, Verdict};
use closefit_job::{Job, JobError, RowOptions, RowSource, RowSummary};
use closefit_report::document::Word;
use closefit_report::files::NewFile;
use closefit_report::table;

/// Checks a job at every row, and writes the lines to stdout or to the directory of `--out`.
pub fn run(
    args: &CheckArgs,
    job: &Job,
    request: &CheckRequest,
    progress: Progress,
    mut clock: Clock,
) -> anyhow::Result<Outcome> {
    let mut rows = row_args::source(args, job.scene())?;
    let read_s = clock.lap();
    let mut outcome = Ok(RowSummary::default());
    let write = |out: &mut dyn Write| {
        outcome = write_rows(args, job, request, &mut rows, &progress, out);
        match &outcome {
            // The writer has failed, and says why itself.
            Err(JobError::Output(error)) => Err(io::Error::from(error.kind())),
            _ => Ok(()),
        }
    };
    let written = match &args.run.out {
        None => terminal::print_by(write),
        Some(_) => {
            let file: NewFile = ("rows.jsonl".to_owned(), Box::new(write));
            terminal::write_output(vec![file]).map_err(anyhow::Error::from)
        }
    };
    let summary = match outcome {
        // Of a reader that has seen enough, too.
        Err(JobError::Output(_)) => return written.map(|()| Outcome::Pass),
        outcome => outcome.map_err(refusal)?,
    };
    written?;
    drop(progress);
    finished(args, job, &summary, request, [read_s, clock.lap()])
}

fn write_rows(
    args: &CheckArgs,
    job: &Job,
    request: &CheckRequest,
    rows: &mut RowSource,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<RowSummary, JobError> {
    let options = RowOptions { ends_at_clash: args.rows.first, allow_empty: args.run.allow_empty };
    let fails = |ids: [u32; 2], verdict: Verdict| args.run.fail_on.of_pair(job, ids).fails(verdict);
    job.check_rows(rows, (request, options), &fails, progress, out)
}

/// Says what was found, and returns the outcome.
fn finished(
    args: &CheckArgs,
    job: &Job,
    summary: &RowSummary,
    request: &CheckRequest,
    [read_s, rows_s]: [f64; 2],
) -> anyhow::Result<Outcome> {
    let file = args.rows.configurations.as_ref().or(args.rows.poses.as_ref());
    if let Some((row, why)) = &summary.first_refused {
        let file = file.map_or_else(String::new, |file| format!("{}: ", file.display()));
        bail!("{file}{} of {} rows are wrong, the first row {row}: {why}", summary.refused, summary.rows);
    }
    let counts = summary.by_verdict.iter().map(|(verdict, rows)| format!("{rows} {}", verdict.word()));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let tolerance = table::scene_length(job.scene().unit, request.tolerance);
    let each = rows_s * 1e6 / summary.rows.max(1) as f64;
    let told = format!(
        "{} rows: {counts}; tolerance {tolerance}; read in {read_s:.2} s, then {rows_s:.2} s, {each:.1} µs a row",
        summary.rows
    );
    say_notes(&args.input, job.scene(), &[told]);
    let beyond = decide::clearance_note(request.clearance, job.diagonal(None)?, job.scene());
    if !args.input.quiet {
        terminal::print_notes(beyond.iter());
    }
    Ok(if summary.fails { Outcome::Fail } else { Outcome::Pass })
}

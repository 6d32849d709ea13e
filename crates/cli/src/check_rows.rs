//! `closefit check` at many poses: a line of JSON for each row.

use std::io::{self, Write};
use std::sync::Arc;

use super::args::CheckArgs;
use super::progress::Progress;
use super::project::rules_text;
use super::{Outcome, decide, kept_args, refusal, row_args, row_lines, say_notes, terminal};
use closefit::internals::engine::Clock;
use closefit::internals::query::{CheckRequest, Verdict};
use closefit_job::{Job, JobError, KeptRows, RowOptions, RowSource, RowSummary, RowsFile};
use closefit_report::table;

/// Checks a job at every row, and writes the lines to stdout or to the directory of `--out`; or checks the
/// rows of a shard, and keeps their lines.
pub fn run(
    args: &CheckArgs,
    job: &Job,
    (request, file): (&CheckRequest, Option<Arc<RowsFile>>),
    progress: Progress,
    mut clock: Clock,
) -> anyhow::Result<Outcome> {
    let mut rows = row_args::source(args, job.scene())?;
    let read_s = clock.lap();
    let rules = rules_text(args.pairs.rules.as_deref())?;
    let fail_on = [("fail on", args.run.fail_on.word())];
    let kept = file.clone().map(|file| KeptRows::new(file, &fail_on, ("rules file", &rules)));
    let (ends_at_clash, allow_empty) = (args.rows.first, args.run.allow_empty);
    let options = RowOptions { ends_at_clash, allow_empty, kept };
    if let Some(file) = file.as_ref().filter(|file| file.shard().is_some()) {
        write_rows(args, job, (request, &options), &mut rows, &progress, &mut io::sink()).map_err(refusal)?;
        drop(progress);
        return kept_args::finish_shard(file, args.input.quiet);
    }
    let write = |out: &mut dyn Write| write_rows(args, job, (request, &options), &mut rows, &progress, out);
    let Some(summary) = row_lines::written(args.run.out.as_deref(), write)?.map_err(refusal)? else {
        return Ok(Outcome::Pass);
    };
    kept_args::finish(file.as_ref())?;
    drop(progress);
    finished(args, job, &summary, request, [read_s, clock.lap()])
}
fn write_rows(
    args: &CheckArgs,
    job: &Job,
    asked: (&CheckRequest, &RowOptions),
    rows: &mut RowSource,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<RowSummary, JobError> {
    let fails = |ids: [u32; 2], verdict: Verdict| args.run.fail_on.of_pair(job, ids).fails(verdict);
    job.check_rows(rows, asked, &fails, progress, out)
}

/// Says what was found, and returns the outcome.
fn finished(
    args: &CheckArgs,
    job: &Job,
    summary: &RowSummary,
    request: &CheckRequest,
    [read_s, rows_s]: [f64; 2],
) -> anyhow::Result<Outcome> {
    row_lines::refuse_wrong(args.rows.file(), summary)?;
    let tolerance = table::scene_length(job.scene().unit, request.tolerance);
    let each = rows_s * 1e6 / summary.rows.max(1) as f64;
    let counts = row_lines::counts(summary);
    let told = format!(
        "{counts}; tolerance {tolerance}; read in {read_s:.2} s, then {rows_s:.2} s, {each:.1} µs a row"
    );
    let notes: Vec<String> = [told].into_iter().chain(job.claims_not_asked(None)).collect();
    say_notes(&args.input, job.scene(), &notes);
    let beyond = decide::clearance_note(request.clearance, job.diagonal(None)?, job.scene());
    if !args.input.quiet {
        let notes: Vec<_> = beyond.into_iter().chain(decide::strategy_notes(request.strategy)).collect();
        terminal::print_notes(notes.iter());
    }
    Ok(if summary.fails { Outcome::Fail } else { Outcome::Pass })
}

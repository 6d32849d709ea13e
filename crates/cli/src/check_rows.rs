//! `closefit check` at many poses: a line of JSON for each row.

use std::io::Write;
use std::path::PathBuf;

use super::args::CheckArgs;
use super::progress::Progress;
use super::{Outcome, decide, refusal, row_args, row_lines, say_notes, terminal};
use closefit::internals::engine::Clock;
use closefit::internals::query::{CheckRequest, Verdict};
use closefit_job::{Job, JobError, RowOptions, RowSource, RowSummary};
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
    let write = |out: &mut dyn Write| write_rows(args, job, request, &mut rows, &progress, out);
    let Some(summary) = row_lines::written(args.run.out.as_deref(), write)?.map_err(refusal)? else {
        return Ok(Outcome::Pass);
    };
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
    row_lines::refuse_wrong(file.map(PathBuf::as_path), summary)?;
    let tolerance = table::scene_length(job.scene().unit, request.tolerance);
    let each = rows_s * 1e6 / summary.rows.max(1) as f64;
    let counts = row_lines::counts(summary);
    let told = format!(
        "{counts}; tolerance {tolerance}; read in {read_s:.2} s, then {rows_s:.2} s, {each:.1} µs a row"
    );
    say_notes(&args.input, job.scene(), &[told]);
    let beyond = decide::clearance_note(request.clearance, job.diagonal(None)?, job.scene());
    if !args.input.quiet {
        terminal::print_notes(beyond.iter());
    }
    Ok(if summary.fails { Outcome::Fail } else { Outcome::Pass })
}

//! `closefit merge` of rows: the lines of all shards, in the order of rows. Neither scene nor rows are read.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use crate::outcome::Outcome;
use crate::{row_lines, terminal};
use closefit_job::{JobError, Merge, RowSummary, SHARD_MISSING, missing_in_words};
use closefit_report::json;
use closefit_report::rows::{RowLine, RowOutcome, RowPairs};

/// The most ranges of missing rows that a message names.
const TOLD: usize = 8;

/// Writes the lines of a run whose shards are there, or whose missing rows get a line that says so; `file`
/// has the rows, if a file has.
pub fn run(merge: Merge, file: Option<&Path>, out: Option<&Path>, quiet: bool) -> anyhow::Result<Outcome> {
    if let Some(out) = out {
        terminal::claim_output(out)?;
    }
    let shards = match &merge.missing[..] {
        [shard] => format!("shard {shard} is"),
        shards => format!("shards {} are", missing_in_words(shards)),
    };
    let write = |out: &mut dyn Write| write_lines(merge, out);
    let Some((summary, missing)) = row_lines::written(out, write)?? else {
        return Ok(Outcome::Pass);
    };
    row_lines::refuse_wrong(file, &summary)?;
    if !quiet {
        let told = (!missing.is_empty()).then(|| missing_rows(&missing, &shards));
        terminal::print_notes([row_lines::counts(&summary)].iter().chain(&told));
    }
    Ok(if summary.fails || !missing.is_empty() { Outcome::Fail } else { Outcome::Pass })
}

/// Writes all lines. Returns the summary, and the missing rows.
fn write_lines(merge: Merge, out: &mut dyn Write) -> Result<(RowSummary, Vec<Range<u64>>), JobError> {
    let mut summary = RowSummary::default();
    let missing = merge.into_lines().each(&mut |answer| {
        match answer {
            Some(answer) => {
                out.write_all(answer.line.as_bytes())?;
                summary.add(answer.verdict, answer.fails);
            }
            None => {
                let outcome = RowOutcome::<RowPairs>::Refused { error: SHARD_MISSING.to_owned() };
                let line = json::line(&RowLine { row: summary.rows, id: None, at: None, outcome });
                out.write_all(line.as_bytes())?;
                summary.skip();
            }
        }
        Ok(())
    })?;
    Ok((summary, missing))
}

/// Says which rows are missing, and whose they are.
fn missing_rows(missing: &[Range<u64>], shards: &str) -> String {
    let range = |range: &Range<u64>| match range.end - range.start {
        1 => range.start.to_string(),
        _ => format!("{}-{}", range.start, range.end - 1),
    };
    let told: Vec<String> = missing.iter().take(TOLD).map(range).collect();
    let more = if missing.len() > TOLD { ", ..." } else { "" };
    let count: u64 = missing.iter().map(|range| range.end - range.start).sum();
    let rows = if count == 1 { "row is" } else { "rows are" };
    format!("{count} {rows} missing: {}{more}: merge again once {shards} there", told.join(", "))
}

//! `closefit diff`: what has changed from one report to another; and the baseline of a check, which is the
//! same with the report that it has just made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::files::{read_file, read_review};
use crate::outcome::Outcome;
use crate::settings::exports::ExportFiles;
use crate::{pair_commands, terminal};
use closefit_geometry::text::printable;
use closefit_report::diff::{Diff, FailOnDiff, Review};
use closefit_report::exports::Compares;
use closefit_report::files::ready;
use closefit_report::{CheckReport, Document, exports, json, table};

/// A comparison of two reports.
#[derive(Clone, Debug)]
pub struct DiffPlan {
    pub old: PathBuf,
    pub new: PathBuf,
    pub review: Option<PathBuf>,
    pub out: Option<PathBuf>,
    pub fail_on: FailOnDiff,
    /// The most rows of the table; `None` for all.
    pub rows: Option<usize>,
    pub exports: ExportFiles,
    pub json: bool,
    pub quiet: bool,
}

/// Compares two reports.
pub fn run(plan: &DiffPlan) -> anyhow::Result<Outcome> {
    let [old, new] = [&plan.old, &plan.new].map(|path| read_report(path));
    let (old, new) = (old?, new?);
    let review = read_review(plan.review.as_deref())?;
    let compared = Diff::of(&old, &new, &review);
    let diff = compared.with_context(|| format!("{}, {}", plan.old.display(), plan.new.display()))?;
    let mut files = Vec::new();
    if let Some(out) = &plan.out {
        terminal::claim_output(out)?;
        files.push(ready("diff.json", json::document(&diff)));
    }
    let fail_on = plan.fail_on;
    let junit = || exports::diff_junit(&diff, None, fail_on, Compares::Diff);
    let elsewhere =
        plan.exports.files(junit, || exports::diff_markdown(&diff, None, fail_on, Compares::Diff));
    terminal::write_output_with(files, elsewhere)?;
    if plan.json {
        terminal::print_by(|stdout| json::write(stdout, &diff))?;
    } else if !plan.quiet {
        let pairs = table::diff_pairs(&diff, plan.rows, pair_commands::width());
        let gap = if pairs.is_empty() { "" } else { "\n" };
        terminal::print(format!("{pairs}{gap}{}\n", table::diff_counts(&diff)).as_bytes())?;
        terminal::print_notes(table::diff_notes(&diff).iter());
    }
    Ok(if diff.failing(fail_on).next().is_some() { Outcome::Fail } else { Outcome::Pass })
}

/// The earlier report of a check, with which it is compared.
pub struct Baseline {
    path: PathBuf,
    report: Document,
}

impl Baseline {
    /// Reads the report of `--baseline`, which may leave pairs open only if it `may_be_partial`.
    pub fn read(path: &Path, may_be_partial: bool) -> anyhow::Result<Self> {
        let report = read_report(path)?;
        let left_open = match &report {
            Document::Check(report) if !may_be_partial => report.left_open(),
            _ => BTreeMap::new(),
        };
        if left_open.is_empty() {
            return Ok(Self { path: path.to_owned(), report });
        }
        let counts: Vec<String> = left_open.iter().map(|(why, pairs)| format!("{pairs} ({why})")).collect();
        Err(anyhow!(
            "{}: its run did not look at all pairs, and left open {}; --partial-baseline accepts it, and what is \
             found of these pairs is new",
            path.display(),
            counts.join(", ")
        ))
    }

    /// Compares it with the report of this run.
    pub fn compared(&self, new: &CheckReport) -> anyhow::Result<Diff> {
        Diff::since(&self.report, new, &Review::default()).with_context(|| self.path.display().to_string())
    }

    /// Returns the text for stdout: the number of pairs of each status since this report.
    pub fn in_words(&self, diff: &Diff) -> String {
        format!("since {}: {}\n", printable(&self.path.display().to_string()), table::diff_counts(diff))
    }
}

fn read_report(path: &Path) -> anyhow::Result<Document> {
    Document::read(&read_file(path)?).with_context(|| path.display().to_string())
}

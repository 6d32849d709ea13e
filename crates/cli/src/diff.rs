//! `closefit diff`: what has changed from one report to another; and the baseline of a check, which is the
//! same with the report that it has just made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};

use super::args::FailOn;
use super::exports::ExportArgs;
use super::help::{DIFF, OUTPUT};
use super::table_args::{Rows, rows};
use super::{Outcome, decide, terminal};
use closefit_geometry::text::printable;
use closefit_report::diff::{Diff, FailOnDiff, Review};
use closefit_report::files::ready;
use closefit_report::{CheckReport, Document, exports, json, table};

#[derive(Debug, Args)]
#[command(after_help = DIFF)]
pub struct DiffArgs {
    /// The report.json of the earlier run
    pub old: PathBuf,
    /// The report.json of the later run
    pub new: PathBuf,
    /// Statuses and comments that people have given findings: a review.json
    #[arg(long, value_name = "FILE")]
    pub review: Option<PathBuf>,
    /// Write diff.json to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Exit with status 1 if there is such a change: new findings, these or any that got worse or that NEW
    /// does not know, any change
    #[arg(long, value_name = "CHANGE", value_enum, default_value = "worse", help_heading = OUTPUT)]
    pub fail_on_diff: FailOnDiffArg,
    /// Largest number of rows of the table, or all
    #[arg(long, value_name = "N", default_value = "40", value_parser = rows, allow_hyphen_values = true,
        help_heading = OUTPUT)]
    pub rows: Rows,
    #[command(flatten)]
    pub exports: ExportArgs,
    /// Print only diff.json
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Print nothing
    #[arg(long, help_heading = OUTPUT)]
    pub quiet: bool,
}

/// The changes with which a comparison fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOnDiffArg {
    New,
    Worse,
    Any,
    Never,
}

impl From<FailOnDiffArg> for FailOnDiff {
    fn from(arg: FailOnDiffArg) -> Self {
        match arg {
            FailOnDiffArg::New => Self::New,
            FailOnDiffArg::Worse => Self::Worse,
            FailOnDiffArg::Any => Self::Any,
            FailOnDiffArg::Never => Self::Never,
        }
    }
}

pub fn run(args: &DiffArgs) -> anyhow::Result<Outcome> {
    let [old, new] = [&args.old, &args.new].map(|path| read_report(path));
    let (old, new) = (old?, new?);
    let review = args.review.as_deref().map(read_review).transpose()?.unwrap_or_default();
    let compared = Diff::of(&old, &new, &review);
    let diff = compared.with_context(|| format!("{}, {}", args.old.display(), args.new.display()))?;
    if let Some(out) = &args.out {
        terminal::claim_output(out)?;
        terminal::write_output(vec![ready("diff.json", json::document(&diff))])?;
    }
    let fail_on = args.fail_on_diff.into();
    let junit = || exports::diff_junit(&diff, None, fail_on);
    args.exports.write(junit, || exports::diff_markdown(&diff, None, fail_on))?;
    if args.json {
        terminal::print_by(|stdout| json::write(stdout, &diff))?;
    } else if !args.quiet {
        let pairs = table::diff_pairs(&diff, args.rows.0, decide::width());
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

/// Refuses `--fail-on new` and `worse` where there is no report to compare with.
pub fn refuse_changes(fail_on: FailOn) -> anyhow::Result<()> {
    match fail_on.of_changes() {
        None => Ok(()),
        Some(_) => Err(anyhow!(
            "--fail-on new and worse need a report to compare with: check --baseline OLD/report.json"
        )),
    }
}

fn read_report(path: &Path) -> anyhow::Result<Document> {
    Document::read(&read_file(path)?).with_context(|| path.display().to_string())
}

/// Reads a review.
pub fn read_review(path: &Path) -> anyhow::Result<Review> {
    Review::read(&read_file(path)?).with_context(|| path.display().to_string())
}

/// Reads a whole file.
pub fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| path.display().to_string())
}

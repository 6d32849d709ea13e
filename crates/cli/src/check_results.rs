//! The results of a check that a sweep does not have: changes, exports, and agreement of trees.

use std::collections::HashSet;
use std::path::Path;

use crate::outcome::Outcome;
use crate::pair_results::PairResults;
use crate::settings::exports::ExportFiles;
use closefit::internals::engine::Clock;
use closefit_geometry::parallel;
use closefit_report::diff::{Diff, FailOnDiff};
use closefit_report::document::{CheckSettings, Finding, PairRow};
use closefit_report::exports::Compares;
use closefit_report::files::{FileElsewhere, NewFile};
use closefit_report::table::View;
use closefit_report::{Issue, exports, json, table};
use closefit_views::Views;

/// The results of a check.
pub struct CheckResults<'a> {
    pub pairs: PairResults<'a, CheckSettings, PairRow>,
    /// The report in its scene.
    pub views: &'a Views<'a, CheckSettings, PairRow>,
    /// The changes since `--baseline`, if there is one.
    pub diff: Option<&'a Diff>,
}

impl<'a> CheckResults<'a> {
    /// Returns the files of `--out`, without the record of the run.
    pub fn files(&self) -> Vec<NewFile<'a>> {
        let mut files = self.pairs.files();
        if let Some(diff) = self.diff {
            files.push(("diff.json".to_owned(), Box::new(|file| json::write(file, diff))));
        }
        files
    }

    /// Returns the changes since the baseline, if it is these with which the run fails.
    fn changes(&self) -> Option<(FailOnDiff, &'a Diff)> {
        self.pairs.fail_on.of_changes().zip(self.diff)
    }

    /// Makes the files for other programs: of the changes, if it is these that count.
    pub fn exports(&self, files: &ExportFiles) -> Vec<FileElsewhere> {
        let (report, certificate) = (self.views.report(), self.pairs.certificate());
        if let Some((changes, diff)) = self.changes() {
            let junit = || exports::diff_junit(diff, certificate, changes, Compares::Check);
            return files
                .files(junit, || exports::diff_markdown(diff, certificate, changes, Compares::Check));
        }
        let PairResults { fail_on, job, .. } = self.pairs;
        let fails = |pair: &PairRow| fail_on.of_pair(job, pair.sides.ids).fails(pair.verdict);
        let junit = || exports::check_junit(report, certificate, fails);
        let folder = files.pictures();
        let name = folder.as_ref().and_then(|folder| folder.file_name()).map(|name| name.to_string_lossy());
        let mut made = folder.as_ref().map(|folder| self.drawn_worst(folder)).unwrap_or_default();
        made.extend(files.files(junit, || exports::check_markdown(report, certificate, name.as_deref())));
        made
    }

    /// Draws the findings that the Markdown lists.
    fn drawn_worst(&self, folder: &Path) -> Vec<FileElsewhere> {
        let views = self.views;
        let (issues, _) = exports::markdown_issues(views.report());
        let draw = |issue: &Issue<PairRow>| {
            (folder.join(format!("{}.png", issue.key())), views.snapshot(issue.worst()))
        };
        parallel::map_items(&issues, 1, draw)
    }

    /// Prints the report, or its table, with how far trees agree, the changes since the baseline, and
    /// the next command if there are findings.
    pub fn show(
        &self,
        view: &View,
        agreement: &str,
        [since, next]: [&str; 2],
        clock: Clock,
    ) -> anyhow::Result<()> {
        let report = self.views.report();
        self.pairs.input.print_document(report, || {
            let counts = format!("{}{agreement}", table::accepted(report));
            let next = if self.pairs.has_findings() { next } else { "" };
            self.pairs.in_words(view, ["", &counts], clock) + since + next
        })
    }

    /// Returns the outcome: a pair that a waiver accepts fails nothing.
    pub fn outcome(&self) -> Outcome {
        let changed = self.changes().is_some_and(|(changes, diff)| {
            let accepted = self.views.report().pairs.iter().filter(|pair| pair.is_accepted());
            let accepted: HashSet<&str> = accepted.map(|pair| &pair.sides.key[..]).collect();
            diff.failing(changes).any(|row| !accepted.contains(&row.key[..]))
        });
        if changed { Outcome::Fail } else { self.pairs.outcome() }
    }
}

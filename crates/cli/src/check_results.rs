//! The results of a check, and what becomes of them: files, the text on stdout, and the outcome.

use std::collections::HashSet;
use std::path::Path;

use crate::check::CheckPlan;
use crate::outcome::Outcome;
use crate::settings::fail_on::FailOn;
use crate::{certificate, pair_commands, terminal};
use closefit::internals::engine::Clock;
use closefit_geometry::parallel;
use closefit_job::Job;
use closefit_report::diff::{Diff, Review};
use closefit_report::document::{CheckSettings, PairRow};
use closefit_report::files::{NewFile, ready};
use closefit_report::table::View;
use closefit_report::{Certificate, CheckReport, Issue, csv, exports, json, table};
use closefit_views::Views;

/// The results of a check.
pub struct CheckResults<'a> {
    pub plan: &'a CheckPlan,
    pub job: &'a Job,
    /// The report in its scene.
    pub views: &'a Views<'a, CheckSettings, PairRow>,
    /// The statuses that people have given.
    pub review: &'a Review,
    /// The changes since `--baseline`, if there is one.
    pub diff: Option<&'a Diff>,
    /// The findings about the claims of the rules file, if it has any.
    pub certificate: Option<&'a Certificate>,
}

impl<'a> CheckResults<'a> {
    /// Returns the files of `--out`, without the record of the run.
    pub fn files(&self) -> Vec<NewFile<'a>> {
        let mut files = files(self.views.report(), self.review, self.certificate);
        if let Some(diff) = self.diff {
            files.push(("diff.json".to_owned(), Box::new(|file| json::write(file, diff))));
        }
        files
    }

    /// Writes the files for other programs: of the changes, if it is these that count.
    pub fn export(&self) -> anyhow::Result<()> {
        let Self { plan, job, views, certificate, .. } = *self;
        let report = views.report();
        let fail_on = plan.run.fail_on;
        if let Some((changes, diff)) = fail_on.of_changes().zip(self.diff) {
            let junit = || exports::diff_junit(diff, certificate, changes);
            return plan.exports.write(junit, || exports::diff_markdown(diff, certificate, changes));
        }
        let fails = |ids, verdict| fail_on.of_pair(job, ids).fails(verdict);
        let junit = || exports::check_junit(report, certificate, |pair| fails(pair.sides.ids, pair.verdict));
        let folder = plan.exports.pictures();
        let name = folder.as_ref().and_then(|folder| folder.file_name()).map(|name| name.to_string_lossy());
        if let Some(folder) = &folder {
            self.draw_worst(folder)?;
        }
        plan.exports.write(junit, || exports::check_markdown(report, certificate, name.as_deref()))
    }

    /// Writes pictures of the findings that the Markdown tells about.
    fn draw_worst(&self, folder: &Path) -> anyhow::Result<()> {
        let views = self.views;
        let (issues, _) = exports::markdown_issues(views.report());
        let draw =
            |issue: &Issue<PairRow>| ready(format!("{}.png", issue.key()), views.snapshot(issue.worst()));
        let files: Vec<NewFile> = parallel::map_items(&issues, 1, draw);
        if !files.is_empty() {
            terminal::write_files(folder, files)?;
        }
        Ok(())
    }

    /// Prints the report, or its table, with how far trees agree and the changes since the baseline.
    pub fn show(
        &self,
        view: &View,
        agreement: &str,
        since: Option<String>,
        clock: Clock,
    ) -> anyhow::Result<()> {
        let (input, report) = (&self.plan.run.input, self.views.report());
        if input.json {
            return terminal::print_by(|stdout| json::write(stdout, report));
        }
        if input.quiet {
            return Ok(());
        }
        let header = table::check_header(report);
        let found = table::check_pairs(report, view, Some(pair_commands::width()));
        let found = pair_commands::ruled(report.rules.as_ref(), self.certificate, &found);
        let counted = table::counts(report.pairs.iter().map(|pair| pair.verdict), &report.ledger);
        let texts = [&header[..], &found, &format!("{counted}{}{agreement}", table::accepted(report))];
        let summary = pair_commands::summary(&input.scenes, texts, clock) + &since.unwrap_or_default();
        terminal::print(summary.as_bytes())
    }

    /// Returns the outcome: a pair that a waiver accepts fails nothing.
    pub fn outcome(&self) -> Outcome {
        let Self { plan, job, views, .. } = *self;
        let report = views.report();
        let changed = plan.run.fail_on.of_changes().zip(self.diff).is_some_and(|(changes, diff)| {
            let accepted = report.pairs.iter().filter(|pair| pair.is_accepted());
            let accepted: HashSet<&str> = accepted.map(|pair| &pair.sides.key[..]).collect();
            diff.failing(changes).any(|row| !accepted.contains(&row.key[..]))
        });
        match changed {
            true => Outcome::Fail,
            false => outcome(plan.run.fail_on, job, report, self.certificate),
        }
    }
}

/// Returns the files of a check, without the record of the run.
pub fn files<'r>(
    report: &'r CheckReport,
    review: &'r Review,
    certificate: Option<&Certificate>,
) -> Vec<NewFile<'r>> {
    let mut files: Vec<NewFile> = vec![
        ("issues.csv".to_owned(), Box::new(|file| csv::write_issues(report, review, file))),
        ("pairs.csv".to_owned(), Box::new(|file| csv::write_check(report, file))),
        ("report.json".to_owned(), Box::new(|file| json::write(file, report))),
    ];
    files.extend(certificate::file(certificate));
    files
}

/// Returns the outcome of a check and of its claims: a pair that a waiver accepts fails nothing.
pub fn outcome(
    fail_on: FailOn,
    job: &Job,
    report: &CheckReport,
    certificate: Option<&Certificate>,
) -> Outcome {
    let open = report.pairs.iter().filter(|pair| !pair.is_accepted());
    let of_pairs = pair_commands::outcome(fail_on, job, open.map(|pair| (pair.sides.ids, pair.verdict)));
    certificate::outcome(of_pairs, certificate)
}

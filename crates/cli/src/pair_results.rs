//! The results of a check or a sweep, written to files, stdout and notes, and the outcome.

use std::io::Write;

use serde::Serialize;

use crate::certificate;
use crate::outcome::Outcome;
use crate::pair_commands::{screen, strategy_notes, summary, width};
use crate::settings::fail_on::FailOn;
use crate::settings::input::Input;
use crate::terminal;
use closefit::Verdict;
use closefit::internals::engine::Clock;
use closefit_geometry::hull::filter::HullFilter;
use closefit_job::{Finished, Job};
use closefit_report::columns::Tabled;
use closefit_report::diff::Review;
use closefit_report::document::{Finding, Report, RulesRow, SlowPairRow, Word};
use closefit_report::files::NewFile;
use closefit_report::table::{self, Printed, View, clearance_note, folded, slow_note};
use closefit_report::{Certificate, RunRecord, csv, json};

/// The results of a check or a sweep.
pub struct PairResults<'a, S, P> {
    pub input: &'a Input,
    pub fail_on: FailOn,
    pub job: &'a Job,
    pub found: &'a Finished<Report<S, P>>,
    /// The statuses that people have given.
    pub review: &'a Review,
}

impl<'a, S: Serialize + Sync, P: Tabled + Serialize> PairResults<'a, S, P> {
    /// Returns the findings about claims, if the rules have any.
    pub fn certificate(&self) -> Option<&'a Certificate> {
        self.found.certificate.as_ref()
    }

    /// Returns the files of the report, without the record of the run.
    pub fn files(&self) -> Vec<NewFile<'a>> {
        let (report, review) = (&self.found.report, self.review);
        let mut files: Vec<NewFile> = vec![
            ("issues.csv".to_owned(), Box::new(|file| csv::write_issues(report, review, file))),
            ("pairs.csv".to_owned(), Box::new(|file| csv::write_pairs(report, file))),
            ("report.json".to_owned(), Box::new(|file| json::write(file, report))),
        ];
        files.extend(certificate::file(self.certificate()));
        files
    }

    /// Returns the record of the run, which `complete` completes, as the file to write last: it has the
    /// seconds until all others are written.
    pub fn record(
        &self,
        hull: HullFilter,
        (read_s, clock): (f64, &'a mut Clock),
        complete: impl FnOnce(RunRecord) -> RunRecord + Send + 'a,
    ) -> NewFile<'a> {
        let (found, reading, scene) = (self.found, self.input.record(), self.job.scene());
        let write = move |file: &mut dyn Write| {
            clock.lap();
            let seconds = found.seconds.of_run(read_s, clock.total());
            let command = found.report.command.word();
            let record = RunRecord::new(command, reading, (found.strategy, hull), &found.counters, seconds);
            json::write(file, &complete(record.with_slow_pair(found.counters.slow, scene)))
        };
        ("run.json".to_owned(), Box::new(write))
    }

    /// Returns notes for the user. Notes about claims are among them only where no table reports the
    /// claims.
    pub fn notes(
        &self,
        (clearance, diagonal): (f64, f64),
        claims_are_told: bool,
        more: Option<String>,
    ) -> Vec<String> {
        let Finished { notes, repairs, strategy, .. } = self.found;
        let claims = certificate::notes(self.certificate().filter(|_| !claims_are_told));
        let notes = notes.iter().cloned().chain(claims).chain(repairs.iter().cloned());
        let beyond = clearance_note(clearance, diagonal, self.job.scene().unit);
        let slow = self.found.counters.slow;
        let slow = slow.and_then(|slow| slow_note(&SlowPairRow::new(slow, self.job.scene())));
        notes.chain(beyond).chain(more).chain(slow).chain(strategy_notes(*strategy)).collect()
    }

    /// True if the report has a finding: a pair that is worse than in contact, or too close, and not
    /// accepted.
    pub fn has_findings(&self) -> bool {
        let mut open = self.found.report.pairs.iter().filter(|pair| !pair.is_accepted());
        open.any(|pair| pair.verdict() != Verdict::Contact)
    }

    /// Returns the outcome of pairs and claims: a pair that a waiver accepts fails nothing.
    pub fn outcome(&self) -> Outcome {
        let fails = |pair: &P| self.fail_on.of_pair(self.job, pair.sides().ids).fails(pair.verdict());
        let mut open = self.found.report.pairs.iter().filter(|pair| !pair.is_accepted());
        let of_pairs = if open.any(fails) { Outcome::Fail } else { Outcome::Pass };
        certificate::outcome(of_pairs, self.certificate())
    }

    /// Returns the text for stdout: the scene, the worst finding, rules, claims, the pairs that `view`
    /// selects, lines `below` these, the count of each verdict and what follows it, and the time.
    pub fn in_words(&self, view: &View, [below, after_counts]: [&str; 2], clock: Clock) -> String
    where
        P: Printed<Settings = S>,
    {
        let report = &self.found.report;
        let pairs = ruled(report.rules.as_ref(), self.certificate(), &table::pairs(report, view, screen()));
        // Folded, a line has room for two whole names.
        let headline = table::headline(report, 2 * width()).map_or_else(String::new, |line| headline(&line));
        let gap = if pairs.is_empty() || below.is_empty() { "" } else { "\n" };
        let counted = table::counts(report.pairs.iter().map(Finding::verdict), &report.ledger);
        let (pairs, counted) = (format!("{headline}{pairs}{gap}{below}"), format!("{counted}{after_counts}"));
        summary(&self.input.scenes, [&table::header(report), &pairs, &counted], clock)
    }
}

/// Returns a headline, folded and in bold, and a blank line.
fn headline(line: &str) -> String {
    let line = folded(line, width());
    if terminal::has_colours() { format!("\x1b[1m{line}\x1b[0m\n\n") } else { line + "\n\n" }
}

/// Returns the lines about the rules of a report and about claims, if it has any, followed by its table of
/// pairs.
fn ruled(rules: Option<&RulesRow>, claims: Option<&Certificate>, pairs: &str) -> String {
    let [rules, claims] = [rules.map(table::rules), claims.map(table::claims)].map(Option::unwrap_or_default);
    let gap = if rules.is_empty() || claims.is_empty() { "" } else { "\n" };
    let width = width();
    let lines = format!("{rules}{gap}{claims}");
    let lines: String = lines.lines().map(|line| folded(line, width) + "\n").collect();
    let gap = if lines.is_empty() || pairs.is_empty() { "" } else { "\n" };
    format!("{lines}{gap}{pairs}")
}

//! JUnit's XML, which build servers show as tests. They show little more than the name and the text of a
//! failure, so that is where the numbers are.

use std::collections::{BTreeMap, HashMap};
use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::{Compares, pair_in_words, row_in_words};
use crate::certificate::{self, Certificate};
use crate::diff::{Diff, FailOnDiff, Status};
use crate::document::word::Word;
use crate::document::{CheckReport, Finding, PairRow};
use crate::issues::Issue;
use crate::table::{claim_in_words, counted, counts, diff_counts, not_asked_in_words, overlap_in_words};
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;

/// The most lines in the text of a failure.
const LINES: usize = 50;

/// A test case.
struct Case {
    name: String,
    outcome: Outcome,
}

enum Outcome {
    Passed,
    /// A person has accepted it, with this comment.
    Skipped(String),
    Failed {
        kind: &'static str,
        message: String,
        text: String,
    },
}

/// Test cases that belong together.
struct Suite<'r> {
    name: &'r str,
    cases: Vec<Case>,
    /// The number of pairs of these cases.
    told: u64,
}

impl<'r> Suite<'r> {
    fn new(name: &'r str) -> Self {
        Self { name, cases: Vec::new(), told: 0 }
    }

    /// Adds the pairs of an issue that fail, in one case, and a skipped case for each that is accepted.
    fn add(&mut self, issue: &Issue<PairRow>, failing: Vec<&PairRow>, unit: Option<Unit>) {
        self.told += failing.len() as u64;
        let (accepted, bad): (Vec<&PairRow>, Vec<_>) =
            failing.into_iter().partition(|pair| pair.is_accepted());
        self.cases.extend(accepted.into_iter().map(|pair| {
            let by = if pair.more.volume_limit == Some(certificate::Outcome::Holds) {
                "the limit of volume of its rule"
            } else {
                "a waiver"
            };
            let outcome = Outcome::Skipped(format!("accepted by {by}"));
            Case { name: pair_in_words(pair, unit), outcome }
        }));
        if !bad.is_empty() {
            self.cases.push(failed(issue, &bad, unit));
        }
    }

    /// Adds a case for the pairs that did not fail, of all pairs of the suite.
    fn close(&mut self, pairs: u64) {
        let others = pairs - self.told;
        let which = if self.cases.is_empty() { "" } else { "other " };
        let name = format!("{others} {which}{}", if others == 1 { "pair" } else { "pairs" });
        self.cases.push(Case { name, outcome: Outcome::Passed });
    }
}

/// Returns the XML of a check: a suite for each rule, or one without rules, with a case for each group of
/// pairs that fails, and one for all other pairs.
/// Claims, if there are any, are a suite of their own.
pub fn check(
    report: &CheckReport,
    certificate: Option<&Certificate>,
    fails: impl Fn(&PairRow) -> bool,
) -> Vec<u8> {
    let rules = report.rules.as_ref().map_or(&[][..], |rules| &rules.rules);
    let mut suites: Vec<Suite> = rules.iter().map(|rule| Suite::new(&rule.id)).collect();
    // For pairs that no rule decides; without rules, for all of them.
    suites.push(Suite::new("check"));
    let index: HashMap<&str, usize> = rules.iter().map(|rule| &*rule.id).zip(0..).collect();
    for issue in Issue::all(report) {
        let mut by_suite: BTreeMap<usize, Vec<&PairRow>> = BTreeMap::new();
        for pair in issue.pairs.iter().copied().filter(|pair| fails(pair)) {
            let suite = pair.rule_id().and_then(|id| index.get(id)).copied();
            by_suite.entry(suite.unwrap_or(rules.len())).or_default().push(pair);
        }
        for (suite, failing) in by_suite {
            suites[suite].add(&issue, failing, report.scene.unit);
        }
    }
    let decided: u64 = rules.iter().map(|rule| rule.pairs).sum();
    for (index, suite) in suites.iter_mut().enumerate() {
        suite.close(rules.get(index).map_or(report.ledger.pairs - decided, |rule| rule.pairs));
    }
    suites.extend(certificate.map(claims));
    let summary = counts(report.pairs.iter().map(|pair| pair.verdict), &report.ledger);
    document(&summary, &suites)
}

/// Returns the suite of claims: a claim that does not hold fails, one that is not checked is skipped.
fn claims(certificate: &Certificate) -> Suite<'static> {
    let asked = certificate.claims.iter().map(|claim| {
        let found = claim_in_words(claim, certificate);
        let outcome = match claim.outcome {
            certificate::Outcome::Holds => Outcome::Passed,
            outcome => Outcome::Failed { kind: outcome.word(), message: found.clone(), text: found },
        };
        Case { name: claim.id.clone(), outcome }
    });
    let why = not_asked_in_words(certificate.command);
    let skipped = |id: &String| Case { name: id.clone(), outcome: Outcome::Skipped(why.clone()) };
    let cases = asked.chain(certificate.not_asked.iter().map(skipped)).collect();
    Suite { cases, ..Suite::new("claims") }
}

/// Returns the case of the pairs of an issue that fail.
fn failed(issue: &Issue<PairRow>, bad: &[&PairRow], unit: Option<Unit>) -> Case {
    let worst = bad[0];
    let size = counted(bad.len() as u64, "pair", "pairs");
    let message = format!("{size}, the worst {}", overlap_in_words(worst.overlap(), unit));
    let text = lines(bad.iter().map(|pair| pair_in_words(pair, unit)));
    let key = issue.group.map_or(&*worst.sides.key, |group| &group.key);
    let name = format!("{} [{key}]", issue.title());
    Case { name, outcome: Outcome::Failed { kind: worst.verdict().word(), message, text } }
}

/// Returns the XML of a comparison: a case for each pair that fails, one for each new or worse pair that a
/// person has approved, and one for all other pairs. Claims of the later run, if there are any, are a suite.
pub fn diff(
    diff: &Diff,
    certificate: Option<&Certificate>,
    fail_on: FailOnDiff,
    command: Compares,
) -> Vec<u8> {
    let mut cases = Vec::new();
    for row in &diff.pairs {
        let name = || format!("{} x {} [{}]", row.a, row.b, row.key);
        if row.fails(fail_on) {
            let (message, kind) = (row_in_words(row, diff.unit), row.kind());
            cases.push(Case {
                name: name(),
                outcome: Outcome::Failed { kind, message: message.clone(), text: message },
            });
        } else if row.status == Status::New && row.is_approved() {
            let comment = row.review.as_ref().and_then(|review| review.comment.clone());
            let comment = comment.unwrap_or_else(|| "approved".to_owned());
            cases.push(Case { name: name(), outcome: Outcome::Skipped(comment) });
        }
    }
    let told = cases.len() as u64;
    let mut suite = Suite { name: command.word(), cases, told };
    suite.close(diff.pairs.len() as u64);
    let suites: Vec<Suite> = [suite].into_iter().chain(certificate.map(claims)).collect();
    document(&diff_counts(diff), &suites)
}

/// Joins lines, the first ones if there are many.
fn lines(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(LINES);
    let mut lines: Vec<String> = all.take(LINES).collect();
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines.join("\n")
}

fn document(summary: &str, suites: &[Suite]) -> Vec<u8> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut writer, summary, suites).expect("a Vec accepts every byte");
    let mut xml = writer.into_inner();
    xml.push(b'\n');
    xml
}

/// Returns the attributes that count some cases.
fn attributes<'c>(cases: impl Iterator<Item = &'c Case> + Clone) -> [(&'static str, String); 3] {
    let count = |is: fn(&Outcome) -> bool| cases.clone().filter(|case| is(&case.outcome)).count().to_string();
    [
        ("tests", cases.clone().count().to_string()),
        ("failures", count(|outcome| matches!(outcome, Outcome::Failed { .. }))),
        ("skipped", count(|outcome| matches!(outcome, Outcome::Skipped(_)))),
    ]
}

fn write(writer: &mut Writer<Vec<u8>>, summary: &str, suites: &[Suite]) -> io::Result<()> {
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all = attributes(suites.iter().flat_map(|suite| &suite.cases));
    let element = writer.create_element("testsuites").with_attribute(("name", "closefit"));
    let element = element.with_attributes(all.iter().map(|(name, count)| (*name, &count[..])));
    element.write_inner_content(|writer| {
        suites.iter().try_for_each(|suite| write_suite(writer, summary, suite))
    })?;
    Ok(())
}

fn write_suite(writer: &mut Writer<Vec<u8>>, summary: &str, suite: &Suite) -> io::Result<()> {
    let name = legal(&printable(suite.name));
    let own = attributes(suite.cases.iter());
    let element = writer.create_element("testsuite").with_attribute(("name", &name[..]));
    let element = element.with_attributes(own.iter().map(|(name, count)| (*name, &count[..])));
    element.write_inner_content(|writer| {
        suite.cases.iter().try_for_each(|case| write_case(writer, &name, case))?;
        writer.create_element("system-out").write_text_content(BytesText::new(&legal(summary)))?;
        Ok(())
    })?;
    Ok(())
}

fn write_case(writer: &mut Writer<Vec<u8>>, suite: &str, case: &Case) -> io::Result<()> {
    let name = legal(&printable(&case.name));
    let element = writer.create_element("testcase").with_attribute(("classname", suite));
    let element = element.with_attribute(("name", &name[..]));
    match &case.outcome {
        Outcome::Passed => element.write_empty()?,
        Outcome::Skipped(why) => element.write_inner_content(|writer| {
            let why = legal(&printable(why));
            writer.create_element("skipped").with_attribute(("message", &why[..])).write_empty()?;
            Ok(())
        })?,
        Outcome::Failed { kind, message, text } => element.write_inner_content(|writer| {
            let failure = writer.create_element("failure").with_attribute(("type", *kind));
            let failure = failure.with_attribute(("message", &legal(message)[..]));
            failure.write_text_content(BytesText::new(&legal(text)))?;
            Ok(())
        })?,
    };
    Ok(())
}

/// Replaces the characters that XML does not allow, besides the control characters that are escaped already.
fn legal(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{RuleRow, RulesRow, StatusOfPair};
    use crate::testing::{pair_row, part_row, report_of};

    fn rule(id: &str, pairs: u64) -> RuleRow {
        RuleRow {
            id: id.into(),
            parts_a: 1,
            parts_b: 1,
            clearance: 0.0,
            tolerance: 0.0,
            volume_at_most: None,
            severity: None,
            pairs,
            by_verdict: Default::default(),
        }
    }

    #[test]
    fn each_rule_is_a_suite_and_an_accepted_pair_is_skipped() {
        let parts: Vec<_> =
            ["m/a", "m/b", "m/c"].iter().enumerate().map(|(id, key)| part_row(id, key, None)).collect();
        let pairs = [([0, 1], "E-A"), ([0, 2], "MEP"), ([1, 2], "MEP")].map(|(ids, rule)| {
            let mut pair = pair_row(&parts, ids, 0.5, None);
            pair.rule.rule = Some(rule.into());
            pair
        });
        let mut report = report_of(parts, pairs.into());
        report.pairs[2].status = StatusOfPair::accepted().into();
        report.rules = Some(RulesRow::new(b"", vec![rule("E-A", 1), rule("MEP", 2)], Vec::new()));
        let xml = String::from_utf8(check(&report, None, |_| true)).unwrap();
        let counts = |tests, failures, skipped| {
            format!("tests=\"{tests}\" failures=\"{failures}\" skipped=\"{skipped}\"")
        };
        assert!(xml.contains(&format!("<testsuites name=\"closefit\" {}", counts(6, 2, 1))), "{xml}");
        assert!(xml.contains(&format!("<testsuite name=\"E-A\" {}", counts(2, 1, 0))), "{xml}");
        assert!(xml.contains(&format!("<testsuite name=\"MEP\" {}", counts(3, 1, 1))), "{xml}");
        assert!(xml.contains("<testcase classname=\"MEP\" name=\"0 other pairs\"/>"), "{xml}");
        assert!(xml.contains("<testcase classname=\"check\" name=\"0 pairs\"/>"), "{xml}");
    }
}

//! JUnit's XML, which build servers show as tests. They show little more than the name and the text of a
//! failure, so that is where the numbers are.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::{Issue, pair_in_words, row_in_words};
use crate::diff::{Diff, FailOnDiff, Status};
use crate::document::word::Word;
use crate::document::{CheckReport, Finding};
use crate::table::{counted, counts, diff_counts, overlap_in_words};
use closefit::internals::query::Verdict;
use closefit_geometry::text::printable;

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

/// Returns the XML of a check: a case for each group of pairs that fails, and one for all other pairs.
pub fn check(report: &CheckReport, fails: impl Fn(Verdict) -> bool) -> Vec<u8> {
    let unit = report.scene.unit;
    let mut failing = 0;
    let mut cases = Vec::new();
    for issue in Issue::all(report) {
        let worst = issue.pairs[0];
        let bad: Vec<_> = issue.pairs.iter().filter(|pair| fails(pair.verdict())).collect();
        if bad.is_empty() {
            continue;
        }
        failing += bad.len();
        let size = counted(bad.len() as u64, "pair", "pairs");
        let message = format!("{size}, the worst {}", overlap_in_words(worst.overlap(), unit));
        let text = lines(bad.iter().map(|pair| pair_in_words(pair, unit)));
        let kind = worst.verdict().word();
        let key = issue.group.map_or(&worst.sides.key, |group| &group.key);
        let name = format!("{} [{key}]", issue.title);
        cases.push(Case { name, outcome: Outcome::Failed { kind, message, text } });
    }
    let others = report.ledger.pairs - failing as u64;
    let which = if failing > 0 { "other " } else { "" };
    let name = format!("{others} {which}{}", if others == 1 { "pair" } else { "pairs" });
    cases.push(Case { name, outcome: Outcome::Passed });
    let summary = counts(report.pairs.iter().map(|pair| pair.verdict), &report.ledger);
    document("check", &summary, &cases)
}

/// Returns the XML of a comparison: a case for each pair that fails, one for each new or worse pair that a
/// person has approved, and one for all other pairs.
pub fn diff(diff: &Diff, fail_on: FailOnDiff) -> Vec<u8> {
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
    let others = diff.pairs.len() - cases.len();
    let which = if cases.is_empty() { "" } else { "other " };
    let name = format!("{others} {which}{}", if others == 1 { "pair" } else { "pairs" });
    cases.push(Case { name, outcome: Outcome::Passed });
    document("diff", &diff_counts(diff), &cases)
}

/// Joins lines, the first ones if there are many.
fn lines(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(LINES);
    let mut lines: Vec<String> = all.take(LINES).collect();
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines.join("\n")
}

fn document(suite: &str, summary: &str, cases: &[Case]) -> Vec<u8> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut writer, suite, summary, cases).expect("a Vec accepts every byte");
    let mut xml = writer.into_inner();
    xml.push(b'\n');
    xml
}

fn write(writer: &mut Writer<Vec<u8>>, suite: &str, summary: &str, cases: &[Case]) -> io::Result<()> {
    let count = |is: fn(&Outcome) -> bool| cases.iter().filter(|case| is(&case.outcome)).count().to_string();
    let tests = cases.len().to_string();
    let failures = count(|outcome| matches!(outcome, Outcome::Failed { .. }));
    let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let counts = [("tests", &tests[..]), ("failures", &failures), ("skipped", &skipped)];
    let all = writer.create_element("testsuites").with_attribute(("name", "closefit"));
    all.with_attributes(counts).write_inner_content(|writer| {
        let suite_element = writer.create_element("testsuite").with_attribute(("name", suite));
        suite_element.with_attributes(counts).write_inner_content(|writer| {
            cases.iter().try_for_each(|case| write_case(writer, suite, case))?;
            writer.create_element("system-out").write_text_content(BytesText::new(&legal(summary)))?;
            Ok(())
        })?;
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

//! Markdown for a comment on a change: what counts, and the worst findings.

use super::Compares;
use crate::certificate::{Certificate, ClaimRow, Outcome};
use crate::diff::{Diff, DiffRow, FailOnDiff, Status};
use crate::document::word::Word;
use crate::document::{CheckReport, Finding, PairRow};
use crate::issues::Issue;
use crate::table::{
    claim_in_words, counted, counts, diff_counts, diff_notes, elided, header, measure, overlap_in_words,
    status_in_words, verdicts,
};
use closefit::Verdict;
use closefit_geometry::text::printable;

/// The most rows of a table. With the longest texts they stay far below 60 kB, which a comment may have.
const ROWS: usize = 10;
/// The largest width of a name and of a reason.
const WIDEST: usize = 80;
/// The largest width of what was found about a claim.
const WIDEST_CLAIM: usize = 200;

/// Returns the worst issues without contacts, as many as the Markdown of a check lists at most, and the
/// number of all such issues.
pub fn worst(report: &CheckReport) -> (Vec<Issue<'_, PairRow>>, usize) {
    let all = Issue::all(report).into_iter();
    let mut issues: Vec<_> = all.filter(|issue| issue.worst().verdict() != Verdict::Contact).collect();
    let count = issues.len();
    issues.truncate(ROWS);
    (issues, count)
}

/// Returns the Markdown of a check: its counts, its claims if there are any, and the worst groups of pairs,
/// without contacts. With a folder of pictures, each has that with the name of its key, as in `KEY.png`.
pub fn check(report: &CheckReport, certificate: Option<&Certificate>, pictures: Option<&str>) -> String {
    let unit = report.scene.unit;
    let counts = counts(report.pairs.iter().map(|pair| pair.verdict), &report.ledger);
    let mut text = format!("### closefit check\n\n{}\n\n{}\n", escaped(&counts), escaped(&header(report)));
    text += &certificate.map_or_else(String::new, claims);
    let (issues, count) = worst(report);
    if issues.is_empty() {
        return text;
    }
    let [title, rule] = if pictures.is_some() { [" picture |", "---|"] } else { ["", ""] };
    text += &format!("\n| verdict | what | pairs | the worst | key |{title}\n|---|---|---|---|---|{rule}\n");
    for issue in &issues {
        let (worst, key) = (issue.worst(), issue.key());
        let cells = [
            worst.verdict.word(),
            &short(&issue.title()),
            &issue.pairs.len().to_string(),
            &escaped(&overlap_in_words(worst.overlap(), unit)),
            &format!("`{key}`"),
        ];
        let picture = |folder| format!(" ![{key}]({}/{key}.png) |", encoded(folder));
        text += &format!("| {} |{}\n", cells.join(" | "), pictures.map_or_else(String::new, picture));
    }
    text + &more(count)
}

/// Returns a path as a relative link.
fn encoded(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let byte = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(byte).collect()
}

/// Returns the number of claims of each outcome, and a table of claims, those first that do not hold.
fn claims(certificate: &Certificate) -> String {
    let count = |outcome| certificate.claims.iter().filter(|claim| claim.outcome == outcome).count();
    let counts = [Outcome::Violated, Outcome::Undecided, Outcome::Holds].map(|outcome| {
        let verb = if outcome == Outcome::Holds && count(outcome) != 1 { "hold" } else { outcome.word() };
        format!("{} {verb}", count(outcome))
    });
    let all = certificate.claims.len() + certificate.not_asked.len();
    let not_asked = match certificate.not_asked.len() {
        0 => String::new(),
        some => format!(", {some} not asked here"),
    };
    let counts = format!("{}: {}{not_asked}", counted(all as u64, "claim", "claims"), counts.join(", "));
    let mut worst: Vec<&ClaimRow> = certificate.claims.iter().collect();
    worst.sort_by_key(|claim| std::cmp::Reverse(claim.outcome));
    let row = |claim: &&ClaimRow| {
        let bold = if claim.outcome == Outcome::Holds { "" } else { "**" };
        let found = escaped(&elided(&claim_in_words(claim, certificate), WIDEST_CLAIM));
        format!("| {bold}{}{bold} | {found} |\n", short(&claim.id))
    };
    let rows: String = worst.iter().take(ROWS).map(row).collect();
    let title = if rows.is_empty() { "" } else { "\n| claim | found |\n|---|---|\n" };
    format!("\n{}\n{title}{rows}{}", escaped(&counts), more(worst.len()))
}

/// Returns the Markdown of a comparison: its counts, the claims of the later run if there are any, and first
/// the pairs that fail.
pub fn diff(
    diff: &Diff,
    certificate: Option<&Certificate>,
    fail_on: FailOnDiff,
    command: Compares,
) -> String {
    let mut text = format!("### closefit {}\n\n{}\n", command.title(), escaped(&diff_counts(diff)));
    let notes = diff_notes(diff);
    for note in &notes {
        text += &format!("\n- {}", escaped(note));
    }
    if let Some(certificate) = certificate {
        text += if notes.is_empty() { "" } else { "\n" };
        text += &claims(certificate);
    }
    let is_changed = |row: &&DiffRow| row.status != Status::Active || row.change.is_some();
    let (failing, others): (Vec<_>, Vec<_>) =
        diff.pairs.iter().filter(is_changed).partition(|row| row.fails(fail_on));
    let changed: Vec<&DiffRow> = failing.into_iter().chain(others).collect();
    if changed.is_empty() {
        return text;
    }
    text += "\n\n| change | verdict | a | b | measure | why | key |\n|---|---|---|---|---|---|---|\n";
    for row in changed.iter().take(ROWS) {
        let fails = if row.fails(fail_on) { "**" } else { "" };
        let cells = [
            &format!("{fails}{}{fails}", status_in_words(row)),
            &escaped(&verdicts(row)),
            &short(&row.a),
            &short(&row.b),
            &escaped(&measure(row, diff.unit)),
            &short(&row.why),
            &format!("`{}`", row.key),
        ];
        text += &format!("| {} |\n", cells.map(String::as_str).join(" | "));
    }
    text + &more(changed.len())
}

fn more(all: usize) -> String {
    let left_out = all.saturating_sub(ROWS);
    if left_out == 0 { String::new() } else { format!("\nand {left_out} more\n") }
}

fn short(text: &str) -> String {
    escaped(&elided(&printable(text), WIDEST))
}

/// Escapes text so that Markdown shows it as it is, and calls nobody.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '@' => shown += "&#64;",
            '<' => shown += "&lt;",
            '>' => shown += "&gt;",
            '&' => shown += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => shown.extend(['\\', c]),
            _ => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn names_are_shown_and_nothing_else() {
        assert_eq!(escaped("a|b <img> @all *_[x](y)"), "a\\|b &lt;img&gt; &#64;all \\*\\_\\[x\\](y)");
        assert_eq!(short("a\nb"), "a\\\\nb");
    }

    #[test]
    fn a_link_is_one_word_of_ascii() {
        assert_eq!(encoded("Prüf (1)/a_b.c"), "Pr%C3%BCf%20%281%29/a_b.c");
    }

    #[test]
    fn a_comment_is_short_however_long_the_names() {
        let (scene, result) = testing::run();
        let mut report = CheckReport::new(&scene, result);
        let pair = report.pairs[0].clone();
        report.pairs = vec![pair; 5000];
        report.ledger.decided = 5000;
        for pair in &mut report.pairs {
            (pair.sides.a, pair.sides.b) = ("|".repeat(65_000).into(), "<".repeat(65_000).into());
        }
        let text = check(&report, None, Some(&" ".repeat(250)));
        assert!(text.len() < 60_000 && text.contains("and 4990 more"), "{}", text.len());
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| clash")).collect();
        assert_eq!(rows.len(), 10);
    }
}

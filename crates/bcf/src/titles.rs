//! Titles of topics, by which people tell them apart: those that several issues share get what differs.

use std::collections::HashMap;

use closefit_report::Issue;
use closefit_report::document::Report;
use closefit_report::table::{elided, spoken};
use closefit_views::Shown;

use crate::xml::clean;

/// The largest width of a title, and the largest width of what is added to one.
const WIDEST: usize = 120;
const WIDEST_ADDED: usize = 48;

/// The number of digits of a key that tell issues apart.
const DIGITS: usize = 8;

/// Returns a title per issue. Where several issues have
/// the same, the name of the part that all pairs of the issue share follows in brackets, or else the name of
/// the first part of the worst; where that is not enough, digits of the key.
pub fn of<S, P: Shown>(issues: &[Issue<P>], report: &Report<S, P>) -> Vec<String> {
    let titles: Vec<String> = issues.iter().map(|issue| own(issue, report)).collect();
    let named = told_apart(titles, |at| elided(&clean(shared(&issues[at], report)), WIDEST_ADDED));
    told_apart(named, |at| issues[at].key().chars().take(DIGITS).collect())
}

/// Returns the title of an issue: the names of its two parts, or the title of its group, with the measure of
/// its worst pair, such as `Range 575492 x Floor 171444: 13.0 mm`. Viewers must not find it empty.
fn own<S, P: Shown>(issue: &Issue<P>, report: &Report<S, P>) -> String {
    let named = match &issue.pairs[..] {
        [pair] => pair.sides().parts(&report.parts).map(|part| spoken(&part.name)).join(" x "),
        _ => issue.title(),
    };
    let title = elided(&clean(&named), WIDEST);
    let label = issue.worst().label(report.scene.unit);
    match (title.trim().is_empty(), label.is_empty()) {
        (true, _) => issue.key().to_owned(),
        (false, true) => title,
        (false, false) => format!("{title}: {label}"),
    }
}

/// Returns the name of the part that all pairs of an issue share, or of the first part of the worst.
fn shared<'r, S, P: Shown>(issue: &Issue<P>, report: &'r Report<S, P>) -> &'r str {
    let ids = issue.worst().sides().ids;
    let is_in_all = |id: &&u32| issue.pairs.iter().all(|pair| pair.sides().ids.contains(id));
    let id = ids.iter().find(is_in_all).unwrap_or(&ids[0]);
    &report.parts[*id as usize].name
}

/// Adds a text to each title that is there more than once.
fn told_apart(titles: Vec<String>, text: impl Fn(usize) -> String) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    titles.iter().for_each(|title| *counts.entry(title.clone()).or_default() += 1);
    let apart = titles.into_iter().enumerate().map(|(at, title)| match counts[&title] {
        1 => title,
        _ => format!("{title} ({})", text(at)),
    });
    apart.collect()
}

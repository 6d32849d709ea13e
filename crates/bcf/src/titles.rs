//! Titles of topics, by which people tell them apart: those that several issues share get what differs.

use std::collections::HashMap;

use closefit_report::Issue;
use closefit_report::document::Report;
use closefit_report::table::elided;
use closefit_views::Shown;

use crate::xml::clean;

/// The largest width of a title, and the largest width of what is added to one.
const WIDEST: usize = 120;
const WIDEST_ADDED: usize = 48;

/// The number of digits of a key that tell issues apart.
const DIGITS: usize = 8;

/// Returns a title per issue: its own, or the title of its key if its own is empty. Where several issues have
/// the same, the name of the part that all pairs of the issue share follows in brackets, or else the name of
/// the first part of the worst; where that is not enough, digits of the key.
pub fn of<S, P: Shown>(issues: &[Issue<P>], report: &Report<S, P>) -> Vec<String> {
    let titles: Vec<String> = issues.iter().map(own).collect();
    let named = told_apart(titles, |at| elided(&clean(shared(&issues[at], report)), WIDEST_ADDED));
    told_apart(named, |at| issues[at].key().chars().take(DIGITS).collect())
}

/// Returns the title of an issue. What viewers must not find empty never is.
fn own<P: Shown>(issue: &Issue<P>) -> String {
    let title = elided(&clean(&issue.title()), WIDEST);
    if title.trim().is_empty() { issue.key().to_owned() } else { title }
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

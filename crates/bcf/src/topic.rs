//! Topics: an issue in words.

use std::collections::{BTreeSet, HashMap};

use closefit::Verdict;
use closefit_report::Issue;
use closefit_report::diff::{ReviewRow, ReviewStatus};
use closefit_report::document::{PartRow, Report, Word};
use closefit_report::table::elided;
use closefit_views::Shown;

use crate::guid;
use crate::options::Options;
use crate::xml::clean;

/// The largest width of a name, a label or a reason.
const WIDEST: usize = 80;

/// The largest width of a comment.
const WIDEST_COMMENT: usize = 400;

/// The most pairs that a description shows in words. It has the keys of all pairs.
const LINES: usize = 20;

/// A topic: a finding or a group of them as an issue.
pub struct Topic {
    /// Its identifier.
    pub guid: String,
    pub title: String,
    /// `Open`, or `Closed` if every pair of it is accepted, approved or resolved.
    pub status: &'static str,
    /// The severity of its rule, if that says one.
    pub priority: Option<String>,
    /// Its verdict, its rule, and the types of its parts.
    pub labels: Vec<String>,
    /// The files of its parts.
    pub files: Vec<String>,
    /// Its pairs, in words and by their keys.
    pub description: String,
    /// Its worst pair, in words: the comment at the viewpoint.
    pub comment: String,
    /// The identifiers of comment and viewpoint.
    pub comment_guid: String,
    pub viewpoint_guid: String,
}

impl Topic {
    /// Returns the topic of an issue, with what people say about its pairs by their keys.
    pub fn of<S, P: Shown>(
        issue: &Issue<P>,
        title: &str,
        report: &Report<S, P>,
        said: &HashMap<&str, &ReviewRow>,
    ) -> Self {
        let parts = involved(issue, report);
        let worst = issue.worst();
        let labels = [Some(worst.verdict().word()), worst.rule_id()].into_iter().flatten();
        let types: BTreeSet<&str> = parts.iter().filter_map(|part| part.kind.as_deref()).collect();
        let files: BTreeSet<&str> = parts.iter().map(|part| &*part.file).collect();
        let said = |pair: &P| said.get(&pair.sides().key[..]).copied();
        let is_done = |pair: &P| said(pair).is_some_and(|said| said.status != ReviewStatus::Open);
        let is_closed = issue.pairs.iter().all(|&pair| pair.is_accepted() || is_done(pair));
        let told = |pair: &P| in_words(pair, report, said(pair));
        let topic = Self::about(issue.key(), title, description(&issue.pairs, told), told(worst));
        Self {
            status: if is_closed { "Closed" } else { "Open" },
            priority: worst.rule().severity.as_deref().and_then(short),
            labels: labels.chain(types).filter_map(short).collect(),
            files: files.into_iter().map(clean).filter(|file| !file.is_empty()).collect(),
            ..topic
        }
    }

    /// Returns the topic that stands for issues beyond the limit.
    pub fn of_others(count: usize, options: &Options) -> Self {
        let s = if count == 1 { "" } else { "s" };
        let text = format!(
            "{count} more issue{s}, the least severe ones: this file has a topic each for the first {}.",
            options.limit
        );
        Self::about("others", &format!("{count} more issue{s}"), text.clone(), text)
    }

    /// Returns an open topic with a title and texts.
    fn about(key: &str, title: &str, description: String, comment: String) -> Self {
        Self {
            guid: guid::of("topic", key),
            title: title.to_owned(),
            status: "Open",
            priority: None,
            labels: Vec::new(),
            files: Vec::new(),
            description,
            comment,
            comment_guid: guid::of("comment", key),
            viewpoint_guid: guid::of("viewpoint", key),
        }
    }
}

/// Returns the parts of an issue, in the order of their ids.
fn involved<'r, S, P: Shown>(issue: &Issue<P>, report: &'r Report<S, P>) -> Vec<&'r PartRow> {
    let ids: BTreeSet<u32> = issue.pairs.iter().flat_map(|pair| pair.sides().ids).collect();
    ids.into_iter().map(|id| &report.parts[id as usize]).collect()
}

/// Returns a text from a file for a label, unless it is empty.
fn short(text: &str) -> Option<String> {
    Some(elided(&clean(text), WIDEST)).filter(|text| !text.trim().is_empty())
}

/// Returns a pair in words, on one line, and what people say about it.
fn in_words<S, P: Shown>(pair: &P, report: &Report<S, P>, said: Option<&ReviewRow>) -> String {
    let [a, b] = pair.sides().parts(&report.parts).map(|part| elided(&clean(&part.name), WIDEST));
    let (verdict, label) = (pair.verdict().word(), pair.label(report.scene.unit));
    let why = pair.unknown().filter(|_| pair.verdict() == Verdict::Undecided);
    let why = why.map_or_else(String::new, |why| format!(" ({})", elided(&clean(why), WIDEST)));
    let said = said.map_or_else(String::new, |ReviewRow { status, comment }| {
        let comment = comment.iter().map(|comment| format!(", {}", elided(&clean(comment), WIDEST_COMMENT)));
        format!("; {}{}", status.word(), comment.collect::<String>())
    });
    format!("{a} x {b}: {verdict}, {label}{why}{said}")
}

/// Returns pairs in words, and all of their keys.
fn description<P: Shown>(pairs: &[&P], told: impl Fn(&P) -> String) -> String {
    let mut lines = vec![match pairs.len() {
        1 => "1 pair of parts".to_owned(),
        count => format!("{count} pairs of parts"),
    }];
    lines.extend(pairs.iter().take(LINES).map(|pair| told(pair)));
    lines.extend((pairs.len() > LINES).then(|| format!("and {} more", pairs.len() - LINES)));
    let keys: Vec<&str> = pairs.iter().map(|pair| &pair.sides().key[..]).collect();
    lines.push(format!("closefit-pairs: {}", keys.join(",")));
    lines.join("\n")
}

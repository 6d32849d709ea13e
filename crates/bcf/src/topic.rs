//! Topics: an issue in words.

use std::collections::BTreeSet;

use closefit::Verdict;
use closefit_report::Issue;
use closefit_report::document::{PartRow, Report, Word};
use closefit_report::table::elided;
use closefit_views::Shown;

use crate::guid;
use crate::options::Options;
use crate::xml::clean;

/// The largest width of a title, and that of a name, a label or a reason.
const WIDEST_TITLE: usize = 120;
const WIDEST: usize = 80;

/// The most pairs that a description tells about. Their keys are all there.
const LINES: usize = 20;

/// A topic: a finding or a group of them as an issue.
pub struct Topic {
    /// Its identifier.
    pub guid: String,
    pub title: String,
    /// `Open`, or `Closed` if all of its pairs are accepted.
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
    /// Returns the topic of an issue.
    pub fn of<S, P: Shown>(issue: &Issue<P>, report: &Report<S, P>) -> Self {
        let parts = involved(issue, report);
        let worst = issue.worst();
        let labels = [Some(worst.verdict().word()), worst.rule_id()].into_iter().flatten();
        let types: BTreeSet<&str> = parts.iter().filter_map(|part| part.kind.as_deref()).collect();
        let files: BTreeSet<&str> = parts.iter().map(|part| &*part.file).collect();
        let is_closed = issue.pairs.iter().all(|pair| pair.is_accepted());
        let comment = in_words(worst, report);
        let topic = Self::about(issue.key(), &issue.title(), description(issue, report), comment);
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

    /// Returns an open topic with a title and texts. What viewers must not find empty never is.
    fn about(key: &str, title: &str, description: String, comment: String) -> Self {
        let title = elided(&clean(title), WIDEST_TITLE);
        Self {
            guid: guid::of("topic", key),
            title: if title.trim().is_empty() { key.to_owned() } else { title },
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

/// Returns a pair in words, on one line.
fn in_words<S, P: Shown>(pair: &P, report: &Report<S, P>) -> String {
    let [a, b] = pair.sides().parts(&report.parts).map(|part| elided(&clean(&part.name), WIDEST));
    let (verdict, label) = (pair.verdict().word(), pair.label(report.scene.unit));
    let why = pair.unknown().filter(|_| pair.verdict() == Verdict::Undecided);
    let why = why.map_or_else(String::new, |why| format!(" ({})", elided(&clean(why), WIDEST)));
    format!("{a} x {b}: {verdict}, {label}{why}")
}

fn description<S, P: Shown>(issue: &Issue<P>, report: &Report<S, P>) -> String {
    let pairs = &issue.pairs;
    let mut lines = vec![match pairs.len() {
        1 => "1 pair of parts".to_owned(),
        count => format!("{count} pairs of parts"),
    }];
    lines.extend(pairs.iter().take(LINES).map(|pair| in_words(*pair, report)));
    lines.extend((pairs.len() > LINES).then(|| format!("and {} more", pairs.len() - LINES)));
    let keys: Vec<&str> = pairs.iter().map(|pair| &pair.sides().key[..]).collect();
    lines.push(format!("closefit-pairs: {}", keys.join(",")));
    lines.join("\n")
}

//! Groups: the findings of a check as issues that a person works off one by one. They are a pure function of
//! the rows of a report.
//!
//! Pairs are grouped by verdict, rule and the two types, and then by *host*: the part that most of them
//! share, such as a wall with its outlets. A group's key is a hash of what it is about, not of its members,
//! so that one more clash makes no new issue.

mod cut;
mod file;
mod host;
mod title;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::document::word::{self, Word};
use crate::document::{CheckReport, CheckSettings, Finding, PairKey, Report};
use closefit::Verdict;
use closefit_geometry::parallel;
pub use file::{NamedGroups, NamedGroupsError};
use host::Cell;

/// A group of pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupRow {
    /// The key, the same in every run.
    pub key: String,
    /// The title: types and families of the parts.
    pub title: String,
    /// The rule that decided its pairs.
    pub rule: Option<String>,
    /// The worst verdict of its pairs.
    #[serde(with = "word")]
    pub verdict: Verdict,
    /// The keys of its pairs, the worst first.
    pub pairs: Vec<PairKey>,
    /// Lowest and highest corner of a box around its pairs, if their places are known.
    #[serde(rename = "box")]
    pub bounds: Option<[[f64; 3]; 2]>,
    /// The place of its worst pair.
    pub at: Option<[f64; 3]>,
}

/// The property that makes pairs a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupBy {
    /// A part in most of them, and the types of both parts.
    #[default]
    Host,
    /// The types of both parts.
    Type,
}

impl Word for GroupBy {
    const WORDS: &[(Self, &str)] = &[(Self::Host, "host"), (Self::Type, "type")];
}

/// The way to group pairs, as reports say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupSettings {
    /// The property that makes pairs a group.
    #[serde(with = "word")]
    pub by: GroupBy,
    /// The longest side of a group of [`GroupBy::Host`], in the unit of the report; longer ones are cut where
    /// their places are farthest apart. `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<f64>,
}

/// The way to group pairs.
#[derive(Clone, Debug, Default)]
pub struct Grouping {
    /// The part of it that the report shows.
    pub settings: GroupSettings,
    /// Groups of the user's own, which win.
    pub named: NamedGroups,
}

impl CheckReport {
    /// Returns the report with its pairs in groups.
    pub fn with_groups(self, grouping: &Grouping) -> Self {
        let settings = CheckSettings { groups: Some(grouping.settings), ..self.settings.clone() };
        Self { groups: groups(&self, grouping), settings, ..self }
    }
}

/// Returns the groups of a report's pairs, the worst first: by verdict, then by the depth of the worst pair,
/// by size, and by key. Every pair is in exactly one.
pub fn groups<S, P: Finding + Sync>(report: &Report<S, P>, grouping: &Grouping) -> Vec<GroupRow> {
    let parts = &report.parts[..];
    let (mut named, mut cells) = (BTreeMap::<&str, Vec<&P>>::new(), BTreeMap::<Cell, Vec<&P>>::new());
    for pair in &report.pairs {
        match grouping.named.of_pair(&pair.sides().key) {
            Some(name) => named.entry(name).or_default().push(pair),
            None => cells.entry(Cell::of(pair, parts)).or_default().push(pair),
        }
    }
    let named = named.into_iter().map(|(name, pairs)| Group::new(name.into(), None, &["file", name], pairs));
    let others = cells.iter().flat_map(|(cell, pairs)| match grouping.settings.by {
        GroupBy::Host => host::groups(cell, pairs, parts, grouping.settings.extent),
        GroupBy::Type => vec![Group::of_types(cell, pairs.clone())],
    });
    let mut groups: Vec<Group<P>> = named.chain(others).collect();
    parallel::sort_unstable_by(&mut groups, |p, q| {
        let [worst, other] = [p, q].map(|group| group.pairs[0]);
        let severity = |pair: &P| (pair.verdict(), pair.overlap().map_or(f64::NEG_INFINITY, |[low, _]| low));
        let ((verdict, depth), (other_verdict, other_depth)) = (severity(worst), severity(other));
        let order = verdict.cmp(&other_verdict).then(other_depth.total_cmp(&depth));
        order.then(q.pairs.len().cmp(&p.pairs.len())).then_with(|| p.key.cmp(&q.key))
    });
    parallel::map_owned(groups, parallel::SMALL, |_, group| group.row())
}

/// A group under construction.
struct Group<'r, P> {
    key: String,
    title: String,
    rule: Option<&'r str>,
    /// Its pairs, the worst first.
    pairs: Vec<&'r P>,
}

impl<'r, P: Finding> Group<'r, P> {
    /// Makes a group of some pairs that is about `subject`.
    fn new(title: String, rule: Option<&'r str>, subject: &[&str], mut pairs: Vec<&'r P>) -> Self {
        pairs.sort_by(|p, q| p.worst_first(q));
        Self { key: key(subject), title, rule, pairs }
    }

    /// Makes the group of all pairs with the same types.
    fn of_types(cell: &Cell<'r>, pairs: Vec<&'r P>) -> Self {
        let [a, b] = &cell.types;
        let subject = ["type", cell.rule.unwrap_or(""), cell.verdict.word(), &a.subject(), &b.subject()];
        Self::new(format!("{} x {}", a.title(), b.title()), cell.rule, &subject, pairs)
    }

    fn row(self) -> GroupRow {
        let boxes = self.pairs.iter().filter_map(|pair| pair.bounds().or(pair.at().map(|at| [at, at])));
        GroupRow {
            key: self.key,
            title: self.title,
            rule: self.rule.map(str::to_owned),
            verdict: self.pairs[0].verdict(),
            pairs: self.pairs.iter().map(|pair| pair.sides().key.clone()).collect(),
            bounds: boxes.reduce(union),
            at: self.pairs[0].at(),
        }
    }
}

fn union(a: [[f64; 3]; 2], b: [[f64; 3]; 2]) -> [[f64; 3]; 2] {
    let corner = |k: usize, choose: fn(f64, f64) -> f64| [0, 1, 2].map(|axis| choose(a[k][axis], b[k][axis]));
    [corner(0, f64::min), corner(1, f64::max)]
}

/// Returns the key of a group: the first 20 hexadecimal digits of blake3 over `group/1` and what the group is
/// about, with a NUL between each.
fn key(subject: &[&str]) -> String {
    let text = [&["group/1"], subject].concat().join("\0");
    blake3::hash(text.as_bytes()).to_hex()[..20].to_owned()
}

#[cfg(test)]
mod tests;

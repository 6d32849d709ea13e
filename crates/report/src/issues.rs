//! Issues: what a person works off one by one. An issue is a group of pairs or, in a report without groups, a
//! pair.

use std::collections::HashMap;

use crate::document::{Finding, Report, Sides};
use crate::groups::GroupRow;

/// A group of pairs, or a single pair.
#[derive(Clone, Debug)]
pub struct Issue<'r, P> {
    /// The group, if the report has groups.
    pub group: Option<&'r GroupRow>,
    /// The pairs, the worst first: at least one.
    pub pairs: Vec<&'r P>,
}

impl<'r, P: Finding> Issue<'r, P> {
    /// Returns the issues of a report, the worst first.
    pub fn all<S>(report: &'r Report<S, P>) -> Vec<Self> {
        if report.groups.is_empty() {
            return Self::each(report);
        }
        let by_key: HashMap<&str, &P> =
            report.pairs.iter().map(|pair| (&pair.sides().key[..], pair)).collect();
        let of_group = |group: &'r GroupRow| Self {
            group: Some(group),
            pairs: group.pairs.iter().filter_map(|key| by_key.get(&key[..]).copied()).collect(),
        };
        report.groups.iter().map(of_group).filter(|issue| !issue.pairs.is_empty()).collect()
    }

    /// Returns the pairs of a report as an issue each, the worst first.
    pub fn each<S>(report: &'r Report<S, P>) -> Vec<Self> {
        let mut pairs: Vec<&P> = report.pairs.iter().collect();
        pairs.sort_by(|p, q| p.worst_first(q));
        pairs.into_iter().map(|pair| Self { group: None, pairs: vec![pair] }).collect()
    }

    /// Returns the title of the group, or the names of both parts.
    pub fn title(&self) -> String {
        let names = |sides: &Sides| format!("{} x {}", sides.a, sides.b);
        self.group.map_or_else(|| names(self.worst().sides()), |group| group.title.clone())
    }

    /// Returns the worst pair.
    pub fn worst(&self) -> &'r P {
        self.pairs[0]
    }

    /// Returns the key of the group or of the pair, the same in every run.
    pub fn key(&self) -> &'r str {
        self.group.map_or(&self.worst().sides().key, |group| &group.key)
    }
}

//! Issues: what a person works off one by one. An issue is a group of pairs or, in a report without groups, a
//! pair.

use crate::document::{Finding, PairKey, Report, Sides};
use crate::groups::GroupRow;
use closefit_geometry::ids::to_u32;
use closefit_geometry::parallel;

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
    pub fn all<S>(report: &'r Report<S, P>) -> Vec<Self>
    where
        P: Sync,
    {
        if report.groups.is_empty() {
            return Self::each(report);
        }
        let pairs = &report.pairs[..];
        let key = |pair: u32| &pairs[pair as usize].sides().key;
        let mut by_key: Vec<u32> = (0..to_u32(pairs.len())).collect();
        parallel::sort_unstable_by(&mut by_key, |&p, &q| key(p).cmp(key(q)));
        let pair = |wanted: &PairKey| {
            let place = by_key.binary_search_by(|&pair| key(pair).cmp(wanted)).ok()?;
            Some(&pairs[by_key[place] as usize])
        };
        let groups = &report.groups[..];
        let issues = parallel::map(groups.len(), parallel::SMALL, |at| Self {
            group: Some(&groups[at]),
            pairs: groups[at].pairs.iter().filter_map(pair).collect(),
        });
        issues.into_iter().filter(|issue| !issue.pairs.is_empty()).collect()
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

//! Issues: what a person works off one by one. An issue is a group of pairs or, in a report without groups, a
//! pair.

use crate::document::{Finding, PairKey, Report, Sides};
use crate::groups::GroupRow;
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
        let (by_key, groups) = (ByKey::of(&report.pairs), &report.groups);
        let of_group = |group: &'r GroupRow| Self {
            group: Some(group),
            pairs: group.pairs.iter().filter_map(|key| by_key.get(key)).collect(),
        };
        let issues = parallel::map(groups.len(), parallel::SMALL, |number| of_group(&groups[number]));
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

/// The pairs of a report by their keys: the first digits of each key, and the place of the pair. A crowd has
/// millions of pairs, so numbers are sorted and compared instead of keys, which are all over the memory.
struct ByKey<'r, P> {
    pairs: &'r [P],
    places: Vec<(u64, usize)>,
}

impl<'r, P: Finding + Sync> ByKey<'r, P> {
    fn of(pairs: &'r [P]) -> Self {
        let digits = |place: usize| (pairs[place].sides().key.first_digits(), place);
        let mut places = parallel::map(pairs.len(), parallel::SMALL, digits);
        parallel::sort_unstable_by_key(&mut places, |&place| place);
        Self { pairs, places }
    }

    /// Returns the pair with a key; of several, the last.
    fn get(&self, key: &PairKey) -> Option<&'r P> {
        let digits = key.first_digits();
        let end = self.places.partition_point(|&(first, _)| first <= digits);
        let equal = self.places[..end].iter().rev().take_while(|&&(first, _)| first == digits);
        equal.map(|&(_, place)| &self.pairs[place]).find(|pair| pair.sides().key == *key)
    }
}

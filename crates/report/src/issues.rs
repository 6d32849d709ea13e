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

/// The pairs of a report by their keys. A crowd has millions of pairs, so numbers are sorted and compared
/// instead of texts, which are all over the memory.
struct ByKey<'r, P> {
    pairs: &'r [P],
    /// The number of each key above [`PLACE`] bits, and the place of its pair below.
    entries: Vec<u128>,
    /// The place of the first entry from each value of the first bits of a number on; then the number of all
    /// entries. There are about as many values as entries.
    starts: Vec<u32>,
}

/// Bits of a place among pairs.
const PLACE: u32 = 48;

/// Bits of the number of a key.
const NUMBER: u32 = 80;

impl<'r, P: Finding + Sync> ByKey<'r, P> {
    fn of(pairs: &'r [P]) -> Self {
        let entry = |place: usize| pairs[place].sides().key.number() << PLACE | place as u128;
        let mut entries = parallel::map(pairs.len(), parallel::SMALL, entry);
        parallel::sort_unstable_by_key(&mut entries, |&entry| entry);
        let bits = entries.len().max(1).ilog2();
        let mut starts = Vec::with_capacity((1 << bits) + 1);
        for (place, entry) in entries.iter().enumerate() {
            let first = (entry >> PLACE >> (NUMBER - bits)) as usize;
            starts.resize(starts.len().max(first + 1), to_u32(place));
        }
        starts.resize((1 << bits) + 1, to_u32(entries.len()));
        Self { pairs, entries, starts }
    }

    /// Returns the pair with a key; of several, the last.
    fn get(&self, key: &PairKey) -> Option<&'r P> {
        let key = key.number();
        let bits = (self.starts.len() - 1).ilog2();
        let first = (key >> (NUMBER - bits)) as usize;
        let alike = &self.entries[self.starts[first] as usize..self.starts[first + 1] as usize];
        let end = alike.partition_point(|entry| entry >> PLACE <= key);
        let last = alike[..end].last().filter(|&entry| entry >> PLACE == key)?;
        Some(&self.pairs[(last & ((1 << PLACE) - 1)) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{pair_row, part_row};

    #[test]
    fn pairs_are_found_by_their_keys() {
        let names: Vec<String> = (0..30).map(|id| format!("part {id}")).collect();
        let parts: Vec<_> = names.iter().enumerate().map(|(id, name)| part_row(id, name, None)).collect();
        let ids = (0..parts.len()).flat_map(|b| (0..b).map(move |a| [a, b]));
        let mut pairs: Vec<_> = ids.map(|ids| pair_row(&parts, ids, 1.0, None)).collect();
        let missing = pairs.pop().unwrap().sides.key;
        let twice = pairs[3].clone();
        pairs.push(twice);
        let by_key = ByKey::of(&pairs);
        for (place, pair) in pairs.iter().enumerate() {
            let expected = pairs.iter().rposition(|other| other.sides.key == pair.sides.key).unwrap();
            assert!(std::ptr::eq(by_key.get(&pair.sides.key).unwrap(), &pairs[expected]), "{place}");
        }
        assert!(by_key.get(&missing).is_none());
        let (first, last) = ("00000000000000000000", "ffffffffffffffffffff");
        for text in [first, last] {
            assert!(by_key.get(&PairKey::of(text).unwrap()).is_none());
        }
        // Keys that all begin alike, as a hash has none, and none at all.
        let mut alike = pairs[..9].to_vec();
        for (at, pair) in alike.iter_mut().enumerate() {
            let begin = if at % 2 == 0 { &first[1..] } else { &last[1..] };
            pair.sides.key = PairKey::of(&format!("{begin}{at}")).unwrap();
        }
        let by_key = ByKey::of(&alike);
        for (place, pair) in alike.iter().enumerate() {
            assert!(std::ptr::eq(by_key.get(&pair.sides.key).unwrap(), &alike[place]), "{place}");
        }
        assert!(by_key.get(&PairKey::of(last).unwrap()).is_none());
        assert!(ByKey::of(&pairs[..0]).get(&pairs[0].sides.key).is_none());
    }
}

//! Excluded pairs of parts, each with the reason for the summary of pairs.
//!
//! Robots exclude pairs of links, which are groups of consecutive parts: such a pair is stored once, however
//! many parts the links have. Single pairs are stored in addition to them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::ids::{PartId, to_u32};

/// The reason for links connected by a joint: they touch there by design.
pub const ADJACENT: &str = "adjacent links";

/// The reason for the meshes of one link, which are one body.
pub const SAME_LINK: &str = "same link";

/// The index of a group in [`Excluded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupId(u32);

/// Excluded pairs of parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Excluded {
    /// The parts of each group: ascending, disjoint.
    groups: Vec<Range<u32>>,
    /// Pairs of groups, the lower group first; a group and itself stands for all pairs within it.
    of_groups: BTreeMap<[GroupId; 2], Reason>,
    /// Single pairs not covered by groups, the lower part first.
    of_parts: BTreeMap<[PartId; 2], Reason>,
}

type Reason = Cow<'static, str>;

impl Excluded {
    /// Adds a group of parts. They must come after the parts of all groups so far. The group may be empty.
    ///
    /// # Panics
    /// Panics if they do not.
    pub fn group(&mut self, parts: Range<u32>) -> GroupId {
        assert!(self.groups.last().is_none_or(|last| last.end <= parts.start), "groups are in order");
        self.groups.push(parts);
        GroupId(to_u32(self.groups.len() - 1))
    }

    /// Excludes every pair of a part of one group and a part of the other; for a group and itself, every pair
    /// within it. The first reason is kept.
    ///
    /// # Panics
    /// Panics once a single pair has been excluded.
    pub fn exclude_groups(&mut self, a: GroupId, b: GroupId, reason: &'static str) {
        assert!(self.of_parts.is_empty(), "groups come before single pairs, which may lie in them");
        self.of_groups.entry([a.min(b), a.max(b)]).or_insert(reason.into());
    }

    /// Excludes a pair of parts. The first reason is kept.
    ///
    /// # Panics
    /// Panics for a part and itself.
    pub fn exclude(&mut self, a: PartId, b: PartId, reason: impl Into<Cow<'static, str>>) {
        assert!(a != b, "a part is not excluded from itself");
        if self.reason(a, b).is_none() {
            self.of_parts.insert([a.min(b), a.max(b)], reason.into());
        }
    }

    /// Excludes a pair of parts no more. If two groups exclude it, all other pairs of theirs stay excluded,
    /// as single pairs.
    pub fn include(&mut self, a: PartId, b: PartId) {
        self.of_parts.remove(&[a.min(b), a.max(b)]);
        let Some(groups) = self.groups_of(a, b) else { return };
        let Some(reason) = self.of_groups.remove(&groups) else { return };
        let [of_a, of_b] = groups.map(|group| self.groups[group.0 as usize].clone());
        for (p, q) in of_a.flat_map(|p| of_b.clone().map(move |q| (PartId(p), PartId(q)))) {
            if p != q && [p.min(q), p.max(q)] != [a.min(b), a.max(b)] {
                self.exclude(p, q, reason.clone());
            }
        }
    }

    /// Returns the largest number of pairs that [`include`](Self::include) would store for this one.
    pub fn stored_by_including(&self, a: PartId, b: PartId) -> usize {
        let groups = self.groups_of(a, b).filter(|groups| self.of_groups.contains_key(groups));
        groups.map_or(0, |[a, b]| self.parts(a).len().saturating_mul(self.parts(b).len()))
    }

    /// True if no pair is excluded.
    pub fn is_empty(&self) -> bool {
        self.of_groups.is_empty() && self.of_parts.is_empty()
    }

    /// Returns the reason why a pair is excluded, or `None` if it is not.
    pub fn reason(&self, a: PartId, b: PartId) -> Option<&str> {
        let of_groups = || self.of_groups.get(&self.groups_of(a, b)?);
        self.of_parts.get(&[a.min(b), a.max(b)]).or_else(of_groups).map(|reason| &**reason)
    }

    /// Returns the groups of two parts, the lower one first.
    fn groups_of(&self, a: PartId, b: PartId) -> Option<[GroupId; 2]> {
        let (a, b) = (self.group_of(a)?, self.group_of(b)?);
        Some([a.min(b), a.max(b)])
    }

    fn group_of(&self, PartId(part): PartId) -> Option<GroupId> {
        let group = self.groups.partition_point(|parts| parts.end <= part);
        self.groups.get(group)?.contains(&part).then_some(GroupId(to_u32(group)))
    }

    /// Returns the excluded pairs, each as two ranges of part indices; the same range twice stands for all
    /// pairs within it. No two of them share a pair of parts.
    pub fn pairs(&self) -> impl Iterator<Item = [Range<usize>; 2]> + '_ {
        let of_groups = self.of_groups.keys().map(|groups| groups.map(|group| self.parts(group)));
        let of_parts = self.of_parts.keys().map(|pair| pair.map(|part| part.index()..part.index() + 1));
        of_groups.chain(of_parts)
    }

    fn parts(&self, GroupId(group): GroupId) -> Range<usize> {
        let Range { start, end } = self.groups[group as usize];
        start as usize..end as usize
    }

    /// Returns the number of excluded pairs by reason.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let reasons = self.of_groups.values().chain(self.of_parts.values());
        let mut counts = BTreeMap::new();
        for ([a, b], reason) in self.pairs().zip(reasons) {
            let parts = a.len() as u64;
            let pairs = if a == b { parts * parts.saturating_sub(1) / 2 } else { parts * b.len() as u64 };
            if pairs > 0 {
                *counts.entry(reason.to_string()).or_default() += pairs;
            }
        }
        counts
    }

    /// Returns the excluded pairs of a part of one set and a part of the other: the pairs in
    /// [`pairs`](Self::pairs) that have some, each with the number of them and the reason. Both sets say of
    /// every part if it is in.
    pub fn between<'s>(
        &'s self,
        [set_a, set_b]: [&'s [bool]; 2],
    ) -> impl Iterator<Item = ([Range<usize>; 2], u64, &'s str)> {
        let members = move |parts: &Range<usize>| {
            let sides = || set_a[parts.clone()].iter().zip(&set_b[parts.clone()]);
            let count =
                |is_meant: fn(bool, bool) -> bool| sides().filter(|&(&a, &b)| is_meant(a, b)).count() as u64;
            [count(|a, _| a), count(|_, b| b), count(|a, b| a && b)]
        };
        let reasons = self.of_groups.values().chain(self.of_parts.values());
        let counted = self.pairs().zip(reasons).map(move |([p, q], reason)| {
            let [[a, b, both], [a_of_q, b_of_q, both_of_q]] = [&p, &q].map(members);
            // Pairs of parts that are in both sets are found twice; within a group, also a part and itself.
            let pairs = match p == q {
                true => a * b - both * (both + 1) / 2,
                false => a * b_of_q + b * a_of_q - both * both_of_q,
            };
            ([p, q], pairs, &**reason)
        });
        counted.filter(|&(_, pairs, _)| pairs > 0)
    }

    /// Returns the excluded pairs of a scene that has only some of the parts, by their ids in ascending
    /// order.
    pub fn of_some(&self, ids: &[u32]) -> Self {
        let place = |id: u32| ids.partition_point(|&known| known < id);
        let groups = self.groups.iter().map(|parts| to_u32(place(parts.start))..to_u32(place(parts.end)));
        let kept = |([a, b], reason): (&[PartId; 2], &Reason)| {
            let [a, b] =
                [a, b].map(|part| ids.binary_search(&part.0).ok().map(|place| PartId(to_u32(place))));
            Some(([a?, b?], reason.clone()))
        };
        Self {
            groups: groups.collect(),
            of_groups: self.of_groups.clone(),
            of_parts: self.of_parts.iter().filter_map(kept).collect(),
        }
    }

    /// Adds the excluded pairs of another scene, whose parts come after the first `parts`.
    pub fn append(&mut self, other: Self, parts: u32) {
        let before = to_u32(self.groups.len());
        self.groups.extend(other.groups.into_iter().map(|group| group.start + parts..group.end + parts));
        let group = |GroupId(group)| GroupId(group + before);
        let part = |PartId(part)| PartId(part + parts);
        self.of_groups.extend(other.of_groups.into_iter().map(|(pair, reason)| (pair.map(group), reason)));
        self.of_parts.extend(other.of_parts.into_iter().map(|(pair, reason)| (pair.map(part), reason)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_groups_are_left_out_and_counted() {
        let mut one = Excluded::default();
        let [a, empty, b] = [0..2, 2..2, 3..6].map(|parts| one.group(parts));
        one.exclude_groups(b, a, ADJACENT);
        one.exclude_groups(a, empty, "nothing");
        let left_out = |set: &Excluded| {
            let all = (0..12).flat_map(|a| (a + 1..12).map(move |b| (a, b)));
            all.filter(|&(a, b)| set.reason(PartId(a), PartId(b)).is_some()).collect::<Vec<_>>()
        };
        let pairs = [(0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (1, 5)];
        assert_eq!(left_out(&one), pairs);
        assert_eq!(one.reason(PartId(5), PartId(0)), Some(ADJACENT));
        assert_eq!(one.counts(), BTreeMap::from([(ADJACENT.to_owned(), 6)]));
        let mut both = one.clone();
        both.append(one, 6);
        let again = pairs.map(|(a, b)| (a + 6, b + 6));
        assert_eq!(left_out(&both), [pairs, again].concat());
    }

    #[test]
    fn pairs_within_a_group_are_left_out_and_counted() {
        let mut one = Excluded::default();
        let [many, single, empty] = [0..4, 4..5, 5..5].map(|parts| one.group(parts));
        for group in [many, single, empty] {
            one.exclude_groups(group, group, SAME_LINK);
        }
        one.exclude_groups(many, single, ADJACENT);
        one.exclude_groups(single, many, "again");
        one.exclude(PartId(1), PartId(3), "known");
        assert_eq!(one.counts(), BTreeMap::from([(ADJACENT.to_owned(), 4), (SAME_LINK.to_owned(), 6)]));
        let reasons = [(0, 1), (3, 0), (2, 4), (4, 5)].map(|(a, b)| one.reason(PartId(a), PartId(b)));
        assert_eq!(reasons, [Some(SAME_LINK), Some(SAME_LINK), Some(ADJACENT), None]);
    }

    #[test]
    fn a_pair_is_included_again() {
        let mut all = Excluded::default();
        let (a, b) = (all.group(0..3), all.group(3..5));
        all.exclude_groups(a, a, SAME_LINK);
        all.exclude_groups(a, b, ADJACENT);
        all.exclude(PartId(7), PartId(6), "known");
        assert_eq!(
            [[1, 3], [1, 2], [6, 7]].map(|[p, q]| all.stored_by_including(PartId(p), PartId(q))),
            [6, 9, 0]
        );
        for [p, q] in [[3, 1], [1, 2], [6, 7], [0, 9]] {
            all.include(PartId(p), PartId(q));
            assert_eq!(all.reason(PartId(p), PartId(q)), None);
        }
        let left: Vec<_> = all.pairs().map(|[p, q]| [p.start, q.start]).collect();
        assert_eq!(left, [[0, 1], [0, 2], [0, 3], [0, 4], [1, 4], [2, 3], [2, 4]]);
        assert_eq!(all.counts(), [(SAME_LINK.to_owned(), 2), (ADJACENT.to_owned(), 5)].into());
    }

    /// The oracle looks at every pair.
    #[test]
    fn pairs_of_two_sets_are_counted_and_kept_among_some_parts() {
        let mut all = Excluded::default();
        let [a, b, empty, c] = [0..3, 3..5, 5..5, 6..9].map(|parts| all.group(parts));
        all.exclude_groups(a, a, SAME_LINK);
        all.exclude_groups(c, c, SAME_LINK);
        for pair in [[a, b], [b, c], [a, empty]] {
            all.exclude_groups(pair[0], pair[1], ADJACENT);
        }
        all.exclude(PartId(5), PartId(9), "known");
        all.exclude(PartId(0), PartId(9), "known".to_owned());
        // Each part in neither, one or both sets, by the digits of a number to the base of four.
        for code in (0..1 << 20).step_by(991) {
            let sets = [0, 1]
                .map(|side| (0..10).map(|part| code >> (2 * part + side) & 1 == 1).collect::<Vec<bool>>());
            let is_meant = |p: usize, q: usize| sets[0][p] && sets[1][q] || sets[0][q] && sets[1][p];
            let mut expected: BTreeMap<String, u64> = BTreeMap::new();
            for (p, q) in
                (0..10).flat_map(|p| (p + 1..10).map(move |q| (p, q))).filter(|&(p, q)| is_meant(p, q))
            {
                if let Some(reason) = all.reason(PartId(to_u32(p)), PartId(to_u32(q))) {
                    *expected.entry(reason.to_owned()).or_default() += 1;
                }
            }
            let mut found: BTreeMap<String, u64> = BTreeMap::new();
            for (_, pairs, reason) in all.between(sets.each_ref().map(|set| &set[..])) {
                *found.entry(reason.to_owned()).or_default() += pairs;
            }
            assert_eq!(found, expected, "{code:#x}");
            let ids: Vec<u32> = (0..10).filter(|&id| sets[0][id as usize]).collect();
            let some = all.of_some(&ids);
            for (p, q) in (0..ids.len()).flat_map(|p| (p + 1..ids.len()).map(move |q| (p, q))) {
                let [place_p, place_q] = [p, q].map(|place| PartId(to_u32(place)));
                assert_eq!(
                    some.reason(place_p, place_q),
                    all.reason(PartId(ids[p]), PartId(ids[q])),
                    "{ids:?}"
                );
            }
        }
    }

    #[test]
    fn single_pairs_are_left_out_beside_groups_and_never_twice() {
        let mut one = Excluded::default();
        let [a, b] = [0..2, 2..4].map(|parts| one.group(parts));
        one.exclude_groups(a, b, ADJACENT);
        one.exclude(PartId(3), PartId(0), "known");
        one.exclude(PartId(5), PartId(0), "known");
        one.exclude(PartId(0), PartId(5), "again".to_owned());
        assert_eq!(one.reason(PartId(0), PartId(3)), Some(ADJACENT));
        assert_eq!(one.reason(PartId(0), PartId(5)), Some("known"));
        assert_eq!(one.reason(PartId(1), PartId(5)), None);
        assert_eq!(one.counts(), BTreeMap::from([(ADJACENT.to_owned(), 4), ("known".to_owned(), 1)]));
        let mut both = one.clone();
        both.append(one, 6);
        assert_eq!(both.reason(PartId(6), PartId(11)), Some("known"));
        assert_eq!(both.pairs().map(|[a, b]| a.len() * b.len()).sum::<usize>(), 10);
    }
}

//! Pairs of parts that are left out, each for a reason that the ledger gives.
//!
//! Robots exclude links, not parts: groups of parts that follow one another, so that a pair of links is kept
//! once, however many parts they have.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::ids::{PartId, to_u32};

/// Links that a joint connects: they touch there by design.
pub const ADJACENT: &str = "adjacent links";

/// Position of a group in [`Excluded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupId(u32);

/// Pairs of groups of parts that are not looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Excluded {
    /// Parts of each group: ascending, disjoint.
    groups: Vec<Range<u32>>,
    /// The lower group first.
    pairs: BTreeMap<[GroupId; 2], &'static str>,
}

impl Excluded {
    /// Adds a group of parts, which come after those of all groups so far. It may be empty.
    ///
    /// # Panics
    /// When they do not.
    pub fn group(&mut self, parts: Range<u32>) -> GroupId {
        assert!(self.groups.last().is_none_or(|last| last.end <= parts.start), "groups are in order");
        self.groups.push(parts);
        GroupId(to_u32(self.groups.len() - 1))
    }

    /// Leaves out every pair of a part of one group and a part of another.
    ///
    /// # Panics
    /// For a group and itself.
    pub fn exclude(&mut self, a: GroupId, b: GroupId, reason: &'static str) {
        assert!(a != b, "a group is not excluded from itself");
        self.pairs.insert([a.min(b), a.max(b)], reason);
    }

    /// Why a pair is left out; `None` if it is not.
    pub fn reason(&self, a: PartId, b: PartId) -> Option<&'static str> {
        let (a, b) = (self.group_of(a)?, self.group_of(b)?);
        self.pairs.get(&[a.min(b), a.max(b)]).copied()
    }

    fn group_of(&self, PartId(part): PartId) -> Option<GroupId> {
        let group = self.groups.partition_point(|parts| parts.end <= part);
        self.groups.get(group)?.contains(&part).then_some(GroupId(to_u32(group)))
    }

    /// The pairs of groups that are left out, each as the positions of their parts.
    pub fn pairs(&self) -> impl Iterator<Item = [Range<usize>; 2]> + '_ {
        let parts = |GroupId(group): GroupId| {
            let Range { start, end } = self.groups[group as usize];
            start as usize..end as usize
        };
        self.pairs.keys().map(move |groups| groups.map(parts))
    }

    /// How many pairs are left out, by reason.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for (groups, &reason) in &self.pairs {
            let [a, b] = groups.map(|GroupId(group)| self.groups[group as usize].len() as u64);
            if a * b > 0 {
                *counts.entry(reason.to_owned()).or_default() += a * b;
            }
        }
        counts
    }

    /// Adds what another scene leaves out, whose parts come after `parts` others.
    pub(super) fn append(&mut self, other: Self, parts: u32) {
        let before = to_u32(self.groups.len());
        self.groups.extend(other.groups.into_iter().map(|group| group.start + parts..group.end + parts));
        let moved = |GroupId(group)| GroupId(group + before);
        self.pairs.extend(other.pairs.into_iter().map(|(groups, reason)| (groups.map(moved), reason)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_groups_are_left_out_and_counted() {
        let mut one = Excluded::default();
        let [a, empty, b] = [0..2, 2..2, 3..6].map(|parts| one.group(parts));
        one.exclude(b, a, ADJACENT);
        one.exclude(a, empty, "nothing");
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
}

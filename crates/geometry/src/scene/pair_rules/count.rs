//! Counts of all pairs by the decision about them, without looking at each pair: scenes have 100 000 parts.
//!
//! Pairs are counted by two classes of parts. Where an entry asks for parts of one group, the pairs of these
//! classes that have a group in common are counted group by group; where several such entries match, the
//! first of them is found by inclusion and exclusion over the partitions.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::super::Scene;
use super::{ALONE, Decision, PairRules};
use crate::ids::{PartId, to_u32};

/// The parts that are at rest relative to each other: the group of each part, and the reason for excluding
/// pairs within a group. It comes after the scene's own reasons and before its rules.
#[derive(Clone, Copy, Debug)]
pub struct AtRest<'a> {
    /// The group of each part.
    pub groups: &'a [u32],
    /// The reason.
    pub reason: &'static str,
}

/// The count of a scene's pairs by the decision about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// The excluded pairs, by reason.
    pub excluded: BTreeMap<String, u64>,
    /// The pairs that each entry of the scene's rules decides; empty without rules.
    pub by_entry: Vec<u64>,
}

impl PairCounts {
    /// Counts the pairs of a scene.
    pub(in super::super) fn of(scene: &Scene, at_rest: Option<AtRest>) -> Self {
        let excluded = scene.excluded.counts();
        if scene.rules.is_none() && at_rest.is_none() {
            return Self { excluded, by_entry: Vec::new() };
        }
        let none = scene.rules.is_none().then(|| PairRules::none(scene.parts.len()));
        let rules = scene.rules.as_ref().or(none.as_ref()).expect("given or made");
        let counter = Counter { rules, at_rest: at_rest.map(|at_rest| at_rest.groups) };
        let all = 0..scene.parts.len();
        let mut counts = counter.within(all);
        for [a, b] in scene.excluded.pairs() {
            let taken = if a == b { counter.within(a) } else { counter.across(a, b) };
            counts.iter_mut().zip(taken).for_each(|(count, taken)| *count -= taken);
        }
        let mut found = Self { excluded, by_entry: counts };
        if let (Some(pairs), Some(AtRest { reason, .. })) = (found.by_entry.pop(), at_rest) {
            found.exclude(reason, pairs);
        }
        let without = found.by_entry.pop().unwrap_or_default();
        for (entry, pairs) in rules.entries.iter().zip(found.by_entry.clone()) {
            if let Decision::Excluded(reason) = &entry.decision {
                found.exclude(reason, pairs);
            }
        }
        if let Decision::Excluded(reason) = &rules.otherwise {
            found.exclude(reason, without);
        }
        found
    }

    fn exclude(&mut self, reason: &str, pairs: u64) {
        if pairs > 0 {
            *self.excluded.entry(reason.to_owned()).or_default() += pairs;
        }
    }
}

/// Numbers of pairs: those of each entry, those without one, and those at rest.
type Counts = Vec<u64>;

/// Numbers of pairs by their two classes, the lower one first.
type OfClasses = HashMap<[u32; 2], u64>;

struct Counter<'a> {
    rules: &'a PairRules,
    at_rest: Option<&'a [u32]>,
}

impl Counter<'_> {
    /// Counts the pairs of a part of one range and a part of another; they are disjoint.
    fn across(&self, a: std::ops::Range<usize>, b: std::ops::Range<usize>) -> Counts {
        if let (1, 1) = (a.len(), b.len()) {
            let mut counts = vec![0; self.rules.entries.len() + 2];
            counts[self.place(a.start, b.start)] = 1;
            return counts;
        }
        let mut counts = self.within(a.clone().chain(b.clone()));
        for own in [a, b].map(|range| self.within(range)) {
            counts.iter_mut().zip(own).for_each(|(count, own)| *count -= own);
        }
        counts
    }

    /// Returns the place of a single pair among the counts.
    fn place(&self, a: usize, b: usize) -> usize {
        let entries = self.rules.entries.len();
        let [a, b] = [a, b].map(|part| PartId(to_u32(part)));
        match self.at_rest {
            Some(groups) if groups[a.index()] == groups[b.index()] => entries + 1,
            _ => self.rules.entry_of(a, b).unwrap_or(entries),
        }
    }

    /// Counts the pairs within some parts.
    fn within(&self, parts: impl Iterator<Item = usize> + Clone) -> Counts {
        let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
        parts.clone().for_each(|part| *sizes.entry(self.rules.class_of[part]).or_default() += 1);
        let sizes: Vec<(u32, u64)> = sizes.into_iter().collect();
        let mut counts = vec![0; self.rules.entries.len() + 2];
        let mut alike: HashMap<u32, OfClasses> = HashMap::new();
        for (index, &(x, of_x)) in sizes.iter().enumerate() {
            for &(y, of_y) in &sizes[index..] {
                let mut left = pairs_of([(x, of_x), (y, of_y)]);
                let (conditions, last) = self.conditions([x, y]);
                for (at, &(condition, place)) in conditions.iter().enumerate() {
                    let before = &conditions[..at];
                    let mut first = 0;
                    for chosen in 0..1_u32 << at {
                        let of_before = before.iter().enumerate().filter(|(bit, _)| chosen >> bit & 1 == 1);
                        let mask = of_before.fold(1 << condition, |mask, (_, (other, _))| mask | 1 << other);
                        let pairs = alike.entry(mask).or_insert_with(|| self.alike(mask, parts.clone()));
                        let pairs = pairs.get(&[x, y]).map_or(0, |&pairs| pairs.cast_signed());
                        first += if chosen.count_ones() % 2 == 0 { pairs } else { -pairs };
                    }
                    counts[place] += first.cast_unsigned();
                    left -= first.cast_unsigned();
                }
                counts[last] += left;
            }
        }
        counts
    }

    /// Returns the conditions that decide pairs of two classes, in order: a partition of which both must be
    /// in one group, and the place of such pairs among the counts. Also returns the place of all other pairs.
    fn conditions(&self, classes: [u32; 2]) -> (Vec<(usize, usize)>, usize) {
        let entries = &self.rules.entries;
        let at_rest = (self.rules.partitions.len(), entries.len() + 1);
        let mut found: Vec<(usize, usize)> = self.at_rest.map(|_| at_rest).into_iter().collect();
        for entry in self.rules.entries_of(classes) {
            match entries[entry].same {
                None => return (found, entry),
                Some(which) if found.iter().all(|&(other, _)| other != which) => found.push((which, entry)),
                Some(_) => {}
            }
        }
        (found, entries.len())
    }

    /// Counts, by their classes, the pairs that are in one group of each of some partitions.
    fn alike(&self, partitions: u32, parts: impl Iterator<Item = usize>) -> OfClasses {
        let groups: Vec<&[u32]> = (self.rules.partitions.iter().map(|groups| &groups[..]))
            .chain(self.at_rest)
            .enumerate()
            .filter(|(which, _)| partitions >> which & 1 == 1)
            .map(|(_, groups)| groups)
            .collect();
        let mut sizes: HashMap<Vec<u32>, BTreeMap<u32, u64>> = HashMap::new();
        let mut key = Vec::new();
        for part in parts {
            key.clear();
            key.extend(groups.iter().map(|groups| groups[part]));
            if key.iter().all(|&group| group != ALONE) {
                let of_group = sizes.entry_ref(&key[..]).or_default();
                *of_group.entry(self.rules.class_of[part]).or_default() += 1;
            }
        }
        let mut pairs = OfClasses::new();
        for of_group in sizes.values() {
            for (&x, &of_x) in of_group {
                for (&y, &of_y) in of_group.range(x..) {
                    *pairs.entry([x, y]).or_default() += pairs_of([(x, of_x), (y, of_y)]);
                }
            }
        }
        pairs
    }
}

/// Returns the number of pairs of two classes, of which the numbers of parts are given.
fn pairs_of([(x, of_x), (y, of_y)]: [(u32, u64); 2]) -> u64 {
    if x == y { of_x * (of_x - 1) / 2 } else { of_x * of_y }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Entry, Lengths};
    use super::*;
    use crate::ids::MeshId;
    use crate::math::pose::Pose;
    use crate::scene::{Excluded, Part};

    const REASONS: [&str; 3] = ["one", "two", "three"];

    /// A scene of few parts in many sets and groups, so that everything coincides somewhere.
    #[derive(Clone, Debug)]
    struct Case {
        scene: Scene,
        at_rest: Option<Vec<u32>>,
    }

    fn decision() -> impl Strategy<Value = Decision> {
        prop_oneof![
            (0..REASONS.len()).prop_map(|i| Decision::Excluded(REASONS[i].into())),
            Just(Decision::Asked(Lengths::default())),
        ]
    }

    fn rules(parts: usize) -> impl Strategy<Value = PairRules> {
        let set = prop::collection::vec(any::<bool>(), parts);
        let group = prop_oneof![0..3_u32, Just(ALONE)];
        let partitions = prop::collection::vec(prop::collection::vec(group, parts), 3);
        let entry = ([0..4_usize, 0..4_usize], prop::option::of(0..3_usize), decision());
        let entries = prop::collection::vec(
            entry.prop_map(|(sides, same, decision)| Entry { sides, same, decision }),
            0..70,
        );
        (prop::collection::vec(set, 4), partitions, entries, decision()).prop_map(
            move |(sets, partitions, entries, otherwise)| {
                PairRules::new(parts, &sets, partitions, entries, otherwise)
            },
        )
    }

    fn case() -> impl Strategy<Value = Case> {
        (3..14_usize).prop_flat_map(|parts| {
            let at_rest = prop::option::of(prop::collection::vec(0..3_u32, parts));
            let single = prop::collection::vec((0..parts, 0..parts), 0..5);
            (Just(parts), prop::option::of(rules(parts)), at_rest, single, any::<bool>()).prop_map(
                |(parts, rules, at_rest, single, grouped)| {
                    let mut excluded = Excluded::default();
                    if grouped {
                        let middle = to_u32(parts / 2);
                        let [a, b] = [0..middle, middle..middle + 1].map(|range| excluded.group(range));
                        excluded.exclude_groups(a, b, "adjacent");
                        excluded.exclude_groups(a, a, "one");
                    }
                    for (a, b) in single.into_iter().filter(|(a, b)| a != b) {
                        excluded.exclude(PartId(to_u32(a)), PartId(to_u32(b)), "known");
                    }
                    let part = |i: usize| Part::new(format!("{i}"), MeshId(0), Pose::IDENTITY);
                    let parts = (0..parts).map(part).collect();
                    Case { scene: Scene { parts, excluded, rules, ..Scene::default() }, at_rest }
                },
            )
        })
    }

    /// Counts pair by pair.
    fn brute(scene: &Scene, at_rest: Option<&[u32]>) -> PairCounts {
        let mut counts = PairCounts::default();
        counts.by_entry.resize(scene.rules.as_ref().map_or(0, |rules| rules.entries.len()), 0);
        let parts = to_u32(scene.parts.len());
        for (a, b) in (0..parts).flat_map(|a| (a + 1..parts).map(move |b| (a, b))) {
            let [p, q] = [a, b].map(PartId);
            let is_at_rest = at_rest.is_some_and(|groups| groups[p.index()] == groups[q.index()]);
            if let Some(reason) = scene.excluded.reason(p, q) {
                counts.exclude(reason, 1);
            } else if is_at_rest {
                counts.exclude("at rest", 1);
            } else {
                let entry = scene.rules.as_ref().and_then(|rules| rules.entry_of(q, p));
                entry.into_iter().for_each(|entry| counts.by_entry[entry] += 1);
                scene.asked(p, q).err().into_iter().for_each(|reason| counts.exclude(reason, 1));
            }
        }
        counts
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn counts_are_those_of_all_pairs_one_by_one(Case { scene, at_rest } in case()) {
            let groups = at_rest.as_deref();
            let counted = scene.count_pairs(groups.map(|groups| AtRest { groups, reason: "at rest" }));
            prop_assert_eq!(counted, brute(&scene, groups));
        }
    }

    #[test]
    fn a_hundred_thousand_parts_are_counted_without_looking_at_each_pair() {
        let parts: u64 = 100_000;
        let part = |_| Part::new("p", MeshId(0), Pose::IDENTITY);
        let sets: Vec<Vec<bool>> = (2..52).map(|n| (0..parts).map(|part| part % n == 0).collect()).collect();
        let entry = |set: usize| Entry {
            sides: [set, (7 * set + 3) % 50],
            same: set.is_multiple_of(10).then_some(0),
            decision: Decision::Excluded(REASONS[set % 3].into()),
        };
        let groups = (0..to_u32(parts as usize)).map(|part| part % 1000).collect();
        let rules = PairRules::new(
            parts as usize,
            &sets,
            vec![groups],
            (0..50).map(entry).collect(),
            Decision::Excluded("none".into()),
        );
        let parts_of_scene = (0..parts).map(part).collect();
        let scene = Scene { parts: parts_of_scene, rules: Some(rules), ..Scene::default() };
        let counted = scene.count_pairs(None);
        assert_eq!(counted.excluded.values().sum::<u64>(), parts * (parts - 1) / 2);
    }
}

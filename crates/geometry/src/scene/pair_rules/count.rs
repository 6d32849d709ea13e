//! Counts of all pairs by the decision about them, without looking at each pair: scenes have 100 000 parts.
//!
//! Pairs are counted by two classes of parts. Which entry matches two classes first depends on the
//! partitions in which both parts are in one group. Therefore pairs are counted for each set of partitions,
//! group by group. The pairs that are alike in exactly these partitions follow by inclusion and exclusion.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::Scene;
use super::{ALONE, Decision, PairRules};
use crate::ids::{PartId, to_u32};
use crate::parallel;

/// The most runs into which the rows of counts are cut.
const RUNS: usize = 64;

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

/// Numbers of pairs: the pairs of each entry, the pairs without an entry, and the pairs at rest.
type Counts = Vec<u64>;

struct Counter<'a> {
    rules: &'a PairRules,
    at_rest: Option<&'a [u32]>,
}

impl<'a> Counter<'a> {
    /// Counts the pairs of a part of one range and a part of another; they are disjoint.
    fn across(&self, a: Range<usize>, b: Range<usize>) -> Counts {
        if let (1, 1) = (a.len(), b.len()) {
            let mut counts = vec![0; self.places()];
            counts[self.place(a.start, b.start)] = 1;
            return counts;
        }
        let mut counts = self.within(a.clone().chain(b.clone()));
        for own in [a, b].map(|range| self.within(range)) {
            counts.iter_mut().zip(own).for_each(|(count, own)| *count -= own);
        }
        counts
    }

    fn places(&self) -> usize {
        self.rules.entries.len() + 2
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
    fn within(&self, parts: impl Iterator<Item = usize>) -> Counts {
        let mut parts: Vec<usize> = parts.collect();
        let partitions = self.rules.partitions.len() + usize::from(self.at_rest.is_some());
        let all_sets = (0..1 << partitions).map(|set| self.alike(set, &mut parts));
        let sum = all_sets.fold(vec![0; self.places()], sum);
        sum.into_iter().map(i64::cast_unsigned).collect()
    }

    /// Counts the pairs that are in one group of each partition of a set, with the sign that such pairs have
    /// wherever a subset of these partitions decides alone. Reorders the parts.
    fn alike(&self, set: usize, parts: &mut [usize]) -> Vec<i64> {
        let members = MembersOf::new(self, set, parts);
        let subsets: Vec<Subset> = (0..=set)
            .filter(|&subset| subset & !set == 0)
            .map(|subset| Subset::new(self, subset, set))
            .collect();
        // Each run has counts of its own, so there are few runs.
        let run = members.rows.len().div_ceil(RUNS).max(parallel::SMALL);
        let counts = parallel::map_runs(members.rows.len(), run, |rows| {
            let mut counts = vec![0; self.places()];
            for (row, subset) in rows.flat_map(|row| subsets.iter().map(move |subset| (row, subset))) {
                subset.count(self.rules, members.row(row), &mut counts);
            }
            counts
        });
        counts.into_iter().fold(vec![0; self.places()], sum)
    }

    /// Returns the partitions in a set of them. The last one can be the groups of parts at rest.
    fn partitions(&self, set: usize) -> Vec<&'a [u32]> {
        let all = self.rules.partitions.iter().map(|groups| &groups[..]).chain(self.at_rest);
        all.enumerate().filter(|(which, _)| set >> which & 1 == 1).map(|(_, groups)| groups).collect()
    }
}

fn sum(mut counts: Vec<i64>, others: Vec<i64>) -> Vec<i64> {
    counts.iter_mut().zip(others).for_each(|(count, other)| *count += other);
    counts
}

/// Numbers of parts by group and class.
struct MembersOf {
    /// Classes and their numbers of parts, group by group.
    rows: Vec<(u32, i64)>,
    /// The end of the group of each row.
    ends: Vec<usize>,
}

impl MembersOf {
    /// Counts the parts of each class in each group, where the parts of a group are alike in all partitions
    /// of a set.
    fn new(counter: &Counter, set: usize, parts: &mut [usize]) -> Self {
        let (partitions, class_of) = (counter.partitions(set), &counter.rules.class_of);
        let group = |part: usize| partitions.iter().map(move |groups| groups[part]);
        parts.sort_unstable_by(|&a, &b| group(a).cmp(group(b)).then(class_of[a].cmp(&class_of[b])));
        let (mut rows, mut ends) = (Vec::new(), Vec::new());
        for of_group in parts.chunk_by(|&a, &b| group(a).eq(group(b))) {
            if group(of_group[0]).all(|group| group != ALONE) {
                let by_class = of_group.chunk_by(|&a, &b| class_of[a] == class_of[b]);
                rows.extend(by_class.map(|of_class| (class_of[of_class[0]], of_class.len() as i64)));
                ends.resize(rows.len(), rows.len());
            }
        }
        Self { rows, ends }
    }

    /// Returns the rows of a group from one row on.
    fn row(&self, row: usize) -> &[(u32, i64)] {
        &self.rows[row..self.ends[row]]
    }
}

/// The rule for pairs that are alike in exactly the partitions of a subset of a set.
struct Subset {
    /// The sign, in inclusion and exclusion, of pairs that are alike in the whole set.
    sign: i64,
    decided: Decided,
}

enum Decided {
    /// The pairs are at rest, and counted at this place.
    At(usize),
    /// The first of these entries that matches decides; they are bits of words.
    By(Vec<u64>),
}

impl Subset {
    fn new(counter: &Counter, subset: usize, set: usize) -> Self {
        let sign = if (set ^ subset).count_ones().is_multiple_of(2) { 1 } else { -1 };
        let rules = counter.rules;
        if subset >> rules.partitions.len() != 0 {
            return Self { sign, decided: Decided::At(rules.entries.len() + 1) };
        }
        let mut words = vec![0; rules.words];
        for (index, entry) in rules.entries.iter().enumerate() {
            let can_match = entry.same.is_none_or(|which| subset >> which & 1 == 1);
            words[index / 64] |= u64::from(can_match) << (index % 64);
        }
        Self { sign, decided: Decided::By(words) }
    }

    /// Counts the pairs of a first class with itself and with the other classes of its group.
    fn count(&self, rules: &PairRules, row: &[(u32, i64)], counts: &mut [i64]) {
        let (x, of_x) = row[0];
        let mut add = |y: u32, pairs: i64| {
            let place = match &self.decided {
                Decided::At(place) => *place,
                Decided::By(words) => rules.first_of(words, [x, y]).unwrap_or(rules.entries.len()),
            };
            counts[place] += self.sign * pairs;
        };
        add(x, of_x * (of_x - 1) / 2);
        row[1..].iter().for_each(|&(y, of_y)| add(y, of_x * of_y));
    }
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

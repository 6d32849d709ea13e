//! Rules about pairs of parts: which pairs are checked and with which lengths, and which are excluded and
//! why.
//!
//! Rules are a list of entries, and the first entry that matches a pair decides it. Parts in the same sets
//! match the same entries, so they share a class, and a pair is matched by a few operations on the words of
//! two classes, however many entries there are.

mod count;

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::ids::{PartId, to_u32};
pub use count::{AtRest, PairCounts};

/// The reason for pairs that no rule is about.
pub const NO_RULE: &str = "no rule";

/// The group, in a [partition](PairRules::new), of a part that is like no other.
pub const ALONE: u32 = u32::MAX;

/// The lengths of a pair, in scene units; `None` for the lengths of the request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lengths {
    /// The clearance: a pair that comes this close is listed.
    pub clearance: Option<f64>,
    /// The tolerance: overlap up to this depth is contact.
    pub tolerance: Option<f64>,
}

/// The decision about a pair, before it is looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The pair is excluded, for a reason.
    Excluded(Cow<'static, str>),
    /// The pair is checked, with these lengths.
    Asked(Lengths),
}

impl Decision {
    fn answer(&self) -> Result<Lengths, &str> {
        match self {
            Self::Excluded(reason) => Err(reason),
            Self::Asked(lengths) => Ok(*lengths),
        }
    }
}

/// One entry: it matches a pair with one part in each of two sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The sets, by their indices; the same twice stands for the pairs within it.
    pub sides: [usize; 2],
    /// The index of the partition in which both parts must be in one group, if any.
    pub same: Option<usize>,
    /// The decision about the pairs that it matches first.
    pub decision: Decision,
}

/// Rules for the parts of one scene.
#[derive(Clone, Debug, PartialEq)]
pub struct PairRules {
    entries: Vec<Entry>,
    otherwise: Decision,
    /// The groups of all parts, for each partition.
    partitions: Vec<Vec<u32>>,
    /// The class of each part.
    class_of: Vec<u32>,
    /// The entries with the parts of a class on their first side, and then those on their second side, as
    /// bits of so many words each.
    sides: Vec<u64>,
    words: usize,
}

impl PairRules {
    /// Rules from sets of parts and partitions of them: for each part, if it is in a set, and its group.
    /// Pairs without an entry get the decision `otherwise`.
    ///
    /// # Panics
    /// Panics if a set or a partition is not about so many parts, if an entry has an index of neither, or if
    /// there are more than 16 partitions.
    pub fn new(
        parts: usize,
        sets: &[Vec<bool>],
        partitions: Vec<Vec<u32>>,
        entries: Vec<Entry>,
        otherwise: Decision,
    ) -> Self {
        assert!(sets.iter().all(|set| set.len() == parts), "a set is about all parts");
        assert!(partitions.iter().all(|groups| groups.len() == parts), "a partition is about all parts");
        assert!(partitions.len() <= 16, "there are few partitions");
        assert!(entries.iter().all(|entry| entry.same.is_none_or(|which| which < partitions.len())));
        let words = entries.len().div_ceil(64);
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        let (mut row, mut sides) = (vec![0; 2 * words], Vec::new());
        let mut class = |part: usize| {
            set_row(&mut row, sets, &entries, part);
            let next = to_u32(known.len());
            *known.entry_ref(&row[..]).or_insert_with(|| {
                sides.extend_from_slice(&row);
                next
            })
        };
        let class_of = (0..parts).map(&mut class).collect();
        Self { entries, otherwise, partitions, class_of, sides, words }
    }

    /// No entries: every pair of so many parts is checked, with the lengths of the request.
    fn none(parts: usize) -> Self {
        Self::new(parts, &[], Vec::new(), Vec::new(), Decision::Asked(Lengths::default()))
    }

    /// Returns the lengths of a pair, or the reason why it is excluded.
    pub fn asked(&self, a: PartId, b: PartId) -> Result<Lengths, &str> {
        self.entry_of(a, b).map_or(&self.otherwise, |entry| &self.entries[entry].decision).answer()
    }

    /// Returns the index of the first entry that matches a pair.
    pub fn entry_of(&self, a: PartId, b: PartId) -> Option<usize> {
        let classes = [a, b].map(|part| self.class_of[part.index()]);
        self.entries_of(classes).find(|&entry| {
            self.entries[entry].same.is_none_or(|which| {
                let [of_a, of_b] = [a, b].map(|part| self.partitions[which][part.index()]);
                of_a == of_b && of_a != ALONE
            })
        })
    }

    /// Returns the entries whose sides match two classes, in order.
    fn entries_of(&self, classes: [u32; 2]) -> impl Iterator<Item = usize> + '_ {
        let matched = self.matched(classes);
        (0..self.words).flat_map(move |word| bits(matched(word)).map(move |bit| 64 * word + bit))
    }

    /// Returns the first entry, of some given as bits of words, whose sides match two classes.
    fn first_of(&self, entries: &[u64], classes: [u32; 2]) -> Option<usize> {
        let matched = self.matched(classes);
        let mut words = (0..self.words).map(|word| (word, matched(word) & entries[word]));
        words.find(|&(_, bits)| bits != 0).map(|(word, bits)| 64 * word + bits.trailing_zeros() as usize)
    }

    /// Returns the entries whose sides match two classes, by words of bits.
    fn matched(&self, classes: [u32; 2]) -> impl Fn(usize) -> u64 + '_ {
        let [x, y] = classes.map(|class| {
            let from = 2 * self.words * class as usize;
            self.sides[from..from + 2 * self.words].split_at(self.words)
        });
        move |word| (x.0[word] & y.1[word]) | (x.1[word] & y.0[word])
    }

    /// Returns the lengths that a pair can have.
    pub fn lengths(&self) -> impl Iterator<Item = Lengths> + '_ {
        let decisions = self.entries.iter().map(|entry| &entry.decision).chain([&self.otherwise]);
        decisions.filter_map(|decision| decision.answer().ok())
    }

    /// Returns the approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        let of_parts = size_of::<u32>() * self.class_of.len() * (1 + self.partitions.len());
        of_parts + size_of_val(&self.sides[..]) + size_of_val(&self.entries[..])
    }
}

/// Sets the bits of the entries with a part on their first side, and then those with it on their second.
fn set_row(row: &mut [u64], sets: &[Vec<bool>], entries: &[Entry], part: usize) {
    row.fill(0);
    let words = row.len() / 2;
    for (index, entry) in entries.iter().enumerate() {
        for (side, &set) in entry.sides.iter().enumerate() {
            row[side * words + index / 64] |= u64::from(sets[set][part]) << (index % 64);
        }
    }
}

/// Returns the set bits of a word, lowest first.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_entry_that_matches_decides() {
        let sets = [vec![true, true, false, false], vec![false, false, true, true]];
        let asked = |clearance: f64| Decision::Asked(Lengths { clearance: Some(clearance), tolerance: None });
        let entry =
            |sides: [usize; 2], same: Option<usize>, decision: Decision| Entry { sides, same, decision };
        let (first, second) = (entry([0, 1], None, asked(1.0)), entry([1, 0], None, asked(2.0)));
        let alike = entry([0, 0], Some(0), Decision::Excluded("alike".into()));
        let rules = |entries: Vec<Entry>| {
            let groups = vec![7, 7, ALONE, ALONE];
            PairRules::new(4, &sets, vec![groups], entries, Decision::Excluded(NO_RULE.into()))
        };
        fn clearance(rules: &PairRules, a: u32, b: u32) -> Result<Option<f64>, &str> {
            rules.asked(PartId(a), PartId(b)).map(|lengths| lengths.clearance)
        }
        let one = rules(vec![alike.clone(), first.clone(), second.clone()]);
        assert_eq!(clearance(&one, 0, 2), Ok(Some(1.0)));
        assert_eq!(clearance(&one, 3, 1), Ok(Some(1.0)), "either way round");
        assert_eq!(clearance(&one, 0, 1), Err("alike"));
        assert_eq!(clearance(&one, 2, 3), Err(NO_RULE));
        let other = rules(vec![second, first, alike]);
        assert_eq!(clearance(&other, 0, 2), Ok(Some(2.0)), "the order decides");
    }

    #[test]
    fn entries_beyond_the_first_word_are_found_in_order() {
        let in_pair = |pair: usize| (0..100).map(move |part| part == pair || part == pair + 1).collect();
        let sets: Vec<Vec<bool>> = (0..99).map(in_pair).collect();
        let entry = |set: usize| Entry {
            sides: [set; 2],
            same: None,
            decision: Decision::Excluded(format!("{set}").into()),
        };
        let rules = PairRules::new(
            100,
            &sets,
            Vec::new(),
            (0..99).map(entry).collect(),
            Decision::Asked(Lengths::default()),
        );
        for part in 0..99 {
            assert_eq!(rules.entry_of(PartId(part + 1), PartId(part)), Some(part as usize));
            let reason = part.to_string();
            assert_eq!(rules.asked(PartId(part), PartId(part + 1)), Err(&reason[..]));
        }
        assert_eq!(rules.asked(PartId(0), PartId(2)), Ok(Lengths::default()));
    }
}

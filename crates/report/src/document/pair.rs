//! Common fields of the rows of pairs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::PartRow;
use super::word::{self, Word};
use closefit::Containment;
use closefit_geometry::ids::PartId;
use closefit_geometry::parallel;

/// The two parts of a pair, the one with the lower id first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sides {
    /// Their indices in the list of parts.
    pub ids: [u32; 2],
    /// The key of the pair, the same in every run.
    pub key: Arc<str>,
    /// The name of the first.
    pub a: Arc<str>,
    /// The name of the second.
    pub b: Arc<str>,
}

impl Sides {
    pub(super) fn new(parts: &[PartRow], ids: [PartId; 2]) -> Self {
        let [a, b] = ids.map(|id| &parts[id.index()]);
        Self { ids: ids.map(|id| id.0), key: pair_key(&a.key, &b.key), a: a.name.clone(), b: b.name.clone() }
    }

    /// Returns the two rows in the list of parts.
    pub fn parts<'p>(&self, parts: &'p [PartRow]) -> [&'p PartRow; 2] {
        self.ids.map(|id| &parts[id as usize])
    }
}

/// The number of records whose rows are made together.
const TOGETHER: usize = 4096;

/// Returns the row of each record. Few are made at a time, and the memory of their records is given back: all
/// records and all rows at once would take half as much memory again.
pub(super) fn rows<R: Send, P: Send>(mut records: Vec<R>, row: impl Fn(R) -> P + Sync) -> Vec<P> {
    let mut rows = Vec::with_capacity(records.len());
    records.reverse(); // A list shrinks at its end.
    while !records.is_empty() {
        let some = records.split_off(records.len().saturating_sub(TOGETHER));
        records.shrink_to_fit();
        let made = parallel::map_owned(some, parallel::SMALL, |_, record| row(record));
        rows.extend(made.into_iter().rev());
    }
    rows
}

/// The containment of one part in another, or the reason why it cannot be decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ContainedRow {
    /// The containment is certain.
    Known(#[serde(with = "word")] Inside),
    /// The containment cannot be decided.
    Unknown {
        /// The reason.
        undecidable: String,
    },
}

/// The part that lies inside the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// The first part, in the second.
    AInB,
    /// The second part, in the first.
    BInA,
}

impl Word for Inside {
    const WORDS: &[(Self, &str)] = &[(Self::AInB, "a in b"), (Self::BInA, "b in a")];
}

impl ContainedRow {
    pub(crate) fn of(contained: Containment) -> Option<Self> {
        match contained {
            Containment::None => None,
            Containment::AInB => Some(Self::Known(Inside::AInB)),
            Containment::BInA => Some(Self::Known(Inside::BInA)),
            Containment::Undecidable(undecidable) => Some(Self::Unknown { undecidable }),
        }
    }
}

/// Returns the key of a pair: the first 20 hexadecimal digits of blake3 over `pair/1`, the id of a rule (none
/// so far), and the keys of both parts, the lower first, with a NUL between each.
pub fn pair_key(a: &str, b: &str) -> Arc<str> {
    let (lower, higher) = if a <= b { (a, b) } else { (b, a) };
    let hash = blake3::hash(["pair/1", "", lower, higher].join("\0").as_bytes());
    hash.to_hex()[..20].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_records() {
        for count in [0, 1, TOGETHER, 2 * TOGETHER + 1] {
            assert!(rows((0..count).collect(), |record| record + 1).into_iter().eq(1..=count), "{count}");
        }
    }

    #[test]
    fn the_key_of_a_pair_does_not_depend_on_its_order() {
        let expected = &blake3::hash(b"pair/1\0\0a\0b").to_hex()[..20];
        assert_eq!((&pair_key("a", "b")[..], &pair_key("b", "a")[..]), (expected, expected));
        assert_ne!(pair_key("a", "c"), pair_key("a", "b"));
    }
}

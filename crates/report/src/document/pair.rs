//! Common fields of the rows of pairs.

use std::fmt::{self, Debug, Display};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
    pub key: PairKey,
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

/// The number of digits of a pair's key.
const DIGITS: usize = 20;

/// The key of a pair, which is the same in every run: 20 hexadecimal digits. A crowd has millions of them, so
/// they are no texts of their own on the heap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairKey([u8; DIGITS]);

impl PairKey {
    /// Returns the key with this text, if it has as many digits as a key.
    pub fn of(text: &str) -> Option<Self> {
        let digits: [u8; DIGITS] = text.as_bytes().try_into().ok()?;
        digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')).then_some(Self(digits))
    }

    /// Returns the number that the digits are, of 80 bits.
    pub(crate) fn number(&self) -> u128 {
        let [first, second] = [0, 8].map(|from| of_eight(|at| self.0[from + at]));
        let last = of_eight(|at| if at < 4 { b'0' } else { self.0[12 + at] });
        u128::from(first) << 48 | u128::from(second << 16 | last)
    }
}

/// Returns the number that eight digits are, all at once: a letter counts 9 more than its last four bits.
fn of_eight(digit: impl Fn(usize) -> u8) -> u64 {
    let digits = u64::from_be_bytes(std::array::from_fn(digit));
    let values = (digits & 0x0f0f_0f0f_0f0f_0f0f) + 9 * (digits >> 6 & 0x0101_0101_0101_0101);
    let bytes = (values | values >> 4) & 0x00ff_00ff_00ff_00ff;
    let pairs = (bytes | bytes >> 8) & 0x0000_ffff_0000_ffff;
    (pairs | pairs >> 16) & 0xffff_ffff
}

impl Deref for PairKey {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(&self.0).expect("digits are UTF-8")
    }
}

impl Display for PairKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl Debug for PairKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&**self, f)
    }
}

impl Serialize for PairKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for PairKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let why = || format!("'{text}' is not the key of a pair, which has {DIGITS} hexadecimal digits");
        Self::of(&text).ok_or_else(|| serde::de::Error::custom(why()))
    }
}

/// Returns the key of a pair: the first 20 hexadecimal digits of blake3 over `pair/1`, the id of a rule (none
/// so far), and the keys of both parts, the lower first, with a NUL between each.
pub fn pair_key(a: &str, b: &str) -> PairKey {
    let (lower, higher) = if a <= b { (a, b) } else { (b, a) };
    let hash = blake3::hash(["pair/1", "", lower, higher].join("\0").as_bytes()).to_hex();
    PairKey(std::array::from_fn(|at| hash.as_bytes()[at]))
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
    fn a_key_is_twenty_hexadecimal_digits() {
        let digits = "0123456789abcdef0123";
        let key = PairKey::of(digits).unwrap();
        assert_eq!(
            (&key[..], key.to_string(), format!("{key:?}")),
            (digits, digits.into(), format!("{digits:?}"))
        );
        assert_eq!(serde_json::to_string(&key).unwrap(), format!("{digits:?}"));
        assert_eq!(serde_json::from_str::<PairKey>(&format!("{digits:?}")).unwrap(), key);
        for wrong in ["", "0123456789abcdef012", "0123456789ABCDEF0123", "0123456789abcdef01 3"] {
            assert_eq!(PairKey::of(wrong), None);
            let error = serde_json::from_str::<PairKey>(&format!("{wrong:?}")).unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{wrong}' is not the key of a pair")), "{error}");
        }
    }

    #[test]
    fn the_number_of_a_key_is_what_its_digits_are() {
        for digits in ["0123456789abcdef0123", "fedcba98765432100f9a", "00000000000000000000"] {
            let number = PairKey::of(digits).unwrap().number();
            assert_eq!(number, u128::from_str_radix(digits, 16).unwrap());
        }
    }

    #[test]
    fn the_key_of_a_pair_does_not_depend_on_its_order() {
        let long = ["a".repeat(100), "b".repeat(2000)];
        for (a, b, expected) in [
            ("a", "b", "c043f9824f075d4f6061"),
            ("", "", "1b6a153dca53c071912d"),
            (&long[0], &long[1], "e2a8f338cd15797e5ea2"),
        ] {
            assert_eq!((&pair_key(a, b)[..], &pair_key(b, a)[..]), (expected, expected));
        }
        assert_ne!(pair_key("a", "c"), pair_key("a", "b"));
    }
}

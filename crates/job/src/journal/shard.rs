//! Shards: the shares of a run that machines take.
//!
//! The candidate pairs of a run, in the order of their ids, or its rows, are cut into chunks of equal counts:
//! neighbours in the order of ids have parts in common, so a shard builds few trees. Chunks are dealt to the
//! shards in turn.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Number of chunks of a shard: enough to even out what items cost, and few enough to build few trees.
const CHUNKS: u64 = 8;

/// Largest number of shards.
const MOST: u32 = 1_000_000;

/// The things that a run decides one by one, and that shards share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Items {
    /// The pairs of parts that are near, in the order of ids.
    #[serde(rename = "near pairs")]
    NearPairs,
    /// The rows of a table or a list, each with a line of its own.
    #[serde(rename = "rows")]
    Rows,
}

impl fmt::Display for Items {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NearPairs => "candidate pairs",
            Self::Rows => "rows",
        })
    }
}

/// One of the equal shares of a run's items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "(u32, u32)", try_from = "(u32, u32)")]
pub struct Shard {
    /// Its number, from 1.
    number: u32,
    /// The number of shards.
    of: u32,
}

impl Shard {
    /// Creates one of a number of shards, counted from 1.
    ///
    /// # Errors
    /// A reason in words for a number that is not among them, or too many shards.
    pub fn new(number: u32, of: u32) -> Result<Self, String> {
        match of {
            0 | MOST.. => Err(format!("{of}: a number of shards is from 1 to {}", MOST - 1)),
            _ if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err(format!("{number}/{of}: shards count from 1 to {of}")),
        }
    }

    /// Returns its number, from 1.
    pub fn number(self) -> u32 {
        self.number
    }

    /// Returns the number of shards.
    pub fn of(self) -> u32 {
        self.of
    }

    /// Returns the number of chunks into which so many items are cut.
    pub fn chunks(self, count: u64) -> u64 {
        count.min(CHUNKS * u64::from(self.of))
    }

    /// True if it has the item at a place, of so many.
    pub fn has(self, at: u64, count: u64) -> bool {
        let chunk = u128::from(at) * u128::from(self.chunks(count)) / u128::from(count);
        chunk % u128::from(self.of) == u128::from(self.number - 1)
    }

    /// Returns the places of its items, chunk by chunk.
    pub fn places(self, count: u64) -> impl Iterator<Item = Range<u64>> {
        let chunks = self.chunks(count);
        let start = move |chunk: u64| {
            let start = (u128::from(chunk) * u128::from(count)).div_ceil(u128::from(chunks));
            u64::try_from(start).unwrap_or(u64::MAX)
        };
        let own = (u64::from(self.number - 1)..chunks).step_by(self.of as usize);
        own.map(move |chunk| start(chunk)..start(chunk + 1))
    }

    /// Returns the number of its items before a place.
    pub fn before(self, at: u64, count: u64) -> u64 {
        self.places(count).map(|chunk| chunk.end.min(at) - chunk.start.min(at)).sum()
    }

    /// Returns the number of its items.
    pub fn items(self, count: u64) -> u64 {
        self.before(count, count)
    }
}

impl From<Shard> for (u32, u32) {
    fn from(Shard { number, of }: Shard) -> Self {
        (number, of)
    }
}

impl TryFrom<(u32, u32)> for Shard {
    type Error = String;

    fn try_from((number, of): (u32, u32)) -> Result<Self, String> {
        Self::new(number, of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    /// Parses a text such as `3/64`.
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let (number, of) = numbers.ok_or_else(|| format!("'{text}': a shard is I/N, such as 3/64"))?;
        Self::new(number, of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair is in one shard, shards are alike, and their pairs lie together.
    #[test]
    fn shards_share_the_pairs() {
        for of in [1, 2, 7, 64] {
            for near in [0, 1, 2, 6, 7, 8, 55, 56, 57, 511, 512, 1119, 4096] {
                let mut seen = vec![0; near as usize];
                let mut sizes = Vec::new();
                for number in 1..=of {
                    let shard = Shard::new(number, of).unwrap();
                    let own: Vec<u64> = (0..near).filter(|&at| shard.has(at, near)).collect();
                    own.iter().for_each(|&at| seen[at as usize] += 1);
                    assert_eq!(shard.items(near), own.len() as u64, "{shard} of {near}");
                    for at in 0..=near {
                        let before = own.iter().filter(|&&own| own < at).count() as u64;
                        assert_eq!(shard.before(at, near), before, "{shard} of {near} before {at}");
                    }
                    let runs = own.windows(2).filter(|two| two[0] + 1 != two[1]).count();
                    assert!(runs < CHUNKS as usize, "{shard} of {near}");
                    sizes.push(own.len() as u64);
                }
                assert!(seen.iter().all(|&times| times == 1));
                let [least, most] = [sizes.iter().min(), sizes.iter().max()].map(|size| *size.unwrap());
                assert!(most - least <= CHUNKS, "{near} of {of}: {sizes:?}");
            }
        }
    }

    #[test]
    fn a_shard_is_one_of_several() {
        assert_eq!("3/64".parse(), Ok(Shard { number: 3, of: 64 }));
        assert_eq!(Shard { number: 3, of: 64 }.to_string(), "3/64");
        for wrong in ["", "3", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "1/1000000", "a/b"] {
            wrong.parse::<Shard>().unwrap_err();
        }
    }
}

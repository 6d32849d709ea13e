//! The choices of an export.

use closefit_report::diff::Review;
use jiff::Timestamp;

/// The choices of an export.
#[derive(Clone, Debug)]
pub struct Options {
    /// The version of the format.
    pub version: Version,
    /// The subject of a topic.
    pub per: Per,
    /// The largest number of topics. All further issues share one more topic, which says how many they are.
    pub limit: usize,
    /// The author of topics and comments: many programs want an e-mail address.
    pub author: String,
    /// The date of topics and comments.
    pub date: Timestamp,
    /// The statuses that people have given: what is approved or resolved is closed.
    pub review: Review,
    /// The origin of the scene in the coordinates of the building, in metres with z up.
    pub origin: [f64; 3],
}

impl Options {
    /// The number of topics where nobody sets another.
    pub const LIMIT: usize = 1000;
    /// The author where nobody is named.
    pub const AUTHOR: &str = "closefit@localhost";

    /// Returns the choices that nobody has changed, with a date.
    pub fn at(date: Timestamp) -> Self {
        Self {
            version: Version::default(),
            per: Per::default(),
            limit: Self::LIMIT,
            author: Self::AUTHOR.to_owned(),
            date,
            review: Review::default(),
            origin: [0.0; 3],
        }
    }
}

/// A version of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// BCF 2.1, which most programs read.
    #[default]
    V2_1,
    /// BCF 3.0.
    V3_0,
}

/// The subject of a topic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// A group of pairs; a pair, in a report without groups.
    #[default]
    Group,
    /// A pair.
    Pair,
}

/// The scene has no unit, so its lengths are not known in metres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("BCF is in metres, and the scene has no unit: add --unit mm|cm|m|in|ft to say what its files are in")]
pub struct NoUnit;

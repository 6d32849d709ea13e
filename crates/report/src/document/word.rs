//! Values written in a document as one of a few fixed words.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

use closefit::{DepthDetail, FeaturePair, Verdict};

/// A type with a word for each of its values.
pub trait Word: Copy + PartialEq + 'static {
    /// Every value with its word.
    const WORDS: &[(Self, &str)];

    /// Returns the word of a value.
    ///
    /// # Panics
    /// Never panics: every value has a word.
    fn word(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(value, _)| *value == self);
        found.expect("every value has a word").1
    }

    /// Returns the value with this word.
    fn of_word(text: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, word)| *word == text).map(|(value, _)| *value)
    }
}

impl Word for Verdict {
    const WORDS: &[(Self, &str)] = &[
        (Self::Clash, "clash"),
        (Self::Meets, "meets"),
        (Self::Undecided, "undecided"),
        (Self::Contact, "contact"),
        (Self::Clearance, "clearance"),
        (Self::Clear, "clear"),
    ];
}

impl Word for DepthDetail {
    const WORDS: &[(Self, &str)] = &[(Self::Full, "full"), (Self::Verdict, "verdict"), (Self::None, "none")];
}

impl Word for FeaturePair {
    const WORDS: &[(Self, &str)] = &[
        (Self::EdgeEdge, Self::EdgeEdge.name()),
        (Self::VertexFace, Self::VertexFace.name()),
        (Self::FaceVertex, Self::FaceVertex.name()),
    ];
}

/// Values that may be missing.
pub(crate) mod optional {
    use serde::{Deserializer, Serializer};

    use super::Word;

    /// Writes a value as its word, or null.
    pub fn serialize<T: Word, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => super::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// Reads a word.
    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        super::deserialize(deserializer).map(Some)
    }
}

/// Writes a value as its word.
pub(crate) fn serialize<T: Word, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.word())
}

/// Reads a word.
pub(crate) fn deserialize<'de, T: Word, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    let words = || T::WORDS.iter().map(|(_, word)| *word).collect::<Vec<_>>().join(", ");
    T::of_word(&text).ok_or_else(|| D::Error::custom(format!("'{text}' is none of {}", words())))
}

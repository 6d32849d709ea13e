//! Parts of rows that few rows have.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A type with a value that most rows have.
pub trait Usual: Default + PartialEq + 'static {
    /// The value, which is the default.
    const USUAL: &'static Self;
}

/// A value that is the usual one in most rows: it takes a word there, since a crowd has millions of rows.
#[derive(Clone, Debug)]
pub struct Rarely<T>(Option<Box<T>>);

impl<T> Default for Rarely<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Usual> From<T> for Rarely<T> {
    fn from(value: T) -> Self {
        Self((value != *T::USUAL).then(|| Box::new(value)))
    }
}

impl<T: Usual> Deref for Rarely<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::USUAL)
    }
}

impl<T: Usual> DerefMut for Rarely<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T: Usual> PartialEq for Rarely<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Usual + Serialize> Serialize for Rarely<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, T: Usual + Deserialize<'de>> Deserialize<'de> for Rarely<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Status, StatusOfPair};

    #[test]
    fn the_usual_value_takes_a_word() {
        assert_eq!(size_of::<Rarely<StatusOfPair>>(), size_of::<usize>());
        let read = |json: &str| serde_json::from_str::<Rarely<StatusOfPair>>(json).unwrap();
        let usual = read("{}");
        assert!(usual.0.is_none() && usual.status.is_none());
        assert_eq!(serde_json::to_string(&usual).unwrap(), "{}");
        let json = r#"{"status":"waiver stale","status_cause":"deeper"}"#;
        let rare = read(json);
        assert_eq!((rare.status, rare.status_cause.as_deref()), (Some(Status::Stale), Some("deeper")));
        assert_eq!(serde_json::to_string(&rare).unwrap(), json);
        let mut changed = usual.clone();
        *changed = StatusOfPair::stale("deeper");
        assert!(changed == rare && changed != usual);
        *changed = StatusOfPair::default();
        assert_eq!(changed, usual);
    }
}

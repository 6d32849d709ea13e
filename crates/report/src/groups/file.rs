//! The user's own groups: a JSON object of names, each with the keys of its pairs.

use std::collections::{HashMap, HashSet};

use crate::document::{Finding, Report};
use crate::entries::Entries;
use closefit_geometry::text::printable;

/// Groups by name.
#[derive(Clone, Debug, Default)]
pub struct NamedGroups {
    /// The name of the group of each pair, by the pair's key.
    names: HashMap<String, String>,
}

/// The reason why groups cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NamedGroupsError {
    /// The file is not a JSON object of lists of texts.
    #[error("{}", printable(&.0.to_string()))]
    Json(#[from] serde_json::Error),
    /// Two groups have one name.
    #[error("two groups are called '{}'", printable(.0))]
    SameName(String),
    /// A text in a group is not a pair's key.
    #[error("group '{}': '{}' is not the key of a pair, which has 20 hexadecimal digits", printable(.name), printable(.key))]
    NotAKey {
        /// The name of the group.
        name: String,
        /// The text.
        key: String,
    },
    /// A pair is in two groups, or in one twice.
    #[error("group '{}': the pair {key} is in group '{}' already", printable(.name), printable(.other))]
    TwoGroups {
        /// The name of the later group.
        name: String,
        /// The key of the pair.
        key: String,
        /// The name of the first group.
        other: String,
    },
}

impl NamedGroups {
    /// Reads groups from JSON such as `{"staircase": ["8be9bc86b7d73450ab75"]}`.
    ///
    /// # Errors
    /// [`NamedGroupsError`].
    pub fn read(json: &[u8]) -> Result<Self, NamedGroupsError> {
        let Entries::<Vec<String>>(groups) = serde_json::from_slice(json)?;
        let mut names: HashMap<String, String> = HashMap::new();
        let mut seen = HashSet::new();
        for (name, keys) in &groups {
            if !seen.insert(name) {
                return Err(NamedGroupsError::SameName(name.clone()));
            }
            for key in keys {
                if key.len() != 20 || !key.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
                    return Err(NamedGroupsError::NotAKey { name: name.clone(), key: key.clone() });
                }
                if let Some(other) = names.insert(key.clone(), name.clone()) {
                    return Err(NamedGroupsError::TwoGroups { name: name.clone(), key: key.clone(), other });
                }
            }
        }
        Ok(Self { names })
    }

    /// Returns the name of the group of a pair.
    pub(super) fn of_pair(&self, key: &str) -> Option<&str> {
        self.names.get(key).map(String::as_str)
    }

    /// Returns the number of keys that no pair of a report has: parts go, and findings are resolved.
    pub fn unused<S, P: Finding>(&self, report: &Report<S, P>) -> usize {
        let used = report.pairs.iter().filter(|pair| self.of_pair(&pair.sides().key).is_some()).count();
        self.names.len() - used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        let (p, q) = ("0123456789abcdef0123", "ffffffffffffffffffff");
        let read = |json: String| NamedGroups::read(json.as_bytes()).map_err(|error| error.to_string());
        let named = read(format!(r#"{{"x": ["{p}"], "y": ["{q}"], "z": []}}"#)).unwrap();
        assert_eq!((named.of_pair(p), named.of_pair(q), named.of_pair("")), (Some("x"), Some("y"), None));
        for (json, expected) in [
            (format!(r#"{{"x": [], "x": ["{q}"]}}"#), "two groups are called 'x'".to_owned()),
            (
                format!(r#"{{"x": ["{p}"], "y": ["{p}"]}}"#),
                format!("group 'y': the pair {p} is in group 'x' already"),
            ),
            (r#"{"x": ["7"]}"#.to_owned(), "group 'x': '7' is not the key of a pair".to_owned()),
            ("[]".to_owned(), "invalid type: sequence, expected an object".to_owned()),
        ] {
            let error = read(json).unwrap_err();
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}

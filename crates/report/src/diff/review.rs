//! `review.json`: what people have said about findings.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use crate::document::refused_json;
use crate::document::word::{self, Word};
use crate::document::{Finding, Report};
use crate::entries::Entries;
use closefit_geometry::text::printable;

/// The status and the comment that a person has given a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct ReviewRow {
    /// Its status.
    #[serde(with = "word")]
    pub status: ReviewStatus,
    /// A comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The status that a person gives a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewStatus {
    /// Something is to be done about it.
    Open,
    /// It may stay as it is.
    Approved,
    /// Something has been done about it, so it should not be found again.
    Resolved,
}

impl Word for ReviewStatus {
    const WORDS: &[(Self, &str)] =
        &[(Self::Open, "open"), (Self::Approved, "approved"), (Self::Resolved, "resolved")];
}

/// The reason why a review cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError {
    /// It is not JSON, or not a review.
    #[error("{}", refused_json(.0))]
    Json(#[from] serde_json::Error),
    /// It has another version of the format.
    #[error("the review has format {found}; this version reads format 1")]
    Format {
        /// The version of its format.
        found: u32,
    },
    /// A key has two statuses.
    #[error("statuses: the key '{}' is there twice", printable(.0))]
    Twice(String),
}

/// The statuses that people have given, by the key of a pair or of a group. It is written as it is read, with
/// its keys in order.
#[derive(Clone, Debug, Default)]
pub struct Review {
    statuses: BTreeMap<String, ReviewRow>,
}

impl Serialize for Review {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut file = serializer.serialize_struct("Review", 2)?;
        file.serialize_field("closefit-review", &1)?;
        file.serialize_field("statuses", &self.statuses)?;
        file.end()
    }
}

impl Review {
    /// Reads JSON such as `{"closefit-review": 1, "statuses": {"KEY": {"status": "approved"}}}`.
    ///
    /// # Errors
    /// [`ReviewError`].
    pub fn read(json: &[u8]) -> Result<Self, ReviewError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, expecting = "an object")]
        struct File {
            #[serde(rename = "closefit-review")]
            format: u32,
            statuses: Entries<ReviewRow>,
        }
        let File { format, statuses: Entries(entries) } = serde_json::from_slice(json)?;
        if format != 1 {
            return Err(ReviewError::Format { found: format });
        }
        let mut statuses = BTreeMap::new();
        for (key, row) in entries {
            if statuses.insert(key.clone(), row).is_some() {
                return Err(ReviewError::Twice(key));
            }
        }
        Ok(Self { statuses })
    }

    /// True if nothing was said.
    pub fn is_empty(&self) -> bool {
        self.statuses.is_empty()
    }

    /// Returns what was said about a pair: by the first of its keys that the review has.
    pub(super) fn of<'k>(&self, keys: impl IntoIterator<Item = &'k str>) -> Option<&ReviewRow> {
        keys.into_iter().find_map(|key| self.statuses.get(key))
    }

    /// Returns what was said about the pairs of a report, by their keys: about the pair, or else about its
    /// group.
    pub fn of_pairs<'r, S, P: Finding>(
        &'r self,
        report: &'r Report<S, P>,
    ) -> HashMap<&'r str, &'r ReviewRow> {
        let mut said = HashMap::new();
        for group in &report.groups {
            let row = self.statuses.get(&group.key);
            said.extend(row.iter().flat_map(|&row| group.pairs.iter().map(move |key| (&key[..], row))));
        }
        let keys = report.pairs.iter().map(|pair| &pair.sides().key[..]);
        said.extend(keys.filter_map(|key| Some((key, self.statuses.get(key)?))));
        said
    }

    /// Returns the number of keys that belong to no pair and no group of these reports.
    pub fn unused<S, P: Finding>(&self, reports: &[&Report<S, P>]) -> usize {
        if self.is_empty() {
            return 0;
        }
        let pairs = reports.iter().flat_map(|report| &report.pairs).map(|pair| &*pair.sides().key);
        let groups = reports.iter().flat_map(|report| &report.groups).map(|group| &group.key[..]);
        let known: HashSet<&str> = pairs.chain(groups).collect();
        self.statuses.keys().filter(|key| !known.contains(&key[..])).count()
    }
}

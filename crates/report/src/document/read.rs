//! Reading a document back. What it says of itself is not trusted: a document that was damaged or edited is
//! refused before anything looks up a part that it does not have.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Command, Document, Finding, Format, LedgerRow, PartRow, Report, pair_key, word};
use crate::certificate::Certificate;
use closefit_geometry::text::printable;

/// The reason why a document cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// It has another version of the format.
    #[error("it has format {found}; this version reads format {}", Format::NUMBER)]
    Format {
        /// The version of its format.
        found: u32,
    },
    /// It is another JSON file than a certificate.
    #[error("it is not a certificate: it has no 'closefit_certificate'")]
    NoCertificate,
    /// It is a certificate with another version of its format.
    #[error("it is a certificate of format {found}; this version reads format {}", Certificate::FORMAT)]
    Certificate {
        /// The version of its format.
        found: u32,
    },
    /// Its parts have a single digest of mesh and pose, as they had before the first release.
    #[error("parts[{part}] has 'digest' and not 'mesh_digest' and 'pose_digest': make the report again")]
    OneDigest {
        /// The first such part.
        part: usize,
    },
    /// It is not JSON, or does not follow the schema.
    #[error("{}", refused_json(.0))]
    Json(#[from] serde_json::Error),
    /// It contradicts itself.
    #[error("{place}: {}", printable(.why))]
    Inconsistent {
        /// The part or pair, such as `pairs[3]`.
        place: String,
        /// The contradiction.
        why: String,
    },
}

/// Returns what is wrong with a document: its keys, or that it is another kind of file.
pub(crate) fn refused_json(error: &serde_json::Error) -> String {
    let not_json = if error.is_data() { "" } else { "it is not JSON: " };
    format!("{not_json}{}", printable(&error.to_string()))
}

impl Document {
    /// Reads the JSON of any command's document.
    ///
    /// # Errors
    /// [`DocumentError`].
    pub fn read(json: &[u8]) -> Result<Self, DocumentError> {
        #[derive(Deserialize)]
        #[serde(expecting = "an object")]
        struct Head {
            closefit: u32,
            #[serde(with = "word")]
            command: Command,
            #[serde(default)]
            parts: Vec<PartHead>,
        }
        #[derive(Deserialize)]
        struct PartHead {
            #[serde(default)]
            digest: Option<IgnoredAny>,
        }
        let head: Head = serde_json::from_slice(json)?;
        Format::try_from(head.closefit)?;
        if let Some(part) = head.parts.iter().position(|part| part.digest.is_some()) {
            return Err(DocumentError::OneDigest { part });
        }
        Ok(match head.command {
            Command::Check => Self::Check(consistent(serde_json::from_slice(json)?)?),
            Command::Sweep => Self::Sweep(consistent(serde_json::from_slice(json)?)?),
            Command::Inspect => Self::Inspect(serde_json::from_slice(json)?),
        })
    }
}

/// Returns a report if the ids and keys of its parts and pairs are what they must be, and its summary of
/// pairs adds up.
fn consistent<S, P: Finding>(report: Report<S, P>) -> Result<Report<S, P>, DocumentError> {
    check_parts(&report.parts)?;
    check_ledger(&report.ledger, report.pairs.len())?;
    check_rules(&report)?;
    let mut before = None;
    for (index, pair) in report.pairs.iter().enumerate() {
        let wrong = |why: String| DocumentError::Inconsistent { place: format!("pairs[{index}]"), why };
        let sides = pair.sides();
        let [a, b] = sides.ids;
        if a >= b || b as usize >= report.parts.len() {
            return Err(wrong(format!("the ids {a}, {b} are not two parts, the lower first")));
        }
        if before.replace(sides.ids) >= Some(sides.ids) {
            return Err(wrong(format!("the ids {a}, {b} are not in order")));
        }
        let [a, b] = sides.parts(&report.parts).map(|part| &part.key);
        if sides.key != pair_key(a, b) {
            return Err(wrong(format!("the key '{}' is not the key of '{a}' and '{b}'", sides.key)));
        }
    }
    Ok(report)
}

fn check_parts(parts: &[PartRow]) -> Result<(), DocumentError> {
    let mut keys = HashSet::new();
    for (index, part) in parts.iter().enumerate() {
        let wrong = |why: String| DocumentError::Inconsistent { place: format!("parts[{index}]"), why };
        if part.id != index {
            return Err(wrong(format!("the id is {}", part.id)));
        }
        if !keys.insert(&part.key) {
            return Err(wrong(format!("another part has the key '{}'", part.key)));
        }
    }
    Ok(())
}

fn check_ledger(ledger: &LedgerRow, listed: usize) -> Result<(), DocumentError> {
    let near = ledger.decided.checked_add(ledger.undecided);
    let known = near.and_then(|near| near.checked_add(ledger.apart));
    let all = ledger.excluded.values().try_fold(known, |sum, &n| Some(sum?.checked_add(n)));
    let wrong =
        |why: &str| Err(DocumentError::Inconsistent { place: "ledger".to_owned(), why: why.to_owned() });
    if all.flatten() != Some(ledger.pairs) {
        return wrong("it does not add up");
    }
    if near.is_none_or(|near| near < listed as u64) {
        return wrong("more pairs are listed than were decided");
    }
    Ok(())
}

/// Checks that no rule, and nothing other than the rules, decides fewer pairs than are listed for it.
fn check_rules<S, P: Finding>(report: &Report<S, P>) -> Result<(), DocumentError> {
    let rules = report.rules.as_ref().map_or(&[][..], |rules| &rules.rules);
    let wrong = |place: String, why: &str| Err(DocumentError::Inconsistent { place, why: why.to_owned() });
    let decided = rules.iter().try_fold(0, |sum: u64, rule| sum.checked_add(rule.pairs));
    let Some(mut others) = decided.and_then(|decided| report.ledger.pairs.checked_sub(decided)) else {
        return wrong("rules".to_owned(), "they decide more pairs than there are");
    };
    let mut left: HashMap<&str, u64> = rules.iter().map(|rule| (&*rule.id, rule.pairs)).collect();
    for (index, pair) in report.pairs.iter().enumerate() {
        let left = pair.rule_id().and_then(|id| left.get_mut(id)).unwrap_or(&mut others);
        match left.checked_sub(1) {
            Some(rest) => *left = rest,
            None => return wrong(format!("pairs[{index}]"), "its rule decides fewer pairs than are listed"),
        }
    }
    Ok(())
}

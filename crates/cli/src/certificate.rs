//! The certificate of a run, in its files, notes and outcome.

use crate::outcome::Outcome;
use closefit_report::files::{NewFile, ready};
use closefit_report::{Certificate, json, table};

/// Returns the file of a certificate, if some claim was checked.
pub fn file(certificate: Option<&Certificate>) -> Option<NewFile<'static>> {
    let asked = certificate.filter(|certificate| !certificate.claims.is_empty())?;
    Some(ready("certificate.json", json::document(asked)))
}

/// Returns notes that stand for the lines about claims where no table is shown.
pub fn notes(certificate: Option<&Certificate>) -> Vec<String> {
    let lines = certificate.map_or_else(String::new, table::claims);
    lines.lines().map(|line| format!("claim {line}")).collect()
}

/// Returns the outcome of a run, which fails if a claim does not hold.
pub fn outcome(of_pairs: Outcome, certificate: Option<&Certificate>) -> Outcome {
    if certificate.is_none_or(Certificate::holds) { of_pairs } else { Outcome::Fail }
}

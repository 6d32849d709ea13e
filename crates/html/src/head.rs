//! The head of a page: what was checked, and the counts. It is read before anything is unpacked.

use std::collections::BTreeMap;

use closefit_geometry::scene::{Scene, Up};
use closefit_geometry::units::Unit;
use closefit_report::Certificate;
use closefit_report::document::{LedgerRow, Report, Word};
use closefit_report::triangle_count;
use serde::Serialize;

use crate::row::Row;

/// The head, as the script of the page reads it.
#[derive(Serialize)]
pub struct Head<'r, S> {
    closefit: &'static str,
    command: &'static str,
    title: &'r str,
    unit: Option<Unit>,
    up: Option<Up>,
    parts: usize,
    triangles: u64,
    settings: &'r S,
    ledger: &'r LedgerRow,
    /// The number of pairs of each verdict.
    counts: BTreeMap<&'static str, u64>,
    rules: Vec<RuleHead<'r>>,
    claims: Vec<ClaimHead<'r>>,
    /// Sentences about what the page leaves out.
    left_out: &'r [String],
}

#[derive(Serialize)]
struct RuleHead<'r> {
    id: &'r str,
    pairs: u64,
    clash: u64,
}

#[derive(Serialize)]
struct ClaimHead<'r> {
    id: &'r str,
    state: &'static str,
}

impl<'r, S> Head<'r, S> {
    /// Returns the head of a report.
    pub fn new<P: Row>(
        report: &'r Report<S, P>,
        title: &'r str,
        certificate: Option<&'r Certificate>,
        left_out: &'r [String],
    ) -> Self {
        let rules = report.rules.iter().flat_map(|rules| &rules.rules);
        let claims = certificate.into_iter().flat_map(|certificate| &certificate.claims);
        Self {
            closefit: env!("CARGO_PKG_VERSION"),
            command: report.command.word(),
            title,
            unit: report.scene.unit,
            up: report.scene.up,
            parts: report.parts.len(),
            triangles: report.scene.triangles,
            settings: &report.settings,
            ledger: &report.ledger,
            counts: counts(&report.pairs),
            rules: rules
                .map(|rule| RuleHead { id: &rule.id, pairs: rule.pairs, clash: rule.by_verdict.clash })
                .collect(),
            claims: claims.map(|claim| ClaimHead { id: &claim.id, state: claim.outcome.word() }).collect(),
            left_out,
        }
    }
}

/// The settings of a scene without a report.
#[derive(Serialize)]
pub struct NoSettings {}

/// The numbers of pairs before any is decided.
static NO_PAIRS: LedgerRow =
    LedgerRow { pairs: 0, excluded: BTreeMap::new(), excluded_by: None, apart: 0, decided: 0, undecided: 0 };

impl<'r> Head<'r, NoSettings> {
    /// Returns the head of a scene without a report.
    pub fn of_model(scene: &Scene, title: &'r str) -> Self {
        Self {
            closefit: env!("CARGO_PKG_VERSION"),
            command: "model",
            title,
            unit: scene.unit,
            up: scene.up,
            parts: scene.parts.len(),
            triangles: triangle_count(scene),
            settings: &NoSettings {},
            ledger: &NO_PAIRS,
            counts: BTreeMap::new(),
            rules: Vec::new(),
            claims: Vec::new(),
            left_out: &[],
        }
    }
}

/// The number of models that a title names.
const NAMED: usize = 3;

/// The names of files that say nothing about what is in them.
const COMMON: [&str; 2] = ["scene", "model"];

/// Returns the title of a page: the models of some parts, in the order of the files. The folder stands for a
/// model whose file has a common name.
pub fn title<'m>(of_parts: impl Iterator<Item = &'m str>, folder: Option<&'m str>) -> String {
    let mut models: Vec<&str> = Vec::new();
    for model in of_parts {
        let model = folder.filter(|_| COMMON.contains(&model)).unwrap_or(model);
        if !models.contains(&model) && models.len() <= NAMED {
            models.push(model);
        }
    }
    match models.len() > NAMED {
        true => format!("{} and others", models[..NAMED].join(" + ")),
        false => models.join(" + "),
    }
}

/// Returns the number of pairs of each verdict; clashes, undecided pairs and contacts also where there are
/// none.
fn counts<P: Row>(pairs: &[P]) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::from([("clash", 0), ("undecided", 0), ("contact", 0)]);
    for pair in pairs {
        *counts.entry(pair.verdict().word()).or_default() += 1;
    }
    counts
}

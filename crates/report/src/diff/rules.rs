//! The rules of two reports, as far as they explain that only one of them lists a pair.

use serde_json::Value;

use super::settings::{Limits, SettingRow};
use crate::document::{Finding, Report};

/// Returns the difference of the rules of two reports, by the digests of their files.
pub(super) fn difference<S, P>(old: &Report<S, P>, new: &Report<S, P>) -> Option<SettingRow> {
    let digest = |report: &Report<S, P>| match &report.rules {
        Some(rules) => Value::String(rules.digest.to_hex().to_string()),
        None => Value::Null,
    };
    let [old, new] = [digest(old), digest(new)];
    (old != new).then(|| SettingRow { name: "rules".to_owned(), old, new })
}

/// Returns the change of rule of a pair that both reports list, in words.
pub(super) fn changed(old: &impl Finding, new: &impl Finding) -> Option<String> {
    let [was, is] = [old.rule_id(), new.rule_id()].map(|rule| rule.unwrap_or("no rule"));
    (was != is).then(|| format!("rule changed {was} -> {is}"))
}

/// Returns clearance and tolerance of a pair of a report: those of its rule or, without one, of the run.
pub(super) fn lengths_of<S: Limits, P: Finding>(report: &Report<S, P>, pair: &P) -> [f64; 2] {
    let rules = report.rules.iter().flat_map(|rules| &rules.rules);
    let own = pair.rule_id().and_then(|id| rules.into_iter().find(|rule| *rule.id == *id));
    own.map_or(report.settings.lengths(), |rule| [rule.clearance, rule.tolerance])
}

/// Returns the least clearance and tolerance with which a report asks any pair, and the largest.
pub(super) fn bounds<S: Limits, P>(report: &Report<S, P>) -> [[f64; 2]; 2] {
    let rules = report.rules.iter().flat_map(|rules| &rules.rules);
    let mut all = rules.map(|rule| [rule.clearance, rule.tolerance]).peekable();
    if all.peek().is_none() {
        return [report.settings.lengths(); 2];
    }
    let none = [[f64::INFINITY; 2], [0.0; 2]];
    all.fold(none, |[least, most], lengths| {
        [[0, 1].map(|i| least[i].min(lengths[i])), [0, 1].map(|i| most[i].max(lengths[i]))]
    })
}

//! The rules of two reports, as far as they explain that only one of them lists a pair.

use std::collections::HashMap;

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

/// The lengths with which a run asks its pairs: clearance and tolerance.
pub(super) struct Lengths<'r> {
    by_rule: HashMap<&'r str, [f64; 2]>,
    of_run: [f64; 2],
    /// The least of any pair.
    pub least: [f64; 2],
    /// The largest of any pair.
    pub most: [f64; 2],
}

impl<'r> Lengths<'r> {
    pub fn of<S: Limits, P>(report: &'r Report<S, P>) -> Self {
        let rules = report.rules.iter().flat_map(|rules| &rules.rules);
        let by_rule: HashMap<&str, [f64; 2]> =
            rules.map(|rule| (&*rule.id, [rule.clearance, rule.tolerance])).collect();
        let of_run = report.settings.lengths();
        // Pairs of zones have no rule, and are checked with the lengths of the run.
        let bound = |choose: fn(f64, f64) -> f64| {
            by_rule.values().fold(of_run, |p, q| [0, 1].map(|i| choose(p[i], q[i])))
        };
        let (least, most) = (bound(f64::min), bound(f64::max));
        Self { by_rule, of_run, least, most }
    }

    /// Returns the lengths of a pair: from its rule or, without one, from the run.
    pub fn of_pair(&self, pair: &impl Finding) -> [f64; 2] {
        let own = pair.rule_id().and_then(|id| self.by_rule.get(id));
        own.copied().unwrap_or(self.of_run)
    }
}

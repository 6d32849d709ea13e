//! The settings of two runs, and what one of them would not have seen.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::document::{CheckSettings, SweepSettings};
use closefit_geometry::units::Unit;

/// A setting that differs between two reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SettingRow {
    /// Its name in the reports.
    pub name: String,
    /// Its value in the old report; `null` if it is not there.
    pub old: Value,
    /// Its value in the new report.
    pub new: Value,
}

impl SettingRow {
    /// Returns the difference for people, with lengths in the unit of the reports.
    pub fn in_words(&self, unit: Option<Unit>) -> String {
        let is_length = matches!(&self.name[..], "clearance" | "tolerance");
        let suffix =
            unit.filter(|_| is_length).map_or_else(String::new, |unit| format!(" {}", unit.suffix()));
        let text = |value: &Value| match value {
            Value::Null => "the default".to_owned(),
            Value::Number(number) => {
                let number = number.as_f64().map_or_else(|| number.to_string(), crate::json::number);
                format!("{number}{suffix}")
            }
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match &self.name[..] {
            // Digests mean nothing to people.
            "rules" => "rules changed".to_owned(),
            name => format!("{name} changed: {}, was {}", text(&self.new), text(&self.old)),
        }
    }
}

/// Returns the settings that differ, but not those about groups, which change no pair.
pub(super) fn differences<S: Serialize>(old: &S, new: &S) -> Vec<SettingRow> {
    let entries = |settings: &S| -> BTreeMap<String, Value> {
        match serde_json::to_value(settings) {
            Ok(Value::Object(entries)) => entries.into_iter().filter(|(name, _)| name != "groups").collect(),
            _ => BTreeMap::new(),
        }
    };
    let (mut old, mut new) = (entries(old), entries(new));
    let names: Vec<String> = old.keys().chain(new.keys()).cloned().collect();
    let mut rows: Vec<SettingRow> = names
        .into_iter()
        .filter_map(|name| {
            let (old, new) = (old.remove(&name), new.remove(&name));
            let [was, is] = [old, new].map(Option::unwrap_or_default);
            (was != is).then_some(SettingRow { name, old: was, new: is })
        })
        .collect();
    rows.sort_by(|p, q| p.name.cmp(&q.name));
    rows
}

/// Settings that bound which pairs are listed.
pub(super) trait Limits: Serialize {
    /// Returns clearance and tolerance.
    fn lengths(&self) -> [f64; 2];

    /// Returns the times between which pairs are looked at, if there are several.
    fn times(&self) -> Option<[f64; 2]> {
        None
    }

    /// Returns the largest distance at which a pair with this clearance and tolerance is listed.
    fn reach([clearance, tolerance]: [f64; 2]) -> f64 {
        clearance.max(tolerance)
    }

    /// True if a run with these settings looks at all times at which one with the others does.
    fn covers_times(&self, others: &Self) -> bool {
        let times = self.times().zip(others.times());
        times.is_none_or(|([from, to], [other_from, other_to])| from <= other_from && to >= other_to)
    }
}

impl Limits for CheckSettings {
    fn lengths(&self) -> [f64; 2] {
        [self.clearance, self.tolerance]
    }
}

impl Limits for SweepSettings {
    fn lengths(&self) -> [f64; 2] {
        [self.clearance, self.tolerance]
    }

    fn times(&self) -> Option<[f64; 2]> {
        Some([self.from, self.to])
    }

    fn covers_times(&self, others: &Self) -> bool {
        self.joint == others.joint && self.from <= others.from && self.to >= others.to
    }

    fn reach([clearance, _]: [f64; 2]) -> f64 {
        clearance
    }
}

//! The times of a sweep, or the values of the joint that stand for them, for people.

use std::collections::BTreeMap;

use super::display::Scale;
use crate::document::{JointKind, JointRow};
use crate::json::number;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;

/// The meaning of a sweep's times, as people read them.
pub(super) struct Parameter {
    factor: f64,
    /// The unit, or nothing where lengths have none.
    unit: String,
}

/// Largest number of stretches that a line names.
const MOST_STRETCHES: usize = 6;

impl Parameter {
    /// Returns seconds or, for a sweep along a joint, degrees or a length of a scene with this unit.
    pub fn of(joint: Option<&JointRow>, unit: Option<Unit>) -> Self {
        Self::of_kind(joint.map(|joint| joint.kind), unit)
    }

    fn of_kind(kind: Option<JointKind>, unit: Option<Unit>) -> Self {
        match kind {
            None => Self { factor: 1.0, unit: "s".to_owned() },
            Some(JointKind::Turning) => Self { factor: 1f64.to_degrees(), unit: "deg".to_owned() },
            Some(JointKind::Sliding) => {
                let scale = Scale::of(unit);
                Self { factor: scale.factor(), unit: scale.suffix().trim_start().to_owned() }
            }
        }
    }

    pub fn shown(&self, time: f64) -> f64 {
        time * self.factor
    }

    pub fn title(&self, what: &str) -> String {
        if self.unit.is_empty() { what.to_owned() } else { format!("{what}, {}", self.unit) }
    }

    /// Returns a value with six significant digits and its unit.
    pub fn text(&self, time: f64) -> String {
        format!("{} {}", seconds(self.shown(time)), self.unit).trim_end().to_owned()
    }

    pub fn stretch(&self, [from, to]: [f64; 2]) -> String {
        format!("{} to {}", seconds(self.shown(from)), self.text(to))
    }

    /// Returns where something is clear.
    pub fn clear(&self, clear: &[[f64; 2]], range: [f64; 2]) -> String {
        match clear {
            [] => "never clear".to_owned(),
            [all] if *all == range => "always clear".to_owned(),
            some => {
                let named: Vec<String> = some.iter().take(MOST_STRETCHES).map(|&s| self.stretch(s)).collect();
                let more = match some.len().saturating_sub(MOST_STRETCHES) {
                    0 => String::new(),
                    more => format!(" and in {more} more stretches"),
                };
                format!("clear from {}{more}", named.join(", from "))
            }
        }
    }
}

/// Returns values of a joint, from the lowest to the highest, or the only one: in degrees, or in millimetres
/// or inches.
pub fn joint_range_in_words(kind: JointKind, [low, high]: [f64; 2], unit: Option<Unit>) -> String {
    let parameter = Parameter::of_kind(Some(kind), unit);
    if low == high { parameter.text(low) } else { parameter.stretch([low, high]) }
}

/// Returns values of joints in words, as flags take them, without those at 0.
pub(super) fn at_joints(joints: &BTreeMap<String, f64>) -> String {
    let moved = joints.iter().filter(|(_, value)| **value != 0.0);
    let moved: Vec<String> =
        moved.map(|(name, value)| format!("{}={}", printable(name), number(*value))).collect();
    if moved.is_empty() { "all joints at 0".to_owned() } else { format!("at {}", moved.join(", ")) }
}

/// Returns a time with six significant digits.
pub fn seconds(x: f64) -> String {
    number(format!("{x:.5e}").parse().unwrap_or(x))
}

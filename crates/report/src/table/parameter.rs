//! The times of a sweep, or the values of the joint that stand for them, for people.

use std::collections::BTreeMap;

use super::display::{Scale, digits_apart, rounded};
use crate::document::{JointKind, JointRow};
use crate::json::number;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;

/// The meaning of a sweep's times, as people read them.
pub(super) struct Parameter {
    factor: f64,
    /// The unit, or nothing where lengths have none.
    unit: String,
    /// The number of significant digits.
    significant: usize,
}

/// The number of significant digits of times and values of joints.
const SIGNIFICANT: usize = 6;

/// Largest number of stretches that a line names.
const MOST_STRETCHES: usize = 6;

impl Parameter {
    /// Returns seconds or, for a sweep along a joint, degrees or a length of a scene with this unit.
    pub fn of(joint: Option<&JointRow>, unit: Option<Unit>) -> Self {
        Self::of_kind(joint.map(|joint| joint.kind), unit)
    }

    fn of_kind(kind: Option<JointKind>, unit: Option<Unit>) -> Self {
        match kind {
            None => Self { factor: 1.0, unit: "s".to_owned(), significant: SIGNIFICANT },
            Some(JointKind::Turning) => {
                Self { factor: 1f64.to_degrees(), unit: "deg".to_owned(), significant: SIGNIFICANT }
            }
            Some(JointKind::Sliding) => {
                let scale = Scale::of(unit);
                let unit = scale.suffix().trim_start().to_owned();
                Self { factor: scale.factor(), unit, significant: SIGNIFICANT }
            }
        }
    }

    /// Returns the same with as many digits more as show that two values are not equal.
    fn telling_apart(self, values: [f64; 2]) -> Self {
        let significant = digits_apart(self.significant, values.map(|value| self.shown(value)));
        Self { significant, ..self }
    }

    pub fn shown(&self, time: f64) -> f64 {
        time * self.factor
    }

    pub fn title(&self, what: &str) -> String {
        if self.unit.is_empty() { what.to_owned() } else { format!("{what}, {}", self.unit) }
    }

    /// Returns a value with six significant digits and its unit.
    pub fn text(&self, time: f64) -> String {
        format!("{} {}", self.bare(time), self.unit).trim_end().to_owned()
    }

    pub fn stretch(&self, [from, to]: [f64; 2]) -> String {
        format!("{} to {}", self.bare(from), self.text(to))
    }

    fn bare(&self, time: f64) -> String {
        rounded(self.shown(time), self.significant)
    }

    /// Returns values from the lowest to the highest, or the only one.
    fn range(&self, [low, high]: [f64; 2]) -> String {
        if low == high { self.text(low) } else { self.stretch([low, high]) }
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
pub(super) fn joint_range_in_words(kind: JointKind, range: [f64; 2], unit: Option<Unit>) -> String {
    Parameter::of_kind(Some(kind), unit).range(range)
}

/// Returns values of a joint and its limits in such words, with as many digits as show which differ.
pub fn beyond_limits_in_words(
    kind: JointKind,
    [values, limits]: [[f64; 2]; 2],
    unit: Option<Unit>,
) -> [String; 2] {
    let ends = (0..2).map(|end| [values[end], limits[end]]);
    let parameter = ends.fold(Parameter::of_kind(Some(kind), unit), Parameter::telling_apart);
    [values, limits].map(|range| parameter.range(range))
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
    rounded(x, SIGNIFICANT)
}

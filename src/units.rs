//! Lengths and their units: a bare number is in scene units, a suffix converts with one rounding.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The units that a scene may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Millimetres.
    Mm,
    /// Centimetres.
    Cm,
    /// Metres.
    M,
    /// Inches, 25.4 mm.
    In,
    /// Feet, 304.8 mm.
    Ft,
}

/// A length as a user types it: `5`, `5mm`, `0.25in`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// The number before the suffix.
    pub value: f64,
    /// The suffix; `None` means scene units.
    pub unit: Option<Unit>,
}

/// Why a length or unit was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UnitError {
    /// Not one of mm, cm, m, in, ft.
    #[error("unknown unit '{0}': use mm, cm, m, in or ft")]
    UnknownUnit(String),
    /// Not a number, or negative, or not finite.
    #[error("'{0}' is not a length: use a number of 0 or more, with mm, cm, m, in, ft or nothing after it")]
    NotALength(String),
    /// A suffix where the scene has no unit to convert into.
    #[error("'{0}' has a unit but the scene has none: add --unit mm|cm|m|in|ft to say what its files are in")]
    SceneHasNoUnit(String),
}

impl Unit {
    /// Exact length in tenths of a millimetre, so that every conversion is one rounded quotient.
    fn tenths_of_mm(self) -> f64 {
        match self {
            Self::Mm => 10.0,
            Self::Cm => 100.0,
            Self::M => 10_000.0,
            Self::In => 254.0,
            Self::Ft => 3048.0,
        }
    }

    /// As typed and printed.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Mm => "mm",
            Self::Cm => "cm",
            Self::M => "m",
            Self::In => "in",
            Self::Ft => "ft",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.suffix())
    }
}

impl FromStr for Unit {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        [Self::Mm, Self::Cm, Self::M, Self::In, Self::Ft]
            .into_iter()
            .find(|u| u.suffix() == text)
            .ok_or_else(|| UnitError::UnknownUnit(text.to_owned()))
    }
}

impl FromStr for Length {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let split =
            text.find(|c: char| c.is_ascii_alphabetic() && c != 'e' && c != 'E').unwrap_or(text.len());
        let (number, suffix) = text.split_at(split);
        let value: f64 = number.trim().parse().map_err(|_| UnitError::NotALength(text.to_owned()))?;
        if !(value >= 0.0 && value.is_finite()) {
            return Err(UnitError::NotALength(text.to_owned()));
        }
        Ok(Self { value, unit: if suffix.is_empty() { None } else { Some(suffix.parse()?) } })
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.value, self.unit.map_or("", Unit::suffix))
    }
}

impl Length {
    /// In the scene's unit.
    ///
    /// # Errors
    /// [`UnitError::SceneHasNoUnit`].
    pub fn in_unit(&self, scene: Option<Unit>) -> Result<f64, UnitError> {
        match (self.unit, scene) {
            (None, _) => Ok(self.value),
            (Some(from), Some(to)) => Ok(self.value * from.tenths_of_mm() / to.tenths_of_mm()),
            (Some(_), None) => Err(UnitError::SceneHasNoUnit(self.to_string())),
        }
    }
}

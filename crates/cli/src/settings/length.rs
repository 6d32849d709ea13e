//! Lengths and times of flags.

use crate::errors::of_flag;
use closefit_geometry::motion::parse_time;
use closefit_geometry::scene::Scene;
use closefit_geometry::units::{Length, UnitError};

/// The length of a flag, before the scene's unit is known.
#[derive(Clone, Debug)]
pub struct FlagLength {
    pub flag: &'static str,
    /// The length as it was written.
    pub text: String,
    pub length: Length,
}

impl FlagLength {
    /// Parses the length of a flag.
    pub fn parse(flag: &'static str, text: &str) -> anyhow::Result<Self> {
        let length = text.parse().map_err(|error: UnitError| of_flag(error, flag))?;
        Ok(Self { flag, text: text.to_owned(), length })
    }

    /// Parses the length of a flag, if it is given.
    pub fn parse_optional(flag: &'static str, text: Option<&String>) -> anyhow::Result<Option<Self>> {
        text.map(|text| Self::parse(flag, text)).transpose()
    }

    /// Parses the length of a flag that is more than 0, if it is given.
    pub fn parse_above_zero(flag: &'static str, text: Option<&String>) -> anyhow::Result<Option<Self>> {
        let above_zero = |given: Self| match given.length.above_zero() {
            Ok(length) => Ok(Self { length, ..given }),
            Err(error) => Err(of_flag(error, flag)),
        };
        Self::parse_optional(flag, text)?.map(above_zero).transpose()
    }

    /// Returns the length in the unit of a scene.
    pub fn in_unit(&self, scene: &Scene) -> anyhow::Result<f64> {
        self.length.in_unit(scene.unit).map_err(|error| of_flag(error, self.flag))
    }
}

/// Parses the time of a flag, in seconds.
pub fn time(flag: &str, text: &str) -> anyhow::Result<f64> {
    parse_time(text).map_err(|error| of_flag(error, flag))
}

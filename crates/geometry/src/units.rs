//! Lengths, volumes and their units. A bare number is in scene units; a suffix is converted with one
//! rounding.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigUint;
use num_traits::{Pow, Zero};

/// Units of length that a scene may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
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

/// A length as the user types it: `5`, `5mm`, `0.25in`, `1e-3m`.
pub type Length = Size<1>;

/// A volume as the user types it: `5`, `5mm3`, `0.25in³`, `1e-3m3`.
pub type Volume = Size<3>;

/// A number of units of length, to a power.
///
/// It keeps its decimal text, so that a conversion starts from the exact value and rounds once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size<const POWER: u32> {
    text: String,
    digits: BigUint,
    exponent: i32,
    unit: Option<Unit>,
}

/// The reason why a length or unit was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// The unit is not one of mm, cm, m, in, ft.
    #[error("unknown unit '{0}': use mm, cm, m, in or ft")]
    UnknownUnit(String),
    /// The text is not a number, or the number is negative or not finite.
    #[error("'{0}' is not a length: use a number of 0 or more, with mm, cm, m, in, ft or nothing after it")]
    NotALength(String),
    /// The text is not a number, or the number is negative or not finite.
    #[error(
        "'{0}' is not a volume: use a number of 0 or more, with mm3, cm3, m3, in3, ft3 or nothing after it"
    )]
    NotAVolume(String),
    /// There is a suffix, but the scene has no unit to convert it to.
    #[error("'{0}' has a unit but the scene has none: add --unit mm|cm|m|in|ft to say what its files are in")]
    SceneHasNoUnit(String),
    /// The size is 0, or so small that it rounds to 0.
    #[error("'{0}' is not more than 0")]
    NotAboveZero(String),
    /// The converted number exceeds the largest f64.
    #[error("'{0}' is too large")]
    TooLarge(String),
}

/// Number of decimal digits of a quotient that suffice for correct rounding. No midpoint of two neighbouring
/// f64 has more than 768 significant decimal digits, so this many digits and a mark for the remainder round
/// as the exact quotient does.
const ENOUGH_DIGITS: u32 = 800;

impl Unit {
    /// Returns the exact length in tenths of a millimetre.
    fn tenths_of_mm(self) -> u32 {
        match self {
            Self::Mm => 10,
            Self::Cm => 100,
            Self::M => 10_000,
            Self::In => 254,
            Self::Ft => 3048,
        }
    }

    /// Returns the length of this unit in another: their exact ratio, rounded once.
    pub fn in_terms_of(self, other: Self) -> f64 {
        f64::from(self.tenths_of_mm()) / f64::from(other.tenths_of_mm())
    }

    /// Returns the suffix, as typed and printed.
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

/// Returns a text without `deg` or `rad` at its end, and the radians in that unit; `None` without one.
pub fn without_angle_unit(text: &str) -> Option<(&str, f64)> {
    let without = |unit: &str| text.strip_suffix(unit).map(str::trim_end);
    let degrees = without("deg").map(|bare| (bare, 1f64.to_radians()));
    degrees.or_else(|| Some((without("rad")?, 1.0)))
}

impl<const POWER: u32> Size<POWER> {
    /// The word for such a size.
    pub const WORD: &str = if POWER == 1 { "length" } else { "volume" };

    /// Returns the suffix of a unit, as typed: `mm`, or `mm3`.
    pub fn suffix(unit: Unit) -> String {
        if POWER == 1 { unit.to_string() } else { format!("{unit}{POWER}") }
    }

    /// True if it has no suffix.
    pub fn is_bare(&self) -> bool {
        self.unit.is_none()
    }

    /// Returns the size as the nearest f64 in the scene's unit: the exact decimal value times the exact
    /// ratio of the units, rounded once.
    ///
    /// # Errors
    /// [`UnitError::SceneHasNoUnit`] for a suffix if `scene` is `None`; [`UnitError::TooLarge`].
    pub fn in_unit(&self, scene: Option<Unit>) -> Result<f64, UnitError> {
        let (from, to) = match (self.unit, scene) {
            (None, _) => (1, 1),
            (Some(from), Some(to)) => (from.tenths_of_mm(), to.tenths_of_mm()),
            (Some(_), None) => return Err(UnitError::SceneHasNoUnit(self.text.clone())),
        };
        let [from, to] = [from, to].map(|tenths| u64::from(tenths).pow(POWER));
        let numerator = &self.digits * from * BigUint::from(10_u32).pow(ENOUGH_DIGITS);
        let quotient = &numerator / to;
        let remainder = numerator - &quotient * to;
        let mark = u8::from(!remainder.is_zero());
        let exponent = i64::from(self.exponent) - i64::from(ENOUGH_DIGITS) - 1;
        let value: f64 =
            format!("{quotient}{mark}e{exponent}").parse().expect("digits and an exponent are a number");
        if value.is_finite() { Ok(value) } else { Err(UnitError::TooLarge(self.text.clone())) }
    }

    /// Returns the size, if it is more than 0 in whatever unit a scene has.
    ///
    /// # Errors
    /// [`UnitError::NotAboveZero`].
    pub fn above_zero(self) -> Result<Self, UnitError> {
        // The number is smallest in metres, the longest unit.
        match self.in_unit(self.unit.map(|_| Unit::M)) {
            Ok(0.0) => Err(UnitError::NotAboveZero(self.text)),
            _ => Ok(self),
        }
    }
}

impl<const POWER: u32> fmt::Display for Size<POWER> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns a text without the power at the end of its unit, if it has one; `e3` is part of a number.
fn without_power(text: &str) -> Option<&str> {
    let before = text.strip_suffix(['3', '³'])?;
    let is_unit = |last: char| last.is_alphabetic() && !matches!(last, 'e' | 'E');
    before.ends_with(is_unit).then_some(before)
}

impl<const POWER: u32> FromStr for Size<POWER> {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let refusal = if POWER == 1 { UnitError::NotALength } else { UnitError::NotAVolume };
        let refused = || refusal(text.to_owned());
        let cubed = if POWER == 3 { without_power(text) } else { None };
        let base = cubed.unwrap_or(text);
        let number = base.trim_end_matches(char::is_alphabetic);
        let suffix = &base[number.len()..];
        if POWER == 3 && cubed.is_none() && !suffix.is_empty() {
            return Err(refused());
        }
        let number = number.trim();
        let (mantissa, exponent) = match number.split_once(['e', 'E']) {
            None => (number, 0),
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| refused())?),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(refused());
        }
        let places = i32::try_from(fraction.len()).map_err(|_| refused())?;
        Ok(Self {
            text: text.to_owned(),
            digits: BigUint::parse_bytes(digits.as_bytes(), 10).ok_or_else(refused)?,
            exponent: exponent.checked_sub(places).ok_or_else(refused)?,
            unit: if suffix.is_empty() { None } else { Some(suffix.parse().map_err(|_| refused())?) },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use proptest::prelude::*;

    fn convert(text: &str, scene: Option<Unit>) -> Result<f64, UnitError> {
        text.parse::<Length>()?.in_unit(scene)
    }

    #[test]
    fn bare_numbers_are_scene_units() {
        assert_eq!(convert("5", None), Ok(5.0));
        assert_eq!(convert("0.1", Some(Unit::Ft)), Ok(0.1));
        assert_eq!(convert(".5", None), Ok(0.5));
        assert_eq!(convert("1E3", None), Ok(1000.0));
        assert_eq!(convert("0", Some(Unit::M)), Ok(0.0));
        assert_eq!(convert("5e-324", None), Ok(5e-324));
        assert_eq!(convert("1.7976931348623157e308", None), Ok(f64::MAX));
    }

    #[test]
    fn suffixes_convert() {
        assert_eq!(convert("1mm", Some(Unit::M)), Ok(0.001));
        assert_eq!(convert("1e-3m", Some(Unit::Mm)), Ok(1.0));
        assert_eq!(convert("0.25in", Some(Unit::Mm)), Ok(6.35));
        assert_eq!(convert("25.4mm", Some(Unit::In)), Ok(1.0));
        assert_eq!(convert("12in", Some(Unit::Ft)), Ok(1.0));
        assert_eq!(convert("1in", Some(Unit::Ft)), Ok(1.0 / 12.0));
        assert_eq!(convert("5 mm", Some(Unit::Mm)), Ok(5.0));
        // 0.3 mm is 0.0003 m, yet 0.3 / 1000 in f64 is the neighbour below.
        assert_eq!(convert("0.3mm", Some(Unit::M)), Ok(0.0003));
    }

    #[test]
    fn volumes_have_the_cube_of_a_unit() {
        let convert = |text: &str, scene| text.parse::<Volume>().and_then(|volume| volume.in_unit(scene));
        assert_eq!(convert("5", None), Ok(5.0));
        assert_eq!(convert("1e3", Some(Unit::M)), Ok(1000.0));
        assert_eq!(convert("1e3mm3", Some(Unit::Cm)), Ok(1.0));
        assert_eq!(convert("2.5 cm³", Some(Unit::Mm)), Ok(2500.0));
        assert_eq!(convert("1in3", Some(Unit::Mm)), Ok(16_387.064));
        assert_eq!(convert("1ft3", Some(Unit::In)), Ok(1728.0));
        assert_eq!(convert("0.3mm3", Some(Unit::M)), Ok(3e-10));
        for text in ["", "mm3", "-1mm3", "5mm", "5m2", "5parsec3", "5³", "nan"] {
            assert_eq!(convert(text, Some(Unit::M)), Err(UnitError::NotAVolume(text.into())), "{text}");
        }
        assert_eq!(convert("5mm3", None), Err(UnitError::SceneHasNoUnit("5mm3".into())));
        assert_eq!(convert("1e308m3", Some(Unit::Mm)), Err(UnitError::TooLarge("1e308m3".into())));
    }

    #[test]
    fn what_is_above_zero_is_so_in_every_unit() {
        let above_zero = |text: &str| text.parse::<Length>().and_then(Length::above_zero);
        for text in ["0", "0.000", "0e9", "0mm", "1e-400", "1e-324mm"] {
            assert_eq!(above_zero(text), Err(UnitError::NotAboveZero(text.into())), "{text}");
        }
        for text in ["5e-324", "5e-324m", "1e-320mm", "1ft", "1e308m"] {
            assert_eq!(above_zero(text).map(|length| length.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in
            ["", "mm", "-1", "-0", "nan", "inf", "1e", "1.2.3", ".", "0x10", "1e99999999999", "5%", "--"]
        {
            assert_eq!(convert(text, Some(Unit::M)), Err(UnitError::NotALength(text.into())));
        }
        assert_eq!(convert("5parsec", None), Err(UnitError::NotALength("5parsec".into())));
        assert_eq!(convert("5mm", None), Err(UnitError::SceneHasNoUnit("5mm".into())));
        assert_eq!(convert("1e309", None), Err(UnitError::TooLarge("1e309".into())));
        assert_eq!(convert("1e308m", Some(Unit::Mm)), Err(UnitError::TooLarge("1e308m".into())));
    }

    proptest! {
        /// The result is no farther from the exact rational value than either neighbour.
        #[test]
        fn rounds_once(digits in 0_u64.., places in 0_usize..25, from in 0_usize..5, to in 0_usize..5) {
            const UNITS: [(Unit, i64); 5] =
                [(Unit::Mm, 10), (Unit::Cm, 100), (Unit::M, 10_000), (Unit::In, 254), (Unit::Ft, 3048)];
            let ((from, n), (to, d)) = (UNITS[from], UNITS[to]);
            let got = convert(&format!("{digits}e-{places}{from}"), Some(to)).unwrap();
            let exact = BigRational::new(
                BigInt::from(digits) * n,
                BigInt::from(10).pow(u32::try_from(places).unwrap()) * d,
            );
            let error = |x: f64| {
                let gap = BigRational::from_float(x).unwrap() - &exact;
                if gap < BigRational::zero() { -gap } else { gap }
            };
            prop_assert!(error(got) <= error(got.next_up()) && error(got) <= error(got.next_down()));
        }
    }
}

//! Flags about issues in the BIM Collaboration Format.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use closefit_bcf::Options;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::help::BCF;

/// Arguments about BCF.
#[derive(Debug, Args)]
#[command(next_help_heading = BCF)]
pub struct BcfFlags {
    /// Write findings as BCF issues, each with a picture, for viewers of building models
    #[arg(long, value_name = "FILE")]
    pub bcf: Option<PathBuf>,
    /// Version of the format: 2.1, which most programs read, or 3.0
    #[arg(long, value_name = "VERSION", value_enum, default_value = "2.1", requires = "bcf")]
    pub bcf_version: VersionArg,
    /// One issue per group of pairs, or per pair
    #[arg(long, value_name = "WHAT", value_enum, default_value = "group", requires = "bcf")]
    pub bcf_per: PerArg,
    /// Largest number of issues; one more issue counts the rest
    #[arg(long, value_name = "N", default_value_t = Options::LIMIT, requires = "bcf")]
    pub bcf_limit: usize,
    /// Author of the issues; many programs expect an e-mail address
    #[arg(long, value_name = "MAIL", default_value = Options::AUTHOR, value_parser = author, requires = "bcf")]
    pub author: String,
    /// Date of the issues, such as 2026-11-25 or 2026-11-25T18:00:00+01:00 [default: now]
    #[arg(long, value_name = "WHEN", value_parser = date, requires = "bcf")]
    pub date: Option<Timestamp>,
    /// Position of the scene's origin in the building, in metres: x east, y north, z up
    #[arg(long, value_name = "X,Y,Z", value_parser = origin, allow_hyphen_values = true, requires = "bcf")]
    pub origin: Option<Origin>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum VersionArg {
    #[value(name = "2.1")]
    V2_1,
    #[value(name = "3.0")]
    V3_0,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PerArg {
    Group,
    Pair,
}

#[derive(Clone, Copy, Debug)]
pub struct Origin(pub [f64; 3]);

fn author(text: &str) -> Result<String, &'static str> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty()).ok_or("an author has a name or an address")
}

/// Parses a time with its zone, or a day.
fn date(text: &str) -> Result<Timestamp, &'static str> {
    let day = || text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok().map(|day| day.timestamp());
    text.parse().ok().or_else(day).ok_or("a date is like 2026-11-25 or 2026-11-25T18:00:00Z")
}

fn origin(text: &str) -> Result<Origin, &'static str> {
    let numbers: Vec<f64> = text.split(',').map_while(|x| x.trim().parse().ok()).collect();
    match numbers[..] {
        [x, y, z] if text.split(',').count() == 3 && numbers.iter().all(|x| x.is_finite()) => {
            Ok(Origin([x, y, z]))
        }
        _ => Err("an origin is three numbers, X,Y,Z"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_or_times_with_a_zone() {
        for (text, expected) in [
            ("2026-11-25", "2026-11-25T00:00:00Z"),
            ("2026-11-25T18:00:00+01:00", "2026-11-25T17:00:00Z"),
            ("2026-11-25T18:00:00.75Z", "2026-11-25T18:00:00.75Z"),
        ] {
            assert_eq!(date(text).map(|date| date.to_string()), Ok(expected.to_owned()), "{text}");
        }
        for text in ["", "yesterday", "2026-13-01", "25.11.2026", "2026-02-30T00:00:00Z"] {
            assert!(date(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_origin_is_three_numbers() {
        assert!(matches!(origin("447000.5, -5,0"), Ok(Origin([447000.5, -5.0, 0.0]))));
        for text in ["", "1,2", "1,2,3,4", "1,2,x", "1,2,inf", "1,2,NaN", "1,2,3,x"] {
            assert!(origin(text).is_err(), "{text}");
        }
    }
}

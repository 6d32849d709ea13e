//! `closefit waive`: accepts findings of a report, in a rules file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::outcome::Outcome;
use crate::terminal;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;
use closefit_job::text_of;
use closefit_project::{NewWaiver, with_waivers};
use closefit_report::document::{DepthRow, Finding, PairRow, PartRow};
use closefit_report::files::ready;
use closefit_report::json::number;
use closefit_report::{CheckReport, Document};
use closefit_scene::similar_names::did_you_mean;

/// Findings to accept.
#[derive(Clone, Debug)]
pub struct WaivePlan {
    /// The keys of the pairs.
    pub keys: Vec<String>,
    /// The report of a check that lists them.
    pub report: PathBuf,
    /// The rules file that gets the waivers.
    pub rules: PathBuf,
    pub reason: String,
    /// True to accept them only while both parts stay as they are.
    pub pinned: bool,
    pub quiet: bool,
}

/// Adds waivers to a rules file.
pub fn run(plan: &WaivePlan) -> anyhow::Result<Outcome> {
    let report = read_check(&plan.report)?;
    let text = rules_of(&plan.rules)?;
    let mut new: Vec<NewWaiver> = Vec::new();
    for key in &plan.keys {
        let waiver = waiver(&report, key, plan).context(plan.report.display().to_string())?;
        if !new.contains(&waiver) {
            new.push(waiver);
        }
    }
    let written = with_waivers(&plan.rules, &text, &new)?;
    write_over(&plan.rules, written)?;
    if !plan.quiet {
        let line = |waiver: &NewWaiver| {
            format!("{} is accepted up to {}: {}\n", waiver.pair, waiver.up_to, printable(&waiver.reason))
        };
        terminal::print(new.iter().map(line).collect::<String>().as_bytes())?;
    }
    Ok(Outcome::Pass)
}

/// Returns the text of a rules file, which has no entries if the file does not exist yet.
fn rules_of(path: &Path) -> anyhow::Result<String> {
    match path.try_exists() {
        // A link that leads nowhere is not replaced.
        Ok(false) if !path.is_symlink() => Ok("closefit-rules = 1\n".to_owned()),
        _ => Ok(text_of(path)?),
    }
}

fn read_check(path: &Path) -> anyhow::Result<CheckReport> {
    let read = || -> anyhow::Result<CheckReport> {
        let bytes = fs::read(path).map_err(|error| anyhow!("cannot be read: {error}"))?;
        match Document::read(&bytes)? {
            Document::Check(report) => Ok(report),
            _ => Err(anyhow!("it is not the report of a check")),
        }
    };
    read().context(path.display().to_string())
}

/// Returns a waiver for a pair of a report, a tenth deeper than it is.
fn waiver(report: &CheckReport, key: &str, plan: &WaivePlan) -> anyhow::Result<NewWaiver> {
    let pair = report.pairs.iter().find(|pair| pair.sides.key == key).ok_or_else(|| {
        let similar = did_you_mean(key, report.pairs.iter().map(|pair| &pair.sides.key[..]));
        anyhow!("no listed pair has the key '{key}'{similar}")
    })?;
    let depth = pair.depth.ok_or_else(|| no_depth(pair))?;
    if let Some(doubt) = pair.doubt().filter(|_| !plan.pinned) {
        // Nothing proves that it is no worse, unless nothing has changed.
        return Err(anyhow!(
            "the depth of the pair {key} is known only in part: {doubt} (--pinned accepts it as it is)"
        ));
    }
    Ok(NewWaiver {
        pair: key.to_owned(),
        up_to: allowance(depth, report.scene.unit),
        digests: plan.pinned.then(|| pair.sides.parts(&report.parts).map(PartRow::pin)),
        reason: plan.reason.clone(),
    })
}

fn no_depth(pair: &PairRow) -> anyhow::Error {
    let key = &pair.sides.key;
    let why = match &pair.depth_unknown {
        Some(why) => why,
        None if pair.contacts == 0 => "the parts do not overlap; a rule can ask for a smaller clearance",
        None => "the check was not asked for depths",
    };
    anyhow!("the pair {key} has no depth to accept: {why}")
}

/// Returns a length of at least 1.1 times a depth, with two digits, in millimetres or inches.
fn allowance(DepthRow { at_most, .. }: DepthRow, unit: Option<Unit>) -> String {
    // But for the rounding of the product, so that 3 gives 3.3.
    let (factor, unit) = match unit {
        Some(Unit::M) => (1000.0, Some(Unit::Mm)),
        Some(Unit::Cm) => (10.0, Some(Unit::Mm)),
        Some(Unit::Ft) => (12.0, Some(Unit::In)),
        _ => (1.0, unit),
    };
    let at_most = factor * at_most;
    let most = 1.1 * at_most * (1.0 - 4.0 * f64::EPSILON);
    let rounded = format!("{most:.1e}");
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or(("", ""));
    let digits: Option<u32> = mantissa.replace('.', "").parse().ok();
    let tenths = exponent.parse::<i32>().map_or(0, |exponent| exponent - 1);
    let above = |digits: u32| {
        let tried = [digits, digits + 1].map(|digits| format!("{digits}e{tenths}").parse::<f64>());
        tried.into_iter().flatten().find(|value| *value >= most)
    };
    let allowed = digits.and_then(above).filter(|value| value.is_finite()).unwrap_or(at_most);
    format!("{}{}", number(allowed), unit.map_or("", Unit::suffix))
}

/// Writes a file as a whole, or replaces it; of a link, the file that it leads to.
fn write_over(path: &Path, text: String) -> anyhow::Result<()> {
    let target = match path.try_exists() {
        Ok(false) => path.to_owned(),
        _ => fs::canonicalize(path).context(path.display().to_string())?,
    };
    let folder = target.parent().context("it is no file")?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let name = target.file_name().and_then(|name| name.to_str()).context("its name is not UTF-8")?;
    terminal::write_files(folder, vec![ready(name, text.into_bytes())])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_is_short_and_never_less_than_a_tenth_above() {
        let of = |at_most: f64, unit| allowance(DepthRow { at_least: 0.0, at_most }, unit);
        assert_eq!(of(3.0, Some(Unit::Mm)), "3.3mm");
        assert_eq!(of(0.000_123_4, Some(Unit::M)), "0.14mm");
        assert_eq!(of(0.0, None), "0");
        assert_eq!(of(90.7, None), "100");
        for at_most in [1e-300, 7.77e-9, 0.1, 1.0 / 3.0, 9.99, 12345.678, 1e200] {
            let allowed: f64 = of(at_most, None).parse().unwrap();
            assert!(allowed >= 1.099_999_999 * at_most && allowed <= 1.22 * at_most, "{at_most}: {allowed}");
        }
        assert_eq!(of(f64::MAX, None).parse(), Ok(f64::MAX));
    }
}

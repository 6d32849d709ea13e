//! `closefit waive`: accepts findings of a report, in a rules file.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};

use crate::errors::of_flag;
use crate::files::{read_file, read_review};
use crate::outcome::Outcome;
use crate::terminal;
use closefit::Verdict;
use closefit_geometry::ids::to_u32;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;
use closefit_job::text_of;
use closefit_project::{NewWaiver, WithWaivers, with_waivers};
use closefit_report::diff::ReviewStatus;
use closefit_report::document::{DepthRow, Finding, PairRow, PartRow};
use closefit_report::files::ready;
use closefit_report::json::number;
use closefit_report::named::NamedParts;
use closefit_report::table::counted;
use closefit_report::{CheckReport, Document};
use closefit_scene::similar_names::did_you_mean;

/// Findings to accept.
#[derive(Clone, Debug)]
pub struct WaivePlan {
    pub accepted: Accepted,
    /// The report of a check that lists them.
    pub report: PathBuf,
    /// The rules file that gets the waivers.
    pub rules: PathBuf,
    /// The reason; with a review, the reason for findings without a comment.
    pub reason: Option<String>,
    /// True to accept them only while both parts stay as they are.
    pub pinned: bool,
    pub quiet: bool,
}

/// The choice of the findings to accept.
#[derive(Clone, Debug)]
pub enum Accepted {
    /// Those that the user names: keys of pairs or groups, or two parts as `A,B`.
    Named(Vec<String>),
    /// All that fail.
    All,
    /// Those that a review in this file approves.
    Approved(PathBuf),
}

/// A pair to accept, and the reason.
struct AcceptedPair<'r> {
    pair: &'r PairRow,
    reason: String,
}

/// Adds waivers to a rules file.
pub fn run(plan: &WaivePlan) -> anyhow::Result<Outcome> {
    if plan.reason.as_ref().is_some_and(|reason| reason.contains(char::is_control)) {
        return Err(of_flag(anyhow!("it has a control character: write it in one line"), "--reason"));
    }
    let report = read_check(&plan.report)?;
    let text = rules_of(&plan.rules)?;
    let (pairs, notes) = plan.pairs(&report)?;
    let new = waivers(&report, &pairs, plan.pinned).context(plan.report.display().to_string())?;
    let WithWaivers { text, is_added } = with_waivers(&plan.rules, &text, &new)?;
    if is_added.contains(&true) {
        write_over(&plan.rules, text)?;
    }
    if !plan.quiet {
        let line = |(waiver, is_added): (&NewWaiver, &bool)| {
            let already = if *is_added { "" } else { "already " };
            let NewWaiver { pair, up_to, reason, .. } = waiver;
            format!("{pair} is {already}accepted up to {up_to}: {}\n", printable(reason))
        };
        terminal::print(new.iter().zip(&is_added).map(line).collect::<String>().as_bytes())?;
        terminal::print_notes(notes.iter());
    }
    Ok(Outcome::Pass)
}

impl WaivePlan {
    /// Returns the pairs to accept, each once, and notes.
    fn pairs<'r>(&self, report: &'r CheckReport) -> anyhow::Result<(Vec<AcceptedPair<'r>>, Vec<String>)> {
        let file = || self.report.display().to_string();
        let with_reason = |pair: &'r PairRow| {
            let reason = self.reason.clone().unwrap_or_default();
            AcceptedPair { pair, reason }
        };
        let (pairs, notes): (Vec<_>, _) = match &self.accepted {
            Accepted::Named(findings) => {
                let mut pairs = Vec::new();
                for finding in findings {
                    pairs.extend(named(report, finding).with_context(file)?.into_iter().map(with_reason));
                }
                (pairs, Vec::new())
            }
            Accepted::All => {
                let failing: Vec<_> =
                    report.pairs.iter().filter(|pair| is_failing(pair)).map(with_reason).collect();
                if failing.is_empty() {
                    return Err(anyhow!("every clash and undecided pair is accepted already"))
                        .with_context(file);
                }
                (failing, Vec::new())
            }
            Accepted::Approved(review) => self.approved(report, review)?,
        };
        let mut known = HashSet::new();
        let pairs = pairs.into_iter().filter(|accepted| known.insert(accepted.pair.sides.ids));
        Ok((pairs.collect(), notes))
    }

    /// Returns the pairs that a review approves and that fail otherwise.
    fn approved<'r>(
        &self,
        report: &'r CheckReport,
        path: &Path,
    ) -> anyhow::Result<(Vec<AcceptedPair<'r>>, Vec<String>)> {
        let review = read_review(Some(path))?;
        let said = review.of_pairs(report);
        let approved = report.pairs.iter().filter(|pair| is_failing(pair)).filter_map(|pair| {
            let row = said.get(&pair.sides.key[..])?;
            (row.status == ReviewStatus::Approved).then_some((pair, row.comment.as_ref()))
        });
        let mut pairs = Vec::new();
        for (pair, comment) in approved {
            let reason = comment.filter(|comment| !comment.trim().is_empty()).or(self.reason.as_ref());
            let missing = || anyhow!("{} has no comment: give --reason", pair.sides.key);
            // A reason is one line.
            let reason = reason.map(|reason| reason.split_whitespace().collect::<Vec<_>>().join(" "));
            let reason = reason.ok_or_else(missing).with_context(|| path.display().to_string())?;
            pairs.push(AcceptedPair { pair, reason });
        }
        if pairs.is_empty() {
            return Err(anyhow!("it approves no clash and no undecided pair of the report"))
                .with_context(|| path.display().to_string());
        }
        let notes = match review.unused(&[report]) {
            0 => Vec::new(),
            unused => {
                let said = counted(unused as u64, "status", "statuses");
                vec![format!("{said} of the review about no pair and no group of the report")]
            }
        };
        Ok((pairs, notes))
    }
}

/// True for a clash or an undecided pair that no waiver accepts.
fn is_failing(pair: &PairRow) -> bool {
    pair.verdict <= Verdict::Undecided && !pair.is_accepted()
}

/// Returns the pairs that a user means by the key of a pair or a group, or by two parts: of a group, its
/// clashes and undecided pairs, or else all of its pairs.
fn named<'r>(report: &'r CheckReport, text: &str) -> anyhow::Result<Vec<&'r PairRow>> {
    let with_key = |key: &str| report.pairs.iter().find(|pair| *pair.sides.key == *key);
    if let Some(pair) = with_key(text) {
        return Ok(vec![pair]);
    }
    if let Some(group) = report.groups.iter().find(|group| group.key == text) {
        let pairs: Vec<_> = group.pairs.iter().filter_map(|key| with_key(key)).collect();
        let failing: Vec<_> = pairs.iter().copied().filter(|pair| is_failing(pair)).collect();
        return Ok(if failing.is_empty() { pairs } else { failing });
    }
    if text.contains(',') || text.contains(" x ") {
        let [a, b] =
            NamedParts::of_report(&report.parts).two(text).map_err(|why| anyhow!("'{text}': {why}"))?;
        let ids = [a.min(b), a.max(b)].map(to_u32);
        let pair = report.pairs.iter().find(|pair| pair.sides.ids == ids);
        return pair
            .map(|pair| vec![pair])
            .ok_or_else(|| anyhow!("the report does not list the pair '{text}'"));
    }
    let groups = report.groups.iter().map(|group| &group.key[..]);
    let keys = report.pairs.iter().map(|pair| &pair.sides.key[..]).chain(groups);
    let similar = did_you_mean(text, keys);
    Err(anyhow!("no listed pair and no group has the key '{text}'{similar}"))
}

/// Returns the text of a rules file, which has no entries if the file does not exist yet.
fn rules_of(path: &Path) -> anyhow::Result<String> {
    match path.try_exists() {
        // A link that leads nowhere is not replaced.
        Ok(false) if !path.is_symlink() => {
            let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
            ensure!(!is_json, "{}: waivers can be written to TOML only", path.display());
            Ok("closefit-rules = 1\n".to_owned())
        }
        _ => Ok(text_of(path)?),
    }
}

fn read_check(path: &Path) -> anyhow::Result<CheckReport> {
    let read = |json: &[u8]| match Document::read(json)? {
        Document::Check(report) => Ok(report),
        _ => Err(anyhow!("it is not the report of a check")),
    };
    read(&read_file(path)?).with_context(|| path.display().to_string())
}

/// Returns a waiver for each of some pairs of a report, a tenth deeper than it is.
fn waivers(report: &CheckReport, pairs: &[AcceptedPair], is_pinned: bool) -> anyhow::Result<Vec<NewWaiver>> {
    // Nothing proves that these are no worse, unless nothing has changed.
    let doubtful = pairs.iter().filter(|_| !is_pinned);
    let doubtful: Vec<(&str, &str)> = doubtful
        .filter_map(|accepted| {
            Some((&accepted.pair.sides.key[..], accepted.pair.depth.and(accepted.pair.doubt())?))
        })
        .collect();
    let in_words = |&(key, doubt): &(&str, &str)| format!("{key}: {doubt}");
    match &doubtful[..] {
        [] => {}
        [(key, doubt)] => {
            return Err(anyhow!(
                "the depth of the pair {key} is known only in part: {doubt} (--pinned accepts it as it is)"
            ));
        }
        several => {
            let named: Vec<String> = several.iter().map(in_words).collect();
            return Err(anyhow!(
                "the depths of {} pairs are known only in part (--pinned accepts them as they are): {}",
                several.len(),
                named.join("; ")
            ));
        }
    }
    let waiver = |AcceptedPair { pair, reason }: &AcceptedPair| {
        let depth = pair.depth.ok_or_else(|| no_depth(pair))?;
        Ok(NewWaiver {
            pair: pair.sides.key.to_string(),
            up_to: allowance(depth, report.scene.unit),
            digests: Some(pair.sides.parts(&report.parts).map(PartRow::pin)),
            pinned: is_pinned,
            reason: reason.clone(),
        })
    };
    pairs.iter().map(waiver).collect()
}

fn no_depth(pair: &PairRow) -> anyhow::Error {
    let key = &pair.sides.key;
    let why = match pair.depth_unknown.as_deref() {
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

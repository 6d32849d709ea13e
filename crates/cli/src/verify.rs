//! `closefit verify`: asks the claims of a certificate again.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::settings::input::Input;
use crate::settings::pairs::PairChoice;
use crate::terminal;
use closefit::{CheckRequest, TreeKind};
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;
use closefit_job::{Job, JobError};
use closefit_methods::parse;
use closefit_report::certificate::CertifiedSettings;
use closefit_report::document::Word;
use closefit_report::{Certificate, json, table};
use closefit_scene::read::Motions;

/// A certificate to verify.
#[derive(Clone, Debug)]
pub struct VerifyPlan {
    pub certificate: PathBuf,
    pub input: Input,
    /// The rules file with the claims, and the SRDF that the run had.
    pub pairs: PairChoice,
}

/// Verifies a certificate.
pub fn run(plan: &VerifyPlan) -> anyhow::Result<Outcome> {
    let shown = plan.certificate.display().to_string();
    let bytes = fs::read(&plan.certificate);
    let bytes = bytes.map_err(|error| anyhow!("cannot be read: {error}")).context(shown.clone())?;
    let read = || -> anyhow::Result<(Certificate, Vec<TreeKind>)> {
        let certificate = Certificate::read(&bytes)?;
        let kinds = certificate.cross_check.iter().map(|name| parse(name));
        let kinds = kinds.collect::<Result<_, _>>()?;
        Ok((certificate, kinds))
    };
    let (before, kinds) = read().context(shown.clone())?;
    let progress = Progress::new(plan.input.quiet);
    let job = job(plan, &before, &progress)?;
    let request = CheckRequest::default().winding(plan.input.winding).memory(plan.input.memory());
    let now = job.certified(&before.settings, &request, &kinds);
    drop(progress);
    let now = match now {
        Err(error @ JobError::Disagreement(_)) => {
            terminal::say(&error.to_string());
            return Ok(Outcome::Disagreement);
        }
        now => now?.ok_or_else(|| anyhow!("there is no [[require]]")),
    };
    let rules = plan.pairs.rules.as_deref().unwrap_or(Path::new(""));
    let now = now.context(rules.display().to_string())?;
    if now.claims.is_empty() {
        let other = now.not_asked.join("', '");
        return Err(anyhow!(
            "{}: it is about no claim: a {} does not ask '{other}'",
            shown,
            now.command.word()
        ));
    }
    let changes = now.changes(&before);
    let is_same = changes.is_empty() && json::document(&now) == bytes;
    if plan.input.json {
        terminal::print(&json::document(&now))?;
    } else if !plan.input.quiet {
        let beyond = job.beyond(&now.settings).map(|all| table::not_certified(&now, all) + "\n");
        let asked = table::certified(&now) + "\n";
        let verdict = verdict(&now, &changes, is_same);
        let lines = [verdict, asked, beyond.unwrap_or_default(), table::claims(&now)].concat();
        terminal::print(lines.as_bytes())?;
    }
    plan.input.say_notes(job.scene(), &[]);
    Ok(if is_same && now.holds() { Outcome::Pass } else { Outcome::Fail })
}

/// Returns the line that says whether the certificate is still what closefit finds.
fn verdict(now: &Certificate, changes: &[String], is_same: bool) -> String {
    /// Number of changes that are named.
    const NAMED: usize = 5;
    match changes {
        [] if is_same => {
            let claims = now.claims.len();
            format!("verified: {claims} claim{}\n", if claims == 1 { "" } else { "s" })
        }
        [] => "stale: the certificate was written differently\n".to_owned(),
        _ => {
            let named: Vec<String> = changes.iter().take(NAMED).map(|change| printable(change)).collect();
            let others = changes.len() - named.len();
            let others = if others == 0 { String::new() } else { format!("; and {others} more") };
            format!("stale: {}{others}\n", named.join("; "))
        }
    }
}

/// Reads the scene with its rules. Its motions must be valid if the settings are about times.
fn job(plan: &VerifyPlan, before: &Certificate, progress: &Progress) -> anyhow::Result<Job> {
    let CertifiedSettings { at, sweep, tolerance, .. } = &before.settings;
    let motions = if at.is_none() && sweep.is_none() { Motions::Noted } else { Motions::Required };
    let mut input = plan.input.clone();
    // Curved primitives are as coarse as they were.
    let tolerance = format!("{tolerance}{}", before.unit.map_or("", Unit::suffix));
    input.reading.coarsen(tolerance.parse().ok().as_ref());
    input.job(&plan.pairs, motions, progress)
}

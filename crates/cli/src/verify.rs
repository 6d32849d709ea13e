//! `closefit verify`: asks the claims of a certificate again.

use std::fs;

use anyhow::{Context, anyhow};

use super::args::{PairArgs, VerifyArgs};
use super::claims::Claimed;
use super::cross_check::Disagreed;
use super::pairs::Pairs;
use super::progress::Progress;
use super::{Outcome, read_scene, say_notes, terminal};
use closefit::internals::hierarchy::kind::TreeKind;
use closefit::internals::query::CheckRequest;
use closefit::internals::query::moving_pair::SweepRequest;
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::motion::LATEST;
use closefit_geometry::scene::Scene;
use closefit_geometry::text::printable;
use closefit_methods::parse;
use closefit_report::certificate::{CertifiedSettings, CertifiedSweep};
use closefit_report::digest::Digests;
use closefit_report::{Certificate, json, table};
use closefit_scene::read::Motions;

pub fn run(args: &VerifyArgs) -> anyhow::Result<Outcome> {
    let shown = args.certificate.display().to_string();
    let bytes = fs::read(&args.certificate);
    let bytes = bytes.map_err(|error| anyhow!("cannot be read: {error}")).context(shown.clone())?;
    let read = || -> anyhow::Result<(Certificate, Vec<TreeKind>)> {
        let certificate = Certificate::read(&bytes)?;
        refuse_settings(&certificate.settings)?;
        let kinds = certificate.cross_check.iter().map(|name| parse(name));
        let kinds = kinds.collect::<Result<_, _>>()?;
        Ok((certificate, kinds))
    };
    let (before, kinds) = read().context(shown)?;
    let (scene, now) = match ask_again(args, &before.settings, &kinds)? {
        (scene, Ok(now)) => (scene, now),
        (_, Err(Disagreed(line))) => {
            terminal::say(&line);
            return Ok(Outcome::Disagreement);
        }
    };
    let changes = now.changes(&before);
    let is_same = changes.is_empty() && json::document(&now) == bytes;
    if args.input.json {
        terminal::print(&json::document(&now))?;
    } else if !args.input.quiet {
        let lines = [verdict(&now, &changes, is_same), table::claims(&now)].concat();
        terminal::print(lines.as_bytes())?;
    }
    say_notes(&args.input, &scene, &[]);
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

/// Refuses settings that no run can have.
fn refuse_settings(settings: &CertifiedSettings) -> anyhow::Result<()> {
    let length = |name: &str, value: f64| match value.is_finite() && value >= 0.0 {
        true => Ok(()),
        false => Err(anyhow!("settings: {name}: '{value}' is not a length")),
    };
    let time = |name: &str, value: f64| match value.abs() <= LATEST {
        true => Ok(()),
        false => Err(anyhow!("settings: {name}: '{value}' is not a number of seconds, within 2^200")),
    };
    length("tolerance", settings.tolerance)?;
    settings.at.map_or(Ok(()), |at| time("at", at))?;
    let Some(CertifiedSweep { precision, from, to }) = settings.sweep else { return Ok(()) };
    length("precision", precision)?;
    time("from", from)?;
    time("to", to)
}

/// Returns the scene, and the certificate that its claims have now.
fn ask_again(
    args: &VerifyArgs,
    settings: &CertifiedSettings,
    kinds: &[TreeKind],
) -> anyhow::Result<(Scene, Result<Certificate, Disagreed>)> {
    let progress = Progress::new(args.input.quiet);
    let pair_args =
        PairArgs { against: Vec::new(), sets: Vec::new(), rules: Some(args.rules.clone()), srdf: None };
    let mut pairs = Pairs::read(&pair_args)?;
    let motions = if settings.at.or(settings.sweep.map(|_| 0.0)).is_some() {
        Motions::Required
    } else {
        Motions::Noted
    };
    let (mut scene, files) = read_scene(&args.input, motions, None, &progress)?;
    pairs.apply(&pair_args, &mut scene, &files)?;
    if let Some(at) = settings.at {
        scene = scene.at(at);
    }
    let claims = pairs.claims().ok_or_else(|| anyhow!("there is no [[require]]"));
    let claims = claims.context(args.rules.display().to_string())?;
    let winding = if settings.as_is { Winding::AsFound } else { args.input.winding() };
    let memory = args.input.memory();
    let tolerance = settings.tolerance;
    let standing = CheckRequest::default().tolerance(tolerance).winding(winding).memory(memory);
    let motion = settings.sweep.map(|CertifiedSweep { precision, from, to }| {
        let request = SweepRequest::default().between(from, to).precision(precision);
        request.tolerance(tolerance).winding(winding).memory(memory)
    });
    let digests = match &motion {
        Some(motion) => Digests::moving(&scene, [motion.from, motion.to]),
        None => Digests::standing(&scene),
    };
    let claimed = Claimed { scene: &scene, input: &args.input, digests: &digests, standing, motion };
    let certified = claimed.certify(&claims, kinds)?;
    drop(progress);
    Ok((scene, certified))
}

//! The plans of the commands that one machine runs alone, from their flags.

use std::path::PathBuf;

use anyhow::anyhow;

use super::groups;
use crate::audit::{self, AuditPlan};
use crate::bench::{self, BenchPlan};
use crate::diff::{self, DiffPlan};
use crate::errors::{naming_files, of_flag};
use crate::flags::audit::AuditFlags;
use crate::flags::bench::BenchFlags;
use crate::flags::files::{
    DiffFlags, FailOnDiffArg, FormatArg, GenerateFlags, ReportFlags, ReproduceFlags, WaiveFlags,
};
use crate::flags::joint_box::JointBoxFlags;
use crate::flags::scenes::{InspectFlags, VerifyFlags};
use crate::flags::slack::{AxesArg, SlackFlags};
use crate::generate::{self, GeneratePlan};
use crate::inspect::{self, Details};
use crate::joint_box::{self, JointBoxPlan};
use crate::outcome::Outcome;
use crate::report::{self, ReportPlan};
use crate::reproduce::{self, ReproducePlan};
use crate::settings::length::{FlagLength, time};
use crate::settings::pairs::PairChoice;
use crate::slack::{self, SlackPlan};
use crate::verify::{self, VerifyPlan};
use crate::waive::{self, Accepted, WaivePlan};
use closefit::Axes;
use closefit_generate::Request;
use closefit_report::diff::FailOnDiff;
use closefit_scene::read::Format;

/// Runs `closefit slack`.
pub fn slack(mut flags: SlackFlags) -> anyhow::Result<Outcome> {
    let parts = parts_after_scenes(&mut flags.input.scenes);
    let scenes = [&flags.input.scenes[..], &flags.pairs.against].concat();
    naming_files(&scenes, slack_of(flags, parts).and_then(|plan| slack::run(&plan)))
}

/// Takes the parts from the list of scenes: all from the first that does not end like a scene file, after
/// the first of all.
fn parts_after_scenes(scenes: &mut Vec<PathBuf>) -> Vec<String> {
    let is_scene = |path: &PathBuf| Format::of(&path.to_string_lossy()).is_ok();
    let others = scenes.iter().skip(1).take_while(|path| is_scene(path)).count();
    let parts = scenes.split_off((1 + others).min(scenes.len()));
    parts.iter().map(|name| name.to_string_lossy().into_owned()).collect()
}

fn slack_of(flags: SlackFlags, parts: Vec<String>) -> anyhow::Result<SlackPlan> {
    let tolerance = FlagLength::parse_optional("--tolerance", flags.tolerance.as_ref())?;
    let input = groups::input(flags.input, &flags.pairs.against, tolerance.as_ref());
    Ok(SlackPlan {
        parts,
        all: flags.all,
        clearance: FlagLength::parse("--clearance", &flags.clearance)?,
        tolerance,
        precision: FlagLength::parse_above_zero("--precision", flags.precision.as_ref())?,
        about: flags.about.as_ref().map(|text| point("--about", text)).transpose()?,
        strategy: groups::strategy(&flags.search)?,
        at: groups::at(flags.at)?,
        axes: match flags.axes {
            AxesArg::Scene => Axes::Scene,
            AxesArg::Part => Axes::Part,
        },
        input,
        pairs: groups::pairs(flags.pairs),
        rows: flags.rows.0,
        out: flags.out,
        threads: flags.search.threads,
    })
}

/// Parses the point of a flag: three lengths, each with a sign or without.
fn point(flag: &'static str, text: &str) -> anyhow::Result<[(f64, FlagLength); 3]> {
    let refusal = || of_flag(anyhow!("'{text}': a point is three lengths, X,Y,Z"), flag);
    let coordinate = |text: &str| -> Option<(f64, FlagLength)> {
        let (sign, length) = text.trim().strip_prefix('-').map_or((1.0, text.trim()), |rest| (-1.0, rest));
        Some((sign, FlagLength::parse(flag, length).ok()?))
    };
    let coordinates: Option<Vec<_>> = text.split(',').map(coordinate).collect();
    coordinates.and_then(|all| all.try_into().ok()).ok_or_else(refusal)
}

/// Runs `closefit joint-box`.
pub fn joint_box(flags: JointBoxFlags) -> anyhow::Result<Outcome> {
    let scenes = [&flags.input.scenes[..], &flags.pairs.against].concat();
    naming_files(&scenes, joint_box_of(flags).and_then(|plan| joint_box::run(&plan)))
}

fn joint_box_of(flags: JointBoxFlags) -> anyhow::Result<JointBoxPlan> {
    let mut input = groups::input(flags.input, &[], None);
    input.reading.collision_if_any = flags.write_srdf.is_some() && !flags.visual_geometry;
    Ok(JointBoxPlan {
        input,
        pairs: groups::pairs(flags.pairs),
        joints: flags.joints,
        clearance: FlagLength::parse("--clearance", &flags.clearance)?,
        precision: FlagLength::parse_optional("--precision", flags.precision.as_ref())?,
        configurations: flags.configurations,
        write_srdf: flags.write_srdf,
        rows: flags.rows.0,
        out: flags.out,
        strategy: groups::strategy(&flags.search)?,
        threads: flags.search.threads,
    })
}

/// Runs `closefit audit`.
pub fn audit(flags: AuditFlags) -> anyhow::Result<Outcome> {
    let scenes = flags.input.scenes.clone();
    naming_files(&scenes, audit_of(flags).and_then(|plan| audit::run(&plan)))
}

fn audit_of(flags: AuditFlags) -> anyhow::Result<AuditPlan> {
    let AuditFlags { srdf, precision, joints, configurations, input, rows, out, threads } = flags;
    Ok(AuditPlan {
        input: groups::input(input, &[], None),
        srdf,
        precision: FlagLength::parse_above_zero("--precision", precision.as_ref())?,
        joints,
        configurations,
        rows: rows.0,
        out,
        threads,
    })
}

/// Runs `closefit bench`.
pub fn bench(flags: BenchFlags) -> anyhow::Result<Outcome> {
    let scenes = flags.input.scenes.clone();
    naming_files(&scenes, bench_of(flags).and_then(|plan| bench::run(&plan)))
}

fn bench_of(flags: BenchFlags) -> anyhow::Result<BenchPlan> {
    Ok(BenchPlan {
        clearance: FlagLength::parse("--clearance", &flags.clearance)?,
        at: flags.at.map(|text| time("--at", &text)).transpose()?,
        input: groups::input(flags.input, &[], None),
        pairs: groups::pairs(flags.pairs),
        poses: flags.poses,
        rounds: flags.rounds,
        limit: flags.limit,
        out: flags.out,
        threads: flags.threads,
    })
}

/// Runs `closefit inspect`.
pub fn inspect(flags: InspectFlags) -> anyhow::Result<Outcome> {
    let details = Details { features: flags.features, self_contacts: flags.self_contacts };
    inspect::run(&groups::input(flags.input, &[], None), details)
}

/// Runs `closefit verify`.
pub fn verify(flags: VerifyFlags) -> anyhow::Result<Outcome> {
    let VerifyFlags { certificate, rules, srdf, input } = flags;
    let pairs = PairChoice { rules: Some(rules), srdf, ..PairChoice::default() };
    verify::run(&VerifyPlan { certificate, input: groups::input(input, &[], None), pairs })
}

/// Runs `closefit waive`.
pub fn waive(flags: WaiveFlags) -> anyhow::Result<Outcome> {
    let WaiveFlags { findings, all, review, report, rules, reason, pinned, quiet } = flags;
    let accepted = match review {
        Some(review) => Accepted::Approved(review),
        None if all => Accepted::All,
        None => Accepted::Named(findings),
    };
    waive::run(&WaivePlan { accepted, report, rules, reason, pinned, quiet })
}

/// Runs `closefit generate`.
pub fn generate(flags: GenerateFlags) -> anyhow::Result<Outcome> {
    let GenerateFlags { name, list: _, out, format, size, seed, soup, quiet } = flags;
    let request = name.map(|name| Request { name, size, seed, soup });
    let format = format.map(|format| match format {
        FormatArg::Glb => generate::Format::Glb,
        FormatArg::Manifest => generate::Format::Manifest,
    });
    generate::run(&GeneratePlan { request, format, out, quiet })
}

/// Runs `closefit diff`.
pub fn diff(flags: DiffFlags) -> anyhow::Result<Outcome> {
    let DiffFlags { old, new, review, out, fail_on_diff, rows, exports, json, quiet } = flags;
    let fail_on = match fail_on_diff {
        FailOnDiffArg::New => FailOnDiff::New,
        FailOnDiffArg::Worse => FailOnDiff::Worse,
        FailOnDiffArg::Any => FailOnDiff::Any,
        FailOnDiffArg::Never => FailOnDiff::Never,
    };
    let (rows, exports) = (rows.0, groups::exports(exports));
    diff::run(&DiffPlan { old, new, review, out, fail_on, rows, exports, json, quiet })
}

/// Runs `closefit report`.
pub fn report(flags: ReportFlags) -> anyhow::Result<Outcome> {
    let ReportFlags { out, scene_exports, quiet, written } = flags;
    report::run(&ReportPlan { out, scene_exports: groups::scene_exports(scene_exports), quiet, written })
}

/// Runs `closefit reproduce`.
pub fn reproduce(flags: ReproduceFlags) -> anyhow::Result<Outcome> {
    let ReproduceFlags { tables, list, quick, threads, json, out, poses, quiet } = flags;
    reproduce::run(&ReproducePlan { tables, list, quick, threads, json, out, poses, quiet })
}

//! The plans of the commands whose pairs or rows machines can share, from their flags.

use std::ffi::OsString;
use std::path::Path;

use anyhow::anyhow;

use super::groups;
use crate::batch::{self, BatchPlan};
use crate::check::{self, CheckPlan};
use crate::check_rows::{self, Poses, RowsPlan};
use crate::errors::{naming_files, of_flag};
use crate::flags::batch::BatchFlags;
use crate::flags::check::CheckFlags;
use crate::flags::sweep::SweepFlags;
use crate::outcome::Outcome;
use crate::settings::input::Input;
use crate::settings::length::{FlagLength, time};
use crate::settings::pair_run::PairRun;
use crate::settings::pairs::PairChoice;
use crate::sweep::{self, SweepPlan, SweepSettings};
use closefit_report::table::Sort;

/// A run that machines can share.
pub enum SharedPlan {
    Check(Box<CheckPlan>),
    Rows(Box<RowsPlan>),
    Sweep(Box<SweepPlan>),
    Batch(Box<BatchPlan>),
}

impl SharedPlan {
    /// Resolves the flags of a check.
    pub fn check(flags: CheckFlags, arguments: Vec<OsString>) -> anyhow::Result<Self> {
        let scenes = flags.scene_run.scenes();
        let plan = if flags.has_rows() { rows_of(flags, arguments) } else { check_of(flags, arguments) };
        naming_files(&scenes, plan)
    }

    /// Resolves the flags of a sweep.
    pub fn sweep(flags: SweepFlags, arguments: Vec<OsString>) -> anyhow::Result<Self> {
        let scenes = flags.scene_run.scenes();
        naming_files(&scenes, sweep_of(flags, arguments))
    }

    /// Resolves the flags of checks of many scenes.
    pub fn batch(flags: BatchFlags, arguments: Vec<OsString>) -> anyhow::Result<Self> {
        let list = [flags.list.clone()];
        naming_files(&list, batch_of(flags, arguments))
    }

    /// Runs the command.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let done = match self {
            Self::Check(plan) => check::run(plan),
            Self::Rows(plan) => check_rows::run(plan),
            Self::Sweep(plan) => sweep::run(plan),
            Self::Batch(plan) => batch::run(plan),
        };
        naming_files(&self.settings().input.scenes, done)
    }

    /// Returns the settings that all have.
    fn settings(&self) -> &PairRun {
        match self {
            Self::Check(plan) => &plan.run,
            Self::Rows(plan) => &plan.run,
            Self::Sweep(plan) => &plan.run,
            Self::Batch(plan) => &plan.run,
        }
    }

    /// Returns the settings that all have, to change them.
    pub fn settings_mut(&mut self) -> &mut PairRun {
        match self {
            Self::Check(plan) => &mut plan.run,
            Self::Rows(plan) => &mut plan.run,
            Self::Sweep(plan) => &mut plan.run,
            Self::Batch(plan) => &mut plan.run,
        }
    }

    /// True for runs that decide pairs, not rows.
    pub fn is_about_pairs(&self) -> bool {
        matches!(self, Self::Check(_) | Self::Sweep(_))
    }

    /// Returns the file with the rows, if a file has them.
    pub fn rows_file(&self) -> Option<&Path> {
        match self {
            Self::Rows(plan) => plan.file(),
            Self::Batch(plan) => Some(&plan.list),
            Self::Check(_) | Self::Sweep(_) => None,
        }
    }
}

fn check_of(flags: CheckFlags, arguments: Vec<OsString>) -> anyhow::Result<SharedPlan> {
    let settings = groups::question(&flags.question)?;
    let (run, table) = groups::scene_run(flags.scene_run, flags.last, arguments, settings.tolerance.as_ref());
    Ok(SharedPlan::Check(Box::new(CheckPlan {
        run,
        settings,
        at: groups::at(flags.at)?,
        at_joints: flags.rows.at_joints,
        cross_check: flags.cross_check.map_or_else(Vec::new, |compared| compared.0),
        baseline: flags.baseline,
        is_partial_baseline: flags.partial_baseline,
        groups: groups::groups(flags.groups)?,
        exports: groups::exports(flags.exports),
        scene_exports: groups::scene_exports(flags.scene_exports),
        heat_map: groups::heat_map(&flags.heat_map),
        table,
    })))
}

fn rows_of(flags: CheckFlags, arguments: Vec<OsString>) -> anyhow::Result<SharedPlan> {
    let rows = flags.rows;
    let poses = match (rows.configurations, rows.poses) {
        (Some(file), _) => Poses::Configurations { file, at_joints: rows.at_joints },
        (None, Some(file)) => Poses::OfPart(file),
        (None, None) => times(flags.at.unwrap_or_default())?,
    };
    let settings = groups::question(&flags.question)?;
    let (run, _) = groups::scene_run(flags.scene_run, flags.last, arguments, settings.tolerance.as_ref());
    Ok(SharedPlan::Rows(Box::new(RowsPlan { run, settings, poses, ends_at_clash: rows.first })))
}

/// Parses the times of `--at`.
fn times(text: String) -> anyhow::Result<Poses> {
    let times: Vec<f64> = text.split(':').map(|one| time("--at", one)).collect::<Result<_, _>>()?;
    let wrong = |_| of_flag(anyhow!("times are FROM:TO:STEP"), format!("--at {text}"));
    let times = times.try_into().map_err(wrong)?;
    Ok(Poses::Times(times, text))
}

fn sweep_of(flags: SweepFlags, arguments: Vec<OsString>) -> anyhow::Result<SharedPlan> {
    let tolerance = FlagLength::parse_optional("--tolerance", flags.tolerance.as_ref())?;
    let (run, table) = groups::scene_run(flags.scene_run, flags.last, arguments, tolerance.as_ref());
    if table.sort == Sort::Depth {
        let why = anyhow!("few pairs of a sweep have a depth: use distance, name or type");
        return Err(of_flag(why, "--sort depth"));
    }
    let optional_time = |flag, text: Option<String>| text.map(|text| time(flag, &text)).transpose();
    let settings = SweepSettings {
        clearance: FlagLength::parse("--clearance", &flags.clearance)?,
        tolerance,
        precision: FlagLength::parse_above_zero("--precision", flags.precision.as_ref())?,
        from: optional_time("--from", flags.from)?,
        to: optional_time("--to", flags.to)?,
        finds_intervals: flags.intervals,
        method: flags.method,
    };
    Ok(SharedPlan::Sweep(Box::new(SweepPlan {
        run,
        settings,
        joints: flags.joints,
        at_joints: flags.at_joints,
        trace: flags.trace,
        scene_exports: groups::scene_exports(flags.scene_exports),
        table,
    })))
}

fn batch_of(flags: BatchFlags, arguments: Vec<OsString>) -> anyhow::Result<SharedPlan> {
    let long_run = groups::long_run(&flags.long_run, None, arguments);
    let settings = groups::question(&flags.question)?;
    let (reading, winding) = groups::reading(flags.reading, settings.tolerance.as_ref());
    let scenes = vec![flags.list.clone()];
    let input = Input { scenes, reading, winding, written: Vec::new(), json: false, quiet: flags.quiet };
    let pairs = PairChoice { sets: flags.sets, rules: flags.rules, ..PairChoice::default() };
    Ok(SharedPlan::Batch(Box::new(BatchPlan {
        list: flags.list,
        run: groups::pair_run(flags.run, input, pairs, long_run),
        settings,
        groups: groups::groups(flags.groups)?,
    })))
}

//! `closefit audit`: the collision geometry of a robot against its visual geometry, and its SRDF.

use std::path::PathBuf;

use anyhow::anyhow;

use crate::errors::of_flag;
use crate::outcome::Outcome;
use crate::pair_commands::{self, in_pool};
use crate::progress::Progress;
use crate::settings::input::Input;
use crate::settings::length::FlagLength;
use crate::terminal;
use closefit::internals::engine::Clock;
use closefit::{Observer, Stage};
use closefit_geometry::units::Unit;
use closefit_job::{AuditRequest, audit};
use closefit_report::files::NewFile;
use closefit_report::{AuditReport, json, table};

/// A question about the geometry of a robot.
#[derive(Clone, Debug)]
pub struct AuditPlan {
    pub input: Input,
    pub srdf: Option<PathBuf>,
    pub precision: Option<FlagLength>,
    /// The joints, each with its range, as the user writes them.
    pub joints: Vec<String>,
    /// The most configurations to try for each pair.
    pub configurations: u32,
    /// The most rows of each table; `None` for all.
    pub rows: Option<usize>,
    pub out: Option<PathBuf>,
    pub threads: Option<u16>,
}

/// Compares the two geometries.
pub fn run(plan: &AuditPlan) -> anyhow::Result<Outcome> {
    in_pool(plan.out.as_deref(), plan.threads, |clock| run_in_pool(plan, clock))
}

fn run_in_pool(plan: &AuditPlan, clock: Clock) -> anyhow::Result<Outcome> {
    let input = &plan.input;
    let [robot] = &input.scenes[..] else {
        return Err(anyhow!("an audit is about one robot, and not {} files", input.scenes.len()));
    };
    if input.reading.collision_geometry {
        return Err(of_flag(anyhow!("an audit reads the visual geometry, too"), "--collision-geometry"));
    }
    let progress = Progress::new(input.quiet);
    let asked = AuditRequest {
        precision: plan.precision.as_ref().map(in_metres).transpose()?,
        winding: input.winding,
        srdf: plan.srdf.clone(),
        joints: plan.joints.clone(),
        configurations: plan.configurations as usize,
    };
    let found = audit(robot, &input.reading, &asked, &progress)?;
    if plan.out.is_some() {
        progress.begin(Stage::Writing, 0);
        let report = &found.report;
        let file: NewFile = ("audit.json".to_owned(), Box::new(|file| json::write(file, report)));
        terminal::write_output(vec![file])?;
    }
    drop(progress);
    input.print_document(&found.report, || in_words(&found.report, plan, clock))?;
    if !input.quiet {
        terminal::print_notes(found.notes.iter());
    }
    Ok(if found.report.is_clean() { Outcome::Pass } else { Outcome::Fail })
}

/// Returns a length in metres, the unit of all robots.
fn in_metres(length: &FlagLength) -> anyhow::Result<f64> {
    length.length.in_unit(Some(Unit::M)).map_err(|error| of_flag(error, length.flag))
}

/// Returns the text for stdout.
fn in_words(report: &AuditReport, plan: &AuditPlan, clock: Clock) -> String {
    let screen = pair_commands::screen();
    let links = table::audited_links(report, plan.rows, screen);
    let lines = table::audited_never_lines(report, plan.rows, screen);
    let gap = if lines.is_empty() { "" } else { "\n" };
    let (header, counts) = (table::audit_header(report), table::audit_counts(report));
    pair_commands::summary(&plan.input.scenes, [&header, &format!("{links}{gap}{lines}"), &counts], clock)
}

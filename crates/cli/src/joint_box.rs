//! `closefit joint-box`: which parts of a robot can meet, over all configurations of its joints.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;

use crate::errors::of_flag;
use crate::outcome::Outcome;
use crate::pair_commands::{self, in_pool};
use crate::progress::Progress;
use crate::settings::input::Input;
use crate::settings::length::FlagLength;
use crate::settings::pairs::PairChoice;
use crate::terminal;
use closefit::internals::engine::{Clock, PRECISION};
use closefit::{CheckRequest, JointBoxRequest, Observer, Stage, Strategy};
use closefit_geometry::text::printable;
use closefit_job::{Job, files_line, joint_ranges, limit_notes, others_note, robot_of, whole_ranges};
use closefit_report::document::EncounterWord;
use closefit_report::exports::{unwritten_links, write_srdf};
use closefit_report::files::NewFile;
use closefit_report::{JointBoxReport, json, table};
use closefit_scene::read::Motions;

/// A question about all configurations of a robot.
#[derive(Clone, Debug)]
pub struct JointBoxPlan {
    pub input: Input,
    pub pairs: PairChoice,
    /// The joints, each with its range, as the user writes them.
    pub joints: Vec<String>,
    pub clearance: FlagLength,
    pub precision: Option<FlagLength>,
    /// The most configurations to try for each pair.
    pub configurations: u32,
    /// The SRDF to write.
    pub write_srdf: Option<PathBuf>,
    /// The most rows of the table; `None` for all.
    pub rows: Option<usize>,
    pub out: Option<PathBuf>,
    pub strategy: Strategy,
    pub threads: Option<u16>,
}

/// Finds which parts can meet.
pub fn run(plan: &JointBoxPlan) -> anyhow::Result<Outcome> {
    in_pool(plan.out.as_deref(), plan.threads, |clock| run_in_pool(plan, clock))
}

fn run_in_pool(plan: &JointBoxPlan, clock: Clock) -> anyhow::Result<Outcome> {
    let input = &plan.input;
    let progress = Progress::new(input.quiet);
    let job = input.job(&plan.pairs, Motions::Noted, &progress)?;
    let scene = job.scene();
    progress.name_parts(Arc::clone(job.assembly()));
    let (request, asked) = plan.request(&job)?;
    let report = job.joint_box(&request, &asked, &progress)?;
    let (mut files, mut elsewhere, mut notes) = (Vec::<NewFile>::new(), Vec::new(), Vec::new());
    if plan.out.is_some() {
        progress.begin(Stage::Writing, 0);
        files.push(("joint-box.json".to_owned(), Box::new(|file| json::write(file, &report))));
    }
    if let Some(path) = &plan.write_srdf {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut srdf = Vec::new();
        write_srdf(&report, scene, &name, &mut srdf)?;
        elsewhere.push((path.clone(), srdf));
        notes.extend(
            unwritten_links(scene)
                .map(|links| format!("{}: {links}", printable(&path.display().to_string()))),
        );
    }
    terminal::write_output_with(files, elsewhere)?;
    drop(progress);
    input.print_document(&report, || in_words(&report, plan, clock))?;
    if let [robot] = &scene.robots[..] {
        notes.extend(limit_notes(scene, robot, &asked.ranges.ranges));
        notes.extend(others_note(scene, robot));
    }
    notes.extend(job.claims_not_asked(None));
    input.say_notes(scene, &notes);
    let may_meet = report.pairs.iter().any(|pair| pair.encounter != EncounterWord::Never);
    Ok(if may_meet { Outcome::Fail } else { Outcome::Pass })
}

/// Returns the text for stdout.
fn in_words(report: &JointBoxReport, plan: &JointBoxPlan, clock: Clock) -> String {
    let pairs = table::joint_box_pairs(report, plan.rows, pair_commands::screen());
    let (header, counts) = (table::joint_box_header(report), table::joint_box_counts(report));
    pair_commands::summary(&plan.input.scenes, [&header, &pairs, &counts], clock)
}

impl JointBoxPlan {
    /// Returns the requests for a scene, with lengths in its unit.
    fn request(&self, job: &Job) -> anyhow::Result<(CheckRequest, JointBoxRequest)> {
        let (input, scene) = (&self.input, job.scene());
        let request = job.check_request()?;
        let request = request.clearance(self.clearance.in_unit(scene)?).strategy(self.strategy);
        let request = request.winding(input.winding).memory(input.memory());
        let refused = |why: String| match self.joints.is_empty() {
            true => anyhow!("{}: {why}", files_line(&input.scenes)),
            false => of_flag(anyhow!(why), format!("--joint {}", self.joints.join(" --joint "))),
        };
        let robot = robot_of(scene).map_err(refused)?;
        let ranges = joint_ranges(robot, &self.joints).map_err(refused)?;
        if self.write_srdf.is_some() {
            whole_ranges(robot, &ranges).map_err(refused)?;
        }
        let precision = match &self.precision {
            Some(precision) => precision.in_unit(scene)?,
            None => PRECISION * job.diagonal(None)?,
        };
        Ok((request, JointBoxRequest { ranges, precision, most: self.configurations as usize }))
    }
}

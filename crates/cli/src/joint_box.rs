//! `closefit joint-box`: which parts of a robot can meet, over all configurations of its joints.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;

use super::args::{Input, PairArgs};
use super::help::{JOINT_BOX, OUTPUT};
use super::progress::Progress;
use super::project::ProjectAsked;
use super::slack::SearchArgs;
use super::table_args::{Rows, rows};
use super::{
    FlagLength, Outcome, decide, exports, of_flag, print_document, read_options, refusal, say_notes, terminal,
};
use closefit::internals::engine::{Clock, JointBoxRequest, Observer, PRECISION, Stage};
use closefit::{CheckRequest, Strategy};
use closefit_geometry::text::printable;
use closefit_job::{Job, joint_ranges, read, robot_of, whole_ranges};
use closefit_report::document::EncounterWord;
use closefit_report::exports::{unwritten_links, write_srdf};
use closefit_report::files::NewFile;
use closefit_report::{JointBoxReport, json, table};
use closefit_scene::read::{Motions, ReadOptions};

#[derive(Debug, Args)]
#[command(after_help = JOINT_BOX)]
pub struct JointBoxArgs {
    /// Range of a joint: NAME=limits, NAME=A:B or NAME=V, in radians or metres; repeatable [default: the
    /// limits of every joint, or a full turn]
    #[arg(long = "joint", value_name = "NAME=RANGE", allow_hyphen_values = true)]
    joints: Vec<String>,
    /// Parts this close count as near
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    clearance: String,
    /// Width of the bracket of a smallest distance at which the search ends [default: 1e-5 of the scene's
    /// diagonal, or a 16th of the distance if that is more]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    precision: Option<String>,
    /// Largest number of configurations that are asked about for each pair
    #[arg(long, value_name = "N", default_value = "100000", value_parser = clap::value_parser!(u32).range(1..))]
    configurations: u32,
    #[command(flatten)]
    pairs: PairArgs,
    #[command(flatten)]
    input: Input,
    /// Write the links that never meet, or always, to this SRDF, for planners: of the collision meshes, if
    /// there are any
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    write_srdf: Option<PathBuf>,
    /// Use the visual meshes for --write-srdf, too
    #[arg(long, conflicts_with = "collision_geometry", help_heading = OUTPUT)]
    visual_geometry: bool,
    /// Largest number of rows of the table, or all
    #[arg(long, value_name = "N", default_value = "40", value_parser = rows, allow_hyphen_values = true,
        help_heading = OUTPUT)]
    rows: Rows,
    /// Write joint-box.json to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    #[command(flatten)]
    search: SearchArgs,
}

pub fn run(args: &JointBoxArgs) -> anyhow::Result<Outcome> {
    decide::in_pool(args.out.as_deref(), args.search.threads, &args.input, |clock| run_in_pool(args, clock))
}

fn run_in_pool(args: &JointBoxArgs, clock: Clock) -> anyhow::Result<Outcome> {
    let input = &args.input;
    let asked = Asked::of(args)?;
    let progress = Progress::new(input.quiet);
    let project = ProjectAsked::of(&args.pairs)?;
    let options = ReadOptions {
        srdf: args.pairs.srdf.clone(),
        motions: Motions::Noted,
        collision_if_any: args.write_srdf.is_some() && !args.visual_geometry,
        ..read_options(input)
    };
    let job = project.of_scene(read(&input.scenes, &options, &progress)?)?;
    let scene = job.scene();
    progress.name_parts(Arc::clone(job.assembly()));
    let (request, asked) = asked.request(args, &job)?;
    let report = job.joint_box(&request, &asked, &progress).map_err(refusal)?;
    if args.out.is_some() {
        progress.begin(Stage::Writing, 0);
        let file: NewFile = ("joint-box.json".to_owned(), Box::new(|file| json::write(file, &report)));
        terminal::write_output(vec![file])?;
    }
    let mut notes = Vec::new();
    if let Some(path) = &args.write_srdf {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut srdf = Vec::new();
        write_srdf(&report, scene, &name, &mut srdf)?;
        exports::write_all(vec![(path.clone(), srdf)])?;
        notes.extend(
            unwritten_links(scene)
                .map(|links| format!("{}: {links}", printable(&path.display().to_string()))),
        );
    }
    drop(progress);
    print_document(input, &report, || in_words(&report, args, clock))?;
    notes.extend(job.claims_not_asked(None));
    say_notes(input, scene, &notes);
    let may_meet = report.pairs.iter().any(|pair| pair.encounter != EncounterWord::Never);
    Ok(if may_meet { Outcome::Fail } else { Outcome::Pass })
}

/// Returns the text for stdout.
fn in_words(report: &JointBoxReport, args: &JointBoxArgs, clock: Clock) -> String {
    let pairs = table::joint_box_pairs(report, args.rows.0, Some(decide::width()));
    let (header, counts) = (table::joint_box_header(report), table::joint_box_counts(report));
    decide::summary(&args.input.scenes, [&header, &pairs, &counts], clock)
}

/// The user's lengths and strategy.
struct Asked {
    clearance: FlagLength,
    precision: Option<FlagLength>,
    strategy: Strategy,
}

impl Asked {
    fn of(args: &JointBoxArgs) -> anyhow::Result<Self> {
        Ok(Self {
            clearance: FlagLength::of("--clearance", &args.clearance, &args.input)?,
            precision: FlagLength::of_optional("--precision", args.precision.as_ref(), &args.input)?,
            strategy: args.search.strategy(&args.input)?,
        })
    }

    /// Returns the settings, with lengths in the scene's unit.
    fn request(&self, args: &JointBoxArgs, job: &Job) -> anyhow::Result<(CheckRequest, JointBoxRequest)> {
        let (input, scene) = (&args.input, job.scene());
        let request = job.check_request().map_err(refusal)?;
        let request = request.clearance(self.clearance.in_unit(scene, input)?).strategy(self.strategy);
        let request = request.winding(input.winding()).memory(input.memory());
        let refused = |why: String| match args.joints.is_empty() {
            true => anyhow!("{}: {why}", closefit_job::files_line(&input.scenes)),
            false => of_flag(anyhow!(why), format!("--joint {}", args.joints.join(" --joint ")), input),
        };
        let robot = robot_of(scene).map_err(refused)?;
        let ranges = joint_ranges(robot, &args.joints).map_err(refused)?;
        if args.write_srdf.is_some() {
            whole_ranges(robot, &ranges).map_err(refused)?;
        }
        let precision = match &self.precision {
            Some(precision) => precision.in_unit(scene, input)?,
            None => PRECISION * job.diagonal(None).map_err(refusal)?,
        };
        Ok((request, JointBoxRequest { ranges, precision, most: args.configurations as usize }))
    }
}

//! `closefit slack`: how far parts can move, each alone, before they come near others.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};

use super::args::{Backend, Input, PairArgs, backend, threads, tree};
use super::help::{OUTPUT, SLACK};
use super::progress::Progress;
use super::project::ProjectAsked;
use super::table_args::{Rows, rows};
use super::{
    FlagLength, Outcome, decide, of_flag, print_document, read_scene, refusal, say_notes, terminal, time,
};
use closefit::internals::engine::{Clock, Observer, Stage};
use closefit::{Axes, DVec3, PartId, SlackError, SlackRequest, Strategy, TreeKind};
use closefit_geometry::ids::to_u32;
use closefit_geometry::scene::Scene;
use closefit_geometry::units::Length;
use closefit_job::{Job, JobError, files_line, parts_listed};
use closefit_report::files::NewFile;
use closefit_report::{SlackReport, csv, json, table};
use closefit_scene::read::{Format, Motions};

#[derive(Debug, Args)]
#[command(after_help = SLACK, override_usage = "closefit slack [OPTIONS] <SCENE>... <PART>...")]
pub struct SlackArgs {
    /// The parts, which are among the scenes at first.
    #[arg(skip)]
    parts: Vec<String>,
    /// Ask about every part
    #[arg(long)]
    all: bool,
    /// The distance that parts keep
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    clearance: String,
    /// Largest depth of overlap at the start that counts as contact [default: the smallest power of ten, in
    /// scene units, that is at least 1e-6 of the scene's diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    tolerance: Option<String>,
    /// A part is stopped within half of this of the clearance [default: 1e-5 of the scene's diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    precision: Option<String>,
    /// Axes along and about which parts move
    #[arg(long, value_name = "AXES", value_enum, default_value = "scene")]
    axes: AxesArg,
    /// Point on the axes of all turns [default: the middle of each part's box]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    about: Option<String>,
    /// Take moving parts where they are at this time, in seconds
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    at: Option<String>,
    #[command(flatten)]
    pairs: PairArgs,
    #[command(flatten)]
    input: Input,
    /// Largest number of rows of the table of all parts, or all
    #[arg(long, value_name = "N", default_value = "40", value_parser = rows, allow_hyphen_values = true,
        help_heading = OUTPUT)]
    rows: Rows,
    /// Write slack.json and slack.csv to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    #[command(flatten)]
    search: SearchArgs,
}

/// Arguments about how the answer is found.
#[derive(Debug, Args)]
#[command(next_help_heading = "Performance (without effect on answers)")]
pub struct SearchArgs {
    /// Executor of the kernels: auto, scalar or simd
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend)]
    backend: Backend,
    /// Kind of tree, as of check
    #[arg(long, value_name = "TREE", default_value = "auto", value_parser = tree)]
    tree: TreeKind,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<u16>,
}

impl SearchArgs {
    /// Returns the kind of tree and the executor.
    pub fn strategy(&self, input: &Input) -> anyhow::Result<Strategy> {
        let executor = match self.backend {
            Backend::Auto => None,
            Backend::On(executor) => Some(executor),
            Backend::Gpu => {
                return Err(of_flag(anyhow!("a device does not help here"), "--backend gpu", input));
            }
        };
        let strategy = Strategy::new(self.tree, executor);
        strategy.map_err(|error| of_flag(error, format!("--tree {}", self.tree), input))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AxesArg {
    Scene,
    Part,
}

impl SlackArgs {
    /// Takes the parts from the list of scenes: all from the first that does not end like a scene file, after
    /// the first of all.
    pub fn tell_parts_from_scenes(&mut self) {
        let scenes = &mut self.input.scenes;
        let is_scene = |path: &PathBuf| Format::of(&path.to_string_lossy()).is_ok();
        let others = scenes.iter().skip(1).take_while(|path| is_scene(path)).count();
        let parts = scenes.split_off((1 + others).min(scenes.len()));
        self.parts = parts.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        scenes.extend_from_slice(&self.pairs.against);
    }
}

pub fn run(args: &SlackArgs) -> anyhow::Result<Outcome> {
    decide::in_pool(args.out.as_deref(), args.search.threads, &args.input, |clock| run_in_pool(args, clock))
}

fn run_in_pool(args: &SlackArgs, clock: Clock) -> anyhow::Result<Outcome> {
    let asked = Asked::of(args)?;
    let progress = Progress::new(args.input.quiet);
    let job = job(args, &progress)?;
    let scene = job.scene();
    progress.name_parts(Arc::clone(job.assembly()));
    let parts = parts(args, scene)?;
    let request = asked.request(args, &job)?;
    let report = job.slack(&parts, &request, &progress).map_err(|error| refused(error, args))?;
    if args.out.is_some() {
        progress.begin(Stage::Writing, 0);
        let files: Vec<NewFile> = vec![
            ("slack.csv".to_owned(), Box::new(|file| csv::write_slack(&report, file))),
            ("slack.json".to_owned(), Box::new(|file| json::write(file, &report))),
        ];
        terminal::write_output(files)?;
    }
    drop(progress);
    print_document(&args.input, &report, || in_words(&report, args, clock))?;
    say_notes(&args.input, scene, &job.claims_not_asked(None));
    Ok(Outcome::Pass)
}

/// Reads the scene as it stands, or at the time `--at`, with the rules about its pairs.
fn job(args: &SlackArgs, progress: &Progress) -> anyhow::Result<Job> {
    let input = &args.input;
    let project = ProjectAsked::of(&args.pairs)?;
    let motions = if args.at.is_some() { Motions::Required } else { Motions::Noted };
    let at = args.at.as_ref().map(|text| time("--at", text, input).map(|at| (at, text))).transpose()?;
    let job = project.of_scene(read_scene(input, motions, args.pairs.srdf.as_ref(), progress)?)?;
    let Some((at, text)) = at else { return Ok(job) };
    match job.scene().time_range() {
        Some(_) => Ok(job.at(at)),
        None => Err(of_flag(anyhow!("nothing in the scene moves"), format!("--at {text}"), input)),
    }
}

/// Returns the parts that are asked about.
fn parts(args: &SlackArgs, scene: &Scene) -> anyhow::Result<Vec<PartId>> {
    let files = files_line(&args.input.scenes);
    match (&args.parts[..], args.all) {
        ([], true) => Ok((0..to_u32(scene.parts.len())).map(PartId).collect()),
        ([], false) => bail!("{files}: which parts? name them after the scene, or give --all"),
        ([first, ..], true) => {
            bail!("{files}: --all is about every part, '{first}' too: give one or the other")
        }
        (names, false) => parts_listed(scene, names).map_err(|why| anyhow!("{files}: {why}")),
    }
}

/// Returns the text for stdout.
fn in_words(report: &SlackReport, args: &SlackArgs, clock: Clock) -> String {
    let width = Some(decide::width());
    let tables = match args.all {
        true => table::slack_of_all(report, args.rows.0, width),
        false => {
            let each = report.slack.iter().map(|row| table::slack_of_part(report, row, width));
            each.collect::<Vec<_>>().join("\n")
        }
    };
    let parts = format!("{} of {} parts moved", report.slack.len(), report.parts.len());
    decide::summary(&args.input.scenes, [&table::slack_header(report), &tables, &parts], clock)
}

/// Adds the flag to a refusal that is about one.
fn refused(error: JobError, args: &SlackArgs) -> anyhow::Error {
    match error {
        JobError::Slack { error: SlackError::Precision { asked, smallest }, .. }
            if args.precision.is_none() =>
        {
            let why = anyhow!(
                "the default precision of {asked:e} is too fine for f64 here: the smallest possible is about {smallest:e}"
            );
            of_flag(why, "--precision", &args.input)
        }
        JobError::Slack { error, .. } => of_flag(error, "--precision", &args.input),
        JobError::Nothing { .. } => anyhow!(error),
        error => refusal(error),
    }
}

/// The user's lengths and strategy.
struct Asked {
    clearance: FlagLength,
    tolerance: Option<FlagLength>,
    precision: Option<FlagLength>,
    about: Option<[(f64, FlagLength); 3]>,
    strategy: Strategy,
}

impl Asked {
    fn of(args: &SlackArgs) -> anyhow::Result<Self> {
        let input = &args.input;
        Ok(Self {
            clearance: FlagLength::of("--clearance", &args.clearance, input)?,
            tolerance: FlagLength::of_optional("--tolerance", args.tolerance.as_ref(), input)?,
            precision: FlagLength::of_optional("--precision", args.precision.as_ref(), input)?,
            about: args.about.as_ref().map(|text| point("--about", text, input)).transpose()?,
            strategy: args.search.strategy(input)?,
        })
    }

    /// Returns the settings, with lengths in the scene's unit.
    fn request(&self, args: &SlackArgs, job: &Job) -> anyhow::Result<SlackRequest> {
        let (input, scene) = (&args.input, job.scene());
        let mut request = job.slack_request()?.clearance(self.clearance.in_unit(scene, input)?);
        if let Some(tolerance) = &self.tolerance {
            request = request.tolerance(tolerance.in_unit(scene, input)?);
        }
        if let Some(precision) = &self.precision {
            request = request.precision(precision.in_unit(scene, input)?);
        }
        if let Some(about) = &self.about {
            let mut point = [0.0; 3];
            for (coordinate, (sign, length)) in point.iter_mut().zip(about) {
                *coordinate = sign * length.in_unit(scene, input)?;
            }
            request = request.about(DVec3::from_array(point));
        }
        let axes = match args.axes {
            AxesArg::Scene => Axes::Scene,
            AxesArg::Part => Axes::Part,
        };
        Ok(request.axes(axes).strategy(self.strategy).winding(input.winding()).memory(input.memory()))
    }
}

/// Parses the point of a flag: three lengths, each with a sign or without.
fn point(flag: &'static str, text: &str, input: &Input) -> anyhow::Result<[(f64, FlagLength); 3]> {
    let refusal = || of_flag(anyhow!("'{text}': a point is three lengths, X,Y,Z"), flag, input);
    let coordinate = |text: &str| -> Option<(f64, FlagLength)> {
        let (sign, length) = text.trim().strip_prefix('-').map_or((1.0, text.trim()), |rest| (-1.0, rest));
        let length: Length = length.parse().ok()?;
        Some((sign, FlagLength { flag, length }))
    };
    let coordinates: Option<Vec<_>> = text.split(',').map(coordinate).collect();
    coordinates.and_then(|all| all.try_into().ok()).ok_or_else(refusal)
}

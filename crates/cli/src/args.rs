//! The command line's arguments. Lengths and times stay text until the scene, which their errors name, is
//! known.

use std::ffi::OsString;
use std::path::PathBuf;

use bytesize::ByteSize;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use super::batch::BatchArgs;
use super::bench::BenchArgs;
use super::diff::DiffArgs;
use super::exports::ExportArgs;
use super::grouping::GroupArgs;
use super::heat_map::HeatMapArgs;
use super::help::{CHECK, EXAMPLES, GENERATE, INSPECT, OUTPUT, SWEEP, VERIFY, WAIVE, with_exit_status};
use super::joint_box::JointBoxArgs;
use super::kept_args::{BudgetArgs, KeptArgs};
use super::machine;
use super::merge::MergeArgs;
use super::question_args::QuestionArgs;
use super::report::ReportArgs;
use super::reproduce::ReproduceArgs;
use super::row_args::{self, RowArgs};
use super::scene_exports::SceneExportArgs;
use super::slack::SlackArgs;
use super::table_args::TableArgs;
use closefit::internals::broad::method::BroadPhase;
use closefit::internals::continuous::method::Method;
use closefit::internals::hierarchy::kind::TreeKind;
use closefit::internals::hierarchy::strategy::{Strategy, Unavailable};
use closefit::internals::query::Verdict;
use closefit_geometry::executor::Executor;
use closefit_geometry::hull::filter::HullFilter;
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::units::Unit;
use closefit_job::Job;
use closefit_methods::recipe::{self, RecipeError};
use closefit_methods::{ALL, UnknownTree, parse};
use closefit_project::{Fail, SetText};
use closefit_report::diff::FailOnDiff;

/// Exact clash and clearance checking of triangle-mesh assemblies.
#[derive(Debug, Parser)]
#[command(name = "closefit", version, arg_required_else_help = false, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Parses arguments, the name of the program first. The files of both sides are then those of the scene,
    /// in order.
    pub fn of(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        let matches = Self::command().try_get_matches_from(&arguments)?;
        let mut cli = Self::from_arg_matches(&matches)?;
        if let (Command::Check(args), Some((_, matches))) = (&mut cli.command, matches.subcommand()) {
            row_args::refuse_conflicts(args, matches)?;
            if args.baseline.is_some() && matches.value_source("fail_on") != Some(ValueSource::CommandLine) {
                args.run.fail_on = FailOn::Worse;
            }
        }
        if let Command::Check(CheckArgs { pairs, input, kept, .. })
        | Command::Sweep(SweepArgs { pairs, input, kept, .. }) = &mut cli.command
        {
            kept.arguments = arguments.into_iter().skip(1).collect();
            input.scenes.extend_from_slice(&pairs.against);
        } else if let Command::Batch(args) = &mut cli.command {
            args.kept.arguments = arguments.into_iter().skip(1).collect();
        }
        if let Command::Slack(args) = &mut cli.command {
            args.tell_parts_from_scenes();
        }
        Ok(cli)
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find clashes, contacts and small clearances between parts at rest
    Check(CheckArgs),
    /// Check many scenes, one after the other
    Batch(BatchArgs),
    /// Find times of contact and smallest clearances between moving parts
    Sweep(SweepArgs),
    /// Put the shards of a run together
    Merge(MergeArgs),
    /// Show how far parts can move alone before they come near others
    Slack(SlackArgs),
    /// Find which parts of a robot can meet, over all configurations of its joints
    JointBox(JointBoxArgs),
    /// Show the contents of a scene and the defects of its meshes
    Inspect(InspectArgs),
    /// Accept findings of a report while they are no worse
    Waive(WaiveArgs),
    /// Ask the claims of a certificate again
    Verify(VerifyArgs),
    /// Compare what every method takes for the same answers about a scene
    Bench(BenchArgs),
    /// Write a benchmark scene
    Generate(GenerateArgs),
    /// Compare two reports: new, worse and resolved pairs
    Diff(DiffArgs),
    /// Show the findings of a finished run: pictures, BCF issues, a model
    Report(ReportArgs),
    /// Run the experiments of five papers on collision detection again
    Reproduce(ReproduceArgs),
}

/// Arguments of every command that reads a scene.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scene")]
pub struct Input {
    /// Scene files: .glb .gltf .stl .obj .ply .urdf or a .json manifest
    #[arg(value_name = "SCENE", required = true, help_heading = None)]
    pub scenes: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Name a SCENE in reports, instead of its file name; repeatable
    #[arg(long = "model", value_name = "NAME=FILE", value_parser = model)]
    pub models: Vec<(String, PathBuf)>,
    /// Motion of a .urdf robot: a CSV file with the columns t_s,joint,...
    #[arg(long, value_name = "FILE")]
    pub trajectory: Option<PathBuf>,
    /// Print only the report, as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Print no table, notes or progress
    #[arg(long, help_heading = OUTPUT)]
    pub quiet: bool,
}

impl Input {
    /// Returns the limit of memory in bytes, if any is known.
    pub fn memory(&self) -> Option<u64> {
        self.reading.memory.or_else(machine::memory)
    }

    /// Returns the treatment of the winding of meshes.
    pub fn winding(&self) -> Winding {
        if self.reading.as_is { Winding::AsFound } else { Winding::Repaired }
    }
}

/// Arguments about how the files of any scene are read.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Scene")]
pub struct ReadingArgs {
    /// Unit of STL, OBJ and PLY files: mm, cm, m, in or ft
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<Unit>,
    /// Use the collision meshes of a .urdf instead of the visual ones
    #[arg(long)]
    pub collision_geometry: bool,
    /// Do not repair the winding and the seams of meshes
    #[arg(long)]
    pub as_is: bool,
    /// Allow the scene to use files outside its folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Folder of a ROS package, for addresses that begin with package://NAME; repeatable
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    pub packages: Vec<(String, PathBuf)>,
    /// Leave out parts that cannot be read, and count them in the report
    #[arg(long)]
    pub allow_missing: bool,
    /// Limit of memory: 2GB, 512MiB or a number of bytes [default: 3/4 of the machine's]
    #[arg(long, value_name = "LIMIT", value_parser = size, allow_hyphen_values = true)]
    pub memory: Option<u64>,
}

/// Arguments that say which pairs are asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pairs")]
pub struct PairArgs {
    /// Scene files of the other side: only pairs of a part of SCENE and a part of these are asked
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "sets")]
    pub against: Vec<PathBuf>,
    /// Ask only about the parts of a set, such as type=IfcPipe*,model=A; given twice, about pairs of a part
    /// of each set
    #[arg(long = "set", value_name = "SET")]
    pub sets: Vec<SetText>,
    /// Rules: which groups of parts are asked against which, how near they may come, what is excluded
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Exclude the pairs of links that an SRDF disables
    #[arg(long, value_name = "FILE")]
    pub srdf: Option<PathBuf>,
}

/// Arguments of every command that decides pairs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Performance (without effect on answers)")]
pub struct RunArgs {
    /// Write report.json, pairs.csv, issues.csv and run.json to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Exit with status 1 if any pair has this verdict or a worse one or, with --baseline, if any is new, or
    /// new or worse, which is then the default
    #[arg(long, value_name = "VERDICT", default_value = "undecided", help_heading = OUTPUT)]
    pub fail_on: FailOn,
    /// Accept a scene of which no pair is to be checked, instead of exit status 2
    #[arg(long, help_heading = OUTPUT)]
    pub allow_empty: bool,
    /// Executor of the kernels: auto, scalar, simd, or gpu (a compute device helps)
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend)]
    pub backend: Backend,
    /// Compute adapter of --backend gpu: a part of its name, or its number [default: 0]
    #[arg(long, value_name = "ADAPTER")]
    pub adapter: Option<String>,
    /// Kind of tree: auto (obb, the fastest of them), obb, rapid (scalar only), sphere, kdop6, kdop14,
    /// kdop18, kdop26, box (10 to 100 times slower than obb), octree, octree-median, or simple (no tree: its
    /// time grows with the product of the triangles of two parts). Parameters may follow, as in
    /// rapid:as-printed, box:depth=7,empty=0.2 or octree:cuts=3-2-2/2-2-2
    #[arg(long, value_name = "TREE", default_value = "auto", value_parser = tree)]
    pub tree: TreeKind,
    /// Broad phase, which finds the pairs of parts to decide: sweep-and-prune, grid, recursive-grid, lists,
    /// or brute (lists and brute take long for many thousands of parts)
    #[arg(long, value_name = "METHOD", default_value_t)]
    pub broad: BroadPhase,
    /// Filter by convex hulls, which may prove pairs apart before their trees are searched: off,
    /// closest-features, or contact-region, which also asks which triangles meet the intersection of the
    /// hulls (check only)
    #[arg(long, value_name = "FILTER", default_value_t)]
    pub hull: HullFilter,
    /// Keep the trees of large meshes in this directory, and take them from there when they are needed again
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<u16>,
}

/// The kinds of trees of `--cross-check`.
#[derive(Clone, Debug)]
pub struct Compared(pub Vec<TreeKind>);

fn compared(text: &str) -> Result<Compared, UnknownTree> {
    let kinds = match text {
        "all" => Ok(ALL.iter().copied().filter(|kind| !kind.is_quadratic()).collect()),
        _ => text.split(',').map(|name| parse(name.trim())).collect(),
    };
    kinds.map(Compared)
}

#[derive(Debug, Args)]
#[command(after_help = with_exit_status(CHECK, true))]
pub struct CheckArgs {
    #[command(flatten)]
    pub question: QuestionArgs,
    /// Compare what other trees find of every pair: all, or some of the trees of --tree, as T1,T2
    #[arg(long, value_name = "TREES", value_parser = compared)]
    pub cross_check: Option<Compared>,
    /// Check moving parts at this time, in seconds; at FROM:TO:STEP, a line of JSON for each
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Compare with the report.json of an earlier check: then new findings and those that got worse fail,
    /// unless --fail-on says otherwise
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Take a baseline that leaves pairs open: its run had a budget, lacked a shard or crashed
    #[arg(long, requires = "baseline")]
    pub partial_baseline: bool,
    #[command(flatten)]
    pub rows: RowArgs,
    #[command(flatten)]
    pub groups: GroupArgs,
    #[command(flatten)]
    pub exports: ExportArgs,
    #[command(flatten)]
    pub scene_exports: SceneExportArgs,
    #[command(flatten)]
    pub heat_map: HeatMapArgs,
    #[command(flatten)]
    pub pairs: PairArgs,
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub kept: KeptArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
#[command(after_help = with_exit_status(SWEEP, false))]
pub struct SweepArgs {
    /// List pairs that may come as close as this length
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    pub clearance: String,
    /// Largest depth of overlap at the start that counts as contact, not clash [default: the
    /// smallest power of ten, in scene units, that is at least 1e-6 of the scene's diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub tolerance: Option<String>,
    /// Largest width of a bracket of a distance; parts within half of it are in contact [default: 1e-5 of the
    /// scene's diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub precision: Option<String>,
    /// Start of the sweep, in seconds [default: the first keyframe, or 0]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// End of the sweep, in seconds [default: the last keyframe, or 0]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// Sweep a joint of a .urdf robot instead of time: NAME=limits, or NAME=A:B in radians or metres; given
    /// again, another sweep of its own
    #[arg(long = "joint", value_name = "NAME=RANGE", conflicts_with_all = ["trajectory", "from", "to"],
        allow_hyphen_values = true)]
    pub joints: Vec<String>,
    /// Put the other joints there: NAME=V,NAME=V, or a CSV file with one row of joints [default: 0, or the
    /// limit nearest to it]
    #[arg(long, value_name = "VALUES", requires = "joints", allow_hyphen_values = true)]
    pub at_joints: Option<String>,
    /// Find all intervals in which pairs are in contact, or within the clearance, and where they are clear
    #[arg(long)]
    pub intervals: bool,
    /// Trace the distance of two parts over time: in the report, and as CSV in trace.csv of --out, or else on
    /// stdout instead of the table; A and B are names, keys or ids
    #[arg(long, value_name = "A,B")]
    pub trace: Option<String>,
    #[command(flatten)]
    pub scene_exports: SceneExportArgs,
    #[command(flatten)]
    pub pairs: PairArgs,
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub kept: KeptArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Search over time: swept, interval or redon (Redon et al. 2002), or options such as order=space-first,
    /// separated by commas
    #[arg(long, value_name = "METHOD", default_value_t)]
    pub method: Method,
}

#[derive(Debug, Args)]
#[command(after_help = INSPECT)]
pub struct InspectArgs {
    /// Show what each mesh leaves open of its convex hull, see below
    #[arg(long)]
    pub features: bool,
    #[command(flatten)]
    pub input: Input,
}

#[derive(Debug, Args)]
#[command(after_help = WAIVE)]
pub struct WaiveArgs {
    /// Keys of pairs, as the report has them
    #[arg(value_name = "KEY", required = true)]
    pub keys: Vec<String>,
    /// Report of a check that lists them
    #[arg(long, value_name = "FILE", default_value = "report.json")]
    pub report: PathBuf,
    /// Rules file, in TOML, to which the waivers are added
    #[arg(long, value_name = "FILE")]
    pub rules: PathBuf,
    /// Reason why they are accepted
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Accept them only while mesh and place of both parts stay as they are
    #[arg(long)]
    pub pinned: bool,
    /// Print nothing
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = VERIFY)]
pub struct VerifyArgs {
    /// Certificate that a check or a sweep has written
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    /// Rules file with the claims
    #[arg(long, value_name = "FILE")]
    pub rules: PathBuf,
    /// SRDF that the run had
    #[arg(long, value_name = "FILE")]
    pub srdf: Option<PathBuf>,
    #[command(flatten)]
    pub input: Input,
}

#[derive(Debug, Args)]
#[command(after_help = GENERATE)]
pub struct GenerateArgs {
    /// Name of a scene, see --list
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    pub name: Option<String>,
    /// List the scenes
    #[arg(long)]
    pub list: bool,
    /// Directory to write to
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub out: PathBuf,
    /// Write NAME.glb, or a folder NAME with a manifest [default: glb, or manifest for moving scenes]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Size of the scene, in the sense and with the default that --list shows
    #[arg(long, value_name = "N")]
    pub size: Option<u32>,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value = "0")]
    pub seed: u64,
    /// Shuffle the triangles and reverse about half, so that no mesh bounds a solid
    #[arg(long)]
    pub soup: bool,
    /// Print nothing
    #[arg(long)]
    pub quiet: bool,
}

/// The mildest verdict with which a run fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Clash,
    Undecided,
    Contact,
    Clearance,
    Never,
    New,
    Worse,
}

impl FailOn {
    /// Returns its word on the command line.
    pub fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Returns the changes since the baseline with which the run fails, if it is these that count.
    pub fn of_changes(self) -> Option<FailOnDiff> {
        match self {
            Self::New => Some(FailOnDiff::New),
            Self::Worse => Some(FailOnDiff::Worse),
            _ => None,
        }
    }

    /// Returns the mildest verdict with which a pair fails: that of its rule, or else this one.
    pub fn of_pair(self, job: &Job, ids: [u32; 2]) -> Self {
        match job.fail_of(ids) {
            None => self,
            Some(Fail::Clash) => Self::Clash,
            Some(Fail::Undecided) => Self::Undecided,
            Some(Fail::Contact) => Self::Contact,
            Some(Fail::Clearance) => Self::Clearance,
            Some(Fail::Never) => Self::Never,
        }
    }

    /// True when a pair with this verdict makes the run fail.
    pub fn fails(self, verdict: Verdict) -> bool {
        let mildest = match self {
            // Parts that meet may clash.
            Self::Clash => Verdict::Meets,
            Self::Undecided => Verdict::Undecided,
            Self::Contact => Verdict::Contact,
            Self::Clearance => Verdict::Clearance,
            Self::Never | Self::New | Self::Worse => return false,
        };
        verdict <= mildest
    }
}

/// The file format of a generated scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Glb,
    Manifest,
}

/// Parses a size such as `2GB`.
pub fn size(text: &str) -> Result<u64, &'static str> {
    let size: Option<ByteSize> = text.parse().ok();
    size.map(|size| size.as_u64()).filter(|&size| size > 0).ok_or("a size is like 2GB, 512MiB or 1000000000")
}

/// Parses a number of threads.
pub fn threads(text: &str) -> Result<u16, &'static str> {
    text.parse()
        .ok()
        .filter(|threads| (1..=1024).contains(threads))
        .ok_or("a number of threads is from 1 to 1024")
}

/// Parses `NAME=FILE`.
fn model(text: &str) -> Result<(String, PathBuf), &'static str> {
    named_path(text).ok_or("a model is NAME=FILE")
}

/// Parses `NAME=DIR`.
fn package(text: &str) -> Result<(String, PathBuf), &'static str> {
    named_path(text).ok_or("a package is NAME=DIR")
}

fn named_path(text: &str) -> Option<(String, PathBuf)> {
    let named = text.split_once('=').filter(|(name, path)| !name.is_empty() && !path.is_empty());
    named.map(|(name, path)| (name.to_owned(), PathBuf::from(path)))
}

/// The selected backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The tree's best executor, with a compute device if that is predicted to pay.
    Auto,
    /// This executor.
    On(Executor),
    /// The tree's best executor with a compute device.
    Gpu,
}

impl RunArgs {
    /// Returns the kind of tree and the executor of its kernels, without a device.
    pub fn strategy(&self) -> Result<Strategy, Unavailable> {
        let executor = if let Backend::On(executor) = self.backend { Some(executor) } else { None };
        Strategy::new(self.tree, executor)
    }
}

/// Parses a kind of tree. `auto` is the kind that took the least time on every scene and question measured:
/// see `benches/record/methods.md`. Parameters may follow a colon.
pub fn tree(text: &str) -> Result<TreeKind, RecipeError> {
    if text == "auto" { Ok(TreeKind::default()) } else { recipe::parse(text) }
}

/// Parses the name of a backend.
pub fn backend(text: &str) -> Result<Backend, &'static str> {
    match text {
        "auto" => Ok(Backend::Auto),
        "gpu" if cfg!(feature = "gpu") => Ok(Backend::Gpu),
        "gpu" => Err("this program was built without it: use auto, scalar or simd"),
        _ => match text.parse() {
            Ok(executor) => Ok(Backend::On(executor)),
            Err(_) => Err("unknown backend: use auto, scalar, simd or gpu"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn failing_follows_severity() {
        let listed = [Verdict::Clash, Verdict::Undecided, Verdict::Contact, Verdict::Clearance];
        for (fail_on, failing) in [
            (FailOn::Clash, 1),
            (FailOn::Undecided, 2),
            (FailOn::Contact, 3),
            (FailOn::Clearance, 4),
            (FailOn::Never, 0),
            (FailOn::New, 0),
        ] {
            assert_eq!(listed.map(|v| fail_on.fails(v)).iter().filter(|f| **f).count(), failing);
            assert!(!fail_on.fails(Verdict::Clear));
        }
    }
}

//! The command line's arguments. Lengths and times stay text until the scene, which their errors name, is known.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::continuous::method::Boxes;
use crate::executor::Executor;
use crate::hierarchy::kind::TreeKind;
use crate::hierarchy::strategy::{Strategy, Unavailable};
use crate::mesh::topology::Winding;
use crate::query::{DepthDetail, Verdict};
use crate::units::Unit;

/// Exact clash and clearance checking of triangle-mesh assemblies.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = false)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find clashes, contacts and clearances of the parts where they stand
    Check(CheckArgs),
    /// Find times of contact and smallest clearances over the motion
    Sweep(SweepArgs),
    /// List parts, triangles and units, and the defects of each mesh
    Inspect(InspectArgs),
    /// Write a benchmark scene
    Generate(GenerateArgs),
}

/// Arguments of every command that reads a scene.
#[derive(Debug, Args)]
pub struct Input {
    /// Files of the scene: .glb .gltf .stl .obj .ply .urdf or a .json manifest; several make one scene
    #[arg(value_name = "SCENE", required = true)]
    pub scenes: Vec<PathBuf>,
    /// Unit of files that carry none (STL, OBJ, PLY): mm, cm, m, in or ft
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<Unit>,
    /// Name of a SCENE in keys and tables, instead of its file's name; may be repeated
    #[arg(long = "model", value_name = "NAME=FILE", value_parser = model)]
    pub models: Vec<(String, PathBuf)>,
    /// Motion of the joints of a .urdf: a CSV of t_s,joint,...
    #[arg(long, value_name = "FILE")]
    pub trajectory: Option<PathBuf>,
    /// Use the collision meshes of a .urdf instead of its visual ones
    #[arg(long)]
    pub collision_geometry: bool,
    /// Take meshes as they are: neither repair their winding nor close their seams
    #[arg(long)]
    pub as_is: bool,
    /// Allow buffers and meshes outside the scene's own folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Print the report, and nothing else, on stdout
    #[arg(long)]
    pub json: bool,
    /// Print no table, notes or progress
    #[arg(long)]
    pub quiet: bool,
}

impl Input {
    /// Returns the treatment of the winding of meshes.
    pub fn winding(&self) -> Winding {
        if self.as_is { Winding::AsFound } else { Winding::Repaired }
    }
}

/// Arguments of every command that decides pairs.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Write report.json, pairs.csv and run.json into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Exit with 1 if any pair has this verdict or a worse one
    #[arg(long, value_name = "VERDICT", default_value = "undecided")]
    pub fail_on: FailOn,
    /// Executor of the kernels: auto (the tree's best), scalar or simd; no answer depends on it
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend)]
    pub backend: Backend,
    /// Kind of tree: obb (oriented boxes, eight to a block) or rapid (binary, in f64; scalar only); no answer depends
    /// on it
    #[arg(long, value_name = "TREE", default_value_t)]
    pub tree: TreeKind,
    /// Threads to use, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 nothing at or above --fail-on, 1 something is, 2 wrong usage or \
    bad input, 130, 143 or 129 interrupted by Ctrl-C, SIGTERM or SIGHUP.")]
pub struct CheckArgs {
    #[command(flatten)]
    pub input: Input,
    /// List pairs that come this close: 5mm, 0.2in, or a bare number in scene units
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    pub clearance: String,
    /// Overlap up to this depth is contact, not clash [default: 1e-6 of the scene's diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub tolerance: Option<String>,
    /// Detail of depths: full, brackets of 1 %; verdict, the side of the tolerance, with brackets that may be wide; or
    /// none, which does not distinguish clash from contact (`meets`, which fails as a clash does)
    #[arg(long, value_name = "DETAIL", value_enum, default_value = "full")]
    pub depth: DepthArg,
    /// Move the parts to this time, in seconds
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// List every pair of triangles in contact in the report
    #[arg(long)]
    pub contacts: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "The time of a pair is cut into cells in which no point moves farther than half the \
    precision. The time of contact is the first cell in whose middle the parts are as close as that: no contact is \
    missed, however brief. Exit status: 0 nothing at or above --fail-on, 1 something is, 2 wrong usage or bad \
    input, 130, 143 or 129 interrupted by Ctrl-C, SIGTERM or SIGHUP.")]
pub struct SweepArgs {
    #[command(flatten)]
    pub input: Input,
    /// List pairs that may come this close: 5mm, 0.2in, or a bare number in scene units
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    pub clearance: String,
    /// Overlap up to this depth at the start is contact, not clash [default: 1e-6 of the scene's diagonal at the
    /// start]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub tolerance: Option<String>,
    /// Largest width of the brackets of distances; parts within half of it are in contact [default: 1e-5 of the
    /// scene's diagonal at the start]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub precision: Option<String>,
    /// Start of the sweep, in seconds [default: the first keyframe, or 0]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// End of the sweep, in seconds [default: the last keyframe, or 0]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// Write the distance of two parts (by name, key or id) over time as CSV: to trace.csv in --out, otherwise to
    /// stdout instead of the table
    #[arg(long, value_name = "A,B")]
    pub trace: Option<String>,
    /// Test for boxes that move: swept, or interval as in Redon et al. 2002; no answer depends on it
    #[arg(long, value_name = "METHOD", default_value_t)]
    pub method: Boxes,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
pub struct InspectArgs {
    #[command(flatten)]
    pub input: Input,
}

#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// Name of the scene; --list gives all names
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    pub name: Option<String>,
    /// List the names of the scenes
    #[arg(long)]
    pub list: bool,
    /// Directory to write into
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub out: PathBuf,
    /// Write NAME.glb, or NAME/ with a manifest and its meshes [default: glb; manifest for scenes that move]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Size of the scene; each scene has its own meaning and default
    #[arg(long, value_name = "N")]
    pub size: Option<u32>,
    /// Seed of the random numbers; the same seed gives the same scene
    #[arg(long, value_name = "S", default_value = "0")]
    pub seed: u64,
    /// Use triangles without order or connection instead of closed meshes
    #[arg(long)]
    pub soup: bool,
    /// Do not print the scene that was written
    #[arg(long)]
    pub quiet: bool,
}

/// The detail of depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DepthArg {
    Full,
    Verdict,
    None,
}

impl From<DepthArg> for DepthDetail {
    fn from(arg: DepthArg) -> Self {
        match arg {
            DepthArg::Full => Self::Full,
            DepthArg::Verdict => Self::Verdict,
            DepthArg::None => Self::None,
        }
    }
}

/// The mildest verdict with which a run fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Clash,
    Undecided,
    Contact,
    Clearance,
    Never,
}

impl FailOn {
    /// True when a pair with this verdict makes the run fail.
    pub fn fails(self, verdict: Verdict) -> bool {
        let mildest = match self {
            // Parts that meet may clash.
            Self::Clash => Verdict::Meets,
            Self::Undecided => Verdict::Undecided,
            Self::Contact => Verdict::Contact,
            Self::Clearance => Verdict::Clearance,
            Self::Never => return false,
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

/// Parses `NAME=FILE`.
fn model(text: &str) -> Result<(String, PathBuf), &'static str> {
    let named = text.split_once('=').filter(|(name, file)| !name.is_empty() && !file.is_empty());
    let (name, file) = named.ok_or("a model is NAME=FILE")?;
    Ok((name.to_owned(), PathBuf::from(file)))
}

/// An executor, or `None` for the tree's best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Option<Executor>);

impl RunArgs {
    /// Returns the kind of tree and the executor of its kernels.
    pub fn strategy(&self) -> Result<Strategy, Unavailable> {
        Strategy::new(self.tree, self.backend.0)
    }
}

/// Parses the name of a backend.
fn backend(text: &str) -> Result<Backend, &'static str> {
    match text {
        "auto" => Ok(Backend(None)),
        "gpu" => Err("it is not in this version: use auto, scalar or simd"),
        _ => match text.parse() {
            Ok(executor) => Ok(Backend(Some(executor))),
            Err(_) => Err("unknown backend: use auto, scalar or simd"),
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
        ] {
            assert_eq!(listed.map(|v| fail_on.fails(v)).iter().filter(|f| **f).count(), failing);
            assert!(!fail_on.fails(Verdict::Clear));
        }
    }
}

//! Flags about the files of a scene.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::help::OUTPUT;
use super::values::{chord, model, package, size};
use crate::settings::written::WrittenFile;
use closefit_geometry::units::Unit;

/// Arguments of every command that reads a scene.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scene")]
pub struct InputFlags {
    #[cfg_attr(
        not(feature = "ifc"),
        doc = "Scene files: .glb .gltf .dae .3mf .stl .obj .ply .off .urdf .xml .sdf .json"
    )]
    #[cfg_attr(
        feature = "ifc",
        doc = "Files: .glb .gltf .dae .ifc .3mf .stl .obj .ply .off .urdf .xml .sdf .json"
    )]
    #[arg(value_name = "SCENE", required = true, help_heading = None)]
    pub scenes: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingFlags,
    /// Name a SCENE in reports, instead of its file name; repeatable
    #[arg(long = "model", value_name = "NAME=FILE", value_parser = model)]
    pub models: Vec<(String, PathBuf)>,
    /// Motion of a robot: a CSV file with the columns t_s,joint,...
    #[arg(long, value_name = "FILE")]
    pub trajectory: Option<PathBuf>,
    /// Print only the report, as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Print no table, notes or progress
    #[arg(long, help_heading = OUTPUT)]
    pub quiet: bool,
    /// The files that the command writes.
    #[arg(skip)]
    pub written: Vec<WrittenFile>,
}

/// The forms that the meshes of a robot stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormArg {
    Mesh,
    Hull,
}

/// Arguments about how the files of any scene are read.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Scene")]
pub struct ReadingFlags {
    /// Unit of STL, OBJ, PLY and OFF files: mm, cm, m, in or ft
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<Unit>,
    /// Use the collision geometry of a robot instead of the visual geometry
    #[arg(long)]
    pub collision_geometry: bool,
    /// Distance that the surfaces of cylinders, spheres and the like of a robot may lie outside their meshes,
    /// and surfaces of STEP on either side, in m or with a unit [default: 0.1mm, of STEP 0.03mm, or half of
    /// --tolerance if that is more than 0.1mm]
    #[arg(long, value_name = "LEN", value_parser = chord, allow_hyphen_values = true)]
    pub chord: Option<f64>,
    /// Form of a robot's meshes: their surfaces, or their convex hulls, which simulators collide
    #[arg(long = "as", value_name = "FORM", value_enum, default_value = "mesh")]
    pub form: FormArg,
    /// Take each object of an .obj and each solid of an .stl as a part
    #[arg(long)]
    pub split: bool,
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
    /// Accept products of an .ifc that have lost something, such as an opening that could not be cut
    #[arg(long)]
    pub allow_uncut: bool,
    /// Longest time for the geometry of an .ifc, in seconds [default: 30, or 1 per MB of larger files]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub ifc_limit: Option<u32>,
    /// Limit of memory: 2GB, 512MiB or a number of bytes [default: 3/4 of the machine's]
    #[arg(long, value_name = "LIMIT", value_parser = size, allow_hyphen_values = true)]
    pub memory: Option<u64>,
}

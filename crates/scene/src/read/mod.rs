//! Readers: they turn files into a [`Scene`].
//!
//! Every reader is our own. The contract requires decimal text to be read as the nearest f64, one line that
//! names file, part and value for every fault, and no allocation from a count that may be wrong.

#[cfg(feature = "collada")]
mod collada;
#[cfg(any(feature = "ifc", test))]
mod cracks;
mod error;
mod faces;
mod files;
mod folder;
mod foreign;
mod gltf;
#[cfg(feature = "ifc")]
mod ifc;
mod manifest;
mod missing;
#[cfg(feature = "mjcf")]
mod mjcf;
mod model;
mod obj;
mod off;
mod place;
mod placed;
mod ply;
#[cfg(feature = "python")]
mod python;
mod robot;
#[cfg(feature = "sdf")]
mod sdf;
mod solids;
mod stl;
mod surface;
mod text;
#[cfg(feature = "threemf")]
mod threemf;
mod trajectory;
mod urdf;
mod xml;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::keys::PartKeys;
use closefit_geometry::ids::{MeshId, to_u32};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::motion::FrameId;
use closefit_geometry::scene::{Part, Scene, Up};
use closefit_geometry::units::{Length, Unit};
#[cfg(feature = "ifc")]
pub use closefit_ifc::{kernel_program, run_kernel};
pub use error::{Fault, ReadError};
pub use files::{Disk, Files, Found, InMemory};
use folder::Folder;
#[cfg(feature = "python")]
pub use python::python_readers;
use surface::Surface;
use trajectory::Trajectory;
pub use urdf::srdf::DisabledLinks;

/// The user's options for reading files.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Unit of the files that carry none: STL, OBJ, PLY, OFF, and manifests without a unit.
    pub unit: Option<Unit>,
    /// Names for files of the scene instead of their own: a name and a file.
    pub models: Vec<(String, PathBuf)>,
    /// Trajectory of the joints of the one URDF among the files: a CSV of `t_s,joint,...`.
    pub trajectory: Option<PathBuf>,
    /// Pairs of a robot's links that are not checked: an SRDF.
    pub srdf: Option<PathBuf>,
    /// True to take the collision meshes of a URDF instead of the visual ones.
    pub collision_geometry: bool,
    /// True to take them of a URDF that has any, whose other links then meet nothing.
    pub collision_if_any: bool,
    /// True when files that a scene refers to may be outside the folder of the scene file.
    pub allow_outside: bool,
    /// The folders of ROS packages, by their names.
    pub packages: Vec<(String, PathBuf)>,
    /// Folders with ROS packages, as in `ROS_PACKAGE_PATH`. They count as outside.
    pub package_path: Vec<PathBuf>,
    /// True to leave out parts whose meshes cannot be read, or whose motions are needed and cannot be
    /// followed.
    pub allow_missing: bool,
    /// The distance in metres that the true surface of a curved primitive may lie outside its mesh, and a
    /// surface of STEP on either side of its own; `None` for 0.1 mm, and of STEP for 0.03 mm.
    pub chord: Option<f64>,
    /// True to take the convex hulls of a robot's meshes in their place, as simulators collide them.
    pub hulls: bool,
    /// True to take each object of an OBJ file and each solid of a text STL file as a part.
    pub split: bool,
    /// True to take products of an IFC file as the kernel made them, even if it lost something, such as
    /// openings that it could not cut.
    pub allow_uncut: bool,
    /// The time that the geometry of an IFC file may take; `None` for 30 s, or a second per MB of larger
    /// files.
    pub ifc_limit: Option<Duration>,
    /// Treatment of a glTF animation that cannot be followed.
    pub motions: Motions,
    /// Limit of memory in bytes, or none. A scene that would take more is an error.
    pub memory: Option<u64>,
    /// Set to true, it ends the processes that read STEP and USD.
    pub stop: Arc<AtomicBool>,
}

impl ReadOptions {
    /// The chord of curved primitives that nobody asks for, in metres.
    pub const CHORD: f64 = 1e-4;

    /// Lets curved primitives be as coarse as half the tolerance of a check, unless their chord is given.
    pub fn coarsen(&mut self, tolerance: Option<&Length>) {
        // Primitives are in metres. A tolerance that is too large for them is refused where it is used.
        let half = tolerance.and_then(|length| length.in_unit(Some(Unit::M)).ok()).map(|length| 0.5 * length);
        self.chord = self.chord.or(half.filter(|&half| half > Self::CHORD));
    }

    /// Returns the chord of curved primitives, in metres.
    pub fn chord(&self) -> f64 {
        self.chord.unwrap_or(Self::CHORD)
    }

    /// Returns a note on so many parts that are curved primitives, if there are any.
    fn note_on_curved(&self, parts: usize) -> Option<String> {
        let chord = self.chord();
        let (primitives, surfaces) = match parts {
            0 => return None,
            1 => ("primitive is approximated by a mesh", "its true surface lies"),
            _ => ("primitives are approximated by meshes", "their true surfaces lie"),
        };
        Some(format!("{parts} curved {primitives}: {surfaces} up to {chord} m outside (--chord)"))
    }
}

/// Returns the folders of the environment's `ROS_PACKAGE_PATH`, for [`ReadOptions::package_path`].
pub fn package_path() -> Vec<PathBuf> {
    let path = std::env::var_os("ROS_PACKAGE_PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// Treatment of animations that cannot be followed: an error if motions are needed, otherwise a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motions {
    /// An animation that cannot be followed is an error.
    #[default]
    Required,
    /// An animation that cannot be followed is noted, and the nodes that it moves stay at rest.
    Noted,
}

/// The file formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// glTF 2.0, `.gltf` or `.glb`.
    Gltf,
    /// The JSON manifest.
    Manifest,
    /// A robot in URDF.
    Urdf,
    /// A robot in MJCF, if the feature `mjcf` is on.
    Mjcf,
    /// A model or world in SDF, if the feature `sdf` is on.
    Sdf,
    /// COLLADA, if the feature `collada` is on.
    Collada,
    /// A building in IFC, if the feature `ifc` is on.
    Ifc,
    /// 3MF, if the feature `threemf` is on.
    ThreeMf,
    /// STEP, if the feature `python` is on and there are readers in Python.
    Step,
    /// USD, as for STEP.
    Usd,
    /// A single mesh, without unit or pose.
    Mesh(MeshFormat),
}

/// The file formats of a single mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// STL, text or binary.
    Stl,
    /// Wavefront OBJ.
    Obj,
    /// PLY, text or binary.
    Ply,
    /// OFF, text.
    Off,
}

impl Format {
    /// Returns the format of a scene by the extension of its file, in any case.
    ///
    /// # Errors
    /// [`Fault::UnknownExtension`], or [`Fault::Foreign`] for a format that is known but not read.
    pub fn of(file: &str) -> Result<Self, Fault> {
        let extension = extension_of(file);
        match extension.as_str() {
            "gltf" | "glb" => Ok(Self::Gltf),
            "json" => Ok(Self::Manifest),
            "urdf" => Ok(Self::Urdf),
            "xml" | "mjcf" if cfg!(feature = "mjcf") => Ok(Self::Mjcf),
            "sdf" if cfg!(feature = "sdf") => Ok(Self::Sdf),
            "dae" if cfg!(feature = "collada") => Ok(Self::Collada),
            "ifc" | "ifczip" if cfg!(feature = "ifc") => Ok(Self::Ifc),
            "3mf" if cfg!(feature = "threemf") => Ok(Self::ThreeMf),
            #[cfg(feature = "python")]
            "step" | "stp" if python::are_here() => Ok(Self::Step),
            #[cfg(feature = "python")]
            "usd" | "usda" | "usdc" | "usdz" if python::are_here() => Ok(Self::Usd),
            _ => match MeshFormat::with_extension(&extension) {
                Some(format) => Ok(Self::Mesh(format)),
                None => Err(foreign::refusal_of_scene(file, &extension)
                    .unwrap_or_else(|| Fault::UnknownExtension(error::clip(&extension)))),
            },
        }
    }
}

impl Format {
    /// True for a robot, with joints.
    pub fn is_robot(self) -> bool {
        matches!(self, Self::Urdf | Self::Mjcf | Self::Sdf)
    }

    /// True for a scene that can be the mesh of a robot's link.
    fn is_scene_of_meshes(self) -> bool {
        matches!(self, Self::Gltf | Self::Collada)
    }
}

impl MeshFormat {
    /// Returns the format of a mesh that a scene refers to.
    fn of(file: &str) -> Result<Self, Fault> {
        let extension = extension_of(file);
        Self::with_extension(&extension).ok_or_else(|| match Format::of(file) {
            Ok(_) => {
                let why =
                    "a scene as the mesh of a part (use .stl, .obj, .ply or .off or, in a manifest, \"scene\") is";
                Fault::Unsupported(why.to_owned())
            }
            Err(fault) => foreign::refusal_of_mesh(&extension).unwrap_or(fault),
        })
    }

    fn with_extension(extension: &str) -> Option<Self> {
        match extension {
            "stl" => Some(Self::Stl),
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            "off" => Some(Self::Off),
            _ => None,
        }
    }
}

fn extension_of(file: &str) -> String {
    Path::new(file).extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Largest number of parts. More would only exhaust memory, because instancing lets a small file ask for any
/// number.
const MOST_PARTS: usize = 1 << 22;
/// Largest length in bytes of a name, tag or other text, because thousands of instances may repeat it.
const LONGEST_NAME: usize = 1024;
/// Largest length in bytes of a path. Beyond it, the outermost nodes are left out (`/.../frame/bolt`).
const LONGEST_PATH: usize = 1024;

/// Reads the files of one scene. Its parts are in the order of the files.
///
/// # Errors
/// [`ReadError`] for the first file that has a fault, for files that do not agree on a unit, or for options
/// that do not apply to the files.
pub fn read(paths: &[impl AsRef<Path>], options: &ReadOptions) -> Result<Scene, ReadError> {
    read_from(&Disk, paths, options)
}

/// Reads one scene from files that need not be on a disk, by the rules for those that are.
///
/// # Errors
/// As [`read`].
pub fn read_from(
    files: &dyn Files,
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
) -> Result<Scene, ReadError> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.as_ref().to_owned()).collect();
    read_and_tell(files, &paths, options, &mut |_, _| ())
}

/// Reads one scene as [`read_from`] does, and calls `done` for each file after reading it, with the number of
/// parts so far.
///
/// # Errors
/// As [`read`].
pub fn read_and_tell(
    files: &dyn Files,
    paths: &[PathBuf],
    options: &ReadOptions,
    done: &mut dyn FnMut(&Path, usize),
) -> Result<Scene, ReadError> {
    let models = model::models_of(paths, &options.models)?;
    let memory = MemoryAccount::new(options.memory);
    let robot = Robot::of(files, paths, options, &memory)?;
    let mut scene = Scene::default();
    let mut units = Vec::new();
    for (path, model) in paths.iter().zip(models) {
        let shown = path.display().to_string();
        let read = read_file(files, path, options, &robot, &memory);
        let mut one = read.map_err(|fault| ReadError { file: shown.clone(), fault })?;
        one.parts.iter_mut().for_each(|part| part.model = model.clone());
        #[cfg(feature = "ifc")]
        ifc::turn_beside(paths, path, &mut one);
        if let (Some(first), Some(own)) = (scene.up, one.up)
            && first != own
        {
            let [own, first] = [own, first].map(|up| if up == Up::Y { 'y' } else { 'z' });
            one.notes.push(format!("{shown}: {own} is up, but {first} before it: nothing is turned"));
        }
        units.push((shown, one.unit));
        append(&mut scene, one);
        done(path, scene.parts.len());
    }
    scene.unit = common_unit(&units, options.unit)?;
    if let Some(path) = &options.srdf {
        let excluded =
            load(files, path, &memory).and_then(|bytes| urdf::srdf::exclude(&bytes, &mut scene, &memory));
        excluded.map_err(|fault| ReadError { file: path.display().to_string(), fault })?;
    }
    scene.notes.extend(note_on_keys(&scene));
    Ok(scene)
}

/// Reads the lines of an SRDF, which disable the collisions of links.
///
/// # Errors
/// [`ReadError`].
pub fn srdf_lines(path: &Path, options: &ReadOptions) -> Result<Vec<DisabledLinks>, ReadError> {
    let memory = MemoryAccount::new(options.memory);
    let lines = load(&Disk, path, &memory).and_then(|bytes| urdf::srdf::lines(&bytes, &memory));
    lines.map_err(|fault| ReadError { file: path.display().to_string(), fault })
}

/// Returns a note on keys that several parts have.
fn note_on_keys(scene: &Scene) -> Option<String> {
    let shared = PartKeys::of(scene).shared;
    let first = error::clip(shared.first()?);
    Some(match shared.len() {
        1 => format!("several parts have the key '{first}': all but the first get ~2, ~3 ..."),
        n => format!("{n} keys are shared, such as '{first}': all parts but the first get ~2, ~3 ..."),
    })
}

/// The user's options for the robots among the files.
#[derive(Default)]
struct Robot {
    collision_geometry: bool,
    collision_if_any: bool,
    trajectory: Option<Trajectory>,
}

impl Robot {
    fn of(
        files: &dyn Files,
        paths: &[PathBuf],
        options: &ReadOptions,
        memory: &MemoryAccount,
    ) -> Result<Self, ReadError> {
        let formats = || paths.iter().filter_map(|path| Format::of(&path.to_string_lossy()).ok());
        let robots = formats().filter(|format| format.is_robot()).count();
        // A manifest may place robots, with their visual meshes.
        let may_have_robots = robots > 0 || formats().any(|format| format == Format::Manifest);
        let without_use = match options {
            ReadOptions { collision_geometry: true, .. } if robots == 0 => Some("--collision-geometry"),
            ReadOptions { hulls: true, .. } if !may_have_robots => Some("--as hull"),
            _ => None,
        };
        if let (Some(flag), Some(first)) = (without_use, paths.first()) {
            let fault = Fault::Scene(format!("it is no robot, so {flag} does not apply"));
            return Err(ReadError { file: first.display().to_string(), fault });
        }
        let trajectory = options.trajectory.as_ref().map(|path| {
            let read = || match robots {
                1 => trajectory(&load(files, path, memory)?, memory),
                _ => Err(Fault::Scene(format!("a trajectory is for one robot, but the scene has {robots}"))),
            };
            let file = path.display().to_string();
            read().map_err(|fault| ReadError { file: file.clone(), fault }).map(|t| t.named(&file))
        });
        let &ReadOptions { collision_geometry, collision_if_any, .. } = options;
        Ok(Self { collision_geometry, collision_if_any, trajectory: trajectory.transpose()? })
    }
}

/// Parses a trajectory; a value of a few bytes takes eight, and up to eight more while the list grows.
fn trajectory(bytes: &[u8], memory: &MemoryAccount) -> Result<Trajectory, Fault> {
    memory.take(bytes.len(), 8, || format!("a trajectory of {} bytes", bytes.len()))?;
    Trajectory::parse(bytes)
}

fn read_file(
    files: &dyn Files,
    path: &Path,
    options: &ReadOptions,
    robot: &Robot,
    memory: &MemoryAccount,
) -> Result<Scene, Fault> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if matches!(files.look(path), Ok(Found::Folder)) {
        return Err(Fault::NotAFile("a directory"));
    }
    let format = Format::of(&path.to_string_lossy())?;
    let folder = Folder::of(path, files, options, memory);
    let bytes = load(files, path, memory)?;
    let within = vec![files.canonical(path)?];
    let source =
        Source { name: &name, folder: Some(&folder), within, robot, options, memory, is_mesh: false };
    let mut scene = parse(format, &bytes, &source)?;
    memory.give_back(bytes.len(), 1);
    scene.notes.iter_mut().for_each(|note| *note = format!("{name}: {note}"));
    Ok(scene)
}

/// Reads one file from memory, which cannot refer to other files; [`InMemory`] has files that can.
///
/// # Errors
/// [`ReadError`].
pub fn read_bytes(format: Format, name: &str, bytes: &[u8]) -> Result<Scene, ReadError> {
    let (robot, memory, options) = (&Robot::default(), &MemoryAccount::new(None), &ReadOptions::default());
    let within = Vec::new();
    let source = Source { name, folder: None, within, robot, options, memory, is_mesh: false };
    let mut scene =
        parse(format, bytes, &source).map_err(|fault| ReadError { file: name.to_owned(), fault })?;
    let model = model::model_of(Path::new(name));
    scene.parts.iter_mut().for_each(|part| part.model = model.clone());
    Ok(scene)
}

/// The surroundings of a file.
#[derive(Clone)]
struct Source<'a> {
    /// File name without directory.
    name: &'a str,
    /// Folder of the file; `None` for bytes in memory.
    folder: Option<&'a Folder<'a>>,
    /// The file and those that place it, the outermost first.
    within: Vec<PathBuf>,
    robot: &'a Robot,
    options: &'a ReadOptions,
    memory: &'a MemoryAccount,
    /// True for the mesh of a part, whose axes stay as in its file.
    #[cfg_attr(not(feature = "collada"), expect(dead_code, reason = "glTF files never turn"))]
    is_mesh: bool,
}

impl<'a> Source<'a> {
    /// Returns the folder of the files that this one refers to.
    fn folder(&self) -> Result<&'a Folder<'a>, Fault> {
        self.folder
            .ok_or_else(|| Fault::Unsupported("a reference to a file from bytes in memory is".to_owned()))
    }
}

/// Reads a whole file, whose bytes are taken from memory.
fn load(files: &dyn Files, path: &Path, memory: &MemoryAccount) -> Result<Vec<u8>, Fault> {
    let bytes = match files.look(path)? {
        Found::Folder => return Err(Fault::NotAFile("a directory")),
        Found::Other => return Err(Fault::NotAFile("a device or pipe")),
        Found::File(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
    };
    memory.take(bytes, 1, || format!("a file of {bytes} bytes"))?;
    Ok(files.read(path)?)
}

fn parse(format: Format, bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let scene = match format {
        _ if bytes.is_empty() => return Err(Fault::Empty),
        Format::Gltf => gltf::parse(bytes, source)?,
        Format::Manifest => manifest::parse(bytes, source)?,
        Format::Urdf => urdf::parse(bytes, source)?,
        #[cfg(feature = "mjcf")]
        Format::Mjcf => mjcf::parse(bytes, source)?,
        #[cfg(not(feature = "mjcf"))]
        Format::Mjcf => return Err(Fault::Unsupported("MJCF, without the feature 'mjcf', is".to_owned())),
        #[cfg(feature = "sdf")]
        Format::Sdf => sdf::parse(bytes, source)?,
        #[cfg(not(feature = "sdf"))]
        Format::Sdf => return Err(Fault::Unsupported("SDF, without the feature 'sdf', is".to_owned())),
        #[cfg(feature = "collada")]
        Format::Collada => collada::parse(bytes, source)?,
        #[cfg(not(feature = "collada"))]
        Format::Collada => {
            return Err(Fault::Unsupported("COLLADA, without the feature 'collada', is".to_owned()));
        }
        #[cfg(feature = "ifc")]
        Format::Ifc => ifc::parse(bytes, source)?,
        #[cfg(not(feature = "ifc"))]
        Format::Ifc => return Err(Fault::Unsupported("IFC, without the feature 'ifc', is".to_owned())),
        #[cfg(feature = "threemf")]
        Format::ThreeMf => threemf::parse(bytes, source)?,
        #[cfg(not(feature = "threemf"))]
        Format::ThreeMf => {
            return Err(Fault::Unsupported("3MF, without the feature 'threemf', is".to_owned()));
        }
        #[cfg(feature = "python")]
        Format::Step => python::step::parse(bytes, source)?,
        #[cfg(feature = "python")]
        Format::Usd => python::usd::parse(bytes, source)?,
        #[cfg(not(feature = "python"))]
        Format::Step | Format::Usd => {
            return Err(Fault::Unsupported("STEP or USD, without the feature 'python', is".to_owned()));
        }
        Format::Mesh(format) => mesh_parts(format, bytes, source)?,
    };
    if scene.parts.is_empty() {
        let why = match scene.left_out.parts {
            0 => "it has no part with a surface".to_owned(),
            parts => format!("it has no part with a surface: {parts} cannot be read"),
        };
        return Err(Fault::Scene(why));
    }
    Ok(scene)
}

/// Reads a file of a single mesh as one part, named after the file, or as a part for each of its objects.
fn mesh_parts(format: MeshFormat, bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let &Source { name: file, memory, .. } = source;
    let mut scene = Scene::default();
    let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let file: Arc<str> = file.into();
    if !source.options.split {
        scene.meshes.push(Arc::new(parse_mesh(format, bytes, &mut scene.notes, memory)?));
        scene.parts.push(Part { file, ..Part::new(name, MeshId(0), Pose::IDENTITY) });
        return Ok(scene);
    }
    let pieces = parse_surface(format, bytes, &mut scene.notes, memory)?.divided(&name)?;
    if pieces.len() > MOST_PARTS {
        return Err(Fault::Scene(format!("there are more than {MOST_PARTS} parts")));
    }
    for (own, mesh) in pieces {
        check_name(&own)?;
        let path = path_below(&format!("/{name}"), &own).into();
        let mesh_id = MeshId(to_u32(scene.meshes.len()));
        let part = Part { file: file.clone(), path, ..Part::new(own, mesh_id, Pose::IDENTITY) };
        memory.take(mesh.bytes() + part.bytes(), 1, || format!("{} parts", scene.parts.len() + 1))?;
        scene.meshes.push(Arc::new(mesh));
        scene.parts.push(part);
    }
    memory.give_back(bytes.len(), WHILE_READ);
    Ok(scene)
}

/// Returns the fault of a file that has points or lines, but no surface.
fn without_surface(points: bool, lines: bool) -> Fault {
    let found = match (points, lines) {
        (_, false) => "points",
        (false, true) => "lines",
        (true, true) => "points and lines",
    };
    Fault::Scene(format!("it has {found} only"))
}

/// Bytes that a mesh takes while it is read, per byte of its file: in the shortest notation a triangle has
/// few.
const WHILE_READ: usize = 12;

fn parse_mesh(
    format: MeshFormat,
    bytes: &[u8],
    notes: &mut Vec<String>,
    memory: &MemoryAccount,
) -> Result<Mesh, Fault> {
    let mesh = parse_surface(format, bytes, notes, memory)?.mesh()?;
    memory.give_back(bytes.len(), WHILE_READ);
    memory.take(mesh.bytes(), 1, || format!("a mesh of {} triangles", mesh.triangles().len()))?;
    Ok(mesh)
}

/// Reads the surface of a file, with the memory that it takes until its meshes are made.
fn parse_surface(
    format: MeshFormat,
    bytes: &[u8],
    notes: &mut Vec<String>,
    memory: &MemoryAccount,
) -> Result<Surface, Fault> {
    memory.take(bytes.len(), WHILE_READ, || format!("the mesh in a file of {} bytes", bytes.len()))?;
    match format {
        _ if bytes.is_empty() => Err(Fault::Empty),
        MeshFormat::Stl => stl::parse(bytes),
        MeshFormat::Obj => obj::parse(bytes, notes, memory),
        MeshFormat::Ply => ply::parse(bytes, notes, memory),
        MeshFormat::Off => off::parse(bytes, notes, memory),
    }
}

fn append(scene: &mut Scene, one: Scene) {
    let before = to_u32(scene.meshes.len());
    let frames_before = scene.frames.append(one.frames);
    let parts_before = to_u32(scene.parts.len());
    scene.excluded.append(one.excluded, parts_before);
    scene.robots.extend(one.robots.into_iter().map(|robot| robot.after(parts_before)));
    scene.up = scene.up.or(one.up);
    scene.left_out.add(one.left_out);
    scene.notes.extend(one.notes);
    scene.meshes.extend(one.meshes);
    scene.parts.extend(one.parts.into_iter().map(|p| Part {
        mesh: MeshId(before + p.mesh.0),
        frame: p.frame.map(|FrameId(frame)| FrameId(frames_before + frame)),
        ..p
    }));
}

/// Returns the unit of all files: the one that they declare, or `flag` for files that declare none.
fn common_unit(files: &[(String, Option<Unit>)], flag: Option<Unit>) -> Result<Option<Unit>, ReadError> {
    let Some((named, unit)) = files.iter().find_map(|(file, own)| own.map(|unit| (file, unit))) else {
        return Ok(flag);
    };
    let refuse = |file: &String, why| Err(ReadError { file: file.clone(), fault: Fault::Scene(why) });
    for (file, own) in files {
        match (own, flag) {
            (Some(other), _) if *other != unit => {
                return refuse(
                    file,
                    format!("it is in {other}, but {named} is in {unit}: convert one of them"),
                );
            }
            (None, None) => {
                return refuse(
                    file,
                    format!(
                        "it carries no unit, but {named} is in {unit}: add --unit {unit} if its numbers are {unit} too, or else convert it"
                    ),
                );
            }
            (None, Some(flag)) if flag != unit => {
                return refuse(
                    file,
                    format!(
                        "it is in {flag} (--unit), but {named} is in {unit}: convert one of them, or say --unit {unit}"
                    ),
                );
            }
            _ => {}
        }
    }
    match flag {
        Some(flag) if flag != unit => refuse(
            named,
            format!(
                "it is in {unit}, so --unit {flag} does not apply: leave it out (it is for STL, OBJ, PLY, OFF and manifests without a unit)"
            ),
        ),
        _ => Ok(Some(unit)),
    }
}

/// Returns the names of a node and its ancestors, outermost first: `/frame/bolt`.
fn path_of(names: &[impl AsRef<str>], parents: &[Option<usize>], node: usize) -> String {
    let mut upwards = Vec::new();
    let (mut at, mut length) = (Some(node), 0);
    while let Some(i) = at {
        let name = names[i].as_ref();
        length += name.len() + 1;
        if length > LONGEST_PATH {
            upwards.push("...");
            break;
        }
        upwards.push(name);
        at = parents[i];
    }
    upwards.iter().rev().flat_map(|name| ["/", name]).collect()
}

/// Returns the path of what is below a path; beyond the limit, the outermost nodes are left out.
fn path_below(above: &str, name: &str) -> String {
    match above.len() + name.len() + 1 > LONGEST_PATH {
        true => format!("/.../{name}"),
        false => format!("{above}/{name}"),
    }
}

/// Returns a path within the limit, or the innermost name. Beyond the limit, the outermost nodes are left
/// out.
#[cfg(feature = "python")]
fn cut_path(path: &str) -> String {
    const CUT: &str = "/...";
    if path.len() <= LONGEST_PATH {
        return path.to_owned();
    }
    let is_within = |&(at, _): &(usize, &str)| CUT.len() + path.len() - at <= LONGEST_PATH;
    let within = path.match_indices('/').find(is_within).map(|(at, _)| at);
    format!("{CUT}{}", &path[within.or(path.rfind('/')).unwrap_or(0)..])
}

fn check_name(name: &str) -> Result<(), Fault> {
    check_text("name", name)
}

/// Refuses a text that is too long to be repeated. `what` names its location.
fn check_text(what: &str, text: &str) -> Result<(), Fault> {
    match text.len() {
        0..=LONGEST_NAME => Ok(()),
        n => {
            let why = format!("'{}' has {n} bytes; the limit is {LONGEST_NAME}", error::clip(text));
            Err(Fault::at(error::clip(what), why))
        }
    }
}

fn finite(pose: Pose) -> Result<Pose, Fault> {
    match pose.rows.iter().flatten().find(|x| !x.is_finite()) {
        None => Ok(pose),
        Some(value) => Err(Fault::at("pose", format!("the world matrix has the entry {value:e}"))),
    }
}

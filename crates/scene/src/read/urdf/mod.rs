//! URDF: the links of a robot, their meshes, and the joints that move them.
//!
//! The visual meshes of a link (or its collision meshes) are parts, named after link and mesh. The meshes of
//! a link are one body, so pairs of them are excluded, and so are links that a joint connects. Joints are at
//! 0, or follow a trajectory. The unit is the metre.
//!
//! The reader is based on `roxmltree`, which gives the locations of elements. `urdf-rs` skips numbers that it
//! cannot read and limits that are missing.

mod joint;
mod robot;
pub(super) mod srdf;
mod xml;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DVec3;
use roxmltree::Node;

use super::error::{Fault, clip};
use super::folder::{Folder, Package, leads_out};
use super::place::Place;
use super::trajectory::Trajectory;
use super::{MOST_PARTS, MeshFormat, Source, parse_mesh, path_of};
use closefit_geometry::ids::{MeshId, PartId, to_u32};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::motion::{Motion, MotionError};
use closefit_geometry::scene::excluded::{ADJACENT, SAME_LINK};
use closefit_geometry::scene::robot::{RobotJoint, RobotLink, RobotPart};
use closefit_geometry::scene::{self, Part, Scene};
use closefit_geometry::units::Unit;
use joint::{Joint, Mimic};
use robot::{Robot, Values};
use xml::{at_element, document, element, elements, origin, place_of, required, vector};

/// Reads a robot and the meshes that it refers to.
pub(super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let document = document(text)?;
    let root = document.root_element();
    if root.tag_name().name() != "robot" {
        return Err(Fault::at(
            place_of(root),
            format!("<{}> instead of <robot>", clip(root.tag_name().name())),
        ));
    }
    if let Some(macro_) = root.descendants().find(|n| n.tag_name().namespace().is_some_and(is_xacro)) {
        return Err(Fault::at(place_of(macro_), "xacro is not expanded: run xacro first"));
    }
    let robot = Robot::new(root)?;
    let trajectory = source.robot.trajectory.as_ref();
    let values = robot.values(trajectory, source.memory)?;
    let mut scene = Scene { unit: Some(Unit::M), ..Scene::default() };
    robot.note_limits(&values, trajectory, &mut scene.notes);
    let places = robot.places(&values, trajectory, &mut scene, source.memory)?;
    let parts = robot.add_parts(&places, source, &mut scene)?;
    scene.robots.push(robot.as_data(source.name, parts));
    Ok(scene)
}

fn is_xacro(namespace: &str) -> bool {
    namespace.ends_with("xacro")
}

impl Robot<'_> {
    /// Returns the pose or motion of each link.
    fn places(
        &self,
        values: &[Values],
        trajectory: Option<&Trajectory>,
        scene: &mut Scene,
        memory: &MemoryAccount,
    ) -> Result<Vec<Option<Place>>, Fault> {
        let mut places: Vec<Option<Place>> = vec![None; self.links.len()];
        for link in self.parents_first() {
            let Some(index) = self.hangs_on[link] else { continue };
            let joint = &self.joints[index];
            let frames = &mut scene.frames;
            let mut place = || {
                let above = Place::standing(frames, places[joint.parent].as_ref(), joint.origin)?;
                let (times, values) = (trajectory.map_or(&[0.0][..], |t| &t.times), &values[index]);
                let times = &times[..values.len()];
                let keyframes = || format!("{} keyframes", times.len());
                memory.take(times.len(), Motion::KEYFRAME_BYTES, keyframes)?;
                let Some(axis) = joint.axis() else { return Ok(above) };
                let motion =
                    axis.motion(times, values).map_err(|error| self.fault_of(index, trajectory, &error))?;
                let start = motion.pose(motion.times()[0]);
                Place::moving(frames, Some(&above), start, motion)
            };
            places[link] = Some(place().map_err(|fault: Fault| fault.in_part(joint.name, "joint"))?);
        }
        Ok(places)
    }

    /// Attributes the refusal of a joint's motion to the row and column of the trajectory that it comes from,
    /// if any.
    fn fault_of(&self, joint: usize, trajectory: Option<&Trajectory>, error: &MotionError) -> Fault {
        let column = self.driver(joint);
        let given = |trajectory: &&Trajectory| trajectory.joints.iter().any(|course| course.joint == column);
        match (error, trajectory) {
            (&MotionError::Late { index, time }, Some(trajectory)) => {
                trajectory.fault_at(index, "t_s", format!("the time {time:e} s is not within 2^200"))
            }
            (&MotionError::Value { index, value }, Some(trajectory)) if given(&trajectory) => {
                trajectory.fault_at(index, column, format!("the joint value {value:e} is not within 2^200"))
            }
            _ => Fault::at("motion", error.to_string()),
        }
    }

    /// Adds the meshes of all links. Returns their places on the robot, each with the index of its link, and
    /// the names of the links that have other shapes.
    fn add_parts(
        &self,
        places: &[Option<Place>],
        source: &Source,
        scene: &mut Scene,
    ) -> Result<(Vec<RobotPart>, Vec<String>), Fault> {
        let geometry = if self.takes_collision(source) { "collision" } else { "visual" };
        let parents: Vec<Option<usize>> =
            self.hangs_on.iter().map(|joint| joint.map(|joint| self.joints[joint].parent)).collect();
        let mut meshes = Meshes { source, known: HashMap::new() };
        let (mut groups, mut without, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        let mut partly_read = Vec::new();
        for (i, &link) in self.links.iter().enumerate() {
            let first = to_u32(scene.parts.len());
            let shapes = elements(link, geometry).map(LinkMesh::of).collect::<Result<Vec<_>, _>>();
            let shapes = shapes.map_err(|fault| at_element(fault, link))?;
            let surfaces: Vec<&LinkMesh> = shapes.iter().flatten().collect();
            scene.left_out.shapes += (shapes.len() - surfaces.len()) as u64;
            if surfaces.len() < shapes.len() {
                partly_read.push(self.names[i].clone());
            }
            if surfaces.is_empty() && has_geometry(link) {
                without.push(&self.names[i][..]);
            }
            let path = path_of(&self.names, &parents, i);
            for surface in surfaces {
                if scene.parts.len() == MOST_PARTS {
                    return Err(Fault::Scene(format!("there are more than {MOST_PARTS} parts")));
                }
                let mesh = meshes
                    .get(surface.file, scene)
                    .map_err(|fault| at_element(fault.in_file(surface.file), link))?;
                let own = Path::new(surface.file).file_stem().unwrap_or_default().to_string_lossy();
                let place = Place::standing(&mut scene.frames, places[i].as_ref(), surface.pose)
                    .map_err(|fault| at_element(fault, link))?;
                let part = Part {
                    file: surface.file.into(),
                    path: format!("{path}/{own}").into(),
                    frame: place.frame,
                    ..Part::new(format!("{}/{own}", self.names[i]), mesh, place.start)
                };
                let id = PartId(to_u32(scene.parts.len()));
                parts.push(RobotPart { part: id, link: Some(i), local: surface.pose });
                source.memory.take(1, part.bytes(), || format!("{} parts", parts.len()))?;
                scene.parts.push(part);
            }
            let group = scene.excluded.group(first..to_u32(scene.parts.len()));
            scene.excluded.exclude_groups(group, group, SAME_LINK);
            groups.push(group);
        }
        for joint in &self.joints {
            scene.excluded.exclude_groups(groups[joint.parent], groups[joint.child], ADJACENT);
        }
        scene.left_out.links = without.len() as u64;
        note_left_out(geometry, &without, scene);
        Ok((parts, partly_read))
    }

    /// True if the collision geometry is to be read, not the visual.
    fn takes_collision(&self, source: &Source) -> bool {
        let has_any = || self.links.iter().any(|&link| element(link, "collision").is_some());
        source.robot.collision_geometry || source.robot.collision_if_any && has_any()
    }

    /// Returns the joints, links and parts as data. The links of the parts are named as the reader does, by
    /// their places in the file.
    fn as_data(&self, file: &str, (parts, partly_read): (Vec<RobotPart>, Vec<String>)) -> scene::Robot {
        let by_name: HashMap<&str, usize> =
            self.joints.iter().enumerate().map(|(i, joint)| (joint.name, i)).collect();
        let mut places = vec![None; self.links.len()];
        let mut links = Vec::new();
        for link in self.parents_first() {
            let Some(joint) = self.hangs_on[link] else { continue };
            let Joint { parent, origin, .. } = self.joints[joint];
            places[link] = Some(links.len());
            links.push(RobotLink { parent: places[parent], joint, origin });
        }
        let joint = |joint: &Joint| RobotJoint {
            name: joint.name.into(),
            axis: joint.axis(),
            limits: joint.limits,
            // That it names a joint was found out for the values.
            mimic: joint.mimic.and_then(|Mimic { joint, multiplier, offset }| {
                Some(scene::robot::Mimic { joint: *by_name.get(joint)?, multiplier, offset })
            }),
        };
        let placed = |part: RobotPart| RobotPart { link: part.link.and_then(|link| places[link]), ..part };
        scene::Robot {
            file: file.into(),
            joints: self.joints.iter().map(joint).collect(),
            links,
            parts: parts.into_iter().map(placed).collect(),
            partly_read,
        }
    }
}

/// True for a link that has anything to see or to meet. Others are frames, of which nothing is left out.
fn has_geometry(link: Node) -> bool {
    ["visual", "collision"].into_iter().any(|geometry| element(link, geometry).is_some())
}

/// Number of links without a mesh that a note names.
const MOST_NAMED: usize = 10;

/// Notes links and shapes without a mesh.
fn note_left_out(geometry: &str, links: &[&str], scene: &mut Scene) {
    let shapes = scene.left_out.shapes;
    if shapes > 0 {
        scene.notes.push(format!("{geometry} boxes, cylinders, spheres and the like left out: {shapes}"));
    }
    if !links.is_empty() {
        let named: Vec<String> = links.iter().take(MOST_NAMED).map(|name| clip(name)).collect();
        let more = match links.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        scene.notes.push(format!("links without a {geometry} mesh left out: {}{more}", named.join(", ")));
    }
}

/// A mesh of a link and its pose there.
struct LinkMesh<'a> {
    file: &'a str,
    pose: Pose,
}

impl<'a> LinkMesh<'a> {
    /// Reads a `<visual>` or `<collision>` element; returns `None` for a primitive.
    fn of(shape: Node<'a, 'a>) -> Result<Option<Self>, Fault> {
        let geometry = element(shape, "geometry").ok_or_else(|| Fault::at("geometry", "it is missing"))?;
        let Some(mesh) = element(geometry, "mesh") else { return Ok(None) };
        let scale = vector(mesh, "scale", DVec3::ONE)?;
        Ok(Some(Self { file: required(mesh, "filename")?, pose: origin(shape, scale.to_array())? }))
    }
}

/// The meshes; each file is read once.
struct Meshes<'a> {
    source: &'a Source<'a>,
    known: HashMap<String, MeshId>,
}

impl Meshes<'_> {
    fn get(&mut self, file: &str, scene: &mut Scene) -> Result<MeshId, Fault> {
        let format = MeshFormat::of(file)?;
        let folder = self.source.folder()?;
        let mut refusal = None;
        let Places { paths, root, is_elsewhere } = Places::of(file, folder)?;
        for path in paths {
            if let Some(&mesh) = self.known.get(&path) {
                return Ok(mesh);
            }
            let read = root.as_ref().map_or_else(|| folder.read(&path), |root| folder.read_in(root, &path));
            let bytes = match read {
                Ok(bytes) => bytes,
                Err(fault) => {
                    // A link that leads out is more informative than a file that does not exist.
                    if refusal.is_none() || matches!(fault, Fault::Outside) {
                        refusal = Some(fault);
                    }
                    continue;
                }
            };
            let mut own = Vec::new();
            let mesh = parse_mesh(format, &bytes, &mut own, self.source.memory)?;
            self.source.memory.give_back(bytes.len(), 1);
            scene.notes.extend(own.into_iter().map(|note| format!("{}: {note}", clip(file))));
            scene.meshes.push(Arc::new(mesh));
            let id = MeshId(to_u32(scene.meshes.len() - 1));
            self.known.insert(path, id);
            return Ok(id);
        }
        Err(if is_elsewhere { Fault::Outside } else { refusal.unwrap_or(Fault::Outside) })
    }
}

/// The possible locations of a mesh file.
struct Places {
    /// Paths relative to the URDF's folder, the likeliest first.
    paths: Vec<String>,
    /// The folder of the package, for a `package://` address.
    root: Option<PathBuf>,
    /// True if the file is in a package other than the scene's, which must not be looked up.
    is_elsewhere: bool,
}

impl Places {
    /// Lists the locations of a file. A package is the folder that [`Folder::package`] finds, or the URDF's
    /// own folder, one inside it or one around it (`arm/urdf/arm.urdf` refers to
    /// `package://arm/meshes/base.stl`) or, if files may be outside, one beside it. A path that leads out of
    /// the package is judged by its name, so that no answer tells whether there is such a file.
    fn of(file: &str, folder: &Folder) -> Result<Self, Fault> {
        if let Some(named) = file.strip_prefix("package://") {
            let (package, rest) = named.split_once('/').unwrap_or(("", named));
            let Package { root, up, is_named } = folder.package(package);
            let mut paths = vec![rest.to_owned(), named.to_owned(), "../".repeat(up) + rest];
            paths.extend([format!("../{rest}"), format!("../{named}"), format!("../../{named}")]);
            if !folder.allows_outside() {
                if leads_out(rest) {
                    return Err(Fault::Outside);
                }
                paths.retain(|path| folder.stays_in(&root, path));
            }
            let is_elsewhere = !is_named && !folder.allows_outside();
            return Ok(Self { paths, root: Some(root), is_elsewhere });
        }
        let path = file.strip_prefix("file://").unwrap_or(file);
        if path.contains("://") {
            return Err(Fault::Unsupported("such an address is".to_owned()));
        }
        Ok(Self { paths: vec![path.to_owned()], root: None, is_elsewhere: false })
    }
}

//! URDF: the links of a robot, their meshes, and the joints that move them.
//!
//! The visual meshes of a link (or its collision meshes) are parts, named after link and mesh. The meshes of
//! a link are one body, so pairs of them are excluded, and so are links that a joint connects. Joints are at
//! 0, or at the limit nearest to it, or follow a trajectory. The unit is the metre.
//!
//! The reader is based on `roxmltree`, which gives the locations of elements. `urdf-rs` skips numbers that it
//! cannot read and limits that are missing.

mod joint;
mod package;
mod primitives;
mod robot;
pub(super) mod srdf;
mod xml;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DVec3;
use roxmltree::Node;

use super::error::{Fault, clip};
use super::missing::Missing;
use super::place::Place;
use super::text::decoded;
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
use joint::{Joint, Kind, Mimic};
use package::InPackage;
use primitives::Primitives;
use robot::{Robot, Values};
use xml::{at_element, document, element, elements, origin, place_of, required, vector};

/// Reads a robot and the meshes that it refers to.
pub(super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let text = decoded(bytes)?;
    let document = document(&text)?;
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
    robot.note_values(&values, trajectory, &mut scene.notes);
    let places = robot.places(&values, trajectory, &mut scene, source.memory)?;
    let parts = robot.add_parts(&places, source, &mut scene)?;
    scene.robots.push(robot.as_data(source, parts));
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
    /// the names of the links of which not all shapes are there.
    fn add_parts(
        &self,
        places: &[Option<Place>],
        source: &Source,
        scene: &mut Scene,
    ) -> Result<(Vec<RobotPart>, Vec<String>), Fault> {
        let geometry = if self.takes_collision(source) { "collision" } else { "visual" };
        let parents: Vec<Option<usize>> =
            self.hangs_on.iter().map(|joint| joint.map(|joint| self.joints[joint].parent)).collect();
        let is_only_package = self.links.first().and_then(Node::parent).is_some_and(package::is_only_one);
        let mut meshes = Meshes { source, is_only_package, known: HashMap::new(), refused: HashMap::new() };
        let (mut missing, mut primitives) = (Missing::default(), Primitives::default());
        let (mut groups, mut without, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        let mut partly_read = Vec::new();
        for (i, &link) in self.links.iter().enumerate() {
            let first = to_u32(scene.parts.len());
            let shapes = elements(link, geometry).map(LinkMesh::of).collect::<Result<Vec<_>, _>>();
            let shapes = shapes.map_err(|fault| at_element(fault, link))?;
            let surfaces: Vec<&LinkMesh> = shapes.iter().flatten().collect();
            scene.left_out.shapes += (shapes.len() - surfaces.len()) as u64;
            elements(link, geometry).for_each(|shape| primitives.count(shape));
            if surfaces.is_empty() && has_geometry(link) {
                without.push(&self.names[i][..]);
            }
            let path = path_of(&self.names, &parents, i);
            for surface in surfaces {
                if scene.parts.len() == MOST_PARTS {
                    return Err(Fault::Scene(format!("there are more than {MOST_PARTS} parts")));
                }
                let mesh = match meshes.get(surface.file, scene) {
                    Ok(mesh) => mesh,
                    Err(fault) => {
                        missing.add(at_element(fault.in_file(surface.file), link), 1)?;
                        continue;
                    }
                };
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
            let end = to_u32(scene.parts.len());
            if ((end - first) as usize) < shapes.len() {
                partly_read.push(self.names[i].clone());
            }
            let group = scene.excluded.group(first..end);
            scene.excluded.exclude_groups(group, group, SAME_LINK);
            groups.push(group);
        }
        for joint in &self.joints {
            scene.excluded.exclude_groups(groups[joint.parent], groups[joint.child], ADJACENT);
        }
        missing.leave_out(source.options.allow_missing, scene)?;
        if parts.is_empty() && scene.left_out.parts == 0 {
            return Err(Fault::Scene(primitives.told(geometry)));
        }
        scene.left_out.links = without.len() as u64;
        note_left_out(geometry, &without, scene);
        Ok((parts, partly_read))
    }

    /// True if the collision geometry is to be read, not the visual.
    fn takes_collision(&self, source: &Source) -> bool {
        source.robot.collision_geometry || source.robot.collision_if_any && self.has_collision()
    }

    /// True if some link has collision geometry.
    fn has_collision(&self) -> bool {
        self.links.iter().any(|&link| element(link, "collision").is_some())
    }

    /// Returns the joints, links and parts as data. The links of the parts are named as the reader does, by
    /// their places in the file.
    fn as_data(&self, source: &Source, (parts, partly_read): (Vec<RobotPart>, Vec<String>)) -> scene::Robot {
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
            file: source.name.into(),
            joints: self.joints.iter().map(joint).collect(),
            links,
            parts: parts.into_iter().map(placed).collect(),
            partly_read,
            lacks_collision: self.has_collision() && !self.takes_collision(source),
            free_joints: (0..self.joints.len())
                .filter(|&joint| self.joints[joint].kind == Kind::Free)
                .collect(),
            link_names: self
                .joints
                .iter()
                .map(|joint| [joint.parent, joint.child].map(|link| Arc::from(&*self.names[link])))
                .collect(),
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
        scene.notes.push(format!("links without a {geometry} mesh left out: {}", some_of(links)));
    }
}

/// Returns the first names of a list, and how many there are more.
fn some_of(names: &[&str]) -> String {
    let named: Vec<String> = names.iter().take(MOST_NAMED).map(|name| clip(name)).collect();
    let more = match names.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    named.join(", ") + &more
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
    /// True if all addresses that begin in a package begin in the same.
    is_only_package: bool,
    known: HashMap<PathBuf, MeshId>,
    /// Why files cannot be read.
    refused: HashMap<String, String>,
}

impl Meshes<'_> {
    /// Returns the mesh of a file, which is read, or refused, once.
    fn get(&mut self, file: &str, scene: &mut Scene) -> Result<MeshId, Fault> {
        if let Some(why) = self.refused.get(file) {
            return Err(Fault::Scene(why.clone()));
        }
        self.read(file, scene).inspect_err(|fault| {
            self.refused.insert(file.to_owned(), fault.to_string());
        })
    }

    fn read(&mut self, file: &str, scene: &mut Scene) -> Result<MeshId, Fault> {
        let format = MeshFormat::of(file)?;
        let folder = self.source.folder()?;
        let package = InPackage::find(file, self.is_only_package, folder)?;
        let plain = file.strip_prefix("file://").unwrap_or(file);
        let path = match &package {
            Some(package) => package.root.join(package.file),
            None if plain.contains("://") => return Err(Fault::Unsupported("such an address is".to_owned())),
            None => folder.join(plain),
        };
        let path = folder.files().canonical(&path).unwrap_or(path);
        if let Some(&mesh) = self.known.get(&path) {
            return Ok(mesh);
        }
        let bytes = match package {
            Some(package) => folder.read_below(&package.root, package.file),
            None => folder.read(plain),
        }?;
        let mut own = Vec::new();
        let mesh = parse_mesh(format, &bytes, &mut own, self.source.memory)?;
        self.source.memory.give_back(bytes.len(), 1);
        scene.notes.extend(own.into_iter().map(|note| format!("{}: {note}", clip(file))));
        scene.meshes.push(Arc::new(mesh));
        let id = MeshId(to_u32(scene.meshes.len() - 1));
        self.known.insert(path, id);
        Ok(id)
    }
}

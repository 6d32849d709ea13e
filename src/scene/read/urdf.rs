//! URDF: the links of a robot, their meshes, and the joints that move them.
//!
//! A link's visual meshes (or its collision meshes) are parts, named as the link, or as link and mesh where
//! there are several. Links that a joint connects are excluded pairs. Joints stand at 0, or move by a
//! trajectory. The unit is the metre.
//!
//! Read on `roxmltree`, which says where in the file something is; `urdf-rs` skips numbers that it cannot
//! read and limits that are not there.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use glam::DVec3;
use roxmltree::{Document, Node};

use super::error::{Fault, clip};
use super::place::Place;
use super::text::number;
use super::trajectory::Trajectory;
use super::{Format, MOST_PARTS, Source, check_name, parse_mesh, path_of};
use crate::ids::{MeshId, to_u32};
use crate::math::pose::Pose;
use crate::motion::turn::product;
use crate::motion::{Motion, MotionError};
use crate::scene::excluded::ADJACENT;
use crate::scene::{Part, Scene};
use crate::units::Unit;

/// Reads a robot and the meshes that it names.
pub(super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let document = Document::parse(text).map_err(|error| Fault::at("XML", clip(&error.to_string())))?;
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
    let values = robot.values(source.robot.trajectory.as_ref())?;
    let mut scene = Scene { unit: Some(Unit::M), ..Scene::default() };
    robot.note_limits(&values, source.robot.trajectory.as_ref(), &mut scene.notes);
    let places = robot.places(&values, source.robot.trajectory.as_ref(), &mut scene)?;
    robot.add_parts(&places, source, &mut scene)?;
    Ok(scene)
}

fn is_xacro(namespace: &str) -> bool {
    namespace.ends_with("xacro")
}

/// `line 12`
fn place_of(node: Node) -> String {
    format!("line {}", node.document().text_pos_at(node.range().start).row)
}

/// Links and joints, proven to be a tree.
struct Robot<'a> {
    links: Vec<Node<'a, 'a>>,
    /// Their names.
    names: Vec<String>,
    joints: Vec<Joint<'a>>,
    /// The joint that each link hangs on; only the root has none.
    hangs_on: Vec<Option<usize>>,
}

struct Joint<'a> {
    name: &'a str,
    kind: Kind,
    parent: usize,
    child: usize,
    origin: Pose,
    /// Of length 1.
    axis: DVec3,
    limits: Option<[f64; 2]>,
    mimic: Option<Mimic<'a>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Fixed,
    Turning,
    Sliding,
}

/// `multiplier * joint + offset`
#[derive(Clone, Copy)]
struct Mimic<'a> {
    joint: &'a str,
    multiplier: f64,
    offset: f64,
}

/// What a joint does: one value, or one for each time of the trajectory.
type Values = Vec<f64>;

impl<'a> Robot<'a> {
    fn new(root: Node<'a, 'a>) -> Result<Self, Fault> {
        let links: Vec<_> = elements(root, "link").collect();
        let mut by_name = HashMap::new();
        let mut names = Vec::new();
        for (i, &link) in links.iter().enumerate() {
            let name = required(link, "name")?;
            check_name(name).map_err(|fault| at_element(fault, link))?;
            if by_name.insert(name, i).is_some() {
                return Err(Fault::at(place_of(link), format!("a second link '{}'", clip(name))));
            }
            names.push(name.to_owned());
        }
        let mut robot = Self { hangs_on: vec![None; links.len()], links, names, joints: Vec::new() };
        let mut joint_names = HashMap::new();
        for (i, node) in elements(root, "joint").enumerate() {
            let joint = Joint::new(node, &by_name).map_err(|fault| at_element(fault, node))?;
            if joint_names.insert(joint.name, i).is_some() {
                return Err(Fault::at(place_of(node), format!("a second joint '{}'", clip(joint.name))));
            }
            if let Some(other) = robot.hangs_on[joint.child].replace(i) {
                let (child, other) = (&robot.names[joint.child], robot.joints[other].name);
                let why = format!("the link '{}' hangs on the joint '{}' already", clip(child), clip(other));
                return Err(Fault::at(place_of(node), why));
            }
            robot.joints.push(joint);
        }
        robot.refuse_other_than_trees()?;
        Ok(robot)
    }

    fn refuse_other_than_trees(&self) -> Result<(), Fault> {
        let order = self.parents_first();
        let mut roots = (0..self.links.len()).filter(|&link| self.hangs_on[link].is_none());
        if let (Some(one), Some(other)) = (roots.next(), roots.next()) {
            let (one, other) = (clip(&self.names[one]), clip(&self.names[other]));
            return Err(Fault::Scene(format!(
                "the links '{one}' and '{other}' hang on no joint: one root is allowed"
            )));
        }
        let mut reached = vec![false; self.links.len()];
        order.iter().for_each(|&link| reached[link] = true);
        match reached.iter().position(|reached| !reached) {
            None => Ok(()),
            Some(link) => Err(Fault::at(place_of(self.links[link]), "its joints form a cycle")
                .in_part(&self.names[link], "link")),
        }
    }

    /// Links, each after what it hangs on; none that is in or below a cycle.
    fn parents_first(&self) -> Vec<usize> {
        let mut children = vec![Vec::new(); self.links.len()];
        for joint in &self.joints {
            children[joint.parent].push(joint.child);
        }
        let mut order: Vec<usize> = (0..self.links.len()).filter(|&i| self.hangs_on[i].is_none()).collect();
        let mut at = 0;
        while at < order.len() {
            order.extend(&children[order[at]]);
            at += 1;
        }
        order
    }

    /// The values of every joint over the trajectory, or the one where it stands.
    fn values(&self, trajectory: Option<&Trajectory>) -> Result<Vec<Values>, Fault> {
        let by_name: HashMap<&str, usize> =
            self.joints.iter().enumerate().map(|(i, j)| (j.name, i)).collect();
        let count = trajectory.map_or(1, |trajectory| trajectory.times.len());
        let mut values: Vec<Option<Values>> = vec![None; self.joints.len()];
        for course in trajectory.iter().flat_map(|trajectory| &trajectory.joints) {
            let refuse = |why: String| {
                let fault = Fault::at("row 1", format!("the joint '{}' {why}", clip(&course.joint)));
                Err(fault.in_file(&trajectory.expect("it has joints").file))
            };
            let Some(&joint) = by_name.get(course.joint.as_str()) else {
                return refuse("is not one of the robot's".to_owned());
            };
            match &self.joints[joint] {
                Joint { mimic: Some(mimic), .. } => {
                    return refuse(format!("mimics '{}'", clip(mimic.joint)));
                }
                Joint { kind: Kind::Fixed, .. } => return refuse("is fixed".to_owned()),
                _ => values[joint] = Some(course.values.clone()),
            }
        }
        for start in 0..self.joints.len() {
            let mut chain = Vec::new();
            let mut at = start;
            while values[at].is_none() {
                chain.push(at);
                let joint = &self.joints[at];
                let Some(mimic) = joint.mimic else {
                    values[at] = Some(vec![0.0; count]);
                    break;
                };
                at = *by_name.get(mimic.joint).ok_or_else(|| {
                    let why = format!("'{}' is not the name of a joint", clip(mimic.joint));
                    Fault::at("mimic", why).in_part(joint.name, "joint")
                })?;
                if chain.len() > self.joints.len() {
                    return Err(Fault::at("mimic", "it mimics itself").in_part(joint.name, "joint"));
                }
            }
            let mut above = values[at].clone().unwrap_or_default();
            for joint in chain.into_iter().rev() {
                if let (None, Some(mimic)) = (&values[joint], self.joints[joint].mimic) {
                    above.iter_mut().for_each(|value| *value = mimic.multiplier * *value + mimic.offset);
                    values[joint] = Some(above.clone());
                }
            }
        }
        Ok(values.into_iter().flatten().collect())
    }

    fn note_limits(&self, values: &[Values], trajectory: Option<&Trajectory>, notes: &mut Vec<String>) {
        for (joint, values) in self.joints.iter().zip(values) {
            let Some([lower, upper]) = joint.limits else { continue };
            let Some(row) = values.iter().position(|value| !(lower..=upper).contains(value)) else {
                continue;
            };
            let name = clip(joint.name);
            let value = values[row];
            notes.push(match trajectory {
                Some(trajectory) => format!(
                    "the joint '{name}' is at {value} at {} s, beyond its limits {lower} and {upper}",
                    trajectory.times[row]
                ),
                None => {
                    format!("the joint '{name}' stands at {value}, beyond its limits {lower} and {upper}")
                }
            });
        }
        if let Some(trajectory) = trajectory {
            let moved = |joint: &Joint| trajectory.joints.iter().any(|course| course.joint == joint.name);
            let still =
                self.joints.iter().filter(|j| j.kind != Kind::Fixed && j.mimic.is_none() && !moved(j));
            match still.count() {
                0 => {}
                count => notes.push(format!("joints that the trajectory does not move stand at 0: {count}")),
            }
        }
    }

    /// Where each link stands or how it moves.
    fn places(
        &self,
        values: &[Values],
        trajectory: Option<&Trajectory>,
        scene: &mut Scene,
    ) -> Result<Vec<Option<Place>>, Fault> {
        let mut places: Vec<Option<Place>> = vec![None; self.links.len()];
        for link in self.parents_first() {
            let Some(index) = self.hangs_on[link] else { continue };
            let joint = &self.joints[index];
            let frames = &mut scene.frames;
            let mut place = || {
                let above = Place::standing(frames, places[joint.parent].as_ref(), joint.origin)?;
                let motion = |times: &[f64]| match joint.kind {
                    Kind::Fixed => None,
                    Kind::Turning => Some(Motion::about(joint.axis, times, &values[index])),
                    Kind::Sliding => Some(Motion::along(joint.axis, times, &values[index])),
                };
                let Some(motion) = motion(trajectory.map_or(&[0.0], |t| &t.times)) else { return Ok(above) };
                let motion: Motion =
                    motion.map_err(|error: MotionError| Fault::at("motion", error.to_string()))?;
                let start = motion.pose(motion.times()[0]);
                Place::moving(frames, Some(&above), start, motion)
            };
            places[link] = Some(place().map_err(|fault: Fault| fault.in_part(joint.name, "joint"))?);
        }
        Ok(places)
    }

    fn add_parts(&self, places: &[Option<Place>], source: &Source, scene: &mut Scene) -> Result<(), Fault> {
        let geometry = if source.robot.collision_geometry { "collision" } else { "visual" };
        let parents: Vec<Option<usize>> =
            self.hangs_on.iter().map(|joint| joint.map(|joint| self.joints[joint].parent)).collect();
        let mut meshes = Meshes { source, known: HashMap::new() };
        let mut primitives = 0;
        let mut groups = Vec::new();
        for (i, &link) in self.links.iter().enumerate() {
            let first = to_u32(scene.parts.len());
            let mut surfaces = Vec::new();
            for shape in elements(link, geometry) {
                match Surface::of(shape).map_err(|fault| at_element(fault, link))? {
                    Some(surface) => surfaces.push(surface),
                    None => primitives += 1,
                }
            }
            let path = path_of(&self.names, &parents, i);
            for surface in &surfaces {
                if scene.parts.len() == MOST_PARTS {
                    return Err(Fault::Scene(format!("there are more than {MOST_PARTS} parts")));
                }
                let mesh = meshes
                    .get(surface.file, scene)
                    .map_err(|fault| at_element(fault.in_file(surface.file), link))?;
                let own = match surfaces.len() {
                    1 => String::new(),
                    _ => format!(
                        "/{}",
                        Path::new(surface.file).file_stem().unwrap_or_default().to_string_lossy()
                    ),
                };
                let place = Place::standing(&mut scene.frames, places[i].as_ref(), surface.pose)
                    .map_err(|fault| at_element(fault, link))?;
                scene.parts.push(Part {
                    name: format!("{}{own}", self.names[i]),
                    file: surface.file.to_owned(),
                    path: format!("{path}{own}"),
                    tags: Vec::new(),
                    mesh,
                    pose: place.start,
                    frame: place.frame,
                });
            }
            groups.push(scene.excluded.group(first..to_u32(scene.parts.len())));
        }
        for joint in &self.joints {
            scene.excluded.exclude(groups[joint.parent], groups[joint.child], ADJACENT);
        }
        if primitives > 0 {
            scene
                .notes
                .push(format!("{geometry} boxes, cylinders, spheres and the like left out: {primitives}"));
        }
        Ok(())
    }
}

impl<'a> Joint<'a> {
    fn new(node: Node<'a, 'a>, links: &HashMap<&str, usize>) -> Result<Self, Fault> {
        let kind = match required(node, "type")? {
            "fixed" => Kind::Fixed,
            "revolute" | "continuous" => Kind::Turning,
            "prismatic" => Kind::Sliding,
            other @ ("planar" | "floating") => {
                return Err(Fault::Unsupported(format!("a {other} joint is")));
            }
            other => return Err(Fault::at("type", format!("unknown type '{}'", clip(other)))),
        };
        let end = |which: &'static str| {
            let end = element(node, which).ok_or_else(|| Fault::at(which, "it is missing"))?;
            let link = required(end, "link")?;
            let wrong = || Fault::at(which, format!("'{}' is not the name of a link", clip(link)));
            links.get(link).copied().ok_or_else(wrong)
        };
        let axis = element(node, "axis").map_or(Ok(DVec3::X), |axis| vector(axis, "xyz", DVec3::X))?;
        let length = axis.length();
        if kind != Kind::Fixed && !(length > 0.0 && length.is_finite()) {
            return Err(Fault::at("axis", format!("{axis} has no direction")));
        }
        let limit = element(node, "limit").filter(|_| node.attribute("type") != Some("continuous"));
        let limits = limit.map(|limit| -> Result<_, Fault> {
            let [lower, upper] = ["lower", "upper"].map(|key| optional(limit, key));
            Ok((lower?, upper?))
        });
        let limits = match limits.transpose()? {
            None | Some((None, None)) => None,
            Some((lower, upper)) => Some([lower.unwrap_or(0.0), upper.unwrap_or(0.0)]),
        };
        let mimic = element(node, "mimic").map(|mimic| -> Result<_, Fault> {
            Ok(Mimic {
                joint: required(mimic, "joint")?,
                multiplier: optional(mimic, "multiplier")?.unwrap_or(1.0),
                offset: optional(mimic, "offset")?.unwrap_or(0.0),
            })
        });
        Ok(Self {
            name: required(node, "name")?,
            kind,
            parent: end("parent")?,
            child: end("child")?,
            origin: origin(node, [1.0; 3])?,
            axis: axis / length,
            limits,
            mimic: mimic.transpose()?,
        })
    }
}

/// A mesh of a link, and where it is there.
struct Surface<'a> {
    file: &'a str,
    pose: Pose,
}

impl<'a> Surface<'a> {
    /// Of a `<visual>` or `<collision>`; `None` for a primitive.
    fn of(shape: Node<'a, 'a>) -> Result<Option<Self>, Fault> {
        let geometry = element(shape, "geometry").ok_or_else(|| Fault::at("geometry", "it is missing"))?;
        let Some(mesh) = element(geometry, "mesh") else { return Ok(None) };
        let scale = vector(mesh, "scale", DVec3::ONE)?;
        Ok(Some(Self { file: required(mesh, "filename")?, pose: origin(shape, scale.to_array())? }))
    }
}

/// The meshes, each file once.
struct Meshes<'a> {
    source: &'a Source<'a>,
    known: HashMap<String, MeshId>,
}

impl Meshes<'_> {
    fn get(&mut self, file: &str, scene: &mut Scene) -> Result<MeshId, Fault> {
        let Format::Mesh(format) = Format::of(file)? else {
            return Err(Fault::Unsupported("a scene as the mesh of a link is".to_owned()));
        };
        let mut missing = None;
        for path in places_of(file)? {
            if let Some(&mesh) = self.known.get(&path) {
                return Ok(mesh);
            }
            let bytes = match (self.source.beside)(&path) {
                Ok(bytes) => bytes,
                Err(fault) => {
                    missing.get_or_insert(fault);
                    continue;
                }
            };
            let mut own = Vec::new();
            let mesh = parse_mesh(format, &bytes, &mut own)?;
            scene.notes.extend(own.into_iter().map(|note| format!("{}: {note}", clip(file))));
            scene.meshes.push(Arc::new(mesh));
            let id = MeshId(to_u32(scene.meshes.len() - 1));
            self.known.insert(path, id);
            return Ok(id);
        }
        Err(missing.unwrap_or(Fault::Empty))
    }
}

/// Where a mesh file may be, from the URDF's folder: a package is that folder, one in it, or one that it is
/// in (`arm/urdf/arm.urdf` names `package://arm/meshes/base.stl`).
fn places_of(file: &str) -> Result<Vec<String>, Fault> {
    if let Some(named) = file.strip_prefix("package://") {
        let rest = named.split_once('/').map_or(named, |(_, rest)| rest);
        let mut places = vec![rest.to_owned(), named.to_owned()];
        places.extend([format!("../{rest}"), format!("../{named}"), format!("../../{named}")]);
        return Ok(places);
    }
    let path = file.strip_prefix("file://").unwrap_or(file);
    if path.contains("://") {
        return Err(Fault::Unsupported("such an address is".to_owned()));
    }
    Ok(vec![path.to_owned()])
}

/// `xyz` and `rpy`: turned about the fixed x, y and z axes in turn, then shifted.
fn origin(node: Node, scale: [f64; 3]) -> Result<Pose, Fault> {
    let Some(origin) = element(node, "origin") else {
        return Ok(Pose::from_trs([0.0, 0.0, 0.0, 1.0], scale, [0.0; 3]).expect("of length 1"));
    };
    let (xyz, rpy) = (vector(origin, "xyz", DVec3::ZERO)?, vector(origin, "rpy", DVec3::ZERO)?);
    let half = |angle: f64| libm::sincos(0.5 * angle);
    let ((sx, cx), (sy, cy), (sz, cz)) = (half(rpy.x), half(rpy.y), half(rpy.z));
    let (x, y, z) = ([sx, 0.0, 0.0, cx], [0.0, sy, 0.0, cy], [0.0, 0.0, sz, cz]);
    Ok(Pose::from_trs(product(z, product(y, x)), scale, xyz.to_array()).expect("of length 1"))
}

fn elements<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn element<'a>(node: Node<'a, 'a>, name: &'static str) -> Option<Node<'a, 'a>> {
    elements(node, name).next()
}

fn required<'a>(node: Node<'a, 'a>, attribute: &str) -> Result<&'a str, Fault> {
    let missing = || Fault::at(place_of(node), format!("<{}> has no {attribute}", node.tag_name().name()));
    node.attribute(attribute).ok_or_else(missing)
}

fn optional(node: Node, attribute: &str) -> Result<Option<f64>, Fault> {
    let read = |text: &str| number(text.trim()).map_err(|why| Fault::at(attribute, why));
    node.attribute(attribute).map(read).transpose()
}

fn vector(node: Node, attribute: &str, default: DVec3) -> Result<DVec3, Fault> {
    let Some(text) = node.attribute(attribute) else { return Ok(default) };
    let wrong = |why: String| Fault::at(attribute, why);
    let numbers: Vec<f64> = text.split_whitespace().map(number).collect::<Result<_, _>>().map_err(wrong)?;
    match numbers[..] {
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => Err(wrong(format!("'{}' is not three numbers", clip(text)))),
    }
}

/// The fault of a link or joint, by its name and line.
fn at_element(fault: Fault, node: Node) -> Fault {
    let name = node.attribute("name").unwrap_or("");
    fault.in_part(name, &format!("{}, {}", node.tag_name().name(), place_of(node)))
}

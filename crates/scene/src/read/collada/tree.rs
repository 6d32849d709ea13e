//! The node tree: geometries and their poses.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use glam::DVec3;
use roxmltree::{Node, NodeId};

use super::super::error::{Fault, clip, in_brackets};
use super::super::missing::Missing;
use super::super::text::number;
use super::super::xml::{at_element, element, elements};
use super::super::{MOST_PARTS, Source, check_name, finite, path_below};
use super::Ids;
use super::geometry::{self, Without};
use closefit_geometry::ids::MeshId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::scene::{Part, Scene};

/// The largest number of nodes that stand for others within each other.
const DEEPEST: usize = 64;

/// A node that is to be visited.
struct Open<'a> {
    node: Node<'a, 'a>,
    /// The pose of its parent in the world.
    above: Pose,
    path: Rc<str>,
    /// The nodes that others stand for, from this one upwards.
    within: Option<Rc<Stands>>,
}

/// A node that another stands for, and the one around that.
struct Stands {
    node: NodeId,
    outer: Option<Rc<Self>>,
    depth: usize,
}

/// A traversal of the scene's nodes.
pub(super) struct Walk<'a> {
    root: Node<'a, 'a>,
    ids: Ids<'a>,
    source: &'a Source<'a>,
    scene: Scene,
    /// The mesh of each geometry so far; `None` if it has no surface; the reason if it cannot be read.
    meshes: HashMap<NodeId, Result<Option<MeshId>, String>>,
    missing: Missing,
    without: Without,
    skins: usize,
    visited: usize,
}

impl<'a> Walk<'a> {
    pub fn new(root: Node<'a, 'a>, ids: Ids<'a>, source: &'a Source<'a>, scene: Scene) -> Self {
        let (meshes, missing, without) = (HashMap::new(), Missing::default(), Without::default());
        Self { root, ids, source, scene, meshes, missing, without, skins: 0, visited: 0 }
    }

    /// Adds all parts; `pose` takes the file to the world.
    pub fn run(mut self, pose: Pose) -> Result<Scene, Fault> {
        if let Some(visual) = self.visual_scene()? {
            let open = |node| Open { node, above: pose, path: "".into(), within: None };
            let roots: Vec<Open> = elements(visual, "node").map(open).collect();
            self.walk(roots)?;
        }
        if self.scene.parts.is_empty() && self.meshes.is_empty() && self.skins == 0 {
            self.take_library(pose)?;
        }
        self.add_notes();
        let missing = std::mem::take(&mut self.missing);
        missing.leave_out(self.source.options.allow_missing, &mut self.scene)?;
        match self.scene.parts.is_empty() && self.scene.left_out.parts == 0 && self.without.lines > 0 {
            true => Err(super::super::without_surface(false, true)),
            false => Ok(self.scene),
        }
    }

    /// Returns the scene that the file names, or else its only one.
    fn visual_scene(&self) -> Result<Option<Node<'a, 'a>>, Fault> {
        let named = element(self.root, "scene").and_then(|scene| element(scene, "instance_visual_scene"));
        if let Some(named) = named {
            return self.ids.get(named, "url", "visual_scene").map(Some);
        }
        let mut all =
            elements(self.root, "library_visual_scenes").flat_map(|all| elements(all, "visual_scene"));
        Ok(all.next().filter(|_| all.next().is_none()))
    }

    fn walk(&mut self, roots: Vec<Open<'a>>) -> Result<(), Fault> {
        let mut open = roots;
        open.reverse();
        while let Some(next) = open.pop() {
            self.visited += 1;
            if self.visited > MOST_PARTS {
                return Err(Fault::Scene(format!("there are more than {MOST_PARTS} nodes")));
            }
            let node = next.node;
            let children = self.visit(&next).map_err(|fault| at_element(fault, node))?;
            open.extend(children.into_iter().rev());
        }
        Ok(())
    }

    /// Adds the parts of a node. Returns the nodes below it.
    fn visit(&mut self, open: &Open<'a>) -> Result<Vec<Open<'a>>, Fault> {
        let node = open.node;
        let name = node.attribute("name").or_else(|| node.attribute("id")).unwrap_or("");
        check_name(name)?;
        let path: Rc<str> = path_below(&open.path, name).into();
        let pose =
            local_pose(node)?.map_or(Ok(open.above), |own| finite(Pose::compose(&open.above, &own)))?;
        let mut children = Vec::new();
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "node" => {
                    let (path, within) = (path.clone(), open.within.clone());
                    children.push(Open { node: child, above: pose, path, within });
                }
                "instance_node" => {
                    let target = self.ids.get(child, "url", "node")?;
                    let within = Some(stands(target, open.within.as_ref())?);
                    children.push(Open { node: target, above: pose, path: path.clone(), within });
                }
                "instance_geometry" => self.add(child, (name, &path), pose)?,
                "instance_controller" => self.skins += 1,
                _ => {}
            }
        }
        Ok(children)
    }

    fn add(&mut self, instance: Node<'a, 'a>, (name, path): (&str, &str), pose: Pose) -> Result<(), Fault> {
        let mesh = self.ids.get(instance, "url", "geometry").and_then(|geometry| {
            let found = self.mesh(geometry);
            found.map_err(|fault| at_element(fault, geometry))
        });
        match mesh {
            Ok(None) => Ok(()),
            Ok(Some(mesh)) => self.add_part(name, path, mesh, pose),
            Err(fault) => self.missing.add(at_element(fault, instance.parent().unwrap_or(instance)), 1),
        }
    }

    fn add_part(&mut self, name: &str, path: &str, mesh: MeshId, pose: Pose) -> Result<(), Fault> {
        let parts = self.scene.parts.len();
        if parts == MOST_PARTS {
            return Err(Fault::Scene(format!("there are more than {MOST_PARTS} parts")));
        }
        let file: Arc<str> = self.source.name.into();
        let part = Part { file, path: path.into(), ..Part::new(name, mesh, pose) };
        self.source.memory.take(1, part.bytes(), || format!("{} parts", parts + 1))?;
        self.scene.parts.push(part);
        Ok(())
    }

    /// Returns the mesh of a geometry, which is read, or refused, once.
    fn mesh(&mut self, geometry: Node<'a, 'a>) -> Result<Option<MeshId>, Fault> {
        if let Some(known) = self.meshes.get(&geometry.id()) {
            return known.clone().map_err(Fault::Scene);
        }
        let memory = self.source.memory;
        let told = (&mut self.without, &mut self.scene.notes);
        let read = geometry::read(geometry, &self.ids, told, memory).and_then(|mesh| {
            let Some(mesh) = mesh else { return Ok(None) };
            memory.take(mesh.bytes(), 1, || format!("a mesh of {} triangles", mesh.triangles().len()))?;
            Ok(Some(self.scene.add_mesh(mesh)))
        });
        let known = read.as_ref().map(|&mesh| mesh).map_err(Fault::to_string);
        self.meshes.insert(geometry.id(), known);
        read
    }

    /// Adds all geometries of a file whose scene has none, where they are.
    fn take_library(&mut self, pose: Pose) -> Result<(), Fault> {
        let all = elements(self.root, "library_geometries").flat_map(|all| elements(all, "geometry"));
        for geometry in all {
            let name = geometry.attribute("name").or_else(|| geometry.attribute("id")).unwrap_or("");
            check_name(name).map_err(|fault| at_element(fault, geometry))?;
            match self.mesh(geometry) {
                Ok(None) => {}
                Ok(Some(mesh)) => self.add_part(name, &format!("/{name}"), mesh, pose)?,
                Err(fault) => self.missing.add(at_element(fault, geometry), 1)?,
            }
        }
        if !self.scene.parts.is_empty() {
            self.scene.notes.push("its scene has no geometry, so the library's are taken".to_owned());
        }
        Ok(())
    }

    /// Notes what the file has besides rigid meshes.
    fn add_notes(&mut self) {
        let animations =
            elements(self.root, "library_animations").flat_map(|all| elements(all, "animation")).count();
        let mut note = |count: usize, what: &str| {
            if count > 0 {
                self.scene.notes.push(format!("{what}: {count}"));
            }
        };
        note(self.skins, "nodes with a skin or morph targets left out");
        note(animations, "animations left out");
        note(self.without.lines, "lists of lines left out (no surface)");
        note(self.without.curves, "geometries that are no meshes left out");
    }
}

/// Notes that a node stands for another.
fn stands(target: Node, outer: Option<&Rc<Stands>>) -> Result<Rc<Stands>, Fault> {
    let around = std::iter::successors(outer, |stands| stands.outer.as_ref());
    if around.into_iter().any(|stands| stands.node == target.id()) {
        let name = clip(target.attribute("id").unwrap_or(""));
        return Err(Fault::at("instance_node", format!("the node '{name}' is part of itself")));
    }
    let depth = outer.map_or(1, |outer| outer.depth + 1);
    if depth > DEEPEST {
        let why = format!("more than {DEEPEST} nodes that stand for others are within each other");
        return Err(Fault::at("instance_node", why));
    }
    Ok(Rc::new(Stands { node: target.id(), outer: outer.cloned(), depth }))
}

/// Returns the node's own map into its parent's frame: all its transformations, in their order. `None` for
/// the identity.
fn local_pose(node: Node) -> Result<Option<Pose>, Fault> {
    let mut pose: Option<Pose> = None;
    for child in node.children().filter(Node::is_element) {
        let what = child.tag_name().name();
        let next = match what {
            "matrix" => matrix(numbers(child)?)?,
            "translate" => Pose::translation(numbers(child)?),
            "scale" => Pose::from_trs([0.0, 0.0, 0.0, 1.0], numbers(child)?, [0.0; 3]).expect("of length 1"),
            "rotate" => rotation(numbers(child)?)?,
            "skew" | "lookat" => return Err(Fault::Unsupported(format!("<{what}> is"))),
            _ => continue,
        };
        pose = Some(pose.map_or(next, |before| Pose::compose(&before, &next)));
    }
    pose.map(finite).transpose()
}

/// Reads so many numbers.
fn numbers<const N: usize>(node: Node) -> Result<[f64; N], Fault> {
    let what = node.tag_name().name();
    let text = node.text().unwrap_or("");
    let read: Result<Vec<f64>, String> = text.split_ascii_whitespace().take(N + 1).map(number).collect();
    let read = read.map_err(|why| Fault::at(what, why))?;
    let many = read.len();
    read.try_into().map_err(|_| match many {
        _ if many > N => Fault::at(what, format!("it has more than {N} numbers")),
        _ => Fault::at(what, format!("it has {many} numbers instead of {N}")),
    })
}

fn matrix(m: [f64; 16]) -> Result<Pose, Fault> {
    let last = [m[12], m[13], m[14], m[15]];
    if last != [0.0, 0.0, 0.0, 1.0] {
        return Err(Fault::at("matrix", format!("its last row is {last:?} instead of 0, 0, 0, 1")));
    }
    Ok(Pose { rows: std::array::from_fn(|row| std::array::from_fn(|column| m[4 * row + column])) })
}

/// Returns the turn about an axis by an angle in degrees.
fn rotation([x, y, z, degrees]: [f64; 4]) -> Result<Pose, Fault> {
    let axis = DVec3::new(x, y, z);
    if degrees == 0.0 {
        return Ok(Pose::IDENTITY);
    }
    let length = axis.length();
    if !(length > 0.0 && length.is_finite()) {
        return Err(Fault::at("rotate", format!("the axis {} has no direction", in_brackets(axis))));
    }
    let (sine, cosine) = libm::sincos(0.5 * degrees.to_radians());
    let [x, y, z] = (axis / length * sine).to_array();
    Ok(Pose::from_trs([x, y, z, cosine], [1.0; 3], [0.0; 3]).expect("of length 1"))
}

//! glTF 2.0, text and binary: nodes with a mesh are parts, depth first from the scene's roots.
//!
//! The reader supports node matrices and TRS in f64, shared meshes, strips and fans, sparse and quantized
//! accessors, views compressed by meshopt, and `EXT_mesh_gpu_instancing` (parts `name[0]`, `name[1]`, ...).
//! A node's extras may give its part a name, a type and tags (`identity`), and where a node is named by the
//! id of an occurrence in a STEP file, its mesh gives the part its name. All animations are read:
//! translations and rotations of nodes that carry parts. Data without a surface or that does not stay rigid
//! (points, lines, skins, morph targets) is left out with a note; a mesh with a skin is placed by its node in
//! its bind shape. The unit is the metre, y is up.

mod accessors;
mod animation;
mod buffers;
mod cubic;
mod document;
#[cfg(feature = "draco")]
mod draco;
mod identity;
mod meshopt;
mod surface;

use std::collections::HashMap;
use std::sync::Arc;

use super::error::{Fault, clip};
use super::missing::Missing;
use super::place::Place;
use super::text::decoded;
use super::{MOST_PARTS, Motions, Source, path_of};
use accessors::Accessors;
use animation::Animated;
use closefit_geometry::ids::{MeshId, to_u32};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::scene::{Part, Scene, Up};
use closefit_geometry::units::Unit;
use document::{Document, GltfNode, Instancing};
use identity::{Identity, identities};
use surface::MeshReader;

/// Bytes that a document takes, per byte of its JSON.
const DOCUMENT: usize = 4;

/// Reads a `.gltf` or `.glb` file.
pub(super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let (json, binary) = document::chunks(bytes)?;
    let text = decoded(json)?;
    if json.len() == bytes.len() && !text.trim_start().starts_with('{') {
        return Err(Fault::Scene(
            "it is neither GLB, which begins with 'glTF', nor a JSON object".to_owned(),
        ));
    }
    source.memory.take(json.len(), DOCUMENT, || format!("a document of {} bytes", json.len()))?;
    let mut scene = Scene { unit: Some(Unit::M), up: Some(Up::Y), ..Scene::default() };
    let document = Document::parse(&text, &mut scene.notes)?;
    let buffers = buffers::load(&document, binary, source)?;
    let tree = Tree::new(&document, source.memory)?;
    let accessors = Accessors { document: &document, buffers: &buffers };
    let memory = source.memory;
    let mesh_reader = MeshReader::new(accessors, memory, json.len() + buffers.total);
    let (carries, motions) = (tree.carriers(), source.options.motions);
    let animated =
        Animated::read(&document.animations, &mesh_reader.accessors, &tree.names, &carries, motions)?;
    let (file, meshes) = (source.name.into(), HashMap::new());
    let missing = Missing::default();
    let mut walk = Walk {
        tree,
        mesh_reader,
        animated,
        motions,
        scene,
        file,
        meshes,
        missing,
        lost: 0,
        memory,
        visited: 0,
    };
    walk.run()?;
    walk.read_meshes()?;
    walk.settle(source.options.allow_missing)?;
    walk.add_notes();
    memory.give_back(json.len(), DOCUMENT);
    memory.give_back(buffers.total - binary.map_or(0, <[u8]>::len), 1);
    memory.give_back(buffers.unpacked_total, 1);
    Ok(walk.scene)
}

/// The nodes, proven to be a forest.
struct Tree<'a> {
    nodes: Vec<GltfNode<'a>>,
    names: Vec<Arc<str>>,
    identities: Vec<Identity>,
    parents: Vec<Option<usize>>,
    /// Roots of the scene that is read.
    roots: Vec<usize>,
}

impl<'a> Tree<'a> {
    fn new(document: &Document<'a>, memory: &MemoryAccount) -> Result<Self, Fault> {
        let count = document.nodes.len();
        let node_bytes = size_of::<GltfNode>() + size_of::<Identity>() + 4 * size_of::<usize>();
        memory.take(count, node_bytes, || format!("{count} nodes"))?;
        let nodes = document.nodes()?;
        let (names, identities) = identities(&nodes, document)?;
        let mut parents: Vec<Option<usize>> = vec![None; nodes.len()];
        for (parent, node) in nodes.iter().enumerate() {
            let in_node = |fault: Fault| fault.in_part(&names[parent], &format!("nodes[{parent}]"));
            for &child in &node.children {
                let wrong = |why: String| in_node(Fault::at("children", why));
                match parents.get_mut(child) {
                    None => return Err(wrong(format!("node {child}, but there are {}", nodes.len()))),
                    Some(Some(other)) => {
                        let other = clip(&names[*other]);
                        return Err(wrong(format!("node {child} is already a child of '{other}'")));
                    }
                    Some(slot) => *slot = Some(parent),
                }
            }
        }
        let mut tree = Self { nodes, names, identities, parents, roots: Vec::new() };
        tree.refuse_cycles()?;
        tree.roots = tree.roots_of(document)?;
        Ok(tree)
    }

    /// Refuses cycles. Each node has at most one parent, so a node that no parentless node leads to is in or
    /// below a cycle.
    fn refuse_cycles(&self) -> Result<(), Fault> {
        let mut reached = vec![false; self.nodes.len()];
        let mut open: Vec<usize> = (0..self.nodes.len()).filter(|&i| self.parents[i].is_none()).collect();
        while let Some(node) = open.pop() {
            reached[node] = true;
            open.extend(&self.nodes[node].children);
        }
        match reached.iter().position(|reached| !reached) {
            None => Ok(()),
            Some(node) => Err(Fault::at("children", "its ancestors form a cycle")
                .in_part(&self.names[node], &format!("nodes[{node}]"))),
        }
    }

    /// Returns the roots of the default scene, else of scene 0, else of the whole file.
    fn roots_of(&self, document: &Document) -> Result<Vec<usize>, Fault> {
        let scenes = &document.scenes;
        if scenes.is_empty() && document.scene.is_none() {
            return Ok((0..self.nodes.len()).filter(|&i| self.parents[i].is_none()).collect());
        }
        let index = document.scene.unwrap_or(0);
        let at = || format!("scene {index}");
        let scene =
            scenes.get(index).ok_or_else(|| Fault::at(at(), format!("there are only {}", scenes.len())))?;
        let mut seen = vec![false; self.nodes.len()];
        for &root in &scene.nodes {
            let why = match self.parents.get(root) {
                None => format!("node {root}, but there are {}", self.nodes.len()),
                Some(Some(_)) => format!("its root '{}' is a child of another node", clip(&self.names[root])),
                Some(None) if seen[root] => format!("its root '{}' is listed twice", clip(&self.names[root])),
                Some(None) => {
                    seen[root] = true;
                    continue;
                }
            };
            return Err(Fault::at(at(), why));
        }
        Ok(scene.nodes.clone())
    }

    /// Returns, for each node, true when it carries a part: it or a node below it has a mesh and is in the
    /// scene.
    fn carriers(&self) -> Vec<bool> {
        let mut carries = vec![false; self.nodes.len()];
        let mut open = self.roots.clone();
        while let Some(node) = open.pop() {
            open.extend(&self.nodes[node].children);
            let mut at = self.nodes[node].mesh.and(Some(node));
            while let Some(carrier) = at.filter(|&carrier| !carries[carrier]) {
                carries[carrier] = true;
                at = self.parents[carrier];
            }
        }
        carries
    }
}

/// Returns the node's own map into its parent's frame.
fn local_pose(node: &GltfNode) -> Result<Pose, Fault> {
    if let Some(m) = &node.matrix {
        if node.translation.is_some() || node.rotation.is_some() || node.scale.is_some() {
            return Err(Fault::at("matrix", "it stands beside a translation, rotation or scale"));
        }
        let last = [m[3], m[7], m[11], m[15]];
        if last != [0.0, 0.0, 0.0, 1.0] {
            return Err(Fault::at("matrix", format!("its last row is {last:?} instead of 0, 0, 0, 1")));
        }
        return Ok(Pose {
            rows: std::array::from_fn(|row| std::array::from_fn(|column| m[4 * column + row])),
        });
    }
    let (translation, rotation, scale) = parts_of_pose(node);
    Pose::from_trs(rotation, scale, translation)
        .ok_or_else(|| Fault::at("rotation", format!("the quaternion {rotation:?} has no direction")))
}

/// Returns translation, rotation and scale of a node without a matrix.
fn parts_of_pose(node: &GltfNode) -> ([f64; 3], [f64; 4], [f64; 3]) {
    let rotation = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    (node.translation.unwrap_or_default(), rotation, node.scale.unwrap_or([1.0; 3]))
}

/// The place of a node, on which its children build.
#[derive(Clone, Copy)]
struct Above {
    place: Place,
    /// True if the node, or one above it, has a motion that is needed and cannot be followed.
    is_lost: bool,
}

/// A traversal of the scene's nodes.
struct Walk<'a> {
    tree: Tree<'a>,
    mesh_reader: MeshReader<'a>,
    animated: Animated,
    motions: Motions,
    scene: Scene,
    file: Arc<str>,
    /// The mesh made of each glTF mesh so far, which will be read later; `None` if it has no surface; the
    /// reason if it cannot be read.
    meshes: HashMap<usize, Result<Option<MeshId>, String>>,
    missing: Missing,
    /// Number of parts of nodes that cannot be followed.
    lost: u64,
    memory: &'a MemoryAccount,
    visited: usize,
}

impl Walk<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        let mut open: Vec<(usize, Option<Above>, Option<Arc<str>>)> =
            self.tree.roots.iter().rev().map(|&root| (root, None, None)).collect();
        while let Some((index, parent, storey)) = open.pop() {
            self.visited += 1;
            let world = self
                .visit(index, parent, storey.as_ref())
                .map_err(|f| f.in_part(&self.tree.names[index], &format!("nodes[{index}]")))?;
            let Tree { nodes, names, identities, .. } = &self.tree;
            let storey = if identities[index].is_storey() { Some(names[index].clone()) } else { storey };
            let children = nodes[index].children.iter().rev();
            open.extend(children.map(|&child| (child, Some(world), storey.clone())));
        }
        Ok(())
    }

    /// Adds the parts of one node, which may be in a storey. Returns its place in the world, for its
    /// children.
    fn visit(
        &mut self,
        index: usize,
        parent: Option<Above>,
        storey: Option<&Arc<str>>,
    ) -> Result<Above, Fault> {
        let world = self.place(index, parent.map(|above| above.place).as_ref())?;
        let is_lost = parent.is_some_and(|above| above.is_lost) || self.animated.refused.contains_key(&index);
        let above = Above { place: world, is_lost };
        let Some(mesh) = self.tree.nodes[index].mesh else { return Ok(above) };
        let mesh = match self.mesh(mesh, index) {
            Ok(None) => return Ok(above),
            Ok(Some(mesh)) => mesh,
            // The caller says whose it is.
            Err(fault) if fault.is_about_memory() => return Err(fault),
            Err(fault) => {
                let fault = fault.in_part(&self.tree.names[index], &format!("nodes[{index}]"));
                self.missing.add(fault, 1)?;
                return Ok(above);
            }
        };
        let path: Arc<str> = path_of(&self.tree.names, &self.tree.parents, index).into();
        let Identity { kind, guid, tags, product } = &self.tree.identities[index];
        let name = product.as_ref().unwrap_or(&self.tree.names[index]);
        let Scene { parts, frames, .. } = &mut self.scene;
        let mut add = |suffix: &str, place: Place| {
            if is_lost {
                self.lost += 1;
                return Ok(());
            }
            if parts.len() == MOST_PARTS {
                return Err(Fault::Scene(format!("there are more than {MOST_PARTS} parts")));
            }
            let with_suffix = |text: &Arc<str>| match suffix {
                "" => text.clone(),
                _ => format!("{text}{suffix}").into(),
            };
            let part = Part {
                kind: kind.clone(),
                guid: guid.clone(),
                tags: tags.clone(),
                file: self.file.clone(),
                path: with_suffix(&path),
                storey: storey.cloned(),
                frame: place.frame,
                ..Part::new(with_suffix(name), mesh, place.rest)
            };
            self.memory.take(1, part.bytes(), || format!("{} parts", parts.len() + 1))?;
            parts.push(part);
            Ok(())
        };
        match &self.tree.nodes[index].extensions.instancing {
            None => add("", world)?,
            Some(instancing) => {
                for_each_instance(instancing, &self.mesh_reader.accessors, |i, pose| {
                    add(&format!("[{i}]"), Place::standing(frames, Some(&world), pose)?)
                })?;
            }
        }
        Ok(above)
    }

    /// Returns the mesh of a node by its index; `None` if it has no surface.
    fn mesh(&mut self, mesh: usize, node: usize) -> Result<Option<MeshId>, Fault> {
        if let Some(known) = self.meshes.get(&mesh) {
            return known.clone().map_err(Fault::Scene);
        }
        let new = self.mesh_reader.find(mesh, node).map(|place| Some(MeshId(to_u32(place?))));
        self.meshes.insert(mesh, new.as_ref().map(|&new| new).map_err(Fault::to_string));
        new
    }

    /// Reads and welds the meshes of the parts. Parts with a mesh that cannot be read are missing.
    fn read_meshes(&mut self) -> Result<(), Fault> {
        let meshes = surface::read_all(&self.mesh_reader.found, self.memory)?;
        let Scene { parts, meshes: read, .. } = &mut self.scene;
        let mut numbers = Vec::with_capacity(meshes.len());
        for (number, (mesh, found)) in meshes.into_iter().zip(&self.mesh_reader.found).enumerate() {
            match mesh {
                Ok(mesh) => {
                    numbers.push(Some(MeshId(to_u32(read.len()))));
                    read.push(Arc::new(mesh));
                }
                Err(fault) => {
                    numbers.push(None);
                    let fault =
                        fault.in_part(&self.tree.names[found.node], &format!("nodes[{}]", found.node));
                    let of_mesh = parts.iter().filter(|part| part.mesh.index() == number);
                    self.missing.add(fault, of_mesh.count() as u64)?;
                }
            }
        }
        if read.len() < numbers.len() {
            parts.retain(|part| numbers[part.mesh.index()].is_some());
            let renumbered = |part: &mut Part| part.mesh = numbers[part.mesh.index()].unwrap_or(part.mesh);
            parts.iter_mut().for_each(renumbered);
        }
        Ok(())
    }

    /// Refuses nodes that cannot be followed or read, or leaves them out, and a file of points and lines.
    fn settle(&mut self, allow_missing: bool) -> Result<(), Fault> {
        let mut missing = std::mem::take(&mut self.missing);
        for (i, (_, fault)) in std::mem::take(&mut self.animated.refused).into_iter().enumerate() {
            missing.add(fault, if i == 0 { self.lost } else { 0 })?;
        }
        missing.leave_out(allow_missing, &mut self.scene)?;
        let MeshReader { without_surface, points, .. } = self.mesh_reader;
        match self.scene.parts.is_empty() && self.scene.left_out.parts == 0 && without_surface > 0 {
            true => Err(super::without_surface(points > 0, points < without_surface)),
            false => Ok(()),
        }
    }

    /// Returns the pose of a node, or its motion.
    fn place(&mut self, index: usize, above: Option<&Place>) -> Result<Place, Fault> {
        let (node, frames) = (&self.tree.nodes[index], &mut self.scene.frames);
        let local = local_pose(node)?;
        let Some(motion) = self.animated.motion(index, parts_of_pose(node), self.memory) else {
            return Place::standing(frames, above, local);
        };
        let place = match motion {
            Err(fault @ Fault::OutOfMemory(_)) => return Err(fault),
            _ if node.matrix.is_some() => {
                Err(Fault::at("matrix", "an animation moves the node, so it must not have a matrix"))
            }
            Ok(motion) => Place::moving(frames, above, local, motion),
            Err(fault) => Err(fault),
        };
        let Err(fault) = place else { return place };
        let fault = fault.in_part(&self.tree.names[index], &format!("nodes[{index}]"));
        self.animated.refuse(index, fault, self.motions);
        Place::standing(frames, above, local)
    }

    /// Notes everything that the file contains beyond rigid meshes.
    fn add_notes(&mut self) {
        let Self { tree, mesh_reader, scene, animated, .. } = self;
        let tally = &animated.tally;
        if tally.splines > 0 {
            let [travel, turn] = tally.errors;
            scene.notes.push(format!(
                "cubic splines of animations read as linear spans: {} as {}, off by at most {travel:.1e} m \
                 and {turn:.1e} rad",
                tally.splines, tally.pieces
            ));
        }
        if let Some((count, first)) = &tally.unfollowed {
            scene.notes.push(format!(
                "motions left out, since they cannot be followed: {count}; the first: {first}"
            ));
        }
        let mut note = |count: usize, what: &str| {
            if count > 0 {
                scene.notes.push(format!("{what}: {count}"));
            }
        };
        let skins = tree.nodes.iter().filter(|node| node.skin.is_some()).count();
        let outside = tree.nodes.len() - self.visited;
        note(tally.repeated, "animation channels left out (an earlier animation moves the same property)");
        note(tally.other, "animation channels left out (neither translation, rotation nor scale of a node)");
        note(tally.idle, "animation channels left out (they move no part)");
        note(tally.noisy_scales, "animated scales taken as constant (they change by less than 1e-6)");
        note(skins, "nodes taken without their skin");
        note(mesh_reader.morphed, "primitives taken without their morph targets");
        note(mesh_reader.without_surface, "primitives of points or lines left out (no surface)");
        note(outside, "nodes left out (not in the scene that is read)");
    }
}

/// Calls `each` with the instances' poses relative to the node, in order.
fn for_each_instance(
    instancing: &Instancing,
    accessors: &Accessors,
    mut each: impl FnMut(usize, Pose) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let attributes = &instancing.attributes;
    let at = |why: String| Fault::at("EXT_mesh_gpu_instancing", why);
    let get = |index: Option<usize>, shape| index.map(|i| accessors.get(i, shape)).transpose().map_err(at);
    let translations = get(attributes.translation, "VEC3")?;
    let rotations = get(attributes.rotation, "VEC4")?;
    let scales = get(attributes.scale, "VEC3")?;
    let counts: Vec<usize> =
        [&translations, &rotations, &scales].into_iter().flatten().map(|elements| elements.count).collect();
    let &count = counts.first().ok_or_else(|| at("no TRANSLATION, ROTATION or SCALE".to_owned()))?;
    if counts.iter().any(|&other| other != count) {
        return Err(at(format!("its attributes have different counts: {counts:?}")));
    }
    for i in 0..count {
        let translation = translations.as_ref().map_or([0.0; 3], |t| t.get(i));
        let rotation = rotations.as_ref().map_or([0.0, 0.0, 0.0, 1.0], |r| r.get(i));
        let scale = scales.as_ref().map_or([1.0; 3], |s| s.get(i));
        let pose = Pose::from_trs(rotation, scale, translation)
            .ok_or_else(|| at(format!("instance {i}: the quaternion {rotation:?} has no direction")))?;
        each(i, pose)?;
    }
    Ok(())
}

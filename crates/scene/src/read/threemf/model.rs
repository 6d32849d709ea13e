//! A model file: its objects, and the items of its build.

use std::collections::HashMap;
use std::sync::Arc;

use glam::DVec3;
use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::super::text::number;
use super::super::xml::{at_element, place_of, required};
use super::super::{Source, check_name, finite};
use super::package::absolute;
use closefit_geometry::ids::MeshId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::Scene;

/// The namespace of paths to other model files.
const PRODUCTION: &str = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06";

/// The extensions that do not change a mesh: production, materials, slices, sets of triangles.
const WITHOUT_SURFACE: [&str; 5] = [
    PRODUCTION,
    "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
    "http://schemas.3mf.io/3dmanufacturing/trianglesets/2021/07",
];

/// An object, by the path of its file and its id there.
pub(super) type ObjectName = (Arc<str>, String);

/// A model file. An object may precede its components.
#[derive(Default)]
pub(super) struct Model {
    pub objects: HashMap<String, Object>,
    pub items: Vec<Placed>,
}

/// An object.
pub(super) struct Object {
    /// Its name, or else its part number; empty if it has neither.
    pub name: Arc<str>,
    /// Its use, such as `support`, where it is no ordinary one.
    pub kind: Option<String>,
    pub shape: Shape,
}

/// The shape of an object.
pub(super) enum Shape {
    /// A mesh of the scene, or the reason why it cannot be read, with its line.
    Mesh(Result<MeshId, String>),
    /// Other objects.
    Components(Vec<Placed>),
}

/// An object at a pose.
pub(super) struct Placed {
    pub object: ObjectName,
    pub pose: Pose,
}

/// Refuses a file that requires an extension that is not read.
pub(super) fn check_extensions(root: Node) -> Result<(), Fault> {
    let required = root.attribute("requiredextensions").unwrap_or("");
    for prefix in required.split_ascii_whitespace() {
        let address = root.lookup_namespace_uri(Some(prefix)).unwrap_or("");
        if !WITHOUT_SURFACE.contains(&address) {
            let (prefix, address) = (clip(prefix), clip(address));
            return Err(Fault::Unsupported(format!("the required extension '{prefix}' ({address}) is")));
        }
    }
    Ok(())
}

impl Model {
    /// Reads a file. `is_first` says if it is the one with which the package begins, which alone may refer to
    /// others.
    pub fn read(
        root: Node,
        (path, is_first): (&Arc<str>, bool),
        source: &Source,
        scene: &mut Scene,
    ) -> Result<Self, Fault> {
        let mut model = Self::default();
        let resources = elements_of(root, "resources").flat_map(|all| elements_of(all, "object"));
        for node in resources {
            let object = object(node, (path, is_first), source, scene);
            let (id, object) = object.map_err(|fault| at_element(fault, node))?;
            if model.objects.insert(id.clone(), object).is_some() {
                let why = format!("two objects have the id {}", clip(&id));
                return Err(at_element(Fault::at("id", why), node));
            }
        }
        for node in elements_of(root, "build").flat_map(|all| elements_of(all, "item")) {
            let item = placed(node, (path, is_first)).map_err(|fault| at_element(fault, node))?;
            model.items.push(item);
        }
        model.refuse_cycles(path)?;
        Ok(model)
    }

    /// Refuses objects that contain themselves. Components in other files cannot refer back to this one.
    fn refuse_cycles(&self, path: &Arc<str>) -> Result<(), Fault> {
        // For each object: the number of its components that may still be part of a cycle, and its users.
        let mut waits: HashMap<&str, usize> = HashMap::new();
        let mut awaited: HashMap<&str, Vec<&str>> = HashMap::new();
        for (id, object) in &self.objects {
            let Shape::Components(components) = &object.shape else { continue };
            let own = components.iter().filter(|placed| placed.object.0 == *path);
            for (_, component) in
                own.map(|placed| &placed.object).filter(|(_, id)| self.objects.contains_key(id))
            {
                *waits.entry(id).or_default() += 1;
                awaited.entry(component).or_default().push(id);
            }
        }
        let mut sound: Vec<&str> =
            self.objects.keys().map(|id| &id[..]).filter(|id| !waits.contains_key(id)).collect();
        while let Some(id) = sound.pop() {
            for waiting in awaited.remove(id).unwrap_or_default() {
                let left = waits.get_mut(waiting).expect("it waits");
                *left -= 1;
                if *left == 0 {
                    waits.remove(waiting);
                    sound.push(waiting);
                }
            }
        }
        match waits.keys().min() {
            None => Ok(()),
            Some(id) => {
                Err(Fault::Scene(format!("the object '{}' is part of itself, or has one that is", clip(id))))
            }
        }
    }
}

/// Reads an object, and returns its id.
fn object(
    node: Node,
    of: (&Arc<str>, bool),
    source: &Source,
    scene: &mut Scene,
) -> Result<(String, Object), Fault> {
    let id = required(node, "id")?.trim().to_owned();
    let name = ["name", "partnumber"].into_iter().filter_map(|name| node.attribute(name));
    let name = name.map(str::trim).find(|name| !name.is_empty()).unwrap_or("");
    check_name(name)?;
    let kind = node.attribute("type").map(str::trim).filter(|kind| !kind.is_empty() && *kind != "model");
    // Metadata may precede the shape.
    let is_shape = |child: &Node| child.is_element() && child.tag_name().name() != "metadatagroup";
    let shape = node.children().find(is_shape);
    let shape = match shape.map(|shape| (shape.tag_name().name(), shape)) {
        Some(("mesh", mesh)) => match read_mesh(mesh, source) {
            Ok(mesh) => Shape::Mesh(Ok(scene.add_mesh(mesh))),
            Err(fault) if fault.is_about_memory() => return Err(fault),
            Err(fault) => Shape::Mesh(Err(at_element(fault, node).to_string())),
        },
        Some(("components", all)) => {
            let mut components = Vec::new();
            for component in elements_of(all, "component") {
                components.push(placed(component, of)?);
            }
            Shape::Components(components)
        }
        Some((other, _)) => {
            let fault = Fault::Unsupported(format!("<{}> as the shape of an object is", clip(other)));
            Shape::Mesh(Err(at_element(fault, node).to_string()))
        }
        None => Shape::Components(Vec::new()),
    };
    Ok((id, Object { name: name.into(), kind: kind.map(str::to_owned), shape }))
}

/// Returns the elements of a name, in any namespace: files differ in the version that theirs has.
fn elements_of<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// Reads an item of the build, or a component.
fn placed(node: Node, (path, is_first): (&Arc<str>, bool)) -> Result<Placed, Fault> {
    let id = required(node, "objectid")?.trim().to_owned();
    let file = match node.attribute((PRODUCTION, "path")) {
        Some(other) if is_first => absolute(other).into(),
        Some(other) => {
            let why = format!("the path '{}', but only the first model may refer to others", clip(other));
            return Err(Fault::at(place_of(node), why));
        }
        None => path.clone(),
    };
    let pose = node.attribute("transform").map_or(Ok(Pose::IDENTITY), |text| {
        pose(text).map_err(|why| Fault::at(place_of(node), format!("transform: {why}")))
    })?;
    Ok(Placed { object: (file, id), pose: finite(pose)? })
}

/// Reads a matrix of four rows of three, by which a row of coordinates is multiplied from the left.
fn pose(text: &str) -> Result<Pose, String> {
    let numbers: Vec<f64> =
        text.split_ascii_whitespace().take(13).map(number).collect::<Result<_, String>>()?;
    let m: [f64; 12] =
        numbers.try_into().map_err(|found: Vec<f64>| format!("{} numbers instead of 12", found.len()))?;
    Ok(Pose { rows: std::array::from_fn(|row| std::array::from_fn(|column| m[3 * column + row])) })
}

fn read_mesh(node: Node, source: &Source) -> Result<Mesh, Fault> {
    let child = |name: &'static str| elements_of(node, name).next();
    if child("beamlattice").is_some() {
        return Err(Fault::Unsupported("a beam lattice is".to_owned()));
    }
    let coordinate = |vertex: Node, axis: &'static str| {
        number(required(vertex, axis)?.trim()).map_err(|why| Fault::at(place_of(vertex), why))
    };
    let mut vertices = Vec::new();
    for vertex in child("vertices").into_iter().flat_map(|all| elements_of(all, "vertex")) {
        let [x, y, z] = [coordinate(vertex, "x")?, coordinate(vertex, "y")?, coordinate(vertex, "z")?];
        vertices.push(DVec3::new(x, y, z));
    }
    let corner = |triangle: Node, name: &'static str| -> Result<u32, Fault> {
        let text = required(triangle, name)?.trim();
        let wrong = |why: String| Fault::at(place_of(triangle), why);
        let vertex: u32 =
            text.parse().map_err(|_| wrong(format!("'{}' is not a vertex index", clip(text))))?;
        match vertex as usize {
            index if index < vertices.len() => Ok(vertex),
            index => {
                Err(wrong(format!("the vertex index {index}, but there are {} vertices", vertices.len())))
            }
        }
    };
    let mut triangles = Vec::new();
    for triangle in child("triangles").into_iter().flat_map(|all| elements_of(all, "triangle")) {
        triangles.push([corner(triangle, "v1")?, corner(triangle, "v2")?, corner(triangle, "v3")?]);
    }
    let mesh = Mesh::new(&vertices, &triangles)?;
    let memory = source.memory;
    memory.take(mesh.bytes(), 1, || format!("a mesh of {} triangles", mesh.triangles().len()))?;
    Ok(mesh)
}

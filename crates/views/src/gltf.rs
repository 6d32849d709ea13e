//! glTF documents: shapes, colours and nodes, written as one binary file in metres with y up.

use std::collections::BTreeMap;

use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::{Part, Scene, Up};
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;
use closefit_report::table::elided;
use serde_json::{Value, json};

/// The model does not fit into a binary glTF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it would have more than 4 GiB, which binary glTF does not allow")]
pub struct TooLarge;

/// The largest width of a name.
const WIDEST: usize = 80;

/// Returns a name on one line, short enough for a list of nodes.
pub fn short(name: &str) -> String {
    elided(&printable(name), WIDEST)
}

/// Returns the 16 numbers of a matrix, column by column, as glTF wants them.
fn columns(pose: &Pose) -> Vec<f64> {
    let rows = [pose.rows[0], pose.rows[1], pose.rows[2], [0.0, 0.0, 0.0, 1.0]];
    (0..16).map(|k| rows[k % 4][k / 4]).collect()
}

/// A glTF document with its buffer.
#[derive(Default)]
pub struct Model {
    buffer: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    /// The glTF mesh of a shape in a colour.
    coloured: BTreeMap<(usize, usize), usize>,
}

impl Model {
    /// Adds a material of a colour: red, green, blue (linear) and opacity. Returns its number.
    pub fn material(&mut self, colour: [f64; 4]) -> usize {
        let mode = if colour[3] < 1.0 { "BLEND" } else { "OPAQUE" };
        let look = json!({ "baseColorFactor": colour, "metallicFactor": 0, "roughnessFactor": 1 });
        self.materials.push(json!({ "pbrMetallicRoughness": look, "alphaMode": mode, "doubleSided": true }));
        self.materials.len() - 1
    }

    /// Adds a shape. Returns the index of its position accessor; its index accessor is the next one.
    pub fn shape(&mut self, mesh: &Mesh) -> usize {
        let points: Vec<[f32; 3]> = mesh.vertices().iter().map(|p| p.as_vec3().to_array()).collect();
        let axis = |k: usize, choose: fn(f32, f32) -> f32| points.iter().map(|p| p[k]).reduce(choose);
        let [least, most] = [f32::min, f32::max].map(|choose| [0, 1, 2].map(|k| axis(k, choose)));
        let bytes = points.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let positions = self.accessor(bytes, 34962, 5126, points.len(), "VEC3");
        self.accessors[positions]["min"] = json!(least);
        self.accessors[positions]["max"] = json!(most);
        let corners = mesh.triangles().as_flattened();
        self.accessor(
            corners.iter().flat_map(|i| i.to_le_bytes()).collect(),
            34963,
            5125,
            corners.len(),
            "SCALAR",
        );
        positions
    }

    /// Adds numbers of vertices, of a kind such as `VEC3`. Returns their accessor.
    pub fn attribute<const N: usize>(&mut self, kind: &str, numbers: &[[f32; N]]) -> usize {
        let bytes = numbers.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(bytes, 34962, 5126, numbers.len(), kind)
    }

    /// Adds numbers of four bytes: glTF's codes say their use and their type. Returns their accessor.
    fn accessor(&mut self, bytes: Vec<u8>, target: u32, number: u32, count: usize, kind: &str) -> usize {
        let view = json!({ "buffer": 0, "byteOffset": self.buffer.len(), "byteLength": bytes.len(), "target": target });
        self.buffer.extend(bytes);
        self.views.push(view);
        let view = self.views.len() - 1;
        self.accessors
            .push(json!({ "bufferView": view, "componentType": number, "count": count, "type": kind }));
        self.accessors.len() - 1
    }

    /// Returns the glTF mesh of a shape in a colour.
    pub fn coloured(&mut self, shape: usize, colour: usize) -> usize {
        if let Some(&mesh) = self.coloured.get(&(shape, colour)) {
            return mesh;
        }
        let mesh = self.mesh(shape, colour, &[]);
        self.coloured.insert((shape, colour), mesh);
        mesh
    }

    /// Adds the glTF mesh of a shape in a colour, with attributes of its vertices. Returns its number.
    pub fn mesh(&mut self, shape: usize, colour: usize, attributes: &[(&str, usize)]) -> usize {
        let mut all = json!({ "POSITION": shape });
        attributes.iter().for_each(|&(name, accessor)| all[name] = json!(accessor));
        let primitive = json!({ "attributes": all, "indices": shape + 1, "material": colour });
        self.meshes.push(json!({ "primitives": [primitive] }));
        self.meshes.len() - 1
    }

    /// Adds the node of a part, which has a glTF mesh and extras. Returns its number.
    pub fn part(&mut self, part: &Part, mesh: usize, extras: &Value) -> usize {
        let (name, matrix) = (short(&part.name), columns(&part.pose));
        self.node(json!({ "name": name, "mesh": mesh, "matrix": matrix, "extras": extras }))
    }

    /// Adds a node. Returns its number.
    pub fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Returns the file: groups of nodes below one that turns the scene's coordinates into glTF's.
    pub fn finish<const N: usize>(
        mut self,
        scene: &Scene,
        groups: [(&str, Vec<usize>); N],
    ) -> Result<Vec<u8>, TooLarge> {
        let filled = groups.into_iter().filter(|(_, nodes)| !nodes.is_empty());
        let groups: Vec<usize> =
            filled.map(|(name, nodes)| self.node(json!({ "name": name, "children": nodes }))).collect();
        let metres = scene.unit.map_or(1.0, |unit| unit.in_terms_of(Unit::M));
        // A quarter turn about x, from z up to y up.
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let turn = if scene.up == Some(Up::Y) { [0.0, 0.0, 0.0, 1.0] } else { [-half, 0.0, 0.0, half] };
        let mut root = json!({ "name": "closefit", "rotation": turn, "scale": [metres, metres, metres] });
        if !groups.is_empty() {
            root["children"] = json!(groups);
        }
        let root = self.node(root);
        let document = json!({
            "asset": { "version": "2.0", "generator": "closefit" },
            "scene": 0,
            "scenes": [{ "nodes": [root] }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.buffer.len() }],
        });
        binary(document.to_string().into_bytes(), self.buffer)
    }
}

/// Returns the binary file of a document and its buffer, whose length is a multiple of four.
fn binary(mut text: Vec<u8>, buffer: Vec<u8>) -> Result<Vec<u8>, TooLarge> {
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = |bytes: usize| u32::try_from(bytes).map(u32::to_le_bytes).map_err(|_| TooLarge);
    let all = 28 + text.len() + buffer.len();
    let mut file = Vec::with_capacity(all);
    file.extend(b"glTF");
    file.extend(2_u32.to_le_bytes());
    file.extend(length(all)?);
    file.extend(length(text.len())?);
    file.extend(b"JSON");
    file.extend(text);
    file.extend(length(buffer.len())?);
    file.extend(b"BIN\0");
    file.extend(buffer);
    Ok(file)
}

//! `clashes.glb`: the parts of findings as a model in colours, with a mark at each finding.
//!
//! The model is in metres with y up. Parts are transparent, so that marks inside them are seen. What a
//! finding is stands in the extras of its mark, and the key of a part in those of its node.

use std::collections::BTreeMap;

use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::{Scene, Up};
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;
use closefit_picture::Kind;
use closefit_report::document::Word;
use closefit_report::table::elided;
use glam::DVec3;
use serde_json::{Value, json};

use crate::shown::Shown;
use crate::sides::sides;
use crate::views::Views;

/// Colours of the first and the second side, and of marks of overlaps, gaps and other findings: red, green,
/// blue (linear) and opacity.
const COLOURS: [[f64; 4]; 5] = [
    [0.665, 0.112, 0.0, 0.55],
    [0.0, 0.168, 0.445, 0.55],
    [1.0, 0.723, 0.021, 1.0],
    [0.1, 0.117, 0.153, 1.0],
    [0.198, 0.05, 0.552, 1.0],
];

/// The largest width of a name.
const WIDEST: usize = 80;

/// The size of a mark, as a share of the height of the view of the whole scene.
const MARK: f64 = 0.004;

/// The parts of all findings do not fit into a binary glTF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it would have more than 4 GiB, which binary glTF does not allow")]
pub struct TooLarge;

impl<S, P: Shown> Views<'_, S, P> {
    /// Returns a binary glTF of the parts of all findings but contacts, each once, in the colours of the
    /// sides, and of a mark per finding with its key and verdict. Parts of a sweep are where they are in the
    /// picture of the whole scene.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn glb(&self) -> Result<Vec<u8>, TooLarge> {
        self.at(self.time(), |stage| {
            let mut model = Model::default();
            let pairs = self.marked();
            let mark = model.mesh(&octahedron());
            let parts = self.parts(&mut model, stage.scene(), &pairs);
            let size = MARK * stage.whole_view().height;
            let marks = pairs.iter().map(|pair| {
                let mesh = model.coloured(mark, 2 + colour(pair.mark()));
                let (sides, [x, y, z]) = (pair.sides(), self.place(pair).to_array());
                model.node(json!({
                    "name": format!("{}: {} x {}", pair.verdict().word(), short(&sides.a), short(&sides.b)),
                    "mesh": mesh,
                    "translation": [x, y, z],
                    "scale": [size, size, size],
                    "extras": { "key": sides.key, "verdict": pair.verdict().word() },
                }))
            });
            let marks: Vec<usize> = marks.collect();
            model.finish(stage.scene(), [("parts", parts), ("findings", marks)])
        })
    }

    /// Adds the parts of findings to a model. Returns their nodes.
    fn parts(&self, model: &mut Model, scene: &Scene, pairs: &[&P]) -> Vec<usize> {
        let mut meshes = BTreeMap::new();
        let mut coloured: Vec<(u32, usize)> = Vec::new();
        for (side, ids) in sides(pairs.iter().copied()).into_iter().enumerate() {
            coloured.extend(ids.into_iter().map(|id| (id, side)));
        }
        coloured.sort_unstable();
        let add = |(id, side): (u32, usize)| {
            let part = &scene.parts[id as usize];
            let mesh = *meshes.entry(part.mesh.0).or_insert_with(|| model.mesh(scene.mesh(PartId(id))));
            let mesh = model.coloured(mesh, side);
            model.node(json!({
                "name": short(&part.name),
                "mesh": mesh,
                "matrix": columns(&part.pose),
                "extras": { "key": self.report().parts[id as usize].key },
            }))
        };
        coloured.into_iter().map(add).collect()
    }
}

/// Returns a name on one line, short enough for a list of nodes.
fn short(name: &str) -> String {
    elided(&printable(name), WIDEST)
}

/// Returns the colour of a mark among those of marks.
fn colour(kind: Kind) -> usize {
    match kind {
        Kind::Overlap => 0,
        Kind::Gap => 1,
        Kind::Meeting => 2,
    }
}

/// Returns the 16 numbers of a matrix, column by column, as glTF wants them.
fn columns(pose: &Pose) -> Vec<f64> {
    let rows = [pose.rows[0], pose.rows[1], pose.rows[2], [0.0, 0.0, 0.0, 1.0]];
    (0..16).map(|k| rows[k % 4][k / 4]).collect()
}

/// Returns a mark around the origin.
fn octahedron() -> Mesh {
    let corners = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    let sides = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    Mesh::new(&corners, &sides).expect("an octahedron")
}

/// A glTF document with its buffer.
#[derive(Default)]
struct Model {
    buffer: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    /// The glTF mesh of a shape in a colour.
    coloured: BTreeMap<(usize, usize), usize>,
}

impl Model {
    /// Adds a shape. Returns its number: the one of its accessor of positions, which that of its corners
    /// follows.
    fn mesh(&mut self, mesh: &Mesh) -> usize {
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

    /// Adds numbers of four bytes: glTF's codes say what for, and of which type. Returns their accessor.
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
    fn coloured(&mut self, shape: usize, colour: usize) -> usize {
        let meshes = &mut self.meshes;
        *self.coloured.entry((shape, colour)).or_insert_with(|| {
            let primitive =
                json!({ "attributes": { "POSITION": shape }, "indices": shape + 1, "material": colour });
            meshes.push(json!({ "primitives": [primitive] }));
            meshes.len() - 1
        })
    }

    /// Adds a node. Returns its number.
    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Returns the file: groups of nodes below one that turns the scene's coordinates into glTF's.
    fn finish(mut self, scene: &Scene, groups: [(&str, Vec<usize>); 2]) -> Result<Vec<u8>, TooLarge> {
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
        let material = |colour: [f64; 4]| {
            let mode = if colour[3] < 1.0 { "BLEND" } else { "OPAQUE" };
            let look = json!({ "baseColorFactor": colour, "metallicFactor": 0, "roughnessFactor": 1 });
            json!({ "pbrMetallicRoughness": look, "alphaMode": mode, "doubleSided": true })
        };
        let document = json!({
            "asset": { "version": "2.0", "generator": "closefit" },
            "scene": 0,
            "scenes": [{ "nodes": [root] }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": COLOURS.map(material),
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

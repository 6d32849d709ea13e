//! `clashes.glb`: the parts of findings as a model in colours, with a mark at each finding.
//!
//! The model is in metres with y up. Parts are transparent, so that marks inside them are seen. The
//! extras of a mark say what the finding is, and the extras of a node hold the key of its part.

use std::collections::BTreeMap;

use closefit_geometry::ids::PartId;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::Scene;
use closefit_picture::Kind;
use closefit_report::document::Word;
use glam::DVec3;
use serde_json::json;

use crate::gltf::{Model, TooLarge, short};
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

/// The size of a mark, as a share of the height of the view of the whole scene.
const MARK: f64 = 0.004;

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
            COLOURS.into_iter().for_each(|colour| _ = model.material(colour));
            let pairs = self.marked();
            let mark = model.shape(&octahedron());
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
            let mesh = *meshes.entry(part.mesh.0).or_insert_with(|| model.shape(scene.mesh(PartId(id))));
            let mesh = model.coloured(mesh, side);
            model.part(part, mesh, &json!({ "key": self.report().parts[id as usize].key }))
        };
        coloured.into_iter().map(add).collect()
    }
}

/// Returns the colour of a mark among the colours of marks.
fn colour(kind: Kind) -> usize {
    match kind {
        Kind::Overlap => 0,
        Kind::Gap => 1,
        Kind::Meeting => 2,
    }
}

/// Returns a mark around the origin.
fn octahedron() -> Mesh {
    let corners = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    let sides = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    Mesh::new(&corners, &sides).expect("an octahedron")
}

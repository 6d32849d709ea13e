//! Heat maps as models: a part whose vertices are coloured by their distance from others.

use closefit_geometry::ids::PartId;
use closefit_geometry::scene::Scene;
use serde_json::json;

use crate::gltf::{Model, TooLarge};

/// Colours of vertices closer than the clearance, up to twice as far, and beyond: red, green and blue,
/// linear.
const BANDS: [[f32; 3]; 3] = [[0.665, 0.112, 0.0], [1.0, 0.723, 0.021], [0.72, 0.74, 0.78]];

/// The opacity of the other part.
const FAINT: [f64; 4] = [0.0, 0.168, 0.445, 0.35];

/// Distances of the vertices of a part from another one, or from all others.
#[derive(Clone, Copy, Debug)]
pub struct HeatMap<'a> {
    /// The part.
    pub part: PartId,
    /// The other part, if it is about one.
    pub other: Option<PartId>,
    /// The clearance, in scene units, which separates the colours.
    pub clearance: f64,
    /// A lower bound of the distance of each vertex of the part's mesh, in scene units.
    pub distances: &'a [f64],
}

impl HeatMap<'_> {
    /// Returns a binary glTF of the part in its place, and of the other part if there is one. Vertices have a
    /// colour by band, and their bound as the attribute `_DISTANCE`, in scene units and rounded down to f32.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn glb(&self, scene: &Scene) -> Result<Vec<u8>, TooLarge> {
        let mut model = Model::default();
        let [plain, faint] = [[1.0; 4], FAINT].map(|colour| model.material(colour));
        let shape = model.shape(scene.mesh(self.part));
        let colours: Vec<[f32; 3]> = self.distances.iter().map(|&distance| self.colour(distance)).collect();
        let distances: Vec<[f32; 1]> = self.single().into_iter().map(|distance| [distance]).collect();
        let attributes = [
            ("COLOR_0", model.attribute("VEC3", &colours)),
            ("_DISTANCE", model.attribute("SCALAR", &distances)),
        ];
        let mesh = model.mesh(shape, plain, &attributes);
        let least = self.distances.iter().copied().fold(f64::INFINITY, f64::min);
        let extras = json!({ "clearance": self.clearance, "least_distance": least });
        let mut nodes = vec![model.part(&scene.parts[self.part.index()], mesh, &extras)];
        if let Some(other) = self.other {
            let shape = model.shape(scene.mesh(other));
            let mesh = model.coloured(shape, faint);
            nodes.push(model.part(&scene.parts[other.index()], mesh, &json!({})));
        }
        model.finish(scene, [("heat map", nodes)])
    }

    /// Returns the distances in single precision, rounded down: they remain lower bounds.
    pub fn single(&self) -> Vec<f32> {
        self.distances.iter().map(|&distance| rounded_down(distance)).collect()
    }

    fn colour(&self, distance: f64) -> [f32; 3] {
        let far = [1.0, 2.0].map(|times| distance >= times * self.clearance);
        BANDS[far.into_iter().filter(|&is_far| is_far).count()]
    }
}

/// Returns the greatest f32 that is no more than a number.
fn rounded_down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

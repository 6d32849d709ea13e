//! The document of `inspect`: a row per unique mesh, since instances share its defects.

use std::borrow::Borrow;

use serde::{Deserialize, Serialize};

use super::{Command, FeaturesRow, Format, PartRow, RobotRow, word};
use crate::digest::standing_parts;
use crate::triangle_count;
use closefit::internals::engine::{PosedBoxes, tolerance_of};
use closefit::{CollisionMesh, Pose, self_contacts};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::mesh::health::Health;
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::motion::Motion;
use closefit_geometry::parallel;
use closefit_geometry::scene::{LeftOut, Scene, Up};
use closefit_geometry::units::Unit;

/// The document of `inspect --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    /// The version of the format.
    pub closefit: Format,
    /// The command.
    #[serde(with = "word")]
    pub command: Command,
    /// True if winding and seams of meshes were not repaired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_is: bool,
    /// The scene.
    pub scene: InspectedScene,
    /// The motion; `None` if nothing moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionRow>,
    /// The robots, in the order of their files; absent from JSON if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub robots: Vec<RobotRow>,
    /// The parts, in the order of their ids.
    pub parts: Vec<PosedRow>,
    /// The unique meshes.
    pub meshes: Vec<MeshRow>,
}

/// A scene as an inspection shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InspectedScene {
    /// The unit of all lengths in the document, if the files or the user say one.
    pub unit: Option<Unit>,
    /// The axis that points up, if the files say so.
    pub up: Option<Up>,
    /// The number of triangles of all parts, shared meshes counted once per part.
    pub triangles: u64,
    /// Links and shapes of the files without a mesh to check; absent from JSON if there are none.
    #[serde(default, skip_serializing_if = "LeftOut::is_nothing")]
    pub left_out: LeftOut,
    /// Lowest and highest corner of the box of all parts.
    #[serde(rename = "box")]
    pub bounds: [[f64; 3]; 2],
    /// The default tolerance of a check.
    pub default_tolerance: f64,
}

/// The motion of a scene. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MotionRow {
    /// The time of the first keyframe.
    pub from: f64,
    /// The time of the last keyframe.
    pub to: f64,
    /// The number of motions.
    pub joints: usize,
    /// The number of different times with keyframes.
    pub keyframes: usize,
    /// The ids of the parts that move.
    pub parts: Vec<usize>,
}

/// A part at its pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PosedRow {
    /// The part.
    #[serde(flatten)]
    pub part: PartRow,
    /// The id of its mesh.
    pub mesh: u32,
    /// Lowest and highest corner of its box.
    #[serde(rename = "box")]
    pub bounds: [[f64; 3]; 2],
}

impl Borrow<PartRow> for PosedRow {
    fn borrow(&self) -> &PartRow {
        &self.part
    }
}

/// A unique mesh, in its own frame: lengths before any scale of a pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshRow {
    /// Its index in the list.
    pub id: usize,
    /// The ids of its parts.
    pub parts: Vec<usize>,
    /// The number of triangles.
    pub triangles: u32,
    /// The number of vertices after welding.
    pub vertices: u32,
    /// Lowest and highest corner of its box.
    #[serde(rename = "box")]
    pub bounds: [[f64; 3]; 2],
    /// True if all its components are closed.
    pub closed: bool,
    /// Its components.
    pub components: ComponentsRow,
    /// The number of components turned to a consistent winding.
    pub turned_components: u32,
    /// The number of straight seams that were closed.
    pub seams: u32,
    /// The number of edges with one triangle.
    pub open_edges: u32,
    /// The number of edges with more than two triangles.
    pub non_manifold_edges: u32,
    /// The number of edges whose two triangles disagree about which side is out.
    pub inconsistent_edges: u32,
    /// The number of triangles without area.
    pub degenerate_triangles: u32,
    /// The number of triangles that repeat another.
    pub duplicate_triangles: u32,
    /// The number of pairs of triangles that share more than their common vertices and edges; `None` if
    /// it was not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_contacts: Option<u64>,
    /// The signed volume.
    pub volume: f64,
    /// The surface area.
    pub area: f64,
    /// The features with respect to the convex hull; `None` if they were not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<FeaturesRow>,
}

/// The number of closed and of open components of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentsRow {
    /// The number of closed components.
    pub closed: u32,
    /// The number of open components.
    pub open: u32,
}

/// The reason why the features of a mesh, or its contacts with itself, are not known.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("mesh {mesh}: the coordinate {value:e} is beyond 2^200, so its {what} are not known")]
pub struct NoFeatures {
    /// The unknown, in words.
    pub what: &'static str,
    /// The id of the mesh.
    pub mesh: usize,
    /// Its largest coordinate in magnitude.
    pub value: f64,
}

fn corners(bounds: &Aabb) -> [[f64; 3]; 2] {
    [bounds.lo.to_array(), bounds.hi.to_array()]
}

impl Inspection {
    /// Examines every mesh of a scene whose parts have been posed.
    pub fn new(scene: &Scene, posed: &PosedBoxes, winding: Winding) -> Self {
        let healths = parallel::map_items(&scene.meshes, 1, |mesh| Health::of(mesh, winding));
        let mut users = vec![Vec::new(); scene.meshes.len()];
        for (id, part) in scene.parts.iter().enumerate() {
            users[part.mesh.index()].push(id);
        }
        let boxes = posed.boxes();
        let all = boxes.iter().fold(Aabb::EMPTY, |sum, b| sum.union(*b));
        let rows = PartRow::all(scene, &standing_parts(scene), |part| part.pose);
        let parts = rows.into_iter().zip(&scene.parts).zip(boxes);
        Self {
            closefit: Format,
            command: Command::Inspect,
            as_is: winding == Winding::AsFound,
            scene: InspectedScene {
                unit: scene.unit,
                up: scene.up,
                triangles: triangle_count(scene),
                left_out: scene.left_out,
                bounds: corners(&all),
                default_tolerance: tolerance_of(scene, posed.diagonal()),
            },
            motion: MotionRow::of(scene),
            robots: scene.robots.iter().map(RobotRow::of).collect(),
            parts: parts
                .map(|((row, part), bounds)| PosedRow {
                    part: row,
                    mesh: part.mesh.0,
                    bounds: corners(bounds),
                })
                .collect(),
            meshes: healths
                .iter()
                .zip(users)
                .enumerate()
                .map(|(id, (health, parts))| MeshRow::new(id, parts, health))
                .collect(),
        }
    }

    /// Adds the features of every mesh of the scene that was examined.
    ///
    /// # Errors
    /// [`NoFeatures`].
    pub fn with_features(mut self, scene: &Scene) -> Result<Self, NoFeatures> {
        let winding = if self.as_is { Winding::AsFound } else { Winding::Repaired };
        let features = parallel::map_items(&scene.meshes, 1, |mesh| FeaturesRow::of(mesh, winding));
        for (row, features) in self.meshes.iter_mut().zip(features) {
            if features.is_none() {
                return Err(row.is_too_large("features"));
            }
            row.features = features;
        }
        Ok(self)
    }

    /// Counts the pairs of triangles of every mesh that share more than their common vertices and edges.
    ///
    /// # Errors
    /// [`NoFeatures`].
    pub fn with_self_contacts(mut self, scene: &Scene) -> Result<Self, NoFeatures> {
        // One after the other: the search in each takes all threads.
        for (row, mesh) in self.meshes.iter_mut().zip(&scene.meshes) {
            let mesh = CollisionMesh::build(mesh);
            let posed = mesh.at(&Pose::IDENTITY).map_err(|_| row.is_too_large("contacts with itself"))?;
            row.self_contacts = Some(self_contacts(&posed).len() as u64);
        }
        Ok(self)
    }
}

impl MotionRow {
    fn of(scene: &Scene) -> Option<Self> {
        let [from, to] = scene.time_range()?;
        let mut times: Vec<f64> = scene.frames.motions().flat_map(Motion::times).copied().collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        let parts = scene.parts.iter().enumerate();
        Some(Self {
            from,
            to,
            joints: scene.frames.motions().count(),
            keyframes: times.len(),
            parts: parts.filter(|(_, part)| part.frame.is_some()).map(|(id, _)| id).collect(),
        })
    }
}

impl MeshRow {
    /// Returns the error of a mesh with a coordinate out of range.
    fn is_too_large(&self, what: &'static str) -> NoFeatures {
        let larger = |a: f64, b: f64| if b.abs() > a.abs() { b } else { a };
        let value = self.bounds.into_iter().flatten().fold(0.0, larger);
        NoFeatures { what, mesh: self.id, value }
    }

    fn new(id: usize, parts: Vec<usize>, health: &Health) -> Self {
        Self {
            id,
            parts,
            triangles: health.triangles,
            vertices: health.vertices,
            bounds: health.bounds.map(|p| p.to_array()),
            closed: health.closed(),
            components: ComponentsRow { closed: health.closed_components, open: health.open_components },
            turned_components: health.turned_components,
            seams: health.seams,
            open_edges: health.open_edges,
            non_manifold_edges: health.non_manifold_edges,
            inconsistent_edges: health.inconsistent_edges,
            degenerate_triangles: health.degenerate_triangles,
            duplicate_triangles: health.duplicate_triangles,
            self_contacts: None,
            volume: health.volume,
            area: health.area,
            features: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{json, testing};

    #[test]
    fn the_document_has_parts_and_meshes() {
        let (scene, _) = testing::run();
        let inspection = Inspection::new(&scene, &PosedBoxes::new(&scene, None).unwrap(), Winding::Repaired);
        let value: serde_json::Value = serde_json::from_slice(&json::document(&inspection)).unwrap();
        assert_eq!((&value["closefit"], &value["command"]), (&2.into(), &"inspect".into()));
        assert_eq!(value["scene"]["unit"], "mm");
        assert_eq!(value["parts"][2]["name"], "bolt");
        assert_eq!(value["parts"][2]["box"], serde_json::json!([[0, 0, 0], [1, 1, 0]]));
        let mesh = &value["meshes"][0];
        assert_eq!(mesh["parts"], serde_json::json!([0, 1, 2, 3]));
        assert_eq!((&mesh["open_edges"], &mesh["area"]), (&3.into(), &serde_json::json!(0.5)));
        assert_eq!(mesh["components"], serde_json::json!({"closed": 0, "open": 1}));
    }
}

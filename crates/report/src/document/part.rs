//! The row of a part, the same in every document.

use std::sync::Arc;

use blake3::Hash;
use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::digest::PartDigests;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::parallel;
use closefit_geometry::scene::{Part, Scene};
use closefit_scene::keys::PartKeys;

/// A part. Values that its file does not give are `None`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartRow {
    /// Its index in the scene, and in the list of parts.
    pub id: usize,
    /// Its key, the same in every run and unique in the scene.
    pub key: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
    /// Its type, such as `IfcWall`; in JSON, `type`.
    #[serde(rename = "type")]
    pub kind: Option<Arc<str>>,
    /// Its GlobalId.
    pub guid: Option<Arc<str>>,
    /// The model: its scene file, by the file's name or the one that the user gives.
    pub model: Arc<str>,
    /// The file of its mesh.
    pub file: Arc<str>,
    /// Its path in the node hierarchy of its file.
    pub path: Arc<str>,
    /// The storey of a building that contains it.
    pub storey: Option<Arc<str>>,
    /// Free labels.
    pub tags: Arc<[String]>,
    /// True if it is declared a surface: its open components are then no solids with something missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub surface: bool,
    /// The distance that its true surface may lie from its mesh; 0, and absent from JSON, unless it is a
    /// curved primitive.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub chord: f64,
    /// The distance that its mesh may lie outside its true surface; 0, and absent from JSON, unless a
    /// converter has triangulated that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub deflection: f64,
    /// The digest of its mesh, the same for all instances.
    #[serde(with = "hexadecimal")]
    pub mesh_digest: Hash,
    /// The digest of its pose or, in a sweep, of its motion.
    #[serde(with = "hexadecimal")]
    pub pose_digest: Hash,
    /// The middle of its mesh's own box, where the part has it; in a sweep, at the start.
    pub at: [f64; 3],
}

/// True for a mesh that is the part's surface.
fn is_zero(distance: &f64) -> bool {
    *distance == 0.0
}

impl PartRow {
    /// Returns the rows of all parts of a scene, in its order. `pose` places a part.
    pub(super) fn all(scene: &Scene, digests: &[PartDigests], pose: impl Fn(&Part) -> Pose) -> Vec<Self> {
        let middles: Vec<DVec3> = parallel::map_items(&scene.meshes, 1, |mesh| middle(mesh));
        let rows = scene.parts.iter().zip(PartKeys::of(scene).of_part).zip(digests).enumerate();
        rows.map(|(id, ((part, key), digests))| Self {
            id,
            key,
            name: part.name.clone(),
            kind: part.kind.clone(),
            guid: part.guid.clone(),
            model: part.model.clone(),
            file: part.file.clone(),
            path: part.path.clone(),
            storey: part.storey.clone(),
            tags: part.tags.clone(),
            surface: part.is_surface,
            chord: part.chord,
            deflection: part.deflection,
            mesh_digest: digests.mesh,
            pose_digest: digests.pose,
            at: pose(part).apply(middles[part.mesh.index()]).to_array(),
        })
        .collect()
    }
}

/// Returns the middle of a mesh's box, in its own frame.
fn middle(mesh: &Mesh) -> DVec3 {
    let bounds = mesh.posed_bounds(&Pose::IDENTITY);
    0.5 * bounds.lo + 0.5 * bounds.hi
}

/// Digests as 64 hexadecimal digits.
pub(crate) mod hexadecimal {
    use blake3::Hash;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hash.to_hex())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        let text = String::deserialize(deserializer)?;
        Hash::from_hex(&text).map_err(|error| D::Error::custom(format!("the digest '{text}': {error}")))
    }
}

//! The row of a part, the same in every document.

use std::sync::Arc;

use blake3::Hash;
use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::digest::PartDigests;
use crate::json::{Element, Line};
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

impl Element for PartRow {
    fn add_to(&self, line: &mut Line) -> bool {
        if self.surface || !is_zero(&self.chord) || !is_zero(&self.deflection) {
            return false;
        }
        let text = |line: &mut Line, key: &str, text: &str| {
            line.raw(key);
            line.quoted(text);
        };
        let if_known = |line: &mut Line, key: &str, text: &Option<Arc<str>>| {
            line.raw(key);
            line.optional(text.as_deref(), Line::quoted);
        };
        let digest = |line: &mut Line, key: &str, hash: &Hash| {
            line.raw(key);
            line.raw(&hash.to_hex());
        };
        line.raw("{\"id\": ");
        line.count(self.id as u64);
        text(line, ", \"key\": ", &self.key);
        text(line, ", \"name\": ", &self.name);
        if_known(line, ", \"type\": ", &self.kind);
        if_known(line, ", \"guid\": ", &self.guid);
        text(line, ", \"model\": ", &self.model);
        text(line, ", \"file\": ", &self.file);
        text(line, ", \"path\": ", &self.path);
        if_known(line, ", \"storey\": ", &self.storey);
        line.raw(", \"tags\": ");
        line.list(self.tags.iter(), |line, tag| line.quoted(tag));
        digest(line, ", \"mesh_digest\": \"", &self.mesh_digest);
        digest(line, "\", \"pose_digest\": \"", &self.pose_digest);
        line.raw("\", \"at\": ");
        line.point(self.at);
        line.raw("}");
        true
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::CheckReport;
    use crate::{json, testing};

    /// Rows written at once are those that serde writes.
    #[test]
    fn usual_rows_are_as_serde_writes_them() {
        let (scene, result) = testing::run();
        let mut rows = CheckReport::new(&scene, result).parts;
        rows[0].tags = ["a\"".to_owned(), "b".to_owned()].into();
        rows[1].at = [f64::NAN, -0.0, 1e-7];
        for row in &rows {
            assert_eq!(json::added(row), Some(json::serialised(row)));
        }
        let unusual: [fn(&mut PartRow); 3] =
            [|row| row.surface = true, |row| row.chord = 1.0, |row| row.deflection = 1.0];
        for change in unusual {
            let mut row = rows[0].clone();
            change(&mut row);
            assert_eq!(json::added(&row), None);
        }
    }
}

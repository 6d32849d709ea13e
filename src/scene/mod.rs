//! What is checked: meshes shared by instances, and parts with a name, a pose and tags.

pub mod check;
pub mod generate;
pub mod mesh;
pub mod read;

use std::sync::Arc;

use crate::ids::{MeshId, PartId};
use crate::math::pose::Pose;
use crate::motion::{FrameId, Frames};
use crate::units::Unit;
pub use mesh::Mesh;

/// One part: a mesh where it stands.
#[derive(Clone, Debug)]
pub struct Part {
    /// As the file calls it; names may repeat, ids do not.
    pub name: String,
    /// The file that the mesh came from, as the report shows it (no directory of this machine in it).
    pub file: String,
    /// Place in the node hierarchy, `/frame/bolt`.
    pub path: String,
    /// Free labels: the tags of a manifest, the strings `type` and `name` of a glTF node's extras.
    pub tags: Vec<String>,
    /// Which of [`Scene::meshes`].
    pub mesh: MeshId,
    /// World from part, where no frame carries it; with a frame that moves, where it is shown standing.
    pub pose: Pose,
    /// The frame that carries it: its own coordinates are the frame's.
    pub frame: Option<FrameId>,
}

/// Everything that one run looks at. Parts keep the order of the files and of their nodes.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The unit of every length in the scene, if the files or the user say one.
    pub unit: Option<Unit>,
    /// Unique meshes; instances share them.
    pub meshes: Vec<Arc<Mesh>>,
    /// All parts.
    pub parts: Vec<Part>,
    /// What moves them.
    pub frames: Frames,
    /// What the files hold that was left out, for the user and not for the report.
    pub notes: Vec<String>,
}

impl Scene {
    /// The mesh of a part.
    pub fn mesh(&self, part: PartId) -> &Mesh {
        &self.meshes[self.parts[part.index()].mesh.index()]
    }
}

//! What is checked: meshes shared by instances, and parts with a name, a pose or a motion, and tags.

pub mod excluded;
pub mod generate;
pub mod read;

use std::sync::Arc;

use crate::ids::{MeshId, PartId};
use crate::math::pose::Pose;
use crate::mesh::Mesh;
use crate::motion::{FrameId, Frames};
use crate::units::Unit;
pub use excluded::Excluded;

/// One part: a mesh where it stands, or as it moves.
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
    /// The user says that what is open in it is a surface, and no solid with something missing.
    pub is_surface: bool,
    /// Which of [`Scene::meshes`].
    pub mesh: MeshId,
    /// World from part, for one that nothing moves. For one that moves, where it is before somebody asks for
    /// a time: glTF: where its nodes put it; manifest and URDF: where it starts.
    pub pose: Pose,
    /// Which of [`Scene::frames`] carries it; `None` where nothing moves it.
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
    /// What moves parts, and only that: times are in seconds.
    pub frames: Frames,
    /// Pairs of parts that are not looked at.
    pub excluded: Excluded,
    /// The moment at which [`Part::pose`] has what moves, where [`Scene::at`] has put it.
    pub time: Option<f64>,
    /// What the files hold that was left out, for the user and not for the report.
    pub notes: Vec<String>,
}

impl Scene {
    /// The mesh of a part.
    pub fn mesh(&self, part: PartId) -> &Mesh {
        &self.meshes[self.parts[part.index()].mesh.index()]
    }

    /// First and last keyframe of all; `None` where nothing moves.
    pub fn time_range(&self) -> Option<[f64; 2]> {
        self.frames.time_range()
    }

    /// The scene with everything that moves where it is at a time, in seconds. Before the first keyframe and
    /// after the last it stands still.
    pub fn at(&self, time: f64) -> Self {
        let poses = self.frames.poses(time);
        let mut scene = Self { time: Some(time), ..self.clone() };
        for part in &mut scene.parts {
            if let Some(FrameId(frame)) = part.frame {
                part.pose = poses[frame as usize];
            }
        }
        scene
    }
}

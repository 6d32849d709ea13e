//! What is checked: meshes shared by instances, and parts with a name, a pose or a motion, and tags.

pub mod excluded;
#[cfg(any(test, feature = "generate"))]
pub mod generate;
pub mod keys;
#[cfg(feature = "files")]
pub mod read;

use std::sync::Arc;

use crate::ids::{MeshId, PartId};
use crate::math::pose::Pose;
use crate::mesh::Mesh;
use crate::motion::{FrameId, Frames};
use crate::units::Unit;
pub use excluded::Excluded;

/// One part: a mesh where it stands, or as it moves. Texts that many parts have in common are shared.
#[derive(Clone, Debug)]
pub struct Part {
    /// As the file calls it; names may repeat, ids and [keys] do not.
    pub name: Arc<str>,
    /// What it is, such as `IfcWall`, if the file says so. Reports call this `type`.
    pub kind: Option<Arc<str>>,
    /// Its GlobalId, or another identifier that it keeps for life, if the file has one.
    pub guid: Option<Arc<str>>,
    /// The file of the scene that it is in: the name without its extension, or what the user calls it.
    pub model: Arc<str>,
    /// The file that the mesh came from, as the report shows it (no directory of this machine in it).
    pub file: Arc<str>,
    /// Place in the node hierarchy, `/frame/bolt`.
    pub path: Arc<str>,
    /// The storey of a building that it is in, if the file says so.
    pub storey: Option<Arc<str>>,
    /// Free labels: the tags of a manifest.
    pub tags: Arc<[String]>,
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

impl Part {
    /// A part that stands at the root of the hierarchy, and of which no more is known.
    pub fn new(name: impl Into<Arc<str>>, mesh: MeshId, pose: Pose) -> Self {
        let name = name.into();
        Self {
            path: format!("/{name}").into(),
            name,
            kind: None,
            guid: None,
            model: Arc::default(),
            file: Arc::default(),
            storey: None,
            tags: Arc::default(),
            is_surface: false,
            mesh,
            pose,
            frame: None,
        }
    }
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Up {
    /// As in glTF.
    Y,
    /// As in most CAD and building models.
    Z,
}

/// Everything that one run looks at. Parts keep the order of the files and of their nodes.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The unit of every length in the scene, if the files or the user say one.
    pub unit: Option<Unit>,
    /// Which way is up, if the files say so.
    pub up: Option<Up>,
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

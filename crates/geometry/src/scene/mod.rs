//! The scene to check: meshes shared by instances, and parts with a name, a pose or a motion, and tags.

pub mod excluded;
pub mod joint_box;
pub mod pair_rules;
pub mod robot;

use std::sync::Arc;

use crate::ids::{MeshId, PartId, to_u32};
use crate::math::pose::Pose;
use crate::mesh::Mesh;
use crate::motion::{FrameId, Frames};
use crate::units::Unit;
pub use excluded::Excluded;
pub use pair_rules::PairRules;
use pair_rules::{AtRest, Lengths, PairCounts};
pub use robot::Robot;

/// One part: a mesh at a pose, or along a motion. Texts common to many parts are shared.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name in the file. Names may repeat; ids and keys do not.
    pub name: Arc<str>,
    /// The type, such as `IfcWall`, if the file gives one. Reports call this `type`.
    pub kind: Option<Arc<str>>,
    /// The GlobalId, or another persistent identifier, if the file has one.
    pub guid: Option<Arc<str>>,
    /// The model, that is, the scene file: its name without the extension, or the name that the user gives
    /// it.
    pub model: Arc<str>,
    /// The file of the mesh, as reports show it, without any directory of this machine.
    pub file: Arc<str>,
    /// The path in the node hierarchy, such as `/frame/bolt`.
    pub path: Arc<str>,
    /// The storey of the building, if the file gives one.
    pub storey: Option<Arc<str>>,
    /// Free labels, the tags of a manifest.
    pub tags: Arc<[String]>,
    /// True if the user declares its open components to be surfaces, not solids with something missing.
    pub is_surface: bool,
    /// The distance that the true surface may lie outside the mesh, in scene units: of curved primitives, and
    /// of what a converter has triangulated. 0 for boxes, and for files of triangles.
    pub chord: f64,
    /// The distance that the mesh may lie outside the true surface, in scene units, as at the hole of a part
    /// that a converter has triangulated. 0 for all others: the meshes of primitives lie inside.
    pub deflection: f64,
    /// The mesh, an index of [`Scene::meshes`].
    pub mesh: MeshId,
    /// The pose, world from part, of a part that does not move. For a moving part, its pose before any time
    /// is set: in glTF the pose of its nodes, in a manifest or URDF the pose at the start.
    pub pose: Pose,
    /// The frame that carries it, an index of [`Scene::frames`]; `None` if it does not move.
    pub frame: Option<FrameId>,
}

impl Part {
    /// A standing part at the root of the hierarchy, with everything else unknown.
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
            chord: 0.0,
            deflection: 0.0,
            mesh,
            pose,
            frame: None,
        }
    }
}

impl Part {
    /// Returns the approximate memory in bytes, with the texts that are usually its own and room for a list
    /// to grow.
    pub fn bytes(&self) -> usize {
        let text = |text: &str| text.len() + TEXT_BYTES;
        let guid = self.guid.as_deref().map_or(0, text);
        2 * size_of::<Self>() + text(&self.name) + text(&self.path) + guid
    }
}

/// Bytes in addition to the bytes of a shared text: its counts, and what the allocator adds.
const TEXT_BYTES: usize = 40;

/// The numbers of things in the files that the scene leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeftOut {
    /// Links of robots that have geometry, but no mesh of the kind that is checked.
    pub links: u64,
    /// Shapes without a mesh: boxes, cylinders, spheres and the like.
    pub shapes: u64,
    /// Parts that cannot be read and may be left out.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_none"))]
    pub parts: u64,
}

/// True for a number of nothing.
#[cfg(feature = "serde")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl LeftOut {
    /// Adds what was left out of another file.
    pub fn add(&mut self, other: Self) {
        self.links += other.links;
        self.shapes += other.shapes;
        self.parts += other.parts;
    }

    /// True if nothing was left out.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Up {
    /// The y axis, as in glTF.
    Y,
    /// The z axis, as in most CAD and building models.
    Z,
}

/// The input of one run. Parts keep the order of the files and of their nodes.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The unit of every length in the scene, if given by the files or the user.
    pub unit: Option<Unit>,
    /// The axis that points up, if the files give one.
    pub up: Option<Up>,
    /// The unique meshes, shared by instances.
    pub meshes: Vec<Arc<Mesh>>,
    /// All parts.
    pub parts: Vec<Part>,
    /// The frames that move parts, with times in seconds.
    pub frames: Frames,
    /// The robots among the files, whose parts can be placed by other values of their joints.
    pub robots: Vec<Robot>,
    /// Excluded pairs of parts.
    pub excluded: Excluded,
    /// The rules about all other pairs; `None` if each is checked with the lengths of the request.
    pub rules: Option<PairRules>,
    /// Links, shapes and parts of the files that the scene leaves out.
    pub left_out: LeftOut,
    /// The time of the poses, if [`Scene::at`] has set them.
    pub time: Option<f64>,
    /// Notes on skipped content of the files, for the user and not for the report.
    pub notes: Vec<String>,
}

impl Scene {
    /// Adds a mesh for parts to share, and returns its id.
    pub fn add_mesh(&mut self, mesh: impl Into<Arc<Mesh>>) -> MeshId {
        self.meshes.push(mesh.into());
        MeshId(to_u32(self.meshes.len() - 1))
    }

    /// Returns the mesh of a part.
    pub fn mesh(&self, part: PartId) -> &Mesh {
        &self.meshes[self.parts[part.index()].mesh.index()]
    }

    /// Returns by how much the true surfaces of two parts may be nearer to each other, or farther from each
    /// other, than their meshes.
    pub fn chords(&self, [a, b]: [PartId; 2]) -> f64 {
        self.parts[a.index()].chord + self.parts[b.index()].chord
    }

    /// Returns by how much the true surfaces of two parts may be farther from each other than their meshes,
    /// because these lie outside.
    pub fn deflections(&self, [a, b]: [PartId; 2]) -> f64 {
        self.parts[a.index()].deflection + self.parts[b.index()].deflection
    }

    /// Returns the lengths with which a pair is checked, or the reason why it is excluded. The scene's own
    /// reasons come before the reasons of its rules.
    pub fn asked(&self, a: PartId, b: PartId) -> Result<Lengths, &str> {
        match (self.excluded.reason(a, b), &self.rules) {
            (Some(reason), _) => Err(reason),
            (None, Some(rules)) => rules.asked(a, b),
            (None, None) => Ok(Lengths::default()),
        }
    }

    /// Counts all pairs by the decision about them, and the pairs of parts at rest relative to each other, if
    /// any are to be excluded.
    pub fn count_pairs(&self, at_rest: Option<AtRest>) -> PairCounts {
        PairCounts::of(self, at_rest)
    }

    /// Returns the approximate memory of meshes, parts, motions and rules in bytes.
    pub fn bytes(&self) -> usize {
        let meshes: usize = self.meshes.iter().map(|mesh| mesh.bytes()).sum();
        let parts: usize = self.parts.iter().map(Part::bytes).sum();
        meshes + parts + self.frames.bytes() + self.rules.as_ref().map_or(0, PairRules::bytes)
    }

    /// Returns the times of the first and the last keyframe; `None` if nothing moves.
    pub fn time_range(&self) -> Option<[f64; 2]> {
        self.frames.time_range()
    }

    /// Returns the scene with all moving parts posed at a time, in seconds. Before the first keyframe and
    /// after the last nothing moves.
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

//! Assembles meshes and parts into a scene.

use std::sync::Arc;

use glam::DVec3;

use super::solids::Solid;
use closefit_geometry::ids::MeshId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::motion::{Between, FrameId, Joint, Keyframe, Motion};
use closefit_geometry::scene::{Part, Scene};
use closefit_geometry::units::Unit;

/// A scene under construction.
#[derive(Default)]
pub(super) struct Assembly {
    scene: Scene,
    /// File name of each mesh.
    files: Vec<Arc<str>>,
}

impl Assembly {
    /// Adds a mesh. `stem` names its file and must be unique.
    pub(super) fn mesh(&mut self, stem: &str, solid: Solid) -> MeshId {
        self.ready_mesh(stem, solid.into_mesh())
    }

    /// Adds a finished mesh, as [`Assembly::mesh`] does.
    pub(super) fn ready_mesh(&mut self, stem: &str, mesh: Mesh) -> MeshId {
        self.files.push(format!("{stem}.stl").into());
        self.scene.add_mesh(mesh)
    }

    /// Adds a part, named by the last step of its path.
    pub(super) fn part(&mut self, path: &str, tags: &[&str], mesh: MeshId, pose: Pose) {
        self.scene.parts.push(Part {
            file: self.files[mesh.index()].clone(),
            path: path.into(),
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            ..Part::new(path.rsplit('/').next().unwrap_or(path), mesh, pose)
        });
    }

    /// Adds a part that moves through keyframes, in the frame of an earlier part or in the world.
    pub(super) fn moving(
        &mut self,
        path: &str,
        mesh: MeshId,
        parent: Option<FrameId>,
        keyframes: &[Keyframe],
        between: Between,
    ) -> FrameId {
        let motion =
            Motion::through(keyframes, between, [1.0; 3]).expect("keyframes are in order and finite");
        let frames = &mut self.scene.frames;
        let frame = frames.add(parent, Joint::Moving(motion));
        let pose = frames.pose(frame, keyframes[0].time);
        self.part(path, &[], mesh, pose);
        self.scene.parts.last_mut().expect("it was just added").frame = Some(frame);
        frame
    }

    /// Returns the finished scene, in metres.
    pub(super) fn finish(mut self) -> Scene {
        self.scene.unit = Some(Unit::M);
        self.scene
    }
}

/// Creates a keyframe: a turn by `angle` about a unit axis through the origin, then a shift.
pub(super) fn keyframe(time: f64, axis: DVec3, angle: f64, translation: DVec3) -> Keyframe {
    let v = axis * libm::sin(angle / 2.0);
    Keyframe { time, rotation: [v.x, v.y, v.z, libm::cos(angle / 2.0)], translation }
}

/// Returns a translation.
pub(super) fn moved(by: DVec3) -> Pose {
    turned_and_moved(DVec3::Z, 0.0, by)
}

/// Returns a turn by `angle` about a unit axis through the origin, followed by a shift.
pub(super) fn turned_and_moved(axis: DVec3, angle: f64, by: DVec3) -> Pose {
    let v = axis * libm::sin(angle / 2.0);
    Pose::from_trs([v.x, v.y, v.z, libm::cos(angle / 2.0)], [1.0; 3], by.to_array())
        .expect("the quaternion of an angle about a unit axis has length 1")
}

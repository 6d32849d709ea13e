//! The parts of a scene where they stand, for queries about any pair, with one part moved or not.

use super::models::Models;
use crate::bvh::posed_model::PosedBounds;
use crate::bvh::static_pair::StaticPair;
use crate::bvh::trees::{Bodies, PlacedModel};
use crate::query::CheckRequest;
use crate::query::PairRecord;
use crate::query::pair::decide;
use crate::query::stage_work::StageWork;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::{PartId, to_u32};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::memory::{MemoryAccount, OutOfMemory};
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::Scene;
use closefit_geometry::scene::pair_rules::Lengths;
use glam::DVec3;

/// Bytes of the box of a component of a part, and of a point inside it.
pub(super) const COMPONENT_BYTES: usize = 96;

/// Places the models of the parts that have one.
///
/// # Errors
/// `OutOfMemory`.
pub(super) fn standing_bodies<'a>(
    scene: &'a Scene,
    boxes: &[Aabb],
    models: &'a Models,
    memory: &MemoryAccount,
) -> Result<Box<dyn Bodies + 'a>, OutOfMemory> {
    let in_pair = || (0..).zip(&scene.parts).filter_map(|(id, _)| models.place(PartId(id)));
    let components: usize = in_pair().map(|model| models.trees.topology(model).components.len()).sum();
    let cause = || format!("{} parts that are near others", in_pair().count());
    memory.take(scene.parts.len(), models.trees.body_bytes(), cause)?;
    memory.take(components, COMPONENT_BYTES, cause)?;
    let parts = (0..to_u32(scene.parts.len())).map(PartId);
    let placed: Vec<_> = parts.map(|part| placed_model(scene, boxes, models, part)).collect();
    Ok(models.trees.bodies(&placed))
}

/// Returns the model of a part at the part's pose, if it has one.
pub(super) fn placed_model<'a>(
    scene: &'a Scene,
    boxes: &[Aabb],
    models: &Models,
    id: PartId,
) -> Option<PlacedModel<'a>> {
    let part = &scene.parts[id.index()];
    let (mesh, is_surface) = (&*scene.meshes[part.mesh.index()], part.is_surface);
    let (model, bounds) = (models.place(id)?, PosedBounds::Exact(boxes[id.index()]));
    Some(PlacedModel { model, mesh, pose: part.pose, bounds, is_surface })
}

/// The parts of a scene where they stand.
#[derive(Clone, Copy)]
pub(super) struct Standing<'a> {
    pub scene: &'a Scene,
    /// The exact box of every part.
    pub boxes: &'a [Aabb],
    pub models: &'a Models,
    pub bodies: &'a dyn Bodies,
}

impl<'a> Standing<'a> {
    /// Returns the parts that a part is checked against, with the lengths of each pair, in the order of
    /// their ids.
    pub fn asked_against(self, part: PartId) -> impl Iterator<Item = (PartId, Lengths)> + 'a {
        let all = (0..to_u32(self.scene.parts.len())).map(PartId).filter(move |&other| other != part);
        all.filter_map(move |other| {
            let pair = [part.min(other), part.max(other)];
            self.scene.asked(pair[0], pair[1]).ok().map(|lengths| (other, lengths))
        })
    }

    /// Returns what two parts answer, in this order.
    pub fn ask<R>(self, pair: [PartId; 2], ask: impl FnOnce(&dyn StaticPair) -> R) -> R {
        self.bodies.ask(pair.map(PartId::index), ask)
    }

    /// Returns the pose of a part and the exact box of its vertices once it has been moved by a step.
    pub fn moved(self, part: PartId, step: DVec3) -> (Pose, Aabb) {
        let pose = stepped(&self.scene.parts[part.index()].pose, step);
        (pose, self.scene.mesh(part).posed_bounds(&pose))
    }

    /// Decides a pair, the lower id first, after one part has been moved to a pose and a box of its own.
    pub fn decide_moved(
        self,
        part: PartId,
        (pose, bounds): (Pose, Aabb),
        other: PartId,
        request: &CheckRequest,
    ) -> PairRecord {
        let ids = [part.min(other), part.max(other)];
        let placed = ids.map(|id| match id == part {
            true => (pose, bounds),
            false => (self.scene.parts[id.index()].pose, self.boxes[id.index()]),
        });
        let shapes = self.models.trees.moving(self.models.places(ids), self.meshes(ids));
        let surfaces = ids.map(|id| self.scene.parts[id.index()].is_surface);
        shapes.ask_at(placed, surfaces, |pair| decide(ids, pair, request, &mut StageWork::default()))
    }

    /// Returns the meshes of two parts.
    pub fn meshes(self, ids: [PartId; 2]) -> [&'a Mesh; 2] {
        ids.map(|id| self.scene.mesh(id))
    }
}

/// Returns a pose after a step in the world.
pub(super) fn stepped(pose: &Pose, step: DVec3) -> Pose {
    let mut moved = *pose;
    for (row, step) in moved.rows.iter_mut().zip(step.to_array()) {
        row[3] += step;
    }
    moved
}

/// Returns, for each part of a scene, whether it is one of some parts or checked against one of them.
pub(super) fn involved(scene: &Scene, parts: &[PartId]) -> Vec<bool> {
    let mut is_involved = vec![false; scene.parts.len()];
    for &part in parts {
        is_involved[part.index()] = true;
        let others = (0..).map(PartId).zip(&mut is_involved).filter(|(_, is_known)| !**is_known);
        others.for_each(|(other, is_involved)| {
            *is_involved = scene.asked(part.min(other), part.max(other)).is_ok();
        });
    }
    is_involved
}

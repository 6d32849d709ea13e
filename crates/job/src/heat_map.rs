//! Heat maps: how far the surface of a part is from other parts.

use std::collections::HashMap;

use crate::error::{JobError, NothingAsked};
use crate::job::Job;
use closefit::{Model, Observer, PartId, Winding, vertex_distances};
use closefit_geometry::ids::{MeshId, to_u32};

/// How far the vertices of a part are from other parts.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// The part.
    pub part: PartId,
    /// For each vertex of its mesh, a lower bound of the distance from the nearest of the other parts, in scene
    /// units; 0 in a solid.
    pub distances: Vec<f64>,
}

impl Job {
    /// Finds how far the vertices of a part are from another part or, without one, from all parts that it is
    /// asked about.
    ///
    /// # Errors
    /// [`JobError`] if a part cannot be posed, if there is no other part, or if the observer stops it.
    pub fn heat_map(
        &self,
        part: PartId,
        other: Option<PartId>,
        winding: Winding,
        observer: &dyn Observer,
    ) -> Result<HeatMap, JobError> {
        // It refuses parts that cannot be posed.
        self.diagonal(None)?;
        let scene = self.scene();
        let is_asked = |&id: &PartId| id != part && scene.asked(part, id).is_ok();
        let others: Vec<PartId> = match other {
            Some(other) => vec![other],
            None => (0..to_u32(scene.parts.len())).map(PartId).filter(is_asked).collect(),
        };
        if others.is_empty() {
            return Err(JobError::Nothing { files: self.files(), why: NothingAsked::OnePart });
        }
        let mut models: HashMap<MeshId, Model> = HashMap::new();
        for &id in others.iter().chain([&part]) {
            let mesh = scene.parts[id.index()].mesh;
            models.entry(mesh).or_insert_with(|| Model::build_with(scene.mesh(id), winding));
        }
        let body = |&id: &PartId| {
            let placed = &scene.parts[id.index()];
            models[&placed.mesh].at(&placed.pose).expect("all parts can be posed")
        };
        let bodies: Vec<_> = others.iter().map(body).collect();
        let distances = vertex_distances(&body(&part), &bodies.iter().collect::<Vec<_>>(), observer);
        Ok(HeatMap { part, distances: distances.ok_or(JobError::Interrupted)? })
    }
}

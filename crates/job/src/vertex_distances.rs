//! Distances of the surface of a part from other parts, for heat maps.

use std::collections::HashMap;

use crate::error::{JobError, NothingAsked};
use crate::job::Job;
use closefit::{CollisionMesh, Observer, PartId, Winding, vertex_distances};
use closefit_geometry::ids::{MeshId, to_u32};

impl Job {
    /// Returns for each vertex of a part's mesh a lower bound of its distance from another part, in scene
    /// units, and 0 in its solid; without another part, from the nearest of all in the request.
    ///
    /// # Errors
    /// [`JobError`] if a part cannot be posed, if there is no other part, or if the observer stops it.
    pub fn vertex_distances(
        &self,
        part: PartId,
        other: Option<PartId>,
        winding: Winding,
        observer: &dyn Observer,
    ) -> Result<Vec<f64>, JobError> {
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
        let mut models: HashMap<MeshId, CollisionMesh> = HashMap::new();
        for &id in others.iter().chain([&part]) {
            let mesh = scene.parts[id.index()].mesh;
            models.entry(mesh).or_insert_with(|| CollisionMesh::build_with(scene.mesh(id), winding));
        }
        let body = |&id: &PartId| {
            let placed = &scene.parts[id.index()];
            models[&placed.mesh].at(&placed.pose).expect("all parts can be posed")
        };
        let bodies: Vec<_> = others.iter().map(body).collect();
        let bodies: Vec<_> = bodies.iter().collect();
        vertex_distances(&body(&part), &bodies, observer).ok_or(JobError::Interrupted)
    }
}

//! Builds the convex hulls of the parts in candidate pairs, each once.

use glam::DMat3;

use super::models::Wanted;
use crate::bvh::mesh_hull::MeshHull;
use closefit_geometry::hull::filter::HullFilter;
use closefit_geometry::ids::PartId;
use closefit_geometry::memory::{MemoryAccount, OutOfMemory};
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;

/// Bytes per vertex of a mesh whose hull is built: of the hull with its cells, of its red features, and of
/// the faces and edges on the way to them.
const VERTEX_BYTES: usize = 2048;

/// The hulls of all parts in candidate pairs: one per mesh, and one for every linear part of a pose that
/// needs a hull of its own.
#[derive(Default)]
pub(super) struct Hulls {
    hulls: Vec<Option<MeshHull>>,
    /// The index into `hulls`, by part; empty if the filter is off.
    of_part: Vec<Option<usize>>,
}

impl Hulls {
    /// Builds the hulls of the parts that are in a pair, if the filter needs them. `linear` returns the
    /// linear part of a part's pose, or as much of it as no motion changes.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn of(
        filter: HullFilter,
        scene: &Scene,
        is_in_pair: &[bool],
        linear: impl Fn(PartId) -> DMat3,
        memory: &MemoryAccount,
    ) -> Result<Self, OutOfMemory> {
        if filter == HullFilter::Off {
            return Ok(Self::default());
        }
        let Wanted { models, of_part } = Wanted::of(MeshHull::is_built_for, scene, is_in_pair, linear);
        let vertices = models.iter().map(|(mesh, _)| scene.meshes[mesh.index()].vertices().len()).sum();
        memory.take(vertices, VERTEX_BYTES, || format!("hulls of {vertices} vertices"))?;
        let hulls = parallel::map_items(&models, 1, |&(mesh, linear)| {
            MeshHull::of(&scene.meshes[mesh.index()], linear)
        });
        Ok(Self { hulls, of_part })
    }

    /// Returns the hulls of two parts; `None` if the filter is off, or if one has no hull.
    pub fn of_pair(&self, parts: [PartId; 2]) -> Option<[&MeshHull; 2]> {
        let of = |part: PartId| self.hulls[(*self.of_part.get(part.index())?)?].as_ref();
        Some([of(parts[0])?, of(parts[1])?])
    }

    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        self.hulls.iter().flatten().map(MeshHull::bytes).sum()
    }
}

//! A few parts of a scene as a scene of their own, so that they can be checked by themselves.

use std::collections::HashMap;

use closefit_geometry::ids::{MeshId, to_u32};
use closefit_geometry::scene::{Part, Scene};

/// Returns a scene of some of the parts, by their ids in ascending order. No pair of them is excluded, and no
/// rule is about them.
pub(crate) fn of_parts(scene: &Scene, ids: impl IntoIterator<Item = u32>) -> Scene {
    let (mut meshes, mut places) = (Vec::new(), HashMap::new());
    let mut place = |mesh: MeshId| {
        *places.entry(mesh.0).or_insert_with(|| {
            meshes.push(scene.meshes[mesh.index()].clone());
            MeshId(to_u32(meshes.len() - 1))
        })
    };
    let parts = ids.into_iter().map(|id| {
        let part = &scene.parts[id as usize];
        Part { mesh: place(part.mesh), ..part.clone() }
    });
    let parts = parts.collect();
    Scene {
        unit: scene.unit,
        up: scene.up,
        time: scene.time,
        frames: scene.frames.clone(),
        meshes,
        parts,
        ..Scene::default()
    }
}

//! Trees and components for all parts of a scene, built once each.

use std::collections::BTreeMap;

use glam::DMat3;
use rayon::prelude::*;

use crate::backend::Backend;
use crate::hierarchy::body::Model;
use crate::hierarchy::posed::is_similarity;
use crate::ids::MeshId;
use crate::math::pose::Pose;
use crate::scene::Scene;
use crate::scene::check::{Repairs, Winding};

/// A model per mesh, and one more for every linear part that is no similarity.
pub(super) struct Models {
    pub models: Vec<Model>,
    /// Which of them each part has.
    pub of_part: Vec<usize>,
}

impl Models {
    /// For parts at fixed poses; `None` for one that moves.
    pub fn of(
        scene: &Scene,
        poses: impl Iterator<Item = Option<Pose>>,
        backend: Backend,
        winding: Winding,
    ) -> Self {
        let mut models: Vec<Model> =
            scene.meshes.par_iter().map(|mesh| Model::of(mesh, backend, winding)).collect();
        let mut of_part: Vec<usize> = scene.parts.iter().map(|part| part.mesh.index()).collect();
        if backend == Backend::Simd {
            let (mut shaped, mut known) = (Vec::new(), BTreeMap::new());
            for ((part, pose), model) in scene.parts.iter().zip(poses).zip(&mut of_part) {
                let Some(linear) = pose.as_ref().map(Pose::linear).filter(|linear| !is_similarity(linear))
                else {
                    continue;
                };
                *model =
                    *known.entry((*model, linear.to_cols_array().map(f64::to_bits))).or_insert_with(|| {
                        shaped.push((part.mesh, linear));
                        scene.meshes.len() + shaped.len() - 1
                    });
            }
            let shape = |&(mesh, linear): &(MeshId, DMat3)| {
                Model::of_shaped(&scene.meshes[mesh.index()], linear, winding)
            };
            models.par_extend(shaped.par_iter().map(shape));
        }
        Self { models, of_part }
    }

    /// What was repaired in each of the scene's meshes.
    pub fn repairs(&self, scene: &Scene) -> Vec<Repairs> {
        self.models[..scene.meshes.len()].iter().map(|model| model.topology.repairs()).collect()
    }
}

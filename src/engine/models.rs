//! Builds the trees and the topology of the parts that need them, each once.

use std::collections::BTreeMap;

use glam::DMat3;
use rayon::prelude::*;

use super::{Observer, Stage};
use crate::executor::Executor;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::body::Model;
use crate::ids::{MeshId, PartId, to_u32};
use crate::memory::{MemoryAccount, OutOfMemory};
use crate::mesh::topology::{Repairs, Winding};
use crate::scene::Scene;

/// Bytes per triangle of a tree and a topology, while they are built.
pub(super) const TRIANGLE_BYTES: usize = 320;

/// The models to be built for the parts in candidate pairs: one for each mesh, and one for every linear part of a pose
/// that needs a tree of its own.
pub(super) struct Wanted {
    /// The mesh of each model, and the linear part that it is built for.
    pub models: Vec<(MeshId, Option<DMat3>)>,
    /// The index into `models`, by part.
    pub of_part: Vec<Option<usize>>,
}

impl Wanted {
    /// Lists what trees of kind `T` need. `linear` returns the linear part of a part's pose, or as much of it as no motion
    /// changes.
    pub fn of<T: Hierarchy>(scene: &Scene, is_in_pair: &[bool], linear: impl Fn(PartId) -> DMat3) -> Self {
        Self::by(T::is_built_for, scene, is_in_pair, linear)
    }

    /// Lists a model for each mesh, and one for each linear part that `is_built_for` picks.
    pub fn by(
        is_built_for: impl Fn(&DMat3) -> bool,
        scene: &Scene,
        is_in_pair: &[bool],
        linear: impl Fn(PartId) -> DMat3,
    ) -> Self {
        let mut of_part = vec![None; scene.parts.len()];
        let (mut models, mut known) = (Vec::new(), BTreeMap::new());
        let in_pair = is_in_pair.iter().enumerate().filter(|(_, is)| **is);
        for part in in_pair.map(|(index, _)| PartId(to_u32(index))) {
            let linear = Some(linear(part)).filter(&is_built_for);
            let mesh = scene.parts[part.index()].mesh;
            let bits = linear.map(|linear| linear.to_cols_array().map(f64::to_bits));
            let model = *known.entry((mesh, bits)).or_insert_with(|| {
                models.push((mesh, linear));
                models.len() - 1
            });
            of_part[part.index()] = Some(model);
        }
        Self { models, of_part }
    }

    /// Takes the memory of the models.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn take(&self, scene: &Scene, memory: &MemoryAccount) -> Result<(), OutOfMemory> {
        let triangles = |&(mesh, _): &(MeshId, _)| scene.meshes[mesh.index()].triangles().len();
        let triangles: usize = self.models.iter().map(triangles).sum();
        memory.take(triangles, TRIANGLE_BYTES, || format!("trees over {triangles} triangles"))
    }
}

/// The models of all parts in candidate pairs: one per mesh, and one for every linear part of a pose that needs a
/// tree of its own.
pub(super) struct Models<T> {
    models: Vec<(MeshId, Model<T>)>,
    /// The index into `models`, by part.
    of_part: Vec<Option<usize>>,
}

impl<T: Hierarchy> Models<T> {
    /// Builds the models of the parts that are in a pair. `linear` returns the linear part of a part's pose, or as much of it
    /// as no motion changes.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn of(
        scene: &Scene,
        is_in_pair: &[bool],
        linear: impl Fn(PartId) -> DMat3,
        (executor, winding): (Executor, Winding),
        memory: &MemoryAccount,
        observer: &dyn Observer,
    ) -> Result<Self, OutOfMemory> {
        let wanted = Wanted::of::<T>(scene, is_in_pair, linear);
        wanted.take(scene, memory)?;
        let Wanted { models: wanted, of_part } = wanted;
        observer.begin(Stage::Building, wanted.len() as u64);
        let build = |&(mesh, linear): &(MeshId, Option<DMat3>)| {
            let of_mesh = &scene.meshes[mesh.index()];
            let model = match linear {
                None => Model::of(of_mesh, executor, winding),
                Some(linear) => Model::of_shaped(of_mesh, linear, executor, winding),
            };
            observer.advance();
            (mesh, model)
        };
        let models: Vec<_> = wanted.par_iter().map(build).collect();
        Ok(Self { models, of_part })
    }

    /// Returns the model of a part, or `None` if the part is in no candidate pair.
    pub fn get(&self, part: PartId) -> Option<&Model<T>> {
        self.of_part[part.index()].map(|model| &self.models[model].1)
    }

    /// Iterates over all models.
    pub fn all(&self) -> impl Iterator<Item = &Model<T>> {
        self.models.iter().map(|(_, model)| model)
    }

    /// Returns the repairs to each mesh of the scene; none for a mesh without a model.
    pub fn repairs(&self, scene: &Scene) -> Vec<Repairs> {
        let mut repairs = vec![Repairs::default(); scene.meshes.len()];
        for (mesh, model) in &self.models {
            repairs[mesh.index()] = model.topology.repairs();
        }
        repairs
    }
}

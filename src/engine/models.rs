//! Builds the trees and the topology of the parts that need them, each once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use glam::DMat3;

use super::kept_models::{KeptModels, Recipe};
use super::{Observer, Stage};
use crate::bvh::cache::{LEAST_TRIANGLES, ModelCache, ModelKey, most_bytes};
use crate::bvh::placement::{serves, shape_sum};
use crate::bvh::strategy::Strategy;
use crate::bvh::trees::Trees;
use closefit_geometry::ids::{MeshId, PartId, to_u32};
use closefit_geometry::memory::{MemoryAccount, OutOfMemory};
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::{Repairs, Topology, Winding};
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;

/// Bytes per triangle of a tree and a topology, while they are built.
pub(super) const TRIANGLE_BYTES: usize = 320;

/// The models to be built for the parts in candidate pairs: one for each mesh, or several equal ones, and one
/// for all linear parts of poses that need a tree of their own and are alike but for a similarity: instances
/// with the same uneven scale share it however they are turned.
pub(super) struct Wanted {
    /// The mesh of each model, and the linear part that it is built for.
    pub models: Vec<(MeshId, Option<DMat3>)>,
    /// The index into `models`, by part.
    pub of_part: Vec<Option<usize>>,
}

impl Wanted {
    /// Lists a model for each mesh that equals no other, and one for the linear parts that `is_built_for`
    /// picks and that no model before them serves.
    pub fn of(
        is_built_for: impl Fn(&DMat3) -> bool,
        scene: &Scene,
        is_in_pair: &[bool],
        linear: impl Fn(PartId) -> DMat3,
    ) -> Self {
        let mut of_part = vec![None; scene.parts.len()];
        let mut models: Vec<(MeshId, Option<DMat3>)> = Vec::new();
        let mut known: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        let mut twins = Twins::new(scene);
        let in_pair = is_in_pair.iter().enumerate().filter(|(_, is)| **is);
        for part in in_pair.map(|(index, _)| PartId(to_u32(index))) {
            let linear = Some(linear(part)).filter(&is_built_for);
            let mesh = twins.first(scene.parts[part.index()].mesh);
            let cell = linear.as_ref().map(cell);
            let cells = cell.map_or([None; 3], |cell| [cell, cell - 1, cell + 1].map(Some));
            let alike = cells.iter().filter_map(|&cell| known.get(&(mesh, cell))).flatten().copied();
            let is_for = |&model: &usize| match (&models[model].1, &linear) {
                (Some(own), Some(linear)) => serves(own, linear),
                (own, linear) => own.is_none() && linear.is_none(),
            };
            let found = alike.into_iter().find(is_for);
            of_part[part.index()] = Some(found.unwrap_or_else(|| {
                known.entry((mesh, cell)).or_default().push(models.len());
                models.push((mesh, linear));
                models.len() - 1
            }));
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

/// Returns a number that differs by at most 1 for linear parts that one tree serves. There are so many that
/// few other linear parts have the same.
fn cell(linear: &DMat3) -> i64 {
    // A thousandth of what the sum spans; similarities are distinguished from others far more finely.
    (shape_sum(linear) * 4096.0).floor().clamp(-1e6, 1e6) as i64
}

/// Meshes of equal vertices and triangles: all that is built for one serves the others.
struct Twins<'a> {
    scene: &'a Scene,
    /// The first mesh that equals a mesh that has been looked up.
    first: Vec<Option<MeshId>>,
    /// Meshes that differ, by their numbers of vertices and triangles and their first and last vertex: enough
    /// to tell most meshes apart without reading them.
    by_outline: BTreeMap<[u64; 8], Vec<MeshId>>,
}

impl<'a> Twins<'a> {
    fn new(scene: &'a Scene) -> Self {
        Self { scene, first: vec![None; scene.meshes.len()], by_outline: BTreeMap::new() }
    }

    /// Returns the first mesh looked up that equals this one; itself if there was none.
    fn first(&mut self, mesh: MeshId) -> MeshId {
        if let Some(first) = self.first[mesh.index()] {
            return first;
        }
        let of = |mesh: MeshId| &self.scene.meshes[mesh.index()];
        let alike = self.by_outline.entry(outline(of(mesh))).or_default();
        let first = alike.iter().copied().find(|&known| of(known) == of(mesh)).unwrap_or_else(|| {
            alike.push(mesh);
            mesh
        });
        self.first[mesh.index()] = Some(first);
        first
    }
}

fn outline(mesh: &Mesh) -> [u64; 8] {
    let (vertices, triangles) = (mesh.vertices(), mesh.triangles());
    let [[a, b, c], [d, e, f]] =
        [vertices[0], vertices[vertices.len() - 1]].map(|v| v.to_array().map(f64::to_bits));
    [vertices.len() as u64, triangles.len() as u64, a, b, c, d, e, f]
}

/// The models of all parts in candidate pairs, each once.
pub(super) struct Models {
    /// The number of models.
    pub count: usize,
    /// The number of those that were taken from a cache.
    pub from_cache: u64,
    /// The models, each at its place.
    pub trees: Arc<dyn Trees>,
    /// The place of each part's model.
    of_part: Vec<Option<usize>>,
}

impl Models {
    /// Builds the models of the parts that are in a pair. `linear` returns the linear part of a part's pose,
    /// or as much of it as no motion changes.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn of(
        scene: &Scene,
        is_in_pair: &[bool],
        linear: impl Fn(PartId) -> DMat3,
        how: (Strategy, Winding),
        memory: &MemoryAccount,
        observer: &dyn Observer,
    ) -> Result<Self, OutOfMemory> {
        Self::kept_or_built(scene, is_in_pair, linear, how, (memory, observer), &KeptModels::default())
    }

    /// Returns the same, but takes the models that are kept if they are these, and else keeps what it builds.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn kept_or_built(
        scene: &Scene,
        is_in_pair: &[bool],
        linear: impl Fn(PartId) -> DMat3,
        (strategy, winding): (Strategy, Winding),
        (memory, observer): (&MemoryAccount, &dyn Observer),
        kept: &KeptModels,
    ) -> Result<Self, OutOfMemory> {
        let kind = strategy.tree();
        let wanted = Wanted::of(|linear| kind.is_built_for(linear), scene, is_in_pair, linear);
        wanted.take(scene, memory)?;
        let Wanted { models, of_part } = wanted;
        let all_steps = models.iter().map(|(mesh, _)| steps(&scene.meshes[mesh.index()])).sum();
        observer.begin(Stage::Building, all_steps);
        let of_model =
            |&(mesh, linear): &(MeshId, Option<DMat3>)| (Arc::clone(&scene.meshes[mesh.index()]), linear);
        let recipe = Recipe { strategy, winding, models: models.iter().map(of_model).collect() };
        if let Some(trees) = kept.of(&recipe) {
            observer.advance_by(all_steps);
            return Ok(Self { count: models.len(), from_cache: 0, trees, of_part });
        }
        let trees: Arc<dyn Trees> = Arc::from(kind.trees(models.len(), strategy.executor()));
        let from_cache = AtomicU64::new(0);
        parallel::for_each(models.len(), 1, &|place| {
            let (mesh, linear) = models[place];
            let mesh = &scene.meshes[mesh.index()];
            let steps = Steps { left: AtomicU64::new(steps(mesh)), observer };
            let cache = strategy.cache().filter(|_| mesh.triangles().len() >= LEAST_TRIANGLES);
            let cached = cache
                .map(ModelCache::store)
                .map(|store| (store, store.name(&ModelKey { tree: kind, mesh, winding, linear })));
            let saved = cached.and_then(|(store, name)| store.load(&name, most_bytes(mesh)));
            if saved.is_some_and(|saved| trees.restore(place, mesh, linear, saved)) {
                from_cache.fetch_add(1, Relaxed);
            } else {
                let topology = Topology::of(mesh, winding);
                steps.advance(mesh.triangles().len());
                trees.build(place, mesh, linear, topology, &|triangles| steps.advance(triangles));
                if let Some((store, name)) = cached
                    && let Some(model) = trees.saved(place)
                {
                    store.save(&name, &model);
                }
            }
            steps.complete();
        });
        kept.keep(recipe, &trees);
        Ok(Self { count: models.len(), from_cache: from_cache.into_inner(), trees, of_part })
    }

    /// Returns the place of a part's model, or `None` if the part is in no candidate pair.
    pub fn place(&self, part: PartId) -> Option<usize> {
        self.of_part[part.index()]
    }

    /// Returns the places of the models of a pair.
    pub fn places(&self, pair: [PartId; 2]) -> [usize; 2] {
        pair.map(|part| self.place(part).expect("it is in a candidate pair"))
    }

    /// Iterates over the topologies of all models.
    pub fn topologies(&self) -> impl Iterator<Item = &Topology> {
        (0..self.count).map(|model| self.trees.topology(model))
    }

    /// Returns the repairs to each mesh of the scene, also of parts that have no model but are in `others`;
    /// none for the other meshes.
    pub fn repairs(&self, scene: &Scene, others: &[bool], winding: Winding) -> Vec<Repairs> {
        let mut repairs = vec![None; scene.meshes.len()];
        for (part, &model) in scene.parts.iter().zip(&self.of_part) {
            if let Some(model) = model {
                repairs[part.mesh.index()] = Some(self.trees.topology(model).repairs());
            }
        }
        let mut is_asked = vec![false; scene.meshes.len()];
        for (part, _) in scene.parts.iter().zip(others).filter(|(_, is_other)| **is_other) {
            is_asked[part.mesh.index()] = repairs[part.mesh.index()].is_none();
        }
        parallel::map_owned(repairs, 1, |mesh, known| match known {
            None if is_asked[mesh] => Topology::of(&scene.meshes[mesh], winding).repairs(),
            known => known.unwrap_or_default(),
        })
    }
}

/// Returns the number of steps in which a model is built: its topology takes one for each triangle, its tree
/// two.
fn steps(mesh: &Mesh) -> u64 {
    3 * mesh.triangles().len() as u64
}

/// The steps of a model that are still to be done.
struct Steps<'a> {
    left: AtomicU64,
    observer: &'a dyn Observer,
}

impl Steps<'_> {
    /// Tells the observer of more steps, but not of more than there are.
    fn advance(&self, steps: usize) {
        let steps = steps as u64;
        let told = self.left.fetch_update(Relaxed, Relaxed, |left| Some(left - steps.min(left)));
        self.observer.advance_by(told.map_or(0, |left| steps.min(left)));
    }

    /// Tells the observer of all steps that are left.
    fn complete(self) {
        self.observer.advance_by(self.left.into_inner());
    }
}

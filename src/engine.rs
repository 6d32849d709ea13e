//! Runs the stages over all pairs of a scene and keeps the books.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use crate::backend::Backend;
use crate::bounds::aabb::Aabb;
use crate::broad::sweep_and_prune;
use crate::hierarchy::body::{Body, Model};
use crate::hierarchy::posed::{is_similarity, linear};
use crate::ids::{MeshId, to_u32};
use crate::math::pose::LARGEST;
use crate::narrow::tree_tree::Work;
use crate::query::pair::decide;
use crate::query::{CheckRequest, PairRecord, Verdict};
use crate::scene::Scene;

/// Receives progress and may stop a run.
pub trait Observer: Sync {
    /// `done` of `total` pairs are decided. Called from any thread, in no particular order.
    fn progress(&self, done: u64, total: u64);
    /// True once the run should stop.
    fn cancelled(&self) -> bool;
}

/// An observer that neither reports nor stops.
pub struct Unobserved;

impl Observer for Unobserved {
    fn progress(&self, _done: u64, _total: u64) {}
    fn cancelled(&self) -> bool {
        false
    }
}

/// Every pair, accounted for: `pairs = sum(excluded) + apart + decided + undecided`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// All pairs of parts.
    pub pairs: u64,
    /// Left out, by reason.
    pub excluded: BTreeMap<String, u64>,
    /// Posed boxes separated by more than max(clearance, tolerance) along an axis.
    pub apart: u64,
    /// Looked at and decided.
    pub decided: u64,
    /// Looked at and undecided.
    pub undecided: u64,
}

/// Work done; goes into `run.json` only, never into the report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Pairs of boxes tested for separation.
    pub box_tests: u64,
    /// Pairs of triangles that reached a triangle test.
    pub triangle_tests: u64,
    /// Of those, handed to `settle`: what lanes leave unsure, or, in the scalar path, all whose boxes meet.
    pub settled_exactly: u64,
    /// Triangles of the unique meshes: instances share theirs.
    pub unique_triangles: u64,
    /// Bytes of the unique meshes' vertices and triangles.
    pub mesh_bytes: u64,
    /// Bytes of their trees.
    pub tree_bytes: u64,
    /// Bytes of their components.
    pub topology_bytes: u64,
    /// Seconds building trees (wall clock).
    pub build_s: f64,
    /// Seconds finding candidate pairs.
    pub broad_s: f64,
    /// Seconds deciding pairs.
    pub decide_s: f64,
}

/// The outcome of [`check`].
#[derive(Clone, Debug, PartialEq)]
pub struct CheckResult {
    /// The settings used, tolerance resolved.
    pub request: CheckRequest,
    /// blake3 of the canonical posed input, in hexadecimal.
    pub digest: String,
    /// The books.
    pub ledger: Ledger,
    /// Every pair that is not clear, sorted by ids.
    pub pairs: Vec<PairRecord>,
    /// Work done.
    pub counters: Counters,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CheckError {
    /// The observer asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A posed coordinate is beyond 2^200 or not finite.
    #[error("part {part} '{name}': the posed coordinate {value:e} is beyond 2^200")]
    OutOfRange {
        /// Index of the part.
        part: u32,
        /// Its name.
        name: String,
        /// The coordinate.
        value: f64,
    },
}

/// Default tolerance: 1e-6 of the diagonal of the scene's posed box.
///
/// # Errors
/// [`CheckError::OutOfRange`] for a part that cannot be posed.
pub fn default_tolerance(scene: &Scene) -> Result<f64, CheckError> {
    let boxes = posed_boxes(scene)?;
    Ok(1e-6 * boxes.into_iter().fold(Aabb::EMPTY, Aabb::union).diagonal())
}

/// Decides every pair of a scene. The result is the same for every number of threads.
///
/// # Errors
/// [`CheckError`].
pub fn check(
    scene: &Scene,
    request: &CheckRequest,
    observer: &dyn Observer,
) -> Result<CheckResult, CheckError> {
    let boxes = posed_boxes(scene)?;
    let mut counters = Counters::default();

    let clock = Instant::now();
    let Models { models, of_part } = Models::of(scene, request.backend);
    counters.build_s = clock.elapsed().as_secs_f64();
    for mesh in &scene.meshes {
        counters.unique_triangles += mesh.triangles().len() as u64;
        counters.mesh_bytes += mesh.bytes() as u64;
    }
    for model in &models {
        counters.tree_bytes += model.tree.bytes() as u64;
        counters.topology_bytes += model.topology.bytes() as u64;
    }

    let clock = Instant::now();
    let mut near = sweep_and_prune::near_pairs(&boxes, request.clearance.max(request.tolerance));
    let excluded = scene.excluded.counts();
    if !excluded.is_empty() {
        near.retain(|&(a, b)| scene.excluded.reason(a, b).is_none());
    }
    counters.broad_s = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let parts = scene.parts.iter().zip(&boxes).zip(&of_part);
    let bodies: Vec<Body> = parts
        .map(|((part, &bounds), &model)| {
            Body::new(&scene.meshes[part.mesh.index()], &models[model], part.pose, bounds)
        })
        .collect();
    let done = AtomicU64::new(0);
    let total = near.len() as u64;
    let outcomes: Vec<Option<(PairRecord, Work)>> = near
        .par_iter()
        .with_max_len(1)
        .map(|&(a, b)| {
            if observer.cancelled() {
                return None;
            }
            let mut work = Work::default();
            let record = decide([a, b], &bodies[a.index()], &bodies[b.index()], request, &mut work);
            observer.progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            Some((record, work))
        })
        .collect();
    counters.decide_s = clock.elapsed().as_secs_f64();

    let parts = scene.parts.len() as u64;
    let pairs = parts * parts.saturating_sub(1) / 2;
    let left = pairs - excluded.values().sum::<u64>();
    let mut ledger = Ledger { pairs, excluded, apart: left - total, ..Ledger::default() };
    let mut listed = Vec::new();
    let mut work = Work::default();
    for outcome in outcomes {
        let (record, done) = outcome.ok_or(CheckError::Interrupted)?;
        work += done;
        match record.verdict {
            Verdict::Undecided => ledger.undecided += 1,
            _ => ledger.decided += 1,
        }
        if record.verdict != Verdict::Clear {
            listed.push(record);
        }
    }
    counters.box_tests = work.box_tests;
    counters.triangle_tests = work.triangle_tests;
    counters.settled_exactly = work.settled;
    Ok(CheckResult { request: *request, digest: digest(scene), ledger, pairs: listed, counters })
}

/// A model per mesh, and one more for every linear part that is no similarity.
struct Models {
    models: Vec<Model>,
    /// Which of them each part has.
    of_part: Vec<usize>,
}

impl Models {
    fn of(scene: &Scene, backend: Backend) -> Self {
        let mut models: Vec<Model> = scene.meshes.par_iter().map(|mesh| Model::of(mesh, backend)).collect();
        let mut of_part: Vec<usize> = scene.parts.iter().map(|part| part.mesh.index()).collect();
        if backend == Backend::Simd {
            let (mut shaped, mut known) = (Vec::new(), BTreeMap::new());
            for (part, model) in scene.parts.iter().zip(&mut of_part) {
                let linear = linear(&part.pose);
                if !is_similarity(&linear) {
                    *model = *known.entry((*model, linear.to_cols_array().map(f64::to_bits))).or_insert_with(
                        || {
                            shaped.push((part.mesh, linear));
                            scene.meshes.len() + shaped.len() - 1
                        },
                    );
                }
            }
            let shape =
                |&(mesh, linear): &(MeshId, DMat3)| Model::of_shaped(&scene.meshes[mesh.index()], linear);
            models.par_extend(shaped.par_iter().map(shape));
        }
        Self { models, of_part }
    }
}

/// The exact box of every posed part.
fn posed_boxes(scene: &Scene) -> Result<Vec<Aabb>, CheckError> {
    scene
        .parts
        .par_iter()
        .enumerate()
        .map(|(index, part)| {
            let mesh = &scene.meshes[part.mesh.index()];
            let mut bounds = Aabb::EMPTY;
            for &vertex in mesh.vertices() {
                let p = part.pose.apply(vertex);
                // A NaN is out of range too.
                if let Some(value) = p.to_array().into_iter().find(|x| x.is_nan() || x.abs() > LARGEST) {
                    return Err(CheckError::OutOfRange {
                        part: to_u32(index),
                        name: part.name.clone(),
                        value,
                    });
                }
                bounds = bounds.with(p);
            }
            Ok(bounds)
        })
        .collect()
}

/// blake3 of every part's name, number of triangles and posed corners, in order, as little-endian bytes.
fn digest(scene: &Scene) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in &scene.parts {
        let mesh = &scene.meshes[part.mesh.index()];
        hasher.update(&(part.name.len() as u64).to_le_bytes());
        hasher.update(part.name.as_bytes());
        hasher.update(&(mesh.triangles().len() as u64).to_le_bytes());
        let posed: Vec<DVec3> = mesh.vertices().iter().map(|&v| part.pose.apply(v)).collect();
        for corner in mesh.triangles().iter().flatten() {
            for x in posed[*corner as usize].to_array() {
                hasher.update(&x.to_le_bytes());
            }
        }
    }
    hasher.finalize().to_hex().to_string()
}

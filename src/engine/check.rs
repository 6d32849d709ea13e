//! Checks all pairs of parts at their poses.

use std::time::Instant;

use super::driver::Driver;
use super::ledger::{Counters, Ledger};
use super::models::Models;
use super::{CheckError, Observer, Stage, TOLERANCE, diagonal, posed_boxes};
use crate::broad::sweep_and_prune;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::body::{At, Body};
use crate::hierarchy::kind::WithTrees;
use crate::ids::{PartId, to_u32};
use crate::math::pose::Pose;
use crate::mesh::topology::Repairs;
use crate::query::pair::decide_by;
use crate::query::{CheckRequest, PairRecord};
use crate::scene::Scene;

/// The outcome of [`check`].
#[derive(Clone, Debug, PartialEq)]
pub struct CheckResult {
    /// The settings used, with the tolerance resolved.
    pub request: CheckRequest,
    /// The count of all pairs by outcome.
    pub ledger: Ledger,
    /// Every pair that is not clear, sorted by ids.
    pub pairs: Vec<PairRecord>,
    /// The repairs to each mesh of the scene.
    pub repairs: Vec<Repairs>,
    /// Work done.
    pub counters: Counters,
}

/// Returns the default tolerance: [`TOLERANCE`] times the diagonal of the posed scene's box.
///
/// # Errors
/// [`CheckError::OutOfRange`] if a part cannot be posed.
pub fn default_tolerance(scene: &Scene) -> Result<f64, CheckError> {
    Ok(TOLERANCE * diagonal(scene, &poses(scene))?)
}

fn poses(scene: &Scene) -> Vec<Pose> {
    scene.parts.iter().map(|part| part.pose).collect()
}

/// Decides every pair of a scene. The result does not depend on the number of threads.
///
/// # Errors
/// [`CheckError`].
pub fn check(
    scene: &Scene,
    request: &CheckRequest,
    observer: &dyn Observer,
) -> Result<CheckResult, CheckError> {
    request.strategy.tree().run(Check { scene, request, observer })
}

/// A check, generic over the kind of tree.
struct Check<'a> {
    scene: &'a Scene,
    request: &'a CheckRequest,
    observer: &'a dyn Observer,
}

impl WithTrees for Check<'_> {
    type Output = Result<CheckResult, CheckError>;

    fn run<T: Hierarchy>(self) -> Self::Output {
        check_by::<T>(self.scene, self.request, self.observer)
    }
}

fn check_by<T: Hierarchy>(
    scene: &Scene,
    request: &CheckRequest,
    observer: &dyn Observer,
) -> Result<CheckResult, CheckError> {
    let poses = poses(scene);
    let boxes = posed_boxes(scene, &poses)?;

    observer.begin(Stage::Pairing, 0);
    let clock = Instant::now();
    let mut near = sweep_and_prune::near_pairs(&boxes, request.clearance.max(request.tolerance));
    let excluded = scene.excluded.counts();
    if !excluded.is_empty() {
        near.retain(|&(a, b)| scene.excluded.reason(a, b).is_none());
    }
    let broad_s = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let pose = |part: PartId| Some(poses[part.index()]);
    let executor = request.strategy.executor();
    let models = Models::<T>::of(scene, &near, pose, executor, request.winding, observer);
    let build_s = clock.elapsed().as_secs_f64();
    let mut counters = Counters { broad_s, ..Counters::of(scene, &models, build_s) };

    let clock = Instant::now();
    let parts = scene.parts.iter().zip(&boxes).enumerate();
    let bodies: Vec<Option<Body<At<T>>>> = parts
        .map(|(index, (part, &bounds))| {
            let model = models.get(PartId(to_u32(index)))?;
            let body = Body::new(&scene.meshes[part.mesh.index()], model, part.pose, bounds);
            Some(body.declared_surface(part.is_surface))
        })
        .collect();
    let body = |part: PartId| bodies[part.index()].as_ref().expect("it is in a candidate pair");
    // Contacts of many pairs are found in one batch.
    let contacts = |near: &[(PartId, PartId)]| {
        T::contacts_of_all(&near.iter().map(|&(a, b)| [&body(a).tree.0, &body(b).tree.0]).collect::<Vec<_>>())
    };
    let driver = Driver { scene, near: &near, observer };
    let (ledger, listed) =
        driver.run(excluded, &mut counters, contacts, |[a, b], (contacts, mut work)| {
            let record = decide_by([a, b], &[body(a), body(b)], contacts, request, &mut work);
            (record, work)
        })?;
    counters.decide_s = clock.elapsed().as_secs_f64();
    let repairs = models.repairs(scene);
    Ok(CheckResult { request: *request, ledger, pairs: listed, repairs, counters })
}

//! The decision whether a compute device takes part in a run.

use super::Observer;
use crate::bvh::strategy::Strategy;
use crate::gpu::{Asked, Workload};
#[cfg(feature = "gpu")]
use crate::gpu::{Choice, Device};
use closefit_geometry::ids::MeshId;
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;

/// Settles a strategy that takes a device if it pays: opens a discrete GPU if that is worth it for the work.
/// Without one, or if it cannot be opened, the CPU does all the work. Other strategies are returned
/// unchanged.
#[cfg(feature = "gpu")]
pub fn settled(strategy: Strategy, work: &Workload, observer: &dyn Observer) -> Strategy {
    strategy.settled(|| {
        let mut opened = None;
        if work.is_worth_a_device() {
            observer.opens_device(&mut || opened = Device::open(&Choice::Discrete).ok());
        }
        opened
    })
}

/// Settles a strategy that takes a device if it pays: this build has no devices.
#[cfg(not(feature = "gpu"))]
pub fn settled(strategy: Strategy, _: &Workload, _: &dyn Observer) -> Strategy {
    strategy.settled(|| None)
}

/// Returns the work of deciding the candidate pairs of a scene on the current threads. The mean pair is taken
/// to have twice the triangles of the mean part that is in a pair.
pub(super) fn workload(asked: Asked, scene: &Scene, pairs: u64, is_in_pair: &[bool]) -> Workload {
    let triangles = |mesh: MeshId| scene.meshes[mesh.index()].triangles().len() as f64;
    let in_pair = || scene.parts.iter().zip(is_in_pair).filter(|(_, is)| **is);
    let sum: f64 = in_pair().map(|(part, _)| triangles(part.mesh)).sum();
    let mean = sum / in_pair().count().max(1) as f64;
    Workload { asked, pairs, triangles: 2.0 * mean, threads: parallel::threads() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_generate::{Request, generate};

    #[test]
    fn a_pair_has_the_triangles_of_two_parts() {
        let request = Request { name: "tori".to_owned(), size: Some(800), seed: 0, soup: false };
        let scene = generate(&request).expect("a scene");
        let all = vec![true; scene.parts.len()];
        let threads = parallel::threads();
        let triangles = scene.meshes[scene.parts[0].mesh.index()].triangles().len() as f64;
        let found = workload(Asked::Check, &scene, 7, &all);
        assert_eq!(found, Workload { asked: Asked::Check, pairs: 7, triangles: 2.0 * triangles, threads });
        let none = vec![false; scene.parts.len()];
        assert_eq!(workload(Asked::Sweep, &scene, 0, &none).triangles, 0.0);
    }
}

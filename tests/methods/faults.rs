//! Faults put into trees of every kind, and how many of them a cross-check finds.

use std::sync::Arc;

use closefit::internals::bvh::faults::Fault;
use closefit::internals::engine::Disagreement;
use closefit::internals::engine::injected::FaultyTrees;
use closefit::internals::narrow::{Closest, Nearest};
use closefit::{Executor, Mesh, PartId, Pose, Strategy, TreeKind};
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::ids::MeshId;
use closefit_geometry::math::testing::Stream;
use closefit_geometry::parallel;
use closefit_geometry::scene::{Part, Scene};
use glam::DVec3;

/// The answer about a pair: its contacts or, without contact, the closest triangles.
type Answer = (Vec<[u32; 2]>, Option<Nearest>);

/// Farther apart than two of the parts are.
const LIMIT: f64 = 0.5;

/// Returns the number of faults of each sort in each kind of tree.
fn each() -> u64 {
    if closefit_testing::is_full_run() { 50 } else { 20 }
}

/// A sheet with bumps, three times: once more turned by a quarter, which meets the first nearly everywhere,
/// and once above.
fn scene() -> Scene {
    const N: u32 = 9;
    let mut stream = Stream(11);
    let at = |i: u32| f64::from(i) / f64::from(N - 1) - 0.5;
    let bumps = (0..N * N).map(|i| DVec3::new(at(i % N), at(i / N), 0.04 * stream.signed()));
    let vertices: Vec<DVec3> = bumps.collect();
    let cells = (0..N * N).filter(|i| i % N < N - 1 && i / N < N - 1);
    let triangles = cells.flat_map(|i| [[i, i + 1, i + N], [i + 1, i + N + 1, i + N]]);
    let mesh = Mesh::new(&vertices, &triangles.collect::<Vec<_>>()).expect("valid");
    let turned = Pose { rows: [[0.0, -1.0, 0.0, 1e-3], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };
    let poses = [("a", Pose::IDENTITY), ("b", turned), ("c", Pose::translation([0.03, 0.0, 0.2]))];
    let parts = poses.map(|(name, pose)| Part::new(name, MeshId(0), pose)).to_vec();
    Scene { meshes: vec![Arc::new(mesh)], parts, ..Scene::default() }
}

/// Tests each triangle of a pair against each.
fn by_brute_force(scene: &Scene, parts: [PartId; 2]) -> Answer {
    let [a, b] = parts.map(|part| {
        let pose = scene.parts[part.index()].pose;
        let mesh = &scene.meshes[0];
        let corners = |triangle| mesh.corners(triangle).map(|v| pose.apply(v));
        (0..).take(mesh.triangles().len()).map(corners).collect::<Vec<_>>()
    });
    let pairs = || (0..).zip(&a).flat_map(|(i, s)| (0..).zip(&b).map(move |(j, t)| ([i, j], s, t)));
    let contacts: Vec<[u32; 2]> = pairs().filter(|(_, s, t)| triangles_meet(s, t)).map(|of| of.0).collect();
    let mut closest = Closest::within(LIMIT);
    if contacts.is_empty() {
        for (triangles, s, t) in pairs() {
            closest.offer(Nearest { distance: distance(s, t), triangles }, [s, t]);
        }
    }
    (contacts, closest.nearest())
}

/// The outcome of a fault.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    injected: u64,
    /// Some answer is no longer the answer of brute force.
    changed: u64,
    found: u64,
    missed: u64,
}

/// Puts a fault into a tree and cross-checks it with another kind.
struct Inject<'a> {
    scene: &'a Scene,
    expected: &'a [([PartId; 2], Answer)],
    kind: TreeKind,
    /// None for the tree as it is built.
    fault: Option<Fault>,
    at: u64,
}

impl Inject<'_> {
    fn run(self) -> Outcome {
        let Self { scene, expected, kind, fault, at } = self;
        let Some(faulty) = FaultyTrees::build(scene, kind, fault.map(|fault| (fault, at)), LIMIT) else {
            return Outcome::default();
        };
        let differs = |executor: &Executor| {
            expected.iter().any(|(parts, expected)| faulty.ask(*parts, *executor) != *expected)
        };
        let is_changed = kind.executors().iter().any(differs);
        let own_kind = if kind == TreeKind::OBB { closefit_methods::RAPID } else { TreeKind::OBB };
        let is_found = is_found(scene, own_kind, (kind, &faulty));
        Outcome {
            injected: 1,
            changed: is_changed.into(),
            found: is_found.into(),
            missed: (is_changed && !is_found).into(),
        }
    }
}

/// True if a cross-check of a kind that is in order with one that may not be ends in a disagreement.
fn is_found(scene: &Scene, own: TreeKind, (kind, faulty): (TreeKind, &FaultyTrees)) -> bool {
    let checked = faulty.cross_check(own);
    let own = Strategy::new(own, None).expect("it has an executor");
    if let Some(Disagreement { strategies, found, meshes, .. }) = &checked.disagreement {
        assert_eq!((strategies.0, strategies.1.tree()), (Some(own), kind));
        assert_eq!(found.len(), 2);
        // The fault is in this tree and not in how such trees are built, so there is nothing to reduce.
        assert_eq!(meshes[0], *scene.meshes[0]);
    }
    checked.disagreement.is_some()
}

/// A fault that changes no answer cannot be found: boxes are a little larger than they must be, for the
/// rounding of f32, and a triangle without contact may be dropped. But all that change an answer are found.
#[test]
fn every_fault_that_changes_an_answer_is_found() {
    let scene = scene();
    let pairs = [[0, 1], [0, 2], [1, 2]].map(|pair| pair.map(PartId));
    let expected = pairs.map(|parts| (parts, by_brute_force(&scene, parts)));
    assert!(expected[0].1.0.len() > 100 && expected[1].1.1.is_some());
    let mut in_all = Outcome::default();
    for &kind in closefit_methods::ALL {
        let inject = |fault, at| Inject { scene: &scene, expected: &expected, kind, fault, at }.run();
        let sound = inject(None, 0);
        assert_eq!([sound.changed, sound.found], [0; 2], "{kind}");
        let mut of_kind = 0;
        for fault in Fault::ALL {
            let inject = |seed: usize| inject(Some(fault), Stream(seed as u64 + 1).bits());
            let sum = |x: Outcome, y: Outcome| Outcome {
                injected: x.injected + y.injected,
                changed: x.changed + y.changed,
                found: x.found + y.found,
                missed: x.missed + y.missed,
            };
            let of_sort = parallel::reduce(each() as usize, 1, inject, sum).unwrap_or_default();
            let Outcome { injected, changed, found, missed } = of_sort;
            println!("{kind:<14} {fault:?}: found {found} of {changed} that change an answer, of {injected}");
            assert_eq!((missed, found), (0, changed), "{kind} {fault:?}");
            assert!(fault != Fault::Dropped || changed > 0, "{kind}: a dropped part must matter somewhere");
            of_kind += injected;
            in_all = sum(in_all, of_sort);
        }
        assert!(of_kind >= 3 * each(), "{kind}: {of_kind} faults");
    }
    let Outcome { injected, changed, found, .. } = in_all;
    println!("in all: found {found} of {changed} that change an answer, of {injected} injected");
}

//! No answer depends on the tree: every record is the same to the last bit with the trees of every strategy,
//! with random trees, and with a single leaf.
//!
//! `CLOSEFIT_CASES` sets the number of random scenes of each kind.

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::posed_model::{Model, PosedModel};
use closefit::internals::query::pair::decide;
use closefit::internals::query::stage_work::StageWork;
use closefit::scene::Scene;
use closefit::{CheckRequest, Depth, Executor, Mesh, PairRecord, PartId, Pose, Strategy};
use closefit_generate::{Request, generate};
use closefit_geometry::mesh::topology::Topology;
use closefit_methods::internals::binary_obb::BinaryObb;
use closefit_methods::kind::{self, WithTrees};
use closefit_testing::meshes::{Piece, ball, cuboid, moved, octahedron, scene, square_ring};
use closefit_testing::rng::Rng;
use closefit_testing::trees;
use glam::DVec3;

fn record<T: Hierarchy>(
    parts: [(&Mesh, &Pose); 2],
    executor: Executor,
    tolerance: f64,
    mut build: impl FnMut(&Mesh) -> T,
) -> PairRecord {
    let request = CheckRequest::default().clearance(0.5).tolerance(tolerance).list_contacts();
    let models =
        parts.map(|(mesh, _)| Model::new(build(mesh), executor, Topology::of(mesh, Default::default())));
    let [a, b] = [0, 1].map(|i| {
        let (mesh, pose) = parts[i];
        PosedModel::new(mesh, &models[i], *pose, mesh.posed_bounds(pose))
    });
    decide([PartId(0), PartId(1)], &[&a, &b], &request, &mut StageWork::default())
}

/// Computes a record with the trees of a strategy.
struct Recorded<'a> {
    parts: [(&'a Mesh, &'a Pose); 2],
    executor: Executor,
    tolerance: f64,
}

impl WithTrees for Recorded<'_> {
    type Output = PairRecord;

    fn run<T: Hierarchy>(self) -> PairRecord {
        record(self.parts, self.executor, self.tolerance, T::build)
    }
}

/// Returns the reference's answer after comparing it with the answers of all other trees.
fn agreed(scene: &Scene, tolerance: f64, rng: &mut Rng) -> PairRecord {
    let parts = [0, 1].map(|i| (&*scene.meshes[scene.parts[i].mesh.index()], &scene.parts[i].pose));
    let by = |strategy: Strategy| {
        kind::run(strategy.tree(), Recorded { parts, executor: strategy.executor(), tolerance })
    };
    let scalar = Executor::Scalar;
    let usual = by(Strategy::new(closefit_methods::RAPID, Some(scalar)).expect("the reference"));
    // The shortest texts that read back are equal only for equal bits.
    let expected = format!("{usual:?}");
    if parts.iter().all(|(mesh, _)| mesh.triangles().len() < 300) {
        let one_leaf = record(parts, scalar, tolerance, trees::single_leaf);
        assert_eq!(format!("{one_leaf:?}"), expected, "one leaf");
    }
    let random: PairRecord = record::<BinaryObb>(parts, scalar, tolerance, |mesh| trees::random(mesh, rng));
    assert_eq!(format!("{random:?}"), expected, "a random tree");
    for strategy in closefit_methods::strategies() {
        assert_eq!(format!("{:?}", by(strategy)), expected, "{strategy}");
    }
    usual
}

fn turned(rng: &mut Rng, by: DVec3) -> Pose {
    Pose::from_trs(rng.quaternion(), [1.0; 3], by.to_array()).expect("not of length 0")
}

/// Solids on and off a lattice, in the same turned frame or each in its own, at a few tolerances, so that
/// contact, duplicate and undecidable pairs occur as well as deep ones.
#[test]
fn small_solids_that_coincide_overlap_and_contain() {
    let [mut deep, mut duplicate, mut apart] = [0; 3];
    for case in 0..closefit_testing::cases(60) {
        let mut rng = Rng::new("solids", case);
        let frame = turned(&mut rng, DVec3::new(0.3, 0.2, 0.1));
        let coincide = rng.index(4) == 0;
        let shape = |rng: &mut Rng| match rng.index(4) {
            0 => cuboid([0.0; 3], [1.0, 2.0, 1.5]),
            1 => octahedron(DVec3::ZERO, 1.0),
            2 => square_ring(0.5, 1.0, -0.5, 0.5),
            _ => [cuboid([0.0; 3], [2.0; 3]), ball(DVec3::splat(0.75), 0.5, 1)].concat(),
        };
        let first = shape(&mut rng);
        let second = if coincide { first.clone() } else { shape(&mut rng) };
        let by = if coincide { DVec3::ZERO } else { rng.lattice(4) * 0.25 };
        let own = if rng.coin() { frame } else { turned(&mut rng, by) };
        let pieces = [
            Piece { pose: frame, ..Piece::new("a", first) },
            Piece { pose: own, ..Piece::new("b", moved(&second, by)) },
        ];
        let tolerance = [0.0, 1e-9, 1e-6, 0.3][rng.index(4)];
        let record = agreed(&scene(&pieces), tolerance, &mut rng);
        duplicate += u32::from(record.duplicate);
        match record.depth {
            Some(Depth { at_least, .. }) => deep += u32::from(at_least > 1e-3),
            _ => apart += 1,
        }
    }
    assert!(deep > 9 && duplicate > 4 && apart > 3, "{deep} deep, {duplicate} duplicate, {apart} apart");
}

/// Round parts, where edges and corners are as often nearest as faces, and a thread in its nut, where nearest
/// points lie along grooves. They are pushed until they overlap, at tolerances below and above the overlap.
#[test]
fn generated_parts() {
    let mut deep = 0;
    for (name, size) in [("tori", 400), ("nested", 200), ("bolt-nut", 5_000), ("pipes", 1_000)] {
        for case in 0..closefit_testing::cases(10_u64).div_ceil(5) {
            let request = Request { name: name.to_owned(), size: Some(size), seed: 0, soup: false };
            let mut scene = generate(&request).expect("a scene of the list");
            let mut rng = Rng::new(name, case);
            let size = scene.meshes[0].posed_bounds(&Pose::IDENTITY).diagonal();
            for (row, shift) in scene.parts[1].pose.rows.iter_mut().zip(rng.point().to_array()) {
                row[3] += 0.1 * size * shift;
            }
            let record = agreed(&scene, if case % 2 == 0 { 0.0 } else { 1e-3 * size }, &mut rng);
            deep += u32::from(record.depth.is_some_and(|depth| depth.at_least > 0.0));
        }
    }
    assert!(deep > 3, "{deep} deep");
}

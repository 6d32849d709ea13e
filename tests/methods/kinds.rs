//! Library users get the same answers from trees of every kind, bit for bit, and those are what all pairs of
//! triangles say.
//!
//! `CLOSEFIT_CASES` sets the number of random pairs and worlds.

use std::fs;

use closefit::{
    Aabb, BodyBounds, BodyId, BroadPhase, CollisionMesh, GridRule, HullFilter, Mesh, PairMemory, Pose,
    PoseError, PosedMesh, RefitError, TreeKind, World, WorldError, contact_triangles, distance, intersects,
    intersects_within,
};
use closefit_methods::kind::{self, Kind, Refit, WithKind};
use closefit_testing::all_pairs::{Truth, pose, shapes, truth};
use closefit_testing::meshes::{ball, mesh, scattered};
use closefit_testing::motions::torus;
use closefit_testing::rng::{Rng, power_of_two};
use glam::DVec3;

/// Returns meshes that trees have trouble with: points, segments, copies, all in one plane, tiny and huge.
fn degenerate() -> Vec<Mesh> {
    let (x, y) = (DVec3::X, DVec3::Y);
    let in_plane = (0..24).map(|i| {
        let at = DVec3::new(f64::from(i % 6), f64::from(i / 6), 0.0) * 0.25 - (x + y) * 0.6;
        [at, at + x * 0.25, at + y * 0.25]
    });
    let scaled = |size: f64| ball(DVec3::ZERO, size, 1);
    let soups = [
        vec![[x, y, DVec3::ZERO]],
        vec![[x; 3]],
        vec![[DVec3::ZERO, x, x * 0.5], [x, x * 2.0, x]],
        vec![[x, y, DVec3::Z]; 60],
        in_plane.collect(),
        scaled(power_of_two(-150)),
        scaled(power_of_two(150)),
    ];
    soups.iter().map(|soup| mesh(soup)).collect()
}

/// Two bodies, and the truth about them.
struct Pair {
    meshes: [Mesh; 2],
    poses: [Pose; 2],
    truth: Truth,
}

/// Returns pairs that drift, a few frames each, of ordinary, random and degenerate meshes.
fn pairs() -> Vec<Vec<Pair>> {
    let mut rng = Rng::new("pairs of every kind", 0);
    let (shapes, degenerate) = (shapes(), degenerate());
    let mut drifting = Vec::new();
    for case in 0..closefit_testing::cases(15) {
        let pick = |rng: &mut Rng| match case % 3 {
            0 => shapes[rng.index(shapes.len())].clone(),
            1 => scattered(rng, 30),
            _ => degenerate[rng.index(degenerate.len())].clone(),
        };
        let meshes = [pick(&mut rng), pick(&mut rng)];
        let mut poses = [pose(&mut rng), pose(&mut rng)];
        if rng.index(8) == 0 {
            poses[0] = Pose::scaling([0.0, 1.0, rng.unit()]);
        }
        let step = rng.point() * 0.05;
        drifting.push(
            (0..3)
                .map(|_| {
                    (0..3).for_each(|k| poses[1].rows[k][3] += step[k]);
                    let truth = truth([&meshes[0], &meshes[1]], [&poses[0], &poses[1]]);
                    Pair { meshes: meshes.clone(), poses, truth }
                })
                .collect(),
        );
    }
    drifting
}

/// Returns the answers of all queries about two bodies. Texts that read back are equal only for equal bits.
fn answers<K: Kind>(a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>, memories: &mut [PairMemory<K>]) -> String {
    let found = distance(a, b);
    let limits = [found.distance, found.distance.next_down(), 0.0, 0.1, f64::INFINITY, f64::NAN, -1.0];
    let near = limits.map(|limit| intersects_within(a, b, limit));
    let (touching, touches) = (contact_triangles(a, b), intersects(a, b));
    for memory in memories {
        assert_eq!(memory.intersects(a, b), touches);
        assert_eq!(format!("{:?}", memory.distance(a, b)), format!("{found:?}"));
        assert_eq!(memory.contact_triangles(a, b), touching);
        for (limit, near) in limits.into_iter().zip(near) {
            assert_eq!(memory.distance_up_to(a, b, limit), near.then_some(found), "{limit}");
            assert_eq!(memory.intersects_within(a, b, limit), near, "{limit}");
        }
    }
    format!("{touches} {touching:?} {found:?} {near:?}")
}

struct AskPairs<'a>(&'a [Vec<Pair>]);

impl WithKind for AskPairs<'_> {
    type Output = Vec<String>;

    fn run<K: Kind>(self, kind: K) -> Vec<String> {
        // One pair of memories serves all, whatever the trees and however far the poses.
        let mut memories = HullFilter::ALL.map(PairMemory::with_hulls);
        let mut found = Vec::new();
        for frames in self.0 {
            let trees = frames[0].meshes.each_ref().map(|mesh| CollisionMesh::build_as(mesh, kind));
            for Pair { meshes, poses, truth } in frames {
                let [a, b] = [0, 1].map(|i| trees[i].at(&poses[i]).expect("admissible"));
                assert_eq!(trees[0].triangles(), meshes[0].triangles().len());
                match truth {
                    Truth::Contact(triangles) => {
                        assert_eq!(
                            (contact_triangles(&a, &b), distance(&a, &b).distance),
                            (triangles.clone(), 0.0)
                        );
                    }
                    Truth::Apart(least, triangles) => {
                        let found = distance(&a, &b);
                        let closest = found.closest.expect("apart").triangles;
                        assert_eq!((found.distance, closest), (*least, *triangles));
                    }
                }
                found.push(answers(&a, &b, &mut memories));
            }
        }
        found
    }
}

#[test]
fn pairs_are_answered_alike_and_as_all_triangles_say() {
    let pairs = pairs();
    let touching = pairs.iter().flatten().filter(|pair| matches!(pair.truth, Truth::Contact(_))).count();
    let all = 3 * pairs.len();
    assert!(touching * 10 > all && touching * 10 < 9 * all, "{touching} of {all}");
    let expected = kind::with(TreeKind::default(), AskPairs(&pairs));
    for &kind in closefit_methods::ALL {
        let found = kind::with(kind, AskPairs(&pairs));
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "{kind}, query {i}");
        }
    }
}

/// Runs a world in which bodies drift, jump, vanish and come, and returns all that it finds.
struct RunWorld<'a> {
    meshes: &'a [Mesh],
    seed: u64,
    broad: BroadPhase,
    bounds: BodyBounds,
    hulls: HullFilter,
    spheres: Option<&'a [usize]>,
    grid: GridRule,
}

impl WithKind for RunWorld<'_> {
    type Output = Vec<String>;

    fn run<K: Kind>(self, kind: K) -> Vec<String> {
        let mut rng = Rng::new("worlds of every kind", self.seed);
        let trees: Vec<CollisionMesh<K>> =
            self.meshes.iter().map(|mesh| CollisionMesh::build_as(mesh, kind)).collect();
        let mut world = World::with_broad_phase(self.broad).with_bounds(self.bounds).with_hulls(self.hulls);
        world = world.with_grid_rule(self.grid);
        if let Some(counts) = self.spheres {
            world = world.with_sphere_levels(counts).expect("they rise");
        }
        let mut bodies: Vec<(BodyId, Pose)> = Vec::new();
        let mut found = Vec::new();
        for frame in 0..6 {
            for (id, at) in &mut bodies {
                if rng.index(8) == 0 {
                    *at = pose(&mut rng);
                }
                let by = rng.point() * 0.05;
                (0..3).for_each(|k| at.rows[k][3] += by[k]);
                world.set_pose(*id, at).expect("admissible");
            }
            if frame % 2 == 1 {
                world.remove(bodies.remove(rng.index(bodies.len())).0).expect("it is there");
            }
            for _ in 0..if frame == 0 { 7 } else { 1 } {
                let (tree, at) = (&trees[rng.index(trees.len())], pose(&mut rng));
                let add = if rng.index(3) == 0 { World::add_fixed } else { World::add };
                bodies.push((add(&mut world, tree, &at).expect("admissible"), at));
            }
            let [limit, far] =
                [0.05 * f64::from(frame), f64::INFINITY].map(|limit| world.pairs_within(limit));
            found.push(format!("{:?} {:?} {limit:?} {far:?}", world.intersecting(), world.contacts()));
        }
        found
    }
}

#[test]
fn worlds_find_alike() {
    let meshes = shapes();
    for seed in 0..closefit_testing::cases(2) {
        let run = |(broad, bounds, hulls, spheres, grid)| {
            let meshes = &meshes;
            RunWorld { meshes, seed, broad, bounds, hulls, spheres, grid }
        };
        let usual =
            (BroadPhase::RecursiveGrid, BodyBounds::default(), HullFilter::Off, None, GridRule::default());
        let spheres = Some(&[1, 4, 16][..]);
        let fine = GridRule::new(1, 8).expect("in range");
        let others = [
            (BroadPhase::SweepAndPrune, BodyBounds::Cube, HullFilter::Off, None, fine),
            (BroadPhase::RecursiveGrid, BodyBounds::Tight, HullFilter::ClosestFeatures, None, fine),
            (BroadPhase::RecursiveGrid, BodyBounds::Oriented, HullFilter::Off, spheres, fine),
        ];
        let expected = kind::with(TreeKind::default(), run(usual));
        assert!(expected.iter().any(|frame| frame.contains("triangles: [[")), "some bodies touch");
        for &kind in closefit_methods::ALL {
            for options in [usual].into_iter().chain(others) {
                assert_eq!(kind::with(kind, run(options)), expected, "{kind} {options:?}");
            }
        }
    }
}

struct Refuse;

impl WithKind for Refuse {
    type Output = ();

    fn run<K: Kind>(self, kind: K) {
        let tree = CollisionMesh::build_as(&shapes()[0], kind);
        let mut world = World::default();
        let id = world.add(&tree, &Pose::IDENTITY).expect("admissible");
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut turned = Pose::IDENTITY;
            turned.rows[1][2] = value;
            for pose in [Pose::translation([0.0, value, 0.0]), turned] {
                let is_named = |refused: Option<PoseError>| match refused {
                    Some(PoseError::NotFinite { value: named }) => named.to_bits() == value.to_bits(),
                    _ => false,
                };
                assert!(is_named(tree.at(&pose).err()), "{:?}", K::KIND);
                assert!(is_named(world.add_fixed(&tree, &pose).err()), "{:?}", K::KIND);
                let Err(WorldError::Pose(refused)) = world.set_pose(id, &pose) else { panic!("not refused") };
                assert!(is_named(Some(refused)), "{:?}", K::KIND);
            }
        }
        let far = Pose::translation([2e60, 0.0, 0.0]);
        assert_eq!(tree.at(&far).map(|_| ()), Err(PoseError::OutOfRange));
        assert_eq!(world.set_pose(id, &far), Err(PoseError::OutOfRange.into()));
        assert_eq!((world.len(), world.pose(id)), (1, Ok(&Pose::IDENTITY)), "it stays where it was");
    }
}

#[test]
fn poses_out_of_range_are_refused() {
    for &kind in closefit_methods::ALL {
        kind::with(kind, Refuse);
    }
}

struct Bound;

impl WithKind for Bound {
    type Output = ();

    fn run<K: Kind>(self, kind: K) {
        let mut rng = Rng::new("boxes of every kind", 0);
        for mesh in shapes().into_iter().chain(degenerate()) {
            let tree = CollisionMesh::build_as(&mesh, kind);
            let largest = mesh.vertices().iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
            for _ in 0..closefit_testing::cases(40) {
                let size = rng.power_of_two(-40, 10);
                let far = rng.point() * [0.0, 1.0, 1e9][rng.index(3)] * size * largest;
                let scale = [[1.0; 3], [-1.0; 3], [1.0, 2.0, 0.5], [0.0; 3]][rng.index(4)];
                let pose = Pose::from_trs(rng.quaternion(), scale.map(|x| x * size), far.to_array());
                let pose = pose.expect("finite");
                let placed = tree.at(&pose).expect("admissible");
                let exact = Aabb::of(mesh.vertices().iter().map(|&v| pose.apply(v)));
                for bounds in BodyBounds::ALL {
                    let found = placed.bounds_of(bounds);
                    assert_eq!(found.union(exact), found, "{:?} {bounds:?} {pose:?}", K::KIND);
                    // A sphere around a box, in a box along the axes of the world.
                    let reach = 4.0 * exact.diagonal() + 4.0 * size * largest + 1e-12 * far.length();
                    assert!(found.diagonal() <= reach + 1e-50, "{:?} {bounds:?} {pose:?}", K::KIND);
                }
            }
        }
    }
}

#[test]
fn boxes_contain_all_posed_vertices() {
    for &kind in closefit_methods::ALL {
        kind::with(kind, Bound);
    }
}

/// Deforms bodies in a few ways, and compares their refitted trees with new ones of the default kind.
fn refits<K: Refit>(kind: K) {
    let mut rng = Rng::new("refit of every kind", 0);
    let fixed_mesh = mesh(&ball(DVec3::new(0.9, 0.1, 0.0), 0.4, 1));
    let (fixed, usual_fixed) =
        (CollisionMesh::build_as(&fixed_mesh, kind), CollisionMesh::build(&fixed_mesh));
    for original in [mesh(&torus(12, 6, 0.35)), scattered(&mut rng, 40), degenerate().swap_remove(4)] {
        let mut tree = CollisionMesh::build_as(&original, kind);
        let before = tree.clone();
        let mut memories = [PairMemory::default()];
        for case in 0..closefit_testing::cases(12) {
            let is_resized = case % 4 == 3;
            let size = if is_resized { rng.power_of_two(-150, 150) } else { 1.0 };
            let bend = rng.point();
            let bent = original.vertices().iter().map(|v| (v + bend * v.x * v.y + 0.02 * rng.point()) * size);
            let bent: Vec<DVec3> = bent.collect();
            // While a memory holds the tree, a refit makes a second tree instead of changing this one.
            if rng.coin() {
                memories = [PairMemory::default()];
            }
            tree.refit(&bent).expect("finite, and as many as there are");
            let usual = CollisionMesh::build(&Mesh::new(&bent, original.triangles()).expect("valid"));
            let at = if is_resized { Pose::IDENTITY } else { pose(&mut rng) };
            let here = Pose::IDENTITY;
            let placed = [fixed.at(&here), tree.at(&at)].map(|placed| placed.expect("admissible"));
            let expected = [usual_fixed.at(&here), usual.at(&at)].map(|placed| placed.expect("admissible"));
            let [found, expected] = [
                answers(&placed[0], &placed[1], &mut memories),
                answers(&expected[0], &expected[1], &mut []),
            ];
            assert_eq!(found, expected, "{:?}", K::KIND);
            for bounds in BodyBounds::ALL {
                let (found, exact) =
                    (placed[1].bounds_of(bounds), Aabb::of(bent.iter().map(|&v| at.apply(v))));
                assert_eq!(found.union(exact), found, "{:?} {bounds:?}", K::KIND);
                let is_small = found.diagonal() <= 8.0 * exact.diagonal();
                assert!(is_small, "{:?} {bounds:?} {found:?} {exact:?}", K::KIND);
            }
        }
        let mut vertices = original.vertices().to_vec();
        vertices[0].z = f64::NAN;
        assert!(matches!(tree.refit(&vertices), Err(RefitError::NotFinite { vertex: 0, .. })));
        let expected = vertices.len();
        let refused = tree.refit(&vertices[1..]);
        assert_eq!(refused, Err(RefitError::Count { given: expected - 1, expected }));
        // The clone has kept its shape.
        let [of_clone, of_new] = [before, CollisionMesh::build_as(&original, kind)];
        let ask = |tree: &CollisionMesh<K>| {
            let [a, b] =
                [fixed.at(&Pose::IDENTITY), tree.at(&Pose::IDENTITY)].map(|placed| placed.expect("small"));
            answers(&a, &b, &mut [])
        };
        assert_eq!(ask(&of_clone), ask(&of_new), "{:?}", K::KIND);
    }
}

#[test]
fn refitted_trees_answer_alike() {
    refits(kind::Obb);
    refits(kind::Kdop6);
    refits(kind::Kdop14);
    refits(kind::Kdop18);
    refits(kind::Kdop26);
    refits(kind::Octree);
    refits(kind::OctreeMedian);
    let list = fs::read_to_string("crates/methods/src/kind.rs").expect("UTF-8");
    assert_eq!(list.matches(" [Refit],").count(), 6, "the kinds above but the default");
}

struct Name;

impl WithKind for Name {
    type Output = (TreeKind, bool);

    fn run<K: Kind>(self, kind: K) -> Self::Output {
        let small = CollisionMesh::build_as(&shapes()[2], kind);
        let large = CollisionMesh::build_as(&shapes()[0], kind);
        (K::KIND, small.bytes() < large.bytes() && kind == K::default())
    }
}

#[test]
fn kinds_as_types_are_those_as_values() {
    for &kind in closefit_methods::ALL {
        assert_eq!(kind::with(kind, Name), (kind, true));
    }
    assert_eq!(kind::Obb::KIND, TreeKind::default());
}

//! Spheres around the moving bodies of a `World` move no answer.
//!
//! `CLOSEFIT_CASES` sets the number of frames of the longest test.

use std::sync::Arc;

use closefit::internals::bvh::sphere_levels::{SphereCounts, SphereLevels};
use closefit::{BodyId, CollisionMesh, DVec3, Mesh, Pose, World};
use closefit_methods::kind::{self, Kind, WithKind};
use closefit_testing::meshes::{Soup, cuboid, mesh, square_ring};
use closefit_testing::motions::torus;
use closefit_testing::rng::{Rng, power_of_two};

/// Returns a bar, an L, a ring, a torus, one triangle, a point, and a body far from its own origin.
fn bodies() -> Vec<Soup> {
    let pieces = |along: DVec3| (0..8).map(move |i| along * f64::from(i) * 1.5).collect::<Vec<_>>();
    let chain = |places: Vec<DVec3>| -> Soup {
        places.iter().flat_map(|p| cuboid((p - 0.4).to_array(), (p + 0.4).to_array())).collect()
    };
    let far = |soup: Soup| soup.iter().map(|t| t.map(|v| v + 1e6)).collect();
    vec![
        chain(pieces(DVec3::X)),
        chain([pieces(DVec3::X), pieces(DVec3::Y)].concat()),
        square_ring(4.0, 4.5, -0.25, 0.25),
        torus(16, 6, 0.1).iter().map(|t| t.map(|v| v * 5.0)).collect(),
        vec![[DVec3::ZERO, DVec3::X * 7.0, DVec3::Y]],
        vec![[DVec3::ONE; 3]; 3],
        far(chain(pieces(DVec3::Z))),
    ]
}

/// A way to place bodies: sizes times a power of two, all of it far away or not.
#[derive(Clone, Copy)]
struct Place {
    unit: f64,
    far: f64,
}

impl Place {
    fn pose(&self, rng: &mut Rng, at: DVec3) -> Pose {
        let scale = match rng.index(24) {
            0 => [1.0, 0.5, 2.0],
            1 => [-1.0; 3],
            2 => [1.0, 0.0, 1.0],
            _ => [1.0; 3],
        };
        let mut pose = Pose::from_trs(rng.quaternion(), scale, at.to_array()).expect("a direction");
        if rng.index(24) == 0 {
            pose.rows[0][2] += 1.0;
        }
        self.placed(pose)
    }

    fn shift(&self, at: DVec3) -> Pose {
        self.placed(Pose::translation(at.to_array()))
    }

    fn placed(&self, mut pose: Pose) -> Pose {
        for row in &mut pose.rows {
            row[3] += self.far;
            row.iter_mut().for_each(|x| *x *= self.unit);
        }
        pose
    }
}

/// The same bodies in a world without spheres, and in others with them.
struct Worlds {
    worlds: Vec<World>,
    fixed: Vec<BodyId>,
}

impl Worlds {
    fn new(counts: &[&[usize]]) -> Self {
        let with = counts.iter().map(|counts| World::default().with_sphere_levels(counts).expect("valid"));
        Self { worlds: std::iter::once(World::default()).chain(with).collect(), fixed: Vec::new() }
    }

    fn each<T: PartialEq + std::fmt::Debug>(&mut self, f: impl Fn(&mut World) -> T) -> T {
        let mut results = self.worlds.iter_mut().map(f);
        let first = results.next().expect("a world without spheres");
        results.for_each(|result| assert_eq!(result, first));
        first
    }
}

/// Lets bodies move among fixed ones that come, move and go. Returns the numbers of pairs found in contact
/// and within reach.
fn run(place: Place, frames: u64, rng: &mut Rng) -> [usize; 2] {
    let trees: Vec<CollisionMesh> = bodies().iter().map(|soup| CollisionMesh::build(&mesh(soup))).collect();
    let small = CollisionMesh::build(&mesh(&cuboid([-0.3; 3], [0.3; 3])));
    let mut worlds = Worlds::new(&[&[1, 2, 5, 24]]);
    let anywhere = |rng: &mut Rng| rng.point() * 9.0;
    let mut moving = Vec::new();
    for (i, tree) in trees.iter().enumerate() {
        let from = if i + 1 == trees.len() { DVec3::splat(-1e6) } else { DVec3::ZERO };
        let pose = place.shift(from);
        moving.push((worlds.each(|world| world.add(tree, &pose).expect("admissible")), from));
    }
    let mut met = [0; 2];
    for frame in 0..frames {
        for _ in 0..if frame == 0 { 60 } else { rng.index(2) } {
            let at = anywhere(rng);
            let pose = place.pose(rng, at);
            let id = worlds.each(|world| world.add_fixed(&small, &pose).expect("admissible"));
            worlds.fixed.push(id);
        }
        if rng.coin() {
            let index = rng.index(worlds.fixed.len());
            let id = worlds.fixed.swap_remove(index);
            worlds.each(|world| world.remove(id).expect("it is there"));
        }
        let other = worlds.fixed[rng.index(worlds.fixed.len())];
        let at = anywhere(rng);
        let pose = place.pose(rng, at);
        worlds.each(|world| world.set_pose(other, &pose).expect("admissible"));
        for &(id, from) in &moving {
            let at = from + anywhere(rng) * 0.5;
            // A body far from its own origin would be turned out of sight.
            let pose = if from == DVec3::ZERO { place.pose(rng, at) } else { place.shift(at) };
            worlds.each(|world| world.set_pose(id, &pose).expect("admissible"));
        }
        met[1] += worlds.each(|world| world.pairs_within(0.5 * place.unit)).len();
        if frame % 4 == 0 {
            met[0] += worlds.each(|world| world.contacts()).len();
            worlds.each(|world| world.intersecting());
            worlds.each(|world| world.pairs_within(2.0 * place.unit));
        }
        if frame % 100 == 0 {
            worlds.each(|world| world.pairs_within(f64::INFINITY).len());
        }
    }
    met
}

#[test]
fn worlds_with_spheres_give_the_same_answers() {
    let met = run(Place { unit: 1.0, far: 0.0 }, closefit_testing::cases(300), &mut Rng::new("spheres", 0));
    assert!(met[0] > 50 && met[1] > 2 * met[0], "{met:?}");
}

#[test]
fn sizes_and_places_of_all_kinds() {
    for (seed, (power, far)) in (1..).zip([(-150, 0.0), (130, 0.0), (0, 1e9), (-150, 1e9), (100, 1e9)]) {
        let place = Place { unit: power_of_two(power), far };
        let met = run(place, 5, &mut Rng::new("spheres", seed));
        assert!(met[1] > 3, "2^{power} {far}: {met:?}");
    }
}

/// Spheres can be requested when bodies are there already, and again with other numbers.
#[test]
fn spheres_of_bodies_that_are_there_already() {
    let [bar, small] =
        [bodies().swap_remove(0), cuboid([-0.3; 3], [0.3; 3])].map(|soup| CollisionMesh::build(&mesh(&soup)));
    let before = bar.bytes();
    let mut world = World::default();
    let moving = world.add(&bar, &Pose::IDENTITY).expect("admissible");
    let fixed = world.add_fixed(&small, &Pose::translation([4.5, 0.5, 0.0])).expect("admissible");
    assert_eq!(world.intersecting(), [[moving, fixed]]);
    for counts in [&[1, 3][..], &[1, 12], &[1, 3]] {
        world = world.with_sphere_levels(counts).expect("valid");
        assert_eq!(world.intersecting(), [[moving, fixed]]);
        assert_eq!(world.pairs_within(0.1).len(), 1);
        assert!(bar.bytes() > before, "clones of a tree share its spheres");
    }
    let with_both = bar.bytes();
    let mut other = World::default().with_sphere_levels(&[1, 12]).expect("valid");
    other.add(&bar, &Pose::IDENTITY).expect("admissible");
    assert_eq!(bar.bytes(), with_both, "found once");
}

/// A refitted tree has spheres of its new shape.
#[test]
fn refitted_trees_have_new_spheres() {
    let bar = mesh(&bodies()[0]);
    let small = CollisionMesh::build(&mesh(&cuboid([-0.3; 3], [0.3; 3])));
    let mut tree = CollisionMesh::build(&bar);
    let asked = |tree: &CollisionMesh| {
        let mut world = World::default().with_sphere_levels(&[1, 8]).expect("valid");
        world.add(tree, &Pose::IDENTITY).expect("admissible");
        world.add_fixed(&small, &Pose::translation([10.5, 5.0, 0.0])).expect("admissible");
        world.pairs_within(0.5).len()
    };
    assert_eq!(asked(&tree), 0);
    let bent: Vec<DVec3> = bar.vertices().iter().map(|v| *v + DVec3::Y * v.x * (5.0 / 10.5)).collect();
    tree.refit(&bent).expect("as many as there are");
    assert_eq!(asked(&tree), 1);
    let again = CollisionMesh::build(&Mesh::new(&bent, bar.triangles()).expect("valid"));
    assert_eq!(asked(&again), 1);
}

/// Spheres are the same whatever the kind of the tree.
#[test]
fn trees_of_every_kind_have_the_same_spheres() {
    struct Spheres<'a>(&'a Mesh);
    impl WithKind for Spheres<'_> {
        type Output = Arc<SphereLevels>;

        fn run<K: Kind>(self, kind: K) -> Self::Output {
            let counts = SphereCounts::new(&[1, 4, 12]).expect("they rise");
            CollisionMesh::build_as(self.0, kind).sphere_levels(&counts)
        }
    }
    let vertices: Vec<DVec3> =
        (0..60).map(|i| DVec3::new(f64::from(i), f64::from(i * i % 7), f64::from(i % 3))).collect();
    let triangles: Vec<[u32; 3]> = (0..58).map(|i| [i, i + 1, i + 2]).collect();
    let mesh = Mesh::new(&vertices, &triangles).expect("valid");
    let expected = SphereLevels::of(
        mesh.vertices(),
        mesh.triangles(),
        &SphereCounts::new(&[1, 4, 12]).expect("they rise"),
    );
    for &kind in closefit_methods::ALL {
        assert_eq!(*kind::with(kind, Spheres(&mesh)), expected, "{kind}");
    }
}

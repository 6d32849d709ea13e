//! Groups and excluded pairs of a `World`, by every broad phase, against all pairs of bodies.

use std::collections::BTreeSet;

use closefit::{BodyGroups, BodyId, BroadPhase, CollisionMesh, DVec3, Pose, World, WorldError};
use closefit_testing::meshes::{cuboid, mesh};
use closefit_testing::rng::Rng;

/// A body as the test knows it: a unit cube at a corner, and its groups as sets.
struct Cube {
    id: BodyId,
    corner: DVec3,
    fixed: bool,
    member_of: BTreeSet<usize>,
    meets: BTreeSet<usize>,
}

impl Cube {
    fn groups(&self) -> BodyGroups {
        let bits = |set: &BTreeSet<usize>| (0..32).filter(|group| set.contains(group)).map(|g| 1 << g).sum();
        BodyGroups { memberships: bits(&self.member_of), filter: bits(&self.meets) }
    }

    /// True when the two may meet, and their surfaces are within `limit` of each other.
    fn is_near(&self, other: &Self, limit: f64) -> bool {
        let gap = ((self.corner - other.corner).abs() - 1.0).max(DVec3::ZERO);
        let groups = |a: &Self, b: &Self| a.meets.intersection(&b.member_of).count() > 0;
        let asked = !(self.fixed && other.fixed) && groups(self, other) && groups(other, self);
        asked && gap.length_squared() <= limit * limit
    }
}

/// The same bodies in a world of every broad phase, and in one with spheres.
struct Worlds {
    worlds: Vec<World>,
    cubes: Vec<Cube>,
    excluded: BTreeSet<[BodyId; 2]>,
}

impl Worlds {
    fn new() -> Self {
        let spheres = World::default().with_sphere_levels(&[1, 4]).expect("they rise");
        let every = BroadPhase::ALL.iter().map(|&method| World::with_broad_phase(method));
        Self { worlds: every.chain([spheres]).collect(), cubes: Vec::new(), excluded: BTreeSet::new() }
    }

    fn add(&mut self, tree: &CollisionMesh, corner: DVec3, fixed: bool) {
        let add = if fixed { World::add_fixed } else { World::add };
        let pose = Pose::translation(corner.to_array());
        let ids = self.worlds.iter_mut().map(|world| add(world, tree, &pose).expect("admissible"));
        let ids: Vec<BodyId> = ids.collect();
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        let all: BTreeSet<usize> = (0..32).collect();
        self.cubes.push(Cube { id: ids[0], corner, fixed, member_of: all.clone(), meets: all });
    }

    fn each(&mut self, change: impl Fn(&mut World)) {
        self.worlds.iter_mut().for_each(change);
    }

    fn exclude(&mut self, a: BodyId, b: BodyId) {
        self.each(|world| world.exclude(a, b).expect("both are there"));
        self.excluded.insert([a.min(b), a.max(b)]);
    }

    /// One change at random; filters change as often as bodies.
    fn change(&mut self, tree: &CollisionMesh, rng: &mut Rng) {
        let [i, j] = [(); 2].map(|()| rng.index(self.cubes.len()));
        let (a, b) = (self.cubes[i].id, self.cubes[j].id);
        match rng.index(7) {
            0 => self.add(tree, place(rng), rng.coin()),
            1 if self.cubes.len() > 20 => {
                self.cubes.remove(i);
                self.each(|world| world.remove(a).expect("it is there"));
            }
            2 => self.exclude(a, b),
            3 => {
                self.each(|world| world.include(b, a).expect("both are there"));
                self.excluded.remove(&[a.min(b), a.max(b)]);
            }
            4 => {
                // Few groups, so that some have members in common and some have none.
                let some = |rng: &mut Rng| match rng.index(4) {
                    0 => (0..32).collect(),
                    _ => (0..rng.index(3)).map(|_| [0, 1, 2, 31][rng.index(4)]).collect(),
                };
                (self.cubes[i].member_of, self.cubes[i].meets) = (some(rng), some(rng));
                let groups = self.cubes[i].groups();
                self.each(|world| world.set_groups(a, groups).expect("it is there"));
                self.each(|world| assert_eq!(world.groups(a), Ok(groups)));
            }
            _ => {
                self.cubes[i].corner = place(rng);
                let pose = Pose::translation(self.cubes[i].corner.to_array());
                self.each(|world| world.set_pose(a, &pose).expect("admissible"));
            }
        }
    }

    /// Returns the pairs within a limit, by all pairs of bodies.
    fn expected(&self, limit: f64) -> Vec<[BodyId; 2]> {
        let (cubes, mut near) = (&self.cubes, Vec::new());
        for (i, a) in cubes.iter().enumerate() {
            for b in cubes[i + 1..].iter().filter(|b| a.is_near(b, limit)) {
                near.extend(
                    Some([a.id.min(b.id), a.id.max(b.id)]).filter(|ids| !self.excluded.contains(ids)),
                );
            }
        }
        near.sort_unstable();
        near
    }

    /// Returns how many pairs would touch if all bodies met.
    fn touching_without_filters(&self) -> usize {
        let touch =
            |a: &Cube, b: &Cube| !(a.fixed && b.fixed) && (a.corner - b.corner).abs().max_element() <= 1.0;
        let partners = |(i, a): (usize, &Cube)| self.cubes[i + 1..].iter().filter(|b| touch(a, b)).count();
        self.cubes.iter().enumerate().map(partners).sum()
    }
}

/// Corners on a lattice touch, and squares of gaps between them are exact.
fn place(rng: &mut Rng) -> DVec3 {
    rng.lattice(9) * 0.25
}

#[test]
fn worlds_with_filters_find_what_all_pairs_say() {
    let tree = CollisionMesh::build(&mesh(&cuboid([0.0; 3], [1.0; 3])));
    let [mut met, mut met_without] = [0; 2];
    for case in 0..closefit_testing::cases(4) {
        let mut rng = Rng::new("worlds with filters", case);
        let mut worlds = Worlds::new();
        for i in 0..40 {
            worlds.add(&tree, place(&mut rng), i % 2 == 0);
        }
        for frame in 0..60 {
            (0..8).for_each(|_| worlds.change(&tree, &mut rng));
            let [touching, near] = [0.0, 0.5].map(|limit| worlds.expected(limit));
            met += touching.len();
            met_without += worlds.touching_without_filters();
            worlds.each(|world| {
                assert_eq!(world.intersecting(), touching, "frame {frame}");
                let contacts: Vec<_> = world.contacts().into_iter().map(|pair| pair.bodies).collect();
                assert_eq!(contacts, touching, "frame {frame}");
                let within: Vec<_> = world.pairs_within(0.5).into_iter().map(|pair| pair.bodies).collect();
                assert_eq!(within, near, "frame {frame}");
            });
        }
    }
    assert!(met > 2000 && met_without > met + 2000, "{met} of {met_without}");
}

/// Excluded at once, all pairs of a large crowd are gone; included again, they are back.
#[test]
fn excluding_and_including_all_pairs_is_a_round_trip() {
    let tree = CollisionMesh::build(&mesh(&cuboid([0.0; 3], [1.0; 3])));
    let mut worlds = Worlds::new();
    (0..30).for_each(|i| worlds.add(&tree, DVec3::X * 0.125 * f64::from(i), i % 3 == 0));
    let all = worlds.expected(0.0);
    assert!(all.len() > 100);
    all.iter().for_each(|&[a, b]| worlds.exclude(b, a));
    worlds.each(|world| assert_eq!((world.intersecting(), world.pairs_within(0.0).len()), (vec![], 0)));
    worlds.each(|world| all.iter().for_each(|&[a, b]| world.include(a, b).expect("both are there")));
    worlds.each(|world| assert_eq!(world.intersecting(), all));
}

/// Every method refuses ids of bodies that were removed or never added, and changes nothing then; a body and
/// itself is no pair, and no error.
#[test]
fn wrong_ids_are_refused() {
    let tree = CollisionMesh::build(&mesh(&cuboid([0.0; 3], [1.0; 3])));
    let mut world = World::default();
    let [a, gone, b] =
        [0.0, 0.5, 0.25].map(|x| world.add(&tree, &Pose::translation([x, 0.0, 0.0])).expect("admissible"));
    let gone_fixed = world.add_fixed(&tree, &Pose::IDENTITY).expect("admissible");
    let change = |world: &mut World| {
        world.exclude(a, a)?;
        world.include(b, b)?;
        world.exclude(a, gone)?;
        world.set_groups(gone, BodyGroups::NONE)?;
        world.remove(gone)?;
        world.remove(gone_fixed)
    };
    assert_eq!(change(&mut world), Ok(()));
    assert_eq!(world.intersecting(), [[a, b]]);
    for wrong in [gone, gone_fixed, BodyId(4), BodyId(u32::MAX)] {
        let refused = Err(WorldError::NoSuchBody { index: wrong.index() });
        assert_eq!(world.body(wrong.index()), None);
        assert_eq!([world.exclude(a, wrong), world.exclude(wrong, a), world.include(wrong, a)], [refused; 3]);
        assert_eq!([world.set_groups(wrong, BodyGroups::NONE), world.remove(wrong)], [refused; 2]);
        assert_eq!(world.set_pose(wrong, &Pose::IDENTITY), refused);
        assert_eq!(world.groups(wrong).map(|_| ()), refused);
        assert_eq!(world.pose(wrong).map(|_| ()), refused);
        assert_eq!(world.posed(wrong).map(|_| ()), refused);
    }
    assert_eq!([0, 2].map(|index| world.body(index)), [Some(a), Some(b)]);
    assert_eq!((world.body(usize::MAX), world.len()), (None, 2));
    assert_eq!(world.intersecting(), [[a, b]], "nothing has changed");
}

//! Questions to many worlds allocate nothing once their lists have grown.

use std::alloc::System;

use closefit::{CollisionMesh, Pool, Pose, World, Worlds};
use closefit_testing::meshes::{cuboid, mesh};
use closefit_testing::rng::Rng;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const WORLDS: usize = 40;
const BODIES: usize = 20;

#[test]
fn steps_of_many_worlds_allocate_nothing_after_the_first_round() {
    let cube = CollisionMesh::build(&mesh(&cuboid([-0.5; 3], [0.5; 3])));
    let mut scene = World::default();
    for _ in 0..BODIES {
        scene.add(&cube, &Pose::IDENTITY).expect("admissible");
    }
    let mut worlds = Worlds::new(&scene, WORLDS);
    let mut rng = Rng::new("allocations", 1);
    let mut pose = || Pose::from_trs(rng.quaternion(), [1.0; 3], (rng.point() * 2.5).to_array());
    let steps: Vec<Vec<Pose>> =
        (0..2).map(|_| (0..WORLDS * BODIES).map(|_| pose().expect("a rotation")).collect()).collect();
    let mut round = || {
        let mut found = 0;
        for poses in &steps {
            found += worlds.contacts(poses).expect("admissible").depths.len();
            found += worlds.distances(poses, 0.2).expect("admissible").distances.len();
        }
        found
    };
    // Each thread has buffers, too, so several rounds go by before all of them have grown.
    let mut counted = || {
        let found = (0..8).map(|_| round()).last();
        let region = Region::new(ALLOCATOR);
        assert_eq!(Some(round()), found);
        region.change()
    };
    for threads in [1, 2] {
        let change = Pool::of(threads).install(&mut counted).expect("threads");
        assert_eq!([change.allocations, change.reallocations], [0, 0], "{threads} threads");
    }
}

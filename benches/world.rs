//! A frame of a [`World`]: ten bodies move among a growing number of fixed ones, then all pairs in contact are asked for.
//! All of them are cubes, each of which overlaps four others on average.

use std::hint::black_box;

use closefit::scene::generate::{Request, generate};
use closefit::{BodyId, Pose, Tree, World};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const MOVING: usize = 10;

/// Returns a world of `size` bodies, and those that move, spread evenly over it, with their poses.
fn world(size: u32) -> (World, Vec<(BodyId, Pose)>) {
    let request = Request { name: "boxes".to_owned(), size: Some(size), seed: 0, soup: false };
    let scene = generate(&request).expect("a scene of the list");
    let trees: Vec<Tree> = scene.meshes.iter().map(|mesh| Tree::build(mesh)).collect();
    let (mut world, mut moving) = (World::default(), Vec::new());
    let every = scene.parts.len().div_ceil(MOVING);
    for (index, part) in scene.parts.iter().enumerate() {
        let tree = &trees[part.mesh.index()];
        if index % every == 0 {
            moving.push((world.add(tree, &part.pose).expect("admissible"), part.pose));
        } else {
            world.add_fixed(tree, &part.pose).expect("admissible");
        }
    }
    (world, moving)
}

fn shifted(pose: &Pose, by: f64) -> Pose {
    let mut pose = *pose;
    pose.rows[0][3] += by;
    pose
}

fn frames(c: &mut Criterion) {
    let mut group = c.benchmark_group("world/10 moving among fixed");
    for size in [1_000, 10_000, 100_000, 1_000_000] {
        let (mut world, moving) = world(size);
        let mut frame = 0;
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| {
                frame = (frame + 1) % 5;
                for (id, start) in &moving {
                    world.move_to(*id, &shifted(start, 0.01 * f64::from(frame))).expect("admissible");
                }
                black_box(world.intersecting().len())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);

//! A frame of a [`World`]: ten bodies move among a growing number of fixed ones, then all pairs in contact
//! are asked for. All of them are cubes, each of which overlaps four others on average. Also a hollow body
//! among small ones.

#![allow(clippy::disallowed_methods)]

use std::hint::black_box;

use closefit::{BodyId, CollisionMesh, DVec3, Mesh, Pose, World};
use closefit_generate::{Request, generate};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const MOVING: usize = 10;

/// Returns a world of `size` bodies, and those that move, spread evenly over it, with their poses.
fn world(size: u32) -> (World, Vec<(BodyId, Pose)>) {
    let request = Request { name: "boxes".to_owned(), size: Some(size), seed: 0, soup: false };
    let scene = generate(&request).expect("a scene of the list");
    let trees: Vec<CollisionMesh> = scene.meshes.iter().map(|mesh| CollisionMesh::build(mesh)).collect();
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
                    world.set_pose(*id, &shifted(start, 0.01 * f64::from(frame))).expect("admissible");
                }
                black_box(world.intersecting().len())
            });
        });
    }
    group.finish();
}

/// Returns the mesh of a ring of narrow strips, of radius 40.
fn ring() -> Mesh {
    let place = |i: u32, z: f64| {
        let angle = std::f64::consts::TAU * f64::from(i) / 500.0;
        DVec3::new(40.0 * angle.cos(), 40.0 * angle.sin(), z)
    };
    let vertices: Vec<DVec3> = (0..=500).flat_map(|i| [place(i, -0.5), place(i, 0.5)]).collect();
    let triangles: Vec<[u32; 3]> = (0..1000).map(|i| [i, i + 1, i + 2]).collect();
    Mesh::new(&vertices, &triangles).expect("valid")
}

/// A ring turns and shifts in a layer of 10 000 small fixed triangles, with and without spheres around it.
fn hollow(c: &mut Criterion) {
    let mut group = c.benchmark_group("world/ring among 10000 small fixed");
    let corners = [DVec3::ZERO, DVec3::X * 0.2, DVec3::Y * 0.2];
    let small = CollisionMesh::build(&Mesh::new(&corners, &[[0, 1, 2]]).expect("valid"));
    let ring = CollisionMesh::build(&ring());
    let worlds = [&[][..], &[1], &[1, 8], &[1, 8, 64]].map(|counts: &[usize]| match counts {
        [] => ("without spheres".to_owned(), World::default()),
        _ => (format!("{counts:?}"), World::default().with_sphere_levels(counts).expect("they rise")),
    });
    for (name, mut world) in worlds {
        for i in 0..10_000 {
            let at = [f64::from(i % 100), f64::from(i / 100), 0.0];
            world.add_fixed(&small, &Pose::translation(at)).expect("admissible");
        }
        let id = world.add(&ring, &Pose::IDENTITY).expect("admissible");
        let mut frame = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                frame = (frame + 1) % 50;
                let t = 0.01 * f64::from(frame);
                let pose = Pose::from_trs([0.01, 0.0, t, 1.0], [1.0; 3], [50.0 + t, 50.0, 0.0]);
                world.set_pose(id, &pose.expect("a direction")).expect("admissible");
                black_box(world.intersecting().len())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, frames, hollow);
criterion_main!(benches);

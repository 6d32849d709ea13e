//! Queries on two convex polytopes of 1 000 facets that move by 0.1 % of their size between queries: a memory
//! with the filter by convex hulls, beside one without.

#![allow(clippy::disallowed_methods)]

use std::hint::black_box;

use closefit::{CollisionMesh, DVec3, HullFilter, Mesh, PairMemory, Pose};
use closefit_geometry::hull::convex_hull::Hull;
use criterion::{Criterion, criterion_group, criterion_main};

const CORNERS: u32 = 502;

/// Frames of a lap; a step is 0.1 % of the size of the polytopes, which is 2.
const FRAMES: u32 = 9000;

/// A polytope with its corners spread evenly over a unit sphere.
fn polytope() -> Mesh {
    let corner = |i: u32| {
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(CORNERS);
        let (r, angle) = ((1.0 - z * z).sqrt(), 2.399963229728653 * f64::from(i));
        DVec3::new(r * angle.cos(), r * angle.sin(), z)
    };
    let corners: Vec<DVec3> = (0..CORNERS).map(corner).collect();
    let triangles = Hull::of(&corners).expect("admissible").triangles();
    assert_eq!(triangles.len(), 1000);
    Mesh::new(&corners, &triangles).expect("valid")
}

/// A lap around the origin, turning, at a gap between the balls around both that swings from `least` to
/// `least + 0.2`.
fn lap(least: f64) -> Vec<Pose> {
    let pose = |frame: u32| {
        let t = std::f64::consts::TAU * f64::from(frame) / f64::from(FRAMES);
        let distance = 2.0 + least + 0.1 * (1.0 - (8.0 * t).cos());
        let half = 1.5 * t;
        let rotation = [half.sin() * 0.6, 0.0, half.sin() * 0.8, half.cos()];
        let at = [distance * t.cos(), distance * t.sin() * 0.8, distance * t.sin() * 0.6];
        Pose::from_trs(rotation, [1.0; 3], at).expect("a rotation")
    };
    (0..FRAMES).map(pose).collect()
}

fn tracked(c: &mut Criterion) {
    let tree = CollisionMesh::build(&polytope());
    let fixed = tree.at(&Pose::IDENTITY).expect("admissible");
    for (name, least) in [
        ("far, 25 % of the size", 0.5),
        ("near, 1 % of the size", 0.02),
        ("overlapping by 10 % of the size and more", -0.4),
    ] {
        let poses = lap(least);
        let mut group = c.benchmark_group(format!("convex/{name}"));
        for filter in HullFilter::ALL {
            let (mut memory, mut frames) = (PairMemory::with_hulls(filter), poses.iter().cycle());
            group.bench_function(format!("intersects, hulls {filter}"), |b| {
                b.iter(|| {
                    let moving = tree.at(frames.next().expect("endless")).expect("admissible");
                    black_box(memory.intersects(&fixed, &moving))
                });
            });
            let (mut memory, mut frames) = (PairMemory::with_hulls(filter), poses.iter().cycle());
            let bound = 0.5 * least.abs();
            group.bench_function(format!("distance within {bound}, hulls {filter}"), |b| {
                b.iter(|| {
                    let moving = tree.at(frames.next().expect("endless")).expect("admissible");
                    black_box(memory.distance_up_to(&fixed, &moving, bound))
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, tracked);
criterion_main!(benches);

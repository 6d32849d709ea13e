//! Two tori of 10 000 triangles at 10 000 random poses, of which some four in ten touch: one by one, and as
//! rows, on one and on two threads.

use std::hint::black_box;

use closefit::{CheckRequest, CollisionMesh, Mesh, Pool, Pose, PoseBatch, Unobserved, intersects};
use closefit_testing::meshes::mesh;
use closefit_testing::motions::torus;
use closefit_testing::rng::Rng;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const ROWS: usize = 10_000;

fn poses(spread: f64, by: [f64; 3]) -> Vec<Pose> {
    let mut rng = Rng::new("rows", 0);
    let mut pose = || {
        let at = rng.point() * spread;
        Pose::from_trs(rng.quaternion(), [1.0; 3], at.to_array()).expect("a direction")
    };
    (0..ROWS).map(|_| Pose::translation(by) * pose()).collect()
}

fn rows(c: &mut Criterion) {
    let torus: Mesh = mesh(&torus(100, 50, 0.35));
    let [a, b] = [0; 2].map(|_| CollisionMesh::build(&torus));
    let (near, far) = (poses(1.5, [0.0; 3]), poses(0.5, [7.0, 0.0, 0.0]));
    let touching = PoseBatch::new((&a, &[Pose::IDENTITY]), (&b, &near)).expect("admissible");
    let share = touching.intersects(&Unobserved).expect("not stopped").iter().filter(|&&hit| hit).count();
    println!("{share} of {ROWS} touch");

    let mut group = c.benchmark_group("rows/tori");
    group.throughput(Throughput::Elements(ROWS as u64)).sample_size(10);
    group.bench_function("intersects, one by one", |bencher| {
        bencher.iter(|| {
            let a = a.at(&Pose::IDENTITY).expect("admissible");
            let hits = near.iter().filter(|pose| intersects(&a, &b.at(pose).expect("admissible")));
            black_box(hits.count())
        });
    });
    let apart = PoseBatch::new((&a, &[Pose::IDENTITY]), (&b, &far)).expect("admissible");
    let request = CheckRequest::default().tolerance(1e-6);
    for threads in [1, 2] {
        let pool = Pool::of(threads);
        group.bench_function(format!("intersects, {threads} threads"), |bencher| {
            bencher.iter(|| pool.install(|| black_box(touching.intersects(&Unobserved))));
        });
        group.bench_function(format!("intersects, far apart, {threads} threads"), |bencher| {
            bencher.iter(|| pool.install(|| black_box(apart.intersects(&Unobserved))));
        });
        group.bench_function(format!("verdicts far apart, {threads} threads"), |bencher| {
            bencher.iter(|| pool.install(|| black_box(apart.verdict(&request, &Unobserved))));
        });
    }
    group.finish();
}

criterion_group!(benches, rows);
criterion_main!(benches);

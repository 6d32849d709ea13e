//! Trees of a mesh that changes its shape: fitted anew to the moved vertices, and built anew.

#![allow(clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::Duration;

use closefit::{CollisionMesh, DVec3, Mesh};
use closefit_generate::{Request, generate};
use closefit_methods::kind::{self, Refit};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn bent(mesh: &Mesh) -> Mesh {
    let vertices: Vec<DVec3> = mesh.vertices().iter().map(|v| v + DVec3::Z * 0.1 * v.x.sin()).collect();
    Mesh::new(&vertices, mesh.triangles()).expect("a valid mesh")
}

fn refit_as<K: Refit>(criterion: &mut Criterion, kind: K) {
    let mut group = criterion.benchmark_group("refit");
    for size in [10_000, 100_000] {
        let request = Request { name: "tori".to_owned(), size: Some(size), seed: 0, soup: false };
        let mesh = Mesh::clone(&generate(&request).expect("a scene of the list").meshes[0]);
        let bent = bent(&mesh);
        let mut tree = CollisionMesh::build_as(&mesh, kind);
        group.bench_function(BenchmarkId::new(format!("{}, built", K::KIND), size), |bencher| {
            bencher.iter(|| CollisionMesh::build_as(black_box(&bent), kind));
        });
        group.bench_function(BenchmarkId::new(format!("{}, refitted", K::KIND), size), |bencher| {
            bencher.iter(|| tree.refit(black_box(bent.vertices())));
        });
    }
    group.finish();
}

fn refit(criterion: &mut Criterion) {
    refit_as(criterion, kind::Obb);
    refit_as(criterion, kind::Octree);
}

criterion_group! {
    name = refitting;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = refit
}
criterion_main!(refitting);

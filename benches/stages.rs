//! The stages of a check, one at a time, on the scenes that collision papers measure: two linked tori of
//! 10 000 triangles each, and a wrinkled torus around a stalagmite. Whole scenes come last.

use std::hint::black_box;
use std::time::Duration;

use closefit::backend::Backend;
use closefit::bounds::aabb::Aabb;
use closefit::engine::{self, Unobserved};
use closefit::hierarchy::body::{Body, Model};
use closefit::hierarchy::obb2::Obb2;
use closefit::hierarchy::obb8::Obb8;
use closefit::ids::PartId;
use closefit::math::pose::Pose;
use closefit::mesh::topology::Winding;
use closefit::narrow::tree_tree::{self, Work};
use closefit::query::{CheckRequest, DepthDetail};
use closefit::scene::Scene;
use closefit::scene::generate::{Request, generate};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const SCENES: [&str; 2] = ["tori", "wrinkled-torus"];

/// Where the second part stands: as generated, then pushed towards contact and into it, in metres.
const PLACES: [(&str, [f64; 3]); 4] = [
    ("as-generated", [0.0, 0.0, 0.0]),
    ("closer", [0.15, 0.0, 0.0]),
    ("grazing", [0.3, 0.1, -0.05]),
    ("crossing", [0.5, 0.2, -0.3]),
];

fn scene(name: &str) -> Scene {
    let request = Request { name: name.to_owned(), size: None, seed: 0, soup: false };
    generate(&request).expect("a scene of the list at its default size")
}

fn models(scene: &Scene) -> [Model; 2] {
    [0, 1].map(|part| Model::of(scene.mesh(PartId(part)), Backend::Scalar, Winding::default()))
}

/// The first two parts of a scene, the second pushed by `shift`.
fn bodies<'a>(scene: &'a Scene, models: &'a [Model; 2], shift: [f64; 3]) -> [Body<'a>; 2] {
    [(0, [0.0; 3]), (1, shift)].map(|(part, shift)| {
        let mesh = scene.mesh(PartId(part));
        let mut pose: Pose = scene.parts[part as usize].pose;
        for (row, shift) in pose.rows.iter_mut().zip(shift) {
            row[3] += shift;
        }
        let bounds = Aabb::of(mesh.vertices().iter().map(|&v| pose.apply(v)));
        Body::new(mesh, &models[part as usize], pose, bounds)
    })
}

/// One query in every scene and place; `None` where it has no answer there.
fn query<T>(criterion: &mut Criterion, group: &str, answer: impl Fn(&Body, &Body) -> Option<T>) {
    let mut group = criterion.benchmark_group(group);
    for name in SCENES {
        let scene = scene(name);
        let models = models(&scene);
        for (place, shift) in PLACES {
            let [a, b] = bodies(&scene, &models, shift);
            if answer(&a, &b).is_some() {
                group.bench_function(BenchmarkId::new(name, place), |bencher| {
                    bencher.iter(|| answer(black_box(&a), black_box(&b)));
                });
            }
        }
    }
    group.finish();
}

fn tree_build(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tree_build");
    group.sample_size(10);
    for name in SCENES {
        let scene = scene(name);
        let mesh = scene.mesh(PartId(1));
        group.bench_function(name, |bencher| bencher.iter(|| Obb2::build(black_box(mesh))));
        let wide = BenchmarkId::new("wide", name);
        group.bench_function(wide, |bencher| bencher.iter(|| Obb8::build(black_box(mesh))));
    }
    group.finish();
}

fn yes_no(criterion: &mut Criterion) {
    query(criterion, "yes_no", |a, b| Some(tree_tree::touches(a, b, &mut Work::default())));
}

fn contacts(criterion: &mut Criterion) {
    query(criterion, "contacts", |a, b| Some(tree_tree::contacts(a, b, &mut Work::default())));
}

fn distance(criterion: &mut Criterion) {
    query(criterion, "distance", |a, b| {
        let apart = !tree_tree::touches(a, b, &mut Work::default());
        apart.then(|| tree_tree::nearest(a, b, f64::INFINITY, &mut Work::default()))
    });
}

fn whole_scene(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("whole_scene");
    group.sample_size(10);
    let scene = scene("gearbox");
    let tolerance = engine::default_tolerance(&scene).expect("parts of ordinary size");
    let request = CheckRequest {
        clearance: 1e-4,
        tolerance,
        list_contacts: false,
        backend: Backend::default(),
        winding: Winding::Repaired,
        depth: DepthDetail::Full,
    };
    group.bench_function("gearbox", |bencher| {
        bencher.iter(|| engine::check(black_box(&scene), &request, &Unobserved));
    });
    group.finish();
}

fn short() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

criterion_group! {
    name = stages;
    config = short();
    targets = tree_build, yes_no, contacts, distance, whole_scene
}
criterion_main!(stages);

//! The stages of a check, one at a time, on scenes that collision papers measure: two linked tori of 10 000
//! triangles each, and a wrinkled torus around a stalagmite. Then the depth of large shallow clashes. Whole
//! scenes come last.

#![allow(clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::Duration;

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::posed_model::{Model, PosedModel, PosedTree};
use closefit::internals::bvh::static_pair::StaticPair;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::engine::{self};
use closefit::internals::query::depth::{DepthQuestion, depth};
use closefit::scene::Scene;
use closefit::{Aabb, CheckRequest, PairBatch, PartId, Pose, PosedMesh, Unobserved, Winding, Work};
use closefit_generate::{Request, generate};
use closefit_methods::internals::binary_obb::BinaryObb;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const SCENES: [&str; 2] = ["tori", "wrinkled-torus"];

/// Shifts of the second part in metres: none, then towards contact and into it.
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

fn models<T: Hierarchy>(scene: &Scene) -> [Model<T>; 2] {
    [0, 1].map(|part| Model::of(scene.mesh(PartId(part)), T::EXECUTORS[0], Winding::default()))
}

/// Returns the first two parts of a scene, the second moved by `shift`.
fn bodies<'a, T: Hierarchy>(
    scene: &'a Scene,
    models: &'a [Model<T>; 2],
    shift: [f64; 3],
) -> [PosedModel<'a, PosedTree<'a, T>>; 2] {
    [(0, [0.0; 3]), (1, shift)].map(|(part, shift)| {
        let mesh = scene.mesh(PartId(part));
        let mut pose: Pose = scene.parts[part as usize].pose;
        for (row, shift) in pose.rows.iter_mut().zip(shift) {
            row[3] += shift;
        }
        let bounds = Aabb::of(mesh.vertices().iter().map(|&v| pose.apply(v)));
        PosedModel::new(mesh, &models[part as usize], pose, bounds)
    })
}

/// Measures one query in every scene at every shift, by the reference and the default; `None` if it has no
/// answer.
fn query<A>(criterion: &mut Criterion, group: &str, answer: impl Fn(&dyn StaticPair) -> Option<A>) {
    query_by::<BinaryObb, A>(criterion, group, &answer);
    query_by::<WideObb, A>(criterion, &format!("{group} by {}", WideObb::NAME), &answer);
}

fn query_by<T: Hierarchy, A>(
    criterion: &mut Criterion,
    group: &str,
    answer: &impl Fn(&dyn StaticPair) -> Option<A>,
) {
    let mut group = criterion.benchmark_group(group);
    for name in SCENES {
        let scene = scene(name);
        let models = models::<T>(&scene);
        for (place, shift) in PLACES {
            let [a, b] = bodies(&scene, &models, shift);
            if answer(&[&a, &b]).is_some() {
                group.bench_function(BenchmarkId::new(name, place), |bencher| {
                    bencher.iter(|| answer(black_box(&[&a, &b])));
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
        group.bench_function(name, |bencher| bencher.iter(|| BinaryObb::build(black_box(mesh))));
        let wide = BenchmarkId::new("wide", name);
        group.bench_function(wide, |bencher| bencher.iter(|| WideObb::build(black_box(mesh))));
    }
    group.finish();
}

fn yes_no(criterion: &mut Criterion) {
    query(criterion, "yes_no", |pair| Some(pair.touches(&mut Work::default())));
}

fn contacts(criterion: &mut Criterion) {
    query(criterion, "contacts", |pair| Some(pair.contacts(&mut Work::default())));
}

fn distance(criterion: &mut Criterion) {
    query(criterion, "distance", |pair| {
        let apart = !pair.touches(&mut Work::default());
        apart.then(|| pair.nearest(f64::INFINITY, &mut Work::default()))
    });
}

/// Measures the depth of a torus in itself, shifted by a two-thousandth of its size: a time per triangle that
/// must not grow with their number.
fn torus_shifted(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("torus shifted");
    group.sample_size(10);
    let question = DepthQuestion { tolerance: 1e-5, only_verdict: false, measured: [true; 2] };
    for size in [16_384, 65_536, 262_144, 1_048_576] {
        let request = Request { name: "tori".to_owned(), size: Some(size), seed: 0, soup: false };
        let mut scene = generate(&request).expect("a known scene");
        scene.parts[1].pose = scene.parts[0].pose;
        let models = models::<WideObb>(&scene);
        let [a, b] = bodies(&scene, &models, [0.00135, 0.0, 0.0]);
        let contacts = [&a, &b].contacts(&mut Work::default());
        group.throughput(Throughput::Elements(size.into()));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter(|| depth(&[&a, &b], black_box(&contacts), question));
        });
    }
    group.finish();
}

/// Measures a thousand poses of two tori at once, by a search per query.
fn batch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("batch");
    group.sample_size(10);
    let scene = scene("tori");
    let tree = closefit::CollisionMesh::build(scene.mesh(PartId(0)));
    let turn = |i: u32| [(f64::from(i)).sin(), (f64::from(i) * 1.7).sin(), (f64::from(i) * 2.3).cos(), 0.5];
    let fixed = tree.at(&Pose::IDENTITY).expect("admissible");
    let poses: Vec<Pose> = (0..1000)
        .map(|i| {
            let shift = [1.2 * f64::from(i * 7 % 101) / 101.0, 0.4 * f64::from(i * 13 % 89) / 89.0, 0.1];
            Pose::from_trs(turn(i), [1.0; 3], shift).expect("a direction")
        })
        .collect();
    type Ask = fn(&mut PairBatch, &PosedMesh, &PosedMesh);
    let questions: [(&str, Ask); 3] = [
        ("contacts", |batch, a, b| batch.contact_triangles(a, b)),
        ("yes_no", |batch, a, b| batch.intersects(a, b)),
        ("distance", |batch, a, b| batch.distance_up_to(a, b, f64::INFINITY)),
    ];
    for (name, ask) in questions {
        let mut batch = PairBatch::default();
        for pose in &poses {
            ask(&mut batch, &fixed, &tree.at(pose).expect("admissible"));
        }
        group.bench_function(BenchmarkId::new(name, "each"), |bencher| bencher.iter(|| batch.ask()));
    }
    group.finish();
}

fn whole_scene(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("whole_scene");
    group.sample_size(10);
    let scene = scene("gearbox");
    let tolerance = engine::default_tolerance(&scene).expect("parts of ordinary size");
    let request = CheckRequest::default().clearance(1e-4).tolerance(tolerance);
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
    targets = tree_build, yes_no, contacts, distance, torus_shifted, batch, whole_scene
}
criterion_main!(stages);

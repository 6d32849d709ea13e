//! Moving pairs of generated scenes: the time of contact by every search method (Redon et al. 2002, sections
//! 4 and 6), and the smallest clearance over the whole motion.

use std::hint::black_box;
use std::time::Duration;

use closefit::internals::bvh::moving::Shape;
use closefit::internals::bvh::posed_model::Model;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::engine;
use closefit::internals::query::clearance::clearance;
use closefit::internals::query::pair_sweep::PairSweep;
use closefit::internals::query::time_of_impact::contacts;
use closefit::method::{Axes, Boxes, Discrete, Order, Subdivision, Triangles};
use closefit::scene::Scene;
use closefit::{Executor, Method};
use closefit_generate::{Request, generate};
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

/// The scenes, each with the indices of two parts.
const PAIRS: [(&str, [usize; 2]); 4] =
    [("torus-path", [0, 1]), ("pipes-path", [0, 1]), ("car-door", [0, 1]), ("fast-plates", [0, 1])];

const METHODS: [(&str, Method); 13] = [
    ("default", Method::FASTEST),
    ("interval boxes", Method { boxes: Boxes::Interval, ..Method::FASTEST }),
    ("elementary tests", Method { triangles: Triangles::Elementary, ..Method::FASTEST }),
    ("first roots", Method { triangles: Triangles::Roots, ..Method::FASTEST }),
    ("partial tests", Method { axes: Axes::Faces, ..Method::FASTEST }),
    ("natural intervals", Method { boxes: Boxes::Natural, ..Method::FASTEST }),
    ("discrete tests first", Method { discrete: Discrete::Middle, ..Method::FASTEST }),
    ("discrete tests at both ends", Method { discrete: Discrete::Ends, ..Method::FASTEST }),
    ("boxes opened first", Method { subdivision: Subdivision::Never, ..Method::FASTEST }),
    ("directional traversal", Method { near_first: true, ..Method::FASTEST }),
    ("no coherence tables", Method { fronts: false, ..Method::FASTEST }),
    ("space first", Method { order: Order::SpaceFirst, ..Method::FASTEST }),
    ("redon", Method::REDON),
];

/// Calls `work` with the sweep of a scene's pair, at a precision of 1e-5 of the scene's diagonal.
fn with_pair_sweep(name: &str, parts: [usize; 2], work: impl FnOnce(&PairSweep)) {
    let request = Request { name: name.to_owned(), size: None, seed: 0, soup: false };
    let scene: Scene = generate(&request).expect("a scene of the list at its default size");
    let range = engine::time_range(&scene).expect("it moves");
    let diagonal = engine::diagonal_at(&scene, range[0]).expect("parts of ordinary size");
    let parts = parts.map(|part| &scene.parts[part]);
    let meshes = parts.map(|part| &scene.meshes[part.mesh.index()]);
    let models = meshes.map(|mesh| Model::<WideObb>::of(mesh, Executor::Simd, Default::default()));
    let placed_parts = [0, 1].map(|k| PlacedPart::of(parts[k].pose, parts[k].frame, meshes[k].vertices()));
    let motion = PairMotion::new(&scene.frames, placed_parts);
    let shapes = [0, 1].map(|k| Shape { mesh: meshes[k], model: &models[k] });
    let precision = engine::PRECISION * diagonal;
    work(&PairSweep::new(&shapes, &motion, range, precision).expect("coarser than f64"));
}

fn time_of_impact(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("time_of_impact");
    for (name, parts) in PAIRS {
        for (method, how) in METHODS {
            with_pair_sweep(name, parts, |sweep| {
                let sweep = sweep.clone().by(how);
                let mut searched = sweep.searched();
                group.bench_function(BenchmarkId::new(name, method), |bencher| {
                    bencher.iter(|| contacts(black_box(&sweep), &mut searched));
                });
            });
        }
    }
    group.finish();
}

fn smallest_clearance(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("clearance");
    for (name, parts) in PAIRS {
        with_pair_sweep(name, parts, |sweep| {
            let mut searched = sweep.searched();
            group.bench_function(name, |bencher| {
                bencher.iter(|| clearance(black_box(sweep), f64::INFINITY, &mut searched));
            });
        });
    }
    group.finish();
}

fn short() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
}

criterion_group! {
    name = motion;
    config = short();
    targets = time_of_impact, smallest_clearance
}
criterion_main!(motion);

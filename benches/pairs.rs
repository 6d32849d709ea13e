//! The cost of a touching pair once a thread is warm: microseconds of its depth and of all that a check asks,
//! and heap allocations. Two cubes; and the touching pairs of a scene, the file given or the gearbox: `cargo
//! bench --bench pairs -- MODEL.glb`.

use std::alloc::System;
use std::time::Instant;

use closefit::internals::bvh::posed_model::{Model, PosedModel, PosedTree};
use closefit::internals::bvh::static_pair::StaticPair;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::engine::default_tolerance;
use closefit::internals::query::depth::{DepthQuestion, depth};
use closefit::internals::query::pair::decide;
use closefit::internals::query::stage_work::StageWork;
use closefit::scene::Scene;
use closefit::{CheckRequest, Executor, PartId, Winding, Work};
use closefit_generate::{Request, generate};
use closefit_scene::read::{ReadOptions, read};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const ROUNDS: usize = 7;

fn generated(name: &str, size: u32) -> Scene {
    generate(&Request { name: name.to_owned(), size: Some(size), seed: 0, soup: false })
        .expect("a known scene")
}

/// Microseconds per pair of the fastest of some rounds, and allocations per pair of the last.
fn cost(pairs: usize, mut round: impl FnMut()) -> [f64; 2] {
    let mut least = f64::INFINITY;
    let mut allocations = 0;
    for _ in 0..ROUNDS {
        let region = Region::new(ALLOCATOR);
        let start = Instant::now();
        round();
        least = least.min(start.elapsed().as_secs_f64());
        let change = region.change();
        allocations = change.allocations + change.reallocations;
    }
    [1e6 * least / pairs as f64, allocations as f64 / pairs as f64]
}

fn measure(name: &str, scene: &Scene) {
    let request = CheckRequest::default().tolerance(default_tolerance(scene).expect("of ordinary size"));
    let question = DepthQuestion { tolerance: request.tolerance, only_verdict: false, measured: [true; 2] };
    let models: Vec<Model<WideObb>> =
        scene.meshes.iter().map(|mesh| Model::of(mesh, Executor::Simd, Winding::Repaired)).collect();
    let bodies: Vec<PosedModel<PosedTree<WideObb>>> = (scene.parts.iter())
        .map(|part| {
            let (mesh, pose) = (&scene.meshes[part.mesh.index()], part.pose);
            PosedModel::new(mesh, &models[part.mesh.index()], pose, mesh.posed_bounds(&pose))
        })
        .collect();
    let mut touching = Vec::new();
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[i + 1..] {
            if a.bounds().meets(b.bounds()) {
                let contacts = [a, b].contacts(&mut Work::default());
                if !contacts.is_empty() && (a.has_solid() || b.has_solid()) {
                    touching.push(([a, b], contacts));
                }
            }
        }
    }
    let count = touching.len();
    let [depth_us, depth_allocations] = cost(count, || {
        for (pair, contacts) in &touching {
            depth(pair, contacts, question);
        }
    });
    let [all_us, all_allocations] = cost(count, || {
        for (pair, _) in &touching {
            decide([PartId(0), PartId(1)], pair, &request, &mut StageWork::default());
        }
    });
    println!(
        "{name:<24} {count:>6} {depth_us:>10.2} {depth_allocations:>12.2} {all_us:>10.2} {all_allocations:>12.2}"
    );
}

fn main() {
    println!(
        "{:<24} {:>6} {:>10} {:>12} {:>10} {:>12}",
        "per touching pair", "pairs", "depth, us", "allocations", "all, us", "allocations"
    );
    measure("cubes", &generated("boxes", 1000));
    let files: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if files.is_empty() {
        measure("gearbox", &generated("gearbox", 24));
    }
    for file in files {
        let scene = read(std::slice::from_ref(&file), &ReadOptions::default()).expect("a readable scene");
        measure(&file, &scene);
    }
}

//! Poses that are rotations but for the rounding of f32, and uneven scale below the last moving joint: the
//! same answers, and about the work of exact rotations and of the same shapes without scale, by every tree
//! that has boxes.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::engine::sweep;
use closefit::{
    Assembly, Between, CheckRequest, DepthDetail, Executor, Mesh, Motion, PartId, Pose, Strategy,
    SweepRequest, SweepResult, Unobserved, Work,
};
use closefit_geometry::motion::Joint;
use closefit_testing::command::{run, shown};
use closefit_testing::meshes::{Piece, Soup, mesh, scene};
use closefit_testing::methods::{Answers, Case};
use closefit_testing::motions::{direction, f32_chain, key, orthonormal, torus};
use closefit_testing::rng::Rng;
use glam::DVec3;
use serde_json::{Value, json};

/// The most work beside that of the same question about exact rotations.
const MOST: f64 = 3.0;

/// Tests that any search may make more.
const FEW: f64 = 64.0;

/// Returns the kinds of trees that have boxes, by each executor.
fn strategies() -> impl Iterator<Item = Strategy> {
    closefit_methods::strategies().filter(|strategy| strategy.tree().name() != "simple")
}

fn tests(work: &Work) -> f64 {
    (work.box_tests + work.triangle_tests) as f64
}

/// Panics if a search takes much more work than that of the same question about exact rotations, or has no
/// boxes.
fn compare(what: &str, skewed: &Work, exact: &Work) {
    assert_eq!((skewed.unboxed, exact.unboxed), (0, 0), "{what}");
    assert!(tests(skewed) <= MOST * tests(exact) + FEW, "{what}: {skewed:?}\n{exact:?}");
}

/// Returns the place of a part that touches one at the origin, nearly touches it, or is apart from it.
fn beside(rng: &mut Rng) -> DVec3 {
    let far = [0.8, 1.3, 2.0, 2.7, 4.0][rng.index(5)];
    direction(rng) * far
}

#[test]
fn products_of_f32_rotations_take_the_work_of_rotations() {
    let of_torus = mesh(&torus(16, 10, 0.35));
    let mut touching = 0;
    for seed in 0..24 {
        let mut rng = Rng::new("skewed poses", seed);
        let (counts, at) = ([1 + rng.index(8), 1 + rng.index(8)], beside(&mut rng));
        let poses = [f32_chain(&mut rng, counts[0], DVec3::ZERO), f32_chain(&mut rng, counts[1], at)];
        let case = Case { meshes: [of_torus.clone(), of_torus.clone()], poses };
        let exact = Case { poses: poses.each_ref().map(orthonormal), ..case.clone() };
        let expected = case.by_brute_force();
        touching += u32::from(!expected.contacts.is_empty());
        for strategy in strategies() {
            let (found, work) = case.found_by(strategy);
            assert_eq!(found, expected, "{seed}: {strategy:?}");
            for ((question, work), (_, of_exact)) in work.into_iter().zip(exact.found_by(strategy).1) {
                compare(&format!("{seed}: {question} by {strategy:?}"), &work, &of_exact);
            }
        }
    }
    assert!((4..20).contains(&touching), "{touching}");
}

/// Instances with the same uneven scale share one tree, however they are turned, mirrored or enlarged evenly.
/// Every kind finds of all pairs what brute force finds.
#[test]
fn instances_with_the_same_uneven_scale_share_a_tree() {
    let of_torus = Arc::new(mesh(&torus(10, 6, 0.35)));
    let (mut touching, mut near) = (0, 0);
    for seed in 0..closefit_testing::cases(8) {
        let mut rng = Rng::new("uneven scale", seed);
        let uneven = [[1.0, 1.0, 1.1], [0.5, 2.0, 1.0], [1.0, -1.0, 0.3], [3.0, 0.01, 1.0]][rng.index(4)];
        let pose = |rng: &mut Rng| {
            let (links, at) = (1 + rng.index(4), 0.4 * beside(rng));
            let even = [1.0, 1.0, 0.7, -1.3][rng.index(4)];
            f32_chain(rng, links, at) * Pose::scaling(uneven.map(|scale| even * scale))
        };
        let poses: Vec<Pose> = (0..5).map(|_| pose(&mut rng)).collect();
        let mut assembly = Assembly::default();
        for &pose in &poses {
            assembly.add("torus", &of_torus, pose);
        }
        let request = CheckRequest::default().clearance(4.0).list_contacts().depth(DepthDetail::None);
        let pairs = || (0..5).flat_map(|a| (a + 1..5).map(move |b| [a, b]));
        let expected: Vec<Answers> = pairs()
            .map(|pair| Case { meshes: [0; 2].map(|_| (*of_torus).clone()), poses: pair.map(|at| poses[at]) })
            .map(|case| case.by_brute_force())
            .collect();
        let every = closefit_methods::strategies();
        // All kinds take a second, so most scenes are checked by the default and by every fourth kind.
        let asked = every.enumerate().filter(|&(at, _)| seed < 2 || at == 0 || at as u64 % 4 == seed % 4);
        for (_, strategy) in asked {
            let found = assembly.check(&request.strategy(strategy)).expect("in range");
            assert_eq!(found.counters.trees.count, 1, "{seed}: {strategy}");
            for (pair, expected) in pairs().zip(&expected) {
                let ids = pair.map(|at| PartId(at as u32));
                let record = found.pairs.iter().find(|record| record.ids == ids);
                let says = record.map(|record| (record.triangles.clone().expect("listed"), record.distance));
                let distance = expected.nearest.as_ref().map_or(0.0, |nearest| nearest.distance);
                let true_says = (distance <= 4.0).then(|| (expected.contacts.clone(), distance));
                assert_eq!(says, true_says, "{seed}: {pair:?} by {strategy}");
                touching += usize::from(!expected.contacts.is_empty());
                near += usize::from(expected.contacts.is_empty());
            }
        }
    }
    assert!(touching > 50 && near > 50, "{touching} {near}");
}

/// Other scales have trees of their own, and so have scales along other axes.
#[test]
fn instances_with_different_uneven_scales_have_trees_of_their_own() {
    let of_torus = Arc::new(mesh(&torus(10, 6, 0.35)));
    let scales = [
        [1.0, 1.0, 1.1],
        [1.0, 1.0, 1.2],
        [1.1, 1.0, 1.0],
        [1.0, 1.1, 1.0],
        [1.0, 1.0, 1.1 + 1e-4],
        [1.0; 3],
    ];
    let mut assembly = Assembly::default();
    for scale in scales {
        assembly.add("torus", &of_torus, Pose::scaling(scale));
        assembly.add("torus", &of_torus, Pose::scaling(scale.map(|x| 2.0 * x)));
    }
    let request = CheckRequest::default().depth(DepthDetail::None);
    assert_eq!(assembly.check(&request).expect("in range").counters.trees.count, scales.len() as u64);
}

/// Searches that have no boxes are counted: otherwise the other tests show nothing.
#[test]
fn searches_without_boxes_are_counted() {
    let of_torus = mesh(&torus(6, 5, 0.35));
    let stretched =
        Pose::from_trs([0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.3], [9.0, 0.0, 0.0]).expect("a rotation");
    let tree = WideObb::build(&of_torus);
    let [a, b] = [stretched, Pose::IDENTITY].map(|pose| tree.place(&of_torus, &pose, Executor::default()));
    let mut work = Work::NONE;
    assert!(!WideObb::touches(&a, &b, &mut work));
    assert_eq!((work.unboxed, work.triangle_tests), (1, 60 * 60));
}

/// A torus that stands, and one that a joint moves past it.
struct Passing {
    standing: Soup,
    moving: Soup,
    /// The frame of the joint.
    above: Pose,
    /// The part in its joint.
    below: Pose,
    joint: Motion,
}

impl Passing {
    /// Returns a motion that comes near the standing torus, or meets it.
    fn new(rng: &mut Rng, moving: Soup, scale: [f64; 3]) -> Self {
        let way = direction(rng) * 4.0;
        let aside = direction(rng) * [0.5, 1.5, 3.0][rng.index(3)];
        let keys = [0.0, 0.5, 1.0].map(|time| key(time, rng.quaternion(), aside + way * (2.0 * time - 1.0)));
        let joint = Motion::through(&keys, Between::Linear, scale).expect("a motion");
        let standing = torus(16, 10, 0.35);
        Self { standing, moving, above: Pose::IDENTITY, below: Pose::IDENTITY, joint }
    }

    fn swept(&self, strategy: Strategy) -> SweepResult {
        let pieces =
            [Piece::new("standing", self.standing.clone()), Piece::new("moving", self.moving.clone())];
        let mut scene = scene(&pieces);
        let frames = &mut scene.frames;
        let above = frames.add(None, Joint::Fixed(self.above));
        let joint = frames.add(Some(above), Joint::Moving(self.joint.clone()));
        scene.parts[1].frame = Some(frames.add(Some(joint), Joint::Fixed(self.below)));
        let request =
            SweepRequest::default().tolerance(1e-6).precision(1e-3).clearance(0.5).between(0.0, 1.0);
        sweep(&scene, &request.strategy(strategy), &Unobserved).expect("admissible")
    }
}

/// Panics unless all strategies answer alike, with about the work of the twin.
fn compare_sweeps(seed: u64, passing: &Passing, twin: &Passing) {
    let mut expected = None;
    for strategy in strategies() {
        let (found, of_twin) = (passing.swept(strategy), twin.swept(strategy));
        let pairs = expected.get_or_insert_with(|| found.pairs.clone());
        assert_eq!(&found.pairs, pairs, "{seed}: {strategy:?}");
        assert_eq!(found.pairs.len(), of_twin.pairs.len(), "{seed}: {strategy:?}");
        for ((stage, work), (_, exact)) in found.counters.work.named().zip(of_twin.counters.work.named()) {
            compare(&format!("{seed}: {stage} by {strategy:?}"), &work.tests, &exact.tests);
        }
    }
}

#[test]
fn sweeps_take_the_work_of_rotations() {
    for seed in 0..6 {
        let mut rng = Rng::new("skewed sweeps", seed);
        let passing = Passing::new(&mut rng, torus(12, 8, 0.3), [1.0; 3]);
        let counts = [1 + rng.index(8), 1 + rng.index(8)];
        let [above, below] = counts.map(|count| f32_chain(&mut rng, count, DVec3::ZERO));
        let exact = Passing {
            above: orthonormal(&above),
            below: orthonormal(&below),
            standing: passing.standing.clone(),
            moving: passing.moving.clone(),
            joint: passing.joint.clone(),
        };
        compare_sweeps(seed, &Passing { above, below, ..passing }, &exact);
    }
}

/// The scale is that of the joint, or of a part below it; the twin has the same shape without scale.
#[test]
fn uneven_scale_below_a_moving_joint_takes_the_work_of_the_shape_that_it_gives() {
    for seed in 0..6 {
        let mut rng = Rng::new("uneven sweeps", seed);
        let shape = torus(12, 8, 0.3);
        let scale = [1.0, 0.5, [1.3, 4.0][rng.index(2)]];
        let in_joint = rng.coin();
        let turn = rng.quaternion();
        let below = match in_joint {
            true => Pose::from_trs(turn, [1.0; 3], [0.1, 0.0, 0.0]),
            false => Pose::from_trs(turn, scale, [0.1, 0.0, 0.0]),
        };
        let below = below.expect("a rotation");
        let of_joint = if in_joint { Pose::scaling(scale) } else { Pose::IDENTITY };
        let whole = Pose::compose(&of_joint, &below);
        let scaled: Soup = shape.iter().map(|t| t.map(|v| whole.apply(v))).collect();
        let path = rng.bits();
        let passing = |soup: Soup, scale: [f64; 3]| Passing::new(&mut Rng::new("path", path), soup, scale);
        let uneven = Passing { below, ..passing(shape, if in_joint { scale } else { [1.0; 3] }) };
        compare_sweeps(seed, &uneven, &passing(scaled, [1.0; 3]));
    }
}

/// Writes a mesh as an OBJ file.
fn write_obj(path: &Path, mesh: &Mesh) {
    let mut text = String::new();
    for v in mesh.vertices() {
        writeln!(text, "v {} {} {}", v.x, v.y, v.z).unwrap();
    }
    for [a, b, c] in mesh.triangles() {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
    }
    fs::write(path, text).unwrap();
}

#[test]
fn the_program_checks_and_counts_products_of_f32_rotations() {
    let dir = tempfile::tempdir().unwrap();
    write_obj(&dir.path().join("torus.obj"), &mesh(&torus(30, 20, 0.35)));
    let counts = |name: &str, poses: [Pose; 2]| -> Value {
        let part = |(name, pose): (&str, Pose)| json!({"name": name, "mesh": "torus.obj", "pose": {"matrix": pose.rows.as_flattened()}});
        let parts: Vec<Value> = ["a", "b"].into_iter().zip(poses).map(part).collect();
        let (scene, out) = (dir.path().join(name).with_extension("json"), dir.path().join(name));
        fs::write(&scene, json!({"unit": "mm", "parts": parts}).to_string()).unwrap();
        let output = run(&[
            "check",
            shown(&scene),
            "--clearance",
            "1",
            "--quiet",
            "--out",
            shown(&out),
            "--fail-on",
            "never",
        ]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let record = fs::read(out.join("run.json")).unwrap();
        serde_json::from_slice::<Value>(&record).unwrap()["work"].clone()
    };
    let mut rng = Rng::new("skewed check", 1);
    let poses = [f32_chain(&mut rng, 8, DVec3::ZERO), f32_chain(&mut rng, 7, DVec3::new(0.0, 0.0, 3.0))];
    let (skewed, exact) = (counts("skewed", poses), counts("exact", poses.map(|pose| orthonormal(&pose))));
    for stage in skewed["stages"].as_object().unwrap().values().chain([&skewed, &exact]) {
        assert_eq!(stage["unboxed"], 0, "{skewed}");
    }
    let tests = |work: &Value| work["box_tests"].as_f64().unwrap() + work["triangle_tests"].as_f64().unwrap();
    assert!(tests(&skewed) <= MOST * tests(&exact) + FEW, "{skewed} {exact}");
}

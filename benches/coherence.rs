//! Queries that learn from earlier ones: two tori, of which one moves by 0.1 % or 1 % of its size between
//! queries, asked without a memory, with the default one, and with coherence tables. Microseconds, blocks of
//! boxes and tests of triangles per query, and the bytes of the tables.

#![allow(clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::Instant;

use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::coherence::Coherence;
use closefit::internals::bvh::wide_obb::search::{contacts, nearest};
use closefit::{Pose, Work};
use closefit_generate::{Request, generate};

const ROUNDS: usize = 9;
const FRAMES: u32 = 1000;

/// A circle along which the second torus moves, around and around, and spins about its axis.
struct Track {
    name: &'static str,
    center: [f64; 3],
    radius: f64,
    /// True if the axis is at a right angle to that of the first torus.
    is_tilted: bool,
}

const TRACKS: [Track; 3] = [
    Track { name: "in contact", center: [0.9, 0.1, 0.2], radius: 0.2, is_tilted: false },
    Track {
        name: "linked, a gap of about 1 % of the size",
        center: [1.0, 0.25, 0.0],
        radius: 0.02,
        is_tilted: true,
    },
    Track {
        name: "apart, a gap of about a third of the size",
        center: [4.0, 0.0, 0.0],
        radius: 0.5,
        is_tilted: false,
    },
];

impl Track {
    /// Returns poses that are `step` apart, and turn by as much of a radian as that is of a length of 2.
    fn poses(&self, step: f64) -> Vec<Pose> {
        let pose = |frame: u32| {
            let path = f64::from(frame) * step;
            let ((sin, cos), [x, y, z]) = ((path / self.radius).sin_cos(), self.center);
            let at = [x + self.radius * cos, y + self.radius * sin, z];
            let (sin, cos) = (0.25 * path).sin_cos();
            let turn = if self.is_tilted { [cos, -sin, sin, cos] } else { [0.0, 0.0, sin, cos] };
            Pose::from_trs(turn, [1.0; 3], at).expect("a rotation")
        };
        (0..FRAMES).map(pose).collect()
    }
}

/// Prints the cost of a question along a track, with the least time of each pose over some rounds, and
/// returns its answers.
fn measure(
    name: &str,
    poses: &[Pose],
    memory: impl Fn() -> Coherence,
    ask: impl Fn(&mut Coherence, &Pose, &mut nearest::Scratch, &mut Work) -> usize,
) -> Vec<usize> {
    let mut least = vec![f64::INFINITY; poses.len()];
    let (mut answers, mut scratch) = (Vec::new(), nearest::Scratch::default());
    let (mut work, mut bytes) = (Work::default(), 0);
    for _ in 0..ROUNDS {
        let mut memory = memory();
        work = Work::default();
        answers = poses
            .iter()
            .zip(&mut least)
            .map(|(pose, least)| {
                let start = Instant::now();
                let answer = black_box(ask(&mut memory, pose, &mut scratch, &mut work));
                *least = least.min(start.elapsed().as_secs_f64());
                answer
            })
            .collect();
        bytes = memory.table_bytes();
    }
    let mean = |sum: f64| sum / poses.len() as f64;
    let [blocks, triangles] = [work.box_tests / 8, work.triangle_tests].map(|count| mean(count as f64));
    let us = mean(1e6 * least.iter().sum::<f64>());
    println!("  {name:<24} {us:>9.3} {blocks:>10.1} {triangles:>10.1} {bytes:>10}");
    answers
}

fn main() {
    let request = Request { name: "tori".to_owned(), size: Some(10_000), seed: 0, soup: false };
    let scene = generate(&request).expect("a scene of the list");
    let mesh = &scene.meshes[0];
    let bounds = mesh.posed_bounds(&Pose::IDENTITY);
    let size = (bounds.hi - bounds.lo).length();
    println!("two tori of {} triangles, size {size:.3}", mesh.triangles().len());
    let tree = WideObb::build(mesh);
    let fixed = PosedWideObb::new(&tree, &Pose::IDENTITY);
    let at = |pose: &Pose| PosedWideObb::new(&tree, pose);
    for track in &TRACKS {
        for share in [0.001, 0.01] {
            let poses = track.poses(share * size);
            println!("{}, steps of {} % of the size", track.name, 100.0 * share);
            println!("  {:<24} {:>9} {:>10} {:>10} {:>10}", "", "us", "blocks", "triangles", "bytes");
            let touches: [Vec<usize>; 3] = [
                measure("yes/no, no memory", &poses, Coherence::default, |_, pose, scratch, work| {
                    contacts::touches(&fixed, &at(pose), &mut scratch.contacts, work).into()
                }),
                measure("yes/no, default", &poses, Coherence::default, |memory, pose, scratch, work| {
                    memory.touches(&fixed, &at(pose), scratch, work).into()
                }),
                measure("yes/no, tables", &poses, Coherence::with_tables, |memory, pose, scratch, work| {
                    memory.touches(&fixed, &at(pose), scratch, work).into()
                }),
            ];
            assert!(touches.iter().all(|answers| *answers == touches[0]));
            let all: [Vec<usize>; 3] = [
                measure("all, no memory", &poses, Coherence::default, |_, pose, scratch, work| {
                    contacts::contacts(&fixed, &at(pose), &mut scratch.contacts, work).len()
                }),
                measure("all, default", &poses, Coherence::default, |memory, pose, scratch, work| {
                    memory.contacts(&fixed, &at(pose), scratch, work).len()
                }),
                measure("all, tables", &poses, Coherence::with_tables, |memory, pose, scratch, work| {
                    memory.contacts(&fixed, &at(pose), scratch, work).len()
                }),
            ];
            assert!(all.iter().all(|answers| *answers == all[0]));
        }
    }
}

//! Builds trees and asks about them with flush-to-zero and without, and fails if that changes the time by
//! more than a tenth: then some results are subnormal, which most CPUs compute very slowly.
//!
//!     cargo run --release -p closefit-peers --example subnormal
//!
//! Times are thread CPU time, the least of some rounds that take turns.

use std::process::ExitCode;
use std::time::Duration;

use closefit::internals::bvh::Hierarchy;
use closefit::{Executor, Mesh, Pool, Pose, Work};
use closefit_generate::{Request, generate};
use closefit_methods::kind::{self, WithTrees};
use closefit_peers::clock::timed;
use closefit_peers::flush::flushed;

/// Triangles of each mesh.
const TRIANGLES: u32 = 20_000;

/// Rounds of either mode.
const ROUNDS: u32 = 9;

/// Largest ratio of the times without and with flush-to-zero.
const MOST: f64 = 1.1;

/// What is timed for a kind of tree.
struct Timed<'a>(&'a Mesh);

impl WithTrees for Timed<'_> {
    /// The least time without flush-to-zero and with it, of builds and of questions.
    type Output = [(&'static str, [Duration; 2]); 2];

    fn run<T: Hierarchy>(self) -> Self::Output {
        let mesh = self.0;
        let tree = T::build(mesh);
        let build = || drop(std::hint::black_box(T::build(mesh)));
        let ask = || {
            for step in 0..40 {
                let pose = Pose::translation([0.07 * f64::from(step), 0.01, 0.02]);
                let [a, b] = [Pose::IDENTITY, pose].map(|pose| tree.place(mesh, &pose, Executor::default()));
                let mut work = Work::default();
                if !T::touches(&a, &b, &mut work) {
                    std::hint::black_box(T::nearest(&a, &b, f64::INFINITY, &mut work));
                }
            }
        };
        [("build", least(&build)), ("questions", least(&ask))]
    }
}

/// Returns the least time of some work without flush-to-zero and with it.
fn least(work: &dyn Fn()) -> [Duration; 2] {
    (0..ROUNDS).fold([Duration::MAX; 2], |[plain, flushing], _| {
        [plain.min(timed(work).1), flushing.min(timed(|| flushed(work)).1)]
    })
}

fn main() -> ExitCode {
    // One thread, whose mode is switched and whose time is taken.
    let request = Request { name: "tori".to_owned(), size: Some(TRIANGLES), seed: 1, soup: false };
    let scene = generate(&request).expect("two tori");
    let mut slow = false;
    for kind in ["obb", "kdop18", "sphere", "octree", "box", "rapid"] {
        let kind = closefit_methods::parse(kind).expect("a kind of tree");
        for (what, [plain, flushing]) in
            Pool::of(1).install(|| kind::run(kind, Timed(&scene.meshes[0]))).expect("a thread")
        {
            let ratio = plain.as_secs_f64() / flushing.as_secs_f64();
            println!(
                "{kind:14} {what:10} {plain:>10.2?} {flushing:>10.2?} with flush-to-zero, ratio {ratio:.3}"
            );
            slow |= ratio > MOST;
        }
    }
    if slow { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

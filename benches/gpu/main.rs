//! The work of a compute device beside that of the CPU, as a table: `cargo bench --bench gpu`. The adapter is
//! the best, or the one that the environment variable `CLOSEFIT_ADAPTER` names. A block counts as eight box
//! tests on both.
//!
//! `cargo bench --bench gpu -- --model` prints a cost [`model`] of the kernels instead, beside times measured
//! on the adapter and on one thread of the CPU.
//!
//! `--triangles N` sets the size of the two meshes of the large distances, an easy one of tori and a hard one
//! of nested spheres, and `--poses N` the number of poses of the first case; the defaults suit software
//! adapters.

#![allow(clippy::disallowed_methods)]

mod boxes;
mod model;
mod operations;
mod stretches;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

use closefit::internals::bvh::pairs_on_device::PairsOnDevice;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::on_device::{Limits, Residence};
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::contacts::{self, contacts};
use closefit::internals::bvh::wide_obb::search::nearest::{self, nearest_apart};
use closefit::internals::gpu::Choice;
use closefit::method::Boxes;
use closefit::{Device, Pool, Pose, Tally, Work};
use closefit_generate::{Request, generate};

/// The question asked about every pair of a scene, about all its boxes, or about all stretches of time, by a
/// test of boxes.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    Contacts,
    Distance,
    Pairs,
    Stretches(Boxes),
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contacts => f.write_str("contacts"),
            Self::Distance => f.write_str("distance"),
            Self::Pairs => f.write_str("candidate pairs"),
            Self::Stretches(boxes) => write!(f, "stretches, {boxes} boxes"),
        }
    }
}

/// Two trees, and the poses of each pair.
struct Case {
    name: String,
    asked: Asked,
    trees: [WideObb; 2],
    poses: Vec<[Pose; 2]>,
}

impl Case {
    /// A generated scene's first two parts as they stand, or in `count` poses around that.
    fn new(asked: Asked, name: &str, size: u32, count: u32) -> Self {
        let request = Request { name: name.to_owned(), size: Some(size), seed: 0, soup: false };
        let scene = generate(&request).expect("a known scene");
        let trees = [0, 1].map(|i| WideObb::build(&scene.meshes[scene.parts[i].mesh.index()]));
        let [a, b] = [0, 1].map(|i| scene.parts[i].pose);
        let turned = |k: u32| {
            let t = f64::from(k);
            let turn = [(t * 0.7).sin(), (t * 1.3).sin(), (t * 2.1).sin(), 0.3 + (t * 0.9).cos()];
            let shift = [(t * 1.7).sin(), (t * 2.3).sin(), (t * 3.1).sin()].map(|x| 1.5 * x);
            Pose::from_trs(turn, [1.0; 3], shift).expect("a turn")
        };
        let poses = (0..count).map(|k| [a, if k == 0 { b } else { turned(k) }]).collect();
        let times = if count > 1 { format!(" x {count}") } else { String::new() };
        Self { name: format!("{name} {size}{times}, {asked}"), asked, trees, poses }
    }

    /// The contacts of a torus with itself in so many poses, shifted by up to a fiftieth of its radius.
    fn nearly_coincident(size: u32, count: u32) -> Self {
        let case = Self::new(Asked::Contacts, "tori", size, 1);
        let [_, pose] = case.poses[0];
        let shifted = |k: u32| {
            let t = f64::from(k);
            let mut shifted = pose;
            for (row, wave) in shifted.rows.iter_mut().zip([1.7, 2.3, 3.1]) {
                row[3] += 0.02 * (t * wave).sin();
            }
            [pose, shifted]
        };
        let [_, tree] = case.trees;
        let name = format!("nearly coincident tori {size} x {count}, {}", case.asked);
        Self { name, trees: [tree.clone(), tree], poses: (1..=count).map(shifted).collect(), ..case }
    }

    /// Asks one thread of the CPU, and the device twice: the first time compiles the kernels and sends the
    /// trees. All answers must be the same.
    fn measure(&self, device: Device) -> Measured {
        let placed: Vec<[PosedWideObb; 2]> = self
            .poses
            .iter()
            .map(|[a, b]| [PosedWideObb::new(&self.trees[0], a), PosedWideObb::new(&self.trees[1], b)])
            .collect();
        let pairs: Vec<[&PosedWideObb; 2]> = placed.iter().map(|[a, b]| [a, b]).collect();
        let alone = Pool::of(1);
        device.release_idle();
        let mut residence = Residence::new(device, Limits::default());
        let mut cpu = Work::default();
        let (start, before) = (Instant::now(), device.tally());
        let (cpu_s, asked) = match self.asked {
            Asked::Contacts => {
                let mut scratch = contacts::Scratch::default();
                let mut of = |[a, b]: &[&PosedWideObb; 2]| contacts(a, b, &mut scratch, &mut cpu);
                let expected: Vec<_> =
                    alone.install(|| pairs.iter().map(&mut of).collect()).expect("a thread");
                let cpu_s = start.elapsed().as_secs_f64();
                let asked = [0, 1].map(|_| {
                    let start = Instant::now();
                    let found = residence.contacts_of_all(&pairs, usize::MAX).expect("it computes");
                    let wall_s = start.elapsed().as_secs_f64();
                    assert!(found.iter().map(|(contacts, _)| contacts).eq(&expected));
                    (device.tally(), wall_s)
                });
                (cpu_s, asked)
            }
            Asked::Distance => {
                let mut scratch = nearest::Scratch::default();
                let mut of =
                    |[a, b]: &[&PosedWideObb; 2]| nearest_apart(a, b, f64::INFINITY, &mut scratch, &mut cpu);
                let expected: Vec<_> =
                    alone.install(|| pairs.iter().map(&mut of).collect()).expect("a thread");
                let cpu_s = start.elapsed().as_secs_f64();
                let asked = [0, 1].map(|_| {
                    let start = Instant::now();
                    let found = residence.nearest_of_all(&pairs, f64::INFINITY).expect("it has a device");
                    let wall_s = start.elapsed().as_secs_f64();
                    assert!(
                        found
                            .iter()
                            .zip(&expected)
                            .all(|((nearest, _), expected)| *nearest == Some(*expected))
                    );
                    (device.tally(), wall_s)
                });
                (cpu_s, asked)
            }
            Asked::Pairs | Asked::Stretches(_) => unreachable!("they are measured in modules of their own"),
        };
        let [(first, cold_s), (second, warm_s)] = asked;
        let [cold, warm] = [first - before, second - first];
        let (name, pairs) = (self.name.clone(), pairs.len());
        Measured { name, asked: self.asked, pairs, cpu, cpu_s, cold, warm, cold_s, warm_s }
    }
}

/// The cost of a case on one thread of the CPU and on the adapter.
struct Measured {
    name: String,
    asked: Asked,
    /// Number of pairs, of boxes, or of ways asked about.
    pairs: usize,
    cpu: Work,
    cpu_s: f64,
    /// The device's work the first time.
    cold: Tally,
    /// Its work once kernels and trees are there.
    warm: Tally,
    /// Wall time of both, with the work of the CPU beside the device.
    cold_s: f64,
    warm_s: f64,
}

impl Measured {
    fn print(&self) {
        let Self { name, asked, cpu, cold, warm, .. } = self;
        let (box_tests, left) = match asked {
            Asked::Contacts => (8 * cold.items, cold.unsure),
            Asked::Distance => (8 * cold.items, cold.survivors),
            Asked::Pairs => (cold.broad_tests, cold.broad_pairs),
            Asked::Stretches(_) => (8 * cold.items, cold.stretches - cold.stretches_apart),
        };
        println!(
            "| {name} | {box_tests} | {} | {} | {} | {} | {} | {left} | {} | {} | {} | {} | {} | {} | {} | {:.4} | {:.4} | {:.4} | {:.4} |",
            cpu.box_tests,
            cold.triangle_tests,
            cpu.triangle_tests,
            cold.triangle_tests.saturating_sub(cold.meets + left),
            cold.meets,
            cold.extra_unsure,
            cold.refused.total(),
            cold.rounds,
            cold.bytes_up,
            cold.bytes_down,
            cold.peak_bytes,
            cold.peak_working_bytes,
            warm.waited_s,
            self.warm_s,
            self.cold_s,
            self.cpu_s,
        );
    }

    /// Prints what kernels of contacts take for each test, given their seconds for this case alone, both
    /// times.
    fn print_kernels(&self, seconds: &BTreeMap<&str, f64>) {
        let [items, pairs] =
            [self.cold.items + self.warm.items, self.cold.triangle_tests + self.warm.triangle_tests];
        println!("\n{}, by the adapter's timestamps:", self.name);
        for (kernel, test, count) in
            [("box_box", "box test", 8 * items), ("triangle_triangle", "triangle pair", pairs)]
        {
            match seconds.get(kernel) {
                Some(seconds) => println!("{kernel}: {:.3} ns a {test}", 1e9 * seconds / count as f64),
                None => println!("{kernel}: the adapter has no timestamps"),
            }
        }
    }
}

/// Number of triangles of a mesh in the large distances, unless `--triangles` says otherwise.
const TRIANGLES: u32 = 1_000_000;

/// Number of poses of the first case, unless `--poses` says otherwise.
const POSES: u32 = 1_000;

/// Returns the number after such an option.
fn number_after(option: &str) -> Option<u32> {
    let number = std::env::args().skip_while(|argument| argument != option).nth(1)?;
    Some(number.parse().unwrap_or_else(|_| panic!("{option} needs a whole number")))
}

fn main() {
    let choice =
        std::env::var("CLOSEFIT_ADAPTER").map_or(Choice::Best, |name| name.parse().expect("infallible"));
    let device = match Device::open(&choice) {
        Ok(device) => device,
        Err(error) => return println!("no adapter: {error}"),
    };
    println!("{}\n", device.name());
    let triangles = number_after("--triangles").unwrap_or(TRIANGLES);
    let poses = number_after("--poses").unwrap_or(POSES);
    let cases = [
        (Asked::Contacts, "tori", 10_000, poses),
        (Asked::Contacts, "tori", 1_000_000, 20),
        (Asked::Contacts, "nested", 100_000, 1),
        (Asked::Contacts, "bolt-nut", 50_000, 1),
        (Asked::Distance, "tori", 10_000, 1),
        (Asked::Distance, "nested", 100_000, 1),
        (Asked::Distance, "bolt-nut", 50_000, 1),
        (Asked::Distance, "tori", triangles, 1),
        (Asked::Distance, "nested", triangles, 1),
    ];
    let mut kernel_seconds = None;
    let trees = cases.map(|(asked, name, size, count)| {
        let measured = Case::new(asked, name, size, count).measure(device);
        kernel_seconds.get_or_insert_with(|| device.kernel_seconds());
        measured
    });
    let coincident = Case::nearly_coincident(100_000, 10).measure(device);
    let boxes = [100_000, 1_000_000].map(|count| boxes::measure(device, count));
    let stretches =
        [Boxes::Swept, Boxes::Interval].map(|boxes| stretches::measure(device, boxes, 10_000, 400));
    let measured: Vec<Measured> =
        trees.into_iter().chain([coincident]).chain(boxes).chain(stretches).collect();
    if std::env::args().any(|argument| argument == "--model") {
        return model::print(device.name(), &measured);
    }
    println!(
        "| case | box tests | on the CPU | triangle pairs | on the CPU | proven apart | proven to meet | left to the CPU | \
         extra unsure | refused | rounds | bytes up | bytes down | peak bytes | besides trees | s waited, warm | s all told, warm | cold | s on one thread of the CPU |"
    );
    println!("|{}", "---|".repeat(19));
    measured.iter().for_each(Measured::print);
    measured[0].print_kernels(&kernel_seconds.expect("of the first case"));
}

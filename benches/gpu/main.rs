//! The work of a compute device beside that of the CPU, as a table: `cargo bench --bench gpu`. The adapter is
//! the best, or the one that the environment variable `CLOSEFIT_ADAPTER` names. A block counts as eight box
//! tests on both.
//!
//! `cargo bench --bench gpu -- --model` prints a cost [`model`] of the kernels instead, beside times measured
//! on the adapter and on one thread of the CPU.
//!
//! `--triangles N` sets the size of the two meshes of the large distances, an easy one of tori and a hard one
//! of nested spheres, `--poses N` the number of poses of the first cases, and `--hard-poses N` the number of
//! poses of nested spheres; the defaults suit software adapters. `--poses-only` leaves out all other cases.
//! `--kernels` times each kernel, in a run of its own. `--rounds` searches contacts in rounds alone, and
//! `--groups` by groups of lanes alone.

#![allow(clippy::disallowed_methods)]

mod boxes;
mod model;
mod operations;
mod rows;
mod stretches;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

use closefit::internals::bvh::pairs_on_device::PairsOnDevice;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::on_device::{Limits, Residence};
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::contacts;
use closefit::internals::bvh::wide_obb::search::nearest::{self, nearest_apart};
use closefit::internals::bvh::wide_obb::search::question::{Answer, Question};
use closefit::internals::gpu::Choice;
use closefit::method::Boxes;
use closefit::{Device, Pool, Pose, Tally, Work};
use closefit_generate::{Request, generate};
use closefit_geometry::parallel;
use closefit_geometry::pool::on_threads;

/// The question asked about every pair of a scene, about all its boxes, or about all stretches of time, by a
/// test of boxes.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    Contacts,
    Touches,
    Distance,
    Pairs,
    Rows,
    Stretches(Boxes),
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contacts => f.write_str("contacts"),
            Self::Touches => f.write_str("yes or no"),
            Self::Distance => f.write_str("distance"),
            Self::Pairs => f.write_str("candidate pairs"),
            Self::Rows => f.write_str("rows of a check"),
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

    /// A generated scene's first two parts, the second shifted in so many ways, by up to a thousandth.
    fn shifted(asked: Asked, name: &str, size: u32, count: u32) -> Self {
        let case = Self::new(asked, name, size, 1);
        let poses = (0..count).map(|k| [case.poses[0][0], shifted(&case.poses[0][1], k, 0.001)]).collect();
        Self { name: format!("{name} {size} x {count}, {asked}"), poses, ..case }
    }

    /// The distances of a generated scene's first two parts, in so many poses, without those in which they
    /// touch.
    fn apart(name: &str, size: u32, count: u32) -> Self {
        let mut case = Self::new(Asked::Distance, name, size, count);
        let [of_a, of_b] = &case.trees;
        let touch = |[a, b]: &[Pose; 2]| {
            let [a, b] = [PosedWideObb::new(of_a, a), PosedWideObb::new(of_b, b)];
            contacts::touches(&a, &b, &mut contacts::Scratch::default(), &mut Work::default())
        };
        case.poses.retain(|poses| !touch(poses));
        case
    }

    /// The contacts of a torus with itself in so many poses, shifted by up to a fiftieth of its radius.
    fn nearly_coincident(size: u32, count: u32) -> Self {
        let case = Self::new(Asked::Contacts, "tori", size, 1);
        let [_, pose] = case.poses[0];
        let [_, tree] = case.trees;
        let name = format!("nearly coincident tori {size} x {count}, {}", case.asked);
        let poses = (1..=count).map(|k| [pose, shifted(&pose, k, 0.02)]).collect();
        Self { name, trees: [tree.clone(), tree], poses, ..case }
    }

    /// Asks the CPU and the device for each pair.
    fn measure(&self, device: Device) -> Measured {
        let placed: Vec<[PosedWideObb; 2]> = self
            .poses
            .iter()
            .map(|[a, b]| [PosedWideObb::new(&self.trees[0], a), PosedWideObb::new(&self.trees[1], b)])
            .collect();
        let pairs: Vec<[&PosedWideObb; 2]> = placed.iter().map(|[a, b]| [a, b]).collect();
        match self.asked {
            Asked::Contacts => {
                let of_device = |residence: &mut Residence| {
                    let found = residence.contacts_of_all(&pairs, usize::MAX).expect("it computes");
                    found.into_iter().map(|(contacts, _)| contacts).collect()
                };
                self.compare(device, &pairs, contacts::contacts, of_device)
            }
            Asked::Touches => {
                let questions: Vec<_> = pairs.iter().map(|&[a, b]| (a, b, Question::Touches)).collect();
                let of_device = |residence: &mut Residence| {
                    let (answers, _) = residence.ask(&questions).expect("it computes");
                    answers.into_iter().map(|answer| answer == Answer::Touches(true)).collect()
                };
                self.compare(device, &pairs, contacts::touches, of_device)
            }
            Asked::Distance => {
                let of_cpu =
                    |a: &PosedWideObb, b: &PosedWideObb, scratch: &mut nearest::Scratch, work: &mut Work| {
                        Some(nearest_apart(a, b, f64::INFINITY, scratch, work))
                    };
                let of_device = |residence: &mut Residence| {
                    let found = residence.nearest_of_all(&pairs, f64::INFINITY).expect("it has a device");
                    found.into_iter().map(|(nearest, _)| nearest).collect()
                };
                self.compare(device, &pairs, of_cpu, of_device)
            }
            Asked::Pairs | Asked::Rows | Asked::Stretches(_) => {
                unreachable!("they are measured in modules of their own")
            }
        }
    }

    /// Measures all threads of the CPU, one of them, and the device twice: the first time compiles kernels
    /// and sends trees. All answers must be the same. With `--kernels` the device runs once more, with timed
    /// kernels.
    fn compare<A: PartialEq + Send, S: Default>(
        &self,
        device: Device,
        pairs: &[[&PosedWideObb; 2]],
        of_cpu: impl Fn(&PosedWideObb, &PosedWideObb, &mut S, &mut Work) -> A + Sync,
        of_device: impl Fn(&mut Residence) -> Vec<A>,
    ) -> Measured {
        let of_run = |pairs: &[[&PosedWideObb; 2]]| {
            let (mut scratch, mut work) = (S::default(), Work::default());
            let found: Vec<A> = pairs.iter().map(|[a, b]| of_cpu(a, b, &mut scratch, &mut work)).collect();
            (found, work)
        };
        let start = Instant::now();
        let runs: Vec<&[[&PosedWideObb; 2]]> = pairs.chunks(RUN).collect();
        let found = on_threads(|| parallel::map_items(&runs, 1, |run| of_run(run)));
        let threads_s = start.elapsed().as_secs_f64();
        let (mut expected, mut cpu) = (Vec::new(), Work::default());
        for (mut found, work) in found {
            expected.append(&mut found);
            cpu += work;
        }
        let some = &pairs[..pairs.len().min(ON_ONE_THREAD)];
        let start = Instant::now();
        let alone = Pool::of(1).install(|| of_run(some)).expect("a thread");
        let cpu_s = start.elapsed().as_secs_f64() * pairs.len() as f64 / some.len() as f64;
        assert!(alone.0[..] == expected[..some.len()]);

        device.release_idle();
        let mut residence = Residence::new(device, device.limits());
        let mut ask = || of_device(&mut residence);
        let is_expected = |found: Vec<A>| found == expected;
        let twice = Twice::of(device, &mut ask, is_expected);
        let (name, pairs) = (self.name.clone(), pairs.len());
        let kernels = is_asked("--kernels").then(|| {
            let before = device.kernel_seconds();
            device.time_kernels(true);
            assert!(is_expected(ask()));
            device.time_kernels(false);
            let since = |(kernel, seconds): (&'static str, f64)| {
                (kernel, seconds - before.get(kernel).copied().unwrap_or_default())
            };
            device.kernel_seconds().into_iter().map(since).filter(|(_, seconds)| *seconds > 0.0).collect()
        });
        let threads_s = Some(threads_s);
        Measured { name, asked: self.asked, pairs, cpu, cpu_s, threads_s, twice, kernels }
    }
}

/// Returns a pose shifted by up to `far` along each axis.
fn shifted(pose: &Pose, number: u32, far: f64) -> Pose {
    let (t, mut shifted) = (f64::from(number), *pose);
    for (row, wave) in shifted.rows.iter_mut().zip([1.7, 2.3, 3.1]) {
        row[3] += far * (t * wave).sin();
    }
    shifted
}

/// The cost of a case on the device: the first time, and once kernels and trees are there.
struct Twice {
    /// The device's work.
    cold: Tally,
    warm: Tally,
    /// Wall time, including the CPU's work.
    cold_s: f64,
    warm_s: f64,
}

impl Twice {
    /// Measures two runs, and checks what they return.
    fn of<A>(device: Device, mut run: impl FnMut() -> A, is_expected: impl Fn(A) -> bool) -> Self {
        let [(cold, cold_s), (warm, warm_s)] = [0, 1].map(|_| {
            let (start, before) = (Instant::now(), device.tally());
            let found = run();
            let wall_s = start.elapsed().as_secs_f64();
            assert!(is_expected(found));
            (device.tally() - before, wall_s)
        });
        Self { cold, warm, cold_s, warm_s }
    }
}

/// The cost of a case on the CPU and on the adapter.
struct Measured {
    name: String,
    asked: Asked,
    /// Number of pairs, of boxes, or of ways asked about.
    pairs: usize,
    cpu: Work,
    /// Seconds on one thread of the CPU.
    cpu_s: f64,
    /// Seconds on all threads of the CPU, if measured.
    threads_s: Option<f64>,
    twice: Twice,
    /// Seconds of each kernel in a run of its own.
    kernels: Option<BTreeMap<&'static str, f64>>,
}

impl Measured {
    fn print(&self) {
        let Self { name, asked, cpu, twice: Twice { cold, warm, cold_s, warm_s }, .. } = self;
        let (box_tests, left) = match asked {
            Asked::Contacts | Asked::Touches | Asked::Rows => (8 * cold.items, cold.unsure),
            Asked::Distance => (8 * cold.items, cold.survivors),
            Asked::Pairs => (cold.broad_tests, cold.broad_pairs),
            Asked::Stretches(_) => (cold.box_tests, cold.stretches - cold.stretches_apart),
        };
        println!(
            "| {name} | {box_tests} | {} | {} | {} | {} | {} | {left} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.4} | {:.4} | {:.4} | {:.4} | {} |",
            cpu.box_tests,
            cold.triangle_tests,
            cpu.triangle_tests,
            cold.triangle_tests.saturating_sub(cold.meets + left),
            cold.meets,
            cold.extra_unsure,
            cold.refused.total(),
            warm.rounds,
            warm.launches,
            warm.box_steps,
            share(warm.items, ITEMS * warm.box_steps),
            warm.leaf_steps,
            warm.bytes_up,
            warm.bytes_down,
            cold.peak_bytes,
            cold.peak_working_bytes,
            warm.waited_s,
            warm_s,
            cold_s,
            self.cpu_s,
            self.threads_s.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.4}")),
        );
    }

    /// Prints the seconds of each kernel, and the time per test of the kernels that search for contacts.
    fn print_kernels(&self) {
        let Some(seconds) = &self.kernels else { return };
        println!("\n{}, by the adapter's timestamps: {seconds:?} s", self.name);
        let Tally { items, triangle_tests, .. } = self.twice.warm;
        for (kernel, test, count) in [
            ("box_box", "box test", 8 * items),
            ("triangle_triangle", "triangle pair", triangle_tests),
            ("ask_group", "box test and its triangle pairs", 8 * items),
            ("ask_octets", "box test and its triangle pairs", 8 * items),
            ("ask_nearest", "box test and its triangle pairs", 8 * items),
        ] {
            if let Some(seconds) = seconds.get(kernel) {
                println!("{kernel}: {:.3} ns a {test}", 1e9 * seconds / count as f64);
            }
        }
    }
}

/// Returns a share as text, or a dash if `all` is 0.
fn share(of: u64, all: u64) -> String {
    if all == 0 { "-".to_owned() } else { format!("{:.2}", of as f64 / all as f64) }
}

/// Largest number of items that a group of lanes opens in a step.
const ITEMS: u64 = 4;

/// Number of pairs that a thread takes at once.
const RUN: usize = 32;

/// Largest number of pairs on which one thread of the CPU is timed. The time is scaled to all pairs.
const ON_ONE_THREAD: usize = 2_000;

/// Number of triangles of a mesh in the large distances, unless `--triangles` says otherwise.
const TRIANGLES: u32 = 1_000_000;

/// Number of poses of the first cases, unless `--poses` says otherwise.
const POSES: u32 = 1_000;

/// Number of poses of nested spheres, unless `--hard-poses` says otherwise.
const HARD_POSES: u32 = 10;

/// Returns true if such an option is given.
fn is_asked(option: &str) -> bool {
    std::env::args().any(|argument| argument == option)
}

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
    let groups_from = match [is_asked("--rounds"), is_asked("--groups")] {
        [true, _] => Some(u32::MAX),
        [_, true] => Some(1),
        _ => None,
    };
    device.set_limits(Limits { groups_from, ..Limits::default() });
    let triangles = number_after("--triangles").unwrap_or(TRIANGLES);
    let poses = number_after("--poses").unwrap_or(POSES);
    let hard_poses = number_after("--hard-poses").unwrap_or(HARD_POSES);
    let shows_model = is_asked("--model");
    if !shows_model {
        print_head();
    }
    let mut measured = Vec::new();
    let mut add = |case: Measured| {
        if !shows_model {
            case.print();
        }
        measured.push(case);
    };
    add(Case::new(Asked::Contacts, "tori", 10_000, poses).measure(device));
    add(Case::new(Asked::Touches, "tori", 10_000, poses).measure(device));
    add(Case::shifted(Asked::Touches, "nested", 100_000, hard_poses).measure(device));
    add(Case::apart("tori", 10_000, poses).measure(device));
    add(rows::measure(device, poses));
    if !is_asked("--poses-only") {
        for (asked, name, size, count) in [
            (Asked::Contacts, "tori", 1_000_000, 20),
            (Asked::Contacts, "nested", 100_000, 1),
            (Asked::Contacts, "bolt-nut", 50_000, 1),
            (Asked::Distance, "tori", 10_000, 1),
            (Asked::Distance, "nested", 100_000, 1),
            (Asked::Distance, "bolt-nut", 50_000, 1),
            (Asked::Distance, "tori", triangles, 1),
            (Asked::Distance, "nested", triangles, 1),
        ] {
            add(Case::new(asked, name, size, count).measure(device));
        }
        add(Case::nearly_coincident(100_000, 10).measure(device));
        for count in [100_000, 1_000_000] {
            add(boxes::measure(device, count));
        }
        for boxes in [Boxes::Swept, Boxes::Interval] {
            add(stretches::measure(device, boxes, 10_000, 400));
        }
    }
    if shows_model {
        return model::print(device.name(), &measured);
    }
    measured.iter().for_each(Measured::print_kernels);
}

fn print_head() {
    println!(
        "| case | box tests | on the CPU | triangle pairs | on the CPU | proven apart | proven to meet | left to the CPU | \
         extra unsure | refused | rounds | launches | steps of groups on boxes | items, of what they could open | steps on leaves | bytes up | bytes down | peak bytes | besides trees | s waited, warm | \
         s all told, warm | cold | s on one thread of the CPU | on {} threads |",
        on_threads(parallel::threads)
    );
    println!("|{}", "---|".repeat(24));
}

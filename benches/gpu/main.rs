//! The work of a compute device beside that of the CPU, as a table: `cargo bench --bench gpu`. The adapter is the best, or
//! the one that the environment variable `CLOSEFIT_ADAPTER` names. A block counts as eight box tests on both.

use closefit::internals::gpu::{Choice, Device, Tally};
use closefit::internals::hierarchy::obb8::Obb8;
use closefit::internals::hierarchy::obb8::on_device::{Limits, Residence};
use closefit::internals::hierarchy::obb8::posed::Posed;
use closefit::internals::hierarchy::obb8::search::contacts::{self, contacts};
use closefit::internals::hierarchy::obb8::search::nearest::{self, nearest_apart};
use closefit::internals::math::pose::Pose;
use closefit::internals::narrow::Work;
use closefit::scene::generate::{Request, generate};

/// The question asked about every pair of a scene.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    Contacts,
    Distance,
}

/// Two trees, and the poses of each pair.
struct Case {
    name: String,
    asked: Asked,
    trees: [Obb8; 2],
    poses: Vec<[Pose; 2]>,
}

impl Case {
    /// A generated scene's first two parts as they stand, or in `count` poses around that.
    fn new(asked: Asked, name: &str, size: u32, count: u32) -> Self {
        let request = Request { name: name.to_owned(), size: Some(size), seed: 0, soup: false };
        let scene = generate(&request).expect("a known scene");
        let trees = [0, 1].map(|i| Obb8::build(&scene.meshes[scene.parts[i].mesh.index()]));
        let [a, b] = [0, 1].map(|i| scene.parts[i].pose);
        let turned = |k: u32| {
            let t = f64::from(k);
            let turn = [(t * 0.7).sin(), (t * 1.3).sin(), (t * 2.1).sin(), 0.3 + (t * 0.9).cos()];
            let shift = [(t * 1.7).sin(), (t * 2.3).sin(), (t * 3.1).sin()].map(|x| 1.5 * x);
            Pose::from_trs(turn, [1.0; 3], shift).expect("a turn")
        };
        let poses = (0..count).map(|k| [a, if k == 0 { b } else { turned(k) }]).collect();
        let times = if count > 1 { format!(" x {count}") } else { String::new() };
        Self { name: format!("{name} {size}{times}"), asked, trees, poses }
    }

    /// Asks the CPU and the device, and prints a row.
    fn measure(&self, device: Device) {
        let placed: Vec<[Posed; 2]> = self
            .poses
            .iter()
            .map(|[a, b]| [Posed::new(&self.trees[0], a), Posed::new(&self.trees[1], b)])
            .collect();
        let pairs: Vec<[&Posed; 2]> = placed.iter().map(|[a, b]| [a, b]).collect();
        let mut alone = Work::default();
        let mut residence = Residence::new(device, Limits::default());
        let before = device.tally();
        match self.asked {
            Asked::Contacts => {
                let mut scratch = contacts::Scratch::default();
                let expected: Vec<_> =
                    pairs.iter().map(|[a, b]| contacts(a, b, &mut scratch, &mut alone)).collect();
                let found = residence.contacts_of_all(&pairs, usize::MAX).expect("it computes");
                assert!(found.iter().map(|(contacts, _)| contacts).eq(&expected));
            }
            Asked::Distance => {
                let mut scratch = nearest::Scratch::default();
                let found = residence.nearest_of_all(&pairs, f64::INFINITY);
                for ([a, b], (found, _)) in pairs.iter().zip(found) {
                    let expected = nearest_apart(a, b, f64::INFINITY, &mut scratch, &mut alone);
                    assert_eq!(found, Some(expected));
                }
            }
        }
        self.print(&alone, &before, &device.tally());
    }

    fn print(&self, alone: &Work, before: &Tally, after: &Tally) {
        let since = |count: fn(&Tally) -> u64| count(after) - count(before);
        let tests = since(|t| t.triangle_tests);
        let [meets, unsure] = [since(|t| t.meets), since(|t| t.unsure)];
        let left = match self.asked {
            Asked::Contacts => unsure,
            Asked::Distance => since(|t| t.survivors),
        };
        println!(
            "| {} | {} | {} | {} | {tests} | {} | {} | {meets} | {left} | {} | {} | {} | {} | {:.3} |",
            self.name,
            if self.asked == Asked::Contacts { "contacts" } else { "distance" },
            8 * since(|t| t.items),
            alone.box_tests,
            alone.triangle_tests,
            tests - meets - left,
            since(|t| t.rounds),
            since(|t| t.bytes_up),
            since(|t| t.bytes_down),
            after.peak_bytes,
            after.waited_s - before.waited_s,
        );
    }
}

fn main() {
    let choice =
        std::env::var("CLOSEFIT_ADAPTER").map_or(Choice::Best, |name| name.parse().expect("infallible"));
    let device = match Device::open(&choice) {
        Ok(device) => device,
        Err(error) => return println!("no adapter: {error}"),
    };
    println!("{}\n", device.name());
    println!(
        "| scene | asked | box tests | on the CPU | triangle pairs | on the CPU | proven apart | proven to meet | left to \
         the CPU | rounds | bytes up | bytes down | peak bytes | s waited |"
    );
    println!("|{}", "---|".repeat(14));
    for (asked, name, size, count) in [
        (Asked::Contacts, "tori", 10_000, 1_000),
        (Asked::Contacts, "tori", 1_000_000, 20),
        (Asked::Contacts, "nested", 100_000, 1),
        (Asked::Contacts, "bolt-nut", 50_000, 1),
        (Asked::Distance, "tori", 10_000, 1),
        (Asked::Distance, "tori", 1_000_000, 1),
        (Asked::Distance, "nested", 100_000, 1),
        (Asked::Distance, "bolt-nut", 50_000, 1),
    ] {
        Case::new(asked, name, size, count).measure(device);
    }
}

//! Failures of a device: one error, then the CPU answers. A process opens one device, so each failure has its
//! own process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::Duration;

use closefit::internals::broad::brute;
use closefit::internals::broad::counts::Counts;
use closefit::internals::broad::on_device::{self as broad, Frame};
use closefit::internals::bvh::moving::StretchQuestion;
use closefit::internals::bvh::pairs_on_device::PairsOnDevice;
use closefit::internals::bvh::wide_obb::on_device::{Limits, Residence};
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::question::Question;
use closefit::internals::gpu::Use;
use closefit::method::Boxes;
use closefit::{Aabb, Device, DeviceError, Work};
use closefit_geometry::motion::moment::Moment;
use glam::DVec3;

use crate::groups::all_questions;
use crate::scenes::trees;

/// Environment variable that names the failure to provoke in a process.
pub const FAILURE: &str = "CLOSEFIT_TEST_FAILURE";

/// The failure of which nobody takes notice: kernels can bind 1 MiB.
pub const NARROW: &str = "narrow";

/// A fault of kernels: its name, a text in a shader, and the text that takes its place.
pub type Fault = (&'static str, &'static str, &'static str);

/// Makes a fault in the shaders that are compiled from now on.
pub fn inject((_, text, instead): Fault, device: Device) {
    device.rewrite_shaders(Some(Box::new(move |source| source.replace(text, instead))));
}

/// Injects one of the faults if `failure` names it, and checks that `check` finds it. Returns true if it
/// names one.
pub fn play_fault(faults: &[Fault], failure: &str, device: Device, check: impl FnOnce()) -> bool {
    let Some(&fault) = faults.iter().find(|(name, ..)| *name == failure) else { return false };
    inject(fault, device);
    assert!(catch_unwind(AssertUnwindSafe(check)).is_err(), "{failure}");
    true
}

/// Checks that faults are found. Each has a process, and so kernels, of its own.
pub fn are_found(faults: &[Fault]) {
    for (name, ..) in faults {
        run_with(name);
    }
}

/// Provokes a failure in this process and checks the answers.
pub fn play(failure: &str, device: Device) {
    let plays = [crate::groups::play, crate::octets::play, crate::sorting::play, crate::stretches::play];
    if plays.iter().any(|play| play(failure, device)) {
        return;
    }
    let ([of_a, of_b], [pose_a, mut pose_b]) = trees("tori", 2_000);
    pose_b.rows = pose_a.rows;
    pose_b.rows[0][3] += 0.05;
    let (a, b) = (PosedWideObb::new(&of_a, &pose_a), PosedWideObb::new(&of_b, &pose_b));
    let mut residence = Residence::new(device, closefit_testing::on_device::limits());
    let mut question = Question::Contacts;
    if failure == NARROW {
        return narrow(device);
    }
    let is_expected: fn(&DeviceError) -> bool = match failure {
        "destroyed" => {
            residence.ask(&[(&a, &b, Question::Contacts)]).expect("it computes");
            device.destroy();
            |error| !matches!(error, DeviceError::TimedOut { .. })
        }
        "destroyed while it computes" => {
            std::thread::spawn(move || {
                while device.tally().rounds == 0 {
                    std::thread::yield_now();
                }
                device.destroy();
            });
            |error| !matches!(error, DeviceError::TimedOut { .. })
        }
        "destroyed while octets answer" => {
            residence = Residence::new(device, Limits { groups: 1, steps: 1, ..all_questions() });
            question = Question::Touches;
            std::thread::spawn(move || {
                while device.tally().box_steps == 0 {
                    std::thread::yield_now();
                }
                device.destroy();
            });
            |error| !matches!(error, DeviceError::TimedOut { .. })
        }
        "destroyed while it sweeps" => {
            std::thread::spawn(move || {
                while device.tally().launches == 0 {
                    std::thread::yield_now();
                }
                device.destroy();
            });
            while device.failure().is_none() {
                candidate_pairs_are_found(device);
            }
            |error| !matches!(error, DeviceError::TimedOut { .. })
        }
        "slow" => {
            device.set_patience(Duration::ZERO);
            |error| matches!(error, DeviceError::TimedOut { .. })
        }
        "full" => {
            device.lend(Use::Storage, 1 << 50).expect_err("no device has so much");
            |error| *error == DeviceError::OutOfMemory
        }
        other => panic!("unknown failure {other}"),
    };
    let mut answers = (0..1000).map(|_| residence.ask(&[(&a, &b, question)]));
    let error = answers.find_map(Result::err).expect("it has failed");
    println!("{failure}: {}", error.in_one_line());
    assert!(is_expected(&error) && !error.in_one_line().contains('\n'), "{error:?}");
    assert_eq!(device.failure(), Some(error));
    // The engine then falls back to the CPU.
    let mut residence = Residence::on(device).expect("the default tree has kernels");
    assert_eq!(residence.contacts_of_all(&[[&a, &b]], usize::MAX), None);
    let nearest = residence.nearest_of_all(&[[&a, &b]], 1.0).expect("it has a device");
    assert_eq!(nearest, [(None, Work::default())]);
    candidate_pairs_are_found(device);
    crate::rows::rows_are_decided(device);
    let moment = Moment {
        poses: [pose_a, pose_b],
        time: 0.0,
        half: 0.0,
        velocity: DVec3::ZERO,
        angular: DVec3::ZERO,
        acceleration_bound: [0.0; 2],
        speed: 0.0,
        slack: 0.0,
    };
    let question = StretchQuestion { trees: [&of_a, &of_b], moment, limit: 0.0, levels: 0 };
    assert_eq!(residence.open_parts_of_all(Boxes::default(), &[question]), None);
}

/// Checks candidate pairs, which the CPU finds if the device has failed or does so meanwhile.
fn candidate_pairs_are_found(device: Device) {
    let cube = |i: i32| Aabb { lo: DVec3::splat(f64::from(i)), hi: DVec3::splat(f64::from(i) + 2.5) };
    let boxes: Vec<Aabb> = (0..1000).map(cube).collect();
    let frame = Frame::new(device, broad::Limits::default(), &boxes, 0.0);
    let near = brute::near_pairs(&boxes, 0.0);
    assert!(frame.near_pairs(0..1000, |_| true) == near && frame.box_tests() > 0);
    let counts = Counts::new(1000);
    frame.count(&counts, |_| true);
    assert_eq!(counts.into_parts().0.into_iter().sum::<u32>() as usize, near.len());
}

/// Checks contacts and distances in arenas of 1 MiB.
fn narrow(device: Device) {
    assert_eq!(device.largest_binding(), 1 << 20);
    let size = crate::scenes(&[20_000], &[2_000])[0];
    let (trees, poses) = trees("tori", size);
    let [a, b] = [0, 1].map(|i| PosedWideObb::new(&trees[i], &poses[i]));
    let near = PosedWideObb::new(&trees[1], &poses[0]);
    let questions = [
        (&a, &near, Question::Touches),
        (&a, &b, Question::Contacts),
        (&b, &a, Question::Within(f64::INFINITY)),
    ];
    let mut residence = Residence::new(device, closefit_testing::on_device::limits());
    let (found, _) = residence.ask(&questions).expect("it computes");
    assert!(residence.bytes() > 105 * u64::from(size));
    for ((a, b, question), found) in questions.iter().zip(found) {
        assert_eq!(found, question.ask(a, b, &mut Work::default()));
    }
    crate::candidate_pairs::many_boxes_in_many_pages(device);
    assert_eq!(device.failure(), None);
    println!("narrow: {} bytes of trees", residence.bytes());
}

pub fn the_cpu_goes_on_without_a_device(_: Device) {
    let failures = [
        "destroyed",
        "destroyed while it computes",
        "destroyed while octets answer",
        "destroyed while it sweeps",
        "slow",
        "full",
        NARROW,
    ];
    for failure in failures {
        run_with(failure);
    }
}

/// Runs this program with a failure, checks that it succeeds, and returns what it printed.
pub fn run_with(failure: &str) -> String {
    let this = std::env::current_exe().expect("this program");
    let output = Command::new(this).env(FAILURE, failure).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{failure}: {said} {}", String::from_utf8_lossy(&output.stderr));
    print!("{said}");
    said.into_owned()
}

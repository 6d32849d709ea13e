//! Compares the distances of whole scenes on the device and on the CPU, and the numbers of box tests and
//! rounds.

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::pairs_on_device::PairsOnDevice;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::on_device::{Limits, Residence};
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::question::{Answer, Question};
use closefit::{Device, Tally, Work};

use crate::scenes::{around, trees};

/// Searches the distance of the first two parts of a scene; returns the box tests of the CPU and the work of
/// the device. A block counts as eight box tests on both.
pub fn search(device: Device, limits: Limits, name: &str, size: u32) -> (u64, Tally) {
    let (trees, poses) = trees(name, size);
    let [a, b] = [0, 1].map(|i| PosedWideObb::new(&trees[i], &poses[i]));
    let mut alone = Work::default();
    let expected = WideObb::nearest(&a, &b, f64::INFINITY, &mut alone);
    let mut residence = Residence::new(device, limits);
    let before = device.tally();
    let found = residence.nearest_of_all(&[[&a, &b]], f64::INFINITY).expect("it has a device");
    let work = device.tally() - before;
    assert_eq!(found[0].0, Some(expected), "{name} {size}");
    let work = Tally { box_tests: 8 * work.items, ..work };
    println!(
        "{name} {size}: box tests {} ({} alone), triangle pairs {} ({} alone), survivors {} ({} exact alone), rounds {}, \
         bytes up {} down {} peak {}, waited {:.3} s",
        work.box_tests,
        alone.box_tests,
        work.triangle_tests,
        alone.triangle_tests,
        work.survivors,
        alone.exact_tests,
        work.distance_rounds,
        work.bytes_up,
        work.bytes_down,
        work.peak_bytes,
        work.waited_s,
    );
    (alone.box_tests, work)
}

/// Checks the distances of single pairs. The device makes hardly more box tests than the CPU, in few rounds.
pub fn few_rounds_and_tests_suffice(device: Device) {
    for (name, size) in [("tori", 10_000), ("nested", 10_000), ("bolt-nut", 10_000)] {
        let (alone, work) = search(device, Limits::default(), name, size);
        assert!(5 * work.box_tests <= 6 * alone && work.distance_rounds <= 50, "{name}");
    }
}

/// Returns true if two answers are the same. In contact, any triangles that touch are the closest.
pub fn are_same(found: &Answer, expected: &Answer) -> bool {
    match (found, expected) {
        (Answer::Within(Some((found, _))), Answer::Within(Some((expected, _))))
            if expected.distance == 0.0 =>
        {
            found.distance == 0.0
        }
        _ => found == expected,
    }
}

/// Compares the answers to questions about distances, in contact and apart, with limits of all kinds; returns
/// the work of the device.
pub fn compare(device: Device, limits: Limits, name: &str, size: u32, count: u32) -> Tally {
    let ([of_a, of_b], [pose_a, pose_b]) = trees(name, size);
    let a = PosedWideObb::new(&of_a, &pose_a);
    let placed: Vec<PosedWideObb> =
        around(&pose_b, count).iter().map(|pose| PosedWideObb::new(&of_b, pose)).collect();
    let mut questions = Vec::new();
    for (i, b) in placed.iter().enumerate() {
        let (one, other) = if i % 2 == 0 { (&a, b) } else { (b, &a) };
        let mut work = Work::default();
        questions.push((one, other, Question::Within(f64::INFINITY)));
        if let Answer::Within(Some((nearest, _))) = Question::Within(f64::INFINITY).ask(one, other, &mut work)
        {
            let distance = nearest.distance;
            for limit in [distance, distance.next_down(), 1.5 * distance, 0.0, -1.0, f64::NAN] {
                questions.push((one, other, Question::Within(limit)));
            }
        }
        questions.push((one, other, Question::Touches));
    }
    let before = device.tally();
    let (found, _) = Residence::new(device, limits).ask(&questions).expect("it computes");
    let work = device.tally() - before;
    let mut apart = 0;
    for ((one, other, question), found) in questions.iter().zip(found) {
        let expected = question.ask(one, other, &mut Work::default());
        assert!(
            are_same(&found, &expected),
            "{name} {question:?} {:?} {:?}: {found:?}, not {expected:?}",
            one.pose,
            other.pose
        );
        apart +=
            usize::from(matches!(expected, Answer::Within(Some((nearest, _))) if nearest.distance > 0.0));
    }
    assert!(apart > 0 && work.distances > 0, "{name}");
    work
}

pub fn distances_are_those_of_the_cpu(device: Device) {
    let usual = [("tori", 3_000, 6), ("nested", 800, 6), ("bolt-nut", 5_000, 6), ("boxes", 24, 6)];
    for (name, size, count) in
        crate::scenes(&usual, &[("tori", 300, 1), ("nested", 100, 1), ("boxes", 24, 6)])
    {
        compare(device, closefit_testing::on_device::limits(), name, size, count);
    }
}

/// Checks that a minimal queue, small rounds and trees in many pieces change no answer.
pub fn little_room_changes_nothing(device: Device) {
    for (arena, stack, leaves, round) in
        [(1 << 20, 64, 64, 1 << 17), (20_000, 0, 8, 16), (u64::MAX, 4096, 64, 64)]
    {
        let limits = Limits { arena, stack, leaves, round, ..closefit_testing::on_device::limits() };
        for (name, size) in [("tori", 300), ("nested", 100)] {
            compare(device, limits, name, size, 1);
        }
    }
}

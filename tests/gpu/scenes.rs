//! Compares the contacts of whole scenes on the device and on the CPU.

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::pairs_on_device::PairsOnDevice;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::on_device::{Limits, Residence};
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::question::{Answer, Question};
use closefit::{Device, Pose, Refused, Tally, Work};
use closefit_generate::{Request, generate};

/// Returns the trees and poses of a scene's first two parts.
pub fn trees(name: &str, size: u32) -> ([WideObb; 2], [Pose; 2]) {
    let request = Request { name: name.to_owned(), size: Some(size), seed: 0, soup: false };
    let scene = generate(&request).expect("a scene");
    let trees = [0, 1].map(|i| WideObb::build(&scene.meshes[scene.parts[i].mesh.index()]));
    (trees, [0, 1].map(|i| scene.parts[i].pose))
}

/// Returns poses around a given one: near and far, turned, mirrored and scaled.
pub fn around(pose: &Pose, count: u32) -> Vec<Pose> {
    let mut poses = vec![*pose];
    for k in 1..count {
        let t = f64::from(k);
        let turn = [(t * 0.7).sin(), (t * 1.3).sin(), (t * 2.1).sin(), 0.3 + (t * 0.9).cos()];
        let size = [1.0, 1.0, 1.0, -1.0, 0.5, 3.0, 0.01, 1e-3][k as usize % 8];
        let shift = [(t * 1.7).sin(), (t * 2.3).sin(), (t * 3.1).sin()].map(|x| x * 1.2);
        poses.push(Pose::from_trs(turn, [size, size.abs(), size.abs()], shift).expect("a turn"));
        let mut near = *pose;
        near.rows[k as usize % 3][3] += 0.02 / t;
        poses.push(near);
    }
    poses
}

/// Compares the answers of device and CPU; returns the work of the device.
pub fn compare(device: Device, limits: Limits, name: &str, size: u32, count: u32) -> Tally {
    let ([of_a, of_b], [pose_a, pose_b]) = trees(name, size);
    let a = PosedWideObb::new(&of_a, &pose_a);
    let placed: Vec<PosedWideObb> =
        around(&pose_b, count).iter().map(|pose| PosedWideObb::new(&of_b, pose)).collect();
    let questions: Vec<(&PosedWideObb, &PosedWideObb, Question)> = placed
        .iter()
        .enumerate()
        .flat_map(|(i, b)| {
            let (one, other) = if i % 2 == 0 { (&a, b) } else { (b, &a) };
            [(one, other, Question::Contacts), (other, one, Question::Touches)]
        })
        .collect();
    let before = device.tally();
    let (found, work) = Residence::new(device, limits).ask(&questions).expect("it computes");
    let done = device.tally() - before;
    let mut alone = Work::default();
    for ((one, other, question), found) in questions.iter().zip(found) {
        assert_eq!(found, question.ask(one, other, &mut alone), "{name} {:?} {:?}", one.pose, other.pose);
        assert_ne!(found, Answer::Within(None));
    }
    println!(
        "{name} {size}: box tests {} ({} alone), triangle pairs {} ({} alone), meets {}, unsure {}, extra {}, \
         refused {}, rounds {}, waited {:.3} s",
        work.box_tests,
        alone.box_tests,
        done.triangle_tests,
        alone.triangle_tests,
        done.meets,
        done.unsure,
        done.extra_unsure,
        done.refused.total(),
        done.rounds,
        done.waited_s,
    );
    done
}

pub fn contacts_are_those_of_the_cpu(device: Device) {
    let usual = [
        ("tori", 10_000, 12),
        ("nested", 3_000, 12),
        ("bolt-nut", 10_000, 12),
        ("wrinkled-torus", 10_000, 12),
    ];
    for (name, size, count) in
        crate::scenes(&usual, &[("tori", 500, 2), ("nested", 150, 2), ("pipes", 1_000, 2)])
    {
        compare(device, closefit_testing::on_device::limits(), name, size, count);
    }
}

/// The work of a device on the contacts of some pairs.
struct Contacts {
    tests: u64,
    unsure: u64,
    extra_unsure: u64,
}

/// Asks for the contacts of pairs, and compares them, and the number that the device proves apart, with those
/// of the CPU.
fn contacts_of(device: Device, name: &str, pairs: &[[&PosedWideObb; 2]]) -> Contacts {
    let questions: Vec<_> = pairs.iter().map(|&[a, b]| (a, b, Question::Contacts)).collect();
    let before = device.tally();
    let (found, _) =
        Residence::new(device, closefit_testing::on_device::limits()).ask(&questions).expect("it computes");
    let tally = device.tally() - before;
    let mut contacts = 0;
    for ((a, b, question), found) in questions.iter().zip(found) {
        assert_eq!(found, question.ask(a, b, &mut Work::default()), "{name}");
        contacts += if let Answer::Contacts(found) = &found { found.len() as u64 } else { 0 };
    }
    let (tests, apart) = (tally.contact_tests(), tally.proven_apart());
    let Tally { unsure, extra_unsure, .. } = tally;
    println!(
        "{name}: {tests} triangle pairs, {apart} proven apart, {contacts} in contact, {unsure} unsure, {extra_unsure} of them \
         not to the CPU"
    );
    // All that meet are proven to meet or unsure, and all others are proven apart or unsure.
    assert!(tests - contacts - unsure <= apart && apart <= tests - contacts, "{name}");
    Contacts { tests, unsure, extra_unsure }
}

/// Checks the shares of triangle pairs that the device leaves unsure: of all on tori in random poses and
/// nearly coincident, and on an assembly, whose parts touch, of those that the CPU's f64 decides.
pub fn few_triangle_pairs_stay_unsure(device: Device) {
    if closefit_testing::on_device::has_little_room() {
        return;
    }
    let of_tori = |size: u32, shifts: f64, turns: bool| {
        let ([of_a, of_b], [pose, _]) = trees("tori", size);
        let a = PosedWideObb::new(&of_a, &pose);
        let placed: Vec<PosedWideObb> = (1..=40)
            .map(|k| {
                let t = f64::from(k);
                let shift = [(t * 1.7).sin(), (t * 2.3).sin(), (t * 3.1).sin()].map(|x| shifts * x);
                if turns {
                    let turn = [(t * 0.7).sin(), (t * 1.3).sin(), (t * 2.1).sin(), 0.3 + (t * 0.9).cos()];
                    PosedWideObb::new(&of_b, &Pose::from_trs(turn, [1.0; 3], shift).expect("a turn"))
                } else {
                    let mut near = pose;
                    near.rows.iter_mut().zip(shift).for_each(|(row, shift)| row[3] += shift);
                    PosedWideObb::new(&of_a, &near)
                }
            })
            .collect();
        let pairs: Vec<[&PosedWideObb; 2]> = placed.iter().map(|b| [&a, b]).collect();
        contacts_of(device, &format!("tori {size}, shifted by {shifts}"), &pairs)
    };
    let Contacts { tests, unsure, .. } = of_tori(10_000, 1.5, true);
    assert!(tests > 10_000 && 10_000 * unsure <= 5 * tests);
    let Contacts { tests, unsure, .. } = of_tori(10_000, 0.02, false);
    assert!(tests > 10_000 && 100 * unsure <= 2 * tests);

    let request = Request { name: "gearbox".to_owned(), size: Some(24), seed: 0, soup: false };
    let scene = generate(&request).expect("a scene");
    let trees: Vec<WideObb> = scene.meshes.iter().map(|mesh| WideObb::build(mesh)).collect();
    let placed: Vec<PosedWideObb> =
        scene.parts.iter().map(|part| PosedWideObb::new(&trees[part.mesh.index()], &part.pose)).collect();
    let pairs: Vec<[&PosedWideObb; 2]> = (1..placed.len())
        .flat_map(|b| (0..b).map(move |a| [a, b]))
        .map(|pair| pair.map(|i| &placed[i]))
        .collect();
    let Contacts { tests, unsure, extra_unsure } = contacts_of(device, "gearbox 24", &pairs);
    assert!(tests > 1_000 && unsure > 0 && 100 * extra_unsure <= 2 * tests);
}

/// Checks that pairs which stay on the CPU are counted by reason, and answered.
pub fn refusals_are_counted_by_reason(device: Device) {
    let (trees, _) = trees("tori", 800);
    let a = PosedWideObb::new(&trees[0], &Pose::IDENTITY);
    let poses = [
        Pose::scaling([1.0, 2.0, 1.0]),
        Pose::scaling([1e-7; 3]),
        Pose::translation([100.0, 0.0, 0.0]),
        Pose::IDENTITY,
    ];
    let placed = poses.map(|pose| PosedWideObb::new(&trees[1], &pose));
    // Balls prove at once that trees so far apart have no contacts.
    let question = |i: usize| if i == 2 { Question::Within(200.0) } else { Question::Contacts };
    let questions = [0, 1, 2, 3].map(|i| (&a, &placed[i], question(i)));
    let before = device.tally().refused;
    let (found, _) =
        Residence::new(device, closefit_testing::on_device::limits()).ask(&questions).expect("it computes");
    let refused = device.tally().refused - before;
    assert_eq!(refused, Refused { sheared: 1, sizes_differ: 1, far_apart: 1, ..Refused::default() });
    for ((one, other, question), found) in questions.iter().zip(found) {
        assert_eq!(found, question.ask(one, other, &mut Work::default()));
    }
}

/// Checks that a minimal queue, small rounds and trees in many pieces change no answer.
pub fn little_room_changes_nothing(device: Device) {
    for (arena, stack, leaves, round) in
        [(1 << 20, 64, 64, 1 << 17), (u64::MAX, 0, 8, 8), (20_000, 4096, 512, 64), (u64::MAX, 100_000, 64, 1)]
    {
        let limits = Limits { arena, stack, leaves, round, ..closefit_testing::on_device::limits() };
        for (name, size) in [("tori", 800), ("nested", 100), ("pipes", 1_000)] {
            compare(device, limits, name, size, 2);
        }
    }
}

/// A pair with too many contacts keeps one more than the limit, so that memory is bounded by the limit.
pub fn contacts_beyond_a_limit_are_dropped(device: Device) {
    let ([of_a, of_b], [pose_a, mut pose_b]) = trees("tori", 2_000);
    pose_b.rows = pose_a.rows;
    pose_b.rows[0][3] += 0.05;
    let far = Pose { rows: [[1.0, 0.0, 0.0, 9.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };
    let [a, b, far] =
        [(&of_a, &pose_a), (&of_b, &pose_b), (&of_b, &far)].map(|(tree, pose)| PosedWideObb::new(tree, pose));
    let all = WideObb::contacts(&a, &b, usize::MAX, &mut Work::default());
    assert!(all.len() > 100);
    let mut residence = Residence::on(device).expect("the default tree has kernels");
    for most in [0, 1, 10, all.len() - 1, all.len(), usize::MAX] {
        let found = residence.contacts_of_all(&[[&a, &b], [&a, &far], [&a, &b]], most);
        let found = found.expect("it computes");
        assert_eq!(device.failure(), None);
        for found in [&found[0].0, &found[2].0] {
            assert_eq!(found.len(), all.len().min(most.saturating_add(1)), "{most}");
            assert!(found.iter().all(|contact| all.binary_search(contact).is_ok()), "{most}");
        }
        assert!(found[1].0.is_empty());
    }
}

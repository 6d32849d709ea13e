//! Searches by groups of four teams of eight lanes, each with a question of its own.

use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::on_device::{Limits, Residence};
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::question::{Answer, Question};
use closefit::{Device, Pose, Tally, Work};
use closefit_testing::all_pairs::pose;
use closefit_testing::cases;
use closefit_testing::meshes::{ball, cuboid, mesh, moved, octahedron, square_ring};
use closefit_testing::rng::Rng;
use glam::DVec3;

use crate::distances::are_same;
use crate::failures::{Fault, are_found, play_fault};
use crate::groups::all_questions;
use crate::inputs;

/// Returns small bodies: closed ones, one far from the origin of its frame, a single triangle, and some
/// without area.
fn bodies() -> Vec<WideObb> {
    let soups = [
        ball(DVec3::ZERO, 0.5, 1),
        cuboid([-0.6, -0.1, -0.2], [0.6, 0.1, 0.2]),
        square_ring(0.4, 0.7, -0.1, 0.1),
        moved(&octahedron(DVec3::ZERO, 0.5), DVec3::new(300.0, -200.0, 100.0)),
        vec![[DVec3::X, DVec3::Y, DVec3::Z]],
        vec![[DVec3::new(-0.5, 0.0, 0.0), DVec3::new(0.5, 0.0, 0.0), DVec3::ZERO]],
        [0.0, 0.1, 0.2].map(|x| [DVec3::splat(x); 3]).to_vec(),
        // Two bodies in one place.
        [octahedron(DVec3::ZERO, 0.5), octahedron(DVec3::ZERO, 0.5)].concat(),
    ];
    soups.iter().map(|soup| WideObb::build(&mesh(soup))).collect()
}

/// Returns a tree at a random pose whose middle is near `place`.
fn placed<'a>(rng: &mut Rng, tree: &'a WideObb, place: DVec3) -> PosedWideObb<'a> {
    let mut pose: Pose = pose(rng);
    let shift = place + rng.point() * 0.3 - pose.apply(tree.center);
    pose.rows.iter_mut().zip(shift.to_array()).for_each(|(row, shift)| row[3] += shift);
    PosedWideObb::new(tree, &pose)
}

/// Compares the answers of octets to so many random questions with the CPU's. Returns the work of the device,
/// and the number of questions about trees in contact.
fn compare(device: Device, limits: Limits, rng: &mut Rng, count: usize) -> (Tally, usize) {
    let bodies = bodies();
    let pairs: Vec<[PosedWideObb; 2]> = (0..count)
        .map(|_| {
            let place = rng.point() * [0.0, 1.0, 1e3, 1e6][rng.index(4)];
            [0, 1].map(|_| {
                let tree = &bodies[rng.index(bodies.len())];
                placed(rng, tree, place)
            })
        })
        .collect();
    let kinds = [Question::Contacts, Question::Touches, Question::Within(f64::INFINITY)];
    let questions: Vec<(&PosedWideObb, &PosedWideObb, Question)> =
        pairs.iter().map(|[a, b]| (a, b, kinds[rng.index(3)])).collect();
    let before = device.tally();
    let (found, _) = Residence::new(device, limits).ask(&questions).expect("it computes");
    let (work, mut met) = (device.tally() - before, 0);
    for ((a, b, question), found) in questions.iter().zip(&found) {
        let expected = question.ask(a, b, &mut Work::default());
        assert!(
            are_same(found, &expected),
            "{question:?} {:?} {:?}: {found:?}, not {expected:?}",
            a.pose,
            b.pose
        );
        met += usize::from(match &expected {
            Answer::Contacts(contacts) => !contacts.is_empty(),
            Answer::Touches(touches) => *touches,
            Answer::Within(nearest) => nearest.is_some_and(|(nearest, _)| nearest.distance == 0.0),
        });
    }
    (work, met)
}

/// Checks random questions by few groups and by many.
pub fn random_pairs_are_those_of_the_cpu(device: Device) {
    const TOGETHER: usize = 500;
    let (mut rng, mut work, mut met) = (Rng::new("octets", 0), Tally::default(), 0);
    let batches = inputs().map_or(cases(20), |inputs| inputs.div_ceil(TOGETHER));
    for batch in 0..batches {
        let limits = Limits { groups: [1, 7, 1 << 12][batch % 3], ..all_questions() };
        let (done, in_contact) = compare(device, limits, &mut rng, TOGETHER);
        work += done;
        met += in_contact;
    }
    let asked = batches * TOGETHER;
    println!("{asked} asked, {} by groups, {met} in contact, {} rounds", work.answered, work.rounds);
    assert!(work.answered as usize > asked / 2 && 5 * met > asked && 5 * met < 4 * asked);
    assert_eq!(work.rounds, 0);
}

/// Checks batches that leave teams without a question.
pub fn few_questions_are_answered(device: Device) {
    let (mut rng, mut work) = (Rng::new("few octets", 0), Tally::default());
    for groups in [64, 2, 1] {
        for count in 1..=9 {
            for _ in 0..4 {
                work += compare(device, Limits { groups, ..all_questions() }, &mut rng, count).0;
            }
        }
    }
    assert!(work.answered > 200 && work.rounds == 0, "{}", work.answered);
}

/// Checks launches that resume others, and rounds that go on: by few groups with few steps, with the least
/// room for items, leaf pairs and records.
pub fn what_is_left_goes_on(device: Device) {
    let (mut rng, mut work) = (Rng::new("octets in few steps", 0), Tally::default());
    for (groups, steps, leaves, stack) in [
        (1, 1, 1 << 20, 1 << 20),
        (3, 1, 8, 0),
        (2, u32::MAX, 8, 0),
        (16, 2, 1 << 20, 0),
        (1, 3, 8, 1 << 20),
        (64, 5, 100, 100),
    ] {
        let limits = Limits { groups, steps, leaves, stack, ..all_questions() };
        for count in [3, 30, 200] {
            work += compare(device, limits, &mut rng, count).0;
        }
    }
    println!("{} launches, {} rounds", work.launches, work.rounds);
    assert!(work.launches > 500 && work.rounds > 10, "{} launches", work.launches);
}

/// Faults by which teams of a group meddle with each other.
const FAULTS: [Fault; 9] = [
    ("known of the first team", "|| atomicLoad(&is_known[team]) != 0u", "|| atomicLoad(&is_known[0]) != 0u"),
    ("the plan of the first team", "let plan = planned[team];", "let plan = planned[0];"),
    (
        "leaf pairs of the question before",
        "atomicStore(&box_count[team], 0u);\n    atomicStore(&leaf_count[team], 0u);",
        "atomicStore(&box_count[team], 0u);",
    ),
    ("items of two teams on one stack", "items[team][to] =", "items[team & ~1u][to] ="),
    ("leaf pairs of two teams together", "leaf_pairs[team][to] =", "leaf_pairs[team & ~1u][to] ="),
    (
        "the first team's item opened by all",
        "let block = opened[team][k].block;",
        "let block = opened[0][k].block;",
    ),
    ("what is left by one team of a group", "HEAD * (TEAMS * group + team);", "HEAD * TEAMS * group;"),
    (
        "leaf pairs tested of the first team only",
        "if lane == 0u && to.is_full == 0u",
        "if is_first(lane) && to.is_full == 0u",
    ),
    ("one contact enough as for the first team", "one_is_enough[team] != 0u {", "one_is_enough[0] != 0u {"),
];

/// Injects one of the faults if `failure` names it, and checks that it is found. Returns true if it does.
pub fn play(failure: &str, device: Device) -> bool {
    play_fault(&FAULTS, failure, device, || {
        // First, since some of the faults never come to an end with more questions than teams.
        few_questions_are_answered(device);
        random_pairs_are_those_of_the_cpu(device);
        what_is_left_goes_on(device);
    })
}

/// Checks that faults of the kernel are found. Each has a process, and so kernels, of its own.
pub fn faults_are_found(_: Device) {
    are_found(&FAULTS);
}

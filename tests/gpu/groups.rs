//! Searches by groups of lanes.

use closefit::internals::bvh::wide_obb::on_device::Limits;
use closefit::{Device, Tally};

use crate::distances;
use crate::failures::{Fault, are_found, play_fault};
use crate::scenes::compare;

/// Returns limits with which groups answer all questions.
pub fn all_questions() -> Limits {
    Limits { groups_from: Some(1), ..closefit_testing::on_device::limits() }
}

pub fn answers_are_those_of_the_cpu(device: Device) {
    let usual = [
        ("tori", 10_000, 20),
        ("nested", 3_000, 12),
        ("bolt-nut", 10_000, 12),
        ("wrinkled-torus", 10_000, 12),
        ("boxes", 60, 20),
    ];
    let smaller = [("tori", 500, 6), ("nested", 150, 6), ("pipes", 1_000, 6)];
    for (name, size, count) in crate::scenes(&usual, &smaller) {
        let Tally { answered, pairs, .. } = compare(device, all_questions(), name, size, count);
        assert!(answered > 0 && answered <= pairs, "{name}: {answered} of {pairs}");
    }
}

pub fn distances_are_those_of_the_cpu(device: Device) {
    let usual = [("tori", 3_000, 6), ("nested", 800, 6), ("bolt-nut", 5_000, 6), ("boxes", 24, 6)];
    let smaller = [("tori", 300, 2), ("nested", 100, 2), ("boxes", 24, 6)];
    for (name, size, count) in crate::scenes(&usual, &smaller) {
        let work = distances::compare(device, all_questions(), name, size, count);
        assert_eq!(work.distance_rounds, 0, "{name}");
    }
}

/// Checks launches that resume others, and rounds that go on: by few groups with few steps, with little room,
/// or about trees in many pieces, which share a limit.
pub fn distances_left_go_on(device: Device) {
    let (all, mut work) = (all_questions(), Tally::default());
    for (groups, steps, leaves, stack, arena) in [
        (1, 7, 1 << 20, 1 << 20, 1 << 20),
        (3, 1, 1 << 20, 1 << 20, 1 << 20),
        (2, u32::MAX, 8, 0, 20_000),
        (64, 5, 1 << 20, 1 << 20, 20_000),
        (1, 3, 100, 100, 1 << 20),
    ] {
        let limits = Limits { groups, steps, leaves, stack, arena, ..all };
        for (name, size) in [("tori", 300), ("nested", 100)] {
            work += distances::compare(device, limits, name, size, 1);
        }
    }
    assert!(work.launches > 1_000 && work.distance_rounds > 20, "{} launches", work.launches);
}

/// Checks launches that resume others: by few groups with few steps, or with little room.
pub fn what_is_left_goes_on(device: Device) {
    let (all, mut work) = (all_questions(), Tally::default());
    for (groups, steps, leaves, stack) in [
        (1, 7, 1 << 20, 1 << 20),
        (3, 1, 1 << 20, 1 << 20),
        (2, u32::MAX, 8, 0),
        (64, 1, 1 << 20, 1 << 20),
        (64, 5, 1 << 20, 1 << 20),
        (1, 3, 100, 100),
    ] {
        let limits = Limits { groups, steps, leaves, stack, ..all };
        for (name, size) in [("tori", 800), ("nested", 100), ("pipes", 1_000)] {
            work += compare(device, limits, name, size, 6);
        }
    }
    assert!(work.launches > 1_000 && work.rounds > 20, "{} launches", work.launches);
}

/// Faults of the kernels.
const FAULTS: [Fault; 10] = [
    ("answered with boxes to open", "return atomicLoad(&box_count[team]) +", "return "),
    ("answered with leaf pairs to test", "+ atomicLoad(&leaf_count[team]) == 0u;", "== 0u;"),
    (
        "left without its items",
        "for (var i = lane; i < atomicLoad(&box_count[team]);",
        "for (var i = lane; i < 1u;",
    ),
    ("records beside their places", "to.next + number - to.vacant", "to.next + number"),
    (
        "boxes dropped that may be nearest",
        "at_least = bitcast<u32>(bounds.x);",
        "at_least = bitcast<u32>(bounds.y);",
    ),
    (
        "a limit below the distance",
        "atomicMin(&limit, bitcast<u32>(bounds.y));",
        "atomicMin(&limit, bitcast<u32>(bounds.x));",
    ),
    ("items dropped within the limit", "if boxes == 0u || items[team]", "if boxes == 0u || 2u * items[team]"),
    (
        "items of a step on each other",
        "i < LANES; i++) {\n            to +=",
        "i < 8u; i++) {\n            to +=",
    ),
    (
        "leaf pairs tested in vain",
        "atomicStore(&leaf_count[team], now.begin);",
        "atomicStore(&leaf_count[team], 0u);",
    ),
    (
        "placed on the opposite side",
        "minus(origin(guest, exponent), origin(home, exponent))",
        "minus(origin(home, exponent), origin(guest, exponent))",
    ),
];

/// Injects one of the faults if `failure` names it, and checks that it is found. Returns true if it does.
pub fn play(failure: &str, device: Device) -> bool {
    play_fault(&FAULTS, failure, device, || {
        answers_are_those_of_the_cpu(device);
        what_is_left_goes_on(device);
        distances_are_those_of_the_cpu(device);
    })
}

/// Checks that faults of the kernels are found. Each has a process, and so kernels, of its own.
pub fn faults_are_found(_: Device) {
    are_found(&FAULTS);
}

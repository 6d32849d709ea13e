//! The work of a sweep, as the number of tests that it makes: it depends neither on the machine nor on the
//! clock.

use std::f64::consts::TAU;

use closefit::{Between, Executor, Method, Strategy, TreeKind, Work};
use closefit_testing::meshes::{Soup, cuboid};
use closefit_testing::motions::{STRAIGHT, direction, key, torus};
use closefit_testing::over_time::{Answer, Pair, Path};
use closefit_testing::rng::Rng;
use glam::DVec3;

fn scaled(soup: &Soup, by: f64) -> Soup {
    soup.iter().map(|t| t.map(|p| p * by)).collect()
}

fn spin(axis: DVec3, turns: f64) -> Path {
    Path::Hinge { axis, times: vec![0.0, 1.0], angles: vec![0.0, turns * TAU] }
}

fn straight(from: DVec3, to: DVec3) -> Path {
    Path::Keys(vec![key(0.0, STRAIGHT, from), key(1.0, STRAIGHT, to)], Between::Linear)
}

/// Returns the answer and the work with the default tree.
fn by_default(pair: &Pair) -> (Answer, Work) {
    let simd = Strategy::new(TreeKind::OBB, Some(Executor::Simd)).expect("it has both executors");
    pair.answer(simd).expect("a precision that f64 has")
}

fn by_reference(pair: &Pair) -> (Answer, Work) {
    let rapid = Strategy::new(closefit_methods::RAPID, None).expect("it has an executor");
    pair.answer(rapid).expect("a precision that f64 has")
}

/// The motion of the smaller torus.
#[derive(Clone, Copy, Debug)]
enum Way {
    FliesStraight,
    FliesAndTurns,
    FliesAndSpins,
    Circles,
}

/// Returns a pair of tori, the second scaled, that pass each other at a distance of about `miss` times their
/// sizes.
fn passing(r: &mut Rng, size: f64, miss: f64, way: Way) -> Pair {
    let big = torus(20, 10, 0.35);
    let small = scaled(&big, size);
    let toward = direction(r);
    let aside = toward.cross(direction(r)).normalize() * (miss * 1.35 * (1.0 + size));
    let reach = toward * (3.0 * (1.0 + miss));
    let [from, to] = [aside - reach, aside + reach];
    let (q0, q1) = (r.quaternion(), r.quaternion());
    let joints = match way {
        Way::FliesStraight => vec![(None, straight(from, to))],
        Way::FliesAndTurns => {
            let between = if r.coin() { Between::Linear } else { Between::Screw };
            vec![(None, Path::Keys(vec![key(0.0, q0, from), key(1.0, q1, to)], between))]
        }
        Way::FliesAndSpins => vec![(None, straight(from, to)), (Some(0), spin(direction(r), 20.0))],
        Way::Circles => {
            let held = Path::Keys(vec![key(0.0, q0, aside), key(1.0, q0, aside)], Between::Linear);
            vec![(None, spin(toward, 3.0)), (Some(0), held)]
        }
    };
    let last = Some(joints.len() - 1);
    let (soups, on) = if r.coin() { ([big, small], [None, last]) } else { ([small, big], [last, None]) };
    Pair { joints, soups, on, range: [0.0, 1.0], precision: 1e-4 }
}

/// True for a part about as small as the room that its boxes need for rounding: 2^-15 of the distance that
/// they are tested against. Boxes and triangles inside such a part are hardly told apart.
fn is_lost_in_rounding(size: f64, miss: f64) -> bool {
    miss / size > 1e4
}

/// The default tree makes no more tests than the binary tree, whatever the sizes and the distance. It tests a
/// box against eight at once.
#[test]
fn parts_of_any_sizes_take_no_more_tests_than_the_binary_tree() {
    let (mut case, mut over) = (0_u64, Vec::new());
    for way in [Way::FliesStraight, Way::FliesAndTurns, Way::FliesAndSpins, Way::Circles] {
        for size in [1.0, 0.1, 0.01, 0.001] {
            for miss in [0.3, 0.9, 30.0] {
                case += 1;
                // Otherwise every way and size takes one of the distances, in turn.
                if !closefit_testing::is_full_run() && (case + case / 3 + case / 12) % 3 != 0 {
                    continue;
                }
                let pair = passing(&mut Rng::new("passing", case), size, miss, way);
                let ((answer, work), (expected, reference)) = (by_default(&pair), by_reference(&pair));
                let what = format!("{way:?}, size {size}, miss {miss}: {work:?} {reference:?}");
                assert_eq!(answer, expected, "{what}");
                // After a contact at the start, poses are searched for any two near triangles, and the trees
                // find others.
                let no_claim = is_lost_in_rounding(size, miss) || answer.start_contact;
                let few_triangles = no_claim || work.triangle_tests <= reference.triangle_tests;
                if !few_triangles || work.box_tests / 8 > reference.box_tests {
                    over.push(what);
                }
            }
        }
    }
    assert!(over.is_empty(), "{over:#?}");
}

/// A sleeve slides up and down a shaft and touches it all the time: a contact at one pose is found from that
/// at the pose before.
#[test]
fn parts_that_never_part_are_not_searched_at_every_pose() {
    let shaft = cuboid([-0.5, -0.5, -4.0], [0.5, 0.5, 4.0]);
    let plates = |k: u32| {
        let z = f64::from(k) * 0.02;
        [cuboid([0.5, -1.0, z], [1.0, 1.0, z + 0.015]), cuboid([-1.0, -1.0, z], [-0.5, 1.0, z + 0.015])]
    };
    let sleeve: Soup = (0..60).flat_map(plates).flatten().collect();
    let keys = (0..6).map(|k| key(f64::from(k), STRAIGHT, DVec3::Z * f64::from(k % 2)));
    let joints = vec![(None, Path::Keys(keys.collect(), Between::Linear))];
    let pair =
        Pair { joints, soups: [shaft, sleeve], on: [None, Some(0)], range: [0.0, 5.0], precision: 1e-3 };
    let (answer, work) = by_default(&pair);
    assert!(answer.start_contact && answer.again.is_none());
    assert_eq!(answer, by_reference(&pair).0);
    // Each of five spans has 256 poses, and a search tests at least one block.
    let (poses, blocks) = (5 * 256, work.box_tests / 8);
    assert!(blocks < poses / 4, "{work:?}");
}

/// Returns the work of a part that turns once around its own axis, inside or next to another.
fn spinning(soups: [Soup; 2], axis: DVec3, precision: f64) -> (Answer, Work) {
    let joints = vec![(None, spin(axis, 1.0))];
    by_default(&Pair { joints, soups, on: [None, Some(0)], range: [0.0, 1.0], precision })
}

fn tests(work: Work) -> u64 {
    work.box_tests + work.triangle_tests
}

fn raised(soup: &Soup, by: f64) -> Soup {
    soup.iter().map(|t| t.map(|p| p + DVec3::Z * by)).collect()
}

/// A facet of a ring passes all the facets of another in a turn, but they all have one profile.
#[test]
fn coaxial_parts_take_tests_as_the_triangles_grow() {
    type Parts = fn(u32) -> [Soup; 2];
    let inside: Parts = |n| [torus(2 * n, n, 0.35), torus(2 * n, n, 0.25)];
    let beside: Parts = |n| [torus(2 * n, n, 0.35), raised(&torus(2 * n, n, 0.35), 0.75)];
    let other_facets: Parts = |n| [torus(2 * n, n, 0.35), torus(2 * n + 1, n, 0.2)];
    for (what, parts) in [("inside", inside), ("beside", beside), ("other facets", other_facets)] {
        let tests = [10, 20, 40].map(|n| tests(spinning(parts(n), DVec3::Z, 4e-5).1));
        for pair in tests.windows(2) {
            // Four times the triangles.
            assert!(pair[1] as f64 <= pair[0] as f64 * 4f64.powf(1.15), "{what}: {tests:?}");
        }
    }
}

/// A constant gap of a whole number of steps, but for rounding, can be distinguished from that number of
/// steps in every cell or in none. No precision takes ten times as long as a finer one.
#[test]
fn a_constant_gap_takes_as_long_at_every_precision() {
    let along_x = |soup: &Soup| soup.iter().map(|t| t.map(|p| DVec3::new(p.z, p.x, p.y))).collect::<Soup>();
    let tori = [torus(24, 12, 0.35), raised(&torus(24, 12, 0.35), 0.7 + 2e-3)];
    let tests_of = |soups: &[Soup; 2], axis: DVec3| {
        [2.5e-4, 5e-4, 1e-3, 2e-3].map(|precision| tests(spinning(soups.clone(), axis, precision).1))
    };
    for (soups, axis) in [(tori.each_ref().map(along_x), DVec3::X), (tori, DVec3::Z)] {
        let tests = tests_of(&soups, axis);
        for (i, finer) in tests.iter().enumerate() {
            assert!(tests[i..].iter().all(|coarser| *coarser <= 10 * finer), "{tests:?}");
        }
    }
}

/// No option changes an answer, and each changes the tests that are made: which box is near decides little
/// unless pairs are searched one after the other.
#[test]
fn each_option_of_the_method_changes_the_work() {
    let mut r = Rng::new("options of the method", 1);
    let misses = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.9, 2.0];
    let pairs = misses.map(|miss| passing(&mut r, 0.7, miss, Way::FliesAndTurns));
    let options = [
        "swept",
        "interval",
        "boxes=natural",
        "triangles=elementary",
        "triangles=roots",
        "axes=faces",
        "discrete=middle",
        "discrete=ends",
        "subdivision=never",
        "k=0.1",
        "k=0.5",
        "boxes=interval,k=0.1",
        "order=space-first,near-first=on",
        "fronts=off",
        "order=space-first",
        "order=space-first,collision-time=off",
        "redon",
        "redon,collision-time=off",
    ];
    // Both count alike, as other tests show.
    let executors = if closefit_testing::is_full_run() { &Executor::ALL[..] } else { &[Executor::Simd] };
    for &executor in executors {
        let strategy = Strategy::new(TreeKind::OBB, Some(executor)).expect("it has both executors");
        let ask = |option: &str| -> (Vec<Answer>, Vec<Work>) {
            let method: Method = option.parse().expect("a method");
            pairs
                .iter()
                .map(|pair| pair.answer_by(strategy, method).expect("a precision that f64 has"))
                .unzip()
        };
        let found = options.map(|option| (option, ask(option)));
        for (i, (option, (answers, work))) in found.iter().enumerate() {
            assert_eq!(*answers, found[0].1.0, "{option}");
            for (other, (_, of_other)) in &found[..i] {
                assert!(work != of_other, "{option} works as {other} does");
            }
        }
    }
}

/// The printed test of subdivision opens hardly any boxes of like sizes. So it takes more tests than any
/// other, and fewer than halving time always only where one part is small.
#[test]
fn each_test_of_subdivision_changes_the_work() {
    let mut r = Rng::new("tests of subdivision", 1);
    let pairs = [0.0, 0.3, 0.9, 2.0]
        .map(|miss| Pair { precision: 2e-2, ..passing(&mut r, 0.03, miss, Way::FliesAndTurns) });
    for executor in [Executor::Simd, Executor::Scalar] {
        let strategy = Strategy::new(TreeKind::OBB, Some(executor)).expect("it has both executors");
        let [expected, never, printed, always] =
            ["extents", "never", "printed", "always"].map(|subdivision| {
                let method: Method = format!("subdivision={subdivision}").parse().expect("a method");
                let found = pairs
                    .each_ref()
                    .map(|pair| pair.answer_by(strategy, method).expect("a precision that f64 has"));
                let tests: u64 = found.iter().map(|(_, work)| tests(*work)).sum();
                (found.map(|(answer, _)| answer), tests)
            });
        assert!([&never, &printed, &always].iter().all(|found| found.0 == expected.0));
        let tests = [expected.1, printed.1, always.1];
        assert!(tests.is_sorted_by(|fewer, more| fewer < more), "{tests:?}");
        assert_ne!(expected.1, never.1);
    }
}

/// The constant of the subdivision test decides how often time is halved, with every kind of tree and both
/// formulas.
#[test]
fn each_constant_of_subdivision_changes_the_work() {
    let mut r = Rng::new("constants of subdivision", 1);
    let pairs =
        [0.0, 0.9].map(|miss| Pair { precision: 2e-2, ..passing(&mut r, 0.2, miss, Way::FliesAndTurns) });
    let ask = |strategy: Strategy, method: &str| -> (Vec<Answer>, Vec<Work>) {
        let method: Method = method.parse().expect("a method");
        pairs.iter().map(|pair| pair.answer_by(strategy, method).expect("a precision that f64 has")).unzip()
    };
    for strategy in closefit_methods::strategies().filter(|strategy| !strategy.tree().is_quadratic()) {
        let formulas: &[&str] =
            if strategy.tree() == TreeKind::OBB { &["extents", "printed"] } else { &["extents"] };
        for formula in formulas {
            let [few, paper, default, many] = ["k=0.05", "k=0.2", "swept", "k=0.9"]
                .map(|k| ask(strategy, &format!("{k},subdivision={formula}")));
            assert!([&few.0, &paper.0, &many.0].iter().all(|answers| **answers == default.0), "{strategy}");
            assert_eq!(paper.1, default.1, "{strategy}");
            assert!(few.1 != paper.1 && many.1 != paper.1 && few.1 != many.1, "{strategy} {formula}");
        }
    }
}

/// The proof by profiles belongs to the pair, so trees of other volumes take few more tests than the default.
/// The reference does without.
#[test]
fn coaxial_parts_take_few_tests_with_every_kind() {
    let n = 20;
    let inside = [torus(2 * n, n, 0.35), torus(2 * n, n, 0.25)];
    let beside = [torus(2 * n, n, 0.35), raised(&torus(2 * n, n, 0.35), 0.75)];
    for (what, soups) in [("inside", inside), ("beside", beside)] {
        let joints = vec![(None, spin(DVec3::Z, 1.0))];
        let pair = Pair { joints, soups, on: [None, Some(0)], range: [0.0, 1.0], precision: 4e-5 };
        let expected = by_default(&pair);
        for &kind in closefit_methods::ALL {
            if kind.is_quadratic() || kind == closefit_methods::RAPID {
                continue;
            }
            let strategy = Strategy::new(kind, None).expect("it has an executor");
            let (answer, work) = pair.answer(strategy).expect("a precision that f64 has");
            assert_eq!(answer, expected.0, "{what}, {kind}");
            // A BoxTree searches twice: edges against triangles, and triangles against edges.
            let most = if kind == closefit_methods::BOX { 8 } else { 4 };
            assert!(tests(work) <= most * tests(expected.1), "{what}, {kind}: {work:?} {:?}", expected.1);
        }
    }
}

//! Gaps that stay near the limit for long: against the distance in every cell, and with a number of tests
//! that does not grow as the cells get finer.
//!
//! `CLOSEFIT_CASES` sets the number of random pairs.

use closefit::{Between, DVec3, Interval, Pose, Strategy, Work};
use closefit_testing::cases;
use closefit_testing::meshes::{Soup, cuboid};
use closefit_testing::motions::{STRAIGHT, key, size};
use closefit_testing::over_time::{Pair, Path, Truth};
use closefit_testing::rng::Rng;

/// Largest number of cells for which every cell is examined.
const CELLS: u64 = 600;

/// Returns a rotation about an axis by an angle in degrees.
fn turned(axis: DVec3, degrees: f64) -> [f64; 4] {
    let half = 0.5 * degrees.to_radians();
    let v = axis * half.sin();
    [v.x, v.y, v.z, half.cos()]
}

/// A block turns while it moves from one place to another, past a block at rest.
fn past(soups: [Soup; 2], places: [DVec3; 2], turns: [[f64; 4]; 2], precision: f64) -> Pair {
    let keys = [0, 1].map(|k| key(k as f64, turns[k], places[k]));
    let path = Path::Keys(keys.to_vec(), Between::Screw);
    Pair { joints: vec![(None, path)], soups, on: [None, Some(0)], range: [0.0, 1.0], precision }
}

fn cube() -> Soup {
    cuboid([-0.5; 3], [0.5; 3])
}

/// A gap that is below, about or above half the precision, or nearly that.
fn gap(r: &mut Rng, unit: f64) -> f64 {
    match r.index(5) {
        0 => 0.0,
        1 => unit,
        2 => unit * (1.0 + r.unit()),
        3 => unit + r.unit() * size(r, -16.0, -11.0),
        _ => unit * (1.0 + r.unit() * size(r, -6.0, -1.0)),
    }
}

/// Returns two blocks. One slides along the other and may turn about the normal of the faces. The frame of
/// both may be tilted. The edges of the faces cross, or one face is within the other.
fn sliding(r: &mut Rng) -> Pair {
    let precision = size(r, -2.0, -1.3);
    let block = |r: &mut Rng| {
        let half = DVec3::new(0.5, 0.3 + 0.2 * r.unit(), 0.3 + 0.2 * r.unit());
        cuboid((-half).to_array(), half.to_array())
    };
    let way = DVec3::new(0.0, r.unit(), r.unit()) * [0.0, 0.3, 0.8][r.index(3)];
    let start = DVec3::new(1.0 + gap(r, 0.5 * precision), 0.3 * r.unit(), 0.3 * r.unit());
    let end = (start + way).with_x(1.0 + gap(r, 0.5 * precision));
    let turn = if r.coin() { 0.0 } else { 60.0 * r.unit() };
    let turns = [STRAIGHT, turned(DVec3::X, turn)];
    let pair = past([block(r), block(r)], [start, end], turns, precision);
    match r.index(3) {
        0 => {
            let tilted = Pose::from_trs(r.quaternion(), [1.0; 3], r.point().to_array()).expect("a rotation");
            pair.in_frame(Path::Fixed(tilted))
        }
        1 => pair.swapped(),
        _ => pair,
    }
}

fn brackets(found: &[Interval]) -> Vec<[[f64; 2]; 2]> {
    found.iter().map(|interval| [interval.enter, interval.leave]).collect()
}

#[test]
fn gaps_near_the_limit_are_those_of_all_cells() {
    let mut r = Rng::new("gaps near the limit", 51);
    let (mut asked, mut some, mut ends, mut answered) = (0, 0, 0, 0);
    while asked < cases(40) {
        let pair = sliding(&mut r);
        let clearance = pair.precision * [0.2, 1.0][r.index(2)];
        let truth = Truth::new(&pair, 0);
        let Ok(touching) = truth.runs_within(0.5 * pair.precision, CELLS) else { continue };
        let within = truth.runs_within(clearance + 0.5 * pair.precision, CELLS).expect("as many cells");
        asked += 1;
        let found = pair.intervals(Strategy::default(), clearance).expect("f64 is fine enough");
        assert_eq!(brackets(&found.contact), touching, "{pair:?}");
        assert_eq!(brackets(&found.clearance), within, "{pair:?}");
        let (answer, _) = pair.answer(Strategy::default()).expect("f64 is fine enough");
        if let Ok(expected) = truth.answer() {
            assert_eq!(answer, expected, "{pair:?}");
            answered += 1;
        }
        some += u32::from(!touching.is_empty());
        ends += u32::from(touching.iter().any(|run| run[1] != [1.0; 2]));
    }
    assert!(some > 10 && ends > 3 && answered > 10, "{some} {ends} {answered} of {asked}");
}

fn tests(work: Work) -> u64 {
    work.box_tests + work.triangle_tests
}

/// Returns the stretches of contact and the number of tests.
fn contact(pair: &Pair) -> (Vec<Interval>, u64) {
    let (found, work) = pair.intervals_and_work(Strategy::default(), 0.0).expect("f64 is fine enough");
    (found.contact, tests(work))
}

/// Largest number of tests. A search that looks at cells one by one takes more than a million at the finest
/// precisions here, and often hundreds of millions.
const FEW: u64 = 100_000;

/// A cube turns next to another, into which one of its edges comes and which it leaves again.
#[test]
fn a_contact_takes_few_tests_at_every_precision() {
    let angle = std::f64::consts::FRAC_PI_4 - (0.51 * 2f64.sqrt()).acos();
    let enters = angle / std::f64::consts::FRAC_PI_2;
    for z in [0.0, 0.1] {
        let place = DVec3::new(1.01, 0.0, z);
        for precision in [1e-6, 1e-8, 1e-10, 1e-11] {
            let turns = [STRAIGHT, turned(DVec3::Z, 90.0)];
            let (found, tests) = contact(&past([cube(), cube()], [place; 2], turns, precision));
            assert_eq!(found.len(), 1, "{found:?}");
            let [Interval { enter, leave }] = found[..] else { panic!("{found:?}") };
            let near = |[from, to]: [f64; 2], time: f64| from - precision < time && time < to + precision;
            assert!(near(enter, enters) && near(leave, 1.0 - enters), "{found:?} {enters}");
            assert!(tests < FEW, "{precision}: {tests}");
        }
    }
}

/// A cube slides along another at a gap below half the precision, also turning, along the face or tilted.
#[test]
fn a_gap_that_stays_takes_few_tests_at_every_precision() {
    for precision in [1e-5, 1e-7, 1e-9, 1e-11] {
        let from = DVec3::X * (1.0 + 0.3 * precision);
        let to = from + DVec3::new(0.0, 0.3, 0.1);
        for turn in [0.0, 10.0 * precision.sqrt()] {
            let turns = [STRAIGHT, turned(DVec3::X, turn)];
            let pair = past([cube(), cube()], [from, to], turns, precision);
            let (found, tests) = contact(&pair);
            assert_eq!(found, [Interval { enter: [0.0; 2], leave: [1.0; 2] }]);
            assert!(tests < FEW, "{precision} {turn}: {tests}");
        }
    }
}

/// A cube slides along another and parts from it by so little that the gap is about half the precision for
/// very many cells. A cube that a quaternion turns by a quarter is off by rounding.
#[test]
fn a_gap_that_opens_slowly_takes_few_tests_at_every_precision() {
    let (unturned, turned_by) = ([1e-9, 1.25e-10, 1e-12], [1.25e-10, 1e-11]);
    let large = 2f64.powi(100);
    for (scale, quarter, precisions) in
        [(1.0, 0.0, &unturned[..]), (large, 0.0, &unturned[..]), (1.0, 90.0, &turned_by[..])]
    {
        for &precision in precisions {
            let places = [DVec3::X, DVec3::new(1.0 + 1e-9, 0.3, 0.0)];
            let turns = [turned(DVec3::Z, quarter); 2];
            let pair = past([cube(), cube()], places, turns, precision).scaled(scale);
            let (found, of_contact) = contact(&pair);
            let [Interval { enter, leave }] = found[..] else { panic!("{found:?}") };
            let parts = 0.5 * precision / 1e-9;
            assert!(enter == [0.0; 2] && (leave[1] - parts).abs() < 1e-6, "{leave:?} {parts}");
            let (answer, work) = pair.answer(Strategy::default()).expect("f64 is fine enough");
            assert!(answer.start_contact && answer.again.is_none(), "{answer:?}");
            let tests = [of_contact, tests(work)];
            assert!(tests.iter().all(|&tests| tests < FEW), "{scale} {quarter} {precision}: {tests:?}");
        }
    }
}

//! Intervals of contact and within a clearance: against the distance in every cell, and against angles and
//! times known by reasoning.

use closefit::Strategy as Trees;
use closefit::internals::engine::sweep;
use closefit::internals::query::lasting::pierced;
use closefit::scene::Scene;
use closefit::{Between, DVec3, Interval, Motion, Pool, SweepRequest, SweepResult, Unobserved, Verdict};
use closefit_geometry::exact::contact::segment_meets;
use closefit_geometry::math::testing::points;
use closefit_geometry::motion::Joint;
use closefit_testing::cases;
use closefit_testing::meshes::{self, Piece, Soup, ball, cuboid, octahedron};
use closefit_testing::motions::{STRAIGHT, key, meshes as moving_meshes, size};
use closefit_testing::over_time::{Pair, Path, Truth};
use closefit_testing::rng::Rng;
use proptest::prelude::*;

/// Largest number of cells up to which all cells are examined.
const CELLS: u64 = 1500;

fn brackets(found: &[Interval]) -> Vec<[[f64; 2]; 2]> {
    found.iter().map(|interval| [interval.enter, interval.leave]).collect()
}

/// Small meshes on random chains, coarse enough that every cell can be examined.
fn pair(r: &mut Rng) -> Pair {
    let pair = moving_meshes(r);
    Pair { precision: size(r, -1.5, 0.0), ..pair }
}

#[test]
fn intervals_are_those_of_all_cells() {
    let mut r = Rng::new("intervals: every cell", 33);
    let (mut asked, mut found_some, mut several) = (0, 0, 0);
    let wanted = cases(60);
    while asked < wanted {
        let pair = pair(&mut r);
        let clearance = pair.precision * [0.2, 0.7, 1.5, 6.0][r.index(4)];
        let truth = Truth::new(&pair, 0);
        // Within half the precision more, a cell may come within the clearance.
        let limit = clearance + 0.5 * pair.precision;
        let Ok(within) = truth.runs_within(limit, CELLS) else { continue };
        asked += 1;
        let found = pair.intervals(Trees::default(), clearance).expect("f64 is fine enough");
        assert_eq!(brackets(&found.clearance), within, "{pair:?}");
        let touching = truth.runs_within(0.5 * pair.precision, CELLS).expect("as many cells");
        // What lies between two stretches of contact may be inside.
        for run in &touching {
            let holds =
                |interval: &&Interval| interval.enter[0] <= run[0][0] && run[1][1] <= interval.leave[1];
            assert!(found.contact.iter().any(|interval| holds(&interval)), "{pair:?}");
        }
        for interval in &found.contact {
            let begins = touching.iter().any(|run| run[0] == interval.enter);
            let ends = touching.iter().any(|run| run[1] == interval.leave);
            let is_point = |bracket: [f64; 2]| bracket[0] == bracket[1];
            assert!(begins || is_point(interval.enter), "{pair:?}");
            assert!(ends || is_point(interval.leave), "{pair:?}");
        }
        found_some += usize::from(!within.is_empty());
        several += usize::from(within.len() > 1);
    }
    assert!(found_some * 4 > wanted as usize && several > 0, "{found_some} and {several} of {wanted}");
}

/// A fine ball passes through a coarse solid, which is either part: a contact is far deeper than the ball's
/// triangles are large.
fn passing(r: &mut Rng) -> Pair {
    let solid = match r.index(3) {
        0 => cuboid([-0.6, -0.5, -0.4], [0.6, 0.5, 0.4]),
        1 => octahedron(DVec3::ZERO, 0.9),
        _ => cuboid([-2.0, -2.0, -0.15], [2.0, 2.0, 0.15]),
    };
    let mut soups = [ball(DVec3::ZERO, 0.5, 2), solid];
    if r.coin() {
        soups.reverse();
    }
    let (way, off) = (r.point().normalize(), r.point() * 0.3);
    let places = [off - way * 1.5, off + r.point() * 0.2, off + way * 1.5];
    let keys = [0.0, 0.5, 1.0].into_iter().zip(places).map(|(time, place)| key(time, r.quaternion(), place));
    let path = Path::Keys(keys.collect(), if r.coin() { Between::Screw } else { Between::Linear });
    Pair { joints: vec![(None, path)], soups, on: [None, Some(0)], range: [0.0, 1.0], precision: 0.04 }
}

#[test]
fn deep_contacts_are_those_of_all_cells() {
    let mut r = Rng::new("intervals: deep contacts", 36);
    let mut found_some = 0;
    for _ in 0..cases(6) {
        let pair = passing(&mut r);
        let truth = Truth::new(&pair, 0);
        let clearance = 0.06;
        let found = pair.intervals(Trees::default(), clearance).expect("f64 is fine enough");
        let Ok(within) = truth.runs_within(clearance + 0.5 * pair.precision, CELLS) else { continue };
        assert_eq!(brackets(&found.clearance), within, "{pair:?}");
        // The ball is too large to lie in a solid.
        let touching = truth.runs_within(0.5 * pair.precision, CELLS).expect("as many cells");
        assert_eq!(brackets(&found.contact), touching, "{pair:?}");
        found_some += usize::from(!touching.is_empty());
    }
    assert!(found_some > 0);
}

#[test]
fn every_tree_and_executor_finds_the_same_intervals() {
    let mut r = Rng::new("intervals: all trees", 34);
    for _ in 0..cases(12) {
        let pair = pair(&mut r);
        let clearance = 2.0 * pair.precision;
        let Ok(first) = pair.intervals(Trees::default(), clearance) else { continue };
        for strategy in closefit_methods::strategies() {
            assert_eq!(pair.intervals(strategy, clearance), Ok(first.clone()), "{strategy:?} {pair:?}");
        }
    }
}

fn scene(parts: Vec<(Soup, Option<Joint>)>) -> Scene {
    let pieces: Vec<Piece> = parts.iter().map(|(soup, _)| Piece::new("part", soup.clone())).collect();
    let mut scene = meshes::scene(&pieces);
    for (part, (_, joint)) in scene.parts.iter_mut().zip(parts) {
        part.frame = joint.map(|joint| scene.frames.add(None, joint));
    }
    scene
}

fn swept(scene: &Scene, precision: f64, clearance: f64) -> SweepResult {
    let [from, to] = scene.time_range().expect("it moves");
    let request = SweepRequest::default().tolerance(1e-9).precision(precision).clearance(clearance);
    let request = request.between(from, to).with_intervals();
    let result = sweep(scene, &request, &Unobserved).expect("it can be swept");
    for threads in [1, 2, 7] {
        let again = Pool::of(threads).install(|| sweep(scene, &request, &Unobserved)).expect("threads");
        assert_eq!(again.expect("it can be swept").pairs, result.pairs);
    }
    result
}

fn contains(bracket: [f64; 2], value: f64, width: f64) -> bool {
    bracket[0] <= value + width && value - width <= bracket[1] && bracket[1] - bracket[0] <= width
}

/// A rod of length 2 turns about the origin; a square pillar stands from (1, 1) to (2, 2). The rod's tip is
/// at a height of 1 at 30 degrees, and at an x of 1 at 60 degrees.
#[test]
fn a_hinge_meets_a_pillar_between_thirty_and_sixty_degrees() {
    let rod: Soup = vec![[DVec3::ZERO, DVec3::X * 2.0, DVec3::X * 2.0]];
    let turns = [-180f64, 180.0].map(f64::to_radians);
    let hinge = Motion::about(DVec3::Z, &turns, &turns).expect("a motion");
    let scene =
        scene(vec![(cuboid([1.0, 1.0, -1.0], [2.0, 2.0, 1.0]), None), (rod, Some(Joint::Moving(hinge)))]);
    let precision = 1e-5;
    let result = swept(&scene, precision, 0.0);
    let record = &result.pairs[0];
    let found = record.intervals.as_ref().expect("they were asked for");
    assert_eq!((found.contact.len(), found.undecided.len(), found.clearance.len()), (1, 0, 0));
    let Interval { enter, leave } = found.contact[0];
    // The tip moves by half the precision in a cell, at an angle of 60 degrees to the face.
    assert!(contains(enter, 30f64.to_radians(), precision), "{enter:?}");
    assert!(contains(leave, 60f64.to_radians(), precision), "{leave:?}");
    let first = record.time_of_impact.expect("they meet");
    assert_eq!([first.after, first.before], enter);
}

/// A unit cube flies through a block of 4 that begins at 0: it touches from -1 to 4, also while it is inside.
#[test]
fn a_part_inside_another_shares_its_space() {
    let keys = [key(0.0, STRAIGHT, DVec3::X * -3.0), key(9.0, STRAIGHT, DVec3::X * 6.0)];
    let flight = Motion::through(&keys, Between::Screw, [1.0; 3]).expect("a motion");
    let cube = cuboid([0.0, 1.0, 1.0], [1.0, 2.0, 2.0]);
    let scene = scene(vec![(cuboid([0.0; 3], [4.0; 3]), None), (cube, Some(Joint::Moving(flight)))]);
    let result = swept(&scene, 1e-4, 0.5);
    let found = result.pairs[0].intervals.as_ref().expect("they were asked for");
    assert_eq!(found.contact.len(), 1, "{found:?}");
    assert!(contains(found.contact[0].enter, 2.0, 1e-4) && contains(found.contact[0].leave, 7.0, 1e-4));
    // The surfaces come within 0.5 twice: on the way in until 0.5 inside, and on the way out.
    let near = &found.clearance;
    assert_eq!(near.len(), 2, "{near:?}");
    assert!(contains(near[0].enter, 1.5, 1e-3) && contains(near[0].leave, 3.5, 1e-3), "{near:?}");
    assert!(contains(near[1].enter, 5.5, 1e-3) && contains(near[1].leave, 7.5, 1e-3), "{near:?}");
}

/// A plate slides along another at no distance: it grazes all the way, which is one interval.
#[test]
fn a_graze_along_a_whole_stretch_is_one_interval() {
    let keys =
        [key(0.0, STRAIGHT, DVec3::new(-3.0, 0.0, 1.0)), key(6.0, STRAIGHT, DVec3::new(3.0, 0.0, 1.0))];
    let slide = Motion::through(&keys, Between::Screw, [1.0; 3]).expect("a motion");
    let block = cuboid([0.0; 3], [1.0; 3]);
    let scene = scene(vec![(block.clone(), None), (block, Some(Joint::Moving(slide)))]);
    let found = swept(&scene, 1e-3, 0.0);
    let found = found.pairs[0].intervals.as_ref().expect("they were asked for");
    assert_eq!(found.contact.len(), 1, "{found:?}");
    assert!(contains(found.contact[0].enter, 2.0, 1e-3) && contains(found.contact[0].leave, 4.0, 1e-3));
}

/// A part that jumps into another and out again: both brackets are the times of the jumps.
#[test]
fn jumps_begin_and_end_intervals_at_once() {
    let at = |time: f64, x: f64| key(time, STRAIGHT, DVec3::X * x);
    let keys = [at(0.0, 9.0), at(1.0, 1.5), at(2.0, -9.0), at(3.0, 0.5), at(4.0, 0.5)];
    let jumps = Motion::through(&keys, Between::Step, [1.0; 3]).expect("a motion");
    let small = cuboid([0.0, 1.0, 1.0], [1.0, 2.0, 2.0]);
    let scene = scene(vec![(cuboid([0.0; 3], [4.0; 3]), None), (small, Some(Joint::Moving(jumps)))]);
    let found = swept(&scene, 1e-3, 0.0);
    assert_eq!(found.pairs[0].verdict, Verdict::Clash);
    let found = found.pairs[0].intervals.as_ref().expect("they were asked for");
    assert_eq!(brackets(&found.contact), [[[1.0; 2], [2.0; 2]], [[3.0; 2], [4.0; 2]]]);
}

/// A part that jumps into another at the end: its last moment is an interval of its own.
#[test]
fn a_jump_at_the_end_is_an_interval() {
    let at = |time: f64, x: f64| key(time, STRAIGHT, DVec3::X * x);
    let jumps = Motion::through(&[at(0.0, 9.0), at(2.0, 1.5)], Between::Step, [1.0; 3]).expect("a motion");
    let small = cuboid([0.0, 1.0, 1.0], [1.0, 2.0, 2.0]);
    let scene = scene(vec![(cuboid([0.0; 3], [4.0; 3]), None), (small, Some(Joint::Moving(jumps)))]);
    let found = swept(&scene, 1e-3, 0.0);
    assert_eq!(found.pairs[0].verdict, Verdict::Clash);
    let found = found.pairs[0].intervals.as_ref().expect("they were asked for");
    assert_eq!(brackets(&found.contact), [[[2.0; 2]; 2]]);
}

/// The brackets of the first contact, and of the next one after a contact at the start, belong to intervals.
#[test]
fn times_of_contact_lie_in_intervals() {
    let mut r = Rng::new("intervals: times of contact", 35);
    let mut again = 0;
    for _ in 0..cases(150) {
        let pair = pair(&mut r);
        let Ok((answer, _)) = pair.answer(Trees::default()) else { continue };
        let found = pair.intervals(Trees::default(), 0.0).expect("f64 is fine enough");
        let holds = |time: f64| found.contact.iter().any(|one| one.enter[0] <= time && time <= one.leave[1]);
        if let (Some(first), false) = (answer.first, answer.start_contact) {
            let is_inside = found.contact[0].enter == [pair.range[0]; 2];
            assert!(found.contact[0].enter == first || is_inside, "{answer:?} {found:?}");
        }
        for [_, before] in answer.first.into_iter().chain(answer.again) {
            assert!(holds(before), "{answer:?} {found:?}");
        }
        again += usize::from(answer.again.is_some());
    }
    assert!(again > 0);
}

/// Long paths of thin plates, with the joints of a robot: the walk over cells in contact is short.
#[test]
fn a_long_contact_takes_little_work() {
    let turns = [0.0, std::f64::consts::PI];
    let lever = Path::Hinge { axis: DVec3::Z, times: turns.to_vec(), angles: turns.to_vec() };
    let pair = Pair {
        joints: vec![(None, lever)],
        soups: [cuboid([-1.0, -0.1, -0.1], [1.0, 0.1, 0.1]), cuboid([-0.05, -0.05, -2.0], [0.05, 0.05, 2.0])],
        on: [Some(0), None],
        range: turns,
        precision: 1e-5,
    };
    let found = pair.intervals(Trees::default(), 0.0).expect("f64 is fine enough");
    assert_eq!(brackets(&found.contact), [[[0.0; 2], [std::f64::consts::PI; 2]]]);
}

proptest! {
    // Few edges pierce a triangle at random.
    #![proptest_config(ProptestConfig { max_global_rejects: u32::MAX, ..ProptestConfig::with_cases(cases(500)) })]

    #[test]
    fn an_edge_that_moves_by_less_than_its_margin_pierces_on(
        triangle in prop::array::uniform3(points(1.0)),
        edge in [points(1.0), points(1.0)],
        moves in prop::collection::vec([points(1.0), points(1.0)], 1..20),
    ) {
        let margin = pierced(edge, &triangle);
        prop_assume!(margin > 0.0);
        for towards in moves {
            let moved = [0, 1].map(|end| edge[end] + towards[end].normalize_or_zero() * margin * (1.0 - 1e-12));
            prop_assert!(segment_meets(moved, &triangle), "{margin}");
        }
    }
}

/// A needle stands upright in the middle of a wall: slanted, it may leave it once its ends have moved by 0.5.
#[test]
fn the_margin_of_a_needle_is_what_follows() {
    let wall = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(3.0, -1.0, 0.0), DVec3::new(-1.0, 3.0, 0.0)];
    let needle = |top: f64| pierced([DVec3::Z * top, DVec3::Z * -4.0], &wall);
    assert!((needle(4.0) - 0.5).abs() < 1e-6 && (needle(0.25) - 0.25).abs() < 1e-6, "{}", needle(4.0));
    let beside = [DVec3::new(2.0, 2.0, 1.0), DVec3::new(2.0, 2.0, -1.0)];
    assert!(pierced(beside, &wall) <= 0.0 && pierced([DVec3::Z, DVec3::Z * 2.0], &wall) <= 0.0);
}

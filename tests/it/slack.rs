//! The room of parts against dense samples of the same motions, by all pairs of triangles; and rooms that are
//! known by hand.

use std::f64::consts::{FRAC_PI_4, SQRT_2, TAU};

use closefit::scene::Scene;
use closefit::{
    Assembly, Axes, DVec3, PartId, PartSlack, Pose, Room, SlackError, SlackRequest, StartState, Unobserved,
};
use closefit_testing::all_pairs::{Truth, truth};
use closefit_testing::meshes::{Piece, Soup, ball, cuboid, moved, scene, square_ring};
use closefit_testing::rng::Rng;

/// Samples of a room, both ends included.
const SAMPLES: u32 = 8;

/// Rounding that the samples' own poses may have.
const ROUNDING: f64 = 1e-9;

fn distance(scene: &Scene, pose: &Pose, part: PartId, other: PartId) -> f64 {
    let poses = [pose, &scene.parts[other.index()].pose];
    match truth([part, other].map(|id| scene.mesh(id)), poses) {
        Truth::Contact(_) => 0.0,
        Truth::Apart(distance, _) => distance,
    }
}

/// Returns the pose of a part, after a step, somewhere along one of its ways: six shifts, then six turns.
fn pose_along(scene: &Scene, found: &PartSlack, way: usize, at: f64, step: DVec3) -> Pose {
    let pose = scene.parts[found.part.index()].pose;
    let axis = found.axes[way % 6 / 2] * [at, -at][way % 2];
    let stepped = Pose::translation(step.to_array()) * pose;
    if way < 6 {
        return Pose::translation(axis.to_array()) * stepped;
    }
    let about = found.about.to_array();
    let back = about.map(|x| -x);
    let turn = Pose::from_axis_angle(axis.to_array(), at).unwrap_or(Pose::IDENTITY);
    Pose::translation(about) * turn * Pose::translation(back) * stepped
}

/// Checks a room against samples of the motion.
fn check_room(scene: &Scene, request: &SlackRequest, found: &PartSlack, way: usize, room: &Room) {
    let half = 0.5 * request.precision;
    let held = |state: StartState| matches!(state, StartState::Overlapping | StartState::Contained);
    if found.at_start.iter().any(|start| held(start.state)) {
        assert_eq!((room.at_least, room.at_most), (0.0, Some(0.0)), "an overlap leaves no room");
        return;
    }
    let samples = if room.at_least > 0.0 { SAMPLES } else { 0 };
    for other in (0..).map(PartId).take(scene.parts.len()).filter(|&other| other != found.part) {
        let start = found.at_start.iter().find(|start| start.part == other);
        let (step, kept) = match start.map(|start| (start.state, start.distance)) {
            None => (DVec3::ZERO, request.clearance),
            Some((StartState::Touching { step }, _)) => (step, 0.0),
            Some((_, distance)) => (DVec3::ZERO, distance - request.precision),
        };
        let at = |at: f64| distance(scene, &pose_along(scene, found, way, at, step), found.part, other);
        for sample in 0..=samples {
            let along = room.at_least * f64::from(sample) / f64::from(samples.max(1));
            let distance = at(along);
            assert!(distance >= kept - ROUNDING, "{found:?} way {way} at {along}: {distance} to {other:?}");
            assert!(distance > 0.0 || kept > 0.0, "way {way} at {along}: contact with {other:?}");
        }
        if let (Some(end), Some(stop)) = (room.at_most, room.stopped_by)
            && stop == other
        {
            let near = if start.is_some_and(|start| start.state == StartState::Near) {
                kept + request.precision
            } else {
                kept + half
            };
            assert!(at(end) <= near + ROUNDING, "way {way}: {} from {other:?} at {end}", at(end));
        }
    }
    let width = room.at_most.map_or(0.0, |end| end - room.at_least);
    assert!((0.0..).contains(&width));
    assert_eq!(room.at_most.is_some(), room.stopped_by.is_some());
}

/// Checks a margin against the distances of all other parts.
fn check_margin(scene: &Scene, request: &SlackRequest, found: &PartSlack) {
    let pose = &scene.parts[found.part.index()].pose;
    let others = (0..).map(PartId).take(scene.parts.len()).filter(|&other| other != found.part);
    let least = others.map(|other| distance(scene, pose, found.part, other)).fold(f64::INFINITY, f64::min);
    let margin = found.margin.expect("there are others");
    if found.at_start.iter().all(|start| start.state != StartState::Contained) {
        assert_eq!(margin.distance, least);
        assert_eq!(margin.shift, (least - request.clearance).max(0.0));
    }
    assert_eq!(margin.distance, distance(scene, pose, found.part, margin.part));
}

fn check_all(scene: &Scene, request: &SlackRequest) -> Vec<PartSlack> {
    let assembly = Assembly::from(scene.clone());
    let parts: Vec<PartId> = (0..).map(PartId).take(scene.parts.len()).collect();
    let found = assembly.slack(&parts, request, &Unobserved).expect("in range").parts;
    for found in &found {
        check_margin(scene, request, found);
        for (way, room) in found.shifts.iter().chain(&found.turns).enumerate() {
            check_room(scene, request, found, way, room);
        }
    }
    found
}

fn request_of(scene: &Scene) -> SlackRequest {
    Assembly::from(scene.clone()).slack_request().expect("in range").precision(1e-3)
}

fn shape(rng: &mut Rng) -> Soup {
    match rng.index(4) {
        0 => ball(DVec3::ZERO, 0.4, 1),
        1 => square_ring(0.3, 0.6, -0.1, 0.1),
        _ => {
            let half = [0; 3].map(|_| 0.15 + 0.2 * rng.unit().abs());
            cuboid(half.map(|x| -x), half)
        }
    }
}

/// A few shapes at random poses, or on a lattice so that many of them touch.
fn random_scene(rng: &mut Rng) -> Scene {
    let lattice = rng.coin();
    let pieces: Vec<Piece> = (0..3 + rng.index(3))
        .map(|index| {
            let (triangles, pose) = match lattice {
                true => (cuboid([-0.5; 3], [0.5; 3]), Pose::translation(rng.lattice(2).to_array())),
                false => {
                    let at = (rng.point() * 1.2).to_array();
                    (shape(rng), Pose::from_trs(rng.quaternion(), [1.0; 3], at).expect("a direction"))
                }
            };
            Piece { pose, ..Piece::new(&index.to_string(), triangles) }
        })
        .collect();
    scene(&pieces)
}

#[test]
fn rooms_are_those_of_dense_samples() {
    let mut rng = Rng::new("slack", 0);
    let [mut stopped, mut free, mut touching, mut held] = [0; 4];
    let cases = closefit_testing::cases(20);
    for case in 0..cases {
        let scene = random_scene(&mut rng);
        let clearance = if rng.coin() { 0.0 } else { 0.05 * rng.unit().abs() };
        let axes = if rng.coin() { Axes::Scene } else { Axes::Part };
        let about = [Some(rng.point()), None, None][case % 3];
        let request = request_of(&scene).clearance(clearance).axes(axes).about(about);
        for found in check_all(&scene, &request) {
            let rooms = || found.shifts.iter().chain(&found.turns);
            stopped += rooms().filter(|room| room.at_least > 0.0 && room.at_most.is_some()).count();
            free += rooms().filter(|room| room.at_most.is_none()).count();
            let state = |is: fn(StartState) -> bool| found.at_start.iter().filter(|s| is(s.state)).count();
            touching += state(|state| matches!(state, StartState::Touching { .. }));
            held += state(|state| matches!(state, StartState::Overlapping | StartState::Contained));
        }
    }
    assert!(stopped > cases && free > cases, "{stopped} {free}");
    assert!(4 * touching > cases && 4 * held > cases, "{touching} {held}");
}

/// A block of edge 1 that rests on a plate, in a pen of four walls at 0.25, 0.5, 0.75 and 1.
fn pen() -> Scene {
    let wall = |name: &str, lo: [f64; 3], hi: [f64; 3]| Piece::new(name, cuboid(lo, hi));
    scene(&[
        wall("block", [0.0; 3], [1.0; 3]),
        wall("plate", [-5.0, -5.0, -1.0], [5.0, 5.0, 0.0]),
        wall("right", [1.25, -5.0, 0.5], [2.0, 5.0, 2.0]),
        wall("left", [-2.0, -5.0, 0.5], [-0.5, 5.0, 2.0]),
        wall("back", [-0.4, 1.75, 0.5], [1.0, 3.0, 2.0]),
        wall("front", [-0.4, -3.0, 0.5], [1.0, -1.0, 2.0]),
    ])
}

#[test]
fn a_block_slides_on_its_plate_until_a_wall_stops_it() {
    let scene = pen();
    let request = request_of(&scene);
    let found = &check_all(&scene, &request)[0];
    let rooms = [(0.25, 2), (0.5, 3), (0.75, 4), (1.0, 5)];
    for (room, (length, wall)) in found.shifts.iter().zip(rooms) {
        assert_eq!(room.stopped_by, Some(PartId(wall)));
        let (at_least, at_most) = (room.at_least, room.at_most.expect("a wall"));
        assert!(at_least <= length && length <= at_most + request.precision, "{room:?}");
        assert!(at_most - at_least <= request.precision && at_least > length - request.precision);
        assert_eq!(room.still_touching, [PartId(1)], "it slides");
    }
    let [up, down] = [&found.shifts[4], &found.shifts[5]];
    assert_eq!((up.at_most, up.stopped_by, &up.still_touching[..]), (None, None, &[][..]));
    assert_eq!((down.at_least, down.stopped_by), (0.0, Some(PartId(1))));
    assert!(down.at_most.expect("the plate") < 0.02 && down.still_touching == [PartId(1)]);
    // It turns on the plate about its own axis: its corners, at 0.71 from it, pass the wall at 0.75.
    let turn = &found.turns[4];
    assert_eq!((turn.at_least, turn.at_most), (TAU, None));
    assert_eq!(turn.still_touching, [PartId(1)]);
    assert_eq!((found.margin.unwrap().distance, found.margin.unwrap().shift), (0.0, 0.0));
    assert!(matches!(found.at_start[..], [start] if matches!(start.state, StartState::Touching { .. })));
}

#[test]
fn a_square_peg_turns_by_a_known_angle() {
    let peg = Piece::new("peg", cuboid([-0.5, -0.5, -1.0], [0.5, 0.5, 1.0]));
    let hole = Piece::new("hole", square_ring(0.6, 1.0, -0.5, 0.5));
    let scene = scene(&[peg, hole]);
    let request = request_of(&scene).precision(1e-4);
    let found = &check_all(&scene, &request)[0];
    assert!((found.margin.expect("the hole").shift - 0.1).abs() < 1e-15);
    // A corner, at 45° and 0.707 from the axis, meets a wall at 0.6.
    let angle = FRAC_PI_4 - (0.6 * SQRT_2).acos();
    for room in &found.turns[4..] {
        let at_most = room.at_most.expect("it is stopped");
        assert!(room.at_least <= angle && angle <= at_most + 1e-3, "{angle}: {room:?}");
        assert!(at_most - room.at_least < 1e-4 && room.stopped_by == Some(PartId(1)));
    }
    for room in &found.shifts[..4] {
        assert!(room.at_least <= 0.1 && 0.1 <= room.at_most.expect("a wall") + 1e-4, "{room:?}");
    }
    assert!(found.shifts[4..].iter().all(|room| room.at_most.is_none()), "it slides out of the hole");
    // With a clearance the room is as much smaller.
    let found = &check_all(&scene, &request.clearance(0.04))[0];
    assert!((found.margin.expect("the hole").shift - 0.06).abs() < 1e-15);
    for room in &found.shifts[..4] {
        assert!(room.at_least <= 0.06 && 0.06 <= room.at_most.expect("a wall") + 1e-4, "{room:?}");
    }
    // Where it is nearer than the clearance already, it may come no nearer than it is.
    let found = &check_all(&scene, &request.clearance(0.2))[0];
    assert!(matches!(found.at_start[..], [start] if start.state == StartState::Near));
    assert!(found.shifts[..4].iter().all(|room| room.at_most.expect("a wall") < 1e-4));
}

#[test]
fn what_holds_a_part_leaves_it_no_room() {
    let outer = Piece::new("outer", cuboid([-1.0; 3], [1.0; 3]));
    let inner = Piece::new("inner", cuboid([-0.5; 3], [0.5; 3]));
    let across = Piece::new("across", moved(&cuboid([-0.25; 3], [0.25; 3]), DVec3::X));
    let found = check_all(&scene(&[outer.clone(), inner]), &SlackRequest::default().precision(1e-3));
    assert!(matches!(found[0].at_start[..], [start] if start.state == StartState::Contained));
    assert_eq!(found[1].margin.expect("the other").shift, 0.0);
    let found = check_all(&scene(&[outer, across]), &SlackRequest::default().precision(1e-3));
    assert!(matches!(found[1].at_start[..], [start] if start.state == StartState::Overlapping));
}

#[test]
fn excluded_pairs_stop_nothing() {
    let mut scene = pen();
    scene.excluded.exclude(PartId(0), PartId(2), "welded");
    let found = Assembly::from(scene.clone()).slack(&[PartId(0)], &request_of(&scene), &Unobserved).unwrap();
    assert_eq!((found.parts[0].asked, found.parts[0].shifts[0].stopped_by), (4, None));
    let alone = closefit_testing::meshes::scene(&[Piece::new("alone", cuboid([0.0; 3], [1.0; 3]))]);
    let found = Assembly::from(alone.clone()).slack(&[PartId(0)], &request_of(&alone), &Unobserved).unwrap();
    assert_eq!((found.parts[0].asked, found.parts[0].margin), (0, None));
    assert!(found.parts[0].shifts.iter().chain(&found.parts[0].turns).all(|room| room.at_most.is_none()));
}

#[test]
fn a_precision_that_is_too_fine_says_what_is_possible() {
    let scene = pen();
    let assembly = Assembly::from(scene.clone());
    let ask =
        |precision: f64| assembly.slack(&[PartId(0)], &request_of(&scene).precision(precision), &Unobserved);
    for precision in [0.0, 1e-300, f64::NAN] {
        let Err(SlackError::Precision { smallest, .. }) = ask(precision) else { panic!("{precision}") };
        assert!(smallest > 0.0 && ask(2.0 * smallest).is_ok(), "{smallest:e}");
    }
}

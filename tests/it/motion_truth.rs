//! No contact over a motion is missed: two triangles, small meshes and thin plates against the definition of
//! the answers, evaluated without the engine, and against results derived by reasoning.
//!
//! `CLOSEFIT_CASES` sets the number of motions of triangles, and of plates; 100 000 and 10 000 are the full
//! runs.

use std::time::{Duration, Instant};

use closefit::{Between, DVec3, Executor, Motion, Pose, Strategy, TreeKind};
use closefit_testing::cases;
use closefit_testing::meshes::{Soup, cuboid};
use closefit_testing::motions::{STRAIGHT, direction, key, meshes, path, size};
use closefit_testing::over_time::{Answer, GaveUp, Pair, Path, Truth};
use closefit_testing::rational::Triangle;
use closefit_testing::rng::Rng;

/// Returns the pose of a path at a time.
fn placed(path: &Path, time: f64) -> Pose {
    match path {
        Path::Fixed(pose) => *pose,
        Path::Keys(keys, between) => Motion::through(keys, *between, [1.0; 3]).unwrap().pose(time),
        Path::Hinge { axis, times, angles } => Motion::about(*axis, times, angles).unwrap().pose(time),
    }
}

/// Applies the inverse of a rigid pose to a point.
fn back(pose: &Pose, p: DVec3) -> DVec3 {
    let d = p - DVec3::from_array(pose.rows.map(|row| row[3]));
    DVec3::from_array(std::array::from_fn(|j| {
        pose.rows[0][j] * d.x + pose.rows[1][j] * d.y + pose.rows[2][j] * d.z
    }))
}

/// Returns the velocity with which a path carries a point at a time.
fn velocity(path: &Path, time: f64, at: DVec3) -> DVec3 {
    let (own, h) = (back(&placed(path, time), at), 1e-6);
    (placed(path, time + h).apply(own) - placed(path, time - h).apply(own)) / (2.0 * h)
}

/// Returns two triangles that meet, exactly or nearly, at some time in some way.
fn triangles(r: &mut Rng) -> Pair {
    let stroke = [1.0, 1.0, 10.0, 10.0, 100.0][r.index(5)];
    let paths = [path(r, stroke), path(r, stroke)];
    let precision = size(r, -6.0, -1.0);
    let time = 0.02 + 0.48 * (r.unit() + 1.0);
    let poses = paths.each_ref().map(|path| placed(path, time));
    let middle = DVec3::from_array(poses[r.index(2)].rows.map(|row| row[3]));
    let c = middle + r.point();
    let v = velocity(&paths[1], time, c) - velocity(&paths[0], time, c);
    let v = if v.length() > 0.0 { v.normalize() } else { direction(r) };
    // Grazing: the normal of the contact is perpendicular to the movement.
    let graze = r.coin();
    let n = loop {
        let n = if graze { direction(r).cross(v) } else { direction(r) };
        if n.length() > 1e-3 {
            break n.normalize();
        }
    };
    let gap = match r.index(6) {
        0 | 1 => 0.0,
        2 => 0.5 * precision * (1.0 + 1e-6 * r.unit()),
        3 => 2.0 * precision * r.unit(),
        4 => 0.5 * precision * (1.0 + r.unit()),
        _ => 0.1 * r.unit(),
    };
    let along = |r: &mut Rng| n.cross(direction(r)).normalize_or(n.any_orthonormal_vector());
    let mut extent = || size(r, -1.5, 0.3);
    let (x, y, z, w) = (extent(), extent(), extent(), extent());
    let edge = |e: DVec3, c: DVec3, away: DVec3, x: f64, y: f64| [c - e * x, c + e * y, c + away];
    let away = |r: &mut Rng, sign: f64| n * (sign * size(r, -1.0, 0.0)) + r.point() * 0.3;
    let (e, f) = (along(r), along(r));
    let (below, above) = (away(r, -1.0), away(r, 1.0));
    let other = c + n * gap;
    let face = [0.0, 2.1, 4.2].map(|turn: f64| c + (e * turn.cos() + n.cross(e) * turn.sin()) * x);
    let mut world: [Triangle; 2] = match r.index(5) {
        0 | 1 => [edge(e, c, below, x, y), edge(f, other, above, z, w)],
        2 | 3 => [face, [other, other + above, other + away(r, 1.0)]],
        // Parallel: two edges, or two faces.
        _ if r.coin() => [edge(e, c, below, x, y), edge(e, other, above, z, w)],
        _ => [face, face.map(|p| other + (p - c) * y)],
    };
    // Needles, segments, points, touching corners.
    for triangle in &mut world {
        match r.index(12) {
            0 => triangle[2] = triangle[0] + (triangle[2] - triangle[0]) * size(r, -9.0, -2.0),
            1 => triangle[2] = triangle[0],
            2 => triangle[2] = triangle[0] * 0.5 + triangle[1] * 0.5,
            3 => *triangle = [triangle[0]; 3],
            4 => {
                let by = size(r, -3.0, 3.0);
                *triangle = triangle.map(|p| c + (p - c) * by);
            }
            _ => {}
        }
    }
    if r.coin() {
        world.reverse();
    }
    let soups = [0, 1].map(|side| vec![world[side].map(|p| back(&poses[side], p))]);
    let joints = paths.map(|path| (None, path)).to_vec();
    let pair = Pair { joints, soups, on: [Some(0), Some(1)], range: [0.0, 1.0], precision };
    let pair = match r.index(12) {
        0 => pair.scaled(1e9),
        1 => pair.scaled(1e-9),
        2 => pair.scaled(r.power_of_two(-150, 150)),
        3 => {
            // Other pairs are in a frame that moves with both.
            let frame = path(r, 1.0);
            let mut pair = pair;
            pair.joints.push((None, frame));
            pair.joints.rotate_right(1);
            for (parent, _) in &mut pair.joints[1..] {
                *parent = Some(0);
            }
            pair.on = [Some(1), Some(2)];
            pair
        }
        _ => pair,
    };
    if r.index(10) == 0 { pair.swapped() } else { pair }
}

/// Sets a precision that f64 can resolve, and returns the answer of all strategies.
fn answered(pair: &mut Pair) -> (Answer, Duration) {
    for _ in 0..4 {
        match pair.answer(Strategy::new(closefit_methods::RAPID, None).expect("the reference")) {
            Err(smallest) => pair.precision = 4.0 * smallest,
            Ok((reference, _)) => {
                let clock = Instant::now();
                let (answer, _) = pair.answer(Strategy::default()).expect("as for the other");
                let took = clock.elapsed();
                assert_eq!(answer, reference, "obb simd and rapid: {pair:?}");
                let scalar = Strategy::new(TreeKind::OBB, Some(Executor::Scalar)).expect("its twin");
                let (answer, _) = pair.answer(scalar).expect("as for the other");
                assert_eq!(answer, reference, "obb scalar and rapid: {pair:?}");
                return (answer, took);
            }
        }
    }
    panic!("no precision is fine enough: {pair:?}");
}

/// Statistics of the cases.
#[derive(Debug, Default)]
struct Tally {
    cases: u64,
    met: u64,
    at_start: u64,
    again: u64,
    gave_up: u64,
    slowest: (Duration, u64),
    engine: Duration,
}

impl Tally {
    /// Compares the answer of a pair with the truth.
    fn check(&mut self, what: &str, case: u64, mut pair: Pair, budget: u64) {
        let (answer, took) = answered(&mut pair);
        let truth = Truth::new(&pair, budget);
        match truth.answer() {
            Ok(expected) => assert_eq!(answer, expected, "{what} {case}: {pair:?}"),
            Err(GaveUp) => self.gave_up += 1,
        }
        if let Err(why) = truth.meant(&answer, 32) {
            panic!("{what} {case}: {why}\n{answer:?}\n{pair:?}");
        }
        self.cases += 1;
        self.met += u64::from(answer.first.is_some());
        self.at_start += u64::from(answer.start_contact);
        self.again += u64::from(answer.again.is_some());
        self.slowest = self.slowest.max((took, case));
        self.engine += took;
    }

    fn end(&self, what: &str) {
        println!("{what}: {self:?}");
        let tenth = self.cases / 10;
        assert!(self.met > tenth && self.met < self.cases - tenth, "{what}: {self:?}");
        assert!(self.gave_up <= tenth, "{what}: {self:?}");
    }
}

#[test]
fn triangles_meet_when_they_must() {
    let mut tally = Tally::default();
    for case in 0..cases(60) {
        tally.check("triangles", case, triangles(&mut Rng::new("moving triangles", case)), 20_000);
    }
    tally.end("triangles");
}

#[test]
fn meshes_meet_when_they_must() {
    let mut tally = Tally::default();
    for case in 0..cases(600_u64).div_ceil(20) {
        tally.check("meshes", case, meshes(&mut Rng::new("moving meshes", case)), 3_000);
    }
    println!("meshes: {tally:?}");
}

/// A box: middle, half lengths, and the directions of its sides.
struct Plate {
    middle: DVec3,
    half: [f64; 3],
    pose: Pose,
}

impl Plate {
    fn new(r: &mut Rng, thickness: f64, middle: DVec3, flat: bool) -> Self {
        let rotation = if flat { [0.0, 0.0, 0.0, 1.0] } else { r.quaternion() };
        let pose = Pose::from_trs(rotation, [1.0; 3], [0.0; 3]).unwrap();
        Self { middle, half: [size(r, -0.5, 0.0), size(r, -0.5, 0.0), 0.5 * thickness], pose }
    }

    fn axes(&self) -> [DVec3; 3] {
        [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| self.pose.apply(axis))
    }

    /// Returns its half extent along a direction.
    fn reach(&self, along: DVec3) -> f64 {
        (0..3).map(|i| self.half[i] * self.axes()[i].dot(along).abs()).sum()
    }

    fn soup(&self) -> Soup {
        let [x, y, z] = self.half;
        cuboid([-x, -y, -z], [x, y, z]).iter().map(|t| t.map(|p| self.pose.apply(p))).collect()
    }
}

/// Returns the time range in which two boxes share a point while the second moves at a velocity, from all
/// separating axes of the two.
fn meeting(a: &Plate, b: &Plate, velocity: DVec3) -> [f64; 2] {
    let (from, to) = (a.axes(), b.axes());
    let across = from.iter().flat_map(|p| to.iter().map(move |q| p.cross(*q)));
    let mut range = [f64::NEG_INFINITY, f64::INFINITY];
    for axis in from.into_iter().chain(to).chain(across).filter(|axis| axis.length() > 1e-9) {
        let axis = axis.normalize();
        let (room, offset, rate) =
            (a.reach(axis) + b.reach(axis), (b.middle - a.middle).dot(axis), velocity.dot(axis));
        let [first, last] = [(-room - offset) / rate, (room - offset) / rate];
        if rate == 0.0 {
            if offset.abs() > room {
                return [1.0, 0.0];
            }
            continue;
        }
        range = [range[0].max(first.min(last)), range[1].min(first.max(last))];
    }
    range
}

#[test]
fn thin_plates_never_slip_through() {
    let (mut met, mut passed, mut slowest, clock) = (0, 0, Duration::ZERO, Instant::now());
    let all = cases(100);
    for case in 0..all {
        let r = &mut Rng::new("plates", case);
        let thickness = size(r, -7.0, -3.0);
        let flat = r.coin();
        let a = Plate::new(r, thickness, DVec3::ZERO, flat);
        let way = if flat && r.coin() { DVec3::Z } else { direction(r) };
        let velocity = way * (1e6 * thickness);
        let time = 0.1 + 0.4 * (r.unit() + 1.0);
        let aside = r.point() * 1.3;
        let middle = aside - velocity * time;
        let b = Plate::new(r, thickness, middle, flat);
        let [enter, leave] = meeting(&a, &b, velocity);
        let precision = thickness * size(r, -2.0, 1.5);
        let keys = [0.0, 1.0].map(|t| key(t, STRAIGHT, middle + velocity * t));
        let between = [Between::Screw, Between::Linear][r.index(2)];
        let mut pair = Pair {
            joints: vec![(None, Path::Keys(keys.to_vec(), between))],
            soups: [a.soup(), b.soup()],
            on: [None, Some(0)],
            range: [0.0, 1.0],
            precision,
        };
        if r.coin() {
            // Turning and moving both plates does not change when they meet.
            pair = pair.in_frame(path(r, 1.0));
        }
        let (answer, took) = answered(&mut pair);
        slowest = slowest.max(took);
        let truth = Truth::new(&pair, 1);
        let room = 1e-9 * (1.0 + 1.0 / (1e6 * thickness));
        if enter <= leave - room && leave > room && enter < 1.0 - room {
            let Some([after, before]) = answer.first else { panic!("missed: {case} {pair:?}") };
            assert!(after <= enter.max(0.0) + room, "late: {case} {after} {enter}");
            assert!(truth.distance(before) <= 0.5 * pair.precision, "early: {case}");
            met += 1;
        } else if answer.first.is_none() {
            passed += 1;
            assert_eq!(truth.distance(answer.clearance.at), answer.clearance.at_most);
        }
        truth.meant(&answer, 8).unwrap_or_else(|why| panic!("{case}: {why} {pair:?}"));
    }
    println!("plates: {met} met, {passed} passed of {all}, slowest {slowest:?}, all {:?}", clock.elapsed());
    assert!(met > all / 10 && passed > all / 10, "{met} {passed}");
}

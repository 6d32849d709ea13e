//! The depth of parts that slide, turn or roll on each other for the whole motion: gears, hinges, drawers,
//! pins and disks, against the depth of the parts as they stand at many times.
//!
//! `CLOSEFIT_CASES` sets the number of random pairs.

use std::f64::consts::TAU;
use std::time::Instant;

use closefit::internals::engine::{diagonal_at, sweep, time_range};
use closefit::scene::Scene;
use closefit::{
    Between, CheckRequest, CollisionMesh, Containment, DVec3, Motion, MovingPairRecord, PartId, Pose,
    SweepRequest, SweepResult, Unobserved, Verdict, verdict,
};
use closefit_geometry::motion::{FrameId, Joint};
use closefit_testing::cases;
use closefit_testing::meshes::{self, Piece, Soup, ball, cuboid, moved, prism};
use closefit_testing::motions::{STRAIGHT, key, size};
use closefit_testing::rng::Rng;

/// An involute gear around the origin: teeth of module 1 at a pressure angle of 20 degrees.
fn gear(teeth: u32, backlash: f64, thick: f64) -> Soup {
    let (pitch, alpha) = (0.5 * f64::from(teeth), 20f64.to_radians());
    let base = pitch * libm::cos(alpha);
    let involute = |radius: f64| {
        let a = libm::acos((base / radius).min(1.0));
        libm::tan(a) - a
    };
    let half = TAU / 4.0 / f64::from(teeth) - 0.5 * backlash / pitch;
    let angle = |radius: f64| half + involute(pitch) - involute(radius.max(base));
    let radii: Vec<f64> = (0..=8).map(|k| pitch - 1.2 + f64::from(k) * 2.2 / 8.0).collect();
    let at = |radius: f64, angle: f64| DVec3::new(radius * libm::cos(angle), radius * libm::sin(angle), 0.0);
    let mut outline: Vec<DVec3> = Vec::new();
    for tooth in 0..teeth {
        let middle = f64::from(tooth) / f64::from(teeth) * TAU;
        outline.extend(radii.iter().map(|&r| at(r, middle - angle(r))));
        outline.extend(radii.iter().rev().map(|&r| at(r, middle + angle(r))));
    }
    // Star-shaped around the centre.
    let (top, mut soup) = (DVec3::Z * thick, Soup::new());
    for (k, &p) in outline.iter().enumerate() {
        let q = outline[(k + 1) % outline.len()];
        soup.extend([[DVec3::ZERO, q, p], [top, p + top, q + top], [p, q, q + top], [p, q + top, p + top]]);
    }
    soup
}

/// Sweeps a scene at the default settings, and prints what its pairs of parts in contact take.
fn at_defaults(name: &str, scene: &Scene) -> SweepResult {
    let [from, to] = time_range(scene).unwrap();
    let diagonal = diagonal_at(scene, from).unwrap();
    let tolerance = 10f64.powi((1e-6 * diagonal).log10().ceil() as i32);
    let request = SweepRequest::default().tolerance(tolerance).precision(1e-5 * diagonal).between(from, to);
    let start = Instant::now();
    let result = sweep(scene, &request, &Unobserved).unwrap();
    let took = start.elapsed();
    for pair in result.pairs.iter().filter(|pair| pair.start_contact) {
        println!("{name}: {:?} {:?} {:?}, tolerance {tolerance:e}", pair.ids, pair.verdict, pair.pressed);
    }
    println!("{name}: {took:?}, of {} pairs", result.pairs.len());
    result
}

/// The ratio of the bounds where a search does not run out of poses.
const NARROW: f64 = 1.01;

/// True if a pair has a bracket no wider than by a factor, or than the smallest that is needed.
fn is_narrow(pair: &MovingPairRecord, smallest: f64, factor: f64) -> bool {
    pair.pressed.is_some_and(|found| found.at_most <= smallest.max(factor * found.at_least) * (1.0 + 1e-12))
}

/// Returns a joint that turns about an axis through a point within a second.
fn turning(scene: &mut Scene, at: DVec3, axis: DVec3, angle: f64) -> FrameId {
    let place =
        scene.frames.add(None, Joint::Fixed(Pose::from_trs(STRAIGHT, [1.0; 3], at.to_array()).unwrap()));
    let motion = Motion::about(axis, &[0.0, 1.0], &[0.0, angle]).unwrap();
    scene.frames.add(Some(place), Joint::Moving(motion))
}

/// Three gears in a row whose flanks touch. The first turns by an angle.
fn gear_train(backlash: f64, angle: f64) -> Scene {
    let teeth = [20, 30, 20];
    let pieces = teeth.map(|count| Piece::new("gear", gear(count, backlash, 4.0)));
    let mut scene = meshes::scene(&pieces);
    let (mut x, mut before) = (0.0, 0);
    for (k, count) in teeth.into_iter().enumerate() {
        let pitch = 0.5 * f64::from(count);
        if k > 0 {
            x += 0.5 * f64::from(before) + pitch;
        }
        let angle = if k % 2 == 0 { angle } else { -angle * 20.0 / f64::from(count) };
        let frame = turning(&mut scene, DVec3::X * x, DVec3::Z, angle);
        // A tooth of one in a gap of the next.
        let phase = if k == 1 { 0.5 * TAU / f64::from(count) } else { 0.0 };
        let turned = [0.0, 0.0, libm::sin(0.5 * phase), libm::cos(0.5 * phase)];
        let fixed = Joint::Fixed(Pose::from_trs(turned, [1.0; 3], [0.0; 3]).unwrap());
        scene.parts[k].frame = Some(scene.frames.add(Some(frame), fixed));
        before = count;
    }
    scene
}

/// Checks that all pairs of a scene are decided, and where they start in contact have brackets no wider than
/// by a factor, or than the smallest that is needed.
fn are_decided(scene: &Scene, result: &SweepResult, factor: f64) {
    let smallest = 1e-5 * diagonal_at(scene, 0.0).unwrap();
    assert!(result.pairs.iter().any(|pair| pair.start_contact));
    for pair in &result.pairs {
        assert_ne!(pair.verdict, Verdict::Undecided, "{pair:?}");
        assert!(!pair.start_contact || is_narrow(pair, smallest, factor), "{pair:?}");
    }
}

#[test]
fn gears_that_roll_on_each_other_are_decided() {
    let [little, tooth, turn] = [TAU / 400.0, TAU / 20.0, TAU];
    for (backlash, angle, factor) in [
        (-0.02, little, NARROW),
        (-0.02, tooth, NARROW),
        (-0.02, turn, NARROW),
        (-0.1, tooth, NARROW),
        (-0.1, turn, NARROW),
    ] {
        let scene = gear_train(backlash, angle);
        let result = at_defaults(&format!("gears with {backlash} of play, by {angle} rad"), &scene);
        are_decided(&scene, &result, factor);
    }
}

/// Returns a round bar or, with a bore, a sleeve around the z axis.
fn sleeve(inner: f64, outer: f64, [bottom, top]: [f64; 2], facets: u32) -> Soup {
    let around = |radius: f64, z: f64| -> Vec<DVec3> {
        let angle = |k: u32| f64::from(k) / f64::from(facets) * TAU;
        (0..facets)
            .map(|k| DVec3::new(radius * libm::cos(angle(k)), radius * libm::sin(angle(k)), z))
            .collect()
    };
    let rings = [around(outer, bottom), around(outer, top), around(inner, top), around(inner, bottom)];
    let mut soup = Soup::new();
    for (ring, next) in (0..4).map(|k| (&rings[k], &rings[(k + 1) % 4])) {
        for k in 0..facets as usize {
            let j = (k + 1) % facets as usize;
            soup.extend([[ring[k], ring[j], next[j]], [ring[k], next[j], next[k]]]);
        }
    }
    soup
}

#[test]
fn a_hinge_that_stays_in_contact_is_decided() {
    for facets in [12, 24, 48, 96] {
        // Two knuckles that touch face to face around a pin that fits a bore of the same facets, and a door.
        let knuckle = |range| sleeve(5.0, 8.0, range, facets);
        let mut door = knuckle([10.0, 20.0]);
        door.extend(cuboid([9.0, -2.0, -200.0], [900.0, 2.0, 200.0]));
        let pieces = [
            Piece::new("frame", knuckle([0.0, 10.0])),
            Piece::new("door", door),
            Piece::new("pin", sleeve(1.0, 5.0, [-1.0, 21.0], facets)),
        ];
        let mut scene = meshes::scene(&pieces);
        scene.parts[1].frame = Some(turning(&mut scene, DVec3::ZERO, DVec3::Z, 0.25 * TAU));
        let result = at_defaults(&format!("a hinge of {facets} facets"), &scene);
        assert!(result.pairs.iter().filter(|pair| pair.start_contact).count() >= 2);
        are_decided(&scene, &result, NARROW);
    }
}

/// A drawer between two rails and on a floor, which overlaps one rail and the floor, and is pulled out.
fn drawer_scene([into_rail, into_floor]: [f64; 2]) -> Scene {
    let rails = [
        cuboid([0.0, -30.0, -10.0], [600.0, 30.0, 0.0]),
        cuboid([0.0, 20.0, 0.0], [600.0, 30.0, 20.0]),
        cuboid([0.0, -30.0, 0.0], [600.0, -20.0, 20.0]),
    ];
    let drawer = cuboid([10.0, -20.0 - into_rail, -into_floor], [500.0, 20.0, 15.0]);
    let pieces = [Piece::new("rails", rails.concat()), Piece::new("drawer", drawer)];
    let mut scene = meshes::scene(&pieces);
    let keys = [key(0.0, STRAIGHT, DVec3::ZERO), key(2.0, STRAIGHT, DVec3::X * 400.0)];
    let out = Motion::through(&keys, Between::Linear, [1.0; 3]).unwrap();
    scene.parts[1].frame = Some(scene.frames.add(None, Joint::Moving(out)));
    scene
}

#[test]
fn a_drawer_that_stays_in_contact_is_decided() {
    let result = at_defaults("a drawer without play", &drawer_scene([0.0; 2]));
    let [pair] = &result.pairs[..] else { panic!("{result:?}") };
    assert_eq!((pair.verdict, pair.ids), (Verdict::Contact, [PartId(0), PartId(1)]));
}

#[test]
fn a_drawer_that_is_pressed_by_about_the_precision_is_decided() {
    let precision = 1e-5 * diagonal_at(&drawer_scene([0.0; 2]), 0.0).unwrap();
    for shares in [[0.5, 0.5], [0.87, 0.8], [0.3, 0.95], [0.99, 0.97], [1.02, 0.9], [40.0, 7.0]] {
        let result =
            at_defaults(&format!("a drawer by {shares:?}"), &drawer_scene(shares.map(|s| s * precision)));
        are_decided(&drawer_scene([0.0; 2]), &result, 1.6);
        assert!(result.pairs.iter().all(|pair| pair.pressed.unwrap().at_most >= shares[1] * precision));
    }
}

/// Two parts that are in contact at the start, where the first stands, and the motion of both.
struct Together {
    soups: [Soup; 2],
    places: [DVec3; 2],
    motions: [Motion; 2],
}

impl Together {
    /// A part that stands, and one that moves.
    fn of(still: Soup, moving: Soup, motion: Motion) -> Self {
        let stands = Motion::through(&[key(0.0, STRAIGHT, DVec3::ZERO)], Between::Linear, [1.0; 3]).unwrap();
        Self { soups: [still, moving], places: [DVec3::ZERO; 2], motions: [stands, motion] }
    }

    fn random(r: &mut Rng) -> Self {
        let unit = |r: &mut Rng| 0.5 + 0.5 * r.unit();
        let turn = [0.1, 0.3, 1.0, 2.0][r.index(4)] * r.unit();
        let about = |axis, angle| Motion::about(axis, &[0.0, 1.0], &[0.0, angle]).unwrap();
        let over = size(r, -4.0, -1.0);
        match r.index(6) {
            // A pin in a bore.
            0 => {
                let (bore, pin) = (3 + r.index(12) as u32, 3 + r.index(12) as u32);
                let bore = sleeve(1.0, 1.6, [-0.5, 0.5], bore);
                let pin = sleeve(0.4, 1.0 + over, [-0.7, 0.5 - 0.3 * unit(r)], pin);
                Self::of(bore, pin, about(DVec3::Z, TAU * turn))
            }
            // Gears that roll on each other.
            1 => {
                let teeth = [8 + r.index(6) as u32, 8 + r.index(6) as u32];
                let pitch = teeth.map(|count| 0.5 * f64::from(count));
                let first = gear(teeth[0], -over, 2.0);
                let second = gear(teeth[1], -over, [1.0, 2.0][r.index(2)]);
                let phase = TAU * (0.5 + 0.5 / f64::from(teeth[1]));
                let turned = Pose::from_axis_angle([0.0, 0.0, 1.0], phase).unwrap();
                let second = second.iter().map(|triangle| triangle.map(|p| turned.apply(p))).collect();
                let angle = TAU * turn * [1.0, 1.0 / f64::from(teeth[0])][r.index(2)];
                let motions = [about(DVec3::Z, angle), about(DVec3::Z, -angle * pitch[0] / pitch[1])];
                let places = [DVec3::ZERO, DVec3::X * (pitch[0] + pitch[1])];
                Self { soups: [first, second], places, motions }
            }
            // A drawer between rails.
            2 => {
                let deep = |r: &mut Rng| over * unit(r) * [0.0, 1.0][r.index(2)];
                let rails = [
                    cuboid([0.0, -3.0, -1.0], [9.0, 3.0, 0.0]),
                    cuboid([0.0, 2.0, -0.5], [9.0, 3.0, 2.0]),
                    cuboid([0.0, -3.0, -0.5], [9.0, -2.0, 2.0]),
                ];
                let drawer = cuboid([1.0, -2.0 - deep(r), -deep(r)], [4.0, 2.0 + deep(r), 1.5]);
                Self::of(rails.concat(), drawer, Motion::along(DVec3::X, &[0.0, 1.0], &[0.0, 5.0]).unwrap())
            }
            // A disk or a peg that turns deep in a block.
            3 => {
                let peg = match r.coin() {
                    true => sleeve(0.3, 1.0, [-unit(r), 1.0], 3 + r.index(20) as u32),
                    false => cuboid([-0.4, -0.6, -unit(r)], [0.7, 0.5, 1.0]),
                };
                Self::of(cuboid([-2.0, -2.0, -1.5], [2.0, 2.0, 0.0]), peg, about(DVec3::Z, TAU * turn))
            }
            // A body that slides over a table, and turns.
            4 => {
                let body = match r.coin() {
                    true => ball(DVec3::ZERO, 0.6, 2),
                    false => prism(&[[-0.5, -0.5], [0.6, -0.4], [0.1, 0.7]], -0.6, 0.4),
                };
                let turned = |share: f64| {
                    let angle = share * turn;
                    [0.0, 0.0, libm::sin(angle), libm::cos(angle)]
                };
                let (lift, way) = (DVec3::Z * (0.6 - over), r.point().with_z(0.0));
                let down = DVec3::Z * (over * r.unit());
                let keys = [key(0.0, turned(0.0), lift), key(1.0, turned(1.0), lift + 3.0 * way + down)];
                let motion = Motion::through(&keys, Between::Screw, [1.0; 3]).unwrap();
                Self::of(cuboid([-9.0, -9.0, -5.0], [9.0, 9.0, 0.0]), body, motion)
            }
            // A ball in a socket of the same facets, about any axis.
            _ => {
                let axis = (r.point() + DVec3::Z).normalize();
                let mut socket = ball(DVec3::ZERO, 1.0, 1);
                socket.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
                socket.extend(cuboid([-2.0, -2.0, -2.0], [2.0, 2.0, 2.0]));
                let inner =
                    if r.coin() { ball(DVec3::ZERO, 1.0 + over, 1) } else { ball(DVec3::ZERO, 1.0, 1) };
                Self::of(socket, moved(&inner, 0.1 * over * r.point()), about(axis, TAU * turn))
            }
        }
    }

    fn poses(&self, time: f64) -> [Pose; 2] {
        let at = |side: usize| Pose::translation(self.places[side].to_array());
        [0, 1].map(|side| Pose::compose(&at(side), &self.motions[side].pose(time)))
    }

    fn scene(&self) -> Scene {
        let [a, b] = self.soups.clone();
        let mut scene = meshes::scene(&[Piece::new("a", a), Piece::new("b", b)]);
        for side in [0, 1] {
            let place = Joint::Fixed(Pose::translation(self.places[side].to_array()));
            let place = scene.frames.add(None, place);
            let joint = Joint::Moving(self.motions[side].clone());
            scene.parts[side].frame = Some(scene.frames.add(Some(place), joint));
        }
        scene
    }
}

#[test]
fn no_standing_pose_is_deeper_than_parts_that_stay_together() {
    const TOLERANCE: f64 = 1e-6;
    const SAMPLES: u32 = 60;
    let mut r = Rng::new("lasting contact", 47);
    let (mut count, mut wide, mut deep) = (0, 0, 0);
    for _ in 0..cases(24) {
        let together = Together::random(&mut r);
        let scene = together.scene();
        let models = [0, 1].map(|part| CollisionMesh::build(scene.mesh(PartId(part))));
        let precision = size(&mut r, -4.0, -2.0);
        let request = SweepRequest::default().tolerance(TOLERANCE).precision(precision).between(0.0, 1.0);
        let result = sweep(&scene, &request, &Unobserved).unwrap();
        let Some(record) = result.pairs.first().filter(|record| record.start_contact) else { continue };
        let found = record.pressed.expect("both are closed");
        let standing = |time: f64| {
            let poses = together.poses(time);
            let [a, b] = [0, 1].map(|side| models[side].at(&poses[side]).expect("in range"));
            verdict(&a, &b, &CheckRequest::default().clearance(2.0 * precision).tolerance(TOLERANCE))
        };
        let rounding = 1e-11;
        for k in 0..=SAMPLES {
            let time =
                (f64::from(k) + if k < SAMPLES { 0.5 + 0.5 * r.unit() } else { 0.0 }) / f64::from(SAMPLES);
            let there = standing(time);
            let is_apart = there.distance > precision && there.contained == Containment::None;
            if is_apart || record.again.is_some_and(|again| again.after <= time) {
                break;
            }
            let deepest = there.depth.map_or(0.0, |depth| depth.at_least);
            assert!(deepest <= found.at_most + rounding, "{found:?}, but {deepest} at {time}");
        }
        if found.at_least > 0.0 {
            let there = standing(found.at).depth.map_or(0.0, |depth| depth.at_most);
            assert!(found.at_least <= there + rounding, "{found:?}, but {there} at that time");
        }
        assert_ne!(record.verdict, Verdict::Undecided, "{record:?}");
        count += 1;
        deep += u32::from(found.at_least > TOLERANCE);
        // A search gives up early only where that leaves the verdict as it is.
        let is_wide = !is_narrow(record, TOLERANCE.max(precision), NARROW);
        assert!(!is_wide || found.at_least > TOLERANCE, "{found:?}");
        wide += u32::from(is_wide);
    }
    println!("{count} pairs in contact, {deep} deep, {wide} wide");
    assert!(2 * count > cases(24), "{count}");
}

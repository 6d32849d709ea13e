//! How deep parts in contact are pressed into each other: against formulas for bodies on a table and for
//! boxes, at many times. Parts that slide, turn and roll on each other are in `lasting_contact`.
//!
//! `CLOSEFIT_CASES` sets the number of random presses and slides.

use std::f64::consts::TAU;

use closefit::internals::engine::{sweep, time_range};
use closefit::scene::Scene;
use closefit::{
    Between, DVec3, Keyframe, Motion, MovingPairRecord, Pose, Pressed, SweepRequest, SweepResult, Unobserved,
    Verdict,
};
use closefit_geometry::motion::Joint;
use closefit_testing::cases;
use closefit_testing::meshes::{self, Piece, Soup, ball, cuboid, octahedron, prism};
use closefit_testing::motions::{STRAIGHT, key, size};
use closefit_testing::rng::Rng;

const TOLERANCE: f64 = 1e-6;

/// A still part and one that moves, both on a joint that carries them or on none.
fn scene_of(still: Soup, moving: Soup, motion: &Motion, carried: Option<&Motion>) -> Scene {
    let pieces = [Piece::new("still", still), Piece::new("moving", moving)];
    let mut scene = meshes::scene(&pieces);
    let stem = carried.map(|motion| scene.frames.add(None, Joint::Moving(motion.clone())));
    scene.parts[0].frame = stem;
    scene.parts[1].frame = Some(scene.frames.add(stem, Joint::Moving(motion.clone())));
    scene
}

fn swept(scene: &Scene, precision: f64) -> SweepResult {
    let [from, to] = time_range(scene).unwrap();
    let request = SweepRequest::default().tolerance(TOLERANCE).precision(precision).between(from, to);
    sweep(scene, &request, &Unobserved).unwrap()
}

fn only(result: &SweepResult) -> &MovingPairRecord {
    let [record] = &result.pairs[..] else { panic!("{result:?}") };
    record
}

fn linear(keys: &[Keyframe]) -> Motion {
    Motion::through(keys, Between::Linear, [1.0; 3]).unwrap()
}

/// Compares a bracket with a formula for the depth at a time, until the parts are apart. Returns true if the
/// bracket is as narrow as the brackets of searches that do not run out of poses.
fn compare(
    found: &Pressed,
    [from, to]: [f64; 2],
    precision: f64,
    depth: impl Fn(f64) -> f64,
    is_apart: impl Fn(f64) -> bool,
) -> bool {
    const SAMPLES: u32 = 3000;
    let rounding = 1e-12;
    let time = |k: u32| from + (to - from) * f64::from(k) / f64::from(SAMPLES);
    let depths = (0..=SAMPLES).map(time).take_while(|&time| !is_apart(time)).map(&depth);
    let largest = depths.fold(0.0, f64::max);
    assert!(found.at_most + rounding >= largest, "{found:?}, but {largest} at some time");
    let there = depth(found.at);
    assert!(found.at_least <= there + rounding, "{found:?}, but {there} at that time");
    let narrow = TOLERANCE.max(precision).max(1.01 * found.at_least);
    found.at_most <= narrow * (1.0 + 1e-12)
}

/// A random convex body around the origin.
fn body(r: &mut Rng) -> Soup {
    match r.index(4) {
        0 => cuboid([-0.5, -0.4, -0.3], [0.5, 0.4, 0.3]),
        1 => octahedron(DVec3::ZERO, 0.7),
        2 => ball(DVec3::ZERO, 0.6, 2),
        _ => {
            let around = |k: i32| {
                [0.5 * libm::cos(f64::from(k) * TAU / 7.0), 0.5 * libm::sin(f64::from(k) * TAU / 7.0)]
            };
            prism(&(0..7).map(around).collect::<Vec<_>>(), -0.2, 0.6)
        }
    }
}

#[test]
fn a_body_on_a_table_is_as_deep_as_its_lowest_corner() {
    let mut r = Rng::new("pressed: a body on a table", 47);
    let (mut pressed, mut touching, mut again) = (0, 0, 0);
    for _ in 0..cases(40) {
        let soup = body(&mut r);
        // Far deeper and wider than anything that is pressed into it.
        let table = cuboid([-50.0, -50.0, -40.0], [50.0, 50.0, 0.0]);
        let between = [Between::Linear, Between::Screw, Between::Step][[0, 0, 1, 1, 2][r.index(5)]];
        let lift = [0.0, 0.0, 1e-5, 1e-3, 0.3][r.index(5)];
        let turn = [0.0, 0.3, 1.0][r.index(3)];
        let first = r.quaternion();
        let count = 2 + r.index(3);
        let lowest =
            |pose: &Pose| soup.iter().flatten().map(|&v| pose.apply(v).z).fold(f64::INFINITY, f64::min);
        let keys: Vec<Keyframe> = (0..count)
            .map(|k| {
                let q = r.quaternion();
                let share = if k == 0 { 0.0 } else { turn };
                let rotation = std::array::from_fn(|i| first[i] * (1.0 - share) + share * q[i]);
                let turned = Pose::from_trs(rotation, [1.0; 3], [0.0; 3]).unwrap();
                let down = if k == 0 { 0.0 } else { lift * r.unit() };
                let at = DVec3::new(3.0 * r.unit(), 3.0 * r.unit(), down - lowest(&turned));
                key(k as f64, rotation, at)
            })
            .collect();
        let motion = Motion::through(&keys, between, [1.0; 3]).unwrap();
        let carried = r
            .coin()
            .then(|| linear(&[key(0.0, r.quaternion(), r.point()), key(2.0, r.quaternion(), r.point())]));
        let scene = scene_of(table, soup.clone(), &motion, carried.as_ref());
        let precision = size(&mut r, -4.0, -2.0);
        let result = swept(&scene, precision);
        let record = only(&result);
        assert!(record.start_contact, "{record:?}");
        let height = |time: f64| lowest(&motion.pose(time));
        // Above the table, or wholly below its top, or in the next contact.
        let is_apart = |time: f64| {
            let pose = motion.pose(time);
            let highest = soup.iter().flatten().map(|&v| pose.apply(v).z).fold(f64::NEG_INFINITY, f64::max);
            let has_met_again = record.again.is_some_and(|again| again.after <= time);
            height(time) > precision || highest < -precision || has_met_again
        };
        let found = record.pressed.expect("both are closed");
        let range = time_range(&scene).unwrap();
        let is_narrow = compare(&found, range, precision, |time| (-height(time)).max(0.0), is_apart);
        assert!(is_narrow, "{found:?}");
        if record.again.is_some() {
            again += 1;
            assert_eq!(record.verdict, Verdict::Clash);
        } else if found.at_least > TOLERANCE {
            pressed += 1;
            assert_eq!(record.verdict, Verdict::Clash);
        } else {
            touching += 1;
            assert_eq!(record.verdict, Verdict::Contact, "{record:?}");
        }
    }
    println!("{pressed} pressed, {touching} touching, {again} again");
}

/// Returns the depth of two overlapping boxes, by their corners: the largest distance from a point of a face
/// of one that lies in the other to the sides of that.
fn depth_of_boxes(boxes: [[DVec3; 2]; 2]) -> f64 {
    let mut deepest: f64 = 0.0;
    for (surface, solid) in [(boxes[0], boxes[1]), (boxes[1], boxes[0])] {
        for axis in 0..3 {
            for face in surface.map(|corner| corner[axis]) {
                let inside = |x: f64, k: usize| (x - solid[0][k]).min(solid[1][k] - x);
                let others = [(axis + 1) % 3, (axis + 2) % 3].map(|k| {
                    let middle: f64 = 0.5 * (solid[0][k] + solid[1][k]);
                    inside(middle.clamp(surface[0][k], surface[1][k]), k)
                });
                deepest = deepest.max(inside(face, axis).min(others[0]).min(others[1]));
            }
        }
    }
    deepest
}

#[test]
fn boxes_that_slide_into_each_other_are_as_deep_as_their_faces() {
    let mut r = Rng::new("pressed: boxes", 47);
    for _ in 0..cases(40) {
        let still = [-r.point().abs() - 0.2, r.point().abs() + 0.2];
        let own = [-r.point().abs() - 0.2, r.point().abs() + 0.2];
        // They share a face at the start, or a part of it.
        let axis = r.index(3);
        let mut at = r.point() * 0.3;
        at[axis] = still[1][axis] - own[0][axis];
        let mut keys = vec![key(0.0, STRAIGHT, at)];
        for k in 1..2 + r.index(3) {
            let by = r.point() * [1e-4, 0.1, 1.0][r.index(3)];
            keys.push(key(
                k as f64,
                STRAIGHT,
                at + if r.index(4) == 0 { by.reject_from(DVec3::AXES[axis]) } else { by },
            ));
        }
        let motion = linear(&keys);
        let soup = |[lo, hi]: [DVec3; 2]| cuboid(lo.to_array(), hi.to_array());
        let scene = scene_of(soup(still), soup(own), &motion, None);
        let precision = size(&mut r, -4.0, -2.0);
        let result = swept(&scene, precision);
        let record = only(&result);
        assert!(record.start_contact);
        let placed = |time: f64| own.map(|corner| corner + motion.pose(time).shift());
        let gap = |time: f64| {
            let [lo, hi] = placed(time);
            (lo - still[1]).max(still[0] - hi).max(DVec3::ZERO).length()
        };
        let found = record.pressed.expect("both are closed");
        let depth = |time: f64| depth_of_boxes([still, placed(time)]);
        let is_narrow =
            compare(&found, time_range(&scene).unwrap(), precision, depth, |time| gap(time) > precision);
        assert!(is_narrow, "{found:?}");
        if record.again.is_none() {
            let expected = if found.at_least > TOLERANCE { Verdict::Clash } else { Verdict::Contact };
            assert_eq!(record.verdict, expected, "{record:?}");
        }
    }
}

#[test]
fn a_gap_at_the_start_is_no_contact() {
    let down = |gap: f64, to: f64| {
        linear(&[key(0.0, STRAIGHT, DVec3::Z * gap), key(1.0, STRAIGHT, DVec3::new(1.0, 0.0, to))])
    };
    let table = || cuboid([-9.0, -9.0, -5.0], [9.0, 9.0, 0.0]);
    let block = || cuboid([-1.0, -1.0, 0.0], [1.0, 1.0, 1.0]);
    let of = |gap: f64, to: f64| {
        let result = swept(&scene_of(table(), block(), &down(gap, to), None), 0.01);
        only(&result).clone()
    };
    let near = of(0.002, -0.6);
    assert_eq!((near.verdict, near.start_contact), (Verdict::Clash, false));
    assert_eq!(near.precision, Some(0.01 / 4.0), "half of it is below the gap");
    let met = near.time_of_impact.unwrap();
    assert!(met.after <= 0.002 / 0.602 && met.before >= 0.0, "{met:?}");
    assert!(near.pressed.is_none());
    let apart = of(0.002, 1.0);
    assert_eq!((apart.verdict, apart.time_of_impact), (Verdict::Clearance, None));
    // A gap within the tolerance is a contact.
    let touching = of(0.5 * TOLERANCE, -0.6);
    assert_eq!((touching.verdict, touching.start_contact, touching.precision), (Verdict::Clash, true, None));
}

#[test]
fn a_jump_within_the_contact_counts() {
    let keys = [(0.0, 0.0), (1.0, -0.25), (2.0, 0.0), (3.0, 0.0)];
    let keys = keys.map(|(time, z)| key(time, STRAIGHT, DVec3::Z * z));
    let motion = Motion::through(&keys, Between::Step, [1.0; 3]).unwrap();
    let table = cuboid([-9.0, -9.0, -5.0], [9.0, 9.0, 0.0]);
    let result = swept(&scene_of(table, cuboid([-1.0, -1.0, 0.0], [1.0, 1.0, 1.0]), &motion, None), 0.01);
    let found = only(&result).pressed.unwrap();
    assert!(
        found.at_least <= 0.25 && 0.25 <= found.at_most && 1.0 <= found.at && found.at < 2.0,
        "{found:?}"
    );
    // A jump at the very end, too.
    let keys = [(0.0, 0.0), (1.0, -0.25)].map(|(time, z)| key(time, STRAIGHT, DVec3::Z * z));
    let motion = Motion::through(&keys, Between::Step, [1.0; 3]).unwrap();
    let table = cuboid([-9.0, -9.0, -5.0], [9.0, 9.0, 0.0]);
    let result = swept(&scene_of(table, cuboid([-1.0, -1.0, 0.0], [1.0, 1.0, 1.0]), &motion, None), 0.01);
    assert_eq!(only(&result).pressed.unwrap().at, 1.0);
}

#[test]
fn the_depth_in_an_open_part_is_unknown() {
    let mut table = cuboid([-9.0, -9.0, -5.0], [9.0, 9.0, 0.0]);
    table.pop();
    let down = linear(&[key(0.0, STRAIGHT, DVec3::ZERO), key(1.0, STRAIGHT, DVec3::new(1.0, 0.0, -0.6))]);
    let result = swept(&scene_of(table, cuboid([-1.0, -1.0, 0.0], [1.0, 1.0, 1.0]), &down, None), 0.01);
    let record = only(&result);
    // What is known, of the table's surface in the closed block, is a clash already.
    assert_eq!((record.verdict, record.pressed), (Verdict::Clash, None), "{record:?}");
    assert!(record.depth_unknown.as_deref().unwrap().starts_with("a is open"), "{record:?}");
}

/// A block slides through a table past a sheet that it nearly touches: at a fine precision, more poses than a
/// search asks for are needed to show that the sheet does not matter.
#[test]
fn an_open_sheet_nearby_leaves_a_bracket() {
    let mut table = cuboid([-9.0, -9.0, -5.0], [9.0, 9.0, 0.0]);
    let corners = [(-9.0, 0.5), (9.0, 0.5), (9.0, 2.0), (-9.0, 2.0)].map(|(x, z)| DVec3::new(x, 1.002, z));
    let fold = DVec3::new(0.0, 2.0, 2.0);
    table.extend([[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]);
    table.push([corners[3], corners[2], fold]);
    let slide = linear(&[-5.0, 5.0].map(|x| key(f64::from(x > 0.0), STRAIGHT, DVec3::new(x, 0.0, -0.3))));
    let result = swept(&scene_of(table, cuboid([-1.0, -1.0, 0.0], [1.0, 1.0, 1.0]), &slide, None), 1e-4);
    let record = only(&result);
    let found = record.pressed.unwrap_or_else(|| panic!("{record:?}"));
    assert_eq!(record.verdict, Verdict::Clash);
    // Nothing in the block is deeper than 0.5, or in the table than 2.5.
    assert!((0.297..=0.3).contains(&found.at_least) && (0.3..2.52).contains(&found.at_most), "{found:?}");
}

#[test]
fn each_stretch_of_contact_has_its_depth() {
    let keys = [(0.0, -0.1), (1.0, 1.0), (2.0, -0.3), (3.0, 1.0)];
    let motion = linear(&keys.map(|(time, z)| key(time, STRAIGHT, DVec3::Z * z)));
    let table = cuboid([-9.0, -9.0, -5.0], [9.0, 9.0, 0.0]);
    let scene = scene_of(table, cuboid([-1.0, -1.0, 0.0], [1.0, 1.0, 1.0]), &motion, None);
    let request = SweepRequest::default().tolerance(TOLERANCE).precision(0.01).between(0.0, 3.0);
    let result = sweep(&scene, &request.with_intervals(), &Unobserved).unwrap();
    let found = only(&result).intervals.as_ref().unwrap();
    let depths: Vec<Pressed> = found.pressed.iter().map(|found| found.clone().unwrap()).collect();
    assert_eq!((found.contact.len(), depths.len()), (2, 2));
    for (found, depth) in depths.iter().zip([0.1, 0.3]) {
        assert!(found.at_least <= depth && depth <= found.at_most && found.at_most <= 1.01 * found.at_least);
    }
    assert_eq!(depths[0].at, 0.0);
    assert!((depths[1].at - 2.0).abs() < 0.01);
}

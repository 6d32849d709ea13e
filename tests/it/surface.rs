//! Curved surfaces against known properties, each other, and their triangulations.
//!
//! With `CLOSEFIT_CASES` set, tests also ask at their finest precision, which takes most of their time.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use closefit::{Between, CollisionMesh, DVec3, Keyframe, Mesh, Motion, Pose};
use closefit_geometry::math::interval::{Interval, IntervalVec3};
use closefit_surface::{
    Bezier, ClosestApproach, Ellipsoid, Implicit, Near, Patches, Surface, SurfaceError, TimeOfImpact, Torus,
    closest_approach, contacts, time_of_impact,
};
use proptest::prelude::*;

const STRAIGHT: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

fn key(time: f64, rotation: [f64; 4], translation: DVec3) -> Keyframe {
    Keyframe { time, rotation, translation }
}

fn through(keys: &[Keyframe]) -> Motion {
    Motion::through(keys, Between::Screw, [1.0; 3]).unwrap()
}

/// Returns a motion from one position to another during one second.
fn straight(from: DVec3, to: DVec3) -> Motion {
    through(&[key(0.0, STRAIGHT, from), key(1.0, STRAIGHT, to)])
}

fn still(at: DVec3) -> Motion {
    through(&[key(0.0, STRAIGHT, at)])
}

fn turned(axis: DVec3, angle: f64, shift: DVec3) -> Pose {
    let [x, y, z] = (axis * (0.5 * angle).sin()).to_array();
    Pose::from_trs([x, y, z, (0.5 * angle).cos()], [1.0; 3], shift.to_array()).unwrap()
}

fn ellipsoid(x: f64, y: f64, z: f64) -> Ellipsoid {
    Ellipsoid::new(DVec3::new(x, y, z)).unwrap()
}

/// Returns a bicubic patch that is the unit square of the plane z = 0.
fn square() -> Bezier {
    let control: Vec<_> =
        (0..16).map(|i| DVec3::new(f64::from(i / 4) / 3.0, f64::from(i % 4) / 3.0, 0.0)).collect();
    Bezier::new([3, 3], &control).unwrap()
}

/// Returns a grid of points of a surface, as triangles.
fn triangulated(around: u32, across: u32, at: impl Fn(f64, f64) -> DVec3) -> Mesh {
    let index = |i: u32, j: u32| i * (across + 1) + j;
    let points: Vec<_> = (0..=around)
        .flat_map(|i| (0..=across).map(move |j| (i, j)))
        .map(|(i, j)| at(f64::from(i) / f64::from(around), f64::from(j) / f64::from(across)))
        .collect();
    let cells = (0..around).flat_map(|i| (0..across).map(move |j| (i, j)));
    let triangles: Vec<_> = cells
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    Mesh::new(&points, &triangles).unwrap()
}

fn ball_mesh(radius: f64, fineness: u32) -> Mesh {
    triangulated(2 * fineness, fineness, |s, t| {
        let (u, v) = (TAU * s, PI * (t - 0.5));
        DVec3::new(u.cos() * v.cos(), u.sin() * v.cos(), v.sin()) * radius
    })
}

/// Returns the precisions to ask at, without the last ones unless the run is a full one.
fn precisions(all: &[f64], quick: usize) -> &[f64] {
    if closefit_testing::is_full_run() { all } else { &all[..quick] }
}

/// Checks that the bracket is correct for a contact at a time, at a relative speed.
#[track_caller]
fn brackets(found: &TimeOfImpact, time: f64, speed: f64, precision: f64) {
    let TimeOfImpact { after, before, near } = found;
    assert!(*after <= time, "late: {after} for {time}");
    assert!(speed * (time - before) <= precision, "early: {before} for {time}");
    assert!(before - after <= precision / speed, "wide: {after} to {before}");
    assert!(near.at_most.unwrap() <= precision, "{near:?}");
}

fn first(a: &Patches, along: &Motion, b: &Patches, and: &Motion, precision: f64) -> Option<TimeOfImpact> {
    time_of_impact(&a.along(along), &b.along(and), precision).unwrap()
}

#[test]
fn balls_meet_when_their_radii_say_so() {
    let (one, half) = (ellipsoid(1.0, 1.0, 1.0), ellipsoid(0.5, 0.5, 0.5));
    let way = [DVec3::new(5.0, 0.6, 0.0), DVec3::new(-5.0, 0.6, 0.0)];
    let time = (5.0 - (1.5f64 * 1.5 - 0.36).sqrt()) / 10.0;
    for &precision in precisions(&[1e-2, 1e-4, 1e-7], 2) {
        for a in [Patches::of(one), Patches::of_implicit(one)] {
            for b in [Patches::of(half), Patches::of_implicit(half)] {
                let found = first(&a, &still(DVec3::ZERO), &b, &straight(way[0], way[1]), precision).unwrap();
                // The relative speed is 10 a second; the distance falls by its component along the line of
                // centres.
                let slope = 10.0 * (1.0f64 - 0.16).sqrt();
                let TimeOfImpact { after, before, near } = found;
                assert!(
                    after <= time && slope * (time - before) <= 1.01 * precision,
                    "{after} {before} {time}"
                );
                assert!(10.0 * (before - after) <= precision && near.at_most.unwrap() <= precision);
                // Swapped, or seen from the other surface.
                let again = first(&b, &straight(way[0], way[1]), &a, &still(DVec3::ZERO), precision).unwrap();
                assert!(again.after <= time && slope * (time - again.before) <= 1.01 * precision);
                let back =
                    first(&a, &straight(-way[0], -way[1]), &b, &still(DVec3::ZERO), precision).unwrap();
                assert!(back.after <= time && slope * (time - back.before) <= 1.01 * precision);
            }
        }
    }
}

#[test]
fn balls_that_pass_do_not_meet() {
    let ball = Patches::of(ellipsoid(1.0, 1.0, 1.0));
    let passing = |y: f64| straight(DVec3::new(5.0, y, 0.0), DVec3::new(-5.0, y, 0.0));
    assert_eq!(first(&ball, &still(DVec3::ZERO), &ball, &passing(2.001), 1e-4), None);
    assert!(first(&ball, &still(DVec3::ZERO), &ball, &passing(1.9999), 1e-4).is_some());
}

#[test]
fn an_ellipsoid_turns_into_a_plane() {
    // Its extent along x is the root of 4 cos^2 + sin^2 of the angle.
    let cigar = ellipsoid(2.0, 1.0, 1.0);
    let half = FRAC_PI_2 / 2.0;
    let turning = through(&[
        key(0.0, [0.0, 0.0, half.sin(), half.cos()], DVec3::ZERO),
        key(1.0, STRAIGHT, DVec3::ZERO),
    ]);
    let angle = (1.25f64 / 3.0).sqrt().acos();
    let time = 1.0 - angle / FRAC_PI_2;
    let corners = [[-9.0, -9.0], [-9.0, 9.0], [9.0, -9.0], [9.0, 9.0]].map(|[y, z]| DVec3::new(1.5, y, z));
    let wall = Patches::of(Bezier::new([1, 1], &corners).unwrap());
    let mesh = Patches::of_mesh(&Mesh::new(&corners, &[[0, 1, 2], [1, 3, 2]]).unwrap());
    // The rate at which the extent grows there.
    let slope = 3.0 * angle.cos() * angle.sin() / 1.5 * FRAC_PI_2;
    for wall in [&wall, &mesh] {
        for cigar in [Patches::of(cigar), Patches::of_implicit(cigar)] {
            let found = first(&cigar, &turning, wall, &still(DVec3::ZERO), 1e-4).unwrap();
            assert!(found.after <= time && slope * (time - found.before) <= 1.01e-4, "{found:?} {time}");
            assert!(found.near.points.iter().all(|p| (p.x - 1.5).abs() < 1e-4), "{found:?}");
        }
    }
}

#[test]
fn linked_rings_meet_only_when_they_are_pulled() {
    let upright = |x: f64| turned(DVec3::X, FRAC_PI_2, DVec3::X * x);
    for (minor, linked) in [(0.35, true), (0.49, true), (0.51, false)] {
        let torus = Torus::new(1.0, minor).unwrap();
        for a in [Patches::of(torus), Patches::of_implicit(torus)] {
            let (flat, other) = (a.at(&Pose::IDENTITY).unwrap(), Patches::of(torus));
            let found = contacts(&flat, &other.at(&upright(1.0)).unwrap(), 0.02).unwrap();
            assert_eq!(found.is_empty(), linked, "{minor}");
            assert!(found.iter().all(|near| near.at_most.unwrap() <= 0.02));
        }
    }
    // Pulled apart at a speed of 1, cores at distance 1 meet when 0.7 are left.
    let torus = Patches::of(Torus::new(1.0, 0.35).unwrap());
    let up = [0.5f64.sqrt(), 0.0, 0.0, 0.5f64.sqrt()];
    let pulled = through(&[key(0.0, up, DVec3::X), key(1.0, up, DVec3::X * 2.0)]);
    brackets(&first(&torus, &still(DVec3::ZERO), &torus, &pulled, 1e-5).unwrap(), 0.3, 1.0, 1e-5);
}

#[test]
fn a_flat_patch_is_a_plane() {
    let ball = Patches::of(ellipsoid(0.25, 0.25, 0.25));
    let falling = straight(DVec3::new(0.4, 0.6, 1.0), DVec3::new(0.4, 0.6, 0.0));
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)];
    let mesh = Mesh::new(&corners, &[[0, 1, 3], [0, 3, 2]]).unwrap();
    for floor in [Patches::of(square()), Patches::of_mesh(&mesh)] {
        let found = first(&floor, &still(DVec3::ZERO), &ball, &falling, 1e-5).unwrap();
        brackets(&found, 0.75, 1.0, 1e-5);
        let [on_floor, _] = found.near.points;
        assert!((on_floor - DVec3::new(0.4, 0.6, 0.0)).length() < 0.01, "{on_floor}");
    }
    // The reported point is at the patch's u and v.
    let floor = Patches::of(square());
    let through = ball.at(&Pose::translation([0.4, 0.6, 0.1])).unwrap();
    let found = contacts(&floor.at(&Pose::IDENTITY).unwrap(), &through, 0.02).unwrap();
    let circle = (0.25f64 * 0.25 - 0.01).sqrt();
    assert!(found.len() > 50);
    for near in &found {
        let [u, v, _] = near.patches[0].parameters.map(Interval::middle);
        let from = ((u - 0.4).powi(2) + (v - 0.6).powi(2)).sqrt();
        assert!((from - circle).abs() < 0.02 && near.at_most.unwrap() <= 0.02, "{near:?}");
    }
    // Found all around: no sixteenth of the circle is missing.
    let seen = found.iter().fold(0u32, |seen, Near { points: [p, _], .. }| {
        seen | 1 << ((((p.y - 0.6).atan2(p.x - 0.4) + PI) / TAU * 16.0) as u32).min(15)
    });
    assert_eq!(seen, 0xffff);
}

#[test]
fn a_mesh_answers_as_meshes_do() {
    let (mesh, precision) = (ball_mesh(1.0, 12), 1e-4);
    let way = straight(DVec3::new(4.0, 0.3, 0.2), DVec3::new(-4.0, 0.3, 0.2));
    let (movable, patches) = (CollisionMesh::build(&mesh), Patches::of_mesh(&mesh));
    let exact =
        closefit::time_of_impact(&movable.along(&still(DVec3::ZERO)), &movable.along(&way), precision);
    let exact = exact.unwrap().unwrap().first;
    let found = first(&patches, &still(DVec3::ZERO), &patches, &way, precision).unwrap();
    // Both are within the precision of the contact, at a speed of 8.
    assert!(
        found.after <= exact.before && exact.after <= found.before + precision / 4.0,
        "{found:?} {exact:?}"
    );
}

#[test]
fn a_surface_meets_as_its_triangulation_does() {
    let torus = Torus::new(1.0, 0.35).unwrap();
    let (around, across) = (96, 48);
    let mesh = triangulated(around, across, |s, t| {
        let (u, v) = (TAU * s, TAU * t);
        let out = 1.0 + 0.35 * v.cos();
        DVec3::new(out * u.cos(), out * u.sin(), 0.35 * v.sin())
    });
    // Vertices are on the surface; chords are no deeper than this below it.
    let deep = 1.35 * (1.0 - (PI / f64::from(around)).cos()) + 0.35 * (1.0 - (PI / f64::from(across)).cos());
    let tumbling = through(&[
        key(0.0, [0.1, 0.5, 0.2, 0.7], DVec3::new(3.5, 0.2, 0.5)),
        key(1.0, [0.6, -0.1, 0.3, 0.4], DVec3::new(-1.0, 0.1, 0.2)),
    ]);
    let precision = 1e-3;
    let ball = Patches::of(ellipsoid(0.8, 0.5, 0.3));
    let curved = first(&Patches::of(torus), &still(DVec3::ZERO), &ball, &tumbling, precision).unwrap();
    let flat = first(&Patches::of_mesh(&mesh), &still(DVec3::ZERO), &ball, &tumbling, precision).unwrap();
    let cells =
        first(&Patches::of_implicit(torus), &still(DVec3::ZERO), &ball, &tumbling, precision).unwrap();
    // The chords are met later, but before the surfaces overlap by more than that depth.
    assert!(curved.after <= flat.before + precision, "{curved:?} {flat:?}");
    assert!(flat.after <= curved.before + 2.0 * (deep + precision), "{curved:?} {flat:?}");
    assert!((cells.before - curved.before).abs() < precision, "{curved:?} {cells:?}");
}

#[test]
fn thin_and_fast_is_not_missed() {
    // Disks a ten-thousandth thick, at a thousand radii a second.
    let disk = ellipsoid(1.0, 1.0, 1e-4);
    for way in [DVec3::new(0.3, 0.2, 500.0), DVec3::new(0.0, 1.9, 500.0), DVec3::new(-0.7, 0.0, 333.0)] {
        let coming = straight(way, way * DVec3::new(1.0, 1.0, -1.0));
        for disk in [Patches::of(disk), Patches::of_implicit(disk)] {
            let found = first(&disk, &still(DVec3::ZERO), &disk, &coming, 1e-2).unwrap();
            assert!(found.after <= 0.5 && (0.5 - found.before) * 2.0 * way.z <= 2e-4 + 1e-2, "{found:?}");
        }
    }
}

#[test]
fn the_start_and_jumps_hold_at_once() {
    let ball = Patches::of(ellipsoid(1.0, 1.0, 1.0));
    let from_start =
        first(&ball, &still(DVec3::ZERO), &ball, &straight(DVec3::X * 1.5, DVec3::X * 9.0), 1e-3);
    let found = from_start.unwrap();
    assert_eq!((found.after, found.before), (0.0, 0.0));
    // A surface inside another is not near it.
    let core = Patches::of(ellipsoid(0.5, 0.5, 0.5));
    assert_eq!(first(&ball, &still(DVec3::ZERO), &core, &straight(DVec3::ZERO, DVec3::X * 0.4), 1e-3), None);
    for (last, expected) in [(2.0, 1.0), (1.0, 1.0)] {
        let mut keys = vec![key(0.0, STRAIGHT, DVec3::X * 9.0), key(1.0, STRAIGHT, DVec3::X * 1.5)];
        if last > 1.0 {
            keys.push(key(last, STRAIGHT, DVec3::X * 9.0));
        }
        let jumping = Motion::through(&keys, Between::Step, [1.0; 3]).unwrap();
        let found = first(&ball, &still(DVec3::ZERO), &ball, &jumping, 1e-3).unwrap();
        assert_eq!((found.after, found.before), (expected, expected));
    }
}

fn closest(a: &Patches, along: &Motion, b: &Patches, and: &Motion, precision: f64) -> ClosestApproach {
    closest_approach(&a.along(along), &b.along(and), precision).unwrap().expect("both have points")
}

/// Checks that a bracket contains a distance, which holds at a time, and is as narrow as the precision.
#[track_caller]
fn encloses(found: &ClosestApproach, distance: f64, times: [f64; 2], precision: f64) {
    let at_most = found.near.at_most.unwrap();
    assert!(found.at_least <= distance + 1e-12 && distance - 1e-12 <= at_most, "{distance}: {found:?}");
    assert!(at_most - found.at_least <= precision, "wide: {found:?}");
    assert!(times[0] <= found.at && found.at <= times[1], "{times:?}: {found:?}");
}

#[test]
fn balls_pass_as_close_as_their_radii_say() {
    let (one, half) = (ellipsoid(1.0, 1.0, 1.0), ellipsoid(0.5, 0.5, 0.5));
    let passing = straight(DVec3::new(5.0, 2.0, 0.0), DVec3::new(-3.0, 2.0, 0.0));
    for &precision in precisions(&[1e-1, 1e-3, 1e-6], 2) {
        // A distance that is off by the precision lasts for the root of it.
        let lasts = f64::sqrt(4.0 * precision) / 8.0;
        for a in [Patches::of(one), Patches::of_implicit(one)] {
            for b in [Patches::of(half), Patches::of_implicit(half)] {
                let found = closest(&a, &still(DVec3::ZERO), &b, &passing, precision);
                encloses(&found, 0.5, [0.625 - lasts, 0.625 + lasts], precision);
                let again = closest(&b, &passing, &a, &still(DVec3::ZERO), precision);
                encloses(&again, 0.5, [0.625 - lasts, 0.625 + lasts], precision);
            }
        }
    }
}

#[test]
fn the_closest_approach_may_be_inside_at_an_end_or_a_jump() {
    let (ring, ball) = (Torus::new(2.0, 0.5).unwrap(), ellipsoid(1.0, 1.0, 1.0));
    let fine = *precisions(&[1e-2, 1e-3], 1).last().expect("at least one");
    for (ring, ball) in
        [(Patches::of(ring), Patches::of(ball)), (Patches::of_implicit(ring), Patches::of_implicit(ball))]
    {
        // Through the hole, with 0.5 to spare in its middle.
        let through = straight(DVec3::Z * 3.0, DVec3::Z * -2.0);
        encloses(&closest(&ring, &still(DVec3::ZERO), &ball, &through, 0.05), 0.5, [0.4, 0.8], 0.05);
        let above = straight(DVec3::new(2.0, 0.0, 3.0), DVec3::new(2.0, 0.0, 2.0));
        encloses(&closest(&ring, &still(DVec3::ZERO), &ball, &above, fine), 0.5, [0.99, 1.0], fine);
        let into = straight(DVec3::new(2.0, 0.0, 3.0), DVec3::new(2.0, 0.0, 1.0));
        let found = closest(&ring, &still(DVec3::ZERO), &ball, &into, fine);
        assert!(found.at_least == 0.0 && found.near.at_most.unwrap() <= fine, "{found:?}");
        let keys = [key(0.0, STRAIGHT, DVec3::X * 9.0), key(1.0, STRAIGHT, DVec3::new(2.0, 0.0, 1.75))];
        let jump = Motion::through(&keys, Between::Step, [1.0; 3]).unwrap();
        encloses(&closest(&ring, &still(DVec3::ZERO), &ball, &jump, fine), 0.25, [1.0, 1.0], fine);
    }
    // A ball inside another that turns: the gap is the same everywhere and always.
    let (outer, inner) = (Patches::of(ellipsoid(1.0, 1.0, 1.0)), Patches::of(ellipsoid(0.5, 0.5, 0.5)));
    let up = [0.5f64.sqrt(), 0.0, 0.0, 0.5f64.sqrt()];
    let turning = through(&[key(0.0, STRAIGHT, DVec3::ZERO), key(1.0, up, DVec3::ZERO)]);
    encloses(&closest(&outer, &still(DVec3::ZERO), &inner, &turning, 0.2), 0.5, [0.0, 1.0], 0.2);
    let nothing = Patches::of_implicit(Square(1.0));
    assert_eq!(closest_approach(&nothing.along(&still(DVec3::ZERO)), &inner.along(&turning), 0.1), Ok(None));
}

#[test]
fn meshes_come_as_close_as_the_exact_answer_says() {
    let (mesh, precision) = (ball_mesh(1.0, 8), 1e-3);
    let (movable, patches) = (CollisionMesh::build(&mesh), Patches::of_mesh(&mesh));
    let tumbling = through(&[
        key(0.0, [0.1, 0.5, 0.2, 0.7], DVec3::new(4.0, 2.4, 0.5)),
        key(1.0, [0.6, -0.1, 0.3, 0.4], DVec3::new(-3.0, 2.3, 0.2)),
    ]);
    let stays = still(DVec3::ZERO);
    let exact =
        closefit::closest_approach(&movable.along(&stays), &movable.along(&tumbling), precision).unwrap();
    let found = closest(&patches, &stays, &patches, &tumbling, precision);
    assert!(
        found.at_least <= exact.at_most && exact.at_least <= found.near.at_most.unwrap(),
        "{found:?} {exact:?}"
    );
    assert!(found.near.at_most.unwrap() - found.at_least <= precision);
}

/// A surface that counts the evaluations of its inclusion functions.
#[derive(Debug)]
struct Counting<S>(S, Arc<AtomicUsize>);

impl<S: Surface> Surface for Counting<S> {
    fn domain(&self) -> [Interval; 2] {
        self.0.domain()
    }

    fn place(&self, parameters: [Interval; 2]) -> IntervalVec3 {
        self.1.fetch_add(1, Relaxed);
        self.0.place(parameters)
    }

    fn tangents(&self, parameters: [Interval; 2]) -> [IntervalVec3; 2] {
        self.1.fetch_add(1, Relaxed);
        self.0.tangents(parameters)
    }
}

/// The box tree saves evaluations of inclusion functions in each search after the first, and finer precision
/// costs few more: a patch is thinner than its size by its square, so halving goes on to separate patches.
#[test]
fn boxes_in_advance_save_evaluations() {
    let bowl: Vec<_> = (0..16)
        .map(|i| {
            let [x, y] = [i / 4, i % 4].map(|k| f64::from(k) - 1.5);
            DVec3::new(x, y, 0.3 * (x * x + y * y) - 1.2)
        })
        .collect();
    let bowl = Bezier::new([3, 3], &bowl).unwrap();
    let linked = [key(0.0, [0.5f64.sqrt(), 0.0, 0.0, 0.5f64.sqrt()], DVec3::X)];
    let pulled = through(&[linked[0], Keyframe { time: 1.0, translation: DVec3::X * 2.0, ..linked[0] }]);
    let falling = straight(DVec3::new(0.2, 0.1, 2.0), DVec3::new(0.2, 0.1, -1.0));
    let torus = Torus::new(1.0, 0.35).unwrap();
    println!(
        "scene              precision  time of contact  evaluations: alone  with 2 048 boxes  to make them"
    );
    for &precision in precisions(&[1e-2, 1e-4, 1e-6, 1e-8], 2) {
        let linked = evaluations(torus, torus, &pulled, precision);
        let dropped = evaluations(bowl.clone(), ellipsoid(0.3, 0.2, 0.25), &falling, precision);
        for (scene, [alone, with_boxes, making], time) in
            [("two linked tori", linked.0, linked.1), ("an egg in a bowl", dropped.0, dropped.1)]
        {
            println!("{scene:18} {precision:9.0e} {time:16.9} {alone:19} {with_boxes:17} {making:13}");
            assert!(with_boxes < alone, "{scene}: {with_boxes} of {alone}");
            assert!(alone < 1_000_000, "{scene}: halving stalls at a precision of {precision}: {alone}");
        }
    }
}

/// Returns the evaluations of a search without boxes in advance, with them, and those to make them; and the
/// time of contact of a surface that stands with one that moves.
fn evaluations(
    a: impl Surface + Clone + 'static,
    b: impl Surface + Clone + 'static,
    along: &Motion,
    precision: f64,
) -> ([usize; 3], f64) {
    let count = Arc::new(AtomicUsize::new(0));
    let taken = || count.swap(0, Relaxed);
    let counting = [Patches::of(Counting(a, count.clone())), Patches::of(Counting(b, count.clone()))];
    let making = taken();
    let search = |[a, b]: &[Patches; 2]| first(a, &still(DVec3::ZERO), b, along, precision).unwrap();
    let found = search(&counting);
    let with_boxes = taken();
    let alone = counting.map(|patches| patches.with_boxes_in_advance(1));
    taken();
    assert_eq!(search(&alone), found);
    ([taken(), with_boxes, making], found.before)
}

/// A function without a change of sign: x^2 + y^2 = 0 has zeros but no change, and 1 = 0 has no zeros.
#[derive(Debug)]
struct Square(f64);

impl Implicit for Square {
    fn region(&self) -> IntervalVec3 {
        IntervalVec3([Interval::within(1.0); 3])
    }

    fn value(&self, IntervalVec3([x, y, _]): IntervalVec3) -> Interval {
        x.square() + y.square() + Interval::point(self.0)
    }

    fn gradient(&self, IntervalVec3([x, y, _]): IntervalVec3) -> IntervalVec3 {
        IntervalVec3([x + x, y + y, Interval::ZERO])
    }
}

#[test]
fn what_is_not_proven_is_said_so() {
    let ball = Patches::of(ellipsoid(0.5, 0.5, 0.5));
    let ball = ball.at(&Pose::IDENTITY).unwrap();
    let line = Patches::of_implicit(Square(0.0));
    let found = contacts(&line.at(&Pose::IDENTITY).unwrap(), &ball, 0.05).unwrap();
    assert!(!found.is_empty() && found.iter().all(|near| near.at_most.is_none()));
    let apart = line.at(&Pose::translation([0.7, 0.0, 0.0])).unwrap();
    assert!(contacts(&apart, &ball, 0.05).unwrap().is_empty());
    let nothing = Patches::of_implicit(Square(1.0));
    assert!(contacts(&nothing.at(&Pose::IDENTITY).unwrap(), &ball, 0.05).unwrap().is_empty());
    let way = straight(DVec3::X, -DVec3::X);
    let core = Patches::of(ellipsoid(0.5, 0.5, 0.5));
    assert_eq!(first(&nothing, &still(DVec3::ZERO), &core, &way, 1e-3), None);
}

#[test]
fn bad_input_is_refused() {
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Torus::new(radius, 1.0), Err(SurfaceError::Radius { .. })));
        assert!(matches!(Ellipsoid::new(DVec3::new(1.0, radius, 1.0)), Err(SurfaceError::Radius { .. })));
    }
    let short = Bezier::new([3, 3], &[DVec3::ZERO; 15]).unwrap_err();
    assert_eq!(short.to_string(), "degrees [3, 3] take 16 control points, not 15");
    let huge = Bezier::new([u32::MAX, u32::MAX], &[]).unwrap_err();
    assert!(matches!(huge, SurfaceError::Net { .. }) && !huge.to_string().is_empty());
    let wrong = Bezier::new([1, 0], &[DVec3::ZERO, DVec3::new(0.0, f64::NAN, 0.0)]);
    assert!(matches!(wrong, Err(SurfaceError::ControlPoint { index: 1, .. })));
    let ball = Patches::of(ellipsoid(1.0, 1.0, 1.0));
    let mut bad = Pose::IDENTITY;
    for value in [f64::NAN, 1e300] {
        bad.rows[1][2] = value;
        assert_eq!(ball.at(&bad).unwrap_err(), SurfaceError::OutOfRange);
    }
    let here = ball.at(&Pose::IDENTITY).unwrap();
    let (stays, goes) = (still(DVec3::ZERO), straight(DVec3::X * 4.0, DVec3::ZERO));
    for precision in [0.0, -1.0, 1e-14, f64::NAN, f64::INFINITY] {
        assert!(matches!(contacts(&here, &here, precision), Err(SurfaceError::Precision { .. })));
        let asked = time_of_impact(&ball.along(&stays), &ball.along(&goes), precision);
        assert!(matches!(asked, Err(SurfaceError::Precision { .. })));
    }
    assert_eq!(time_of_impact(&ball.along(&stays), &ball.along(&stays), 0.1), Err(SurfaceError::NoTime));
    let far = straight(DVec3::ZERO, DVec3::X * 2f64.powi(200));
    assert_eq!(time_of_impact(&ball.along(&stays), &ball.along(&far), 0.1), Err(SurfaceError::OutOfRange));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(closefit_testing::cases(20) as u32))]

    /// No point of one comes nearer to a point of the other than the bracket says, and the bracket is narrow.
    #[test]
    fn no_points_come_closer(
        radii in prop::array::uniform3(0.2..1.0f64),
        tube in 0.1..0.6f64,
        ends in prop::array::uniform2(prop::array::uniform3(-3.0..3.0f64)),
        turns in prop::array::uniform2(prop::array::uniform4(-1.0..1.0f64)),
        seen in prop::collection::vec([0.0..=1.0f64, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0], 200),
    ) {
        let turned = |[x, y, z, w]: [f64; 4]| [x, y, z, w + 1.5];
        let (torus, egg) = (Torus::new(1.0, tube).unwrap(), ellipsoid(radii[0], radii[1], radii[2]));
        let keys = [0, 1].map(|k| key(k as f64, turned(turns[k]), DVec3::from_array(ends[k])));
        let (moving, precision) = (through(&keys), 0.02);
        let found = closest(&Patches::of(torus), &still(DVec3::ZERO), &Patches::of(egg), &moving, precision);
        let at_most = found.near.at_most.unwrap();
        prop_assert!(at_most - found.at_least <= precision);
        let point = |surface: &dyn Surface, s: [f64; 2]| {
            let domain = surface.domain();
            let at = [0, 1].map(|k| Interval::point(domain[k].lo + s[k] * (domain[k].hi - domain[k].lo)));
            surface.place(at).middle()
        };
        for [time, s, t, u, v] in seen {
            let (p, q) = (point(&torus, [s, t]), point(&egg, [u, v]));
            let distance = (moving.pose(time).apply(q) - p).length();
            prop_assert!(found.at_least <= distance + 1e-9, "{distance} at {time}: {found:?}");
        }
    }

    /// The distance of two balls is known: they are not apart where they overlap, and not near where they are
    /// farther.
    #[test]
    fn balls_are_near_or_apart_as_they_are(
        radii in [0.1..2.0f64, 0.1..2.0f64],
        direction in prop::array::uniform3(-1.0..1.0f64),
        gap in prop_oneof![-0.1..0.1f64, -1e-3..1e-3f64, Just(0.0)],
        power in -150..150i32,
        implicit in [any::<bool>(), any::<bool>()],
        far in prop_oneof![Just(0.0), Just(100.0)],
    ) {
        let direction = DVec3::from_array(direction).normalize_or(DVec3::X);
        let scale = 2f64.powi(power);
        let precision = 0.01 * (radii[0] + radii[1]) * scale;
        let balls = [0, 1].map(|k| {
            let ball = Ellipsoid::new(DVec3::splat(radii[k] * scale)).unwrap();
            if implicit[k] { Patches::of_implicit(ball) } else { Patches::of(ball) }
        });
        let from = DVec3::new(1.0, 2.0, -0.5) * far * scale;
        let to = from + direction * ((radii[0] + radii[1] + gap) * scale);
        let placed = [(0, from), (1, to)].map(|(k, at)| balls[k].at(&turned(DVec3::Y, 0.7, at)).unwrap());
        let distance = ((to - from).length() / scale - radii[0] - radii[1]) * scale;
        // A small ball well inside the other does not touch it.
        prop_assume!((to - from).length() > (radii[0] - radii[1]).abs() * scale + precision);
        let found = contacts(&placed[0], &placed[1], precision).unwrap();
        let rounding = 1e-13 * (1.0 + far) * scale;
        prop_assert!(!found.is_empty() || distance > -rounding, "{distance}");
        prop_assert!(found.is_empty() || distance <= precision, "{distance}");
        for near in &found {
            prop_assert!(near.at_most.unwrap() <= precision && near.at_most.unwrap() >= distance - rounding);
        }
    }
}

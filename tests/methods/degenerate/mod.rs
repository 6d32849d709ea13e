//! Degenerate bodies and poses: every kind of tree by every executor, every broad phase and every filter by
//! hulls give the answers of brute force, and none makes far more tests than the default unless the documents
//! say so.
//!
//! `simple` tests each edge of one body against each triangle of the other, so it is left out of bodies with
//! more than [`QUADRATIC`](agreement::QUADRATIC) pairs of triangles. `CLOSEFIT_CASES` makes bodies several
//! times larger, and `CLOSEFIT_TRIANGLES=1000000` the large sphere one of a million triangles.

mod agreement;

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use agreement::{NOTES, agree_as_parts, agree_in_motion, agreed, assert_bounded, is_best, strategies};
use closefit::{DVec3, Mesh, Pose, Strategy};
use closefit_geometry::math::Triangle;
use closefit_testing::meshes::{Soup, ball, cuboid, mesh};
use closefit_testing::methods::Case;
use closefit_testing::motions::{STRAIGHT, torus};
use closefit_testing::rng::power_of_two;

const HERE: Pose = Pose::IDENTITY;

/// Returns a number of triangles: the first, or the second in a full run.
fn count(few: u32, many: u32) -> u32 {
    if closefit_testing::is_full_run() { many } else { few }
}

fn turned() -> Pose {
    Pose::from_trs([0.1, 0.2, 0.3, 0.9], [1.0; 3], [0.3, 0.2, 0.1]).expect("a rotation")
}

fn lifted(z: f64) -> Pose {
    Pose::translation([0.0, 0.0, z])
}

/// Returns a pose moved up.
fn above(mut pose: Pose, z: f64) -> Pose {
    pose.rows[2][3] += z;
    pose
}

/// Returns a place of a grid with ten places to a row and a hundred to a layer.
fn place(i: u32) -> DVec3 {
    DVec3::new(f64::from(i % 10), f64::from(i / 10 % 10), f64::from(i / 100))
}

/// Returns triangles in the places of the grid, that many to a layer of the plane z = 0 and above.
fn tiles(count: u32, size: f64) -> Soup {
    let tile = |i| [place(i), place(i) + DVec3::X * size, place(i) + DVec3::Y * size];
    (0..count).map(tile).collect()
}

fn scaled(soup: &[Triangle], by: f64) -> Soup {
    soup.iter().map(|t| t.map(|p| p * by)).collect()
}

/// Returns a sphere, indexed, of about this many triangles.
fn sphere(triangles: u32) -> Mesh {
    let rows = (f64::from(triangles) / 4.0).sqrt().round() as u32 + 1;
    let columns = 2 * rows;
    let ring = |row: u32| {
        let (height, radius) = {
            let angle = f64::from(row) / f64::from(rows) * PI;
            (angle.cos(), angle.sin())
        };
        (0..columns).map(move |column| {
            let (sin, cos) = (f64::from(column) / f64::from(columns) * TAU).sin_cos();
            DVec3::new(radius * cos, radius * sin, height)
        })
    };
    let poles = [DVec3::Z, DVec3::NEG_Z];
    let vertices: Vec<DVec3> = (1..rows).flat_map(ring).chain(poles).collect();
    let at = |row: u32, column: u32| (row - 1) * columns + column % columns;
    let bands = (1..rows - 1).flat_map(|row| {
        (0..columns).flat_map(move |column| {
            let [a, b, c, d] = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)]
                .map(|(i, j)| at(i, j));
            [[a, d, c], [a, c, b]]
        })
    });
    let [top, bottom] = [0, 1].map(|pole| (rows - 1) * columns + pole);
    let caps = (0..columns)
        .flat_map(|j| [[top, at(1, j), at(1, j + 1)], [bottom, at(rows - 1, j + 1), at(rows - 1, j)]]);
    let triangles: Vec<[u32; 3]> = bands.chain(caps).collect();
    Mesh::new(&vertices, &triangles).expect("a valid mesh")
}

#[test]
fn the_documents_say_which_methods_take_long() {
    let documents = include_str!("../../../docs/methods.md");
    for (kind, words) in NOTES {
        assert!(documents.contains(words), "{kind}: {words}");
    }
}

#[test]
fn one_triangle_meets_another() {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    let one = [x, y, z];
    let others = [
        ("itself", one, true),
        ("itself the other way round", [z, y, x], true),
        ("one at an edge", [x, y, x + y], true),
        ("one at a corner", [x, x * 2.0, x * 2.0 + y], true),
        (
            "one in its plane, inside",
            [DVec3::new(0.5, 0.25, 0.25), x * 0.5 + z * 0.5, x * 0.25 + y * 0.75],
            true,
        ),
        ("one in its plane, apart", one.map(|p| p + (x - y) * 2.0), false),
        ("one that it passes through", [DVec3::ZERO, DVec3::ONE, DVec3::new(2.0, 1.0, 0.5)], true),
        ("one a little above", one.map(|p| p + DVec3::splat(f64::EPSILON)), false),
        ("a segment through it", [DVec3::ZERO, DVec3::ONE, DVec3::ONE], true),
        ("a point of it", [x; 3], true),
        ("a point beside it", [x + DVec3::splat(1e-9); 3], false),
    ];
    for (name, other, meets) in others {
        let [a, b] = [one, other].map(|triangle| mesh(&[triangle]));
        assert_eq!(agreed(name, [&a, &b], [HERE; 2]), meets, "{name}");
        agreed(name, [&b, &a], [turned(), HERE]);
        agreed(name, [&a, &b], [lifted(1e6), turned()]);
    }
    agree_in_motion("one triangle past another", [&vec![one], &vec![one]], x * 3.0, x * -3.0, 1e-3);
}

#[test]
fn points_and_segments_meet_triangles_and_each_other() {
    let points: Soup = (0..200).map(|i| [place(i); 3]).collect();
    let segments: Soup = (0..200).map(|i| [place(i), place(i) + DVec3::ONE * 0.7, place(i)]).collect();
    let triangles = tiles(200, 0.75);
    let soups = [("points", &points), ("segments", &segments), ("triangles", &triangles)];
    let (mut meet, mut apart) = (0, 0);
    for (i, (a, soup_a)) in soups.into_iter().enumerate() {
        for (b, soup_b) in soups.into_iter().take(i + 1) {
            let meshes = [soup_a, soup_b].map(|soup| mesh(soup));
            for pose in [HERE, turned(), Pose::translation([0.25, 0.125, 0.0625]), lifted(0.5), lifted(9.0)] {
                let is_contact = agreed(&format!("{a} and {b}"), meshes.each_ref(), [HERE, pose]);
                meet += u32::from(is_contact);
                apart += u32::from(!is_contact);
            }
        }
    }
    assert!(meet > 6 && apart > 6, "{meet} meet, {apart} are apart");
    let above = DVec3::new(0.25, 0.25, 3.0);
    agree_in_motion("points past triangles", [&triangles, &points], above, -above, 1e-2);
    agree_in_motion("segments past points", [&points, &segments], above, -above, 1e-2);
}

#[test]
fn bodies_in_one_plane_meet() {
    let plate = tiles(100, 1.0);
    let within = Pose::from_trs([0.0, 0.0, 0.3, 0.9], [1.0; 3], [2.0, 1.0, 0.0]).expect("a rotation");
    let upright = Pose::from_trs([0.5, 0.5, 0.5, 0.5], [1.0; 3], [2.25, 1.0, -3.0]).expect("a rotation");
    let poses = [
        ("itself", HERE, true),
        ("itself half a tile on", Pose::translation([0.5, 0.5, 0.0]), true),
        ("itself turned in the plane", within, true),
        ("one beside it in the plane", Pose::translation([11.0, 0.0, 0.0]), false),
        ("one that stands on it", upright, true),
        ("one a little above", lifted(1e-12), false),
        ("one above", lifted(1.0), false),
    ];
    let plate_mesh = mesh(&plate);
    for (name, pose, meets) in poses {
        assert_eq!(agreed(name, [&plate_mesh, &plate_mesh], [HERE, pose]), meets, "{name}");
        // The same in a plane of no axis, where corners are rounded off it.
        let tilt = turned();
        let bodies = [HERE, pose].map(|pose| {
            let tilted = plate.iter().map(|t| t.map(|p| tilt.apply(pose.apply(p))));
            mesh(&tilted.collect::<Vec<_>>())
        });
        agreed(&format!("{name}, tilted"), bodies.each_ref(), [HERE; 2]);
    }
    let past = DVec3::new(0.5, 0.25, 2.0);
    agree_in_motion("a plate through a plate", [&plate, &plate], past, -past, 1e-2);
    let along = DVec3::new(12.0, 0.0, 0.0);
    agree_in_motion("a plate in the plane of another", [&plate, &plate], along, along * 0.75, 1e-2);
}

#[test]
fn many_copies_of_one_triangle_meet() {
    let triangle = [DVec3::X, DVec3::Y, DVec3::Z];
    let many = vec![triangle; count(100, 1_000) as usize];
    let copies = mesh(&many);
    for (name, count) in [("one", 1), ("thirty", 30)] {
        let what = format!("many copies and {name}");
        let other = mesh(&vec![triangle; count]);
        assert!(agreed(&what, [&copies, &other], [HERE; 2]));
        assert!(!agreed(&what, [&other, &copies], [Pose::translation([0.0, 0.0, 2.0]), HERE]));
        agreed(&what, [&copies, &other], [HERE, turned()]);
    }
    let few = vec![triangle; 2];
    agree_in_motion("two past many copies", [&many, &few], DVec3::Z * 2.0, DVec3::Z * -2.0, 1e-2);
}

#[test]
fn sizes_over_three_hundred_powers_of_two_meet() {
    let base = [DVec3::ONE, DVec3::new(2.0, 1.0, 1.0), DVec3::new(1.0, 2.0, 1.0)];
    let powers = (-150..=150).step_by(count(3, 1) as usize);
    let growing: Soup = powers.map(|i| base.map(|p| p * power_of_two(i))).collect();
    let growing = mesh(&growing);
    assert!(agreed("all sizes and themselves", [&growing, &growing], [HERE; 2]));
    agreed("all sizes and themselves turned", [&growing, &growing], [HERE, turned()]);
    agreed("all sizes and themselves mirrored", [&growing, &growing], [HERE, Pose::scaling([-1.0; 3])]);
    let tile = tiles(100, 1.0);
    let [tiny, usual, huge] = [-150, 0, 150].map(|power| mesh(&scaled(&tile, power_of_two(power))));
    let grown = |power| Pose::scaling([power_of_two(power); 3]);
    for (name, body, power) in [("tiny", &tiny, -150), ("usual", &usual, 0), ("huge", &huge, 150)] {
        agreed(&format!("all sizes and {name}"), [&growing, body], [HERE; 2]);
        let by = power_of_two(power);
        let above = Pose::translation([0.25 * by, 0.25 * by, by]);
        assert!(agreed(&format!("{name} and itself"), [body, body], [HERE; 2]));
        assert!(!agreed(&format!("{name} and itself above"), [body, body], [HERE, above]));
        // A pose brings the size.
        assert!(agreed(&format!("{name} by its pose"), [body, &usual], [HERE, grown(power)]));
    }
    assert!(agreed("tiny and huge", [&tiny, &huge], [HERE; 2]));
    agreed("tiny and huge, turned", [&tiny, &huge], [turned(), HERE]);
}

#[test]
fn parts_a_billion_away_meet() {
    const FAR: f64 = 1e9;
    let tile = tiles(100, 1.0);
    let there: Soup = tile.iter().map(|t| t.map(|p| p + DVec3::X * FAR)).collect();
    let [near, far] = [&tile, &there].map(|soup| mesh(soup));
    let away = |x: f64, z: f64| Pose::translation([FAR + x, FAR, z]);
    assert!(agreed("both far in their meshes", [&far, &far], [HERE, Pose::translation([0.5, 0.5, 0.0])]));
    assert!(!agreed("both far, one above", [&far, &far], [HERE, lifted(0.125)]));
    assert!(agreed(
        "far in the mesh and by the pose",
        [&far, &near],
        [HERE, Pose::translation([FAR, 0.0, 0.0])]
    ));
    assert!(agreed("both far by their poses", [&near, &near], [away(0.0, 0.0), away(0.5, 0.0)]));
    assert!(!agreed("both far by their poses, apart", [&near, &near], [away(0.0, 0.0), away(0.0, 1e-3)]));
    assert!(!agreed("one far", [&near, &far], [HERE; 2]));
    assert!(!agreed("one far, and turned", [&near, &far], [turned(), turned()]));
    let at = |z| DVec3::new(FAR, 0.25, z);
    agree_in_motion("far from the origin", [&there, &tile], at(1.0), at(-1.0), 1e-2);
}

#[test]
fn mirrored_sheared_unevenly_scaled_and_flattened_bodies_meet() {
    let sheared = |rows: [[f64; 4]; 3]| Pose { rows };
    let trs = |scale| Pose::from_trs([0.1, 0.2, 0.3, 0.9], scale, [0.3, 0.2, 0.1]).expect("a rotation");
    let poses = [
        ("mirrored", trs([-1.0, 1.0, 1.0])),
        ("point-mirrored", Pose::scaling([-1.0; 3])),
        ("sheared", sheared([[1.0, 0.5, 0.0, 0.1], [0.0, 1.0, 0.25, 0.0], [0.0, 0.0, 1.0, 0.0]])),
        ("sheared by a little", sheared([[1.0, 1e-7, 0.0, 0.1], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])),
        ("unevenly scaled", trs([3.0, 0.5, 1.0])),
        ("a needle", trs([1e6, 1e-6, 1e-6])),
        ("flattened to a plane", trs([1.0, 1.0, 0.0])),
        ("flattened to a line", trs([1.0, 0.0, 0.0])),
        ("shrunk to a point", Pose::from_trs(STRAIGHT, [0.0; 3], [0.5, 0.0, 0.0]).expect("a rotation")),
    ];
    let [round, boxed] =
        [ball(DVec3::ZERO, 0.5, count(1, 2)), cuboid([-0.5; 3], [0.5, 0.25, 0.5])].map(|soup| mesh(&soup));
    let (mut meet, mut apart) = (0, 0);
    for (name, pose) in poses {
        for away in [0.0, 1.5] {
            let what = format!("{name}, {away} above");
            let is_contact = agreed(&what, [&round, &boxed], [pose, above(turned(), away)]);
            meet += u32::from(is_contact);
            apart += u32::from(!is_contact);
            agreed(&format!("both {what}"), [&boxed, &round], [pose, above(pose, 2.0 * away)]);
        }
    }
    assert!(meet >= 6 && apart >= 6, "{meet} meet, {apart} are apart");
}

#[test]
fn two_triangles_meet_many() {
    let rows = count(50, 100);
    let many = mesh(&torus(5 * rows, rows, 0.25));
    assert_eq!(many.triangles().len() as u32, 10 * rows * rows);
    let [p, q, r] = many.corners(500);
    let few = mesh(&[[p, q + DVec3::splat(0.01), r], [p * 3.0, q * 3.0, r * 3.0]]);
    assert!(agreed("two and many", [&few, &many], [HERE; 2]));
    assert!(!agreed("two and many, above", [&many, &few], [HERE, lifted(2.0)]));
    assert!(!agreed("two and many, far", [&few, &many], [Pose::translation([1e9, 0.0, 0.0]), HERE]));
    let fewer = torus(rows, rows / 2, 0.25);
    let two = vec![[p, q + DVec3::splat(0.01), r], [p, q, r + DVec3::splat(0.01)]];
    agree_in_motion("two past many", [&fewer, &two], DVec3::Z, DVec3::Z * -0.5, 1e-2);
}

#[test]
fn open_shells_meet() {
    let mut bowl = ball(DVec3::ZERO, 1.0, 3);
    bowl.truncate(bowl.len() * 3 / 4);
    let mut half_ring = torus(24, 10, 0.3);
    half_ring.truncate(half_ring.len() / 2);
    let sheet =
        tiles(100, 1.0).iter().map(|t| t.map(|p| p * 0.2 - DVec3::new(1.0, 1.0, 0.0))).collect::<Vec<_>>();
    let soups = [("a bowl", &bowl), ("half a ring", &half_ring), ("a sheet", &sheet)];
    for (i, (a, soup_a)) in soups.into_iter().enumerate() {
        // Otherwise each two soups once, not both ways round.
        let others = count(i as u32 + 1, 3) as usize;
        for (b, soup_b) in soups.into_iter().take(others) {
            let meshes = [soup_a, soup_b].map(|soup| mesh(soup));
            assert!(agreed(&format!("{a} and {b}"), meshes.each_ref(), [HERE, turned()]));
            assert!(!agreed(&format!("{a} above {b}"), meshes.each_ref(), [lifted(2.5), turned()]));
            agreed(&format!("{a} and a small {b}"), meshes.each_ref(), [HERE, Pose::scaling([0.25; 3])]);
        }
        agree_in_motion(
            &format!("a sheet through {a}"),
            [soup_a, &sheet],
            DVec3::Z * 2.0,
            DVec3::Z * -2.0,
            1e-2,
        );
    }
}

/// Boxes of parts that are points, segments, flat, nested, tiny, huge and far away, all in one scene.
#[test]
fn all_degenerate_bodies_make_one_scene() {
    let base = [DVec3::X, DVec3::Y, DVec3::Z];
    let bodies: [&[Triangle]; 6] = [
        &[base],
        &[[DVec3::ZERO; 3], [DVec3::X; 3]],
        &[[DVec3::ZERO, DVec3::X, DVec3::X * 0.5]],
        &tiles(count(12, 40), 1.0),
        &vec![base; count(12, 50) as usize],
        &ball(DVec3::ZERO, 1.0, 1),
    ];
    let poses = [
        HERE,
        turned(),
        Pose::translation([1e9, 0.0, 0.0]),
        Pose::scaling([power_of_two(-150); 3]),
        Pose::scaling([power_of_two(100); 3]),
        Pose::scaling([1.0, -1.0, 0.0]),
        Pose::scaling([0.0; 3]),
    ];
    let bodies = bodies.map(|soup| Arc::new(mesh(soup)));
    let parts: Vec<_> = bodies.iter().flat_map(|mesh| poses.map(|pose| (Arc::clone(mesh), pose))).collect();
    let found = agree_as_parts("one scene", &parts);
    assert_eq!(found.pairs.len() as u64, found.ledger.pairs, "every pair is within any distance");
    for pair in &found.pairs {
        let [a, b] = pair.ids.map(|part| &parts[part.0 as usize]);
        let case = Case { meshes: [&a.0, &b.0].map(|mesh| Mesh::clone(mesh)), poses: [a.1, b.1] };
        let expected = case.by_brute_force();
        assert_eq!(pair.triangles.as_ref(), Some(&expected.contacts), "{:?}", pair.ids);
        assert_eq!(pair.distance, expected.nearest.map_or(0.0, |nearest| nearest.distance), "{:?}", pair.ids);
    }
}

/// `rapid` says what is right, and so do the radii: it shares no tree, no kernel and no search with the
/// others.
#[test]
fn spheres_of_many_triangles_meet() {
    let count = match std::env::var("CLOSEFIT_TRIANGLES") {
        Ok(text) => text.parse().expect("CLOSEFIT_TRIANGLES is a whole number"),
        Err(_) => 20_000,
    };
    let sphere = sphere(count);
    println!("{} triangles", sphere.triangles().len());
    assert!(sphere.triangles().len() as u32 >= count);
    let apart = Pose::translation([1.25, 1.25, 1.25]);
    let shifted = Pose::translation([0.0, 0.0, 1.9]);
    let poses = [("meet", shifted), ("are apart", apart)];
    let asked: Vec<Strategy> = strategies(usize::MAX).filter(|&strategy| is_best(strategy)).collect();
    for (what, pose) in poses {
        let case = Case { meshes: [sphere.clone(), sphere.clone()], poses: [HERE, pose] };
        let found: Vec<_> = asked.iter().map(|&strategy| case.found_by(strategy)).collect();
        let rapid =
            asked.iter().position(|strategy| strategy.tree() == closefit_methods::RAPID).expect("one of all");
        let truth = &found[rapid].0;
        assert_eq!(truth.contacts.is_empty(), what == "are apart");
        for (strategy, (answers, _)) in asked.iter().zip(&found) {
            assert!(answers == truth, "{what}: {strategy}");
        }
        if let Some(nearest) = truth.nearest {
            // Triangles lie below the sphere by no more than their sagitta.
            let exact = 1.25 * 3f64.sqrt() - 2.0;
            assert!(
                (exact..exact + 1e2 / f64::from(count)).contains(&nearest.distance),
                "{}",
                nearest.distance
            );
        }
        assert_bounded(what, asked.iter().zip(&found).map(|(strategy, (_, cost))| (*strategy, &cost[..])));
    }
}

//! The ways out of clashes: the moved part is clear by all pairs of triangles, and no shorter shift than the
//! lower bound is.

use closefit::scene::Scene;
use closefit::{Assembly, CheckRequest, DVec3, PartId, Pose, Separation, Unobserved, Verdict};
use closefit_testing::all_pairs::{Truth, truth};
use closefit_testing::meshes::{Piece, ball, cuboid, moved, scene, square_ring};
use closefit_testing::rng::Rng;

/// Returns the ways out of all pairs of a scene, with their ids.
fn ways_out(scene: &Scene) -> Vec<([PartId; 2], Option<Separation>)> {
    let assembly = Assembly::from(scene.clone());
    let request = assembly.check_request().expect("in range");
    let found = assembly.check(&request).expect("in range");
    let ways = assembly.ways_out(&request, &found.pairs, &Unobserved).expect("in range");
    found.pairs.iter().map(|pair| pair.ids).zip(ways).collect()
}

/// Returns a scene in which a part has moved by a step.
fn after(scene: &Scene, part: PartId, step: DVec3) -> Scene {
    let mut scene = scene.clone();
    let pose = &mut scene.parts[part.index()].pose;
    for (row, step) in pose.rows.iter_mut().zip(step.to_array()) {
        row[3] += step;
    }
    scene
}

fn is_in_contact(scene: &Scene, [a, b]: [PartId; 2]) -> bool {
    let poses = [a, b].map(|id| &scene.parts[id.index()].pose);
    matches!(truth([a, b].map(|id| scene.mesh(id)), poses), Truth::Contact(_))
}

fn verdict(scene: &Scene, ids: [PartId; 2]) -> Verdict {
    let request = CheckRequest::default().tolerance(1e-6).clearance(f64::MAX);
    let found = Assembly::from(scene.clone()).check(&request).expect("in range");
    found.pairs.iter().find(|pair| pair.ids == ids).map_or(Verdict::Clear, |pair| pair.verdict)
}

#[test]
fn the_moved_part_is_clear_and_nothing_shorter_is() {
    let mut rng = Rng::new("separation", 0);
    let (mut found, mut wide) = (0, 0);
    for _ in 0..closefit_testing::cases(60) {
        let shapes = [
            cuboid([-0.5, -0.3, -0.2], [0.5, 0.3, 0.2]),
            ball(DVec3::ZERO, 0.5, 1),
            square_ring(0.3, 0.6, -0.15, 0.15),
            cuboid([-0.1; 3], [0.1; 3]),
        ];
        let piece = |name: &str, rng: &mut Rng| {
            let at = (rng.point() * 0.5).to_array();
            let pose = Pose::from_trs(rng.quaternion(), [1.0; 3], at).expect("a direction");
            Piece { pose, ..Piece::new(name, shapes[rng.index(shapes.len())].clone()) }
        };
        let scene = scene(&[piece("a", &mut rng), piece("b", &mut rng)]);
        for (ids, way) in ways_out(&scene) {
            let Some(way) = way else { continue };
            found += 1;
            wide += u32::from(way.at_most > 1.5 * way.at_least);
            assert!(way.at_least > 0.0 && way.at_least <= way.at_most, "{way:?}");
            assert!((way.step.length() - way.at_most).abs() <= 1e-12 * way.at_most);
            let parted = after(&scene, way.part, way.step);
            assert!(!is_in_contact(&parted, ids), "{way:?}");
            assert!(verdict(&parted, ids) > Verdict::Undecided, "{way:?}");
            // What is shorter than the lower bound leaves them in contact, or one inside the other.
            for _ in 0..40 {
                let step = rng.point().normalize_or(DVec3::X) * (way.at_least * rng.unit().abs());
                let shorter = after(&scene, way.part, step);
                assert!(
                    is_in_contact(&shorter, ids) || verdict(&shorter, ids) == Verdict::Clash,
                    "{step} parts them, and is shorter than {way:?}"
                );
            }
        }
    }
    assert!(found > 20 && wide < found, "{found} {wide}");
}

/// Cubes of edge 1 in a row, the second by 0.25 in the first; it has room to leave along +x only with a third
/// one away.
#[test]
fn a_cube_leaves_along_an_axis_and_meets_the_next() {
    let cube = |x: f64| moved(&cuboid([0.0; 3], [1.0; 3]), DVec3::X * x);
    let row = |third: f64| {
        scene(&[
            Piece::new("large", cuboid([-3.0; 3], [1.0, 3.0, 3.0])),
            Piece::new("cube", cube(0.75)),
            Piece::new("next", cube(third)),
        ])
    };
    for (third, meets) in [(1.875, &[PartId(2)][..]), (9.0, &[])] {
        let ways = ways_out(&row(third));
        let ([a, b], way) = &ways[0];
        let way = way.as_ref().expect("they clash");
        assert_eq!(([*a, *b], way.part), ([PartId(0), PartId(1)], PartId(1)), "the smaller one moves");
        assert!(way.at_least <= 0.25 && 0.25 < way.at_most && way.at_most <= 0.2525, "{way:?}");
        assert_eq!((way.step.y, way.step.z), (0.0, 0.0));
        assert!(way.step.x > 0.0);
        assert_eq!(way.meets, meets);
    }
}

/// The smaller part leaves from inside, too; contacts and duplicates have no way out.
#[test]
fn a_part_inside_another_leaves_by_the_nearest_side() {
    let inside = scene(&[
        Piece::new("outer", cuboid([-2.0; 3], [2.0; 3])),
        Piece::new("inner", moved(&cuboid([-0.25; 3], [0.25; 3]), DVec3::Y * 1.5)),
    ]);
    let way = ways_out(&inside)[0].1.clone().expect("they clash");
    assert!(way.step.y > 0.75 && way.step.y < 0.7575 && way.step.x == 0.0 && way.step.z == 0.0, "{way:?}");
    let cube = || cuboid([0.0; 3], [1.0; 3]);
    let touching = scene(&[Piece::new("a", cube()), Piece::new("b", moved(&cube(), DVec3::X))]);
    assert_eq!(ways_out(&touching), [([PartId(0), PartId(1)], None)]);
}

/// A cube within a larger one, at random places. The first steps that are tried leave it inside, a rounding
/// away from the surface.
#[test]
fn every_nested_cube_leaves() {
    let mut rng = Rng::new("nested", 0);
    for case in 0..closefit_testing::cases(40) {
        let at = rng.point() * [0.0, 1.0, 1e3, 1e6][case as usize % 4];
        let gap = [1.0, 0.5 + 0.25 * rng.unit()][case as usize / 4 % 2];
        let nested = scene(&[
            Piece::new("outer", moved(&cuboid([-3.0; 3], [3.0; 3]), at)),
            Piece::new("inner", moved(&cuboid([-3.0 + gap; 3], [3.0 - gap; 3]), at)),
        ]);
        let (ids, way) = ways_out(&nested)[0].clone();
        let way = way.unwrap_or_else(|| panic!("case {case}: it stays inside, at {at}"));
        let parted = after(&nested, way.part, way.step);
        assert!(!is_in_contact(&parted, ids) && verdict(&parted, ids) > Verdict::Undecided, "{way:?}");
    }
}

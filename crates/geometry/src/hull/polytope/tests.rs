//! Polytopes of every dimension are valid, and `validate` sees what is not.

use glam::DVec3;

use super::{Feature, Polytope, Tested};
use crate::math::testing::Stream;

fn cube() -> Polytope {
    let corners: Vec<DVec3> = (0..8u32)
        .map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5)
        .collect();
    Polytope::of(&corners).expect("solid")
}

#[test]
fn polytopes_of_every_dimension() {
    let of = |points: &[DVec3]| {
        let polytope = Polytope::of(points).expect("admissible");
        assert_eq!(polytope.validate(), Ok(()), "{points:?}");
        assert_eq!(polytope.features().count(), polytope.counts().iter().sum::<usize>());
        polytope
    };
    let [x, y, z] = DVec3::AXES;
    assert_eq!(of(&[x]).counts(), [1, 0, 0]);
    assert_eq!(of(&[x, y, 0.5 * (x + y)]).counts(), [2, 1, 0]);
    assert_eq!(of(&[x, y, -x, 0.25 * y]).counts(), [3, 3, 2]);
    assert_eq!(of(&[x, y, z, -x]).counts(), [4, 6, 4]);
    assert_eq!(cube().counts(), [8, 12, 6], "faces are squares");
    assert!(cube().internal.is_some() && of(&[x, y, z]).internal.is_none());
    assert!(Polytope::of(&[]).is_none() && Polytope::of(&[x, DVec3::NAN]).is_none());
}

#[test]
fn polytopes_of_random_lattice_and_needle_points() {
    let mut stream = Stream(1);
    for round in 0..400 {
        let count = 1 + stream.below(60);
        let scale = stream.pick(&[DVec3::ONE, DVec3::new(1.0, 1e-9, 1.0), DVec3::new(1e-9, 1.0, 1e-9)]);
        let point = |stream: &mut Stream| match round % 2 {
            0 => stream.point(),
            _ => DVec3::from_array([(); 3].map(|()| stream.below(4) as f64 / 4.0)),
        };
        let points: Vec<DVec3> = (0..count).map(|_| point(&mut stream) * scale).collect();
        let polytope = Polytope::of(&points).expect("admissible");
        assert_eq!(polytope.validate(), Ok(()), "{points:?}");
    }
}

/// A point is in the cells of the features that hold its closest point, and in no other.
#[test]
fn cells_part_space_by_the_closest_feature() {
    let (cube, mut stream, room) = (cube(), Stream(2), 1e-12);
    for _ in 0..2000 {
        let x = stream.point() * 2.0;
        let closest = x.clamp(DVec3::splat(-0.5), DVec3::splat(0.5));
        if closest == x {
            continue;
        }
        let fixed = (closest - x).to_array().iter().filter(|d| **d != 0.0).count();
        let mut tested = Tested::default();
        let inside: Vec<Feature> = (cube.features())
            .filter(|feature| match *feature {
                Feature::Vertex(v) => cube.leave_vertex(v, x, room, &mut tested).is_none(),
                Feature::Edge(edge) => cube.leave_edge(edge, x, room, &mut tested).is_none(),
                Feature::Face(face) => {
                    cube.height(face, x) > 0.0 && cube.leave_face(face, x, room, &mut tested).is_none()
                }
            })
            .collect();
        let [found] = inside[..] else { panic!("{x}: {inside:?}") };
        let normal = |face| cube.normal(face).dot(x - closest) > 0.0;
        match (fixed, found) {
            (1, Feature::Face(face)) => assert!(normal(face)),
            (2, Feature::Edge(edge)) => {
                let on = cube.segment(Feature::Edge(edge)).map(|p| p - closest);
                assert!(on[0].cross(on[1]).length() < 1e-12);
            }
            (3, Feature::Vertex(v)) => assert_eq!(cube.corners.get(v), closest),
            _ => panic!("{x}: {found:?}"),
        }
    }
}

/// The pyramids lead from any face to the one that holds the point.
#[test]
fn pyramids_lead_out() {
    let (cube, mut stream) = (cube(), Stream(3));
    for _ in 0..500 {
        let x = stream.point();
        let axis = (0..3).max_by(|&i, &j| x[i].abs().total_cmp(&x[j].abs())).expect("three");
        for start in 0..6 {
            let (mut face, mut steps) = (start, 0);
            while let Some(next) =
                cube.leave_pyramid(face, x, &mut Tested::default()).expect("internal cells")
            {
                (face, steps) = (next, steps + 1);
                assert!(steps < 6);
            }
            assert!(cube.normal(face)[axis] * x[axis] > 0.0, "{x}: {}", cube.normal(face));
        }
    }
}

#[test]
fn validate_sees_what_is_wrong() {
    let broken: [fn(&mut Polytope); 6] = [
        |cube| cube.twin.swap(0, 1),
        |cube| cube.tail[3] = cube.tail[4],
        |cube| cube.leaving.swap(0, 20),
        |cube| cube.face[0] = 1,
        |cube| cube.internal.as_mut().expect("solid").centroid = DVec3::X,
        |cube| cube.place.swap(0, 1),
    ];
    for (case, spoil) in broken.iter().enumerate() {
        let mut polytope = cube();
        spoil(&mut polytope);
        assert!(polytope.validate().is_err(), "case {case}");
    }
}

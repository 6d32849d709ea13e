//! The result of a search that gives up.

use super::*;
use crate::bvh::posed_model::Model;
use crate::bvh::static_pair::StaticPair;
use crate::bvh::wide_obb::WideObb;
use crate::narrow::Work;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::Winding;

fn tetrahedron(corners: [[f64; 3]; 4]) -> Mesh {
    Mesh::new(&corners.map(DVec3::from_array), &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
}

/// A search that gives up reports it, and whether the tolerance is still inside; its bracket holds all the
/// same.
#[test]
fn a_search_that_ends_early_says_so() {
    let meshes = [
        tetrahedron([[0.0, 0.0, 0.0], [3.0, 0.1, 0.2], [0.3, 3.0, 0.1], [0.2, 0.1, 3.0]]),
        tetrahedron([[0.4, 0.5, 0.3], [-2.0, 0.3, 0.9], [0.7, -2.0, 0.8], [0.9, 0.7, -2.0]]),
    ];
    let models =
        meshes.each_ref().map(|mesh| Model::<WideObb>::of(mesh, Executor::Scalar, Winding::Repaired));
    let [a, b] = [0, 1].map(|i| {
        PosedModel::new(&meshes[i], &models[i], Pose::IDENTITY, meshes[i].posed_bounds(&Pose::IDENTITY))
    });
    let contacts = [&a, &b].contacts(&mut Work::default());
    let question = |tolerance| DepthQuestion { tolerance, only_verdict: false, measured: [true; 2] };
    let full = depth(&a, &b, &contacts, question(1e-6), f64::INFINITY);
    assert!(full.decided && !full.ended_early && full.at_most <= RATIO * full.at_least);
    let swapped = contacts.iter().map(|&[ta, tb]| [tb, ta]);
    let directions =
        [Direction::of(0, [&a, &b], contacts.iter().copied()), Direction::of(1, [&b, &a], swapped)];
    let directions: Vec<Direction> = directions.into_iter().flatten().collect();
    let ends_at = |most_patches, tolerance| {
        let mut search = ExactDepth::<Rounded>::new(&directions, question(tolerance), f64::INFINITY);
        search.most_patches = most_patches;
        match search.run() {
            Outcome::Found(found) | Outcome::Blurred(found) => found,
        }
    };
    let mut early = [0; 2];
    for most_patches in 0..64 {
        for tolerance in [1e-6, 0.99 * full.at_least] {
            let found = ends_at(most_patches, tolerance);
            assert!(found.at_least <= full.at_most && full.at_least <= found.at_most, "{found:?}");
            let straddles = found.at_least <= tolerance && tolerance < found.at_most;
            assert_eq!(found.decided, !straddles, "{most_patches}: {found:?}");
            assert!(found.ended_early || found.at_most <= RATIO * found.at_least, "{found:?}");
            early[usize::from(found.decided)] += u32::from(found.ended_early);
        }
    }
    assert!(early[0] > 0 && early[1] > 0, "neither kind of early end was seen: {early:?}");
}

/// A segment in a face is not inside, though the ray that has to tell runs along the face.
#[test]
fn a_segment_in_a_face_is_not_inside() {
    let points = |points: [[f64; 3]; 3]| points.map(DVec3::from_array);
    let corners = [[-2.0, 0.0, -2.0], [2.0, 1.0, 2.0], [0.0, 0.0, 1.0], [-1.0, 1.0, -1.0]];
    let open = points([[-1.0, 1.0, -1.0], [-1.0, 1.0, -2.0], [-2.0, -1.0, -2.0]]);
    let meshes =
        [Mesh::new(&open, &[[0, 0, 1], [0, 2, 0], [0, 1, 2], [0, 2, 1]]).unwrap(), tetrahedron(corners)];
    let models =
        meshes.each_ref().map(|mesh| Model::<WideObb>::of(mesh, Executor::Scalar, Winding::Repaired));
    let [a, b] = [0, 1].map(|i| {
        PosedModel::new(&meshes[i], &models[i], Pose::IDENTITY, meshes[i].posed_bounds(&Pose::IDENTITY))
    });
    let contacts = [&a, &b].contacts(&mut Work::default());
    for most in [f64::INFINITY, 4e-14] {
        let question = DepthQuestion { tolerance: 0.0, only_verdict: false, measured: [true; 2] };
        let found = depth(&a, &b, &contacts, question, most);
        assert!(found.decided && found.at_most == 0.0, "{found:?}");
    }
}

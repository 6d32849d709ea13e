//! Meshes, poses and points as plain numbers, without a type of a mathematics library.

use closefit::{Closest, CollisionMesh, Mesh, MeshError, Pose, distance};
use closefit_testing::all_pairs::{pose, shapes};
use closefit_testing::rng::Rng;

#[test]
fn flat_meshes_are_those_of_vectors_and_arrays() {
    for shape in shapes() {
        let arrays: Vec<[f64; 3]> = shape.vertices().iter().map(|v| v.to_array()).collect();
        let flat = Mesh::from_flat(arrays.as_flattened(), shape.triangles().as_flattened());
        assert_eq!(flat.as_ref(), Ok(&shape));
        assert_eq!(Mesh::new(&arrays, shape.triangles()).as_ref(), Ok(&shape));
    }
}

#[test]
fn flat_meshes_are_refused_by_the_first_wrong_number() {
    let (square, corners) = ([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0, 1, 2]);
    let refused = |coordinates: &[f64], corners: &[u32]| {
        Mesh::from_flat(coordinates, corners).expect_err("wrong").to_string()
    };
    assert_eq!(refused(&square[..7], &corners), "7 coordinates are not three for each vertex");
    assert_eq!(refused(&square, &[0, 1, 2, 0]), "4 corners are not three for each triangle");
    assert_eq!(refused(&square, &[0, 1, 2, 0, 1, 3]), "triangle 1 uses vertex 3, but there are 3 vertices");
    assert_eq!(Mesh::from_flat(&square, &[]), Err(MeshError::Empty));
    let mut wrong = square;
    wrong[5] = f64::NEG_INFINITY;
    let error = MeshError::NotFinite { vertex: 1, value: f64::NEG_INFINITY };
    assert_eq!(Mesh::from_flat(&wrong, &corners), Err(error));
}

#[test]
fn twelve_numbers_are_the_rows_of_a_pose() {
    let mut rng = Rng::new("twelve numbers", 0);
    let poses: Vec<Pose> = (0..20).map(|_| pose(&mut rng)).collect();
    let numbers: Vec<f64> = poses.iter().flat_map(|pose| pose.rows.as_flattened().to_vec()).collect();
    assert_eq!(Pose::in_twelves(&numbers), Some(&poses[..]));
    for (pose, twelve) in poses.iter().zip(numbers.as_chunks::<12>().0) {
        assert_eq!((Pose::from(*twelve), <[f64; 12]>::from(*pose)), (*pose, *twelve));
    }
    assert_eq!(Pose::in_twelves(&numbers[..23]), None);
    assert_eq!(Pose::in_twelves(&[]), Some(&[][..]));
}

/// Everything that takes or returns points does so for plain arrays too.
#[test]
fn points_are_arrays_where_a_caller_wants_them() {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut tree = CollisionMesh::build(&Mesh::new(&corners, &[[0, 1, 2]]).expect("valid"));
    tree.refit(&corners.map(|[x, y, z]| [2.0 * x, y, z])).expect("as many");
    let beside = Pose::translation([3.0, 0.0, 0.0]);
    let found = distance(&tree.at(&Pose::IDENTITY).expect("small"), &tree.at(&beside).expect("small"));
    let Some(Closest { points, .. }) = found.closest else { panic!("apart") };
    assert_eq!(points.map(<[f64; 3]>::from), [[2.0, 0.0, 0.0], [3.0, 0.0, 0.0]]);
    assert_eq!(<[f64; 3]>::from(beside.apply([1.0, 2.0, 3.0].into())), [4.0, 2.0, 3.0]);
}

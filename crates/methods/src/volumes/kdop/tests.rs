//! Updated k-DOPs contain the posed vertices, with little room, and only exact permutations of the axes need
//! no update.

use glam::{DMat3, DVec3};

use super::*;
use crate::volumes::VolumeTree;
use closefit::Work;
use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::placement::Placement;
use closefit::internals::bvh::testing::{brute, built, soup};
use closefit::internals::bvh::wide_topology::NormalFrame;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::Stream;

/// Updates the k-DOP around some points to the world's axes. Returns its extents, and the extents of the
/// posed points.
fn updated<const N: usize>(points: &[DVec3], pose: &Pose) -> [[[f64; 2]; N]; 2] {
    let frame = NormalFrame { center: DVec3::ZERO, unit: 1.0 };
    let [of, to] = [pose, &Pose::IDENTITY].map(|pose| Placement::new(&frame, None, 1.0, pose));
    let map = Kdop::<N>::map(&FrameMap::new(&of, &to).expect("sizes are comparable"));
    let kdop = Kdop::<N>::around(points.iter().copied()).mapped(&map);
    let exact = Kdop::<N>::DIRECTIONS.map(|direction| {
        let d = vector(direction);
        let along = |p: &DVec3| pose.apply(*p).dot(d);
        let of = |start: f64, outer: fn(f64, f64) -> f64| points.iter().map(along).fold(start, outer);
        [of(f64::INFINITY, f64::min), of(f64::NEG_INFINITY, f64::max)]
    });
    [std::array::from_fn(|i| [kdop.lo[i].into(), kdop.hi[i].into()]), exact]
}

/// Checks that updated extents contain the extents of the posed points, and returns their mean size relative
/// to these.
fn mean_excess<const N: usize>() -> f64 {
    let mut stream = Stream(5);
    let (mut sum, mut count) = (0.0, 0.0);
    for _ in 0..2_000 {
        let shape = DVec3::new(1.0, stream.pick(&[1.0, 0.3, 0.0]), stream.pick(&[1.0, 0.1]));
        let points: Vec<DVec3> = (0..30).map(|_| stream.point() * shape).collect();
        let shift = stream.point() * stream.pick(&[0.0, 1.0, 1e3]);
        let pose = Pose::from_trs([(); 4].map(|()| stream.signed()), [1.0; 3], shift.to_array())
            .expect("a rotation");
        let [extents, exact] = updated::<N>(&points, &pose);
        for ([lo, hi], [least, most]) in extents.into_iter().zip(exact) {
            // The sum of three coordinates rounds twice.
            let rounding = 4.0 * UNIT * (least.abs().max(most.abs()) + 3.0 * shift.abs().max_element());
            assert!(lo <= least - rounding && most + rounding <= hi, "{N} {lo} {least} {most} {hi} {pose:?}");
            sum += (hi - lo) / (most - least);
            count += 1.0;
        }
    }
    sum / count
}

#[test]
fn updated_extents_contain_the_posed_vertices_with_little_room() {
    let means = [mean_excess::<3>(), mean_excess::<7>(), mean_excess::<9>(), mean_excess::<13>()];
    println!("mean size of updated extents, k = 6, 14, 18, 26, relative to the exact ones: {means:.3?}");
    assert!(means[0] < 1.8 && means.is_sorted_by(|fewer, more| fewer > more && *more > 1.0), "{means:?}");
}

/// A rotation that is nearly a permutation of the axes.
fn nearly(entry: usize, by: f64) -> Pose {
    let mut pose = Pose { rows: [[0.0, -1.0, 0.0, 0.3], [0.0, 0.0, 1.0, 0.1], [-1.0, 0.0, 0.0, 0.2]] };
    let zeros: Vec<[usize; 2]> =
        (0..9).map(|i| [i / 3, i % 3]).filter(|[i, j]| pose.rows[*i][*j] == 0.0).collect();
    let [i, j] = zeros[entry];
    pose.rows[i][j] = by;
    pose
}

fn is_general_and_right<const N: usize>() {
    let mut stream = Stream(6);
    let triangle = |_| -> Triangle {
        let at = stream.point();
        [(); 3].map(|()| at + stream.point() * 0.2)
    };
    let triangles: Vec<Triangle> = (0..60).map(triangle).collect();
    let mesh = soup(&triangles);
    let tree: VolumeTree<Kdop<N>> = built(&mesh, DMat3::IDENTITY);
    let points: Vec<DVec3> = triangles.iter().flatten().map(|p| *p * 0.5).collect();
    // Entries below the least f32 are lost in f32, and the margin covers them.
    for by in [0.0, 1e-17, -1e-17, 1e-60] {
        for entry in 0..6 {
            let poses = [Pose::IDENTITY, nearly(entry, by)];
            let (contacts, nearest) = brute(&[mesh.clone(), mesh.clone()], &poses);
            assert!(!contacts.is_empty() && nearest.is_none());
            for executor in Executor::ALL {
                let [a, b] = poses.map(|pose| tree.place(&mesh, &pose, executor));
                let mut work = Work::NONE;
                assert_eq!(
                    VolumeTree::contacts(&a, &b, usize::MAX, &mut work),
                    contacts,
                    "{N} {entry} {by:e}"
                );
                assert_eq!(work.updates > 0, by.abs() == 1e-17, "{N} {entry} {by:e}: {work:?}");
            }
            let [extents, exact] = updated::<N>(&points, &poses[1]);
            let contains = |([lo, hi], [least, most]): ([f64; 2], [f64; 2])| lo <= least && most <= hi;
            assert!(extents.into_iter().zip(exact).all(contains), "{N} {entry} {by:e}");
        }
    }
}

#[test]
fn a_rotation_off_a_permutation_by_1e_17_takes_the_general_way() {
    is_general_and_right::<3>();
    is_general_and_right::<7>();
    is_general_and_right::<9>();
    is_general_and_right::<13>();
}

//! Volumes contain what they should, gaps are proofs, lanes are the reading copies' twins, and every mesh
//! gets a valid tree.

use glam::{DMat3, DVec3};

use super::volume::{Volume, VolumeKernels};
use super::{Kdop, Sphere, VolumeTree, posed, search};
use closefit::Work;
use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::placement::{FrameMap, Placement};
use closefit::internals::bvh::testing::meshes_of_all_scenes;
use closefit::internals::bvh::wide_topology::NormalFrame;
use closefit_generate::Request;
use closefit_geometry::executor::{Executor, Scalar, execute};
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::Stream;
use closefit_geometry::mesh::Mesh;

/// Runs a generic test for every kind of volume.
macro_rules! for_all {
    ($test:ident) => {
        $test::<Sphere>();
        $test::<Kdop<3>>();
        $test::<Kdop<7>>();
        $test::<Kdop<9>>();
        $test::<Kdop<13>>();
    };
}

fn soup(triangles: &[[DVec3; 3]]) -> Mesh {
    let indices: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(&triangles.concat(), &indices).expect("valid")
}

/// Returns a few points of a small cloud of any shape within -1 to 1, some on a coarse grid.
fn cloud(stream: &mut Stream) -> Vec<DVec3> {
    let center = stream.point() * 0.6;
    let size = stream.pick(&[0.4, 1e-2, 1e-6, 0.0]);
    let flat = DVec3::new(1.0, stream.pick(&[1.0, 0.0]), stream.pick(&[1.0, 1e-3, 0.0]));
    let count = 1 + stream.below(9);
    let round = |p: DVec3| (p * 8.0).round() / 8.0;
    let on_grid = stream.below(3) == 0;
    (0..count)
        .map(|_| center + stream.point() * flat * size)
        .map(|p| if on_grid { round(p) } else { p })
        .collect()
}

/// Returns two frames of about the same size, the first turned, scaled or mirrored past the second.
fn frames(stream: &mut Stream) -> [Placement; 2] {
    let frame = NormalFrame { center: DVec3::ZERO, unit: 1.0 };
    let scale = stream.pick(&[1.0, 0.3, -1.0, 5.0]);
    let uneven = stream.pick(&[0.0, 0.0, 1e-7, 5e-7, 1e-6]) * scale;
    let quaternion = if stream.below(3) == 0 {
        stream.pick(&[[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]])
    } else {
        [(); 4].map(|()| stream.signed())
    };
    let far = stream.pick(&[1.0, 3.0, 1e6]);
    let pose = Pose::from_trs(quaternion, [scale, scale + uneven, scale], (stream.point() * far).to_array())
        .expect("a rotation");
    let home = Pose::translation((stream.point() * far).to_array());
    [pose, home].map(|pose| Placement::new(&frame, None, 1.0, &pose))
}

fn is_contained<V: Volume>() {
    let mut stream = Stream(1);
    for _ in 0..20_000 {
        let points = cloud(&mut stream);
        let volume = V::around(points.iter().copied());
        assert!(points.iter().all(|&p| volume.contains(p)), "{volume:?} {points:?}");
        let bounds = volume.bounds();
        assert!(points.iter().all(|&p| bounds.lo.cmple(p).all() && bounds.hi.cmpge(p).all()));
        let [of, to] = frames(&mut stream);
        let Some(frames) = FrameMap::new(&of, &to) else { continue };
        let mapped = volume.mapped(&V::map(&frames));
        let inverse = to.linear.inverse();
        let image = |p: DVec3| inverse * (of.linear * p + of.origin - to.origin);
        // Coordinates far beyond 1 are not known to the bit: the ball stands for the error of `image`.
        let error = 1e-14 * (1.0 + frames.shift.abs().max_element());
        for p in points.iter().map(|&p| image(p)) {
            let off = mapped.bounds();
            assert!((off.lo - error).cmple(p).all() && (off.hi + error).cmpge(p).all());
            assert_eq!(mapped.squared_gap(&V::of_ball(p, error as f32)), 0.0, "{mapped:?} {p}");
        }
    }
}

#[test]
fn volumes_contain_their_points_in_every_frame() {
    for_all!(is_contained);
}

fn bounds_distances<V: Volume>() {
    let mut stream = Stream(2);
    let mut positive = 0;
    for _ in 0..20_000 {
        let (p, q) = (cloud(&mut stream), cloud(&mut stream));
        let [a, b] = [&p, &q].map(|points| V::around(points.iter().copied()));
        let least = |p: &[DVec3], q: &[DVec3]| {
            let apart = |p: &DVec3| q.iter().map(|q| p.distance(*q)).fold(f64::INFINITY, f64::min);
            p.iter().map(apart).fold(f64::INFINITY, f64::min)
        };
        let gap = f64::from(a.squared_gap(&b)).sqrt();
        assert!(gap <= least(&p, &q), "{a:?} {b:?}");
        assert_eq!(a.squared_gap(&b), b.squared_gap(&a));
        let ball = V::of_ball(q[0], 0.05);
        assert!(f64::from(a.squared_gap(&ball)).sqrt() <= (least(&p, &q[..1]) - 0.05).max(0.0));
        // A turned box around the second cloud.
        let turn = Pose::from_trs([(); 4].map(|()| stream.signed()), [1.0; 3], [0.0; 3]).expect("a rotation");
        let linear: DMat3 = turn.linear();
        let axes = [linear.x_axis, linear.y_axis, linear.z_axis];
        let center = q[0] + stream.point() * 0.1;
        let reach = |axis: DVec3| q.iter().map(|q| axis.dot(*q - center).abs()).fold(0.0, f64::max);
        let half = DVec3::from_array(axes.map(reach)) + 1e-12;
        let to_region = f64::from(a.squared_gap_to_region(&V::region(center, &axes, half))).sqrt();
        assert!(to_region <= least(&p, &q));
        positive += usize::from(gap > 0.0) + usize::from(to_region > 0.0);
    }
    assert!(positive > 10_000, "{positive} gaps");
}

#[test]
fn gaps_never_exceed_the_distance() {
    for_all!(bounds_distances);
}

fn is_twin<V: Volume>() {
    let mut stream = Stream(3);
    for _ in 0..2_000 {
        let mut columns = V::Columns::default();
        for lane in (0..LANES).filter(|_| stream.below(8) > 0).collect::<Vec<_>>() {
            V::around(cloud(&mut stream).into_iter()).put(&mut columns, lane);
        }
        let one = V::around(cloud(&mut stream).into_iter());
        let [of, to] = frames(&mut stream);
        let map = V::map(&FrameMap::new(&of, &to).expect("sizes are comparable"));
        let half = DVec3::splat(0.3) + stream.point() * 0.3;
        let region = V::region(stream.point(), &[DVec3::X, DVec3::Y, DVec3::Z], half);
        let bits = |gaps: [f32; LANES]| gaps.map(f32::to_bits);
        let scalar = (
            Scalar.mapped::<V>(&columns, &map),
            bits(Scalar.squared_gaps(&one, &columns)),
            bits(Scalar.squared_gaps_to_region::<V>(&region, &columns)),
        );
        let lanes = execute!(Executor::Simd, kernels => (
            kernels.mapped::<V>(&columns, &map),
            bits(kernels.squared_gaps(&one, &columns)),
            bits(kernels.squared_gaps_to_region::<V>(&region, &columns)),
        ));
        assert_eq!(scalar, lanes);
    }
}

#[test]
fn lanes_say_what_the_reading_copy_says() {
    for_all!(is_twin);
}

/// Meshes that trees have trouble with.
fn degenerate_meshes() -> Vec<(&'static str, Mesh)> {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let mut stream = Stream(4);
    let geometric =
        |i: i32| [DVec3::ONE, DVec3::new(2.0, 1.0, 1.0), DVec3::new(1.0, 2.0, 1.0)].map(|p| p * 2f64.powi(i));
    let flat: Vec<_> =
        (0..300).map(|_| [(); 3].map(|()| stream.point() * DVec3::new(1.0, 0.0, 1.0))).collect();
    let segments: Vec<_> =
        (0..99).map(|i| [DVec3::X * f64::from(i), DVec3::X * f64::from(i + 1), DVec3::X]).collect();
    let points: Vec<_> = (0..99).map(|_| [stream.point(); 3]).collect();
    vec![
        ("one triangle", soup(&[triangle])),
        ("one point", soup(&[[DVec3::splat(1e60); 3]])),
        ("1 000 copies", soup(&[triangle; 1_000])),
        ("points", soup(&points)),
        ("segments", soup(&segments)),
        ("one plane", soup(&flat)),
        ("sizes over 2^±150", soup(&(-150..150).map(geometric).collect::<Vec<_>>())),
        ("1e9 away", soup(&flat.iter().map(|t| t.map(|p| p + DVec3::splat(1e9))).collect::<Vec<_>>())),
    ]
}

fn is_valid<V: Volume>() {
    for (name, mesh) in degenerate_meshes() {
        assert_eq!(VolumeTree::<V>::build(&mesh).validate(&mesh), Ok(()), "{name}");
        let sheared = DMat3::from_cols(DVec3::X, DVec3::new(0.7, 1.0, 0.0), DVec3::new(0.0, 0.0, 0.0));
        assert_eq!(
            VolumeTree::<V>::build_for(&mesh, sheared).validate(&mesh),
            Ok(()),
            "{name}, sheared flat"
        );
    }
    for (name, mesh) in meshes_of_all_scenes(4, false) {
        assert_eq!(VolumeTree::<V>::build(&mesh).validate(&mesh), Ok(()), "{name}");
    }
}

#[test]
fn every_mesh_gets_a_valid_tree() {
    for_all!(is_valid);
}

fn sees_faults<V: Volume>() {
    let request = Request { name: "tori".to_owned(), size: Some(1_000), seed: 0, soup: false };
    let mesh = &closefit_generate::generate(&request).expect("a scene").meshes[0];
    let tree = VolumeTree::<V>::build(mesh);
    let wrong = |change: &dyn Fn(&mut VolumeTree<V>)| {
        let mut tree = tree.clone();
        change(&mut tree);
        assert!(tree.validate(mesh).is_err());
    };
    wrong(&|tree| tree.volumes.swap(1, 3));
    wrong(&|tree| tree.children[3].swap(0, 1));
    wrong(&|tree| tree.children[3][0] = u32::MAX);
    wrong(&|tree| tree.triangles[0] = tree.triangles[1]);
    wrong(&|tree| tree.corners[0].rotate_left(1));
    wrong(&|tree| tree.unit *= 0.25);
}

#[test]
fn validate_sees_what_is_wrong() {
    for_all!(sees_faults);
}

#[test]
fn the_number_of_planes_buys_tightness() {
    let request = Request { name: "tori".to_owned(), size: Some(2_000), seed: 0, soup: false };
    let mesh = &closefit_generate::generate(&request).expect("a scene").meshes[0];
    fn tests<V: Volume>(mesh: &Mesh) -> u64 {
        let tree = VolumeTree::<V>::build(mesh);
        let turned = Pose::from_trs([0.3, -0.5, 0.2, 0.9], [1.0; 3], [0.4, 0.1, 0.2]).expect("a rotation");
        let [a, b] = [Pose::IDENTITY, turned].map(|pose| tree.place(mesh, &pose, Executor::Simd));
        let mut work = Default::default();
        VolumeTree::contacts(&a, &b, usize::MAX, &mut work);
        work.box_tests
    }
    let all =
        [tests::<Kdop<3>>(mesh), tests::<Kdop<7>>(mesh), tests::<Kdop<9>>(mesh), tests::<Kdop<13>>(mesh)];
    assert!(all.is_sorted_by(|fewer, more| fewer > more), "{all:?}");
}

/// Counts the updates of a search for the contacts of a torus and its copy at this turn.
fn updates<V: Volume>(turn: DMat3) -> u64 {
    let request = Request { name: "tori".to_owned(), size: Some(1_000), seed: 0, soup: false };
    let scene = closefit_generate::generate(&request).expect("a known scene");
    let tree = VolumeTree::<V>::build(&scene.meshes[0]);
    let rows = [0, 1, 2].map(|i| [turn.row(i).x, turn.row(i).y, turn.row(i).z, 0.25]);
    let [a, b] =
        [Pose::IDENTITY, Pose { rows }].map(|pose| posed::PosedVolumes::new(&tree, &pose, Executor::Scalar));
    let mut work = Work::NONE;
    search::contacts(&a, &b, usize::MAX, &mut work);
    assert!(work.box_tests > 0);
    assert!(work.updates <= work.box_tests);
    work.updates
}

#[test]
fn only_turned_polytopes_are_updated() {
    let quarter = DMat3::from_cols(DVec3::Y, -DVec3::X, DVec3::Z);
    let turned = DMat3::from_rotation_z(0.3);
    for turn in [DMat3::IDENTITY, quarter] {
        assert_eq!([updates::<Kdop<3>>(turn), updates::<Kdop<13>>(turn), updates::<Sphere>(turn)], [0; 3]);
    }
    assert!(updates::<Kdop<3>>(turned) > 0 && updates::<Kdop<13>>(turned) > 0);
    assert_eq!(updates::<Sphere>(turned), 0);
}

//! Checks that every kind of tree must pass: it finds what brute force finds, in shapes that trees have
//! trouble with too.

#![allow(clippy::disallowed_methods)]

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::Hierarchy;
use super::posed_model::Standing;
use crate::narrow::{Closest, Nearest, Work};
use closefit_generate::Request;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::{contact, distance};
use closefit_geometry::executor::Executor;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::{Stream, pose_of};
use closefit_geometry::mesh::Mesh;

/// Returns a mesh of separate triangles.
pub fn soup(triangles: &[Triangle]) -> Mesh {
    let indices: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(&triangles.concat(), &indices).expect("valid")
}

/// Returns the first mesh of a generated scene.
pub fn generated(name: &str, size: u32) -> Mesh {
    let request = Request { name: name.to_owned(), size: Some(size), seed: 3, soup: false };
    let scene = closefit_generate::generate(&request).expect("a scene");
    Mesh::clone(&scene.meshes[0])
}

/// Returns the first `few` meshes of every generated scene that have up to 12 000 triangles, with the scene's
/// name. Validation takes rational arithmetic: all larger ones take a minute each, with `CLOSEFIT_CASES` set.
pub fn meshes_of_all_scenes(few: usize, soup: bool) -> impl Iterator<Item = (&'static str, Arc<Mesh>)> {
    let most = if std::env::var_os("CLOSEFIT_CASES").is_some() { usize::MAX } else { 12_000 };
    closefit_generate::names().iter().flat_map(move |&(name, _)| {
        let request = Request { name: name.to_owned(), size: None, seed: 3, soup };
        let meshes = closefit_generate::generate(&request).expect("a scene").meshes.into_iter();
        meshes.filter(move |mesh| mesh.triangles().len() <= most).take(few).map(move |mesh| (name, mesh))
    })
}

/// Returns a few triangles of any shape, some on a coarse grid, some without an area.
pub fn shapes(stream: &mut Stream) -> Mesh {
    let on_grid = stream.below(2) == 0;
    let flat = DVec3::new(1.0, 1.0, stream.pick(&[1.0, 1.0, 0.0]));
    let size = stream.pick(&[0.1, 0.4, 1.0]);
    let count = 1 + stream.below(40);
    let mut corner = |at: DVec3| {
        let p = (at + stream.point() * size) * flat;
        if on_grid { (p * 4.0).round() / 4.0 } else { p }
    };
    let triangles: Vec<Triangle> = (0..count)
        .map(|i| {
            let at = DVec3::new((i % 4) as f64, (i / 4 % 4) as f64, (i / 16) as f64) * 0.5 - 0.75;
            [corner(at), corner(at), corner(at)]
        })
        .collect();
    soup(&triangles)
}

/// Returns a pose of any kind: parallel, turned, mirrored, sheared or flat, or a similarity but for rounding
/// or a little more.
pub fn pose(stream: &mut Stream) -> Pose {
    let quaternion = match stream.below(3) {
        0 => stream.pick(&[[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]]),
        _ => [(); 4].map(|()| stream.signed()),
    };
    let scale = stream.pick(&[
        [1.0; 3],
        [1.0; 3],
        [-1.0, 1.0, 1.0],
        [0.25; 3],
        [3.0, 0.5, 1.0],
        [1.0, 1.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0 + 1e-6, 1.0 - 1e-6],
        [2.0, 2.0 + 3e-6, 2.0],
        [1.0, 1.0 + 1e-5, 1.0],
    ]);
    let by = stream.point() * stream.pick(&[0.0, 0.0, 0.5, 2.5, 20.0]);
    if stream.below(6) == 0 {
        let count = 1 + stream.below(8);
        return pose_of(&stream.f32_rotations(count), by);
    }
    Pose::from_trs(quaternion, scale, by.to_array()).expect("not of length 0")
}

/// Returns a pose, and the linear part for which its tree is built: the linear part of the pose, or one
/// that a similarity follows.
fn pose_and_constant(stream: &mut Stream) -> (Pose, DMat3) {
    let constant = pose(stream);
    let linear = constant.linear();
    // Nothing follows a flat map.
    if linear.determinant().abs() < 1e-3 || stream.below(3) != 0 {
        return (constant, linear);
    }
    let count = 1 + stream.below(8);
    let turn = stream.f32_rotations(count) * stream.pick(&[1.0, -0.5, 3.0]);
    (Pose::compose(&pose_of(&turn, stream.point()), &constant), linear)
}

/// Builds a tree for poses with a linear part, or with a similarity after it.
pub fn built<T: Hierarchy>(mesh: &Mesh, linear: DMat3) -> T {
    if T::is_built_for(&linear) { T::build_for(mesh, linear) } else { T::build(mesh) }
}

/// Returns all contacts, or else the nearest triangles.
pub fn brute(meshes: &[Mesh; 2], poses: &[Pose; 2]) -> (Vec<[u32; 2]>, Option<Nearest>) {
    let posed = [0, 1].map(|side| -> Vec<Triangle> {
        let count = meshes[side].triangles().len() as u32;
        (0..count).map(|t| meshes[side].corners(t).map(|v| poses[side].apply(v))).collect()
    });
    let (mut contacts, mut closest) = (Vec::new(), Closest::within(f64::INFINITY));
    for (p, a) in (0..).zip(&posed[0]) {
        for (q, b) in (0..).zip(&posed[1]) {
            if contact::triangles_meet(a, b) {
                contacts.push([p, q]);
            }
        }
    }
    if !contacts.is_empty() {
        return (contacts, None);
    }
    for (p, a) in (0..).zip(&posed[0]) {
        for (q, b) in (0..).zip(&posed[1]) {
            closest.offer(Nearest { distance: distance::distance(a, b), triangles: [p, q] }, [a, b]);
        }
    }
    (contacts, closest.nearest())
}

/// Contacts and distances of random shapes at random poses.
pub fn finds_what_brute_force_finds<T: Hierarchy>(seed: u64) {
    let mut stream = Stream(seed);
    let [mut touching, mut apart] = [0; 2];
    for _ in 0..1_500 {
        let meshes = [shapes(&mut stream), shapes(&mut stream)];
        let [(pose_a, of_a), (pose_b, of_b)] = [(); 2].map(|()| pose_and_constant(&mut stream));
        let poses = [pose_a, pose_b];
        let (contacts, nearest) = brute(&meshes, &poses);
        let trees = [built::<T>(&meshes[0], of_a), built::<T>(&meshes[1], of_b)];
        for executor in Executor::ALL {
            let [a, b] = [0, 1].map(|side| trees[side].place(&meshes[side], &poses[side], executor));
            let mut work = Work::NONE;
            assert_eq!(T::contacts(&a, &b, usize::MAX, &mut work), contacts);
            assert_eq!(T::touches(&a, &b, &mut work), !contacts.is_empty());
            let some = T::contacts(&a, &b, 3, &mut work);
            assert!(some.len() > 3 || some == contacts);
            assert!(some.iter().all(|found| contacts.contains(found)));
            if contacts.is_empty() {
                assert_eq!(T::nearest(&a, &b, f64::MAX, &mut work), nearest);
                let exactly = nearest.map_or(0.0, |nearest| nearest.distance);
                assert_eq!(T::nearest(&a, &b, exactly, &mut work), nearest);
                assert_eq!(T::nearest(&a, &b, exactly.next_down(), &mut work), None);
            }
        }
        touching += u32::from(!contacts.is_empty());
        apart += u32::from(contacts.is_empty());
    }
    assert!(touching > 100 && apart > 300, "{touching} touching, {apart} apart");
}

/// Regions and points see every triangle there, and a region sees it once.
pub fn sees_every_triangle_of_a_region<T: Hierarchy>(seed: u64) {
    let mut stream = Stream(seed);
    for _ in 0..1_000 {
        let mesh = shapes(&mut stream);
        let (pose, constant) = pose_and_constant(&mut stream);
        let tree = built::<T>(&mesh, constant);
        let posed = tree.place(&mesh, &pose, stream.pick(&Executor::ALL));
        let corners = |t: u32| mesh.corners(t).map(|v| pose.apply(v));
        let all = 0..mesh.triangles().len() as u32;
        let middle = corners(0)[0] + stream.point() * stream.pick(&[0.0, 0.1, 1.0]);
        let half = (stream.point() * stream.pick(&[0.0, 0.2, 2.0])).abs();
        let region = Aabb { lo: middle - half, hi: middle + half };
        let meets = |t: u32| Aabb::of(corners(t)).meets(&region);
        let (mut walked, mut work) = (Vec::new(), Work::NONE);
        posed.walk(&mut |node| node.meets(&region), &mut |t| walked.push(t), &mut work);
        assert!(all.clone().filter(|&t| meets(t)).all(|t| walked.contains(&t)));
        walked.sort_unstable();
        assert!(walked.is_sorted_by(|x, y| x < y), "each once");
        let mut boxed = Vec::new();
        let flow = posed.in_box(
            &region,
            &mut |t, seen| {
                assert_eq!(*seen, corners(t));
                boxed.push(t);
                ControlFlow::Continue(())
            },
            &mut work,
        );
        boxed.sort_unstable();
        assert!(flow.is_continue() && boxed.is_sorted_by(|x, y| x < y));
        // A triangle with a corner in the region meets it.
        let enters =
            |t: &u32| corners(*t).iter().any(|p| region.lo.cmple(*p).all() && p.cmple(region.hi).all());
        assert!(all.clone().filter(enters).all(|t| boxed.contains(&t)));
        let flat = stream.point() * stream.pick(&[0.0, 1e-9, 0.1]);
        let face = [region.lo, middle, region.hi + flat];
        let mut seen = Vec::new();
        let flow = posed.near_face(
            &face,
            &mut |t, _| {
                seen.push(t);
                ControlFlow::Continue(())
            },
            &mut work,
        );
        seen.sort_unstable();
        assert!(flow.is_continue() && seen.is_sorted_by(|x, y| x < y));
        assert!(
            all.clone().filter(|&t| contact::triangles_meet(&corners(t), &face)).all(|t| seen.contains(&t))
        );
        let apart = |t: u32| distance::distance(&corners(t), &[middle; 3]);
        let least = all.clone().map(apart).fold(f64::INFINITY, f64::min);
        let mut nearest = f64::INFINITY;
        let mut visit = |t: u32, _: &Triangle| {
            nearest = nearest.min(apart(t));
            nearest
        };
        posed.near_point(middle, f64::INFINITY, &mut visit, &mut work);
        assert_eq!(nearest, least);
        let from_both = |t: u32| distance::distance(&corners(t), &[region.hi; 3]).max(apart(t));
        let mut nearest = f64::INFINITY;
        let mut visit = |t: u32, _: &Triangle| {
            nearest = nearest.min(from_both(t));
            nearest
        };
        posed.near_both([middle, region.hi], f64::INFINITY, &mut visit, &mut work);
        assert_eq!(nearest, all.map(from_both).fold(f64::INFINITY, f64::min));
    }
}

/// Returns meshes that trees have trouble with.
pub fn degenerate() -> Vec<(&'static str, Mesh)> {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    let at = |i: usize| DVec3::new((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64);
    let fan = |i: u32| {
        let [from, to] = [i, i + 1].map(|i| f64::from(i) * std::f64::consts::TAU / 400.0);
        [DVec3::ZERO, DVec3::new(from.cos(), from.sin(), -1.0), DVec3::new(to.cos(), to.sin(), 1.0)]
    };
    let tiny = 2.0_f64.powi(-150);
    let growing = |i: i32| [x + y + z, x * 2.0 + y + z, x + y * 2.0 + z].map(|p| p * 2.0_f64.powi(i));
    let small = (0..300).map(|i| [at(i), at(i) + x * 0.5, at(i) + y * 0.5]);
    let over: Vec<Triangle> = small.chain([[DVec3::ZERO, DVec3::splat(20.0), x * 20.0]]).collect();
    vec![
        ("one triangle", soup(&[[x, y, z]])),
        ("points", soup(&(0..300).map(|i| [at(i); 3]).collect::<Vec<_>>())),
        ("segments", soup(&(0..300).map(|i| [at(i), at(i) + x, at(i) + x]).collect::<Vec<_>>())),
        (
            "a plate",
            soup(
                &(0..300)
                    .map(|i| [at(i) * (x + y), at(i) * (x + y) + x, at(i) * (x + y) + y])
                    .collect::<Vec<_>>(),
            ),
        ),
        ("copies", soup(&[[x, y, z]; 1_000])),
        ("a fan", soup(&(0..400).map(fan).collect::<Vec<_>>())),
        (
            "tiny",
            soup(&(0..300).map(|i| [at(i), at(i) + x, at(i) + y].map(|p| p * tiny)).collect::<Vec<_>>()),
        ),
        (
            "huge",
            soup(&(0..300).map(|i| [at(i), at(i) + x, at(i) + y].map(|p| p / tiny)).collect::<Vec<_>>()),
        ),
        ("sizes over 2^±150", soup(&(-150..150).map(growing).collect::<Vec<_>>())),
        (
            "1e9 away",
            soup(&(0..99).map(|i| [at(i), at(i) + x, at(i) + y].map(|p| p + x * 1e9)).collect::<Vec<_>>()),
        ),
        ("a large triangle over small ones", soup(&over)),
        ("far apart", soup(&[[x, y, z], [x * 1e9, x * 1e9 + y, x * 1e9 + z], [x, y, z]])),
        ("an open shell", generated("pipes", 1_000)),
        ("a sphere", generated("nested", 1_000)),
    ]
}

/// Degenerate meshes meet themselves, in place and turned.
pub fn meets_itself<T: Hierarchy>() {
    for (name, mesh) in degenerate() {
        let tree = T::build(&mesh);
        let posed = tree.place(&mesh, &Pose::IDENTITY, Executor::Simd);
        let turn = Pose::from_trs([0.1, 0.2, 0.3, 0.9], [1.0; 3], [0.0; 3]).expect("a rotation");
        let other = tree.place(&mesh, &turn, Executor::Simd);
        let mut work = Work::NONE;
        let found = T::contacts(&posed, &posed, usize::MAX, &mut work);
        let own = mesh.triangles().len() as u32;
        assert!((0..own).all(|t| found.binary_search(&[t, t]).is_ok()), "{name}");
        let turned = T::contacts(&posed, &other, usize::MAX, &mut work);
        let (contacts, nearest) = brute(&[mesh.clone(), mesh.clone()], &[Pose::IDENTITY, turn]);
        assert_eq!(turned, contacts, "{name}");
        if contacts.is_empty() {
            assert_eq!(T::nearest(&posed, &other, f64::MAX, &mut work), nearest, "{name}");
        }
    }
}

/// Two triangles against a hundred thousand, in contact and 1e9 away.
pub fn two_meet_a_hundred_thousand<T: Hierarchy>() {
    let many = generated("tori", 100_000);
    let [p, q, r] = many.corners(500);
    let few = soup(&[[p, q + DVec3::splat(0.01), r], [p * 3.0, q * 3.0, r * 3.0]]);
    let meshes = [few, many];
    for poses in [[Pose::IDENTITY; 2], [Pose::translation([1e9, 0.0, 0.0]), Pose::IDENTITY]] {
        let (contacts, nearest) = brute(&meshes, &poses);
        assert_eq!(contacts.is_empty(), poses[0] != poses[1]);
        for executor in Executor::ALL {
            let trees = meshes.each_ref().map(T::build);
            let [a, b] = [0, 1].map(|side| trees[side].place(&meshes[side], &poses[side], executor));
            let mut work = Work::NONE;
            assert_eq!(T::contacts(&a, &b, usize::MAX, &mut work), contacts);
            if contacts.is_empty() {
                assert_eq!(T::nearest(&a, &b, f64::MAX, &mut work), nearest);
            } else {
                assert!(work.box_tests < 10_000, "{work:?}");
            }
        }
    }
}

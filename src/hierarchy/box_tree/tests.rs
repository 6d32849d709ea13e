//! The trees find what brute force finds, boxes count as apart only where they are, a step takes as many operations as
//! the paper says, lanes are the reading copies' twins, and every mesh gets valid trees.

use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::{Add, ControlFlow, Mul, Sub};

use glam::{DMat3, DVec3};

use super::axes::{AxesKernels, BoxPairs};
use super::build::{Rule, THICKNESS};
use super::cuts::{Content, Extents};
use super::frames::Frames;
use super::lines::{LineFrame, Lines};
use super::posed::Posed;
use super::{Balanced, BoxTree, CutTrees, EDGES, TRIANGLES, Uncut, nearest, search};
use crate::exact::{contact, distance};
use crate::executor::{Executor, Scalar, execute};
use crate::hierarchy::Hierarchy;
use crate::hierarchy::placement::Placement;
use crate::hierarchy::wide_topology::NormalFrame;
use crate::lanes::LANES;
use crate::math::Triangle;
use crate::math::pose::Pose;
use crate::math::testing::Stream;
use crate::mesh::Mesh;
use crate::narrow::{Nearest, Work};
use crate::scene::generate::{self, Request};

fn soup(triangles: &[Triangle]) -> Mesh {
    let indices: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(&triangles.concat(), &indices).expect("valid")
}

fn generated(name: &str, size: u32) -> Mesh {
    let request = Request { name: name.to_owned(), size: Some(size), seed: 3, soup: false };
    let scene = generate::generate(&request).expect("a scene");
    Mesh::clone(&scene.meshes[0])
}

/// Returns a few triangles of any shape, some on a coarse grid, some without an area.
fn shapes(stream: &mut Stream) -> Mesh {
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

/// Returns a pose of any kind: parallel, turned, mirrored, sheared or flat.
fn pose(stream: &mut Stream) -> Pose {
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
    ]);
    let by = stream.point() * stream.pick(&[0.0, 0.0, 0.5, 2.5, 20.0]);
    Pose::from_trs(quaternion, scale, by.to_array()).expect("not of length 0")
}

fn built<C: super::Cuts>(mesh: &Mesh, pose: &Pose) -> BoxTree<C> {
    let linear = pose.linear();
    if BoxTree::<C>::is_built_for(&linear) { BoxTree::build_for(mesh, linear) } else { BoxTree::build(mesh) }
}

fn brute(meshes: &[Mesh; 2], poses: &[Pose; 2]) -> (Vec<[u32; 2]>, Option<Nearest>) {
    let posed = [0, 1].map(|side| -> Vec<Triangle> {
        let count = meshes[side].triangles().len() as u32;
        (0..count).map(|t| meshes[side].corners(t).map(|v| poses[side].apply(v))).collect()
    });
    let (mut contacts, mut nearest): (Vec<[u32; 2]>, Option<Nearest>) = (Vec::new(), None);
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
            let found = Nearest { distance: distance::distance(a, b), triangles: [p, q] };
            if nearest.is_none_or(|best| found.is_before(&best)) {
                nearest = Some(found);
            }
        }
    }
    (contacts, nearest)
}

fn finds_what_brute_force_finds<C: super::Cuts>(seed: u64) {
    let mut stream = Stream(seed);
    let [mut touching, mut apart] = [0; 2];
    for _ in 0..1_500 {
        let (meshes, poses) =
            ([shapes(&mut stream), shapes(&mut stream)], [pose(&mut stream), pose(&mut stream)]);
        let (contacts, nearest) = brute(&meshes, &poses);
        let trees = [0, 1].map(|side| built::<C>(&meshes[side], &poses[side]));
        for executor in Executor::ALL {
            let [a, b] = [0, 1].map(|side| trees[side].place(&meshes[side], &poses[side], executor));
            let mut work = Work::NONE;
            assert_eq!(BoxTree::<C>::contacts(&a, &b, usize::MAX, &mut work), contacts);
            assert_eq!(BoxTree::<C>::touches(&a, &b, &mut work), !contacts.is_empty());
            let some = BoxTree::<C>::contacts(&a, &b, 3, &mut work);
            assert!(some.len() > 3 || some == contacts);
            assert!(some.iter().all(|found| contacts.contains(found)));
            if contacts.is_empty() {
                assert_eq!(BoxTree::<C>::nearest(&a, &b, f64::MAX, &mut work), nearest);
                let exactly = nearest.map_or(0.0, |nearest| nearest.distance);
                assert_eq!(BoxTree::<C>::nearest(&a, &b, exactly, &mut work), nearest);
                assert_eq!(BoxTree::<C>::nearest(&a, &b, exactly.next_down(), &mut work), None);
            }
        }
        touching += u32::from(!contacts.is_empty());
        apart += u32::from(contacts.is_empty());
    }
    assert!(touching > 100 && apart > 300, "{touching} touching, {apart} apart");
}

#[test]
fn box_trees_find_what_brute_force_finds() {
    finds_what_brute_force_finds::<Balanced>(1);
}

#[test]
fn the_simple_algorithm_finds_what_brute_force_finds() {
    finds_what_brute_force_finds::<Uncut>(2);
}

/// Regions and points are asked of triangles, each of which may be in several leaves.
#[test]
fn queries_see_every_triangle_of_a_region() {
    let mut stream = Stream(3);
    for _ in 0..1_000 {
        let (mesh, pose) = (shapes(&mut stream), pose(&mut stream));
        let tree = built::<Balanced>(&mesh, &pose);
        let posed = tree.place(&mesh, &pose, stream.pick(&Executor::ALL));
        let corners = |t: u32| mesh.corners(t).map(|v| pose.apply(v));
        let all = 0..mesh.triangles().len() as u32;
        let middle = corners(0)[0] + stream.point() * stream.pick(&[0.0, 0.1, 1.0]);
        let half = (stream.point() * stream.pick(&[0.0, 0.2, 2.0])).abs();
        let region = crate::bounds::aabb::Aabb { lo: middle - half, hi: middle + half };
        let meets = |t: u32| crate::bounds::aabb::Aabb::of(corners(t)).meets(&region);
        let (mut walked, mut work) = (Vec::new(), Work::NONE);
        BoxTree::<Balanced>::walk(
            &posed,
            &mut |node| node.meets(&region),
            &mut |t| walked.push(t),
            &mut work,
        );
        assert!(all.clone().filter(|&t| meets(t)).all(|t| walked.contains(&t)));
        assert!(walked.is_sorted_by(|x, y| x < y), "each once");
        let mut boxed = Vec::new();
        let flow = BoxTree::<Balanced>::in_box(
            &posed,
            &region,
            &mut |t, seen| {
                assert_eq!(*seen, corners(t));
                boxed.push(t);
                ControlFlow::Continue(())
            },
            &mut work,
        );
        assert!(flow.is_continue() && boxed.is_sorted_by(|x, y| x < y));
        // A triangle with a corner in the region meets it.
        let enters =
            |t: &u32| corners(*t).iter().any(|p| region.lo.cmple(*p).all() && p.cmple(region.hi).all());
        assert!(all.clone().filter(enters).all(|t| boxed.contains(&t)));
        let apart = |t: u32| distance::distance(&corners(t), &[middle; 3]);
        let least = all.map(apart).fold(f64::INFINITY, f64::min);
        let mut nearest = f64::INFINITY;
        let mut visit = |t: u32, _: &Triangle| {
            nearest = nearest.min(apart(t));
            nearest
        };
        BoxTree::<Balanced>::near_point(&posed, middle, f64::INFINITY, &mut visit, &mut work);
        assert_eq!(nearest, least);
    }
}

/// A number that counts its operations.
#[derive(Clone, Copy, Debug)]
struct Counted(f32);

thread_local! {
    /// Multiplications, and additions and subtractions.
    static OPERATIONS: Cell<[u32; 2]> = const { Cell::new([0; 2]) };
}

fn count(kind: usize) {
    let mut operations = OPERATIONS.get();
    operations[kind] += 1;
    OPERATIONS.set(operations);
}

impl From<f32> for Counted {
    fn from(x: f32) -> Self {
        Self(x)
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }
}

impl Add for Counted {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        count(1);
        Self(self.0 + other.0)
    }
}

impl Sub for Counted {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        count(1);
        Self(self.0 - other.0)
    }
}

impl Mul for Counted {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        count(0);
        Self(self.0 * other.0)
    }
}

fn counted(frame: &LineFrame) -> LineFrame<Counted> {
    LineFrame {
        linear: frame.linear.map(|row| row.map(Counted)),
        inverse: frame.inverse.map(|row| row.map(Counted)),
        shift: frame.shift.map(Counted),
        reach: Counted(frame.reach),
    }
}

fn placed(stream: &mut Stream) -> [Placement; 2] {
    let frame = NormalFrame { center: DVec3::ZERO, unit: 1.0 };
    [(); 2].map(|()| {
        let quaternion = match stream.below(4) {
            0 => stream.pick(&[[0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]]),
            1 => [stream.signed() * 1e-9, 0.0, stream.signed() * 1e-5, 1.0],
            _ => [(); 4].map(|()| stream.signed()),
        };
        let scale = stream.pick(&[1.0, 1.0, 0.2, -1.0]);
        let pose =
            Pose::from_trs(quaternion, [scale; 3], (stream.point() * 0.8).to_array()).expect("a rotation");
        Placement::new(&frame, None, 1.0, &pose)
    })
}

fn extents(stream: &mut Stream) -> Extents {
    let (p, q) = (stream.point(), stream.point() * stream.pick(&[0.5, 0.05, 0.0]));
    let [lo, hi] = [(p - q.abs()).max(-DVec3::ONE), (p + q.abs()).min(DVec3::ONE)];
    Extents { lo: lo.as_vec3().to_array(), hi: hi.as_vec3().to_array() }
}

/// The paper: "such a step can be performed with at most 72 multiplications and 72 additions".
#[test]
fn a_step_takes_at_most_72_multiplications_and_72_additions() {
    let mut stream = Stream(4);
    let [a, b] = placed(&mut stream);
    let frames = Frames::new(&a, &b, [0.0; 2]).expect("comparable").lines(0.1).expect("near");
    let frames = frames.each_ref().map(counted);
    let boxes = [extents(&mut stream), extents(&mut stream)];
    let state = Lines::new(Scalar, boxes, &frames);
    for (side, extents) in boxes.iter().enumerate() {
        for axis in 0..3 {
            OPERATIONS.set([0; 2]);
            let parts = state.cut(Scalar, &frames, (side, axis, extents.lo[axis]));
            std::hint::black_box(parts.each_ref().map(|part| part.meet(Scalar)));
            assert_eq!(OPERATIONS.get(), [63, 71]);
        }
    }
}

/// Returns a corner or another point of a box.
fn point_of(stream: &mut Stream, extents: &Extents) -> DVec3 {
    let along = [(); 3].map(|()| {
        let inside = 0.5 + 0.5 * stream.signed();
        stream.pick(&[0.0, 1.0, inside])
    });
    DVec3::from_array([0, 1, 2].map(|k| {
        let [lo, hi] = [extents.lo[k], extents.hi[k]].map(f64::from);
        (lo + (hi - lo) * along[k]).clamp(lo, hi)
    }))
}

/// Boxes with points within the reach are never apart, by any kernel, and the kernels mostly agree on the others.
#[test]
fn boxes_within_the_reach_are_not_apart() {
    let mut stream = Stream(5);
    let [mut by_lines, mut by_axes, mut differ] = [0; 3];
    for _ in 0..20_000 {
        let [a, b] = placed(&mut stream);
        let boxes = [extents(&mut stream), extents(&mut stream)];
        let reach = stream.pick(&[0.0, 0.01, 0.3]);
        let frames = Frames::new(&a, &b, [0.0; 2]).expect("comparable");
        let line_frames = frames.lines(reach).expect("near");
        let meets = Lines::new(Scalar, boxes, &line_frames).meet(Scalar);
        let mut pairs = BoxPairs::default();
        pairs.put(0, boxes);
        let gap = f64::from(Scalar.squared_gaps(&frames.axes(), &pairs)[0]).sqrt() * a.scale;
        let world = |placement: &Placement, p: DVec3| placement.linear * p + placement.origin;
        for _ in 0..20 {
            let [p, q] =
                [world(&a, point_of(&mut stream, &boxes[0])), world(&b, point_of(&mut stream, &boxes[1]))];
            assert!(gap <= p.distance(q) + 1e-12, "{gap}");
            assert!(meets || p.distance(q) > reach, "{boxes:?}");
        }
        if let Some(aligned) = frames.aligned(reach) {
            let apart = !super::frames::aligned_meet(&aligned.boxes(boxes));
            assert!(!apart || gap > 0.0, "{boxes:?}");
            assert!(apart || reach > 0.0 || gap < 1e-4, "{boxes:?}");
        }
        by_lines += u32::from(!meets);
        by_axes += u32::from(gap > reach);
        differ += u32::from(reach == 0.0 && meets != (gap == 0.0));
    }
    assert!(by_lines > 5_000 && by_axes > 5_000 && differ < 30, "{by_lines} {by_axes} {differ}");
}

/// The state of two boxes after some cuts equals, but for rounding, that of boxes prepared anew.
#[test]
fn cuts_lead_to_the_same_state_as_preparing_anew() {
    let mut stream = Stream(6);
    let [mut meeting, mut differ] = [0; 2];
    for _ in 0..2_000 {
        let [a, b] = placed(&mut stream);
        let reach = 0.01;
        let frames = Frames::new(&a, &b, [0.0; 2]).expect("comparable").lines(reach).expect("near");
        let mut boxes = [Extents { lo: [-1.0; 3], hi: [1.0; 3] }; 2];
        let mut state = Lines::new(Scalar, boxes, &frames);
        for _ in 0..8 {
            let (side, axis) = (stream.below(2) as usize, stream.below(3) as usize);
            let at = point_of(&mut stream, &boxes[side])[axis] as f32;
            let at = at.clamp(boxes[side].lo[axis], boxes[side].hi[axis]);
            let part = stream.below(2) as usize;
            let cut = (side, axis, at);
            let in_lanes = execute!(Executor::Simd, kernels => state.cut(kernels, &frames, cut));
            state = state.cut(Scalar, &frames, cut)[part];
            assert_eq!(format!("{:?}", in_lanes[part]), format!("{state:?}"), "lanes");
            boxes[side] = boxes[side].cut(axis, at)[part];
            let meets = state.meet(Scalar);
            assert_eq!(execute!(Executor::Simd, kernels => state.meet(kernels)), meets, "lanes");
            let world = |placement: &Placement, p: DVec3| placement.linear * p + placement.origin;
            let p = world(&a, point_of(&mut stream, &boxes[0]));
            let q = world(&b, point_of(&mut stream, &boxes[1]));
            assert!(meets || p.distance(q) > reach, "{boxes:?}");
            differ += u32::from(Lines::new(Scalar, boxes, &frames).meet(Scalar) != meets);
            meeting += u32::from(meets);
        }
    }
    assert!(meeting > 500 && differ < 10, "{meeting} {differ}");
}

#[test]
fn gaps_in_lanes_are_those_of_the_reading_copy() {
    let mut stream = Stream(7);
    for _ in 0..5_000 {
        let [a, b] = placed(&mut stream);
        let frame = Frames::new(&a, &b, [0.0; 2]).expect("comparable").axes();
        let mut pairs = BoxPairs::default();
        (0..LANES).for_each(|lane| pairs.put(lane, [extents(&mut stream), extents(&mut stream)]));
        let in_lanes = execute!(Executor::Simd, kernels => kernels.squared_gaps(&frame, &pairs));
        assert_eq!(in_lanes.map(f32::to_bits), Scalar.squared_gaps(&frame, &pairs).map(f32::to_bits));
    }
}

fn degenerate() -> Vec<(&'static str, Mesh)> {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    let at = |i: usize| DVec3::new((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64);
    let fan = |i: u32| {
        let [from, to] = [i, i + 1].map(|i| f64::from(i) * std::f64::consts::TAU / 400.0);
        [DVec3::ZERO, DVec3::new(from.cos(), from.sin(), -1.0), DVec3::new(to.cos(), to.sin(), 1.0)]
    };
    let tiny = 2.0_f64.powi(-150);
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
        ("far apart", soup(&[[x, y, z], [x * 1e9, x * 1e9 + y, x * 1e9 + z], [x, y, z]])),
        ("an open shell", generated("pipes", 1_000)),
        ("a sphere", generated("nested", 1_000)),
    ]
}

#[test]
fn every_mesh_gets_valid_trees() {
    let sheared = DMat3::from_cols_array(&[1.0, 0.0, 0.0, 0.5, 2.0, 0.0, 0.0, 0.1, 0.0]);
    for (name, mesh) in degenerate() {
        for rule in [Rule::of_paper, |_| Rule::NO_CUTS, |_| Rule { deepest: 30, thickness: 0.01 }] {
            assert_eq!(CutTrees::build(&mesh, None, rule).validate(&mesh), Ok(()), "{name}");
            assert_eq!(
                CutTrees::build(&mesh, Some(sheared), rule).validate(&mesh),
                Ok(()),
                "{name}, sheared"
            );
        }
    }
    for (name, _) in generate::names() {
        let request = Request { name: (*name).to_owned(), size: None, seed: 3, soup: false };
        for mesh in generate::generate(&request).expect("a scene").meshes.iter().take(2) {
            assert_eq!(CutTrees::build(mesh, None, Rule::of_paper).validate(mesh), Ok(()), "{name}");
        }
    }
}

#[test]
fn degenerate_meshes_meet_themselves() {
    for (name, mesh) in degenerate() {
        let tree = BoxTree::<Balanced>::build(&mesh);
        let posed = tree.place(&mesh, &Pose::IDENTITY, Executor::Simd);
        let turned = Pose::from_trs([0.1, 0.2, 0.3, 0.9], [1.0; 3], [0.0; 3]).expect("a rotation");
        let other = tree.place(&mesh, &turned, Executor::Simd);
        let mut work = Work::NONE;
        let found = BoxTree::<Balanced>::contacts(&posed, &posed, usize::MAX, &mut work);
        let own = mesh.triangles().len() as u32;
        assert!((0..own).all(|t| found.binary_search(&[t, t]).is_ok()), "{name}");
        let turned = BoxTree::<Balanced>::contacts(&posed, &other, usize::MAX, &mut work);
        let (contacts, nearest) = brute(&[mesh.clone(), mesh.clone()], &[Pose::IDENTITY, other.pose]);
        assert_eq!(turned, contacts, "{name}");
        if contacts.is_empty() {
            assert_eq!(BoxTree::<Balanced>::nearest(&posed, &other, f64::MAX, &mut work), nearest, "{name}");
        }
    }
}

#[test]
fn validate_sees_what_is_wrong() {
    let mesh = generated("tori", 1_000);
    let trees = CutTrees::build(&mesh, None, Rule::of_paper);
    let wrong = |change: &dyn Fn(&mut CutTrees)| {
        let mut trees = trees.clone();
        change(&mut trees);
        assert!(trees.validate(&mesh).is_err());
    };
    wrong(&|trees| trees.trees[TRIANGLES].items[0] = trees.trees[TRIANGLES].items[1]);
    wrong(&|trees| trees.trees[EDGES].items.swap(0, 100));
    wrong(&|trees| trees.trees[TRIANGLES].root.hi[0] *= 0.9);
    wrong(&|trees| trees.trees[EDGES].nodes.iter_mut().for_each(|node| node.overhang = 0.0));
    wrong(&|trees| trees.trees[EDGES].nodes.push(trees.trees[EDGES].nodes[0]));
    wrong(&|trees| trees.edges.ends.swap(0, 5));
    wrong(&|trees| {
        for node in &mut trees.trees[TRIANGLES].nodes {
            if let Content::Cut { at, .. } = &mut node.content {
                *at += 0.01;
            }
        }
    });
}

/// A literal reading of the paper loses contacts past a cut: an item that reaches past the plane by less than the
/// thickness is on one side only, and so is the part of it beyond the plane.
#[test]
fn contacts_just_past_a_cut_are_found() {
    // Balanced about x = 0, with tips that reach past it.
    let blade = |i: u32, x: f64| {
        let y = 2.0 * f64::from(i) + if x < 0.0 { 0.0 } else { 1.0 };
        [DVec3::new(x, y, 0.0), DVec3::new(x, y + 0.5, 0.0), DVec3::new(-0.02 * x.signum(), y, 0.0)]
    };
    let a = soup(&(0..8).flat_map(|i| [blade(i, -8.0), blade(i, 8.0)]).collect::<Vec<_>>());
    // A needle that meets only the tip of the third blade from the left.
    let needle = [DVec3::new(0.02, 4.0, -1.0), DVec3::new(0.02, 4.0, 1.0), DVec3::new(0.03, 4.0, 1.0)];
    let rule = |_| Rule { deepest: 6, thickness: 0.01 };
    let trees = CutTrees::build(&a, None, rule);
    let Content::Cut { axis: 0, at, .. } = trees.trees[TRIANGLES].content(0) else { panic!("cut across x") };
    assert!(at.abs() < 1e-3 && trees.trees[TRIANGLES].thickness * 8.0 > 0.02);
    for turn in [[0.0, 0.0, 0.0, 1.0], [0.1, 0.2, 0.3, 0.9]] {
        let b = soup(&[needle]);
        let pose = Pose::from_trs(turn, [1.0; 3], [0.0; 3]).expect("a rotation");
        let other = CutTrees::build(&b, None, Rule::of_paper);
        let found = |trees: &CutTrees| {
            let [a, b] = [(trees, &a), (&other, &b)]
                .map(|(trees, mesh)| Posed::new(trees, mesh, &pose, Executor::Simd));
            search::contacts(&a, &b, usize::MAX, &mut Work::default())
        };
        let expected = brute(&[a.clone(), b.clone()], &[pose; 2]).0;
        assert!(turn != [0.0, 0.0, 0.0, 1.0] || expected == [[4, 0]]);
        assert_eq!(found(&trees), expected);
        // Without the widening, which the search takes from the trees, the contact is lost.
        let mut literal = trees.clone();
        literal.trees.iter_mut().for_each(|tree| tree.thickness = 0.0);
        if !expected.is_empty() {
            assert_eq!(found(&literal), [[0; 2]; 0]);
        }
        let a = Posed::new(&trees, &a, &pose, Executor::Simd);
        let b = Posed::new(&other, &b, &pose, Executor::Simd);
        let near = nearest::nearest(&a, &b, f64::MAX, &mut Work::default());
        assert!(near.is_some());
    }
}

/// Every plane crosses most of a fan, so cutting stops although boxes hold many.
#[test]
fn cutting_stops_where_children_hold_as_much() {
    let spikes: Vec<Triangle> = (0..500)
        .map(|i| {
            let far = DVec3::splat(1.0 + 1e-3 * f64::from(i));
            [-far, far, far * DVec3::new(1.0, 1.0, 0.9)]
        })
        .collect();
    let tree = &CutTrees::build(&soup(&spikes), None, |_| Rule { deepest: 20, thickness: THICKNESS }).trees
        [TRIANGLES];
    assert_eq!(tree.nodes.len(), 1, "a leaf");
    assert_eq!(tree.items.len(), 500);
}

/// Without thickness, a cut through a ring of vertices whose coordinates differ by rounding crosses the triangles that
/// end there.
#[test]
fn thick_cuts_balance_round_parts() {
    let mesh = generated("nested", 10_000);
    let most = |thickness: f32| {
        let tree = &CutTrees::build(&mesh, None, |_| Rule { deepest: 8, thickness }).trees[TRIANGLES];
        tree.items.len()
    };
    let [thin, thick] = [most(0.0), most(THICKNESS)];
    assert!(thick < thin, "{thick} {thin}");
    let triangles = mesh.triangles().len();
    assert!((1.0..1.8).contains(&(thick as f64 / triangles as f64)), "{thick} of {triangles}");
}

#[test]
fn two_triangles_meet_a_hundred_thousand() {
    let many = generated("tori", 100_000);
    let [p, q, r] = many.corners(500);
    let few = soup(&[[p, q + DVec3::splat(0.01), r], [p * 3.0, q * 3.0, r * 3.0]]);
    let meshes = [few, many];
    for poses in [[Pose::IDENTITY; 2], [Pose::translation([1e9, 0.0, 0.0]), Pose::IDENTITY]] {
        let (contacts, nearest) = brute(&meshes, &poses);
        assert_eq!(contacts.is_empty(), poses[0] != poses[1]);
        for executor in Executor::ALL {
            let trees = meshes.each_ref().map(BoxTree::<Balanced>::build);
            let [a, b] = [0, 1].map(|side| trees[side].place(&meshes[side], &poses[side], executor));
            let mut work = Work::NONE;
            assert_eq!(BoxTree::<Balanced>::contacts(&a, &b, usize::MAX, &mut work), contacts);
            if contacts.is_empty() {
                assert_eq!(BoxTree::<Balanced>::nearest(&a, &b, f64::MAX, &mut work), nearest);
            } else {
                assert!(work.box_tests < 10_000, "{work:?}");
            }
        }
    }
}

/// The paper: 1.2 to 1.6 times as many pointers as polygons, and with large complexities 40% to 60% of the box empty.
#[test]
fn shapes_are_those_of_the_paper() {
    let mesh = generated("tori", 10_000);
    let [edges, triangles] = CutTrees::build(&mesh, None, Rule::of_paper).shapes(&mesh);
    assert!((1.1..1.7).contains(&triangles.repetition) && (1.1..1.7).contains(&edges.repetition));
    assert!((0.3..0.9).contains(&triangles.empty), "{triangles:?}");
    assert_eq!(triangles.stopped, 0);
    let copies = soup(&[[DVec3::X, DVec3::Y, DVec3::Z]; 100]);
    let [_, triangles] = CutTrees::build(&copies, None, Rule::of_paper).shapes(&copies);
    assert_eq!((triangles.leaves, triangles.stopped, triangles.crossing), (1, 1, 0.0));
}

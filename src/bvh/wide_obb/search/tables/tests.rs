use std::f64::consts::TAU;
use std::ops::ControlFlow::Break;

use glam::DVec3;

use super::*;
use crate::bvh::testing::{brute, degenerate, generated, pose, shapes};
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::bvh::wide_obb::search::{contacts, place};
use crate::bvh::wide_obb::{Child, WideObb};
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::Stream;

impl Tables {
    /// Checks the test tree, and returns its front.
    fn validate(&self, pair: &PosedPair) -> Vec<Slots> {
        assert!(self.nodes.len() <= self.most && self.nodes[0].slots == WHOLE);
        let mut front = Vec::new();
        for (index, node) in (0..).zip(&self.nodes) {
            assert!(index < node.end && node.end <= self.nodes.len() as u32);
            let below: Vec<u32> = children(&self.nodes, index).collect();
            assert_eq!(below.last().map_or(index + 1, |&last| self.nodes[last as usize].end), node.end);
            let Step::Open(opened) = pair.step(node.slots) else {
                assert!(node.is_leaves(index) && !node.is_low);
                front.push(node.slots);
                continue;
            };
            let all = used(pair.facing(opened, node.slots).block);
            let mut rest = all & !u32::from(node.ends);
            assert_eq!(u32::from(node.ends) & !all, 0);
            for &child in &below {
                let slots = self.nodes[child as usize].slots;
                let lane = slots[opened.side] % LANES as u32;
                assert_eq!(slots, opened.to(lane, node.slots));
                assert_eq!(rest.trailing_zeros(), lane, "each lane once, in order");
                rest &= rest - 1;
            }
            assert!(rest == 0 || self.nodes.len() == self.most, "a lane is an end or has a node");
            let low = below.iter().all(|&child| self.nodes[child as usize].is_leaves(child));
            assert_eq!(node.is_low, low);
            // What is not kept is searched like an end.
            let lanes = (0..LANES as u32).filter(|lane| (u32::from(node.ends) | rest) >> lane & 1 == 1);
            front.extend(lanes.map(|lane| opened.to(lane, node.slots)));
        }
        front
    }

    fn contacts(&mut self, pair: &PosedPair, work: &mut Work) -> Vec<[u32; 2]> {
        let mut found = Vec::new();
        let all = self.search::<()>(pair, work, |_, places| {
            found.push(pair.triangles(places));
            Continue(())
        });
        assert!(all.is_continue());
        found.sort_unstable();
        found
    }

    fn first(&mut self, pair: &PosedPair) -> Option<[u32; 2]> {
        let found = self.search(pair, &mut Work::default(), |_, places| Break(places));
        found.break_value().map(|places| pair.triangles(places))
    }
}

/// Returns the places of the triangles below a box.
fn places(tree: &PosedWideObb, slot: u32) -> Vec<u32> {
    let (block, lane) = place(slot);
    match Child::of(tree.blocks[block].child[lane]) {
        Child::None => Vec::new(),
        Child::Leaf { first, count } => (first..first + count).collect(),
        Child::Block(block) => {
            (0..LANES as u32).flat_map(|lane| places(tree, block * LANES as u32 + lane)).collect()
        }
    }
}

/// The way of the second torus.
#[derive(Clone, Copy, Debug)]
enum Track {
    Touches,
    Near,
    Apart,
    Passes,
    Jumps,
}

impl Track {
    const ALL: [Self; 5] = [Self::Touches, Self::Near, Self::Apart, Self::Passes, Self::Jumps];

    fn pose(self, frame: u32, stream: &mut Stream) -> Pose {
        let time = f64::from(frame) / 600.0;
        let (at, turn) = match self {
            Self::Touches => (DVec3::new(0.9, 0.1, 0.2) + DVec3::splat(time * 0.3), DVec3::splat(time)),
            Self::Near => (DVec3::new(0.0, 0.0, 0.72 + 0.01 * (20.0 * time).sin()), DVec3::ZERO),
            Self::Apart => (DVec3::new(4.0, time, 0.0), DVec3::splat(time)),
            Self::Passes => (DVec3::new(3.0 - 6.0 * time, 0.3, 0.2), DVec3::new(time, 0.0, 0.3)),
            Self::Jumps => (stream.point() * 2.0, stream.point()),
        };
        // Which box is opened depends on the ratio of the scales.
        let scale = if matches!(self, Self::Jumps) { stream.pick(&[1.0, 0.25, 3.0]) } else { 1.0 };
        let turn = [turn.x, turn.y, turn.z, 1.0];
        Pose::from_trs(turn, [scale; 3], at.to_array()).expect("a rotation")
    }
}

#[test]
fn every_front_gives_the_answers_of_a_search_from_the_roots() {
    let tree = WideObb::build(&generated("tori", 600));
    let mut stream = Stream(31);
    for track in Track::ALL {
        let (mut tables, mut few) = (Tables::default(), Tables { most: 40, ..Tables::default() });
        let mut scratch = contacts::Scratch::default();
        let mut with_contacts = 0;
        for frame in 0..600 {
            let pose = track.pose(frame, &mut stream);
            let executor = Executor::ALL[frame as usize % 2];
            let [a, b] = [Pose::IDENTITY, pose].map(|pose| PosedWideObb::new(&tree, &pose).by(executor));
            let pair = PosedPair::new(&a, &b);
            let expected = contacts::contacts(&a, &b, &mut scratch, &mut Work::default());
            for tables in [&mut tables, &mut few] {
                let first = tables.first(&pair);
                assert_eq!(first.is_some(), !expected.is_empty(), "{track:?} {frame}");
                assert!(first.is_none_or(|first| expected.binary_search(&first).is_ok()));
                assert_eq!(tables.contacts(&pair, &mut Work::default()), expected, "{track:?} {frame}");
                tables.validate(&pair);
            }
            with_contacts += u32::from(!expected.is_empty());
        }
        match track {
            Track::Touches => assert_eq!(with_contacts, 600),
            Track::Near | Track::Apart => assert_eq!(with_contacts, 0),
            Track::Passes | Track::Jumps => assert!((30..570).contains(&with_contacts), "{with_contacts}"),
        }
    }
}

/// Every two triangles are below exactly one pair of the front, so none can be missed from there.
#[test]
fn every_front_covers_all_pairs_of_triangles() {
    let mut stream = Stream(7);
    for _ in 0..60 {
        let meshes = [shapes(&mut stream), shapes(&mut stream)];
        let trees = meshes.each_ref().map(WideObb::build);
        let most = stream.pick(&[1, 3, MOST_NODES]);
        let mut tables = Tables { most, ..Tables::default() };
        for _ in 0..20 {
            let poses = [pose(&mut stream), pose(&mut stream)];
            let [a, b] = [0, 1].map(|side| PosedWideObb::new(&trees[side], &poses[side]));
            let pair = PosedPair::new(&a, &b);
            assert_eq!(tables.contacts(&pair, &mut Work::default()), brute(&meshes, &poses).0);
            let mut covered: Vec<[u32; 2]> = Vec::new();
            for [slot_a, slot_b] in tables.validate(&pair) {
                let below = places(&b, slot_b);
                covered.extend(places(&a, slot_a).iter().flat_map(|&p| below.iter().map(move |&q| [p, q])));
            }
            covered.sort_unstable();
            let [of_a, of_b] = meshes.each_ref().map(|mesh| mesh.triangles().len() as u32);
            let all: Vec<_> = (0..of_a).flat_map(|p| (0..of_b).map(move |q| [p, q])).collect();
            assert_eq!(covered, all);
        }
    }
}

#[test]
fn degenerate_meshes_are_searched_from_any_front() {
    let here = Pose::IDENTITY;
    let turn = Pose::from_trs([0.1, 0.2, 0.3, 0.9], [1.0; 3], [0.0; 3]).expect("a rotation");
    let flat = Pose::scaling([1.0, 0.0, 1.0]);
    let poses = [here, turn, flat, Pose::translation([1e9, 0.0, 0.0]), here];
    for (name, mesh) in degenerate() {
        let tree = WideObb::build(&mesh);
        let (mut tables, mut scratch) = (Tables::default(), contacts::Scratch::default());
        for pose in &poses {
            let [a, b] = [&here, pose].map(|pose| PosedWideObb::new(&tree, pose));
            let pair = PosedPair::new(&a, &b);
            let expected = contacts::contacts(&a, &b, &mut scratch, &mut Work::default());
            assert_eq!(tables.contacts(&pair, &mut Work::default()), expected, "{name}");
            tables.validate(&pair);
        }
    }
}

/// Nodes become ends when their boxes part. So tables need little more than the nodes of a search from the
/// roots, and save tests.
#[test]
fn tables_do_not_only_grow() {
    let tree = WideObb::build(&generated("tori", 600));
    let a = PosedWideObb::new(&tree, &Pose::IDENTITY);
    let mut tables = Tables::default();
    let [mut of_tables, mut of_roots] = [Work::NONE; 2];
    let mut next = |pose: &Pose| {
        let b = PosedWideObb::new(&tree, pose);
        let pair = PosedPair::new(&a, &b);
        let mut from_roots = Tables::default();
        assert_eq!(tables.contacts(&pair, &mut of_tables), from_roots.contacts(&pair, &mut of_roots));
        tables.validate(&pair);
        let [nodes, least] = [&tables, &from_roots].map(|tables| tables.nodes.len());
        assert!((least..=4 * least + 8).contains(&nodes), "{nodes} {least}");
        (nodes, tables.bytes())
    };
    // Laps of a torus through another.
    let lap = |frame: u32| {
        let (sin, cos) = (f64::from(frame) * TAU / 200.0).sin_cos();
        next(
            &Pose::from_trs([0.0, sin, 0.0, 2.0 + cos], [1.0; 3], [1.5 * cos, 0.1, 1.5 * sin])
                .expect("a rotation"),
        )
        .1
    };
    let bytes: Vec<usize> = (0..1_000).map(lap).collect();
    assert_eq!(bytes[999], bytes[399], "laps after the second need no more");
    let (near, _) = next(&Pose::translation([0.5, 0.0, 0.0]));
    let far = (0..10).map(|_| next(&Pose::translation([9.0, 0.0, 0.0])).0).last();
    assert!(near > 500 && far == Some(1), "{near} {far:?}");
    assert!(of_tables.box_tests < of_roots.box_tests, "{of_tables:?} {of_roots:?}");
}

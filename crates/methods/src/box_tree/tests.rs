//! The trees find what brute force finds, boxes count as apart only where they are, a step takes as many
//! operations as the paper says, lanes are the reading copies' twins, and every mesh gets valid trees.

use glam::{DMat3, DVec3};

use super::axes::{AxesKernels, BoxPairs};
use super::cuts::{Content, Extents};
use super::frames::Frames;
use super::lines::Lines;
use super::posed::PosedBoxTree;
use super::{Balanced, BoxRule, BoxTree, CutTrees, EDGES, TRIANGLES, Uncut, nearest, search};
use crate::counted::{Counted, Operations, counted};
use closefit::Work;
use closefit::internals::bvh::placement::Placement;
use closefit::internals::bvh::testing::{self, brute, degenerate, generated, meshes_of_all_scenes, soup};
use closefit::internals::bvh::wide_topology::NormalFrame;
use closefit_geometry::executor::{Executor, Scalar, execute};
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::Stream;

#[test]
fn box_trees_find_what_brute_force_finds() {
    testing::finds_what_brute_force_finds::<BoxTree<Balanced>>(1);
}

#[test]
fn the_simple_algorithm_finds_what_brute_force_finds() {
    testing::finds_what_brute_force_finds::<BoxTree<Uncut>>(2);
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
    let frames = frames.map(|frame| frame.to_numbers::<Counted<f32>>());
    let boxes = [extents(&mut stream), extents(&mut stream)];
    let state = Lines::new(Scalar, boxes, &frames);
    for (side, extents) in boxes.iter().enumerate() {
        for axis in 0..3 {
            let (_, made) = counted(|| {
                let parts = state.cut(Scalar, &frames, (side, axis, extents.lo[axis]));
                parts.each_ref().map(|part| part.meet(Scalar))
            });
            assert_eq!(
                Operations { comparisons: 0, ..made },
                Operations { multiplications: 63, additions: 71, ..Operations::NONE }
            );
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

/// Boxes with points within the reach are never apart, by any kernel, and the kernels mostly agree on the
/// others.
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

/// The state of two boxes after some cuts equals, but for rounding, the state of newly prepared boxes.
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

#[test]
fn every_mesh_gets_valid_trees() {
    let sheared = DMat3::from_cols_array(&[1.0, 0.0, 0.0, 0.5, 2.0, 0.0, 0.0, 0.1, 0.0]);
    for (name, mesh) in degenerate() {
        let deep = BoxRule { depth: Some(30), thickness: 0.01, ..BoxRule::DEFAULT };
        for rule in [&BoxRule::DEFAULT, &BoxRule::PRINTED, &BoxRule::SIMPLE, &deep] {
            assert_eq!(CutTrees::build(&mesh, None, rule).validate(&mesh), Ok(()), "{name}");
            assert_eq!(
                CutTrees::build(&mesh, Some(sheared), rule).validate(&mesh),
                Ok(()),
                "{name}, sheared"
            );
        }
    }
    for (name, mesh) in meshes_of_all_scenes(2, false) {
        assert_eq!(CutTrees::build(&mesh, None, &BoxRule::DEFAULT).validate(&mesh), Ok(()), "{name}");
    }
}

#[test]
fn validate_sees_what_is_wrong() {
    let mesh = generated("tori", 1_000);
    let trees = CutTrees::build(&mesh, None, &BoxRule::DEFAULT);
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

/// A literal reading of the paper loses contacts past a cut: an item that reaches past the plane by less than
/// the thickness is on one side only, and so is the part of it beyond the plane.
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
    let rule = BoxRule { depth: Some(6), thickness: 0.01, ..BoxRule::DEFAULT };
    let trees = CutTrees::build(&a, None, &rule);
    let Content::Cut { axis: 0, at, .. } = trees.trees[TRIANGLES].content(0) else { panic!("cut across x") };
    assert!(at.abs() < 1e-3 && trees.trees[TRIANGLES].thickness * 8.0 > 0.02);
    for turn in [[0.0, 0.0, 0.0, 1.0], [0.1, 0.2, 0.3, 0.9]] {
        let b = soup(&[needle]);
        let pose = Pose::from_trs(turn, [1.0; 3], [0.0; 3]).expect("a rotation");
        let other = CutTrees::build(&b, None, &BoxRule::DEFAULT);
        let found = |trees: &CutTrees| {
            let [a, b] = [(trees, &a), (&other, &b)]
                .map(|(trees, mesh)| PosedBoxTree::new(trees, mesh, &pose, Executor::Simd));
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
        let a = PosedBoxTree::new(&trees, &a, &pose, Executor::Simd);
        let b = PosedBoxTree::new(&other, &b, &pose, Executor::Simd);
        let near = nearest::nearest(&a, &b, f64::MAX, &mut Work::default());
        assert!(near.is_some());
    }
}

/// A long search is shared out to the threads, without a change of the answer or of the work.
#[test]
fn shared_searches_find_what_one_thread_finds() {
    let mesh = generated("nested", 20_000);
    let trees = CutTrees::build(&mesh, None, &BoxRule::DEFAULT);
    let turned = Pose::from_trs([0.0, 0.0, 0.02, 1.0], [1.0; 3], [0.0; 3]).expect("a rotation");
    let [a, b] = [Pose::IDENTITY, turned].map(|pose| PosedBoxTree::new(&trees, &mesh, &pose, Executor::Simd));
    let (mut alone, mut work) = (search::Contacts::up_to(usize::MAX), Work::default());
    let mut run = search::ContactRun::new(&a, &b, &mut work);
    let _ = run.run(search::LONG, &mut work, &mut |triangles| alone.add(triangles));
    assert!(!run.is_done());
    let _ = run.run(u64::MAX, &mut work, &mut |triangles| alone.add(triangles));
    let alone = alone.sorted();
    let mut shared_work = Work::default();
    assert!(search::contacts(&a, &b, usize::MAX, &mut shared_work) == alone);
    assert_eq!(shared_work, work);
    for most in [10, 5_000, alone.len() - 1] {
        let some = search::contacts(&a, &b, most, &mut Work::default());
        assert!(some.len() > most && some.is_sorted());
        assert!(some.iter().all(|pair| alone.binary_search(pair).is_ok()));
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
    let rule = BoxRule { depth: Some(20), ..BoxRule::DEFAULT };
    let tree = &CutTrees::build(&soup(&spikes), None, &rule).trees[TRIANGLES];
    assert_eq!(tree.nodes.len(), 1, "a leaf");
    assert_eq!(tree.items.len(), 500);
}

/// A cut without thickness through a ring of vertices whose coordinates differ by rounding crosses the
/// triangles that end there.
#[test]
fn thick_cuts_balance_round_parts() {
    let mesh = generated("nested", 10_000);
    let most = |thickness: f32| {
        let rule = BoxRule { depth: Some(8), thickness, ..BoxRule::DEFAULT };
        let tree = &CutTrees::build(&mesh, None, &rule).trees[TRIANGLES];
        tree.items.len()
    };
    let [thin, thick] = [most(0.0), most(BoxRule::DEFAULT.thickness)];
    assert!(thick < thin, "{thick} {thin}");
    let triangles = mesh.triangles().len();
    assert!((1.0..1.8).contains(&(thick as f64 / triangles as f64)), "{thick} of {triangles}");
}

/// The paper's penalty: of all planes across all axes, the one whose fuller side has least.
#[test]
fn a_cut_has_as_many_items_on_either_side() {
    let mut stream = Stream(9);
    for _ in 0..40 {
        let stretch = DVec3::new(1.0, 0.3, 0.1) * stream.pick(&[0.2, 1.0, 5.0]);
        let triangles: Vec<Triangle> = (0..100)
            .map(|_| {
                let middle = stream.point();
                [(); 3].map(|()| middle * middle * middle + stream.point() * stretch * 0.2)
            })
            .collect();
        let rule = BoxRule { depth: Some(1), lambda: 1.0, empty: 1.0, thickness: 0.0, ..BoxRule::DEFAULT };
        let tree = &CutTrees::build(&soup(&triangles), None, &rule).trees[TRIANGLES];
        let count = |node: u32| match tree.content(node) {
            Content::Leaf { count, .. } => count as usize,
            content => panic!("{content:?}"),
        };
        let fuller = |axis: usize, at: f64| {
            let count = |is_there: &dyn Fn(f64) -> bool| {
                triangles.iter().filter(|corners| corners.iter().any(|v| is_there(v[axis]))).count()
            };
            count(&|x| x < at).max(count(&|x| x > at))
        };
        let planes = triangles.iter().flatten().flat_map(|v| (0..3).map(|axis| fuller(axis, v[axis])));
        assert_eq!(count(1).max(count(2)), planes.min().unwrap(), "{:?}", tree.content(0));
    }
}

/// The paper: 1.2 to 1.6 times as many pointers as polygons, and with large complexities 40% to 60% of the
/// box empty.
#[test]
fn shapes_are_those_of_the_paper() {
    let mesh = generated("tori", 10_000);
    let [edges, triangles] = BoxTree::build_as(&mesh, &BoxRule::DEFAULT).shapes(&mesh);
    assert!((1.1..1.7).contains(&triangles.repetition) && (1.1..1.7).contains(&edges.repetition));
    assert!((0.3..0.9).contains(&triangles.empty), "{triangles:?}");
    assert_eq!(triangles.depth, super::depth_of_paper(mesh.triangles().len()));
    let copies = soup(&[[DVec3::X, DVec3::Y, DVec3::Z]; 100]);
    let [_, triangles] = BoxTree::build_as(&copies, &BoxRule::DEFAULT).shapes(&copies);
    assert_eq!((triangles.leaves, triangles.depth, triangles.fullest), (1, 0, 100));
}

/// No leaf has more cuts above it, of whatever kind, than the depth says, where every cut is a level.
#[test]
fn printed_levels_count_cuts_at_empty_parts() {
    let mesh = generated("tori", 2_000);
    let deepest = |rule: BoxRule| {
        let tree = &CutTrees::build(&mesh, None, &BoxRule { depth: Some(6), ..rule }).trees[TRIANGLES];
        let (mut most, mut chips, mut stack) = (0, 0, vec![(0, 0)]);
        while let Some((node, above)) = stack.pop() {
            match tree.content(node) {
                Content::Leaf { .. } => most = most.max(above),
                Content::Chipped { child, .. } => {
                    chips += 1;
                    stack.push((child, above + 1));
                }
                Content::Cut { first, .. } => stack.extend([(first, above + 1), (first + 1, above + 1)]),
            }
        }
        assert!(chips > 0);
        most
    };
    assert_eq!(deepest(BoxRule::PRINTED), 6);
    assert!(deepest(BoxRule::DEFAULT) > 6);
}

/// Two bundles of rods along x, one of them larger, and a dot at either end: a plane across x has as many
/// items on one side as on the other, and crosses all rods; one across y has one more on a side, and crosses
/// none.
#[test]
fn items_that_cross_count_by_gamma() {
    let rod = |i: u32| {
        let y = if i < 10 { 0.0 } else { 10.0 };
        [DVec3::new(-50.0, y, 0.0), DVec3::new(50.0, y, 0.0), DVec3::new(0.0, y + 0.1, 0.1)]
    };
    let dot = |x: f64| [DVec3::new(x, 0.0, 0.0), DVec3::new(x + 0.1, 0.0, 0.0), DVec3::new(x, 0.1, 0.1)];
    let triangles: Vec<Triangle> = (0..23).map(rod).chain([dot(-60.0), dot(60.0)]).collect();
    let axis = |crossing: f32| {
        let rule = BoxRule { crossing, depth: Some(1), lambda: 1.0, empty: 1.0, ..BoxRule::DEFAULT };
        match CutTrees::build(&soup(&triangles), None, &rule).trees[TRIANGLES].content(0) {
            Content::Cut { axis, .. } => axis,
            content => panic!("{content:?}"),
        }
    };
    assert_eq!([axis(0.0), axis(1.0)], [0, 1]);
}

/// A triangle may be in several leaves.
#[test]
fn queries_see_every_triangle_of_a_region() {
    testing::sees_every_triangle_of_a_region::<BoxTree>(3);
}

#[test]
fn degenerate_meshes_meet_themselves() {
    testing::meets_itself::<BoxTree>();
}

#[test]
fn two_triangles_meet_a_hundred_thousand() {
    testing::two_meet_a_hundred_thousand::<BoxTree>();
}

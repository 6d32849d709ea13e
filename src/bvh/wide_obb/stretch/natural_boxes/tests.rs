//! The test against the same intervals rounded outwards, and against triangles at many times.

use super::*;
use crate::bvh::wide_obb::stretch::testing::{frame, mesh};
use crate::bvh::wide_obb::{Block, Child};
use crate::continuous::method::{Axes, Method};
use closefit_geometry::exact::distance::distance;
use closefit_geometry::executor::Executor;
use closefit_geometry::lanes::{LANES, Level, SimdBase, dispatch, f64x4, level};
use closefit_geometry::math::Triangle;
use closefit_geometry::math::interval::{Interval, IntervalMat3, IntervalVec3};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::{Stream, cases};
use closefit_geometry::motion::frames::Frames;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};

fn matrix(m: &DMat3) -> IntervalMat3 {
    IntervalMat3::of_columns([m.x_axis, m.y_axis, m.z_axis].map(IntervalVec3::point))
}

/// Encloses a vector carried by a screw, a place or a direction, by the paper's product of matrices.
fn carried(v: IntervalVec3, is_place: bool, (screw, over): &(Screw, ScrewOver)) -> IntervalVec3 {
    let ScrewOver { sin, cos, slide } = *over;
    let (zero, one) = (Interval::ZERO, Interval::ONE);
    let turn = IntervalMat3([[cos, -sin, zero], [sin, cos, zero], [zero, zero, one]].map(IntervalVec3));
    let [through, slide] =
        if is_place { [IntervalVec3::point(screw.through), slide] } else { [IntervalVec3::ZERO; 2] };
    let there = turn * (matrix(&screw.frame.transpose()) * (v - through)) + slide;
    matrix(&screw.frame) * there + through
}

/// A box over a stretch, by intervals rounded outwards.
struct Solid {
    center: IntervalVec3,
    axes: [IntervalVec3; 3],
    half: [Interval; 3],
}

impl Solid {
    fn of(Carried { start, screws }: &Carried, block: &Block, lane: usize) -> Self {
        let column = |columns: &[[f32; LANES]; 3]| DVec3::from_array(columns.map(|c| f64::from(c[lane])));
        let place = DVec3::from_array(block.origin.map(f64::from)) + column(&block.center);
        let [x, y] = block.axes.each_ref().map(column);
        let carry = |v: IntervalVec3, is_place: bool| {
            screws.iter().rev().fold(v, |v, screw| carried(v, is_place, screw))
        };
        let world = matrix(&(start.turn * start.scale));
        Self {
            center: carry(world * IntervalVec3::point(place) + IntervalVec3::point(start.origin), true),
            axes: [x, y, x.cross(y)]
                .map(|axis| carry(matrix(&start.turn) * IntervalVec3::point(axis), false)),
            half: column(&block.half).to_array().map(|half| Interval::point(half * start.scale)),
        }
    }
}

/// True when an axis keeps two boxes apart throughout, by intervals rounded outwards: equation 7, with
/// products of axes reduced.
fn are_apart(a: &Solid, b: &Solid) -> bool {
    let t = b.center - a.center;
    let c = |i: usize, j: usize| a.axes[i].dot(b.axes[j]);
    let beyond = |distance: Interval, radius: Interval| distance.abs().lo > radius.hi;
    let sum = |of: [Interval; 3]| of[0] + of[1] + of[2];
    let along_a =
        |i: usize| beyond(a.axes[i].dot(t), a.half[i] + sum([0, 1, 2].map(|j| b.half[j] * c(i, j).abs())));
    let along_b =
        |j: usize| beyond(b.axes[j].dot(t), b.half[j] + sum([0, 1, 2].map(|i| a.half[i] * c(i, j).abs())));
    let by_edges = |i: usize, j: usize| {
        let [(i1, i2), (j1, j2)] = [i, j].map(|k| ((k + 1) % 3, (k + 2) % 3));
        let distance = a.axes[i2].dot(t) * c(i1, j) - a.axes[i1].dot(t) * c(i2, j);
        let of_a = a.half[i1] * c(i2, j).abs() + a.half[i2] * c(i1, j).abs();
        beyond(distance, of_a + b.half[j1] * c(i, j2).abs() + b.half[j2] * c(i, j1).abs())
    };
    (0..3).any(along_a) || (0..3).any(along_b) || (0..9).any(|k| by_edges(k / 3, k % 3))
}

/// Two meshes on chains of joints, which may have joints in common.
struct Scene {
    trees: [WideObb; 2],
    meshes: [closefit_geometry::mesh::Mesh; 2],
    frames: Frames,
    ends: [Option<closefit_geometry::motion::frames::FrameId>; 2],
}

impl Scene {
    fn new(stream: &mut Stream, has_stem: bool) -> Self {
        let meshes = [mesh(stream), mesh(stream)];
        let mut frames = Frames::default();
        let stem = has_stem.then(|| frame(stream, &mut frames, None));
        let ends = [0; 2]
            .map(|_| (0..1 + stream.below(2)).fold(stem, |above, _| Some(frame(stream, &mut frames, above))));
        Self { trees: meshes.each_ref().map(WideObb::build), meshes, frames, ends }
    }

    fn pair(&self) -> PairMotion<'_> {
        let placed = [0, 1].map(|k| PlacedPart::of(Pose::IDENTITY, self.ends[k], self.meshes[k].vertices()));
        PairMotion::new(&self.frames, placed)
    }
}

const STRETCHES: [f64; 5] = [0.2, 0.05, 0.01, 0.001, 0.0];

/// The carried corners of a box are where the poses take them, at every time, and a stretch without extent
/// encloses them tightly.
#[test]
fn boxes_are_where_poses_take_them() {
    let mut stream = Stream(31);
    for _ in 0..cases(150) {
        let scene = Scene::new(&mut stream, false);
        let pair = scene.pair();
        let span = pair.span(0.0, 1.0);
        let screws = span.screws().expect("screws and straight ways");
        let half = stream.pick(&STRETCHES);
        let time = 0.5 + 0.2 * stream.signed();
        for side in [0, 1] {
            let over: Vec<_> = screws.over(side, time, half).map(|(screw, over)| (*screw, over)).collect();
            let vertex = stream.point();
            let start = IntervalVec3::point(screws.poses[side].apply(vertex));
            let place = over.iter().rev().fold(start, |v, screw| carried(v, true, screw));
            for k in -16..=16 {
                let p = pair.poses(time + half * f64::from(k) / 16.0)[side].apply(vertex);
                assert!(place.widened(screws.slack).contains(p), "{p} {place:?} {screws:?}");
            }
            assert!(half > 0.0 || place.radius() < 1e-12, "{place:?}");
            assert!(screws.slack < 1e-3, "{}", screws.slack);
        }
    }
}

/// Lanes and numbers say the same; what they prove, intervals rounded outwards prove; and at many times of
/// the stretch the triangles of leaves that are left out are farther apart than the limit.
#[test]
fn what_is_left_out_stays_apart() {
    let (mut stream, mut left_out, mut kept) = (Stream(32), 0, 0);
    for _ in 0..cases(16) {
        let scene = Scene::new(&mut stream, true);
        let pair = scene.pair();
        let span = pair.span(0.0, 1.0);
        let half = stream.pick(&STRETCHES);
        let time = 0.5 + 0.2 * stream.signed();
        let seen_from = stream.below(2) as usize;
        let of = [seen_from, 1 - seen_from];
        let trees = MovingTrees {
            trees: of.map(|k| &scene.trees[k]),
            meshes: of.map(|k| &scene.meshes[k]),
            seen_from,
            motion: &span,
            method: Method::REDON,
            executor: Executor::Simd,
        };
        let limit = stream.pick(&[0.0, 0.1]);
        let over = NaturalMotion::of(&trees).expect("screws").over(&span.moment(time, half), limit);
        let corners = |side: usize, place: u32, t: f64| -> Triangle {
            let (tree, pose) = (trees.trees[side], pair.poses(time + half * t)[of[side]]);
            tree.corners[place as usize].map(|v| pose.apply(tree.vertices[v as usize]))
        };
        let tried = stream.pick(&[Axes::All, Axes::All, Axes::Faces]);
        for side in [0, 1] {
            for (block, other) in trees.trees[side]
                .blocks
                .iter()
                .flat_map(|b| trees.trees[1 - side].blocks.iter().map(move |o| (b, o)))
            {
                for (lane, code) in other.child.into_iter().enumerate() {
                    let Child::Leaf { first, count } = Child::of(code) else { continue };
                    let asked =
                        (side, block, if stream.below(4) == 0 { stream.below(256) as u32 } else { 0xff });
                    let met = meeting(0.0, &over, asked, (other, lane), tried);
                    for level in [level(), Level::baseline()] {
                        let like = dispatch!(level, simd => {
                            meeting(f64x4::splat(simd, 0.0), &over, asked, (other, lane), tried)
                        });
                        assert_eq!(like, met);
                    }
                    let one = Solid::of(&over.sides[1 - side], other, lane);
                    for (l, code) in block.child.into_iter().enumerate() {
                        let Child::Leaf { first: from, count: n } = Child::of(code) else {
                            assert!(code != Child::None.code() || met >> l & 1 == 0);
                            continue;
                        };
                        if met >> l & 1 == 1 {
                            kept += 1;
                            continue;
                        }
                        if asked.2 >> l & 1 == 0 {
                            continue;
                        }
                        left_out += 1;
                        assert!(are_apart(&one, &Solid::of(&over.sides[side], block, l)), "{over:?}");
                        for t in [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0] {
                            for (p, q) in
                                (first..first + count).flat_map(|p| (from..from + n).map(move |q| (p, q)))
                            {
                                let found = distance(&corners(1 - side, p, t), &corners(side, q, t));
                                assert!(found > limit, "{found} {limit} {over:?}");
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(left_out > 3_000 && kept > 500, "{left_out} {kept}");
}

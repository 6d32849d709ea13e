//! The separating-axis test of two oriented boxes over a whole stretch of time, as in Redon et al. 2002: the
//! coordinates of centres and axes are intervals, by the paper's inclusion functions (section 3.2, equations
//! 2, 5 and 6), and both sides of its inequality 7 are computed with intervals (section 4.1.2), one pair of
//! boxes at a time.
//!
//! Intervals are rounded outwards, so what they enclose needs no error bound. Three things do:
//!
//! - *Axes.* Inequality 7 is reduced as for boxes at rest, which takes axes that are exactly orthonormal. Let
//!   W be the posed axes of a box over the scale, and d a bound of the row sums of `|W^T W - I|`. With
//!   `S = (W^T W)^(1/2)`, the frame `Q = W S^-1` is orthonormal, no axis of it is farther than d from the
//!   same axis of W, and a point with coordinates x along W has `S x` along Q, each within `d max |x|` of x.
//! - *Turns.* A screw turns about the axis of a frame F that is orthonormal up to a skew e in the same sense,
//!   so `F R F^T` is within `2 e + e^2` of a rotation, and all screws together are within `T = 3 sum e` of
//!   one while their skews are below 2^-20. Hence carried axes are within `2 d + T` of an orthonormal frame,
//!   and carried points within `2 T sum h` of a box along that frame. [`Solid`] widens both by `2 d + 2 T`.
//! - *Places.* [`PairScrews::slack`] bounds how far distances are from the distances of points carried by
//!   screws, and [`world_box::margin`] how far posed vertices are from their exact places at the start.

use closefit::internals::bvh::moving::MovingTrees;
use closefit::internals::bvh::world_box;
use closefit::method::Axes;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::math::error_bounds::SUMS;
use closefit_geometry::math::interval::{Interval, IntervalMat3, IntervalVec3};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::moment::Moment;
use closefit_geometry::motion::screws::{PairScrews, Screw, ScrewOver};
use glam::DMat3;

use super::BinaryObb;

/// Skews above this are not tested: they belong to poses with shear or uneven scale.
const LARGEST_SKEW: f64 = 1.0 / (1 << 20) as f64;

/// The motions of two trees during a span.
#[derive(Clone, Debug)]
pub struct NaturalMotion {
    screws: PairScrews,
    /// The part of each tree: 0 for the pair's first.
    parts: [usize; 2],
    starts: [Start; 2],
    /// Upper bound of what distances of posed vertices lack.
    slack: f64,
}

/// A tree at the start of a span.
#[derive(Clone, Copy, Debug)]
struct Start {
    pose: Pose,
    /// The length that its pose gives to the first coordinate axis, about.
    scale: f64,
    /// The sum of the skews of the frames of its screws.
    skew: f64,
}

/// Two trees with the screws that carry them, root first, over a stretch of time.
#[derive(Clone, Debug)]
pub struct NaturalPair {
    sides: [Carried; 2],
    /// The limit, with all that is added to radii.
    added: Interval,
}

#[derive(Clone, Debug)]
struct Carried {
    start: Start,
    screws: Vec<(Screw, ScrewOver)>,
}

/// A box over a stretch of time, in the world.
struct Solid {
    center: IntervalVec3,
    /// Intervals that contain an orthonormal frame at each time.
    axes: [IntervalVec3; 3],
    half: [Interval; 3],
}

impl NaturalMotion {
    /// Returns the motions of the trees of a search. `None` for a motion that is no screw.
    pub fn of(trees: &MovingTrees<BinaryObb>) -> Option<Self> {
        let screws = trees.motion.screws()?;
        let parts = [trees.seen_from, 1 - trees.seen_from];
        let mut slack = Interval::point(screws.slack);
        let starts = [0, 1].map(|side| {
            let pose = screws.poses[parts[side]];
            // The margin is for one coordinate. Twice the margin exceeds sqrt(3) times the margin.
            let margin = world_box::margin(&pose, trees.trees[side].largest_coordinate);
            slack = slack + Interval::point(2.0 * margin);
            let frames = screws.screws[parts[side]].iter().map(|screw| skew(&columns(&screw.frame)));
            Start { pose, scale: pose.linear().x_axis.length(), skew: frames.sum() }
        });
        let are_rotations = starts.iter().all(|start| start.skew <= LARGEST_SKEW);
        are_rotations.then_some(Self { screws, parts, starts, slack: slack.hi })
    }

    /// Returns the trees over a moment, for a limit of their distance.
    pub fn over(&self, moment: &Moment, limit: f64) -> NaturalPair {
        let carried = |side: usize| {
            let over = self.screws.over(self.parts[side], moment.time, moment.half);
            Carried { start: self.starts[side], screws: over.map(|(screw, over)| (*screw, over)).collect() }
        };
        let added = Interval::point(limit) + Interval::point(self.slack);
        NaturalPair { sides: [carried(0), carried(1)], added }
    }
}

impl NaturalPair {
    /// True only if an axis keeps the contents of a box of each tree farther apart than the limit throughout.
    /// `None` for boxes that this test cannot compare.
    pub fn separated(&self, a: &Obb, b: &Obb, tried: Axes) -> Option<bool> {
        let [a, b] = [Solid::of(&self.sides[0], a)?, Solid::of(&self.sides[1], b)?];
        Some(are_apart(&a, &b, self.added, tried))
    }
}

impl Solid {
    fn of(Carried { start, screws }: &Carried, obb: &Obb) -> Option<Self> {
        let Start { pose, scale, skew: turned } = *start;
        let linear = IntervalMat3::of_pose(&pose);
        let along = |axis| (linear * IntervalVec3::point(axis)).scale(Interval::ONE / Interval::point(scale));
        let mut axes = obb.axes.map(along);
        let skewed = skew(&axes);
        if !(skewed <= LARGEST_SKEW && obb.half.is_finite() && obb.center.is_finite()) {
            return None;
        }
        let mut center = IntervalVec3::point(obb.center).posed(&pose);
        for screw in screws.iter().rev() {
            center = carried(center, true, screw);
            axes = axes.map(|axis| carried(axis, false, screw));
        }
        let wider = (2.0 * skewed + 6.0 * turned) * (1.0 + SUMS);
        let half = obb.half.to_array().map(|half| Interval::point(half) * Interval::point(scale));
        let room = (half[0] + half[1] + half[2]) * Interval::point(wider);
        Some(Self { center, axes: axes.map(|axis| axis.widened(wider)), half: half.map(|half| half + room) })
    }
}

fn columns(m: &DMat3) -> [IntervalVec3; 3] {
    [m.x_axis, m.y_axis, m.z_axis].map(IntervalVec3::point)
}

/// Returns an upper bound of the largest row sum of `|A^T A - I|` for the columns of A.
fn skew(columns: &[IntervalVec3; 3]) -> f64 {
    let row = |i: usize| {
        let off = |j: usize| {
            let product = columns[i].dot(columns[j]);
            let product = if i == j { product - Interval::ONE } else { product };
            product.abs()
        };
        (off(0) + off(1) + off(2)).hi
    };
    row(0).max(row(1)).max(row(2))
}

/// Encloses a place, or a direction, carried by a screw: the paper's equation 6.
fn carried(v: IntervalVec3, is_place: bool, (screw, over): &(Screw, ScrewOver)) -> IntervalVec3 {
    let ScrewOver { sin, cos, slide } = *over;
    let frame = columns(&screw.frame);
    let through = IntervalVec3::point(screw.through);
    let v = if is_place { v - through } else { v };
    let [x, y, z] = frame.map(|axis| axis.dot(v));
    let there = IntervalVec3([x * cos - y * sin, x * sin + y * cos, z]);
    let out = |v: IntervalVec3| IntervalMat3::of_columns(frame) * v;
    if is_place { out(there + slide) + through } else { out(there) }
}

/// True only if an axis keeps two boxes farther apart than what is added: inequality 7, with products of axes
/// reduced. The length of `e_i x f_j` is at most 1.
fn are_apart(a: &Solid, b: &Solid, added: Interval, tried: Axes) -> bool {
    let t = b.center - a.center;
    let of_a = a.axes.map(|axis| axis.dot(t));
    let c = a.axes.map(|of_a| b.axes.map(|of_b| of_a.dot(of_b)));
    let r = c.map(|row| row.map(Interval::abs));
    let beyond = |distance: Interval, radius: Interval| distance.abs().lo > (radius + added).hi;
    let faces_of_a = |i: usize| {
        let of_b = b.half[0] * r[i][0] + b.half[1] * r[i][1] + b.half[2] * r[i][2];
        beyond(of_a[i], a.half[i] + of_b)
    };
    let faces_of_b = |j: usize| {
        let from_a = a.half[0] * r[0][j] + a.half[1] * r[1][j] + a.half[2] * r[2][j];
        beyond(b.axes[j].dot(t), b.half[j] + from_a)
    };
    let edges = |i: usize, j: usize| {
        let [(i1, i2), (j1, j2)] = [i, j].map(|k| ((k + 1) % 3, (k + 2) % 3));
        let distance = of_a[i2] * c[i1][j] - of_a[i1] * c[i2][j];
        let from_a = a.half[i1] * r[i2][j] + a.half[i2] * r[i1][j];
        beyond(distance, from_a + b.half[j1] * r[i][j2] + b.half[j2] * r[i][j1])
    };
    (0..3).any(faces_of_a)
        || (0..3).any(faces_of_b)
        || (tried == Axes::All && (0..9).any(|k| edges(k / 3, k % 3)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit::Method;
    use closefit_geometry::exact::distance::distance;
    use closefit_geometry::executor::Executor;
    use closefit_geometry::math::testing::Stream;
    use closefit_geometry::mesh::Mesh;
    use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
    use closefit_geometry::motion::{Between, FrameId, Frames, Joint, Keyframe, Motion};
    use glam::DVec3;

    fn soup(stream: &mut Stream) -> Mesh {
        let size = stream.pick(&[0.4, 0.1]);
        let triangle = |stream: &mut Stream| {
            let at = stream.point();
            [(); 3].map(|()| at + stream.point() * size)
        };
        let corners: Vec<DVec3> = (0..12).flat_map(|_| triangle(stream)).collect();
        Mesh::new(&corners, &std::array::from_fn::<_, 12, _>(|i| [0, 1, 2].map(|k| 3 * i as u32 + k)))
            .unwrap()
    }

    fn joint(stream: &mut Stream, frames: &mut Frames, above: Option<FrameId>) -> FrameId {
        let keys = [0.0, 1.0].map(|time| Keyframe {
            time,
            rotation: [stream.signed(), stream.signed(), stream.signed(), 1.5],
            translation: stream.point() * 2.0,
        });
        let between = stream.pick(&[Between::Screw, Between::Linear]);
        frames.add(above, Joint::Moving(Motion::through(&keys, between, [1.0; 3]).unwrap()))
    }

    /// Triangles in boxes that are separated over a stretch are farther than the limit from each other at
    /// many times of it.
    #[test]
    fn separated_boxes_stay_apart() {
        let (mut stream, [mut separated, mut met]) = (Stream(33), [0; 2]);
        for _ in 0..60 {
            let meshes = [soup(&mut stream), soup(&mut stream)];
            let trees = meshes.each_ref().map(BinaryObb::build);
            let mut frames = Frames::default();
            let stem = (stream.below(2) == 0).then(|| joint(&mut stream, &mut frames, None));
            let ends = [0; 2].map(|_| Some(joint(&mut stream, &mut frames, stem)));
            let scale = stream.pick(&[1.0, 1.0, 3.0]);
            let placed = [0, 1].map(|side| {
                let pose = Pose::from_trs([0.3, 0.1, 0.2, 1.0], [scale; 3], [0.1, 0.2, 0.0]).unwrap();
                PlacedPart::of(pose, ends[side], meshes[side].vertices())
            });
            let pair = PairMotion::new(&frames, placed);
            let span = pair.span(0.0, 1.0);
            let seen_from = stream.below(2) as usize;
            let of = [seen_from, 1 - seen_from];
            let moving = MovingTrees {
                trees: of.map(|part| &trees[part]),
                meshes: of.map(|part| &meshes[part]),
                seen_from,
                motion: &span,
                method: Method::REDON,
                executor: Executor::Scalar,
            };
            let (half, time) = (stream.pick(&[0.1, 0.02, 0.001]), 0.5 + 0.2 * stream.signed());
            let limit = stream.pick(&[0.0, 0.1]);
            let over = NaturalMotion::of(&moving).expect("screws").over(&span.moment(time, half), limit);
            let axes = stream.pick(&[Axes::All, Axes::All, Axes::Faces]);
            let poses: Vec<[Pose; 2]> =
                (-4..=4).map(|t| pair.poses(time + half * f64::from(t) / 4.0)).collect();
            let leaves = |side: usize| {
                let tree = moving.trees[side];
                tree.nodes.iter().filter(|node| node.is_leaf()).map(move |node| (node, tree.leaf(node)))
            };
            for ((a, in_a), (b, in_b)) in leaves(0).flat_map(|a| leaves(1).map(move |b| (a, b))) {
                let is_apart = over.separated(&a.obb, &b.obb, axes).expect("rigid poses");
                let distances = poses.iter().flat_map(|poses| {
                    let corners = |side: usize, t: u32| {
                        moving.meshes[side].corners(t).map(|v| poses[of[side]].apply(v))
                    };
                    let pairs = in_a.iter().flat_map(|&p| in_b.iter().map(move |&q| (p, q)));
                    pairs.map(move |(p, q)| distance(&corners(0, p), &corners(1, q))).collect::<Vec<_>>()
                });
                let least = distances.fold(f64::INFINITY, f64::min);
                assert!(!is_apart || least > limit, "{least} {limit}");
                let counter = if is_apart { &mut separated } else { &mut met };
                *counter += 1;
            }
        }
        assert!(separated > 500 && met > 200, "{separated} {met}");
    }

    #[test]
    fn sheared_boxes_are_not_compared() {
        let start = Start { pose: Pose::scaling([1.0, 2.0, 1.0]), scale: 1.0, skew: 0.0 };
        let carried = Carried { start, screws: Vec::new() };
        let obb = Obb::around([DVec3::ZERO, DVec3::ONE].into_iter(), Obb::COORDINATE_AXES);
        assert!(Solid::of(&carried, &obb).is_none());
        let rigid = Carried { start: Start { pose: Pose::IDENTITY, ..start }, ..carried };
        assert!(Solid::of(&rigid, &obb).is_some());
    }
}

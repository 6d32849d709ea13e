//! Two wide trees against each other: eight boxes at a time, in lanes.
//!
//! Boxes are compared in the normal coordinates of the tree that is opened. Of two boxes that may meet, the
//! larger one is opened, and the other one tested against what is in it.

pub mod coherence;
pub mod contacts;
pub mod nearest;
mod relative;

use crate::hierarchy::box_box::{Single, simd};
use crate::hierarchy::posed::Posed;
use crate::hierarchy::wide_tree::{Block, Child};
use crate::lanes::{LANES, Simd, SimdBase};
use crate::math::Triangle;
use crate::narrow::posed_leaf::{PoseColumns, PosedLeaf, Side};
use relative::Relative;

/// Where a box is: eight times its block, plus its lane.
type Slot = u32;

/// A box of each tree.
type Slots = [Slot; 2];

#[inline(always)]
fn place(slot: Slot) -> (usize, usize) {
    (slot as usize / LANES, slot as usize % LANES)
}

/// Triangles of a leaf, one or two, by their places in the tree.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    first: u32,
    count: u32,
}

/// The triangles of a leaf, posed, in lanes.
#[inline(always)]
fn leaf_of<S: Simd>(columns: &PoseColumns<S>, of: &Posed, leaf: Leaf, side: Side) -> PosedLeaf<S> {
    let triangles = &of.tree.corners[leaf.first as usize..(leaf.first + leaf.count) as usize];
    columns.leaf(&of.tree.vertices, triangles, side)
}

/// Two boxes that may meet, and what is to be done about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Task {
    slots: Slots,
    /// The block to open, if any.
    opened: u32,
    /// The tree whose box is opened, 0 or 1; [`BOTH_LEAVES`] if neither can be.
    side: u32,
}

const BOTH_LEAVES: u32 = 2;

/// Two trees in each other's coordinates.
struct Pair<'a> {
    trees: [&'a Posed<'a>; 2],
    /// Of each tree, how it sees the other's boxes. `None`: f32 cannot tell, and every box meets every other.
    frames: Option<[Frame; 2]>,
    /// Scale of the second, in that of the first.
    ratio: f32,
}

struct Frame {
    other: Relative,
    margin: f32,
    /// The square of a length here, in that of the first tree's.
    squared_unit: f32,
}

impl<'a> Pair<'a> {
    /// Boxes count as meeting when what they hold may be within `distance` of each other.
    fn new(a: &'a Posed, b: &'a Posed, distance: f64) -> Self {
        let ratio = (b.scale / a.scale) as f32;
        let frames = Relative::new(b, a).zip(Relative::new(a, b)).map(|(b_in_a, a_in_b)| {
            let frame = |other: Relative, squared_unit| Frame {
                margin: other.margin_for(distance),
                other,
                squared_unit,
            };
            [frame(b_in_a, 1.0), frame(a_in_b, ratio * ratio * (1.0 - relative::ROOM))]
        });
        Self { trees: [a, b], frames, ratio }
    }

    /// Indices in the meshes of triangles given by their places in the trees.
    fn triangles(&self, [a, b]: [u32; 2]) -> [u32; 2] {
        [self.trees[0].tree.triangles[a as usize], self.trees[1].tree.triangles[b as usize]]
    }

    /// The posed corners of triangles given by their places in the trees.
    fn corners(&self, [a, b]: [u32; 2]) -> [Triangle; 2] {
        [self.trees[0].triangle(a), self.trees[1].triangle(b)]
    }

    #[inline(always)]
    fn block(&self, side: usize, index: usize) -> &'a Block {
        &self.trees[side].tree.blocks[index]
    }

    /// What is to be done about two boxes.
    #[inline(always)]
    fn task(&self, slots: Slots) -> Task {
        let ((ia, la), (ib, lb)) = (place(slots[0]), place(slots[1]));
        let (block_a, block_b) = (self.block(0, ia), self.block(1, ib));
        let codes = [block_a.child[la], block_b.child[lb]];
        // Of numbers rather than of cases: what comes next cannot be foretold.
        let leaves = [u32::from(is_leaf(codes[0])), u32::from(is_leaf(codes[1]))];
        let larger_b = u32::from(size(block_a, la) < size(block_b, lb) * self.ratio);
        let side = leaves[0] + (leaves[0] & leaves[1]) + (larger_b & !leaves[0] & !leaves[1] & 1);
        let opened = codes[(side & 1) as usize];
        Task { slots, opened, side }
    }

    /// The triangles of two leaves.
    #[inline(always)]
    fn leaves(&self, slots: Slots) -> [Leaf; 2] {
        let leaf = |side: usize| {
            let (index, lane) = place(slots[side]);
            match Child::of(self.block(side, index).child[lane]) {
                Child::Leaf { first, count } => Leaf { first, count },
                Child::Block(_) | Child::None => unreachable!("the box of a leaf"),
            }
        };
        [leaf(0), leaf(1)]
    }

    /// The block to open, and the other tree's box as it sees it.
    #[inline(always)]
    fn facing(&self, task: &Task) -> (&'a Block, Option<(Single, f32)>) {
        let side = (task.side & 1) as usize;
        let block = self.block(side, task.opened as usize);
        let Some(frames) = &self.frames else { return (block, None) };
        let (index, lane) = place(task.slots[1 - side]);
        let frame = &frames[side];
        let single = frame.other.single(self.block(1 - side, index), lane, &block.origin, frame.margin);
        (block, Some((single, frame.squared_unit)))
    }

    /// Bit i is set unless box i of the block to open is apart from the other tree's box.
    #[inline(always)]
    fn meeting<S: Simd>(&self, simd: S, task: &Task) -> u32 {
        match self.facing(task) {
            (block, Some((single, _))) => simd::meeting(simd, &single, block),
            (block, None) => used(block),
        }
    }

    /// Proven lower bounds of the squared distances from the other tree's box, in normal units of the first
    /// tree; infinite for lanes without a box.
    #[inline(always)]
    fn distances<S: Simd>(&self, simd: S, task: &Task) -> [f32; LANES] {
        match self.facing(task) {
            (block, Some((single, unit))) => (simd::distances(simd, &single, block) * unit).to_array(),
            (block, None) => nothing_known(block),
        }
    }

    /// What is to be done about a box of the opened block and the other tree's box.
    #[inline(always)]
    fn child(&self, task: &Task, lane: u32) -> Task {
        let mut slots = task.slots;
        slots[(task.side & 1) as usize] = task.opened * LANES as u32 + lane;
        self.task(slots)
    }
}

#[inline(always)]
fn is_leaf(code: u32) -> bool {
    !matches!(Child::of(code), Child::Block(_))
}

#[inline(always)]
fn size(block: &Block, lane: usize) -> f32 {
    block.half[0][lane] + block.half[1][lane] + block.half[2][lane]
}

/// Bit i is set when the block has a box i.
fn used(block: &Block) -> u32 {
    let bit = |lane: usize| u32::from(block.child[lane] != Child::None.code()) << lane;
    (0..LANES).map(bit).sum()
}

fn nothing_known(block: &Block) -> [f32; LANES] {
    block.child.map(|code| if code == Child::None.code() { f32::INFINITY } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::wide_tree::WideTree;
    use crate::math::pose::Pose;
    use crate::narrow::tree_tree::Work;
    use crate::scene::Mesh;
    use crate::settle::{contact::triangles_meet, distance};
    use glam::DVec3;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = f64> {
        prop_oneof![6 => -1.0..1.0f64, 2 => (-2..3i32).prop_map(|x| f64::from(x) * 0.5), 1 => Just(0.0)]
    }

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(coordinate()).prop_map(DVec3::from_array)
    }

    /// Triangles of all sizes near each other: soups, needles, points; far from the origin or not.
    fn mesh() -> impl Strategy<Value = Mesh> {
        let triangle =
            (point(), prop::array::uniform3(point()), prop_oneof![Just(1.0), Just(0.2), Just(1e-4)]);
        let far = prop_oneof![4 => Just(0.0), 1 => Just(1e3), 1 => Just(1e9)];
        (prop::collection::vec(triangle, 1..40), far, prop_oneof![4 => Just(0), 1 => -150..150i32]).prop_map(
            |(triangles, far, power)| {
                let place = |p: DVec3| (p + DVec3::new(far, -far, far)) * 2f64.powi(power);
                let corners: Vec<DVec3> =
                    triangles.iter().flat_map(|(at, t, size)| t.map(|p| place(*at + p * *size))).collect();
                let count = u32::try_from(triangles.len()).unwrap();
                let indices: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
                Mesh::new(&corners, &indices).unwrap()
            },
        )
    }

    /// Rigid, mirrored, scaled and slightly off, sometimes sheared.
    fn pose() -> impl Strategy<Value = Pose> {
        let quaternion = prop::array::uniform4(-1.0..1.0f64)
            .prop_filter("has a direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 0.01);
        let scale = prop_oneof![
            5 => Just([1.0; 3]),
            2 => (-3.0..3.0f64).prop_map(|s| [s; 3]),
            1 => Just([-1.0, 1.0, 1.0]),
            1 => prop::array::uniform3(0.5..2.0f64),
            1 => Just([1.0, 1.0 + 1e-7, 1.0 - 1e-7]),
        ];
        (quaternion, scale, point(), prop_oneof![Just(1.0), Just(3.0), Just(0.1), Just(1e6)])
            .prop_map(|(q, s, t, far)| Pose::from_trs(q, s, (t * far).to_array()).unwrap())
    }

    /// A mesh, brought to about unit size and to the origin by its pose, however large or far it is.
    fn brought_near(mesh: &Mesh, pose: &Pose) -> Option<Pose> {
        let tree = WideTree::build(mesh);
        let c = tree.center;
        let s = tree.unit.recip();
        let scale =
            Pose { rows: [[s, 0.0, 0.0, -c.x * s], [0.0, s, 0.0, -c.y * s], [0.0, 0.0, s, -c.z * s]] };
        let pose = Pose::compose(pose, &scale);
        let admissible = |p: DVec3| p.is_finite() && p.abs().max_element() < 1e60;
        (pose.is_finite() && mesh.vertices().iter().all(|v| admissible(pose.apply(*v)))).then_some(pose)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(
            std::env::var("CLOSEFIT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400)
        ))]

        #[test]
        fn answers_are_those_of_all_pairs(meshes in [mesh(), mesh()], poses in [pose(), pose()], steps in prop::collection::vec(point(), 4)) {
            let trees = meshes.each_ref().map(WideTree::build);
            let (Some(pose_a), Some(mut pose_b)) =
                (brought_near(&meshes[0], &poses[0]), brought_near(&meshes[1], &poses[1])) else { return Ok(()) };
            let mut coherence = coherence::Coherence::default();
            let mut work = Work::default();
            for step in steps {
                let (a, b) = (Posed::new(&trees[0], &pose_a), Posed::new(&trees[1], &pose_b));
                let posed = |mesh: &Mesh, pose: &Pose| -> Vec<_> {
                    (0..mesh.triangles().len()).map(|t| mesh.corners(t as u32).map(|v| pose.apply(v))).collect()
                };
                let (of_a, of_b) = (posed(&meshes[0], &pose_a), posed(&meshes[1], &pose_b));
                let (mut expected, mut least) = (Vec::new(), (f64::INFINITY, [0, 0]));
                for (i, s) in (0u32..).zip(&of_a) {
                    for (j, t) in (0u32..).zip(&of_b) {
                        if triangles_meet(s, t) {
                            expected.push([i, j]);
                        } else if expected.is_empty() {
                            let enclosure = distance::enclose(s, t);
                            if enclosure.at_least <= least.0 {
                                let exact = distance::distance_apart(s, t);
                                if exact < least.0 {
                                    least = (exact, [i, j]);
                                }
                            }
                        }
                    }
                }
                let mut scratch = contacts::Scratch::default();
                prop_assert_eq!(contacts::contacts(&a, &b, &mut scratch, &mut work), expected.clone());
                prop_assert_eq!(contacts::contacts_in_parallel(&a, &b, &mut scratch, &mut work), expected.clone());
                prop_assert_eq!(contacts::touches(&a, &b, &mut scratch, &mut work), !expected.is_empty());
                let mut scratch = nearest::Scratch::default();
                prop_assert_eq!(coherence.touches(&a, &b, &mut scratch, &mut work), !expected.is_empty());
                let again = coherence.nearest(&a, &b, f64::INFINITY, &mut scratch, &mut work);
                for found in [nearest::nearest(&a, &b, f64::INFINITY, &mut scratch, &mut work), again] {
                    let found = found.expect("no bound");
                    if expected.is_empty() {
                        prop_assert_eq!((found.distance, found.triangles), least);
                    } else {
                        prop_assert!(found.distance == 0.0 && expected.contains(&found.triangles));
                    }
                }
                let distance = if expected.is_empty() { least.0 } else { 0.0 };
                for (bound, is_within) in [(distance, true), (distance * 0.999, distance == 0.0), (distance * 2.0 + 1.0, true)] {
                    prop_assert_eq!(nearest::within(&a, &b, bound, &mut scratch, &mut work), is_within);
                }
                for k in 0..3 {
                    pose_b.rows[k][3] += step[k] * 0.02;
                }
            }
        }
    }
}

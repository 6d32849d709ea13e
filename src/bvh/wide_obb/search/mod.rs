//! Searches two trees: one box against the eight of a block, and two leaves against each other.
//!
//! Boxes are compared in the normal coordinates of the tree that is opened. Of two boxes that may meet, the
//! one with the larger volume is opened, and the other one is tested against its contents.

pub mod coherence;
pub mod contacts;
pub mod nearest;
mod plateau;
pub mod question;
mod relative;
pub mod tables;

pub use crate::bvh::leaf::Leaf;
use crate::bvh::placement::ROOM;
use crate::bvh::wide_obb::box_box::Single;
use crate::bvh::wide_obb::kernels::{Kernels, lanes_within};
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::bvh::wide_obb::{Block, Child, slender};
use crate::narrow::posed_leaf::Side;
use closefit_geometry::executor::Executor;
use closefit_geometry::lanes::{LANES, prefetch};
pub(crate) use relative::Relative;

/// Location of a box: eight times its block, plus its lane.
pub(crate) type Slot = u32;

/// A box of each tree.
pub(crate) type Slots = [Slot; 2];

#[inline(always)]
pub(crate) fn place(slot: Slot) -> (usize, usize) {
    (slot as usize / LANES, slot as usize % LANES)
}

/// Poses the triangles of a leaf.
#[inline(always)]
pub(crate) fn leaf_of<K: Kernels>(
    kernels: K,
    columns: &K::Columns,
    of: &PosedWideObb,
    leaf: Leaf,
    side: Side,
) -> K::Leaf {
    kernels.leaf(columns, of.vertices, leaf.of(of.corners), side)
}

/// The next step for two boxes that may meet.
pub(crate) enum Step {
    /// Both boxes are leaves.
    Triangles([Leaf; 2]),
    /// One of them is opened.
    Open(Opened),
}

/// A box that is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened {
    /// The tree it belongs to: 0 for the first, 1 for the second.
    pub side: usize,
    /// Index of the block with its contents.
    pub block: u32,
}

impl Opened {
    /// Returns the pair of boxes with a box of the block in place of the opened one.
    #[inline(always)]
    pub(crate) fn to(self, lane: u32, [a, b]: Slots) -> Slots {
        let slot = self.block * LANES as u32 + lane;
        if self.side == 0 { [slot, b] } else { [a, slot] }
    }
}

/// Two trees in each other's coordinates.
pub(crate) struct PosedPair<'a> {
    pub a: &'a PosedWideObb<'a>,
    pub b: &'a PosedWideObb<'a>,
    /// The second tree in the first's coordinates, and the first in the second's. `None` where f32 cannot
    /// tell: every box then meets every other.
    pub frames: Option<[Relative; 2]>,
    /// Scale of b relative to the scale of a.
    ratio: f32,
    /// The executor of the search: the first tree's.
    pub executor: Executor,
}

impl<'a> PosedPair<'a> {
    pub(crate) fn new(a: &'a PosedWideObb, b: &'a PosedWideObb) -> Self {
        // Every search begins with these.
        for tree in [a, b] {
            tree.blocks.iter().take(2).for_each(prefetch);
        }
        let frames = Relative::new(b, a).zip(Relative::new(a, b)).map(<[Relative; 2]>::from);
        Self { a, b, frames, ratio: (b.scale / a.scale) as f32, executor: a.executor }
    }

    /// Returns mesh indices of triangles given by their places in the trees.
    fn triangles(&self, [a, b]: [u32; 2]) -> [u32; 2] {
        [self.a.tree.triangles[a as usize], self.b.tree.triangles[b as usize]]
    }

    #[inline(always)]
    fn blocks(&self) -> [&'a [Block]; 2] {
        [self.a.blocks, self.b.blocks]
    }

    /// Prefetches the contents of a box of a block.
    #[inline(always)]
    fn fetch(&self, opened: Opened, lane: u32) {
        let tree = [self.a, self.b][opened.side];
        match Child::of(tree.blocks[opened.block as usize].child[lane as usize]) {
            Child::Block(block) => prefetch(&tree.blocks[block as usize]),
            Child::Leaf { first, .. } => prefetch(&tree.corners[first as usize]),
            Child::None => {}
        }
    }

    #[inline(always)]
    pub(crate) fn step(&self, [sa, sb]: Slots) -> Step {
        let [blocks_a, blocks_b] = self.blocks();
        let ((ia, la), (ib, lb)) = (place(sa), place(sb));
        let (block_a, block_b) = (&blocks_a[ia], &blocks_b[ib]);
        match (Child::of(block_a.child[la]), Child::of(block_b.child[lb])) {
            (Child::Leaf { first: fa, count: na }, Child::Leaf { first: fb, count: nb }) => {
                Step::Triangles([Leaf { first: fa, count: na }, Leaf { first: fb, count: nb }])
            }
            (Child::Block(in_a), Child::Leaf { .. }) => Step::Open(Opened { side: 0, block: in_a }),
            (Child::Leaf { .. }, Child::Block(in_b)) => Step::Open(Opened { side: 1, block: in_b }),
            (Child::Block(in_a), Child::Block(in_b)) => {
                if volume(block_a, la, 1.0) >= volume(block_b, lb, self.ratio) {
                    Step::Open(Opened { side: 0, block: in_a })
                } else {
                    Step::Open(Opened { side: 1, block: in_b })
                }
            }
            (Child::None, _) | (_, Child::None) => unreachable!("a lane without a box meets nothing"),
        }
    }

    /// Returns the opened block, and the other side's box in its frame.
    #[inline(always)]
    fn facing(&self, opened: Opened, slots: Slots) -> Facing<'a> {
        let [blocks_a, blocks_b] = self.blocks();
        let (own, others) = if opened.side == 0 { (blocks_a, blocks_b) } else { (blocks_b, blocks_a) };
        let (index, lane) = place(if opened.side == 0 { slots[1] } else { slots[0] });
        let block = &own[opened.block as usize];
        let Some(frames) = &self.frames else { return Facing { block, one: None } };
        Facing { block, one: Some(frames[opened.side].single(&others[index], lane, &block.origin)) }
    }

    /// Returns proven lower bounds of the squared distances to all boxes of the opened block, in normal units
    /// of the first tree, and a mask of the boxes not proven farther than `farthest`.
    #[inline(always)]
    fn near(
        &self,
        kernels: impl Kernels,
        opened: Opened,
        slots: Slots,
        farthest: f32,
    ) -> (u32, [f32; LANES]) {
        let unit = if opened.side == 0 { 1.0 } else { self.ratio * self.ratio * (1.0 - ROOM) };
        let finite = farthest.min(f32::MAX);
        match self.facing(opened, slots) {
            Facing { block, one: Some(one) } => {
                let limit = self.tightened(opened, slots, farthest / unit);
                let (lanes, mut bounds) = kernels.near(&one, block, limit, unit, finite);
                if lanes == 0 || !slender::is_long(one.half) {
                    return (lanes, bounds);
                }
                (self.slender(opened, slots, block, (lanes, &mut bounds), [unit, finite]), bounds)
            }
            Facing { block, one: None } => {
                let bounds = nothing_known(block);
                (lanes_within(&bounds, finite), bounds)
            }
        }
    }

    /// Raises the bounds of slender boxes that are left in [`PosedPair::near`], and returns the lanes that
    /// then are.
    #[inline(never)]
    fn slender(
        &self,
        opened: Opened,
        slots: Slots,
        block: &Block,
        (lanes, bounds): (u32, &mut [f32; LANES]),
        limits: [f32; 2],
    ) -> u32 {
        let (index, lane) = place(slots[1 - opened.side]);
        let own = &self.blocks()[1 - opened.side][index];
        match &self.frames {
            Some(frames) => slender::raise(&frames[opened.side], (own, lane), block, (lanes, bounds), limits),
            _ => lanes,
        }
    }

    /// Returns the limit within which bounds are worth tightening: only where that may save a test of
    /// triangles.
    #[inline(always)]
    fn tightened(&self, opened: Opened, [a, b]: Slots, limit: f32) -> f32 {
        let [blocks_a, blocks_b] = self.blocks();
        let (blocks, slot) = if opened.side == 0 { (blocks_b, b) } else { (blocks_a, a) };
        let (index, lane) = place(slot);
        if matches!(Child::of(blocks[index].child[lane]), Child::Leaf { .. }) { limit } else { -1.0 }
    }
}

/// A block that is opened, and the box to be tested against its contents.
struct Facing<'a> {
    block: &'a Block,
    /// The box in the block's frame; `None` where f32 cannot tell.
    one: Option<Single>,
}

impl Facing<'_> {
    /// Returns a mask in which bit i is set unless box i of the block is apart from the other box.
    #[inline(always)]
    fn meeting(&self, kernels: impl Kernels) -> u32 {
        match &self.one {
            Some(one) => kernels.meeting(one, self.block),
            None => used(self.block),
        }
    }

    /// Returns the squared distances of the centres: a hint which boxes overlap most.
    #[inline(always)]
    fn between_centers(&self, kernels: impl Kernels) -> [f32; LANES] {
        match &self.one {
            Some(one) => kernels.between_centers(one, self.block),
            None => nothing_known(self.block),
        }
    }
}

/// Returns the volume of a box after scaling. Its sides are lengthened a little, so that the larger of two
/// flat boxes has the larger volume.
#[inline(always)]
fn volume(block: &Block, lane: usize, scale: f32) -> f32 {
    let [x, y, z] = [block.half[0][lane] * scale, block.half[1][lane] * scale, block.half[2][lane] * scale];
    let more = (x + y + z) * (1.0 / 64.0);
    (x + more) * (y + more) * (z + more)
}

/// Returns a mask in which bit i is set when the block has a box i.
pub(crate) fn used(block: &Block) -> u32 {
    let bit = |lane: usize| u32::from(block.child[lane] != Child::None.code()) << lane;
    (0..LANES).map(bit).sum()
}

fn nothing_known(block: &Block) -> [f32; LANES] {
    block.child.map(|code| if code == Child::None.code() { f32::INFINITY } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::placement::is_similarity;
    use crate::bvh::wide_obb::WideObb;
    use crate::narrow::Work;
    use closefit_geometry::bounds::aabb::Aabb;
    use closefit_geometry::exact::{contact::triangles_meet, distance};
    use closefit_geometry::lanes::is_fused;
    use closefit_geometry::math::Triangle;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::math::testing::{cases, f32_product, pose_of, quaternions};
    use closefit_geometry::mesh::Mesh;
    use glam::DVec3;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = f64> {
        prop_oneof![6 => -1.0..1.0f64, 2 => (-2..3i32).prop_map(|x| f64::from(x) * 0.5), 1 => Just(0.0)]
    }

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(coordinate()).prop_map(DVec3::from_array)
    }

    /// Triangles of all sizes near each other: soups, needles and points, some far from the origin.
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

    /// Rigid, mirrored, scaled and slightly perturbed poses, some with shear, and products of f32 matrices.
    fn pose() -> impl Strategy<Value = Pose> {
        let chain = prop::collection::vec(quaternions(), 1..9);
        let chain = (chain, point()).prop_map(|(chain, at)| pose_of(&f32_product(chain.into_iter()), at));
        prop_oneof![4 => scaled(), 1 => chain]
    }

    fn scaled() -> impl Strategy<Value = Pose> {
        let quaternion = prop::array::uniform4(-1.0..1.0f64)
            .prop_filter("has a direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 0.01);
        let scale = prop_oneof![
            5 => Just([1.0; 3]),
            2 => (-3.0..3.0f64).prop_map(|s| [s; 3]),
            1 => Just([-1.0, 1.0, 1.0]),
            1 => prop::array::uniform3(0.5..2.0f64),
            1 => prop_oneof![Just(1e-7), Just(5e-7), Just(1e-6), Just(1e-5)].prop_map(|s| [1.0, 1.0 + s, 1.0 - s]),
        ];
        (quaternion, scale, point(), prop_oneof![Just(1.0), Just(3.0), Just(0.1), Just(1e6)])
            .prop_map(|(q, s, t, far)| Pose::from_trs(q, s, (t * far).to_array()).unwrap())
    }

    /// Returns a pose that brings a mesh to about unit size at the origin, however large or far it is.
    fn brought_near(mesh: &Mesh, pose: &Pose) -> Option<Pose> {
        let tree = WideObb::build(mesh);
        let c = tree.center;
        let s = tree.unit.recip();
        let scale =
            Pose { rows: [[s, 0.0, 0.0, -c.x * s], [0.0, s, 0.0, -c.y * s], [0.0, 0.0, s, -c.z * s]] };
        let pose = Pose::compose(pose, &scale);
        let admissible = |p: DVec3| p.is_finite() && p.abs().max_element() < 1e60;
        (pose.is_finite() && mesh.vertices().iter().all(|v| admissible(pose.apply(*v)))).then_some(pose)
    }

    /// Returns all pairs of triangles in contact and, without contact, the smallest distance and its
    /// triangles.
    fn brute_force(a: &[Triangle], b: &[Triangle]) -> (Vec<[u32; 2]>, (f64, [u32; 2])) {
        let (mut contacts, mut least) = (Vec::new(), (f64::INFINITY, [0, 0]));
        for (i, s) in (0u32..).zip(a) {
            for (j, t) in (0u32..).zip(b) {
                if triangles_meet(s, t) {
                    contacts.push([i, j]);
                } else if contacts.is_empty() && distance::enclose(s, t).at_least <= least.0 {
                    let exact = distance::distance_apart(s, t);
                    if exact < least.0 {
                        least = (exact, [i, j]);
                    }
                }
            }
        }
        (contacts, least)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(400)))]

        #[test]
        fn answers_are_those_of_all_pairs(meshes in [mesh(), mesh()], poses in [pose(), pose()], steps in prop::collection::vec(point(), 4)) {
            let trees = meshes.each_ref().map(WideObb::build);
            let (Some(pose_a), Some(mut pose_b)) =
                (brought_near(&meshes[0], &poses[0]), brought_near(&meshes[1], &poses[1])) else { return Ok(()) };
            // Trees with the linear part of their pose, also where the pose does not need one.
            let shaped = [(&meshes[0], &pose_a), (&meshes[1], &pose_b)]
                .map(|(mesh, pose)| WideObb::build_for(mesh, pose.linear()));
            for (tree, mesh) in shaped.iter().zip(&meshes) {
                prop_assert_eq!(tree.validate(mesh), Ok(()));
            }
            let mut coherence = coherence::Coherence::default();
            for step in steps {
                let mut work = Work::default();
                let (a, b) = (PosedWideObb::new(&trees[0], &pose_a), PosedWideObb::new(&trees[1], &pose_b));
                let posed = |mesh: &Mesh, pose: &Pose| -> Vec<_> {
                    (0..mesh.triangles().len()).map(|t| mesh.corners(t as u32).map(|v| pose.apply(v))).collect()
                };
                let (of_a, of_b) = (posed(&meshes[0], &pose_a), posed(&meshes[1], &pose_b));
                let (expected, least) = brute_force(&of_a, &of_b);
                let mut scratch = contacts::Scratch::default();
                let counted = Executor::ALL.map(|executor| {
                    let (a, mut work) = (a.by(executor), Work::default());
                    let found = contacts::contacts(&a, &b, &mut scratch, &mut work);
                    let near = nearest::nearest_apart(&a, &b, f64::INFINITY, &mut nearest::Scratch::default(), &mut work);
                    (found, near.map(|near| near.distance), work)
                });
                prop_assert_eq!(&counted[0].0, &expected);
                // Without fused operations the bits of bounds differ, but the proofs hold.
                if is_fused() {
                    prop_assert_eq!(&counted[0], &counted[1], "twins that search alike");
                }
                prop_assert_eq!(contacts::contacts(&a, &b, &mut scratch, &mut work), expected.clone());
                prop_assert_eq!(contacts::contacts_in_parallel(&a, &b, usize::MAX, &mut scratch, &mut work), expected.clone());
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
                // The limit beyond which a tree of its own is needed.
                let needs_own = [&pose_a, &pose_b].iter().any(|pose| !is_similarity(&pose.linear()));
                prop_assert_eq!(work.unboxed > 0, needs_own);
                let (shaped_a, shaped_b) = (PosedWideObb::new(&shaped[0], &pose_a), PosedWideObb::new(&shaped[1], &pose_b));
                for (a, b) in [(&shaped_a, &shaped_b), (&a, &shaped_b)] {
                    let of_contacts = &mut contacts::Scratch::default();
                    prop_assert_eq!(contacts::contacts(a, b, of_contacts, &mut work), expected.clone());
                    let found = nearest::nearest(a, b, f64::INFINITY, &mut scratch, &mut work).expect("no bound");
                    let same = if expected.is_empty() { least.0 } else { 0.0 };
                    prop_assert_eq!(found.distance, same);
                    prop_assert!(!expected.is_empty() || found.triangles == least.1);
                }
                for (posed, of) in [(&shaped_a, &of_a), (&shaped_b, &of_b)] {
                    let exact = Aabb::of(of.iter().flatten().copied());
                    prop_assert_eq!(posed.bounds().union(exact), posed.bounds());
                }
                let distance = if expected.is_empty() { least.0 } else { 0.0 };
                for (bound, is_within) in [(distance, true), (distance * 0.999, distance == 0.0), (distance * 2.0 + 1.0, true)] {
                    prop_assert_eq!(nearest::within(&a, &b, bound, &mut scratch, &mut work).is_some(), is_within);
                }
                for k in 0..3 {
                    pose_b.rows[k][3] += step[k] * 0.02;
                }
            }
        }
    }
}

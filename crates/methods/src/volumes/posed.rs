//! A posed tree, and two of them in one frame.

use std::borrow::Cow;
use std::ops::Deref;

use super::VolumeTree;
use super::visited::Visited;
use super::volume::{Volume, VolumeKernels};
use crate::leaf_pairs::{Leaf, PosedTriangles, TrianglePairs};
use closefit::Work;
use closefit::internals::bvh::placement::{FrameMap, Placement};
use closefit::internals::bvh::wide_topology::{Child, NormalFrame};
use closefit_geometry::executor::Executor;
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::pose::Pose;

/// A tree at a pose.
#[derive(Clone, Copy, Debug)]
pub struct PosedVolumes<'a, V: Volume> {
    pub(super) tree: &'a VolumeTree<V>,
    pub(crate) executor: Executor,
    placement: Placement,
}

impl<V: Volume> Deref for PosedVolumes<'_, V> {
    type Target = Placement;

    #[inline(always)]
    fn deref(&self) -> &Placement {
        &self.placement
    }
}

impl<'a, V: Volume> PosedVolumes<'a, V> {
    /// Poses a tree.
    pub(super) fn new(tree: &'a VolumeTree<V>, pose: &Pose, executor: Executor) -> Self {
        let frame = NormalFrame { center: tree.center, unit: tree.unit };
        let placement = Placement::new(&frame, tree.linear.as_ref(), tree.largest_coordinate, pose);
        Self { tree, executor, placement }
    }

    /// Returns the posed triangles.
    pub(super) fn triangles(&self) -> PosedTriangles<'_> {
        let VolumeTree { corners, vertices, .. } = self.tree;
        PosedTriangles { pose: &self.pose, corners, vertices }
    }

    pub(super) fn volume(&self, slot: Slot) -> V {
        let (block, lane) = place(slot);
        V::of_lane(&self.tree.volumes[block], lane)
    }

    /// Returns the first and the number of the triangles of a cell that is not cut, if faces are sorted.
    fn cell(&self, child: Child) -> Option<[u32; 2]> {
        let cells = self.tree.cells.as_ref()?;
        match child {
            Child::Leaf { first, count } => Some([first, count]),
            Child::Block(block) => {
                let at = cells.binary_search_by_key(&block, |cell| cell.block).ok()?;
                Some([cells[at].first, cells[at].count])
            }
            Child::None => None,
        }
    }

    fn child(&self, slot: Slot) -> Child {
        let (block, lane) = place(slot);
        Child::of(self.tree.children[block][lane])
    }
}

/// Location of a volume: eight times its block, plus its lane.
pub(crate) type Slot = u32;

/// A volume of each tree.
pub(crate) type Slots = [Slot; 2];

/// The volumes of both whole meshes.
pub(crate) const WHOLE: Slots = [0, 0];

fn place(slot: Slot) -> (usize, usize) {
    (slot as usize / LANES, slot as usize % LANES)
}

/// Returns a mask in which bit i is set when a block has a volume i.
pub(super) fn used(children: &[u32; LANES]) -> u32 {
    (0..LANES).map(|lane| u32::from(children[lane] != Child::None.code()) << lane).sum()
}

/// The next step for two volumes that may meet.
pub(super) enum Step {
    /// Both are leaves.
    Triangles([Leaf; 2]),
    /// One of them is opened.
    Open(Opened),
}

/// A volume that is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened {
    /// The tree it belongs to: 0 for the first, 1 for the second.
    pub side: usize,
    /// Index of the block with its contents.
    pub block: u32,
}

impl Opened {
    /// Returns the pair with a volume of the block in place of the opened one.
    pub(crate) fn to(self, lane: u32, [a, b]: Slots) -> Slots {
        let slot = self.block * LANES as u32 + lane;
        if self.side == 0 { [slot, b] } else { [a, slot] }
    }
}

/// A volume and the block inside it, in the frame of a pair's first tree.
pub(crate) struct Updated<'a, V: Volume> {
    /// The volume.
    pub around: V,
    /// Those inside.
    pub inside: Cow<'a, V::Columns>,
}

/// Two posed trees.
pub(crate) struct PosedPair<'a, V: Volume> {
    pub(super) a: &'a PosedVolumes<'a, V>,
    pub(super) b: &'a PosedVolumes<'a, V>,
    /// The second tree's volumes in the first's frame; `None` where f32 cannot tell, and all volumes meet.
    pub(crate) map: Option<V::Map>,
    ratio: f32,
}

impl<'a, V: Volume> PosedPair<'a, V> {
    pub(crate) fn new(a: &'a PosedVolumes<'a, V>, b: &'a PosedVolumes<'a, V>) -> Self {
        let map = FrameMap::new(b, a).map(|frames| V::map(&frames));
        Self { a, b, map, ratio: (b.scale / a.scale) as f32 }
    }

    /// Returns the pairs of triangles that a search has come upon so far: none.
    pub(crate) fn visited(&self) -> Visited<[u32; 2]> {
        Visited::in_search([self.a.tree, self.b.tree])
    }

    /// Returns the triangles of both trees.
    pub(crate) fn triangle_pairs(&self) -> TrianglePairs<'_> {
        TrianglePairs { sides: [self.a.triangles(), self.b.triangles()], executor: self.a.executor }
    }

    /// Returns mesh indices of triangles given by their places in the trees.
    pub(crate) fn triangles(&self, [a, b]: [u32; 2]) -> [u32; 2] {
        [self.a.tree.triangles[a as usize], self.b.tree.triangles[b as usize]]
    }

    /// Returns the sizes of two volumes, in normal units of the first tree.
    pub(super) fn sizes(&self, [a, b]: Slots) -> [f32; 2] {
        [self.a.volume(a).size(), self.b.volume(b).size() * self.ratio]
    }

    /// Returns the contents of two volumes.
    pub(crate) fn children(&self, [a, b]: Slots) -> [Child; 2] {
        [self.a.child(a), self.b.child(b)]
    }

    /// Returns the triangles of two volumes that are cells whose faces are sorted: the first and their
    /// number.
    pub(crate) fn cells(&self, [a, b]: [Child; 2]) -> [Option<[u32; 2]>; 2] {
        [self.a.cell(a), self.b.cell(b)]
    }

    /// Opens the larger of two volumes.
    pub(super) fn step(&self, slots: Slots) -> Step {
        let open = |side, block| Step::Open(Opened { side, block });
        match self.children(slots) {
            [Child::Leaf { first: fa, count: na }, Child::Leaf { first: fb, count: nb }] => {
                Step::Triangles([Leaf { first: fa, count: na }, Leaf { first: fb, count: nb }])
            }
            [Child::Block(in_a), Child::Leaf { .. }] => open(0, in_a),
            [Child::Leaf { .. }, Child::Block(in_b)] => open(1, in_b),
            [Child::Block(in_a), Child::Block(in_b)] => {
                let [size_a, size_b] = self.sizes(slots);
                if size_a >= size_b { open(0, in_a) } else { open(1, in_b) }
            }
            [Child::None, _] | [_, Child::None] => unreachable!("a lane without a volume meets nothing"),
        }
    }

    /// Returns, for the blocks of either tree, masks in which bit i is set when it has a volume i.
    pub(crate) fn used(&self, [a, b]: [u32; 2]) -> [u32; 2] {
        [used(&self.a.tree.children[a as usize]), used(&self.b.tree.children[b as usize])]
    }

    /// Returns two volumes and the blocks inside them in the frame of the first tree; `None` where f32 cannot
    /// tell.
    #[inline(always)]
    pub(crate) fn updated(
        &self,
        kernels: impl VolumeKernels,
        [a, b]: Slots,
        [in_a, in_b]: [u32; 2],
        work: &mut Work,
    ) -> Option<[Updated<'a, V>; 2]> {
        let map = self.map.as_ref()?;
        if V::reshapes(map) {
            work.updates += 1 + LANES as u64;
        }
        let of_b = kernels.mapped::<V>(&self.b.tree.volumes[in_b as usize], map);
        Some([
            Updated { around: self.a.volume(a), inside: Cow::Borrowed(&self.a.tree.volumes[in_a as usize]) },
            Updated { around: self.b.volume(b).mapped(map), inside: Cow::Owned(of_b) },
        ])
    }

    /// Returns the squared gaps, in normal units of the first tree, between the opened block's volumes and
    /// the other side's volume, and a mask of those that are not proven to exceed `farthest`.
    #[inline(always)]
    pub(crate) fn near(
        &self,
        kernels: impl VolumeKernels,
        opened: Opened,
        [a, b]: Slots,
        farthest: f32,
        work: &mut Work,
    ) -> (u32, [f32; LANES]) {
        work.box_tests += LANES as u64;
        let block = opened.block as usize;
        if self.map.as_ref().is_some_and(V::reshapes) {
            work.updates += if opened.side == 0 { 1 } else { LANES as u64 };
        }
        let (gaps, children) = match (opened.side, &self.map) {
            (0, Some(map)) => {
                let one = self.b.volume(b).mapped(map);
                (kernels.squared_gaps(&one, &self.a.tree.volumes[block]), &self.a.tree.children[block])
            }
            (_, Some(map)) => {
                let eight = kernels.mapped::<V>(&self.b.tree.volumes[block], map);
                (kernels.squared_gaps(&self.a.volume(a), &eight), &self.b.tree.children[block])
            }
            (side, None) => ([0.0; LANES], &[self.a, self.b][side].tree.children[block]),
        };
        (used(children) & !beyond(&gaps, farthest), gaps)
    }
}

/// Returns a mask in which bit i is set where gap i exceeds `farthest`. A NaN does not.
pub(crate) fn beyond(gaps: &[f32; LANES], farthest: f32) -> u32 {
    (0..LANES).map(|lane| u32::from(gaps[lane] > farthest) << lane).sum()
}

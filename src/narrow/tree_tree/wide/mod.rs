//! Two wide trees against each other: eight boxes at a time, in lanes.
//!
//! Boxes are compared in the normal coordinates of the tree that is opened. Of two boxes that may meet, the
//! larger one is opened, and the other one tested against what is in it.

pub mod contacts;
pub mod nearest;
mod relative;

use crate::hierarchy::posed::Posed;
use crate::hierarchy::wide_tree::{Block, Child};
use crate::lanes::{LANES, Simd, SimdBase};
use crate::narrow::box_box::simd;
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

/// What to do with two boxes that may meet.
enum Step {
    /// Both are leaves.
    Triangles([Leaf; 2]),
    /// Open the first tree's box: the index of its block.
    OpenA(u32),
    /// Open the second tree's.
    OpenB(u32),
}

/// Two trees in each other's coordinates.
struct Pair<'a> {
    a: &'a Posed<'a>,
    b: &'a Posed<'a>,
    /// `None`: f32 cannot tell, and every box meets every other.
    frames: Option<Frames>,
    /// Scale of b, in that of a.
    ratio: f32,
}

struct Frames {
    a_in_b: Relative,
    b_in_a: Relative,
    margin_a: f32,
    margin_b: f32,
}

impl<'a> Pair<'a> {
    /// Boxes count as meeting when what they hold may be within `distance` of each other.
    fn new(a: &'a Posed, b: &'a Posed, distance: f64) -> Self {
        let frames = Relative::new(a, b).zip(Relative::new(b, a)).map(|(a_in_b, b_in_a)| Frames {
            margin_a: a_in_b.margin_for(distance),
            margin_b: b_in_a.margin_for(distance),
            a_in_b,
            b_in_a,
        });
        Self { a, b, frames, ratio: (b.scale / a.scale) as f32 }
    }

    #[inline(always)]
    fn blocks(&self) -> [&'a [Block]; 2] {
        [&self.a.tree.blocks, &self.b.tree.blocks]
    }

    #[inline(always)]
    fn step(&self, [sa, sb]: Slots) -> Step {
        let [blocks_a, blocks_b] = self.blocks();
        let ((ia, la), (ib, lb)) = (place(sa), place(sb));
        let (block_a, block_b) = (&blocks_a[ia], &blocks_b[ib]);
        match (Child::of(block_a.child[la]), Child::of(block_b.child[lb])) {
            (Child::Leaf { first: fa, count: na }, Child::Leaf { first: fb, count: nb }) => {
                Step::Triangles([Leaf { first: fa, count: na }, Leaf { first: fb, count: nb }])
            }
            (Child::Block(in_a), Child::Leaf { .. }) => Step::OpenA(in_a),
            (Child::Leaf { .. }, Child::Block(in_b)) => Step::OpenB(in_b),
            (Child::Block(in_a), Child::Block(in_b)) => {
                if size(block_a, la) >= size(block_b, lb) * self.ratio {
                    Step::OpenA(in_a)
                } else {
                    Step::OpenB(in_b)
                }
            }
            (Child::None, _) | (_, Child::None) => unreachable!("a lane without a box meets nothing"),
        }
    }

    /// Bit i is set unless box i of a block of the first tree is apart from a box of the second.
    #[inline(always)]
    fn meeting_in_a<S: Simd>(&self, simd: S, opened: u32, other: Slot) -> u32 {
        let [blocks_a, blocks_b] = self.blocks();
        let (block, (index, lane)) = (&blocks_a[opened as usize], place(other));
        let Some(frames) = &self.frames else { return used(block) };
        let one = frames.b_in_a.single(&blocks_b[index], lane, &block.origin, frames.margin_b);
        simd::meeting(simd, &one, block)
    }

    /// The same the other way round.
    #[inline(always)]
    fn meeting_in_b<S: Simd>(&self, simd: S, opened: u32, other: Slot) -> u32 {
        let [blocks_a, blocks_b] = self.blocks();
        let (block, (index, lane)) = (&blocks_b[opened as usize], place(other));
        let Some(frames) = &self.frames else { return used(block) };
        let one = frames.a_in_b.single(&blocks_a[index], lane, &block.origin, frames.margin_a);
        simd::meeting(simd, &one, block)
    }

    /// Proven lower bounds of squared distances, in normal units of the first tree.
    #[inline(always)]
    fn distances_in_a<S: Simd>(&self, simd: S, opened: u32, other: Slot) -> [f32; LANES] {
        let [blocks_a, blocks_b] = self.blocks();
        let (block, (index, lane)) = (&blocks_a[opened as usize], place(other));
        let Some(frames) = &self.frames else { return nothing_known(block) };
        let one = frames.b_in_a.single(&blocks_b[index], lane, &block.origin, frames.margin_b);
        simd::distances(simd, &one, block).to_array()
    }

    /// The same the other way round, also in units of the first.
    #[inline(always)]
    fn distances_in_b<S: Simd>(&self, simd: S, opened: u32, other: Slot) -> [f32; LANES] {
        let [blocks_a, blocks_b] = self.blocks();
        let (block, (index, lane)) = (&blocks_b[opened as usize], place(other));
        let Some(frames) = &self.frames else { return nothing_known(block) };
        let one = frames.a_in_b.single(&blocks_a[index], lane, &block.origin, frames.margin_a);
        (simd::distances(simd, &one, block) * (self.ratio * self.ratio * (1.0 - relative::ROOM))).to_array()
    }
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

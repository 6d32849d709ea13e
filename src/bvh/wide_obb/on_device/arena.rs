//! Storage of trees on a device: arrays of words in a few large buffers.
//!
//! A tree is sent in pieces. Each is a subtree with its triangles and vertices that fits into an arena; most
//! trees are one piece. Vertices stay doubles. Block 0 of a piece holds only the box of the subtree, in the
//! lane that it has in the tree.

use std::mem;

use bytemuck::cast_slice;

use super::fixed_point::{fixed, words as split};
use crate::bvh::wide_obb::{Block, Child, WideObb};
use crate::gpu::error_bounds::{CENTER, EXTENT};
use crate::gpu::{Device, DeviceError, Lent, Pending, Use};
use closefit_geometry::ids::to_u32;
use closefit_geometry::lanes::LANES;
use closefit_geometry::parallel;

/// Bytes to pack and send at once, before waiting for as many that were sent before.
const AT_ONCE: usize = 32 << 20;

/// A subtree on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Index of the arena.
    pub arena: usize,
    /// Offsets of its blocks, corners and vertices in the arena, in words.
    pub at: [u32; 3],
    /// Index in the tree of its first triangle.
    pub first: u32,
    /// Lane of its root box in its block 0.
    pub lane: u32,
    /// Child below the root box, with blocks and triangles numbered within the piece.
    pub root: Child,
    /// Volume of the root box; a search opens the larger of two roots.
    pub volume: f32,
}

/// A buffer of trees, filled from the front.
#[derive(Debug)]
struct Arena {
    buffer: Lent,
    used: u64,
}

/// The arenas of a device.
#[derive(Debug)]
pub struct Arenas {
    device: Device,
    /// Largest size of an arena, in bytes.
    largest: u64,
    arenas: Vec<Arena>,
}

/// Writes on their way to a device.
#[derive(Default)]
struct Sending {
    /// Number of bytes written since the last submission.
    waiting: usize,
    /// The last submission.
    last: Option<Pending>,
}

impl Arenas {
    /// Creates an empty set of arenas. None will exceed `largest` bytes or the largest buffer that the device
    /// can bind.
    pub fn new(device: Device, largest: u64) -> Self {
        let largest = largest.min(device.largest_binding()) / 256 * 256;
        Self { device, largest, arenas: Vec::new() }
    }

    /// Returns the buffer of an arena.
    pub fn buffer(&self, arena: usize) -> &wgpu::Buffer {
        &self.arenas[arena].buffer
    }

    /// Returns the number of bytes used by all trees.
    pub fn bytes(&self) -> u64 {
        self.arenas.iter().map(|arena| arena.used).sum()
    }

    /// Sends trees to the device. Returns the pieces of each, or `None` for a tree with boxes that are not
    /// finite in f32. Some are packed while those before are sent.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails or runs out of memory.
    pub fn reside(&mut self, trees: &[&WideObb]) -> Result<Vec<Option<Vec<Piece>>>, DeviceError> {
        let of_tree = |(number, tree): (usize, &&WideObb)| {
            cuts(tree, self.largest).into_iter().map(move |cut| (number, cut))
        };
        let all: Vec<(usize, Cut)> = trees.iter().enumerate().flat_map(of_tree).collect();
        let mut to_come: u64 = all.iter().map(|(_, cut)| cut.bytes).sum();
        let mut found = vec![Some(Vec::new()); trees.len()];
        let mut sending = Sending::default();
        let mut left = &all[..];
        while !left.is_empty() {
            let now;
            (now, left) = left.split_at(at_once(left));
            let packed = parallel::map_items(now, 1, |(number, cut)| pack(trees[*number], cut));
            for ((number, cut), packed) in now.iter().zip(packed) {
                let pieces = &mut found[*number];
                match (pieces.as_mut(), packed) {
                    (Some(pieces), Some(packed)) => {
                        pieces.push(self.place(cut, &packed, to_come, &mut sending)?)
                    }
                    _ => *pieces = None,
                }
                to_come -= cut.bytes;
            }
        }
        if let Some(last) = sending.last {
            self.device.wait(last)?;
        }
        Ok(found)
    }

    /// Copies a packed piece into the last arena. If it does not fit, creates one, as large as all others
    /// together or as the `to_come` bytes that remain: few arenas mean large batches.
    fn place(
        &mut self,
        cut: &Cut,
        packed: &Packed,
        to_come: u64,
        sending: &mut Sending,
    ) -> Result<Piece, DeviceError> {
        let bytes = 4 * packed.words.len() as u64;
        if self.arenas.last().is_none_or(|arena| arena.used + bytes > arena.buffer.size().min(self.largest)) {
            let size = self.bytes().max(to_come).min(self.largest);
            let buffer = self.device.lend(Use::Trees, bytes.max(size))?;
            self.arenas.push(Arena { buffer, used: 0 });
        }
        let (index, arena) = (self.arenas.len() - 1, self.arenas.last_mut().expect("it was made"));
        for (chunk, at) in
            cast_slice::<u32, u8>(&packed.words).chunks(AT_ONCE).zip((arena.used..).step_by(AT_ONCE))
        {
            self.device.write(&arena.buffer, at, chunk);
            sending.waiting += chunk.len();
            if sending.waiting >= AT_ONCE {
                let now = self.device.submit(&[], &[(&arena.buffer, 4)])?;
                if let Some(before) = mem::replace(sending, Sending { waiting: 0, last: Some(now) }).last {
                    self.device.wait(before)?;
                }
            }
        }
        let base = to_u32(arena.used as usize / 4);
        arena.used += bytes;
        Ok(Piece {
            arena: index,
            at: packed.at.map(|at| base + at),
            first: cut.first,
            lane: to_u32(cut.root.1),
            root: packed.root,
            volume: packed.volume,
        })
    }
}

/// Returns the number of first subtrees to pack at once: at least one.
fn at_once(cuts: &[(usize, Cut)]) -> usize {
    let mut bytes = 0;
    let fits = |(_, cut): &&(usize, Cut)| {
        bytes += cut.bytes;
        bytes <= AT_ONCE as u64
    };
    cuts.iter().take_while(fits).count().max(1)
}

/// A subtree that becomes a piece.
#[derive(Clone, Debug)]
struct Cut {
    /// Block and lane of its root box.
    root: (usize, usize),
    blocks: std::ops::Range<usize>,
    /// Index of its first triangle, and number of triangles.
    first: u32,
    count: u32,
    /// Upper bound of its packed size.
    bytes: u64,
}

/// Returns the largest subtrees that fit into `largest` bytes each. A single leaf becomes a cut even if it
/// does not fit.
fn cuts(tree: &WideObb, largest: u64) -> Vec<Cut> {
    let mut found = Vec::new();
    cut(tree, (0, 0), tree.blocks.len(), 0..to_u32(tree.triangles.len()), largest, &mut found);
    found
}

/// Returns an upper bound of the bytes that a tree takes in one piece.
pub fn bytes_of(tree: &WideObb) -> u64 {
    let (blocks, triangles, vertices) = (tree.blocks.len(), tree.triangles.len(), tree.vertices.len());
    (size_of::<Block>() * (1 + blocks) + 12 * triangles + 24 * vertices) as u64
}

/// Cuts the subtree of a box into subtrees that fit. `end` is the end of its blocks.
fn cut(
    tree: &WideObb,
    root: (usize, usize),
    end: usize,
    triangles: std::ops::Range<u32>,
    largest: u64,
    found: &mut Vec<Cut>,
) {
    let child = Child::of(tree.blocks[root.0].child[root.1]);
    let begin = if let Child::Block(block) = child { block as usize } else { end };
    let (blocks, count) = (begin..end, triangles.end - triangles.start);
    // Each triangle has three corners and so at most three vertices of its own.
    let vertices = (3 * u64::from(count)).min(tree.vertices.len() as u64);
    let bytes = 448 * (1 + blocks.len() as u64) + 12 * u64::from(count) + 24 * vertices;
    let Child::Block(block) = child else {
        found.push(Cut { root, blocks, first: triangles.start, count, bytes });
        return;
    };
    if bytes <= largest {
        found.push(Cut { root, blocks, first: triangles.start, count, bytes });
        return;
    }
    let block = block as usize;
    let lanes: Vec<usize> =
        (0..LANES).filter(|&lane| Child::of(tree.blocks[block].child[lane]) != Child::None).collect();
    for (i, &lane) in lanes.iter().enumerate() {
        let after = &lanes[i + 1..];
        let starts = |lane: &usize| match Child::of(tree.blocks[block].child[*lane]) {
            Child::Block(child) => Some(child as usize),
            _ => None,
        };
        let end = after.iter().find_map(starts).unwrap_or(end);
        let from = first_triangle(tree, block, lane);
        let to = after.first().map_or(triangles.end, |&lane| first_triangle(tree, block, lane));
        cut(tree, (block, lane), end, from..to, largest, found);
    }
}

/// Returns the first triangle below a box. Triangles are stored in the order of the leaves.
fn first_triangle(tree: &WideObb, mut block: usize, mut lane: usize) -> u32 {
    loop {
        match Child::of(tree.blocks[block].child[lane]) {
            Child::Leaf { first, .. } => return first,
            Child::Block(child) => (block, lane) = (child as usize, 0),
            Child::None => unreachable!("the box is there"),
        }
    }
}

/// A piece as words: blocks, then corners, then vertices.
struct Packed {
    words: Vec<u32>,
    at: [u32; 3],
    root: Child,
    volume: f32,
}

fn pack(tree: &WideObb, cut: &Cut) -> Option<Packed> {
    let (parent, lane) = cut.root;
    let mut words = Vec::with_capacity(cut.bytes as usize / 4);
    let root = moved(Child::of(tree.blocks[parent].child[lane]), cut);
    push_block(&mut words, &tree.blocks[parent], |i| if i == lane { root } else { Child::None })?;
    for block in &tree.blocks[cut.blocks.clone()] {
        push_block(&mut words, block, |i| moved(Child::of(block.child[i]), cut))?;
    }
    let corners_at = words.len();
    // Vertices are numbered in the order of their first use by a corner.
    const NOWHERE: u32 = u32::MAX;
    let (mut order, mut places) = (Vec::new(), vec![NOWHERE; tree.vertices.len()]);
    for &corner in tree.corners[cut.first as usize..][..cut.count as usize].as_flattened() {
        let place = &mut places[corner as usize];
        if *place == NOWHERE {
            *place = to_u32(order.len());
            order.push(corner);
        }
        words.push(*place);
    }
    let vertices_at = words.len();
    for &v in &order {
        words.extend(tree.vertices[v as usize].to_array().map(|x| split(x.to_bits() as i64)).as_flattened());
    }
    let half = tree.blocks[parent].half.map(|column| column[lane]);
    let more = half.iter().sum::<f32>() / 64.0;
    Some(Packed {
        words,
        at: [0, to_u32(corners_at), to_u32(vertices_at)],
        root,
        volume: half.iter().map(|x| x + more).product(),
    })
}

/// Renumbers the block or triangles of a child within its cut.
fn moved(child: Child, cut: &Cut) -> Child {
    match child {
        Child::None => Child::None,
        Child::Block(block) => Child::Block(block + 1 - to_u32(cut.blocks.start)),
        Child::Leaf { first, count } => Child::Leaf { first: first - cut.first, count },
    }
}

/// Appends a block in the layout of the kernels: boxes widened for the device's arithmetic, and the origin in
/// fixed point. Returns `None` if a number is not finite.
pub fn push_block(words: &mut Vec<u32>, block: &Block, child: impl Fn(usize) -> Child) -> Option<()> {
    let columns = block.center.as_flattened().iter().chain(block.axes.as_flattened().as_flattened());
    words.extend(columns.map(|x| x.to_bits()));
    for k in 0..3 {
        words.extend((0..LANES).map(|lane| widened(block, k, lane).to_bits()));
    }
    let children: [Child; LANES] = std::array::from_fn(child);
    words.extend(children.map(Child::code));
    let origin = glam::Vec3::from_array(block.origin).as_dvec3();
    words.extend(fixed(origin).map(split).as_flattened());
    words.extend([0; 2]);
    let is_finite = |lane: usize| {
        children[lane] == Child::None
            || (0..3).all(|k| widened(block, k, lane).is_finite() && block.center[k][lane].is_finite())
    };
    (0..LANES).all(is_finite).then_some(())
}

/// Returns a half extent widened for the device's rounding. It is positive even for an empty lane, whose
/// child says that there is no box.
fn widened(block: &Block, k: usize, lane: usize) -> f32 {
    let half = block.half.map(|column| f64::from(column[lane]).max(0.0));
    let center = block.center.iter().map(|column| f64::from(column[lane]).abs()).fold(0.0, f64::max);
    let more = f64::from(EXTENT) * half.iter().sum::<f64>() + f64::from(CENTER) * center;
    ((half[k] + more) as f32).next_up()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::wide_obb::on_device::columns::BLOCK_WORDS;
    use closefit_generate::{Request, generate};

    /// Checks that the pieces hold every triangle exactly once, with its corners, for any arena size.
    #[test]
    fn pieces_hold_every_triangle() {
        let request = Request { name: "tori".to_owned(), size: Some(3_000), seed: 0, soup: false };
        let tree = WideObb::build(&generate(&request).unwrap().meshes[0]);
        for largest in [0, 4096, 65_536, u64::MAX] {
            let cuts = cuts(&tree, largest);
            assert_eq!(cuts.len() == 1, largest == u64::MAX);
            let (mut next, mut leaves) = (0, 0);
            for cut in &cuts {
                assert_eq!(cut.first, next);
                next += cut.count;
                let packed = pack(&tree, cut).expect("finite");
                assert!(4 * packed.words.len() as u64 <= cut.bytes);
                assert!(cut.bytes <= largest || matches!(packed.root, Child::Leaf { .. }));
                let blocks = packed.at[1] as usize / BLOCK_WORDS;
                let children = (0..blocks).flat_map(|block| &packed.words[block * BLOCK_WORDS + 96..][..8]);
                for child in children.map(|&code| Child::of(code)) {
                    match child {
                        Child::Block(child) => assert!((1..blocks).contains(&(child as usize))),
                        Child::Leaf { first, count } => {
                            leaves += count;
                            assert!(first + count <= cut.count);
                        }
                        Child::None => {}
                    }
                }
                for (place, triangle) in
                    (cut.first..).zip(packed.words[packed.at[1] as usize..packed.at[2] as usize].chunks(3))
                {
                    for (corner, &v) in tree.corners[place as usize].iter().zip(triangle) {
                        let at = packed.at[2] as usize + 6 * v as usize;
                        let vertex = tree.vertices[*corner as usize].to_array();
                        let expected = vertex.map(|x| split(x.to_bits() as i64));
                        assert_eq!(&packed.words[at..at + 6], expected.as_flattened());
                    }
                }
            }
            assert_eq!((next as usize, leaves as usize), (tree.triangles.len(), tree.triangles.len()));
        }
    }
}

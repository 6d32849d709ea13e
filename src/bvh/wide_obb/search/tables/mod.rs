//! Coherence tables: the test tree of a pair's last search for contacts, from which the next one starts
//! (Redon et al. 2002, section 6, after Gottschalk). They save time only.
//!
//! A node of the test tree is a pair of boxes that met. Below it are the pairs with the boxes of the block
//! that was opened: nodes where those met, and *ends* where they were apart. A pair of leaves is a node with
//! nothing below. Ends and pairs of leaves are the *front*: any two triangles are below one of them, whatever
//! the poses, so a search may start from there. It tests ends again, and goes on below those that meet now.
//! A node above ends and leaves alone is tested again as well. If its boxes are apart, it becomes an end, so
//! that the front can shrink.
//!
//! A test takes a whole block, so what is saved are the tests of blocks in which no box needs one.

#[cfg(test)]
mod tests;

use std::iter;
use std::mem;
use std::ops::ControlFlow::{self, Continue};

use super::contacts::{LeafPairs, WHOLE};
use super::{Leaf, PosedPair, Slots, Step, used};
use crate::bvh::wide_obb::kernels::Kernels;
use crate::narrow::Work;
use closefit_geometry::executor::execute;
use closefit_geometry::lanes::LANES;

/// Number of nodes that are kept at most, in 16 MiB.
const MOST_NODES: usize = 1 << 20;

/// The test tree of the last search of two trees: always the same two, in the same order.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Each node directly before all below it, in the order of their lanes. Empty before the first search.
    nodes: Vec<TableNode>,
    /// Room for the nodes of the next search.
    next: Vec<TableNode>,
    pending: Vec<Pending>,
    /// Number of nodes that are kept at most. What is below others is searched again each time.
    most: usize,
}

/// A pair of boxes after one was opened, or a pair of leaves.
#[derive(Clone, Copy, Debug)]
struct TableNode {
    slots: Slots,
    /// Index after the last node below.
    end: u32,
    /// The ends right below, as lanes of the opened block.
    ends: u8,
    /// True if nothing is below but ends and pairs of leaves. Then the node can become an end.
    is_low: bool,
}

impl TableNode {
    /// True for a pair of leaves, at an index: below all others there are ends or nodes.
    fn is_leaves(&self, index: u32) -> bool {
        self.ends == 0 && self.end == index + 1
    }
}

/// A step that remains to be done, the next one last.
#[derive(Clone, Copy, Debug)]
enum Pending {
    /// Search below a pair of boxes, which may be a node of the last test tree.
    Below { slots: Slots, known: Option<u32> },
    /// Complete a node: all below it is done.
    Complete(u32),
}

impl Default for Tables {
    fn default() -> Self {
        Self { nodes: Vec::new(), next: Vec::new(), pending: Vec::new(), most: MOST_NODES }
    }
}

impl Tables {
    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        (self.nodes.capacity() + self.next.capacity()) * size_of::<TableNode>()
            + self.pending.capacity() * size_of::<Pending>()
    }

    /// Calls `visit` with the leaves and places of triangles in contact until it breaks off, which leaves the
    /// tables as they were.
    pub(super) fn search<B>(
        &mut self,
        pair: &PosedPair,
        work: &mut Work,
        mut visit: impl FnMut([Leaf; 2], [u32; 2]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        work.begin(pair.frames.as_ref());
        self.next.clear();
        self.pending.clear();
        let known = (!self.nodes.is_empty()).then_some(0);
        self.pending.push(Pending::Below { slots: WHOLE, known });
        execute!(pair.executor, kernels => self.run(kernels, pair, work, &mut visit))?;
        mem::swap(&mut self.nodes, &mut self.next);
        Continue(())
    }

    /// Does what is pending, and builds the next test tree meanwhile.
    #[inline(always)]
    fn run<B>(
        &mut self,
        kernels: impl Kernels,
        pair: &PosedPair,
        work: &mut Work,
        visit: &mut impl FnMut([Leaf; 2], [u32; 2]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Self { nodes, next, pending, most } = self;
        let mut leaf_pairs = LeafPairs::new(kernels, pair);
        while let Some(step) = pending.pop() {
            let (slots, known) = match step {
                Pending::Below { slots, known } => (slots, known),
                Pending::Complete(node) => {
                    next[node as usize].end = next.len() as u32;
                    let is_low = children(next, node).all(|child| next[child as usize].is_leaves(child));
                    next[node as usize].is_low = is_low;
                    continue;
                }
            };
            let index = next.len() as u32;
            let is_kept = next.len() < *most;
            match pair.step(slots) {
                Step::Triangles(leaves) => {
                    if is_kept {
                        next.push(TableNode { slots, end: index + 1, ends: 0, is_low: false });
                    }
                    leaf_pairs.visit(leaves, work, visit)?;
                }
                Step::Open(opened) => {
                    let facing = pair.facing(opened, slots);
                    let all = used(facing.block);
                    let meeting = if known.is_some_and(|node| goes_on(nodes, node)) {
                        all
                    } else {
                        work.box_tests += LANES as u64;
                        facing.meeting(kernels)
                    };
                    if is_kept {
                        let ends = (all & !meeting) as u8;
                        next.push(TableNode { slots, end: index + 1, ends, is_low: false });
                        pending.push(Pending::Complete(index));
                    }
                    let first = pending.len();
                    let mut below = known.into_iter().flat_map(|node| children(nodes, node)).peekable();
                    for lane in (0..LANES as u32).filter(|lane| meeting >> lane & 1 == 1) {
                        pair.fetch(opened, lane);
                        let slots = opened.to(lane, slots);
                        // None is below at these slots if the other box was opened.
                        let of = |node: u32| nodes[node as usize].slots;
                        while below.next_if(|&node| of(node)[opened.side] < slots[opened.side]).is_some() {}
                        let known = below.next_if(|&node| of(node) == slots);
                        pending.push(Pending::Below { slots, known });
                    }
                    pending[first..].reverse();
                }
            }
        }
        Continue(())
    }
}

/// True if no box right below a node needs a test: none was an end, and none can become one.
fn goes_on(nodes: &[TableNode], node: u32) -> bool {
    nodes[node as usize].ends == 0 && !children(nodes, node).any(|child| nodes[child as usize].is_low)
}

/// Returns the nodes right below a node, in the order of their lanes.
fn children(nodes: &[TableNode], node: u32) -> impl Iterator<Item = u32> {
    let end = nodes[node as usize].end;
    let below = move |child: &u32| *child < end;
    iter::successors(Some(node + 1).filter(below), move |&child| {
        Some(nodes[child as usize].end).filter(below)
    })
}

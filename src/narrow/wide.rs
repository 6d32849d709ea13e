//! Two wide trees against each other.

use std::ops::ControlFlow;

use super::box_box::simd::meeting;
use super::relative::Relative;
use super::tree_tree::Work;
use super::wide_nearest::{Candidate, Near};
use crate::bounds::aabb::Aabb;
use crate::hierarchy::posed::Posed;
use crate::hierarchy::wide_tree::{Block, Child};
use crate::lanes::{LANES, Simd, in_lanes};
use crate::settle::contact;

/// Reused between queries: nothing is allocated once it is warm.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    stack: Vec<[u32; 2]>,
    pub(super) near: Vec<Near>,
    pub(super) candidates: Vec<Candidate>,
}

/// True when some triangles are in contact.
pub fn touches(a: &Posed, b: &Posed, scratch: &mut Scratch, work: &mut Work) -> bool {
    in_lanes!(simd => visit_contacts(simd, a, b, scratch, work, |_| ControlFlow::Break(()))).is_break()
}

/// All pairs of triangles in contact, sorted.
pub fn contacts(a: &Posed, b: &Posed, scratch: &mut Scratch, work: &mut Work) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    let _ = in_lanes!(simd => visit_contacts(simd, a, b, scratch, work, |pair| {
        found.push(pair);
        ControlFlow::Continue(())
    }));
    found.sort_unstable();
    found
}

#[inline(always)]
pub(super) fn slot(code: u32) -> (usize, usize) {
    (code as usize / LANES, code as usize % LANES)
}

#[inline(always)]
fn size(block: &Block, lane: usize) -> f32 {
    block.half[0][lane] + block.half[1][lane] + block.half[2][lane]
}

/// True when the box of the first tree is at least as large as that of the second, `ratio` times its size.
#[inline(always)]
pub(super) fn larger(a: &Block, la: usize, b: &Block, lb: usize, ratio: f32) -> bool {
    size(a, la) >= size(b, lb) * ratio
}

#[inline(always)]
fn visit_contacts<S: Simd>(
    simd: S,
    a: &Posed,
    b: &Posed,
    scratch: &mut Scratch,
    work: &mut Work,
    mut visit: impl FnMut([u32; 2]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (Some(b_in_a), Some(a_in_b)) = (Relative::new(b, a), Relative::new(a, b)) else { todo!() };
    let (margin_b, margin_a) = (b_in_a.margin_for(0.0), a_in_b.margin_for(0.0));
    let ratio = (b.scale / a.scale) as f32;
    let (blocks_a, blocks_b) = (&a.tree.blocks[..], &b.tree.blocks[..]);
    let stack = &mut scratch.stack;
    stack.clear();
    let one = b_in_a.single(&blocks_b[0], 0, &blocks_a[0].origin, margin_b);
    work.box_tests += 1;
    if meeting(simd, &one, &blocks_a[0]) != 0 {
        stack.push([0, 0]);
    }
    while let Some([sa, sb]) = stack.pop() {
        let ((ia, la), (ib, lb)) = (slot(sa), slot(sb));
        let (block_a, block_b) = (&blocks_a[ia], &blocks_b[ib]);
        let (child_a, child_b) = (Child::of(block_a.child[la]), Child::of(block_b.child[lb]));
        let (in_a, opened) = match (child_a, child_b) {
            (Child::Leaf { first: fa, count: na }, Child::Leaf { first: fb, count: nb }) => {
                for ta in fa..fa + na {
                    let corners_a = a.triangle(ta);
                    let bounds_a = Aabb::of(corners_a);
                    for tb in fb..fb + nb {
                        work.triangle_tests += 1;
                        let corners_b = b.triangle(tb);
                        if !bounds_a.meets(&Aabb::of(corners_b)) {
                            continue;
                        }
                        work.settled += 1;
                        if contact::triangles_meet(&corners_a, &corners_b) {
                            visit([a.tree.triangles[ta as usize], b.tree.triangles[tb as usize]])?;
                        }
                    }
                }
                continue;
            }
            (Child::Block(block), Child::Leaf { .. }) => (true, block),
            (Child::Leaf { .. }, Child::Block(block)) => (false, block),
            (Child::Block(of_a), Child::Block(of_b)) => {
                if larger(block_a, la, block_b, lb, ratio) { (true, of_a) } else { (false, of_b) }
            }
            _ => unreachable!("a lane without a box meets nothing"),
        };
        work.box_tests += LANES as u64;
        let first = opened * LANES as u32;
        if in_a {
            let block = &blocks_a[opened as usize];
            let one = b_in_a.single(block_b, lb, &block.origin, margin_b);
            let mut mask = meeting(simd, &one, block);
            while mask != 0 {
                stack.push([first + mask.trailing_zeros(), sb]);
                mask &= mask - 1;
            }
        } else {
            let block = &blocks_b[opened as usize];
            let one = a_in_b.single(block_a, la, &block.origin, margin_a);
            let mut mask = meeting(simd, &one, block);
            while mask != 0 {
                stack.push([sa, first + mask.trailing_zeros()]);
                mask &= mask - 1;
            }
        }
    }
    ControlFlow::Continue(())
}

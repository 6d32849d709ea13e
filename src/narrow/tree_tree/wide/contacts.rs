//! The pairs of triangles in contact.

use std::ops::ControlFlow;

use super::{Leaf, Pair, Slots, Step, leaf_of};
use crate::hierarchy::posed::Posed;
use crate::lanes::{LANES, Simd, in_lanes};
use crate::narrow::posed_leaf::{PoseColumns, Side};
use crate::narrow::tree_tree::Work;
use crate::narrow::triangle_triangle::{self, Contacts};
use crate::settle::contact::triangles_meet;

/// Reused between queries: nothing is allocated once it is warm.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    stack: Vec<Slots>,
}

/// True when some triangles are in contact.
pub fn touches(a: &Posed, b: &Posed, scratch: &mut Scratch, work: &mut Work) -> bool {
    let pair = Pair::new(a, b, 0.0);
    in_lanes!(simd => visit(simd, &pair, scratch, work, |_| ControlFlow::Break(()))).is_break()
}

/// All pairs of triangles in contact, sorted.
pub fn contacts(a: &Posed, b: &Posed, scratch: &mut Scratch, work: &mut Work) -> Vec<[u32; 2]> {
    let pair = Pair::new(a, b, 0.0);
    let mut found = Vec::new();
    let all = in_lanes!(simd => visit(simd, &pair, scratch, work, |triangles| {
        found.push(triangles);
        ControlFlow::Continue(())
    }));
    debug_assert!(all.is_continue());
    found.sort_unstable();
    found
}

/// Calls `visit` with the pairs of triangles in contact, in the trees' order, until it breaks off.
#[inline(always)]
fn visit<S: Simd>(
    simd: S,
    pair: &Pair,
    scratch: &mut Scratch,
    work: &mut Work,
    mut visit: impl FnMut([u32; 2]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (a, b) = (pair.a, pair.b);
    let [columns_a, columns_b] = [PoseColumns::new(simd, &a.pose), PoseColumns::new(simd, &b.pose)];
    // Leaf pairs come in runs that share their leaf of a.
    let mut posed = (u32::MAX, leaf_of(&columns_a, a, Leaf { first: 0, count: 1 }, Side::A));
    let stack = &mut scratch.stack;
    stack.clear();
    work.box_tests += 1;
    if pair.meeting_in_a(simd, 0, 0) & 1 != 0 {
        stack.push([0, 0]);
    }
    while let Some(slots) = stack.pop() {
        match pair.step(slots) {
            Step::Triangles([leaf_a, leaf_b]) => {
                if posed.0 != leaf_a.first {
                    posed = (leaf_a.first, leaf_of(&columns_a, a, leaf_a, Side::A));
                }
                let posed_b = leaf_of(&columns_b, b, leaf_b, Side::B);
                let Contacts { meets, unsure, .. } =
                    triangle_triangle::simd::contacts(simd, &posed.1, &posed_b);
                work.triangle_tests += u64::from(leaf_a.count * leaf_b.count);
                let mut left = meets | unsure;
                while left != 0 {
                    let lane = left.trailing_zeros();
                    left &= left - 1;
                    let [ta, tb] = [leaf_a.first + lane / 2, leaf_b.first + lane % 2];
                    if unsure >> lane & 1 == 1 {
                        work.settled += 1;
                        if !triangles_meet(&a.triangle(ta), &b.triangle(tb)) {
                            continue;
                        }
                    }
                    visit([a.tree.triangles[ta as usize], b.tree.triangles[tb as usize]])?;
                }
            }
            Step::OpenA(block) => {
                work.box_tests += LANES as u64;
                let mut meeting = pair.meeting_in_a(simd, block, slots[1]);
                while meeting != 0 {
                    stack.push([block * LANES as u32 + meeting.trailing_zeros(), slots[1]]);
                    meeting &= meeting - 1;
                }
            }
            Step::OpenB(block) => {
                work.box_tests += LANES as u64;
                let mut meeting = pair.meeting_in_b(simd, block, slots[0]);
                while meeting != 0 {
                    stack.push([slots[0], block * LANES as u32 + meeting.trailing_zeros()]);
                    meeting &= meeting - 1;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

//! The pairs of triangles in contact.

use std::ops::ControlFlow;

use super::{Pair, Slots, Step};
use crate::bounds::aabb::Aabb;
use crate::hierarchy::posed::Posed;
use crate::lanes::{LANES, Simd, in_lanes};
use crate::narrow::tree_tree::Work;
use crate::settle::contact;

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
    let stack = &mut scratch.stack;
    stack.clear();
    work.box_tests += 1;
    if pair.meeting_in_a(simd, 0, 0) & 1 != 0 {
        stack.push([0, 0]);
    }
    while let Some(slots) = stack.pop() {
        match pair.step(slots) {
            Step::Triangles([(fa, na), (fb, nb)]) => {
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

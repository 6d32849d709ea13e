//! Hierarchical sweep and prune (Ponamgi, Manocha and Lin 1995, section 4.7): searches for the pairs of
//! triangles in contact, depth first, level by level of both trees at once; below the leaves of the shallower
//! tree, level by level of the other.

use std::ops::ControlFlow;

use super::face_lists::FaceLists;
use super::kept_lists::KeptLists;
use super::sorted_ends::{Orders, Overlaps, overlaps};
use super::{BoxKind, PosedOctree};
use crate::leaf_pairs::{Leaf, lanes};
use crate::volumes::{Kdops, Opened, PosedPair, Slots, VolumeKernels, WHOLE, beyond};
use closefit::Work;
use closefit::internals::bvh::wide_topology::Child;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::execute;
use closefit_geometry::lanes::LANES;

/// Returns all pairs of triangles in contact, sorted; if there are more than `most`, some of them, more than
/// `most`. With lists, sorting begins with them.
pub fn contacts(
    a: &PosedOctree,
    b: &PosedOctree,
    most: usize,
    lists: Option<&mut KeptLists>,
    work: &mut Work,
) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    let all: ControlFlow<()> = visit_contacts(a, b, lists, work, &mut |triangles| {
        found.push(triangles);
        if found.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(all.is_continue() || found.len() > most);
    found.sort_unstable();
    found
}

/// Returns some pair of triangles in contact.
pub fn touching(a: &PosedOctree, b: &PosedOctree, work: &mut Work) -> Option<[u32; 2]> {
    visit_contacts(a, b, None, work, &mut ControlFlow::Break).break_value()
}

/// Calls `visit` with each pair of triangles in contact until it breaks off.
fn visit_contacts<B>(
    a: &PosedOctree,
    b: &PosedOctree,
    mut lists: Option<&mut KeptLists>,
    work: &mut Work,
    visit: &mut dyn FnMut([u32; 2]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let pair = PosedPair::new(a, b);
    work.begin(pair.map.as_ref());
    if let Some(lists) = &mut lists {
        lists.begin();
    }
    let visited =
        execute!(a.executor, kernels => visit_with(kernels, &pair, lists.as_deref_mut(), work, visit));
    if let Some(lists) = lists {
        lists.end();
    }
    visited
}

#[inline(always)]
fn visit_with<B>(
    kernels: impl VolumeKernels,
    pair: &PosedPair<BoxKind>,
    mut lists: Option<&mut KeptLists>,
    work: &mut Work,
    visit: &mut dyn FnMut([u32; 2]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let (triangles, mut visited) = (pair.triangle_pairs(), pair.visited());
    let mut stack: Vec<Slots> = vec![WHOLE];
    while let Some(slots) = stack.pop() {
        let children = pair.children(slots);
        let cells = pair.cells(children);
        if let [Some(a), Some(b)] = cells {
            let mut anew = FaceLists::default();
            let kept = match lists.as_deref_mut() {
                Some(lists) => lists.of_cells([a[0], b[0]]),
                None => &mut anew,
            };
            let [boxes_a, boxes_b] = [0, 1].map(|side| {
                let [first, count] = [a, b][side];
                let of = &triangles.sides[side];
                (first..first + count).map(|place| Aabb::of(of.triangle(place))).collect::<Vec<_>>()
            });
            for &[i, j] in kept.overlaps([&boxes_a, &boxes_b], work) {
                let leaves = [Leaf { first: a[0] + i, count: 1 }, Leaf { first: b[0] + j, count: 1 }];
                let first = (visited.first_of_all(pair, leaves), leaves);
                for (_, places) in lanes(triangles.contacts(first, work), leaves) {
                    visit(pair.triangles(places))?;
                }
            }
            continue;
        }
        let opened = match children {
            [Child::Block(block), _] if cells[1].is_some() => Opened { side: 0, block },
            [_, Child::Block(block)] if cells[0].is_some() => Opened { side: 1, block },
            [Child::Block(a), Child::Block(b)] => {
                open_both(kernels, pair, slots, [a, b], lists.as_deref_mut(), &mut stack, work);
                continue;
            }
            [Child::Block(block), _] => Opened { side: 0, block },
            [_, Child::Block(block)] => Opened { side: 1, block },
            [Child::Leaf { first: fa, count: na }, Child::Leaf { first: fb, count: nb }] => {
                let leaves = [Leaf { first: fa, count: na }, Leaf { first: fb, count: nb }];
                let first = (visited.first_of_all(pair, leaves), leaves);
                for (_, places) in lanes(triangles.contacts(first, work), leaves) {
                    visit(pair.triangles(places))?;
                }
                continue;
            }
            _ => unreachable!("a lane without a box meets nothing"),
        };
        // Gaps allow for all rounding, so any gap at all is proof.
        let (mut near, _) = pair.near(kernels, opened, slots, 0.0, work);
        while near != 0 {
            stack.push(opened.to(near.trailing_zeros(), slots));
            near &= near - 1;
        }
    }
    ControlFlow::Continue(())
}

/// Appends the pairs of boxes of two blocks, inside two boxes that may meet, that are not proven apart. Only
/// boxes that meet the box around the other block enter the sorted lists.
#[inline(always)]
fn open_both(
    kernels: impl VolumeKernels,
    pair: &PosedPair<BoxKind>,
    slots: Slots,
    blocks: Slots,
    lists: Option<&mut KeptLists>,
    stack: &mut Vec<Slots>,
    work: &mut Work,
) {
    let used = pair.used(blocks);
    let with = match pair.updated(kernels, slots, blocks, work) {
        Some([a, b]) => {
            let meeting = [
                used[0] & !beyond(&kernels.squared_gaps(&b.around, &a.inside), 0.0),
                used[1] & !beyond(&kernels.squared_gaps(&a.around, &b.inside), 0.0),
            ];
            let boxes: [&Kdops<3>; 2] = [&a.inside, &b.inside];
            let Overlaps { with, exchanges } = match lists {
                Some(lists) => overlaps(boxes, meeting, lists.of(blocks)),
                None => overlaps(boxes, meeting, &mut Orders::default()),
            };
            work.box_tests += 2 * LANES as u64;
            *work += Work { exchanges, ..Work::NONE };
            work.overlaps += with.iter().map(|with| u64::from(with.count_ones())).sum::<u64>();
            with
        }
        // Where f32 cannot tell, all boxes meet.
        None => std::array::from_fn(|lane| if used[0] >> lane & 1 == 1 { used[1] as u8 } else { 0 }),
    };
    let [a, b] = blocks.map(|block| block * LANES as u32);
    for (lane, mut with) in (0..).zip(with) {
        while with != 0 {
            stack.push([a + lane, b + with.trailing_zeros()]);
            with &= with - 1;
        }
    }
}

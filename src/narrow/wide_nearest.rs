//! The closest triangles of two wide trees: nearest boxes first.

use super::box_box::simd::distances;
use super::relative::Relative;
use super::tree_tree::{Nearest, Work};
use super::wide::{Scratch, larger, slot};
use crate::hierarchy::posed::Posed;
use crate::hierarchy::wide_tree::Child;
use crate::lanes::{LANES, Simd, SimdBase, in_lanes};
use crate::settle::{contact, distance};

/// Lower bounds must exceed the best value by this much before they exclude a pair of triangles: 1 + 2^-39.
const SLACK: f64 = 1.0 + 1.0 / (1u64 << 39) as f64;

/// Two boxes, and what their squared distance exceeds or equals, in normal units of the first tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    slots: [u32; 2],
    squared: f32,
}

/// Two triangles that may be the closest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    at_least: f64,
    triangles: [u32; 2],
}

/// The closest pair of triangles, if their distance is at most `bound`; distance 0, and some pair in contact,
/// where there is one.
pub fn nearest(a: &Posed, b: &Posed, bound: f64, scratch: &mut Scratch, work: &mut Work) -> Option<Nearest> {
    in_lanes!(simd => search(simd, a, b, bound, scratch, work))
}

#[inline(always)]
fn search<S: Simd>(
    simd: S,
    a: &Posed,
    b: &Posed,
    bound: f64,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<Nearest> {
    let (Some(b_in_a), Some(a_in_b)) = (Relative::new(b, a), Relative::new(a, b)) else { todo!() };
    let (margin_b, margin_a) = (b_in_a.margin_for(0.0), a_in_b.margin_for(0.0));
    let ratio = (b.scale / a.scale) as f32;
    let (blocks_a, blocks_b) = (&a.tree.blocks[..], &b.tree.blocks[..]);
    let mut best = bound;
    // In normal units of a, squared, and with room for the rounding of all that.
    let limit = |best: f64| (best / a.scale * (1.0 + 1e-5)).powi(2) as f32 * (1.0 + 1e-6);
    let mut farthest = limit(best);
    let stack = &mut scratch.near;
    let found = &mut scratch.candidates;
    stack.clear();
    found.clear();
    let mut prune_at = 1024;
    stack.push(Near { slots: [0, 0], squared: 0.0 });
    while let Some(Near { slots: [sa, sb], squared }) = stack.pop() {
        if squared > farthest {
            continue;
        }
        let ((ia, la), (ib, lb)) = (slot(sa), slot(sb));
        let (block_a, block_b) = (&blocks_a[ia], &blocks_b[ib]);
        let (child_a, child_b) = (Child::of(block_a.child[la]), Child::of(block_b.child[lb]));
        let (in_a, opened) = match (child_a, child_b) {
            (Child::Leaf { first: fa, count: na }, Child::Leaf { first: fb, count: nb }) => {
                for ta in fa..fa + na {
                    let corners_a = a.triangle(ta);
                    for tb in fb..fb + nb {
                        work.triangle_tests += 1;
                        let corners_b = b.triangle(tb);
                        let triangles = [a.tree.triangles[ta as usize], b.tree.triangles[tb as usize]];
                        let enclosure = distance::enclose(&corners_a, &corners_b);
                        if enclosure.at_least > best * SLACK {
                            continue;
                        }
                        if enclosure.at_least <= 0.0 && contact::triangles_meet(&corners_a, &corners_b) {
                            return Some(Nearest { distance: 0.0, triangles });
                        }
                        if enclosure.at_most < best {
                            best = enclosure.at_most;
                            farthest = limit(best);
                        }
                        found.push(Candidate { at_least: enclosure.at_least, triangles: [ta, tb] });
                    }
                }
                if found.len() > prune_at {
                    found.retain(|c| c.at_least <= best * SLACK);
                    prune_at = 1024.max(2 * found.len());
                }
                continue;
            }
            (Child::Block(block), Child::Leaf { .. }) => (true, block),
            (Child::Leaf { .. }, Child::Block(block)) => (false, block),
            (Child::Block(of_a), Child::Block(of_b)) => {
                if larger(block_a, la, block_b, lb, ratio) { (true, of_a) } else { (false, of_b) }
            }
            _ => unreachable!("a lane without a box is at infinity"),
        };
        work.box_tests += LANES as u64;
        let first = opened * LANES as u32;
        let bounds = if in_a {
            let block = &blocks_a[opened as usize];
            distances(simd, &b_in_a.single(block_b, lb, &block.origin, margin_b), block).to_array()
        } else {
            let block = &blocks_b[opened as usize];
            let one = a_in_b.single(block_a, la, &block.origin, margin_a);
            (distances(simd, &one, block) * (ratio * ratio * (1.0 - 1e-6))).to_array()
        };
        let from = stack.len();
        for (lane, &squared) in (0u32..).zip(&bounds) {
            if squared <= farthest && squared < f32::INFINITY {
                let slots = if in_a { [first + lane, sb] } else { [sa, first + lane] };
                // Nearest on top.
                let mut at = stack.len();
                stack.push(Near { slots, squared });
                while at > from && stack[at - 1].squared < squared {
                    stack[at] = stack[at - 1];
                    at -= 1;
                }
                stack[at] = Near { slots, squared };
            }
        }
    }
    found.retain(|c| c.at_least <= best * SLACK);
    found.sort_unstable_by(|x, y| x.at_least.total_cmp(&y.at_least).then(x.triangles.cmp(&y.triangles)));
    let mut winner: Option<Nearest> = None;
    for candidate in found.iter() {
        if candidate.at_least > winner.map_or(bound, |b| b.distance) * SLACK {
            break;
        }
        work.settled += 1;
        let [ta, tb] = candidate.triangles;
        let found = Nearest {
            distance: distance::distance_apart(&a.triangle(ta), &b.triangle(tb)),
            triangles: [a.tree.triangles[ta as usize], b.tree.triangles[tb as usize]],
        };
        let better = |best: Nearest| {
            found.distance.total_cmp(&best.distance).then(found.triangles.cmp(&best.triangles)).is_lt()
        };
        if found.distance <= bound && winner.is_none_or(better) {
            winner = Some(found);
        }
    }
    winner
}

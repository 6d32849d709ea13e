//! Two wide trees: eight boxes, or four pairs of triangles, at a time, in lanes.

use std::ops::Range;

use super::fronts;
use super::moving_triangles::simd::{Moving, beyond, free_time};
use super::swept_boxes::{MovingSingle, simd::meeting};
use crate::hierarchy::posed::Posed;
use crate::hierarchy::wide_tree::{Block, WideTree};
use crate::lanes::{LANES, Simd, in_lanes};
use crate::motion::pair::Moment;
use crate::narrow::posed_leaf::{PoseColumns, Side};
use crate::narrow::tree_tree::Work;
use crate::narrow::tree_tree::wide::{Drift, Leaf, Opened, Pair, Slot, Step, leaf_of, place, used};
use crate::settle::distance::distance;

/// Two trees.
pub(super) struct Trees<'a> {
    pub trees: [&'a WideTree; 2],
}

/// What was not told apart.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// Boxes of a block of one tree (0 the first) from a box of the other.
    Boxes { side: u8, lanes: u8, block: u32, other: Slot },
    /// Triangles of two leaves, by the lanes of their pairs.
    Triangles { lanes: u8, leaves: [Leaf; 2] },
}

/// Boxes that move by more than this much of their size are not opened before time is halved: the constant of
/// the paper's subdivision test, which turned out best here too.
const SUBDIVIDE: f32 = 0.2;

/// Two trees at a moment.
struct Scene<'a> {
    pair: Pair<'a>,
    /// How each moves, as seen from the other: in normal coordinates of the first the second, and the other
    /// way round.
    drifts: [Drift; 2],
    moment: &'a Moment,
    limit: f64,
}

impl Scene<'_> {
    /// The box of a slot, as it moves past a block.
    #[inline(always)]
    fn single(&self, side: usize, block: &Block, other: Slot) -> Option<MovingSingle> {
        let (index, lane) = place(other);
        let relative = &self.pair.frames.as_ref()?[side];
        let tree = [self.pair.b, self.pair.a][side].tree;
        Some(
            self.drifts[side]
                .moving(relative.single(&tree.blocks[index], lane, &block.origin), &block.origin),
        )
    }

    /// Calls `keep` with what is not proven to be farther apart than the limit, until it returns true.
    #[inline(always)]
    fn visit<S: Simd>(
        &self,
        simd: S,
        stack: &mut Vec<Item>,
        work: &mut Work,
        mut keep: impl FnMut(Item) -> bool,
    ) -> bool {
        let pair = &self.pair;
        let [columns_a, columns_b] =
            [PoseColumns::new(simd, &pair.a.pose), PoseColumns::new(simd, &pair.b.pose)];
        let moving = Moving::new(simd, self.moment, self.limit);
        while let Some(item) = stack.pop() {
            match item {
                Item::Triangles { lanes, leaves: [leaf_a, leaf_b] } => {
                    work.triangle_tests += u64::from(leaf_a.count * leaf_b.count);
                    let posed_a = leaf_of(&columns_a, pair.a, leaf_a, Side::A);
                    let posed_b = leaf_of(&columns_b, pair.b, leaf_b, Side::B);
                    let left = lanes & !beyond(&posed_a, &posed_b, &moving) as u8;
                    if left != 0 && keep(Item::Triangles { lanes: left, leaves: [leaf_a, leaf_b] }) {
                        return true;
                    }
                }
                Item::Boxes { side, lanes, block: index, other } => {
                    work.box_tests += LANES as u64;
                    let tree = if side == 0 { pair.a.tree } else { pair.b.tree };
                    let block = &tree.blocks[index as usize];
                    let single = self.single(usize::from(side), block, other);
                    let mut left = u32::from(lanes)
                        & match &single {
                            Some(single) => meeting(simd, single, block),
                            None => used(block),
                        };
                    let (path, size) = single.map_or((0.0, 0.0), |single| (single.path(), single.size()));
                    let mut later = 0;
                    while left != 0 {
                        let lane = left.trailing_zeros();
                        left &= left - 1;
                        let slot = index * LANES as u32 + lane;
                        let next = opened(pair, if side == 0 { [slot, other] } else { [other, slot] });
                        if path > SUBDIVIDE * (size_of(block, lane as usize) + size) {
                            later |= 1 << lane;
                        } else {
                            stack.push(next);
                        }
                    }
                    if later != 0 && keep(Item::Boxes { side, lanes: later, block: index, other }) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// The sum of a box's extents.
#[inline(always)]
fn size_of(block: &Block, lane: usize) -> f32 {
    block.half[0][lane] + block.half[1][lane] + block.half[2][lane]
}

/// What to do with two boxes that are not told apart.
#[inline(always)]
fn opened(pair: &Pair, slots: [Slot; 2]) -> Item {
    match pair.step(slots) {
        Step::Triangles(leaves) => Item::Triangles { lanes: 0b1111, leaves },
        Step::Open(Opened { side, block }) => {
            Item::Boxes { side: side as u8, lanes: 0xff, block, other: slots[1 - side] }
        }
    }
}

/// [`fronts::Trees::free_time`], four pairs at a time.
#[inline(always)]
fn free_times<S: Simd>(
    simd: S,
    [a, b]: [&Posed; 2],
    moment: &Moment,
    limit: f64,
    front: &[Item],
    work: &mut Work,
) -> Option<f64> {
    let [columns_a, columns_b] = [PoseColumns::new(simd, &a.pose), PoseColumns::new(simd, &b.pose)];
    let moving = Moving::new(simd, moment, limit);
    let mut free = moment.half;
    for item in front {
        let Item::Triangles { lanes, leaves: [leaf_a, leaf_b] } = *item else {
            unreachable!("a front of triangles")
        };
        work.triangle_tests += u64::from(leaf_a.count * leaf_b.count);
        let posed_a = leaf_of(&columns_a, a, leaf_a, Side::A);
        let posed_b = leaf_of(&columns_b, b, leaf_b, Side::B);
        let times = free_time(&posed_a, &posed_b, &moving);
        for lane in 0..4 {
            if lanes >> lane & 1 == 0 {
                continue;
            }
            let time = times[lane as usize];
            if time == 0.0 {
                work.settled += 1;
                let near = [a.triangle(leaf_a.first + lane / 2), b.triangle(leaf_b.first + lane % 2)];
                if distance(&near[0], &near[1]) <= limit {
                    return None;
                }
            }
            free = free.min(time);
        }
    }
    Some(free)
}

impl Trees<'_> {
    /// Calls `work` with the trees at a moment.
    fn at<T>(&self, moment: &Moment, limit: f64, work: impl FnOnce(&Scene) -> T) -> T {
        let [a, b] = [0, 1].map(|side| Posed::new(self.trees[side], &moment.poses[side]));
        let drifts = [Drift::of(moment, 1, &a, limit), Drift::of(moment, 0, &b, limit)];
        work(&Scene { pair: Pair::new(&a, &b), drifts, moment, limit })
    }
}

impl fronts::Trees for Trees<'_> {
    type Item = Item;

    fn whole(&self) -> Item {
        Item::Boxes { side: 0, lanes: 1, block: 0, other: 0 }
    }

    fn narrow(
        &self,
        moment: &Moment,
        limit: f64,
        items: &mut Vec<Item>,
        front: Range<usize>,
        work: &mut Work,
    ) {
        let mut stack: Vec<Item> = items[front].to_vec();
        self.at(moment, limit, |scene| {
            in_lanes!(simd => scene.visit(simd, &mut stack, work, |item| {
                items.push(item);
                false
            }))
        });
    }

    fn is_triangles(item: &Item) -> bool {
        matches!(item, Item::Triangles { .. })
    }

    fn free_time(&self, moment: &Moment, limit: f64, front: &[Item], work: &mut Work) -> Option<f64> {
        let [a, b] = [0, 1].map(|side| Posed::new(self.trees[side], &moment.poses[side]));
        in_lanes!(simd => free_times(simd, [&a, &b], moment, limit, front, work))
    }

    fn is_within(
        &self,
        moment: &Moment,
        limit: f64,
        items: &mut Vec<Item>,
        front: Range<usize>,
        work: &mut Work,
    ) -> bool {
        let mut stack: Vec<Item> = items[front].to_vec();
        let mut settled = 0;
        let found = self.at(moment, limit, |scene| {
            in_lanes!(simd => scene.visit(simd, &mut stack, work, |item| {
                let Item::Triangles { lanes, leaves: [a, b] } = item else { unreachable!("nothing moves in no time") };
                (0..4).filter(|lane| lanes >> lane & 1 != 0).any(|lane| {
                    settled += 1;
                    let [a, b] = [scene.pair.a.triangle(a.first + lane / 2), scene.pair.b.triangle(b.first + lane % 2)];
                    distance(&a, &b) <= limit
                })
            }))
        });
        work.settled += settled;
        found
    }
}

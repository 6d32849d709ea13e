//! Two wide trees: eight boxes, or four pairs of triangles, at a time, in lanes.

use super::drift::Drift;
use super::elementary::beyond4;
use super::fronts;
use super::interval_boxes::{self, IntervalFrame};
use super::method::{Axes, Boxes, Method, Triangles};
use super::moving_triangles::simd::{Moving, beyond, free_time};
use super::swept_boxes::{self, Mover};
use crate::exact::distance::distance;
use crate::hierarchy::obb8::box_box::{self, Single};
use crate::hierarchy::obb8::posed::Posed;
use crate::hierarchy::obb8::{Block, Obb8};
use crate::hierarchy::pose_columns::PoseColumns;
use crate::lanes::{LANES, Simd, SimdBase, in_lanes};
use crate::motion::moment::Moment;
use crate::narrow::posed_leaf::{PosedLeaf, Side};
use crate::narrow::tree_tree::Work;
use crate::narrow::tree_tree::wide::{Leaf, Opened, Pair, Slot, Step, leaf_of, place, used};

/// Two trees.
pub(super) struct Trees<'a> {
    pub trees: [&'a Obb8; 2],
    pub seen_from: usize,
    /// No direction turns faster, in radians per second.
    pub spin: f64,
    pub method: Method,
}

/// What was not told apart.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// Boxes of a block of one tree (0 the first) from a box of the other.
    Boxes { side: u8, lanes: u8, block: u32, other: Slot },
    /// Triangles of two leaves, by the lanes of their pairs.
    Triangles { lanes: u8, leaves: [Leaf; 2] },
}

/// Two trees at a moment.
struct Scene<'a> {
    pair: Pair<'a>,
    /// How the second moves past the first, in normal coordinates of each.
    drifts: [Drift; 2],
    /// How each moves as seen from the other, for interval tests, and the limit there.
    intervals: Option<[(IntervalFrame, f32); 2]>,
    moment: &'a Moment,
    limit: f64,
    method: Method,
}

impl Scene<'_> {
    /// The box of a slot, as a block sees it in the middle.
    #[inline(always)]
    fn single(&self, side: usize, block: &Block, other: Slot) -> Option<Single> {
        let (index, lane) = place(other);
        let relative = &self.pair.frames.as_ref()?[side];
        let tree = [self.pair.b, self.pair.a][side].tree;
        Some(relative.single(&tree.blocks[index], lane, &block.origin))
    }

    /// Which of a block's boxes are not told apart from a box all the time; and which of these are not to be
    /// opened before time is halved.
    #[inline(always)]
    fn meeting<S: Simd>(
        &self,
        simd: S,
        side: usize,
        (block, single): (&Block, Single),
        lanes: u32,
        work: &mut Work,
    ) -> [u32; 2] {
        let Method { axes, discrete_first, .. } = self.method;
        let known = discrete_first && lanes & !box_box::simd::meeting(simd, &single, block) == 0;
        let axes = if known { Axes::Faces } else { axes };
        work.box_tests += LANES as u64;
        if let Some(intervals) = &self.intervals {
            let (over, limit) = &intervals[side];
            let left = interval_boxes::simd::meeting(simd, &single, (block, lanes), over, *limit, axes);
            let long =
                if left == 0 { 0 } else { interval_boxes::simd::subdivide(simd, &single, block, over) };
            return [left, left & long];
        }
        let single = self.drifts[side].moving(single, &block.origin);
        // The second part moves: where its blocks are opened, all of their boxes.
        let test = swept_boxes::simd::Test::new(simd, &single, block, [Mover::One, Mover::Block][side]);
        test.meeting(lanes, axes)
    }

    /// Which of four pairs of triangles are not told apart all the time.
    #[inline(always)]
    fn near<S: Simd>(&self, simd: S, a: &PosedLeaf<S>, b: &PosedLeaf<S>, moving: &Moving<S>) -> u32 {
        match self.method.triangles {
            Triangles::Directions => !beyond(a, b, moving),
            // Features tell only that what is apart at some time remains so.
            Triangles::Elementary => {
                let there = a.lanes & b.lanes;
                let still = Moving::new(simd, &self.moment.standing(), self.limit);
                let apart = beyond(a, b, &still);
                if apart & there == 0 {
                    return there;
                }
                there & !(apart & beyond4(&a.corner, &b.corner, self.moment, self.limit))
            }
        }
    }

    /// Calls `keep` with what is not proven to be farther apart than the limit, until it returns true. Compiled
    /// once for each instruction set: what is kept costs more than the call.
    fn search(&self, stack: &mut Vec<Item>, work: &mut Work, keep: &mut dyn FnMut(Item) -> bool) -> bool {
        in_lanes!(simd => self.visit(simd, stack, work, keep))
    }

    #[inline(always)]
    fn visit<S: Simd>(
        &self,
        simd: S,
        stack: &mut Vec<Item>,
        work: &mut Work,
        keep: &mut dyn FnMut(Item) -> bool,
    ) -> bool {
        let pair = &self.pair;
        let [columns_a, columns_b] =
            [PoseColumns::new(simd, &pair.a.pose), PoseColumns::new(simd, &pair.b.pose)];
        let moving = Moving::new(simd, self.moment, self.limit);
        while let Some(item) = stack.pop() {
            match item {
                Item::Triangles { lanes, leaves: [leaf_a, leaf_b] } => {
                    work.triangle_tests += u64::from(leaf_a.count * leaf_b.count);
                    let mut posed_a = leaf_of(&columns_a, pair.a, leaf_a, Side::A);
                    let posed_b = leaf_of(&columns_b, pair.b, leaf_b, Side::B);
                    posed_a.lanes &= u32::from(lanes);
                    let left = lanes & self.near(simd, &posed_a, &posed_b, &moving) as u8;
                    if left != 0 && keep(Item::Triangles { lanes: left, leaves: [leaf_a, leaf_b] }) {
                        return true;
                    }
                }
                Item::Boxes { side, lanes, block: index, other } => {
                    let tree = if side == 0 { pair.a.tree } else { pair.b.tree };
                    let block = &tree.blocks[index as usize];
                    let (mut left, mut last) = (u32::from(lanes), 0);
                    if let Some(single) = self.single(usize::from(side), block, other) {
                        let at = (block, single);
                        let [meeting, long] = self.meeting(simd, usize::from(side), at, left, work);
                        if long != 0 && keep(Item::Boxes { side, lanes: long as u8, block: index, other }) {
                            return true;
                        }
                        left = meeting & !long;
                        if self.method.near_first {
                            last = nearest(simd, &single, block, left);
                        }
                    } else {
                        left &= used(block);
                    }
                    while left != 0 {
                        let next = if left == last { last } else { left & !last };
                        left &= !(next & next.wrapping_neg());
                        let slot = index * LANES as u32 + next.trailing_zeros();
                        stack.push(opened(pair, if side == 0 { [slot, other] } else { [other, slot] }));
                    }
                }
            }
        }
        false
    }
}

/// Of some of a block's boxes the bit of the one whose centre is nearest.
#[inline(always)]
fn nearest<S: Simd>(simd: S, single: &Single, block: &Block, lanes: u32) -> u32 {
    let squared = box_box::simd::between_centers(simd, single, block).to_array();
    let mut nearest = lanes & lanes.wrapping_neg();
    let mut rest = lanes & !nearest;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest &= !bit;
        if squared[bit.trailing_zeros() as usize] < squared[nearest.trailing_zeros() as usize] {
            nearest = bit;
        }
    }
    nearest
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

/// True when the triangles of one lane of two leaves are within a limit: what decides.
fn settled_within([a, b]: [&Posed; 2], leaves: [Leaf; 2], lane: u32, limit: f64) -> bool {
    distance(&a.triangle(leaves[0].first + lane / 2), &b.triangle(leaves[1].first + lane % 2)) <= limit
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
                if settled_within([a, b], [leaf_a, leaf_b], lane, limit) {
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
        let drifts = [Drift::of(moment, &a, limit), Drift::of(moment, &b, limit)];
        let over = |side: usize, of: &Posed, to: &Posed| {
            Some((IntervalFrame::new(moment, self.spin, side, of, to)?, IntervalFrame::limit(limit, to)))
        };
        let intervals = match self.method.boxes {
            Boxes::Swept => None,
            Boxes::Interval => over(1, &b, &a).zip(over(0, &a, &b)).map(<[_; 2]>::from),
        };
        work(&Scene { pair: Pair::new(&a, &b), drifts, intervals, moment, limit, method: self.method })
    }
}

impl fronts::Trees for Trees<'_> {
    type Item = Item;

    fn whole(&self) -> Item {
        Item::Boxes { side: 0, lanes: 1, block: 0, other: 0 }
    }

    fn seen_from(&self) -> usize {
        self.seen_from
    }

    fn method(&self) -> Method {
        self.method
    }

    fn narrow(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<Item>,
        left: &mut Vec<Item>,
        work: &mut Work,
    ) {
        if self.method.near_first {
            stack.reverse(); // what was near came first
        }
        self.at(moment, limit, |scene| {
            scene.search(stack, work, &mut |item| {
                left.push(item);
                false
            })
        });
    }

    fn is_within(&self, moment: &Moment, limit: f64, stack: &mut Vec<Item>, work: &mut Work) -> bool {
        let mut settled = 0;
        let found = self.at(moment, limit, |scene| {
            scene.search(stack, work, &mut |item| {
                let Item::Triangles { lanes, leaves } = item else {
                    unreachable!("nothing moves in no time")
                };
                (0..4).filter(|lane| lanes >> lane & 1 != 0).any(|lane| {
                    settled += 1;
                    settled_within([scene.pair.a, scene.pair.b], leaves, lane, limit)
                })
            })
        });
        work.settled += settled;
        found
    }

    fn is_triangles(item: &Item) -> bool {
        matches!(item, Item::Triangles { .. })
    }

    fn free_time(&self, moment: &Moment, limit: f64, front: &[Item], work: &mut Work) -> Option<f64> {
        let [a, b] = [0, 1].map(|side| Posed::new(self.trees[side], &moment.poses[side]));
        in_lanes!(simd => free_times(simd, [&a, &b], moment, limit, front, work))
    }
}

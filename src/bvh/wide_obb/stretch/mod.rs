//! Searches two trees over a stretch of time: one box against the eight of a block, two leaves against each
//! other.

pub(super) mod drift;
pub mod interval_boxes;
pub mod natural_boxes;
mod subdivision;
pub mod swept_boxes;
#[cfg(test)]
mod testing;

use crate::bvh::leaf::all_lanes;
use crate::bvh::moving::MovingTrees;
use crate::bvh::wide_obb::box_box::Single;
use crate::bvh::wide_obb::kernels::Kernels;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::bvh::wide_obb::search::{Leaf, Opened, PosedPair, Slot, Step, leaf_of, place, used};
use crate::bvh::wide_obb::{Block, WideObb, is_opened};
use crate::continuous::fronts;
use crate::continuous::method::{Boxes, Discrete, Method, Subdivision, Triangles};
use crate::continuous::roots::{UnposedLeaf, UnposedLeaves};
use crate::narrow::Work;
use crate::narrow::posed_leaf::Side;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::executor::execute;
use closefit_geometry::lanes::LANES;
use closefit_geometry::motion::moment::Moment;
use drift::Drift;
use interval_boxes::IntervalFrame;
use natural_boxes::{NaturalMotion, NaturalPair};
use swept_boxes::MovingSide;

/// Two moving trees.
pub struct StretchSearch<'a> {
    trees: MovingTrees<'a, WideObb>,
    /// Their motions as screws, if the method asks for them and they have any.
    natural: Option<NaturalMotion>,
}

/// Boxes or triangles that were not proven apart.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// Boxes of a block of one tree (0 for the first), and a box of the other.
    Boxes { side: u8, lanes: u8, block: u32, other: Slot },
    /// Pairs of triangles of two leaves, as lanes.
    Triangles { lanes: u8, leaves: [Leaf; 2] },
}

/// Two trees at a moment.
struct PairAtMoment<'a> {
    pair: PosedPair<'a>,
    /// The motion of the second part past the first, in normal coordinates of each tree.
    drifts: [Drift; 2],
    /// The motion of each part as seen from the other, and the limit there: for tests by intervals, and for
    /// boxes that no test over the stretch is made of.
    intervals: Option<[(IntervalFrame, f32); 2]>,
    /// The trees with their screws: for tests by intervals of coordinates.
    natural: Option<NaturalPair>,
    moment: &'a Moment,
    limit: f64,
    method: Method,
}

impl PairAtMoment<'_> {
    /// Returns the box of a slot, in the middle of the stretch, in the frame of a block, and whether it is a
    /// leaf.
    #[inline(always)]
    fn single(&self, side: usize, block: &Block, other: Slot) -> Option<(Single, bool)> {
        let (index, lane) = place(other);
        let relative = &self.pair.frames.as_ref()?[side];
        let of = &[self.pair.b, self.pair.a][side].blocks[index];
        Some((relative.single(of, lane, &block.origin), !is_opened(of.child[lane])))
    }

    /// Returns two masks: the block's boxes that are not proven apart from a box throughout, and those among
    /// them that are not to be opened before time is halved.
    #[inline(always)]
    fn meeting(
        &self,
        kernels: impl Kernels,
        side: usize,
        (block, single, is_leaf, other): (&Block, Single, bool, Slot),
        lanes: u32,
        work: &mut Work,
    ) -> [u32; 2] {
        let Method { boxes, axes, discrete, subdivision, k, .. } = self.method;
        let over = self.intervals.as_ref().map(|of_sides| &of_sides[side]);
        let [mut left, mut long] = match (discrete, over) {
            (Discrete::Middle | Discrete::Ends, Some(over)) => {
                let overlapping = lanes & self.overlapping(kernels, side, (block, &single), work);
                [overlapping, overlapping & kernels.subdivided(&single, block, &over.0)]
            }
            _ => [0; 2],
        };
        let tested = lanes & !left;
        if tested != 0 {
            work.box_tests += LANES as u64;
            let [of_tested, halved] = match over {
                Some(over) if boxes != Boxes::Swept => {
                    let left = match &self.natural {
                        Some(natural) => {
                            let (index, lane) = place(other);
                            let of = &[self.pair.b, self.pair.a][side].blocks[index];
                            kernels.natural(natural, (side, block, tested), (of, lane), axes)
                        }
                        None => kernels.interval(&single, block, over, (tested, axes)),
                    };
                    [left, if left == 0 { 0 } else { left & kernels.subdivided(&single, block, &over.0) }]
                }
                _ => {
                    let moving = self.drifts[side].moving(single, is_leaf, &block.origin, k);
                    // The second part moves, so all boxes of its blocks do.
                    kernels.swept(&moving, block, [MovingSide::One, MovingSide::Block][side], tested, axes)
                }
            };
            (left, long) = (left | of_tested, long | halved);
        }
        // In no time, all boxes are opened.
        let halved = match subdivision {
            Subdivision::Extents => return [left, long],
            _ if self.moment.half == 0.0 => 0,
            Subdivision::Never => 0,
            Subdivision::Always => left,
            Subdivision::Printed => subdivision::as_printed(&single, block, &self.drifts[side], k, left),
        };
        [left, halved]
    }

    /// Returns the block's boxes that overlap a box at a time of the discrete tests. They need no test over
    /// the stretch (Redon et al. 2002, section 6).
    #[inline(always)]
    fn overlapping(
        &self,
        kernels: impl Kernels,
        side: usize,
        (block, single): (&Block, &Single),
        work: &mut Work,
    ) -> u32 {
        if self.method.discrete == Discrete::Middle {
            work.discrete_tests += LANES as u64;
            return kernels.meeting(single, block);
        }
        work.discrete_tests += 2 * LANES as u64;
        let [start, end] = self.drifts[side].ends(single, &block.origin);
        kernels.meeting(&start, block) | kernels.meeting(&end, block)
    }

    /// Returns the lanes, of four pairs of triangles, that are not proven apart throughout.
    #[inline(always)]
    fn near<K: Kernels>(&self, kernels: K, [a, b]: [&K::Leaf; 2], lanes: u32, moving: &K::Prepared) -> u32 {
        match self.method.triangles {
            Triangles::Directions | Triangles::Roots => lanes & !kernels.stays_beyond(a, b, moving),
            // Feature tests prove only that triangles which are apart at some time remain apart.
            Triangles::Elementary => {
                let still = kernels.prepare(&self.moment.standing(), self.limit);
                let apart = kernels.stays_beyond(a, b, &still);
                if apart & lanes == 0 {
                    return lanes;
                }
                lanes & !(apart & kernels.features_stay_beyond(a, b, self.moment, self.limit))
            }
        }
    }

    /// Calls `keep` with each item that is not proven farther apart than the limit, until it returns true.
    /// Compiled once for each instruction set: `keep` costs more than the call.
    fn search(&self, stack: &mut Vec<Item>, work: &mut Work, keep: &mut dyn FnMut(Item) -> bool) -> bool {
        work.begin(self.pair.frames.as_ref());
        execute!(self.pair.executor, kernels => self.visit(kernels, stack, work, keep))
    }

    #[inline(always)]
    fn visit(
        &self,
        kernels: impl Kernels,
        stack: &mut Vec<Item>,
        work: &mut Work,
        keep: &mut dyn FnMut(Item) -> bool,
    ) -> bool {
        let pair = &self.pair;
        let [columns_a, columns_b] = [kernels.columns(&pair.a.pose), kernels.columns(&pair.b.pose)];
        let moving = kernels.prepare(self.moment, self.limit);
        while let Some(item) = stack.pop() {
            match item {
                Item::Triangles { .. } if self.method.triangles.are_solved(self.moment) => {
                    if keep(item) {
                        return true;
                    }
                }
                Item::Triangles { lanes, leaves: [leaf_a, leaf_b] } => {
                    work.triangle_tests += u64::from(leaf_a.count * leaf_b.count);
                    let mut posed_a = leaf_of(kernels, &columns_a, pair.a, leaf_a, Side::A);
                    let posed_b = leaf_of(kernels, &columns_b, pair.b, leaf_b, Side::B);
                    let there = u32::from(lanes) & all_lanes([leaf_a, leaf_b]);
                    kernels.keep(&mut posed_a, there);
                    let left = self.near(kernels, [&posed_a, &posed_b], there, &moving) as u8;
                    if left != 0 && keep(Item::Triangles { lanes: left, leaves: [leaf_a, leaf_b] }) {
                        return true;
                    }
                }
                Item::Boxes { side, lanes, block: index, other } => {
                    let placed = if side == 0 { pair.a } else { pair.b };
                    let block = &placed.blocks[index as usize];
                    let (mut left, mut last) = (u32::from(lanes), 0);
                    if let Some((single, is_leaf)) = self.single(usize::from(side), block, other) {
                        let at = (block, single, is_leaf, other);
                        let [meeting, long] = self.meeting(kernels, usize::from(side), at, left, work);
                        if long != 0 && keep(Item::Boxes { side, lanes: long as u8, block: index, other }) {
                            return true;
                        }
                        left = meeting & !long;
                        if self.method.near_first {
                            last = nearest(kernels, &single, block, left);
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

/// Returns the bit of the box, among some of a block, whose centre is nearest.
#[inline(always)]
fn nearest(kernels: impl Kernels, single: &Single, block: &Block, lanes: u32) -> u32 {
    let squared = kernels.between_centers(single, block);
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

/// Returns the next item for two boxes that were not proven apart.
#[inline(always)]
fn opened(pair: &PosedPair, slots: [Slot; 2]) -> Item {
    match pair.step(slots) {
        Step::Triangles(leaves) => Item::Triangles { lanes: 0b1111, leaves },
        Step::Open(Opened { side, block }) => {
            Item::Boxes { side: side as u8, lanes: 0xff, block, other: slots[1 - side] }
        }
    }
}

/// True when the triangles in one lane of two leaves are within a limit, by exact arithmetic.
fn is_within_exactly([a, b]: [&PosedWideObb; 2], leaves: [Leaf; 2], lane: u32, limit: f64) -> bool {
    distance(&a.triangle(leaves[0].first + lane / 2), &b.triangle(leaves[1].first + lane % 2)) <= limit
}

/// Does [`fronts::TreePair::free_time`] for four pairs at a time.
#[inline(always)]
fn free_times(
    kernels: impl Kernels,
    [a, b]: [&PosedWideObb; 2],
    moment: &Moment,
    limit: f64,
    front: &[Item],
    work: &mut Work,
) -> Option<f64> {
    let [columns_a, columns_b] = [kernels.columns(&a.pose), kernels.columns(&b.pose)];
    let moving = kernels.prepare(moment, limit);
    let mut free = moment.half;
    for item in front {
        let Item::Triangles { lanes, leaves: [leaf_a, leaf_b] } = *item else {
            unreachable!("a front of triangles")
        };
        work.triangle_tests += u64::from(leaf_a.count * leaf_b.count);
        let posed_a = leaf_of(kernels, &columns_a, a, leaf_a, Side::A);
        let posed_b = leaf_of(kernels, &columns_b, b, leaf_b, Side::B);
        let times = kernels.free_time(&posed_a, &posed_b, &moving);
        for lane in 0..4 {
            if lanes >> lane & 1 == 0 {
                continue;
            }
            let time = times[lane as usize];
            if time == 0.0 {
                work.exact_tests += 1;
                if is_within_exactly([a, b], [leaf_a, leaf_b], lane, limit) {
                    return None;
                }
            }
            free = free.min(time);
        }
    }
    Some(free)
}

impl<'a> StretchSearch<'a> {
    /// Prepares a search of two trees.
    pub(super) fn new(trees: MovingTrees<'a, WideObb>) -> Self {
        let is_natural = trees.method.boxes == Boxes::Natural;
        Self { natural: is_natural.then(|| NaturalMotion::of(&trees)).flatten(), trees }
    }

    fn posed(&self, moment: &Moment) -> [PosedWideObb<'_>; 2] {
        let MovingTrees { trees, executor, .. } = self.trees;
        [0, 1].map(|side| PosedWideObb::new(trees[side], &moment.poses[side]).by(executor))
    }

    /// Calls `work` with the trees at a moment.
    fn at<T>(&self, moment: &Moment, limit: f64, work: impl FnOnce(&PairAtMoment) -> T) -> T {
        let [a, b] = self.posed(moment);
        let drifts = [Drift::of(moment, &b, &a, limit), Drift::of(moment, &a, &b, limit)];
        let over = |side: usize, of: &PosedWideObb, to: &PosedWideObb| {
            let spin = self.trees.motion.spin();
            let frame = IntervalFrame::new(moment, spin, side, of, to, self.trees.method.k)?;
            Some((frame, IntervalFrame::limit(limit, to)))
        };
        let Method { boxes, discrete, .. } = self.trees.method;
        let intervals = match (boxes, discrete) {
            (Boxes::Swept, Discrete::Off) => None,
            _ => over(1, &b, &a).zip(over(0, &a, &b)).map(<[_; 2]>::from),
        };
        work(&PairAtMoment {
            pair: PosedPair::new(&a, &b),
            drifts,
            intervals,
            natural: self.natural.as_ref().map(|natural| natural.over(moment, limit)),
            moment,
            limit,
            method: self.trees.method,
        })
    }
}

impl fronts::TreePair for StretchSearch<'_> {
    type Item = Item;

    fn whole(&self) -> Item {
        Item::Boxes { side: 0, lanes: 1, block: 0, other: 0 }
    }

    fn seen_from(&self) -> usize {
        self.trees.seen_from
    }

    fn method(&self) -> Method {
        self.trees.method
    }

    fn narrow(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<Item>,
        left: &mut Vec<Item>,
        work: &mut Work,
    ) {
        if self.trees.method.near_first {
            stack.reverse(); // what was near came first
        }
        self.at(moment, limit, |at| {
            at.search(stack, work, &mut |item| {
                left.push(item);
                false
            })
        });
    }

    fn is_within(&self, moment: &Moment, limit: f64, stack: &mut Vec<Item>, work: &mut Work) -> bool {
        let mut exact_tests = 0;
        let found = self.at(moment, limit, |at| {
            at.search(stack, work, &mut |item| {
                let Item::Triangles { lanes, leaves } = item else {
                    unreachable!("nothing moves in no time")
                };
                (0..4).filter(|lane| lanes >> lane & 1 != 0).any(|lane| {
                    exact_tests += 1;
                    is_within_exactly([at.pair.a, at.pair.b], leaves, lane, limit)
                })
            })
        });
        work.exact_tests += exact_tests;
        found
    }

    fn is_triangles(item: &Item) -> bool {
        matches!(item, Item::Triangles { .. })
    }

    fn leaves(&self, item: &Item) -> Option<UnposedLeaves<'_>> {
        let &Item::Triangles { lanes, leaves } = item else { return None };
        let leaf = |side: usize| {
            let WideObb { vertices, corners, .. } = self.trees.trees[side];
            UnposedLeaf { vertices, triangles: leaves[side].of(corners) }
        };
        let lanes = u32::from(lanes) & all_lanes(leaves);
        Some(UnposedLeaves { leaves: [0, 1].map(leaf), lanes, executor: self.trees.executor })
    }

    fn free_time(&self, moment: &Moment, limit: f64, front: &[Item], work: &mut Work) -> Option<f64> {
        let [a, b] = &self.posed(moment);
        execute!(self.trees.executor, kernels => free_times(kernels, [a, b], moment, limit, front, work))
    }
}

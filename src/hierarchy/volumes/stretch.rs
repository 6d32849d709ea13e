//! Searches two trees over a stretch of time by the test of standing volumes in its middle: in half the stretch no
//! point comes nearer to another than half the stretch times the pair's speed, plus the rounding of poses.

use super::VolumeTree;
use super::posed::{Opened, Posed, PosedPair, Slot, Slots, Step, WHOLE};
use super::volume::{Volume, VolumeKernels};
use crate::continuous::method::Method;
use crate::continuous::{SUBDIVISION, fronts};
use crate::executor::execute;
use crate::hierarchy::leaf_pairs::{LeafPair, all_lanes, lanes};
use crate::hierarchy::moving::MovingTrees;
use crate::hierarchy::placement::squared_limit;
use crate::motion::moment::Moment;
use crate::narrow::Work;

/// Two moving trees. Only the triangle test and the fronts of their method apply here.
pub struct StretchSearch<'a, V: Volume>(pub(super) MovingTrees<'a, VolumeTree<V>>);

/// Volumes or triangles that were not proven apart.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// Volumes of a block of one tree (0 for the first), as lanes, and a volume of the other.
    Volumes { side: u8, lanes: u8, block: u32, other: Slot },
    /// Pairs of triangles.
    Triangles(LeafPair),
}

/// Volumes and triangles that a search did not prove apart.
#[derive(Default)]
struct Left {
    /// Volumes that are not to be opened before time is halved.
    volumes: Vec<Item>,
    triangles: Vec<LeafPair>,
}

impl Left {
    /// Opens volumes as long as they are large compared with their movement.
    #[inline(always)]
    fn open<V: Volume>(
        &mut self,
        kernels: impl VolumeKernels,
        pair: &PosedPair<V>,
        (moment, limit): (&Moment, f64),
        stack: &mut Vec<Item>,
        work: &mut Work,
    ) {
        let path = moment.half * moment.speed;
        let farthest = squared_limit(limit + path + moment.slack, pair.a.scale);
        let long = path / f64::from(SUBDIVISION) / pair.a.scale;
        while let Some(item) = stack.pop() {
            let (side, mask, block, other) = match item {
                Item::Triangles(pair) => {
                    self.triangles.push(pair);
                    continue;
                }
                Item::Volumes { side, lanes, block, other } => (side, lanes, block, other),
            };
            let opened = Opened { side: side.into(), block };
            let (near, _) = pair.near(kernels, opened, [other; 2], farthest, work);
            let mut left = near & u32::from(mask);
            let mut kept = 0;
            while left != 0 {
                let lane = left.trailing_zeros();
                left &= left - 1;
                let slots = opened.to(lane, [other; 2]);
                let [size_a, size_b] = pair.sizes(slots);
                if long > f64::from(size_a + size_b) {
                    kept |= 1 << lane;
                } else {
                    stack.push(next(pair, slots));
                }
            }
            if kept != 0 {
                self.volumes.push(Item::Volumes { side, lanes: kept, block, other });
            }
        }
    }
}

/// Returns the next item for two volumes that were not proven apart.
fn next<V: Volume>(pair: &PosedPair<V>, slots: Slots) -> Item {
    match pair.step(slots) {
        Step::Triangles(leaves) => Item::Triangles((all_lanes(leaves), leaves)),
        Step::Open(Opened { side, block }) => {
            Item::Volumes { side: side as u8, lanes: 0xff, block, other: slots[1 - side] }
        }
    }
}

impl<V: Volume> StretchSearch<'_, V> {
    fn posed(&self, moment: &Moment) -> [Posed<'_, V>; 2] {
        let MovingTrees { trees, executor, .. } = self.0;
        [0, 1].map(|side| Posed::new(trees[side], &moment.poses[side], executor))
    }

    /// Returns what is not proven farther apart than `limit` over a moment.
    fn search(
        &self,
        pair: &PosedPair<V>,
        at: (&Moment, f64),
        stack: &mut Vec<Item>,
        work: &mut Work,
    ) -> Left {
        let mut left = Left::default();
        execute!(self.0.executor, kernels => left.open(kernels, pair, at, stack, work));
        pair.triangle_pairs().retain_near(&mut left.triangles, at, self.0.method.triangles, work);
        left
    }
}

impl<V: Volume> fronts::TreePair for StretchSearch<'_, V> {
    type Item = Item;

    fn whole(&self) -> Item {
        let [block, other] = WHOLE;
        Item::Volumes { side: 0, lanes: 1, block, other }
    }

    fn seen_from(&self) -> usize {
        self.0.seen_from
    }

    fn method(&self) -> Method {
        self.0.method
    }

    fn narrow(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<Item>,
        left: &mut Vec<Item>,
        work: &mut Work,
    ) {
        let [a, b] = &self.posed(moment);
        let Left { volumes, triangles } = self.search(&PosedPair::new(a, b), (moment, limit), stack, work);
        left.extend(volumes);
        left.extend(triangles.into_iter().map(Item::Triangles));
    }

    fn is_within(&self, moment: &Moment, limit: f64, stack: &mut Vec<Item>, work: &mut Work) -> bool {
        let [a, b] = &self.posed(moment);
        let pair = PosedPair::new(a, b);
        let Left { volumes, triangles } = self.search(&pair, (moment, limit), stack, work);
        debug_assert!(volumes.is_empty(), "nothing moves in no time");
        let exact = pair.triangle_pairs();
        let mut pairs = triangles.into_iter().flat_map(|(mask, leaves)| lanes(mask, leaves));
        pairs.any(|(_, places)| exact.is_within(places, limit, work))
    }

    fn is_triangles(item: &Item) -> bool {
        matches!(item, Item::Triangles(_))
    }

    fn free_time(&self, moment: &Moment, limit: f64, front: &[Item], work: &mut Work) -> Option<f64> {
        let [a, b] = &self.posed(moment);
        let pairs: Vec<LeafPair> = front
            .iter()
            .map(|item| match item {
                Item::Triangles(pair) => *pair,
                Item::Volumes { .. } => unreachable!("a front of triangles"),
            })
            .collect();
        PosedPair::new(a, b).triangle_pairs().free_time(&pairs, (moment, limit), work)
    }
}

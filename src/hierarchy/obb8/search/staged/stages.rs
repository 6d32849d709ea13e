//! The stages: columns in, columns out. The CPU runs them with its kernels.

use super::columns::{BoxItem, LeafItem};
use crate::hierarchy::obb8::kernels::Kernels;
use crate::hierarchy::obb8::search::{PosedPair, Step, leaf_of};
use crate::narrow::kernels::LaneDistances;
use crate::narrow::posed_leaf::Side;
use crate::narrow::triangle_triangle::Contacts;
use closefit_geometry::executor::execute;
use closefit_geometry::lanes::LANES;

/// Limit of a question about contacts: boxes survive unless an axis separates them.
pub(super) const CONTACTS: f32 = -1.0;

/// Opens pairs of boxes. A box of the block survives unless it is proven apart from the other box or, where
/// the question has a squared limit, proven farther than that. Survivors that can be opened become items;
/// pairs of leaves go to `leaves`. Each item gives at most eight of both together.
pub(super) fn open(
    pairs: &[PosedPair],
    limits: &[f32],
    items: &[BoxItem],
    survivors: &mut Vec<BoxItem>,
    leaves: &mut Vec<LeafItem>,
) {
    let Some(first) = items.first() else { return };
    let executor = pairs[first.query as usize].executor;
    execute!(executor, kernels => open_by(kernels, pairs, limits, items, survivors, leaves));
}

#[inline(always)]
fn open_by(
    kernels: impl Kernels,
    pairs: &[PosedPair],
    limits: &[f32],
    items: &[BoxItem],
    survivors: &mut Vec<BoxItem>,
    leaves: &mut Vec<LeafItem>,
) {
    for item in items {
        let pair = &pairs[item.query as usize];
        let limit = limits[item.query as usize];
        let (opened, slots) = item.opened();
        let (mut left, bounds) = if limit < 0.0 {
            (pair.facing(opened, slots).meeting(kernels), [0.0; LANES])
        } else {
            pair.near(kernels, opened, slots, limit)
        };
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let slots = opened.to(lane, slots);
            match pair.step(slots) {
                Step::Triangles(pair_of_leaves) => leaves.push(LeafItem::new(item.query, pair_of_leaves)),
                Step::Open(next) => {
                    survivors.push(BoxItem::new(item.query, next, slots, bounds[lane as usize]));
                }
            }
        }
    }
}

/// Tests leaf pairs for contact and returns what is known of each, by lane.
pub(super) fn contacts(pairs: &[PosedPair], leaves: &[LeafItem], found: &mut Vec<Contacts>) {
    let Some(first) = leaves.first() else { return };
    let executor = pairs[first.query as usize].executor;
    execute!(executor, kernels => contacts_by(kernels, pairs, leaves, found));
}

#[inline(always)]
fn contacts_by<K: Kernels>(kernels: K, pairs: &[PosedPair], leaves: &[LeafItem], found: &mut Vec<Contacts>) {
    let mut poses = Poses::<K>::default();
    for item in leaves {
        let [a, b] = poses.leaves(kernels, pairs, item);
        found.push(kernels.contacts(&a, &b));
    }
}

/// Bounds the distances of leaf pairs, by lane. The bounds are infinite where all are proven farther than
/// `beyond` of the question.
pub(super) fn distances(
    pairs: &[PosedPair],
    beyond: &[f64],
    leaves: &[LeafItem],
    found: &mut Vec<LaneDistances>,
) {
    let Some(first) = leaves.first() else { return };
    let executor = pairs[first.query as usize].executor;
    execute!(executor, kernels => distances_by(kernels, pairs, beyond, leaves, found));
}

#[inline(always)]
fn distances_by<K: Kernels>(
    kernels: K,
    pairs: &[PosedPair],
    beyond: &[f64],
    leaves: &[LeafItem],
    found: &mut Vec<LaneDistances>,
) {
    const FAR: LaneDistances = LaneDistances { at_least: [f64::INFINITY; 4], at_most: [f64::INFINITY; 4] };
    let mut poses = Poses::<K>::default();
    for item in leaves {
        let [a, b] = poses.leaves(kernels, pairs, item);
        let all_beyond = kernels.beyond(&a, &b, beyond[item.query as usize]) & 0xf == 0xf;
        found.push(if all_beyond { FAR } else { kernels.bounds(&a, &b) });
    }
}

/// The prepared poses of the last question: leaf pairs come in runs of one question.
struct Poses<K: Kernels> {
    ready: Option<(u32, [K::Columns; 2])>,
}

impl<K: Kernels> Default for Poses<K> {
    #[inline(always)]
    fn default() -> Self {
        Self { ready: None }
    }
}

impl<K: Kernels> Poses<K> {
    #[inline(always)]
    fn leaves(&mut self, kernels: K, pairs: &[PosedPair], item: &LeafItem) -> [K::Leaf; 2] {
        let pair = &pairs[item.query as usize];
        if !matches!(&self.ready, Some((query, _)) if *query == item.query) {
            self.ready = Some((item.query, [kernels.columns(&pair.a.pose), kernels.columns(&pair.b.pose)]));
        }
        let Some((_, [of_a, of_b])) = &self.ready else { unreachable!("made ready") };
        let [leaf_a, leaf_b] = item.leaves();
        [leaf_of(kernels, of_a, pair.a, leaf_a, Side::A), leaf_of(kernels, of_b, pair.b, leaf_b, Side::B)]
    }
}

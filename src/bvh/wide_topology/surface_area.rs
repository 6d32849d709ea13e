//! Splits a group in two by the surface-area heuristic: the least sum of area times number of triangles, over
//! cuts between bins of centres (Wald 2007) or, for small groups, over all cuts.

use glam::Vec4;

use super::items::{Bounds, LaneBounds, SplitItem};
use super::sorting_network::{Network, network};
use closefit_geometry::lanes::*;

/// Groups deeper than this many splits are halved by position in the list.
const DEEPEST: u32 = 64;

/// The largest number of blocks on the way to a leaf: below [`DEEPEST`] splits, at most 2^32 items are
/// halved.
pub const MOST_DEPTH: u32 = DEEPEST + 32;

/// Largest group for which all cuts are tried.
const SWEPT: usize = 16;

/// Groups larger than twice this are judged by about this many of their triangles, evenly spread in the list.
const SAMPLE: usize = 1024;

/// Added to a number between 0 and 2^21, this leaves the nearest integer in the low bits.
const ROUND: f32 = 12_582_912.0;

/// Extents below this count as none: a scale by their inverse would overflow.
const NO_EXTENT: f32 = 1e-30;

/// Splits two or more items, and reorders them so that the first half comes first. Returns the number of
/// items in the first half, neither none nor all, and sets the bounds of both halves, which are approximate.
pub(super) fn split(items: &mut [SplitItem], depth: u32, bounds: &mut [Bounds; 2]) -> usize {
    let cut = if depth < DEEPEST { in_lanes!(simd => cut(simd, items, bounds)) } else { None };
    cut.unwrap_or_else(|| {
        let middle = items.len() / 4 * 2; // leaves of two
        let middle = if middle == 0 { items.len() / 2 } else { middle };
        let (left, right) = items.split_at(middle);
        *bounds = [Bounds::of(left), Bounds::of(right)];
        middle
    })
}

#[inline(always)]
fn cut<S: Simd>(simd: S, items: &mut [SplitItem], bounds: &mut [Bounds; 2]) -> Option<usize> {
    match items.len() {
        ..=2 => None,
        3..=4 => apart(simd, items, bounds),
        5..=SWEPT => sweep(simd, items, bounds),
        17..=128 => binned::<S, 8>(simd, items, bounds),
        _ => binned::<S, 16>(simd, items, bounds),
    }
}

/// Splits between bins. Returns `None` where all centres coincide, or nearly.
#[inline(always)]
fn binned<S: Simd, const BINS: usize>(
    simd: S,
    items: &mut [SplitItem],
    of_halves: &mut [Bounds; 2],
) -> Option<usize> {
    let step = (items.len() / SAMPLE).max(1);
    let some: Vec<SplitItem> =
        if step == 1 { Vec::new() } else { items.iter().step_by(step).copied().collect() };
    let sample = if step == 1 { &*items } else { &some };
    let (mut least, mut most) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
    for item in sample {
        let center = item.twice_center();
        (least, most) = (least.min(center), most.max(center));
    }
    // Bin coordinates are integers: from -1/2, which rounds to 0, to almost BINS - 1/2.
    let size = most - least;
    let scale = Vec4::select(size.cmpgt(Vec4::splat(NO_EXTENT)), 0.999 * BINS as f32 / size, Vec4::ZERO);
    let mut bins = [[Bounds::EMPTY; BINS]; 3];
    let mut counts = [[0_u32; BINS]; 3];
    for item in sample {
        let places = (item.twice_center() - least) * scale - 0.5 + ROUND;
        let bounds = item.bounds(simd);
        for (axis, place) in places.to_array().into_iter().take(3).enumerate() {
            let place = place.to_bits() as usize % BINS;
            let bin = &mut bins[axis][place];
            *bin = bin.load(simd).with(bounds).store();
            counts[axis][place] += 1;
        }
    }
    let mut best = Best::NONE;
    for axis in 0..3 {
        let (bins, counts) = (&bins[axis], &counts[axis]);
        let mut costs = [0.0; BINS];
        let (mut bounds, mut count) = (LaneBounds::empty(simd), 0);
        for i in (1..BINS).rev() {
            bounds = bounds.with(bins[i].load(simd));
            count += counts[i];
            costs[i] = cost(bounds, count);
        }
        (bounds, count) = (LaneBounds::empty(simd), 0);
        for i in 1..BINS {
            bounds = bounds.with(bins[i - 1].load(simd));
            count += counts[i - 1];
            best = best.or(cost(bounds, count) + costs[i], axis, i);
        }
    }
    let (axis, first) = best.cut()?;
    let (axis, first) = (axis % 3, first % BINS);
    let mut bounds = [LaneBounds::empty(simd); 2];
    for (i, bin) in bins[axis].iter().enumerate() {
        let half = usize::from(i >= first);
        bounds[half] = bounds[half].with(bin.load(simd));
    }
    // Centres beyond the range of a sample go to the first bin or the last.
    let (least, scale, bound) = (least[axis], scale[axis], ROUND + first as f32);
    let mut middle = 0;
    for i in 0..items.len() {
        let item = items[i];
        let left = (item.twice_center_along(axis) - least) * scale - 0.5 + ROUND < bound;
        // Swaps without a branch: an item swapped in vain is on the right and stays there.
        items[i] = items[middle];
        items[middle] = item;
        middle += usize::from(left);
    }
    *of_halves = [bounds[0].store(), bounds[1].store()];
    Some(middle)
}

/// Splits between any two items in the order of their centres along an axis. Cutting into even numbers only
/// would leave fewer leaves of one, and cost a few percent more box and triangle tests.
#[inline(always)]
fn sweep<S: Simd>(simd: S, items: &mut [SplitItem], of_halves: &mut [Bounds; 2]) -> Option<usize> {
    let count = items.len();
    let sorted = sorted(items);
    let mut best = Best::NONE;
    for axis in [0, 1, 2] {
        let at = |rank: usize| sorted[rank][axis] as usize % SWEPT;
        let mut rights = [0.0; SWEPT];
        let mut bounds = LaneBounds::empty(simd);
        for rank in (1..count).rev() {
            bounds = bounds.with(items[at(rank)].bounds(simd));
            rights[rank] = bounds.area() * (count - rank) as f32;
        }
        bounds = LaneBounds::empty(simd);
        for (middle, right) in rights.iter().enumerate().take(count).skip(1) {
            bounds = bounds.with(items[at(middle - 1)].bounds(simd));
            best = best.or(bounds.area() * middle as f32 + right, axis, middle);
        }
    }
    let (axis, middle) = best.cut()?;
    let (axis, middle) = (axis % 3, middle % SWEPT);
    let mut ordered = [items[0]; SWEPT];
    let mut bounds = [LaneBounds::empty(simd); 2];
    for (rank, (slot, places)) in ordered.iter_mut().zip(&sorted[..count]).enumerate() {
        *slot = items[places[axis] as usize % SWEPT];
        let half = usize::from(rank >= middle);
        bounds[half] = bounds[half].with(slot.bounds(simd));
    }
    items.copy_from_slice(&ordered[..count]);
    *of_halves = [bounds[0].store(), bounds[1].store()];
    Some(middle)
}

/// Returns area times number; infinite for none, because an empty half is not allowed.
#[inline(always)]
fn cost<S: Simd>(bounds: LaneBounds<S>, count: u32) -> f32 {
    if count == 0 { f32::INFINITY } else { bounds.area() * count as f32 }
}

/// The cut of least cost so far, packed into a number so that finding it takes no branches: cost, axis and
/// place, from the high bits down. Costs are not negative, so their bits are in the same order.
#[derive(Clone, Copy)]
struct Best(u64);

impl Best {
    const NONE: Self = Self((f32::INFINITY.to_bits() as u64) << 32);

    #[inline(always)]
    fn or(self, cost: f32, axis: usize, place: usize) -> Self {
        Self(self.0.min(u64::from(cost.to_bits()) << 32 | (axis << 8 | place) as u64))
    }

    #[inline(always)]
    fn cut(self) -> Option<(usize, usize)> {
        let place = self.0 as usize & 0xff;
        (self.0 < Self::NONE.0).then_some((self.0 as usize >> 8 & 3, place))
    }
}

/// The exchanges that sort so many items.
const NETWORKS: [Network; SWEPT + 1] = {
    let mut networks = [network(0); SWEPT + 1];
    let mut count = 0;
    while count <= SWEPT {
        networks[count] = network(count);
        count += 1;
    }
    networks
};

/// Returns the place of the item of each rank along each axis, in the last bits.
#[inline(always)]
fn sorted(items: &[SplitItem]) -> [[u32; 3]; SWEPT] {
    let (mut least, mut most) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
    for item in items {
        let center = item.twice_center();
        (least, most) = (least.min(center), most.max(center));
    }
    // Keys are integers below 2^23, exact in f32: 2^19 steps of position, combined with the items' places.
    let size = most - least;
    let scale = Vec4::select(size.cmpgt(Vec4::splat(NO_EXTENT)), 500_000.0 / size, Vec4::ZERO);
    let mut keys = [Vec4::ZERO; SWEPT];
    for (i, (key, item)) in keys.iter_mut().zip(items).enumerate() {
        let step = (item.twice_center() - least) * scale + ROUND - ROUND;
        *key = step * SWEPT as f32 + i as f32;
    }
    for &[i, j] in NETWORKS[items.len() % (SWEPT + 1)].exchanges() {
        let (i, j) = (i as usize % SWEPT, j as usize % SWEPT);
        (keys[i], keys[j]) = (keys[i].min(keys[j]), keys[i].max(keys[j]));
    }
    let mut places = [[0; 3]; SWEPT];
    for (places, key) in places.iter_mut().zip(&keys[..items.len()]) {
        let [x, y, z, _] = (*key + 8_388_608.0).to_array();
        *places = [x.to_bits(), y.to_bits(), z.to_bits()];
    }
    places
}

/// Splits 3 or 4 items in the best of all ways.
#[inline(always)]
fn apart<S: Simd>(simd: S, items: &mut [SplitItem], of_halves: &mut [Bounds; 2]) -> Option<usize> {
    let count = items.len();
    let mut all = [LaneBounds::empty(simd); 4];
    for (bounds, item) in all.iter_mut().zip(items.iter()) {
        *bounds = item.bounds(simd);
    }
    let mut best = (f32::INFINITY, 0, 0, [LaneBounds::empty(simd); 2]);
    for alone in 0..count {
        let mut others = LaneBounds::empty(simd);
        for step in 1..count {
            others = others.with(all[(alone + step) % count]);
        }
        let cost = all[alone].area() + others.area() * (count - 1) as f32;
        if cost < best.0 {
            best = (cost, 1, alone, [all[alone], others]);
        }
    }
    if count == 4 {
        for partner in 1..4 {
            let bounds = [all[0].with(all[partner]), all[1 + partner % 3].with(all[1 + (partner + 1) % 3])];
            let cost = 2.0 * (bounds[0].area() + bounds[1].area());
            if cost <= best.0 {
                best = (cost, 2, partner, bounds); // among equals, fewer leaves
            }
        }
    }
    let (cost, middle, chosen, bounds) = best;
    items.swap(middle.max(1) - 1, chosen);
    *of_halves = [bounds[0].store(), bounds[1].store()];
    (cost < f32::INFINITY).then_some(middle)
}

//! Splits a group in two by the surface-area heuristic: the least sum of area times number of triangles, over
//! cuts between bins of centres (Wald 2007) or, for small groups, over all cuts.

use glam::Vec4;

use super::items::{Bounds, SplitItem};
use super::sorting_network::pairs;
use closefit_geometry::lanes::in_lanes;

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

/// The result of a split.
pub(super) struct Split {
    /// Number of items in the first half, neither none nor all.
    pub middle: usize,
    /// Approximate bounds of both halves.
    pub bounds: [Bounds; 2],
}

/// Splits two or more items, and reorders them so that the first half comes first.
pub(super) fn split(items: &mut [SplitItem], depth: u32) -> Split {
    let cut = if depth < DEEPEST { in_lanes!(_simd => cut(items)) } else { None };
    cut.unwrap_or_else(|| {
        let middle = items.len() / 4 * 2; // leaves of two
        let middle = if middle == 0 { items.len() / 2 } else { middle };
        let (left, right) = items.split_at(middle);
        Split { middle, bounds: [Bounds::of(left), Bounds::of(right)] }
    })
}

/// Four coordinates at a time need no wide lanes; newer instruction sets use fewer instructions for it.
#[inline(always)]
fn cut(items: &mut [SplitItem]) -> Option<Split> {
    match items.len() {
        ..=2 => None,
        3..=4 => apart(items),
        5..=SWEPT => sweep(items),
        17..=128 => binned::<8>(items),
        _ => binned::<16>(items),
    }
}

/// Splits between bins. Returns `None` where all centres coincide, or nearly.
#[inline(always)]
fn binned<const BINS: usize>(items: &mut [SplitItem]) -> Option<Split> {
    let step = (items.len() / SAMPLE).max(1);
    let mut range = Bounds::EMPTY;
    for item in items.iter().step_by(step) {
        let center = item.twice_center();
        range = range.with(center, center);
    }
    // Bin coordinates are integers: from -1/2, which rounds to 0, to almost BINS - 1/2.
    let size = range.hi - range.lo;
    let scale = Vec4::select(size.cmpgt(Vec4::splat(NO_EXTENT)), 0.999 * BINS as f32 / size, Vec4::ZERO);
    let place = |center: f32, axis: usize| {
        // Centres beyond the range of a sample go to the first bin or the last.
        let place = ((center - range.lo[axis]) * scale[axis] - 0.5).clamp(0.0, (BINS - 1) as f32);
        (place + ROUND).to_bits() as usize % BINS
    };
    let mut bins = [[(Bounds::EMPTY, 0_u32); BINS]; 3];
    for item in items.iter().step_by(step) {
        let places = (item.twice_center() - range.lo) * scale - 0.5 + ROUND;
        for (bins, place) in bins.iter_mut().zip(places.to_array()) {
            let (bounds, count) = &mut bins[place.to_bits() as usize % BINS];
            *bounds = bounds.with(item.lo, item.hi);
            *count += 1;
        }
    }
    let mut best = Best::NONE;
    let mut rights = [[Bounds::EMPTY; BINS]; 3];
    for (axis, bins) in bins.iter().enumerate() {
        let mut costs = [0.0; BINS];
        let (mut bounds, mut count) = (Bounds::EMPTY, 0);
        for i in (1..BINS).rev() {
            bounds = bounds.with(bins[i].0.lo, bins[i].0.hi);
            count += bins[i].1;
            rights[axis][i] = bounds;
            costs[i] = cost(&bounds, count);
        }
        (bounds, count) = (Bounds::EMPTY, 0);
        for i in 1..BINS {
            bounds = bounds.with(bins[i - 1].0.lo, bins[i - 1].0.hi);
            count += bins[i - 1].1;
            best = best.or(cost(&bounds, count) + costs[i], axis, i);
        }
    }
    let (axis, first) = best.cut()?;
    let (axis, first) = (axis % 3, first % BINS);
    let left = bins[axis][..first].iter().fold(Bounds::EMPTY, |all, bin| all.with(bin.0.lo, bin.0.hi));
    let bounds = [left, rights[axis][first]];
    let mut middle = 0;
    for i in 0..items.len() {
        let item = items[i];
        let left = place(item.lo[axis] + item.hi[axis], axis) < first;
        // Swaps without a branch: an item swapped in vain is on the right and stays there.
        items[i] = items[middle];
        items[middle] = item;
        middle += usize::from(left);
    }
    Some(Split { middle, bounds })
}

/// Splits between any two items in the order of their centres along an axis. Cutting into even numbers only
/// would leave fewer leaves of one, and cost a few percent more box and triangle tests.
#[inline(always)]
fn sweep(items: &mut [SplitItem]) -> Option<Split> {
    let count = items.len();
    let sorted = sorted(items);
    let mut best = Best::NONE;
    let mut rights = [[Bounds::EMPTY; SWEPT]; 3];
    for (axis, rights) in rights.iter_mut().enumerate() {
        let at = |rank: usize| &items[sorted[rank][axis] as usize % SWEPT];
        let mut bounds = Bounds::EMPTY;
        for rank in (1..count).rev() {
            bounds = bounds.with(at(rank).lo, at(rank).hi);
            rights[rank] = bounds;
        }
        bounds = Bounds::EMPTY;
        for (middle, right) in rights.iter().enumerate().take(count).skip(1) {
            bounds = bounds.with(at(middle - 1).lo, at(middle - 1).hi);
            let cost = bounds.area() * middle as f32 + right.area() * (count - middle) as f32;
            best = best.or(cost, axis, middle);
        }
    }
    let (axis, middle) = best.cut()?;
    let (axis, middle) = (axis % 3, middle % SWEPT);
    let mut ordered = [items[0]; SWEPT];
    for (slot, places) in ordered.iter_mut().zip(&sorted[..count]) {
        *slot = items[places[axis] as usize % SWEPT];
    }
    items.copy_from_slice(&ordered[..count]);
    Some(Split { middle, bounds: [Bounds::of(&items[..middle]), rights[axis][middle]] })
}

/// Returns area times number; infinite for none, because an empty half is not allowed.
#[inline(always)]
fn cost(bounds: &Bounds, count: u32) -> f32 {
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

/// Returns the place of the item of each rank along each axis, in the last bits.
#[inline(always)]
fn sorted(items: &[SplitItem]) -> [[u32; 3]; SWEPT] {
    const SMALL: [[u8; 2]; 19] = pairs::<8, 19>();
    const LARGE: [[u8; 2]; 63] = pairs::<SWEPT, 63>();
    let mut range = Bounds::EMPTY;
    for item in items {
        let center = item.twice_center();
        range = range.with(center, center);
    }
    // Keys are integers below 2^23, exact in f32: 2^19 steps of position, combined with the items' places.
    let size = range.hi - range.lo;
    let scale = Vec4::select(size.cmpgt(Vec4::splat(NO_EXTENT)), 500_000.0 / size, Vec4::ZERO);
    let mut keys = [Vec4::INFINITY; SWEPT];
    for (i, (key, item)) in keys.iter_mut().zip(items).enumerate() {
        let step = (item.twice_center() - range.lo) * scale + ROUND - ROUND;
        *key = step * SWEPT as f32 + i as f32;
    }
    let network: &[[u8; 2]] = if items.len() <= 8 { &SMALL } else { &LARGE };
    for &[i, j] in network {
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
fn apart(items: &mut [SplitItem]) -> Option<Split> {
    let count = items.len();
    let mut all = [Bounds::EMPTY; 4];
    for (bounds, item) in all.iter_mut().zip(items.iter()) {
        *bounds = Bounds { lo: item.lo, hi: item.hi };
    }
    let both = |i: usize, j: usize| all[i].with(all[j].lo, all[j].hi);
    let mut best = (f32::INFINITY, 0, 0, [Bounds::EMPTY; 2]);
    for alone in 0..count {
        let others = (1..count).map(|step| &all[(alone + step) % count]);
        let others = others.fold(Bounds::EMPTY, |others, item| others.with(item.lo, item.hi));
        let cost = all[alone].area() + others.area() * (count - 1) as f32;
        if cost < best.0 {
            best = (cost, 1, alone, [all[alone], others]);
        }
    }
    if count == 4 {
        for partner in 1..4 {
            let bounds = [both(0, partner), both(1 + partner % 3, 1 + (partner + 1) % 3)];
            let cost = 2.0 * (bounds[0].area() + bounds[1].area());
            if cost <= best.0 {
                best = (cost, 2, partner, bounds); // among equals, fewer leaves
            }
        }
    }
    let (cost, middle, chosen, bounds) = best;
    items.swap(middle.max(1) - 1, chosen);
    (cost < f32::INFINITY).then_some(Split { middle, bounds })
}

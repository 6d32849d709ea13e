//! Sweep and prune of one frame (Lin et al. 1997, section 3), along the best axis, within strips across the
//! second best. Boxes enter in the order of their lower ends and are tested against those that enter before
//! they leave.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::columns::{Block, InflatedBox, Packed};
use super::counts::Counts;
use super::{Pairs, apart, pair};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::{PartId, to_u32};
use closefit_geometry::lanes::{LANES, Simd, in_lanes};
use closefit_geometry::parallel;

/// Number of boxes sampled to choose axes and strips.
const SAMPLE: usize = 4096;
/// Least number of boxes per strip.
const STRIP: usize = 128;
/// Number of boxes that one task sweeps.
const TASK: usize = 1024;

/// Returns all pairs of boxes (positions are part ids) that are not apart by more than `reach`, sorted.
pub fn near_pairs(boxes: &[Aabb], reach: f64) -> Pairs {
    let every = 0..to_u32(boxes.len());
    Frame::new(boxes, reach).near_pairs(every, |_| true)
}

/// The boxes of one frame, sorted for sweeps. Each sweep returns or counts some of the near pairs.
pub struct Frame<'a> {
    boxes: &'a [Aabb],
    reach: f64,
    outers: Vec<InflatedBox>,
    plan: Plan,
    strips: Vec<Strip>,
    box_tests: AtomicU64,
}

impl<'a> Frame<'a> {
    /// Sorts the boxes, whose positions are part ids.
    pub fn new(boxes: &'a [Aabb], reach: f64) -> Self {
        let mut outers = vec![InflatedBox::POINT; boxes.len()];
        parallel::fill(&mut outers, parallel::TINY, |at| InflatedBox::of(&boxes[at], reach));
        let plan = Plan::of(&outers);
        let strip = |number, members| Strip::new(number, members, &outers, plan.sweep);
        let strips = parallel::map_owned(plan.strips(&outers), 1, strip);
        Self { boxes, reach, outers, plan, strips, box_tests: AtomicU64::new(0) }
    }

    /// Returns the near pairs that pass `keep` and whose lower id is in `lower`, sorted.
    pub fn near_pairs(&self, lower: Range<u32>, keep: impl Fn((PartId, PartId)) -> bool + Sync) -> Pairs {
        let tasks = self.tasks();
        let mut pairs = parallel::gather(tasks.len(), 1, |run, pairs| {
            for (strip, range) in &tasks[run] {
                self.sweep(strip, range.clone(), lower.start, |near| {
                    if lower.contains(&near.0.0) && keep(near) {
                        pairs.push(near);
                    }
                });
            }
        });
        parallel::sort_unstable_by_key(&mut pairs, |&near| near);
        pairs
    }

    /// Returns the number of tests of two boxes so far.
    pub fn box_tests(&self) -> u64 {
        self.box_tests.load(Relaxed)
    }

    /// Adds the near pairs that pass `keep` to the counts.
    pub fn count(&self, counts: &Counts, keep: impl Fn((PartId, PartId)) -> bool + Sync) {
        let tasks = self.tasks();
        parallel::for_each_run(tasks.len(), 1, &|run| {
            for (strip, range) in &tasks[run] {
                self.sweep(strip, range.clone(), 0, |near| {
                    if keep(near) {
                        counts.add(near);
                    }
                });
            }
        });
    }

    fn tasks(&self) -> Vec<(&Strip, Range<usize>)> {
        self.strips.iter().flat_map(|s| s.tasks().map(move |range| (s, range))).collect()
    }

    /// Calls `near` with the near pairs whose first box to enter is at a position in `range` of the strip.
    /// Pairs with an id below `from` may be left out.
    fn sweep(&self, strip: &Strip, range: Range<usize>, from: u32, mut near: impl FnMut((PartId, PartId))) {
        let Self { boxes, reach, outers, plan, .. } = self;
        let blocks = in_lanes!(simd => strip.sweep(simd, range, (plan.sweep, from), |i, j| {
            // A pair that shares several strips is reported in the first.
            let first = plan.strip_of(&outers[i]).max(plan.strip_of(&outers[j]));
            let is_near = || outers[i].surely_near(&outers[j]) || !apart(&boxes[i], &boxes[j], *reach);
            if first == strip.number && is_near() {
                near(pair(i, j));
            }
        }));
        self.box_tests.fetch_add(LANES as u64 * blocks, Relaxed);
    }
}

/// The axis to sweep along, and the cuts across it. Any choice is correct; this one causes few tests.
pub(super) struct Plan {
    pub sweep: usize,
    pub across: usize,
    /// Starts of the strips, except the first.
    cuts: Vec<f32>,
}

impl Plan {
    /// Chooses to sweep the axis along which the boxes are smallest relative to their spread. The next axis
    /// is cut into strips of equal numbers of boxes, about twice as wide as a box.
    pub fn of(outers: &[InflatedBox]) -> Self {
        let sample: Vec<&InflatedBox> = outers.iter().step_by(outers.len().div_ceil(SAMPLE).max(1)).collect();
        let lows = |axis: usize| {
            let mut lows: Vec<f32> = sample.iter().map(|b| b.lo[axis]).collect();
            lows.sort_unstable_by(f32::total_cmp);
            lows
        };
        let boxes_wide = |axis: usize| {
            let lows = lows(axis);
            // Leave out the outermost boxes; a few outliers would make the spread meaningless.
            let [from, to] = [1, 19].map(|k| lows.get(k * lows.len() / 20).copied().unwrap_or(0.0));
            let spread = f64::from(to) - f64::from(from);
            let extents = sample.iter().map(|b| f64::from(b.hi[axis]) - f64::from(b.lo[axis]));
            let extent = extents.filter(|e| *e > 0.0).sum::<f64>() / sample.len().max(1) as f64;
            if spread > 0.0 { spread / extent } else { 0.0 }
        };
        let wide = [0, 1, 2].map(boxes_wide);
        let mut axes = [0, 1, 2];
        axes.sort_by(|&a, &b| wide[b].total_cmp(&wide[a]));
        let [sweep, across, _] = axes;
        let strips = (wide[across] / 2.0).min((outers.len() / STRIP) as f64) as usize;
        let lows = lows(across);
        let mut cuts: Vec<f32> = (1..strips).map(|k| lows[k * lows.len() / strips]).collect();
        cuts.dedup();
        Self { sweep, across, cuts }
    }

    /// Returns the strip in which the box begins.
    pub fn strip_of(&self, b: &InflatedBox) -> usize {
        self.cuts.partition_point(|&cut| cut <= b.lo[self.across])
    }

    /// Returns the boxes of each strip: all that reach into it.
    pub fn strips(&self, outers: &[InflatedBox]) -> Vec<Vec<u32>> {
        let mut spans = vec![(0, 0); outers.len()];
        parallel::fill(&mut spans, parallel::TINY, |at| {
            let b = &outers[at];
            (self.strip_of(b), self.cuts.partition_point(|&cut| cut <= b.hi[self.across]))
        });
        let mut strips = vec![Vec::new(); self.cuts.len() + 1];
        for (i, &(first, last)) in spans.iter().enumerate() {
            for strip in &mut strips[first..=last.max(first)] {
                strip.push(to_u32(i));
            }
        }
        strips
    }
}

/// The boxes of a strip, in the order in which they enter.
struct Strip {
    number: usize,
    ids: Vec<u32>,
    outers: Vec<InflatedBox>,
    /// The outer boxes, eight at a time.
    packed: Vec<Packed>,
}

impl Strip {
    fn new(number: usize, members: Vec<u32>, outers: &[InflatedBox], sweep: usize) -> Self {
        let key = |id: u32| u64::from(ordered(outers[id as usize].lo[sweep])) << 32 | u64::from(id);
        let mut keys: Vec<u64> = members.into_iter().map(key).collect();
        keys.sort_unstable();
        let ids: Vec<u32> = keys.into_iter().map(|key| key as u32).collect();
        let outers: Vec<InflatedBox> = ids.iter().map(|&id| outers[id as usize]).collect();
        let packed = outers.chunks(LANES).map(|boxes| Packed::of(boxes.iter())).collect();
        Self { number, ids, outers, packed }
    }

    fn tasks(&self) -> impl Iterator<Item = Range<usize>> {
        let len = self.ids.len();
        (0..len).step_by(TASK).map(move |from| from..len.min(from + TASK))
    }

    /// Calls `near(i, j)` for each box in `range` whose id is not below `from` and each box that enters after
    /// it and overlaps it. Returns the number of blocks tested.
    #[inline(always)]
    fn sweep<S: Simd>(
        &self,
        simd: S,
        range: Range<usize>,
        (axis, from): (usize, u32),
        mut near: impl FnMut(usize, usize),
    ) -> u64 {
        let mut blocks = 0;
        for i in range {
            if self.ids[i] < from {
                continue;
            }
            let b = &self.outers[i];
            // In the block of the box itself, take only the boxes after it; there may be none.
            let mut behind = (!1u32) << (i % LANES);
            for (k, packed) in self.packed.iter().enumerate().skip(i / LANES) {
                if packed.lo[axis][0] > b.hi[axis] {
                    break;
                }
                blocks += 1;
                let mut hits = Block::of(simd, packed).overlaps(simd, b) & behind;
                while hits != 0 {
                    let j = k * LANES + hits.trailing_zeros() as usize;
                    near(self.ids[i] as usize, self.ids[j] as usize);
                    hits &= hits - 1;
                }
                behind = !0;
            }
        }
        blocks
    }
}

/// Returns an integer that increases with `x`.
pub(super) fn ordered(x: f32) -> u32 {
    let bits = (x + 0.0).to_bits();
    bits ^ if bits >> 31 == 1 { !0 } else { 1 << 31 }
}

#[cfg(test)]
mod tests {
    use super::super::{brute, cases};
    use super::*;
    use closefit_geometry::math::testing::cases;
    use closefit_geometry::pool::Pool;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(120)))]

        #[test]
        fn finds_what_brute_force_finds(
            boxes in prop_oneof![cases::boxes(200).boxed(), cases::sizes(800).boxed()],
            reach in cases::reaches(),
        ) {
            prop_assert_eq!(near_pairs(&boxes, reach), brute::near_pairs(&boxes, reach));
        }

        #[test]
        fn ordered_is_monotone(a in any::<f32>(), b in any::<f32>()) {
            prop_assume!(!a.is_nan() && !b.is_nan());
            prop_assert_eq!(ordered(a) < ordered(b), a < b);
        }
    }

    #[test]
    fn many_boxes_on_any_number_of_threads() {
        let boxes = cases::even(10_000);
        let near = brute::near_pairs(&boxes, 0.25);
        assert!(near.len() > 1000);
        for threads in [1, 2, 3] {
            let found = Pool::of(threads).install(|| near_pairs(&boxes, 0.25)).expect("threads");
            assert_eq!(found, near, "{threads}");
        }
    }

    #[test]
    fn parts_of_the_pairs_make_the_whole() {
        let boxes = cases::even(3000);
        let all = brute::near_pairs(&boxes, 0.25);
        let frame = Frame::new(&boxes, 0.25);
        let odd = |(a, b): (PartId, PartId)| (a.0 + b.0) % 2 == 1;
        for cuts in [&[0, 3000][..], &[0, 1, 700, 700, 3000]] {
            let parts = cuts.windows(2).flat_map(|w| frame.near_pairs(w[0]..w[1], odd));
            assert!(parts.eq(all.iter().copied().filter(|&pair| odd(pair))), "{cuts:?}");
        }
        let counts = Counts::new(boxes.len());
        frame.count(&counts, odd);
        let (lower, is_in_pair) = counts.into_parts();
        let kept: Vec<_> = all.iter().copied().filter(|&pair| odd(pair)).collect();
        let id = |id: usize| PartId(to_u32(id));
        for part in 0..boxes.len() {
            assert_eq!(lower[part] as usize, kept.iter().filter(|(a, _)| *a == id(part)).count());
            assert_eq!(is_in_pair[part], kept.iter().any(|(a, b)| [*a, *b].contains(&id(part))));
        }
    }

    #[test]
    fn nothing_and_one_have_no_pairs() {
        assert!(near_pairs(&[], 1.0).is_empty());
        assert!(near_pairs(&[Aabb::EMPTY], 1.0).is_empty());
    }
}

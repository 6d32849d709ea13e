//! A grid for moving boxes. It sorts them by the cell of their lowest corner, then tests eight neighbours in
//! a row of cells at once against the rows around them.

mod layout;

use std::ops::Range;

use super::columns::{BATCH, Batch, Block, InflatedBox, Packed};
use super::{Pairs, apart, pair};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::lanes::{LANES, Simd, in_lanes};
use closefit_geometry::parallel;
use layout::{CellRange, Layout, Level};

/// Number of boxes in a chunk, which is sorted first and fits in the cache of a core.
const CHUNK: usize = 1 << 13;
/// Largest number of parts of a chunk; [`PART`] is the least number of boxes per part.
const PARTS: usize = 256;
const PART: usize = 1 << 11;
/// Number of boxes whose surroundings one task searches.
const TASK: usize = 1 << 12;

/// A uniform grid, kept between frames.
#[derive(Default)]
pub struct Grid {
    /// Number of tasks that a thread takes in one run; 0 is one.
    run: usize,
    layout: Option<Layout>,
    /// Number of buckets per part, as a power of two.
    part_bits: u32,
    /// Entries by chunk of the input, and within a chunk by part. `cuts` has the start of each part in each
    /// chunk.
    staged: Vec<Entry>,
    cuts: Vec<u32>,
    /// Entries by bucket. `begins` has the start of each bucket.
    entries: Vec<Entry>,
    begins: Vec<u32>,
    /// True when no box was rounded, so that overlap of outer boxes is exact.
    exact: bool,
    /// Number of tests of boxes in the frame after the last layout; 0 before it.
    tested: u64,
}

#[derive(Clone, Copy)]
struct Entry {
    outer: InflatedBox,
    id: u32,
    bucket: u32,
}

/// Boxes by their positions.
pub trait Boxes: Sync {
    /// Returns a box.
    fn at(&self, position: usize) -> Aabb;

    /// Returns consecutive boxes, so that there is one call for many of them.
    fn copy(&self, first: usize, boxes: &mut [Aabb]);
}

impl<F: Fn(usize) -> Aabb + Sync> Boxes for F {
    fn at(&self, position: usize) -> Aabb {
        self(position)
    }

    fn copy(&self, first: usize, boxes: &mut [Aabb]) {
        boxes.iter_mut().enumerate().for_each(|(k, b)| *b = self(first + k));
    }
}

/// Number of hits processed together.
const HITS: usize = 256;

/// Boxes of a block that may overlap another box, by their outer boxes: the first box of the block, the other
/// box, and a bit for each box of the block.
type Hit = (u32, u32, u32);

/// Hits that wait until they are so many that a call is cheap.
struct Hits<'a> {
    waiting: [Hit; HITS],
    len: usize,
    flush: &'a mut dyn FnMut(&[Hit]),
}

impl<'a> Hits<'a> {
    fn new(flush: &'a mut dyn FnMut(&[Hit])) -> Self {
        Self { waiting: [(0, 0, 0); HITS], len: 0, flush }
    }

    /// Adds a hit, if it has bits. Branchless, because hits are hard to predict.
    #[inline(always)]
    fn add(&mut self, first: usize, other: usize, bits: u32) {
        self.waiting[self.len] = (first as u32, other as u32, bits);
        self.len += usize::from(bits != 0);
        if self.len == HITS {
            self.flush();
        }
    }

    fn flush(&mut self) {
        (self.flush)(&self.waiting[..self.len]);
        self.len = 0;
    }
}

const NOTHING: Entry = Entry { outer: InflatedBox::POINT, id: 0, bucket: 0 };

impl Grid {
    /// Creates a grid that works on the calling thread only. Other grids share work among the threads of the
    /// pool.
    pub fn on_this_thread() -> Self {
        Self { run: usize::MAX, ..Self::default() }
    }

    /// Returns the number of pairs of the `n` boxes that are not apart by more than `reach`.
    pub fn count(&mut self, n: usize, boxes: impl Fn(usize) -> Aabb + Sync, reach: f64) -> u64 {
        self.place(n, &boxes, reach);
        let found = self.around(&|count: &mut u64, hits| {
            for &(first, j, bits) in hits {
                if self.exact {
                    *count += u64::from(bits.count_ones());
                } else {
                    let near = |k| self.near(first as usize + k, j as usize, &boxes, reach);
                    for_each_bit(bits, |k| *count += u64::from(near(k)));
                }
            }
        });
        self.record_work(found.iter().map(|found| found.1).sum());
        found.into_iter().map(|found| found.0).sum()
    }

    /// Returns all pairs of the `n` boxes (positions are part ids) that are not apart by more than `reach`,
    /// sorted, and the number of tests.
    pub fn pairs(&mut self, n: usize, boxes: impl Fn(usize) -> Aabb + Sync, reach: f64) -> (Pairs, u64) {
        self.place(n, &boxes, reach);
        let (pairs, tested) = self.near_pairs(&boxes, reach, &|_| true);
        self.record_work(tested);
        (pairs, tested)
    }

    /// Returns the near pairs of the boxes that were placed last, if they pass `keep`, sorted, and the number
    /// of tests.
    pub(super) fn near_pairs(
        &self,
        boxes: &dyn Boxes,
        reach: f64,
        keep: &(dyn Fn((PartId, PartId)) -> bool + Sync),
    ) -> (Pairs, u64) {
        let found = self.around(&|pairs: &mut Pairs, hits| {
            for &(first, j, bits) in hits {
                for_each_bit(bits, |k| {
                    let [a, b] = [first as usize + k, j as usize];
                    if self.exact || self.near(a, b, boxes, reach) {
                        let pair = pair(self.entries[a].id as usize, self.entries[b].id as usize);
                        if keep(pair) {
                            pairs.push(pair);
                        }
                    }
                });
            }
        });
        let tested = found.iter().map(|found| found.1).sum();
        (sorted(self.entries.len(), found.iter().flat_map(|(pairs, _)| pairs).copied()), tested)
    }

    /// True when two entries whose outer boxes overlap are near.
    #[inline(always)]
    fn near(&self, a: usize, b: usize, boxes: &dyn Boxes, reach: f64) -> bool {
        let (a, b) = (&self.entries[a], &self.entries[b]);
        a.outer.surely_near(&b.outer) || !apart(&boxes.at(a.id as usize), &boxes.at(b.id as usize), reach)
    }

    /// Records the number of tests. Once it has grown by half, the next frame gets a new layout.
    pub(super) fn record_work(&mut self, tested: u64) {
        if self.tested == 0 {
            self.tested = tested;
        } else if tested > self.tested + self.tested / 2 {
            self.layout = None;
        }
    }

    /// Sorts the boxes by bucket: each chunk into parts, then each part.
    pub(super) fn place(&mut self, n: usize, boxes: &dyn Boxes, reach: f64) {
        if self.entries.len() != n {
            self.layout = None;
            self.staged.resize(n, NOTHING);
            self.entries.resize(n, NOTHING);
        }
        let layout = self.layout.get_or_insert_with(|| {
            self.tested = 0;
            let outers: Vec<InflatedBox> = (0..n).map(|i| InflatedBox::of(&boxes.at(i), reach)).collect();
            Layout::of(&outers)
        });
        let parts = (n / PART).clamp(1, PARTS);
        self.part_bits = layout.buckets().div_ceil(parts).next_power_of_two().trailing_zeros();
        let part_size = 1usize << self.part_bits;
        let parts = layout.buckets().div_ceil(part_size);
        self.begins.resize(layout.buckets() + 1, 0);
        self.cuts.resize(n.div_ceil(CHUNK) * (parts + 1), 0);

        let (layout, part_bits) = (&*layout, self.part_bits);
        let chunks = self.staged.chunks_mut(CHUNK).zip(self.cuts.chunks_mut(parts + 1)).enumerate();
        let mut chunks: Vec<(Chunk, bool)> = chunks
            .map(|(chunk, (staged, cuts))| (Chunk { first: chunk * CHUNK, part_bits, staged, cuts }, false))
            .collect();
        parallel::for_each_part(&mut chunks, self.run, &|_, chunks| {
            let mut scratch = Vec::new();
            for (chunk, is_exact) in chunks {
                scratch.resize(chunk.staged.len(), NOTHING);
                *is_exact = in_lanes!(simd => chunk.stage(simd, &mut scratch, layout, boxes, reach));
            }
        });
        self.exact = chunks.iter().all(|(_, is_exact)| *is_exact);

        // Assign each part its entries, wherever the chunks have put them.
        let (mut rest, mut jobs, mut at) = (&mut self.entries[..], Vec::with_capacity(parts), 0);
        let (begins, last) = self.begins.split_at_mut(layout.buckets());
        last[0] = n as u32;
        for (part, begins) in begins.chunks_mut(part_size).enumerate() {
            let size: u32 = self.cuts.chunks(parts + 1).map(|cuts| cuts[part + 1] - cuts[part]).sum();
            let (entries, others) = rest.split_at_mut(size as usize);
            rest = others;
            jobs.push((part, at, begins, entries));
            at += size;
        }
        let (staged, cuts) = (&self.staged[..], &self.cuts[..]);
        parallel::for_each_part(&mut jobs, self.run, &|_, jobs| {
            for (part, first, begins, entries) in jobs {
                let runs = staged.chunks(CHUNK).zip(cuts.chunks(parts + 1));
                let runs = runs.map(|(staged, cuts)| &staged[cuts[*part] as usize..cuts[*part + 1] as usize]);
                sort(part_size * *part, *first, runs, begins, entries);
            }
        });
    }

    /// Searches around every box. Returns what `add` makes of the hits of each task, and its number of tests.
    fn around<T: Default + Send>(&self, add: &(dyn Fn(&mut T, &[Hit]) + Sync)) -> Vec<(T, u64)> {
        let n = self.entries.len();
        parallel::map(n.div_ceil(TASK), self.run, |task| {
            let mut found = T::default();
            let range = task * TASK..n.min((task + 1) * TASK);
            let tested = self.search(range, &mut |hits| add(&mut found, hits));
            (found, tested)
        })
    }

    /// Searches around some boxes. Calls `flush` with hits, many at a time. Returns the number of tests.
    fn search(&self, range: Range<usize>, flush: &mut dyn FnMut(&[Hit])) -> u64 {
        let mut hits = Hits::new(flush);
        let tested = in_lanes!(simd => self.look(simd, range, &mut hits));
        hits.flush();
        tested
    }

    #[inline(always)]
    fn look<S: Simd>(&self, simd: S, range: Range<usize>, hits: &mut Hits) -> u64 {
        let layout = self.layout.as_ref().expect("placed");
        let mut scan = Scan { simd, entries: &self.entries, begins: &self.begins, tested: 0, hits };
        let occupied =
            |l: &&Level| scan.begins[l.first as usize] < scan.begins[l.first as usize + l.buckets()];
        let levels: Vec<&Level> = layout.levels.iter().filter(occupied).collect();
        let mut levels = &levels[..];
        let mut at = range.start;
        while at < range.end {
            let bucket = self.entries[at].bucket;
            while bucket > levels[0].first + levels[0].mask {
                levels = &levels[1..];
            }
            let limit = (bucket + levels[0].reach).min(levels[0].first + levels[0].mask);
            let mut end = range.end.min(at + LANES);
            while self.entries[end - 1].bucket > limit {
                end -= 1;
            }
            scan.level(at..end, levels[0]);
            for i in at..end {
                if levels.len() > 1 {
                    let span = layout.span(&self.entries[i].outer);
                    for coarser in &levels[1..] {
                        scan.coarser(i, coarser, &span);
                    }
                }
            }
            at = end;
        }
        scan.tested
    }
}

/// Tests a block of boxes against runs of entries.
struct Scan<'a, 'f, S> {
    simd: S,
    entries: &'a [Entry],
    begins: &'a [u32],
    tested: u64,
    hits: &'a mut Hits<'f>,
}

impl<S: Simd> Scan<'_, '_, S> {
    /// Tests a block of boxes against itself and against the boxes of the same level in half of the
    /// surrounding cells. Blocks in the other half find the remaining pairs.
    #[inline(always)]
    fn level(&mut self, block: Range<usize>, level: &Level) {
        let first = self.entries[block.start].bucket - level.first;
        let last = self.entries[block.end - 1].bucket - level.first;
        let boxes = self.entries[block.clone()].iter();
        let packed = Packed::of(boxes.map(
            #[inline(always)]
            |e| &e.outer,
        ));
        let lanes = Block::of(self.simd, &packed);
        for j in block.clone().skip(1) {
            let hits = lanes.overlaps(self.simd, &self.entries[j].outer);
            self.hits.add(block.start, j, hits & ((1 << (j - block.start)) - 1));
        }
        self.tested += (LANES * (block.len() - 1)) as u64;
        let after_row = if last < level.mask { last + 2 } else { last + 1 };
        self.run(block.start, &lanes, block.end, self.begins[(level.first + after_row) as usize]);
        if last == level.mask {
            self.buckets(block.start, &lanes, level.first, level.first);
        }
        for (y, z) in [(1, 0), (-1, 1), (0, 1), (1, 1)] {
            let from = level.bucket([first as i32 - 1, y, z]);
            let to = level.bucket([last as i32 + 1, y, z]);
            if from <= to {
                self.buckets(block.start, &lanes, level.first + from, level.first + to);
            } else {
                self.buckets(block.start, &lanes, level.first, level.first + to);
                self.buckets(block.start, &lanes, level.first + from, level.first + level.mask);
            }
        }
    }

    #[inline(always)]
    fn buckets(&mut self, first: usize, lanes: &Block<S>, from: u32, to: u32) {
        self.run(first, lanes, self.begins[from as usize] as usize, self.begins[to as usize + 1]);
    }

    #[inline(always)]
    fn run(&mut self, first: usize, lanes: &Block<S>, from: usize, to: u32) {
        for (k, e) in self.entries[from..(to as usize).max(from)].iter().enumerate() {
            let hits = lanes.overlaps(self.simd, &e.outer);
            self.hits.add(first, from + k, hits);
        }
        self.tested += (LANES * (to as usize).saturating_sub(from)) as u64;
    }

    /// Tests one box against the boxes of a coarser level within reach of `span`.
    fn coarser(&mut self, i: usize, level: &Level, span: &CellRange) {
        let b = self.entries[i].outer;
        let (lo, hi) = (level.cell(span.lo), level.cell(span.hi));
        for z in lo[2] - 1..=hi[2] {
            for y in lo[1] - 1..=hi[1] {
                for x in lo[0] - 1..=hi[0] {
                    let bucket = (level.first + level.bucket([x, y, z])) as usize;
                    for j in self.begins[bucket] as usize..self.begins[bucket + 1] as usize {
                        self.hits.add(i, j, u32::from(b.overlaps(&self.entries[j].outer)));
                        self.tested += 1;
                    }
                }
            }
        }
    }
}

/// Consecutive boxes of the input.
struct Chunk<'a> {
    first: usize,
    part_bits: u32,
    staged: &'a mut [Entry],
    cuts: &'a mut [u32],
}

impl Chunk<'_> {
    /// Puts the boxes in the order of their parts. Returns true when none was rounded.
    #[inline(always)]
    fn stage<S: Simd>(
        &mut self,
        simd: S,
        scratch: &mut [Entry],
        layout: &Layout,
        boxes: &dyn Boxes,
        reach: f64,
    ) -> bool {
        let Self { first, part_bits, staged, cuts } = self;
        simd.vectorize(
            #[inline(always)]
            || {
                let mut exact = true;
                cuts.fill(0);
                let (mut batch, mut buckets, mut copies) = (Batch::new(), [0; BATCH], [Aabb::EMPTY; BATCH]);
                for (b, entries) in scratch.chunks_mut(BATCH).enumerate() {
                    let (first, copies) = (*first + b * BATCH, &mut copies[..entries.len()]);
                    boxes.copy(first, copies);
                    exact &= batch.load(copies.len(), |k| copies[k], reach);
                    layout.buckets_of(&batch, &mut buckets);
                    for (k, e) in entries.iter_mut().enumerate() {
                        *e = Entry { outer: batch.outer(k), id: (first + k) as u32, bucket: buckets[k] };
                        cuts[(e.bucket >> *part_bits) as usize] += 1;
                    }
                }
                let mut sum = 0;
                for cut in cuts.iter_mut() {
                    sum += *cut;
                    *cut = sum;
                }
                // Fill each part from its end to its beginning.
                for e in scratch.iter() {
                    let cut = &mut cuts[(e.bucket >> *part_bits) as usize];
                    *cut -= 1;
                    staged[*cut as usize] = *e;
                }
                exact
            },
        )
    }
}

/// Sorts the entries of a part by bucket and records the start of each bucket.
fn sort<'a>(
    base: usize,
    first: u32,
    runs: impl Iterator<Item = &'a [Entry]> + Clone,
    begins: &mut [u32],
    entries: &mut [Entry],
) {
    begins.fill(0);
    for e in runs.clone().flatten() {
        begins[e.bucket as usize - base] += 1;
    }
    let mut sum = 0;
    for b in begins.iter_mut() {
        sum += *b;
        *b = sum;
    }
    for e in runs.flatten() {
        let b = &mut begins[e.bucket as usize - base];
        *b -= 1;
        entries[*b as usize] = *e;
    }
    for b in begins.iter_mut() {
        *b += first;
    }
}

/// Sorts the pairs of `n` boxes: counts the pairs of each first id, then sorts the second ids of each.
fn sorted(n: usize, pairs: impl Iterator<Item = (PartId, PartId)> + Clone) -> Pairs {
    let mut ends = vec![0usize; n];
    for (a, _) in pairs.clone() {
        ends[a.index()] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    let mut sorted = vec![(PartId(0), PartId(0)); sum];
    let mut begins = ends.clone();
    for pair in pairs {
        let at = &mut begins[pair.0.index()];
        *at -= 1;
        sorted[*at] = pair;
    }
    for (begin, end) in begins.into_iter().zip(ends) {
        sorted[begin..end].sort_unstable();
    }
    sorted
}

#[inline(always)]
fn for_each_bit(mut bits: u32, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{brute, cases};
    use super::*;
    use closefit_geometry::math::testing::cases;
    use closefit_geometry::pool::Pool;
    use proptest::prelude::*;

    fn check(grid: &mut Grid, boxes: &[Aabb], reach: f64) -> Result<(), TestCaseError> {
        let near = brute::near_pairs(boxes, reach);
        prop_assert_eq!(&grid.pairs(boxes.len(), |i| boxes[i], reach).0, &near);
        prop_assert_eq!(grid.count(boxes.len(), |i| boxes[i], reach), near.len() as u64);
        // Ends that are f32 take the path without a second test.
        let narrow = |b: &Aabb| Aabb { lo: b.lo.as_vec3().as_dvec3(), hi: b.hi.as_vec3().as_dvec3() };
        let narrow: Vec<Aabb> = boxes.iter().map(narrow).collect();
        prop_assert_eq!(grid.pairs(narrow.len(), |i| narrow[i], reach).0, brute::near_pairs(&narrow, reach));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(100)))]

        #[test]
        fn finds_what_brute_force_finds(boxes in prop_oneof![cases::boxes(200).boxed(), cases::sizes(400).boxed()], reach in cases::reaches()) {
            check(&mut Grid::default(), &boxes, reach)?;
        }

        #[test]
        fn follows_boxes_that_drift_and_jump(frames in cases::frames(prop_oneof![cases::boxes(150).boxed(), cases::sizes(300).boxed()]), reach in cases::reaches()) {
            let mut grid = Grid::default();
            for boxes in frames {
                check(&mut grid, &boxes, reach)?;
            }
        }
    }

    #[test]
    fn many_boxes_on_any_number_of_threads() {
        let boxes = cases::even(10_000);
        let near = brute::near_pairs(&boxes, 0.25);
        assert!(near.len() > 1000);
        for threads in [1, 2, 3] {
            let mut grid = Grid::default();
            for frame in 0..2 {
                let find = || grid.pairs(boxes.len(), |i| boxes[i], 0.25).0;
                let found = Pool::of(threads).install(find).expect("threads");
                assert_eq!(found, near, "{threads}, frame {frame}");
            }
        }
    }
}

//! Assigns boxes to cells: cubes of cells in levels, each level four times as coarse as the one below.

use super::super::columns::{BATCH, Batch, InflatedBox};

/// Number of doublings from one level to the next.
const STEP: u32 = 2;
/// Limit of cell coordinates, so that at [`TOP`] every box spans at most two cells.
const FAR: f32 = (1u32 << 29) as f32;
const TOP: u32 = 30;

/// The cells, in the finest level, of the lowest and the highest corner of a box.
#[derive(Clone, Copy)]
pub(super) struct CellRange {
    pub lo: [i32; 3],
    pub hi: [i32; 3],
}

/// One level: its cells, folded onto a table of buckets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Number of doublings from the finest level.
    shift: u32,
    /// Number of its first bucket; the buckets of a level follow the buckets of finer levels.
    pub first: u32,
    /// Number of buckets minus one. The number of buckets is a power of two.
    pub mask: u32,
    strides: [u32; 2],
    /// Largest distance between the first and the last bucket of a block.
    pub reach: u32,
}

/// All levels of the grid.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    origin: [f32; 3],
    per_cell: [f32; 3],
    pub levels: Vec<Level>,
}

impl Level {
    /// True when the box spans at most two cells along each axis.
    #[inline(always)]
    fn takes(&self, span: &CellRange) -> bool {
        let along = |k: usize| (span.hi[k] >> self.shift) - (span.lo[k] >> self.shift) <= 1;
        along(0) & along(1) & along(2)
    }

    /// Returns the cell of this level that contains a cell of the finest level.
    #[inline(always)]
    pub fn cell(&self, cell: [i32; 3]) -> [i32; 3] {
        [cell[0] >> self.shift, cell[1] >> self.shift, cell[2] >> self.shift]
    }

    /// Returns the bucket of a cell, not counting `first`. Consecutive cells along x have consecutive
    /// buckets.
    #[inline(always)]
    pub fn bucket(&self, cell: [i32; 3]) -> u32 {
        let (x, y, z) = (cell[0] as u32, cell[1] as u32, cell[2] as u32);
        let [by_y, by_z] = self.strides;
        x.wrapping_add(y.wrapping_mul(by_y)).wrapping_add(z.wrapping_mul(by_z)) & self.mask
    }

    /// Returns the number of buckets.
    pub fn buckets(&self) -> usize {
        self.mask as usize + 1
    }

    /// Creates a table for `count` boxes whose cells are within `dims`. A small region gets a bucket per
    /// cell; a large one is folded by irrational strides, which spread any solid region evenly.
    fn new(shift: u32, first: u32, count: usize, dims: [f64; 3]) -> Self {
        let [nx, ny, nz] = dims.map(|d| (d / f64::from(1u32 << shift)).ceil() + 3.0);
        let room = 4 * count.max(16);
        let (buckets, strides) = if nx * ny * nz <= room as f64 {
            ((nx * ny * nz) as usize, [nx as u32, (nx * ny) as u32])
        } else {
            let buckets = room.next_power_of_two() / 2;
            // Powers of the inverse of the plastic number: together, their multiples are spread evenly.
            (buckets, [0.754_877_666_246_693, 0.569_840_290_998_053].map(|f| (f * buckets as f64) as u32))
        };
        let mask = buckets.max(256).next_power_of_two() as u32 - 1;
        let mut level = Self { shift, first, mask, strides, reach: 0 };
        while level.least_gap() < 4 {
            level.strides[1] += 1;
            level.strides[0] += u32::from(level.strides[1].is_multiple_of(7));
        }
        level.reach = level.least_gap() - 3;
        level
    }

    /// Returns the smallest distance between the buckets of the nine rows of cells around a cell.
    fn least_gap(&self) -> u32 {
        let mut rows: Vec<u32> = (0..9).map(|k| self.bucket([0, k % 3 - 1, k / 3 - 1])).collect();
        rows.sort_unstable();
        let around = self.mask + 1 - rows[8] + rows[0];
        rows.windows(2).map(|w| w[1] - w[0]).fold(around, u32::min)
    }
}

impl Layout {
    /// Chooses the levels. Cells of the finest level are about as large as the ordinary boxes.
    pub fn of(boxes: &[InflatedBox]) -> Self {
        let width = widths(boxes);
        let origin: [f32; 3] = std::array::from_fn(|k| {
            boxes.iter().map(|b| b.lo[k]).filter(|x| x.is_finite()).fold(f32::INFINITY, f32::min)
        });
        let origin = origin.map(|x| if x.is_finite() { x } else { 0.0 });
        let mut layout = Self { origin, per_cell: width.map(|w| 1.0 / w), levels: Vec::new() };
        let mut count = [0usize; (TOP / STEP) as usize + 1];
        let mut top = [0i32; 3];
        let any = Level { shift: 0, first: 0, mask: 0, strides: [0, 0], reach: 0 };
        for b in boxes {
            let span = layout.span(b);
            top = std::array::from_fn(|k| top[k].max(span.hi[k]));
            let level =
                (0..=TOP).step_by(STEP as usize).position(|shift| Level { shift, ..any }.takes(&span));
            count[level.unwrap_or(count.len() - 1)] += 1;
        }
        let dims = top.map(f64::from);
        let mut first = 0;
        for (k, &count) in count.iter().enumerate() {
            let shift = k as u32 * STEP;
            if count > 0 || shift == TOP {
                let level = Level::new(shift, first, count, dims);
                first += level.mask + 1;
                layout.levels.push(level);
            }
        }
        layout
    }

    /// Returns the cells of a box in the finest level. Monotone in each coordinate, so the spans of
    /// overlapping boxes overlap.
    #[inline(always)]
    pub fn span(&self, b: &InflatedBox) -> CellRange {
        let cell = |x: [f32; 3]| [self.along(0, x[0]), self.along(1, x[1]), self.along(2, x[2])];
        CellRange { lo: cell(b.lo), hi: cell(b.hi) }
    }

    #[inline(always)]
    fn along(&self, axis: usize, x: f32) -> i32 {
        ((x - self.origin[axis]) * self.per_cell[axis]).clamp(-FAR, FAR - 64.0) as i32
    }

    /// Returns the bucket of a box: the bucket of the cell of its lowest corner, in the finest level that
    /// takes the box.
    #[inline(always)]
    pub fn bucket(&self, b: &InflatedBox) -> u32 {
        let span = self.span(b);
        let level = &self.levels[self.level(&span)];
        level.first + level.bucket(level.cell(span.lo))
    }

    /// Computes the buckets of a batch of boxes. Most are in the finest level.
    #[inline(always)]
    pub fn buckets_of(&self, batch: &Batch, buckets: &mut [u32; BATCH]) {
        let finest = self.levels[0];
        let mut lo = [[0; BATCH]; 3];
        let mut spans = [0; BATCH];
        for (axis, lo) in lo.iter_mut().enumerate() {
            for k in 0..BATCH {
                let cell = |x: f32| self.along(axis, x) >> finest.shift;
                lo[k] = cell(batch.outer_lo[axis][k]);
                spans[k] = spans[k].max(cell(batch.outer_hi[axis][k]) - lo[k]);
            }
        }
        for k in 0..BATCH {
            buckets[k] = finest.bucket([lo[0][k], lo[1][k], lo[2][k]]);
        }
        if spans.iter().fold(0, |a, &b| a.max(b)) > 1 {
            for k in (0..BATCH).filter(|&k| spans[k] > 1) {
                buckets[k] = self.bucket(&batch.outer(k));
            }
        }
    }

    /// Returns the finest level that takes the box.
    #[inline(always)]
    pub fn level(&self, span: &CellRange) -> usize {
        let last = self.levels.len() - 1;
        let mut at = 0;
        while at < last && !self.levels[at].takes(span) {
            at += 1;
        }
        at
    }

    /// Returns the number of buckets of all levels.
    pub fn buckets(&self) -> usize {
        self.levels.iter().map(Level::buckets).sum()
    }
}

/// Returns the widths of the finest cells: per axis the largest of the ordinary boxes, divided by four until
/// a tenth of the boxes would lie in cells more than four times too large.
fn widths(boxes: &[InflatedBox]) -> [f32; 3] {
    let extent = |b: &InflatedBox, k: usize| (b.hi[k] - b.lo[k]).max(0.0);
    let stride = boxes.len().div_ceil(4096).max(1);
    let mut finer = f32::INFINITY;
    let widths: [f32; 3] = std::array::from_fn(|k| {
        let mut sample: Vec<f32> = boxes.iter().step_by(stride).map(|b| extent(b, k)).collect();
        sample.sort_by(f32::total_cmp);
        let quantile = |q: usize| sample.get(sample.len() * q / 10).copied().unwrap_or(1.0);
        let ordinary = 2.0 * quantile(9);
        let largest = boxes.iter().map(|b| extent(b, k)).filter(|&e| e <= ordinary).fold(0.0, f32::max);
        let mut at: Vec<f32> = boxes.iter().step_by(stride).map(|b| b.lo[k]).collect();
        at.sort_by(f32::total_cmp);
        let spread = at.get(at.len() * 9 / 10).zip(at.get(at.len() / 10)).map_or(0.0, |(b, a)| b - a);
        let spacing = spread / libm::cbrtf(boxes.len() as f32);
        let largest = if largest > 0.0 { largest } else { spacing };
        finer = finer.min(largest / quantile(1).max(spacing));
        if largest.is_normal() && (1.0 / largest).is_normal() { largest } else { 1.0 }
    });
    let mut divide = 1.0f32;
    while finer >= 4.0 && divide < 1e9 {
        divide *= 4.0;
        finer /= 4.0;
    }
    widths.map(|w| if (w / divide).is_normal() && (divide / w).is_normal() { w / divide } else { w })
}

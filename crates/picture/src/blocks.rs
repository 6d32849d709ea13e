//! Blocks of samples, and what is hidden in them: a bound per block spares most samples of hidden surfaces.

use std::ops::Range;

use crate::raster::{Area, Span};

/// The number of samples of a block along x and y.
const BLOCK: [usize; 2] = [32, 8];

/// A lower bound of the depths in each block of a picture: nothing behind it is seen there.
pub struct Blocks {
    /// The number of samples of the picture along x and y.
    size: [usize; 2],
    /// The number of blocks in a row of them.
    columns: usize,
    /// The least depth in each block when it was last looked up. Depths only grow, so it is a bound.
    least: Vec<f64>,
    /// The number of samples that were tried in each block since then.
    tried: Vec<usize>,
}

impl Blocks {
    /// Returns the blocks of a picture. Covered samples hide everything.
    pub fn of(size: [usize; 2], is_covered: impl Fn(usize) -> bool) -> Self {
        let counts = [0, 1].map(|k| size[k].div_ceil(BLOCK[k]));
        let all = counts[0] * counts[1];
        let mut blocks =
            Self { size, columns: counts[0], least: vec![f64::NEG_INFINITY; all], tried: vec![0; all] };
        for block in 0..all {
            let [columns, rows] = blocks.samples(block);
            let mut samples = rows.flat_map(|y| columns.clone().map(move |x| x + y * size[0]));
            if samples.all(&is_covered) {
                blocks.least[block] = f64::INFINITY;
            }
        }
        blocks
    }

    /// Returns the columns and the rows of a block.
    fn samples(&self, block: usize) -> [Range<usize>; 2] {
        let at = [block % self.columns, block / self.columns];
        [0, 1].map(|k| at[k] * BLOCK[k]..self.size[k].min((at[k] + 1) * BLOCK[k]))
    }

    /// Returns the blocks that a span crosses, each with the columns in it.
    pub fn along(&self, span: &Span) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
        self.crossed(span.row, span.column..span.column + span.samples.len())
    }

    /// Returns the blocks that some columns of a row cross, each with the columns in it.
    fn crossed(&self, row: usize, of: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
        let (first, end) = (of.start, of.end);
        let row = row / BLOCK[1] * self.columns;
        (first / BLOCK[0]..end.div_ceil(BLOCK[0]))
            .map(move |column| (row + column, first.max(column * BLOCK[0])..end.min((column + 1) * BLOCK[0])))
    }

    /// True if nothing of a depth, or behind it, would be seen in a block.
    pub fn is_hidden(&self, block: usize, depth: f64) -> bool {
        depth <= self.least[block]
    }

    /// True if nothing in an area would be seen.
    pub fn hide(&self, Area { columns, rows, nearest }: &Area) -> bool {
        let columns = columns.start / BLOCK[0]..columns.end.div_ceil(BLOCK[0]);
        let mut rows = rows.start / BLOCK[1]..rows.end.div_ceil(BLOCK[1]);
        rows.all(|row| columns.clone().all(|column| self.is_hidden(row * self.columns + column, *nearest)))
    }

    /// Notes that samples of a span, counted from its first, were tried. After as many as a block has, its
    /// depths are looked up again, so that this costs no more than the samples themselves.
    pub fn note(&mut self, span: &Span, of_span: Range<usize>, depths: &[f64]) {
        for (block, columns) in self.crossed(span.row, span.column + of_span.start..span.column + of_span.end)
        {
            self.tried[block] += columns.len();
            if self.tried[block] >= BLOCK[0] * BLOCK[1] {
                self.look_up(block, depths);
            }
        }
    }

    fn look_up(&mut self, block: usize, depths: &[f64]) {
        let [columns, rows] = self.samples(block);
        // Column by column, since these are compared in lanes.
        let mut least = [f64::INFINITY; BLOCK[0]];
        for y in rows {
            let row = &depths[y * self.size[0] + columns.start..y * self.size[0] + columns.end];
            least.iter_mut().zip(row).for_each(|(least, &z)| *least = if z < *least { z } else { *least });
        }
        self.least[block] = least.into_iter().fold(f64::INFINITY, f64::min);
        self.tried[block] = 0;
    }
}

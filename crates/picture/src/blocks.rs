//! Blocks of samples: bounds of their depths spare most samples of hidden surfaces, and all depths of
//! blocks that one facet covers.

use std::ops::Range;

use crate::raster::Area;
use crate::runs::{self, Number};

/// The number of samples of a block along x and y.
pub const BLOCK: [usize; 2] = [32, 8];

/// A block of samples.
#[derive(Clone)]
pub struct Block {
    /// A lower bound of its depths: nothing behind it is seen there.
    pub least: f64,
    /// An upper bound of its depths.
    pub most: f64,
    /// The number of samples that were tried since the least depth was last looked up.
    pub tried: usize,
    pub content: Content,
}

/// The place of the depths of a block.
#[derive(Clone, Copy)]
pub enum Content {
    /// There is no surface.
    Empty,
    /// All samples show one facet. Its number, and the column at which it begins in each row.
    Facet(u32, [u32; BLOCK[1]]),
    /// Each sample has a depth of its own.
    Depths,
}

/// The blocks of a picture.
pub struct Blocks {
    /// The number of samples of the picture along x and y.
    size: [usize; 2],
    /// The number of blocks in a row of them.
    columns: usize,
    all: Vec<Block>,
}

impl Blocks {
    /// Returns the blocks of a picture, in which samples are covered that have a value other than `none`.
    /// They hide everything: their depths are infinite.
    pub fn of<T: Number>(size: [usize; 2], covered: &[T], none: T, depths: &mut [f64]) -> Self {
        let counts = [0, 1].map(|k| size[k].div_ceil(BLOCK[k]));
        let empty =
            Block { least: f64::NEG_INFINITY, most: f64::NEG_INFINITY, tried: 0, content: Content::Empty };
        let mut blocks = Self { size, columns: counts[0], all: vec![empty; counts[0] * counts[1]] };
        for block in 0..if covered.is_empty() { 0 } else { blocks.all.len() } {
            let (mut is_empty, mut is_covered) = (true, true);
            for row in blocks.rows(block) {
                let mut sample = row.start;
                while sample < row.end {
                    let end = runs::end(&covered[..row.end], sample);
                    let is_none = covered[sample] == none;
                    (is_empty, is_covered) = (is_empty && is_none, is_covered && !is_none);
                    sample = end;
                }
            }
            if is_empty {
                continue;
            }
            let known = &mut blocks.all[block];
            (known.most, known.content) = (f64::INFINITY, Content::Depths);
            if is_covered {
                known.least = f64::INFINITY;
                continue;
            }
            for sample in blocks.rows(block).flatten() {
                depths[sample] = if covered[sample] == none { f64::NEG_INFINITY } else { f64::INFINITY };
            }
        }
        blocks
    }

    /// Returns the number of the block at a place among blocks.
    pub fn number(&self, [column, row]: [usize; 2]) -> usize {
        row * self.columns + column
    }

    /// Returns a block.
    pub fn get(&mut self, block: usize) -> &mut Block {
        &mut self.all[block]
    }

    /// Returns the columns and the rows of a block.
    pub fn samples(&self, block: usize) -> [Range<usize>; 2] {
        let at = [block % self.columns, block / self.columns];
        [0, 1].map(|k| at[k] * BLOCK[k]..self.size[k].min((at[k] + 1) * BLOCK[k]))
    }

    /// Returns the samples of a block, row by row.
    pub fn rows(&self, block: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let ([columns, rows], width) = (self.samples(block), self.size[0]);
        rows.map(move |y| y * width + columns.start..y * width + columns.end)
    }

    /// Returns where the depth of a sample is.
    pub fn content(&self, [x, y]: [usize; 2]) -> &Content {
        &self.all[self.number([x / BLOCK[0], y / BLOCK[1]])].content
    }

    /// True if nothing in an area would be seen.
    pub fn hide(&self, Area { columns, rows, nearest }: &Area) -> bool {
        let columns = columns.start / BLOCK[0]..columns.end.div_ceil(BLOCK[0]);
        let mut rows = rows.start / BLOCK[1]..rows.end.div_ceil(BLOCK[1]);
        rows.all(|row| columns.clone().all(|column| *nearest <= self.all[self.number([column, row])].least))
    }

    /// Looks up the least depth of a block again if as many samples were tried as it has, so that this
    /// costs no more than the samples themselves.
    pub fn renew(&mut self, block: usize, depths: &[f64]) {
        if self.all[block].tried >= BLOCK[0] * BLOCK[1] {
            self.all[block].least = self.least(block, depths);
            self.all[block].tried = 0;
        }
    }

    /// Returns the least depth of a block.
    fn least(&self, block: usize, depths: &[f64]) -> f64 {
        // Column by column, since these are compared in lanes.
        let mut least = [f64::INFINITY; BLOCK[0]];
        for row in self.rows(block) {
            least
                .iter_mut()
                .zip(&depths[row])
                .for_each(|(least, &z)| *least = if z < *least { z } else { *least });
        }
        least.into_iter().fold(f64::INFINITY, f64::min)
    }
}

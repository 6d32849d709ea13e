//! The samples that a triangle covers in a row of blocks.

use std::ops::Range;

use crate::blocks::BLOCK;

/// The columns that a triangle covers in some rows, which lie in one row of blocks.
#[derive(Default)]
pub struct Strip {
    /// The rows from the first to the last.
    pub rows: Range<usize>,
    /// The first column and the one after the last, by the place of the row in its block.
    pub spans: [[usize; 2]; BLOCK[1]],
}

impl Strip {
    /// True if it can have a row too, after those that it has.
    pub fn takes(&self, row: usize) -> bool {
        self.rows.is_empty() || self.rows.start / BLOCK[1] == row / BLOCK[1]
    }

    /// Adds the columns of a row below the others.
    pub fn add(&mut self, row: usize, columns: Range<usize>) {
        self.rows = if self.rows.is_empty() { row..row + 1 } else { self.rows.start..row + 1 };
        self.spans[row % BLOCK[1]] = [columns.start, columns.end];
    }

    /// Returns the columns from the leftmost to the rightmost.
    pub fn columns(&self) -> Range<usize> {
        let spans = self.spans.iter().filter(|[start, end]| start < end);
        let [start, end] =
            spans.fold([usize::MAX, 0], |[start, end], span| [start.min(span[0]), end.max(span[1])]);
        start.min(end)..end
    }

    /// Returns the columns of a row among some.
    pub fn within(&self, row: usize, columns: &Range<usize>) -> Range<usize> {
        let [start, end] = self.spans[row % BLOCK[1]];
        let (start, end) = (start.max(columns.start), end.min(columns.end));
        start..end.max(start)
    }

    /// True if every row has some columns.
    pub fn fills(&self, columns: &Range<usize>) -> bool {
        self.rows.clone().all(|row| self.within(row, columns) == *columns)
    }
}

//! The time line of a pair: spans cut into equal cells. Answers are defined at the middles of the cells.

use std::ops::Range;

use crate::math::error_bounds::TIME;

/// One span of time, cut into `2^level` cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cells {
    /// Start of the span, in seconds.
    pub from: f64,
    /// End of the span, in seconds.
    pub to: f64,
    /// Number of halvings, at most [`FINEST`].
    pub level: u32,
}

/// Largest level of cells; f64 still tells their middles apart.
pub const FINEST: u32 = 48;

/// A stretch of a span's time that contains `2^(level of the cells - level)` cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Number of times the span was halved.
    pub level: u32,
    /// Index among the `2^level` parts.
    pub index: u64,
}

impl Stretch {
    /// The whole span.
    pub const WHOLE: Self = Self { level: 0, index: 0 };

    /// Returns both halves, the earlier first.
    pub fn halves(self) -> [Self; 2] {
        [0, 1].map(|half| Self { level: self.level + 1, index: 2 * self.index + half })
    }
}

impl Cells {
    /// Returns the number of cells.
    pub fn count(&self) -> u64 {
        1 << self.level
    }

    /// Returns the cells of a part of the span.
    pub fn range(&self, part: Stretch) -> Range<u64> {
        let finer = self.level - part.level;
        part.index << finer..(part.index + 1) << finer
    }

    /// Returns the start of a part of the span: `from + (to - from) (index / 2^level)`.
    pub fn start(&self, part: Stretch) -> f64 {
        self.at(part.index, part.level)
    }

    /// Returns the middle of a part: `from + (to - from) ((2 index + 1) / 2^(level + 1))`.
    pub fn middle(&self, part: Stretch) -> f64 {
        self.at(2 * part.index + 1, part.level + 1)
    }

    /// Returns the time at an exact fraction of the span; two operations round.
    fn at(&self, numerator: u64, power: u32) -> f64 {
        let fraction = numerator as f64 / (1u64 << power) as f64;
        self.from + (self.to - self.from) * fraction
    }

    /// Returns a cell as a stretch.
    pub fn cell(&self, index: u64) -> Stretch {
        Stretch { level: self.level, index }
    }

    /// Returns the width of a cell, in seconds.
    pub fn width(&self) -> f64 {
        (self.to - self.from) / self.count() as f64
    }

    /// Returns half the width of a stretch, in seconds, and so much more that computed neighbours leave no
    /// time between them.
    pub fn half_with_borders(&self, part: Stretch) -> f64 {
        0.5 * (self.to - self.from) / (1u64 << part.level) as f64 + TIME * self.from.abs().max(self.to.abs())
    }

    /// Returns the largest distance, in seconds, from the middle of a stretch to the middles of its cells.
    pub fn half_width(&self, part: Stretch) -> f64 {
        let cells = (1u64 << (self.level - part.level)) - 1;
        0.5 * (self.to - self.from) * (cells as f64 / (1u64 << self.level) as f64)
    }
}

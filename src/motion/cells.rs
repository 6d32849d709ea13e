//! The time line of a pair: spans cut into equal cells. Answers are defined on the middles of the cells.

/// One span, cut into `2^level` cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cells {
    /// Start of the span.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// How often it is halved, at most [`FINEST`].
    pub level: u32,
}

/// Cells are never finer than this: their middles are still told apart by f64.
pub const FINEST: u32 = 48;

/// A stretch of a span's time: `2^(level of the cells - level)` cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// How often the span was halved.
    pub level: u32,
    /// Which of the `2^level` parts.
    pub index: u64,
}

impl Stretch {
    /// The whole span.
    pub const WHOLE: Self = Self { level: 0, index: 0 };

    /// Its halves, the earlier one first.
    pub fn halves(self) -> [Self; 2] {
        [0, 1].map(|half| Self { level: self.level + 1, index: 2 * self.index + half })
    }
}

impl Cells {
    /// How many.
    pub fn count(&self) -> u64 {
        1 << self.level
    }

    /// Where a part of the span begins: `from + (to - from) (index / 2^level)`.
    pub fn start(&self, part: Stretch) -> f64 {
        self.at(part.index, part.level)
    }

    /// Its middle: `from + (to - from) ((2 index + 1) / 2^(level + 1))`.
    pub fn middle(&self, part: Stretch) -> f64 {
        self.at(2 * part.index + 1, part.level + 1)
    }

    /// The fraction is exact; two operations round.
    fn at(&self, numerator: u64, power: u32) -> f64 {
        let fraction = numerator as f64 / (1u64 << power) as f64;
        self.from + (self.to - self.from) * fraction
    }

    /// A cell as a stretch.
    pub fn cell(&self, index: u64) -> Stretch {
        Stretch { level: self.level, index }
    }

    /// How far the middles of a stretch's cells are from its own, at most.
    pub fn half_width(&self, part: Stretch) -> f64 {
        let cells = (1u64 << (self.level - part.level)) - 1;
        0.5 * (self.to - self.from) * (cells as f64 / (1u64 << self.level) as f64)
    }
}

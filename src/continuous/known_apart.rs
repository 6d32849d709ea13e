//! The time that a search may skip, because a proof was found before it began.

use std::ops::Range;

/// The cells of a span throughout which two parts are known to stay farther apart than a limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownApart {
    limit: f64,
    /// Ranges of cells, in order and not adjacent.
    cells: Vec<Range<u64>>,
}

impl KnownApart {
    /// Notes that two parts stay farther apart than a limit throughout some ranges of cells, in any order.
    pub fn beyond(limit: f64, mut ranges: Vec<Range<u64>>) -> Self {
        ranges.sort_unstable_by_key(|range| range.start);
        let mut cells: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match cells.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => cells.push(range),
            }
        }
        Self { limit, cells }
    }

    /// True if the parts are known to stay farther apart than `limit` throughout a range of cells.
    pub fn covers(&self, cells: &Range<u64>, limit: f64) -> bool {
        let after = self.cells.partition_point(|range| range.start <= cells.start);
        limit <= self.limit && after > 0 && cells.end <= self.cells[after - 1].end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_what_is_within_them() {
        let known = KnownApart::beyond(1.0, vec![8..12, 2..4, 4..6, 3..4]);
        for start in 0..14 {
            for end in start + 1..14 {
                let covered = (2 <= start && end <= 6) || (8 <= start && end <= 12);
                assert_eq!(known.covers(&(start..end), 1.0), covered, "{start}..{end}");
                assert!(!known.covers(&(start..end), 1.0_f64.next_up()));
                assert!(!KnownApart::default().covers(&(start..end), 0.0));
            }
        }
    }
}

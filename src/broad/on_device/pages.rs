//! The boxes of all strips, cut into pages that the device sorts and sweeps one or two at a time.

use std::ops::Range;

use super::columns::{Ends, Key};
use crate::broad::columns::InflatedBox;
use crate::broad::sweep_and_prune::{Plan, ordered};
use closefit_geometry::ids::to_u32;
use closefit_geometry::parallel;

/// A box in a strip. One that reaches into several strips is in each.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Number of the strip.
    strip: u32,
    id: u32,
}

/// The boxes of all strips. No box of a page comes after a box of a later page, in the order of strips and,
/// in a strip, of lower ends along the axis to sweep.
pub(super) struct Pages {
    /// The axis to sweep along, and the two others.
    axes: [usize; 3],
    entries: Vec<Entry>,
    ranges: Vec<Range<usize>>,
    /// Number of boxes in the longest strip.
    longest: usize,
    /// The first strip of each box.
    first: Vec<u32>,
}

impl Pages {
    /// Cuts boxes into strips as planned, and these into pages of at most `most` boxes.
    pub fn new(plan: &Plan, outers: &[InflatedBox], most: usize) -> Self {
        let axes = [plan.sweep, plan.across, 3 - plan.sweep - plan.across];
        let mut first = vec![0; outers.len()];
        parallel::fill(&mut first, parallel::TINY, |at| to_u32(plan.strip_of(&outers[at])));
        let mut pages = Self { axes, entries: Vec::new(), ranges: Vec::new(), longest: 0, first };
        for (strip, mut members) in (0..).zip(plan.strips(outers)) {
            pages.longest = pages.longest.max(members.len());
            let mut rest = &mut members[..];
            while rest.len() > most {
                rest.select_nth_unstable_by_key(most, |&id| ordered(outers[id as usize].lo[plan.sweep]));
                let (page, later) = rest.split_at_mut(most);
                pages.push(strip, page, most);
                rest = later;
            }
            if !rest.is_empty() {
                pages.push(strip, rest, most);
            }
        }
        pages
    }

    /// Adds boxes of a strip to the last page, or to a new one if that has no room for all of them.
    fn push(&mut self, strip: u32, ids: &[u32], most: usize) {
        let begin = self.entries.len();
        self.entries.extend(ids.iter().map(|&id| Entry { strip, id }));
        let end = self.entries.len();
        match self.ranges.last_mut() {
            Some(last) if end - last.start <= most => last.end = end,
            _ => self.ranges.push(begin..end),
        }
    }

    pub fn count(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the number of boxes of a page.
    pub fn len(&self, page: usize) -> usize {
        self.ranges[page].len()
    }

    /// Returns true if the last strip of a page goes on in a later one.
    pub fn goes_on(&self, page: usize, later: usize) -> bool {
        let last = self.entries[self.ranges[page].clone()].last();
        let first = self.entries[self.ranges[later].clone()].first();
        matches!((last, first), (Some(last), Some(first)) if last.strip == first.strip)
    }

    /// Returns a bound of the number of boxes that the sweep of one box passes in a page.
    pub fn longest_sweep(&self, page: usize) -> usize {
        self.longest.min(self.len(page))
    }

    /// Returns the boxes of a page and their keys, unsorted, and the largest strip.
    pub fn columns(&self, page: usize, outers: &[InflatedBox]) -> (Vec<Ends>, Vec<Key>, u32) {
        let entries = &self.entries[self.ranges[page].clone()];
        let key = |end: [f32; 3]| self.axes.map(|axis| ordered(end[axis]));
        let ends = |entry: &Entry| {
            let b = &outers[entry.id as usize];
            let begins_here = entry.strip == self.first[entry.id as usize];
            let strip = entry.strip << 1 | u32::from(begins_here);
            Ends { lo: key(b.lo), strip, hi: key(b.hi), id: entry.id }
        };
        let ends: Vec<Ends> = parallel::gather(entries.len(), parallel::TINY, |run, all| {
            all.extend(entries[run].iter().map(ends))
        });
        let key = |at: usize| {
            let e = &ends[at];
            Key { strip: e.strip >> 1, lo: e.lo[0], zero: 0, place: to_u32(at) }
        };
        let keys = parallel::gather(ends.len(), parallel::TINY, |run, keys| keys.extend(run.map(key)));
        (ends, keys, entries.last().map_or(0, |last| last.strip))
    }
}

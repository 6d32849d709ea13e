//! The surface nearest to the viewer at each sample.

use std::ops::Range;

use glam::DVec3;

use crate::blocks::{BLOCK, Block, Blocks, Content};
use crate::buffer::Buffer;
use crate::camera::{Corner, Sloped};
use crate::colours::Rgb;
use crate::nearest::{self, Candidate};
use crate::raster::{Area, cut_rows};
use crate::runs::{self, Number};
use crate::slope::Slope;
use crate::strip::Strip;

/// A part's share in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The first part of the finding.
    First,
    /// The second part of the finding.
    Second,
    /// Another part, by its index.
    Other(u32),
}

/// A triangle that is seen somewhere.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    /// Its part's share.
    pub role: Role,
    /// Its unit normal, or zero.
    pub normal: DVec3,
    /// Its colour in the light.
    pub colour: Rgb,
}

/// No facet.
const NONE: u32 = u32::MAX;

/// The facet and depth that are nearest at each sample.
pub struct Layer {
    size: [usize; 2],
    blocks: Blocks,
    /// The depths, in blocks that say so.
    depths: Buffer<f64>,
    /// The number of each facet among those seen.
    facets: Buffer<u32>,
    seen: Vec<(Facet, Slope)>,
}

impl Layer {
    /// Creates a layer without a surface.
    pub fn new(size: [usize; 2]) -> Self {
        Self::beyond(size, &[], 0_u8)
    }

    /// Creates a layer without a surface, in which samples that a cut covers stay empty.
    pub fn behind(size: [usize; 2], cut: &[u8]) -> Self {
        Self::beyond(size, cut, 0)
    }

    /// Creates a layer without a surface, in which samples that show a surface of this one stay empty.
    pub fn beside(&self) -> Self {
        Self::beyond(self.size, &self.facets, NONE)
    }

    /// Creates a layer without a surface, in which samples stay empty that have a value other than `none`.
    fn beyond<T: Number>(size: [usize; 2], covered: &[T], none: T) -> Self {
        let mut depths = Buffer::of_any(size[0] * size[1], 0.0);
        let facets = Buffer::of(size[0] * size[1], NONE);
        Self { size, blocks: Blocks::of(size, covered, none, &mut depths), depths, facets, seen: Vec::new() }
    }

    /// True if nothing in an area would be seen.
    pub fn hides(&self, area: &Area) -> bool {
        self.blocks.hide(area)
    }

    /// Adds a facet where it lies behind a limit, unless something is nearer.
    pub fn add(&mut self, corners: &[Corner; 3], limit: Sloped, facet: impl FnOnce() -> Facet) {
        let slope = Slope::of(corners);
        let mut strip = Strip::default();
        let mut is_seen = false;
        cut_rows(corners, self.size, |row, columns| {
            if !strip.takes(row) {
                is_seen |= self.put(&std::mem::take(&mut strip), &slope, limit);
            }
            strip.add(row, columns);
        });
        if self.put(&strip, &slope, limit) || is_seen {
            self.seen.push((facet(), slope));
        }
    }

    /// Puts a facet's samples in a row of blocks. Returns whether any is seen.
    fn put(&mut self, strip: &Strip, slope: &Slope, limit: Sloped) -> bool {
        let columns = strip.columns();
        let (mut is_seen, mut visible) = (false, 0..0);
        // Adjacent blocks are put together.
        for column in columns.start / BLOCK[0]..columns.end.div_ceil(BLOCK[0]) {
            let block = self.blocks.number([column, strip.rows.start / BLOCK[1]]);
            let [of_block, rows] = self.blocks.samples(block);
            let within = of_block.start.max(columns.start)..of_block.end.min(columns.end);
            let [least, most] = slope.bounds(&within, &strip.rows);
            if most <= self.blocks.get(block).least {
                is_seen |= self.put_nearer(strip, std::mem::take(&mut visible), (slope, limit));
                continue;
            }
            let is_whole =
                strip.rows == rows && strip.fills(&of_block) && most < limit.range(&of_block, &rows)[0];
            if is_whole && least > self.blocks.get(block).most {
                self.put_nearer(strip, std::mem::take(&mut visible), (slope, limit));
                let content =
                    Content::Facet(self.seen.len() as u32, strip.spans.map(|[start, _]| start as u32));
                *self.blocks.get(block) = Block { least, most, tried: 0, content };
                self.blocks.rows(block).for_each(|row| self.facets[row].fill(self.seen.len() as u32));
                is_seen = true;
                continue;
            }
            self.store(block);
            let known = self.blocks.get(block);
            known.most = known.most.max(most);
            if is_whole {
                known.least = known.least.max(least);
            } else {
                known.tried += strip.rows.len() * within.len();
            }
            visible = if visible.is_empty() { within } else { visible.start..within.end };
        }
        self.put_nearer(strip, visible, (slope, limit)) || is_seen
    }

    /// Stores a depth for each sample of a block.
    fn store(&mut self, block: usize) {
        match std::mem::replace(&mut self.blocks.get(block).content, Content::Depths) {
            Content::Empty => {
                self.blocks.rows(block).for_each(|row| self.depths[row].fill(f64::NEG_INFINITY));
            }
            Content::Facet(facet, starts) => {
                let [columns, rows] = self.blocks.samples(block);
                for (y, start) in rows.zip(starts) {
                    let depth = self.seen[facet as usize].1.depths(y, start as usize);
                    let depths = &mut self.depths[y * self.size[0]..][columns.clone()];
                    (columns.start as i32 - start as i32..).zip(depths).for_each(|(k, z)| *z = depth(k));
                }
            }
            Content::Depths => {}
        }
    }

    /// Puts a facet's samples in some columns of a row of blocks that have depths. Returns whether any is
    /// seen.
    fn put_nearer(&mut self, strip: &Strip, columns: Range<usize>, (slope, limit): (&Slope, Sloped)) -> bool {
        let mut is_seen = false;
        if columns.is_empty() {
            return false;
        }
        for row in strip.rows.clone() {
            let within = strip.within(row, &columns);
            if within.is_empty() {
                continue;
            }
            let start = strip.spans[row % BLOCK[1]][0];
            let candidate = Candidate {
                facet: self.seen.len() as u32,
                depth: slope.line(row, start, within.start),
                range: slope.range,
                limit: limit.line(row, within.start),
            };
            let samples = row * self.size[0] + within.start..row * self.size[0] + within.end;
            is_seen |= nearest::put(&candidate, &mut self.depths[samples.clone()], &mut self.facets[samples]);
        }
        for column in columns.start / BLOCK[0]..columns.end.div_ceil(BLOCK[0]) {
            let block = self.blocks.number([column, strip.rows.start / BLOCK[1]]);
            self.blocks.renew(block, &self.depths);
        }
        is_seen
    }

    /// Returns the number of the facet at each sample of a row.
    pub fn row(&self, y: usize) -> &[u32] {
        &self.facets[y * self.size[0]..(y + 1) * self.size[0]]
    }

    /// Returns the colour of a facet by its number, if there is a surface.
    pub fn colour(&self, facet: u32) -> Option<Rgb> {
        self.seen.get(facet as usize).filter(|_| facet != NONE).map(|(seen, _)| seen.colour)
    }

    /// Returns the facet and the depth at a sample.
    pub fn at(&self, [x, y]: [usize; 2]) -> Option<(&Facet, f64)> {
        let facet = self.facets[x + self.size[0] * y];
        (facet != NONE).then(|| (&self.seen[facet as usize].0, self.depth([x, y])))
    }

    /// Returns the depth at a sample that shows a facet.
    fn depth(&self, [x, y]: [usize; 2]) -> f64 {
        match *self.blocks.content([x, y]) {
            Content::Facet(facet, starts) => {
                let start = starts[y % BLOCK[1]] as usize;
                self.seen[facet as usize].1.depths(y, start)((x - start) as i32)
            }
            Content::Empty | Content::Depths => self.depths[x + self.size[0] * y],
        }
    }

    /// Calls `found` with the columns at which a facet begins in a row, seen from the left or from above:
    /// there may be an edge.
    pub fn changes(&self, y: usize, found: impl FnMut(usize)) {
        runs::changes([self.row(y - 1), self.row(y)], found);
    }

    /// True if an edge is seen between two samples: of a part, of a fold, or in front of something farther
    /// than a step.
    pub fn is_edge(&self, a: [usize; 2], b: [usize; 2], step: f64) -> bool {
        let facets = [a, b].map(|[x, y]| self.facets[x + self.size[0] * y]);
        if facets[0] == facets[1] {
            return false;
        }
        if facets.contains(&NONE) {
            return true;
        }
        let [left, right] = facets.map(|facet| &self.seen[facet as usize].0);
        let is_fold = left.normal.dot(right.normal).abs() < FOLD;
        left.role != right.role || is_fold || (self.depth(a) - self.depth(b)).abs() > step
    }
}

/// The cosine of the angle between two facets from which their common edge is drawn: 32 degrees.
const FOLD: f64 = 0.85;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::STEPS;
    use crate::raster::cover;

    /// A source of numbers below a bound.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> i64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % bound) as i64
        }
    }

    fn facet(number: usize) -> Facet {
        Facet { role: Role::Other(number as u32), normal: DVec3::Z, colour: [0; 3] }
    }

    /// Whatever blocks and areas leave out, each sample has the facet and the depth that comparing all of
    /// them in order gives.
    #[test]
    fn a_layer_has_the_nearest_of_all_facets() {
        let size = [150, 61];
        // A plane that cuts some of the facets, or none.
        let planes = [Sloped::NOWHERE, Sloped::of(60.0, [-0.4, 0.3]), Sloped::of(30.0, [0.0, 0.01])];
        let (mut random, mut left_out) = (Random(1), 0);
        for round in 0..40 {
            let is_covered = |sample: usize| round % 3 == 0 && sample % 150 > 90;
            let limit = planes[round % 5 % 3];
            let cut: Vec<u8> = (0..size[0] * size[1]).map(|sample| u8::from(is_covered(sample))).collect();
            let mut layer = Layer::behind(size, &cut);
            let mut expected = vec![(f64::NEG_INFINITY, None); size[0] * size[1]];
            for number in 0..60 {
                // Large ones hide small ones.
                let reach = if number % 5 == 0 { 60_000 } else { 6_000 };
                let at = [random.below(150 * STEPS as u64), random.below(61 * STEPS as u64)];
                let mut corners = [0; 3].map(|_| {
                    let [x, y] = [at[0], at[1]].map(|c| c + random.below(reach) - reach as i64 / 2);
                    Corner { x, y, depth: random.below(50) as f64 + if reach > 9_000 { 30.0 } else { 0.0 } }
                });
                // Flat sides end in the middle of blocks.
                if number % 2 == 0 {
                    corners[1].y = corners[0].y;
                }
                let is_hidden = layer.hides(&Area::of(&corners, size));
                cover(&corners, size, |span| {
                    let behind = limit.depths_from(span.row, span.column);
                    for ((k, sample), depth) in (0..).zip(span.samples.clone()).zip(span.depths()) {
                        if depth > expected[sample].0 && depth < behind(k) && !is_covered(sample) {
                            assert!(!is_hidden, "what is hidden is seen nowhere");
                            expected[sample] = (depth, Some(Role::Other(number)));
                        }
                    }
                });
                if !is_hidden {
                    layer.add(&corners, limit, || facet(number as usize));
                }
                left_out += usize::from(is_hidden);
            }
            for (sample, (depth, role)) in expected.into_iter().enumerate() {
                let found = layer.at([sample % size[0], sample / size[0]]);
                assert_eq!(found.map(|(facet, _)| facet.role), role);
                assert!(found.is_none_or(|(_, found)| found == depth));
            }
        }
        assert!(left_out > 200, "{left_out} of 2400 are hidden as a whole");
    }
}

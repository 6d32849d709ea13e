//! The surface nearest to the viewer at each sample.

use std::ops::Range;

use glam::DVec3;

use crate::blocks::Blocks;
use crate::buffer::Buffer;
use crate::camera::Sloped;
use crate::colours::Rgb;
use crate::nearest::{self, Candidate, FEW};
use crate::raster::{Area, Span};
use crate::runs::changes;

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
    depths: Buffer<f64>,
    /// The number of each facet among those seen.
    facets: Buffer<u32>,
    /// The facets; the last one may not be seen yet.
    seen: Vec<Facet>,
    is_last_seen: bool,
    blocks: Blocks,
}

impl Layer {
    /// Creates a layer without a surface.
    pub fn new(size: [usize; 2]) -> Self {
        let depths = Buffer::of(size[0] * size[1], f64::NEG_INFINITY);
        Self::of(size, depths, Blocks::of(size, |_| false))
    }

    /// Creates a layer without a surface, in which samples that a cut covers stay empty.
    pub fn behind(size: [usize; 2], cut: &[u8]) -> Self {
        let depth = |&covered: &u8| if covered == 0 { f64::NEG_INFINITY } else { f64::INFINITY };
        Self::of(size, Buffer::from_others(cut, depth), Blocks::of(size, |sample| cut[sample] != 0))
    }

    /// Creates a layer without a surface, in which samples that show a surface of this one stay empty.
    pub fn beside(&self) -> Self {
        let depth = |&facet: &u32| if facet == NONE { f64::NEG_INFINITY } else { f64::INFINITY };
        let blocks = Blocks::of(self.size, |sample| self.facets[sample] != NONE);
        Self::of(self.size, Buffer::from_others(&self.facets, depth), blocks)
    }

    fn of(size: [usize; 2], depths: Buffer<f64>, blocks: Blocks) -> Self {
        let facets = Buffer::of(size[0] * size[1], NONE);
        Self { size, depths, facets, seen: Vec::new(), is_last_seen: true, blocks }
    }

    /// True if nothing in an area would be seen.
    pub fn hides(&self, area: &Area) -> bool {
        self.blocks.hide(area)
    }

    /// Adds a facet, of which the samples follow by [`put`](Self::put).
    pub fn begin(&mut self, facet: Facet) {
        if !self.is_last_seen {
            self.seen.pop();
        }
        self.seen.push(facet);
        self.is_last_seen = false;
    }

    /// Puts samples of the last facet that lie behind a limit, unless something is nearer.
    pub fn put(&mut self, span: &Span, limit: Sloped) {
        if span.samples.len() <= FEW {
            // Trying a few samples is as fast as finding out whether they are hidden.
            return self.put_nearer(span, 0..span.samples.len(), limit);
        }
        // Adjacent blocks are put together.
        let mut visible = 0..0;
        for (block, columns) in self.blocks.along(span) {
            let of_span = columns.start - span.column..columns.end - span.column;
            if self.blocks.is_hidden(block, span.nearest_of(of_span.clone())) {
                self.put_nearer(span, std::mem::take(&mut visible), limit);
            } else {
                let start = if visible.is_empty() { of_span.start } else { visible.start };
                visible = start..of_span.end;
            }
        }
        self.put_nearer(span, visible, limit);
    }

    /// Puts some samples of a span, counted from its first.
    fn put_nearer(&mut self, span: &Span, of_span: Range<usize>, limit: Sloped) {
        if of_span.is_empty() {
            return;
        }
        let samples = span.samples.start + of_span.start..span.samples.start + of_span.end;
        let candidate = Candidate {
            facet: (self.seen.len() - 1) as u32,
            depth: span.line(of_span.start),
            range: span.range,
            limit: limit.line(span.row, span.column + of_span.start),
        };
        let is_seen = nearest::put(&candidate, &mut self.depths[samples.clone()], &mut self.facets[samples]);
        self.is_last_seen |= is_seen;
        self.blocks.note(span, of_span, &self.depths);
    }

    /// Returns the number of the facet at each sample of a row.
    pub fn row(&self, y: usize) -> &[u32] {
        &self.facets[y * self.size[0]..(y + 1) * self.size[0]]
    }

    /// Returns the colour of a facet by its number, if there is a surface.
    pub fn colour(&self, facet: u32) -> Option<Rgb> {
        self.seen.get(facet as usize).filter(|_| facet != NONE).map(|seen| seen.colour)
    }

    /// Returns the facet and the depth at a sample.
    pub fn at(&self, [x, y]: [usize; 2]) -> Option<(&Facet, f64)> {
        let at = x + self.size[0] * y;
        let facet = self.facets[at];
        (facet != NONE).then(|| (&self.seen[facet as usize], self.depths[at]))
    }

    /// Calls `found` with the columns at which a facet begins in a row, seen from the left or from above:
    /// there may be an edge.
    pub fn changes(&self, y: usize, found: impl FnMut(usize)) {
        changes([self.row(y - 1), self.row(y)], found);
    }

    /// True if an edge is seen between two samples: of a part, of a fold, or in front of something farther
    /// than a step.
    pub fn is_edge(&self, a: [usize; 2], b: [usize; 2], step: f64) -> bool {
        let [a, b] = [a, b].map(|[x, y]| x + self.size[0] * y);
        let facets = [a, b].map(|at| self.facets[at]);
        if facets[0] == facets[1] {
            return false;
        }
        if facets.contains(&NONE) {
            return true;
        }
        let [left, right] = facets.map(|facet| &self.seen[facet as usize]);
        let is_fold = left.normal.dot(right.normal).abs() < FOLD;
        left.role != right.role || is_fold || (self.depths[a] - self.depths[b]).abs() > step
    }
}

/// The cosine of the angle between two facets from which their common edge is drawn: 32 degrees.
const FOLD: f64 = 0.85;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Corner, STEPS};
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
                let corners = [0; 3].map(|_| {
                    let [x, y] = [at[0], at[1]].map(|c| c + random.below(reach) - reach as i64 / 2);
                    Corner { x, y, depth: random.below(50) as f64 + if reach > 9_000 { 30.0 } else { 0.0 } }
                });
                let is_hidden = layer.hides(&Area::of(&corners, size));
                let mut has_begun = false;
                cover(&corners, size, |span| {
                    let behind = limit.depths_from(span.row, span.column);
                    for ((k, sample), depth) in (0..).zip(span.samples.clone()).zip(span.depths()) {
                        if depth > expected[sample].0 && depth < behind(k) && !is_covered(sample) {
                            assert!(!is_hidden, "what is hidden is seen nowhere");
                            expected[sample] = (depth, Some(Role::Other(number)));
                        }
                    }
                    if !is_hidden {
                        if !has_begun {
                            layer.begin(facet(number as usize));
                            has_begun = true;
                        }
                        layer.put(span, limit);
                    }
                });
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

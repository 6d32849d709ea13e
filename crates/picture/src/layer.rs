//! The surface nearest to the viewer at each sample.

use std::ops::Range;

use glam::DVec3;

use crate::blocks::Blocks;
use crate::buffer::Buffer;
use crate::camera::Sloped;
use crate::colours::Rgb;
use crate::nearest::{self, Candidate};
use crate::raster::{Area, Span};

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
const NONE: f64 = -1.0;

/// The facet and depth that are nearest at each sample.
pub struct Layer {
    size: [usize; 2],
    depths: Buffer<f64>,
    /// The number of each facet among those seen. As wide as depths, they are chosen in the same lanes.
    facets: Buffer<f64>,
    /// The facets; the last one may not be seen yet.
    seen: Vec<Facet>,
    is_last_seen: bool,
    blocks: Blocks,
}

impl Layer {
    /// Creates a layer without a surface, in which samples that are covered by something else stay empty.
    pub fn new(size: [usize; 2], is_covered: impl Fn(usize) -> bool) -> Self {
        let samples = size[0] * size[1];
        let (mut depths, facets) = (Buffer::of(samples, f64::NEG_INFINITY), Buffer::of(samples, NONE));
        for (sample, depth) in depths.iter_mut().enumerate() {
            *depth = if is_covered(sample) { f64::INFINITY } else { *depth };
        }
        let blocks = Blocks::of(size, &depths);
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
        for (block, columns) in self.blocks.along(span) {
            let of_span = columns.start - span.column..columns.end - span.column;
            if self.blocks.is_hidden(block, span.nearest_of(of_span.clone())) {
                continue;
            }
            self.put_nearer(span, of_span, limit);
            self.blocks.note(block, columns.len(), &self.depths);
        }
    }

    /// Puts some samples of a span, counted from its first.
    fn put_nearer(&mut self, span: &Span, of_span: Range<usize>, limit: Sloped) {
        let samples = span.samples.start + of_span.start..span.samples.start + of_span.end;
        let candidate = Candidate {
            facet: (self.seen.len() - 1) as f64,
            depth: span.line(of_span.start),
            range: span.range,
            limit: limit.line(span.row, span.column + of_span.start),
        };
        self.is_last_seen |=
            nearest::put(&candidate, &mut self.depths[samples.clone()], &mut self.facets[samples]);
    }

    /// True if a surface is seen at a sample, by its index.
    pub fn is_seen(&self, sample: usize) -> bool {
        self.facets[sample] != NONE
    }

    /// Returns the colour at each sample of a row, if there is a surface.
    pub fn colours(&self, y: usize) -> impl Iterator<Item = Option<Rgb>> {
        let mut last = (NONE, None);
        // Rows have long runs of one facet.
        self.facets[y * self.size[0]..(y + 1) * self.size[0]].iter().map(move |&facet| {
            if facet != last.0 {
                last =
                    (facet, self.seen.get(facet as usize).filter(|_| facet != NONE).map(|seen| seen.colour));
            }
            last.1
        })
    }

    /// Returns the facet and the depth at a sample.
    pub fn at(&self, [x, y]: [usize; 2]) -> Option<(Facet, f64)> {
        let at = x + self.size[0] * y;
        let facet = self.facets[at];
        (facet != NONE).then(|| (self.seen[facet as usize], self.depths[at]))
    }

    /// Returns the columns at which a facet begins in a row, seen from the left or from above: there may be
    /// an edge.
    pub fn changes(&self, y: usize) -> impl Iterator<Item = usize> {
        let row = |y: usize| &self.facets[y * self.size[0]..(y + 1) * self.size[0]];
        changes([row(y - 1), row(y)])
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
        let [left, right] = facets.map(|facet| self.seen[facet as usize]);
        let is_fold = left.normal.dot(right.normal).abs() < FOLD;
        left.role != right.role || is_fold || (self.depths[a] - self.depths[b]).abs() > step
    }
}

/// Returns the columns at which a row differs from what is on the left or above.
pub fn changes<T: PartialEq>([above, row]: [&[T]; 2]) -> impl Iterator<Item = usize> {
    let pairs = row.windows(2).zip(&above[1..]).enumerate();
    let differs = |(_, (pair, above)): &(usize, (&[T], &T))| pair[0] != pair[1] || pair[1] != **above;
    pairs.filter(differs).map(|(x, _)| x + 1)
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
        let limit = Sloped::NOWHERE;
        let (mut random, mut left_out) = (Random(1), 0);
        for round in 0..40 {
            let is_covered = |sample: usize| round % 3 == 0 && sample % 150 > 90;
            let mut layer = Layer::new(size, is_covered);
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
                    for (sample, depth) in span.samples.clone().zip(span.depths()) {
                        if depth > expected[sample].0 && !is_covered(sample) {
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

//! The surface nearest to the viewer at each sample.

use glam::DVec3;

use crate::camera::Sloped;
use crate::colours::Rgb;
use crate::raster::Span;

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
    depths: Vec<f64>,
    facets: Vec<u32>,
    /// The facets; the last one may not be seen yet.
    seen: Vec<Facet>,
    is_last_seen: bool,
}

impl Layer {
    /// Creates a layer without a surface.
    pub fn new(size: [usize; 2]) -> Self {
        let samples = size[0] * size[1];
        let (depths, facets) = (vec![f64::NEG_INFINITY; samples], vec![NONE; samples]);
        Self { size, depths, facets, seen: Vec::new(), is_last_seen: true }
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
        let last = self.seen.len() as u32 - 1;
        let depths = span.depths().zip(limit.along(span.row, span.column, span.samples.len()));
        let nearest = self.depths[span.samples.clone()].iter_mut();
        let facets = self.facets[span.samples.clone()].iter_mut();
        let mut is_seen = false;
        for ((depth, limit), (nearest, facet)) in depths.zip(nearest.zip(facets)) {
            // Without branches: they could not be foreseen, and samples are compared in lanes.
            let is_nearer = (depth > *nearest) & (depth < limit);
            *nearest = if is_nearer { depth } else { *nearest };
            *facet = if is_nearer { last } else { *facet };
            is_seen |= is_nearer;
        }
        self.is_last_seen |= is_seen;
    }

    /// Returns the facet and the depth at a sample.
    pub fn at(&self, [x, y]: [usize; 2]) -> Option<(Facet, f64)> {
        let at = x + self.size[0] * y;
        let facet = self.facets[at];
        (facet != NONE).then(|| (self.seen[facet as usize], self.depths[at]))
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

/// The cosine of the angle between two facets from which their common edge is drawn: 32 degrees.
const FOLD: f64 = 0.85;

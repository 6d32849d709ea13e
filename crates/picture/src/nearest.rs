//! The choice of the nearest facet at each sample, in lanes.

use closefit_geometry::lanes::{Select, Simd, SimdBase, SimdMask, f64x4, in_lanes, mask64x4};

/// The number of samples in a vector.
const LANES: usize = 4;

/// Depths along samples of a row: at the k-th of them `first + (from + k) * growth`.
#[derive(Clone, Copy)]
pub struct Line {
    /// The depth at the sample from which is counted.
    pub first: f64,
    /// The number of samples from that one to the first of these.
    pub from: f64,
    /// The growth from one sample to the next.
    pub growth: f64,
}

/// A facet over samples of a row.
pub struct Candidate {
    /// Its number.
    pub facet: f64,
    /// Its depths.
    pub depth: Line,
    /// The least and the largest depth that it has.
    pub range: [f64; 2],
    /// The depths behind which it is seen.
    pub limit: Line,
}

/// Puts a facet where it is nearer than what is there, and behind its limit. True if that is so anywhere.
pub fn put(candidate: &Candidate, depths: &mut [f64], facets: &mut [f64]) -> bool {
    let whole = depths.len() / LANES * LANES;
    let [(depths, last_depths), (facets, last_facets)] =
        [depths.split_at_mut(whole), facets.split_at_mut(whole)];
    let is_seen = in_lanes!(simd => put_by(simd, candidate, depths, facets));
    let rest = last_depths.iter_mut().zip(last_facets).enumerate();
    rest.fold(is_seen, |is_seen, (k, (nearest, facet))| {
        let at = (whole + k) as f64;
        let depth = candidate.depth_at(at);
        let is_nearer = depth > *nearest && depth < candidate.limit.at(at);
        if is_nearer {
            (*nearest, *facet) = (depth, candidate.facet);
        }
        is_seen || is_nearer
    })
}

impl Line {
    fn at(&self, sample: f64) -> f64 {
        self.first + (self.from + sample) * self.growth
    }

    #[inline(always)]
    fn along<S: Simd>(&self, simd: S, samples: f64x4<S>) -> f64x4<S> {
        let [first, from, growth] = [self.first, self.from, self.growth];
        f64x4::splat(simd, first) + (f64x4::splat(simd, from) + samples) * f64x4::splat(simd, growth)
    }
}

impl Candidate {
    /// Returns the depth at a sample, in the order of operations of the lanes.
    fn depth_at(&self, sample: f64) -> f64 {
        let (depth, [least, most]) = (self.depth.at(sample), self.range);
        let depth = if depth > least { depth } else { least };
        if depth < most { depth } else { most }
    }

    /// Returns the depths at samples, and which of them are seen in front of others.
    #[inline(always)]
    fn nearer<S: Simd>(&self, simd: S, samples: f64x4<S>, nearest: f64x4<S>) -> (f64x4<S>, mask64x4<S>) {
        let [least, most] = [f64x4::splat(simd, self.range[0]), f64x4::splat(simd, self.range[1])];
        let depth = self.depth.along(simd, samples);
        let depth = depth.simd_gt(least).select(depth, least);
        let depth = depth.simd_lt(most).select(depth, most);
        (depth, depth.simd_gt(nearest) & depth.simd_lt(self.limit.along(simd, samples)))
    }
}

#[inline(always)]
fn put_by<S: Simd>(simd: S, candidate: &Candidate, depths: &mut [f64], facets: &mut [f64]) -> bool {
    let (mut samples, step) =
        (f64x4::from_slice(simd, &[0.0, 1.0, 2.0, 3.0]), f64x4::splat(simd, LANES as f64));
    let facet = f64x4::splat(simd, candidate.facet);
    let mut seen = mask64x4::splat(simd, false);
    for (depths, facets) in depths.chunks_exact_mut(LANES).zip(facets.chunks_exact_mut(LANES)) {
        let [nearest, known] = [f64x4::from_slice(simd, depths), f64x4::from_slice(simd, facets)];
        let (depth, is_nearer) = candidate.nearer(simd, samples, nearest);
        is_nearer.select(depth, nearest).store_slice(depths);
        is_nearer.select(facet, known).store_slice(facets);
        seen |= is_nearer;
        samples += step;
    }
    seen.any_true()
}

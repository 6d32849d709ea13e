//! The choice of the nearest facet at each sample, four samples at a time.

use wide::f64x4;

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

/// Depth-tests a facet against a row of samples and its clip plane. Returns whether any sample changed.
pub fn put(candidate: &Candidate, depths: &mut [f64], facets: &mut [f64]) -> bool {
    let whole = depths.len() / LANES * LANES;
    let [(depths, last_depths), (facets, last_facets)] =
        [depths.split_at_mut(whole), facets.split_at_mut(whole)];
    let is_seen = put_in_lanes(candidate, depths, facets);
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

    fn along(&self, samples: f64x4) -> f64x4 {
        self.first + (self.from + samples) * self.growth
    }
}

impl Candidate {
    /// Returns the depth at a sample, in the order of operations of the lanes.
    fn depth_at(&self, sample: f64) -> f64 {
        let (depth, [least, most]) = (self.depth.at(sample), self.range);
        let depth = if depth > least { depth } else { least };
        if depth < most { depth } else { most }
    }

    /// Returns the depths at samples, and the mask of the samples where it is seen in front of others.
    fn nearer(&self, samples: f64x4, nearest: f64x4) -> (f64x4, f64x4) {
        let [least, most] = self.range.map(f64x4::splat);
        let depth = self.depth.along(samples);
        let depth = depth.simd_gt(least).select(depth, least);
        let depth = depth.simd_lt(most).select(depth, most);
        (depth, depth.simd_gt(nearest) & depth.simd_lt(self.limit.along(samples)))
    }
}

/// Does the work of [`put`] for a number of samples that is a multiple of [`LANES`].
fn put_in_lanes(candidate: &Candidate, depths: &mut [f64], facets: &mut [f64]) -> bool {
    let facet = f64x4::splat(candidate.facet);
    let mut samples = f64x4::new([0.0, 1.0, 2.0, 3.0]);
    let mut seen = f64x4::ZERO;
    let (depths, facets) = (depths.as_chunks_mut::<LANES>().0, facets.as_chunks_mut::<LANES>().0);
    for (depths, facets) in depths.iter_mut().zip(facets) {
        let [nearest, known] = [f64x4::new(*depths), f64x4::new(*facets)];
        let (depth, is_nearer) = candidate.nearer(samples, nearest);
        *depths = is_nearer.select(depth, nearest).to_array();
        *facets = is_nearer.select(facet, known).to_array();
        seen |= is_nearer;
        samples += LANES as f64;
    }
    seen.any()
}

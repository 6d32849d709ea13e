//! The choice of the nearest facet at each sample, four samples at a time.

use wide::f64x4;

/// The number of samples in a vector.
const LANES: usize = 4;

/// The number of samples up to which one by one is faster.
pub const FEW: usize = 8;

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
    pub facet: u32,
    /// Its depths.
    pub depth: Line,
    /// The least and the largest depth that it has.
    pub range: [f64; 2],
    /// The depths behind which it is seen.
    pub limit: Line,
}

/// Depth-tests a facet against a row of samples and its clip plane. Returns whether any sample changed.
pub fn put(candidate: &Candidate, depths: &mut [f64], facets: &mut [u32]) -> bool {
    if depths.len() <= FEW {
        return put_one_by_one(candidate, 0, depths, facets);
    }
    match candidate.bounds_over(depths.len()) {
        Bounds::Hidden => false,
        Bounds::Free => put_within::<false>(candidate, depths, facets),
        Bounds::Near => put_within::<true>(candidate, depths, facets),
    }
}

/// The relation of a candidate's depths, over some samples, to its range and its limit.
enum Bounds {
    /// All of them lie beyond the limit.
    Hidden,
    /// All of them lie in the range, and none beyond the limit.
    Free,
    /// Neither is certain.
    Near,
}

/// Does the work of [`put`]. Compares with range and limit only if `BOUNDED`.
fn put_within<const BOUNDED: bool>(candidate: &Candidate, depths: &mut [f64], facets: &mut [u32]) -> bool {
    let whole = depths.len() / LANES * LANES;
    let (depths, last_depths) = depths.split_at_mut(whole);
    let (facets, last_facets) = facets.split_at_mut(whole);
    let is_seen = put_in_lanes::<BOUNDED>(candidate, depths, facets);
    put_one_by_one(candidate, whole, last_depths, last_facets) || is_seen
}

/// Does the work of [`put`] for the samples from `from` on, counted from the candidate's first.
fn put_one_by_one(candidate: &Candidate, from: usize, depths: &mut [f64], facets: &mut [u32]) -> bool {
    let samples = depths.iter_mut().zip(facets).enumerate();
    samples.fold(false, |is_seen, (k, (nearest, facet))| {
        let at = (from + k) as f64;
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
    /// Compares the depths over a number of samples with range and limit, by those at the first and the last.
    ///
    /// Both are monotonic along the samples even after rounding, since each operation is.
    fn bounds_over(&self, samples: usize) -> Bounds {
        let last = samples as f64 - 1.0;
        let [least, most] = self.range;
        let ([first, end], limits) =
            ([self.depth.at(0.0), self.depth.at(last)], [0.0, last].map(|at| self.limit.at(at)));
        if !(first.is_finite() && end.is_finite()) {
            return Bounds::Near;
        }
        let [low, high] = if first < end { [first, end] } else { [end, first] };
        if low.max(least).min(most) >= limits[0].max(limits[1]) {
            return Bounds::Hidden;
        }
        let is_free = low >= least && high <= most && high < limits[0] && high < limits[1];
        if is_free { Bounds::Free } else { Bounds::Near }
    }

    /// Returns the depth at a sample, in the order of operations of the lanes.
    fn depth_at(&self, sample: f64) -> f64 {
        let (depth, [least, most]) = (self.depth.at(sample), self.range);
        let depth = if depth > least { depth } else { least };
        if depth < most { depth } else { most }
    }

    /// Returns the depths at samples, and the mask of the samples where it is seen in front of others.
    fn nearer<const BOUNDED: bool>(&self, samples: f64x4, nearest: f64x4) -> (f64x4, f64x4) {
        let depth = self.depth.along(samples);
        if !BOUNDED {
            return (depth, depth.simd_gt(nearest));
        }
        let [least, most] = self.range.map(f64x4::splat);
        let depth = depth.simd_gt(least).select(depth, least);
        let depth = depth.simd_lt(most).select(depth, most);
        (depth, depth.simd_gt(nearest) & depth.simd_lt(self.limit.along(samples)))
    }
}

/// Does the work of [`put_within`] for a number of samples that is a multiple of [`LANES`].
fn put_in_lanes<const BOUNDED: bool>(candidate: &Candidate, depths: &mut [f64], facets: &mut [u32]) -> bool {
    let mut samples = f64x4::new([0.0, 1.0, 2.0, 3.0]);
    let mut is_seen = false;
    let (depths, facets) = (depths.as_chunks_mut::<LANES>().0, facets.as_chunks_mut::<LANES>().0);
    for (depths, facets) in depths.iter_mut().zip(facets) {
        let nearest = f64x4::new(*depths);
        let (depth, is_nearer) = candidate.nearer::<BOUNDED>(samples, nearest);
        // Neighbours mostly share an answer.
        let lanes = is_nearer.to_bitmask();
        if lanes == ALL {
            (*depths, *facets) = (depth.to_array(), [candidate.facet; LANES]);
        } else if lanes != 0 {
            *depths = is_nearer.select(depth, nearest).to_array();
            for (lane, facet) in facets.iter_mut().enumerate() {
                *facet = if lanes >> lane & 1 == 1 { candidate.facet } else { *facet };
            }
        }
        is_seen |= lanes != 0;
        samples += LANES as f64;
    }
    is_seen
}

/// The bits of all lanes.
const ALL: u32 = (1 << LANES) - 1;

//! The closest of many pairs of triangles: the candidates that a search leaves, and the settling of them by
//! exact distances. It knows no volumes, so it is compiled once for all kinds of trees whose searches call
//! it.

use crate::leaf_pairs::{Leaf, TrianglePairs, lanes};
use closefit::Work;
use closefit::internals::narrow::kernels::LaneDistances;
use closefit::internals::narrow::{Closest, Nearest, SLACK};
use closefit_geometry::exact::distance;

/// Two triangles that may be the closest, by their places in the trees.
#[derive(Debug)]
struct Candidate {
    at_least: f64,
    places: [u32; 2],
}

/// The candidates so far, and an upper bound of the smallest distance.
#[derive(Debug)]
pub struct Candidates {
    found: Vec<Candidate>,
    best: f64,
    prune_at: usize,
}

impl Candidates {
    /// No candidates: only distances of at most `bound` count.
    pub fn within(bound: f64) -> Self {
        Self { found: Vec::new(), best: bound, prune_at: 1024 }
    }

    /// Returns an upper bound of the smallest distance, or the first bound.
    pub fn best(&self) -> f64 {
        self.best
    }

    /// Returns a lower bound of the distances of all candidates; infinity if there are none.
    pub fn at_least(&self) -> f64 {
        self.found.iter().map(|candidate| candidate.at_least).fold(f64::INFINITY, f64::min)
    }

    /// Drops the candidates that are proven farther than another pair.
    fn prune(&mut self) {
        let farthest = self.best * SLACK;
        self.found.retain(|candidate| candidate.at_least <= farthest);
    }

    /// Adds the pairs of two leaves in the lanes `left` as far as their bounds allow.
    pub fn add(&mut self, leaves: [Leaf; 2], left: u32, bounds: &LaneDistances) {
        for (lane, places) in lanes(left, leaves) {
            let at_least = bounds.at_least[lane as usize];
            if at_least <= self.best * SLACK {
                self.best = self.best.min(bounds.at_most[lane as usize]);
                self.found.push(Candidate { at_least, places });
            }
        }
        if self.found.len() > self.prune_at {
            self.prune();
            self.prune_at = 1024.max(2 * self.found.len());
        }
    }

    /// Returns the closest pair of triangles, if its distance is at most `bound`. `indices` returns mesh
    /// indices of triangles given by their places.
    pub fn settle(
        mut self,
        pairs: &TrianglePairs,
        indices: impl Fn([u32; 2]) -> [u32; 2],
        bound: f64,
        work: &mut Work,
    ) -> Option<Nearest> {
        self.prune();
        self.found.sort_unstable_by(|x, y| x.at_least.total_cmp(&y.at_least).then(x.places.cmp(&y.places)));
        // A search may come upon a pair repeatedly.
        self.found.dedup_by_key(|candidate| candidate.places);
        let mut closest = Closest::within(bound);
        for Candidate { at_least, places } in self.found {
            if at_least > closest.reach() * SLACK {
                break;
            }
            let corners = [0, 1].map(|side| pairs.sides[side].triangle(places[side]));
            let (triangles, corners) = (indices(places), corners.each_ref());
            let enough = closest.enough(triangles, corners);
            if enough.is_some_and(|enough| distance::is_at_least(corners[0], corners[1], enough)) {
                continue;
            }
            work.exact_tests += 1;
            let distance = distance::distance_apart(corners[0], corners[1]);
            closest.offer(Nearest { distance, triangles }, corners);
        }
        closest.nearest()
    }
}

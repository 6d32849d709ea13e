//! Searches for the closest pair of triangles, nearest volumes first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::posed::{Posed, PosedPair, Slots, Step, WHOLE};
use super::volume::{Volume, VolumeKernels};
use crate::exact::distance;
use crate::executor::execute;
use crate::hierarchy::leaf_pairs::{Leaf, lanes};
use crate::hierarchy::placement::squared_limit;
use crate::narrow::kernels::LaneDistances;
use crate::narrow::{Nearest, SLACK, Work};

/// Two triangles that may be the closest.
struct Candidate {
    at_least: f64,
    places: [u32; 2],
}

/// The candidates so far, and an upper bound of the smallest distance.
struct Found {
    candidates: Vec<Candidate>,
    best: f64,
    prune_at: usize,
}

impl Found {
    /// Drops the candidates that are proven farther than another pair.
    fn prune(&mut self) {
        let farthest = self.best * SLACK;
        self.candidates.retain(|candidate| candidate.at_least <= farthest);
    }

    /// Adds the pairs of two leaves in the lanes `left` as far as their bounds allow.
    fn add(&mut self, leaves: [Leaf; 2], left: u32, bounds: &LaneDistances) {
        for (lane, places) in lanes(left, leaves) {
            let at_least = bounds.at_least[lane as usize];
            if at_least <= self.best * SLACK {
                self.best = self.best.min(bounds.at_most[lane as usize]);
                self.candidates.push(Candidate { at_least, places });
            }
        }
        if self.candidates.len() > self.prune_at {
            self.prune();
            self.prune_at = 1024.max(2 * self.candidates.len());
        }
    }
}

/// Returns the closest pair of triangles, if its distance is at most `bound`. The trees must not be in contact.
pub fn nearest<V: Volume>(a: &Posed<V>, b: &Posed<V>, bound: f64, work: &mut Work) -> Option<Nearest> {
    let pair = PosedPair::new(a, b);
    let mut candidates = execute!(a.executor, kernels => candidates(kernels, &pair, bound, work));
    candidates.sort_unstable_by(|x, y| x.at_least.total_cmp(&y.at_least).then(x.places.cmp(&y.places)));
    let mut best: Option<Nearest> = None;
    for Candidate { at_least, places } in candidates {
        if at_least > best.map_or(bound, |best| best.distance) * SLACK {
            break;
        }
        let [corners_a, corners_b] = [a.triangles().triangle(places[0]), b.triangles().triangle(places[1])];
        let triangles = pair.triangles(places);
        // Only a lower pair may be as close as the best.
        let enough =
            best.map(|best| if triangles < best.triangles { best.distance.next_up() } else { best.distance });
        if enough.is_some_and(|enough| distance::is_at_least(&corners_a, &corners_b, enough)) {
            continue;
        }
        work.exact_tests += 1;
        let found = Nearest { distance: distance::distance_apart(&corners_a, &corners_b), triangles };
        if found.distance <= bound && best.is_none_or(|best| found.is_before(&best)) {
            best = Some(found);
        }
    }
    best
}

/// Returns every pair of triangles whose distance is not proven to exceed that of another pair, or `bound`.
#[inline(always)]
fn candidates<V: Volume>(
    kernels: impl VolumeKernels,
    pair: &PosedPair<V>,
    bound: f64,
    work: &mut Work,
) -> Vec<Candidate> {
    let triangles = pair.triangle_pairs();
    let mut found = Found { candidates: Vec::new(), best: bound, prune_at: 1024 };
    let mut farthest = squared_limit(bound, pair.a.scale);
    // By the bits of squared gaps, which are 0 or more and so in the order of the numbers; the latest first among equals.
    let mut queue: BinaryHeap<(Reverse<u32>, u32, Slots)> = BinaryHeap::from([(Reverse(0), 0, WHOLE)]);
    let mut pushed = 0;
    while let Some((Reverse(bits), _, slots)) = queue.pop() {
        if f32::from_bits(bits) > farthest {
            break;
        }
        match pair.step(slots) {
            Step::Triangles(leaves) => {
                if let Some((left, bounds)) = triangles.distances(leaves, found.best * SLACK, work) {
                    found.add(leaves, left, &bounds);
                    farthest = squared_limit(found.best, pair.a.scale);
                }
            }
            Step::Open(opened) => {
                let (mut near, gaps) = pair.near(kernels, opened, slots, farthest, work);
                while near != 0 {
                    let lane = near.trailing_zeros();
                    near &= near - 1;
                    pushed += 1;
                    // A NaN bounds nothing.
                    let gap = gaps[lane as usize].max(0.0);
                    queue.push((Reverse(gap.to_bits()), pushed, opened.to(lane, slots)));
                }
            }
        }
    }
    found.prune();
    found.candidates
}

//! Searches for the closest pair of triangles, nearest volumes first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::posed::{PosedPair, PosedVolumes, Slots, Step, WHOLE};
use super::volume::{Volume, VolumeKernels};
use crate::closest::Candidates;
use closefit::Work;
use closefit::internals::bvh::placement::squared_limit;
use closefit::internals::narrow::{Nearest, SLACK};
use closefit_geometry::executor::execute;

/// Returns the closest pair of triangles, if its distance is at most `bound`. The trees must not be in
/// contact.
pub fn nearest<V: Volume>(
    a: &PosedVolumes<V>,
    b: &PosedVolumes<V>,
    bound: f64,
    work: &mut Work,
) -> Option<Nearest> {
    let pair = PosedPair::new(a, b);
    work.begin(pair.map.as_ref());
    let candidates = execute!(a.executor, kernels => candidates(kernels, &pair, bound, work));
    candidates.settle(&pair.triangle_pairs(), |places| pair.triangles(places), bound, work)
}

/// Returns every pair of triangles whose distance is not proven to exceed the distance of another pair, or
/// `bound`.
#[inline(always)]
fn candidates<V: Volume>(
    kernels: impl VolumeKernels,
    pair: &PosedPair<V>,
    bound: f64,
    work: &mut Work,
) -> Candidates {
    let (triangles, mut visited) = (pair.triangle_pairs(), pair.visited());
    let mut found = Candidates::within(bound);
    let mut farthest = squared_limit(bound, pair.a.scale);
    // By the bits of squared gaps, which are 0 or more and so in the order of the numbers; the latest first
    // among equals.
    let mut queue: BinaryHeap<(Reverse<u32>, u32, Slots)> = BinaryHeap::from([(Reverse(0), 0, WHOLE)]);
    let mut pushed = 0;
    while let Some((Reverse(bits), _, slots)) = queue.pop() {
        if f32::from_bits(bits) > farthest {
            break;
        }
        match pair.step(slots) {
            Step::Triangles(leaves) => {
                let first = (visited.first_of_all(pair, leaves), leaves);
                if let Some((left, bounds)) = triangles.distances(first, found.best() * SLACK, work) {
                    found.add(leaves, left, &bounds);
                    farthest = squared_limit(found.best(), pair.a.scale);
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
    found
}

//! The order of triangles by their corners.

use std::cmp::Ordering;

use super::super::PosedPair;
use super::cells::Item;
use closefit_geometry::math::ascending_coordinates;

/// Triangles of both trees, by their trees and places, in the order of their corners. Triangles with equal
/// corners are there once. Of two pairs of triangles whose sorted ranks differ, the lower is first by place.
pub(super) struct Ranks(Vec<(usize, u32)>);

impl Ranks {
    /// Ranks triangles.
    pub fn new(pair: &PosedPair, items: &mut [Vec<Item>; 2]) -> Self {
        let mut all = Vec::with_capacity(items[0].len() + items[1].len());
        for (side, items) in items.iter().enumerate() {
            all.extend((0..items.len()).map(|i| (side, i, corners(pair, side, items[i].place)[0])));
        }
        let of = |&(side, i, _): &(usize, usize, [f64; 3])| corners(pair, side, items[side][i].place);
        all.sort_unstable_by(|x, y| {
            x.2.partial_cmp(&y.2)
                .expect("posed coordinates are numbers")
                .then_with(|| compare(&of(x), &of(y)))
        });
        let mut ranks = Self(Vec::with_capacity(all.len()));
        let mut last = None;
        for (side, i, lowest) in all {
            let place = items[side][i].place;
            let corners = corners(pair, side, place);
            debug_assert_eq!(corners[0], lowest);
            if last != Some(corners) {
                ranks.0.push((side, place));
                last = Some(corners);
            }
            items[side][i].rank = rank_at(ranks.0.len() - 1);
        }
        ranks
    }

    /// Returns the number of different triangles.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the rank of a triangle, which need not be among those that were ranked.
    pub fn of(&self, pair: &PosedPair, side: usize, place: u32) -> u64 {
        let wanted = corners(pair, side, place);
        let found = self.0.binary_search_by(|&(side, place)| compare(&corners(pair, side, place), &wanted));
        found.map_or_else(|between| rank_at(between) - 1, rank_at)
    }
}

/// Returns an odd number: even ones are for triangles between.
fn rank_at(i: usize) -> u64 {
    2 * i as u64 + 1
}

fn corners(pair: &PosedPair, side: usize, place: u32) -> [[f64; 3]; 3] {
    ascending_coordinates(&[pair.a, pair.b][side].triangle(place))
}

fn compare(x: &[[f64; 3]; 3], y: &[[f64; 3]; 3]) -> Ordering {
    x.partial_cmp(y).expect("posed coordinates are numbers")
}

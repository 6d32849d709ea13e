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
        let of_items: Vec<[[f64; 3]; 3]> = (items.iter().enumerate())
            .flat_map(|(side, items)| items.iter().map(move |item| (side, item.place)))
            .map(|(side, place)| corners(pair, side, place))
            .collect();
        let mut all: Vec<(u128, usize)> = of_items.iter().map(lowest).zip(0..).collect();
        all.sort_unstable_by(|(x, i), (y, j)| x.cmp(y).then_with(|| compare(&of_items[*i], &of_items[*j])));
        let mut ranks = Self(Vec::with_capacity(all.len()));
        let mut last = None;
        let of_first = items[0].len();
        for (_, i) in all {
            let corners = &of_items[i];
            let (side, i) = if i < of_first { (0, i) } else { (1, i - of_first) };
            let item = &mut items[side][i];
            if last != Some(corners) {
                ranks.0.push((side, item.place));
                last = Some(corners);
            }
            item.rank = rank_at(ranks.0.len() - 1);
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

/// Returns a number for the first two coordinates of the lowest corner, in their order.
fn lowest(corners: &[[f64; 3]; 3]) -> u128 {
    let [x, y, _] = corners[0].map(|x| {
        // 0 and -0 are one coordinate, and the bits of negative numbers are in reverse order.
        let bits = (x + 0.0).to_bits();
        u128::from(if bits >> 63 == 0 { bits | 1 << 63 } else { !bits })
    });
    x << 64 | y
}

fn compare(x: &[[f64; 3]; 3], y: &[[f64; 3]; 3]) -> Ordering {
    x.partial_cmp(y).expect("posed coordinates are numbers")
}

#[cfg(test)]
mod tests {
    use super::lowest;
    use closefit_geometry::math::testing::Stream;

    #[test]
    fn numbers_are_in_the_order_of_coordinates() {
        let mut stream = Stream(5);
        let some = [0.0, -0.0, 1.0, -1.0, f64::MIN_POSITIVE, -1e-310, 1e300, -1e300];
        for _ in 0..20_000 {
            let mut coordinate = || match stream.below(3) {
                0 => stream.signed(),
                _ => some[stream.below(8) as usize],
            };
            let [p, q] = [(); 2].map(|()| [coordinate(), coordinate(), 0.0]);
            let [x, y] = [p, q].map(|p| lowest(&[p, [1e301; 3], [1e301; 3]]));
            assert_eq!(Some(x.cmp(&y)), p.partial_cmp(&q), "{p:?} {q:?}");
        }
    }
}

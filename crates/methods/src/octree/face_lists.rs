//! The boxes of the faces of two cells that overlap, by sorted lists of their ends (Ponamgi, Manocha and Lin
//! 1995, section 4.7: "the bounding boxes enclosing faces are sorted and tested for overlaps").
//!
//! Boxes are along the world's axes, around posed triangles, and have no rounding of their own. Lists may be
//! kept from one search to the next; then an insertion sort exchanges neighbours, and only pairs of boxes
//! whose ends have changed places are tested again.

use std::collections::BTreeSet;

use closefit::Work;
use closefit_geometry::bounds::aabb::Aabb;

/// An end of a box: twice its number, the ends of the second cell after the ends of the first, and 1 more for
/// the upper end.
type Name = u32;

/// The ends of the boxes of two cells in an order along each axis, and the pairs of boxes that overlap: those
/// of the last time.
#[derive(Clone, Debug, Default)]
pub struct FaceLists {
    orders: [Vec<Name>; 3],
    /// Pairs of a box of the first cell and one of the second.
    overlapping: BTreeSet<[u32; 2]>,
}

/// The boxes of two cells.
struct Boxes<'b> {
    of: [&'b [Aabb]; 2],
}

impl Boxes<'_> {
    fn bounds(&self, name: Name) -> &Aabb {
        let (number, [a, b]) = ((name / 2) as usize, self.of);
        a.get(number).unwrap_or_else(|| &b[number - a.len()])
    }

    /// Returns what sorts an end: at equal positions lower ends come first, so boxes that touch overlap.
    fn key(&self, name: Name, axis: usize) -> (f64, u32) {
        let bounds = self.bounds(name);
        (if name.is_multiple_of(2) { bounds.lo[axis] } else { bounds.hi[axis] }, name % 2)
    }

    /// True if an end comes after another one.
    fn is_after(&self, one: Name, other: Name, axis: usize) -> bool {
        let ((x, upper), (y, of_other)) = (self.key(one, axis), self.key(other, axis));
        x > y || (x == y && upper > of_other)
    }

    /// Returns the pair of boxes that two ends belong to, one of each cell.
    fn pair(&self, one: Name, other: Name) -> Option<[u32; 2]> {
        let first = self.of[0].len() as u32;
        let [low, high] = [one.min(other) / 2, one.max(other) / 2];
        (low < first && high >= first).then(|| [low, high - first])
    }

    fn meet(&self, [a, b]: [u32; 2]) -> bool {
        self.of[0][a as usize].meets(&self.of[1][b as usize])
    }
}

impl FaceLists {
    /// Returns the pairs of boxes of two cells that overlap, always of the same two cells. Counts exchanges
    /// of neighbours in lists that were kept; the exchanges of a new list of n ends count as n log n, since
    /// nothing is gained by sorting it by insertion.
    pub fn overlaps(&mut self, of: [&[Aabb]; 2], work: &mut Work) -> &BTreeSet<[u32; 2]> {
        let boxes = Boxes { of };
        if self.orders[0].is_empty() {
            self.sort_anew(&boxes, work);
        } else {
            self.sort_again(&boxes, work);
        }
        work.overlaps += self.overlapping.len() as u64;
        &self.overlapping
    }

    /// Returns the memory of the lists and, approximately, of the pairs.
    pub fn bytes(&self) -> usize {
        self.orders.iter().map(|order| size_of_val(order.as_slice())).sum::<usize>()
            + self.overlapping.len() * size_of::<[u32; 2]>()
    }

    fn sort_anew(&mut self, boxes: &Boxes, work: &mut Work) {
        let ends = 2 * boxes.of.iter().map(|of| of.len()).sum::<usize>() as u32;
        for (axis, order) in self.orders.iter_mut().enumerate() {
            *order = (0..ends).collect();
            order.sort_by(|&one, &other| {
                let ((x, upper), (y, of_other)) = (boxes.key(one, axis), boxes.key(other, axis));
                (x + 0.0).total_cmp(&(y + 0.0)).then(upper.cmp(&of_other)).then(one.cmp(&other))
            });
            work.exchanges[axis] += u64::from(ends * ends.max(1).ilog2());
        }
        // Boxes that overlap along the first axis are tested.
        let mut open: [Vec<u32>; 2] = Default::default();
        let first = boxes.of[0].len() as u32;
        for &name in &self.orders[0] {
            let number = name / 2;
            let side = usize::from(number >= first);
            if name % 2 == 1 {
                open[side].retain(|&other| other != number);
                continue;
            }
            for &other in &open[1 - side] {
                let pair = boxes.pair(name, 2 * other).expect("one of each cell");
                work.box_tests += 1;
                if boxes.meet(pair) {
                    self.overlapping.insert(pair);
                }
            }
            open[side].push(number);
        }
    }

    fn sort_again(&mut self, boxes: &Boxes, work: &mut Work) {
        let (mut begun, mut ended) = (BTreeSet::new(), BTreeSet::new());
        for (axis, order) in self.orders.iter_mut().enumerate() {
            for i in 1..order.len() {
                let mut place = i;
                while place > 0 && boxes.is_after(order[place - 1], order[place], axis) {
                    order.swap(place - 1, place);
                    let [moved, passed] = [order[place - 1], order[place]];
                    if let Some(pair) = boxes.pair(moved, passed).filter(|_| moved % 2 != passed % 2) {
                        // A lower end that comes before an upper one begins an overlap along the axis.
                        if moved % 2 == 0 { &mut begun } else { &mut ended }.insert(pair);
                    }
                    place -= 1;
                }
                work.exchanges[axis] += (i - place) as u64;
            }
        }
        self.overlapping.retain(|pair| !ended.contains(pair));
        for pair in begun.difference(&ended) {
            work.box_tests += 1;
            if boxes.meet(*pair) {
                self.overlapping.insert(*pair);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::math::testing::Stream;
    use glam::DVec3;

    /// Lists that are kept over many frames find the pairs that comparing all boxes finds; so do new ones.
    #[test]
    fn overlaps_are_those_of_all_pairs() {
        let mut stream = Stream(61);
        for round in 0..30 {
            // On a coarse grid, many ends are equal.
            let grid = stream.pick(&[4.0, 1e9]);
            let mut boxes = |count: usize| -> Vec<(DVec3, DVec3)> {
                (0..count).map(|_| (stream.point(), stream.point().abs() * 0.4)).collect()
            };
            let [mut a, b] = [boxes(round), boxes(17)];
            let (mut kept, mut work, mut found) = (FaceLists::default(), Work::NONE, 0);
            for frame in 0..40 {
                let step = if frame % 10 == 9 { 0.3 } else { 0.02 };
                a.iter_mut().for_each(|(middle, _)| *middle += stream.point() * step);
                let [in_a, in_b] = [&a, &b].map(|of| -> Vec<Aabb> {
                    let round = |v: DVec3| (v * grid).round() / grid;
                    of.iter().map(|&(m, half)| Aabb { lo: round(m - half), hi: round(m + half) }).collect()
                });
                let pairs = |(i, p): (usize, &Aabb)| {
                    let p = *p;
                    let met = in_b.iter().enumerate().filter(move |(_, q)| p.meets(q));
                    met.map(move |(j, _)| [i as u32, j as u32]).collect::<Vec<_>>()
                };
                let expected: BTreeSet<[u32; 2]> = in_a.iter().enumerate().flat_map(pairs).collect();
                found += expected.len();
                assert_eq!(*kept.overlaps([&in_a, &in_b], &mut work), expected);
                assert_eq!(*FaceLists::default().overlaps([&in_a, &in_b], &mut work), expected);
                let mut again = Work::NONE;
                kept.overlaps([&in_a, &in_b], &mut again);
                assert_eq!((again.exchanges, again.box_tests), ([0; 3], 0));
            }
            assert!(round < 5 || found > 50, "{found}");
        }
    }
}

//! Boxes that stand still among others that move.

use super::{Pairs, pair};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;

/// The boxes that keep their places: N moving ones among M that stand (Lin et al. 1997, section 3).
#[derive(Clone, Debug, Default)]
pub struct Fixed {
    /// True for each box that is fixed; empty if none is.
    is_fixed: Vec<bool>,
    /// The ids of fixed boxes, then the ids of moving boxes; empty if none is fixed.
    order: Vec<u32>,
    /// The number of fixed boxes.
    pub count: usize,
}

impl Fixed {
    /// Creates the set from whether each box is fixed.
    pub fn new(is_fixed: Vec<bool>) -> Self {
        let ids = |fixed: bool| (0..).zip(&is_fixed).filter(move |one| *one.1 == fixed).map(|one| one.0);
        let order: Vec<u32> = ids(true).chain(ids(false)).collect();
        match ids(true).count() {
            0 => Self::default(),
            count => Self { order, count, is_fixed },
        }
    }

    /// Returns the ids of the boxes that move, ascending, if some do not.
    pub fn movers(&self) -> &[u32] {
        &self.order[self.count..]
    }

    /// True for a pair of two fixed boxes.
    pub fn has_both(&self, [a, b]: [u32; 2]) -> bool {
        let is_fixed = |id: u32| self.is_fixed.get(id as usize).is_some_and(|&is_fixed| is_fixed);
        is_fixed(a) && is_fixed(b)
    }

    /// Returns boxes with those that are not of one kind left out.
    pub fn only(&self, fixed: bool, boxes: &[Aabb]) -> Vec<Aabb> {
        let kept = boxes.iter().zip(&self.is_fixed);
        kept.map(|(b, is_fixed)| if *is_fixed == fixed { *b } else { Aabb::EMPTY }).collect()
    }

    /// Returns boxes in the order of lists.
    pub fn ordered(&self, boxes: &[Aabb]) -> Vec<Aabb> {
        if self.count == 0 {
            boxes.to_vec()
        } else {
            self.order.iter().map(|&id| boxes[id as usize]).collect()
        }
    }

    /// Returns pairs of places in the order of lists as pairs of ids, sorted.
    pub fn pairs_of(&self, places: &[(PartId, PartId)]) -> Pairs {
        if self.count == 0 {
            return places.to_vec();
        }
        let id = |place: PartId| self.order[place.index()] as usize;
        let mut pairs: Pairs = places.iter().map(|&(a, b)| pair(id(a), id(b))).collect();
        pairs.sort_unstable();
        pairs
    }
}

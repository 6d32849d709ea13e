//! Candidate pairs of moving boxes, kept from frame to frame.

use super::grid::Grid;
use super::sorted_lists::SortedLists;
use super::{Pairs, without};
use crate::bounds::aabb::Aabb;

/// A broad phase for moving boxes. All find the same pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BroadPhase {
    /// A grid sorted anew in each frame: the fastest in measurements, however far the boxes move.
    #[default]
    Grid,
    /// Three lists of ends sorted by insertion: less work when few boxes move, and only a little.
    SortedLists,
}

/// The near pairs of moving boxes, updated frame by frame.
///
/// ```
/// use closefit::internals::bounds::aabb::Aabb;
/// use closefit::internals::broad::moving::{BroadPhase, MovingBoxes};
/// use glam::DVec3;
///
/// let cube = |x: f64| Aabb { lo: DVec3::new(x, 0.0, 0.0), hi: DVec3::new(x + 1.0, 1.0, 1.0) };
/// let mut boxes = MovingBoxes::new(BroadPhase::default(), 0.5);
/// assert_eq!(boxes.update(&[cube(0.0), cube(1.5)]).len(), 1);
/// assert_eq!(boxes.update(&[cube(0.0), cube(1.75)]).len(), 0);
/// assert_eq!(boxes.ended().len(), 1);
/// ```
pub struct MovingBoxes {
    reach: f64,
    kept: Kept,
    near: Pairs,
    begun: Pairs,
    ended: Pairs,
}

enum Kept {
    Grid(Grid),
    Lists(Option<SortedLists>),
}

impl MovingBoxes {
    /// Creates an empty set of boxes. Boxes are near if they are not apart by more than `reach` (0 or more).
    pub fn new(broad_phase: BroadPhase, reach: f64) -> Self {
        let kept = match broad_phase {
            BroadPhase::Grid => Kept::Grid(Grid::default()),
            BroadPhase::SortedLists => Kept::Lists(None),
        };
        Self { reach, kept, near: Pairs::new(), begun: Pairs::new(), ended: Pairs::new() }
    }

    /// Sets the boxes of the next frame (positions are part ids; their number may change) and returns the
    /// near pairs, sorted.
    pub fn update(&mut self, boxes: &[Aabb]) -> &Pairs {
        let near = match &mut self.kept {
            Kept::Grid(grid) => grid.pairs(boxes.len(), |i| boxes[i], self.reach),
            Kept::Lists(Some(lists)) if lists.moving() == boxes.len() => {
                lists.update(boxes);
                lists.near().clone()
            }
            Kept::Lists(lists) => {
                lists.insert(SortedLists::new(boxes, boxes.len(), self.reach)).near().clone()
            }
        };
        self.begun = without(&near, &self.near);
        self.ended = without(&self.near, &near);
        self.near = near;
        &self.near
    }

    /// Returns the near pairs.
    pub fn near(&self) -> &Pairs {
        &self.near
    }

    /// Returns the pairs that are near now and were not in the previous frame.
    pub fn begun(&self) -> &Pairs {
        &self.begun
    }

    /// Returns the pairs that were near in the previous frame and no longer are.
    pub fn ended(&self) -> &Pairs {
        &self.ended
    }
}

#[cfg(test)]
mod tests {
    use super::super::{brute, cases};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_methods_follow_brute_force(frames in cases::frames(cases::sizes(100)), reach in cases::reaches()) {
            let mut moving = [BroadPhase::Grid, BroadPhase::SortedLists].map(|m| MovingBoxes::new(m, reach));
            let mut before = Pairs::new();
            for (k, frame) in frames.iter().enumerate() {
                // Every other frame has one box less.
                let boxes = &frame[..frame.len() - (frame.len() / 2).min(k / 2)];
                let near = brute::near_pairs(boxes, reach);
                for moving in &mut moving {
                    prop_assert_eq!(moving.update(boxes), &near);
                    prop_assert!(moving.begun().iter().all(|p| near.contains(p) && !before.contains(p)));
                    prop_assert!(moving.ended().iter().all(|p| !near.contains(p) && before.contains(p)));
                    let growth = moving.begun().len() as i64 - moving.ended().len() as i64;
                    prop_assert_eq!(growth, near.len() as i64 - before.len() as i64);
                }
                before = near;
            }
        }
    }
}

//! Candidate pairs of moving boxes, kept from frame to frame.

use super::frames::Frames;
use super::grid::Grid;
use super::method::BroadPhase;
use super::recursive_grid::RecursiveGrid;
use super::sorted_lists::SortedLists;
use super::{Pairs, without};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::{PartId, to_u32};

/// The near pairs of moving boxes, with each other and with fixed ones, updated frame by frame.
///
/// ```
/// use closefit::BroadPhase;
/// use closefit::Aabb;
/// use closefit::internals::broad::moving::MovingBoxes;
/// use glam::DVec3;
///
/// let cube = |x: f64| Aabb { lo: DVec3::new(x, 0.0, 0.0), hi: DVec3::new(x + 1.0, 1.0, 1.0) };
/// let mut boxes = MovingBoxes::with_fixed(&[cube(4.0), cube(4.5)], BroadPhase::RecursiveGrid, 0.5);
/// assert_eq!(boxes.update(&[cube(0.0), cube(1.5)]).len(), 1);
/// assert_eq!(boxes.update(&[cube(0.0), cube(2.75)]).len(), 1);
/// assert_eq!((boxes.begun().len(), boxes.ended().len()), (1, 1));
/// ```
pub struct MovingBoxes {
    reach: f64,
    /// The fixed boxes, then the moving ones.
    boxes: Vec<Aabb>,
    fixed: usize,
    kept: Kept,
    near: Pairs,
    begun: Pairs,
    ended: Pairs,
}

enum Kept {
    /// The fixed boxes, and the grid of the moving ones.
    RecursiveGrid(Box<RecursiveGrid>, Grid),
    /// All boxes.
    Grid(Grid),
    Lists(Option<SortedLists>),
    Nothing(Box<Frames>),
}

impl MovingBoxes {
    /// Creates an empty set of boxes. Boxes are near if they are not apart by more than `reach` (0 or more).
    pub fn new(method: BroadPhase, reach: f64) -> Self {
        Self::with_fixed(&[], method, reach)
    }

    /// Creates a set of boxes that stand still. Pairs of two of them are left out.
    pub fn with_fixed(fixed: &[Aabb], method: BroadPhase, reach: f64) -> Self {
        let kept = match method {
            BroadPhase::RecursiveGrid => {
                Kept::RecursiveGrid(Box::new(RecursiveGrid::of(fixed)), Grid::default())
            }
            BroadPhase::Grid => Kept::Grid(Grid::default()),
            BroadPhase::Lists => Kept::Lists(None),
            BroadPhase::SweepAndPrune | BroadPhase::Brute => {
                Kept::Nothing(Box::new(Frames::new(method, reach)))
            }
        };
        let [near, begun, ended] = [Pairs::new(), Pairs::new(), Pairs::new()];
        Self { reach, boxes: fixed.to_vec(), fixed: fixed.len(), kept, near, begun, ended }
    }

    /// Sets the moving boxes of the next frame and returns the near pairs, sorted. The ids of fixed boxes
    /// come first, then the ids of moving boxes, whose number may change.
    pub fn update(&mut self, moving: &[Aabb]) -> &Pairs {
        self.boxes.truncate(self.fixed);
        self.boxes.extend(moving);
        let (boxes, fixed, reach) = (&self.boxes, self.fixed, self.reach);
        let moves = |(_, b): (PartId, PartId)| b.index() >= fixed;
        let near = match &mut self.kept {
            Kept::RecursiveGrid(standing, grid) => {
                let id = |i: usize| PartId(to_u32(fixed + i));
                let (among, _) = grid.pairs(moving.len(), |i| moving[i], reach);
                let (with_fixed, _) = standing
                    .ask_each(moving.len(), |standing, i, found| standing.near(&moving[i], reach, found));
                let mut near: Pairs = among.iter().map(|(a, b)| (id(a.index()), id(b.index()))).collect();
                near.extend(with_fixed.into_iter().map(|(i, other)| (PartId(other), id(i))));
                near.sort_unstable();
                near
            }
            Kept::Grid(grid) => {
                let (mut near, _) = grid.pairs(boxes.len(), |i| boxes[i], reach);
                near.retain(|&pair| moves(pair));
                near
            }
            Kept::Lists(lists) => {
                match lists {
                    Some(lists) if lists.moving() == moving.len() => lists.update(moving),
                    _ => SortedLists::new(boxes, fixed, reach, usize::MAX).map(|new| *lists = Some(new)),
                }
                .expect(NO_LIMIT);
                lists.as_ref().expect("made").near().clone()
            }
            Kept::Nothing(frames) => {
                frames.next(boxes).expect(NO_LIMIT).near_pairs(0..to_u32(boxes.len()), moves)
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

const NO_LIMIT: &str = "the number of pairs is not limited";

#[cfg(test)]
mod tests {
    use super::super::{brute, cases};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_method_follows_brute_force(
            frames in cases::frames(cases::sizes(100)),
            reach in cases::reaches(),
            share in 0..3usize,
        ) {
            let fixed = frames[0].len() * share / 3;
            let standing = &frames[0][..fixed];
            let with_fixed = |&method: &BroadPhase| MovingBoxes::with_fixed(standing, method, reach);
            let mut all: Vec<MovingBoxes> = BroadPhase::ALL.iter().map(with_fixed).collect();
            let mut before = Pairs::new();
            for (k, frame) in frames.iter().enumerate() {
                // Every other frame has one box less.
                let moving = &frame[fixed..];
                let moving = &moving[..moving.len() - (moving.len() / 2).min(k / 2)];
                let mut near = brute::near_pairs(&[standing, moving].concat(), reach);
                near.retain(|pair| pair.1.index() >= fixed);
                for boxes in &mut all {
                    prop_assert_eq!(boxes.update(moving), &near);
                    prop_assert!(boxes.begun().iter().all(|p| near.contains(p) && !before.contains(p)));
                    prop_assert!(boxes.ended().iter().all(|p| !near.contains(p) && before.contains(p)));
                    let growth = boxes.begun().len() as i64 - boxes.ended().len() as i64;
                    prop_assert_eq!(growth, near.len() as i64 - before.len() as i64);
                }
                before = near;
            }
        }
    }
}

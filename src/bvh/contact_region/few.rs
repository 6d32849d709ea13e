//! The search of two trees of any kind where few triangles of one part are in the contact region. For each
//! of them, a query that every kind of tree has finds the triangles near it.

use std::ops::ControlFlow;

use super::{Clip, ContactRegion};
use crate::bvh::posed_model::Standing;
use crate::narrow::{Closest, Nearest, SLACK, Work};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::{distance_apart, enclose};
use closefit_geometry::math::Triangle;

/// The largest number of triangles that are searched one by one. With more, the search of both trees at once
/// is quicker.
const FEW: usize = 32;

/// The triangles of one of two trees that are in its clip.
#[derive(Debug)]
pub struct Few {
    /// The side of the tree: 0 or 1.
    pub side: usize,
    triangles: Vec<(u32, Triangle)>,
}

impl Few {
    /// Collects the triangles of a tree that may be within `reach` of the other, if they are few: of the
    /// first side in `order` that has few.
    pub fn of(
        trees: [&dyn Standing; 2],
        order: [usize; 2],
        region: &ContactRegion,
        reach: f64,
        work: &mut Work,
    ) -> Option<Self> {
        order.into_iter().find_map(|side| {
            let triangles = collected(trees[side], &region.clip(side, reach), work)?;
            Some(Self { side, triangles })
        })
    }

    /// Returns the number of triangles.
    pub fn count(&self) -> usize {
        self.triangles.len()
    }

    /// Returns all pairs of triangles in contact, sorted; `None` if there are more than `most`.
    pub fn contacts(&self, trees: [&dyn Standing; 2], most: usize, work: &mut Work) -> Option<Vec<[u32; 2]>> {
        let (mut found, mut exact_tests) = (Vec::new(), 0);
        for (triangle, corners) in &self.triangles {
            let bounds = Aabb::of(*corners);
            let mut visit = |other: u32, others: &Triangle| {
                if bounds.meets(&Aabb::of(*others)) {
                    exact_tests += 1;
                    let [a, b] = self.in_order([corners, others]);
                    if triangles_meet(a, b) {
                        found.push(self.in_order([*triangle, other]));
                    }
                }
                if found.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            if trees[1 - self.side].in_box(&bounds, &mut visit, work).is_break() {
                return None;
            }
        }
        work.exact_tests += exact_tests;
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    /// Returns the closest pair of triangles, if its distance is at most `bound`; the trees must not be in
    /// contact. All triangles that may be within `bound` must have been collected.
    pub fn nearest(&self, trees: [&dyn Standing; 2], bound: f64, work: &mut Work) -> Option<Nearest> {
        let (mut closest, mut exact_tests) = (Closest::within(bound), 0);
        for (triangle, corners) in &self.triangles {
            let reach = closest.reach() * SLACK;
            let Aabb { lo, hi } = Aabb::of(*corners);
            // The slack is far larger than the rounding of the box.
            let bounds = Aabb { lo: lo - reach * SLACK, hi: hi + reach * SLACK };
            let all = trees[1 - self.side].in_box(
                &bounds,
                &mut |other, others| {
                    let [a, b] = self.in_order([corners, others]);
                    if enclose(a, b).at_least <= closest.reach() * SLACK {
                        exact_tests += 1;
                        let triangles = self.in_order([*triangle, other]);
                        closest.offer(Nearest { distance: distance_apart(a, b), triangles }, [a, b]);
                    }
                    ControlFlow::Continue(())
                },
                work,
            );
            assert!(all.is_continue());
        }
        work.exact_tests += exact_tests;
        closest.nearest()
    }

    /// Puts what belongs to the collected side and to the other one into the order of the pair.
    fn in_order<X>(&self, [own, other]: [X; 2]) -> [X; 2] {
        if self.side == 0 { [own, other] } else { [other, own] }
    }
}

/// Returns the triangles of a tree in a clip, if they are few.
fn collected(tree: &dyn Standing, clip: &Clip, work: &mut Work) -> Option<Vec<(u32, Triangle)>> {
    let mut few = Vec::new();
    if clip.is_empty() {
        return Some(few);
    }
    let mut visit = |triangle: u32, corners: &Triangle| {
        if !clip.excludes(corners) {
            few.push((triangle, *corners));
        }
        if few.len() > FEW { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let all = tree.in_box(&clip.bounds(), &mut visit, work);
    // Trees that cut triangles in two may visit one twice.
    few.sort_unstable_by_key(|&(triangle, _)| triangle);
    few.dedup_by_key(|&mut (triangle, _)| triangle);
    all.is_continue().then_some(few)
}

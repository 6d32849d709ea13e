//! The filter by convex hulls, through time: a stretch over whose middle the hulls are farther apart than the
//! limit and all that they may approach each other within it needs no search of boxes.

use std::cell::RefCell;

use crate::continuous::fronts::TreePair;
use crate::continuous::method::Method;
use crate::continuous::roots::UnposedLeaves;
use crate::hierarchy::mesh_hull::{HullMemory, MeshHull};
use crate::narrow::{SLACK, Spent, Work};
use closefit_geometry::executor::Executor;
use closefit_geometry::hull::closest_features::HullWork;
use closefit_geometry::math::error_bounds::SUMS;
use closefit_geometry::motion::moment::Moment;

/// The memory of a pair's hulls, and the work on them.
#[derive(Clone, Debug, Default)]
pub struct HullSearch {
    memory: HullMemory,
    /// The time.
    pub spent: Spent,
    /// The work.
    pub walks: HullWork,
}

/// Two moving trees with their hulls, if these are used.
pub(super) struct WithHulls<'a, P> {
    pub trees: P,
    /// The hulls in the order of the pair.
    pub hulls: Option<[&'a MeshHull; 2]>,
    pub executor: Executor,
    pub search: RefCell<&'a mut HullSearch>,
}

impl<P: TreePair> WithHulls<'_, P> {
    /// True only if the hulls prove that the distance exceeds the limit over a moment. The moment is as the
    /// trees see it.
    fn stay_beyond(&self, moment: &Moment, limit: f64) -> bool {
        let Some(hulls) = self.hulls else { return false };
        let HullSearch { memory, spent, walks } = &mut **self.search.borrow_mut();
        let reach = (limit * SLACK + moment.half * moment.speed + moment.slack) * (1.0 + SUMS);
        spent.on(|_| {
            let poses = if self.trees.seen_from() == 0 { moment.poses } else { moment.flipped().poses };
            let [a, b] = [0, 1].map(|side| hulls[side].at(&poses[side]));
            memory.are_farther([&a, &b], reach, self.executor, walks)
        })
    }
}

impl<P: TreePair> TreePair for WithHulls<'_, P> {
    type Item = P::Item;

    fn whole(&self) -> P::Item {
        self.trees.whole()
    }

    fn seen_from(&self) -> usize {
        self.trees.seen_from()
    }

    fn method(&self) -> Method {
        self.trees.method()
    }

    fn narrow(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<P::Item>,
        left: &mut Vec<P::Item>,
        work: &mut Work,
    ) {
        if self.stay_beyond(moment, limit) {
            stack.clear();
        } else {
            self.trees.narrow(moment, limit, stack, left, work);
        }
    }

    fn is_within(&self, moment: &Moment, limit: f64, stack: &mut Vec<P::Item>, work: &mut Work) -> bool {
        !self.stay_beyond(&moment.standing(), limit) && self.trees.is_within(moment, limit, stack, work)
    }

    fn is_triangles(item: &P::Item) -> bool {
        P::is_triangles(item)
    }

    fn leaves(&self, item: &P::Item) -> Option<UnposedLeaves<'_>> {
        self.trees.leaves(item)
    }

    fn free_time(&self, moment: &Moment, limit: f64, front: &[P::Item], work: &mut Work) -> Option<f64> {
        self.trees.free_time(moment, limit, front, work)
    }
}

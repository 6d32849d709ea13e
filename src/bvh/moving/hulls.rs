//! The filter by convex hulls, through time: a stretch over whose middle the hulls are farther apart than the
//! limit and all that they may approach each other within it needs no search of boxes. Nor does a moment at
//! which triangles at red features of both hulls are within the limit (Lin et al. 1997, section 4.1.4).

use std::cell::RefCell;

use crate::bvh::mesh_hull::{HullMemory, MeshHull, red_pairs_of};
use crate::continuous::fronts::TreePair;
use crate::continuous::method::Method;
use crate::continuous::roots::UnposedLeaves;
use crate::narrow::{SLACK, Spent, Work};
use closefit_geometry::exact::distance::distance;
use closefit_geometry::executor::Executor;
use closefit_geometry::hull::closest_features::HullWork;
use closefit_geometry::math::error_bounds::SUMS;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
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
    /// The meshes in the order of the pair.
    pub meshes: [&'a Mesh; 2],
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
            let poses = self.poses(moment);
            let [a, b] = [0, 1].map(|side| hulls[side].at(&poses[side]));
            memory.are_farther([&a, &b], reach, self.executor, walks)
        })
    }

    /// Returns the poses in the order of the pair.
    fn poses(&self, moment: &Moment) -> [Pose; 2] {
        if self.trees.seen_from() == 0 { moment.poses } else { moment.flipped().poses }
    }

    /// True if triangles at red features, where the last walk over the hulls ended, are within the limit at a
    /// moment. That holds for the whole pair, whichever boxes a search looks at.
    fn is_red_within(&self, moment: &Moment, limit: f64) -> bool {
        let Some(hulls) = self.hulls else { return false };
        let HullSearch { memory, spent, walks } = &mut **self.search.borrow_mut();
        let Some(features) = memory.features() else { return false };
        spent.on(|work| {
            let poses = self.poses(moment);
            let posed = |side: usize, t: u32| self.meshes[side].corners(t).map(|v| poses[side].apply(v));
            red_pairs_of(hulls, self.meshes, features, walks).any(|[t, u]| {
                *work += Work::exact(1);
                distance(&posed(0, t), &posed(1, u)) <= limit
            })
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
        !self.stay_beyond(&moment.standing(), limit)
            && (self.is_red_within(moment, limit) || self.trees.is_within(moment, limit, stack, work))
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

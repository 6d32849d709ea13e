//! Queries: the boxes near another one, and near the spheres of a body.

use super::{RecursiveGrid, Visits};
use crate::broad::apart;
use crate::bvh::sphere_levels::PosedSpheres;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::parallel;

/// Least number of queries that one task makes.
const TASK: usize = 64;

impl RecursiveGrid {
    /// Returns what each of `n` queries finds, as pairs of the query's number and the id, sorted, and the
    /// work of all. A query fills a list of sorted ids and returns its work. Brings the cells up to date
    /// first.
    pub fn ask_each(
        &mut self,
        n: usize,
        ask: impl Fn(&Self, usize, &mut Vec<u32>) -> Visits + Sync,
    ) -> (Vec<(usize, u32)>, Visits) {
        self.settle();
        let grid = &*self;
        let found: Vec<(Vec<(usize, u32)>, Visits)> = parallel::map_runs(n, TASK, |run| {
            let (mut found, mut all, mut visits) = (Vec::new(), Vec::new(), Visits::default());
            for i in run {
                visits += ask(grid, i, &mut found);
                all.extend(found.iter().map(|&id| (i, id)));
            }
            (all, visits)
        });
        let mut all = Visits::default();
        found.iter().for_each(|(_, visits)| all += *visits);
        self.debt += all.outside_tests;
        (found.into_iter().flat_map(|found| found.0).collect(), all)
    }

    /// Finds the boxes that are not apart from `b` by more than `reach`: `found` gets their ids, sorted.
    /// Returns the work.
    ///
    /// The cells must be up to date.
    pub fn near(&self, b: &Aabb, reach: f64, found: &mut Vec<u32>) -> Visits {
        self.search(b, None, reach, found)
    }

    /// Finds the boxes that [`near`](Self::near) finds for the box `b` of a body, but not those that its
    /// spheres prove farther than `reach` from it: see [`PosedSpheres::may_reach`]. Cells that are proven
    /// farther are not looked into.
    ///
    /// The cells must be up to date.
    pub fn near_spheres(&self, b: &Aabb, spheres: &PosedSpheres, reach: f64, found: &mut Vec<u32>) -> Visits {
        self.search(b, Some(spheres), reach, found)
    }

    fn search(&self, b: &Aabb, spheres: Option<&PosedSpheres>, reach: f64, found: &mut Vec<u32>) -> Visits {
        assert!(self.changed.is_empty(), "settled");
        found.clear();
        let asked = widened(b, reach);
        let outside_tests = self.outside.len() as u64;
        let mut visits = Visits { outside_tests, box_tests: outside_tests, ..Visits::default() };
        let may_reach = |other: &Aabb, visits: &mut Visits| {
            spheres.is_none_or(|spheres| spheres.may_reach(other, reach, &mut visits.sphere_tests))
        };
        let mut test = |ids: &[u32], visits: &mut Visits| {
            let is_near = |id: &&u32| {
                let other = &self.boxes[**id as usize];
                asked.meets(other) && !apart(b, other, reach) && may_reach(other, visits)
            };
            found.extend(ids.iter().filter(is_near));
        };
        test(&self.outside, &mut visits);
        let mut open: Vec<(usize, Aabb)> = Vec::new();
        open.extend(self.region.filter(|region| asked.meets(region)).map(|region| (0, region)));
        while let Some((cell, region)) = open.pop() {
            let cell = &self.cells[cell];
            visits.cells += 1;
            // A single box says more itself. If the body is within reach of a box, that is at a point in some
            // such cell.
            let is_large = !cell.is_leaf() || cell.list.len() > 1;
            if is_large && !may_reach(&region, &mut visits) {
                continue;
            }
            if cell.decides() {
                visits.decisions.count(cell.kind);
                visits.box_tests += cell.list.len() as u64;
                test(self.lists.ids(cell.list), &mut visits);
            }
            if let Some(cut) = self.cuts.get(cell.cut as usize) {
                // Only spheres are compared with regions.
                let part = |number| if spheres.is_some() { cut.region(number, &region) } else { region };
                let children = cut.span(&asked).children();
                open.extend(children.map(|number| (cut.first + number, part(number))));
            }
        }
        // A box may be in several cells.
        found.sort_unstable();
        found.dedup();
        visits
    }
}

/// Returns a box around all points within `reach` of `b` along each axis, in exact arithmetic.
fn widened(b: &Aabb, reach: f64) -> Aabb {
    if reach == 0.0 {
        return *b;
    }
    Aabb { lo: (b.lo - reach).map(f64::next_down), hi: (b.hi + reach).map(f64::next_up) }
}

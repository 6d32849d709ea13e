//! Reference search over a stretch of time: two binary trees, one pair of boxes or triangles at a time.

use super::BinaryObb;
use crate::moving_boxes;
use closefit::internals::bvh::moving::MovingTrees;
use closefit::internals::continuous::roots::{UnposedLeaf, UnposedLeaves};
use closefit::internals::continuous::{feature_times, fronts, moving_triangles};
use closefit::method::Triangles;
use closefit::{Method, Work};
use closefit_geometry::bounds::separating_axes::PosedBoxes;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::math::Triangle;
use closefit_geometry::motion::moment::Moment;

/// Two moving trees. Only the triangle test and the fronts of their method apply here.
pub struct StretchSearch<'a>(pub(super) MovingTrees<'a, BinaryObb>);

/// A pair of boxes or of triangles that was not proven apart.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// Boxes, given by their nodes.
    Boxes([u32; 2]),
    /// Triangles.
    Triangles([u32; 2]),
}

impl StretchSearch<'_> {
    fn triangles(&self, moment: &Moment, triangles: [u32; 2]) -> [Triangle; 2] {
        [0, 1].map(|side| self.0.meshes[side].corners(triangles[side]).map(|v| moment.poses[side].apply(v)))
    }

    /// True only if two triangles stay farther apart than a limit throughout.
    fn beyond(&self, triangles: &[Triangle; 2], limit: f64, moment: &Moment) -> bool {
        let [a, b] = triangles;
        let parted = |moment| moving_triangles::scalar::beyond(a, b, limit, moment);
        match self.0.method.triangles {
            Triangles::Directions | Triangles::Roots => parted(moment),
            // Feature tests prove only that triangles which are apart at some time remain apart.
            Triangles::Elementary => {
                parted(&moment.standing()) && feature_times::beyond(triangles, moment, limit)
            }
        }
    }

    fn boxes(&self, moment: &Moment) -> PosedBoxes {
        let [a, b] = &moment.poses;
        PosedBoxes::new(a, self.0.trees[0].largest_coordinate, b, self.0.trees[1].largest_coordinate)
    }

    /// Pushes the pairs of the larger box's children with the other box; for two leaves, the pairs of their
    /// triangles.
    fn open(&self, nodes: [u32; 2], stack: &mut Vec<Item>) {
        let [a, b] = [0, 1].map(|side| &self.0.trees[side].nodes[nodes[side] as usize]);
        let side = match (a.is_leaf(), b.is_leaf()) {
            (true, true) => {
                for &ta in self.0.trees[0].leaf(a) {
                    stack.extend(self.0.trees[1].leaf(b).iter().map(|&tb| Item::Triangles([ta, tb])));
                }
                return;
            }
            (true, false) => 1,
            (false, true) => 0,
            (false, false) => usize::from(a.obb.half.length() < b.obb.half.length()),
        };
        let first = [a, b][side].first;
        for child in [first + 1, first] {
            let mut opened = nodes;
            opened[side] = child;
            stack.push(Item::Boxes(opened));
        }
    }

    /// Calls `keep` with each item below the stack that is not proven farther apart than `limit`, until it
    /// returns true.
    fn visit(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<Item>,
        work: &mut Work,
        mut keep: impl FnMut(Item) -> bool,
    ) -> bool {
        let boxes = self.boxes(moment);
        let path = moment.half * moment.speed;
        while let Some(item) = stack.pop() {
            match item {
                Item::Boxes(nodes) => {
                    work.box_tests += 1;
                    let [a, b] = [0, 1].map(|side| &self.0.trees[side].nodes[nodes[side] as usize].obb);
                    if moving_boxes::separated(&boxes, a, b, moment, limit) {
                        continue;
                    }
                    if path > f64::from(self.0.method.k.value()) * boxes.size(a, b) {
                        if keep(item) {
                            return true;
                        }
                        continue;
                    }
                    self.open(nodes, stack);
                }
                Item::Triangles(_) if self.0.method.triangles.are_solved(moment) => {
                    if keep(item) {
                        return true;
                    }
                }
                Item::Triangles(triangles) => {
                    work.triangle_tests += 1;
                    let posed = self.triangles(moment, triangles);
                    if !self.beyond(&posed, limit, moment) && keep(item) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

impl fronts::TreePair for StretchSearch<'_> {
    type Item = Item;

    fn whole(&self) -> Item {
        Item::Boxes([0, 0])
    }

    fn seen_from(&self) -> usize {
        self.0.seen_from
    }

    fn method(&self) -> Method {
        self.0.method
    }

    fn narrow(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<Item>,
        left: &mut Vec<Item>,
        work: &mut Work,
    ) {
        self.visit(moment, limit, stack, work, |item| {
            left.push(item);
            false
        });
    }

    fn is_within(&self, moment: &Moment, limit: f64, stack: &mut Vec<Item>, work: &mut Work) -> bool {
        let mut exact_tests = 0;
        let found = self.visit(moment, limit, stack, work, |item| {
            let Item::Triangles(triangles) = item else { unreachable!("nothing moves in no time") };
            let [a, b] = self.triangles(moment, triangles);
            exact_tests += 1;
            distance(&a, &b) <= limit
        });
        work.exact_tests += exact_tests;
        found
    }

    fn is_triangles(item: &Item) -> bool {
        matches!(item, Item::Triangles(_))
    }

    fn leaves(&self, item: &Item) -> Option<UnposedLeaves<'_>> {
        let Item::Triangles(places) = item else { return None };
        let leaf = |side: usize| {
            let (mesh, place) = (self.0.meshes[side], places[side] as usize);
            UnposedLeaf { vertices: mesh.vertices(), triangles: &mesh.triangles()[place..=place] }
        };
        Some(UnposedLeaves { leaves: [0, 1].map(leaf), lanes: 1, executor: self.0.executor })
    }

    fn free_time(&self, moment: &Moment, limit: f64, front: &[Item], work: &mut Work) -> Option<f64> {
        let mut free = moment.half;
        for item in front {
            let Item::Triangles(triangles) = *item else { unreachable!("a front of triangles") };
            work.triangle_tests += 1;
            let [a, b] = self.triangles(moment, triangles);
            let time = moving_triangles::scalar::free_time(&a, &b, limit, moment);
            if time == 0.0 {
                work.exact_tests += 1;
                if distance(&a, &b) <= limit {
                    return None;
                }
            }
            free = free.min(time);
        }
        Some(free)
    }
}

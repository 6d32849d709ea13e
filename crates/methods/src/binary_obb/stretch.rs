//! Reference search over a stretch of time: two binary trees, one pair of boxes or triangles at a time, as in
//! Redon et al. 2002, sections 4.1.2 and 6.

use super::natural::{NaturalMotion, NaturalPair};
use super::{BinaryObb, ObbNode};
use crate::moving_boxes;
use closefit::internals::bvh::moving::MovingTrees;
use closefit::internals::continuous::roots::{UnposedLeaf, UnposedLeaves};
use closefit::internals::continuous::{feature_times, fronts, moving_triangles};
use closefit::method::{Axes, Boxes, Discrete, Subdivision, Triangles};
use closefit::{Method, Work};
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::bounds::separating_axes::PosedBoxes;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::math::Triangle;
use closefit_geometry::motion::moment::Moment;
use glam::DVec3;

/// The share of a box's size that counts as extent along any path. Without it, time would be halved for flat
/// boxes that move across their plane until it cannot be.
const FLAT: f64 = 0.05;

/// Two moving trees.
pub struct StretchSearch<'a> {
    pub(super) trees: MovingTrees<'a, BinaryObb>,
    /// Their motions as screws, if the method asks for them and they have any.
    natural: Option<NaturalMotion>,
}

/// Two trees over a moment, with what all tests of boxes have in common.
pub(super) struct OverMoment<'a> {
    moment: &'a Moment,
    limit: f64,
    /// The boxes in the middle.
    middle: PosedBoxes,
    /// The boxes at the times of the discrete tests.
    instants: Vec<PosedBoxes>,
    natural: Option<NaturalPair>,
}

/// A pair of boxes or of triangles that was not proven apart.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// Boxes, given by their nodes.
    Boxes([u32; 2]),
    /// Triangles.
    Triangles([u32; 2]),
}

impl<'a> StretchSearch<'a> {
    /// Prepares a search of two trees.
    pub(super) fn new(trees: MovingTrees<'a, BinaryObb>) -> Self {
        let is_natural = trees.method.boxes == Boxes::Natural;
        Self { natural: is_natural.then(|| NaturalMotion::of(&trees)).flatten(), trees }
    }

    pub(super) fn nodes(&self, nodes: [u32; 2]) -> [&ObbNode; 2] {
        [0, 1].map(|side| &self.trees.trees[side].nodes[nodes[side] as usize])
    }

    fn triangles(&self, moment: &Moment, triangles: [u32; 2]) -> [Triangle; 2] {
        let posed = |side: usize| {
            self.trees.meshes[side].corners(triangles[side]).map(|v| moment.poses[side].apply(v))
        };
        [posed(0), posed(1)]
    }

    /// True only if two triangles stay farther apart than a limit throughout.
    fn beyond(&self, triangles: &[Triangle; 2], limit: f64, moment: &Moment) -> bool {
        let [a, b] = triangles;
        let parted = |moment| moving_triangles::scalar::beyond(a, b, limit, moment);
        match self.trees.method.triangles {
            Triangles::Directions | Triangles::Roots => parted(moment),
            // Feature tests prove only that triangles which are apart at some time remain apart.
            Triangles::Elementary => {
                parted(&moment.standing()) && feature_times::beyond(triangles, moment, limit)
            }
        }
    }

    pub(super) fn boxes(&self, moment: &Moment) -> PosedBoxes {
        let [a, b] = &moment.poses;
        let [of_a, of_b] = self.trees.trees.map(|tree| tree.largest_coordinate);
        PosedBoxes::new(a, of_a, b, of_b)
    }

    pub(super) fn over<'m>(&self, moment: &'m Moment, limit: f64) -> OverMoment<'m> {
        let at = |time: f64| {
            let moment = self.trees.motion.moment(time, 0.0);
            self.boxes(&if self.trees.seen_from == 0 { moment } else { moment.flipped() })
        };
        let Moment { time, half, .. } = *moment;
        let middle = self.boxes(moment);
        // In no time, every test is discrete.
        let (instants, natural) = match self.trees.method.discrete {
            _ if half == 0.0 => (Vec::new(), None),
            discrete => {
                let instants = match discrete {
                    Discrete::Off => Vec::new(),
                    Discrete::Middle => vec![middle],
                    Discrete::Ends => vec![at(time - half), at(time + half)],
                };
                (instants, self.natural.as_ref().map(|natural| natural.over(moment, limit)))
            }
        };
        OverMoment { moment, limit, middle, instants, natural }
    }

    /// True if time is to be halved before two boxes that may come near are opened: for tests by intervals
    /// the subdivision test of section 4.1.2, with the second box's centre as it moves past the first box;
    /// for others the path of the fastest point compared with the boxes' sizes.
    pub(super) fn is_long(&self, over: &OverMoment, nodes: [u32; 2]) -> bool {
        let (moment, Method { boxes, subdivision, k, .. }) = (over.moment, self.trees.method);
        if moment.half == 0.0 || subdivision == Subdivision::Never {
            return false;
        }
        if subdivision == Subdivision::Always {
            return true;
        }
        let nodes = self.nodes(nodes);
        if (boxes, subdivision) == (Boxes::Swept, Subdivision::Extents) {
            let size = over.middle.size(&nodes[0].obb, &nodes[1].obb);
            return moment.half * moment.speed > f64::from(k.value()) * size;
        }
        let linear = moment.poses.each_ref().map(|pose| pose.linear());
        let velocity = moment.velocity + moment.angular.cross(moment.poses[1].apply(nodes[1].obb.center));
        let (direction, half_path) = (velocity.normalize_or_zero(), moment.half * velocity.length());
        let projected = |side: usize, along: &dyn Fn(DVec3) -> f64| -> f64 {
            let Obb { axes, half, .. } = &nodes[side].obb;
            (0..3).map(|i| along(linear[side] * axes[i]) * half[i]).sum()
        };
        let along_path = |side: usize| projected(side, &|axis| axis.dot(direction).abs());
        if subdivision == Subdivision::Printed {
            return along_path(0) + 2.0 * half_path > f64::from(k.value()) * along_path(1);
        }
        let [a, b] = [0, 1].map(|side| along_path(side) + FLAT * projected(side, &DVec3::length));
        // Leaves are not opened.
        let extent = match nodes.map(ObbNode::is_leaf) {
            [false, false] => a + b,
            [false, true] => a,
            [true, false] => b,
            [true, true] => 2.0 * a.min(b),
        };
        half_path > f64::from(k.value()) * extent
    }

    /// Returns the pairs of the larger box's children with the other box, the one to be searched first first;
    /// `None` for two leaves.
    pub(super) fn opened(&self, moment: &Moment, nodes: [u32; 2]) -> Option<[[u32; 2]; 2]> {
        let [a, b] = self.nodes(nodes);
        let side = match (a.is_leaf(), b.is_leaf()) {
            (true, true) => return None,
            (true, false) => 1,
            (false, true) => 0,
            (false, false) => usize::from(a.obb.half.length() < b.obb.half.length()),
        };
        let first = [a, b][side].first;
        let [p, q] = [first, first + 1].map(|child| {
            let mut opened = nodes;
            opened[side] = child;
            opened
        });
        let squared = |nodes: [u32; 2]| {
            let nodes = self.nodes(nodes);
            let [p, q] = [0, 1].map(|side| moment.poses[side].apply(nodes[side].obb.center));
            p.distance_squared(q)
        };
        let other_first = self.trees.method.near_first && squared(q) < squared(p);
        Some(if other_first { [q, p] } else { [p, q] })
    }

    /// Pushes the pairs into which two boxes are opened, the one to be searched first last; for two leaves,
    /// the pairs of their triangles.
    fn open(&self, moment: &Moment, nodes: [u32; 2], stack: &mut Vec<Item>) {
        if let Some([first, second]) = self.opened(moment, nodes) {
            stack.extend([second, first].map(Item::Boxes));
            return;
        }
        let [a, b] = [0, 1].map(|side| self.trees.trees[side].leaf(self.nodes(nodes)[side]));
        for &ta in a {
            stack.extend(b.iter().map(|&tb| Item::Triangles([ta, tb])));
        }
    }

    /// True only if two boxes are proven farther apart than the limit throughout. Boxes that are within it at
    /// the time of a discrete test need no other one.
    pub(super) fn are_apart(&self, over: &OverMoment, nodes: [u32; 2], work: &mut Work) -> bool {
        let [a, b] = self.nodes(nodes).map(|node| &node.obb);
        for instant in &over.instants {
            work.discrete_tests += 1;
            if !instant.separated_by_more_than(a, b, over.limit) {
                return false;
            }
        }
        let Method { boxes, axes, .. } = self.trees.method;
        // In no time, a test by intervals is a discrete one.
        let is_discrete = boxes == Boxes::Natural && over.moment.half == 0.0;
        *if is_discrete { &mut work.discrete_tests } else { &mut work.box_tests } += 1;
        let natural = over.natural.as_ref().and_then(|natural| natural.separated(a, b, axes));
        let moved = || match axes {
            Axes::All => moving_boxes::separated(&over.middle, a, b, over.moment, over.limit),
            Axes::Faces => moving_boxes::separated_by_faces(&over.middle, a, b, over.moment, over.limit),
        };
        natural.unwrap_or_else(moved)
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
        let over = self.over(moment, limit);
        while let Some(item) = stack.pop() {
            match item {
                Item::Boxes(nodes) => {
                    if self.are_apart(&over, nodes, work) {
                        continue;
                    }
                    if !self.is_long(&over, nodes) {
                        self.open(moment, nodes, stack);
                    } else if keep(item) {
                        return true;
                    }
                }
                Item::Triangles(_) if self.trees.method.triangles.are_solved(moment) => {
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
        self.trees.seen_from
    }

    fn method(&self) -> Method {
        self.trees.method
    }

    fn narrow(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<Item>,
        left: &mut Vec<Item>,
        work: &mut Work,
    ) {
        if self.trees.method.near_first {
            stack.reverse(); // what was near came first
        }
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
            let (mesh, place) = (self.trees.meshes[side], places[side] as usize);
            UnposedLeaf { vertices: mesh.vertices(), triangles: &mesh.triangles()[place..=place] }
        };
        Some(UnposedLeaves { leaves: [0, 1].map(leaf), lanes: 1, executor: self.trees.executor })
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

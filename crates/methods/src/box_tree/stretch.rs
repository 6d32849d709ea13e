//! Searches two trees over a stretch of time by the test of standing boxes in its middle: in half the stretch
//! no point comes nearer to another than half the stretch times the pair's speed, plus the rounding of poses.

use std::ops::ControlFlow;

use super::CutTrees;
use super::axes::{BoxPairs, squared_gaps};
use super::leaves::Leaves;
use super::posed::{Pass, Places, PosedBoxTree, PosedPair};
use crate::leaf_pairs::{Leaf, LeafPair, all_lanes};
use closefit::internals::bvh::placement::squared_limit;
use closefit::internals::continuous::fronts;
use closefit::internals::continuous::roots::{UnposedLeaf, UnposedLeaves};
use closefit::{Method, Work};
use closefit_geometry::executor::Executor;
use closefit_geometry::lanes::LANES;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::motion::moment::Moment;

/// Two moving meshes with their trees. Only the triangle test and the fronts of their method apply here.
#[derive(Debug)]
pub struct StretchSearch<'a> {
    pub(super) trees: [&'a CutTrees; 2],
    pub(super) meshes: [&'a Mesh; 2],
    pub(super) seen_from: usize,
    pub(super) method: Method,
    pub(super) executor: Executor,
}

/// Boxes or triangles that were not proven apart.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// All of both meshes.
    Whole,
    /// Boxes.
    Boxes(Boxes),
    /// Pairs of triangles, by their indices in the meshes.
    Triangles(LeafPair),
}

/// Boxes of both trees of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Boxes {
    pass: Pass,
    places: Places,
}

/// Boxes and triangles that a search did not prove apart.
#[derive(Default)]
struct Left {
    /// Boxes that are not to be opened before time is halved.
    boxes: Vec<Boxes>,
    triangles: Vec<LeafPair>,
}

impl StretchSearch<'_> {
    fn posed(&self, moment: &Moment) -> [PosedBoxTree<'_>; 2] {
        [0, 1].map(|side| {
            PosedBoxTree::new(self.trees[side], self.meshes[side], &moment.poses[side], self.executor)
        })
    }

    /// Returns what is not proven farther apart than `limit` over a moment, opened as long as boxes are large
    /// compared with their movement.
    fn search(
        &self,
        pair: &PosedPair,
        (moment, limit): (&Moment, f64),
        stack: &mut Vec<Item>,
        work: &mut Work,
    ) -> Left {
        work.begin(pair.frames.as_ref());
        let path = moment.half * moment.speed;
        let reach = limit + path + moment.slack;
        let [scale, other_scale] = pair.sides.map(|side| side.scale);
        let farthest = squared_limit(reach, scale);
        let long = path / f64::from(self.method.k.value());
        let frame = pair.frames.map(|frames| frames.axes());
        let (mut left, mut leaves, mut near) = (Left::default(), Leaves::default(), Vec::new());
        loop {
            let (mut batch, mut pairs) = (Vec::with_capacity(LANES), BoxPairs::default());
            while batch.len() < LANES
                && let Some(item) = stack.pop()
            {
                match item {
                    Item::Triangles(pair) => left.triangles.push(pair),
                    Item::Whole => stack.extend(Pass::ALL.map(|pass| {
                        Item::Boxes(Boxes { pass, places: pair.trees(pass).map(|tree| tree.whole()) })
                    })),
                    Item::Boxes(boxes) => {
                        pairs.put(batch.len(), boxes.places.map(|(_, extents)| extents));
                        batch.push(boxes);
                    }
                }
            }
            if batch.is_empty() {
                break;
            }
            work.box_tests += batch.len() as u64;
            let gaps = squared_gaps(self.executor, frame.as_ref(), &pairs);
            for (boxes, gap) in batch.into_iter().zip(gaps) {
                if gap > farthest {
                    continue;
                }
                let Boxes { pass, places } = boxes;
                let [size_a, size_b] = places.map(|(_, extents)| f64::from(extents.size()));
                if long > size_a * scale + size_b * other_scale {
                    left.boxes.push(boxes);
                    continue;
                }
                let nodes = places.map(|(node, _)| node);
                let trees = pair.trees(pass);
                if (0..2).all(|side| trees[side].is_leaf(nodes[side])) {
                    near_triangles(pair, (pass, nodes), reach, (&mut leaves, &mut near), work);
                } else {
                    let (children, count) = pair.open(pass, places);
                    stack.extend(
                        children.into_iter().take(count).map(|places| Item::Boxes(Boxes { pass, places })),
                    );
                }
            }
        }
        near.sort_unstable();
        near.dedup();
        let single = |places: [u32; 2]| {
            let leaves = places.map(|first| Leaf { first, count: 1 });
            (all_lanes(leaves), leaves)
        };
        left.triangles.extend(near.into_iter().map(single));
        // Some of the front's pairs were found again.
        let places = |(_, leaves): &LeafPair| leaves.map(|leaf| leaf.first);
        left.triangles.sort_unstable_by_key(places);
        left.triangles.dedup_by_key(|pair| places(pair));
        pair.triangle_pairs().retain_near(&mut left.triangles, (moment, limit), self.method.triangles, work);
        left
    }
}

/// Appends the pairs of triangles of two leaves in which one triangle has an edge that is not proven
/// farther than `reach` from the other triangle. Some pairs are appended repeatedly.
fn near_triangles(
    pair: &PosedPair,
    (pass, nodes): (Pass, [u32; 2]),
    reach: f64,
    (leaves, near): (&mut Leaves, &mut Vec<[u32; 2]>),
    work: &mut Work,
) {
    let edges = &pair.sides[pass.side_of_edges()].of.edges;
    let all: ControlFlow<()> = leaves.visit(pair, pass, nodes, reach, work, |edge, triangle, _| {
        let of_edge = edges.triangles(edge.edge).iter();
        near.extend(of_edge.map(|&of_edge| pass.in_order(of_edge, triangle.triangle)));
        ControlFlow::Continue(reach)
    });
    assert!(all.is_continue());
}

impl fronts::TreePair for StretchSearch<'_> {
    type Item = Item;

    fn whole(&self) -> Item {
        Item::Whole
    }

    fn seen_from(&self) -> usize {
        self.seen_from
    }

    fn method(&self) -> Method {
        self.method
    }

    fn narrow(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<Item>,
        left: &mut Vec<Item>,
        work: &mut Work,
    ) {
        let [a, b] = &self.posed(moment);
        let Left { boxes, triangles } = self.search(&PosedPair::new(a, b), (moment, limit), stack, work);
        left.extend(boxes.into_iter().map(Item::Boxes));
        left.extend(triangles.into_iter().map(Item::Triangles));
    }

    fn is_within(&self, moment: &Moment, limit: f64, stack: &mut Vec<Item>, work: &mut Work) -> bool {
        let [a, b] = &self.posed(moment);
        let pair = PosedPair::new(a, b);
        let Left { boxes, triangles } = self.search(&pair, (moment, limit), stack, work);
        assert!(boxes.is_empty(), "nothing moves in no time");
        pair.triangle_pairs().any_is_within(&triangles, limit, work)
    }

    fn is_triangles(item: &Item) -> bool {
        matches!(item, Item::Triangles(_))
    }

    fn leaves(&self, item: &Item) -> Option<UnposedLeaves<'_>> {
        let &Item::Triangles((lanes, leaves)) = item else { return None };
        let leaf = |side: usize| {
            let mesh = self.meshes[side];
            UnposedLeaf { vertices: mesh.vertices(), triangles: leaves[side].of(mesh.triangles()) }
        };
        Some(UnposedLeaves { leaves: [0, 1].map(leaf), lanes, executor: self.executor })
    }

    fn free_time(&self, moment: &Moment, limit: f64, front: &[Item], work: &mut Work) -> Option<f64> {
        let [a, b] = &self.posed(moment);
        let pairs: Vec<LeafPair> = front
            .iter()
            .map(|item| match item {
                Item::Triangles(pair) => *pair,
                Item::Whole | Item::Boxes(_) => unreachable!("a front of triangles"),
            })
            .collect();
        PosedPair::new(a, b).triangle_pairs().free_time(&pairs, (moment, limit), work)
    }
}

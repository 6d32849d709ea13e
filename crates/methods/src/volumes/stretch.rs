//! Searches two trees over a stretch of time by the test of standing volumes in its middle, and a bound of
//! how much nearer the contents of a volume can come in half the stretch: [`Approach`].

use super::VolumeTree;
use super::posed::{Opened, PosedPair, PosedVolumes, Slot, Slots, Step, WHOLE};
use super::volume::{Volume, VolumeKernels};
use crate::leaf_pairs::{LeafPair, all_lanes};
use closefit::internals::bvh::moving::MovingTrees;
use closefit::internals::bvh::placement::{Placement, squared_limit};
use closefit::internals::continuous::fronts;
use closefit::internals::continuous::roots::{UnposedLeaf, UnposedLeaves};
use closefit::method::K;
use closefit::{Method, Work};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::execute;
use closefit_geometry::math::error_bounds::{FIELD, SUMS};
use closefit_geometry::motion::moment::Moment;

/// Two moving trees. Only the triangle test and the fronts of their method apply here.
pub struct StretchSearch<'a, V: Volume>(pub(super) MovingTrees<'a, VolumeTree<V>>);

/// Volumes or triangles that were not proven apart.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// Volumes of a block of one tree (0 for the first), as lanes, and a volume of the other.
    Volumes { side: u8, lanes: u8, block: u32, other: Slot },
    /// Pairs of triangles.
    Triangles(LeafPair),
}

/// An upper bound of how much nearer the contents of a volume come to anything of the other part in half a
/// stretch.
///
/// Seen from the other part, a point p of the volume moves with `v + w x p` in the middle of the stretch, and
/// along any direction it deviates from that by no more than the moment says. All points of the volume lie in
/// a ball of radius r around its centre c, so none is faster than `|v + w x c| + |w| r`. The rate at which
/// distances change bounds it as well.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Approach {
    /// The path of the fastest point.
    path: f64,
    /// The path, and what is added to it.
    most: f64,
}

impl Approach {
    /// Bounds the approach of a volume with the box `bounds`, in normal coordinates of its tree. The tree is
    /// the tree of one part (0 the first, 1 the second).
    fn of(moment: &Moment, side: usize, placement: &Placement, bounds: &Aabb) -> Self {
        let Aabb { lo, hi } = *bounds;
        let center = placement.linear * (0.5 * (lo + hi)) + placement.origin;
        // The error of vertices has room for the 4 roundings of the centre, on terms no larger.
        let radius = placement.radius(0.5 * (hi - lo).length()) + placement.error;
        let (velocity, angular) = (moment.velocity, moment.angular);
        let spin = angular.length();
        let speed = (velocity + angular.cross(center)).length() + spin * radius;
        let rounding = FIELD * (velocity.length() + spin * (center.length() + radius));
        let path = moment.half * (speed + rounding);
        let whole = moment.half * moment.speed;
        let most = (path + moment.deviation(side)).min(whole + moment.slack) * (1.0 + SUMS);
        Self { path: path.min(whole), most }
    }
}

/// Volumes and triangles that a search did not prove apart.
#[derive(Default)]
struct Left {
    /// Volumes that are not to be opened before time is halved.
    volumes: Vec<Item>,
    triangles: Vec<LeafPair>,
}

impl Left {
    /// Opens volumes as long as they are large compared with their movement.
    #[inline(always)]
    fn open<V: Volume>(
        &mut self,
        kernels: impl VolumeKernels,
        pair: &PosedPair<V>,
        (moment, limit): (&Moment, f64),
        k: K,
        stack: &mut Vec<Item>,
        work: &mut Work,
    ) {
        while let Some(item) = stack.pop() {
            let (side, mask, block, other) = match item {
                Item::Triangles(pair) => {
                    self.triangles.push(pair);
                    continue;
                }
                Item::Volumes { side, lanes, block, other } => (side, lanes, block, other),
            };
            let opened = Opened { side: side.into(), block };
            let Approach { path, most } = pair.approach(moment, 1 - opened.side, other);
            let farthest = squared_limit(limit + most, pair.a.scale);
            let long = path / f64::from(k.value()) / pair.a.scale;
            let (near, _) = pair.near(kernels, opened, [other; 2], farthest, work);
            let mut left = near & u32::from(mask);
            let mut kept = 0;
            while left != 0 {
                let lane = left.trailing_zeros();
                left &= left - 1;
                let slots = opened.to(lane, [other; 2]);
                let [size_a, size_b] = pair.sizes(slots);
                if long > f64::from(size_a + size_b) {
                    kept |= 1 << lane;
                } else {
                    stack.push(next(pair, slots));
                }
            }
            if kept != 0 {
                self.volumes.push(Item::Volumes { side, lanes: kept, block, other });
            }
        }
    }
}

impl<V: Volume> PosedPair<'_, V> {
    /// Bounds the approach of a volume of one tree.
    fn approach(&self, moment: &Moment, side: usize, slot: Slot) -> Approach {
        let posed = [self.a, self.b][side];
        Approach::of(moment, side, posed, &posed.volume(slot).bounds())
    }
}

/// Returns the next item for two volumes that were not proven apart.
fn next<V: Volume>(pair: &PosedPair<V>, slots: Slots) -> Item {
    match pair.step(slots) {
        Step::Triangles(leaves) => Item::Triangles((all_lanes(leaves), leaves)),
        Step::Open(Opened { side, block }) => {
            Item::Volumes { side: side as u8, lanes: 0xff, block, other: slots[1 - side] }
        }
    }
}

impl<V: Volume> StretchSearch<'_, V> {
    fn posed(&self, moment: &Moment) -> [PosedVolumes<'_, V>; 2] {
        let MovingTrees { trees, executor, .. } = self.0;
        [0, 1].map(|side| PosedVolumes::new(trees[side], &moment.poses[side], executor))
    }

    /// Returns what is not proven farther apart than `limit` over a moment.
    fn search(
        &self,
        pair: &PosedPair<V>,
        at: (&Moment, f64),
        stack: &mut Vec<Item>,
        work: &mut Work,
    ) -> Left {
        let mut left = Left::default();
        work.begin(pair.map.as_ref());
        execute!(self.0.executor, kernels => left.open(kernels, pair, at, self.0.method.k, stack, work));
        let mut visited = pair.visited();
        left.triangles.retain_mut(|(lanes, leaves)| {
            *lanes = visited.first(pair, (*lanes, *leaves));
            *lanes != 0
        });
        pair.triangle_pairs().retain_near(&mut left.triangles, at, self.0.method.triangles, work);
        left
    }
}

impl<V: Volume> fronts::TreePair for StretchSearch<'_, V> {
    type Item = Item;

    fn whole(&self) -> Item {
        let [block, other] = WHOLE;
        Item::Volumes { side: 0, lanes: 1, block, other }
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
        let [a, b] = &self.posed(moment);
        let Left { volumes, triangles } = self.search(&PosedPair::new(a, b), (moment, limit), stack, work);
        left.extend(volumes);
        left.extend(triangles.into_iter().map(Item::Triangles));
    }

    fn is_within(&self, moment: &Moment, limit: f64, stack: &mut Vec<Item>, work: &mut Work) -> bool {
        let [a, b] = &self.posed(moment);
        let pair = PosedPair::new(a, b);
        let Left { volumes, triangles } = self.search(&pair, (moment, limit), stack, work);
        assert!(volumes.is_empty(), "nothing moves in no time");
        pair.triangle_pairs().any_is_within(&triangles, limit, work)
    }

    fn is_triangles(item: &Item) -> bool {
        matches!(item, Item::Triangles(_))
    }

    fn leaves(&self, item: &Item) -> Option<UnposedLeaves<'_>> {
        let &Item::Triangles((lanes, leaves)) = item else { return None };
        let leaf = |side: usize| {
            let VolumeTree { vertices, corners, .. } = self.0.trees[side];
            UnposedLeaf { vertices, triangles: leaves[side].of(corners) }
        };
        Some(UnposedLeaves { leaves: [0, 1].map(leaf), lanes, executor: self.0.executor })
    }

    fn free_time(&self, moment: &Moment, limit: f64, front: &[Item], work: &mut Work) -> Option<f64> {
        let [a, b] = &self.posed(moment);
        let pairs: Vec<LeafPair> = front
            .iter()
            .map(|item| match item {
                Item::Triangles(pair) => *pair,
                Item::Volumes { .. } => unreachable!("a front of triangles"),
            })
            .collect();
        PosedPair::new(a, b).triangle_pairs().free_time(&pairs, (moment, limit), work)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use closefit::internals::bvh::wide_topology::NormalFrame;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::math::testing::Stream;
    use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
    use closefit_geometry::motion::{Between, Frames, Joint, Keyframe, Motion};

    fn inverse(pose: &Pose, p: DVec3) -> DVec3 {
        pose.linear().inverse() * (p - pose.shift())
    }

    fn corners(Aabb { lo, hi }: &Aabb) -> Vec<DVec3> {
        let corner =
            |k: u32| DVec3::from_array(std::array::from_fn(|i| [lo[i], hi[i]][(k >> i & 1) as usize]));
        (0..8).map(corner).collect()
    }

    #[test]
    fn no_point_goes_farther_than_its_volume_says() {
        const UNIT: f64 = 2.0;
        let mut stream = Stream(71);
        let mut closer = 0;
        for _ in 0..2_000 {
            let mut frames = Frames::default();
            let mut bounds = [Aabb::EMPTY; 2];
            let placed = [0, 1].map(|side: usize| {
                let (center, size) = (stream.point(), stream.pick(&[0.5, 0.1, 1e-3]));
                bounds[side] = Aabb { lo: center - size, hi: center + size };
                let keys = [0.0, 1.0].map(|time| {
                    let rotation = [stream.signed(), stream.signed(), stream.signed(), 1.5];
                    Keyframe { time, rotation, translation: stream.point() }
                });
                let motion = Motion::through(&keys, Between::Screw, [1.0; 3]).expect("two keys");
                let frame = frames.add(None, Joint::Moving(motion));
                // Other vertices are faster.
                let vertices = [corners(&bounds[side]), vec![DVec3::ONE, -DVec3::ONE]].concat();
                PlacedPart::of(Pose::IDENTITY, Some(frame), &vertices)
            });
            let pair = PairMotion::new(&frames, placed);
            let half = stream.pick(&[0.1, 1e-2, 1e-3]);
            let moment = pair.span(0.0, 1.0).moment(0.5, half);
            for side in 0..2 {
                let frame = NormalFrame { center: DVec3::ZERO, unit: UNIT };
                let placement = Placement::new(&frame, None, UNIT, &moment.poses[side]);
                let normal = Aabb { lo: bounds[side].lo / UNIT, hi: bounds[side].hi / UNIT };
                let Approach { most, .. } = Approach::of(&moment, side, &placement, &normal);
                // The speed of the pair bounds distances alone.
                if most >= half * moment.speed {
                    continue;
                }
                closer += 1;
                for time in [0.5 - half, 0.5 - 0.5 * half, 0.5 + half] {
                    let now = pair.poses(time);
                    for v in corners(&bounds[side]) {
                        let seen = inverse(&now[1 - side], now[side].apply(v));
                        let way = moment.poses[1 - side].apply(seen) - moment.poses[side].apply(v);
                        assert!(way.length() <= most + 1e-12, "{} {most} {moment:?}", way.length());
                    }
                }
            }
        }
        assert!(closer > 1_000, "{closer}");
    }
}

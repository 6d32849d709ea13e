//! The motion of two parts as seen from each other, with the motion that they have in common removed.

use glam::DVec3;

use super::cells::Cells;
use super::frames::{FrameId, Frames};
use super::joint::Joint;
use super::span::PairSpan;
use crate::math::error_bounds::UNIT;
use crate::math::pose::Pose;

/// A part placed by a pose or by a frame, with the extents of its vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedPart {
    /// World-from-part pose, for a part that no frame moves.
    pub pose: Pose,
    /// The frame that carries the part.
    pub frame: Option<FrameId>,
    /// Upper bound on the distance of a vertex from the origin of the part's own coordinates.
    pub reach: f64,
    /// Centre of the vertices' box, in the part's own coordinates.
    pub center: DVec3,
    /// Upper bound on the distance of a vertex from `center`.
    pub radius: f64,
}

impl PlacedPart {
    /// Places the vertices of a mesh.
    pub fn of(pose: Pose, frame: Option<FrameId>, vertices: &[DVec3]) -> Self {
        let first = vertices.first().copied().unwrap_or_default();
        let (lo, hi) = vertices.iter().fold((first, first), |(lo, hi), &v| (lo.min(v), hi.max(v)));
        let center = 0.5 * lo + 0.5 * hi;
        let farthest = |from: DVec3| {
            vertices.iter().fold(0.0, |most: f64, v| most.max((*v - from).length())) * (1.0 + 16.0 * UNIT)
        };
        Self { pose, frame, reach: farthest(DVec3::ZERO), center, radius: farthest(center) }
    }

    /// Returns the world-from-part pose at a time.
    pub fn pose_at(&self, frames: &Frames, time: f64) -> Pose {
        self.frame.map_or(self.pose, |frame| frames.pose(frame, time))
    }
}

/// Two parts and the joints that carry them.
#[derive(Clone, Debug)]
pub struct PairMotion<'a> {
    pub(super) chains: [JointChain<'a>; 2],
}

/// The joints of one part, root first.
#[derive(Clone, Debug)]
pub(super) struct JointChain<'a> {
    pub placed: PlacedPart,
    /// World pose of the last of the leading fixed joints.
    pub base: Option<Pose>,
    pub joints: Vec<&'a Joint>,
    /// Index of the first joint that does not also carry the other part.
    pub own: usize,
}

impl<'a> PairMotion<'a> {
    /// Finds the joints that the two parts have in common.
    pub fn new(frames: &'a Frames, placed_parts: [PlacedPart; 2]) -> Self {
        let chains =
            placed_parts.map(|placed| placed.frame.map_or_else(Vec::new, |frame| frames.chain(frame)));
        let common = chains[0].iter().zip(&chains[1]).take_while(|(a, b)| a == b).count();
        let chain = |side: usize| {
            let joints: Vec<&Joint> = chains[side].iter().map(|&id| &frames.get(id).joint).collect();
            let fixed = joints.iter().take_while(|joint| matches!(joint, Joint::Fixed(_))).count();
            let base = if joints.is_empty() {
                Some(placed_parts[side].pose)
            } else {
                joints[..fixed]
                    .iter()
                    .map(|joint| joint.pose(0.0))
                    .reduce(|above, local| Pose::compose(&above, &local))
            };
            JointChain {
                placed: placed_parts[side],
                base,
                joints: joints[fixed..].to_vec(),
                own: common.saturating_sub(fixed),
            }
        };
        Self { chains: [chain(0), chain(1)] }
    }

    /// Returns the motion of one part (0 the first, 1 the second) as seen from the world: a pair of the
    /// world's origin and that part. The times that cut this pair's motion cut that one's, too.
    pub fn alone(&self, side: usize) -> Self {
        let placed = PlacedPart::of(Pose::IDENTITY, None, &[DVec3::ZERO]);
        let world = JointChain { placed, base: Some(Pose::IDENTITY), joints: Vec::new(), own: 0 };
        Self { chains: [world, JointChain { own: 0, ..self.chains[side].clone() }] }
    }

    /// Returns the times that cut the motion: `from`, all keyframes strictly between of both parts and their
    /// ancestors, and `to`, which may equal `from`.
    pub fn times(&self, [from, to]: [f64; 2]) -> Vec<f64> {
        let mut between = Vec::new();
        for motion in self.chains.iter().flat_map(|chain| &chain.joints).filter_map(|joint| joint.motion()) {
            between.extend(motion.times().iter().copied().filter(|&t| from < t && t < to));
        }
        between.sort_unstable_by(f64::total_cmp);
        between.dedup();
        [&[from], &between[..], &[to]].concat()
    }

    /// Returns the times after `from`, up to and including `to`, at which a joint that the two parts do not
    /// share jumps. The new poses hold from there on.
    pub fn jumps(&self, [from, to]: [f64; 2]) -> Vec<f64> {
        let own = self.chains.iter().flat_map(JointChain::own).filter_map(|joint| joint.motion());
        let mut times: Vec<f64> =
            own.flat_map(|motion| motion.jumps()).filter(|&t| from < t && t <= to).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// Returns the motion of the pair with vertices of one part (0 the first, 1 the second) that lie up to a
    /// margin farther out, in the part's own coordinates.
    pub fn with_margin(&self, side: usize, margin: f64) -> Self {
        let mut padded = self.clone();
        let PlacedPart { reach, radius, .. } = &mut padded.chains[side].placed;
        *reach = (*reach + margin) * (1.0 + 4.0 * UNIT);
        *radius = (*radius + margin) * (1.0 + 4.0 * UNIT);
        padded
    }

    /// Returns the two poses at a time.
    pub fn poses(&self, time: f64) -> [Pose; 2] {
        let [a, b] = &self.chains;
        let stems = self.stems(time);
        [a.pose(stems[0], time), b.pose(stems[1], time)]
    }

    /// Returns, for each part, the world pose at a time of the joints that carry both.
    pub(super) fn stems(&self, time: f64) -> [Option<Pose>; 2] {
        let [a, b] = &self.chains;
        let stem = a.stem(time);
        // The pose is the same for both parts wherever a joint carries both.
        [stem, if b.own > 0 { stem } else { b.base }]
    }

    /// Returns all spans of a time range, with their cells for a precision.
    ///
    /// # Errors
    /// The smallest precision, approximately, that is possible for all spans.
    pub fn spans(&self, range: [f64; 2], precision: f64) -> Result<Vec<(PairSpan<'_>, Cells)>, f64> {
        let times = self.times(range);
        let mut spans = Vec::with_capacity(times.len() - 1);
        let mut smallest: Option<f64> = None;
        for window in times.windows(2) {
            let span = self.span(window[0], window[1]);
            match span.cells(precision) {
                Ok(cells) => spans.push((span, cells)),
                Err(at_best) => smallest = Some(smallest.map_or(at_best, |most| most.max(at_best))),
            }
        }
        smallest.map_or(Ok(spans), Err)
    }

    /// Returns the motion between two neighbouring values of [`PairMotion::times`].
    pub fn span(&self, from: f64, to: f64) -> PairSpan<'_> {
        PairSpan::new(self, from, to)
    }
}

impl<'a> JointChain<'a> {
    /// Returns the joints that carry this part and not the other.
    fn own(&self) -> &[&'a Joint] {
        &self.joints[self.own..]
    }

    fn stem(&self, time: f64) -> Option<Pose> {
        let common = self.joints[..self.own].iter().map(|joint| joint.pose(time));
        common.fold(self.base, |above, local| Some(composed(above, &local)))
    }

    fn pose(&self, stem: Option<Pose>, time: f64) -> Pose {
        let own = self.own().iter().map(|joint| joint.pose(time));
        own.fold(stem, |above, local| Some(composed(above, &local))).expect("a joint or a pose")
    }
}

/// Composes a pose with the one above it, if there is one.
pub(super) fn composed(above: Option<Pose>, local: &Pose) -> Pose {
    above.map_or(*local, |above| Pose::compose(&above, local))
}

//! Boxes around the volume that a part sweeps.
//!
//! In a stretch of time of half width h a point stays, along each axis, within `h |v| + h^2 K / 2` of its
//! position at the middle ([`crate::motion::pair`]). Its velocity v at the middle is an affine function of
//! the point, so bounding the corners of a box around the part bounds the whole part; K is an acceleration
//! bound.

use glam::DVec3;

use crate::bounds::aabb::Aabb;
use crate::math::error_bounds::MOVED;
use crate::math::pose::{Pose, SMALLEST};
use crate::motion::frames::Frames;
use crate::motion::pair::{PairMotion, PlacedPart};

/// A moving part as seen from the world.
#[derive(Clone, Debug)]
pub struct SweptPart<'a> {
    motion: PairMotion<'a>,
    /// Corners of the box around its vertices, in its own coordinates.
    corners: [DVec3; 8],
}

impl<'a> SweptPart<'a> {
    /// Creates a part whose vertices are inside a box in its own coordinates.
    pub fn new(frames: &'a Frames, placed: PlacedPart, around: &Aabb) -> Self {
        let world = PlacedPart::of(Pose::IDENTITY, None, &[DVec3::ZERO]);
        Self { motion: PairMotion::new(frames, [world, placed]), corners: around.corners() }
    }

    /// Returns a box around the part from one time to another, both included. If it jumps at the end, the
    /// pose before the jump counts; if both times are equal, the pose that holds then.
    pub fn over(&self, from: f64, to: f64) -> Aabb {
        if from == to {
            return self.between(from, to);
        }
        let times = self.motion.times([from, to]);
        let pieces = times.windows(2).map(|piece| self.between(piece[0], piece[1]));
        pieces.fold(Aabb::EMPTY, Aabb::union)
    }

    /// Returns such a box for a stretch without a keyframe inside.
    fn between(&self, from: f64, to: f64) -> Aabb {
        let middle = 0.5 * from + 0.5 * to;
        let half = (middle - from).max(to - middle);
        let moment = self.motion.span(from, to).moment(middle, half);
        let slack = DVec3::splat(moment.deviation(1) + SMALLEST);
        self.corners.iter().fold(Aabb::EMPTY, |bounds, &corner| {
            let p = moment.poses[1].apply(corner);
            let velocity = moment.velocity + moment.angular.cross(p);
            let reach = velocity.abs() * (half * (1.0 + MOVED)) + slack;
            bounds.with(p - reach).with(p + reach)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Between, Joint, Keyframe, Motion};
    use proptest::prelude::*;

    fn keyframe(time: f64) -> impl Strategy<Value = Keyframe> {
        let rotation = prop::array::uniform4(-1.0..1.0f64)
            .prop_filter("has a direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 0.01);
        (rotation, prop::array::uniform3(-3.0..3.0f64)).prop_map(move |(rotation, translation)| Keyframe {
            time,
            rotation,
            translation: DVec3::from_array(translation),
        })
    }

    proptest! {
        #[test]
        fn nothing_leaves_the_box(
            keys in (keyframe(0.0), keyframe(1.0), keyframe(2.5)),
            upper in (keyframe(-1.0), keyframe(2.0)),
            between in prop_oneof![Just(Between::Screw), Just(Between::Linear), Just(Between::Step)],
            vertices in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 1..6),
            (from, length) in (-1.5..2.0f64, prop_oneof![Just(0.01), Just(0.5), Just(3.0)]),
        ) {
            let vertices: Vec<DVec3> = vertices.into_iter().map(DVec3::from_array).collect();
            let mut frames = Frames::default();
            let joint = |keys: &[Keyframe]| Joint::Moving(Motion::through(keys, between, [1.0; 3]).unwrap());
            let above = frames.add(None, joint(&[upper.0, upper.1]));
            let own = frames.add(Some(above), joint(&[keys.0, keys.1, keys.2]));
            let placed = PlacedPart::of(Pose::IDENTITY, Some(own), &vertices);
            let part = SweptPart::new(&frames, placed, &Aabb::of(vertices.iter().copied()));
            let bounds = part.over(from, from + length);
            // A jump at the very end does not belong to the stretch.
            for step in 0..200 {
                let pose = frames.pose(own, from + length * f64::from(step) / 200.0);
                for &vertex in &vertices {
                    let p = Aabb::of([pose.apply(vertex)]);
                    prop_assert_eq!(bounds.union(p), bounds);
                }
            }
            let now = part.over(from, from);
            let posed = Aabb::of(vertices.iter().map(|&v| frames.pose(own, from).apply(v)));
            prop_assert_eq!(now.union(posed), now);
            prop_assert!(now.diagonal() < 4.0 * Aabb::of(vertices.iter().copied()).diagonal() + 1e-9);
        }
    }

    #[test]
    fn short_stretches_have_tight_boxes() {
        let keys = [0.0, 1.0].map(|time| Keyframe {
            time,
            rotation: [0.0, 0.0, time, 1.0 - time],
            translation: DVec3::X * time,
        });
        let mut frames = Frames::default();
        let own = frames.add(None, Joint::Moving(Motion::through(&keys, Between::Screw, [1.0; 3]).unwrap()));
        let vertices = [DVec3::ZERO, DVec3::Y];
        let part = SweptPart::new(
            &frames,
            PlacedPart::of(Pose::IDENTITY, Some(own), &vertices),
            &Aabb::of(vertices),
        );
        let exact = (0..=100).fold(Aabb::EMPTY, |bounds, step| {
            let pose = frames.pose(own, 0.5 + 0.01 * f64::from(step) / 100.0);
            vertices.iter().fold(bounds, |bounds, &v| bounds.with(pose.apply(v)))
        });
        let bounds = part.over(0.5, 0.51);
        assert!(bounds.diagonal() < exact.diagonal() + 1e-3, "{bounds:?} {exact:?}");
    }
}

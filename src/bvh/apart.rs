//! A proven distance of two trees, and how much of it is left after they have moved (Lin et al. 1997, section
//! 2: temporal coherence).

use super::placement::{FrameMap, Placement};
use closefit_geometry::math::error_bounds::KEPT;

/// A proven distance of two trees, kept with the frame of the second in the first's coordinates.
///
/// Any point between vertices of the second tree moves no farther, as seen from the first, than the vertex
/// that moves farthest. So the distance shrinks by no more than that, whatever route the trees took.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// Normal coordinates of the first tree from the second's, when this was proven.
    at: FrameMap,
    /// Bound of the distance in normal units of the first tree, between the vertices as `at` places them.
    by: f64,
}

impl Apart {
    /// Keeps a proven lower bound of the distance of two posed trees. `at` maps coordinates of the second to
    /// coordinates of the first, which is at `first`.
    pub fn new(distance: f64, at: FrameMap, first: &Placement) -> Self {
        Self { at, by: distance / first.scale * (1.0 - KEPT) - at.margin }
    }

    /// Returns a proven lower bound of the distance of the same trees at other poses. `now` and `first` are
    /// as in [`Apart::new`].
    pub fn distance(&self, now: &FrameMap, first: &Placement) -> f64 {
        let lost = (self.at.farthest_move(now) + now.margin) * (1.0 + KEPT);
        (self.by - lost) * first.scale * (1.0 - KEPT)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::bvh::largest_coordinate;
    use crate::bvh::wide_topology::NormalFrame;
    use closefit_geometry::bounds::aabb::Aabb;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::math::testing::Stream;

    /// Relative error of the distance of two posed points, with room.
    const OFF: f64 = 16.0 * f64::EPSILON;

    /// Returns the smallest distance of any two of the posed points.
    fn distance(points: &[Vec<DVec3>; 2], poses: &[Pose; 2]) -> f64 {
        let at = |side: usize| points[side].iter().map(move |&p| poses[side].apply(p));
        at(0).flat_map(|p| at(1).map(move |q| p.distance(q))).fold(f64::INFINITY, f64::min)
    }

    fn placements(points: &[Vec<DVec3>; 2], poses: &[Pose; 2]) -> [Placement; 2] {
        [0, 1].map(|side| {
            let frame = NormalFrame::of(Aabb::of(points[side].iter().copied()));
            Placement::new(&frame, None, largest_coordinate(&points[side]), &poses[side])
        })
    }

    /// Returns what is left of the distance at the first poses when the points are at the others.
    fn left(points: &[Vec<DVec3>; 2], before: &[Pose; 2], after: &[Pose; 2]) -> f64 {
        let [was, is] = [before, after].map(|poses| placements(points, poses));
        let at = |[a, b]: &[Placement; 2]| FrameMap::new(b, a).expect("similar");
        let proven = distance(points, before) * (1.0 - OFF);
        Apart::new(proven, at(&was), &was[0]).distance(&at(&is), &is[0])
    }

    fn pose(rotation: [f64; 4], scale: f64, at: DVec3) -> Pose {
        Pose::from_trs(rotation, [scale; 3], at.to_array()).expect("a rotation")
    }

    #[test]
    fn what_is_left_is_no_more_than_the_distance() {
        let mut stream = Stream(5);
        let (mut apart, mut most) = (0, 0.0f64);
        for case in 0..20_000 {
            let unit = stream.pick(&[1e-30, 1.0, 1e20]);
            let cloud = |stream: &mut Stream| (0..4).map(|_| stream.point() * unit).collect::<Vec<_>>();
            let points = [cloud(&mut stream), cloud(&mut stream)];
            let far = unit * stream.pick(&[0.0, 0.0, 1e3, 1e9]);
            let step = stream.pick(&[0.0, 1e-9, 1e-3, 0.1, 1.0]);
            let [before, after] = [(); 2].map(|()| [(); 2]).map(|pair| {
                pair.map(|()| (stream.point(), stream.signed(), stream.point() * 2.0, stream.signed()))
            });
            let posed = |moved: f64| {
                [0, 1].map(|side| {
                    let ((p, w, t, s), (dp, dw, dt, ds)) = (before[side], after[side]);
                    let [x, y, z] = (p + dp * moved).to_array();
                    let scale = (0.5 * s + 0.125 * ds * moved).exp2();
                    pose([x, y, z, w + dw * moved + 2.0], scale, (t + dt * moved) * unit + far)
                })
            };
            let poses = [posed(0.0), posed(step)];
            let (left, truth) = (left(&points, &poses[0], &poses[1]), distance(&points, &poses[1]));
            assert!(left <= truth * (1.0 + OFF), "case {case}: {left} exceeds {truth}");
            apart += u32::from(left > 0.0);
            most = most.max(left / truth);
        }
        println!("{apart} still apart; up to {most} of the distance is known");
        assert!(apart > 5_000 && most > 0.9999);
    }

    /// Points that move straight at each other use up just as much of the distance.
    #[test]
    fn no_more_is_lost_than_the_movement() {
        let points = [vec![DVec3::ZERO, -DVec3::X], vec![DVec3::ZERO, DVec3::X]];
        let at = |x: f64| [Pose::IDENTITY, pose([0.0, 0.0, 0.0, 1.0], 1.0, DVec3::X * x)];
        for (before, after) in [(1.0, 0.5), (1.0, 0.01), (3.0, 2.0), (1e-3, 5e-4)] {
            let left = left(&points, &at(before), &at(after));
            assert!(left <= after && left > after - 1e-5 * before, "{before}, {after}: {left}");
        }
        assert!(left(&points, &at(1.0), &at(0.0)) <= 0.0, "they touch");
    }
}

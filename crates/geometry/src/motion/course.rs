//! Coordinates that only grow or only fall while parts move.
//!
//! A posed coordinate is the sum of a row of a pose, times a vertex, and of the row's translation. Where
//! the row's other entries have the same bits at all times, and the translation only grows, the computed
//! coordinate only grows, too: rounding to the nearest number keeps the order of numbers. Between two times
//! it therefore lies between those at both, to the last bit, whatever the parts do along the other axes.

use std::array;

use super::joint::Joint;
use super::pair::{JointChain, composed};
use super::span::PairSpan;

/// The course of a row of a pose, at all times strictly inside a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// It has the same bits at all times.
    Constant,
    /// Its translation never falls, and the rest has the same bits at all times.
    Rising,
    /// Its translation never grows, and the rest has the same bits at all times.
    Falling,
    /// Anything else.
    Other,
}

impl Course {
    /// Returns the course of a coordinate that moves along an axis by a multiple of a parameter that grows.
    pub fn along(displacement: f64) -> Self {
        match displacement {
            0.0 => Self::Constant,
            grows if grows > 0.0 => Self::Rising,
            falls if falls < 0.0 => Self::Falling,
            _ => Self::Other,
        }
    }

    /// Returns the course of a multiple of a row.
    fn times(self, factor: f64) -> Self {
        match self {
            _ if factor == 0.0 => Self::Constant,
            Self::Rising if factor < 0.0 => Self::Falling,
            Self::Falling if factor < 0.0 => Self::Rising,
            same => same,
        }
    }

    /// Returns the course of the sum of two rows: each sum of rounded numbers is monotone in both.
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Constant, course) | (course, Self::Constant) => course,
            (one, other) if one == other => one,
            _ => Self::Other,
        }
    }
}

impl PairSpan<'_> {
    /// Returns the axes along which every vertex's posed coordinate, of either part, only grows or only
    /// falls at the times strictly inside the span.
    pub fn monotone_axes(&self) -> [bool; 3] {
        let courses = [0, 1].map(|side| self.courses(side));
        array::from_fn(|row| courses.iter().all(|of| of[row] != Course::Other))
    }

    /// True if a stretch of time lies strictly inside the span.
    pub fn holds(&self, [from, to]: [f64; 2]) -> bool {
        self.from < from && to < self.to
    }

    /// Returns the courses of the rows of a part's pose at all times strictly inside the span.
    pub(super) fn courses(&self, side: usize) -> [Course; 3] {
        let middle = 0.5 * self.from + 0.5 * self.to;
        let JointChain { base, joints, .. } = self.chains[side].chain;
        let (mut pose, mut courses) = (*base, [Course::Constant; 3]);
        for joint in joints {
            let own = match joint {
                Joint::Fixed(_) => [Course::Constant; 3],
                Joint::Moving(motion) => motion.courses(self.from, self.to),
            };
            courses = match &pose {
                None => own,
                // A row of a product is a sum of the second factor's rows, and 0 times a finite number adds
                // nothing.
                Some(above) => array::from_fn(|i| {
                    let terms = (0..3).map(|j| own[j].times(above.rows[i][j]));
                    terms.fold(courses[i], Course::plus)
                }),
            };
            pose = Some(composed(pose, &joint.pose(middle)));
        }
        courses
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::math::pose::Pose;
    use crate::math::testing::Stream;
    use crate::motion::frames::Frames;
    use crate::motion::joint::{Between, Keyframe, Motion};
    use crate::motion::pair::{PairMotion, PlacedPart};

    /// Turns about a coordinate axis, or does not, and moves along some axes.
    fn joint(stream: &mut Stream) -> Joint {
        let axis = [DVec3::X, DVec3::Y, DVec3::Z][stream.below(3) as usize];
        let turned = |share: f64| {
            let v = axis * (0.4 * share);
            [v.x, v.y, v.z, 1.0]
        };
        let from = stream.pick(&[0.0, 0.0, 0.7, 1.0]);
        let to = from + stream.pick(&[0.0, 0.0, 0.5]);
        let way = stream.point() * axis + stream.point() * stream.pick(&[0.0, 0.0, 0.3]);
        let start = stream.point();
        let key =
            |time: f64, share: f64, translation| Keyframe { time, rotation: turned(share), translation };
        let keys = [key(0.0, from, start), key(1.0, to, start + way)];
        if stream.below(3) == 0 {
            return Joint::Fixed(
                Pose::from_trs(turned(from), [1.0, 2.0, -1.0], start.to_array()).expect("a pose"),
            );
        }
        let between = stream.pick(&[Between::Screw, Between::Linear]);
        Joint::Moving(Motion::through(&keys, between, [1.0; 3]).expect("a motion"))
    }

    #[test]
    fn coordinates_keep_to_their_course() {
        let mut stream = Stream(5);
        let mut found = [0; 4];
        for _ in 0..400 {
            let mut frames = Frames::default();
            let depth = 1 + stream.below(3);
            let frame = (0..depth).fold(None, |above, _| Some(frames.add(above, joint(&mut stream))));
            let vertex = stream.point();
            let placed = [None, frame].map(|frame| PlacedPart::of(Pose::IDENTITY, frame, &[vertex]));
            let pair = PairMotion::new(&frames, placed);
            let courses = pair.span(0.0, 1.0).courses(1);
            let at: Vec<DVec3> =
                (1..1000).map(|k| pair.poses(f64::from(k) / 1000.0)[1].apply(vertex)).collect();
            for (row, course) in courses.into_iter().enumerate() {
                found[course as usize] += 1;
                for two in at.windows(2) {
                    let [before, after] = [two[0][row], two[1][row]];
                    match course {
                        Course::Constant => assert_eq!(before.to_bits(), after.to_bits()),
                        Course::Rising => assert!(before <= after, "{before} {after}"),
                        Course::Falling => assert!(before >= after, "{before} {after}"),
                        Course::Other => {}
                    }
                }
            }
        }
        assert!(found.iter().all(|&count| count > 50), "{found:?}");
    }
}

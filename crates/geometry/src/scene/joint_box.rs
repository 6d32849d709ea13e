//! Boxes of joint values: all configurations of a robot in which every joint stays within a range, and how
//! far two of its parts may move relative to each other there.
//!
//! A point goes from the middle of a box to any other configuration of it joint by joint. A joint that turns
//! by no more than `h` moves a point at a distance `r` from its axis by no more than `min(h, 2) r`, and a
//! joint that slides by no more than `h` moves it by `h`. The distance from the axis is at most that at the
//! middle, plus what the joints between have moved the point; at the middle it is largest at a corner of a
//! box around the part, since the distance from a line is convex.

use glam::DVec3;

use super::robot::Robot;
use crate::bounds::aabb::Aabb;
use crate::math::error_bounds::{MOVED, UNIT};
use crate::math::pose::{Pose, stretch};
use crate::motion::JointAxis;

/// A range of values for every joint of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct JointBox {
    /// The lowest and the highest value of each joint, in the order of the robot.
    pub ranges: Vec<[f64; 2]>,
}

impl JointBox {
    /// Returns the middle of each range.
    pub fn middle(&self) -> Vec<f64> {
        self.ranges.iter().map(|&[lower, upper]| 0.5 * lower + 0.5 * upper).collect()
    }

    /// Returns half the width of each range, or a little more: no value is farther from the middle.
    pub fn half_widths(&self) -> Vec<f64> {
        let half = |&[lower, upper]: &[f64; 2]| {
            let middle = 0.5 * lower + 0.5 * upper;
            (upper - middle).max(middle - lower) * (1.0 + 4.0 * UNIT)
        };
        self.ranges.iter().map(half).collect()
    }

    /// Returns the two halves of the box along a joint.
    pub fn halves(&self, joint: usize) -> [Self; 2] {
        let [lower, upper] = self.ranges[joint];
        let middle = 0.5 * lower + 0.5 * upper;
        [[lower, middle], [middle, upper]].map(|range| {
            let mut half = self.clone();
            half.ranges[joint] = range;
            half
        })
    }
}

/// A bound of how far two parts may move relative to each other within a box of joint values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Movement {
    /// No distance of the two parts differs by more from that at the middle.
    pub at_most: f64,
    /// The longest path of a point there, joint by joint, relative to any point of the other part.
    pub path: f64,
    /// The joint whose range has the largest share in it; `None` if no joint moves them.
    pub widest: Option<usize>,
}

/// Two parts of a robot, and the joints that carry one and not the other.
#[derive(Clone, Debug)]
pub struct RobotPair {
    chains: [Chain; 2],
    /// The joints with values of their own that place one part relative to the other, in ascending order.
    joints: Vec<usize>,
    /// The first floating or planar joint between them.
    free_joint: Option<usize>,
}

/// A part of a pair, or an object that is not part of the robot.
#[derive(Clone, Copy, Debug)]
pub struct PairedPart<'a> {
    /// The part's place on the robot: its link, unless it is the root, and its pose there.
    pub link: Option<usize>,
    /// The pose in the frame of the link, or in the world.
    pub local: Pose,
    /// A box around the vertices, in the part's own coordinates.
    pub bounds: &'a Aabb,
}

/// The steps from a part to the link that carries both of a pair, and a box around the part.
#[derive(Clone, Debug)]
struct Chain {
    corners: [DVec3; 8],
    steps: Vec<Step>,
    /// Upper bound on the distances of vertices and frames from the world's origin, slides left out.
    reach: f64,
    /// All joints between the part and the root that slide.
    sliding: Vec<Driven>,
}

/// A step from one frame to the one that carries it.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A pose that no joint changes, and an upper bound on how much it lengthens.
    Fixed(Pose, f64),
    Joint(JointAxis, Driven),
}

/// A joint, the joint whose value it follows, and how many times as far it goes: itself and 1, unless it
/// mimics.
#[derive(Clone, Copy, Debug)]
struct Driven {
    joint: usize,
    driver: usize,
    rate: f64,
}

impl Driven {
    fn of(robot: &Robot, joint: usize) -> Self {
        match robot.joints[joint].mimic {
            None => Self { joint, driver: joint, rate: 1.0 },
            Some(mimic) => {
                let above = Self::of(robot, mimic.joint);
                Self { joint, driver: above.driver, rate: mimic.multiplier.abs() * above.rate }
            }
        }
    }

    /// Returns how far the joint may be from its value at the middle, with room for two roundings of that
    /// value.
    fn half_width(self, values: &[f64], half_widths: &[f64]) -> f64 {
        let half = self.rate * half_widths[self.driver];
        if self.joint == self.driver {
            return half;
        }
        half + 8.0 * UNIT * (values[self.joint].abs() + self.rate * values[self.driver].abs() + half)
    }
}

impl RobotPair {
    /// Finds the joints between two parts.
    pub fn new(robot: &Robot, parts: [PairedPart; 2]) -> Self {
        let links = parts.map(|part| links_above(robot, part.link));
        let from_root = links.each_ref().map(|links| links.iter().rev());
        let [a, b] = from_root;
        let common = a.zip(b).take_while(|(a, b)| a == b).count();
        let between = links.iter().flat_map(|links| &links[..links.len() - common]);
        let mut between = between.map(|&link| robot.links[link].joint);
        let free_joint = between.find(|joint| robot.free_joints.binary_search(joint).is_ok());
        let chains = [0, 1].map(|side| Chain::new(robot, &links[side], common, &parts[side]));
        let drivers = chains.iter().flat_map(|chain| &chain.steps).filter_map(|step| match step {
            Step::Joint(_, driven) => Some(driven.driver),
            Step::Fixed(..) => None,
        });
        let mut joints: Vec<usize> = drivers.collect();
        joints.sort_unstable();
        joints.dedup();
        Self { chains, joints, free_joint }
    }

    /// Returns a floating or planar joint between the parts, if there is one. Nothing is known of its values.
    pub fn free_joint(&self) -> Option<usize> {
        self.free_joint
    }

    /// Returns the joints with values of their own that place one part relative to the other, in ascending
    /// order.
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// Bounds how far the parts may move relative to each other while every joint stays within half a width
    /// of the middle. `values` are the values of all joints there, including joints that mimic others.
    pub fn movement(&self, values: &[f64], half_widths: &[f64]) -> Movement {
        let mut shares = vec![0.0; half_widths.len()];
        let (mut at_most, mut path, mut reach, mut steps) = (0.0, 0.0, 0.0, 2);
        for chain in &self.chains {
            path += chain.movement(values, half_widths, &mut shares, |half| half);
            shares.fill(0.0);
        }
        for chain in &self.chains {
            at_most += chain.movement(values, half_widths, &mut shares, |half| half.min(2.0));
            reach += chain.reach_at(values, half_widths);
            steps += chain.steps.len();
        }
        // Both distances are between parts at rounded poses.
        let rounding = 2.0 * MOVED * steps as f64;
        let most = |widest: Option<usize>, joint: usize| match widest {
            Some(widest) if shares[joint] <= shares[widest] => Some(widest),
            _ => Some(joint).filter(|&joint| shares[joint] > 0.0),
        };
        let widest = self.joints.iter().copied().fold(None, most);
        let rounded = |length: f64| length * (1.0 + rounding) + rounding * reach;
        Movement { at_most: rounded(at_most), path: rounded(path), widest }
    }
}

/// Returns the links from one to the root's.
fn links_above(robot: &Robot, link: Option<usize>) -> Vec<usize> {
    std::iter::successors(link, |&link| robot.links[link].parent).collect()
}

impl Chain {
    /// Finds the steps of a part below the links that it has in common with another, the outermost of them
    /// `common` ones from the root.
    fn new(robot: &Robot, links: &[usize], common: usize, part: &PairedPart) -> Self {
        let &PairedPart { local, bounds, .. } = part;
        let corners = bounds.corners();
        let stretch = stretch(&local.linear());
        let farthest = corners.iter().map(|corner: &DVec3| corner.length()).fold(0.0, f64::max);
        let mut steps = vec![Step::Fixed(local, stretch)];
        let (mut reach, mut sliding) = (stretch * farthest + local.shift().length(), Vec::new());
        for (above, &link) in links.iter().enumerate() {
            let link = &robot.links[link];
            let driven = Driven::of(robot, link.joint);
            let axis = robot.joints[link.joint].axis;
            if above + common < links.len() {
                steps.extend(axis.map(|axis| Step::Joint(axis, driven)));
                steps.push(Step::Fixed(link.origin, self::stretch(&link.origin.linear())));
            }
            if let Some(JointAxis::Sliding(_)) = axis {
                sliding.push(driven);
            }
            reach += link.origin.shift().length();
        }
        Self { corners, steps, reach, sliding }
    }

    /// Bounds how far any point of the part moves, as seen from the link that carries both, and adds the
    /// share of each joint. `turned` returns how far a turn takes a point at a distance of 1 from its axis.
    fn movement(
        &self,
        values: &[f64],
        half_widths: &[f64],
        shares: &mut [f64],
        turned: impl Fn(f64) -> f64,
    ) -> f64 {
        let (mut corners, mut moved) = (self.corners, 0.0);
        for step in &self.steps {
            match *step {
                Step::Fixed(pose, stretch) => {
                    corners = corners.map(|corner| pose.apply(corner));
                    moved *= stretch;
                }
                Step::Joint(axis, driven) => {
                    let half = driven.half_width(values, half_widths);
                    let by = match axis {
                        JointAxis::Sliding(_) => half,
                        JointAxis::Turning(axis) => {
                            let from_axis = |corner: &DVec3| axis.cross(*corner).length();
                            turned(half) * (corners.iter().map(from_axis).fold(0.0, f64::max) + moved)
                        }
                    };
                    shares[driven.driver] += by;
                    moved += by;
                    let pose = axis.pose(values[driven.joint]);
                    corners = corners.map(|corner| pose.apply(corner));
                }
            }
        }
        moved
    }

    /// Returns an upper bound on the distances of vertices and frames from the world's origin in the box.
    fn reach_at(&self, values: &[f64], half_widths: &[f64]) -> f64 {
        let slid = |driven: &Driven| values[driven.joint].abs() + driven.half_width(values, half_widths);
        self.reach + self.sliding.iter().map(slid).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::PartId;
    use crate::scene::robot::{Mimic, RobotJoint, RobotLink, RobotPart};
    use proptest::prelude::*;

    /// A robot whose links hang on one another, with a part on each of two of them.
    fn robot(links: &[([f64; 3], bool, [f64; 3], bool)]) -> Robot {
        let mut robot = Robot::default();
        for (index, &(axis, slides, origin, mimics)) in links.iter().enumerate() {
            let axis = DVec3::from_array(axis).normalize();
            let mimic = (mimics && index > 0).then_some(Mimic { joint: 0, multiplier: -1.5, offset: 0.25 });
            robot.joints.push(RobotJoint {
                name: format!("j{index}").into(),
                axis: Some(if slides { JointAxis::Sliding(axis) } else { JointAxis::Turning(axis) }),
                limits: None,
                mimic,
            });
            let turn = Pose::from_axis_angle(origin, 1.0).expect("an axis");
            let origin = Pose::translation(origin) * turn;
            robot.links.push(RobotLink { parent: index.checked_sub(1), joint: index, origin });
        }
        robot
    }

    fn link() -> impl Strategy<Value = ([f64; 3], bool, [f64; 3], bool)> {
        let vector = || {
            prop::array::uniform3(-1.0..1.0_f64)
                .prop_filter("has a length", |v| v.iter().map(|x| x * x).sum::<f64>() > 0.01)
        };
        (vector(), prop::bool::weighted(0.2), vector(), prop::bool::weighted(0.2))
    }

    proptest! {
        #[test]
        fn no_distance_changes_by_more(
            links in prop::collection::vec(link(), 1..5),
            on in [0..5_usize, 0..5],
            boxes in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 4),
            scale in prop_oneof![Just(1.0), Just(-0.01), Just(1e3)],
            (width, samples) in (prop_oneof![Just(1e-6), Just(0.1), Just(2.0), Just(7.0)],
                prop::collection::vec(prop::array::uniform5(0.0..=1.0_f64), 24)),
            middles in prop::array::uniform5(-3.0..3.0_f64),
        ) {
            let mut robot = robot(&links);
            let local = Pose::scaling([scale, scale.abs(), scale]) * Pose::translation([0.1, 0.2, 0.3]);
            let places = on.map(|at| (at < links.len()).then_some(at));
            robot.parts = [0, 1].map(|id| RobotPart { part: PartId(id), link: places[id as usize], local }).into();
            let points = boxes.iter().map(|&p| DVec3::from_array(p)).collect::<Vec<_>>();
            let bounds = [Aabb::of(points[..2].iter().copied()), Aabb::of(points[2..].iter().copied())];
            let paired = |side: usize| PairedPart { link: places[side], local, bounds: &bounds[side] };
            let pair = RobotPair::new(&robot, [paired(0), paired(1)]);
            let ranges = (0..links.len()).map(|j| [middles[j] - width, middles[j] + width]).collect();
            let within = JointBox { ranges };
            let middle = robot.values(&within.middle());
            let movement = pair.movement(&middle, &within.half_widths());
            prop_assert_eq!(movement.widest.is_none(), pair.joints().is_empty());

            let posed = |values: &[f64]| {
                let mut poses = [Pose::IDENTITY; 2];
                robot.pose_parts(&robot.values(values), &mut Vec::new(), &mut poses);
                let of = |side: usize| points[2 * side..][..2].iter().map(move |&p| (side, p));
                of(0).chain(of(1)).map(|(side, p)| poses[side].apply(p)).collect::<Vec<_>>()
            };
            let there = posed(&within.middle());
            for sample in &samples {
                let values: Vec<f64> =
                    within.ranges.iter().zip(sample).map(|([lo, hi], t)| (lo + t * (hi - lo)).min(*hi)).collect();
                let here = posed(&values);
                for (a, b) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
                    let change = (here[a].distance(here[b]) - there[a].distance(there[b])).abs();
                    prop_assert!(change <= movement.at_most, "{} > {}", change, movement.at_most);
                    prop_assert!(movement.at_most <= movement.path);
                }
            }
        }
    }

    /// A bar of length 2 that turns by 0.1 moves its end by about 0.2, and a bound says no more.
    #[test]
    fn a_bar_moves_as_far_as_its_end() {
        let mut robot = robot(&[([0.0, 0.0, 1.0], false, [1.0, 0.0, 0.0], false)]);
        robot.parts = vec![RobotPart { part: PartId(0), link: Some(0), local: Pose::IDENTITY }];
        let (bar, post) = (Aabb::of([DVec3::ZERO, DVec3::X * 2.0]), Aabb::of([DVec3::Y]));
        let on = |link, bounds| PairedPart { link, local: Pose::IDENTITY, bounds };
        let pair = RobotPair::new(&robot, [on(Some(0), &bar), on(None, &post)]);
        let movement = pair.movement(&[0.0], &[0.1]);
        assert_eq!((pair.joints(), movement.widest), (&[0][..], Some(0)));
        assert!((0.2..0.2 + 1e-11).contains(&movement.at_most), "{movement:?}");
    }

    #[test]
    fn halves_share_their_middle() {
        let whole = JointBox { ranges: vec![[-1.0, 3.0], [0.0, 1.0]] };
        let [low, high] = whole.halves(0);
        assert_eq!((low.ranges[0], high.ranges[0], low.ranges[1]), ([-1.0, 1.0], [1.0, 3.0], [0.0, 1.0]));
        assert!(low.half_widths()[0] >= 1.0);
    }
}

//! Two parts of a robot over all configurations of its joints within ranges: whether they ever meet, and how
//! close they come.
//!
//! Branch and bound. In a box of joint values no distance differs from that at the middle by more than the
//! parts move there ([`RobotPair::movement`]), so the distance at the middle less that is a lower bound for
//! all of the box. The box with the lowest bound is halved next, along the joint that moves the parts most.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::Containment;
use super::leeway::Leeway;
use closefit_geometry::scene::Robot;
use closefit_geometry::scene::joint_box::{JointBox, RobotPair};

/// An encounter of two parts over all configurations, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Encounter {
    /// They are farther apart than the clearance in every configuration.
    Never(ClosestConfiguration),
    /// They are as near as the clearance in every configuration.
    Always,
    /// They are in some, and not in others.
    Sometimes {
        /// The values of all joints in a configuration in which they are near.
        near: Vec<f64>,
        /// The values of all joints in a configuration in which they are not.
        apart: Vec<f64>,
    },
    /// It is not known.
    Unknown {
        /// The reason.
        why: String,
        /// A bracket of how close they come.
        closest: ClosestConfiguration,
    },
}

impl Encounter {
    /// Returns the encounter of two surfaces, given the encounter of their approximations: the smallest
    /// distance may be smaller by so much.
    pub fn of_surfaces(self, chords: f64) -> Self {
        let lower = |closest: ClosestConfiguration| match chords > 0.0 {
            true => {
                let at_least = (closest.at_least - chords).next_down().max(0.0);
                ClosestConfiguration { at_least, ..closest }
            }
            false => closest,
        };
        match self {
            Self::Never(closest) => Self::Never(lower(closest)),
            Self::Unknown { why, closest } => Self::Unknown { why, closest: lower(closest) },
            other => other,
        }
    }
}

/// A bracket of the smallest distance over all configurations.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosestConfiguration {
    /// A lower bound.
    pub at_least: f64,
    /// The distance at `at`, an upper bound of the smallest; 0 in contact, and for a solid inside another.
    pub at_most: f64,
    /// The values of all joints there.
    pub at: Vec<f64>,
}

/// The queries about the two parts at a configuration.
pub trait Configured {
    /// Returns the distance of the parts at the values of all joints, if it is at most `bound`; 0 in contact.
    fn distance(&mut self, values: &[f64], bound: f64) -> Option<f64>;

    /// Returns whether one of the parts lies inside the other at the values of all joints, without contact.
    fn contained(&mut self, values: &[f64]) -> Containment;

    /// True if no open shell of a part holds anything of the other at the values of all joints, nor where
    /// their points are within a leeway.
    fn holds_nothing(&mut self, values: &[f64], leeway: &Leeway) -> bool;

    /// Returns a lower bound of how far the parts must move before they part, in contact at the values of all
    /// joints.
    fn depth(&mut self, values: &[f64]) -> f64;
}

/// The question about two parts, and how far the search for its answer goes.
#[derive(Clone, Copy, Debug)]
pub struct JointBoxSearch<'a> {
    /// The robot.
    pub robot: &'a Robot,
    /// The two parts on it.
    pub pair: &'a RobotPair,
    /// Each of them and the world; `None` if a joint carries both.
    pub alone: Option<&'a [RobotPair; 2]>,
    /// The ranges of all joints.
    pub within: &'a JointBox,
    /// Parts this close count as near.
    pub clearance: f64,
    /// Parts are never near if they stay farther apart than this: the clearance, and how far their true
    /// surfaces may lie from their meshes.
    pub reach: f64,
    /// The width of a bracket of the smallest distance at which the search ends.
    pub precision: f64,
    /// The largest number of configurations that the search looks at.
    pub most: usize,
}

/// Share of a smallest distance that a bracket may be wide, if that is more than the precision.
const WIDTH: f64 = 1.0 / 16.0;

/// Inverse of the share of the configurations that the search may look at to find out if parts are always
/// near.
const ALWAYS: usize = 16;

/// A box of joint values whose configurations are all at least so far apart.
#[derive(PartialEq)]
struct Bounded {
    lower: f64,
    /// Number of the box, in the order in which they are made.
    id: usize,
    ranges: JointBox,
    /// The joint along which it is halved, if it can be.
    widest: Option<usize>,
}

impl Eq for Bounded {}

impl Ord for Bounded {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.lower.total_cmp(&other.lower).then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Bounded {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl JointBoxSearch<'_> {
    /// Decides the pair.
    pub fn decide(&self, parts: &mut dyn Configured) -> Encounter {
        let middle = self.robot.values(&self.within.middle());
        let distance = parts.distance(&middle, f64::INFINITY).unwrap_or(f64::INFINITY);
        let near = |at_most: f64| ClosestConfiguration { at_least: 0.0, at_most, at: middle.clone() };
        if distance <= self.clearance {
            return self.apart(parts, near(distance));
        }
        // Without contact, a part stays inside the other's closed components, or outside.
        match parts.contained(&middle) {
            Containment::None => {}
            Containment::AInB | Containment::BInA => return self.apart(parts, near(0.0)),
            Containment::Undecidable(reason) => {
                return Encounter::Unknown { why: reason, closest: near(distance) };
            }
        }
        match self.closest(parts, distance) {
            Ok(closest) if closest.at_least > self.reach => match self.entered(parts) {
                None => Encounter::Never(closest),
                Some(why) => {
                    Encounter::Unknown { why, closest: ClosestConfiguration { at_least: 0.0, ..closest } }
                }
            },
            Ok(closest) => self.unknown(closest),
            Err(near) => Encounter::Sometimes { near, apart: middle },
        }
    }

    fn unknown(&self, closest: ClosestConfiguration) -> Encounter {
        let why = match closest.at_least > self.clearance && closest.at_most <= self.reach {
            true => "they come within the chords of each other: a smaller --chord may decide".to_owned(),
            false if self.pair.joints().is_empty() => {
                "they move together, and rounding decides if they are near".to_owned()
            }
            false => format!("not decided by {} configurations", self.most),
        };
        Encounter::Unknown { why, closest }
    }

    /// Brackets the smallest distance of parts that are so far apart at the middle of the box. Returns a
    /// configuration in which they are near instead, once one is found.
    fn closest(&self, parts: &mut dyn Configured, at_middle: f64) -> Result<ClosestConfiguration, Vec<f64>> {
        let middle = self.robot.values(&self.within.middle());
        let movement = self.pair.movement(&middle, &self.within.half_widths());
        let mut best = ClosestConfiguration { at_least: 0.0, at_most: at_middle, at: middle };
        let mut boxes = BinaryHeap::from([Reverse(Bounded {
            lower: (at_middle - movement.at_most).max(0.0),
            id: 0,
            ranges: self.within.clone(),
            widest: movement.widest,
        })]);
        let (mut asked, mut made) = (1, 1);
        while let Some(Reverse(lowest)) = boxes.pop() {
            best.at_least = lowest.lower.min(best.at_most);
            let width = best.at_most - best.at_least;
            let is_narrow = width <= self.precision.max(WIDTH * best.at_most);
            // Parts that come nearer than the reach, but never as near as the clearance, stay unknown.
            let is_decided = lowest.lower > self.reach && is_narrow
                || lowest.lower > self.clearance && best.at_most <= self.reach;
            let is_done = is_decided || asked >= self.most;
            let Some(joint) = lowest.widest.filter(|_| !is_done) else { return Ok(best) };
            for half in lowest.ranges.halves(joint) {
                let values = self.robot.values(&half.middle());
                let movement = self.pair.movement(&values, &half.half_widths());
                let bound = (best.at_most + movement.at_most).next_up();
                asked += 1;
                // Beyond the bound, nothing in the box is closer than the best.
                let Some(distance) = parts.distance(&values, bound) else { continue };
                if distance <= self.clearance {
                    return Err(values);
                }
                let lower = (distance - movement.at_most).max(lowest.lower);
                if distance < best.at_most {
                    (best.at_most, best.at) = (distance, values);
                }
                boxes.push(Reverse(Bounded { lower, id: made, ranges: half, widest: movement.widest }));
                made += 1;
            }
        }
        best.at_least = best.at_most;
        Ok(best)
    }

    /// True if no joint carries either part, so that every configuration has the same poses.
    fn stands(&self) -> bool {
        self.alone.is_some_and(|alone| alone.iter().all(|part| part.joints().is_empty()))
    }

    /// Looks for a configuration in which parts that are near in one are apart, or proves that there is none.
    fn apart(&self, parts: &mut dyn Configured, near: ClosestConfiguration) -> Encounter {
        let mut boxes = VecDeque::from([self.within.clone()]);
        let mut asked = 0;
        while let Some(ranges) = boxes.pop_front() {
            let values = self.robot.values(&ranges.middle());
            let movement = self.pair.movement(&values, &ranges.half_widths());
            asked += 1;
            let distance = parts.distance(&values, self.clearance.next_up());
            // A point that lies so deep in the other part, and comes out, is as far away at most as it has
            // moved beyond that depth.
            let beyond = |depth: f64| (depth + self.clearance).next_down();
            let may_move = match distance {
                Some(0.0) => beyond(parts.depth(&values)),
                Some(distance) if distance <= self.clearance => self.clearance - distance,
                _ => match parts.contained(&values) {
                    Containment::None => return Encounter::Sometimes { near: near.at, apart: values },
                    Containment::Undecidable(_) => 0.0,
                    _ => beyond(parts.distance(&values, f64::INFINITY).unwrap_or(0.0)),
                },
            };
            let stays_near = self.stands() && distance.is_some_and(|distance| distance <= self.clearance);
            if may_move > movement.at_most || stays_near {
                continue;
            }
            match movement.widest {
                Some(joint) if asked < self.most / ALWAYS => boxes.extend(ranges.halves(joint)),
                _ => return self.unknown(near),
            }
        }
        Encounter::Always
    }
}

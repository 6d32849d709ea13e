//! All pairs of a robot's parts over all configurations of its joints within ranges.

use glam::DVec3;

use super::observer::Stage;
use super::pair_request::{request_of, ruled};
use super::repeated::{PreparedCheck, PreparedScene};
use super::{CheckError, Observer};
use crate::bvh::static_pair::StaticPair;
use crate::narrow::Work;
use crate::query::containment::containment;
use crate::query::joint_box::{ClosestConfiguration, Configured, Encounter, JointBoxSearch};
use crate::query::leeway::Leeway;
use crate::query::open_margin::unproven;
use crate::query::stage_work::StageWork;
use crate::query::{CheckRequest, Containment, DepthDetail, pair};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::parallel;
use closefit_geometry::scene::joint_box::{JointBox, PairedPart, RobotPair};
use closefit_geometry::scene::{Robot, Scene};
use closefit_geometry::text::printable;

/// The configurations over which all pairs of a robot's parts are decided, and how thoroughly.
#[derive(Clone, Debug)]
pub struct JointBoxRequest {
    /// The ranges of all joints.
    pub ranges: JointBox,
    /// The width of a bracket of a smallest distance at which a search ends.
    pub precision: f64,
    /// The largest number of configurations that the search of a pair looks at.
    pub most: usize,
}

/// A pair over all configurations.
#[derive(Clone, Debug, PartialEq)]
pub struct EncounterRecord {
    /// The two parts, the lower id first.
    pub ids: [PartId; 2],
    /// The joints between the two that have values of their own, by their indices.
    pub joints: Vec<usize>,
    /// The encounter of the two.
    pub encounter: Encounter,
}

/// Decides every pair in the scope of the check that has a part of the robot, in order of their ids. No joint
/// moves two other parts.
///
/// # Errors
/// [`CheckError`].
pub fn encounters(
    scene: &Scene,
    robot: &Robot,
    request: &CheckRequest,
    asked: &JointBoxRequest,
    observer: &dyn Observer,
) -> Result<Vec<EncounterRecord>, CheckError> {
    let mut is_of_robot = vec![false; scene.parts.len()];
    robot.parts.iter().for_each(|place| is_of_robot[place.part.index()] = true);
    let prepared = PreparedScene::new(scene, &is_of_robot, request, observer)?;
    let check = prepared.placed();
    let boxes = parallel::map_items(&scene.meshes, 1, |mesh| Aabb::of(mesh.vertices().iter().copied()));
    let pairs: Vec<[PartId; 2]> = prepared.moving_pairs().collect();
    observer.begin(Stage::Deciding, pairs.len() as u64);
    let decide = |&ids: &[PartId; 2]| {
        let paired = ids.map(|id| {
            let part = &scene.parts[id.index()];
            let place = robot.parts.iter().find(|place| place.part == id);
            let (link, local) = place.map_or((None, part.pose), |place| (place.link, place.local));
            PairedPart { link, local, bounds: &boxes[part.mesh.index()] }
        });
        let pair = RobotPair::new(robot, paired);
        let alone = alone(robot, &pair, paired);
        let chords = scene.chords(ids);
        let reach = request_of(scene, request, ids).clearance;
        let request = ruled(scene, request, ids);
        let search = JointBoxSearch {
            robot,
            pair: &pair,
            alone: alone.as_ref(),
            within: &asked.ranges,
            clearance: request.clearance,
            reach,
            precision: asked.precision,
            most: asked.most,
        };
        let poses = scene.parts.iter().map(|part| part.pose).collect();
        let mut parts =
            OnRobot { robot, check: &check, ids, request, observer, poses, links: Vec::new(), refused: None };
        let encounter = match pair.free_joint() {
            Some(joint) => parts.across(joint),
            None => search.decide(&mut parts),
        };
        observer.advance();
        match parts.refused {
            Some(error) => Err(error),
            None => {
                let encounter = encounter.of_surfaces(chords);
                Ok(EncounterRecord { ids, joints: pair.joints().to_vec(), encounter })
            }
        }
    };
    parallel::map_items(&pairs, 1, decide).into_iter().collect()
}

/// Returns each part of a pair with the world; `None` if a joint carries both parts, and turns the world
/// about them.
fn alone(robot: &Robot, pair: &RobotPair, parts: [PairedPart; 2]) -> Option<[RobotPair; 2]> {
    let origin = Aabb::of([DVec3::ZERO]);
    let world = PairedPart { link: None, local: Pose::IDENTITY, bounds: &origin };
    let alone = parts.map(|part| RobotPair::new(robot, [world, part]));
    let is_own = |joint: &usize| pair.joints().binary_search(joint).is_ok();
    alone.iter().all(|part| part.joints().iter().all(is_own)).then_some(alone)
}

/// Two parts of a robot that is placed again for each query.
struct OnRobot<'a> {
    robot: &'a Robot,
    check: &'a PreparedCheck<'a>,
    ids: [PartId; 2],
    request: CheckRequest,
    observer: &'a dyn Observer,
    /// The poses of all parts; the robot's parts are at the configuration of the latest query.
    poses: Vec<Pose>,
    links: Vec<Pose>,
    /// The reason why a question has no answer. Then the answers do not matter any more.
    refused: Option<CheckError>,
}

impl OnRobot<'_> {
    /// Returns what is known of parts with a floating or planar joint between them: where they stand.
    fn across(&mut self, joint: usize) -> Encounter {
        let at = self.robot.values(&self.robot.rest());
        let at_most = self.distance(&at, f64::INFINITY).unwrap_or(f64::INFINITY);
        let why = format!(
            "the joint '{}' between them may have any value",
            printable(&self.robot.joints[joint].name)
        );
        Encounter::Unknown { why, closest: ClosestConfiguration { at_least: 0.0, at_most, at } }
    }

    /// Returns what the two answer at the values of all joints; `None` after a refusal.
    fn ask<R>(&mut self, values: &[f64], ask: impl FnOnce(&dyn StaticPair) -> R) -> Option<R> {
        if self.observer.cancelled() {
            self.refused = Some(CheckError::Interrupted);
        }
        if self.refused.is_some() {
            return None;
        }
        self.robot.pose_parts(values, &mut self.links, &mut self.poses);
        let poses = self.ids.map(|id| self.poses[id.index()]);
        match self.check.ask_at(self.ids, poses, ask) {
            Ok(found) => Some(found),
            Err(refused) => {
                self.refused = Some(refused);
                None
            }
        }
    }
}

impl Configured for OnRobot<'_> {
    fn distance(&mut self, values: &[f64], bound: f64) -> Option<f64> {
        let work = &mut Work::default();
        let found = self.ask(values, |pair| match pair.touches(work) {
            true => Some(0.0),
            false => pair.nearest(bound, work).map(|nearest| nearest.distance),
        });
        // A refusal ends the search like a contact.
        found.unwrap_or(Some(0.0))
    }

    fn contained(&mut self, values: &[f64]) -> Containment {
        let tolerance = self.request.tolerance;
        let found = self.ask(values, |pair| {
            let [a, b] = pair.bodies();
            containment(a, b, tolerance)
        });
        found.unwrap_or(Containment::None)
    }

    fn holds_nothing(&mut self, values: &[f64], leeway: &Leeway) -> bool {
        let tolerance = self.request.tolerance;
        let proven = self.ask(values, |pair| unproven(pair.bodies(), tolerance, leeway).is_none());
        // A refusal ends the search.
        proven.unwrap_or(true)
    }

    fn depth(&mut self, values: &[f64]) -> f64 {
        let (ids, request) = (self.ids, self.request.depth(DepthDetail::Full));
        let found = self.ask(values, |pair| {
            let record = pair::decide(ids, pair, &request, &mut StageWork::default());
            record.depth.map(|depth| depth.at_least)
        });
        found.flatten().unwrap_or(0.0)
    }
}

//! Pairs of a robot's parts over all configurations, against dense samples of them.

use std::sync::Arc;

use closefit::internals::engine::encounters;
use closefit::scene::joint_box::JointBox;
use closefit::scene::robot::{Mimic, Robot, RobotJoint, RobotLink, RobotPart};
use closefit::scene::{Part, Scene};
use closefit::{
    CheckRequest, CollisionMesh, Containment, DVec3, Encounter, EncounterRecord, JointBoxRequest, PartId,
    Pool, Pose, Strategy, Unobserved, verdict,
};
use closefit_geometry::ids::MeshId;
use closefit_geometry::motion::JointAxis;
use closefit_testing::cases;
use closefit_testing::meshes::{cuboid, mesh, octahedron};
use closefit_testing::rng::Rng;

/// A robot of a few links on one another, each with a part, and a post next to it.
struct Arm {
    scene: Scene,
    robot: Robot,
    ranges: JointBox,
}

fn arm(r: &mut Rng) -> Arm {
    let (mut scene, mut robot, mut ranges) = (Scene::default(), Robot::default(), Vec::new());
    let links = 1 + r.index(3);
    for link in 0..links {
        let axis = DVec3::from_array([r.point().to_array(), [0.0, 0.0, 1.0]][r.index(2)]).normalize();
        let axis = if r.index(5) == 0 { JointAxis::Sliding(axis) } else { JointAxis::Turning(axis) };
        let mimics = link > 0 && r.index(5) == 0;
        let mimic = mimics.then_some(Mimic { joint: 0, multiplier: 0.5, offset: 0.1 });
        // No other joint follows a fixed one.
        let is_fixed = link > 0 && !mimics && r.index(5) == 0;
        robot.joints.push(RobotJoint {
            name: format!("j{link}").into(),
            axis: (!is_fixed).then_some(axis),
            limits: None,
            mimic,
        });
        let origin = Pose::translation((r.point() + DVec3::X).to_array());
        robot.links.push(RobotLink { parent: link.checked_sub(1), joint: link, origin });
        let (middle, half) = (r.unit(), 1.5 * r.unit().abs());
        ranges.push(if mimics { [0.0; 2] } else { [middle - half, middle + half] });
    }
    for part in 0..=links {
        let soup = match r.index(3) {
            0 => octahedron(r.point() * 0.5, 0.6),
            1 => cuboid([-0.1, -0.1, -0.1], [1.2, 0.1, 0.1]),
            _ => cuboid([-0.6, -0.2, -0.3], [0.6, 0.2, 0.3]),
        };
        scene.meshes.push(Arc::new(mesh(&soup)));
        let local = Pose::translation((r.point() * 0.5).to_array());
        scene.parts.push(Part::new(format!("link{part}/part"), MeshId(part as u32), local));
        if part < links {
            robot.parts.push(RobotPart { part: PartId(part as u32), link: Some(part), local });
        }
    }
    // The last part is on the root, or next to the robot, which hangs on the world.
    let post = Pose::translation((r.point() * 1.5).to_array());
    scene.parts[links].pose = post;
    if r.index(2) == 0 {
        robot.parts.push(RobotPart { part: PartId(links as u32), link: None, local: post });
    }
    Arm { scene, robot, ranges: JointBox { ranges } }
}

impl Arm {
    fn decided(&self, strategy: Strategy, clearance: f64, most: usize) -> Vec<EncounterRecord> {
        let request = CheckRequest::default().tolerance(1e-6).clearance(clearance).strategy(strategy);
        let asked = JointBoxRequest { ranges: self.ranges.clone(), precision: 0.01, most };
        encounters(&self.scene, &self.robot, &request, &asked, &Unobserved).expect("in range")
    }

    /// Returns the distance of a pair at the values of all joints, and 0 for one inside the other.
    fn distance(&self, models: &[CollisionMesh], ids: [PartId; 2], values: &[f64]) -> f64 {
        let mut poses: Vec<Pose> = self.scene.parts.iter().map(|part| part.pose).collect();
        self.robot.pose_parts(values, &mut Vec::new(), &mut poses);
        let [a, b] = ids.map(|id| models[id.index()].at(&poses[id.index()]).expect("in range"));
        let found = verdict(&a, &b, &CheckRequest::default().clearance(f64::INFINITY));
        if found.contained == Containment::None { found.distance } else { 0.0 }
    }

    /// Returns the values of all joints in a random configuration: at the ends of a range as well.
    fn sample(&self, r: &mut Rng) -> Vec<f64> {
        let value = |[lower, upper]: [f64; 2], r: &mut Rng| match r.index(4) {
            0 => lower,
            1 => upper,
            _ => (lower + (0.5 + 0.5 * r.unit()) * (upper - lower)).clamp(lower, upper),
        };
        let given: Vec<f64> = self.ranges.ranges.iter().map(|&range| value(range, r)).collect();
        self.robot.values(&given)
    }
}

#[test]
fn no_configuration_contradicts_what_is_proven() {
    let mut r = Rng::new("joint boxes: samples", 1);
    let mut counts = [0; 4];
    let wanted = cases(120);
    for _ in 0..wanted {
        let arm = arm(&mut r);
        let clearance = [0.0, 0.05, 0.5, 2.0][r.index(4)];
        let models: Vec<CollisionMesh> =
            arm.scene.meshes.iter().map(|mesh| CollisionMesh::build(mesh)).collect();
        for record in arm.decided(Strategy::default(), clearance, 3000) {
            let distance = |values: &[f64]| arm.distance(&models, record.ids, values);
            let samples: Vec<f64> = (0..200).map(|_| distance(&arm.sample(&mut r))).collect();
            match &record.encounter {
                Encounter::Never(closest) => {
                    counts[0] += 1;
                    assert!(closest.at_least > clearance && closest.at_least <= closest.at_most);
                    assert_eq!(distance(&closest.at), closest.at_most);
                    assert!(samples.iter().all(|&sample| sample >= closest.at_least), "{record:?}");
                }
                Encounter::Always => {
                    counts[1] += 1;
                    assert!(samples.iter().all(|&sample| sample <= clearance), "{record:?}");
                }
                Encounter::Sometimes { near, apart } => {
                    counts[2] += 1;
                    assert!(distance(near) <= clearance && distance(apart) > clearance, "{record:?}");
                    let within = |values: &[f64]| {
                        let own = arm.ranges.ranges.iter().zip(values).zip(&arm.robot.joints);
                        own.filter(|(_, joint)| joint.mimic.is_none())
                            .all(|(([lower, upper], value), _)| (lower..=upper).contains(&value))
                    };
                    assert!(within(near) && within(apart));
                }
                Encounter::Unknown { closest, .. } => {
                    counts[3] += 1;
                    assert_eq!(distance(&closest.at), closest.at_most, "{record:?}");
                    assert!(samples.iter().all(|&sample| sample >= closest.at_least), "{record:?}");
                }
            }
        }
    }
    let [never, always, sometimes, unknown] = counts;
    let pairs: usize = counts.iter().sum();
    assert!(never * 5 > pairs && sometimes * 20 > pairs && always > 0, "{counts:?}");
    assert!(unknown * 3 < pairs, "{counts:?}");
}

#[test]
fn answers_are_the_same_by_all_trees_executors_and_threads() {
    let mut r = Rng::new("joint boxes: strategies", 2);
    for _ in 0..cases(6) {
        let arm = arm(&mut r);
        let expected = arm.decided(Strategy::default(), 0.02, 200);
        for strategy in closefit_methods::strategies() {
            assert_eq!(arm.decided(strategy, 0.02, 200), expected, "{strategy:?}");
        }
        for threads in [1, 2, 7] {
            let found = Pool::of(threads).install(|| arm.decided(Strategy::default(), 0.02, 200));
            assert_eq!(found.expect("a pool"), expected);
        }
    }
}

/// A bar of length 2 about the origin, and a post at a distance of 2.5: it reaches the post at no angle. With
/// a slider that brings the bar 1 nearer, it does at some.
#[test]
fn a_bar_reaches_a_post_by_a_slider_alone() {
    let mut scene = Scene::default();
    scene.meshes.push(Arc::new(mesh(&cuboid([-2.0, -0.05, -0.05], [2.0, 0.05, 0.05]))));
    scene.meshes.push(Arc::new(mesh(&cuboid([-0.1, -0.1, -1.0], [0.1, 0.1, 1.0]))));
    scene.parts.push(Part::new("bar/bar", MeshId(0), Pose::IDENTITY));
    scene.parts.push(Part::new("post", MeshId(1), Pose::translation([2.5, 0.0, 0.0])));
    let joint =
        |name: &str, axis| RobotJoint { name: name.into(), axis: Some(axis), limits: None, mimic: None };
    let robot = Robot {
        joints: vec![
            joint("slide", JointAxis::Sliding(DVec3::X)),
            joint("turn", JointAxis::Turning(DVec3::Z)),
        ],
        links: (0..2)
            .map(|link: usize| RobotLink { parent: link.checked_sub(1), joint: link, origin: Pose::IDENTITY })
            .collect(),
        parts: vec![RobotPart { part: PartId(0), link: Some(1), local: Pose::IDENTITY }],
        ..Robot::default()
    };
    let encounter = |slide: f64| {
        let ranges = JointBox { ranges: vec![[0.0, slide], [-3.2, 3.2]] };
        let arm = Arm { scene: scene.clone(), robot: robot.clone(), ranges };
        arm.decided(Strategy::default(), 0.0, 100_000).remove(0).encounter
    };
    let Encounter::Never(closest) = encounter(0.0) else { panic!("it never does") };
    // The corner of the bar that comes nearest is at the radius of its diagonal.
    let nearest = 2.4 - (4.0_f64 + 0.0025).sqrt();
    assert!(closest.at_least <= nearest && nearest <= closest.at_most, "{closest:?}");
    assert!(closest.at_most - closest.at_least < 0.03);
    let Encounter::Sometimes { near, .. } = encounter(1.0) else { panic!("it does") };
    assert!(near[0] > 2.4 - 2.01, "{near:?}");
}

/// A ball on a slider in a box: it never touches a wall, and is always inside. A longer slider brings it out,
/// but no farther than a large clearance.
#[test]
fn a_part_in_another_is_always_near() {
    let mut scene = Scene::default();
    scene.meshes.push(Arc::new(mesh(&octahedron(DVec3::ZERO, 0.3))));
    scene.meshes.push(Arc::new(mesh(&cuboid([-1.0; 3], [1.0; 3]))));
    scene.parts.push(Part::new("ball/ball", MeshId(0), Pose::IDENTITY));
    scene.parts.push(Part::new("box", MeshId(1), Pose::IDENTITY));
    let axis = Some(JointAxis::Sliding(DVec3::X));
    let robot = Robot {
        joints: vec![RobotJoint { name: "slide".into(), axis, limits: None, mimic: None }],
        links: vec![RobotLink { parent: None, joint: 0, origin: Pose::IDENTITY }],
        parts: vec![RobotPart { part: PartId(0), link: Some(0), local: Pose::IDENTITY }],
        ..Robot::default()
    };
    let encounter = |reach: f64, clearance: f64| {
        let ranges = JointBox { ranges: vec![[-reach, reach]] };
        let arm = Arm { scene: scene.clone(), robot: robot.clone(), ranges };
        arm.decided(Strategy::default(), clearance, 1000).remove(0).encounter
    };
    assert_eq!(encounter(0.6, 0.0), Encounter::Always);
    let Encounter::Sometimes { near, apart } = encounter(3.0, 0.0) else { panic!("it comes out") };
    // The farthest it comes is 1.7 outside.
    assert_eq!(encounter(3.0, 1.8), Encounter::Always);
    let Encounter::Sometimes { .. } = encounter(3.0, 1.6) else { panic!("it is farther away") };
    assert!(near[0].abs() <= 1.3 && apart[0].abs() > 1.3, "{near:?} {apart:?}");
}

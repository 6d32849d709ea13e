//! The robots of a scene, as an inspection shows them.

use serde::{Deserialize, Serialize};

use closefit_geometry::motion::JointAxis;
use closefit_geometry::scene::Robot;

/// A robot of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotRow {
    /// Its file.
    pub file: String,
    /// Its joints, in the order of the file.
    pub joints: Vec<RobotJointRow>,
}

/// A joint of a robot. Values are radians or, of a prismatic joint, lengths in the unit of the scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotJointRow {
    /// The name.
    pub name: String,
    /// The type.
    #[serde(rename = "type")]
    pub kind: RobotJointKind,
    /// The lowest and the highest value; absent if the file does not limit them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// The name of the link that carries it.
    pub parent: String,
    /// The name of the link that it moves.
    pub child: String,
    /// The joint whose value this one follows; absent if it follows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mimic: Option<MimicRow>,
}

/// The types of joints, by the words of URDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RobotJointKind {
    /// It turns between limits.
    Revolute,
    /// It turns without limits.
    Continuous,
    /// It slides.
    Prismatic,
    /// It does not move.
    Fixed,
    /// It is floating or planar: its link stays where the file places it.
    Free,
}

/// The value `multiplier * joint + offset`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MimicRow {
    /// The name of the joint that is followed.
    pub joint: String,
    /// The factor of its value.
    pub multiplier: f64,
    /// The summand.
    pub offset: f64,
}

impl RobotRow {
    /// Returns a robot of a scene as a row.
    pub fn of(robot: &Robot) -> Self {
        let joints = robot.joints.iter().zip(&robot.link_names).enumerate().map(|(index, (joint, links))| {
            let kind = match (joint.axis, joint.range()) {
                (Some(JointAxis::Sliding(_)), _) => RobotJointKind::Prismatic,
                (Some(JointAxis::Turning(_)), Some(_)) => RobotJointKind::Revolute,
                (Some(JointAxis::Turning(_)), None) => RobotJointKind::Continuous,
                (None, _) if robot.free_joints.contains(&index) => RobotJointKind::Free,
                (None, _) => RobotJointKind::Fixed,
            };
            let mimic = joint.mimic.map(|mimic| MimicRow {
                joint: robot.joints[mimic.joint].name.to_string(),
                multiplier: mimic.multiplier,
                offset: mimic.offset,
            });
            let [parent, child] = links.each_ref().map(|name| name.to_string());
            let limits = joint.range().filter(|_| joint.axis.is_some());
            RobotJointRow { name: joint.name.to_string(), kind, limits, parent, child, mimic }
        });
        Self { file: robot.file.to_string(), joints: joints.collect() }
    }
}

impl RobotJointKind {
    /// Returns its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Revolute => "revolute",
            Self::Continuous => "continuous",
            Self::Prismatic => "prismatic",
            Self::Fixed => "fixed",
            Self::Free => "free",
        }
    }
}

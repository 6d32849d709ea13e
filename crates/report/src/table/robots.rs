//! The table of the joints of robots.

use super::layout::{ColumnOf, Table, Treatment};
use super::parameter::joint_range_in_words;
use crate::document::{JointKind, PartRow, RobotJointKind, RobotJointRow, RobotRow};
use crate::json::number;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;

/// Returns the joints of each robot, on lines of `width` characters if that is known and possible: type,
/// limits, and the links that they connect.
pub(super) fn robots(robots: &[RobotRow], unit: Option<Unit>, width: Option<usize>) -> String {
    robots.iter().map(|robot| joints(robot, unit, width)).collect()
}

fn joints(robot: &RobotRow, unit: Option<Unit>, width: Option<usize>) -> String {
    let columns: [ColumnOf<RobotJointRow>; 6] = [
        ("joint", Treatment::NAME, &|joint| printable(&joint.name).into()),
        ("type", Treatment::LEFT, &|joint| joint.kind.word().to_owned().into()),
        ("limits", Treatment::LEFT, &|joint| limits(joint, unit).into()),
        ("parent", Treatment::NAME, &|joint| printable(&joint.parent).into()),
        ("child", Treatment::NAME, &|joint| printable(&joint.child).into()),
        ("remark", Treatment::REMARK, &|joint| remark(joint).into()),
    ];
    let table = Table::of(&columns, &robot.joints, |_| None).render(&[] as &[PartRow], width);
    let moving = robot.joints.iter().filter(|joint| is_moving(joint.kind) && joint.mimic.is_none()).count();
    format!("\n{table}\n{} joints, {moving} to move by name\n", robot.joints.len())
}

fn is_moving(kind: RobotJointKind) -> bool {
    !matches!(kind, RobotJointKind::Fixed | RobotJointKind::Free)
}

fn limits(joint: &RobotJointRow, unit: Option<Unit>) -> String {
    let kind = match joint.kind {
        RobotJointKind::Prismatic => JointKind::Sliding,
        _ => JointKind::Turning,
    };
    joint.limits.map_or_else(String::new, |limits| joint_range_in_words(kind, limits, unit))
}

/// Returns what a joint follows, such as `mimics lift, 2 times + 0.5`.
fn remark(joint: &RobotJointRow) -> String {
    joint.mimic.as_ref().map_or_else(String::new, |mimic| {
        let offset = match mimic.offset {
            0.0 => String::new(),
            offset => format!(" + {}", number(offset)),
        };
        format!("mimics {}, {} times{offset}", printable(&mimic.joint), number(mimic.multiplier))
    })
}

//! The robot of all links: a tree of joints from a root that does not move.

use std::collections::HashSet;

use glam::DVec3;
use roxmltree::Node;

use super::super::error::{Fault, clip, in_brackets};
use super::super::robot::{Joint, Kind, Mimic, Robot, some_of};
use super::super::text::number;
use super::super::xml::{at_element, element, place_of, required};
use super::models::{ModelJoint, Models};
use super::values::flag;
use closefit_geometry::math::pose::Pose;

/// The name of the root.
const WORLD: &str = "world";

/// A limit from which a joint has none: files write 1e16, or infinity.
const NO_LIMIT: f64 = 1e15;

/// Returns the robot, and the pose of the frame of each of its links in the world, with all joints at 0.
pub(super) fn robot_of<'a>(
    models: &Models<'a>,
    root: Node<'a, 'a>,
    notes: &mut Vec<String>,
) -> Result<(Robot<'a>, Vec<Pose>), Fault> {
    let mut robot =
        Robot { links: vec![root], names: vec![WORLD.to_owned()], joints: Vec::new(), hangs_on: vec![None] };
    let mut frames = vec![Pose::IDENTITY];
    for link in &models.links {
        robot.links.push(link.node);
        robot.names.push(link.name.clone());
        robot.hangs_on.push(None);
        frames.push(link.pose);
    }
    // The first joint of a link carries it, unless that would close a loop.
    let mut carried: Vec<Option<&ModelJoint>> = vec![None; frames.len()];
    let (mut loops, mut names) = (Vec::new(), HashSet::new());
    for joint in &models.joints {
        if !names.insert(&joint.name[..]) {
            return Err(Fault::at(place_of(joint.node), format!("a second joint '{}'", clip(&joint.name))));
        }
        let (parent, child) = (joint.parent.map_or(0, |parent| parent + 1), joint.child + 1);
        let above = |link: &usize| carried[*link].map(|joint| joint.parent.map_or(0, |parent| parent + 1));
        let is_loop = std::iter::successors(Some(parent), above).any(|link| link == child);
        if carried[child].is_some() || is_loop {
            loops.push(&joint.name[..]);
            continue;
        }
        carried[child] = Some(joint);
        frames[child] = joint.pose;
    }
    if !loops.is_empty() {
        notes.push(format!("joints that close loops left out: {}", some_of(&loops)));
    }
    for (index, link) in models.links.iter().enumerate() {
        let child = index + 1;
        let parent = carried[child].and_then(|joint| joint.parent).map_or(0, |parent| parent + 1);
        let origin = Pose::compose(&inverse(&frames[parent]), &frames[child]);
        let joint = match carried[child] {
            Some(joint) => {
                moving(joint, parent, child, origin).map_err(|fault| at_element(fault, joint.node))?
            }
            None => {
                let kind = if link.is_static { Kind::Fixed } else { Kind::Free };
                let mut name = format!("{WORLD}_{}", link.name);
                while names.contains(&name[..]) {
                    name.push('_');
                }
                fixed(name, kind, parent, child, origin)
            }
        };
        robot.hangs_on[child] = Some(robot.joints.len());
        robot.joints.push(joint);
    }
    Ok((robot, frames))
}

fn fixed(name: String, kind: Kind, parent: usize, child: usize, origin: Pose) -> Joint {
    Joint { name, kind, parent, child, origin, axis: DVec3::Z, limits: None, mimic: None, initial: 0.0 }
}

fn moving(joint: &ModelJoint, parent: usize, child: usize, origin: Pose) -> Result<Joint, Fault> {
    let kind = match required(joint.node, "type")? {
        "revolute" | "continuous" => Kind::Turning,
        "prismatic" => Kind::Sliding,
        "fixed" => Kind::Fixed,
        "ball" | "universal" | "revolute2" | "gearbox" | "screw" => Kind::Free,
        other => return Err(Fault::at("type", format!("unknown type '{}'", clip(other)))),
    };
    let name = joint.name.clone();
    if !matches!(kind, Kind::Turning | Kind::Sliding) {
        return Ok(fixed(name, kind, parent, child, origin));
    }
    let axis = element(joint.node, "axis");
    let numbers = |node: Node<'_, '_>, what: &'static str| -> Result<Vec<f64>, Fault> {
        let text = node.text().unwrap_or("");
        text.split_whitespace().map(number).collect::<Result<_, _>>().map_err(|why| Fault::at(what, why))
    };
    let mut along = DVec3::Z;
    let (mut limits, mut mimic) = (None, None);
    if let Some(axis) = axis {
        mimic = element(axis, "mimic").map(|mimic| mimic_of(mimic, &joint.prefix)).transpose()?;
        if let Some(xyz) = element(axis, "xyz") {
            if xyz.attribute("expressed_in").is_some_and(|frame| !frame.is_empty() && frame != "__model__") {
                return Err(Fault::Unsupported("an axis that is expressed in a frame is".to_owned()));
            }
            let numbers: Result<[f64; 3], _> = numbers(xyz, "xyz")?.try_into();
            along = DVec3::from_array(numbers.map_err(|_| Fault::at("xyz", "it is not three numbers"))?);
            let word = element(axis, "use_parent_model_frame").and_then(|node| node.text());
            let word = flag(word, "use_parent_model_frame")?;
            let in_model = xyz.attribute("expressed_in") == Some("__model__") || word.unwrap_or(joint.is_old);
            if in_model {
                along = joint.pose.linear().transpose() * (joint.model.linear() * along);
            }
        }
        let limit = element(axis, "limit");
        let end = |what: &'static str, none: f64| -> Result<f64, Fault> {
            let Some(node) = limit.and_then(|limit| element(limit, what)) else { return Ok(none) };
            // Infinity is no number that a length or an angle may be.
            let text = node.text().unwrap_or("").trim();
            let value = text
                .parse::<f64>()
                .map_err(|_| Fault::at(what, format!("'{}' is not a number", clip(text))))?;
            Ok(if value.abs() < NO_LIMIT { value } else { none })
        };
        let ends = [end("lower", f64::NEG_INFINITY)?, end("upper", f64::INFINITY)?];
        limits = Some(ends).filter(|ends| ends.iter().any(|end| end.is_finite()));
    }
    let length = along.length();
    if !(length > 0.0 && length.is_finite()) {
        return Err(Fault::at("axis", format!("{} has no direction", in_brackets(along))));
    }
    Ok(Joint { kind, axis: along / length, limits, mimic, ..fixed(name, kind, parent, child, origin) })
}

/// Reads what a joint mimics: `multiplier * (leader - reference) + offset`.
fn mimic_of(node: Node, prefix: &str) -> Result<Mimic, Fault> {
    if node.attribute("axis").is_some_and(|axis| axis != "axis") {
        return Err(Fault::Unsupported("a joint that mimics a second axis is".to_owned()));
    }
    let value = |what: &'static str, default: f64| {
        let text = element(node, what).map(|node| node.text().unwrap_or("").trim());
        text.map_or(Ok(default), |text| number(text).map_err(|why| Fault::at(what, why)))
    };
    let (multiplier, offset) = (value("multiplier", 1.0)?, value("offset", 0.0)?);
    let joint = format!("{prefix}{}", required(node, "joint")?);
    Ok(Mimic { joint, multiplier, offset: offset - multiplier * value("reference", 0.0)? })
}

/// Returns the inverse of a pose that only turns and moves.
pub(super) fn inverse(pose: &Pose) -> Pose {
    let back = pose.linear().transpose();
    let shift = (-(back * pose.shift())).to_array();
    let [x, y, z] = back.to_cols_array_2d();
    Pose { rows: std::array::from_fn(|row| [x[row], y[row], z[row], shift[row]]) }
}

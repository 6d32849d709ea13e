//! Equalities: joints that follow others.

use std::collections::{BTreeMap, HashMap};

use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::super::robot::{Kind, Mimic, Robot};
use super::super::xml::{at_element, required};
use super::Model;

/// Lets joints of linear equalities mimic others, and notes all other constraints.
pub(super) fn apply(model: &Model, robot: &mut Robot, notes: &mut Vec<String>) -> Result<(), Fault> {
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    for node in model.files.sections("equality") {
        // Of all kinds of equalities, a class says one thing.
        let element = model.defaults.resolve_as(node, "equality", 0)?;
        if element.get("active") == Some("false") {
            continue;
        }
        let kept = node.has_tag_name("joint")
            && follow(node, &element.numbers("polycoef")?, robot).map_err(|fault| at_element(fault, node))?;
        if !kept {
            *others.entry(node.tag_name().name()).or_default() += 1;
        }
    }
    if !others.is_empty() {
        let told: Vec<String> = others.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        notes.push(format!("equality constraints that are not kept: {}", clip(&told.join(", "))));
    }
    Ok(())
}

/// Lets the first joint of an equality follow the second. Returns false if it cannot.
fn follow(node: Node, polynomial: &Option<Vec<f64>>, robot: &mut Robot) -> Result<bool, Fault> {
    let index = |name: &str| robot.joints.iter().position(|joint| joint.name == name);
    let named = |which: &'static str| {
        let name = required(node, which)?;
        index(name).ok_or_else(|| Fault::at(which, format!("there is no joint '{}'", clip(name))))
    };
    let first = named("joint1")?;
    if node.attribute("joint2").is_none() {
        return Ok(false);
    }
    let second = named("joint2")?;
    let coefficient = |power: usize| match polynomial {
        Some(all) => all.get(power).copied().unwrap_or(if power == 1 { 1.0 } else { 0.0 }),
        None => {
            if power == 1 {
                1.0
            } else {
                0.0
            }
        }
    };
    let is_linear = (2..5).all(|power| coefficient(power) == 0.0);
    let moves = |joint: usize| matches!(robot.joints[joint].kind, Kind::Turning | Kind::Sliding);
    // It must not follow itself by others.
    let by_name: HashMap<&str, usize> =
        robot.joints.iter().enumerate().map(|(i, joint)| (&*joint.name, i)).collect();
    let next = |&joint: &usize| {
        robot.joints[joint].mimic.as_ref().and_then(|mimic| by_name.get(&*mimic.joint).copied())
    };
    let is_loop = std::iter::successors(Some(second), next).any(|joint| joint == first);
    if !is_linear || !moves(first) || !moves(second) || is_loop || robot.joints[first].mimic.is_some() {
        return Ok(false);
    }
    let joint = robot.joints[second].name.clone();
    // Values are measured from where the joints stand in the file.
    let [from_first, from_second] = [first, second].map(|joint| robot.joints[joint].initial);
    let (offset, multiplier) = (coefficient(0), coefficient(1));
    let offset = from_first + offset - multiplier * from_second;
    robot.joints[first].mimic = Some(Mimic { joint, multiplier, offset });
    Ok(true)
}

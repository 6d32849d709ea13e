//! The links and joints of a URDF.

use std::collections::HashMap;

use glam::DVec3;
use roxmltree::Node;

use super::super::check_name;
use super::super::error::{Fault, clip, in_brackets};
use super::super::robot::{Joint, Kind, Mimic, Robot};
use super::super::text::number;
use super::super::xml::{at_element, element, elements, optional, place_of, required, vector};
use crate::similar_names::did_you_mean;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::turn::product;

/// The name that files give the world's frame, whether or not they have such a link.
const WORLD: &str = "world";

/// Reads links and joints.
pub(super) fn read<'a>(root: Node<'a, 'a>, notes: &mut Vec<String>) -> Result<Robot<'a>, Fault> {
    let mut links: Vec<_> = elements(root, "link").collect();
    let mut by_name = HashMap::new();
    let mut names = Vec::new();
    for (i, &link) in links.iter().enumerate() {
        let name = required(link, "name")?;
        check_name(name).map_err(|fault| at_element(fault, link))?;
        if by_name.insert(name, i).is_some() {
            return Err(Fault::at(place_of(link), format!("a second link '{}'", clip(name))));
        }
        names.push(name.to_owned());
    }
    let on_world = |joint: &Node<'a, 'a>| {
        element(*joint, "parent").is_some_and(|parent| parent.attribute("link") == Some(WORLD))
    };
    let world = elements(root, "joint").find(on_world).filter(|_| !by_name.contains_key(WORLD));
    if let Some(parent) = world.and_then(|joint| element(joint, "parent")) {
        by_name.insert(WORLD, links.len());
        names.push(WORLD.to_owned());
        links.push(parent);
    }
    let mut robot = Robot { hangs_on: vec![None; links.len()], links, names, joints: Vec::new() };
    let mut joint_names = HashMap::new();
    for (i, node) in elements(root, "joint").enumerate() {
        let mut joint = joint_of(node, &by_name).map_err(|fault| at_element(fault, node))?;
        if joint_names.insert(joint.name.clone(), i).is_some() {
            return Err(Fault::at(place_of(node), format!("a second joint '{}'", clip(&joint.name))));
        }
        if let Some(other) = robot.hangs_on[joint.child].replace(i) {
            let (child, other) = (&robot.names[joint.child], &robot.joints[other].name);
            let why = format!("the link '{}' hangs on the joint '{}' already", clip(child), clip(other));
            return Err(Fault::at(place_of(node), why));
        }
        if joint.kind == Kind::Free && joint.is_floating(node) && robot.names[joint.parent] == WORLD {
            notes.push(format!("the floating joint '{}' to the world is read as fixed", clip(&joint.name)));
            joint.kind = Kind::Fixed;
        }
        robot.joints.push(joint);
    }
    robot.refuse_other_than_trees()?;
    Ok(robot)
}

impl Joint {
    fn is_floating(&self, node: Node) -> bool {
        node.attribute("type") == Some("floating")
    }
}

fn joint_of<'a>(node: Node<'a, 'a>, links: &HashMap<&str, usize>) -> Result<Joint, Fault> {
    let kind = match required(node, "type")? {
        "fixed" => Kind::Fixed,
        "revolute" | "continuous" => Kind::Turning,
        "prismatic" => Kind::Sliding,
        "planar" | "floating" => Kind::Free,
        other => return Err(Fault::at("type", format!("unknown type '{}'", clip(other)))),
    };
    let end = |which: &'static str| {
        let end = element(node, which).ok_or_else(|| Fault::at(which, "it is missing"))?;
        let link = required(end, "link")?;
        let wrong = || {
            let mut names: Vec<&str> = links.keys().copied().collect();
            names.sort_unstable();
            let meant = did_you_mean(link, names);
            Fault::at(which, format!("'{}' is not the name of a link{meant}", clip(link)))
        };
        links.get(link).copied().ok_or_else(wrong)
    };
    let axis = element(node, "axis").map_or(Ok(DVec3::X), |axis| vector(axis, "xyz", DVec3::X))?;
    let length = axis.length();
    if matches!(kind, Kind::Turning | Kind::Sliding) && !(length > 0.0 && length.is_finite()) {
        return Err(Fault::at("axis", format!("{} has no direction", in_brackets(axis))));
    }
    let limit = element(node, "limit").filter(|_| node.attribute("type") != Some("continuous"));
    let limits = limit.map(|limit| -> Result<_, Fault> {
        let [lower, upper] = ["lower", "upper"].map(|key| optional(limit, key));
        Ok((lower?, upper?))
    });
    let limits = match limits.transpose()? {
        None | Some((None, None)) => None,
        Some((lower, upper)) => Some([lower.unwrap_or(0.0), upper.unwrap_or(0.0)]),
    };
    let mimic = element(node, "mimic").map(|mimic| -> Result<_, Fault> {
        Ok(Mimic {
            joint: required(mimic, "joint")?.to_owned(),
            multiplier: optional(mimic, "multiplier")?.unwrap_or(1.0),
            offset: optional(mimic, "offset")?.unwrap_or(0.0),
        })
    });
    Ok(Joint {
        name: required(node, "name")?.to_owned(),
        kind,
        parent: end("parent")?,
        child: end("child")?,
        origin: origin(node, [1.0; 3])?,
        axis: axis / length,
        limits,
        mimic: mimic.transpose()?,
        initial: 0.0,
    })
}

/// Returns the pose of `xyz` and `rpy`: rotations about the fixed x, y and z axes in that order, then a
/// translation. A quaternion may be in place of `rpy`.
pub(super) fn origin(node: Node, scale: [f64; 3]) -> Result<Pose, Fault> {
    let Some(origin) = element(node, "origin") else {
        return Ok(Pose::from_trs([0.0, 0.0, 0.0, 1.0], scale, [0.0; 3]).expect("of length 1"));
    };
    let (xyz, rpy) = (vector(origin, "xyz", DVec3::ZERO)?, vector(origin, "rpy", DVec3::ZERO)?);
    if let Some(text) = origin.attribute(QUATERNION) {
        let wrong = |why: String| Fault::at(QUATERNION, why);
        let turn = quaternion(origin, text).map_err(wrong)?;
        let pose = Pose::from_trs(turn, scale, xyz.to_array());
        return pose.ok_or_else(|| wrong(format!("'{}' has no direction", clip(text))));
    }
    let half = |angle: f64| libm::sincos(0.5 * angle);
    let ((sx, cx), (sy, cy), (sz, cz)) = (half(rpy.x), half(rpy.y), half(rpy.z));
    let (x, y, z) = ([sx, 0.0, 0.0, cx], [0.0, sy, 0.0, cy], [0.0, 0.0, sz, cz]);
    Ok(Pose::from_trs(product(z, product(y, x)), scale, xyz.to_array()).expect("of length 1"))
}

/// The attribute of an origin's quaternion.
const QUATERNION: &str = "quat_xyzw";

/// Reads the quaternion of an origin. It is an error with `rpy`, and in a file of version 1.0, where other
/// readers ignore it.
fn quaternion(origin: Node, text: &str) -> Result<[f64; 4], String> {
    let version = origin.document().root_element().attribute("version").unwrap_or("1.0");
    if matches!(version.trim(), "1" | "1.0") {
        return Err("it needs URDF 1.1: say version=\"1.1\" in <robot>".to_owned());
    }
    if origin.has_attribute("rpy") {
        return Err("the origin has rpy, too".to_owned());
    }
    let numbers: Vec<f64> = text.split_whitespace().take(5).map(number).collect::<Result<_, _>>()?;
    numbers.try_into().map_err(|_| format!("'{}' is not four numbers", clip(text)))
}

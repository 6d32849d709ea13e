//! Elements and attributes of a URDF, and where they stand.

use glam::DVec3;
use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::super::text::number;
use crate::math::pose::Pose;
use crate::motion::turn::product;

/// `line 12`
pub(super) fn place_of(node: Node) -> String {
    format!("line {}", node.document().text_pos_at(node.range().start).row)
}

/// `xyz` and `rpy`: turned about the fixed x, y and z axes in turn, then shifted.
pub(super) fn origin(node: Node, scale: [f64; 3]) -> Result<Pose, Fault> {
    let Some(origin) = element(node, "origin") else {
        return Ok(Pose::from_trs([0.0, 0.0, 0.0, 1.0], scale, [0.0; 3]).expect("of length 1"));
    };
    let (xyz, rpy) = (vector(origin, "xyz", DVec3::ZERO)?, vector(origin, "rpy", DVec3::ZERO)?);
    let half = |angle: f64| libm::sincos(0.5 * angle);
    let ((sx, cx), (sy, cy), (sz, cz)) = (half(rpy.x), half(rpy.y), half(rpy.z));
    let (x, y, z) = ([sx, 0.0, 0.0, cx], [0.0, sy, 0.0, cy], [0.0, 0.0, sz, cz]);
    Ok(Pose::from_trs(product(z, product(y, x)), scale, xyz.to_array()).expect("of length 1"))
}

pub(super) fn elements<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

pub(super) fn element<'a>(node: Node<'a, 'a>, name: &'static str) -> Option<Node<'a, 'a>> {
    elements(node, name).next()
}

pub(super) fn required<'a>(node: Node<'a, 'a>, attribute: &str) -> Result<&'a str, Fault> {
    let missing = || Fault::at(place_of(node), format!("<{}> has no {attribute}", node.tag_name().name()));
    node.attribute(attribute).ok_or_else(missing)
}

pub(super) fn optional(node: Node, attribute: &str) -> Result<Option<f64>, Fault> {
    let read = |text: &str| number(text.trim()).map_err(|why| Fault::at(attribute, why));
    node.attribute(attribute).map(read).transpose()
}

pub(super) fn vector(node: Node, attribute: &str, default: DVec3) -> Result<DVec3, Fault> {
    let Some(text) = node.attribute(attribute) else { return Ok(default) };
    let wrong = |why: String| Fault::at(attribute, why);
    let numbers: Vec<f64> = text.split_whitespace().map(number).collect::<Result<_, _>>().map_err(wrong)?;
    match numbers[..] {
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => Err(wrong(format!("'{}' is not three numbers", clip(text)))),
    }
}

/// The fault of a link or joint, by its name and line.
pub(super) fn at_element(fault: Fault, node: Node) -> Fault {
    let name = node.attribute("name").unwrap_or("");
    fault.in_part(name, &format!("{}, {}", node.tag_name().name(), place_of(node)))
}

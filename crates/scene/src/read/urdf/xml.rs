//! Elements and attributes of a URDF, and their locations.

use glam::DVec3;
use roxmltree::{Document, Node};

use super::super::error::{Fault, clip};
use super::super::text::{number, on_line};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::turn::product;

/// Largest number of attributes of an element, and of namespaces of a file. These limits are far beyond any
/// robot, and small enough for a parser that compares each with all others.
const MOST_ATTRIBUTES: usize = 1024;
const MOST_NAMESPACES: usize = 256;

/// Refuses, by scanning the bytes once, files that would take the parser time out of proportion to their
/// size.
///
/// The tag of an element contains no `<` except its first, so a tag is within one piece of the text between
/// two of them. It has no more attributes than that piece has equals signs before a quote.
fn refuse_crowds(text: &str) -> Result<(), Fault> {
    let mut line = 1;
    let mut namespaces = 0;
    for piece in text.split('<') {
        let is_value = |after: &&str| after.trim_start().starts_with(['"', '\'']);
        let attributes = piece.split('=').skip(1).filter(is_value).count();
        namespaces += piece.matches("xmlns").count();
        let crowd = match (attributes > MOST_ATTRIBUTES, namespaces > MOST_NAMESPACES) {
            (true, _) => format!("an element has {attributes} attributes; the limit is {MOST_ATTRIBUTES}"),
            (_, true) => format!("there are more than {MOST_NAMESPACES} namespaces"),
            _ => {
                line += piece.matches('\n').count();
                continue;
            }
        };
        return Err(on_line(line, crowd));
    }
    Ok(())
}

/// Parses a document.
pub(super) fn document(text: &str) -> Result<Document<'_>, Fault> {
    refuse_crowds(text)?;
    Document::parse(text).map_err(|error| Fault::at("XML", clip(&error.to_string())))
}

/// Returns the location of an element, such as `line 12`.
pub(super) fn place_of(node: Node) -> String {
    format!("line {}", node.document().text_pos_at(node.range().start).row)
}

/// Returns the pose of `xyz` and `rpy`: rotations about the fixed x, y and z axes in that order, then a
/// translation.
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

/// Attributes a fault to a link or joint, by its name and line.
pub(super) fn at_element(fault: Fault, node: Node) -> Fault {
    let name = node.attribute("name").unwrap_or("");
    fault.in_part(name, &format!("{}, {}", node.tag_name().name(), place_of(node)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crowds_are_refused_before_they_are_parsed() {
        let refused = |text: &str| refuse_crowds(text).err().map(|fault| fault.to_string());
        let attributes = |count: usize| (0..count).map(|i| format!(" a{i} = '1'")).collect::<String>();
        let element = |count: usize| format!("<robot>\n<link{}/>\n</robot>", attributes(count));
        assert_eq!(refused(&element(1024)), None);
        let told = "line 2: an element has 60000 attributes; the limit is 1024";
        assert_eq!(refused(&element(60_000)).as_deref(), Some(told));
        // Many elements with few attributes, and text that is not an element.
        assert_eq!(refused(&element(8).repeat(10_000)), None);
        assert_eq!(refused(&format!("<!-- {} -->", "=".repeat(100_000))), None);
        let namespaces: String = (0..257).map(|i| format!("\n<a xmlns:n{i}='u'>")).collect();
        assert_eq!(refused(&namespaces).as_deref(), Some("line 258: there are more than 256 namespaces"));
    }
}

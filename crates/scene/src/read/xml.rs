//! Elements and attributes of XML files, and their locations.

use std::borrow::Cow;

use glam::DVec3;
use roxmltree::{Document, Node};

use super::error::{Fault, clip};
#[cfg(any(feature = "mjcf", feature = "sdf"))]
use super::text::decoded;
use super::text::{number, on_line};
#[cfg(any(feature = "collada", feature = "mjcf", feature = "sdf", feature = "threemf"))]
use closefit_geometry::memory::MemoryAccount;

/// Largest number of attributes of an element, and of namespaces of a file. These limits are far beyond any
/// robot, and small enough for a parser that compares each with all others.
const MOST_ATTRIBUTES: usize = 1024;
const MOST_NAMESPACES: usize = 256;

/// Bytes that the elements of a file take, per byte of it.
#[cfg(any(feature = "collada", feature = "mjcf", feature = "sdf", feature = "threemf"))]
pub(super) const ELEMENTS: usize = 24;

/// Takes memory for the elements of a file.
#[cfg(any(feature = "collada", feature = "mjcf", feature = "sdf", feature = "threemf"))]
pub(super) fn take_elements(bytes: &[u8], memory: &MemoryAccount) -> Result<(), Fault> {
    memory.take(bytes.len(), ELEMENTS, || format!("the elements in a file of {} bytes", bytes.len()))?;
    Ok(())
}

/// Returns the text of a file, with memory for its elements.
#[cfg(any(feature = "mjcf", feature = "sdf"))]
pub(super) fn text_of(bytes: &[u8], memory: &MemoryAccount) -> Result<String, Fault> {
    take_elements(bytes, memory)?;
    Ok(decoded(bytes)?.into_owned())
}

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

/// Largest number of prefixes that a text may use without saying what they mean.
const MOST_UNDECLARED: usize = 16;

/// Returns a text in which all prefixes are declared: those that are not stand for namespaces of their own
/// names, as readers that know no namespaces take them. Lines keep their numbers. A text that is wrong in
/// another way is returned as it is, and its parser says why.
pub(super) fn declared<'a>(text: Cow<'a, str>, notes: &mut Vec<String>) -> Result<Cow<'a, str>, Fault> {
    refuse_crowds(&text)?;
    let mut text = text;
    let mut added: Vec<String> = Vec::new();
    while added.len() < MOST_UNDECLARED {
        let Err(roxmltree::Error::UnknownNamespace(prefix, _)) = Document::parse(&text) else { break };
        let Some(at) = after_root_name(&text) else { break };
        let declaration = format!(" xmlns:{prefix}=\"{prefix}\"");
        text = Cow::Owned([&text[..at], &declaration, &text[at..]].concat());
        added.push(prefix);
    }
    if !added.is_empty() {
        notes.push(format!("XML prefixes that are not declared: {}", clip(&added.join(", "))));
    }
    Ok(text)
}

/// Returns the place after the name of the root element.
fn after_root_name(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('<')?;
        let rest = &text[at..];
        let skipped =
            [("<!--", "-->"), ("<?", "?>"), ("<!", ">")].into_iter().find(|(from, _)| rest.starts_with(from));
        let Some((_, to)) = skipped else {
            let name = rest[1..].find(|c: char| c.is_whitespace() || matches!(c, '/' | '>'))?;
            return Some(at + 1 + name);
        };
        at += rest.find(to)? + to.len();
    }
}

/// Returns the location of an element, such as `line 12`.
pub(super) fn place_of(node: Node) -> String {
    format!("line {}", node.document().text_pos_at(node.range().start).row)
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

pub(super) fn required_number(node: Node, attribute: &str) -> Result<f64, Fault> {
    required(node, attribute)?;
    Ok(optional(node, attribute)?.expect("it is there"))
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

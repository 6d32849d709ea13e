//! XML documents in memory.

use std::io;

use closefit_geometry::text::printable;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

/// A document that is being written.
pub type Out = Writer<Vec<u8>>;

/// Returns the bytes of a document.
///
/// # Panics
/// Never panics: a `Vec` accepts every byte.
pub fn document(write: impl FnOnce(&mut Out) -> io::Result<()>) -> Vec<u8> {
    let mut out = Writer::new_with_indent(Vec::new(), b' ', 2);
    let declared = out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
    declared.and_then(|()| write(&mut out)).expect("a Vec accepts every byte");
    let mut bytes = out.into_inner();
    bytes.push(b'\n');
    bytes
}

/// Writes an element with attributes and content.
pub fn element(
    out: &mut Out,
    name: &str,
    attributes: &[(&str, &str)],
    content: impl FnOnce(&mut Out) -> io::Result<()>,
) -> io::Result<()> {
    let element = out.create_element(name).with_attributes(attributes.iter().copied());
    element.write_inner_content(content)?;
    Ok(())
}

/// Writes an element with attributes alone.
pub fn empty(out: &mut Out, name: &str, attributes: &[(&str, &str)]) -> io::Result<()> {
    out.create_element(name).with_attributes(attributes.iter().copied()).write_empty()?;
    Ok(())
}

/// Writes an element with a text.
pub fn text(out: &mut Out, name: &str, text: &str) -> io::Result<()> {
    out.create_element(name).write_text_content(BytesText::new(text))?;
    Ok(())
}

/// Returns a text from a file without what XML does not allow or a viewer would not show: on one line, with
/// control characters escaped, and without white space around it.
pub fn clean(text: &str) -> String {
    printable(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}").trim().to_owned()
}

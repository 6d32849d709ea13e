//! COLLADA: instances of geometries in the node tree of the scene are parts, in the order of the file.
//!
//! Triangles, strips, fans, polylists and polygons are read, without holes; matrices, translations, rotations
//! and scales; nodes that stand for others. A length is in the file's own unit, and becomes metres.
//! Coordinates stay along the axes of the file, which says which of them points up. Skins, animations, lines
//! and curves are left out with a note.
//!
//! The reader is based on `roxmltree`. Other readers refuse what exporters write: `dae-parser` reads neither
//! COLLADA 1.4.0 nor files without a date.

mod geometry;
mod tree;

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::Source;
use super::error::{Fault, clip};
use super::text::{decoded, number};
use super::xml::{ELEMENTS, declared, document, element, place_of, take_elements};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::scene::{Scene, Up};
use closefit_geometry::units::Unit;

/// Reads a file.
pub(super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let memory = source.memory;
    take_elements(bytes, memory)?;
    let mut scene = Scene { unit: Some(Unit::M), ..Scene::default() };
    let text = declared(decoded(bytes)?, &mut scene.notes)?;
    let document = document(&text)?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let found = clip(root.tag_name().name());
        return Err(Fault::at(place_of(root), format!("<{found}> instead of <COLLADA>")));
    }
    let (pose, up) = frame(root, source.is_mesh)?;
    scene.up = Some(up);
    tree::Walk::new(root, Ids::of(&document), source, scene).run(pose).inspect(|_| {
        memory.give_back(bytes.len(), ELEMENTS);
    })
}

/// Returns the pose of the file in metres, and the axis that points up there.
fn frame(root: Node, is_mesh: bool) -> Result<(Pose, Up), Fault> {
    let asset = element(root, "asset");
    let unit = asset.and_then(|asset| element(asset, "unit")).and_then(|unit| unit.attribute("meter"));
    let metre = unit.map_or(Ok(1.0), |text| number(text.trim())).map_err(|why| Fault::at("unit", why))?;
    // It is a number.
    if metre <= 0.0 {
        return Err(Fault::at("unit", format!("{metre} m is no length")));
    }
    let scale = Pose::from_trs([0.0, 0.0, 0.0, 1.0], [metre; 3], [0.0; 3]).expect("of length 1");
    let axis = asset.and_then(|asset| element(asset, "up_axis")).and_then(|axis| axis.text());
    Ok(match axis.map(str::trim) {
        // A quarter turn about z takes x to y.
        Some("X_UP") if !is_mesh => {
            let turn = Pose { rows: [[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };
            (Pose::compose(&turn, &scale), Up::Y)
        }
        Some("Z_UP") => (scale, Up::Z),
        _ => (scale, Up::Y),
    })
}

/// The elements with an id; of several with the same, the first.
struct Ids<'a>(HashMap<&'a str, Node<'a, 'a>>);

impl<'a> Ids<'a> {
    fn of(document: &'a Document<'a>) -> Self {
        let mut ids = HashMap::new();
        for node in document.descendants() {
            if let Some(id) = node.attribute("id") {
                ids.entry(id).or_insert(node);
            }
        }
        Self(ids)
    }

    /// Returns the element of a kind that an attribute refers to, such as `url="#id"`.
    fn get(&self, from: Node<'a, 'a>, attribute: &str, kind: &str) -> Result<Node<'a, 'a>, Fault> {
        let name = id_of(from, attribute)?;
        let found = self.0.get(name).copied().filter(|node| node.has_tag_name(kind));
        found.ok_or_else(|| Fault::at(attribute, format!("there is no <{kind}> '{}'", clip(name))))
    }
}

/// Returns the id that an attribute refers to.
fn id_of<'a>(from: Node<'a, 'a>, attribute: &str) -> Result<&'a str, Fault> {
    let address = super::xml::required(from, attribute)?;
    match address.trim().strip_prefix('#') {
        Some(name) => Ok(name),
        None => {
            Err(Fault::at(attribute, format!("'{}' is in another file, which is not read", clip(address))))
        }
    }
}

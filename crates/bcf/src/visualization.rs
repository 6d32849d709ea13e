//! `viewpoint.bcfv`: the camera, and the parts that are selected and coloured.

use std::io;

use closefit_report::document::PartRow;
use closefit_report::json::number;
use glam::DVec3;

use crate::options::Version;
use crate::world::Camera;
use crate::xml::{self, Out, clean, element, empty, text};

/// The colours of the two sides, as in pictures.
const COLOURS: [&str; 2] = ["D55E00", "0072B2"];

/// The width of a snapshot by its height.
const ASPECT_RATIO: &str = "1.3333333333333333";

/// A view of some parts.
pub struct Viewpoint<'r> {
    /// Its identifier.
    pub guid: String,
    /// The camera.
    pub camera: Camera,
    /// The parts of both sides.
    pub sides: [Vec<&'r PartRow>; 2],
}

impl Viewpoint<'_> {
    /// Returns the file of the viewpoint.
    pub fn document(&self, version: Version) -> Vec<u8> {
        xml::document(|out| {
            element(out, "VisualizationInfo", &[("Guid", &self.guid)], |out| {
                self.components(out, version)?;
                element(out, "PerspectiveCamera", &[], |out| {
                    point(out, "CameraViewPoint", self.camera.place)?;
                    point(out, "CameraDirection", self.camera.direction)?;
                    point(out, "CameraUpVector", self.camera.up)?;
                    text(out, "FieldOfView", Camera::FIELD_OF_VIEW)?;
                    match version {
                        Version::V2_1 => Ok(()),
                        Version::V3_0 => text(out, "AspectRatio", ASPECT_RATIO),
                    }
                })
            })
        })
    }

    /// Writes which parts are selected and coloured. All others are visible.
    fn components(&self, out: &mut Out, version: Version) -> io::Result<()> {
        element(out, "Components", &[], |out| {
            let is_empty = self.sides.iter().all(Vec::is_empty);
            if !is_empty {
                element(out, "Selection", &[], |out| {
                    self.sides.iter().flatten().try_for_each(|part| component(out, part))
                })?;
            }
            empty(out, "Visibility", &[("DefaultVisibility", "true")])?;
            if is_empty {
                return Ok(());
            }
            element(out, "Coloring", &[], |out| {
                let mut coloured = COLOURS.iter().zip(&self.sides).filter(|(_, parts)| !parts.is_empty());
                coloured.try_for_each(|(colour, parts)| {
                    let components = |out: &mut Out| parts.iter().try_for_each(|part| component(out, part));
                    element(out, "Color", &[("Color", colour)], |out| match version {
                        Version::V2_1 => components(out),
                        Version::V3_0 => element(out, "Components", &[], components),
                    })
                })
            })
        })
    }
}

/// Writes a part: by its GlobalId, or else by its key.
fn component(out: &mut Out, part: &PartRow) -> io::Result<()> {
    match part.guid.as_deref().filter(|guid| is_ifc_guid(guid)) {
        Some(guid) => empty(out, "Component", &[("IfcGuid", guid)]),
        None => element(out, "Component", &[], |out| {
            text(out, "OriginatingSystem", "closefit")?;
            text(out, "AuthoringToolId", &clean(&part.key))
        }),
    }
}

/// True for a GlobalId of IFC: 22 digits of base 64.
pub fn is_ifc_guid(guid: &str) -> bool {
    guid.len() == 22 && guid.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$')
}

fn point(out: &mut Out, name: &str, point: DVec3) -> io::Result<()> {
    element(out, name, &[], |out| {
        let mut axes = ["X", "Y", "Z"].into_iter().zip(point.to_array());
        axes.try_for_each(|(axis, x)| text(out, axis, &number(x + 0.0)))
    })
}

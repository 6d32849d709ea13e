//! STEP, by OCCT: occurrences of products are nodes of a GLB, in metres and along the axes of the file.

use std::ffi::OsString;

use serde::Deserialize;

use super::super::error::Fault;
use super::super::missing::Missing;
use super::super::{Source, gltf};
use closefit_geometry::math::pose::stretch;
use closefit_geometry::scene::{Scene, Up};

/// The chord that nobody asks for, in metres.
const CHORD: f64 = 3e-5;

/// The chord per deflection that OCCT gets: its triangles of spheres, tori, cones and cylinders were up to
/// 2.1 times the deflection away from the surface.
const SHARE: f64 = 3.0;

/// The share of the chord that rounding may take: the triangles leave 0.9 of 3.0.
const LEFT: f64 = 0.25;

/// More than rounding to f32 adds to the stretch of a rotation: 2^-24 for each of a row's three entries, and
/// as much for the bound of the stretch.
const ROUNDED: f64 = 1e-6;

/// The counts of faces by which a loss is found, and an error of points.
#[derive(Deserialize)]
struct Model {
    /// The number of faces that the text has.
    faces: u64,
    /// The number of those with triangles.
    drawn: u64,
    /// The distance in metres by which rounding to f32 moves points, at most.
    rounding: f64,
}

/// Reads a file.
pub(in super::super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    refuse_other_texts(bytes)?;
    let chord = source.options.chord.unwrap_or(CHORD);
    let millimetres: OsString = format!("{}", 1e3 * chord / SHARE).into();
    let found: super::Found<Model> = super::read("step", "OCCT", &millimetres, bytes, source)?;
    let Model { faces, drawn, rounding } = found.value;
    let is_far = rounding > LEFT * chord;
    let chord = if is_far { chord + rounding } else { chord };
    let taken = found.bytes.len();
    let mut scene = gltf::parse(&found.bytes, &Source { folder: None, ..source.clone() })?;
    source.memory.give_back(taken, 1);
    if drawn < faces {
        let mut missing = Missing::default();
        missing.add(Fault::Scene(format!("{} of {faces} faces", faces - drawn)), 0)?;
        missing.leave_out(source.options.allow_missing, &mut scene)?;
    }
    scene.up = Some(Up::Z);
    for part in &mut scene.parts {
        let longer = stretch(&part.pose.linear());
        let chord = if longer > 1.0 + ROUNDED { chord * longer } else { chord };
        (part.chord, part.deflection) = (chord, chord);
    }
    scene.notes.push(format!(
        "triangulated by OCCT: meshes lie up to {chord} m inside or outside the true surfaces, and may overlap by \
         twice that where these only touch (--chord)"
    ));
    if is_far {
        scene.notes.push(format!(
            "it is so far from the origin that rounding to f32 moves points by up to {rounding:.1e} m, which is part \
             of that"
        ));
    }
    Ok(scene)
}

/// Refuses what is not a whole text of STEP: OCCT takes some of these for a smaller model.
fn refuse_other_texts(bytes: &[u8]) -> Result<(), Fault> {
    let has = |text: &[u8], tag: &[u8]| text.windows(tag.len()).any(|part| part == tag);
    let start = bytes.trim_ascii_start();
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    if !start.starts_with(b"ISO-10303-21") {
        return Err(Fault::Scene("not a STEP file: it does not begin with ISO-10303-21".to_owned()));
    }
    if !has(bytes, b"END-ISO-10303-21") {
        return Err(Fault::Scene("cut short: it has no END-ISO-10303-21".to_owned()));
    }
    Ok(())
}

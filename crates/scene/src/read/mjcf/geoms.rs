//! Geoms: meshes and primitives.

use std::borrow::Cow;

use glam::DVec3;

use super::super::error::{Fault, clip};
use super::super::robot::{Fit, FitKind, Form};
use super::super::solids::Solid;
use super::Model;
use super::defaults::Resolved;
use super::orientation::{direction, from_z, placed, pose};
use closefit_geometry::math::pose::Pose;

/// The largest number of sizes of a geom.
const MOST_SIZES: usize = 3;

/// A geom, as far as it is read.
pub(super) enum Read<'a> {
    Shape {
        /// Its name, or else its mesh's, or else the word for its kind.
        own: String,
        form: Form<'a>,
        /// Its pose on the body, with what takes the mesh of a file there.
        pose: Pose,
    },
    /// The kind of geoms, several of them, that it is one of.
    LeftOut(&'static str),
}

/// Returns the kind of a primitive that is fitted to a mesh.
fn fit_kind(kind: &str) -> Result<FitKind, Fault> {
    Ok(match kind {
        "sphere" => FitKind::Sphere,
        "capsule" => FitKind::Capsule,
        "cylinder" => FitKind::Cylinder,
        "ellipsoid" => FitKind::Ellipsoid,
        "box" => FitKind::Box,
        other => return Err(Fault::at("type", format!("unknown type '{}'", clip(other)))),
    })
}

/// Reads a geom.
pub(super) fn read<'a>(element: &Resolved<'a, '_>, model: &Model<'a>) -> Result<Read<'a>, Fault> {
    let kind = element.get("type").unwrap_or("sphere");
    let own = |other: &str| element.node.attribute("name").unwrap_or(other).to_owned();
    let mesh = element.get("mesh");
    match (kind, mesh) {
        ("plane", _) => return Ok(Read::LeftOut("planes")),
        ("hfield", _) => return Ok(Read::LeftOut("height fields")),
        ("sdf", _) => return Ok(Read::LeftOut("signed distance fields")),
        ("mesh", Some(name)) => {
            let asset = model.assets.get(name)?;
            let Some(file) = &asset.file else {
                return Ok(Read::LeftOut("meshes whose vertices are not in a file"));
            };
            let pose = Pose::compose(&pose(element, &model.compiler)?, &asset.pose);
            return Ok(Read::Shape { own: own(name), form: Form::File(Cow::Owned(file.clone())), pose });
        }
        ("mesh", None) => return Err(Fault::at("mesh", "it is missing")),
        (_, Some(name)) => {
            let asset = model.assets.get(name)?;
            let kind = fit_kind(kind)?;
            let Some(file) =
                asset.file.clone().filter(|_| asset.has_default_inertia && !model.compiler.fits_boxes)
            else {
                return Ok(Read::LeftOut("primitives fitted to meshes by other rules"));
            };
            let scale = element.number("fitscale")?.unwrap_or(1.0);
            let form = Form::Fitted(Box::new(Fit { file: Cow::Owned(file), kind, pose: asset.pose, scale }));
            return Ok(Read::Shape { own: own(name), form, pose: pose(element, &model.compiler)? });
        }
        (_, None) => {}
    }
    let size = element.numbers_over_classes("size", MOST_SIZES)?;
    let ends = match kind {
        "sphere" => None,
        _ => element.array::<6>("fromto")?,
    };
    let (place, length) = match ends {
        None => (pose(element, &model.compiler)?, None),
        Some(ends) => {
            let (from, to) = (DVec3::from_slice(&ends[..3]), DVec3::from_slice(&ends[3..]));
            let along = from - to;
            let turn = from_z(direction(along, "fromto")?)?;
            (placed(turn, 0.5 * (from + to))?, Some(0.5 * along.length()))
        }
    };
    let at = |index: usize| {
        let missing = || Fault::at("size", format!("{} numbers, which are too few for a {kind}", size.len()));
        size.get(index).copied().ok_or_else(missing)
    };
    // Between two ends, the first size is the radius or half the width.
    let half = |index: usize| length.map_or_else(|| at(index), Ok);
    let three = || -> Result<DVec3, Fault> {
        match length {
            None => Ok(DVec3::new(at(0)?, at(1)?, at(2)?)),
            Some(length) => Ok(DVec3::new(at(0)?, at(0)?, length)),
        }
    };
    let solid = match kind {
        "sphere" => Solid::Sphere(at(0)?),
        "capsule" => Solid::Capsule(at(0)?, half(1)?),
        "cylinder" => Solid::Cylinder(at(0)?, half(1)?),
        "ellipsoid" => Solid::Ellipsoid(three()?),
        "box" => Solid::Box(three()?),
        other => return Err(Fault::at("type", format!("unknown type '{}'", clip(other)))),
    };
    Ok(Read::Shape { own: own(solid.word()), form: Form::Solid(solid), pose: place })
}

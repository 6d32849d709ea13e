//! The shapes of links.

use std::borrow::Cow;
use std::path::Path;

use glam::DVec3;
use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::super::robot::{Form, LinkShapes, Shape};
use super::super::solids::Solid;
use super::super::text::number;
use super::super::xml::{at_element, element, elements, place_of};
use super::files::SCHEME;
use super::joints::inverse;
use super::models::Link;
use super::values::pose_of;
use closefit_geometry::math::pose::Pose;

/// Returns the shapes of a link whose frame on the robot is somewhere in the world.
pub(super) fn of_link<'a>(
    link: &Link<'a>,
    frame: Pose,
    geometry: &'static str,
) -> Result<LinkShapes<'a>, Fault> {
    let mut of_link = LinkShapes::default();
    let on_frame =
        if frame == link.pose { Pose::IDENTITY } else { Pose::compose(&inverse(&frame), &link.pose) };
    for node in elements(link.node, geometry) {
        let shape = of_element(node, link).map_err(|fault| at_element(fault, link.node))?;
        let Some((own, form, pose)) = shape else {
            of_link.left_out += 1;
            continue;
        };
        let (name, path) = (format!("{}/{own}", link.name), format!("{}/{own}", link.path));
        of_link.shapes.push(Shape {
            name,
            path,
            form,
            pose: Pose::compose(&on_frame, &pose),
            node: link.node,
        });
    }
    Ok(of_link)
}

/// Reads a `<visual>` or `<collision>` element; `None` for a plane, or for nothing.
fn of_element<'a>(shape: Node<'a, 'a>, link: &Link<'a>) -> Result<Option<(String, Form<'a>, Pose)>, Fault> {
    let pose = match element(shape, "pose") {
        Some(pose) if pose.attribute("relative_to").is_some_and(|frame| !frame.is_empty()) => {
            return Err(Fault::Unsupported(format!(
                "{}: a pose of a shape relative to a frame is",
                place_of(pose)
            )));
        }
        pose => pose.map_or(Ok(Pose::IDENTITY), pose_of)?,
    };
    let geometry = element(shape, "geometry").and_then(|geometry| geometry.first_element_child());
    let Some(kind) = geometry else { return Ok(None) };
    let numbers = |what: &'static str| -> Result<Vec<f64>, Fault> {
        let text = element(kind, what).and_then(|node| node.text());
        let text = text.ok_or_else(|| {
            Fault::at(place_of(kind), format!("<{}> has no {what}", kind.tag_name().name()))
        })?;
        text.split_whitespace().map(number).collect::<Result<_, _>>().map_err(|why| Fault::at(what, why))
    };
    let one = |what: &'static str| match numbers(what)?[..] {
        [value] => Ok(value),
        _ => Err(Fault::at(what, "it is not one number")),
    };
    let three = |what: &'static str| match numbers(what)?[..] {
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => Err(Fault::at(what, "it is not three numbers")),
    };
    let solid = match kind.tag_name().name() {
        "empty" | "plane" => return Ok(None),
        "box" => Solid::Box(0.5 * three("size")?),
        "sphere" => Solid::Sphere(one("radius")?),
        "cylinder" => Solid::Cylinder(one("radius")?, 0.5 * one("length")?),
        "capsule" => Solid::Capsule(one("radius")?, 0.5 * one("length")?),
        "ellipsoid" => Solid::Ellipsoid(three("radii")?),
        "mesh" => {
            if element(kind, "submesh").is_some() {
                return Err(Fault::Unsupported(format!("{}: <submesh> is", place_of(kind))));
            }
            let uri = element(kind, "uri").and_then(|uri| uri.text()).map_or("", str::trim);
            let scale = if element(kind, "scale").is_some() { three("scale")? } else { DVec3::ONE };
            let scaled =
                Pose::from_trs([0.0, 0.0, 0.0, 1.0], scale.to_array(), [0.0; 3]).expect("of length 1");
            let own = Path::new(uri).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            return Ok(Some((own, Form::File(address(uri, link)), Pose::compose(&pose, &scaled))));
        }
        other => return Err(Fault::Unsupported(format!("{}: <{}> is", place_of(kind), clip(other)))),
    };
    let own = shape.attribute("name").unwrap_or(solid.word()).to_owned();
    Ok(Some((own, Form::Solid(solid), pose)))
}

/// Returns the address of a mesh as one of a package: a model is its folder.
fn address<'a>(uri: &'a str, link: &Link<'a>) -> Cow<'a, str> {
    match (uri.strip_prefix(SCHEME), link.folder) {
        (Some(in_model), _) => format!("package://{in_model}").into(),
        (None, Some(folder)) if !uri.contains("://") => format!("package://{folder}/{uri}").into(),
        _ => uri.into(),
    }
}

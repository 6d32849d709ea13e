//! The shapes of a URDF's links: meshes and primitives.

use std::borrow::Cow;
use std::path::Path;

use glam::DVec3;
use roxmltree::Node;

use super::super::error::Fault;
use super::super::robot::{Form, LinkShapes, Shape};
use super::super::solids::Solid;
use super::super::xml::{at_element, element, elements, required, required_number, vector};
use super::links::origin;
use closefit_geometry::math::pose::Pose;

/// Returns the shapes of a link with a name and a path.
pub(super) fn of_link<'a>(
    link: Node<'a, 'a>,
    geometry: &'static str,
    [name, path]: [&str; 2],
) -> Result<LinkShapes<'a>, Fault> {
    let mut of_link = LinkShapes::default();
    for shape in elements(link, geometry) {
        let Some((own, form, pose)) = of_element(shape).map_err(|fault| at_element(fault, link))? else {
            of_link.left_out += 1;
            continue;
        };
        let (name, path) = (format!("{name}/{own}"), format!("{path}/{own}"));
        of_link.shapes.push(Shape { name, path, form, pose, node: link });
    }
    Ok(of_link)
}

/// Reads a `<visual>` or `<collision>` element: what it is called, its form and its pose on the link. `None`
/// for a shape of an unknown kind.
fn of_element<'a>(shape: Node<'a, 'a>) -> Result<Option<(String, Form<'a>, Pose)>, Fault> {
    let geometry = element(shape, "geometry").ok_or_else(|| Fault::at("geometry", "it is missing"))?;
    if let Some(mesh) = element(geometry, "mesh") {
        let scale = vector(mesh, "scale", DVec3::ONE)?;
        let file = required(mesh, "filename")?;
        let own = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(Some((own, Form::File(Cow::Borrowed(file)), origin(shape, scale.to_array())?)));
    }
    let Some(solid) = solid(geometry)? else { return Ok(None) };
    Ok(Some((solid.word().to_owned(), Form::Solid(solid), origin(shape, [1.0; 3])?)))
}

/// Returns the primitive in a `<geometry>` element, if it is one.
fn solid(geometry: Node) -> Result<Option<Solid>, Fault> {
    let Some(kind) = geometry.first_element_child() else { return Ok(None) };
    let number = |name: &'static str| required_number(kind, name);
    let three = |name: &'static str| {
        required(kind, name)?;
        vector(kind, name, DVec3::ZERO)
    };
    Ok(Some(match kind.tag_name().name() {
        "box" => Solid::Box(0.5 * three("size")?),
        "cylinder" => Solid::Cylinder(number("radius")?, 0.5 * number("length")?),
        "sphere" => Solid::Sphere(number("radius")?),
        "capsule" => Solid::Capsule(number("radius")?, 0.5 * number("length")?),
        "ellipsoid" => Solid::Ellipsoid(three("radii")?),
        _ => return Ok(None),
    }))
}

//! URDF: the links of a robot, their shapes, and the joints that move them.
//!
//! The visual shapes of a link (or its collision shapes) are parts, named after the link and the mesh, or the
//! kind of a primitive. The shapes of a link are one body, so pairs of them are excluded, and so are links
//! that a joint connects.
//!
//! The reader is based on `roxmltree`, which gives the locations of elements. `urdf-rs` skips numbers that it
//! cannot read and limits that are missing.

mod links;
mod shapes;
pub(super) mod srdf;
mod xacro;

use roxmltree::Node;

use super::error::{Fault, clip};
use super::robot::{LinkShapes, Meshes, Robot, some_of};
use super::text::decoded;
use super::xml::{declared, document, element, place_of};
use super::{Source, path_of};
use closefit_geometry::scene::excluded::ADJACENT;
use closefit_geometry::scene::{Scene, Up};
use closefit_geometry::units::Unit;

/// Reads a robot and the meshes that it refers to.
pub(super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let mut scene = Scene { unit: Some(Unit::M), up: Some(Up::Z), ..Scene::default() };
    let text = declared(decoded(bytes)?, &mut scene.notes)?;
    let document = document(&text)?;
    let root = document.root_element();
    if root.tag_name().name() != "robot" {
        return Err(Fault::at(
            place_of(root),
            format!("<{}> instead of <robot>", clip(root.tag_name().name())),
        ));
    }
    xacro::refuse(root, &mut scene.notes)?;
    let robot = links::read(root, &mut scene.notes)?;
    let trajectory = source.robot.trajectory.as_ref();
    let values = robot.values(trajectory, source.memory)?;
    robot.note_values(&values, trajectory, &mut scene.notes);
    let places = robot.places(&values, trajectory, &mut scene, source.memory)?;
    let has_collision = robot.links.iter().any(|&link| element(link, "collision").is_some());
    let takes_collision = source.robot.collision_geometry || source.robot.collision_if_any && has_collision;
    let geometry = if takes_collision { "collision" } else { "visual" };
    let shapes = shapes_of(&robot, geometry)?;
    let mut meshes = Meshes::new(source, root);
    let placed = robot.add_parts(&shapes, &places, source, &mut meshes, &mut scene)?;
    for joint in &robot.joints {
        scene.excluded.exclude_groups(placed.groups[joint.parent], placed.groups[joint.child], ADJACENT);
    }
    if placed.parts.is_empty() && scene.left_out.parts == 0 {
        return Err(Fault::Scene(without_parts(geometry, scene.left_out.shapes)));
    }
    note_left_out(&robot, (geometry, &shapes), &mut scene);
    let mut data = robot.as_data(source, placed.parts, placed.partly_read);
    data.lacks_collision = has_collision && !takes_collision;
    scene.robots.push(data);
    Ok(scene)
}

/// Returns the shapes of all links.
fn shapes_of<'a>(robot: &Robot<'a>, geometry: &'static str) -> Result<Vec<LinkShapes<'a>>, Fault> {
    let parents: Vec<Option<usize>> =
        robot.hangs_on.iter().map(|joint| joint.map(|joint| robot.joints[joint].parent)).collect();
    let of_link = |(i, &link): (usize, &Node<'a, 'a>)| {
        let path = path_of(&robot.names, &parents, i);
        shapes::of_link(link, geometry, [&robot.names[i], &path])
    };
    robot.links.iter().enumerate().map(of_link).collect()
}

/// Says why a robot has nothing to check, of whose shapes so many are not read.
fn without_parts(geometry: &str, shapes: u64) -> String {
    match shapes {
        0 => format!("none of its links has {geometry} geometry"),
        1 => format!("its {geometry} geometry is a shape of an unknown kind"),
        n => format!("its {geometry} geometry is {n} shapes of unknown kinds"),
    }
}

/// True for a link that has anything to see or to meet. Others are frames: nothing of them is left out.
fn has_geometry(link: Node) -> bool {
    ["visual", "collision"].into_iter().any(|geometry| element(link, geometry).is_some())
}

/// Counts and notes links without a shape, and shapes that are not read.
fn note_left_out(robot: &Robot, (geometry, shapes): (&str, &[LinkShapes]), scene: &mut Scene) {
    let links = robot.links.iter().zip(&robot.names).zip(shapes);
    let without = links.filter(|((link, _), shapes)| shapes.shapes.is_empty() && has_geometry(**link));
    let without: Vec<&str> = without.map(|((_, name), _)| &name[..]).collect();
    scene.left_out.links = without.len() as u64;
    let shapes = scene.left_out.shapes;
    if shapes > 0 {
        scene.notes.push(format!("{geometry} shapes of unknown kinds left out: {shapes}"));
    }
    if !without.is_empty() {
        scene.notes.push(format!("links without a {geometry} shape left out: {}", some_of(&without)));
    }
}

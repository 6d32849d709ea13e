//! SDF: the links of Gazebo's models, their shapes, and the joints between them.
//!
//! A file has a model or a world of models, and models may have others, or include them by `model://NAME`.
//! The links of all are the links of one robot, whose root is static: those on no joint are fixed to it if
//! their model is static, and free otherwise. A joint may connect links of models within its own, and
//! frames of links. Links that a joint connects are excluded, as in URDF. Revolute, continuous and
//! prismatic joints move; all others stand as the file has them. The unit is the metre.

mod files;
mod frames;
mod joints;
mod models;
mod shapes;
mod values;

use roxmltree::Node;

use super::Source;
use super::error::Fault;
use super::robot::{LinkShapes, Meshes, Robot, some_of};
use super::xml::elements;
use closefit_geometry::scene::excluded::ADJACENT;
use closefit_geometry::scene::{Scene, Up};
use closefit_geometry::units::Unit;
use files::{Files, Texts};
use models::Models;

/// Reads a model or a world, and the files that it refers to.
pub(super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let texts = Texts::load(bytes, source)?;
    let documents = texts.parse()?;
    let files = Files::new(&texts, &documents);
    let mut scene = Scene { unit: Some(Unit::M), up: Some(Up::Z), ..Scene::default() };
    let models = Models::read(&files, source)?;
    let has_collision = models.links.iter().any(|link| super::xml::element(link.node, "collision").is_some());
    let takes_collision = source.robot.collision_geometry || source.robot.collision_if_any && has_collision;
    let geometry = if takes_collision { "collision" } else { "visual" };
    let (robot, frames) = joints::robot_of(&models, files.root(), &mut scene.notes)?;
    robot.refuse_other_than_trees()?;
    let trajectory = source.robot.trajectory.as_ref();
    let values = robot.values(trajectory, source.memory)?;
    robot.note_values(&values, trajectory, &mut scene.notes);
    let places = robot.places(&values, trajectory, &mut scene, source.memory)?;
    let of_links = models.links.iter().zip(&frames[1..]);
    let shapes = of_links
        .map(|(link, frame)| shapes::of_link(link, *frame, geometry))
        .collect::<Result<Vec<_>, _>>()?;
    let shapes: Vec<LinkShapes> = std::iter::once(LinkShapes::default()).chain(shapes).collect();
    let mut meshes = Meshes::new(source, files.root());
    let placed = robot.add_parts(&shapes, &places, source, &mut meshes, &mut scene)?;
    for joint in robot.joints.iter().filter(|joint| joint.parent != 0) {
        scene.excluded.exclude_groups(placed.groups[joint.parent], placed.groups[joint.child], ADJACENT);
    }
    if placed.parts.is_empty() && scene.left_out.parts == 0 {
        return Err(Fault::Scene(format!("none of its links has {geometry} geometry that is read")));
    }
    note_left_out(&robot, geometry, &shapes, &mut scene);
    note_worlds(files.root(), &mut scene.notes);
    let data = robot.as_data(source, placed.parts, placed.partly_read);
    let lacks_collision = has_collision && !takes_collision;
    scene.robots.push(closefit_geometry::scene::Robot { lacks_collision, ..data });
    Ok(scene)
}

/// Notes shapes and links that are left out.
fn note_left_out(robot: &Robot, geometry: &str, shapes: &[LinkShapes], scene: &mut Scene) {
    let left_out = scene.left_out.shapes;
    if left_out > 0 {
        scene.notes.push(format!("{geometry} planes and empty shapes left out: {left_out}"));
    }
    let without = robot.names.iter().zip(shapes).skip(1).filter(|(_, shapes)| shapes.shapes.is_empty());
    let without: Vec<&str> = without.map(|(name, _)| &name[..]).collect();
    if !without.is_empty() {
        scene.notes.push(format!("links without a {geometry} shape that is read: {}", some_of(&without)));
    }
}

/// Notes what worlds have that is not read.
fn note_worlds(root: Node, notes: &mut Vec<String>) {
    for (name, what) in
        [("actor", "actors"), ("population", "populations"), ("state", "saved states, which move models")]
    {
        let count = elements(root, "world").flat_map(|world| elements(world, name)).count();
        if count > 0 {
            notes.push(format!("{what}, left out: {count}"));
        }
    }
}

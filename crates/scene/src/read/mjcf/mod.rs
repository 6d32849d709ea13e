//! MJCF: the bodies of a MuJoCo model, their geoms, and the joints that move them.
//!
//! A body without joints is one with the body that carries it, as in MuJoCo; what is fixed to the world is
//! the root. Each joint of a body hangs a link of its own on the one before. Geoms with neither `contype` nor
//! `conaffinity` are the visual geometry, all others the collision geometry. As in MuJoCo, geoms of one body
//! do not collide, nor do the geoms of a body and its parent, unless that is the world; nor pairs of bodies
//! that the model excludes and, of collision geometry, geoms whose masks do not match.
//!
//! Hinges and slides move; balls and free joints stand as the model has them. A linear equality of two joints
//! makes one mimic the other. The unit is the metre.

mod assets;
mod bodies;
mod compiler;
mod contacts;
mod defaults;
mod equality;
mod files;
mod geoms;
mod orientation;

use super::Source;
use super::error::Fault;
use super::robot::{Meshes, some_of};
use super::xml::place_of;
use assets::Assets;
use bodies::Bodies;
use closefit_geometry::scene::{Scene, Up};
use closefit_geometry::units::Unit;
use compiler::Compiler;
use defaults::Defaults;
use files::Files;

/// Elements that make bodies of others, and are not read.
const REFUSED: [&str; 4] = ["replicate", "attach", "composite", "flexcomp"];

/// Reads a model and the files that it refers to.
pub(super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let texts = files::Texts::load(bytes, source)?;
    let documents = texts.parse()?;
    let files = Files::new(&texts, &documents);
    let mut scene = Scene { unit: Some(Unit::M), up: Some(Up::Z), ..Scene::default() };
    files.each(|node| match REFUSED.iter().any(|name| node.has_tag_name(*name)) {
        true => Err(Fault::Unsupported(format!("{}: <{}> is", place_of(node), node.tag_name().name()))),
        false => Ok(()),
    })?;
    let compiler = Compiler::read(&files)?;
    let defaults = Defaults::read(&files)?;
    let assets = Assets::read(&files, &compiler, &defaults, source)?;
    let model = Model { files: &files, compiler, defaults, assets };
    let mut bodies = Bodies::read(&model, source)?;
    equality::apply(&model, &mut bodies.robot, &mut scene.notes)?;
    let takes_collision = bodies.choose(source);
    let robot = &bodies.robot;
    robot.refuse_other_than_trees()?;
    let trajectory = source.robot.trajectory.as_ref();
    let values = robot.values(trajectory, source.memory)?;
    robot.note_values(&values, trajectory, &mut scene.notes);
    let places = robot.places(&values, trajectory, &mut scene, source.memory)?;
    let mut meshes = Meshes::new(source, files.root());
    let placed = robot.add_parts(&bodies.shapes, &places, source, &mut meshes, &mut scene)?;
    if placed.parts.is_empty() && scene.left_out.parts == 0 {
        return Err(Fault::Scene(bodies.told()));
    }
    contacts::exclude(&model, &bodies, &placed, takes_collision, source.memory, &mut scene)?;
    bodies.add_notes(takes_collision, &mut scene.notes);
    let data = bodies.robot.as_data(source, placed.parts, placed.partly_read);
    let lacks_collision = bodies.has_collision && !takes_collision;
    scene.robots.push(closefit_geometry::scene::Robot { lacks_collision, ..data });
    Ok(scene)
}

/// A model, before its bodies.
struct Model<'a> {
    files: &'a Files<'a>,
    compiler: Compiler,
    defaults: Defaults<'a>,
    assets: Assets,
}

/// Returns the words for a list of names in a note.
fn names_of(names: &[String]) -> String {
    some_of(&names.iter().map(|name| &name[..]).collect::<Vec<_>>())
}

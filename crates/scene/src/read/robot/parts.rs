//! The shapes on the links of a robot, as parts of a scene.

use std::borrow::Cow;
use std::sync::Arc;

use roxmltree::Node;

use super::super::error::Fault;
use super::super::missing::Missing;
use super::super::place::Place;
use super::super::solids::Solid;
use super::super::xml::at_element;
use super::super::{MOST_PARTS, Source};
use super::Robot;
#[cfg(feature = "mjcf")]
use super::fit::{FitKind, fitted};
use super::meshes::Meshes;
use closefit_geometry::ids::{MeshId, PartId, to_u32};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::scene::excluded::{GroupId, SAME_LINK};
use closefit_geometry::scene::robot::RobotPart;
use closefit_geometry::scene::{Part, Scene};

/// A shape on a link.
pub(in super::super) struct Shape<'a> {
    /// The name of its part.
    pub name: String,
    /// The path of its part.
    pub path: String,
    pub form: Form<'a>,
    /// The pose on the link, with the scale of a mesh.
    pub pose: Pose,
    /// The element that a fault names.
    pub node: Node<'a, 'a>,
}

/// The form of a shape.
pub(in super::super) enum Form<'a> {
    /// The mesh of a file, by the address that the robot's file gives.
    File(Cow<'a, str>),
    /// A primitive.
    Solid(Solid),
    /// A primitive fitted to the mesh of a file.
    #[cfg(feature = "mjcf")]
    Fitted(Box<Fit<'a>>),
}

/// A primitive that is fitted to the mesh of a file.
#[cfg(feature = "mjcf")]
pub(in super::super) struct Fit<'a> {
    pub file: Cow<'a, str>,
    pub kind: FitKind,
    /// The pose that takes the mesh to the frame of the shape.
    pub pose: Pose,
    /// The factor of its sizes.
    pub scale: f64,
}

/// The shapes on one link.
#[derive(Default)]
pub(in super::super) struct LinkShapes<'a> {
    pub shapes: Vec<Shape<'a>>,
    /// The number of others that are not read.
    pub left_out: usize,
}

/// The parts of a robot.
pub(in super::super) struct Placed {
    /// Their places on the robot, each with the index of its link.
    pub parts: Vec<RobotPart>,
    /// The place of each part's shape among all shapes of all links.
    #[cfg_attr(not(feature = "mjcf"), expect(dead_code, reason = "masks are MJCF's"))]
    pub shapes: Vec<usize>,
    /// The names of the links that lack some of their shapes.
    pub partly_read: Vec<String>,
    /// The group of the parts of each link, which exclude each other.
    pub groups: Vec<GroupId>,
}

impl Robot<'_> {
    /// Adds the parts of all links to a scene.
    pub fn add_parts(
        &self,
        links: &[LinkShapes],
        places: &[Option<Place>],
        source: &Source,
        meshes: &mut Meshes,
        scene: &mut Scene,
    ) -> Result<Placed, Fault> {
        let (mut missing, mut curved) = (Missing::default(), 0);
        let (mut parts, mut groups, mut partly_read) = (Vec::new(), Vec::new(), Vec::new());
        let (mut shapes, mut number) = (Vec::new(), 0);
        for (i, of_link) in links.iter().enumerate() {
            let first = to_u32(scene.parts.len());
            scene.left_out.shapes += of_link.left_out as u64;
            for shape in &of_link.shapes {
                number += 1;
                if scene.parts.len() == MOST_PARTS {
                    return Err(Fault::Scene(format!("there are more than {MOST_PARTS} parts")));
                }
                let (mesh, solid, pose) = match made(shape, meshes, scene) {
                    Ok(made) => made,
                    Err(fault) => {
                        missing.add(at_element(fault, shape.node), 1)?;
                        continue;
                    }
                };
                let place = Place::standing(&mut scene.frames, places[i].as_ref(), pose)
                    .map_err(|fault| at_element(fault, shape.node))?;
                let file: Arc<str> = match &shape.form {
                    Form::File(file) => file[..].into(),
                    _ => source.name.into(),
                };
                let chord = solid.map_or(0.0, |solid| solid.chord(source.options.chord()));
                curved += usize::from(chord > 0.0);
                let part = Part {
                    file,
                    path: shape.path[..].into(),
                    frame: place.frame,
                    chord,
                    ..Part::new(&shape.name[..], mesh, place.start)
                };
                let id = PartId(to_u32(scene.parts.len()));
                parts.push(RobotPart { part: id, link: Some(i), local: pose });
                shapes.push(number - 1);
                source.memory.take(1, part.bytes(), || format!("{} parts", parts.len()))?;
                scene.parts.push(part);
            }
            let end = to_u32(scene.parts.len());
            if ((end - first) as usize) < of_link.shapes.len() + of_link.left_out {
                partly_read.push(self.names[i].clone());
            }
            let group = scene.excluded.group(first..end);
            scene.excluded.exclude_groups(group, group, SAME_LINK);
            groups.push(group);
        }
        missing.leave_out(source.options.allow_missing, scene)?;
        scene.notes.extend(source.options.note_on_curved(curved));
        Ok(Placed { parts, shapes, partly_read, groups })
    }
}

/// Returns the mesh of a shape, the primitive that it stands for, if it does, and its pose on the link.
fn made(
    shape: &Shape,
    meshes: &mut Meshes,
    scene: &mut Scene,
) -> Result<(MeshId, Option<Solid>, Pose), Fault> {
    match &shape.form {
        Form::File(file) => {
            let mesh = meshes.get(file, scene).map_err(|fault| fault.in_file(file))?;
            Ok((mesh, None, shape.pose))
        }
        Form::Solid(solid) => Ok((meshes.of_solid(*solid, scene)?, Some(*solid), shape.pose)),
        #[cfg(feature = "mjcf")]
        Form::Fitted(fit) => {
            let fitted =
                meshes.apart(&fit.file).and_then(|mesh| fitted(fit.kind, &mesh, &fit.pose, fit.scale));
            let (solid, at) = fitted.map_err(|fault| fault.in_file(&fit.file))?;
            Ok((meshes.of_solid(solid, scene)?, Some(solid), Pose::compose(&shape.pose, &at)))
        }
    }
}

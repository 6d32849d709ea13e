//! 3MF: the items of the build are parts, with the meshes of their objects.
//!
//! Objects that consist of others are followed, and so are paths to other model files of the package
//! (production extension). Supports are left out with a note. Materials and slices do not change a mesh; an
//! extension that does, such as a beam lattice, is an error that names it. z is up.
//!
//! The reader is based on `zip` and `roxmltree`.

mod model;
mod package;

use std::collections::HashMap;
use std::sync::Arc;

use super::error::{Fault, clip};
use super::missing::Missing;
use super::xml::{ELEMENTS, document, place_of, take_elements};
use super::{MOST_PARTS, Source, finite, path_below};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::scene::{Part, Scene, Up};
use closefit_geometry::units::Unit;
use model::{Model, Object, ObjectName, Placed, Shape, check_extensions};
use package::Package;

/// Reads a file.
pub(super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let mut package = Package::open(bytes, source.memory)?;
    let first: Arc<str> = package.first_model()?.into();
    let mut scene = Scene { up: Some(Up::Z), ..Scene::default() };
    let mut models = Models { package, source, known: HashMap::new(), unit: None };
    models.load(&first, true, &mut scene)?;
    let (unit, scale) = models.unit.unwrap_or_default().of_scene();
    scene.unit = Some(unit);
    Walk { models, missing: Missing::default(), supports: 0, visited: 0 }.run(&first, scale, scene)
}

/// A unit of 3MF.
#[derive(Clone, Copy, Default, PartialEq)]
enum ModelUnit {
    Micron,
    #[default]
    Millimetre,
    Centimetre,
    Inch,
    Foot,
    Metre,
}

impl ModelUnit {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "micron" => Self::Micron,
            "millimeter" => Self::Millimetre,
            "centimeter" => Self::Centimetre,
            "inch" => Self::Inch,
            "foot" => Self::Foot,
            "meter" => Self::Metre,
            _ => return None,
        })
    }

    /// Returns the unit of the scene, and the pose that takes the model there.
    fn of_scene(self) -> (Unit, Pose) {
        let unit = match self {
            Self::Micron => {
                let scale = Pose::from_trs([0.0, 0.0, 0.0, 1.0], [1e-3; 3], [0.0; 3]);
                return (Unit::Mm, scale.expect("of length 1"));
            }
            Self::Millimetre => Unit::Mm,
            Self::Centimetre => Unit::Cm,
            Self::Inch => Unit::In,
            Self::Foot => Unit::Ft,
            Self::Metre => Unit::M,
        };
        (unit, Pose::IDENTITY)
    }
}

/// The model files of a package, each read once.
struct Models<'a> {
    package: Package<'a>,
    source: &'a Source<'a>,
    known: HashMap<Arc<str>, Model>,
    /// The unit of the first.
    unit: Option<ModelUnit>,
}

impl Models<'_> {
    /// Reads a model file, unless it is known.
    fn load(&mut self, path: &Arc<str>, is_first: bool, scene: &mut Scene) -> Result<(), Fault> {
        if self.known.contains_key(path) {
            return Ok(());
        }
        let text = self.package.read(path)?;
        let model = self.read(&text, path, is_first, scene).map_err(|fault| fault.in_file(path))?;
        self.source.memory.give_back(text.len(), 1 + ELEMENTS);
        self.known.insert(path.clone(), model);
        Ok(())
    }

    fn read(
        &mut self,
        text: &str,
        path: &Arc<str>,
        is_first: bool,
        scene: &mut Scene,
    ) -> Result<Model, Fault> {
        take_elements(text.as_bytes(), self.source.memory)?;
        let document = document(text)?;
        let root = document.root_element();
        if root.tag_name().name() != "model" {
            let found = clip(root.tag_name().name());
            return Err(Fault::at(place_of(root), format!("<{found}> instead of <model>")));
        }
        check_extensions(root)?;
        let name = root.attribute("unit").unwrap_or("millimeter");
        let unit = ModelUnit::named(name.trim())
            .ok_or_else(|| Fault::at("unit", format!("'{}' is no unit of 3MF", clip(name))))?;
        if *self.unit.get_or_insert(unit) != unit {
            return Err(Fault::at("unit", format!("'{}' is not the unit of the first model", clip(name))));
        }
        Model::read(root, (path, is_first), self.source, scene)
    }

    fn object(&mut self, (path, id): &ObjectName, scene: &mut Scene) -> Result<&Object, Fault> {
        self.load(path, false, scene)?;
        let found = self.known[path].objects.get(id);
        found.ok_or_else(|| Fault::Scene(format!("there is no object '{}'", clip(id))).in_file(path))
    }
}

/// An object that is to be visited.
struct Open {
    object: ObjectName,
    pose: Pose,
    /// The name of the nearest object around it that has one, and the path of the one around it.
    name: Arc<str>,
    path: Arc<str>,
    /// The use of the outermost object that has one.
    kind: Option<String>,
}

/// A traversal of the build.
struct Walk<'a> {
    models: Models<'a>,
    missing: Missing,
    supports: usize,
    visited: usize,
}

impl Walk<'_> {
    fn run(mut self, first: &Arc<str>, scale: Pose, mut scene: Scene) -> Result<Scene, Fault> {
        let items = &self.models.known[first].items;
        let item = |placed: &Placed| -> Result<Open, Fault> {
            let pose = finite(Pose::compose(&scale, &placed.pose))?;
            let (object, blank) = (placed.object.clone(), Arc::from(""));
            Ok(Open { object, pose, name: Arc::clone(&blank), path: blank, kind: None })
        };
        let mut open: Vec<Open> = items.iter().rev().map(item).collect::<Result<_, _>>()?;
        while let Some(next) = open.pop() {
            self.visited += 1;
            if self.visited > MOST_PARTS {
                return Err(Fault::Scene(format!("there are more than {MOST_PARTS} objects in the build")));
            }
            let within = self.visit(next, &mut scene)?;
            open.extend(within.into_iter().rev());
        }
        if self.supports > 0 {
            scene
                .notes
                .push(format!("supports and other objects that are no models left out: {}", self.supports));
        }
        self.missing.leave_out(self.models.source.options.allow_missing, &mut scene)?;
        Ok(scene)
    }

    /// Adds the part of an object with a mesh. Returns the components of another.
    fn visit(&mut self, open: Open, scene: &mut Scene) -> Result<Vec<Open>, Fault> {
        let object = self.models.object(&open.object, scene)?;
        let kind = open.kind.or_else(|| object.kind.clone());
        let name = if object.name.is_empty() { open.name } else { object.name.clone() };
        let own = match &object.name[..] {
            "" => format!("object {}", open.object.1),
            name => name.to_owned(),
        };
        let path: Arc<str> = path_below(&open.path, &own).into();
        let mesh = match &object.shape {
            Shape::Components(components) => {
                let within = |placed: &Placed| -> Result<Open, Fault> {
                    let pose = finite(Pose::compose(&open.pose, &placed.pose))?;
                    let (object, name, path) = (placed.object.clone(), name.clone(), path.clone());
                    Ok(Open { object, pose, name, path, kind: kind.clone() })
                };
                return components.iter().map(within).collect();
            }
            Shape::Mesh(mesh) => mesh.clone(),
        };
        let is_surface = match kind.as_deref() {
            None => false,
            Some("surface") => true,
            Some(_) => {
                self.supports += 1;
                return Ok(Vec::new());
            }
        };
        let mesh = match mesh {
            Ok(mesh) => mesh,
            Err(why) => {
                self.missing.add(Fault::Scene(why), 1)?;
                return Ok(Vec::new());
            }
        };
        let name = if name.is_empty() { own.into() } else { name };
        let source = self.models.source;
        let part = Part { file: source.name.into(), path, is_surface, ..Part::new(name, mesh, open.pose) };
        let parts = scene.parts.len() + 1;
        source.memory.take(1, part.bytes(), || format!("{parts} parts"))?;
        scene.parts.push(part);
        Ok(Vec::new())
    }
}

//! Whole scenes that a manifest places: their parts, motions and exclusions come along.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use super::error::{Fault, clip};
use super::folder::Folder;
use super::place::Place;
use super::{Format, LONGEST_PATH, MOST_PARTS, Robot, Source, check_name, parse};
use closefit_geometry::ids::{MeshId, to_u32};
use closefit_geometry::math::pose::{Pose, stretch};
use closefit_geometry::motion::FrameId;
use closefit_geometry::scene::{Part, Scene};
use closefit_geometry::units::Unit;

/// The largest number of scenes within each other.
const DEEPEST: usize = 16;

/// A part of a manifest that stands for a whole scene.
pub(super) struct Group<'a> {
    /// Its name, with which the names of the scene's parts begin.
    pub name: &'a str,
    /// Its path in the manifest.
    pub path: String,
    /// Tags for all parts, before their own.
    pub tags: &'a [String],
    /// True if all parts are declared surfaces.
    pub is_surface: bool,
    /// Its place.
    pub place: Place,
}

/// The scenes that a manifest places; each file is read once, and its places share the meshes.
pub(super) struct PlacedScenes<'a> {
    source: &'a Source<'a>,
    /// Each scene, with the number of meshes before its own.
    known: HashMap<String, (Rc<Scene>, u32)>,
}

impl<'a> PlacedScenes<'a> {
    pub fn new(source: &'a Source<'a>) -> Self {
        Self { source, known: HashMap::new() }
    }

    /// Adds the parts of a scene file, converted to the unit of the manifest.
    ///
    /// # Errors
    /// [`Fault`] if the file cannot be read, if it places a scene that it is part of, or if its unit cannot
    /// be converted.
    pub fn add(&mut self, file: &str, group: &Group, scene: &mut Scene) -> Result<(), Fault> {
        let (one, meshes_before) = self.known(file, scene).map_err(|fault| fault.in_file(file))?;
        let scale = scale(one.unit, scene.unit).map_err(|fault| fault.in_file(file))?;
        let place = match scale {
            None => group.place,
            Some(scale) => Place::standing(&mut scene.frames, Some(&group.place), scale)?,
        };
        let longer = stretch(&place.start.linear());
        let scaled = |length: f64| if length > 0.0 { length * longer } else { 0.0 };
        let frames_before = place.carry(&mut scene.frames, &one.frames)?;
        if scene.parts.len() + one.parts.len() > MOST_PARTS {
            return Err(Fault::Scene(format!("there are more than {MOST_PARTS} parts")));
        }
        scene.excluded.append(one.excluded.clone(), to_u32(scene.parts.len()));
        scene.left_out.add(one.left_out);
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        for part in &one.parts {
            let name = format!("{}/{}", group.name, part.name);
            check_name(&name)?;
            let (start, frame) = match part.frame {
                None => {
                    let placed = Place::standing(&mut scene.frames, Some(&place), part.pose)?;
                    (placed.start, placed.frame)
                }
                Some(FrameId(frame)) => {
                    let start = super::finite(Pose::compose(&place.start, &part.pose))?;
                    (start, Some(FrameId(frames_before + frame)))
                }
            };
            let part = Part {
                name: name.into(),
                file: folder.join(&*part.file).to_string_lossy().into(),
                path: joined(&group.path, &part.path).into(),
                tags: if group.tags.is_empty() {
                    part.tags.clone()
                } else {
                    [group.tags, &part.tags[..]].concat().into()
                },
                is_surface: part.is_surface || group.is_surface,
                chord: scaled(part.chord),
                deflection: scaled(part.deflection),
                mesh: MeshId(meshes_before + part.mesh.0),
                pose: start,
                frame,
                ..part.clone()
            };
            let parts = scene.parts.len() + 1;
            self.source.memory.take(1, part.bytes(), || format!("{parts} parts"))?;
            scene.parts.push(part);
        }
        Ok(())
    }

    fn known(&mut self, file: &str, scene: &mut Scene) -> Result<(Rc<Scene>, u32), Fault> {
        if let Some(known) = self.known.get(file) {
            return Ok(known.clone());
        }
        let one = read(file, self.source)?;
        let before = to_u32(scene.meshes.len());
        scene.meshes.extend(one.meshes.iter().map(Arc::clone));
        scene.notes.extend(one.notes.iter().map(|note| format!("{}: {note}", clip(file))));
        let known = (Rc::new(one), before);
        self.known.insert(file.to_owned(), known.clone());
        Ok(known)
    }
}

/// Reads a scene file that another one places. Robots stand at zero there, with their visual meshes.
fn read(file: &str, source: &Source) -> Result<Scene, Fault> {
    let format = Format::of(file)?;
    let outer = source.folder()?;
    let bytes = outer.read(file)?;
    let path = outer.join(file);
    let own = outer.files().canonical(&path)?;
    if source.within.contains(&own) {
        return Err(Fault::Scene("it is a scene that this one is part of".to_owned()));
    }
    if source.within.len() == DEEPEST {
        return Err(Fault::Scene(format!("more than {DEEPEST} scenes are within each other")));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let within = source.within.iter().cloned().chain([own]).collect();
    let folder = Folder::of(&path, outer.files(), outer.options(), source.memory);
    let robot = &Robot::default();
    let inner = Source { name: &name, folder: Some(&folder), within, robot, ..*source };
    let scene = parse(format, &bytes, &inner)?;
    source.memory.give_back(bytes.len(), 1);
    Ok(scene)
}

/// Returns the pose that takes lengths of a scene to the unit of the manifest, if that changes anything.
fn scale(from: Option<Unit>, to: Option<Unit>) -> Result<Option<Pose>, Fault> {
    match (from, to) {
        (Some(from), Some(to)) if from != to => {
            let pose = Pose::from_trs([0.0, 0.0, 0.0, 1.0], [from.in_terms_of(to); 3], [0.0; 3]);
            Ok(Some(pose.expect("the quaternion has length 1")))
        }
        (Some(from), None) => {
            let why =
                format!("it is in {from}, but the manifest has no unit: add \"unit\": \"{from}\" or another");
            Err(Fault::Scene(why))
        }
        _ => Ok(None),
    }
}

/// Returns the path of a part of a placed scene; beyond the limit, the outermost nodes are left out.
fn joined(outer: &str, inner: &str) -> String {
    if outer.len() + inner.len() > LONGEST_PATH { format!("/...{inner}") } else { format!("{outer}{inner}") }
}

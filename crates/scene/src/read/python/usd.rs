//! USD, composed by its own library: meshes, primitives and their instances, in metres.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Arc;

use serde::Deserialize;

use super::super::error::{Fault, clip};
use super::super::faces::Faces;
use super::super::missing::Missing;
use super::super::solids::{Solid, SolidMeshes};
use super::super::{MOST_PARTS, Source, check_name, cut_path, finite};
use closefit_geometry::ids::MeshId;
use closefit_geometry::math::pose::{Pose, stretch};
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::{Part, Scene, Up};
use closefit_geometry::units::Unit;
use glam::DVec3;

/// A composed stage.
#[derive(Deserialize)]
struct Stage {
    up: Up,
    /// The files of its other layers.
    layers: Vec<String>,
    notes: Vec<String>,
    /// The number of shapes of kinds that are not read.
    left_out: u64,
    meshes: Vec<Sizes>,
    parts: Vec<Placed>,
}

/// A mesh, whose numbers follow the value: coordinates as f64; as i32 the number of corners of each face, and
/// all corners.
#[derive(Deserialize)]
struct Sizes {
    /// The prim that has it.
    path: String,
    /// True if its faces are clockwise, seen from outside.
    left_handed: bool,
    points: usize,
    faces: usize,
    corners: usize,
}

/// A prim with a surface.
#[derive(Deserialize)]
struct Placed {
    name: String,
    path: String,
    form: Form,
    /// The rows of the matrix that takes it to the world, in metres.
    pose: [[f64; 4]; 3],
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    /// A mesh by its number.
    Mesh(usize),
    /// Half of its extents.
    Box([f64; 3]),
    Sphere(f64),
    /// Radius, and half of the length.
    Cylinder(f64, f64),
    /// Radius, and half of the length between the centres of its ends.
    Capsule(f64, f64),
    /// Radius, and half of the length; the apex is up.
    Cone(f64, f64),
}

/// Reads a stage; of files in memory only one without other layers.
pub(in super::super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let (path, bytes): (OsString, &[u8]) = match source.folder.filter(|folder| folder.files().are_on_disk()) {
        Some(folder) => (folder.path().join(source.name).into(), &[]),
        None => (source.name.into(), bytes),
    };
    let found: super::Found<Stage> = super::read("usd", "USD", &path, bytes, source)?;
    let stage = found.value;
    // They are composed already, but are refused like other files that a scene names.
    for layer in &stage.layers {
        let bytes = source.folder()?.read(layer).map_err(|fault| fault.in_file(layer))?;
        source.memory.give_back(bytes.len(), 1);
    }
    let mut scene = Scene { unit: Some(Unit::M), up: Some(stage.up), notes: stage.notes, ..Scene::default() };
    scene.left_out.shapes = stage.left_out;
    if stage.parts.len() > MOST_PARTS {
        return Err(Fault::Scene(format!("there are more than {MOST_PARTS} parts")));
    }
    let meshes = meshes(&stage.meshes, &found.bytes, source, &mut scene.notes)?;
    source.memory.give_back(found.bytes.len(), 1);
    let mut builder = Builder { source, meshes, known: HashMap::new(), solids: SolidMeshes::default() };
    let mut missing = Missing::default();
    for placed in stage.parts {
        let (name, path) = (placed.name.clone(), placed.path.clone());
        if let Err(fault) = builder.add(placed, &mut scene) {
            missing.add(fault.in_part(&name, &clip(&path)), 1)?;
        }
    }
    missing.leave_out(source.options.allow_missing, &mut scene)?;
    let curved = scene.parts.iter().filter(|part| part.chord > 0.0).count();
    scene.notes.extend(source.options.note_on_curved(curved));
    Ok(scene)
}

/// A mesh that was read, or why it cannot be.
type Read = Result<Arc<Mesh>, String>;

/// Returns the meshes whose numbers follow the value.
fn meshes(
    sizes: &[Sizes],
    bytes: &[u8],
    source: &Source,
    notes: &mut Vec<String>,
) -> Result<Vec<Read>, Fault> {
    let mut rest = bytes;
    let cut_short = || Fault::Scene("USD failed: its meshes ended early".to_owned());
    let mut read = Vec::with_capacity(sizes.len());
    for sizes in sizes {
        let mut next = |count: usize, size: usize| {
            let length = count.checked_mul(size).ok_or_else(cut_short)?;
            let (taken, left) = rest.split_at_checked(length).ok_or_else(cut_short)?;
            rest = left;
            Ok::<_, Fault>(taken)
        };
        let points = next(sizes.points, size_of::<[f64; 3]>())?;
        let integers = next(sizes.faces.saturating_add(sizes.corners), size_of::<i32>())?;
        let floats: Vec<f64> = points.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        let integers: Vec<i32> =
            integers.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect();
        let vertices: Vec<DVec3> =
            floats.as_chunks().0.iter().map(|&point| DVec3::from_array(point)).collect();
        let (counts, corners) = integers.split_at(sizes.faces);
        let mut own = Vec::new();
        let mesh = surface(&vertices, (counts, corners, sizes.left_handed), source.memory, &mut own);
        notes.extend(own.into_iter().map(|note| format!("{}: {note}", clip(&sizes.path))));
        match mesh {
            Err(fault) if fault.is_about_memory() => return Err(fault),
            mesh => read.push(mesh.map(Arc::new).map_err(|fault| fault.to_string())),
        }
    }
    Ok(read)
}

/// Returns the mesh of faces with so many corners each, which may be clockwise. Faces of fewer than three
/// have no surface.
fn surface(
    vertices: &[DVec3],
    (counts, mut corners, left_handed): (&[i32], &[i32], bool),
    memory: &MemoryAccount,
    notes: &mut Vec<String>,
) -> Result<Mesh, Fault> {
    let negative = |what: &'static str, value: i32| Fault::at(what, format!("{value} is less than 0"));
    let mut faces = Faces::default();
    for &count in counts {
        let length = usize::try_from(count).map_err(|_| negative("faceVertexCounts", count))?;
        let (face, rest) = corners
            .split_at_checked(length)
            .ok_or_else(|| Fault::at("faceVertexCounts", "they are more than faceVertexIndices"))?;
        corners = rest;
        let vertex = |&corner: &i32| u32::try_from(corner).map_err(|_| negative("faceVertexIndices", corner));
        let mut face: Vec<u32> = face.iter().map(vertex).collect::<Result<_, _>>()?;
        if left_handed {
            face.reverse();
        }
        if face.len() > 2 {
            faces.push_polygon(&face);
        }
    }
    if !corners.is_empty() {
        return Err(Fault::at("faceVertexCounts", "they are fewer than faceVertexIndices"));
    }
    let mesh = Mesh::new(vertices, &faces.into_triangles(vertices, notes, memory)?)?;
    memory.take(mesh.bytes(), 1, || format!("a mesh of {} triangles", mesh.triangles().len()))?;
    Ok(mesh)
}

/// Parts in the making.
struct Builder<'a> {
    source: &'a Source<'a>,
    meshes: Vec<Read>,
    /// The meshes that parts have, by their number.
    known: HashMap<usize, MeshId>,
    solids: SolidMeshes,
}

impl Builder<'_> {
    fn add(&mut self, placed: Placed, scene: &mut Scene) -> Result<(), Fault> {
        let Placed { name, path, form, pose } = placed;
        check_name(&name)?;
        let pose = finite(Pose { rows: pose })?;
        let (mesh, chord) = match form {
            Form::Mesh(number) => (self.mesh(number, scene)?, 0.0),
            Form::Box([x, y, z]) => self.solid(Solid::Box(DVec3::new(x, y, z)), &pose, scene)?,
            Form::Sphere(radius) => self.solid(Solid::Sphere(radius), &pose, scene)?,
            Form::Cylinder(radius, half) => self.solid(Solid::Cylinder(radius, half), &pose, scene)?,
            Form::Capsule(radius, half) => self.solid(Solid::Capsule(radius, half), &pose, scene)?,
            Form::Cone(radius, half) => self.solid(Solid::Cone(radius, half), &pose, scene)?,
        };
        let file = self.source.name.into();
        let part = Part { file, path: cut_path(&path).into(), chord, ..Part::new(name, mesh, pose) };
        self.source.memory.take(1, part.bytes(), || format!("the part '{}'", clip(&part.name)))?;
        scene.parts.push(part);
        Ok(())
    }

    fn mesh(&mut self, number: usize, scene: &mut Scene) -> Result<MeshId, Fault> {
        if let Some(&id) = self.known.get(&number) {
            return Ok(id);
        }
        let mesh =
            self.meshes.get(number).ok_or_else(|| Fault::at("mesh", format!("there is no {number}")))?;
        let mesh = mesh.as_ref().map_err(|why| Fault::Scene(why.clone()))?;
        let id = scene.add_mesh(Arc::clone(mesh));
        self.known.insert(number, id);
        Ok(id)
    }

    /// Returns the mesh of a primitive that a pose stretches, and its chord in the world.
    fn solid(&mut self, solid: Solid, pose: &Pose, scene: &mut Scene) -> Result<(MeshId, f64), Fault> {
        let chord = solid.chord(self.source.options.chord());
        let own = self.source.options.chord() / stretch(&pose.linear());
        if !(own.is_finite() && own > 0.0) {
            return Err(Fault::at(solid.word(), "its scale is 0 or too large"));
        }
        Ok((self.solids.get(solid, own, self.source.memory, scene)?, chord))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_less_than_zero_are_named_as_they_are_in_the_file() {
        let told = |counts: &[i32], corners: &[i32]| {
            let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y];
            let memory = MemoryAccount::new(None);
            let mesh = surface(&vertices, (counts, corners, false), &memory, &mut Vec::new());
            mesh.map(|mesh| mesh.triangles().len()).map_err(|fault| fault.to_string())
        };
        assert_eq!(told(&[3], &[0, 1, 2]), Ok(1));
        assert_eq!(told(&[3], &[0, 1, -1]), Err("faceVertexIndices: -1 is less than 0".to_owned()));
        assert_eq!(told(&[3, -4], &[0, 1, 2]), Err("faceVertexCounts: -4 is less than 0".to_owned()));
    }
}

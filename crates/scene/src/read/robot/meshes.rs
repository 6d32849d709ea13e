//! The meshes of a robot: each file is read once, and equal primitives share one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
#[cfg(feature = "mjcf")]
use std::sync::Arc;

use super::super::error::{Fault, clip};
use super::super::folder::Folder;
use super::super::solids::{Solid, SolidMeshes};
use super::super::{Format, MeshFormat, Source, obj, parse, parse_mesh};
use super::package::{self, InPackage};
use closefit_geometry::hull::convex_hull::Hull;
use closefit_geometry::ids::{MeshId, to_u32};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::Scene;
use glam::DVec3;
use roxmltree::Node;

/// The meshes of a robot, read so far.
pub(in super::super) struct Meshes<'a> {
    source: &'a Source<'a>,
    /// True to take the hulls of meshes.
    takes_hulls: bool,
    /// True if all addresses that begin in a package begin in the same.
    is_only_package: bool,
    known: HashMap<PathBuf, MeshId>,
    /// Why files cannot be read.
    refused: HashMap<String, String>,
    solids: SolidMeshes,
}

impl<'a> Meshes<'a> {
    /// Creates the meshes of a robot with this root element.
    pub fn new(source: &'a Source<'a>, root: Node) -> Self {
        let is_only_package = package::is_only_one(root);
        let (known, refused, solids) = (HashMap::new(), HashMap::new(), SolidMeshes::default());
        let takes_hulls = source.options.hulls;
        Self { source, takes_hulls, is_only_package, known, refused, solids }
    }

    /// Returns the mesh of a primitive, which equal ones share.
    pub fn of_solid(&mut self, solid: Solid, scene: &mut Scene) -> Result<MeshId, Fault> {
        self.solids.get(solid, self.source.options.chord(), self.source.memory, scene)
    }

    /// Returns the mesh of a file that no part has, as its surface. It is read each time.
    #[cfg(feature = "mjcf")]
    pub fn apart(&self, file: &str) -> Result<Arc<Mesh>, Fault> {
        let (known, refused, solids) = (HashMap::new(), HashMap::new(), SolidMeshes::default());
        let mut alone = Self { takes_hulls: false, known, refused, solids, ..*self };
        let mut scene = Scene::default();
        let mesh = alone.read(file, &mut scene)?;
        let mesh = Arc::clone(&scene.meshes[mesh.index()]);
        self.source.memory.give_back(mesh.bytes(), 1);
        Ok(mesh)
    }

    /// Returns the mesh of a file, which is read, or refused, once.
    pub fn get(&mut self, file: &str, scene: &mut Scene) -> Result<MeshId, Fault> {
        if let Some(why) = self.refused.get(file) {
            return Err(Fault::Scene(why.clone()));
        }
        self.read(file, scene).inspect_err(|fault| {
            self.refused.insert(file.to_owned(), fault.to_string());
        })
    }

    fn read(&mut self, file: &str, scene: &mut Scene) -> Result<MeshId, Fault> {
        let format = format_of(file)?;
        let folder = self.source.folder()?;
        let package = InPackage::find(file, self.is_only_package, folder)?;
        let plain = file.strip_prefix("file://").unwrap_or(file);
        let path = match &package {
            Some(package) => package.root.join(package.file),
            None if plain.contains("://") => return Err(Fault::Unsupported("such an address is".to_owned())),
            None => folder.join(plain),
        };
        let path = folder.files().canonical(&path).unwrap_or(path);
        if let Some(&mesh) = self.known.get(&path) {
            return Ok(mesh);
        }
        let bytes = match package {
            Some(package) => folder.read_below(&package.root, package.file),
            None => folder.read(plain),
        }?;
        let mut own = Vec::new();
        let mesh = match format {
            Format::Mesh(format) if self.takes_hulls => {
                let mesh = parse_mesh(format, &bytes, &mut own, self.source.memory)?;
                // MuJoCo takes the hull of all vertices, whether a face uses them or not.
                let unused = if format == MeshFormat::Obj { obj::vertices(&bytes)? } else { Vec::new() };
                hull(&[mesh.vertices(), &unused].concat())?
            }
            Format::Mesh(format) => parse_mesh(format, &bytes, &mut own, self.source.memory)?,
            format => match self.of_scene(format, &bytes, &path, &mut own)? {
                mesh if self.takes_hulls => hull(mesh.vertices())?,
                mesh => mesh,
            },
        };
        self.source.memory.give_back(bytes.len(), 1);
        scene.notes.extend(own.into_iter().map(|note| format!("{}: {note}", clip(file))));
        let id = scene.add_mesh(mesh);
        self.known.insert(path, id);
        Ok(id)
    }

    /// Reads a scene as one mesh: all parts at their poses, in metres, along the axes of the file.
    fn of_scene(
        &self,
        format: Format,
        bytes: &[u8],
        path: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Mesh, Fault> {
        let outer = self.source.folder()?;
        let folder = Folder::of(path, outer.files(), outer.options(), self.source.memory);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let source = Source { name: &name, folder: Some(&folder), is_mesh: true, ..self.source.clone() };
        let scene = parse(format, bytes, &source)?;
        notes.extend(scene.notes.iter().cloned());
        let sizes = scene.parts.iter().map(|part| {
            let mesh = &scene.meshes[part.mesh.index()];
            mesh.vertices().len() + mesh.triangles().len()
        });
        let size = sizes.fold(0, usize::saturating_add);
        self.source.memory.take(size, ONE_BYTES, || format!("a mesh of {} parts", scene.parts.len()))?;
        let mesh = joined(&scene)?;
        let meshes: usize = scene.meshes.iter().map(|mesh| mesh.bytes()).sum();
        self.source.memory.give_back(size, ONE_BYTES);
        self.source.memory.give_back(meshes, 1);
        self.source
            .memory
            .take(mesh.bytes(), 1, || format!("a mesh of {} triangles", mesh.triangles().len()))?;
        Ok(mesh)
    }
}

/// Bytes of a vertex or a triangle while meshes are joined, twice.
const ONE_BYTES: usize = 48;

/// Returns the convex hull of points as a mesh; of points in a plane both sides of a polygon.
fn hull(points: &[DVec3]) -> Result<Mesh, Fault> {
    let refused = |why: &str| Fault::at("hull", why);
    let hull = Hull::of(points).ok_or_else(|| refused("a coordinate is not within 2^-200 and 2^200"))?;
    let mut triangles = hull.triangles();
    if triangles.is_empty() {
        return Err(refused("all points are on a line"));
    }
    if matches!(hull, Hull::Flat { .. }) {
        triangles.extend(triangles.clone().into_iter().map(|[a, b, c]| [a, c, b]));
    }
    Ok(Mesh::new(points, &triangles)?)
}

/// Returns the format of a file that is a mesh of a robot: a format of meshes, or of scenes without robots.
fn format_of(file: &str) -> Result<Format, Fault> {
    match Format::of(file) {
        Ok(format) if format.is_scene_of_meshes() => Ok(format),
        _ => MeshFormat::of(file).map(Format::Mesh),
    }
}

/// Joins the meshes of a scene's parts. What a pose mirrors is wound the other way, so that it stays inside
/// out or not.
fn joined(scene: &Scene) -> Result<Mesh, Fault> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for part in &scene.parts {
        let mesh = &scene.meshes[part.mesh.index()];
        let first = to_u32(vertices.len());
        vertices.extend(mesh.vertices().iter().map(|&vertex| part.pose.apply(vertex)));
        let is_mirrored = mirrors(&part.pose);
        triangles.extend(mesh.triangles().iter().map(|&corners| {
            let [a, b, c] = corners.map(|corner| first + corner);
            if is_mirrored { [a, c, b] } else { [a, b, c] }
        }));
    }
    Ok(Mesh::new(&vertices, &triangles)?)
}

fn mirrors(pose: &Pose) -> bool {
    pose.linear().determinant() < 0.0
}

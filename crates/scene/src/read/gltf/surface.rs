//! The triangles of a mesh: the triangles of its primitives, one after another.

use std::collections::{BTreeMap, HashMap};

use glam::DVec3;

use super::super::error::{Fault, clip};
use super::accessors::{Accessors, Component, Elements};
use super::document::{MeshEntry, Primitive};
use closefit_geometry::ids::to_u32;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::parallel;

/// Number of triangles that any file may have. Meshes may share accessors, so a small file can describe any
/// number of triangles. Beyond this number a file may have as many triangles as bytes; a triangle takes more
/// than one byte if nothing is shared.
const ALWAYS_ALLOWED: usize = 1 << 25;

/// Bytes per point of a mesh while it is welded, in addition to the mesh itself: the point as read, its
/// numbers before and after, an entry in the table of positions, and the spare room of lists that grow by
/// doubling.
const POINT_WELDED: usize = 72;
/// Bytes per triangle of a mesh while it is welded, in addition to the mesh itself: its corners as read.
const TRIANGLE_WELDED: usize = size_of::<[u32; 3]>();
/// Bytes that welding may take at a time, unless one mesh needs more.
const TOGETHER: usize = 1 << 27;

/// Finds the meshes of the document and counts what they leave out.
pub(super) struct MeshReader<'a> {
    pub accessors: Accessors<'a>,
    pub memory: &'a MemoryAccount,
    /// Total bytes of the document and its buffers.
    pub bytes: usize,
    pub triangles: usize,
    /// The number of primitives of points or lines, and the number of primitives of points alone.
    pub without_surface: usize,
    pub points: usize,
    pub morphed: usize,
    /// The meshes that are used, not read yet.
    pub found: Vec<Found<'a>>,
    /// The place in the list of each combination of accessors: meshes may differ by their materials only.
    places: HashMap<Vec<Shape>, usize>,
}

/// The accessors of a primitive, and its mode.
type Shape = (Option<usize>, Option<usize>, u32);

/// A mesh whose accessors are known to be valid.
pub(super) struct Found<'a> {
    /// Index of the mesh in the document, and of a node that has it.
    mesh: usize,
    pub node: usize,
    name: Option<&'a str>,
    /// The primitives with a surface, by their index.
    surfaces: Vec<(usize, TrianglePrimitive<'a>)>,
}

/// A primitive whose accessors are known to be valid.
struct TrianglePrimitive<'a> {
    mode: u32,
    /// The index of the accessor of its positions.
    accessor: usize,
    positions: Elements<'a>,
    indices: Option<Elements<'a>>,
    triangles: usize,
}

impl<'a> MeshReader<'a> {
    pub fn new(accessors: Accessors<'a>, memory: &'a MemoryAccount, bytes: usize) -> Self {
        Self {
            accessors,
            memory,
            bytes,
            triangles: 0,
            without_surface: 0,
            points: 0,
            morphed: 0,
            found: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// Returns the place in the list of a node's mesh, which it adds if it is not there; `None` if the mesh
    /// has only points and lines.
    pub fn find(&mut self, index: usize, node: usize) -> Result<Option<usize>, Fault> {
        let meshes = &self.accessors.document.meshes;
        let entry: &'a MeshEntry = meshes
            .get(index)
            .ok_or_else(|| Fault::at(format!("mesh {index}"), format!("there are only {}", meshes.len())))?;
        let name = entry.name.as_deref();
        let (mut surfaces, mut shapes) = (Vec::new(), Vec::new());
        for (i, primitive) in entry.primitives.iter().enumerate() {
            match primitive.mode.unwrap_or(4) {
                mode @ 0..4 => {
                    self.without_surface += 1;
                    self.points += usize::from(mode == 0);
                }
                mode => {
                    let surface = self.surface(primitive, mode).map_err(|why| fault(index, name, i, why))?;
                    self.morphed += usize::from(!primitive.targets.is_empty());
                    shapes.push((primitive.attributes.position, primitive.indices, mode));
                    surfaces.push((i, surface));
                }
            }
        }
        if surfaces.is_empty() && !entry.primitives.is_empty() {
            return Ok(None);
        }
        if let Some(&place) = self.places.get(&shapes) {
            return Ok(Some(place));
        }
        for (i, surface) in &surfaces {
            self.count(surface).map_err(|why| fault(index, name, *i, why))?;
        }
        let found = Found { mesh: index, node, name, surfaces };
        self.memory.take(found.bytes(), 1, || format!("meshes of {} triangles", self.triangles))?;
        self.places.insert(shapes, self.found.len());
        self.found.push(found);
        Ok(Some(self.found.len() - 1))
    }

    fn surface(&self, primitive: &Primitive, mode: u32) -> Result<TrianglePrimitive<'a>, String> {
        let position = primitive.attributes.position.ok_or("it has no POSITION")?;
        let compressed = primitive.extensions.draco.is_some()
            && self.accessors.document.accessors.get(position).is_some_and(|a| a.buffer_view.is_none());
        if compressed {
            return Err("KHR_draco_mesh_compression is not supported".to_owned());
        }
        let positions = self.accessors.get(position, "VEC3")?;
        if positions.component == Component::U32 {
            return Err(format!("accessor {position}: positions of 32-bit integers"));
        }
        let indices = primitive.indices.map(|i| indices(&self.accessors, i)).transpose()?;
        let count = indices.as_ref().map_or(positions.count, |indices| indices.count);
        let triangles = match mode {
            4 if count.is_multiple_of(3) => count / 3,
            4 => return Err(format!("{count} corners do not make triangles")),
            5 | 6 if count >= 3 => count - 2,
            5 | 6 => return Err(format!("a strip or fan of {count} corners")),
            _ => return Err(format!("unknown mode {mode}")),
        };
        Ok(TrianglePrimitive { mode, accessor: position, positions, indices, triangles })
    }

    /// Refuses meshes that would take memory out of proportion to the file.
    fn count(&mut self, surface: &TrianglePrimitive) -> Result<(), String> {
        self.triangles = self.triangles.saturating_add(surface.triangles);
        if self.triangles > ALWAYS_ALLOWED.max(self.bytes) || self.triangles > u32::MAX as usize / 3 {
            return Err(format!(
                "it brings the scene to {} triangles, too many for a file of {} bytes",
                self.triangles, self.bytes
            ));
        }
        Ok(())
    }
}

/// Returns a fault of a primitive of a mesh.
fn fault(mesh: usize, name: Option<&str>, primitive: usize, why: String) -> Fault {
    let name = name.map_or(String::new(), |name| format!(" '{}'", clip(name)));
    Fault::at(format!("mesh {mesh}{name}, primitive {primitive}"), why)
}

impl Found<'_> {
    fn triangles(&self) -> usize {
        self.surfaces.iter().map(|(_, surface)| surface.triangles).sum()
    }

    /// Returns the number of points that are read, at most.
    fn points(&self) -> usize {
        self.surfaces.iter().map(|(_, surface)| surface.positions.count.min(3 * surface.triangles)).sum()
    }

    /// Returns the bytes of the mesh, at most. Primitives that share an accessor share its vertices.
    fn bytes(&self) -> usize {
        let surfaces = self.surfaces.iter();
        let accessors: BTreeMap<_, _> = surfaces.map(|(_, s)| (s.accessor, s.positions.count)).collect();
        let vertices = accessors.values().sum::<usize>().min(3 * self.triangles());
        vertices * size_of::<DVec3>() + self.triangles() * size_of::<[u32; 3]>()
    }

    /// Returns the bytes that welding the mesh takes in addition to the mesh, at most.
    fn bytes_to_weld(&self) -> usize {
        self.points() * POINT_WELDED + self.triangles() * TRIANGLE_WELDED
    }

    /// Reads and welds the mesh.
    fn read(&self) -> Result<Mesh, Fault> {
        let mut points = Vec::with_capacity(self.points());
        let mut triangles = Vec::with_capacity(self.triangles());
        for (i, surface) in &self.surfaces {
            surface
                .append(&mut points, &mut triangles)
                .map_err(|why| fault(self.mesh, self.name, *i, why))?;
        }
        Ok(Mesh::new(&points, &triangles)?)
    }
}

/// Reads and welds meshes in parallel, in their order, as many at a time as memory is set aside for.
///
/// # Errors
/// A fault if memory is too small. The faults of the meshes are in the list.
pub(super) fn read_all(found: &[Found], memory: &MemoryAccount) -> Result<Vec<Result<Mesh, Fault>>, Fault> {
    let total = found.iter().map(Found::bytes_to_weld).sum();
    let largest = found.iter().map(Found::bytes_to_weld).max().unwrap_or(0);
    let room = TOGETHER.min(total).max(largest);
    let triangles = || found.iter().map(Found::triangles).sum::<usize>();
    memory.take(room, 1, || format!("welding meshes of {} triangles", triangles()))?;
    let (mut meshes, mut rest) = (Vec::with_capacity(found.len()), found);
    while !rest.is_empty() {
        let mut taken = 0;
        let fits = |found: &&Found| {
            taken += found.bytes_to_weld();
            taken <= room
        };
        let (next, later) = rest.split_at(rest.iter().take_while(fits).count());
        meshes.extend(parallel::map_items(next, 1, Found::read));
        rest = later;
    }
    memory.give_back(room, 1);
    Ok(meshes)
}

impl TrianglePrimitive<'_> {
    /// Appends the triangles, wound as in the specification, section 3.7.2.1, and the points that they use.
    fn append(&self, points: &mut Vec<DVec3>, triangles: &mut Vec<[u32; 3]>) -> Result<(), String> {
        let count = self.positions.count;
        // Each vertex is read once, unless most of a list that other surfaces may share are not used.
        const UNREAD: u32 = u32::MAX;
        let mut numbers = if count <= 3 * self.triangles { vec![UNREAD; count] } else { Vec::new() };
        for t in 0..self.triangles {
            let mut corners = match self.mode {
                4 => [3 * t, 3 * t + 1, 3 * t + 2],
                5 => [t, t + 1 + t % 2, t + 2 - t % 2],
                _ => [t + 1, t + 2, 0],
            };
            for corner in &mut corners {
                let vertex = match &self.indices {
                    None => *corner,
                    Some(indices) => indices.get::<1>(*corner)[0] as usize,
                };
                if vertex >= count {
                    return Err(format!("triangle {t} uses vertex {vertex}, but there are {count} vertices"));
                }
                let known = numbers.get(vertex).copied().filter(|&number| number != UNREAD);
                let number = match known {
                    Some(number) => number,
                    None => {
                        points.push(self.point(vertex)?);
                        to_u32(points.len() - 1)
                    }
                };
                if let Some(known) = numbers.get_mut(vertex) {
                    *known = number;
                }
                *corner = number as usize;
            }
            triangles.push(corners.map(to_u32));
        }
        Ok(())
    }

    fn point(&self, vertex: usize) -> Result<DVec3, String> {
        let point: [f64; 3] = self.positions.get(vertex);
        match point.into_iter().find(|x| !x.is_finite()) {
            Some(value) => {
                Err(format!("vertex {vertex} has the coordinate {value}, which is not a finite number"))
            }
            None => Ok(point.into()),
        }
    }
}

fn indices<'a>(accessors: &Accessors<'a>, index: usize) -> Result<Elements<'a>, String> {
    let indices = accessors.get(index, "SCALAR")?;
    match indices.component {
        Component::U8 | Component::U16 | Component::U32 if !indices.normalized => Ok(indices),
        other => Err(format!("accessor {index}: indices of type {other:?}")),
    }
}

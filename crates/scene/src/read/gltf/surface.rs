//! The triangles of a mesh: the triangles of its primitives, one after another.

use std::collections::{BTreeMap, HashMap};

use glam::DVec3;

use super::super::error::{Fault, clip};
use super::accessors::{Accessors, Component, Elements};
#[cfg(feature = "draco")]
use super::document::Accessor;
use super::document::{DracoStream, MeshEntry, Primitive};
#[cfg(feature = "draco")]
use super::draco;
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
    /// The place in the list of each combination of shapes: meshes may differ by their materials only.
    places: HashMap<Vec<Shape>, usize>,
}

/// The accessors of a primitive, its mode, and its Draco stream: the view and the id of its positions.
type Shape = (Option<usize>, Option<usize>, u32, Option<(usize, Option<usize>)>);

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
    /// Number of vertices, whether or not a triangle uses them.
    vertices: usize,
    triangles: usize,
    source: Source<'a>,
}

/// The place of the vertices and triangles of a primitive.
enum Source<'a> {
    Accessors {
        positions: Elements<'a>,
        indices: Option<Elements<'a>>,
    },
    #[cfg(feature = "draco")]
    Draco {
        stream: &'a [u8],
        position: u32,
        shape: draco::Shape,
    },
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
                    let stream = primitive.extensions.draco.as_ref();
                    let stream = stream.map(|stream| (stream.buffer_view, stream.attributes.position));
                    shapes.push((primitive.attributes.position, primitive.indices, mode, stream));
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
        let is_stored = |index: usize| {
            self.accessors.document.accessors.get(index).is_none_or(|accessor| accessor.buffer_view.is_some())
        };
        if let Some(stream) = &primitive.extensions.draco
            && !(is_stored(position) && primitive.indices.is_none_or(is_stored))
        {
            return self.of_draco(primitive, stream, mode);
        }
        let positions = self.accessors.get(position, "VEC3")?;
        if positions.component == Component::U32 {
            return Err(format!("accessor {position}: positions of 32-bit integers"));
        }
        let indices = primitive.indices.map(|i| indices(&self.accessors, i)).transpose()?;
        let (vertices, count) = (positions.count, indices.as_ref().map_or(positions.count, |all| all.count));
        let triangles = triangles_of(mode, count)?;
        let source = Source::Accessors { positions, indices };
        Ok(TrianglePrimitive { mode, accessor: position, vertices, triangles, source })
    }

    #[cfg(not(feature = "draco"))]
    fn of_draco(&self, _: &Primitive, _: &DracoStream, _: u32) -> Result<TrianglePrimitive<'a>, String> {
        Err("KHR_draco_mesh_compression is not supported".to_owned())
    }

    /// Returns a primitive whose accessors say the shape of a mesh, which a stream has.
    #[cfg(feature = "draco")]
    fn of_draco(
        &self,
        primitive: &Primitive,
        stream: &DracoStream,
        mode: u32,
    ) -> Result<TrianglePrimitive<'a>, String> {
        let Accessors { document, buffers } = self.accessors;
        let accessor = |index: Option<usize>, what: &str| {
            let known = index.and_then(|index| document.accessors.get(index));
            known.ok_or_else(|| format!("KHR_draco_mesh_compression: it has no accessor of {what}"))
        };
        let count = |accessor: &Accessor| usize::try_from(accessor.count).map_err(|e| e.to_string());
        let positions = accessor(primitive.attributes.position, "POSITION")?;
        let (vertices, corners) = (count(positions)?, count(accessor(primitive.indices, "indices")?)?);
        let is_strip = match mode {
            4 => false,
            5 => true,
            _ => return Err(format!("KHR_draco_mesh_compression in mode {mode}")),
        };
        let triangles = triangles_of(mode, corners)?;
        if vertices > ALWAYS_ALLOWED.max(self.bytes) {
            return Err(format!("{vertices} vertices are too many for a file of {} bytes", self.bytes));
        }
        let component = Component::of(positions.component_type)
            .filter(|&component| component != Component::U32)
            .ok_or_else(|| format!("positions of componentType {}", positions.component_type))?;
        let id = stream.attributes.position.and_then(|id| u32::try_from(id).ok());
        let id = id.ok_or("KHR_draco_mesh_compression: it has no POSITION")?;
        let view = document.buffer_views.get(stream.buffer_view);
        let view = view.ok_or_else(|| format!("there is no bufferView {}", stream.buffer_view))?;
        let bytes = buffers.of_view(stream.buffer_view, view)?;
        let shape =
            draco::Shape { vertices, triangles, is_strip, component, normalized: positions.normalized };
        let source = Source::Draco { stream: bytes, position: id, shape };
        let accessor = primitive.attributes.position.unwrap_or_default();
        // Its triangles are a list, whichever the mode.
        Ok(TrianglePrimitive { mode: 4, accessor, vertices, triangles, source })
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

/// Returns the number of triangles of so many corners.
fn triangles_of(mode: u32, corners: usize) -> Result<usize, String> {
    match mode {
        4 if corners.is_multiple_of(3) => Ok(corners / 3),
        4 => Err(format!("{corners} corners do not make triangles")),
        5 | 6 if corners >= 3 => Ok(corners - 2),
        5 | 6 => Err(format!("a strip or fan of {corners} corners")),
        _ => Err(format!("unknown mode {mode}")),
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
        self.surfaces.iter().map(|(_, surface)| surface.vertices.min(3 * surface.triangles)).sum()
    }

    /// Returns the bytes of the mesh, at most. Primitives that share an accessor share its vertices.
    fn bytes(&self) -> usize {
        let surfaces = self.surfaces.iter();
        let accessors: BTreeMap<_, _> = surfaces.map(|(_, s)| (s.accessor, s.vertices)).collect();
        let vertices = accessors.values().sum::<usize>().min(3 * self.triangles());
        vertices * size_of::<DVec3>() + self.triangles() * size_of::<[u32; 3]>()
    }

    /// Returns the bytes that welding the mesh takes in addition to the mesh, at most.
    fn bytes_to_weld(&self) -> usize {
        let unpacked: usize = self.surfaces.iter().map(|(_, surface)| surface.source.bytes_to_unpack()).sum();
        self.points() * POINT_WELDED + self.triangles() * TRIANGLE_WELDED + unpacked
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

impl Source<'_> {
    /// Returns the bytes that unpacking takes, at most.
    fn bytes_to_unpack(&self) -> usize {
        match self {
            Self::Accessors { .. } => 0,
            #[cfg(feature = "draco")]
            Self::Draco { shape, .. } => shape.bytes_to_decode(),
        }
    }
}

impl TrianglePrimitive<'_> {
    /// Appends the triangles, wound as in the specification, section 3.7.2.1, and the points that they use.
    fn append(&self, points: &mut Vec<DVec3>, triangles: &mut Vec<[u32; 3]>) -> Result<(), String> {
        match &self.source {
            Source::Accessors { positions, indices } => {
                let corner = |i: usize| match indices {
                    None => i,
                    Some(indices) => indices.index(i),
                };
                self.append_from(self.triangles, corner, |i| positions.get(i).into(), points, triangles)
            }
            #[cfg(feature = "draco")]
            Source::Draco { stream, position, shape } => {
                let decoded = draco::decode(stream, *position, shape)?;
                // It may have fewer than a strip.
                let count = decoded.triangles();
                let vertex = |i: usize| decoded.points[i];
                self.append_from(count, |i| decoded.corner(i), vertex, points, triangles)
            }
        }
    }

    /// Appends so many triangles of corners, but for the jumps of a strip, and the points of vertices.
    fn append_from(
        &self,
        triangle_count: usize,
        corner: impl Fn(usize) -> usize,
        point: impl Fn(usize) -> DVec3,
        points: &mut Vec<DVec3>,
        triangles: &mut Vec<[u32; 3]>,
    ) -> Result<(), String> {
        let count = self.vertices;
        // Each vertex is read once, unless most of a list that other surfaces may share are not used.
        const UNREAD: u32 = u32::MAX;
        let mut numbers = if count <= 3 * triangle_count { vec![UNREAD; count] } else { Vec::new() };
        for t in 0..triangle_count {
            let mut corners = match self.mode {
                4 => [3 * t, 3 * t + 1, 3 * t + 2],
                5 => [t, t + 1 + t % 2, t + 2 - t % 2],
                _ => [t + 1, t + 2, 0],
            };
            for place in &mut corners {
                let vertex = corner(*place);
                if vertex >= count {
                    return Err(format!("triangle {t} uses vertex {vertex}, but there are {count} vertices"));
                }
                let known = numbers.get(vertex).copied().filter(|&number| number != UNREAD);
                let number = match known {
                    Some(number) => number,
                    None => {
                        points.push(finite(vertex, point(vertex))?);
                        to_u32(points.len() - 1)
                    }
                };
                if let Some(known) = numbers.get_mut(vertex) {
                    *known = number;
                }
                *place = number as usize;
            }
            let [a, b, c] = corners.map(|number| points[number]);
            // A strip jumps to another place by triangles with a repeated corner, which bound nothing.
            let is_jump = self.mode == 5 && (a == b || b == c || c == a);
            if !is_jump {
                triangles.push(corners.map(to_u32));
            }
        }
        Ok(())
    }
}

/// Returns the point of a vertex, if it is one.
fn finite(vertex: usize, point: DVec3) -> Result<DVec3, String> {
    match point.to_array().into_iter().find(|x| !x.is_finite()) {
        Some(value) => {
            Err(format!("vertex {vertex} has the coordinate {value}, which is not a finite number"))
        }
        None => Ok(point),
    }
}

fn indices<'a>(accessors: &Accessors<'a>, index: usize) -> Result<Elements<'a>, String> {
    let indices = accessors.get(index, "SCALAR")?;
    match indices.component {
        Component::U8 | Component::U16 | Component::U32 if !indices.normalized => Ok(indices),
        other => Err(format!("accessor {index}: indices of type {other:?}")),
    }
}

//! The triangles of a mesh: those of its primitives, one after another.

use glam::DVec3;

use super::super::error::{Fault, clip};
use super::accessors::{Accessors, Component, Elements};
use super::document::{MeshEntry, Primitive};
use crate::ids::to_u32;
use crate::mesh::Mesh;

/// Number of triangles that any file may have. Meshes may share accessors, so a small file can describe any
/// number of triangles. Beyond this number a file may have as many triangles as bytes; a triangle takes more
/// than one byte if nothing is shared.
const ALWAYS_ALLOWED: usize = 1 << 25;

/// Reads meshes and counts what they leave out.
pub(super) struct MeshReader<'a> {
    pub accessors: Accessors<'a>,
    /// Total bytes of the document and its buffers.
    pub bytes: usize,
    pub triangles: usize,
    pub without_surface: usize,
    pub morphed: usize,
}

/// A primitive whose accessors are known to be valid.
struct TrianglePrimitive<'a> {
    mode: u32,
    positions: Elements<'a>,
    indices: Option<Elements<'a>>,
    triangles: usize,
}

impl<'a> MeshReader<'a> {
    /// Reads a mesh; returns `None` if it has only points and lines.
    pub fn read(&mut self, index: usize) -> Result<Option<Mesh>, Fault> {
        let meshes = &self.accessors.document.meshes;
        let entry: &MeshEntry = meshes
            .get(index)
            .ok_or_else(|| Fault::at(format!("mesh {index}"), format!("there are only {}", meshes.len())))?;
        let blame = |i: usize| {
            let name = entry.name.as_deref().map_or(String::new(), |name| format!(" '{}'", clip(name)));
            move |why: String| Fault::at(format!("mesh {index}{name}, primitive {i}"), why)
        };
        let mut surfaces = Vec::new();
        for (i, primitive) in entry.primitives.iter().enumerate() {
            match primitive.mode.unwrap_or(4) {
                0..4 => self.without_surface += 1,
                mode => {
                    let surface = self.surface(primitive, mode).map_err(blame(i))?;
                    self.count(&surface).map_err(blame(i))?;
                    self.morphed += usize::from(!primitive.targets.is_empty());
                    surfaces.push((i, surface));
                }
            }
        }
        if surfaces.is_empty() && !entry.primitives.is_empty() {
            return Ok(None);
        }
        let mut points = Vec::new();
        let mut triangles = Vec::with_capacity(surfaces.iter().map(|(_, surface)| surface.triangles).sum());
        for (i, surface) in surfaces {
            surface.append(&mut points, &mut triangles).map_err(blame(i))?;
        }
        Ok(Some(Mesh::new(&points, &triangles)?))
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
        Ok(TrianglePrimitive { mode, positions, indices, triangles })
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

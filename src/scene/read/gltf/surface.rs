//! The triangles of a mesh: its primitives one after another.

use glam::DVec3;

use super::super::error::{Fault, clip};
use super::accessors::{Accessors, Component, Elements};
use super::document::{MeshEntry, Primitive};
use crate::ids::to_u32;
use crate::scene::Mesh;

/// Meshes may share accessors, so a small file can describe any number of triangles. A file may have as
/// many as it has bytes (each takes more than that where nothing is shared), and any file this many.
const ALWAYS_ALLOWED: usize = 1 << 26;

/// Reads meshes and keeps the books about what they leave out.
pub(super) struct Surfaces<'a> {
    pub accessors: Accessors<'a>,
    /// Bytes of the document and its buffers.
    pub bytes: usize,
    pub triangles: usize,
    pub without_surface: usize,
    pub morphed: usize,
}

impl Surfaces<'_> {
    /// The mesh, or `None` if it has nothing but points and lines.
    pub fn read(&mut self, index: usize) -> Result<Option<Mesh>, Fault> {
        let meshes = &self.accessors.document.meshes;
        let entry: &MeshEntry = meshes
            .get(index)
            .ok_or_else(|| Fault::at(format!("mesh {index}"), format!("there are only {}", meshes.len())))?;
        let mut corners = Vec::new();
        let mut surfaces = 0;
        for (i, primitive) in entry.primitives.iter().enumerate() {
            let mode = primitive.mode.unwrap_or(4);
            if mode < 4 {
                self.without_surface += 1;
                continue;
            }
            surfaces += 1;
            self.morphed += usize::from(!primitive.targets.is_empty());
            self.append(primitive, mode, &mut corners).map_err(|fault| {
                let name = entry.name.as_deref().map_or(String::new(), |name| format!(" '{}'", clip(name)));
                Fault::at(format!("mesh {index}{name}, primitive {i}"), fault.to_string())
            })?;
        }
        if surfaces == 0 && !entry.primitives.is_empty() {
            return Ok(None);
        }
        let triangles: Vec<[u32; 3]> =
            (0..corners.len() / 3).map(|t| [to_u32(3 * t), to_u32(3 * t + 1), to_u32(3 * t + 2)]).collect();
        Ok(Some(Mesh::new(&corners, &triangles)?))
    }

    fn append(&mut self, primitive: &Primitive, mode: u32, corners: &mut Vec<DVec3>) -> Result<(), Fault> {
        let malformed = |why: String| Fault::Scene(why);
        let position = primitive.attributes.position.ok_or_else(|| malformed("it has no POSITION".into()))?;
        let compressed = primitive.extensions.draco.is_some()
            && self.accessors.document.accessors.get(position).is_some_and(|a| a.buffer_view.is_none());
        if compressed {
            return Err(Fault::Unsupported("KHR_draco_mesh_compression is".into()));
        }
        let positions = self.accessors.get(position, "VEC3")?;
        if positions.component == Component::U32 {
            return Err(malformed(format!("accessor {position}: positions of 32-bit integers")));
        }
        let indices = primitive.indices.map(|i| indices(&self.accessors, i)).transpose()?;
        let count = indices.as_ref().map_or(positions.count, |indices| indices.count);
        let triangles = match mode {
            4 if count.is_multiple_of(3) => count / 3,
            4 => return Err(malformed(format!("{count} corners do not make triangles"))),
            5 | 6 if count >= 3 => count - 2,
            5 | 6 => return Err(malformed(format!("a strip or fan of {count} corners"))),
            _ => return Err(malformed(format!("unknown mode {mode}"))),
        };
        self.triangles = self.triangles.saturating_add(triangles);
        if self.triangles > ALWAYS_ALLOWED.max(self.bytes) || self.triangles > u32::MAX as usize / 3 {
            return Err(malformed(format!(
                "it brings the scene to {} triangles, too many for a file of {} bytes",
                self.triangles, self.bytes
            )));
        }
        for t in 0..triangles {
            // Winding as in the specification, section 3.7.2.1.
            let places = match mode {
                4 => [3 * t, 3 * t + 1, 3 * t + 2],
                5 => [t, t + 1 + t % 2, t + 2 - t % 2],
                _ => [t + 1, t + 2, 0],
            };
            for place in places {
                let vertex = indices.as_ref().map_or(place, |indices| indices.get::<1>(place)[0] as usize);
                if vertex >= positions.count {
                    return Err(malformed(format!(
                        "triangle {t} uses vertex {vertex}, but there are {} vertices",
                        positions.count
                    )));
                }
                let point: [f64; 3] = positions.get(vertex);
                if let Some(value) = point.into_iter().find(|x| !x.is_finite()) {
                    return Err(malformed(format!(
                        "vertex {vertex} has the coordinate {value}, which is not a finite number"
                    )));
                }
                corners.push(point.into());
            }
        }
        Ok(())
    }
}

fn indices<'a>(accessors: &Accessors<'a>, index: usize) -> Result<Elements<'a>, Fault> {
    let indices = accessors.get(index, "SCALAR")?;
    match indices.component {
        Component::U8 | Component::U16 | Component::U32 if !indices.normalized => Ok(indices),
        other => Err(Fault::at(format!("accessor {index}"), format!("indices of type {other:?}"))),
    }
}

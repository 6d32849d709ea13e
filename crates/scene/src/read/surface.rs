//! The surface of a mesh file, whole or divided into the objects that the file names.

use std::collections::HashMap;

use glam::DVec3;

use super::error::Fault;
use closefit_geometry::ids::to_u32;
use closefit_geometry::mesh::Mesh;

/// The triangles of a file.
pub(super) struct Surface {
    pub vertices: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// The objects of the file, in its order: the name of each, and its first triangle.
    pub objects: Vec<(String, usize)>,
    /// True if objects with the same name are one, in pieces.
    pub are_groups: bool,
}

impl Surface {
    /// Returns a surface without objects.
    pub fn whole(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self { vertices, triangles, objects: Vec::new(), are_groups: false }
    }

    /// Returns one mesh of all triangles.
    pub fn mesh(self) -> Result<Mesh, Fault> {
        Ok(Mesh::new(&self.vertices, &self.triangles)?)
    }

    /// Returns a mesh for each object, in the order in which they begin. Triangles before the first object
    /// have the name `otherwise`, as has an object without a name. Objects without triangles are left out.
    pub fn divided(self, otherwise: &str) -> Result<Vec<(String, Mesh)>, Fault> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut pieces: Vec<(&str, Vec<[u32; 3]>)> = Vec::new();
        let named = self.objects.iter().map(|(name, first)| (&name[..], *first));
        let starts: Vec<(&str, usize)> = [(otherwise, 0)].into_iter().chain(named).collect();
        for (index, &(name, first)) in starts.iter().enumerate() {
            let end = starts.get(index + 1).map_or(self.triangles.len(), |&(_, next)| next);
            if first == end {
                continue;
            }
            let name = if name.is_empty() { otherwise } else { name };
            let place = match self.are_groups {
                true => *places.entry(name).or_insert(pieces.len()),
                false => pieces.len(),
            };
            if place == pieces.len() {
                pieces.push((name, Vec::new()));
            }
            pieces[place].1.extend_from_slice(&self.triangles[first..end]);
        }
        let mut compact = Compact::of(&self.vertices);
        let mesh = |(name, triangles)| {
            let mesh = compact.mesh(triangles).map_err(|fault| fault.in_part(name, "object"))?;
            Ok((name.to_owned(), mesh))
        };
        pieces.into_iter().map(mesh).collect()
    }
}

/// Vertices that several meshes share, and the places that they have in the latest.
struct Compact<'a> {
    vertices: &'a [DVec3],
    /// The index of each vertex in the latest mesh that uses it, and the number of that mesh, from 1.
    places: Vec<(u32, u32)>,
    meshes: u32,
}

impl<'a> Compact<'a> {
    fn of(vertices: &'a [DVec3]) -> Self {
        Self { vertices, places: vec![(0, 0); vertices.len()], meshes: 0 }
    }

    /// Returns a mesh of triangles with the vertices that they use, in the order of their use.
    fn mesh(&mut self, mut triangles: Vec<[u32; 3]>) -> Result<Mesh, Fault> {
        self.meshes += 1;
        let is_outside = |&vertex: &u32| vertex as usize >= self.vertices.len();
        if triangles.iter().flatten().any(is_outside) {
            // The mesh says which triangle it is.
            return Ok(Mesh::new(self.vertices, &triangles)?);
        }
        let mut own = Vec::new();
        for corner in triangles.iter_mut().flatten() {
            let vertex = *corner as usize;
            let (place, mesh) = &mut self.places[vertex];
            if *mesh != self.meshes {
                (*place, *mesh) = (to_u32(own.len()), self.meshes);
                own.push(self.vertices[vertex]);
            }
            *corner = *place;
        }
        Ok(Mesh::new(&own, &triangles)?)
    }
}

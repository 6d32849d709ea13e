//! The triangles that meet at each vertex.

use closefit_geometry::ids::to_u32;
use closefit_geometry::mesh::Mesh;

/// The triangles of every vertex, in one array.
#[derive(Clone, Debug)]
pub struct Incidence {
    /// Start of each vertex's triangles, and the end of the last vertex's.
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Incidence {
    /// Sorts the corners of a mesh by vertex.
    pub fn of(mesh: &Mesh) -> Self {
        // Counts are stored two places ahead and summed, so that filling moves each start to its final place.
        let mut starts = vec![0u32; mesh.vertices().len() + 2];
        for &v in mesh.triangles().iter().flatten() {
            starts[v as usize + 2] += 1;
        }
        for v in 2..starts.len() {
            starts[v] += starts[v - 1];
        }
        let mut triangles = vec![0; 3 * mesh.triangles().len()];
        for (t, corners) in mesh.triangles().iter().enumerate() {
            for &v in corners {
                let place = &mut starts[v as usize + 1];
                triangles[*place as usize] = to_u32(t);
                *place += 1;
            }
        }
        starts.pop();
        Self { starts, triangles }
    }

    /// Returns the triangles at a vertex, ascending. A triangle with two corners there is listed twice.
    pub fn at(&self, vertex: u32) -> &[u32] {
        let [from, to] = [vertex, vertex + 1].map(|v| self.starts[v as usize] as usize);
        &self.triangles[from..to]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn every_corner_is_there_once() {
        let points: Vec<DVec3> = (0..5).map(|k| DVec3::splat(f64::from(k))).collect();
        let mesh = Mesh::new(&points, &[[0, 1, 2], [2, 3, 0], [4, 4, 0], [1, 2, 3]]).unwrap();
        let incidence = Incidence::of(&mesh);
        let at: Vec<&[u32]> = (0..5).map(|v| incidence.at(v)).collect();
        assert_eq!(at, [&[0, 1, 2][..], &[0, 3], &[0, 1, 3], &[1, 3], &[2, 2]]);
    }
}

//! The faces of OBJ, PLY and OFF files, as triangles.

use glam::DVec3;

use super::error::Fault;
use closefit_geometry::ids::to_u32;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::mesh::polygon::{cut, is_warped};

/// Bytes per corner of a polygon while it is cut: its points, its neighbours, what is known of it, and its
/// share of a tree.
const WHILE_CUT: usize = 256;

/// Faces in the file's order. Their corners may be vertices that have not been read yet, so polygons are
/// fans until all vertices are known.
#[derive(Default)]
pub(super) struct Faces {
    triangles: Vec<[u32; 3]>,
    /// The first triangle of each polygon of more than three corners, and the number of its triangles.
    polygons: Vec<[u32; 2]>,
}

impl Faces {
    /// Adds a triangle.
    pub fn push(&mut self, triangle: [u32; 3]) {
        self.triangles.push(triangle);
    }

    /// Adds a face of at least three corners.
    pub fn push_polygon(&mut self, corners: &[u32]) {
        if let [_, _, _, _, ..] = corners {
            self.polygons.push([self.triangles.len(), corners.len() - 2].map(to_u32));
        }
        self.triangles.extend(corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]));
    }

    /// Returns the number of triangles.
    pub fn count(&self) -> usize {
        self.triangles.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Returns the triangles, with polygons cut where their fans would be wrong. Adds notes about polygons
    /// that have no triangulation, and about those that are not flat. Polygons with a corner that is no
    /// vertex stay fans, since the mesh is an error.
    ///
    /// # Errors
    /// If a polygon takes too much time to cut, or memory is too small.
    pub fn into_triangles(
        self,
        vertices: &[DVec3],
        notes: &mut Vec<String>,
        memory: &MemoryAccount,
    ) -> Result<Vec<[u32; 3]>, Fault> {
        let Self { mut triangles, polygons } = self;
        let longest = polygons.iter().map(|&[_, count]| count as usize + 2).max().unwrap_or(0);
        memory.take(longest, WHILE_CUT, || format!("a polygon of {longest} corners"))?;
        let (mut corners, mut points) = (Vec::with_capacity(longest), Vec::with_capacity(longest));
        let (mut wrong, mut warped) = (0_usize, 0_usize);
        for [first, count] in polygons {
            let fan = &mut triangles[first as usize..][..count as usize];
            corners.clear();
            corners.extend_from_slice(&fan[0][..2]);
            corners.extend(fan.iter().map(|&[_, _, last]| last));
            points.clear();
            points.extend(corners.iter().filter_map(|&corner| vertices.get(corner as usize)));
            if points.len() < corners.len() {
                continue;
            }
            let of_polygon = cut(&points).map_err(|error| Fault::Scene(error.to_string()))?;
            for (triangle, cut) in fan.iter_mut().zip(of_polygon.triangles) {
                *triangle = cut.map(|place| corners[place as usize]);
            }
            wrong += usize::from(!of_polygon.is_right);
            warped += usize::from(is_warped(&points));
        }
        memory.give_back(longest, WHILE_CUT);
        let mut note = |count: usize, what: &str| {
            if count > 0 {
                notes.push(format!("{what}: {count}"));
            }
        };
        note(wrong, "polygons that cross themselves or have no area, cut as fans from their first corners");
        note(warped, "polygons whose corners lie farther than a thousandth of their size from their plane");
        Ok(triangles)
    }
}

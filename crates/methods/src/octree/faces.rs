//! The two rules of Ponamgi, Manocha and Lin (1995, section 4.5) for the triangles of cells: each belongs to
//! one cell, or each to all cells that it meets, trimmed to them.

use std::fmt::Debug;

use super::cells::{Part, Vertex};
use super::trim::piece;
use closefit::internals::bvh::wide_topology::NormalFrame;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::Triangle;
use closefit_geometry::mesh::{MOST, Mesh};

/// A rule that sorts the triangles of a mesh into cells.
pub trait Faces: Clone + Debug + PartialEq + Send + Sync + Sized + 'static {
    /// The triangles of a cell.
    type InCell;

    /// Prepares the triangles of a mesh. Returns them with the triangles of the uncut cell.
    fn of(mesh: &Mesh, frame: &NormalFrame) -> (Self, Self::InCell);

    /// True if vertices of this index count where cells are cut.
    fn counts(&self, vertex: u32) -> bool;

    /// Sorts the triangles of a cell into its parts; `None` for a part without. Returns them unsorted if the
    /// cell should rather stay whole.
    fn sort(&self, in_cell: Self::InCell, parts: &[Part]) -> Result<Vec<Option<Self::InCell>>, Self::InCell>;

    /// Appends the triangles of a cell that is not cut to the list.
    fn list(&self, vertices: &[Vertex], in_cell: Self::InCell, listed: &mut Listed);
}

/// Triangles in the order of the leaves.
#[derive(Debug, Default)]
pub struct Listed {
    /// Their indices.
    pub triangles: Vec<u32>,
    /// The boxes of their pieces, if they are trimmed, in normal coordinates.
    pub pieces: Option<Vec<Aabb>>,
}

/// Each triangle belongs to the cell of its lowest vertex. Boxes overlap, and no triangle is in two.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// Triangles by their lowest vertices.
    triangles: Vec<u32>,
    /// The number of triangles before the triangles of each vertex, and of all.
    before: Vec<u32>,
}

impl Shared {
    fn at(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.triangles[self.before[vertex] as usize..self.before[vertex + 1] as usize]
    }
}

impl Faces for Shared {
    /// The vertices tell.
    type InCell = ();

    fn of(mesh: &Mesh, _frame: &NormalFrame) -> (Self, ()) {
        let lowest = |[a, b, c]: [u32; 3]| a.min(b).min(c) as usize;
        let mut before = vec![0; mesh.vertices().len() + 1];
        for &corners in mesh.triangles() {
            before[lowest(corners) + 1] += 1;
        }
        for vertex in 1..before.len() {
            before[vertex] += before[vertex - 1];
        }
        let mut next = before.clone();
        let mut triangles = vec![0; mesh.triangles().len()];
        for (triangle, &corners) in (0..).zip(mesh.triangles()) {
            let place = &mut next[lowest(corners)];
            triangles[*place as usize] = triangle;
            *place += 1;
        }
        (Self { triangles, before }, ())
    }

    /// Those count that are the lowest of some triangle.
    fn counts(&self, vertex: u32) -> bool {
        !self.at(vertex).is_empty()
    }

    fn sort(&self, (): (), parts: &[Part]) -> Result<Vec<Option<()>>, ()> {
        Ok(parts.iter().map(|part| (part.count > 0).then_some(())).collect())
    }

    fn list(&self, vertices: &[Vertex], (): (), listed: &mut Listed) {
        let mut indices: Vec<u32> = vertices.iter().map(|vertex| vertex.index).collect();
        indices.sort_unstable();
        indices.into_iter().for_each(|vertex| listed.triangles.extend_from_slice(self.at(vertex)));
    }
}

/// Each triangle belongs to every cell that it meets, and is boxed there by what is inside the cell.
///
/// A cell stays whole if cutting it, and its parts in the same measure, could make more than `EACH` pieces of
/// each triangle on average. The paper has no such limit; without one, long triangles would take memory in
/// proportion to the square of their number.
#[derive(Clone, Debug, PartialEq)]
pub struct Trimmed {
    /// The triangles in normal coordinates.
    corners: Vec<Triangle>,
    /// True for vertices that have triangles.
    is_used: Vec<bool>,
}

/// Largest number of pieces for each triangle, on average.
const EACH: usize = 8;

/// The pieces of triangles in a cell.
pub struct Pieces {
    /// The triangles, in order, and the boxes of their pieces.
    of: Vec<(u32, Aabb)>,
    /// The number of pieces that the cell may be cut into, at least as many as there are.
    room: usize,
}

impl Faces for Trimmed {
    type InCell = Pieces;

    fn of(mesh: &Mesh, frame: &NormalFrame) -> (Self, Pieces) {
        let count = to_u32(mesh.triangles().len());
        let corners: Vec<Triangle> = (0..count).map(|t| mesh.corners(t).map(|v| frame.enter(v))).collect();
        let mut is_used = vec![false; mesh.vertices().len()];
        mesh.triangles().iter().flatten().for_each(|&vertex| is_used[vertex as usize] = true);
        let of = (0..).zip(&corners).map(|(triangle, corners)| (triangle, Aabb::of(*corners))).collect();
        let room = (EACH * corners.len()).min(MOST);
        (Self { corners, is_used }, Pieces { of, room })
    }

    /// Those count that have triangles.
    fn counts(&self, vertex: u32) -> bool {
        self.is_used[vertex as usize]
    }

    fn sort(&self, in_cell: Pieces, parts: &[Part]) -> Result<Vec<Option<Pieces>>, Pieces> {
        let mut all = 0;
        let mut sorted = Vec::with_capacity(parts.len());
        for Part { region, .. } in parts {
            let trimmed = |&(triangle, _): &(u32, Aabb)| {
                Some((triangle, piece(&self.corners[triangle as usize], region)?))
            };
            let of: Vec<(u32, Aabb)> = in_cell.of.iter().filter_map(trimmed).collect();
            all += of.len();
            if all > in_cell.room {
                return Err(in_cell);
            }
            sorted.push(of);
        }
        if all == 0 {
            return Err(in_cell); // what only seems to meet the cell, up to rounding
        }
        // In proportion, so that all pieces below the parts are no more than the cell's room.
        let room = |count: usize| (in_cell.room as u64 * count as u64 / all as u64) as usize;
        let pieces = |of: Vec<(u32, Aabb)>| {
            let room = room(of.len());
            (!of.is_empty()).then_some(Pieces { of, room })
        };
        Ok(sorted.into_iter().map(pieces).collect())
    }

    fn list(&self, _vertices: &[Vertex], in_cell: Pieces, listed: &mut Listed) {
        let pieces = listed.pieces.get_or_insert_default();
        for (triangle, bounds) in in_cell.of {
            listed.triangles.push(triangle);
            pieces.push(bounds);
        }
    }
}

//! Building the tree: the topology first, then the volume around each part.

use std::ops::Range;

use glam::{DMat3, DVec3};

use super::volume::Volume;
use super::{Kdop, VolumeTree};
use closefit::internals::bvh::largest_coordinate;
use closefit::internals::bvh::wide_topology::{Child, LeafOrder, NormalFrame, Partition, put_vertices_of};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::lanes::LANES;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::parallel;

/// A partition, and the pieces of triangles that its leaves hold.
pub struct Contents {
    /// The partition. A triangle is listed with each of its pieces.
    pub partition: Partition,
    /// Boxes around the pieces in normal coordinates, in the order of the leaves; `None` if leaves hold whole
    /// triangles, each once.
    pub pieces: Option<Vec<Aabb>>,
    /// The cells whose faces are sorted; `None` if none are.
    pub cells: Option<Vec<SharedOut>>,
}

/// A cell with more triangles than a leaf holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedOut {
    /// The block with its triangles.
    pub block: u32,
    /// Its first triangle in the order of the leaves.
    pub first: u32,
    /// The number of its triangles.
    pub count: u32,
}

impl<V: Volume> VolumeTree<V> {
    /// Builds the tree. The same mesh gives the same tree, whatever the number of threads.
    pub(super) fn build(mesh: &Mesh) -> Self {
        let frame = frame_of(mesh);
        Self::fitted(mesh, frame, Partition::build(mesh, &frame, &|_| ()), |normal, range| {
            V::around(normal.corners(range))
        })
    }

    /// Builds the tree for poses with this linear part, which is not a similarity.
    pub(super) fn build_for(mesh: &Mesh, linear: DMat3) -> Self {
        Self::build(&mesh.moved(|v| linear * v)).of_unmapped(mesh, linear)
    }

    /// Fits volumes to a partition. `around(range)` bounds the triangles at these places of the leaf order.
    fn fitted(
        mesh: &Mesh,
        frame: NormalFrame,
        Partition { children, triangles }: Partition,
        around: impl Fn(&Normal, Range<usize>) -> V + Sync,
    ) -> Self {
        let LeafOrder { corners, vertices } = LeafOrder::new(mesh, &triangles);
        let normal =
            Normal { corners: &corners, vertices: vertices.iter().map(|&v| frame.enter(v)).collect() };
        let below = triangles_below(&children);
        let volumes = parallel::map(children.len(), parallel::SMALL, |block| {
            let (children, below) = (&children[block], &below[block]);
            let mut columns = V::Columns::default();
            for lane in (0..LANES).filter(|&lane| children[lane] != Child::None.code()) {
                let range = below[lane].start as usize..below[lane].end as usize;
                around(&normal, range).put(&mut columns, lane);
            }
            columns
        });
        let NormalFrame { center, unit } = frame;
        let largest_coordinate = largest_coordinate(mesh.vertices());
        Self {
            volumes,
            children,
            triangles,
            corners,
            vertices,
            center,
            unit,
            largest_coordinate,
            linear: None,
            in_pieces: false,
            cells: None,
        }
    }

    /// Turns the tree of a mesh mapped by a linear part into one of the mesh, for poses with this part.
    fn of_unmapped(mut self, mesh: &Mesh, linear: DMat3) -> Self {
        self.linear = Some(linear);
        self.largest_coordinate = largest_coordinate(mesh.vertices());
        put_vertices_of(mesh, &self.triangles, &self.corners, &mut self.vertices);
        self
    }
}

impl VolumeTree<Kdop<3>> {
    /// Builds the tree over any partition of a mesh, whose frame is the second argument of `partition`.
    pub(crate) fn of(mesh: &Mesh, partition: impl Fn(&Mesh, &NormalFrame) -> Contents) -> Self {
        let frame = frame_of(mesh);
        let Contents { partition, pieces, cells } = partition(mesh, &frame);
        let mut tree = Self::fitted(mesh, frame, partition, |normal, range| match &pieces {
            Some(pieces) => Kdop::around(pieces[range].iter().flat_map(|&Aabb { lo, hi }| [lo, hi])),
            None => Kdop::around(normal.corners(range)),
        });
        tree.in_pieces = pieces.is_some();
        tree.cells = cells;
        tree
    }

    /// Builds the tree over any partition of the mapped mesh, for poses with this linear part.
    pub(crate) fn of_mapped(
        mesh: &Mesh,
        linear: DMat3,
        partition: impl Fn(&Mesh, &NormalFrame) -> Contents,
    ) -> Self {
        Self::of(&mesh.moved(|v| linear * v), partition).of_unmapped(mesh, linear)
    }
}

/// Returns the frame of a mesh.
fn frame_of(mesh: &Mesh) -> NormalFrame {
    NormalFrame::of(Aabb::of(mesh.vertices().iter().copied()))
}

/// Triangles in the order of the leaves, in normal coordinates.
struct Normal<'c> {
    corners: &'c [[u32; 3]],
    vertices: Vec<DVec3>,
}

impl Normal<'_> {
    /// Returns the corners of the triangles in a range.
    fn corners(&self, range: Range<usize>) -> impl Iterator<Item = DVec3> + Clone {
        self.corners[range].as_flattened().iter().map(|&v| self.vertices[v as usize])
    }
}

/// Returns the triangles below each lane: a range, because leaves are in depth-first order.
fn triangles_below(children: &[[u32; LANES]]) -> Vec<[Range<u32>; LANES]> {
    let mut below = vec![[const { 0..0 }; LANES]; children.len()];
    for index in (0..children.len()).rev() {
        for lane in 0..LANES {
            below[index][lane] = match Child::of(children[index][lane]) {
                Child::None => continue,
                Child::Leaf { first, count } => first..first + count,
                Child::Block(child) => {
                    let lanes = below[child as usize].iter().filter(|range| !range.is_empty());
                    lanes.cloned().reduce(|all, range| all.start..range.end).unwrap_or_default()
                }
            };
        }
    }
    below
}

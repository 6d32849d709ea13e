//! Building the tree: the topology first, then the volume around each part.

use std::ops::Range;

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::VolumeTree;
use super::volume::Volume;
use crate::bounds::aabb::Aabb;
use crate::hierarchy::largest_coordinate;
use crate::hierarchy::wide_topology::{Child, LeafOrder, NormalFrame, Partition, put_vertices_of};
use crate::lanes::LANES;
use crate::mesh::Mesh;

impl<V: Volume> VolumeTree<V> {
    /// Builds the tree. The same mesh gives the same tree, whatever the number of threads.
    pub(super) fn build(mesh: &Mesh) -> Self {
        Self::of(mesh, Partition::build)
    }

    /// Builds the tree over any partition of a mesh, whose frame is the second argument of `partition`.
    pub(in crate::hierarchy) fn of(
        mesh: &Mesh,
        partition: impl Fn(&Mesh, &NormalFrame) -> Partition,
    ) -> Self {
        let frame = NormalFrame::of(Aabb::of(mesh.vertices().iter().copied()));
        let Partition { children, triangles } = partition(mesh, &frame);
        let LeafOrder { corners, vertices } = LeafOrder::new(mesh, &triangles);
        let normal: Vec<DVec3> = vertices.iter().map(|&v| frame.enter(v)).collect();
        let fit = |(children, below): (&[u32; LANES], &[Range<u32>; LANES])| {
            let mut columns = V::Columns::default();
            for lane in (0..LANES).filter(|&lane| children[lane] != Child::None.code()) {
                let range = below[lane].start as usize..below[lane].end as usize;
                let points = corners[range].as_flattened().iter().map(|&v| normal[v as usize]);
                V::around(points).put(&mut columns, lane);
            }
            columns
        };
        let volumes = children.par_iter().zip(&triangles_below(&children)).map(fit).collect();
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
        }
    }

    /// Builds the tree for poses with this linear part, which is not a similarity.
    pub(super) fn build_for(mesh: &Mesh, linear: DMat3) -> Self {
        Self::of_shaped(mesh, linear, Partition::build)
    }

    /// Builds the tree over any partition of the mapped mesh.
    pub(in crate::hierarchy) fn of_shaped(
        mesh: &Mesh,
        linear: DMat3,
        partition: impl Fn(&Mesh, &NormalFrame) -> Partition,
    ) -> Self {
        let mut tree = Self::of(&mesh.moved(|v| linear * v), partition);
        tree.linear = Some(linear);
        tree.largest_coordinate = largest_coordinate(mesh.vertices());
        put_vertices_of(mesh, &tree.triangles, &tree.corners, &mut tree.vertices);
        tree
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

//! Refitting a tree of k-DOPs to moved vertices: leaves first, then the volumes around volumes.

use glam::DVec3;

use super::posed::used;
use super::volume::Volume;
use super::{Kdop, Kdops, VolumeTree};
use crate::with_mesh::Refittable;
use closefit::internals::bvh::largest_coordinate;
use closefit::internals::bvh::wide_topology::{Child, NormalFrame, put_vertices_of};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::mesh::Mesh;

impl<const N: usize> Refittable for VolumeTree<Kdop<N>> {
    fn refit(&mut self, mesh: &Mesh) {
        put_vertices_of(mesh, &self.triangles, &self.corners, &mut self.vertices);
        self.largest_coordinate = largest_coordinate(mesh.vertices());
        let linear = self.linear;
        let shaped = |&v: &DVec3| linear.map_or(v, |linear| linear * v);
        let frame = NormalFrame::of(Aabb::of(self.vertices.iter().map(shaped)));
        let normal: Vec<DVec3> = self.vertices.iter().map(|v| frame.enter(shaped(v))).collect();
        (self.center, self.unit) = (frame.center, frame.unit);
        // Children come after their parents.
        for index in (0..self.children.len()).rev() {
            let mut columns = Kdops::default();
            for (lane, &code) in self.children[index].iter().enumerate() {
                let volume = match Child::of(code) {
                    Child::None => continue,
                    Child::Leaf { first, count } => {
                        let corners = &self.corners[first as usize..(first + count) as usize];
                        Kdop::around(corners.as_flattened().iter().map(|&v| normal[v as usize]))
                    }
                    Child::Block(child) => {
                        let child = child as usize;
                        Kdop::around_lanes(&self.volumes[child], used(&self.children[child]))
                    }
                };
                volume.put(&mut columns, lane);
            }
            self.volumes[index] = columns;
        }
    }
}

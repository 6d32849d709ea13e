//! Checks everything that searches assume of a tree.

use glam::DVec3;

use super::VolumeTree;
use super::volume::Volume;
use closefit::internals::bvh::wide_topology::{Child, LEAF, NormalFrame};
use closefit_geometry::mesh::Mesh;

impl<V: Volume> VolumeTree<V> {
    /// Checks that every triangle is in exactly one leaf, with its own corners, that children come after
    /// their parents, and that every volume contains every vertex below it.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        let mut in_leaf = vec![false; mesh.triangles().len()];
        self.visit_places(mesh, |triangle, around: &[V]| {
            if std::mem::replace(&mut in_leaf[triangle as usize], true) {
                return Err(format!("triangle {triangle} is in two leaves"));
            }
            let corners = mesh.corners(triangle).map(|v| self.normal(v));
            if !corners.iter().all(|&p| around.iter().all(|volume| volume.contains(p))) {
                return Err(format!("a volume misses a corner of triangle {triangle}"));
            }
            Ok(())
        })?;
        match in_leaf.iter().position(|in_leaf| !in_leaf) {
            Some(triangle) => Err(format!("triangle {triangle} is in no leaf")),
            None => Ok(()),
        }
    }

    /// Calls `visit` with the triangle of every place in a leaf, and the volumes on the way there. Checks
    /// that the triangles are the triangles of the mesh, with their own corners, that children come after
    /// their parents, and that no block or place is left over or found twice.
    ///
    /// # Errors
    /// The first fault found, here or by `visit`.
    pub(crate) fn visit_places(
        &self,
        mesh: &Mesh,
        mut visit: impl FnMut(u32, &[V]) -> Result<(), String>,
    ) -> Result<(), String> {
        if self.corners.len() != self.triangles.len() {
            return Err("some triangles have no corners".to_owned());
        }
        let mut in_leaf = vec![false; self.triangles.len()];
        // Each entry carries the volumes on the way from the root, so that all are checked at the leaf.
        let mut stack = vec![(0_u32, Vec::<V>::new())];
        let mut visited = 0;
        while let Some((index, around)) = stack.pop() {
            visited += 1;
            let children = self.children.get(index as usize).ok_or(format!("block {index} is missing"))?;
            for (lane, &code) in children.iter().enumerate() {
                let at = format!("lane {lane} of block {index}");
                let mut around = around.clone();
                around.push(V::of_lane(&self.volumes[index as usize], lane));
                match Child::of(code) {
                    Child::None => {}
                    Child::Block(child) if child <= index => {
                        return Err(format!("{at} comes after its child"));
                    }
                    Child::Block(child) => stack.push((child, around)),
                    Child::Leaf { first, count } if count <= LEAF => {
                        for place in first..first + count {
                            self.validate_place(mesh, place, &mut in_leaf)
                                .and_then(|triangle| visit(triangle, &around))
                                .map_err(|fault| format!("{at}: {fault}"))?;
                        }
                    }
                    Child::Leaf { .. } => return Err(format!("{at} has too many triangles")),
                }
            }
        }
        match in_leaf.iter().position(|in_leaf| !in_leaf) {
            Some(place) => Err(format!("place {place} is in no leaf")),
            None if visited != self.children.len() => Err("some blocks hang loose".to_owned()),
            None => Ok(()),
        }
    }

    /// Returns the triangle of a place.
    fn validate_place(&self, mesh: &Mesh, place: u32, in_leaf: &mut [bool]) -> Result<u32, String> {
        let in_leaf = in_leaf.get_mut(place as usize).ok_or("a triangle is missing")?;
        if std::mem::replace(in_leaf, true) {
            return Err(format!("place {place} is in two leaves"));
        }
        let triangle = self.triangles[place as usize];
        if triangle as usize >= mesh.triangles().len() {
            return Err(format!("triangle {triangle} is not the mesh's"));
        }
        for (&v, corner) in self.corners[place as usize].iter().zip(mesh.corners(triangle)) {
            if self.vertices.get(v as usize) != Some(&corner) {
                return Err(format!("triangle {triangle} has other corners than the mesh's"));
            }
        }
        Ok(triangle)
    }

    /// Returns the normal coordinates of a vertex.
    pub(crate) fn normal(&self, v: DVec3) -> DVec3 {
        let shaped = self.linear.map_or(v, |linear| linear * v);
        NormalFrame { center: self.center, unit: self.unit }.enter(shaped)
    }
}

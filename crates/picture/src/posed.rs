//! Parts in their places, from which several pictures may be drawn.

use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use glam::DVec3;

use crate::camera::{Camera, Corner};
use crate::clusters::{Cluster, Clusters, reach};
use crate::lens::Lens;
use crate::raster::Area;
use crate::view::Plane;

/// A part in the scene.
#[derive(Clone, Copy)]
pub struct Posed<'s> {
    pub mesh: &'s Mesh,
    pub clusters: &'s Clusters,
    pub pose: &'s Pose,
}

/// A cluster of a part's triangles that may be seen in a picture.
pub struct Near<'s> {
    part: Posed<'s>,
    cluster: &'s Cluster,
    /// The samples that it may cover.
    pub area: Area,
}

impl<'s> Posed<'s> {
    /// Returns the clusters of triangles that may be seen in a picture, if what lies in front of a plane is
    /// left out.
    pub fn near(self, camera: &Camera, plane: Option<&Plane>) -> impl Iterator<Item = Near<'s>> {
        let lens = Lens::of(camera, plane, self.pose, reach(self.clusters.bounds()));
        let near = move |cluster| Some(Near { part: self, cluster, area: lens.area(&cluster.bounds)? });
        self.clusters.all().iter().filter_map(near)
    }

    /// Calls `found` with the corners in a picture of each triangle that may be seen there.
    pub fn triangles(self, camera: &Camera, mut found: impl FnMut(&[Corner; 3])) {
        self.near(camera, None).for_each(|near| near.triangles(camera, |corners, _| found(corners)));
    }
}

impl Near<'_> {
    /// Calls `found` with the corners of each triangle in the picture, and where they are.
    pub fn triangles(&self, camera: &Camera, mut found: impl FnMut(&[Corner; 3], [DVec3; 3])) {
        let Posed { mesh, clusters, pose } = self.part;
        let point = |&vertex: &u32| pose.apply(mesh.vertices()[vertex as usize]);
        let points: Vec<DVec3> = clusters.vertices(self.cluster).iter().map(point).collect();
        let corners: Vec<Corner> = points.iter().map(|&point| camera.corner(point)).collect();
        for triangle in clusters.triangles(self.cluster) {
            let [a, b, c] = triangle.map(usize::from);
            found(&[corners[a], corners[b], corners[c]], [points[a], points[b], points[c]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use closefit_geometry::mesh::Mesh;

    use super::*;
    use crate::raster::cover;

    /// A saddle of triangles, more than a few clusters of them.
    fn saddle(count: usize) -> Mesh {
        let at = |i: usize, j: usize| (i * (count + 1) + j) as u32;
        let coordinate = |i: usize| 2.0 * i as f64 / count as f64 - 1.0;
        let point = |(u, v): (f64, f64)| DVec3::new(u, v, u * u - 0.5 * v * v);
        let points = (0..=count).flat_map(|i| (0..=count).map(move |j| (coordinate(i), coordinate(j))));
        let quad =
            |i, j| [[at(i, j), at(i, j + 1), at(i + 1, j)], [at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]];
        let triangles = (0..count).flat_map(|i| (0..count).flat_map(move |j| quad(i, j)));
        let points: Vec<DVec3> = points.map(point).collect();
        Mesh::new(&points, &triangles.collect::<Vec<[u32; 3]>>()).expect("a saddle")
    }

    /// Clusters that are left out cover no sample or lie in front of the plane. All others lie in their
    /// areas, in the order of the mesh.
    #[test]
    fn what_is_not_near_is_not_seen() {
        let mesh = saddle(24);
        let clusters = Clusters::of(&mesh);
        let (size, mut left_out) = ([80, 60], 0);
        for seed in 0..300 {
            let number = |k: i32| f64::from((seed * 7_919 + k * 104_729) % 1_000) / 500.0 - 1.0;
            let vector = |k: i32| DVec3::new(number(k), number(k + 1), number(k + 2));
            let far = [0.0, 1.0, 1e9][seed as usize % 3];
            let row = |k: i32| [number(k), number(k + 1), number(k + 2), far * number(k + 3)];
            let pose = Pose { rows: [row(0), row(4), row(8)] };
            let toward = vector(20).normalize_or(DVec3::X);
            let up = toward.any_orthonormal_vector();
            let centre = pose.shift() + 0.7 * vector(30);
            let camera = Camera::new([-toward, up], centre, 0.5 + number(40).abs(), size);
            let normal = (toward + 0.3 * up).normalize();
            let plane = Plane { point: centre + 0.2 * vector(50), normal };
            let part = Posed { mesh: &mesh, clusters: &clusters, pose: &pose };
            let all: Vec<Near> = clusters.all().iter().map(|cluster| part.whole(cluster, size)).collect();
            let seen = |near: &mut dyn Iterator<Item = &Near>| {
                let mut spans = Vec::new();
                near.for_each(|near| {
                    near.triangles(&camera, |corners, points| {
                        let is_cut_away = points.iter().all(|&point| plane.is_behind(point));
                        cover(corners, size, |span| {
                            let (area, columns) = (&near.area, span.column..span.column + span.samples.len());
                            assert!(area.rows.contains(&span.row) && area.columns.start <= columns.start);
                            assert!(area.columns.end >= columns.end && span.range[1] <= area.nearest);
                            if !is_cut_away {
                                spans.push((span.samples.clone(), span.range.map(f64::to_bits)));
                            }
                        });
                    });
                });
                spans
            };
            let near: Vec<Near> = part.near(&camera, Some(&plane)).collect();
            left_out += all.len() - near.len();
            assert_eq!(seen(&mut near.iter()), seen(&mut all.iter()), "{seed}");
        }
        assert!(left_out > 1_000, "{left_out}");
    }

    impl<'s> Posed<'s> {
        /// Returns a cluster that may be seen everywhere.
        fn whole(self, cluster: &'s Cluster, size: [usize; 2]) -> Near<'s> {
            let [columns, rows] = size.map(|count| 0..count);
            Near { part: self, cluster, area: Area { columns, rows, nearest: f64::INFINITY } }
        }
    }
}

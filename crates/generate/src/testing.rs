//! Checks for the tests of scenes, independent of the engine: closedness, volume, and a plain
//! triangle-to-triangle distance.

use std::collections::HashMap;

use glam::DVec3;

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::math::predicates::{Sign, orient3d};
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::Scene;

/// True when every directed edge occurs once, and its reverse once.
pub(super) fn closed(mesh: &Mesh) -> bool {
    let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
    for &[a, b, c] in mesh.triangles() {
        for edge in [[a, b], [b, c], [c, a]] {
            *edges.entry(edge).or_default() += 1;
        }
    }
    edges.iter().all(|(&[a, b], &count)| count == 1 && edges.get(&[b, a]) == Some(&1))
}

/// Returns the signed volume, which is positive for a closed surface that faces outwards.
pub(super) fn volume(mesh: &Mesh) -> f64 {
    let corners = (0..mesh.triangles().len() as u32).map(|t| mesh.corners(t));
    corners.map(|[a, b, c]| a.dot(b.cross(c))).sum::<f64>() / 6.0
}

/// The triangles of a part in world coordinates.
pub(super) struct PosedMesh {
    triangles: Vec<[DVec3; 3]>,
    boxes: Vec<Aabb>,
    bounds: Aabb,
}

/// The distance between two parts, and whether they pierce each other.
#[derive(Debug)]
pub(super) struct Nearness {
    /// Smallest distance of two triangles; infinite beyond the requested range.
    pub(super) distance: f64,
    /// True when an edge of one runs strictly through the inside of a triangle of the other, exactly.
    pub(super) pierced: bool,
}

impl PosedMesh {
    /// Poses all parts of a scene.
    pub(super) fn all(scene: &Scene) -> Vec<Self> {
        (0..scene.parts.len() as u32)
            .map(|part| {
                let (mesh, pose) = (scene.mesh(PartId(part)), &scene.parts[part as usize].pose);
                let posed = |t: u32| mesh.corners(t).map(|v| pose.apply(v));
                let triangles: Vec<_> = (0..mesh.triangles().len() as u32).map(posed).collect();
                let boxes: Vec<_> = triangles.iter().map(|&t| Aabb::of(t)).collect();
                let bounds = boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(*b));
                Self { triangles, boxes, bounds }
            })
            .collect()
    }

    /// Returns the middle of the box.
    pub(super) fn centre(&self) -> DVec3 {
        (self.bounds.lo + self.bounds.hi) / 2.0
    }

    /// Returns the height of the highest corner within `radius` of the vertical through `p`.
    pub(super) fn highest_within(&self, p: DVec3, radius: f64) -> f64 {
        let near = |v: &&DVec3| (v.truncate() - p.truncate()).length() < radius;
        self.triangles.iter().flatten().filter(near).map(|v| v.z).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the triangles within `range` of a box along each axis.
    fn near(&self, bounds: &Aabb, range: f64) -> Vec<usize> {
        (0..self.boxes.len()).filter(|&t| self.boxes[t].axis_gap(bounds) <= range).collect()
    }

    /// Compares by brute force all triangles whose boxes come within `range`.
    pub(super) fn nearness(&self, other: &Self, range: f64) -> Nearness {
        let mut found = Nearness { distance: f64::INFINITY, pierced: false };
        if self.bounds.axis_gap(&other.bounds) > range {
            return found;
        }
        let theirs = other.near(&self.bounds, range);
        for a in self.near(&other.bounds, range) {
            for &b in &theirs {
                if self.boxes[a].axis_gap(&other.boxes[b]) <= range {
                    let (ta, tb) = (&self.triangles[a], &other.triangles[b]);
                    found.pierced |= pierces(ta, tb) || pierces(tb, ta);
                    let distance = if pierces_or_touches(ta, tb) { 0.0 } else { distance(ta, tb) };
                    found.distance = found.distance.min(distance);
                }
            }
        }
        found
    }
}

fn edges(t: &[DVec3; 3]) -> [[DVec3; 2]; 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
}

/// Returns the signs of an edge against a triangle: its two ends against the plane, its line against the
/// three sides.
fn signs([p, q]: [DVec3; 2], t: &[DVec3; 3]) -> ([Sign; 2], [Sign; 3]) {
    ([p, q].map(|v| orient3d(t[0], t[1], t[2], v)), edges(t).map(|[a, b]| orient3d(p, q, a, b)))
}

fn pierces(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    edges(a).into_iter().any(|edge| {
        let (ends, sides) = signs(edge, b);
        ends[0].is_ne()
            && ends[0] == ends[1].reverse()
            && sides[0].is_ne()
            && sides.iter().all(|s| *s == sides[0])
    })
}

/// True when an edge meets the other triangle's plane in or on the triangle.
fn pierces_or_touches(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let meets = |a: &[DVec3; 3], b: &[DVec3; 3]| {
        edges(a).into_iter().any(|edge| {
            let (ends, sides) = signs(edge, b);
            let crosses = ends[0] != ends[1] || ends[0].is_eq();
            let coplanar = ends.iter().all(|s| s.is_eq());
            crosses && !coplanar && !(sides.contains(&Sign::Less) && sides.contains(&Sign::Greater))
        })
    };
    meets(a, b) || meets(b, a)
}

/// Returns the distance of two triangles that do not cross: between edges, and between corners and faces.
fn distance(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let of_edges = edges(a).into_iter().flat_map(|p| edges(b).into_iter().map(move |q| segments(p, q)));
    let of_corners = a.iter().map(|p| corner(*p, b)).chain(b.iter().map(|p| corner(*p, a)));
    of_edges.chain(of_corners).fold(f64::INFINITY, f64::min)
}

/// Returns the distance of a point from the face above or below it; infinite if there is none.
fn corner(p: DVec3, t: &[DVec3; 3]) -> f64 {
    let normal = (t[1] - t[0]).cross(t[2] - t[0]);
    let inside = edges(t).into_iter().all(|[a, b]| (b - a).cross(p - a).dot(normal) >= 0.0);
    if inside { (p - t[0]).dot(normal).abs() / normal.length() } else { f64::INFINITY }
}

/// Returns the distance of two segments: the best of clamping each end and the lines' closest points.
fn segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let determinant = uu * vv - uv * uv;
    let mut best = f64::INFINITY;
    if determinant > 0.0 {
        let s = (uv * v.dot(w) - vv * u.dot(w)) / determinant;
        let t = (uu * v.dot(w) - uv * u.dot(w)) / determinant;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            best = (w + u * s - v * t).length();
        }
    }
    let to = |p: DVec3, q: DVec3, along: DVec3| {
        let s = ((p - q).dot(along) / along.dot(along)).clamp(0.0, 1.0);
        (p - (q + along * s)).length()
    };
    best.min(to(a, c, v)).min(to(b, c, v)).min(to(c, a, u)).min(to(d, a, u))
}

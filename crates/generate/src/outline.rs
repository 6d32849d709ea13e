//! Flat shapes: outlines, regions with holes, and their triangulation.

use std::f64::consts::TAU;

use glam::DVec2;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

/// A simple polygon, counterclockwise, with coordinates already rounded to f32.
pub(super) type Outline = Vec<DVec2>;

/// Returns the point at a distance from the origin and an angle.
pub(super) fn polar(radius: f64, angle: f64) -> DVec2 {
    DVec2::new(radius * libm::cos(angle), radius * libm::sin(angle))
}

/// Rounds a point to f32, which every file format can carry.
pub(super) fn rounded(p: DVec2) -> DVec2 {
    p.as_vec2().as_dvec2()
}

/// Returns a regular polygon with its corners on the circle: a shaft never thicker than `radius`.
pub(super) fn shaft(centre: DVec2, radius: f64, facets: u32) -> Outline {
    (0..facets).map(|i| rounded(centre + polar(radius, TAU * f64::from(i) / f64::from(facets)))).collect()
}

/// Returns a regular polygon with its sides on the circle: a bore never narrower than `radius`, so that the
/// play of a [`shaft`] in it does not depend on the number of facets.
pub(super) fn bore(centre: DVec2, radius: f64, facets: u32) -> Outline {
    shaft(centre, radius / libm::cos(TAU / 2.0 / f64::from(facets)), facets)
}

/// The area within an outline and outside its holes. The outlines do not touch each other.
pub(super) struct Region {
    pub(super) outer: Outline,
    pub(super) holes: Vec<Outline>,
}

impl Region {
    /// Returns the whole inside of an outline.
    pub(super) fn full(outer: Outline) -> Self {
        Self { outer, holes: Vec::new() }
    }

    /// Returns all corners, the outer ones and then the corners of each hole, and for each corner the next
    /// one along the boundary. The region is on the left of the boundary, so holes run clockwise.
    fn boundary(&self) -> (Vec<DVec2>, Vec<usize>) {
        let mut points = self.outer.clone();
        let mut next: Vec<usize> = (0..points.len()).map(|i| (i + 1) % points.len()).collect();
        for hole in &self.holes {
            let (first, n) = (points.len(), hole.len());
            points.extend(hole);
            next.extend((0..n).map(|i| first + (i + n - 1) % n));
        }
        (points, next)
    }

    /// Returns corners and counterclockwise triangles: the constrained Delaunay triangulation. It uses every
    /// corner, so walls raised on the outlines meet it without cracks.
    pub(super) fn triangulate(&self) -> (Vec<DVec2>, Vec<[u32; 3]>) {
        let (points, next) = self.boundary();
        let corners = points.iter().map(|p| Point2::new(p.x, p.y)).collect();
        let sides = next.iter().enumerate().map(|(from, &to)| [from, to]).collect();
        let mesh = ConstrainedDelaunayTriangulation::<Point2<f64>>::bulk_load_cdt(corners, sides)
            .expect("the outlines are finite");
        assert_eq!(mesh.num_vertices(), points.len(), "the outlines have no corner in common");

        // Flood inwards from every side, across edges that are not sides.
        let mut inside = vec![false; mesh.num_all_faces()];
        let mut reached: Vec<_> = mesh
            .directed_edges()
            .filter(|e| next[e.from().fix().index()] == e.to().fix().index())
            .filter_map(|e| e.face().as_inner())
            .collect();
        while let Some(face) = reached.pop() {
            if !std::mem::replace(&mut inside[face.fix().index()], true) {
                let through = face.adjacent_edges().into_iter().filter(|e| !e.is_constraint_edge());
                reached.extend(through.filter_map(|e| e.rev().face().as_inner()));
            }
        }
        let triangles = mesh
            .inner_faces()
            .filter(|face| inside[face.fix().index()])
            .map(|face| face.vertices().map(|v| closefit_geometry::ids::to_u32(v.fix().index())))
            .collect();
        (points, triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(outline: &Outline) -> f64 {
        (0..outline.len()).map(|i| outline[i].perp_dot(outline[(i + 1) % outline.len()])).sum::<f64>() / 2.0
    }

    #[test]
    fn triangles_fill_the_region_and_only_it() {
        let hole = |x: f64| bore(DVec2::new(x, 0.25), 0.5, 12);
        let region =
            Region { outer: shaft(DVec2::ZERO, 3.0, 40), holes: vec![hole(-1.5), hole(0.0), hole(1.5)] };
        let (points, triangles) = region.triangulate();
        let corner = |t: &[u32; 3]| t.map(|v| points[v as usize]).to_vec();
        assert!(triangles.iter().all(|t| area(&corner(t)) > 0.0));
        let sum: f64 = triangles.iter().map(|t| area(&corner(t))).sum();
        let wanted = area(&region.outer) - region.holes.iter().map(area).sum::<f64>();
        assert!((sum - wanted).abs() < 1e-12, "{sum} {wanted}");
        // By Euler's formula, a triangulation of n corners with h holes has n + 2h - 2 triangles.
        assert_eq!(triangles.len(), points.len() + 2 * 3 - 2);
    }

    #[test]
    fn bores_clear_shafts_whatever_the_facets() {
        for facets in [5, 12, 96] {
            let [a, b] = [bore(DVec2::ZERO, 1.0, facets)[0], bore(DVec2::ZERO, 1.0, facets)[1]];
            assert!(((a + b) / 2.0).length() > 1.0 - 1e-6);
            assert!(shaft(DVec2::ZERO, 1.0, facets).iter().all(|p| p.length() < 1.0 + 1e-6));
        }
    }
}

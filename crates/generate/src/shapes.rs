//! Single solids with a given number of triangles: the regular objects on which collision papers test.
//!
//! All have their middle at the origin and about the radius 1. They are closed.

use std::collections::VecDeque;
use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use super::solids::Solid;
use closefit_geometry::mesh::Mesh;

/// A family of solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A sphere of circles of latitude.
    Sphere,
    /// A torus of radius 0.7 with a tube of 0.3.
    Torus,
    /// A cylinder as high as it is wide.
    Cylinder,
    /// A hyperboloid of one sheet with flat ends, its waist half as wide as these.
    Hyperboloid,
    /// A tetrahedron with a tetrahedron half as large on each side, and so on.
    TetraFlake,
}

impl Shape {
    /// All families.
    pub const ALL: [Self; 5] =
        [Self::Sphere, Self::Torus, Self::Cylinder, Self::Hyperboloid, Self::TetraFlake];

    /// Returns the name of the family.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Torus => "torus",
            Self::Cylinder => "cylinder",
            Self::Hyperboloid => "hyperboloid",
            Self::TetraFlake => "tetra-flake",
        }
    }

    /// Builds the solid whose number of triangles is nearest to `triangles`, at least 18: an even number, or
    /// for flakes 4 and a multiple of 8.
    pub fn mesh(self, triangles: u32) -> Mesh {
        let [around, across] = factors(triangles / 2);
        let turned = |profile: Vec<DVec2>| Solid::turned(&profile, around);
        let solid = match self {
            Self::Sphere => turned(sphere(across)),
            Self::Torus => Solid::torus(0.7, around, across, |_, _| 0.3),
            Self::Cylinder => turned(lathed(across, |_| 1.0)),
            Self::Hyperboloid => turned(lathed(across, |z| (0.25 + 0.75 * z * z).sqrt())),
            Self::TetraFlake => flake((triangles.saturating_sub(4) + 4) / 8),
        };
        solid.into_mesh()
    }
}

/// Returns two factors of the largest number up to `n`, or up to two below it, for which the first is nearest
/// to twice the second; both are at least 3.
fn factors(n: u32) -> [u32; 2] {
    let skew = |&[a, b]: &[u32; 2]| f64::from(a.max(2 * b)) / f64::from(a.min(2 * b));
    let of = |n: u32| (3..=n / 3).filter(move |b| n.is_multiple_of(*b)).map(move |b| [n / b, b]);
    let best = |n: u32| of(n).min_by(|x, y| skew(x).total_cmp(&skew(y)));
    let exact = best(n.max(9)).filter(|pair| skew(pair) < 2.7);
    exact.or_else(|| (n.max(11) - 2..=n.max(11)).rev().filter_map(best).next()).unwrap_or([3, 3])
}

/// Returns the profile of a sphere of `across + 1` bands. The first and the last band are caps.
fn sphere(across: u32) -> Vec<DVec2> {
    let angle = |i: u32| PI * f64::from(i) / f64::from(across + 1);
    let ring = |i: u32| DVec2::new(libm::sin(angle(i)), -libm::cos(angle(i)));
    let ends = [DVec2::new(0.0, -1.0), DVec2::new(0.0, 1.0)];
    std::iter::once(ends[0]).chain((1..=across).map(ring)).chain([ends[1]]).collect()
}

/// Returns the profile of a solid with flat ends at the heights -1 and 1 and `across - 1` bands between.
fn lathed(across: u32, radius: impl Fn(f64) -> f64) -> Vec<DVec2> {
    let height = |i: u32| 2.0 * f64::from(i) / f64::from(across - 1) - 1.0;
    let ring = |i: u32| DVec2::new(radius(height(i)), height(i));
    let ends = [DVec2::new(0.0, -1.0), DVec2::new(0.0, 1.0)];
    std::iter::once(ends[0]).chain((0..across).map(ring)).chain([ends[1]]).collect()
}

/// Builds a tetrahedron with a number of smaller ones on its sides, the larger first.
fn flake(smaller: u32) -> Solid {
    let mut solid = Solid::default();
    let corners = [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)];
    let [a, b, c, d] = corners.map(|corner| DVec3::from(corner) / 3f64.sqrt());
    let mut sides = VecDeque::from([[a, b, c], [a, c, d], [a, d, b], [b, d, c]]);
    for _ in 0..smaller {
        let [p, q, r] = sides.pop_front().expect("each leaves three");
        let middle = (p + q + r) / 3.0;
        // Half as large, around the middle of the side.
        let [u, v, w] = [p, q, r].map(|corner| ((corner + middle) / 2.0).as_vec3().as_dvec3());
        let height = (u - v).length() * (2f64 / 3.0).sqrt();
        let tip = (middle + (q - p).cross(r - p).normalize() * height).as_vec3().as_dvec3();
        for side in [[p, q, u], [q, v, u], [q, r, v], [r, w, v], [r, p, w], [p, u, w]] {
            solid.triangle(side);
        }
        sides.extend([[u, v, tip], [v, w, tip], [w, u, tip]]);
    }
    sides.into_iter().for_each(|side| solid.triangle(side));
    solid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{closed, volume};

    /// The numbers of polygons of Zachmann 1997.
    const PRINTED: [u32; 7] = [100, 300, 400, 700, 1_300, 2_000, 3_000];

    #[test]
    fn the_sizes_of_the_papers_come_out_exactly() {
        for triangles in PRINTED {
            for shape in Shape::ALL {
                let made = shape.mesh(triangles).triangles().len() as u32;
                let off = if shape == Shape::TetraFlake && triangles >= 2_000 { 4 } else { 0 };
                let off = if shape == Shape::TetraFlake && triangles == 400 { 4 } else { off };
                assert_eq!(made.abs_diff(triangles), off, "{shape:?} {triangles}: {made}");
            }
        }
    }

    #[test]
    fn shapes_are_closed_and_about_as_large_as_a_unit_sphere() {
        for triangles in [20, 36, 100, 1_300, 20_000, 100_000] {
            for shape in Shape::ALL {
                let mesh = shape.mesh(triangles);
                let at = format!("{shape:?} {triangles}");
                assert!(closed(&mesh), "{at}");
                assert!((0.2..7.0).contains(&volume(&mesh)), "{at}: {}", volume(&mesh));
                let made = mesh.triangles().len() as u32;
                assert!(made.abs_diff(triangles) <= 4, "{at}: {made}");
                let radius = mesh.vertices().iter().map(|v| v.length()).fold(0.0, f64::max);
                assert!((0.99..1.5).contains(&radius), "{at}: {radius}");
                assert!(mesh.vertices().iter().all(|v| v.as_vec3().as_dvec3() == *v), "{at}");
            }
        }
    }
}

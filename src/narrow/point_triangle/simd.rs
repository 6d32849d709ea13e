//! The form in lanes: four pairs of a point and a triangle, with the operations and bits of
//! [`scalar`](super::scalar).

use glam::DVec3;

use super::{Face, Faces4, Points4};
use closefit_geometry::lanes::{Select, Simd, SimdBase, Triangles4, Vec3x4, Vector, f64x4};

/// Prepared triangles in lanes.
#[derive(Clone, Copy)]
struct Lanes<S: Simd> {
    corner: Triangles4<S>,
    edge: Triangles4<S>,
    inverse: [f64x4<S>; 3],
    products: [f64x4<S>; 3],
    inverse_area: f64x4<S>,
}

/// Returns the squared distances between a point and four triangles, as
/// [`scalar::squared`](super::scalar::squared) does.
#[inline(always)]
pub fn squared<S: Simd>(simd: S, p: DVec3, faces: &Faces4) -> f64x4<S> {
    let Faces4 { corner: c, edge: e, inverse: i, products: q, inverse_area } = faces;
    let lanes = Lanes {
        corner: [vector(simd, &c[0]), vector(simd, &c[1]), vector(simd, &c[2])],
        edge: [vector(simd, &e[0]), vector(simd, &e[1]), vector(simd, &e[2])],
        inverse: [number(simd, &i[0]), number(simd, &i[1]), number(simd, &i[2])],
        products: [number(simd, &q[0]), number(simd, &q[1]), number(simd, &q[2])],
        inverse_area: number(simd, inverse_area),
    };
    between(Vec3x4::splat(simd, p), &lanes)
}

/// Returns the squared distances between four points and a triangle, as
/// [`scalar::squared`](super::scalar::squared) does.
#[inline(always)]
pub fn squared_of_points<S: Simd>(simd: S, points: &Points4, face: &Face) -> f64x4<S> {
    let Face { corner: c, edge: e, inverse: i, products: q, inverse_area } = face;
    let all = |v: DVec3| Vec3x4::splat(simd, v);
    let same = |x: f64| f64x4::splat(simd, x);
    let lanes = Lanes {
        corner: [all(c[0]), all(c[1]), all(c[2])],
        edge: [all(e[0]), all(e[1]), all(e[2])],
        inverse: [same(i[0]), same(i[1]), same(i[2])],
        products: [same(q[0]), same(q[1]), same(q[2])],
        inverse_area: same(*inverse_area),
    };
    between(vector(simd, &points.0), &lanes)
}

#[inline(always)]
fn between<S: Simd>(p: Vec3x4<S>, faces: &Lanes<S>) -> f64x4<S> {
    let Lanes { corner, edge, inverse, products: [uu, vv, uv], inverse_area } = *faces;
    let from = [p - corner[0], p - corner[1], p - corner[2]];
    let along = [from[0].dot(edge[0]), from[1].dot(edge[1]), from[2].dot(edge[2])];
    let mut least = to_edge(from[0], edge[0], along[0] * inverse[0]);
    least = least.min(to_edge(from[1], edge[1], along[1] * inverse[1]));
    least = least.min(to_edge(from[2], edge[2], along[2] * inverse[2]));
    let (u, v) = (edge[0], edge[2]);
    let (uw, vw) = (along[0], -from[0].dot(v));
    let x = (vv * uw - uv * vw) * inverse_area;
    let y = (uu * vw - uv * uw) * inverse_area;
    let inside = x.simd_ge(0.0) & y.simd_ge(0.0) & (x + y).simd_le(1.0);
    let apart = from[0] - u * x + v * y;
    inside.select(least.min(apart.dot(apart)), least)
}

#[inline(always)]
fn to_edge<S: Simd>(from: Vec3x4<S>, edge: Vec3x4<S>, along: f64x4<S>) -> f64x4<S> {
    let apart = from - edge * along.max(0.0).min(1.0);
    apart.dot(apart)
}

#[inline(always)]
fn number<S: Simd>(simd: S, x: &[f64; 4]) -> f64x4<S> {
    f64x4::load_array_ref(simd, x)
}

#[inline(always)]
fn vector<S: Simd>(simd: S, v: &[[f64; 4]; 3]) -> Vec3x4<S> {
    Vector([number(simd, &v[0]), number(simd, &v[1]), number(simd, &v[2])])
}

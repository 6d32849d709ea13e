//! The form in lanes: four pairs at a time, with the operations and bits of [`scalar`](super::scalar).

use super::Contacts;
use crate::narrow::posed_leaf::PosedLeaf;
use closefit_geometry::lanes::{Select, Simd, SimdBase, SimdMask, f64x4, mask64x4};
use closefit_geometry::lanes::{Triangles4, Vec3x4};
use closefit_geometry::math::error_bounds::{DETERMINANT, IN_PLANE, UNDERFLOW};

/// Edge `i` from its corner to the next, and the corner opposite.
const EDGES: [[usize; 3]; 3] = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];

/// Classifies the pairs of two leaves.
#[inline(always)]
pub fn contacts<S: Simd>(simd: S, a: &PosedLeaf<S>, b: &PosedLeaf<S>) -> Contacts {
    let lanes = a.lanes & b.lanes;
    let mut apart = a.lo[0].simd_gt(b.hi[0]) | b.lo[0].simd_gt(a.hi[0]);
    apart |= a.lo[1].simd_gt(b.hi[1]) | b.lo[1].simd_gt(a.hi[1]);
    apart |= a.lo[2].simd_gt(b.hi[2]) | b.lo[2].simd_gt(a.hi[2]);
    if bits(apart) & lanes == lanes {
        return Contacts { meets: 0, apart: lanes, unsure: 0 };
    }
    let size = a.hi.max(b.hi) - a.lo.min(b.lo);
    let error = size[0] * size[1] * size[2] * DETERMINANT;
    let (a, b) = (&a.corner, &b.corner);
    let (sides_a, sides_b) = (sides(a, b), sides(b, a));
    for s in [sides_a, sides_b] {
        apart |= least(s).simd_gt(error) | greatest(s).simd_lt(-error);
    }
    if bits(apart) & lanes == lanes {
        return Contacts { meets: 0, apart: lanes, unsure: 0 };
    }
    let cut = certain(sides_a, error) & certain(sides_b, error) & !apart;
    let (overlap, gap) = intervals(a, sides_a, b, sides_b, error);
    let mut meets = overlap & cut;
    apart |= gap & cut;
    if lanes & !bits(meets | apart) != 0 {
        meets |= share_corner(a, b);
    }
    if lanes & !bits(meets | apart) != 0 {
        // Out of line, because hardly any pair of curved meshes comes here.
        apart |= simd.vectorize(
            #[inline(always)]
            || separated(a, b, size, error),
        );
    }
    let (meets, apart) = (bits(meets) & lanes, bits(apart) & lanes);
    Contacts { meets, apart, unsure: lanes & !(meets | apart) }
}

#[inline(always)]
fn bits<S: Simd>(mask: mask64x4<S>) -> u32 {
    mask.to_bitmask() as u32
}

#[inline(always)]
fn least<S: Simd>([x, y, z]: [f64x4<S>; 3]) -> f64x4<S> {
    x.min(y).min(z)
}

#[inline(always)]
fn greatest<S: Simd>([x, y, z]: [f64x4<S>; 3]) -> f64x4<S> {
    x.max(y).max(z)
}

/// Returns the sides of the triangles' corners: positive on the side to which the planes' normals point.
#[inline(always)]
fn sides<S: Simd>(of: &Triangles4<S>, plane: &Triangles4<S>) -> [f64x4<S>; 3] {
    let normal = (plane[1] - plane[0]).cross(plane[2] - plane[0]);
    [normal.dot(of[0] - plane[0]), normal.dot(of[1] - plane[0]), normal.dot(of[2] - plane[0])]
}

#[inline(always)]
fn certain<S: Simd>([x, y, z]: [f64x4<S>; 3], error: f64x4<S>) -> mask64x4<S> {
    least([x.abs(), y.abs(), z.abs()]).simd_gt(error)
}

/// Triangles whose first corner is alone on its side of the other's plane.
struct Alone<S: Simd> {
    corner: Triangles4<S>,
    /// True when that corner is on the positive side.
    above: mask64x4<S>,
    /// True when two corners changed places, which reverses the normal.
    odd: mask64x4<S>,
}

impl<S: Simd> Alone<S> {
    #[inline(always)]
    fn of(t: &Triangles4<S>, sides: [f64x4<S>; 3]) -> Self {
        let [s0, s1, s2] = [sides[0].simd_gt(0.0), sides[1].simd_gt(0.0), sides[2].simd_gt(0.0)];
        let second = (s1 ^ s0) & (s1 ^ s2);
        let third = (s2 ^ s0) & (s2 ^ s1);
        let corner = [
            Vec3x4::select(second, t[1], Vec3x4::select(third, t[2], t[0])),
            Vec3x4::select(second, t[0], t[1]),
            Vec3x4::select(third, t[0], t[2]),
        ];
        // One or two of the three are above.
        Self { corner, above: s0 ^ s1 ^ s2, odd: second | third }
    }
}

/// Compares the intervals on the common line of triangles that cut each other's planes. Returns masks of
/// those that certainly overlap, and of those that certainly do not.
#[inline(always)]
fn intervals<S: Simd>(
    a: &Triangles4<S>,
    sides_a: [f64x4<S>; 3],
    b: &Triangles4<S>,
    sides_b: [f64x4<S>; 3],
    error: f64x4<S>,
) -> (mask64x4<S>, mask64x4<S>) {
    let (a, b) = (Alone::of(a, sides_a), Alone::of(b, sides_b));
    let (a_above, b_above) = (a.above ^ b.odd, b.above ^ a.odd);
    let ([ap, aq, ar], [bp, bq, br]) = (a.corner, b.corner);
    // Makes both intervals run the same way.
    let turn = a_above ^ b_above;
    let (bq, br) = (Vec3x4::select(turn, br, bq), Vec3x4::select(turn, bq, br));
    let across = bp - ap;
    let first = across.dot((bq - bp).cross(aq - ap));
    let second = across.dot((br - bp).cross(ar - ap));
    let (low, high) = (b_above.select(first, second), b_above.select(second, first));
    let apart = low.simd_gt(error) | high.simd_lt(-error);
    (low.simd_lt(-error) & high.simd_gt(error), apart)
}

/// Returns the triangles with a corner in the same place.
#[inline(always)]
fn share_corner<S: Simd>(a: &Triangles4<S>, b: &Triangles4<S>) -> mask64x4<S> {
    let mut shared = mask64x4::splat(a[0][0].simd, false);
    for p in a {
        for q in b {
            shared |= p[0].simd_eq(q[0]) & p[1].simd_eq(q[1]) & p[2].simd_eq(q[2]);
        }
    }
    shared
}

/// Returns the triangles that an axis separates: perpendicular to an edge of each, or perpendicular to an
/// edge and in its triangle's plane.
#[inline(always)]
fn separated<S: Simd>(a: &Triangles4<S>, b: &Triangles4<S>, size: Vec3x4<S>, error: f64x4<S>) -> mask64x4<S> {
    let (edges_a, edges_b) = (edges(a), edges(b));
    let origin = a[0];
    let a = [a[0] - origin, a[1] - origin, a[2] - origin];
    let b = [b[0] - origin, b[1] - origin, b[2] - origin];
    let margin = error + error;
    let mut apart = mask64x4::splat(error.simd, false);
    for ([i, _, k], edge_a) in EDGES.into_iter().zip(edges_a) {
        for ([l, _, m], edge_b) in EDGES.into_iter().zip(edges_b) {
            let axis = edge_a.cross(edge_b);
            let [low_a, high_a] = span(axis.dot(a[i]), axis.dot(a[k]));
            let [low_b, high_b] = span(axis.dot(b[l]), axis.dot(b[m]));
            apart |= (low_b - high_a).simd_gt(margin) | (low_a - high_b).simd_gt(margin);
        }
    }
    let [x, y, z] = [size[0] * size[0], size[1] * size[1], size[2] * size[2]];
    let margin = (x * y + y * z + z * x) * (2.0 * IN_PLANE) + UNDERFLOW;
    for (own, edges, other) in [(&a, edges_a, &b), (&b, edges_b, &a)] {
        let normal = edges[0].cross(edges[1]);
        for ([i, _, k], edge) in EDGES.into_iter().zip(edges) {
            let axis = normal.cross(edge);
            let [low, high] = span(axis.dot(own[i]), axis.dot(own[k]));
            let places = [axis.dot(other[0]), axis.dot(other[1]), axis.dot(other[2])];
            apart |= (least(places) - high).simd_gt(margin) | (low - greatest(places)).simd_gt(margin);
        }
    }
    apart
}

#[inline(always)]
fn edges<S: Simd>(t: &Triangles4<S>) -> Triangles4<S> {
    [t[1] - t[0], t[2] - t[1], t[0] - t[2]]
}

#[inline(always)]
fn span<S: Simd>(x: f64x4<S>, y: f64x4<S>) -> [f64x4<S>; 2] {
    [x.min(y), x.max(y)]
}

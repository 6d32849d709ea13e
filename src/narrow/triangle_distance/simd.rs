//! The form in lanes: four pairs at a time, with the operations and bits of [`scalar`](super::scalar).
//!
//! Fused multiplication in the scalar and vector products made it 15 percent faster, but the bits then
//! depended on the CPU.

use super::PARALLEL;
use crate::narrow::posed_leaf::PosedLeaf;
use closefit_geometry::lanes::{Select, Simd, SimdBase, SimdFloat, SimdMask, f64x4, mask64x4};
use closefit_geometry::lanes::{Triangles4, Vec3x4, Vector};
use closefit_geometry::math::error_bounds::{LENGTH, SHORTEST, SQUARES};

/// Bounds of the distance in each lane; infinite for spare lanes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds4<S: Simd> {
    /// Lower bounds of the distances; 0 or more.
    pub at_least: f64x4<S>,
    /// Upper bounds of the distances.
    pub at_most: f64x4<S>,
}

/// Returns a mask in which bit `l` is set for spare lanes, and otherwise only if the distance of the pair in
/// lane `l` exceeds `bound`. A gap between the boxes proves it, or a gap along the offset of the boxes, the
/// line between the centres, or a normal.
#[inline(always)]
pub fn beyond<S: Simd>(simd: S, a: &PosedLeaf<S>, b: &PosedLeaf<S>, bound: f64) -> u32 {
    let spare = 0b1111 & !(a.lanes & b.lanes);
    let zero = f64x4::splat(simd, 0.0);
    let (after, before) = (a.lo - b.hi, b.lo - a.hi);
    let gap = after.max(before).max(Vector([zero; 3]));
    let way = Vector([gap[0].copysign(before[0]), gap[1].copysign(before[1]), gap[2].copysign(before[2])]);
    let mut beyond = gap.dot(gap).simd_gt(bound * bound * (1.0 + SQUARES));
    if bits(beyond) | spare == 0b1111 {
        return 0b1111;
    }
    let limit = extent(a, b) * LENGTH + bound;
    let (a, b) = recentred(a, b);
    beyond |= exceeds(&a, &b, way, limit);
    if bits(beyond) | spare == 0b1111 {
        return 0b1111;
    }
    let middles = (b[0] + b[1] + b[2]) - (a[0] + a[1] + a[2]);
    beyond |= exceeds(&a, &b, middles, limit);
    if bits(beyond) | spare == 0b1111 {
        return 0b1111;
    }
    beyond |= exceeds(&a, &b, normal(&a), limit) | exceeds(&a, &b, normal(&b), limit);
    bits(beyond) | spare
}

/// Returns bounds of the distances of the pairs of two leaves.
#[inline(always)]
pub fn bounds<S: Simd>(simd: S, a: &PosedLeaf<S>, b: &PosedLeaf<S>) -> Bounds4<S> {
    let used = mask64x4::from_bitmask(simd, u64::from(a.lanes & b.lanes));
    let error = extent(a, b) * LENGTH;
    let (a, b) = recentred(a, b);
    let (points, perpendicular) = closest(&a, &b);
    let at_most = points.squared.sqrt() + error;
    let mut at_least = gap(&a, &b, points.apart, error);
    let tilted = (at_most - at_least).simd_gt(error * 4.0);
    if bits(tilted) != 0 {
        at_least = tilted.select(at_least.max(gap(&a, &b, perpendicular, error)), at_least);
    }
    let far = f64x4::splat(simd, f64::INFINITY);
    Bounds4 { at_least: used.select(at_least, far), at_most: used.select(at_most, far) }
}

/// Returns the offsets from nearly closest points of the second triangles to points of the first, and the
/// perpendiculars to their features.
#[inline(always)]
pub fn directions<S: Simd>(a: &PosedLeaf<S>, b: &PosedLeaf<S>) -> [Vec3x4<S>; 2] {
    let (a, b) = recentred(a, b);
    let (points, perpendicular) = closest(&a, &b);
    [points.apart, perpendicular]
}

/// Returns, for each pair of edges, the perpendiculars to both; for parallel ones, those from one to the
/// other.
#[inline(always)]
pub fn edge_directions<S: Simd>(a: &PosedLeaf<S>, b: &PosedLeaf<S>) -> [Vec3x4<S>; 9] {
    let (a, b) = recentred(a, b);
    let (edges_a, edges_b) = (Edges::of(&a, &b), Edges::of(&b, &a));
    std::array::from_fn(|k| edges_a.perpendicular(&edges_b, k / 3, k % 3))
}

/// Returns nearly closest points, and the perpendiculars to their features.
#[inline(always)]
fn closest<S: Simd>(a: &Triangles4<S>, b: &Triangles4<S>) -> (Points<S>, Vec3x4<S>) {
    let (edges_a, edges_b) = (Edges::of(a, b), Edges::of(b, a));
    let mut best = edges_a.row(&edges_b, 0);
    best.closer(edges_a.row(&edges_b, 1));
    best.closer(edges_a.row(&edges_b, 2));
    let second = Vec3x4::select(best.edge_b.simd_gt(0.5), edges_b.along[1], edges_b.along[0]);
    let edge_b = Vec3x4::select(best.edge_b.simd_gt(1.5), edges_b.along[2], second);
    let NearestEdges { mut points, edge_a, .. } = best;
    let mut perpendicular = edge_a.cross(edge_b);
    for (corners, face) in [(a, &edges_b), (b, &edges_a)] {
        let (inside, normal, found) = face.closest_corner(corners);
        let closer = inside & found.squared.simd_lt(points.squared);
        points = Points::select(closer, found, points);
        perpendicular = Vec3x4::select(closer, normal, perpendicular);
    }
    (points, perpendicular)
}

#[inline(always)]
pub(crate) fn bits<S: Simd>(mask: mask64x4<S>) -> u32 {
    mask.to_bitmask() as u32
}

/// Returns the largest extent of the box around both.
#[inline(always)]
pub(crate) fn extent<S: Simd>(a: &PosedLeaf<S>, b: &PosedLeaf<S>) -> f64x4<S> {
    let size = a.hi.max(b.hi) - a.lo.min(b.lo);
    size[0].max(size[1]).max(size[2])
}

/// Shifts both triangles so that the first corner is the origin.
#[inline(always)]
pub(crate) fn recentred<S: Simd>(a: &PosedLeaf<S>, b: &PosedLeaf<S>) -> (Triangles4<S>, Triangles4<S>) {
    let (a, b, origin) = (&a.corner, &b.corner, a.corner[0]);
    ([a[0] - origin, a[1] - origin, a[2] - origin], [b[0] - origin, b[1] - origin, b[2] - origin])
}

#[inline(always)]
pub(crate) fn normal<S: Simd>(t: &Triangles4<S>) -> Vec3x4<S> {
    (t[1] - t[0]).cross(t[2] - t[0])
}

/// Two points, given by the offset from one to the other.
#[derive(Clone, Copy)]
struct Points<S: Simd> {
    apart: Vec3x4<S>,
    squared: f64x4<S>,
}

impl<S: Simd> Points<S> {
    #[inline(always)]
    fn new(apart: Vec3x4<S>) -> Self {
        Self { apart, squared: apart.dot(apart) }
    }

    #[inline(always)]
    fn select(mask: mask64x4<S>, a: Self, b: Self) -> Self {
        Self { apart: Vec3x4::select(mask, a.apart, b.apart), squared: mask.select(a.squared, b.squared) }
    }
}

/// The closest pair of edges so far.
struct NearestEdges<S: Simd> {
    points: Points<S>,
    edge_a: Vec3x4<S>,
    /// Index of the other edge.
    edge_b: f64x4<S>,
}

impl<S: Simd> NearestEdges<S> {
    #[inline(always)]
    fn closer(&mut self, other: Self) {
        let closer = other.points.squared.simd_lt(self.points.squared);
        self.points = Points::select(closer, other.points, self.points);
        self.edge_a = Vec3x4::select(closer, other.edge_a, self.edge_a);
        self.edge_b = closer.select(other.edge_b, self.edge_b);
    }
}

/// A triangle's edges, edge `i` from corner `i` to the next, with scalar products.
struct Edges<S: Simd> {
    from: Triangles4<S>,
    along: Triangles4<S>,
    squared: [f64x4<S>; 3],
    /// Inverses of the edges' squares; huge numbers for squares of 0.
    inverse: [f64x4<S>; 3],
    /// Scalar products with the edge's own start.
    own: [f64x4<S>; 3],
    /// Scalar products with the other triangle's corners.
    other: [[f64x4<S>; 3]; 3],
}

impl<S: Simd> Edges<S> {
    #[inline(always)]
    fn of(t: &Triangles4<S>, other: &Triangles4<S>) -> Self {
        let along = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        let [u, v, w] = along;
        let squared = [u.dot(u), v.dot(v), w.dot(w)];
        Self {
            from: *t,
            along,
            squared,
            inverse: [inverse(squared[0]), inverse(squared[1]), inverse(squared[2])],
            own: [u.dot(t[0]), v.dot(t[1]), w.dot(t[2])],
            other: [places(u, other), places(v, other), places(w, other)],
        }
    }

    /// Compares one edge with all edges of the other triangle.
    #[inline(always)]
    fn row(&self, b: &Self, i: usize) -> NearestEdges<S> {
        let simd = self.own[i].simd;
        let mut points = self.closest(b, i, 0);
        let mut edge_b = f64x4::splat(simd, 0.0);
        let found = self.closest(b, i, 1);
        let closer = found.squared.simd_lt(points.squared);
        points = Points::select(closer, found, points);
        edge_b = closer.select(f64x4::splat(simd, 1.0), edge_b);
        let found = self.closest(b, i, 2);
        let closer = found.squared.simd_lt(points.squared);
        points = Points::select(closer, found, points);
        edge_b = closer.select(f64x4::splat(simd, 2.0), edge_b);
        NearestEdges { points, edge_a: self.along[i], edge_b }
    }

    /// Returns nearly closest points of two closed edges.
    #[inline(always)]
    fn closest(&self, b: &Self, i: usize, j: usize) -> Points<S> {
        let (u, v) = (self.along[i], b.along[j]);
        let (uu, vv) = (self.squared[i], b.squared[j]);
        let uv = self.other[i][(j + 1) % 3] - self.other[i][j];
        let (ur, vr) = (self.own[i] - self.other[i][j], b.other[j][i] - b.own[j]);
        let s = fraction((uv * vr - ur * vv) / positive(uu * vv - uv * uv));
        let t = fraction((uv * s + vr) * b.inverse[j]);
        let s = fraction((uv * t - ur) * self.inverse[i]);
        Points::new((self.from[i] - b.from[j]) + u * s - v * t)
    }

    /// Returns the perpendiculars to two edges, or from one to the other if they are parallel.
    #[inline(always)]
    fn perpendicular(&self, b: &Self, i: usize, j: usize) -> Vec3x4<S> {
        let (u, uu) = (self.along[i], self.squared[i]);
        let (cross, apart) = (u.cross(b.along[j]), self.closest(b, i, j).apart);
        let are_parallel = cross.dot(cross).simd_lt(uu * b.squared[j] * PARALLEL);
        Vec3x4::select(are_parallel, apart * uu - u * u.dot(apart), cross)
    }

    /// Returns the corner nearest to this face's plane and its foot, with the normal; the mask says where the
    /// foot is inside. If a corner and a face are closest, that corner is the nearest to the plane, up to
    /// rounding.
    #[inline(always)]
    fn closest_corner(&self, corners: &Triangles4<S>) -> (mask64x4<S>, Vec3x4<S>, Points<S>) {
        let (origin, [u, _, v]) = (self.from[0], self.along);
        let normal = v.cross(u);
        let level = normal.dot(origin);
        let [h0, h1, h2] = places(normal, corners);
        let (h0, h1, h2) = ((h0 - level).abs(), (h1 - level).abs(), (h2 - level).abs());
        let nearer = Vec3x4::select(h1.simd_lt(h0), corners[1], corners[0]);
        let nearest = Vec3x4::select(h2.simd_lt(h0.min(h1)), corners[2], nearer);
        let w = nearest - origin;
        let ([uu, _, vv], uv, uw, vw) = (self.squared, u.dot(v), u.dot(w), v.dot(w));
        let inverse = inverse(uu * vv - uv * uv);
        let (x, y) = ((vv * uw - uv * vw) * inverse, (uv * uw - uu * vw) * inverse);
        let inside = x.simd_ge(0.0) & y.simd_ge(0.0) & (x + y).simd_le(1.0);
        (inside, normal, Points::new(w - u * x + v * y))
    }
}

/// Returns x, or a tiny number for 0, so that no quotient is NaN.
#[inline(always)]
fn positive<S: Simd>(x: f64x4<S>) -> f64x4<S> {
    x.max(f64::MIN_POSITIVE)
}

#[inline(always)]
fn inverse<S: Simd>(x: f64x4<S>) -> f64x4<S> {
    f64x4::splat(x.simd, 1.0) / positive(x)
}

#[inline(always)]
fn fraction<S: Simd>(x: f64x4<S>) -> f64x4<S> {
    x.max(0.0).min(1.0)
}

/// Returns the scalar products with three points.
#[inline(always)]
fn places<S: Simd>(direction: Vec3x4<S>, t: &Triangles4<S>) -> [f64x4<S>; 3] {
    [direction.dot(t[0]), direction.dot(t[1]), direction.dot(t[2])]
}

/// Returns the lanes whose gap along a direction exceeds a limit.
#[inline(always)]
fn exceeds<S: Simd>(
    a: &Triangles4<S>,
    b: &Triangles4<S>,
    direction: Vec3x4<S>,
    limit: f64x4<S>,
) -> mask64x4<S> {
    let squared = direction.dot(direction);
    squared.simd_ge(SHORTEST) & gap_along(a, b, direction).simd_gt(squared.sqrt() * limit)
}

/// Returns proven gaps along directions, or 0.
#[inline(always)]
fn gap<S: Simd>(a: &Triangles4<S>, b: &Triangles4<S>, direction: Vec3x4<S>, error: f64x4<S>) -> f64x4<S> {
    let squared = direction.dot(direction);
    let gap = gap_along(a, b, direction) / squared.sqrt() - error;
    (squared.simd_ge(SHORTEST) & gap.simd_gt(0.0)).select(gap, f64x4::splat(error.simd, 0.0))
}

/// Returns how far one triangle is past the other, in units of the direction's length.
#[inline(always)]
fn gap_along<S: Simd>(a: &Triangles4<S>, b: &Triangles4<S>, direction: Vec3x4<S>) -> f64x4<S> {
    let ([p0, p1, p2], [q0, q1, q2]) = (places(direction, a), places(direction, b));
    let after = q0.min(q1).min(q2) - p0.max(p1).max(p2);
    let before = p0.min(p1).min(p2) - q0.max(q1).max(q2);
    after.max(before)
}

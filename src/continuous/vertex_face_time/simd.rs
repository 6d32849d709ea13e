//! Four vertices and faces at a time, with the operations of [`scalar`](super::scalar) and so with equal
//! bits.

use crate::continuous::root::Moved4;
use closefit_geometry::lanes::{Simd, SimdBase, SimdFloat, SimdMask, f64x4, mask64x4};
use closefit_geometry::lanes::{Triangles4, Vec3x4};
use closefit_geometry::math::error_bounds::{GAP_OVER_TIME, SHORTEST};

/// Sets bit `l` only if the moving vertex of lane `l` stays farther than `limit` from the face throughout. It
/// deviates from its path by at most `deviation`.
#[inline(always)]
pub fn beyond<S: Simd>(face: &Triangles4<S>, vertex: Moved4<S>, deviation: f64, limit: f64) -> u32 {
    let origin = face[0];
    let (p, q, at) = (face[1] - origin, face[2] - origin, vertex.at - origin);
    let reach = size(p).max(size(q)).max(size(at)).max(size(vertex.path));
    let seen = Seen { p, q, at, path: vertex.path, room: reach * GAP_OVER_TIME + (limit + deviation) };
    let level = seen.far(p.cross(q));
    if level.to_bitmask() == 0b1111 {
        return 0b1111;
    }
    (level | seen.far(from_edges(p, q, at))).to_bitmask() as u32
}

/// The face and the vertex, relative to the face's first corner.
struct Seen<S: Simd> {
    p: Vec3x4<S>,
    q: Vec3x4<S>,
    at: Vec3x4<S>,
    path: Vec3x4<S>,
    room: f64x4<S>,
}

impl<S: Simd> Seen<S> {
    #[inline(always)]
    fn far(&self, direction: Vec3x4<S>) -> mask64x4<S> {
        let squared = direction.dot(direction);
        let (along_p, along_q) = (direction.dot(self.p), direction.dot(self.q));
        let (level, path) = (direction.dot(self.at), direction.dot(self.path).abs());
        let after = level - along_p.max(along_q).max(0.0);
        let before = along_p.min(along_q).min(0.0) - level;
        squared.simd_ge(SHORTEST) & (after.max(before) - path).simd_gt(squared.sqrt() * self.room)
    }
}

/// Returns the vectors to the vertices from the closest points on the faces' edges.
#[inline(always)]
fn from_edges<S: Simd>(p: Vec3x4<S>, q: Vec3x4<S>, at: Vec3x4<S>) -> Vec3x4<S> {
    let mut best = from_edge(p, at);
    for from in [from_edge(q, at), from_edge(q - p, at - p)] {
        best = Vec3x4::select(from.dot(from).simd_lt(best.dot(best)), from, best);
    }
    best
}

#[inline(always)]
fn from_edge<S: Simd>(along: Vec3x4<S>, at: Vec3x4<S>) -> Vec3x4<S> {
    let s = along.dot(at) / along.dot(along).max(f64::MIN_POSITIVE);
    at - along * s.max(0.0).min(1.0)
}

/// Returns the largest magnitude of a coordinate.
#[inline(always)]
fn size<S: Simd>(v: Vec3x4<S>) -> f64x4<S> {
    v[0].abs().max(v[1].abs()).max(v[2].abs())
}

//! The reading copy: one vertex and one face.

use glam::DVec3;

use crate::continuous::root::Moved;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::{GAP_OVER_TIME, SHORTEST};

/// True only if a moving vertex stays farther than `limit` from a face throughout. It deviates from its path
/// by at most `deviation`.
pub fn beyond(face: &Triangle, vertex: &Moved, deviation: f64, limit: f64) -> bool {
    let origin = face[0];
    let [p, q, at] = [face[1], face[2], vertex.at].map(|corner| corner - origin);
    let reach = [p, q, at, vertex.path].into_iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
    let room = (limit + deviation) + reach * GAP_OVER_TIME;
    let far = |direction: DVec3| {
        let squared = direction.dot(direction);
        let (along_p, along_q) = (direction.dot(p), direction.dot(q));
        let (level, path) = (direction.dot(at), direction.dot(vertex.path).abs());
        let after = level - along_p.max(along_q).max(0.0);
        let before = along_p.min(along_q).min(0.0) - level;
        squared >= SHORTEST && after.max(before) - path > squared.sqrt() * room
    };
    far(p.cross(q)) || far(from_edges(p, q, at))
}

/// Returns the vector to the vertex from the closest point on the face's edges.
fn from_edges(p: DVec3, q: DVec3, at: DVec3) -> DVec3 {
    let mut best = from_edge(p, at);
    for from in [from_edge(q, at), from_edge(q - p, at - p)] {
        if from.dot(from) < best.dot(best) {
            best = from;
        }
    }
    best
}

fn from_edge(along: DVec3, at: DVec3) -> DVec3 {
    let s = (along.dot(at) / along.dot(along).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    at - along * s
}

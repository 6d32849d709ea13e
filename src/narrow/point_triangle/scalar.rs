//! One point and one triangle.

use glam::DVec3;

use super::Face;

/// Returns the approximate squared distance: an upper bound, up to the rounding stated in the module.
#[inline]
pub fn squared(p: DVec3, face: &Face) -> f64 {
    let [u, _, v] = face.edge;
    let from = [p - face.corner[0], p - face.corner[1], p - face.corner[2]];
    let to_edge = |i: usize| {
        let along = (from[i].dot(face.edge[i]) * face.inverse[i]).clamp(0.0, 1.0);
        let apart = from[i] - face.edge[i] * along;
        apart.dot(apart)
    };
    let on_edges = to_edge(0).min(to_edge(1)).min(to_edge(2));
    // The weights of the two other corners at the foot.
    let [uu, vv, uv] = face.products;
    let (uw, vw) = (from[0].dot(u), -from[0].dot(v));
    let x = (vv * uw - uv * vw) * face.inverse_area;
    let y = (uu * vw - uv * uw) * face.inverse_area;
    if x >= 0.0 && y >= 0.0 && x + y <= 1.0 {
        let apart = from[0] - u * x + v * y;
        on_edges.min(apart.dot(apart))
    } else {
        on_edges
    }
}

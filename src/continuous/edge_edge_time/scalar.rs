//! The reading copy: one pair of edges.

use glam::DVec3;

use crate::continuous::root::Moved;
use closefit_geometry::math::error_bounds::{
    GAP_OVER_TIME, NORMAL_OVER_TIME, SHORTEST, SUMS, VOLUME_OVER_TIME,
};

/// True only if a fixed and a moving edge stay farther apart than `limit` throughout. The moving edge's ends
/// deviate from their paths by at most `deviation`.
pub fn beyond(fixed: &[DVec3; 2], moving: &[Moved; 2], deviation: f64, limit: f64) -> bool {
    let origin = fixed[0];
    let u = fixed[1] - origin;
    let [c, d] = moving.map(|end| end.at - origin);
    let [c_path, d_path] = moving.map(|end| end.path);
    let reach = [u, c, d, c_path, d_path].into_iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
    let v = d - c;
    // Equation 9.
    let volume = u.dot(d.cross(c)).abs()
        - u.dot(d_path.cross(c) + d.cross(c_path)).abs()
        - u.dot(d_path.cross(c_path)).abs();
    let long = u.length();
    let lengths = c.length() + d.length() + c_path.length() + d_path.length();
    let off =
        long * deviation * (lengths + deviation) * (1.0 + SUMS) + reach * reach * reach * VOLUME_OVER_TIME;
    let normal = u.cross(v).length() + u.cross(d_path - c_path).length() + 2.0 * long * deviation;
    let normal = normal * (1.0 + SUMS) + reach * reach * NORMAL_OVER_TIME;
    if volume - off > limit * normal {
        return true;
    }
    // The closest points at the middle.
    let (uu, vv, uv, uc, vc) = (u.dot(u), v.dot(v), u.dot(v), u.dot(c), v.dot(c));
    let s = fraction((uc * vv - uv * vc) / positive(uu * vv - uv * uv));
    let t = fraction((uv * s - vc) / positive(vv));
    let s = fraction((uv * t + uc) / positive(uu));
    let apart = (c - u * s) + v * t;
    let squared = apart.dot(apart);
    let from = apart.dot(u).max(0.0);
    let to = (apart.dot(c) - apart.dot(c_path).abs()).min(apart.dot(d) - apart.dot(d_path).abs());
    squared >= SHORTEST && to - from > squared.sqrt() * ((limit + deviation) + reach * GAP_OVER_TIME)
}

/// Returns a positive divisor, so that no quotient is NaN.
fn positive(x: f64) -> f64 {
    x.max(f64::MIN_POSITIVE)
}

fn fraction(x: f64) -> f64 {
    x.clamp(0.0, 1.0)
}

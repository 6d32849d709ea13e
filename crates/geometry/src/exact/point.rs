//! An enclosure of the distance of a point from a triangle in f64: cheap, and tight except for slivers.

use glam::DVec3;

use super::distance::Enclosure;
use crate::math::Triangle;

/// A shorter direction is unusable, because its length or a product with it may lose digits to underflow.
const SHORTEST: f64 = f64::from_bits((1023 - 450) << 52); // 2^-450

/// Returns an enclosure of the distance of a point from a triangle.
pub fn enclose_point(p: DVec3, t: &Triangle) -> Enclosure {
    let t = t.map(|corner| corner - p);
    let reach = t.iter().fold(0.0f64, |r, c| r.max(c.abs().max_element()));
    // As for two triangles: all roundings of a length between two points, or of an extent along a direction,
    // stay below 64 u reach.
    let error = 32.0 * f64::EPSILON * reach;
    let (u, v) = (t[1] - t[0], t[2] - t[0]);
    let normal = u.cross(v);
    let [lowest, highest] = extent(&t, normal);
    let mut at_least = lowest.max(-highest) - error;

    // Any point of the triangle bounds the distance from above; the foot of the perpendicular comes first.
    let mut nearest = (f64::INFINITY, DVec3::ZERO);
    if let Some(foot) = foot(&t, u, v) {
        nearest = (foot.length(), foot);
        if nearest.0 - at_least <= 2.0 * error {
            return Enclosure { at_least: at_least.max(0.0), at_most: nearest.0 + error };
        }
    }
    let mut along = DVec3::ZERO;
    for (from, to) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
        let edge = to - from;
        let fraction = -from.dot(edge) / edge.length_squared();
        // An edge without length gives NaN and fails the comparison; its start is used.
        let q = if fraction > 0.0 { from + edge * fraction.min(1.0) } else { from };
        let length = q.length();
        if length < nearest.0 {
            nearest = (length, q);
            along = edge;
        }
    }
    // Directions bound the distance from below. Rounding tilts the direction mostly along the edge, so the
    // component along it is removed for a second bound.
    let (_, q) = nearest;
    let across = q - along * (q.dot(along) / along.length_squared());
    for direction in [q, across] {
        at_least = at_least.max(extent(&t, direction)[0] - error);
    }
    if nearest.0 - at_least > 2.0 * error {
        at_least = at_least.max(beyond_corner(&t, error));
    }
    Enclosure { at_least: at_least.max(0.0), at_most: nearest.0 + error }
}

/// Returns a lower bound from the nearest corner `c`, for when the direction of the nearest point is too
/// short to give one. The edges `e` and `f` from that corner approach the origin no faster than
/// `c . e >= -sink |e|`. A point of the triangle is `c + w` with `w = s e + t f`. With `L = s |e| + t |f|`
/// and the cosine of half the angle between the edges, `|w| >= L cos`, so
/// `|c + w|^2 >= |c|^2 - 2 sink L + L^2 cos^2 >= |c|^2 - (sink / cos)^2`.
fn beyond_corner(t: &Triangle, error: f64) -> f64 {
    let lengths = t.map(DVec3::length);
    let k = (1..3).fold(0, |best, k| if lengths[k] < lengths[best] { k } else { best });
    let [e, f] = [1, 2].map(|step| t[(k + step) % 3] - t[k]);
    let sink = |e: DVec3| (-t[k].dot(e) / e.length()).max(0.0) + 0.5 * error;
    let cosine = 0.5 * (e / e.length() + f / f.length()).length() - 16.0 * f64::EPSILON;
    let less = sink(e).max(sink(f)) / cosine;
    // An edge without length makes the cosine NaN and a sharp needle makes it negative; neither gives a
    // bound.
    let lost = less.min(less * less / lengths[k]);
    if cosine > 0.0 && less.is_finite() { lengths[k] - lost - error } else { f64::NEG_INFINITY }
}

/// Returns the foot of the perpendicular from the origin, if it lies inside the triangle. `u` and `v` are the
/// edges from the first corner.
fn foot(t: &Triangle, u: DVec3, v: DVec3) -> Option<DVec3> {
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), -u.dot(t[0]), -v.dot(t[0]));
    let area = uu * vv - uv * uv;
    let (x, y) = ((vv * uw - uv * vw) / area, (uu * vw - uv * uw) / area);
    (x >= 0.0 && y >= 0.0 && x + y <= 1.0).then(|| t[0] + u * x + v * y)
}

/// Returns the range of a triangle along a direction; unbounded where the direction is too short or NaN.
fn extent(t: &Triangle, direction: DVec3) -> [f64; 2] {
    let length = direction.length();
    if length.is_nan() || length < SHORTEST {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    let [x, y, z] = t.map(|corner| direction.dot(corner));
    [x.min(y).min(z) / length, x.max(y).max(z) / length]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::distance::distance_of_point;
    use crate::math::grid::Grid;
    use crate::math::rational_point::RationalPoint;
    use num_traits::One;
    use proptest::prelude::*;

    fn exactly(p: DVec3, t: &Triangle) -> f64 {
        let grid = Grid::of([&p]);
        distance_of_point(&RationalPoint::new(grid.vector(p), One::one(), grid), t)
    }

    /// A mix of multiples of one eighth, which put feet on edges and corners, and arbitrary numbers.
    fn point() -> impl Strategy<Value = DVec3> {
        let coarse = (-8..8i32).prop_map(|n| f64::from(n) / 8.0);
        let coordinate = prop_oneof![coarse.boxed(), (-1.0..1.0f64).boxed()];
        prop::array::uniform3(coordinate).prop_map(DVec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn encloses_and_is_tight(
            corners in prop::array::uniform3(point()),
            weights in prop::array::uniform3(0.0..1.0f64),
            off in point(),
            closeness in prop_oneof![Just(0), 0..60i32],
            power in prop_oneof![Just(0), -190..190i32],
        ) {
            // A point near the triangle, or near one of its edges or corners.
            let weights = weights.map(|w| if w < 0.3 { 0.0 } else { w });
            let sum = (weights[0] + weights[1] + weights[2]).max(0.1);
            let base: DVec3 = (0..3).map(|k| corners[k] * (weights[k] / sum)).sum();
            let scale = libm::ldexp(1.0, power);
            let p = (base + off * libm::ldexp(1.0, -closeness)) * scale;
            let t = corners.map(|corner| corner * scale);
            let Enclosure { at_least, at_most } = enclose_point(p, &t);
            let d = exactly(p, &t);
            prop_assert!(at_least <= d && d <= at_most, "{d} {at_least} {at_most}");
            let sharp = {
                let [x, y, z] = [t[1] - t[0], t[2] - t[1], t[0] - t[2]].map(|e| e / scale);
                x.cross(y).length() / (x.length().max(y.length()).max(z.length())).powi(2)
            };
            let reach = t.iter().fold(0.0f64, |r, c| r.max((*c - p).abs().max_element()));
            let width = at_most - at_least;
            // Beyond a blunt corner the width grows by 64 / sharp, where half its angle has a cosine of at
            // least `sharp / 2`.
            let most = (256.0 + 64.0 / sharp) * f64::EPSILON * reach;
            prop_assert!(sharp < 0.05 || width <= most, "{}", width / reach);
        }
    }
}

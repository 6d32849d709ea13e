//! The change of the solid angle of a shell with the place from which it is seen.
//!
//! The gradient is the integral of `dl x r / |r|^3` over the boundary, as the magnetic field of a current
//! (Biot and Savart), known in closed form for each edge. Where a point stays `d` away from an edge of length
//! `l`, the gradient changes by no more than `2 min(l / d^3, 2 / d^2)` per unit of length: the derivative of
//! `r / |r|^3` is at most `2 / |r|^3`, and no point of an edge is nearer than `sqrt(d^2 + s^2)` at a distance
//! `s` along it from its closest point. The gradient itself is at most `min(l / d^2, pi / d)`.

use glam::DVec3;

/// Returns the gradient of the solid angle at the origin, as far as an edge of the boundary has a share in
/// it.
pub fn gradient_of_edge([from, to]: [DVec3; 2]) -> DVec3 {
    let (across, along, [x, y]) = (from.cross(to), from.dot(to), [from, to].map(DVec3::length));
    let square = across.length_squared();
    if square == 0.0 {
        return DVec3::ZERO;
    }
    // Of two forms of the same quotient, the one without a difference.
    let rate = if along > 0.0 { 1.0 / (x * y + along) } else { (x * y - along) / square };
    across * (rate * (x + y) / (x * y))
}

/// Returns the distance of the origin from an edge.
pub fn distance_to_edge([from, to]: [DVec3; 2]) -> f64 {
    let edge = to - from;
    let length = edge.length_squared();
    let share = if length == 0.0 { 0.0 } else { (-from.dot(edge) / length).clamp(0.0, 1.0) };
    (from + edge * share).length()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array)
    }

    /// Returns a solid angle by van Oosterom and Strackee's formula.
    fn solid_angle(t: [DVec3; 3], p: DVec3) -> f64 {
        let [a, b, c] = t.map(|corner| corner - p);
        let [x, y, z] = [a, b, c].map(DVec3::length);
        let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
        2.0 * a.dot(b.cross(c)).atan2(below)
    }

    proptest! {
        #[test]
        fn solid_angles_change_as_bounded(t in prop::array::uniform3(point()), p in point(), way in point()) {
            let edges = [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
            let near = edges.map(|[a, b]| distance_to_edge([a - p, b - p]));
            let closest = near.into_iter().fold(f64::INFINITY, f64::min);
            prop_assume!(closest > 1e-3 && way.length() > 1e-2);
            let way = way.normalize() * (0.5 * closest);
            let gradient: DVec3 = edges.map(|[a, b]| gradient_of_edge([a - p, b - p])).into_iter().sum();
            let difference = |step: f64| {
                let change = solid_angle(t, p + way * step) - solid_angle(t, p);
                // Through the triangle the angle jumps by a whole turn.
                change - (change / (4.0 * PI)).round() * 4.0 * PI
            };
            let slope = gradient.dot(way);
            let sign = if (difference(1e-6) - 1e-6 * slope).abs() < 1e-9 { 1.0 } else { -1.0 };
            prop_assert!((difference(1e-6) - sign * 1e-6 * slope).abs() < 1e-9, "{slope}");
            let bend: f64 = edges.into_iter().zip(near).map(|([a, b], near)| {
                let near = near - way.length();
                (a.distance(b) / near.powi(3)).min(2.0 / near.powi(2))
            }).sum();
            for step in [-1.0, -0.5, 0.25, 1.0] {
                let bound = way.length_squared() * step * step * bend;
                prop_assert!((difference(step) - sign * step * slope).abs() <= bound * (1.0 + 1e-9) + 1e-9);
            }
        }
    }

    #[test]
    fn distances_to_edges() {
        let edge = [DVec3::new(-1.0, 2.0, 0.0), DVec3::new(3.0, 2.0, 0.0)];
        assert_eq!(distance_to_edge(edge), 2.0);
        assert_eq!(distance_to_edge(edge.map(|p| p + DVec3::X * 4.0)), 13.0_f64.sqrt());
        assert_eq!(distance_to_edge([DVec3::Z; 2]), 1.0);
        assert_eq!(gradient_of_edge([DVec3::X, DVec3::X * 2.0]), DVec3::ZERO);
    }
}

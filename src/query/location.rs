//! Where two parts touch: for people, in f64, the same on every machine.

use glam::DVec3;

use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::Body;
use crate::math::Triangle;

/// The box around everything that the triangles in contact share, and the first shared point.
pub fn contact_region(a: &Body, b: &Body, contacts: &[[u32; 2]]) -> (Aabb, DVec3) {
    let mut region = Aabb::EMPTY;
    let mut first = None;
    for &[ta, tb] in contacts {
        let (corners_a, corners_b) = (a.triangle(ta), b.triangle(tb));
        // Rounding must not carry a point out of what both triangles reach.
        let (bounds_a, bounds_b) = (Aabb::of(corners_a), Aabb::of(corners_b));
        let (lo, hi) = (bounds_a.lo.max(bounds_b.lo), bounds_a.hi.min(bounds_b.hi));
        let shared = shared_points(&corners_a, &corners_b);
        for p in if shared.is_empty() { vec![lo] } else { shared } {
            let p = p.max(lo).min(hi);
            first.get_or_insert(p);
            region = region.with(p);
        }
    }
    (region, first.unwrap_or(region.lo))
}

/// Corners of the common segment or polygon: of both triangles, what the other's sides leave of it.
fn shared_points(a: &Triangle, b: &Triangle) -> Vec<DVec3> {
    let normal = |t: &Triangle| (t[1] - t[0]).cross(t[2] - t[0]);
    let mut points = Vec::new();
    for (t, other) in [(a, b), (b, a)] {
        let n = normal(other);
        let mut polygon = chord(t, other, n);
        for k in 0..3 {
            let inward = n.cross(other[(k + 1) % 3] - other[k]);
            polygon = clip(&polygon, |p| inward.dot(p - other[k]));
        }
        points.extend(polygon);
    }
    points
}

/// What of a triangle lies in the other's plane: all of it where the planes agree.
fn chord(t: &Triangle, other: &Triangle, normal: DVec3) -> Vec<DVec3> {
    let heights = t.map(|p| normal.dot(p - other[0]));
    if heights == [0.0; 3] {
        return t.to_vec();
    }
    let mut points = Vec::new();
    for k in 0..3 {
        let next = (k + 1) % 3;
        if heights[k] == 0.0 {
            points.push(t[k]);
        } else if opposite(heights[k], heights[next]) {
            points.push(t[k] + (t[next] - t[k]) * (heights[k] / (heights[k] - heights[next])));
        }
    }
    points
}

/// The part of a convex polygon (or segment, or point) where `height` is not negative.
fn clip(polygon: &[DVec3], height: impl Fn(DVec3) -> f64) -> Vec<DVec3> {
    let mut kept = Vec::new();
    for (k, &p) in polygon.iter().enumerate() {
        let q = polygon[(k + 1) % polygon.len()];
        let (hp, hq) = (height(p), height(q));
        if hp >= 0.0 {
            kept.push(p);
        }
        if opposite(hp, hq) {
            kept.push(p + (q - p) * (hp / (hp - hq)));
        }
    }
    kept
}

/// One positive and one negative; unlike their product, this cannot underflow.
fn opposite(x: f64, y: f64) -> bool {
    (x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0)
}

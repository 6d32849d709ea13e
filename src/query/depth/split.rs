//! The division of a patch: along the medial axis, if that can be found.

use glam::DVec3;

use super::part::Part;
use super::patch::Patch;
use super::polygon::{Heights, Plane, Polygon};

/// The plane that bounds a patch: a triangle's, or one with the whole solid behind it.
pub struct Governed {
    /// The plane, oriented inwards: depths are heights above it.
    inward: Plane,
    /// The triangle, if the plane is a triangle's.
    triangle: Option<u32>,
    /// The corner that lies deepest.
    pub far: DVec3,
}

/// Returns the plane that bounds a patch.
pub fn governed(solid: &Part, patch: &Patch) -> Governed {
    let polygon = &patch.polygon;
    if !solid.is_convex()
        && let Some(t) = patch.near
        && let (far, squared) = solid.farthest(polygon, t)
        && squared.sqrt() < patch.way.deepest
    {
        let corners = solid.triangle(t);
        let plane = Plane::of(&corners).unwrap_or(Plane { origin: corners[0], normal: DVec3::ZERO });
        return Governed { inward: towards(plane, polygon.centre()), triangle: Some(t), far };
    }
    let inward = flipped(solid.planes()[patch.way.plane]);
    let mut far = polygon.corners()[0];
    for &p in polygon.corners() {
        if inward.height(p) > inward.height(far) {
            far = p;
        }
    }
    Governed { inward, triangle: None, far }
}

fn flipped(plane: Plane) -> Plane {
    Plane { normal: -plane.normal, ..plane }
}

/// Returns the plane oriented so that a point lies on its positive side.
fn towards(plane: Plane, p: DVec3) -> Plane {
    if plane.height(p) < 0.0 { flipped(plane) } else { plane }
}

/// Returns the two pieces of a patch, and the triangle nearest to its deepest corner, if that was found.
pub fn parts(
    solid: &mut Part,
    patch: &Patch,
    governed: &Governed,
    at_most: f64,
) -> ([Polygon; 2], Option<u32>) {
    let centre = patch.polygon.centre();
    let (other, nearest) = nearest_plane(solid, governed.far, centre, patch.near);
    (pieces(solid, &patch.polygon, governed, &other, at_most), nearest)
}

/// Returns the pieces of a polygon, given the plane that bounds it and the one nearest to its deepest corner.
fn pieces(solid: &Part, polygon: &Polygon, governed: &Governed, other: &Plane, at_most: f64) -> [Polygon; 2] {
    let smaller_side = |heights: &Heights| {
        let [lo, hi] = polygon.range(heights);
        hi.min(-lo)
    };
    let heights = polygon.heights(|p| governed.inward.height(p) - other.height(p));
    // Cutting off less than a thousandth would not make the patch notably smaller, and may follow rounding
    // noise along a sliver; but an overhang of a twentieth of the depth or more keeps the bound up.
    let (side, overhang) = (smaller_side(&heights), 0.05 * at_most);
    if (side > overhang || side > 1e-3 * longest_edge(polygon).1)
        && let Some(parts) = polygon.split(&heights)
    {
        return parts;
    }
    let (longest, extent) = longest_edge(polygon);
    if let Some(t) = governed.triangle {
        let worthwhile = (1e-3 * extent).min(overhang);
        let t = solid.triangle(t);
        let edges = (0..3).map(|k| {
            let inward = governed.inward.normal.cross((t[(k + 1) % 3] - t[k]).normalize_or_zero());
            let heights = polygon.heights(|p| inward.dot(p - t[k]));
            (smaller_side(&heights), heights)
        });
        let best = edges.fold((worthwhile, None), |best, (smaller_side, heights)| {
            if smaller_side > best.0 { (smaller_side, Some(heights)) } else { best }
        });
        if let Some(parts) = best.1.and_then(|heights| polygon.split(&heights)) {
            return parts;
        }
    }
    let (p, q) = (polygon.corners()[longest], polygon.corners()[polygon.next(longest)]);
    let middle = p + (q - p) * 0.5;
    let heights = polygon.heights(|x| (q - p).dot(x - middle));
    polygon.split(&heights).unwrap_or_else(|| polygon.halved())
}

/// Returns the index of the corner at which the longest edge begins, the first of several, and the edge's
/// length.
fn longest_edge(polygon: &Polygon) -> (usize, f64) {
    let corners = polygon.corners();
    let mut longest = (0, 0.0);
    for (k, p) in corners.iter().enumerate() {
        let length = p.distance(corners[polygon.next(k)]);
        if length > longest.1 {
            longest = (k, length);
        }
    }
    longest
}

/// Returns the plane nearest to a point, and its triangle unless it has the whole solid behind it.
fn nearest_plane(solid: &mut Part, p: DVec3, inner: DVec3, hint: Option<u32>) -> (Plane, Option<u32>) {
    let mut nearest = (f64::INFINITY, solid.planes()[0]);
    for plane in solid.planes() {
        if -plane.height(p) < nearest.0 {
            nearest = (-plane.height(p), *plane);
        }
    }
    if !solid.is_convex() {
        let found = solid.nearest(p, hint);
        if found.squared.sqrt() < nearest.0
            && let Some(plane) = Plane::of(&solid.triangle(found.triangle))
        {
            return (towards(plane, inner), Some(found.triangle));
        }
    }
    (flipped(nearest.1), None)
}

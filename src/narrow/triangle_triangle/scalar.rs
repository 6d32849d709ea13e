//! The reading copy: one pair of triangles.

use glam::DVec3;

use super::Contact::{self, Apart, Meets, Unsure};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::{DETERMINANT, IN_PLANE, UNDERFLOW};

/// Edge `i` from its corner to the next, and the corner opposite.
const EDGES: [[usize; 3]; 3] = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];

/// Classifies two posed triangles.
pub fn contact(a: &Triangle, b: &Triangle) -> Contact {
    let (box_a, box_b) = (Aabb::of(*a), Aabb::of(*b));
    if !box_a.meets(&box_b) {
        return Apart;
    }
    let both = box_a.union(box_b);
    let size = both.hi - both.lo;
    let error = size.x * size.y * size.z * DETERMINANT;
    let (sides_a, sides_b) = (sides(a, b), sides(b, a));
    let beyond = |s: [f64; 3]| least(s) > error || greatest(s) < -error;
    if beyond(sides_a) || beyond(sides_b) {
        return Apart;
    }
    let certain = |s: [f64; 3]| least(s.map(f64::abs)) > error;
    if certain(sides_a) && certain(sides_b) {
        let known = intervals(a, sides_a, b, sides_b, error);
        if known != Unsure {
            return known;
        }
    }
    if a.iter().any(|p| b.contains(p)) {
        Meets
    } else if separated(a, b, size, error) {
        Apart
    } else {
        Unsure
    }
}

fn least([x, y, z]: [f64; 3]) -> f64 {
    x.min(y).min(z)
}

fn greatest([x, y, z]: [f64; 3]) -> f64 {
    x.max(y).max(z)
}

/// Returns the sides of a triangle's corners: positive on the side to which the plane's normal points.
fn sides(of: &Triangle, plane: &Triangle) -> [f64; 3] {
    let normal = (plane[1] - plane[0]).cross(plane[2] - plane[0]);
    of.map(|p| normal.dot(p - plane[0]))
}

/// A triangle whose first corner is alone on its side of the other's plane.
struct Alone {
    corner: Triangle,
    /// True when that corner is on the positive side.
    above: bool,
    /// True when two corners changed places, which reverses the normal.
    odd: bool,
}

impl Alone {
    fn of(t: &Triangle, sides: [f64; 3]) -> Self {
        let [s0, s1, s2] = sides.map(|s| s > 0.0);
        let second = (s1 ^ s0) && (s1 ^ s2);
        let third = (s2 ^ s0) && (s2 ^ s1);
        let corner = [
            if second {
                t[1]
            } else if third {
                t[2]
            } else {
                t[0]
            },
            if second { t[0] } else { t[1] },
            if third { t[0] } else { t[2] },
        ];
        // One or two of the three are above.
        Self { corner, above: s0 ^ s1 ^ s2, odd: second || third }
    }
}

/// Decides whether two triangles that cut each other's planes have overlapping intervals on the common line.
/// Each interval runs from the edge `pq` to the edge `pr` of the corner `p` that is alone.
fn intervals(a: &Triangle, sides_a: [f64; 3], b: &Triangle, sides_b: [f64; 3], error: f64) -> Contact {
    let (a, b) = (Alone::of(a, sides_a), Alone::of(b, sides_b));
    let (a_above, b_above) = (a.above ^ b.odd, b.above ^ a.odd);
    let ([ap, aq, ar], [bp, bq, br]) = (a.corner, b.corner);
    // Makes both intervals run the same way.
    let [bq, br] = if a_above ^ b_above { [br, bq] } else { [bq, br] };
    let across = bp - ap;
    let first = across.dot((bq - bp).cross(aq - ap));
    let second = across.dot((br - bp).cross(ar - ap));
    let [low, high] = if b_above { [first, second] } else { [second, first] };
    if low > error || high < -error {
        Apart
    } else if low < -error && high > error {
        Meets
    } else {
        Unsure
    }
}

/// True only if an axis separates them: perpendicular to an edge of each, or perpendicular to an edge and in
/// its triangle's plane.
fn separated(a: &Triangle, b: &Triangle, size: DVec3, error: f64) -> bool {
    let edges = |t: &Triangle| EDGES.map(|[i, j, _]| t[j] - t[i]);
    let (edges_a, edges_b) = (edges(a), edges(b));
    let [a, b] = [a, b].map(|t| t.map(|p| p - a[0]));
    let margin = error + error;
    let mut apart = false;
    for ([i, _, k], edge_a) in EDGES.into_iter().zip(edges_a) {
        for ([l, _, m], edge_b) in EDGES.into_iter().zip(edges_b) {
            let axis = edge_a.cross(edge_b);
            let [low_a, high_a] = span([a[i], a[k]].map(|p| axis.dot(p)));
            let [low_b, high_b] = span([b[l], b[m]].map(|p| axis.dot(p)));
            apart |= low_b - high_a > margin || low_a - high_b > margin;
        }
    }
    let square = size * size;
    let faces = square.x * square.y + square.y * square.z + square.z * square.x;
    let margin = faces * (2.0 * IN_PLANE) + UNDERFLOW;
    for (own, edges, other) in [(&a, edges_a, &b), (&b, edges_b, &a)] {
        let normal = edges[0].cross(edges[1]);
        for ([i, _, k], edge) in EDGES.into_iter().zip(edges) {
            let axis = normal.cross(edge);
            let [low, high] = span([own[i], own[k]].map(|p| axis.dot(p)));
            let places = other.map(|p| axis.dot(p));
            apart |= least(places) - high > margin || low - greatest(places) > margin;
        }
    }
    apart
}

fn span([x, y]: [f64; 2]) -> [f64; 2] {
    [x.min(y), x.max(y)]
}

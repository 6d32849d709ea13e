//! Convex polygons in the half plane of radius and height.

use glam::DVec2;

use closefit_geometry::math::predicates::{Sign, orient2d};

/// Replaces points by those on their convex hull, counterclockwise. Exact signs decide, so no point is left
/// out that the others do not contain.
pub fn hull(points: &mut Vec<DVec2>) {
    // -0 becomes 0: `total_cmp` takes them for different numbers.
    points.iter_mut().for_each(|p| *p += 0.0);
    points.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    points.dedup();
    let count = points.len();
    if count < 3 {
        return;
    }
    // Andrew's monotone chain. The chains are built behind the sorted points.
    let (rightwards, leftwards) = (0..count, (0..count - 1).rev());
    for i in rightwards {
        extend(points, count, points[i]);
    }
    let corner = points.len() - 1;
    for i in leftwards {
        extend(points, corner, points[i]);
    }
    points.pop();
    points.drain(..count);
}

/// Appends a point to a chain that begins at an index, without the points from which it would not turn left.
fn extend(points: &mut Vec<DVec2>, from: usize, point: DVec2) {
    while let [.., p, q] = points[from..] {
        if orient2d(p.to_array(), q.to_array(), point.to_array()) == Sign::Greater {
            break;
        }
        points.pop();
    }
    points.push(point);
}

/// Returns twice the area of a polygon, with a small share of its squared perimeter, which tells flat ones
/// apart.
pub fn extent(polygon: &[DVec2]) -> f64 {
    const SHARE: f64 = 1.0 / (1 << 20) as f64;
    let area: f64 = edges(polygon).map(|[p, q]| (p - polygon[0]).perp_dot(q - polygon[0])).sum();
    let perimeter: f64 = edges(polygon).map(|[p, q]| p.distance(q)).sum();
    area + SHARE * perimeter * perimeter
}

/// True only if two convex polygons, given by points that contain all others, are farther apart than
/// `distance`, up to the rounding of the projections on one direction.
pub fn farther(a: &[DVec2], b: &[DVec2], distance: f64) -> bool {
    let direction = direction_between(a, b).normalize_or_zero();
    let along = |p: &DVec2| direction.dot(*p);
    let end = a.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    let start = b.iter().map(along).fold(f64::INFINITY, f64::min);
    start - end > distance
}

/// Returns the vector between the closest points of two outlines, from the first to the second.
fn direction_between(a: &[DVec2], b: &[DVec2]) -> DVec2 {
    let mut closest = DVec2::INFINITY;
    let mut shorter = |between: DVec2| {
        if between.length_squared() < closest.length_squared() {
            closest = between;
        }
    };
    for edge in edges(a) {
        b.iter().for_each(|p| shorter(p - nearest(edge, *p)));
    }
    for edge in edges(b) {
        a.iter().for_each(|p| shorter(nearest(edge, *p) - p));
    }
    closest
}

/// Returns the point of an edge that is nearest to a point.
fn nearest([p, q]: [DVec2; 2], to: DVec2) -> DVec2 {
    let edge = q - p;
    let share = edge.dot(to - p) / edge.length_squared();
    p + edge * if share > 0.0 { share.min(1.0) } else { 0.0 }
}

/// Returns the edges. Those of a single point have no length.
fn edges(polygon: &[DVec2]) -> impl Iterator<Item = [DVec2; 2]> + '_ {
    (0..polygon.len()).map(|i| [polygon[i], polygon[(i + 1) % polygon.len()]])
}

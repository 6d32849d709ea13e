//! The reading copy: one pair of triangles.

use glam::DVec3;

use super::{LONG, SHORT, acceleration_bound};
use crate::narrow::triangle_distance::scalar::{directions, edge_directions, extent, normal, recentred};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::{LENGTH, SHORTEST, SQUARES};
use closefit_geometry::motion::moment::Moment;

/// True only if the distance exceeds `limit` throughout the moment.
pub fn beyond(a: &Triangle, b: &Triangle, limit: f64, moment: &Moment) -> bool {
    let size = extent(Aabb::of(*a), Aabb::of(*b));
    let limit = size * LENGTH + (limit + moment.deviation(1));
    let ways = b.map(|p| (moment.angular.cross(p) + moment.velocity) * moment.half);
    let [p, q] = recentred(a, b);
    let stays = |direction: DVec3| stays_beyond(&p, &q, &ways, direction, limit);
    let middles = (q[0] + q[1] + q[2]) - (p[0] + p[1] + p[2]);
    let long = ways.into_iter().map(|way| way.dot(way)).fold(0.0, f64::max) > size * size * LONG;
    if stays(middles) || stays(normal(&p)) || stays(normal(&q)) {
        return true;
    }
    let is_short = |apart: DVec3| apart.dot(apart) < size * size * SHORT;
    !long && {
        let found = directions(a, b);
        found.into_iter().any(stays) || (is_short(found[0]) && edge_directions(a, b).into_iter().any(stays))
    }
}

/// Returns for how many seconds after the moment's middle, at most its half width, the distance certainly
/// stays above `limit`; 0 if it may not be above the limit now.
///
/// The directions are those between the closest points and perpendicular to their features. A corner at a gap
/// g beyond the limit, closing at speed c with an acceleration of at most K, reaches the limit no sooner than
/// after `2 g / (c + sqrt(c^2 + 2 K g))`.
pub fn free_time(a: &Triangle, b: &Triangle, limit: f64, moment: &Moment) -> f64 {
    let size = extent(Aabb::of(*a), Aabb::of(*b));
    let limit = size * LENGTH + (limit + moment.slack);
    let acceleration_bound = acceleration_bound(moment);
    let speeds = b.map(|p| moment.angular.cross(p) + moment.velocity);
    let [p, q] = recentred(a, b);
    let along = |direction: DVec3| {
        let squared = direction.dot(direction);
        let inverse = 1.0 / squared.sqrt();
        let (p, q) = (p.map(|p| direction.dot(p) * inverse), q.map(|q| direction.dot(q) * inverse));
        let speed = speeds.map(|v| direction.dot(v) * inverse);
        let (lo, hi) = (p[0].min(p[1]).min(p[2]), p[0].max(p[1]).max(p[2]));
        let time = |q: f64, speed: f64| {
            let (gap, closing) = if q > hi { ((q - hi) - limit, -speed) } else { ((lo - q) - limit, speed) };
            let root = (closing * closing + gap * 2.0 * acceleration_bound).sqrt();
            let time = if closing > 0.0 {
                gap * 2.0 / (closing + root)
            } else {
                (root - closing) / acceleration_bound
            };
            // An infinite acceleration bound gives NaN, which counts as no time.
            if gap > 0.0 && time > 0.0 { time * (1.0 - SQUARES) } else { 0.0 }
        };
        let least = time(q[0], speed[0]).min(time(q[1], speed[1])).min(time(q[2], speed[2]));
        // The direction proves something only if all corners are on one side.
        let past = q[0].min(q[1]).min(q[2]) > hi || q[0].max(q[1]).max(q[2]) < lo;
        if squared >= SHORTEST && past { least } else { 0.0 }
    };
    let [apart, perpendicular] = directions(a, b);
    let time = along(apart).max(along(perpendicular));
    let more = if time < moment.half && apart.dot(apart) < size * size * SHORT {
        edge_directions(a, b).into_iter().map(along).fold(time, f64::max)
    } else {
        time
    };
    more.min(moment.half)
}

/// True if the second triangle stays beyond the first along a direction by more than a limit.
fn stays_beyond(a: &Triangle, b: &Triangle, ways: &Triangle, direction: DVec3, limit: f64) -> bool {
    let squared = direction.dot(direction);
    let (p, q) = (a.map(|p| direction.dot(p)), b.map(|q| direction.dot(q)));
    let way = ways.map(|way| direction.dot(way).abs());
    let least = |[x, y, z]: [f64; 3]| x.min(y).min(z);
    let greatest = |[x, y, z]: [f64; 3]| x.max(y).max(z);
    let after = least([q[0] - way[0], q[1] - way[1], q[2] - way[2]]) - greatest(p);
    let before = least(p) - greatest([q[0] + way[0], q[1] + way[1], q[2] + way[2]]);
    squared >= SHORTEST && after.max(before) > squared.sqrt() * limit
}

//! The reading copy: one pair of triangles.

use glam::DVec3;

use crate::bounds::aabb::Aabb;
use crate::math::Triangle;
use crate::math::error_bounds::{LENGTH, SHORTEST};
use crate::motion::pair::Moment;
use crate::narrow::triangle_distance::scalar::direction;

/// True only if the distance exceeds `limit` throughout the moment.
pub fn beyond(a: &Triangle, b: &Triangle, limit: f64, moment: &Moment) -> bool {
    let both = Aabb::of(*a).union(Aabb::of(*b));
    let size = both.hi - both.lo;
    let limit = size.x.max(size.y).max(size.z) * LENGTH + (limit + moment.sag(1));
    let ways = b.map(|p| (moment.angular.cross(p) + moment.velocity) * moment.half);
    let [p, q] = [a, b].map(|t| t.map(|p| p - a[0]));
    let stays = |direction: DVec3| stays_beyond(&p, &q, &ways, direction, limit);
    let middles = (q[0] + q[1] + q[2]) - (p[0] + p[1] + p[2]);
    stays(middles) || stays(normal(&p)) || stays(normal(&q)) || stays(direction(a, b))
}

fn normal(t: &Triangle) -> DVec3 {
    (t[1] - t[0]).cross(t[2] - t[0])
}

/// True when the second triangle stays past the first along a direction, by more than a limit.
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

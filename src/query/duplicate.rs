//! Do two parts fill the same space although no surface point of either is deep in the other?
//!
//! The same part placed twice is the common case: all surfaces coincide. What tells it from two parts that
//! merely touch is a point deep inside one of them.

use std::cell::Cell;

use glam::DVec3;

use super::depth::nearest_closed;
use super::depth::spot::{Rounded, Spot};
use crate::hierarchy::body::Body;
use crate::settle::winding::inside;

/// How many of a component's largest triangles a ray is shot from.
const RAYS: usize = 16;

/// True when the inner point of a closed component of one body, deeper than `tolerance` under its own
/// surface, lies inside the other's solid.
pub fn duplicate(a: &Body, b: &Body, tolerance: f64) -> bool {
    fills(a, b, tolerance) || fills(b, a, tolerance)
}

fn fills(inner: &Body, outer: &Body, tolerance: f64) -> bool {
    outer.has_solid()
        && closed_components(inner).any(|triangles| {
            inner_point(inner, &triangles).is_some_and(|(point, depth)| {
                depth > tolerance && contains(&outer.bounds, point) && inside(outer, &point)
            })
        })
}

fn contains(bounds: &crate::bounds::aabb::Aabb, p: DVec3) -> bool {
    bounds.lo.cmple(p).all() && p.cmple(bounds.hi).all()
}

/// The triangles of each closed component, largest first (ties: the lowest index).
fn closed_components<'a>(body: &'a Body) -> impl Iterator<Item = Vec<u32>> + 'a {
    let topology = &body.model.topology;
    let mut triangles: Vec<Vec<u32>> = vec![Vec::new(); topology.components.len()];
    for (triangle, &component) in (0u32..).zip(&topology.component_of) {
        if topology.components[component as usize].closed {
            triangles[component as usize].push(triangle);
        }
    }
    let area = |t: u32| {
        let [p, q, r] = body.triangle(t);
        (q - p).cross(r - p).length_squared()
    };
    triangles.into_iter().filter(|component| !component.is_empty()).map(move |component| {
        let mut sized: Vec<(f64, u32)> = component.into_iter().map(|t| (area(t), t)).collect();
        sized.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        sized.into_iter().map(|(_, t)| t).collect()
    })
}

/// The inner point of a closed component, and how deep it certainly lies under the body's closed components.
///
/// From the centroids of its largest triangles, go against the normal and with it to the first triangle of
/// the body's closed components, and stop halfway. Of the points that lie inside the body's solid, the
/// inner point is the deepest. `None` when none does.
pub fn inner_point(body: &Body, triangles: &[u32]) -> Option<(DVec3, f64)> {
    let mut best: Option<(DVec3, f64)> = None;
    for &triangle in triangles.iter().take(RAYS) {
        let [p, q, r] = body.triangle(triangle);
        let normal = (q - p).cross(r - p).normalize_or_zero();
        let centroid = (p + q + r) / 3.0;
        for direction in [-normal, normal] {
            let Some(distance) = first_hit(body, triangle, centroid, direction) else { continue };
            let point = centroid + direction * (0.5 * distance);
            let (_, depth) = nearest_closed(body, &Rounded::corner(point), None);
            let is_better = best.is_none_or(|(_, best)| depth > best);
            if depth > 0.0 && is_better && inside(body, &point) {
                best = Some((point, depth));
            }
        }
    }
    best
}

/// How far a ray goes before it meets another closed triangle, but for rounding: where it stops need not be
/// exact, only the same every time.
fn first_hit(body: &Body, from: u32, origin: DVec3, direction: DVec3) -> Option<f64> {
    let nearest = Cell::new(f64::INFINITY);
    body.walk(
        |bounds| {
            // Slabs; a NaN from 0/0 keeps the box.
            let (t0, t1) = ((bounds.lo - origin) / direction, (bounds.hi - origin) / direction);
            let (near, far) = (t0.min(t1), t0.max(t1));
            let enter = near.x.max(near.y).max(near.z);
            let leave = far.x.min(far.y).min(far.z);
            !(enter > leave || leave < 0.0 || enter > nearest.get())
        },
        |t| {
            if t != from
                && body.is_closed(t)
                && let Some(distance) = hit(&body.triangle(t), origin, direction)
            {
                nearest.set(nearest.get().min(distance));
            }
        },
    );
    Some(nearest.get()).filter(|distance| distance.is_finite())
}

fn hit([a, b, c]: &[DVec3; 3], origin: DVec3, direction: DVec3) -> Option<f64> {
    let (u, v, w) = (*b - *a, *c - *a, origin - *a);
    let p = direction.cross(v);
    let determinant = u.dot(p);
    let q = w.cross(u);
    let (x, y, t) = (w.dot(p) / determinant, direction.dot(q) / determinant, v.dot(q) / determinant);
    (x >= 0.0 && y >= 0.0 && x + y <= 1.0 && t > 0.0 && t.is_finite()).then_some(t)
}

//! Duplicates: do two parts fill the same space although no surface point of either is deep in the other?
//!
//! The common case is the same part placed twice, with all surfaces coincident. A point deep inside one of
//! the parts distinguishes it from two parts that merely touch.

use std::ops::ControlFlow;

use glam::DVec3;

use super::depth::exact::spot::{Rounded, Spot};
use super::depth::nearest_closed;
use super::open_shells::doubts;
use super::winding::inside;
use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;

/// The number of a component's largest triangles from which rays are cast.
const RAYS: usize = 16;

/// True when the inner point of a closed component of one body, deeper than `tolerance` under its own
/// surface, lies inside the other's solid.
pub fn duplicate(a: &PosedModel, b: &PosedModel, tolerance: f64) -> bool {
    fills(a, b, tolerance) || fills(b, a, tolerance)
}

fn fills(inner: &PosedModel, outer: &PosedModel, tolerance: f64) -> bool {
    // A point deeper than the tolerance is at least that far from the sides of the box.
    let Aabb { lo, hi } = *inner.bounds();
    let deep = Aabb { lo: lo + tolerance, hi: hi - tolerance };
    count(Work::boxes(1));
    // Open shells may leave it open whether the point is inside.
    let is_sure = |body: &PosedModel, other: &PosedModel, point| {
        doubts(body, point, other.bounds(), tolerance).is_empty()
    };
    outer.has_solid()
        && outer.bounds().meets(&deep)
        && inner_points(inner).iter().any(|&(point, depth)| {
            depth > tolerance
                && outer.bounds().meets(&Aabb::of([point]))
                && inside(outer, &point)
                && is_sure(outer, inner, point)
                && is_sure(inner, outer, point)
        })
}

/// Returns the inner point of every closed component that has one, with a lower bound of its depth.
fn inner_points<'a>(body: &'a PosedModel) -> &'a [(DVec3, f64)] {
    body.inner_points.get_or_init(|| {
        closed_components(body).filter_map(|triangles| inner_point(body, &triangles)).collect()
    })
}

/// Returns the largest triangles of each closed component, largest first, the lowest index in a tie.
fn closed_components(body: &PosedModel) -> impl Iterator<Item = Vec<u32>> {
    let topology = body.topology;
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
        let largest_first = |x: &(f64, u32), y: &(f64, u32)| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1));
        if sized.len() > RAYS {
            sized.select_nth_unstable_by(RAYS, largest_first);
            sized.truncate(RAYS);
        }
        sized.sort_unstable_by(largest_first);
        sized.into_iter().map(|(_, t)| t).collect()
    })
}

/// Returns the inner point of a closed component, with a lower bound of its depth under the body's closed
/// components.
///
/// From the centroid of each of the largest triangles, one ray goes against the normal and one along it, to
/// the first triangle of the body's closed components; its halfway point is a candidate. The inner point is
/// the deepest candidate inside the body's solid. `None` if none lies inside.
fn inner_point(body: &PosedModel, largest: &[u32]) -> Option<(DVec3, f64)> {
    let mut points = Vec::with_capacity(2 * largest.len());
    for &triangle in largest {
        let [p, q, r] = body.triangle(triangle);
        let normal = (q - p).cross(r - p).normalize_or_zero();
        let centroid = (p + q + r) / 3.0;
        for direction in [-normal, normal] {
            if let Some(distance) = first_hit(body, triangle, centroid, direction) {
                points.push((
                    0.5 * distance,
                    centroid + direction * (0.5 * distance),
                    triangle,
                    points.len(),
                ));
            }
        }
    }
    // Deepest first, then in order. Up to rounding, no point is deeper than its distance from its triangle.
    let off = 16.0 * f64::EPSILON * body.bounds().lo.abs().max(body.bounds().hi.abs()).max_element();
    points.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.3.cmp(&y.3)));
    let mut best: Option<(DVec3, f64, usize)> = None;
    for (half, point, triangle, order) in points {
        if best.is_some_and(|(_, best, _)| half + off < best) {
            break;
        }
        let (_, depth) = nearest_closed(body, &Rounded::corner(point), Some(triangle));
        let is_better = best.is_none_or(|(_, best, first)| depth > best || (depth == best && order < first));
        if depth > 0.0 && is_better && inside(body, &point) {
            best = Some((point, depth, order));
        }
    }
    best.map(|(point, depth, _)| (point, depth))
}

/// Bodies with at most this many triangles are searched along a whole ray at once. Larger bodies are
/// searched along stretches of it, each twice as far as all before. The first is this share of the ray.
const FEW: u32 = 64;
const FIRST_STRETCH: f64 = 1.0 / 16.0;

/// Returns the length of a ray up to another closed triangle, up to rounding: the length need not be exact,
/// only reproducible. It is the least that [`hit`] returns for any triangle, so it depends on no tree.
fn first_hit(body: &PosedModel, from: u32, origin: DVec3, direction: DVec3) -> Option<f64> {
    // Rounding is monotonic, so no triangle is hit beyond the box around all.
    let [_, end] = stretch(body.bounds(), origin, direction);
    if !(end > 0.0 && end.is_finite()) {
        return None;
    }
    // A triangle's box contains the hit but for two roundings of its distance, and the box asked for is
    // rounded twice.
    let off = 16.0 * f64::EPSILON * body.bounds().lo.abs().max(body.bounds().hi.abs()).max_element();
    let mut nearest = f64::INFINITY;
    let mut reached = if body.len() <= FEW { [0.0, end] } else { [0.0, FIRST_STRETCH * end] };
    loop {
        let mut along = Aabb::of(reached.map(|distance| origin + direction * distance));
        along.lo -= off;
        along.hi += off;
        let flow = body.in_box(&along, &mut |t, corners| {
            if t != from
                && body.is_closed(t)
                && let Some(distance) = hit(corners, origin, direction)
            {
                nearest = nearest.min(distance);
            }
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        let [_, far] = reached;
        if nearest <= far || far >= end {
            return Some(nearest).filter(|distance| distance.is_finite());
        }
        reached = [far, 2.0 * far];
    }
}

/// Returns where a ray's line enters and leaves a box; the first exceeds the second if the line misses.
fn stretch(bounds: &Aabb, origin: DVec3, direction: DVec3) -> [f64; 2] {
    (0..3).fold([f64::NEG_INFINITY, f64::INFINITY], |[enter, leave], k| {
        let (lo, hi, o, d) = (bounds.lo[k], bounds.hi[k], origin[k], direction[k]);
        let [near, far] = if d > 0.0 {
            [(lo - o) / d, (hi - o) / d]
        } else if d < 0.0 {
            [(hi - o) / d, (lo - o) / d]
        } else if lo <= o && o <= hi {
            return [enter, leave];
        } else {
            [f64::INFINITY, f64::NEG_INFINITY]
        };
        [enter.max(near), leave.min(far)]
    })
}

fn hit(t: &Triangle, origin: DVec3, direction: DVec3) -> Option<f64> {
    let [enter, leave] = stretch(&Aabb::of(*t), origin, direction);
    let (u, v, w) = (t[1] - t[0], t[2] - t[0], origin - t[0]);
    let p = direction.cross(v);
    let determinant = u.dot(p);
    let q = w.cross(u);
    let (x, y, distance) = (w.dot(p) / determinant, direction.dot(q) / determinant, v.dot(q) / determinant);
    let is_inside = x >= 0.0 && y >= 0.0 && x + y <= 1.0 && distance.is_finite() && enter <= leave;
    is_inside.then(|| distance.clamp(enter, leave)).filter(|&distance| distance > 0.0)
}

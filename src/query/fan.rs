//! The half planes in which two surfaces leave a common line, in their order around it. Exact.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::Body;
use crate::math::grid::{Vector, cross, dot, sign, sub};
use crate::math::rational_point::RationalPoint;

/// True when, around the line through `middle` along `axis`, the given triangles of two bodies leave
/// alternately: each body passes between half planes of the other. Half planes common to both do not count.
pub fn alternates(sides: [(&Body, Vec<u32>); 2], middle: &RationalPoint, axis: &Vector) -> bool {
    let mut rays: Vec<(Vector, [bool; 2])> = Vec::new();
    for (side, (body, triangles)) in sides.iter().enumerate() {
        for &triangle in triangles {
            for ray in leaving(body, triangle, middle, axis) {
                match rays.iter_mut().find(|known| order(&ray, &known.0, &ray, axis).is_eq()) {
                    Some(known) => known.1[side] = true,
                    None => rays.push((ray, [side == 0, side == 1])),
                }
            }
        }
    }
    rays.retain(|ray| ray.1 != [true, true]);
    let Some((zero, _)) = rays.first().cloned() else { return false };
    rays.sort_by(|x, y| order(&zero, &x.0, &y.0, axis));
    (0..rays.len()).filter(|&k| rays[k].1 != rays[(k + 1) % rays.len()].1).count() >= 4
}

/// Returns the directions, perpendicular to the axis, in which a triangle leaves a point.
fn leaving(body: &Body, triangle: u32, point: &RationalPoint, axis: &Vector) -> Vec<Vector> {
    let corners = body.triangle(triangle);
    let (bounds, p) = (Aabb::of(corners), point.rounded());
    let error = glam::DVec3::splat(point.error());
    if !(bounds.lo - error).cmple(p).all() || !p.cmple(bounds.hi + error).all() {
        return Vec::new();
    }
    let ((p, _), t, _) = point.among(corners);
    let normal = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
    if sign(&dot(&normal, &sub(&p, &t[0]))) != Equal {
        return Vec::new();
    }
    let edges = [0, 1, 2].map(|k| sub(&t[(k + 1) % 3], &t[k]));
    let sides = [0, 1, 2].map(|k| sign(&dot(&normal, &cross(&edges[k], &sub(&p, &t[k])))));
    if sides.contains(&Less) {
        return Vec::new();
    }
    let across = cross(&normal, axis);
    let opposite = across.each_ref().map(|x| -x);
    let stays = |ray: &Vector| {
        (0..3).all(|k| sides[k] != Equal || sign(&dot(&normal, &cross(&edges[k], ray))) != Less)
    };
    [across, opposite].into_iter().filter(|ray| ray.iter().any(|x| sign(x).is_ne()) && stays(ray)).collect()
}

/// Compares the angles of two rays, counterclockwise about the axis from `zero`, from 0 to a full turn.
fn order(zero: &Vector, x: &Vector, y: &Vector, axis: &Vector) -> Ordering {
    let turn = |from: &Vector, to: &Vector| sign(&dot(axis, &cross(from, to)));
    let half = |ray: &Vector| match turn(zero, ray) {
        Greater => 0,
        Less => 2,
        // All rays are perpendicular to the axis, so this is the cosine's sign.
        Equal if sign(&dot(zero, ray)) == Greater => -1,
        Equal => 1,
    };
    half(x).cmp(&half(y)).then_with(|| turn(y, x))
}

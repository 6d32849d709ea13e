//! The half planes in which two surfaces leave a common line, in their order around it. Exact.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use crate::bvh::posed_model::PosedModel;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::grid::{Vector, cross, dot, sign, sub};
use closefit_geometry::math::rational_point::RationalPoint;

/// A half plane at a line, as a direction perpendicular to it, with the triangles of each body that leave in
/// it.
struct Ray {
    direction: Vector,
    triangles: [Vec<u32>; 2],
}

impl Ray {
    fn is_common(&self) -> bool {
        self.triangles.iter().all(|triangles| !triangles.is_empty())
    }
}

/// True when, around the line through `middle` along `axis`, the given triangles of two bodies leave
/// alternately: each body passes between half planes of the other. Half planes common to both do not count.
/// Nor do pairs whose angular order is uncertain, because they are on one side of the line and neither
/// triangle leaves the other's plane. `leave` says for a triangle of each body whether it leaves the other's
/// plane.
pub fn alternates(
    sides: [(&PosedModel, Vec<u32>); 2],
    middle: &RationalPoint,
    axis: &Vector,
    leave: impl Fn([u32; 2]) -> [bool; 2],
) -> bool {
    let mut rays: Vec<Ray> = Vec::new();
    for (side, (body, triangles)) in sides.iter().enumerate() {
        for &triangle in triangles {
            for direction in leaving(body, triangle, middle, axis) {
                let same = |known: &Ray| order(&direction, &known.direction, &direction, axis).is_eq();
                let place = rays.iter().position(same).unwrap_or_else(|| {
                    rays.push(Ray { direction: direction.clone(), triangles: [Vec::new(), Vec::new()] });
                    rays.len() - 1
                });
                rays[place].triangles[side].push(triangle);
            }
        }
    }
    rays.retain(|ray| !ray.is_common());
    let is_certain = |x: &Ray, y: &Ray| {
        let (a, b) = if x.triangles[0].is_empty() { (y, x) } else { (x, y) };
        let mut all = [false; 2];
        for &ta in &a.triangles[0] {
            for &tb in &b.triangles[1] {
                let [of_a, of_b] = leave([ta, tb]);
                all = [all[0] || of_a, all[1] || of_b];
            }
        }
        all == [true, true]
    };
    let of_a = |ray: &Ray| ray.triangles[1].is_empty();
    let is_unsure = |ray: &Ray| {
        let others = rays.iter().filter(|other| of_a(other) != of_a(ray));
        let mut near = others.filter(|other| sign(&dot(&ray.direction, &other.direction)) == Greater);
        near.any(|other| !is_certain(ray, other))
    };
    let mut certain: Vec<&Ray> = rays.iter().filter(|ray| !is_unsure(ray)).collect();
    let Some(zero) = certain.first().map(|ray| ray.direction.clone()) else { return false };
    certain.sort_by(|x, y| order(&zero, &x.direction, &y.direction, axis));
    let next = |k: usize| certain[(k + 1) % certain.len()];
    (0..certain.len()).filter(|&k| of_a(certain[k]) != of_a(next(k))).count() >= 4
}

/// Returns the directions, perpendicular to the axis, in which a triangle leaves a point.
fn leaving(body: &PosedModel, triangle: u32, point: &RationalPoint, axis: &Vector) -> Vec<Vector> {
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

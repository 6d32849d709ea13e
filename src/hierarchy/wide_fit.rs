//! The boxes of the wide tree, proven to contain what is below them.

use glam::{DVec3, Vec3};

use super::moments::Moments;
use super::wide_tree::{Block, Child, WideTree};
use crate::bounds::aabb::Aabb;
use crate::lanes::LANES;
use crate::math::error_bounds::{F32_CENTER, F32_EXTENT, F32_PROJECTION, F32_SKEW, F32_SKEW_GAIN};

/// A box as it stands in a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fitted {
    pub center: Vec3,
    pub axes: [Vec3; 2],
    pub half: Vec3,
}

/// All blocks, of which `children` names the children.
pub(super) fn blocks(tree: &WideTree, children: &[[u32; LANES]]) -> Vec<Block> {
    // Triangles below each block: children come after parents.
    let mut ranges = vec![(u32::MAX, 0); children.len()];
    for (i, codes) in children.iter().enumerate().rev() {
        ranges[i] = codes
            .iter()
            .map(|&code| range(code, &ranges))
            .fold((u32::MAX, 0), |all, range| (all.0.min(range.0), all.1.max(range.1)));
    }
    let points = |(first, end): (u32, u32)| {
        let triangles = &tree.corners[first as usize..end as usize];
        triangles.iter().map(|t| t.map(|v| tree.normal(tree.vertices[v as usize])))
    };
    let block = |(codes, &below): (&[u32; LANES], &(u32, u32))| {
        let bounds = Aabb::of(points(below).flatten());
        let origin = (0.5 * (bounds.lo + bounds.hi)).as_vec3();
        let mut block = Block { origin: origin.to_array(), child: *codes, ..Block::EMPTY };
        for (lane, &code) in codes.iter().enumerate().filter(|(_, code)| **code != Child::None.code()) {
            let below = points(range(code, &ranges));
            let fitted = fit(below.map(|t| t.map(|p| p - origin.as_dvec3())));
            for k in 0..3 {
                block.center[k][lane] = fitted.center[k];
                block.axes[0][k][lane] = fitted.axes[0][k];
                block.axes[1][k][lane] = fitted.axes[1][k];
                block.half[k][lane] = fitted.half[k];
            }
        }
        block
    };
    children.iter().zip(&ranges).map(block).collect()
}

fn range(code: u32, ranges: &[(u32, u32)]) -> (u32, u32) {
    match Child::of(code) {
        Child::None => (u32::MAX, 0),
        Child::Block(block) => ranges[block as usize],
        Child::Leaf { first, count } => (first, first + count),
    }
}

/// The smaller one of the boxes along the surface's covariance and along the coordinate axes.
fn fit(triangles: impl Iterator<Item = [DVec3; 3]> + Clone) -> Fitted {
    let points = triangles.clone().flatten();
    let aligned = around(points.clone(), [Vec3::X, Vec3::Y]);
    let surface = Moments::of_surface(triangles);
    let moments = if surface.has_weight() { surface } else { Moments::of_points(points.clone()) };
    let [a, b, _] = moments.axes().map(|a| a.as_vec3());
    if !is_frame([a, b]) {
        return aligned;
    }
    let fitted = around(points, [a, b]);
    if area(fitted.half) < area(aligned.half) { fitted } else { aligned }
}

/// An eighth of the surface area.
fn area(half: Vec3) -> f32 {
    half.x * half.y + half.y * half.z + half.z * half.x
}

/// True when the axes are orthonormal as far as f32 can tell; NaN is not.
pub(super) fn is_frame([a, b]: [Vec3; 2]) -> bool {
    let [a, b] = [a, b].map(Vec3::as_dvec3);
    [a.dot(a) - 1.0, b.dot(b) - 1.0, a.dot(b)].into_iter().all(|entry| entry.abs() <= F32_SKEW)
}

/// All three axes.
pub(super) fn axes([a, b]: [Vec3; 2]) -> [DVec3; 3] {
    let [a, b] = [a, b].map(Vec3::as_dvec3);
    [a, b, a.cross(b)]
}

/// The box along `axes` (see [`is_frame`]) around points relative to a block's origin.
fn around(points: impl Iterator<Item = DVec3>, two: [Vec3; 2]) -> Fitted {
    let axes = axes(two);
    let project = |p: DVec3| DVec3::from_array(axes.map(|a| a.dot(p)));
    let (mut bounds, mut span) = (Aabb::EMPTY, 0.0);
    for p in points {
        bounds = bounds.with(project(p));
        span = p.abs().max_element().max(span);
    }
    let middle = 0.5 * (bounds.lo + bounds.hi);
    let center = (axes[0] * middle.x + axes[1] * middle.y + axes[2] * middle.z).as_vec3();
    let at = project(center.as_dvec3());
    let size = f64::from(center.abs().max_element());
    let half = (bounds.hi - at).max(at - bounds.lo) + F32_PROJECTION * (span + size);
    let half = half + (F32_SKEW_GAIN + F32_EXTENT) * half.element_sum() + F32_CENTER * size;
    Fitted { center, axes: two, half: Vec3::from_array(half.to_array().map(up)) }
}

/// The smallest f32 that is at least `x`.
fn up(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) < x { near.next_up() } else { near }
}

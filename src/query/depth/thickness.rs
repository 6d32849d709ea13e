//! The thickness of a solid: the largest distance of a point inside it from its surface. No depth in the
//! solid exceeds that, however deep the other part goes.
//!
//! One best-first search halves boxes, beginning with the box of the whole part. The distance from a triangle
//! is convex, so in a box it is largest at a corner; so is the mean of the distances from two triangles,
//! which is no less than the smaller one. Halfway between two opposite faces, that mean hardly changes: so a
//! box may be far larger than the gap between the bounds. Besides, a point inside is no farther from the
//! surface than the box's middle is, plus half the box's diagonal. A box is halved along the axis on which
//! the distance grows towards that corner: so a plate is cut across its thickness, and a tube not along its
//! axis. Where it does not grow by as much as the bound is too large, the longest side is halved.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use glam::DVec3;

use super::part::{Part, PartMemory};
use super::polygon::Plane;
use crate::bvh::posed_model::PosedModel;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;

/// Ratio of the bound to the largest distance found, at which it is close enough: a quarter of what separates
/// the bounds of a depth.
const CLOSE: f64 = 1.0 + 1.0 / 400.0;

/// Largest number of boxes: this many, plus so many for each triangle. They bound the time; a solid of which
/// they are not enough has a looser bound.
const MOST_BOXES: u32 = 1 << 13;
const MOST_BOXES_PER_TRIANGLE: u32 = 8;

/// A box that may hold the point farthest from the surface.
struct Cell {
    /// No point inside the solid and the box is farther from the surface.
    at_most: f64,
    serial: u32,
    middle: DVec3,
    half: DVec3,
    /// The closed triangle nearest to the middle.
    nearest: u32,
    /// The axis along which to halve it.
    axis: usize,
    /// True if all of the box is known to lie inside.
    is_inside: bool,
}

impl Eq for Cell {}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Ord for Cell {
    /// The largest bound is the greatest, the first of equals.
    fn cmp(&self, other: &Self) -> Ordering {
        self.at_most.total_cmp(&other.at_most).then(other.serial.cmp(&self.serial))
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns an upper bound of the thickness of a body's solid, in the coordinates in which it is posed: within
/// a four-hundredth, unless that would take too long. 0 without a solid.
pub fn thickness(body: &PosedModel) -> f64 {
    if !body.has_solid() {
        return 0.0;
    }
    let Aabb { lo, hi } = *body.bounds();
    let part = Part::new(body, (hi - lo).max_element(), PartMemory::default());
    let most_boxes = MOST_BOXES.saturating_add(MOST_BOXES_PER_TRIANGLE.saturating_mul(body.len()));
    // Each halving rounds a middle once.
    let rounding = f64::from(most_boxes) * f64::EPSILON * lo.abs().max(hi.abs()).max_element();
    let error = 2.0 * part.error + rounding;
    let mut search = Search { part, error, found: 0.0, serial: 0, queue: BinaryHeap::new() };
    search.offer(0.5 * lo + 0.5 * hi, 0.5 * (hi - lo), None, false);
    while let Some(Cell { at_most, middle, half, nearest, axis, is_inside, .. }) = search.queue.pop() {
        if at_most <= CLOSE * search.found || search.serial >= most_boxes {
            return at_most;
        }
        let mut smaller = half;
        smaller[axis] *= 0.5;
        for side in [-0.5, 0.5] {
            let step = DVec3::AXES[axis] * (side * half[axis]);
            search.offer(middle + step, smaller, Some(nearest), is_inside);
        }
    }
    0.0
}

struct Search<'a> {
    part: Part<'a>,
    /// The largest error of a distance, and of a box's place.
    error: f64,
    /// The largest distance from the surface found at a point inside, nearly.
    found: f64,
    serial: u32,
    queue: BinaryHeap<Cell>,
}

impl Search<'_> {
    /// Queues a box, unless it lies outside. `near` is a triangle that may be near it.
    fn offer(&mut self, middle: DVec3, half: DVec3, near: Option<u32>, mut is_inside: bool) {
        let nearest = self.part.nearest(middle, near);
        let (distance, radius) = (nearest.squared.sqrt(), half.length() * (1.0 + 4.0 * f64::EPSILON));
        let is_crossed = distance <= radius + 2.0 * self.error && self.is_crossed(middle, half);
        let holds_middle = is_inside || self.part.holds(middle);
        if !holds_middle && !is_crossed {
            return;
        }
        is_inside |= !is_crossed;
        if holds_middle {
            self.found = self.found.max(distance);
        }
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|k| middle + DVec3::select(signs(k), half, -half));
        // On the way from a middle outside to a point inside, the surface is met.
        let around = if holds_middle { distance + radius } else { radius };
        let mut found = self.farthest(&corners, [nearest.triangle; 2]);
        if holds_middle && found.0.min(around) > CLOSE * self.found {
            let opposite = self.opposite(middle, nearest.triangle);
            let between = self.farthest(&corners, [nearest.triangle, opposite]);
            found = if between.0 < found.0 { between } else { found };
        }
        let (farthest, way) = found;
        let at_most = (farthest.min(around) + self.error).next_up();
        // If the distance grows too little for cuts across its growth to do, another triangle is needed.
        let growth = way.abs() * half;
        let is_enough = growth.element_sum() >= at_most - CLOSE * self.found;
        let axis = if is_enough { growth } else { half }.max_position();
        self.serial += 1;
        let (serial, nearest) = (self.serial, nearest.triangle);
        self.queue.push(Cell { at_most, serial, middle, half, nearest, axis, is_inside });
    }

    /// False only if the surface does not pass through a box.
    fn is_crossed(&self, middle: DVec3, half: DVec3) -> bool {
        let half = half + 2.0 * self.error;
        let bounds = Aabb { lo: middle - half, hi: middle + half };
        let body = self.part.body;
        let misses = body.in_box(&bounds, &mut |triangle, corners| {
            if body.is_closed(triangle)
                && Aabb::of(*corners).meets(&bounds)
                && !is_beside(corners, middle, half)
            {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        misses.is_break()
    }

    /// Returns the largest mean distance of some corners from two triangles, and the direction in which it
    /// grows there.
    fn farthest(&self, corners: &[DVec3; 8], triangles: [u32; 2]) -> (f64, DVec3) {
        let first = self.part.distances(corners, triangles[0]);
        let second =
            if triangles[0] == triangles[1] { first } else { self.part.distances(corners, triangles[1]) };
        let means = first.into_iter().zip(second).map(|(a, b)| 0.5 * a + 0.5 * b);
        let farthest = means.zip(*corners).max_by(|(a, _), (b, _)| a.total_cmp(b));
        let (distance, corner) = farthest.expect("a box has corners");
        let ways = triangles.map(|triangle| self.part.way_from(corner, triangle).normalize_or_zero());
        (distance, ways[0] + ways[1])
    }

    /// Returns a triangle about as far from a point inside as the nearest one, on the other side. The point
    /// between both may be the farthest from the surface.
    fn opposite(&mut self, middle: DVec3, triangle: u32) -> u32 {
        let way = self.part.way_from(middle, triangle);
        let opposite = self.part.nearest(middle + way, Some(triangle)).triangle;
        let way_there = self.part.way_from(middle + way, opposite);
        let ends = [middle - way, middle + way - way_there];
        if 0.5 * ends[0].distance(ends[1]) > self.found {
            let between = 0.5 * ends[0] + 0.5 * ends[1];
            let distance = self.part.nearest(between, Some(triangle)).squared.sqrt();
            if distance > self.found && self.part.holds(between) {
                self.found = distance;
            }
        }
        opposite
    }
}

/// True only if a triangle misses a box, which has room for rounding, because their heights along the
/// triangle's normal do not overlap. Any direction proves that, so the normal may be off.
fn is_beside(corners: &Triangle, middle: DVec3, half: DVec3) -> bool {
    let Some(Plane { normal, .. }) = Plane::of(corners) else { return false };
    let [a, b, c] = corners.map(|p| normal.dot(p - middle));
    let reach = normal.abs().dot(half);
    a.min(b).min(c) > reach || a.max(b).max(c) < -reach
}

fn signs(k: u32) -> glam::BVec3 {
    glam::BVec3::new(k & 1 > 0, k & 2 > 0, k & 4 > 0)
}

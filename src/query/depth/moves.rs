//! Bounds from moving: if a patch, moved by at most some length, meets no closed triangle and lies outside,
//! then its points that were inside are no deeper than that length, since the way out crosses the surface.

use glam::DVec3;

use super::patch::Patch;
use super::polygon::{MOST, Plane, Polygon};
use super::search::DepthSearch;
use closefit_geometry::math::pose::{SMALLEST, flush_tiny};

/// Shares of the limit by which a patch is moved along a direction, and contracted in the two directions
/// across it. Their squares add up to less than 1. Contraction frees a patch from triangles along its rim.
const AHEAD: f64 = 0.992;
const TOGETHER: f64 = 0.085;

/// Returns the map that moves a polygon along a direction and contracts it across, by less than the limit in
/// all.
fn inset(polygon: &Polygon, way: DVec3, limit: f64) -> impl Fn(DVec3) -> DVec3 {
    let centre = polygon.centre();
    let corners = polygon.corners();
    let across = |v: DVec3| v - way * v.dot(way);
    let mut longest = DVec3::ZERO;
    for (k, &p) in corners.iter().enumerate() {
        let edge = across(corners[polygon.next(k)] - p);
        if edge.length_squared() > longest.length_squared() {
            longest = edge;
        }
    }
    let first = longest.normalize_or_zero();
    let shrink = |axis: DVec3| {
        let extent = corners.iter().fold(0.0f64, |most, &p| most.max(axis.dot(p - centre).abs()));
        if extent > 0.0 { axis * (TOGETHER * limit / extent).min(1.0) } else { DVec3::ZERO }
    };
    let (second, step) = (way.cross(first), way * (AHEAD * limit));
    let (by_first, by_second) = (shrink(first), shrink(second));
    move |p| p + (step - by_first * first.dot(p - centre) - by_second * second.dot(p - centre))
}

impl DepthSearch<'_> {
    /// Tries to move a patch out. Returns the bound that this proves.
    pub fn move_out(&mut self, side: u8, patch: &Patch) -> Option<f64> {
        let near = patch.near.and_then(|t| Plane::of(&self.solid(side).triangle(t)));
        let own = Plane::of(&self.surface(side).triangle(patch.triangle));
        let (last, near, own) =
            (self.way[side as usize], near.map(|plane| plane.normal), own.map(|plane| -plane.normal));
        // What led out elsewhere comes second where the near triangle faces another way.
        let turned = last.zip(near).is_some_and(|(last, near)| last.dot(near) < 0.9);
        let candidates = if turned { [near, last, own] } else { [last, near, own] };
        for (k, way) in candidates.into_iter().enumerate() {
            let Some(way) = way else { continue };
            if candidates[..k].iter().flatten().any(|known| known.dot(way) > 0.999) {
                continue;
            }
            let map = inset(&patch.polygon, way, self.limit());
            if let Some(moved_by) = self.moved_out(side, &patch.polygon, map) {
                self.way[side as usize] = Some(way);
                return Some(moved_by);
            }
        }
        None
    }

    /// Tries to shrink a patch towards its centre. Returns the bound that this proves.
    pub fn shrink_out(&mut self, side: u8, patch: &Patch) -> Option<f64> {
        let centre = patch.polygon.centre();
        let radius = patch.polygon.corners().iter().fold(0.0f64, |r, p| r.max(p.distance(centre)));
        let share = (0.5 * self.limit() / radius).min(0.9);
        self.moved_out(side, &patch.polygon, |p| p + (centre - p) * share)
    }

    fn moved_out(&mut self, side: u8, polygon: &Polygon, to: impl Fn(DVec3) -> DVec3) -> Option<f64> {
        let mut moved = [DVec3::ZERO; MOST];
        let n = polygon.corners().len();
        let mut moved_by = 0.0f64;
        for (q, &p) in moved.iter_mut().zip(polygon.corners()) {
            *q = flush_tiny(to(p));
            // The distance is rounded four times.
            moved_by = moved_by.max(p.distance(*q) * (1.0 + 4.0 * f64::EPSILON));
        }
        let moved_by = moved_by + polygon.drift + 2.0 * SMALLEST;
        if moved_by > self.limit() || self.solid(side).meets(&moved[..n]) {
            return None;
        }
        (!self.solid(side).holds(moved[0])).then_some(moved_by)
    }
}

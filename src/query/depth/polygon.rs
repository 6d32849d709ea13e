//! Convex polygons with few corners in f64, and their cuts by planes.

use glam::DVec3;

use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::SPLIT;
use closefit_geometry::math::pose::{SMALLEST, flush_tiny};

/// The largest number of corners of a polygon.
pub const MOST: usize = 16;

/// A plane, by a point on it and an approximate unit normal.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    pub origin: DVec3,
    pub normal: DVec3,
}

impl Plane {
    /// Returns the signed height of a point above the plane, positive on the side of the normal.
    pub fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p - self.origin)
    }

    /// Returns the plane of a triangle, or `None` if its area vanishes in f64.
    pub fn of(t: &Triangle) -> Option<Self> {
        let normal = (t[1] - t[0]).cross(t[2] - t[0]).try_normalize()?;
        Some(Self { origin: t[0], normal })
    }
}

/// The convex hull of a few points in order around a planar polygon, up to drift; also of two points, or one.
#[derive(Clone, Copy, Debug)]
pub struct Polygon {
    len: usize,
    corners: [DVec3; MOST],
    /// The largest distance between a corner and the corresponding corner of the true polygon.
    pub drift: f64,
}

/// Heights of the corners.
pub type Heights = [f64; MOST];

impl Polygon {
    /// The polygon of a whole triangle.
    pub fn of(t: &Triangle) -> Self {
        let mut corners = [DVec3::ZERO; MOST];
        corners[..3].copy_from_slice(t);
        Self { len: 3, corners, drift: 0.0 }
    }

    /// Returns the corners, in order around the polygon.
    pub fn corners(&self) -> &[DVec3] {
        &self.corners[..self.len]
    }

    /// Returns the mean of the corners.
    pub fn centre(&self) -> DVec3 {
        let origin = self.corners[0];
        let sum: DVec3 = self.corners().iter().map(|&p| p - origin).sum();
        origin + sum / self.len as f64
    }

    /// Returns the index of the corner after another.
    pub fn next(&self, corner: usize) -> usize {
        if corner + 1 < self.len { corner + 1 } else { 0 }
    }

    /// Returns the value of `height` at each corner.
    pub fn heights(&self, height: impl Fn(DVec3) -> f64) -> Heights {
        let mut heights = [0.0; MOST];
        for (h, &p) in heights.iter_mut().zip(self.corners()) {
            *h = height(p);
        }
        heights
    }

    /// Returns the lowest and the highest value at the corners.
    pub fn range(&self, heights: &Heights) -> [f64; 2] {
        range([f64::INFINITY, f64::NEG_INFINITY], heights[..self.len].iter().copied())
    }

    /// True if a value at a corner is negative.
    pub fn reaches_below(&self, heights: &Heights) -> bool {
        heights[..self.len].iter().any(|&h| h < 0.0)
    }

    /// Returns the pieces where heights above a plane are at least 0, and at most 0. Both pieces have the
    /// same points on the cut, so together they cover the polygon. `None` if a piece would have too many
    /// corners.
    pub fn split(&self, heights: &Heights) -> Option<[Self; 2]> {
        let empty = Self { len: 0, corners: [DVec3::ZERO; MOST], drift: self.drift };
        let mut parts = [empty; 2];
        let mut drift = self.drift;
        for k in 0..self.len {
            let (p, h) = (self.corners[k], heights[k]);
            let next = self.next(k);
            let (q, g) = (self.corners[next], heights[next]);
            if h >= 0.0 {
                parts[0].push(p)?;
            }
            if h <= 0.0 {
                parts[1].push(p)?;
            }
            // A segment has one edge, which the loop passes twice.
            if (h > 0.0 && g < 0.0 || h < 0.0 && g > 0.0) && (self.len > 2 || k < next) {
                let (between, error) = between(p, q, h / (h - g));
                drift = drift.max(self.drift + error);
                parts[0].push(between)?;
                parts[1].push(between)?;
            }
        }
        parts.iter_mut().for_each(|part| part.drift = drift);
        Some(parts)
    }

    /// Returns two polygons with half of the corners each.
    pub fn halved(&self) -> [Self; 2] {
        let middle = self.len / 2;
        let mut first = *self;
        first.len = middle + 1;
        let mut second = *self;
        second.len = self.len - middle + 1;
        second.corners[..self.len - middle].copy_from_slice(&self.corners[middle..self.len]);
        second.corners[self.len - middle] = self.corners[0];
        [first, second]
    }

    /// True when the polygon has no corners.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn push(&mut self, p: DVec3) -> Option<()> {
        *self.corners.get_mut(self.len)? = p;
        self.len += 1;
        Some(())
    }
}

/// Returns a range, from low to high, widened to contain all values.
pub fn range(from: [f64; 2], values: impl Iterator<Item = f64>) -> [f64; 2] {
    // Comparisons cost less than `min` and `max`, which look for NaN.
    values.fold(from, |[lo, hi], x| [if x < lo { x } else { lo }, if x > hi { x } else { hi }])
}

/// Returns the point at a fraction of the way from one point to another, with a bound of its rounding error.
fn between(p: DVec3, q: DVec3, fraction: f64) -> (DVec3, f64) {
    let exact = p + (q - p) * fraction.clamp(0.0, 1.0);
    let flushed = flush_tiny(exact);
    let tiny = if flushed == exact { 0.0 } else { 2.0 * SMALLEST };
    (flushed, SPLIT * p.abs().max(q.abs()).max_element() + tiny)
}

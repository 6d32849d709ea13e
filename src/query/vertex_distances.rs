//! Distances of the vertices of a body from other bodies: the numbers of a heat map.

use glam::DVec3;

use super::depth::exact::spot::{Rounded, Spot};
use super::winding::inside;
use crate::bvh::posed_model::PosedModel;
use closefit_geometry::bounds::aabb::Aabb;

/// Bodies whose nearest is sought.
pub struct Others<'a> {
    bodies: &'a [&'a PosedModel<'a>],
    /// The box of all bodies.
    around: Aabb,
    /// The lower bounds of their distances from a box around the query points, with their indices, nearest
    /// first.
    nearest: Vec<(f64, usize)>,
}

impl<'a> Others<'a> {
    /// Prepares bodies for points in a box.
    pub fn near(bodies: &'a [&'a PosedModel<'a>], points: &Aabb) -> Self {
        let apart = |(index, body): (usize, &&PosedModel)| (apart(points, body.bounds()), index);
        let mut nearest: Vec<(f64, usize)> = bodies.iter().enumerate().map(apart).collect();
        nearest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let around = bodies.iter().fold(Aabb::EMPTY, |all, body| all.union(*body.bounds()));
        Self { bodies, around, nearest }
    }

    /// Returns a lower bound of the distance of a point from all of the bodies: 0 in a solid, else the
    /// distance of the nearest surface, less no more than a few roundings of coordinates. Infinite without
    /// bodies.
    ///
    /// `hint` is a body, by its index, and a triangle of it that may be near; it affects only the time. It
    /// becomes the nearest one.
    pub fn distance(&self, p: DVec3, hint: &mut Option<(usize, u32)>) -> f64 {
        if self.bodies.is_empty() {
            return f64::INFINITY;
        }
        // The box of a body that holds the point meets the box around all points.
        let mut in_reach = self.nearest.iter().take_while(|(apart, _)| *apart == 0.0);
        if in_reach.any(|&(_, index)| is_within(self.bodies[index], p)) {
            return 0.0;
        }
        let spot = Rounded::corner(p);
        let (at_most, body, triangle) = self.nearest(&spot, *hint);
        *hint = Some((body, triangle));
        spot.at_least(at_most, spot.blur(&self.around)).max(0.0)
    }

    /// Returns an upper bound of the distance of a point from the nearest surface of the bodies, with the
    /// body, by its index, and the triangle: the lowest ones among ties. There is a body. `hint` affects only
    /// the time.
    pub fn nearest(&self, spot: &Rounded, hint: Option<(usize, u32)>) -> (f64, usize, u32) {
        // One blur for all bodies: so no order of them, and no hint, affects the result.
        let blur = spot.blur(&self.around);
        let mut best = (f64::INFINITY, usize::MAX, u32::MAX);
        if let Some((body, triangle)) = hint {
            let corners = self.bodies[body].triangle(triangle);
            let at_most = spot.at_most(&corners, blur, f64::INFINITY);
            best = (at_most.unwrap_or(f64::INFINITY), body, triangle);
        }
        for &(apart, index) in &self.nearest {
            if apart > best.0 {
                break;
            }
            self.bodies[index].near_point(spot.rounded(), best.0, &mut |triangle, corners| {
                if let Some(at_most) = spot.at_most(corners, blur, best.0)
                    && (at_most, index, triangle) < best
                {
                    best = (at_most, index, triangle);
                }
                best.0
            });
        }
        best
    }

    /// Returns the bodies.
    pub fn bodies(&self) -> &'a [&'a PosedModel<'a>] {
        self.bodies
    }

    /// Returns the box of all bodies.
    pub fn around(&self) -> &Aabb {
        &self.around
    }
}

/// True when a point lies in a body's solid, and not on its surface.
pub fn is_within(body: &PosedModel, p: DVec3) -> bool {
    body.has_solid() && body.bounds().strictly_contains(&Aabb { lo: p, hi: p }) && inside(body, &p)
}

/// Returns a lower bound of the distance of two boxes.
fn apart(a: &Aabb, b: &Aabb) -> f64 {
    let gap = (a.lo - b.hi).max(b.lo - a.hi).max(DVec3::ZERO);
    // Differences, squares, sums and the root round less often than that.
    gap.length() * (1.0 - 8.0 * f64::EPSILON)
}

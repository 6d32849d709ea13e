//! The holes of an open shell, and how far from them they hardly count.

use glam::DVec3;

use crate::bvh::holes::{Fan, influence};
use crate::bvh::posed_model::PosedModel;
use closefit_geometry::exact::distance::distance;

/// A ball around a hole, and the area of a fan between its middle and its boundary.
///
/// With all holes closed by fans, the shell winds a whole number of times around any point. A fan is seen at
/// a solid angle of no more than its area over the square of the distance from the ball. So as long as a body
/// keeps far from all balls, the shell's own winding number is near one integer: the same throughout each
/// component of the body, and at all times, since no point passes through a fan.
pub struct Hole(Fan);

impl Hole {
    /// Returns the hole with a boundary where it stands.
    pub fn of(boundary: impl Iterator<Item = [DVec3; 2]> + Clone) -> Self {
        Self(Fan::of(boundary))
    }

    /// Returns the distance from its middle beyond which it, one of so many holes, changes a winding number
    /// by no more than its share.
    pub fn radius_of_influence(&self, holes: usize) -> f64 {
        self.0.radius + influence(self.0.area * holes as f64)
    }

    /// True if a body comes within a distance of its middle.
    pub fn is_within(&self, body: &PosedModel, reach: f64) -> bool {
        let mut is_within = false;
        body.near_point(self.0.middle, reach, &mut |_, corners| {
            is_within |= distance(corners, &[self.0.middle; 3]) <= reach;
            if is_within { -1.0 } else { reach }
        });
        is_within
    }
}

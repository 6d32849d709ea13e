//! The spheres of a mesh at a pose.

use glam::DVec3;

use super::{Sphere, SphereLevels};
use crate::bvh::placement::Placement;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::error_bounds::SQUARES;
use closefit_geometry::math::pose::stretch;

/// Spheres at a pose. Only the centres of those that are looked at are moved.
#[derive(Clone, Copy, Debug)]
pub struct PosedSpheres<'a> {
    levels: &'a SphereLevels,
    placement: Placement,
    /// Bound of the factor by which radii grow.
    stretch: f64,
}

impl<'a> PosedSpheres<'a> {
    pub(super) fn new(levels: &'a SphereLevels, placement: Placement) -> Self {
        Self { levels, placement, stretch: stretch(&placement.linear) }
    }

    /// Returns a sphere in the world. It contains all posed vertices of its triangles, as rounded; where
    /// numbers overflow, its radius is infinite or NaN.
    pub fn sphere(&self, index: usize) -> Sphere {
        let Sphere { center, radius } = self.levels.spheres[index];
        Sphere {
            center: self.placement.linear * center + self.placement.origin,
            radius: self.stretch * radius + self.placement.error,
        }
    }

    /// True unless the body is proven farther than `reach` (0 or more) from a box: at some level, each sphere
    /// is, or one around it. Adds the number of spheres tested.
    pub fn may_reach(&self, b: &Aabb, reach: f64, tests: &mut u64) -> bool {
        self.part_may_reach(0, b, reach, tests)
    }

    fn part_may_reach(&self, sphere: usize, b: &Aabb, reach: f64, tests: &mut u64) -> bool {
        *tests += 1;
        if self.sphere(sphere).is_farther(b, reach) {
            return false;
        }
        let mut parts = self.levels.parts(sphere);
        parts.is_empty() || parts.any(|part| self.part_may_reach(part, b, reach, tests))
    }
}

impl Sphere {
    /// True only if the sphere is proven farther than `reach` (0 or more) from a box. Never true if that
    /// reaches farther than numbers do, or is NaN.
    pub fn is_farther(&self, b: &Aabb, reach: f64) -> bool {
        let apart = (b.lo - self.center).max(self.center - b.hi).max(DVec3::ZERO);
        let within = self.radius + reach;
        apart.length_squared() * (1.0 - SQUARES) > within * within
    }
}

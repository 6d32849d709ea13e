//! Axis-aligned boxes: exact, since comparing and taking minima of f64 does not round.

use glam::DVec3;

use crate::math::pose::Pose;
use crate::scene::mesh::Mesh;

/// The closed box from `lo` to `hi`; empty when `lo > hi` on an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner.
    pub lo: DVec3,
    /// Highest corner.
    pub hi: DVec3,
}

impl Aabb {
    /// Contains nothing.
    pub const EMPTY: Self = Self { lo: DVec3::INFINITY, hi: DVec3::NEG_INFINITY };

    /// The smallest box around the points.
    pub fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with)
    }

    /// The box of a mesh's posed vertices, exactly, as far as they are numbers.
    pub fn posed(mesh: &Mesh, pose: &Pose) -> Self {
        Self::of(mesh.vertices().iter().map(|&v| pose.apply(v)))
    }

    /// The smallest box around this one and a point.
    pub fn with(self, p: DVec3) -> Self {
        Self { lo: self.lo.min(p), hi: self.hi.max(p) }
    }

    /// The smallest box around both.
    pub fn union(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// True when the closed boxes share a point.
    pub fn meets(&self, other: &Self) -> bool {
        self.lo.cmple(other.hi).all() && other.lo.cmple(self.hi).all()
    }

    /// True when `other` lies in the interior of this box.
    pub fn strictly_contains(&self, other: &Self) -> bool {
        self.lo.cmplt(other.lo).all() && other.hi.cmplt(self.hi).all()
    }

    /// The largest gap along an axis, 0 or less where the boxes meet; rounded to nearest.
    pub fn axis_gap(&self, other: &Self) -> f64 {
        (other.lo - self.hi).max(self.lo - other.hi).max_element()
    }

    /// Length of the diagonal.
    pub fn diagonal(&self) -> f64 {
        (self.hi - self.lo).length()
    }
}

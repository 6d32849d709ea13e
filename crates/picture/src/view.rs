//! Views: from where a finding is seen, and where it is cut.

use glam::DVec3;

/// A way to show a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Both parts cut by a plane, with what they share in yellow.
    Section,
    /// The larger part faint, the smaller one solid.
    XRay,
    /// All parts, seen from outside.
    Whole,
}

/// A plane through a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A point of it.
    pub point: DVec3,
    /// Its unit normal, towards the viewer. What lies in front of the plane is cut away.
    pub normal: DVec3,
}

impl Plane {
    /// True if the plane lies behind a point, for the viewer.
    pub(crate) fn is_behind(&self, point: DVec3) -> bool {
        self.normal.dot(point - self.point) > 0.0
    }
}

/// An orthographic view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The way to show the finding.
    pub mode: Mode,
    /// The plane of a section.
    pub plane: Option<Plane>,
    /// The unit direction in which the viewer looks.
    pub direction: DVec3,
    /// The unit direction that is up in the picture, perpendicular to the direction of view.
    pub up: DVec3,
    /// The point in the middle of the picture.
    pub centre: DVec3,
    /// The height of the picture, in the unit of the scene.
    pub height: f64,
    /// A circle with a closer look, if the dimension would be too short to be seen.
    pub detail: Option<Detail>,
}

/// A closer look at a section, with the direction of its view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// The plane, parallel to the plane of the section.
    pub plane: Plane,
    /// The point in the middle of the circle.
    pub centre: DVec3,
    /// The diameter of the circle, in the unit of the scene.
    pub diameter: f64,
}

/// Returns the direction that should be up in a picture seen from a direction: the up direction of the scene,
/// or north in a plan.
pub(crate) fn up_seen_from(toward: DVec3, up: DVec3) -> DVec3 {
    match (toward.dot(up).abs() > PLAN, up == DVec3::Y) {
        (false, _) => up,
        (true, true) => DVec3::NEG_Z,
        (true, false) => DVec3::Y,
    }
}

/// Returns the unit direction nearest to one that should be up, of the directions perpendicular to the
/// viewer's direction.
pub(crate) fn upright(toward: DVec3, up: DVec3) -> DVec3 {
    (up - toward * toward.dot(up)).normalize_or(toward.any_orthonormal_vector())
}

/// The cosine of the angle to the vertical up to which a picture is a plan.
pub(crate) const PLAN: f64 = 0.95;

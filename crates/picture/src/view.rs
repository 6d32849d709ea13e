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
    /// The plane, parallel to that of the section.
    pub plane: Plane,
    /// The point in the middle of the circle.
    pub centre: DVec3,
    /// The diameter of the circle, in the unit of the scene.
    pub diameter: f64,
}

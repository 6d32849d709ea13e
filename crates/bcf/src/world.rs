//! The coordinates of BCF: metres, with z up.

use closefit_geometry::scene::Up;
use closefit_geometry::units::Unit;
use closefit_picture::View;
use closefit_report::document::SceneRow;
use glam::DVec3;

use crate::options::NoUnit;

/// The way from a scene's coordinates to BCF coordinates.
#[derive(Clone, Copy, Debug)]
pub struct World {
    /// Metres per unit of the scene.
    metres: f64,
    up: Option<Up>,
    origin: DVec3,
}

/// A camera with perspective.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    /// The place of the viewer, in metres.
    pub place: DVec3,
    /// The unit direction of the view.
    pub direction: DVec3,
    /// The unit direction that is up, perpendicular to the other.
    pub up: DVec3,
}

impl Camera {
    /// The vertical field of view in degrees: the largest that version 2.1 allows.
    pub const FIELD_OF_VIEW: &'static str = "60";
}

/// The distance from which a height fills [`Camera::FIELD_OF_VIEW`], as a multiple of the height: half the
/// square root of 3.
const DISTANCE: f64 = 0.866_025_403_784_438_6;

impl World {
    /// Returns the way from a scene, whose own origin lies at `origin`, in metres.
    pub fn of(scene: &SceneRow, origin: DVec3) -> Result<Self, NoUnit> {
        let metres = scene.unit.ok_or(NoUnit)?.in_terms_of(Unit::M);
        Ok(Self { metres, up: scene.up, origin })
    }

    fn direction(&self, d: DVec3) -> DVec3 {
        match self.up {
            Some(Up::Y) => DVec3::new(d.x, -d.z, d.y),
            Some(Up::Z) | None => d,
        }
    }

    /// Returns the camera that sees a view: its middle from the same side, and as much of its height.
    pub fn camera(&self, view: &View) -> Camera {
        let place = view.centre - view.direction * (DISTANCE * view.height);
        let place = self.direction(place * self.metres) + self.origin;
        Camera { place, direction: self.direction(view.direction), up: self.direction(view.up) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_picture::Mode;

    /// A view of height 2 at a point 3 above the ground of a glTF scene in millimetres.
    #[test]
    fn what_is_up_in_gltf_is_z_in_metres() {
        let view = View {
            mode: Mode::Whole,
            plane: None,
            direction: DVec3::NEG_Z,
            up: DVec3::Y,
            centre: DVec3::new(1000.0, 3000.0, -5000.0),
            height: 2000.0,
            detail: None,
        };
        let origin = DVec3::new(100.0, 200.0, 300.0);
        let world = World { metres: Unit::Mm.in_terms_of(Unit::M), up: Some(Up::Y), origin };
        let camera = world.camera(&view);
        assert_eq!((camera.direction, camera.up), (DVec3::Y, DVec3::Z));
        let target = DVec3::new(101.0, 205.0, 303.0);
        assert!((camera.place - (target - DVec3::Y * 3f64.sqrt())).length() < 1e-12, "{}", camera.place);
    }
}

//! Thin plates that fly past each other; at every sampled time they are far apart.

use glam::{DVec2, DVec3};

use super::assembly::{Assembly, keyframe, moved};
use super::outline::Region;
use super::random::Random;
use super::solids::Solid;
use closefit_geometry::motion::Between;
use closefit_geometry::scene::Scene;

/// Thickness of a plate that is 1 x 1 wide.
const THICKNESS: f64 = 0.000_976_562_5;
/// Distance that a plate flies in its second: a million times its thickness.
const FLIGHT: f64 = THICKNESS * 1e6;

/// Builds the scene: a row of standing plates, 8 apart, and for each a plate that flies through it or past
/// it. The flying plate is off to the side by up to one and a half widths and turns by less than half a turn.
pub(super) fn build(plates: u32, random: &mut Random) -> Scene {
    let mut assembly = Assembly::default();
    let square = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(DVec2::from).to_vec();
    let mesh = assembly.mesh("plate", Solid::prism(&Region::full(square), -THICKNESS / 2.0, THICKNESS / 2.0));
    for i in 1..=plates {
        let place = DVec3::X * (8.0 * f64::from(i));
        assembly.part(&format!("/target_{i}"), &[], mesh, moved(place));
        let aside = DVec3::new(random.between(-1.5, 1.5), random.between(-1.5, 1.5), 0.0);
        // The middle of the flight is off the target too, so that no sample meets it by chance.
        let start = random.between(-0.9, -0.1) * FLIGHT;
        let (axis, turn) = (random.direction(), random.between(-3.0, 3.0));
        let keyframes = [
            keyframe(0.0, axis, 0.0, place + aside + DVec3::Z * start),
            keyframe(1.0, axis, turn, place + aside + DVec3::Z * (start + FLIGHT)),
        ];
        assembly.moving(&format!("/plate_{i}"), mesh, None, &keyframes, Between::Linear);
    }
    assembly.finish()
}

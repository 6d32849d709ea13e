//! A bolt and its nut, M20 x 2.5, with true helical threads: close to each other everywhere, never touching.

use std::f64::consts::{FRAC_PI_3, FRAC_PI_6, TAU};

use glam::DVec3;

use super::assembly::{Assembly, keyframe, moved};
use super::outline::polar;
use super::random::Random;
use super::solids::{Ring, Solid};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::{Between, Keyframe};
use closefit_geometry::scene::Scene;

const PITCH: f64 = 0.0025;
const MAJOR_RADIUS: f64 = 0.010;
/// Half the width across flats of the head and the nut.
const HALF_FLATS: f64 = 0.015;
const HEAD: f64 = 0.0125;
/// Numbers of pitches along the bolt, along the nut, and from the head to the nut.
const BOLT_PITCHES: u32 = 16;
const NUT_PITCHES: u32 = 6;
const NUT_AT: u32 = 7;
/// Amount by which the nut's thread is wider than the bolt's everywhere.
const PLAY: f64 = 0.0003;

/// Steps along a pitch and around a turn. The number around is a multiple of 6, so that hexagons keep their
/// corners.
#[derive(Clone, Copy)]
struct Resolution {
    along: u32,
    around: u32,
}

impl Resolution {
    fn for_triangles(size: u32) -> Self {
        // Both threads together have 2 (16 + 6) along * around triangles, and around = 6 along.
        let along = (f64::from(size) / f64::from(12 * (BOLT_PITCHES + NUT_PITCHES))).sqrt().round() as u32;
        Self { along, around: 6 * along }
    }

    fn angle(self, i: u32) -> f64 {
        TAU * f64::from(i) / f64::from(self.around)
    }

    /// Returns the radius of the ISO metric profile at step `j` along the axis and `i` around it: flats of
    /// P/8 at the crest and P/4 at the root, with flanks of 60 degrees between them.
    fn thread(self, i: u32, j: u32) -> f64 {
        let steps = u64::from(self.along) * u64::from(self.around);
        // Counted in whole steps, so that the seam closes exactly.
        let step = u64::from(j) * u64::from(self.around) + steps - u64::from(i) * u64::from(self.along);
        let phase = (step % steps) as f64 / steps as f64;
        let from_crest = phase.min(1.0 - phase);
        let down_the_flank = ((from_crest - 1.0 / 16.0) / (5.0 / 16.0)).clamp(0.0, 1.0);
        MAJOR_RADIUS - PITCH * (5.0 / 16.0) * 3.0_f64.sqrt() * down_the_flank
    }

    /// Adds the rings of a thread over a number of pitches, from z = 0 up.
    fn thread_rings(self, solid: &mut Solid, pitches: u32, play: f64) -> Vec<Ring> {
        let height = |j: u32| PITCH * f64::from(j) / f64::from(self.along);
        let at = |i: u32, j: u32| polar(self.thread(i, j) + play, self.angle(i)).extend(height(j));
        (0..=pitches * self.along).map(|j| solid.ring((0..self.around).map(|i| at(i, j)))).collect()
    }

    /// Adds a hexagon with points along its sides.
    fn hexagon(self, solid: &mut Solid, z: f64) -> Ring {
        let side = self.around / 6;
        solid.ring((0..self.around).map(|i| {
            let from_middle = FRAC_PI_3 * f64::from(i % side) / f64::from(side) - FRAC_PI_6;
            polar(HALF_FLATS / libm::cos(from_middle), self.angle(i)).extend(z)
        }))
    }
}

/// Builds the bolt: the head below z = 0, the thread above.
fn bolt(resolution: Resolution) -> Solid {
    let mut solid = Solid::default();
    let mut rings = vec![vec![solid.point(DVec3::Z * -HEAD)]];
    rings.push(resolution.hexagon(&mut solid, -HEAD));
    rings.push(resolution.hexagon(&mut solid, 0.0));
    rings.extend(resolution.thread_rings(&mut solid, BOLT_PITCHES, 0.0));
    rings.push(vec![solid.point(DVec3::Z * (PITCH * f64::from(BOLT_PITCHES)))]);
    solid.skin(&rings);
    solid
}

/// Builds the nut: up the hexagon on the outside and down the thread on the inside.
fn nut(resolution: Resolution) -> Solid {
    let mut solid = Solid::default();
    let bottom = resolution.hexagon(&mut solid, 0.0);
    let top = resolution.hexagon(&mut solid, PITCH * f64::from(NUT_PITCHES));
    let mut rings = vec![bottom.clone(), top];
    rings.extend(resolution.thread_rings(&mut solid, NUT_PITCHES, PLAY).into_iter().rev());
    rings.push(bottom);
    solid.skin(&rings);
    solid
}

pub(super) fn build(size: u32, _: &mut Random) -> Scene {
    let resolution = Resolution::for_triangles(size);
    let mut assembly = Assembly::default();
    let bolt = assembly.mesh("bolt", bolt(resolution));
    assembly.part("/bolt", &["fastener"], bolt, Pose::IDENTITY);
    let nut = assembly.mesh("nut", nut(resolution));
    // A whole number of pitches keeps the threads in phase.
    assembly.part("/nut", &["fastener"], nut, moved(DVec3::Z * (PITCH * f64::from(NUT_AT))));
    assembly.finish()
}

/// Builds the moving scene: the nut comes down the bolt from beyond its end, a third of a turn at a time.
pub(super) fn screwed(size: u32, _: &mut Random) -> Scene {
    let resolution = Resolution::for_triangles(size);
    let mut assembly = Assembly::default();
    let bolt = assembly.mesh("bolt", bolt(resolution));
    assembly.part("/bolt", &["fastener"], bolt, Pose::IDENTITY);
    let nut = assembly.mesh("nut", nut(resolution));
    let thirds = 3 * (BOLT_PITCHES + 1 - NUT_AT);
    // Turning the nut by its remaining descent keeps the threads in phase.
    let keyframes: Vec<Keyframe> = (0..=thirds)
        .map(|done| {
            let turns = f64::from(thirds - done) / 3.0;
            let place = DVec3::Z * (PITCH * (f64::from(NUT_AT) + turns));
            keyframe(f64::from(done) / 4.0, DVec3::Z, TAU * turns, place)
        })
        .collect();
    assembly.moving("/nut", nut, None, &keyframes, Between::Screw);
    assembly.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PosedMesh, volume};

    #[test]
    fn the_thread_has_play_all_along() {
        for size in [5_000, 20_000] {
            let scene = build(size, &mut Random::new(0));
            let parts = PosedMesh::all(&scene);
            let near = parts[0].nearness(&parts[1], 3.0 * PLAY);
            // Flanks of 60 degrees are half as far apart as crests, and their chords a little nearer.
            assert!(near.distance > 0.3 * PLAY && near.distance < PLAY, "{size}: {near:?}");
            // The crests of the nut reach behind the crests of the bolt, so the two cannot be pulled apart.
            let resolution = Resolution::for_triangles(size);
            let mouth =
                (0..resolution.along).map(|j| resolution.thread(0, j) + PLAY).fold(f64::INFINITY, f64::min);
            assert!(mouth < MAJOR_RADIUS - PLAY);
        }
    }

    #[test]
    fn the_nut_keeps_its_play_on_the_way_down() {
        let scene = screwed(20_000, &mut Random::new(0));
        let [from, to] = scene.time_range().unwrap();
        for share in [0.37, 0.645] {
            let time = from + (to - from) * share;
            let parts = PosedMesh::all(&scene.at(time));
            let near = parts[0].nearness(&parts[1], 3.0 * PLAY);
            assert!(near.distance > 0.2 * PLAY && !near.pierced, "{time}: {near:?}");
        }
        let still = build(20_000, &mut Random::new(0));
        assert_eq!(scene.at(to).parts[1].pose, still.parts[1].pose);
    }

    #[test]
    fn volumes_are_those_of_the_drawing() {
        let scene = build(200_000, &mut Random::new(0));
        let hexagon = 2.0 * 3.0_f64.sqrt() * HALF_FLATS * HALF_FLATS;
        // Mean square radius over the profile: crest, root, and the flanks between.
        let root = MAJOR_RADIUS - PITCH * (5.0 / 16.0) * 3.0_f64.sqrt();
        let square = |a: f64, b: f64| (a * a + a * b + b * b) / 3.0;
        let section = |play: f64| {
            let (crest, root) = (MAJOR_RADIUS + play, root + play);
            std::f64::consts::PI * (crest * crest / 8.0 + root * root / 4.0 + square(crest, root) * 5.0 / 8.0)
        };
        let bolt = hexagon * HEAD + section(0.0) * PITCH * f64::from(BOLT_PITCHES);
        let nut = (hexagon - section(PLAY)) * PITCH * f64::from(NUT_PITCHES);
        for (mesh, wanted) in scene.meshes.iter().zip([bolt, nut]) {
            assert!((volume(mesh) / wanted - 1.0).abs() < 0.01, "{} {wanted}", volume(mesh));
        }
    }
}

//! A robot arm of six links, each of which turns on the previous one.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use super::assembly::{Assembly, keyframe};
use super::outline::Region;
use super::random::Random;
use super::solids::Solid;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::{Between, Keyframe};
use closefit_geometry::scene::Scene;

/// Name and length of each link, and the axis about which it turns at its foot.
const LINKS: [(&str, f64, DVec3); 6] = [
    ("turret", 0.3, DVec3::Z),
    ("upper_arm", 0.8, DVec3::Y),
    ("lower_arm", 0.7, DVec3::Y),
    ("wrist", 0.2, DVec3::Z),
    ("hand", 0.2, DVec3::Y),
    ("tool", 0.3, DVec3::Z),
];
/// Gap between the end of a link and the foot of the next.
const GAP: f64 = 0.02;
/// Keyframes per second of each joint.
const RATE: f64 = 20.0;
const SECONDS: u32 = 10;

/// Builds a round rod with a thicker foot, along z.
fn rod(length: f64, radius: f64, facets: u32) -> Solid {
    let profile = [
        (0.0, 0.0),
        (radius * 1.5, 0.0),
        (radius * 1.5, radius),
        (radius, radius * 1.5),
        (radius, length),
        (0.0, length),
    ];
    Solid::turned(&profile.map(DVec2::from), facets)
}

/// Builds the scene. Each joint swings about a random pose with its own frequency.
pub(super) fn build(facets: u32, random: &mut Random) -> Scene {
    let mut assembly = Assembly::default();
    let slab = [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)].map(DVec2::from).to_vec();
    let base = assembly.mesh("base", Solid::prism(&Region::full(slab), -0.25, -GAP));
    assembly.part("/base", &[], base, Pose::IDENTITY);
    let (mut parent, mut path, mut foot) = (None, "/base".to_owned(), DVec3::ZERO);
    for (i, (name, length, axis)) in LINKS.into_iter().enumerate() {
        let mesh = assembly.mesh(name, rod(length, 0.1 - 0.0125 * i as f64, facets));
        let (middle, swing) = (random.between(-0.6, 0.6), random.between(0.4, 1.2));
        let (rhythm, phase) = (random.between(0.5, 2.0), random.between(-PI, PI));
        let keyframes: Vec<Keyframe> = (0..=SECONDS * RATE as u32)
            .map(|k| {
                let time = f64::from(k) / RATE;
                keyframe(time, axis, middle + swing * libm::sin(rhythm * time + phase), foot)
            })
            .collect();
        path = format!("{path}/{name}");
        parent = Some(assembly.moving(&path, mesh, parent, &keyframes, Between::Linear));
        foot = DVec3::Z * (length + GAP);
    }
    assembly.finish()
}

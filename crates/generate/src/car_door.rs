//! A car door that swings shut into the side of the car body.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use super::assembly::{Assembly, keyframe};
use super::random::Random;
use super::solids::{Ring, Solid};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::Between;
use closefit_geometry::scene::Scene;

/// Half the width and height of the door.
const HALF: DVec2 = DVec2::new(0.55, 0.6);
/// Thickness of door and body.
const THICKNESS: f64 = 0.04;
/// Gap around the door, as a share of the door's size.
const GAP: f64 = 0.012;
/// Initial opening angle of the door, in radians.
const OPEN: f64 = 1.1;

/// Returns a point of the car's side, which bulges outwards, towards z. The edge of the door has `size` 1.
fn side(angle: f64, size: f64, depth: f64) -> DVec3 {
    // The outline is a rounded square.
    let corner = |x: f64| x.signum() * libm::pow(x.abs(), 0.4);
    let p = DVec2::new(corner(libm::cos(angle)), corner(libm::sin(angle))) * HALF * size;
    let crease = 0.01 * libm::sin(9.0 * p.y);
    p.extend(0.15 - 0.25 * p.y * p.y - 0.05 * p.x * p.x + crease - depth)
}

fn ring(solid: &mut Solid, around: u32, size: f64, depth: f64) -> Ring {
    let angle = |i: u32| TAU * (f64::from(i) + 0.5) / f64::from(around);
    solid.ring((0..around).map(|i| side(angle(i), size, depth)))
}

/// Builds the door: from the middle of its back out to the edge and in again on the front.
fn door(around: u32, across: u32) -> Solid {
    let mut solid = Solid::default();
    let sizes: Vec<f64> = (1..=across).map(|i| f64::from(i) / f64::from(across)).collect();
    let mut rings = vec![vec![solid.point(side(0.0, 0.0, THICKNESS))]];
    rings.extend(sizes.iter().map(|&size| ring(&mut solid, around, size, THICKNESS)));
    rings.extend(sizes.iter().rev().map(|&size| ring(&mut solid, around, size, 0.0)));
    rings.push(vec![solid.point(side(0.0, 0.0, 0.0))]);
    solid.skin(&rings);
    solid
}

/// Builds the body: from the opening outwards on the back, inwards again on the front, and through the
/// opening.
fn body(around: u32, across: u32) -> Solid {
    let mut solid = Solid::default();
    let sizes: Vec<f64> = (0..=across).map(|i| 1.0 + GAP + f64::from(i) / f64::from(across)).collect();
    let mut rings: Vec<Ring> = sizes.iter().map(|&size| ring(&mut solid, around, size, THICKNESS)).collect();
    rings.extend(sizes.iter().rev().map(|&size| ring(&mut solid, around, size, 0.0)));
    rings.push(rings[0].clone());
    solid.skin(&rings);
    solid
}

/// Builds the scene. The door has a third of the triangles and swings about its left edge until it is shut.
pub(super) fn build(size: u32, _: &mut Random) -> Scene {
    // Both have 4 around * across triangles; the door has 16 of 45 shares of them.
    let around = |triangles: f64| ((triangles / 2.0).sqrt() as u32).max(8) / 8 * 8;
    let across = |triangles: f64| (triangles / 4.0 / f64::from(around(triangles))).round().max(2.0) as u32;
    let (of_door, of_body) = (f64::from(size) * 16.0 / 45.0, f64::from(size) * 29.0 / 45.0);
    let mut assembly = Assembly::default();
    let body = assembly.mesh("body", body(around(of_body), across(of_body)));
    assembly.part("/body", &[], body, Pose::IDENTITY);
    let door = assembly.mesh("door", door(around(of_door), across(of_door)));
    // The hinge is vertical, just outside the left edge of the door.
    let hinge = DVec3::new(-HALF.x * (1.0 + GAP / 2.0), 0.0, 0.15);
    let at = |time: f64, angle: f64| {
        let turned = DVec3::new(
            libm::cos(angle) * hinge.x + libm::sin(angle) * hinge.z,
            0.0,
            libm::cos(angle) * hinge.z - libm::sin(angle) * hinge.x,
        );
        keyframe(time, DVec3::Y, angle, hinge - turned)
    };
    assembly.moving("/door", door, None, &[at(0.0, -OPEN), at(2.0, 0.0)], Between::Screw);
    assembly.finish()
}

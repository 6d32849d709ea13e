//! A gear that turns past a tooth: `cargo run --release --example clearance_over_motion`.

#![allow(clippy::disallowed_methods)]

use std::error::Error;
use std::f64::consts::TAU;

use closefit::{CollisionMesh, DVec3, Mesh, Motion, closest_approach, time_of_impact, time_of_impact_within};

/// Returns the prism over a star with this number of points, between two radii.
fn star(points: u32, [inner, outer]: [f64; 2]) -> Result<Mesh, Box<dyn Error>> {
    let rim = 2 * points;
    let corner = |i: u32| {
        let angle = TAU * f64::from(i % rim) / f64::from(rim);
        let radius = if i.is_multiple_of(2) { outer } else { inner };
        DVec3::new(radius * angle.cos(), radius * angle.sin(), f64::from(i / rim))
    };
    let middles = [DVec3::ZERO, DVec3::Z];
    let corners: Vec<DVec3> = (0..2 * rim).map(corner).chain(middles).collect();
    let around = (0..rim).flat_map(|i| {
        let [a, b] = [i, (i + 1) % rim];
        [[a, b, rim + b], [a, rim + b, rim + a], [2 * rim, b, a], [2 * rim + 1, rim + a, rim + b]]
    });
    Ok(Mesh::new(&corners, &around.collect::<Vec<_>>())?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let (wheel, tooth) =
        (CollisionMesh::build(&star(12, [8.0, 10.0])?), CollisionMesh::build(&star(3, [0.4, 1.0])?));
    // The wheel turns once about the z axis in four seconds; the tooth is fixed beside it.
    let turn = Motion::about(DVec3::Z, &[0.0, 4.0], &[0.0, TAU])?;
    for x in [11.5, 10.45] {
        let still = Motion::along(DVec3::X, &[0.0], &[x])?;
        let (wheel, tooth) = (wheel.along(&turn), tooth.along(&still));
        let closest = closest_approach(&wheel, &tooth, 1e-6)?;
        println!(
            "tooth at {x}: between {:.6} and {:.6} apart, at {:.3} s",
            closest.at_least, closest.at_most, closest.at
        );
        if let Some(found) = time_of_impact_within(&wheel, &tooth, 0.5, 1e-6)? {
            println!("  within 0.5 from {:.6} s on", found.first.before);
        }
        match time_of_impact(&wheel, &tooth, 1e-6)? {
            Some(found) => println!("  in contact from {:.6} s on", found.first.before),
            None => println!("  never in contact"),
        }
    }
    Ok(())
}

//! Contacts, distances and steps of many copies of a scene: `cargo run --release --example many_worlds`.

#![allow(clippy::disallowed_methods)]

use std::error::Error;
use std::time::Instant;

use closefit::{AdvanceRequest, CollisionMesh, ContactChange, DVec3, Pose, World, Worlds};

const WORLDS: usize = 4096;
const BODIES: usize = 20;

fn cube() -> Result<CollisionMesh, Box<dyn Error>> {
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5;
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Ok(CollisionMesh::new(&corners, &triangles)?)
}

/// Returns the pose of a body of a world in a frame: the first is the floor, the others spin on circles.
fn pose(world: usize, body: usize, frame: u32) -> Pose {
    if body == 0 {
        return Pose::translation([0.0, 0.0, -10.0]) * Pose::scaling([20.0; 3]);
    }
    let angle = 0.05 * f64::from(frame) + (world * BODIES + body) as f64;
    let middle = DVec3::new((body % 4) as f64, (body / 4) as f64, 0.5) * 1.1;
    let at = middle + DVec3::new(angle.cos(), angle.sin(), (0.7 * angle).sin()) * 0.2;
    let (sin, cos) = (0.5 * angle).sin_cos();
    Pose::from_trs([0.6 * sin, 0.0, 0.8 * sin, cos], [1.0; 3], at.to_array()).expect("a unit quaternion")
}

fn poses(frame: u32) -> Vec<Pose> {
    (0..WORLDS).flat_map(|world| (0..BODIES).map(move |body| pose(world, body, frame))).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let (cube, mut scene) = (cube()?, World::default());
    scene.add_fixed(&cube, &pose(0, 0, 0))?;
    for body in 1..BODIES {
        scene.add(&cube, &pose(0, body, 0))?;
    }
    let mut worlds = Worlds::new(&scene, WORLDS);
    worlds.advance(&poses(0), &AdvanceRequest::default().precision(1e-4))?;
    for frame in 1..=5 {
        let poses = poses(frame);
        let per_world = |clock: Instant| clock.elapsed().as_secs_f64() * 1e6 / WORLDS as f64;
        let clock = Instant::now();
        let points = worlds.contacts(&poses)?.points.len();
        let contacts_us = per_world(clock);
        let clock = Instant::now();
        let near = worlds.distances(&poses, 0.1)?.distances.len();
        let distances_us = per_world(clock);
        let clock = Instant::now();
        let steps = worlds.advance(&poses, &AdvanceRequest::default().precision(1e-4))?;
        let events = steps.iter().flat_map(|step| &step.events);
        let brief = events.clone().filter(|event| event.change == ContactChange::Brief).count();
        println!(
            "frame {frame}: {points} points of contact ({contacts_us:.1} us a world), {near} pairs within 0.1 \
             ({distances_us:.1} us), {} events, {brief} of them brief ({:.1} us)",
            events.count(),
            per_world(clock),
        );
    }
    Ok(())
}

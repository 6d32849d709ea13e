//! Flying cubes, queried in every frame: `cargo run --release --example moving_bodies`.

#![allow(clippy::disallowed_methods)]

use std::error::Error;
use std::time::Instant;

use closefit::{BodyId, CollisionMesh, DVec3, Mesh, Pose, World};

/// Returns the pose of body `i` in a frame. Each body spins and moves on a circle of its own.
fn pose(i: usize, frame: u32) -> Pose {
    let (x, y, z) = (i % 10, i / 10 % 10, i / 100);
    let angle = 0.02 * f64::from(frame) + i as f64;
    let middle = DVec3::new(x as f64, y as f64, z as f64) * 1.9;
    let at = middle + DVec3::new(angle.cos(), angle.sin(), (0.7 * angle).sin()) * 0.3;
    let (sin, cos) = (0.5 * angle).sin_cos();
    Pose::from_trs([0.6 * sin, 0.0, 0.8 * sin, cos], [1.0; 3], at.to_array()).expect("a unit quaternion")
}

fn cube() -> Result<Mesh, Box<dyn Error>> {
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5;
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Ok(Mesh::new(&corners, &triangles)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    // A thousand bodies share one tree.
    let tree = CollisionMesh::build(&cube()?);
    let mut world = World::default();
    let bodies: Vec<BodyId> = (0..1000).map(|i| world.add(&tree, &pose(i, 0))).collect::<Result<_, _>>()?;

    for frame in 1..=10 {
        for (i, &body) in bodies.iter().enumerate() {
            world.set_pose(body, &pose(i, frame))?;
        }
        let clock = Instant::now();
        let colliding = world.intersecting().len();
        let close = world.pairs_within(0.05);
        let nearest =
            close.iter().map(|pair| pair.distance.distance).filter(|d| *d > 0.0).min_by(f64::total_cmp);
        println!(
            "frame {frame}: {colliding} pairs collide, {} more within 0.05, the closest at {:.6}; {:.1} ms",
            close.len() - colliding,
            nearest.unwrap_or(f64::NAN),
            clock.elapsed().as_secs_f64() * 1e3,
        );
    }
    Ok(())
}

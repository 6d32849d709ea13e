//! A cube inside a cube, and beside it: `cargo run --release --example verdict`.

use std::error::Error;

use closefit::{CheckRequest, CollisionMesh, DVec3, Mesh, Pose, verdict};

/// Returns the cube of edge length `size` around the origin.
fn cube(size: f64) -> Result<Mesh, Box<dyn Error>> {
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5;
    let corners: Vec<DVec3> = (0..8).map(|i| size * corner(i)).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Ok(Mesh::new(&corners, &triangles)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let (large, small) = (CollisionMesh::build(&cube(3.0)?), CollisionMesh::build(&cube(1.0)?));
    let request = CheckRequest::default().clearance(0.5).tolerance(1e-6);
    let around = large.at(&Pose::IDENTITY)?;
    for x in [0.0, 1.9, 2.0, 2.25, 3.0] {
        let found = verdict(&small.at(&Pose::translation([x, 0.0, 0.0]))?, &around, &request);
        print!("at x = {x}: {:?}, contained {:?}", found.verdict, found.contained);
        match found.depth {
            Some(depth) => println!(", depth {:.4} to {:.4}", depth.at_least, depth.at_most),
            None => println!(", distance {}", found.distance),
        }
    }
    Ok(())
}

//! What a bar and a plate share: `cargo run --release --example contact_geometry`.

use std::error::Error;

use closefit::{CollisionMesh, DVec3, Mesh, Pose, contact_geometry, overlap_volume, self_contacts};

/// Returns the box of these lengths around the origin.
fn cuboid(size: [f64; 3]) -> Result<Mesh, Box<dyn Error>> {
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5;
    let corners: Vec<DVec3> = (0..8).map(|i| DVec3::from_array(size) * corner(i)).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Ok(Mesh::new(&corners, &triangles)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let bar = CollisionMesh::build(&cuboid([1.0, 1.0, 6.0])?);
    let plate = CollisionMesh::build(&cuboid([4.0, 4.0, 0.5])?);
    let around = plate.at(&Pose::IDENTITY)?;
    println!("the bar touches itself: {} pairs", self_contacts(&bar.at(&Pose::IDENTITY)?).len());
    for (what, z) in [("through the plate", 0.0), ("standing on it", 3.25)] {
        let moved = bar.at(&Pose::translation([0.0, 0.0, z]))?;
        let volume = overlap_volume(&moved, &around)?;
        println!("{what}: a volume of {} to {}", volume.at_least, volume.at_most);
        let found = contact_geometry(&moved, &around, 4);
        println!("{what}: {} pairs of triangles in {} patches", found.triangles.len(), found.patches.len());
        for patch in &found.patches {
            println!("  length {}, closed: {}, area {}", patch.length, patch.closed, patch.area);
            println!("  normal {:?}, points {:?}", patch.normal, patch.points);
        }
    }
    Ok(())
}

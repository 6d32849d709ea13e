//! Two parts of a gearbox that clash, and two that come close: `cargo run --release --example first_clash`.

use std::error::Error;

use closefit::{CollisionMesh, contact_triangles, distance, intersects};
use closefit_scene::read::{ReadOptions, read};

fn main() -> Result<(), Box<dyn Error>> {
    let scene = read(&["examples/gearbox.glb"], &ReadOptions::default())?;
    // Every mesh gets one tree; parts that share a mesh share the tree.
    let trees: Vec<CollisionMesh> = scene.meshes.iter().map(|mesh| CollisionMesh::build(mesh)).collect();
    let placed = |name: &str| -> Result<_, Box<dyn Error>> {
        let part = scene.parts.iter().find(|part| *part.name == *name).ok_or(format!("no part {name}"))?;
        Ok(trees[part.mesh.index()].at(&part.pose)?)
    };

    let (cover, bolt) = (placed("cover_back")?, placed("bolt_front_4")?);
    println!("cover and bolt intersect: {}", intersects(&cover, &bolt));
    let pairs = contact_triangles(&cover, &bolt);
    println!("{} pairs of triangles are in contact, the first one {:?}", pairs.len(), pairs[0]);

    let (planet, washer) = (placed("planet_3")?, placed("washer_back_3")?);
    let found = distance(&planet, &washer);
    println!("planet and washer are {:.6} mm apart", found.distance * 1e3);
    if let Some(closest) = found.closest {
        let [on_planet, on_washer] = closest.points.map(|p| p * 1e3);
        println!("from {on_planet:.3} to {on_washer:.3}");
    }
    Ok(())
}

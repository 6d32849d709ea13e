//! Bricks on a wall, checked and then swept: `cargo run --release --example assembly`.

use std::error::Error;
use std::sync::Arc;

use closefit::{Assembly, Between, DVec3, Keyframe, Mesh, Motion, Pose};

/// Returns the box from the origin to this corner.
fn brick(size: DVec3) -> Result<Arc<Mesh>, Box<dyn Error>> {
    let corner = |i: u32| size * DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Ok(Arc::new(Mesh::new(&corners, &triangles)?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = brick(DVec3::new(2.0, 1.0, 0.6))?;
    let mut assembly = Assembly::default();
    let low = assembly.add("low", &mesh, Pose::IDENTITY);
    let high = assembly.add("high", &mesh, Pose::translation([1.0, 0.0, 0.55]));
    assembly.add("beside", &mesh, Pose::translation([2.1, 0.0, 0.0]));
    // A third brick comes down from above and stops 0.05 above the others.
    let at =
        |time, z| Keyframe { time, rotation: [0.0, 0.0, 0.0, 1.0], translation: DVec3::new(0.5, 0.2, z) };
    let motion = Motion::through(&[at(0.0, 4.0), at(2.0, 1.2)], Between::Linear, [1.0; 3])?;
    assembly.add_moving("falling", &mesh, motion, None);
    assembly.exclude(low, high, "glued together");

    let found = assembly.check(&assembly.check_request()?.clearance(0.2))?;
    println!("{} pairs, {} told apart by their boxes", found.ledger.pairs, found.ledger.apart);
    for pair in &found.pairs {
        let [a, b] = pair.ids.map(|id| &assembly.scene().parts[id.index()].name);
        println!("{a} and {b}: {:?}, distance {}", pair.verdict, pair.distance);
    }

    let [from, to] = assembly.time_range().expect("a brick moves");
    let found = assembly.sweep(&assembly.sweep_request(from, to)?.clearance(0.2).precision(1e-4))?;
    for pair in &found.pairs {
        let [a, b] = pair.ids.map(|id| &assembly.scene().parts[id.index()].name);
        let closest = pair.clearance.expect("it is listed");
        println!("{a} and {b}: {:?}, at most {:.4} apart at {} s", pair.verdict, closest.at_most, closest.at);
    }
    Ok(())
}

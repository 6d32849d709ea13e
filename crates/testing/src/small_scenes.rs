//! Generated scenes of sizes that are quick to check.

use closefit::scene::Scene;
use closefit_generate::{Request, generate};

/// Generates a small scene, indexed or as a soup of triangles, with its first few parts.
pub fn small_scene(name: &str, seed: u64, soup: bool) -> Scene {
    let (size, parts) = small(name);
    let request = Request { name: name.to_owned(), size: Some(size), seed, soup };
    let mut scene = generate(&request).expect("a small scene");
    scene.parts.truncate(parts);
    scene
}

/// Returns a small size of a scene, and the number of its parts to keep.
fn small(name: &str) -> (u32, usize) {
    match name {
        "gearbox" => (12, 9),
        "tori" => (1_000, 2),
        "pipes" => (1_500, 2),
        "wrinkled-torus" => (2_000, 2),
        "tori-chain" => (5, 5),
        "bolt-nut" => (5_000, 2),
        "nested" => (500, 2),
        "boxes" => (60, 60),
        "torus-path" => (2_000, 2),
        "pipes-path" => (1_500, 2),
        "screw" => (5_000, 2),
        "bouncing-tori" => (100, 5),
        "car-door" => (1_000, 2),
        "fast-plates" => (3, 6),
        "robot" => (8, 6),
        new => panic!("{new} is a new scene: give it a small size"),
    }
}

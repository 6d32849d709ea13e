//! Bodies for the broad phase: cubes of 16 sizes, spread evenly in a large cube.

use glam::{DVec2, DVec3};

use super::assembly::{Assembly, moved};
use super::outline::Region;
use super::random::Random;
use super::solids::Solid;
use closefit_geometry::scene::Scene;

/// Average number of other cubes that a cube overlaps.
const OVERLAPS: f64 = 4.0;

/// Returns the edge of the cubes of size class `k`, 0 to 15: between 0.5 and 1.5, 1 on average.
fn edge(k: usize) -> f64 {
    0.5 + (k as f64 + 0.5) / 16.0
}

fn cube(size: usize) -> Solid {
    let h = edge(size) / 2.0;
    let square = [(-h, -h), (h, -h), (h, h), (-h, h)].map(DVec2::from).to_vec();
    Solid::prism(&Region::full(square), -h, h)
}

/// Returns the expected number of other cubes that a cube overlaps, with the centres spread over a cube of
/// edge `room`.
///
/// Two numbers from `0..room` are closer than w with probability 2w/room - (w/room)^2.
fn expected_overlaps(bodies: u32, room: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..16 {
        for j in 0..16 {
            let w = (edge(i) + edge(j)) / 2.0 / room;
            let axis = 2.0 * w - w * w;
            sum += axis * axis * axis;
        }
    }
    f64::from(bodies - 1) * sum / 256.0
}

/// Returns the edge of the large cube that gives [`OVERLAPS`]; 1.5, where all cubes overlap, for a handful of
/// bodies.
fn room(bodies: u32) -> f64 {
    let (mut lo, mut hi) = (1.5, 1_000.0);
    for _ in 0..60 {
        let middle = (lo + hi) / 2.0;
        if expected_overlaps(bodies, middle) > OVERLAPS { lo = middle } else { hi = middle }
    }
    lo
}

pub(super) fn build(bodies: u32, random: &mut Random) -> Scene {
    let mut assembly = Assembly::default();
    let room = room(bodies);
    // A mesh is created with the first box of its size.
    let mut meshes = [None; 16];
    for body in 1..=bodies {
        let size = random.below(meshes.len());
        let [x, y, z] = std::array::from_fn(|_| random.between(0.0, room));
        let mesh =
            *meshes[size].get_or_insert_with(|| assembly.mesh(&format!("box_size_{}", size + 1), cube(size)));
        assembly.part(&format!("/box_{body}"), &[], mesh, moved(DVec3::new(x, y, z)));
    }
    assembly.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::bounds::aabb::Aabb;

    #[test]
    fn boxes_overlap_four_others_each() {
        for (bodies, seed) in [(2_000, 0), (2_000, 1), (5_000, 2)] {
            let scene = build(bodies, &mut Random::new(seed));
            let boxes: Vec<Aabb> =
                scene.parts.iter().map(|p| scene.meshes[p.mesh.index()].posed_bounds(&p.pose)).collect();
            let meets = |i: usize| boxes[i + 1..].iter().filter(|b| boxes[i].meets(b)).count();
            let pairs: usize = (0..boxes.len()).map(meets).sum();
            let each = 2.0 * pairs as f64 / f64::from(bodies);
            assert!((3.6..4.4).contains(&each), "{each}");
        }
    }
}

//! A wrinkled, twisted torus around a stalagmite in a dimpled, toothed landscape (Lin et al. 1997, Fig. 8).

use glam::{DVec2, DVec3};

use super::assembly::{Assembly, keyframe, turned_and_moved};
use super::random::Random;
use super::solids::{Ring, Solid};
use super::tori::divisions;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::Between;
use closefit_geometry::scene::Scene;

/// Half the extent of the landscape.
const HALF: DVec2 = DVec2::new(6.5, 5.0);
/// Height of the underside of the landscape.
const FLOOR: f64 = -1.0;
/// Spacing of the stalagmites in four columns and three rows; each is shifted by up to `JITTER`.
const SPACING: f64 = 3.0;
const JITTER: f64 = 0.35;

/// Builds the torus. Its tube swells and shrinks by an eighth in ridges that wind around it.
fn torus(triangles: u32) -> Solid {
    let (around, across) = divisions(triangles);
    Solid::torus(1.0, around, across, |u, v| {
        0.35 * (1.0 + 0.125 * libm::sin(16.0 * u) * libm::sin(6.0 * v + 4.0 * u))
    })
}

/// Returns the height of the ground with stalagmites at `feet`.
fn height(p: DVec2, feet: &[DVec2]) -> f64 {
    let dimples = 0.09 * libm::sin(2.9 * p.x + 0.7) * libm::cos(2.4 * p.y);
    let teeth = 0.03 * libm::sin(10.0 * p.x - 3.0 * p.y);
    let stalagmite = |foot: &DVec2| {
        let d = p - *foot;
        let distance = d.length();
        let ridges = 1.0 + 0.1 * libm::sin(5.0 * libm::atan2(d.y, d.x) + 8.0 * distance);
        2.5 * libm::exp(-libm::pow(distance / 0.42, 1.3)) * ridges
    };
    dimples + teeth + feet.iter().map(stalagmite).sum::<f64>()
}

/// Builds about `triangles` triangles of ground, closed by a skirt and a flat floor.
fn landscape(triangles: u32, feet: &[DVec2]) -> Solid {
    let step = (8.0 * HALF.x * HALF.y / f64::from(triangles)).sqrt();
    let [nx, ny] = (HALF * 2.0 / step).round().to_array().map(|n| n as u32);
    let at = |i: u32, j: u32| {
        let part = DVec2::new(f64::from(i) / f64::from(nx), f64::from(j) / f64::from(ny));
        HALF * (part * 2.0 - 1.0)
    };
    let ground = |i: u32, j: u32| at(i, j).extend(height(at(i, j), feet));

    let mut solid = Solid::default();
    solid.patch(nx, ny, ground);
    let border: Vec<(u32, u32)> = (0..nx)
        .map(|i| (i, 0))
        .chain((0..ny).map(|j| (nx, j)))
        .chain((1..=nx).rev().map(|i| (i, ny)))
        .chain((1..=ny).rev().map(|j| (0, j)))
        .collect();
    let middle: Ring = vec![solid.point(DVec3::new(0.0, 0.0, FLOOR))];
    let floor = solid.ring(border.iter().map(|&(i, j)| at(i, j).extend(FLOOR)));
    let rim = solid.ring(border.iter().map(|&(i, j)| ground(i, j)));
    solid.skin(&[middle, floor, rim]);
    solid
}

/// Returns the positions of the stalagmites, row by row.
fn feet(random: &mut Random) -> Vec<DVec2> {
    (0..12)
        .map(|k| {
            let shift = DVec2::from_array(std::array::from_fn(|_| random.between(-JITTER, JITTER)));
            DVec2::new(f64::from(k % 4) - 1.5, f64::from(k / 4) - 1.0) * SPACING + shift
        })
        .collect()
}

pub(super) fn build(size: u32, random: &mut Random) -> Scene {
    let feet = feet(random);
    let mut assembly = Assembly::default();
    let landscape = assembly.mesh("landscape", landscape(size.saturating_mul(5), &feet));
    assembly.part("/landscape", &[], landscape, Pose::IDENTITY);
    let torus = assembly.mesh("wrinkled_torus", torus(size));
    let foot = feet[random.below(feet.len())];
    let tilt = random.direction();
    let place = turned_and_moved(tilt, random.between(0.0, 0.1), foot.extend(1.3));
    assembly.part("/wrinkled_torus", &[], torus, place);
    assembly.finish()
}

/// Builds the moving scene: the torus is lifted off one stalagmite of a row and put over the next, and so on.
pub(super) fn path(size: u32, random: &mut Random) -> Scene {
    let feet = feet(random);
    let mut assembly = Assembly::default();
    let landscape = assembly.mesh("landscape", landscape(size.saturating_mul(5), &feet));
    assembly.part("/landscape", &[], landscape, Pose::IDENTITY);
    let torus = assembly.mesh("wrinkled_torus", torus(size));
    let row = 4 * random.below(3);
    let mut keyframes = Vec::new();
    for foot in &feet[row..row + 4] {
        // The torus tumbles above the tip, which is at 2.5, and stays nearly level around the stalagmite.
        for (height, most) in [(3.7, 1.0), (1.3, 0.1), (3.7, 1.0)] {
            let (axis, angle) = (random.direction(), random.between(0.0, most));
            keyframes.push(keyframe(keyframes.len() as f64, axis, angle, foot.extend(height)));
        }
    }
    assembly.moving("/wrinkled_torus", torus, None, &keyframes, Between::Linear);
    assembly.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::PosedMesh;

    #[test]
    fn the_torus_encircles_a_stalagmite_without_touching() {
        for seed in 0..5 {
            let scene = build(2_000, &mut Random::new(seed));
            let parts = PosedMesh::all(&scene);
            let near = parts[0].nearness(&parts[1], 0.05);
            assert!(near.distance > 0.05, "seed {seed}: {near:?}");
            let centre = parts[1].centre();
            let top = parts[0].highest_within(centre, 0.3);
            assert!(top > centre.z + 0.4, "seed {seed}: the stalagmite ends at {top}");
        }
    }
}

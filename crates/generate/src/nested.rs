//! A sphere inside a sphere: close to each other everywhere, never touching.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;

use super::assembly::{Assembly, moved};
use super::random::Random;
use super::solids::Solid;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::scene::Scene;

/// Radius of the inner sphere; the outer radius is 1.
const INNER: f64 = 0.99;

/// Builds a sphere from a cube of six `n` by `n` grids, with equal angles between grid lines.
fn sphere(n: u32, radius: f64) -> Solid {
    // Antisymmetric and exactly 1 at the ends, so that the six grids have the same corners on their edges.
    let grid = |i: u32| {
        let angle = FRAC_PI_2 * (f64::from(2 * i) - f64::from(n)) / f64::from(2 * n);
        if i == 0 || i == n { angle.signum() } else { libm::tan(angle) }
    };
    let mut solid = Solid::default();
    for (normal, along) in [(DVec3::X, DVec3::Y), (DVec3::Y, DVec3::Z), (DVec3::Z, DVec3::X)] {
        for side in [1.0, -1.0] {
            let across = (normal * side).cross(along);
            solid.patch(n, n, |u, v| {
                let p = normal * side + along * grid(u) + across * grid(v);
                p * (radius / ((p.x * p.x + p.y * p.y) + p.z * p.z).sqrt())
            });
        }
    }
    solid
}

/// Builds the scene. Both spheres have the same grid. Scaled by 0.99 about its centre, the inner one stays
/// more than 0.005 from the outer one, even as a cube; the seed shifts it by up to 0.003.
pub(super) fn build(size: u32, random: &mut Random) -> Scene {
    let n = (f64::from(size) / 12.0).sqrt().round() as u32;
    let mut assembly = Assembly::default();
    let outer = assembly.mesh("outer", sphere(n, 1.0));
    let inner = assembly.mesh("inner", sphere(n, INNER));
    assembly.part("/outer", &[], outer, Pose::IDENTITY);
    let shift = random.direction() * random.between(0.0, 0.003);
    assembly.part("/inner", &[], inner, moved(shift));
    assembly.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::PosedMesh;

    #[test]
    fn spheres_never_touch() {
        for (size, seed) in [(12, 1), (48, 2), (1_000, 3), (3_000, 4)] {
            let parts = PosedMesh::all(&build(size, &mut Random::new(seed)));
            let near = parts[0].nearness(&parts[1], 0.02);
            assert!(near.distance > 0.002 && near.distance < 0.01, "{near:?}");
        }
    }

    #[test]
    fn corners_lie_on_the_sphere_and_are_shared() {
        let mesh = sphere(29, 1.0).into_mesh();
        assert_eq!(mesh.triangles().len(), 12 * 29 * 29);
        assert_eq!(mesh.vertices().len(), 6 * 29 * 29 + 2);
        assert!(mesh.vertices().iter().all(|v| (v.length() - 1.0).abs() < 1e-6));
    }
}

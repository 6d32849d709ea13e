//! Two linked tori, and the chain of Ponamgi, Manocha and Lin (1995, section 8): seven interlocked tori of
//! 400 polygons.

use std::f64::consts::{FRAC_PI_2, PI};

use glam::{DVec2, DVec3};

use super::assembly::{Assembly, keyframe, turned_and_moved};
use super::outline::Region;
use super::random::Random;
use super::solids::Solid;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::Between;
use closefit_geometry::scene::Scene;

/// Returns the numbers of quadrilaterals around and across for about `triangles` triangles, twice as many
/// around.
pub(super) fn divisions(triangles: u32) -> (u32, u32) {
    let across = (f64::from(triangles) / 4.0).sqrt().round();
    let around = (f64::from(triangles) / (2.0 * across)).round();
    (around as u32, across as u32)
}

/// Builds two tori of radius 1 and tube 0.35, the second through the hole of the first.
///
/// If the second stood upright in the centre of the first's tube, its core would be at distance 1 everywhere
/// and the gap would be 0.3. The seed tilts it by up to 0.1 rad and shifts it by up to 0.08: a core then
/// moves by less than 0.18, and the tori stay apart.
pub(super) fn linked(size: u32, random: &mut Random) -> Scene {
    let (around, across) = divisions(size);
    let mut assembly = Assembly::default();
    let mesh = assembly.mesh("torus", Solid::torus(1.0, around, across, |_, _| 0.35));
    assembly.part("/torus_1", &[], mesh, Pose::IDENTITY);
    let tilt = turned_and_moved(random.direction(), random.between(0.0, 0.1), DVec3::ZERO);
    let shift = random.direction() * random.between(0.0, 0.08);
    let upright = turned_and_moved(DVec3::X, FRAC_PI_2, DVec3::ZERO);
    let place = turned_and_moved(DVec3::Z, 0.0, DVec3::X + shift);
    assembly.part("/torus_2", &[], mesh, Pose::compose(&place, &Pose::compose(&tilt, &upright)));
    assembly.finish()
}

/// Builds links of radius 1 and tube 0.2 along x, 1.4 apart, alternately flat and upright.
///
/// Neighbours are 0.2 apart; links in one plane are 0.4 apart. The seed turns each link about its own axis
/// and shifts it by up to 0.06, so no link touches another.
pub(super) fn chain(links: u32, random: &mut Random) -> Scene {
    let mut assembly = Assembly::default();
    let mesh = assembly.mesh("link", Solid::torus(1.0, 20, 10, |_, _| 0.2));
    for link in 0..links {
        let spin = turned_and_moved(DVec3::Z, random.between(-PI, PI), DVec3::ZERO);
        let shift = random.direction() * random.between(0.0, 0.06);
        let quarters = f64::from(link % 2);
        let place =
            turned_and_moved(DVec3::X, quarters * FRAC_PI_2, DVec3::X * (1.4 * f64::from(link)) + shift);
        assembly.part(&format!("/link_{}", link + 1), &[], mesh, Pose::compose(&place, &spin));
    }
    assembly.finish()
}

/// Builds ten tori of radius 1 and tube 0.35 that fly about in a room of six walls, turn on the way, and
/// bounce off the walls that their boxes reach. They ignore each other.
pub(super) fn bouncing(size: u32, random: &mut Random) -> Scene {
    const HALF: f64 = 5.0;
    const REACH: f64 = 1.36;
    const SECONDS: f64 = 20.0;
    let (around, across) = divisions(size);
    let mut assembly = Assembly::default();
    let outline = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|p| DVec2::from(p) * HALF);
    let wall = assembly.mesh("wall", Solid::prism(&Region::full(outline.to_vec()), HALF, HALF + 0.125));
    for (name, axis, angle) in [
        ("top", DVec3::X, 0.0),
        ("bottom", DVec3::X, PI),
        ("left", DVec3::Y, -FRAC_PI_2),
        ("right", DVec3::Y, FRAC_PI_2),
        ("front", DVec3::X, FRAC_PI_2),
        ("back", DVec3::X, -FRAC_PI_2),
    ] {
        assembly.part(&format!("/cage/{name}"), &[], wall, turned_and_moved(axis, angle, DVec3::ZERO));
    }
    let torus = assembly.mesh("torus", Solid::torus(1.0, around, across, |_, _| 0.35));
    for i in 1..=10 {
        let room = HALF - REACH;
        let mut place = DVec3::from_array(std::array::from_fn(|_| random.between(-room, room)));
        let mut velocity = random.direction() * random.between(2.0, 6.0);
        let (axis, rate) = (random.direction(), random.between(-1.0, 1.0));
        let mut keyframes = vec![keyframe(0.0, axis, 0.0, place)];
        let mut time = 0.0;
        while time < SECONDS {
            let until = |k: usize| (room * velocity[k].signum() - place[k]) / velocity[k];
            let (mut wall, mut step) = (None, SECONDS - time);
            for k in 0..3 {
                if until(k) < step {
                    (wall, step) = (Some(k), until(k));
                }
            }
            // At most half a turn per span, and never at rest.
            step = step.clamp(1e-6, 2.0);
            (time, place) = (time + step, place + velocity * step);
            keyframes.push(keyframe(time, axis, rate * time, place));
            if let Some(k) = wall.filter(|&k| until_wall(place[k], velocity[k], room)) {
                velocity[k] = -velocity[k];
            }
        }
        assembly.moving(&format!("/torus_{i}"), torus, None, &keyframes, Between::Linear);
    }
    assembly.finish()
}

/// True when the wall is reached, up to rounding.
fn until_wall(place: f64, velocity: f64, room: f64) -> bool {
    place * velocity.signum() > room - 1e-5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::PosedMesh;

    #[test]
    fn tori_never_touch() {
        for seed in 0..6 {
            for scene in [linked(800, &mut Random::new(seed)), chain(7, &mut Random::new(seed))] {
                let parts = PosedMesh::all(&scene);
                for (i, a) in parts.iter().enumerate() {
                    for b in &parts[i + 1..] {
                        let near = a.nearness(b, 0.05);
                        assert!(near.distance > 0.05, "seed {seed}: {near:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn tori_stay_in_their_cage() {
        let scene = bouncing(200, &mut Random::new(3));
        let [_, to] = scene.time_range().unwrap();
        for i in 0..200 {
            let time = to * f64::from(i) / 199.0;
            for part in &scene.at(time).parts[6..] {
                let place = part.pose.rows.map(|row| row[3].abs()).into_iter().fold(0.0, f64::max);
                assert!(place <= 3.64 + 1e-5, "{time}: {place}");
            }
        }
        assert!(scene.frames.motions().all(|motion| motion.times().len() > 10));
    }

    #[test]
    fn the_sizes_of_the_papers_come_out_exactly() {
        assert_eq!(divisions(10_000), (100, 50));
        assert_eq!(chain(7, &mut Random::new(0)).meshes[0].triangles().len(), 400);
    }
}

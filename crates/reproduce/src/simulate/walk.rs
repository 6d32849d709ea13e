//! A random walk through the unit cube (Sanna and Milani 2004: "a random path of 10.000 steps").
//!
//! Ours: a step is 0.01 long and goes on in a direction that turns by chance, with a turn of the body by up
//! to 3° about a random axis; the middle of the body is reflected at the faces of the cube.

use closefit::Pose;
use closefit_generate::random::Random;
use glam::{DQuat, DVec3};

use super::rotation::{product, turned};

/// The length of a step, relative to the side of the cube.
const STEP: f64 = 0.01;

/// Returns the poses of a body on its way.
pub fn walk(seed: u64, steps: usize) -> Vec<Pose> {
    let mut random = Random::new(seed);
    let mut place = DVec3::splat(0.5);
    let mut turn = DQuat::IDENTITY;
    let mut direction = random.direction();
    let mut poses = Vec::with_capacity(steps);
    for _ in 0..steps {
        poses.push(
            Pose::from_trs([turn.x, turn.y, turn.z, turn.w], [1.0; 3], place.to_array())
                .expect("a rotation of length 1"),
        );
        direction = (direction + 0.5 * random.direction()).normalize();
        for axis in 0..3 {
            let next = place[axis] + STEP * direction[axis];
            if !(0.0..=1.0).contains(&next) {
                direction[axis] = -direction[axis];
            }
        }
        place += direction * STEP;
        turn = product(turned(random.direction() * random.between(0.0, 3f64.to_radians())), turn);
    }
    poses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_stay_in_the_cube_and_visit_all_of_it() {
        let poses = walk(0, 10_000);
        let places: Vec<DVec3> = poses.iter().map(Pose::shift).collect();
        assert!(places.iter().all(|place| place.cmpge(DVec3::ZERO).all() && place.cmple(DVec3::ONE).all()));
        assert!(places.windows(2).all(|pair| (pair[0].distance(pair[1]) - STEP).abs() < 1e-12));
        let octant = |place: &DVec3| (0..3).map(|axis| usize::from(place[axis] > 0.5) << axis).sum::<usize>();
        let visited: std::collections::BTreeSet<usize> = places.iter().map(octant).collect();
        assert_eq!(visited.len(), 8);
    }
}

//! Many equal bodies that fly about in a cube and turn back at its walls, as if the others were not there
//! (Lin et al. 1997, section 3: simulations with numbers of objects, velocities and spins varied).

use closefit::kind::Obb;
use closefit::{BodyId, CollisionMesh, DVec3, Pose, World};
use closefit_generate::random::Random;
use glam::DQuat;

use super::rotation::{product, turned};

/// The speed of bodies, in their radii, and the angle by which they turn, in a frame.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub step: f64,
    pub turn: f64,
}

/// Bodies of radius 1.
pub struct Swarm {
    bodies: Vec<Flying>,
    /// Half the side of the cube.
    half: f64,
}

#[derive(Clone, Copy)]
struct Flying {
    place: DVec3,
    turn: DQuat,
    velocity: DVec3,
    spin: DVec3,
}

impl Swarm {
    /// Spreads bodies in a cube. Their boxes fill a share of it.
    pub fn new(count: u32, share: f64, pace: Pace, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let half = libm::cbrt(f64::from(count) / share);
        let mut body = || Flying {
            place: DVec3::from_array([(); 3].map(|()| random.between(-half, half))),
            turn: turned(random.direction() * random.between(0.0, std::f64::consts::PI)),
            velocity: random.direction() * pace.step,
            spin: random.direction() * pace.turn,
        };
        Self { bodies: (0..count).map(|_| body()).collect(), half }
    }

    /// Returns the poses of all bodies.
    pub fn poses(&self) -> impl Iterator<Item = Pose> + '_ {
        self.bodies.iter().map(|body| {
            let rotation = [body.turn.x, body.turn.y, body.turn.z, body.turn.w];
            Pose::from_trs(rotation, [1.0; 3], body.place.to_array()).expect("a rotation of length 1")
        })
    }

    /// Adds a body of this tree to a world at every pose.
    pub fn join(&self, world: &mut World<Obb>, tree: &CollisionMesh<Obb>) -> Vec<BodyId> {
        self.poses().map(|pose| world.add(tree, &pose).expect("a pose of ordinary size")).collect()
    }

    /// Moves all bodies by a frame, and the bodies of a world with them.
    pub fn advance_in(&mut self, world: &mut World<Obb>, ids: &[BodyId]) {
        self.advance();
        for (&id, pose) in ids.iter().zip(self.poses()) {
            world.set_pose(id, &pose).expect("it is there");
        }
    }

    /// Returns the poses of all bodies after each of so many frames.
    pub fn flight(mut self, frames: u32) -> Vec<Vec<Pose>> {
        let after = |_| {
            self.advance();
            self.poses().collect()
        };
        (0..frames).map(after).collect()
    }

    /// Moves all bodies by a frame.
    pub fn advance(&mut self) {
        for body in &mut self.bodies {
            for axis in 0..3 {
                if body.place[axis] * body.velocity[axis].signum() > self.half {
                    body.velocity[axis] = -body.velocity[axis];
                }
            }
            body.place += body.velocity;
            body.turn = product(turned(body.spin), body.turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_keep_their_pace_and_their_room() {
        let mut swarm = Swarm::new(50, 0.1, Pace { step: 0.5, turn: 0.2 }, 3);
        let half = swarm.half;
        for _ in 0..200 {
            let before: Vec<Pose> = swarm.poses().collect();
            swarm.advance();
            for (from, to) in before.iter().zip(swarm.poses()) {
                assert!((from.shift().distance(to.shift()) - 0.5).abs() < 1e-9);
                assert!(to.shift().abs().max_element() <= half + 0.5);
            }
        }
        assert!((8.0 * 50.0 / (8.0 * half * half * half) - 0.1).abs() < 1e-12);
    }
}

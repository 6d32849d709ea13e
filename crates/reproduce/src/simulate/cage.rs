//! Two bodies that fly about in a cage (Zachmann 1997, section Results).
//!
//! The paper: positions and velocities are random at the start; bodies that collide exchange their
//! velocities; the cage is 1.5 to 2 times as large as the bodies' radius. Ours: the half side of the cage
//! is 1.75 radii; in a frame a body moves a hundredth of the radius, and its surface turns by up to as
//! much; walls reflect it as they meet the sphere around it; and bodies that are still in contact do not
//! exchange velocities again.

use closefit::{CollisionMesh, Pose, intersects};
use closefit_generate::random::Random;
use glam::{DQuat, DVec3};

use super::Path;
use super::rotation::{product, turned};

/// Half the side of the cage, in radii of the bodies.
const HALF_SIDE: f64 = 1.75;

/// The path of a body in a frame, in its radii.
const STEP: f64 = 0.01;

/// Number of random starts that are tried for one without a contact.
const STARTS: u32 = 1_000;

/// A body in flight, with velocities by frame.
#[derive(Clone, Copy, Debug)]
struct Flying {
    place: DVec3,
    turn: DQuat,
    velocity: DVec3,
    spin: DVec3,
}

impl Flying {
    /// Returns a body somewhere between the walls.
    fn at_random(random: &mut Random, radius: f64) -> Self {
        let room = (HALF_SIDE - 1.0) * radius;
        let place = DVec3::from_array(std::array::from_fn(|_| random.between(-room, room)));
        let turn = turned(random.direction() * random.between(0.0, std::f64::consts::PI));
        let velocity = random.direction() * (STEP * radius);
        let spin = random.direction() * random.between(0.0, STEP);
        Self { place, turn, velocity, spin }
    }

    fn pose(&self) -> Pose {
        let rotation = [self.turn.x, self.turn.y, self.turn.z, self.turn.w];
        Pose::from_trs(rotation, [1.0; 3], self.place.to_array()).expect("a rotation of length 1")
    }

    /// Moves by a frame, and turns back at walls.
    fn advance(&mut self, radius: f64) {
        let room = (HALF_SIDE - 1.0) * radius;
        for axis in 0..3 {
            if self.place[axis] * self.velocity[axis].signum() > room {
                self.velocity[axis] = -self.velocity[axis];
            }
        }
        self.place += self.velocity;
        self.turn = product(turned(self.spin), self.turn);
    }
}

/// Lets two bodies of a radius fly about for a number of frames.
pub fn flight(trees: [&CollisionMesh; 2], radius: f64, seed: u64, frames: usize) -> Path {
    let mut random = Random::new(seed);
    let touches = |bodies: &[Flying; 2]| {
        let [a, b] = [0, 1].map(|i| trees[i].at(&bodies[i].pose()).expect("poses in the cage"));
        intersects(&a, &b)
    };
    let mut start = || [(); 2].map(|()| Flying::at_random(&mut random, radius));
    let mut bodies = start();
    for _ in 1..STARTS {
        if !touches(&bodies) {
            break;
        }
        bodies = start();
    }
    let mut path = Path::default();
    let mut touched = false;
    for _ in 0..frames {
        let touching = touches(&bodies);
        path.frames.push((bodies.map(|body| body.pose()), touching));
        if touching && !touched {
            let [first, second] = &mut bodies;
            std::mem::swap(&mut first.velocity, &mut second.velocity);
            std::mem::swap(&mut first.spin, &mut second.spin);
        }
        touched = touching;
        bodies.iter_mut().for_each(|body| body.advance(radius));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_generate::shapes::Shape;

    fn flown(seed: u64) -> Path {
        let tree = CollisionMesh::build(&Shape::Torus.mesh(300));
        flight([&tree, &tree], 1.0, seed, 400)
    }

    #[test]
    fn bodies_stay_between_the_walls_and_move_by_a_hundredth() {
        let path = flown(3);
        let place = |poses: &[Pose; 2], body: usize| poses[body].shift();
        for (before, after) in path.frames.iter().zip(&path.frames[1..]) {
            for body in 0..2 {
                assert!(place(&after.0, body).abs().max_element() <= 0.75 + STEP);
                let step = place(&after.0, body).distance(place(&before.0, body));
                assert!((step - STEP).abs() < 1e-12, "{step}");
            }
        }
        assert!((0.001..0.5).contains(&path.contact_share()), "{}", path.contact_share());
        assert!(!path.frames[0].1, "apart at the start");
    }

    /// A change of any pose changes every count, so it must be meant.
    #[test]
    fn a_flight_is_the_same_everywhere() {
        let digest = |seed: u64| {
            let mut digest = blake3::Hasher::new();
            flown(seed).digest(&mut digest);
            digest.finalize().to_hex()[..16].to_owned()
        };
        assert_eq!(digest(3), "f679e5d2deb1d8c8");
        assert_ne!(digest(4), digest(3));
    }
}

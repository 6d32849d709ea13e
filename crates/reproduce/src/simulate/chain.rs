//! Interlocked rings that bounce off each other (Ponamgi, Manocha and Lin 1995, section 5).
//!
//! The paper: "Each ring was initially given an arbitrary translation and rotation vector. Their motions
//! resulted in elastic collisions." Ours: in a frame a ring moves by 1/200 of its radius, and turns by up
//! to as much; two rings that come into contact exchange their velocities, once for each contact.

use closefit::{CollisionMesh, Pose, intersects};
use closefit_generate::random::Random;
use glam::{DQuat, DVec3};

use super::rotation::{product, turned};

/// The path of a ring of radius 1 in a frame.
const STEP: f64 = 0.005;

/// The poses of all rings in a frame.
pub type Frame = Vec<Pose>;

/// A ring with velocities by frame.
#[derive(Clone, Copy, Debug)]
struct Ring {
    place: DVec3,
    turn: DQuat,
    velocity: DVec3,
    spin: DVec3,
}

impl Ring {
    /// Returns a link of a chain along x, alternately flat and upright, in slow flight.
    fn link(number: u32, random: &mut Random) -> Self {
        let quarter = f64::from(number % 2) * std::f64::consts::FRAC_PI_2;
        let spin = turned(DVec3::Z * random.between(-3.0, 3.0));
        Self {
            place: DVec3::X * (1.4 * f64::from(number)),
            turn: product(turned(DVec3::X * quarter), spin),
            velocity: random.direction() * STEP,
            spin: random.direction() * random.between(0.0, STEP),
        }
    }

    fn pose(&self) -> Pose {
        let rotation = [self.turn.x, self.turn.y, self.turn.z, self.turn.w];
        Pose::from_trs(rotation, [1.0; 3], self.place.to_array()).expect("a rotation of length 1")
    }

    fn advance(&mut self) {
        self.place += self.velocity;
        self.turn = product(turned(self.spin), self.turn);
    }
}

/// Lets a number of rings with one tree fly as a chain.
pub fn flight(tree: &CollisionMesh, rings: u32, seed: u64, frames: usize) -> Vec<Frame> {
    let mut random = Random::new(seed);
    let mut all: Vec<Ring> = (0..rings).map(|number| Ring::link(number, &mut random)).collect();
    let count = all.len();
    let mut touched = vec![false; count * count];
    let mut path = Vec::with_capacity(frames);
    for _ in 0..frames {
        let poses: Frame = all.iter().map(Ring::pose).collect();
        for i in 0..count {
            for j in i + 1..count {
                let at = |ring: usize| tree.at(&poses[ring]).expect("poses of rings");
                let touching = intersects(&at(i), &at(j));
                if touching && !touched[i * count + j] {
                    let (velocity, spin) = (all[i].velocity, all[i].spin);
                    (all[i].velocity, all[i].spin) = (all[j].velocity, all[j].spin);
                    (all[j].velocity, all[j].spin) = (velocity, spin);
                }
                touched[i * count + j] = touching;
            }
        }
        path.push(poses);
        all.iter_mut().for_each(Ring::advance);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_generate::{Request, generate};

    #[test]
    fn neighbours_stay_linked_and_bounce() {
        let request = Request { name: "tori-chain".to_owned(), size: Some(2), seed: 0, soup: false };
        let tree = CollisionMesh::build(&generate(&request).expect("a scene of the list").meshes[0]);
        let path = flight(&tree, 2, 1, 600);
        let place = |frame: &Frame, ring: usize| frame[ring].shift();
        assert!(path.iter().all(|frame| place(frame, 0).distance(place(frame, 1)) < 2.2));
        let velocity = |pair: &[Frame]| place(&pair[1], 0) - place(&pair[0], 0);
        let bounces =
            path.windows(3).filter(|three| velocity(&three[..2]).distance(velocity(&three[1..])) > 1e-6);
        assert!(bounces.count() > 2);
    }
}

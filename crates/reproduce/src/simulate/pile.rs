//! Many bodies that fall into a box and come to rest on each other, moved by [`World::advance`]: in every
//! step those in contact are pushed apart (Lin et al. 1997, section 5: "an impulse was applied to the object
//! at each contact before advancing the clock").

use std::collections::BTreeMap;

use closefit::{AdvanceRequest, BodyId, CollisionMesh, ContactChange, DVec3, Mesh, Pose, Step, World};
use closefit_generate::random::Random;

use super::rigid::Rigid;
use super::rotation::turned;
use crate::meshes::cuboid;

/// The share of its speed that a contact gives back.
const RESTITUTION: f64 = 0.3;

/// The least speed at which bodies leave a contact.
const LEAVING: f64 = 0.05;

/// The length of a step, in seconds; gravity is 1.
const TIME: f64 = 0.02;

/// The precision of times of contact.
const PRECISION: f64 = 1e-3;

/// Bodies of radius 1 above a floor with four walls.
pub struct Pile {
    pub world: World,
    bodies: Vec<(BodyId, Rigid)>,
    /// The pairs in contact, with the place and the normal at which each contact began.
    touching: BTreeMap<[BodyId; 2], [DVec3; 2]>,
}

impl Pile {
    /// Spreads bodies of one mesh over a floor, in layers.
    pub fn new(mesh: &Mesh, count: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let side = libm::ceil(libm::cbrt(count as f64)) as usize;
        let half = 1.25 * side as f64;
        let (mut world, tree) = (World::default(), CollisionMesh::build(mesh));
        let floor =
            CollisionMesh::build(&cuboid(DVec3::new(-half, -half, -1.0), DVec3::new(half, half, 0.0)));
        let wall = cuboid(DVec3::new(half, -half, 0.0), DVec3::new(half + 1.0, half, 4.0 * half));
        let wall = CollisionMesh::build(&wall);
        world.add_fixed(&floor, &Pose::IDENTITY).expect("of ordinary size");
        for quarter in 0..4 {
            let angle = f64::from(quarter) * std::f64::consts::FRAC_PI_2;
            let turned = Pose::from_axis_angle([0.0, 0.0, 1.0], angle).expect("an axis");
            world.add_fixed(&wall, &turned).expect("of ordinary size");
        }
        let bodies = (0..count).map(|body| {
            let cell = [body % side, body / side % side, body / (side * side)].map(|x| x as f64);
            let mut rigid = Rigid::of(mesh);
            let jitter = random.direction() * 0.1;
            rigid.place =
                DVec3::new(2.4 * cell[0] - half + 1.3, 2.4 * cell[1] - half + 1.3, 2.4 * cell[2] + 1.5)
                    + jitter;
            rigid.turn = turned(random.direction() * random.between(0.0, std::f64::consts::PI));
            (world.add(&tree, &rigid.pose()).expect("of ordinary size"), rigid)
        });
        let bodies = bodies.collect();
        Self { world, bodies, touching: BTreeMap::new() }
    }

    /// Moves all bodies by a step, and pushes apart those that met.
    pub fn advance(&mut self) -> Step {
        for (_, body) in &mut self.bodies {
            body.velocity -= DVec3::Z * TIME;
            *body = body.after(TIME);
        }
        let next: Vec<(BodyId, Pose)> = self.bodies.iter().map(|(id, body)| (*id, body.pose())).collect();
        let request = AdvanceRequest::default().precision(PRECISION);
        let step = self.world.advance(&next, &request).expect("steps of ordinary size");
        for event in &step.events {
            let touch = &event.times.first.touch;
            self.touching.insert(event.bodies, [touch.point, touch.normal]);
        }
        for (pair, [point, normal]) in self.touching.clone() {
            self.push(pair, point, normal);
        }
        for event in step.events.iter().filter(|event| event.change != ContactChange::Began) {
            self.touching.remove(&event.bodies);
        }
        step
    }

    /// Takes the speed of approach from two bodies, and gives back a share of it.
    fn push(&mut self, pair: [BodyId; 2], point: DVec3, normal: DVec3) {
        let places = pair.map(|id| self.bodies.binary_search_by_key(&id, |(id, _)| *id).ok());
        let body = |place: Option<usize>| place.map(|place| &self.bodies[place].1);
        let velocity = |place| body(place).map_or(DVec3::ZERO, |body| body.velocity_at(point));
        let approach = (velocity(places[0]) - velocity(places[1])).dot(normal);
        let leaving = (RESTITUTION * approach).max(LEAVING);
        if approach + leaving <= 0.0 {
            return;
        }
        let softness = |place| body(place).map_or(0.0, |body| 1.0 / body.impulse_for_speed(point, normal));
        let impulse = (approach + leaving) / (softness(places[0]) + softness(places[1]));
        for (place, sign) in places.into_iter().zip([-1.0, 1.0]) {
            if let Some(place) = place {
                self.bodies[place].1.push(point, normal, sign * impulse);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Instant;

    use super::*;
    use closefit_generate::shapes::Shape;

    /// The events lead from the contacts of every frame to the contacts of the next. `CLOSEFIT_CASES` sets
    /// the number of bodies.
    #[test]
    fn events_lead_from_the_contacts_of_a_frame_to_the_next() {
        let count = closefit_testing::cases(27);
        let mut pile = Pile::new(&Shape::TetraFlake.mesh(64), count, 1);
        let mut touching: BTreeSet<[BodyId; 2]> = pile.world.intersecting().into_iter().collect();
        let (mut events, mut briefs, start) = (0, 0, Instant::now());
        let mut took = 0.0;
        for frame in 0..150 {
            let clock = Instant::now();
            let step = pile.advance();
            took += clock.elapsed().as_secs_f64();
            assert!(step.open.is_empty());
            events += step.events.len();
            for event in step.events {
                match event.change {
                    ContactChange::Began => assert!(touching.insert(event.bodies), "frame {frame}"),
                    ContactChange::Ended => assert!(touching.remove(&event.bodies), "frame {frame}"),
                    ContactChange::Brief => {
                        briefs += 1;
                        assert!(!touching.contains(&event.bodies), "frame {frame}");
                    }
                }
            }
            assert!(touching.iter().copied().eq(pile.world.intersecting()), "frame {frame}");
        }
        println!(
            "{count} bodies, 150 frames: {events} events, {briefs} brief, {} pairs in contact at the end; {:.2} ms a step, {:.1} s in all",
            touching.len(),
            1e3 * took / 150.0,
            start.elapsed().as_secs_f64(),
        );
        assert!(events > count && touching.len() > count / 4, "{events} {}", touching.len());
    }
}

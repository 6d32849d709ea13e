//! A rigid body that falls onto another, static one, and is pushed out of it at each contact (Lin
//! et al. 1997, section 5: "the contact polygons were found, and an impulse was applied to the object at each
//! contact before advancing the clock").
//!
//! All else is ours: steps of equal length; at each contact of two triangles an impulse along the direction
//! in which they overlap least, turned to the outside of the other body, at the middle of the body's
//! triangle, divided by the number of contacts. It gives back half of the speed of approach, and at least a
//! speed at which the body comes out again.

use closefit::internals::query::touch::least_movement;
use closefit::{CollisionMesh, DVec3, Mesh, Pose, contact_triangles};

use super::rigid::Rigid;

/// The share of its speed that a contact gives back.
const RESTITUTION: f64 = 0.5;

/// A body in free fall onto another.
pub struct Fall<'a> {
    pub still: &'a Mesh,
    pub moving: &'a Mesh,
    pub start: Rigid,
    /// The acceleration at a place.
    pub gravity: fn(DVec3) -> DVec3,
    /// The length of a step.
    pub time: f64,
    /// The least speed at which it leaves a contact.
    pub leaving: f64,
}

impl Fall<'_> {
    /// Returns the poses of the body, step by step, with the number of contacts at each.
    pub fn poses(&self, steps: usize) -> Vec<(Pose, u64)> {
        let trees = [CollisionMesh::build(self.still), CollisionMesh::build(self.moving)];
        let still = trees[0].at(&Pose::IDENTITY).expect("a pose of ordinary size");
        let (mut body, mut poses) = (self.start, Vec::with_capacity(steps));
        for _ in 0..steps {
            let pose = body.pose();
            let found = contact_triangles(&still, &trees[1].at(&pose).expect("a pose of ordinary size"));
            self.push(&mut body, &pose, &found);
            poses.push((pose, found.len() as u64));
            body.velocity += (self.gravity)(body.place) * self.time;
            body = body.after(self.time);
        }
        poses
    }

    /// Pushes the body at all contacts.
    fn push(&self, body: &mut Rigid, pose: &Pose, found: &[[u32; 2]]) {
        let before = *body;
        for &[of_still, of_moving] in found {
            let fixed = self.still.corners(of_still);
            let moved = self.moving.corners(of_moving).map(|v| pose.apply(v));
            let (_, least) = least_movement(&fixed, &moved);
            let outside = (fixed[1] - fixed[0]).cross(fixed[2] - fixed[0]);
            let normal = if least.dot(outside) < 0.0 { -least } else { least };
            let point = (moved[0] + moved[1] + moved[2]) / 3.0;
            let speed = before.velocity_at(point).dot(normal);
            let wanted = (-RESTITUTION * speed).max(self.leaving);
            if normal != DVec3::ZERO && speed < wanted {
                let impulse = (wanted - speed) * before.impulse_for_speed(point, normal);
                body.push(point, normal, impulse / found.len() as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshes::cuboid;
    use closefit_generate::shapes::Shape;

    /// A ball that falls on a floor stays above it, but for about what it falls in a step, and comes to rest.
    #[test]
    fn a_ball_bounces_lower_and_lower() {
        let floor = cuboid(DVec3::new(-9.0, -9.0, -1.0), DVec3::new(9.0, 9.0, 0.0));
        let ball = Shape::Sphere.mesh(300);
        let mut start = Rigid::of(&ball);
        start.place = DVec3::Z * 3.0;
        let fall =
            Fall { still: &floor, moving: &ball, start, gravity: |_| -DVec3::Z, time: 0.01, leaving: 0.01 };
        let poses = fall.poses(4_000);
        let contacts: u64 = poses.iter().map(|(_, contacts)| contacts).sum();
        let height = |(pose, _): &(Pose, u64)| pose.shift().z;
        assert!(poses.iter().all(|pose| height(pose) > 0.8), "above the floor");
        assert!(contacts > 10, "{contacts}");
        let highest = |range: std::ops::Range<usize>| poses[range].iter().map(height).fold(0.0, f64::max);
        assert!(highest(0..200) > 2.9 && highest(400..800) < 2.5 && highest(2_000..4_000) < 1.6);
    }

    /// A change of any pose changes every count, so it must be meant.
    #[test]
    fn a_fall_is_the_same_everywhere() {
        let (still, moving) = (Shape::Torus.mesh(500), Shape::TetraFlake.mesh(100));
        let mut start = Rigid::of(&moving);
        (start.place, start.spin) = (DVec3::new(0.6, 0.2, 2.0), DVec3::new(0.3, 0.1, 0.5));
        let fall = Fall {
            still: &still,
            moving: &moving,
            start,
            gravity: |p| -p / p.length(),
            time: 0.02,
            leaving: 0.02,
        };
        let digest = |steps: usize| {
            let (poses, contacts): (Vec<Pose>, Vec<u64>) = fall.poses(steps).into_iter().unzip();
            let mut digest = blake3::Hasher::new();
            crate::simulate::add_poses(&mut digest, &poses);
            (digest.finalize().to_hex()[..16].to_owned(), contacts.iter().sum::<u64>())
        };
        let (found, contacts) = digest(400);
        assert!(contacts > 50, "{contacts}");
        assert_eq!(found, "3d15bfe15677ce89");
    }
}

//! A rigid body of mass 1, with the inertia of its box.

use closefit::{DVec3, Mesh, Pose};
use closefit_geometry::bounds::aabb::Aabb;
use glam::DQuat;

use super::rotation::{product, turned};

/// A rigid body and its velocities. Its middle is the origin of its mesh.
#[derive(Clone, Copy, Debug)]
pub struct Rigid {
    pub place: DVec3,
    pub turn: DQuat,
    pub velocity: DVec3,
    /// The axis of rotation, times the speed of rotation.
    pub spin: DVec3,
    /// The moments of inertia about its axes.
    inertia: DVec3,
}

impl Rigid {
    /// Returns a mesh at rest at the origin.
    pub fn of(mesh: &Mesh) -> Self {
        let bounds = Aabb::of(mesh.vertices().iter().copied());
        let square = (bounds.hi - bounds.lo) * (bounds.hi - bounds.lo);
        let inertia = (DVec3::splat(square.x + square.y + square.z) - square) / 12.0;
        let (place, velocity, spin) = Default::default();
        Self { place, turn: DQuat::IDENTITY, velocity, spin, inertia }
    }

    /// Returns the world pose.
    pub fn pose(&self) -> Pose {
        Pose::from_trs(self.rotation(), [1.0; 3], self.place.to_array()).expect("a rotation of length 1")
    }

    /// Returns the quaternion of the turn.
    pub fn rotation(&self) -> [f64; 4] {
        [self.turn.x, self.turn.y, self.turn.z, self.turn.w]
    }

    /// Returns the body after a time without forces.
    pub fn after(&self, time: f64) -> Self {
        let place = self.place + self.velocity * time;
        Self { place, turn: product(turned(self.spin * time), self.turn), ..*self }
    }

    /// Returns the velocity of a point of the body.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.place)
    }

    /// Changes the velocities by an impulse at a point along a direction of length 1.
    pub fn push(&mut self, point: DVec3, along: DVec3, impulse: f64) {
        self.velocity += along * impulse;
        self.spin += self.spun_by((point - self.place).cross(along)) * impulse;
    }

    /// Returns the impulse at a point along a direction that changes the speed there along it by 1.
    pub fn impulse_for_speed(&self, point: DVec3, along: DVec3) -> f64 {
        let arm = point - self.place;
        let turned = self.spun_by(arm.cross(along)).cross(arm);
        1.0 / (1.0 + along.dot(turned))
    }

    /// Returns the spin that an angular impulse gives.
    fn spun_by(&self, impulse: DVec3) -> DVec3 {
        let axes = self.pose().rows;
        // Columns of the rotation are the body's axes.
        let axis = |i: usize| DVec3::new(axes[0][i], axes[1][i], axes[2][i]);
        (0..3).map(|i| axis(i) * (axis(i).dot(impulse) / self.inertia[i])).fold(DVec3::ZERO, |sum, v| sum + v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_generate::shapes::Shape;

    /// An impulse at a point changes the speed there as it should, and keeps the angular momentum about it.
    #[test]
    fn impulses_change_speeds_at_their_points() {
        let mut body = Rigid::of(&Shape::Torus.mesh(200));
        body.turn = turned(DVec3::new(0.3, -1.0, 0.4));
        body.velocity = DVec3::new(1.0, -2.0, 0.5);
        body.spin = DVec3::new(0.2, 0.1, -0.7);
        let (point, along) = (DVec3::new(0.5, 0.3, 0.2), DVec3::new(2.0, -1.0, 2.0) / 3.0);
        let before = body.velocity_at(point).dot(along);
        let impulse = body.impulse_for_speed(point, along) * 2.5;
        body.push(point, along, impulse);
        assert!((body.velocity_at(point).dot(along) - before - 2.5).abs() < 1e-12);
        // The box of the torus is 2 by 2 by 0.6, or nearly.
        assert!(body.inertia.distance(DVec3::new(4.36, 4.36, 8.0) / 12.0) < 0.05, "{:?}", body.inertia);
    }

    #[test]
    fn a_body_without_forces_goes_straight() {
        let mut body = Rigid::of(&Shape::Sphere.mesh(100));
        (body.velocity, body.spin) = (DVec3::X, DVec3::Z);
        let later = body.after(2.0);
        assert_eq!(later.place, DVec3::X * 2.0);
        assert!(
            (later.pose().apply(DVec3::X) - DVec3::new(2.0 + 2f64.cos(), 2f64.sin(), 0.0)).length() < 1e-12
        );
    }
}

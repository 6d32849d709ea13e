//! Places as the page draws them: relative to the middle of the scene, with as many digits as can be seen.

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::scene::Scene;
use glam::DVec3;

/// The coordinates of the page.
#[derive(Clone, Copy)]
pub struct Places {
    /// The origin, the middle of the scene.
    pub middle: DVec3,
    /// The number of steps in a unit of the scene, a power of ten: coordinates are whole steps.
    steps: f64,
}

impl Places {
    /// Returns the coordinates for a scene: a step is at most a part in 10^10 of its size.
    pub fn of(scene: &Scene) -> Self {
        let boxes = scene.parts.iter().map(|part| scene.meshes[part.mesh.index()].posed_bounds(&part.pose));
        let all = boxes.fold(Aabb::EMPTY, Aabb::union);
        let mut steps = 1.0;
        while all.diagonal() * steps < 1e10 && steps < 1e200 {
            steps *= 10.0;
        }
        Self { middle: 0.5 * all.lo + 0.5 * all.hi, steps }
    }

    /// Returns a place.
    pub fn point(&self, point: DVec3) -> [f64; 3] {
        (point - self.middle).to_array().map(|x| self.length(x))
    }

    /// Returns both ends of a line, or corners of a box.
    pub fn both(&self, points: [DVec3; 2]) -> [[f64; 3]; 2] {
        points.map(|point| self.point(point))
    }

    /// Returns a length.
    pub fn length(&self, length: f64) -> f64 {
        let steps = (length * self.steps).round();
        // A length beyond all scenes, and one of which no step is a part.
        if steps.is_finite() { steps / self.steps } else { length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::ids::MeshId;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::mesh::Mesh;
    use closefit_geometry::scene::Part;

    #[test]
    fn places_are_near_and_short() {
        let mesh = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]).unwrap();
        for far in [0.0, 1e6] {
            let part = Part::new("p", MeshId(0), Pose::translation([far, 0.0, 0.0]));
            let places = Places::of(&Scene {
                meshes: vec![mesh.clone().into()],
                parts: vec![part],
                ..Scene::default()
            });
            let [x, y, z] = places.point(DVec3::new(far + 1.0 / 3.0, 0.5, 0.0));
            assert!((x + 1.0 / 6.0).abs() < 1e-9 && y == 0.0 && z == 0.0);
            assert!(x.to_string().len() <= 13, "{x}");
        }
    }
}

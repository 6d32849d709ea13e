//! The three scenes of Sanna and Milani 2004 in the unit cube, and the two bodies that move through them.
//! Whatever the paper does not say is our choice.

use closefit::{DVec3, Mesh};
use closefit_generate::random::Random;
use closefit_generate::shapes::Shape;

use crate::meshes::{cuboid, joined, mapped};

/// Static things, in the order in which they were added.
#[derive(Default)]
struct Things(Vec<Mesh>);

impl Things {
    /// Adds a shape, scaled along the axes and moved.
    fn shape(&mut self, shape: Shape, triangles: u32, half: DVec3, middle: DVec3) {
        self.0.push(mapped(&shape.mesh(triangles), |v| v * half + middle));
    }

    /// Adds a box between two corners.
    fn cuboid(&mut self, lo: [f64; 3], hi: [f64; 3]) {
        self.0.push(cuboid(DVec3::from(lo), DVec3::from(hi)));
    }
}

/// A scene of static things.
pub struct Scene {
    pub name: &'static str,
    pub things: Vec<Mesh>,
}

impl Scene {
    /// Returns all things as one mesh.
    pub fn mesh(&self) -> Mesh {
        joined(&self.things)
    }
}

/// The scenes, in the order of the paper.
pub fn scenes() -> [Scene; 3] {
    [("scene 1", room()), ("scene 2", spheres()), ("scene 3", objects())]
        .map(|(name, Things(things))| Scene { name, things })
}

/// The bodies that move, in the order of the paper's tables.
pub fn bodies() -> [(&'static str, Mesh); 2] {
    [("torus", torus()), ("complex object", complex())]
}

/// Builds a room: a floor, four walls, and twelve pieces of furniture, with about 5 000 triangles.
fn room() -> Things {
    let mut room = Things::default();
    room.cuboid([0.0, 0.0, 0.0], [1.0, 1.0, 0.02]);
    for (lo, hi) in [
        ([0.0, 0.0], [0.02, 1.0]),
        ([0.98, 0.0], [1.0, 1.0]),
        ([0.0, 0.0], [1.0, 0.02]),
        ([0.0, 0.98], [1.0, 1.0]),
    ] {
        room.cuboid([lo[0], lo[1], 0.0], [hi[0], hi[1], 1.0]);
    }
    // Tables and chairs: a plate on four legs, and a back.
    let mut seat = |x: f64, y: f64, size: f64, height: f64, back: f64| {
        room.cuboid([x, y, height - 0.02], [x + size, y + size, height]);
        for (dx, dy) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            let (x, y) = (x + dx * (size - 0.02), y + dy * (size - 0.02));
            room.cuboid([x, y, 0.02], [x + 0.02, y + 0.02, height - 0.02]);
        }
        if back > 0.0 {
            room.cuboid([x, y, height], [x + 0.02, y + size, height + back]);
        }
    };
    seat(0.35, 0.35, 0.3, 0.3, 0.0);
    seat(0.75, 0.1, 0.2, 0.25, 0.0);
    for (x, y) in [(0.2, 0.4), (0.7, 0.4), (0.4, 0.2), (0.45, 0.7)] {
        seat(x, y, 0.12, 0.17, 0.18);
    }
    // A cupboard, a sofa, a lamp, a vase, a ring on the floor, and a globe.
    room.cuboid([0.03, 0.03, 0.02], [0.2, 0.35, 0.7]);
    room.cuboid([0.03, 0.6, 0.02], [0.2, 0.95, 0.2]);
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    room.shape(Shape::Cylinder, 400, at(0.01, 0.01, 0.3), at(0.9, 0.9, 0.32));
    room.shape(Shape::Sphere, 700, DVec3::splat(0.08), at(0.9, 0.9, 0.7));
    room.shape(Shape::Hyperboloid, 1_300, at(0.03, 0.03, 0.08), at(0.5, 0.5, 0.38));
    room.shape(Shape::Torus, 1_000, at(0.15, 0.15, 0.06), at(0.75, 0.75, 0.04));
    room.shape(Shape::Sphere, 1_000, DVec3::splat(0.06), at(0.85, 0.2, 0.31));
    room
}

/// Builds fifty spheres of radius 0.0345 at random places, of 200 triangles each; they may overlap.
fn spheres() -> Things {
    let (mut spheres, mut random) = (Things::default(), Random::new(2));
    for _ in 0..50 {
        let middle = within(&mut random, DVec3::splat(0.0345));
        spheres.shape(Shape::Sphere, 200, DVec3::splat(0.0345), middle);
    }
    spheres
}

/// Builds forty objects of several shapes, from a sphere of radius 0.00656 to a hyperboloid in a box of
/// 0.27 by 0.31 by 0.23.
fn objects() -> Things {
    let (mut objects, mut random) = (Things::default(), Random::new(3));
    let mut add = |shape: Shape, half: DVec3, extent: DVec3| {
        let middle = within(&mut random, extent);
        objects.shape(shape, 200, half, middle);
    };
    add(Shape::Sphere, DVec3::splat(0.00656), DVec3::splat(0.00656));
    let largest = DVec3::new(0.135, 0.155, 0.115);
    add(Shape::Hyperboloid, largest, largest);
    for i in 0..38 {
        let size = 0.01 + 0.002 * f64::from(i);
        let half =
            DVec3::new(size, size * (0.5 + 0.125 * f64::from(i % 5)), size * (0.5 + 0.1 * f64::from(i % 6)));
        add(Shape::ALL[i as usize % Shape::ALL.len()], half, DVec3::splat(1.5 * size));
    }
    objects
}

/// Returns a random place at which something of these half extents is within the unit cube.
fn within(random: &mut Random, half: DVec3) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|axis| random.between(half[axis], 1.0 - half[axis])))
}

/// Builds a torus of radius 0.11 whose tube has radius 0.025, of 1 000 triangles.
fn torus() -> Mesh {
    // The shape has radius 0.7 and a tube of 0.3.
    mapped(&Shape::Torus.mesh(1_000), |v| {
        let around = DVec3::new(v.x, v.y, 0.0);
        let core = around * (0.7 / around.length());
        core * (0.11 / 0.7) + (v - core) * (0.025 / 0.3)
    })
}

/// Builds a body in a box of 0.4 by 0.23 by 0.23: a hull with a ring around its middle and a ball at each
/// end, of about 2 000 triangles.
fn complex() -> Mesh {
    let lying = |v: DVec3| DVec3::new(v.z, v.x, v.y);
    let hull = mapped(&Shape::Cylinder.mesh(400), |v| lying(v * DVec3::new(0.03, 0.03, 0.15)));
    let ring = mapped(&Shape::Torus.mesh(1_000), |v| lying(v * 0.115));
    let ball = |end: f64| mapped(&Shape::Sphere.mesh(300), |v| v * 0.05 + DVec3::X * end);
    joined(&[hull, ring, ball(-0.15), ball(0.15)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::bounds::aabb::Aabb;

    fn size(mesh: &Mesh) -> [f64; 3] {
        let bounds = Aabb::of(mesh.vertices().iter().copied());
        (bounds.hi - bounds.lo).to_array()
    }

    #[test]
    fn scenes_are_in_the_unit_cube() {
        for scene in scenes() {
            let (name, mesh) = (scene.name, scene.mesh());
            let bounds = Aabb::of(mesh.vertices().iter().copied());
            assert!(
                bounds.lo.min_element() >= -1e-9 && bounds.hi.max_element() <= 1.0 + 1e-9,
                "{name} {bounds:?}"
            );
            let triangles = mesh.triangles().len();
            assert!((4_500..11_000).contains(&triangles), "{name}: {triangles}");
        }
    }

    #[test]
    fn bodies_have_the_sizes_of_the_paper() {
        let near = |size: [f64; 3], expected: [f64; 3]| {
            size.iter().zip(expected).all(|(x, y)| (x - y).abs() < 0.005)
        };
        let [(_, torus), (_, complex)] = bodies();
        assert!(near(size(&torus), [0.27, 0.27, 0.05]), "{:?}", size(&torus));
        assert!(near(size(&complex), [0.4, 0.23, 0.23]), "{:?}", size(&complex));
    }
}

//! The bodies of the paper's applications, as we have them: two bunnies are wrinkled balls, the car and its
//! door are taken from the generator's scene, and what is removed is a wrinkled torus around a stalagmite.

use closefit::{DVec3, Mesh};
use closefit_generate::shapes::Shape;
use closefit_generate::{Request, generate};

use crate::meshes::{centred, cuboid, mapped};

/// Returns a wrinkled ball of about the radius 1.
pub fn bunny(triangles: u32) -> Mesh {
    mapped(&Shape::Sphere.mesh(triangles), |v| {
        let wrinkle = libm::sin(5.0 * v.x + 1.0) * libm::sin(4.0 * v.y) + libm::sin(6.0 * v.z + 2.0);
        v * (0.85 + 0.06 * wrinkle)
    })
}

fn meshes(scene: &str, size: Option<u32>) -> [Mesh; 2] {
    let request = Request { name: scene.to_owned(), size, seed: 0, soup: false };
    let scene = generate(&request).expect("a scene of the list");
    [0, 1].map(|i| Mesh::clone(&scene.meshes[scene.parts[i].mesh.index()]))
}

/// Returns the car and its door, at the place where it is shut; together of so many triangles.
pub fn car_and_door(triangles: u32) -> [Mesh; 2] {
    meshes("car-door", Some(triangles))
}

/// Returns a floor as a cube below z = 0.
pub fn floor() -> Mesh {
    cuboid(DVec3::new(-6.0, -6.0, -12.0), DVec3::new(6.0, 6.0, 0.0))
}

/// Returns a landscape with the foot of one of its stalagmites at the origin, and a torus to put around it;
/// together of about so many triangles.
pub fn landscape_and_torus(triangles: u32) -> [Mesh; 2] {
    let request =
        Request { name: "wrinkled-torus".to_owned(), size: Some(triangles / 6), seed: 0, soup: false };
    let scene = generate(&request).expect("a scene of the list");
    let [landscape, torus] = [0, 1].map(|i| &scene.parts[i]);
    let foot = torus.pose.shift() * DVec3::new(1.0, 1.0, 0.0);
    let ground = mapped(&scene.meshes[landscape.mesh.index()], |v| v - foot);
    [ground, centred(&scene.meshes[torus.mesh.index()]).0]
}

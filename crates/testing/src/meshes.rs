//! Small meshes as lists of triangles, and scenes of them.

use std::sync::Arc;

use closefit::scene::{Part, Scene};
use closefit::{Mesh, Pose};
use closefit_geometry::ids::MeshId;
use glam::DVec3;

use crate::rational::Triangle;
use crate::rng::Rng;

/// Triangles in a part's own frame.
pub type Soup = Vec<Triangle>;

/// Returns the mesh of some triangles.
pub fn mesh(triangles: &[Triangle]) -> Mesh {
    let corners: Vec<[u32; 3]> = (0..).step_by(3).take(triangles.len()).map(|i| [i, i + 1, i + 2]).collect();
    Mesh::new(triangles.as_flattened(), &corners).expect("a valid mesh")
}

/// Returns up to `most` separate triangles, on a lattice or not.
pub fn scattered(rng: &mut Rng, most: usize) -> Mesh {
    let count = 1 + rng.index(most);
    let lattice = rng.coin();
    let mut corner = || if lattice { rng.lattice(2) * 0.5 } else { rng.point() };
    mesh(&(0..count).map(|_| [corner(), corner(), corner()]).collect::<Vec<_>>())
}

/// One part of a test's scene.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Name of the part.
    pub name: String,
    /// Triangles of the part, unposed.
    pub triangles: Soup,
    /// World-from-part pose.
    pub pose: Pose,
    /// True for a part that is declared a surface: nothing is missing where it is open.
    pub is_surface: bool,
}

impl Piece {
    /// Creates a part in the identity pose.
    pub fn new(name: &str, triangles: Soup) -> Self {
        Self { name: name.to_owned(), triangles, pose: Pose::IDENTITY, is_surface: false }
    }

    /// Returns the posed corners, in the contract's order of operations.
    pub fn posed(&self) -> Soup {
        let coordinate = |m: &[f64; 4], v: DVec3| {
            let x = ((m[0] * v.x + m[1] * v.y) + m[2] * v.z) + m[3];
            if x.abs() < crate::rng::power_of_two(-200) { 0.0 } else { x }
        };
        let pose = |v: DVec3| DVec3::from_array(std::array::from_fn(|i| coordinate(&self.pose.rows[i], v)));
        self.triangles.iter().map(|t| t.map(pose)).collect()
    }
}

/// Creates a scene with one mesh per part.
pub fn scene(pieces: &[Piece]) -> Scene {
    let meshes = pieces.iter().map(|piece| Arc::new(mesh(&piece.triangles)));
    let part = |(i, piece): (usize, &Piece)| {
        let mesh = MeshId(u32::try_from(i).expect("small"));
        Part { is_surface: piece.is_surface, ..Part::new(piece.name.clone(), mesh, piece.pose) }
    };
    Scene {
        meshes: meshes.collect(),
        parts: pieces.iter().enumerate().map(part).collect(),
        ..Scene::default()
    }
}

/// Cuts a convex (or at least star-shaped) polygon into a fan.
fn fan(corners: &[DVec3]) -> impl Iterator<Item = Triangle> + '_ {
    corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]])
}

/// Returns the prism over a polygon that runs counterclockwise in x, y; normals point outwards.
pub fn prism(polygon: &[[f64; 2]], bottom: f64, top: f64) -> Soup {
    let at = |z: f64| polygon.iter().map(|p| DVec3::new(p[0], p[1], z)).collect::<Vec<_>>();
    let (low, high) = (at(bottom), at(top));
    let mut soup: Soup = fan(&high).collect();
    soup.extend(reversed(&fan(&low).collect::<Vec<_>>()));
    for i in 0..polygon.len() {
        let j = (i + 1) % polygon.len();
        soup.extend(fan(&[low[i], low[j], high[j], high[i]]));
    }
    soup
}

/// Returns the box between two corners, 12 triangles.
pub fn cuboid(lo: [f64; 3], hi: [f64; 3]) -> Soup {
    prism(&[[lo[0], lo[1]], [hi[0], lo[1]], [hi[0], hi[1]], [lo[0], hi[1]]], lo[2], hi[2])
}

/// Returns a square ring around the z axis, from half-width `inner` to `outer`, between two heights.
pub fn square_ring(inner: f64, outer: f64, bottom: f64, top: f64) -> Soup {
    let around = |h: f64| [[-h, -h], [h, -h], [h, h], [-h, h]];
    let (small, large) = (around(inner), around(outer));
    let mut soup = Soup::new();
    for i in 0..4 {
        let j = (i + 1) % 4;
        let at = |p: [f64; 2], z: f64| DVec3::new(p[0], p[1], z);
        let mut quad = |corners: [DVec3; 4]| soup.extend(fan(&corners));
        quad([at(large[i], bottom), at(large[j], bottom), at(large[j], top), at(large[i], top)]);
        quad([at(small[j], bottom), at(small[i], bottom), at(small[i], top), at(small[j], top)]);
        quad([at(large[i], top), at(large[j], top), at(small[j], top), at(small[i], top)]);
        quad([at(large[j], bottom), at(large[i], bottom), at(small[i], bottom), at(small[j], bottom)]);
    }
    soup
}

/// Returns the octahedron around a centre.
pub fn octahedron(centre: DVec3, radius: f64) -> Soup {
    let mut soup = Soup::new();
    for sign in [1.0, -1.0] {
        let poles = [DVec3::X, DVec3::Y, -DVec3::X, -DVec3::Y].map(|d| centre + d * radius);
        let tip = centre + DVec3::Z * (radius * sign);
        for i in 0..4 {
            let side = [poles[i], poles[(i + 1) % 4], tip];
            soup.push(if sign > 0.0 { side } else { [side[1], side[0], side[2]] });
        }
    }
    soup
}

/// Returns an octahedron refined `levels` times towards the sphere: 8 * 4^levels triangles.
pub fn ball(centre: DVec3, radius: f64, levels: u32) -> Soup {
    let mut soup = octahedron(DVec3::ZERO, 1.0);
    for _ in 0..levels {
        soup = soup
            .iter()
            .flat_map(|[a, b, c]| {
                let [ab, bc, ca] = [a + b, b + c, c + a].map(DVec3::normalize);
                [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]
            })
            .collect();
    }
    soup.iter().map(|t| t.map(|p| centre + p * radius)).collect()
}

/// Returns the same surface with its normals reversed.
pub fn reversed(soup: &[Triangle]) -> Soup {
    soup.iter().map(|[a, b, c]| [*a, *c, *b]).collect()
}

/// Returns all triangles moved.
pub fn moved(soup: &[Triangle], by: DVec3) -> Soup {
    soup.iter().map(|t| t.map(|p| p + by)).collect()
}

//! Meshes made of others.

use closefit::{Aabb, DVec3, Mesh};

const VALID: &str = "finite, with its own vertices";

/// Returns a mesh after a map of its points that keeps their orientation.
pub fn mapped(mesh: &Mesh, map: impl Fn(DVec3) -> DVec3) -> Mesh {
    let vertices: Vec<DVec3> = mesh.vertices().iter().map(|&v| map(v)).collect();
    Mesh::new(&vertices, mesh.triangles()).expect(VALID)
}

/// Returns one mesh of several.
pub fn joined(meshes: &[Mesh]) -> Mesh {
    let (mut vertices, mut triangles): (Vec<DVec3>, Vec<[u32; 3]>) = Default::default();
    for mesh in meshes {
        let first = vertices.len() as u32;
        vertices.extend(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    Mesh::new(&vertices, &triangles).expect(VALID)
}

/// Returns a box between two corners.
pub fn cuboid(lo: DVec3, hi: DVec3) -> Mesh {
    let end = |corner: u32, axis: usize| if corner >> axis & 1 == 1 { hi[axis] } else { lo[axis] };
    let corner = |corner: u32| DVec3::from_array(std::array::from_fn(|axis| end(corner, axis)));
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    let mut triangles = Vec::with_capacity(12);
    for axis in 0..3 {
        let [u, v] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
        let far = 1 << axis;
        triangles.extend([[far, far + u, far + u + v], [far, far + u + v, far + v]]);
        triangles.extend([[0, u + v, u], [0, v, u + v]]);
    }
    Mesh::new(&corners, &triangles).expect(VALID)
}

/// Returns a mesh moved so that the middle of its box is the origin, and that middle.
pub fn centred(mesh: &Mesh) -> (Mesh, DVec3) {
    let bounds = Aabb::of(mesh.vertices().iter().copied());
    let middle = 0.5 * bounds.lo + 0.5 * bounds.hi;
    (mapped(mesh, |v| v - middle), middle)
}

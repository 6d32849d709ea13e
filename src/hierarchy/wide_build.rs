//! Building the wide tree: topology first, then vertices in the order of the leaves, then the boxes.

use glam::DVec3;

use super::frame::Frame;
use super::wide_fit;
use super::wide_topology::Topology;
use super::wide_tree::WideTree;
use crate::bounds::aabb::Aabb;
use crate::ids::to_u32;
use crate::scene::Mesh;

impl WideTree {
    /// Builds the tree; the same mesh gives the same tree, whatever the number of threads.
    pub fn build(mesh: &Mesh) -> Self {
        let bounds = Aabb::of(mesh.vertices().iter().copied());
        let frame = Frame::of(bounds);
        let reach = bounds.lo.abs().max(bounds.hi.abs()).max_element();
        let Topology { children, triangles } = Topology::build(mesh, &frame);
        let Ordered { corners, vertices, vertices_before } = Ordered::new(mesh, &triangles);
        let blocks = wide_fit::blocks(children, &frame, &corners, &vertices, &vertices_before);
        let Frame { center, unit } = frame;
        Self { blocks, triangles, corners, vertices, center, unit, reach }
    }
}

/// A mesh in the order of the leaves.
struct Ordered {
    corners: Vec<[u32; 3]>,
    vertices: Vec<DVec3>,
    /// Per triangle, how many vertices the triangles before it have; and in the end, how many there are.
    vertices_before: Vec<u32>,
}

impl Ordered {
    fn new(mesh: &Mesh, triangles: &[u32]) -> Self {
        const NEW: u32 = u32::MAX;
        let mut renumbered = vec![NEW; mesh.vertices().len()];
        let mut vertices = Vec::with_capacity(mesh.vertices().len());
        let mut corners = Vec::with_capacity(triangles.len());
        let mut vertices_before = Vec::with_capacity(triangles.len() + 1);
        for &triangle in triangles {
            vertices_before.push(to_u32(vertices.len()));
            corners.push(mesh.triangles()[triangle as usize].map(|v| {
                let number = &mut renumbered[v as usize];
                if *number == NEW {
                    *number = to_u32(vertices.len());
                    vertices.push(mesh.vertices()[v as usize]);
                }
                *number
            }));
        }
        vertices_before.push(to_u32(vertices.len()));
        Self { corners, vertices, vertices_before }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::generate::{self, Request};
    use proptest::prelude::*;

    fn mesh(triangles: &[[DVec3; 3]]) -> Mesh {
        let count = to_u32(triangles.len());
        let indices: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Mesh::new(&triangles.concat(), &indices).expect("valid")
    }

    #[test]
    fn every_generated_mesh_gets_a_valid_tree() {
        for (name, _) in generate::names() {
            for soup in [false, true] {
                let request = Request { name: (*name).to_owned(), size: None, seed: 3, soup };
                for mesh in generate::generate(&request).expect("a scene").meshes.iter().take(20) {
                    let tree = WideTree::build(mesh);
                    assert_eq!(tree.validate(mesh), Ok(()), "{name}");
                }
            }
        }
    }

    #[test]
    fn equal_triangles_get_a_shallow_tree() {
        let mesh = mesh(&vec![[DVec3::ZERO, DVec3::X, DVec3::Y]; 1 << 15]);
        let tree = WideTree::build(&mesh);
        assert_eq!(tree.validate(&mesh), Ok(()));
        assert!(tree.stats().depth <= 8, "{:?}", tree.stats());
    }

    #[test]
    fn one_point_has_a_tree() {
        let mesh = mesh(&[[DVec3::splat(1e60); 3]]);
        let tree = WideTree::build(&mesh);
        assert_eq!(tree.validate(&mesh), Ok(()));
        assert_eq!((tree.blocks.len(), tree.vertices.len()), (1, 1));
    }

    #[test]
    fn any_number_of_threads_builds_the_same_tree() {
        for (name, size) in [("tori", 30_000), ("bolt-nut", 50_000)] {
            let request = Request { name: name.to_owned(), size: Some(size), seed: 0, soup: true };
            let scene = generate::generate(&request).expect("a scene");
            let build = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                pool.install(|| WideTree::build(&scene.meshes[0]))
            };
            let one = build(1);
            assert_eq!(one.validate(&scene.meshes[0]), Ok(()));
            assert!(one.stats().bytes < 100 * one.triangles.len(), "{:?}", one.stats());
            assert!(one == build(2) && one == build(3), "{name}");
        }
    }

    proptest! {
        /// Points of a coarse grid, at any size and place: many coincide or make degenerate triangles.
        #[test]
        fn any_soup_gets_a_valid_tree(
            soup in prop::collection::vec(prop::array::uniform9(-3..4i32), 1..200),
            power in -250..950i32,
            far in prop_oneof![Just(0.0), -1e3..1e3f64, Just(1e12)],
            noise in prop_oneof![Just(0.0), Just(1e-3), Just(1e-12)],
        ) {
            let scale = 2f64.powi(power);
            let point = |c: &[i32]| {
                let p = DVec3::new(f64::from(c[0]), f64::from(c[1]), f64::from(c[2]));
                (p + DVec3::splat(far) + noise * DVec3::new(p.y * p.z, p.x * p.z, p.x - p.y)) * scale
            };
            let triangles: Vec<[DVec3; 3]> =
                soup.iter().map(|c| [point(&c[..3]), point(&c[3..6]), point(&c[6..])]).collect();
            let mesh = mesh(&triangles);
            let tree = WideTree::build(&mesh);
            prop_assert_eq!(tree.validate(&mesh), Ok(()));
        }
    }
}

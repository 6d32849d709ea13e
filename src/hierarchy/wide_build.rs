//! Building the wide tree: topology first, then vertices in the order of the leaves, then the boxes.

use glam::DVec3;

use super::wide_fit;
use super::wide_topology::Topology;
use super::wide_tree::WideTree;
use crate::bounds::aabb::Aabb;
use crate::ids::to_u32;
use crate::scene::Mesh;

/// Smallest unit, for meshes that are a point or nearly: posed coordinates below 2^-200 are zero.
const SMALLEST_UNIT: f64 = f64::from_bits((1023 - 200) << 52);

/// Largest power of two in f64.
const LARGEST_UNIT: f64 = f64::from_bits(2046 << 52);

impl WideTree {
    /// Builds the tree; the same mesh gives the same tree, whatever the number of threads.
    pub fn build(mesh: &Mesh) -> Self {
        let bounds = Aabb::of(mesh.vertices().iter().copied());
        let center = 0.5 * bounds.lo + 0.5 * bounds.hi;
        let size = (bounds.hi - center).max(center - bounds.lo).max_element();
        let unit = power_of_two_from(size).clamp(SMALLEST_UNIT, LARGEST_UNIT);
        let reach = bounds.lo.abs().max(bounds.hi.abs()).max_element();
        let Topology { children, triangles } = Topology::build(mesh, |v| (v - center) / unit);
        let (corners, vertices) = in_order_of_leaves(mesh, &triangles);
        let mut tree = Self { blocks: Vec::new(), triangles, corners, vertices, center, unit, reach };
        tree.blocks = wide_fit::blocks(&tree, &children);
        tree
    }
}

/// The smallest power of two that is at least `size`; infinite beyond the largest, 0 for 0.
fn power_of_two_from(size: f64) -> f64 {
    let below = f64::from_bits(size.to_bits() & (2047 << 52));
    if below == size { size } else { (2.0 * below).max(f64::MIN_POSITIVE) }
}

/// Corners of the triangles, and the vertices in the order in which they come up first.
fn in_order_of_leaves(mesh: &Mesh, triangles: &[u32]) -> (Vec<[u32; 3]>, Vec<DVec3>) {
    const NEW: u32 = u32::MAX;
    let mut renumbered = vec![NEW; mesh.vertices().len()];
    let mut vertices = Vec::with_capacity(mesh.vertices().len());
    let corners = triangles
        .iter()
        .map(|&triangle| {
            mesh.triangles()[triangle as usize].map(|v| {
                let number = &mut renumbered[v as usize];
                if *number == NEW {
                    *number = to_u32(vertices.len());
                    vertices.push(mesh.vertices()[v as usize]);
                }
                *number
            })
        })
        .collect();
    vertices.shrink_to_fit();
    (corners, vertices)
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

    proptest! {
        /// Points of a coarse grid, at any size and place: many coincide or make degenerate triangles.
        #[test]
        fn any_soup_gets_a_valid_tree(
            soup in prop::collection::vec(prop::array::uniform9(-3..4i32), 1..200),
            power in -250..1000i32,
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

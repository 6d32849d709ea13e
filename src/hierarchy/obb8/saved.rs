//! Trees as bytes, in which they are kept from run to run: what building finds, without what the mesh has.

use bytemuck::{Pod, Zeroable, bytes_of as bytes, cast_slice, pod_read_unaligned};
use glam::DMat3;

use super::array::Array;
use super::{Block, Obb8};
use crate::hierarchy::wide_topology::LeafOrder;
use closefit_geometry::mesh::Mesh;

/// The bytes before the blocks, which come before the triangles.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Head {
    center: [f64; 3],
    unit: f64,
    largest_coordinate: f64,
    depth: u64,
    blocks: u64,
}

/// Returns the bytes of a tree, in the byte order of this machine.
pub fn bytes_of(tree: &Obb8) -> Vec<u8> {
    let Obb8 { blocks, triangles, center, unit, largest_coordinate, depth, .. } = tree;
    let head = Head {
        center: center.to_array(),
        unit: *unit,
        largest_coordinate: *largest_coordinate,
        depth: u64::from(*depth),
        blocks: blocks.len() as u64,
    };
    [bytes(&head), cast_slice(blocks), cast_slice(triangles)].concat()
}

/// Returns the tree of a mesh from its bytes. `None` if they are not so many as the tree has, as those of
/// another byte order.
pub fn tree_of(mesh: &Mesh, linear: Option<DMat3>, bytes: &[u8]) -> Option<Obb8> {
    let (head, rest) = bytes.split_at_checked(size_of::<Head>())?;
    let head: Head = pod_read_unaligned(head);
    let blocks = usize::try_from(head.blocks).ok()?.checked_mul(size_of::<Block>())?;
    let (blocks, triangles) = rest.split_at_checked(blocks)?;
    if triangles.len() != size_of_val(mesh.triangles()) / 3 {
        return None;
    }
    let triangles: Array<u32> = items(triangles);
    if triangles.iter().any(|&triangle| triangle as usize >= mesh.triangles().len()) {
        return None;
    }
    let LeafOrder { corners, vertices } = LeafOrder::new(mesh, &triangles);
    Some(Obb8 {
        blocks: items(blocks),
        triangles,
        corners: corners.into(),
        vertices: vertices.into(),
        center: head.center.into(),
        unit: head.unit,
        largest_coordinate: head.largest_coordinate,
        depth: u32::try_from(head.depth).ok()?,
        linear,
    })
}

/// Returns the items of their bytes, which need not be aligned.
fn items<T: Pod>(bytes: &[u8]) -> Array<T> {
    Array::collect(bytes.chunks_exact(size_of::<T>()).map(pod_read_unaligned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::cache::MODEL_VERSION;
    use crate::hierarchy::testing::meshes_of_all_scenes;
    use closefit_geometry::mesh::topology::{Topology, Winding};
    use glam::DVec3;

    fn linear() -> DMat3 {
        DMat3::from_cols(DVec3::new(1.0, 0.5, 0.0), DVec3::new(0.0, 2.0, -0.25), DVec3::new(0.125, 0.0, 0.5))
    }

    #[test]
    fn bytes_give_the_same_tree() {
        for soup in [false, true] {
            for (name, mesh) in meshes_of_all_scenes(30, soup) {
                let tree = Obb8::build(&mesh);
                assert!(tree_of(&mesh, None, &bytes_of(&tree)) == Some(tree), "{name}");
                let tree = Obb8::build_for(&mesh, linear());
                assert!(tree_of(&mesh, Some(linear()), &bytes_of(&tree)) == Some(tree), "{name}");
            }
        }
    }

    #[test]
    fn other_bytes_give_none() {
        let meshes: Vec<_> = meshes_of_all_scenes(30, false).collect();
        let trees: Vec<Vec<u8>> = meshes.iter().map(|(_, mesh)| bytes_of(&Obb8::build(mesh))).collect();
        let (mesh, own) = (&meshes[0].1, &trees[0]);
        for end in [0, 1, size_of::<Head>(), own.len() - 1] {
            assert!(tree_of(mesh, None, &own[..end]).is_none());
        }
        for ((name, other), bytes) in meshes.iter().zip(&trees) {
            let fits = other.triangles().len() == mesh.triangles().len();
            assert!(fits || tree_of(mesh, None, bytes).is_none(), "{name}");
        }
        let mut swapped = own.clone();
        swapped[48..56].reverse();
        assert!(tree_of(mesh, None, &swapped).is_none());
    }

    /// A tree or a topology that is built in another way must not be taken for one of this version: raise
    /// [`MODEL_VERSION`] when this digest changes.
    #[test]
    fn a_version_has_its_models() {
        let mut digest = blake3::Hasher::new();
        for (_, mesh) in meshes_of_all_scenes(200, false) {
            digest.update(&bytes_of(&Obb8::build(&mesh)));
            digest.update(format!("{:?}", Topology::of(&mesh, Winding::Repaired)).as_bytes());
        }
        let found = digest.finalize().to_hex();
        assert_eq!((MODEL_VERSION, &found[..16]), (1, "4d2adf9590c744e4"));
    }
}

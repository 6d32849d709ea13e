//! Trees as bytes, in which they are kept from run to run: what building finds, without what the mesh has.

use bytemuck::{Pod, Zeroable, bytes_of as bytes, cast_slice, pod_read_unaligned};
use glam::DMat3;

use super::array::Array;
use super::{Block, WideObb};
use crate::bvh::largest_coordinate;
use crate::bvh::wide_topology::{LeafOrder, NormalFrame};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::mesh::Mesh;

/// The bytes before the blocks, which come before the triangles.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Head {
    depth: u64,
    blocks: u64,
}

/// Returns the bytes of a tree, in the byte order of this machine.
pub fn bytes_of(tree: &WideObb) -> Vec<u8> {
    let WideObb { blocks, triangles, depth, .. } = tree;
    let head = Head { depth: u64::from(*depth), blocks: blocks.len() as u64 };
    [bytes(&head), cast_slice(blocks), cast_slice(triangles)].concat()
}

/// Returns the tree of a mesh from its bytes. `None` if they are no such tree, if their byte order is
/// another, or if the tree is another mesh's: each box has to hold all vertices below it.
pub fn tree_of(mesh: &Mesh, linear: Option<DMat3>, bytes: &[u8]) -> Option<WideObb> {
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
    let shaped = mesh.vertices().iter().map(|&v| linear.map_or(v, |linear| linear * v));
    let NormalFrame { center, unit } = NormalFrame::of(Aabb::of(shaped));
    let tree = WideObb {
        blocks: items(blocks),
        triangles,
        corners: corners.into(),
        vertices: vertices.into(),
        center,
        unit,
        largest_coordinate: largest_coordinate(mesh.vertices()),
        depth: u32::try_from(head.depth).ok()?,
        linear,
    };
    tree.validate(mesh).is_ok().then_some(tree)
}

/// Returns the items of their bytes, which need not be aligned.
fn items<T: Pod>(bytes: &[u8]) -> Array<T> {
    Array::collect(bytes.chunks_exact(size_of::<T>()).map(pod_read_unaligned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::cache::MODEL_VERSION;
    use crate::bvh::testing::meshes_of_all_scenes;
    use crate::bvh::wide_obb::Child;
    use closefit_geometry::lanes::LANES;
    use closefit_geometry::math::testing::{Stream, cases};
    use closefit_geometry::mesh::topology::{Topology, Winding};
    use glam::DVec3;

    fn linear() -> DMat3 {
        DMat3::from_cols(DVec3::new(1.0, 0.5, 0.0), DVec3::new(0.0, 2.0, -0.25), DVec3::new(0.125, 0.0, 0.5))
    }

    #[test]
    fn bytes_give_the_same_tree() {
        for soup in [false, true] {
            for (name, mesh) in meshes_of_all_scenes(30, soup) {
                let tree = WideObb::build(&mesh);
                assert!(tree_of(&mesh, None, &bytes_of(&tree)) == Some(tree), "{name}");
                let tree = WideObb::build_for(&mesh, linear());
                assert!(tree_of(&mesh, Some(linear()), &bytes_of(&tree)) == Some(tree), "{name}");
            }
        }
    }

    #[test]
    fn other_bytes_give_none() {
        let meshes: Vec<_> = meshes_of_all_scenes(30, false).collect();
        let trees: Vec<Vec<u8>> = meshes.iter().map(|(_, mesh)| bytes_of(&WideObb::build(mesh))).collect();
        let (mesh, own) = (&meshes[0].1, &trees[0]);
        for end in [0, 1, size_of::<Head>(), own.len() - 1] {
            assert!(tree_of(mesh, None, &own[..end]).is_none());
        }
        // A mesh may fit into the boxes of another, such as the same one elsewhere.
        let mut refused = 0;
        for (_, other) in &meshes {
            for bytes in &trees {
                let found = tree_of(other, None, bytes);
                refused += usize::from(found.is_none());
                assert!(found.is_none_or(|tree| held(&tree, other)));
            }
        }
        assert!(refused > meshes.len(), "{refused}");
        let mut swapped = own.clone();
        swapped[8..16].reverse();
        assert!(tree_of(mesh, None, &swapped).is_none());
    }

    /// A changed byte gives no tree, or one in which every box still holds what is below it; it never panics.
    #[test]
    fn damaged_bytes_give_no_wrong_tree() {
        let mut stream = Stream(31);
        let scenes = meshes_of_all_scenes(60, false);
        let saved: Vec<_> = scenes.map(|(_, mesh)| (bytes_of(&WideObb::build(&mesh)), mesh)).collect();
        for _ in 0..cases(20_000) {
            let (whole, mesh) = &saved[stream.below(saved.len() as u64) as usize];
            let mut bytes = whole.clone();
            for _ in 0..=stream.below(3) {
                let at = stream.below(bytes.len() as u64) as usize;
                bytes[at] ^= 1 << stream.below(8);
            }
            if let Some(tree) = tree_of(mesh, None, &bytes) {
                assert!(held(&tree, mesh));
            }
        }
    }

    /// True when every triangle is in a leaf, and its corners are inside all boxes on the way there.
    fn held(tree: &WideObb, mesh: &Mesh) -> bool {
        let mut met = vec![0; mesh.triangles().len()];
        let mut open = vec![(0, Vec::new())];
        while let Some((index, above)) = open.pop() {
            let block: &Block = &tree.blocks[index];
            for lane in 0..LANES {
                let mut boxes = above.clone();
                boxes.push((index, lane));
                match Child::of(block.child[lane]) {
                    Child::None => {}
                    Child::Block(child) => open.push((child as usize, boxes)),
                    Child::Leaf { first, count } => {
                        for &triangle in &tree.triangles[first as usize..(first + count) as usize] {
                            met[triangle as usize] += 1;
                            let inside = |v| boxes.iter().all(|&at| is_inside(tree, at, v));
                            if !mesh.corners(triangle).into_iter().all(inside) {
                                return false;
                            }
                        }
                    }
                }
            }
        }
        met.into_iter().all(|count| count == 1)
    }

    fn is_inside(tree: &WideObb, (index, lane): (usize, usize), v: DVec3) -> bool {
        let block = &tree.blocks[index];
        let of = |columns: &[[f32; LANES]; 3]| DVec3::from_array(columns.map(|x| f64::from(x[lane])));
        let [a, b] = &block.axes;
        let (a, b) = (of(a), of(b));
        let from = (v - tree.center) / tree.unit
            - DVec3::from_array(block.origin.map(f64::from))
            - of(&block.center);
        let along = DVec3::new(a.dot(from), b.dot(from), a.cross(b).dot(from)).abs();
        along.cmple(of(&block.half)).all()
    }

    /// A tree or a topology that is built in another way must not be taken for one of this version: raise
    /// [`MODEL_VERSION`] when this digest changes.
    #[test]
    fn a_version_has_its_models() {
        let mut digest = blake3::Hasher::new();
        for (_, mesh) in meshes_of_all_scenes(200, false) {
            digest.update(&bytes_of(&WideObb::build(&mesh)));
            digest.update(format!("{:?}", Topology::of(&mesh, Winding::Repaired)).as_bytes());
        }
        let found = digest.finalize().to_hex();
        assert_eq!((MODEL_VERSION, &found[..16]), (2, "de24b2aa59d6329e"));
    }
}

//! Unusual trees, for testing that answers do not depend on the tree.

use closefit::{Mesh, Pose};
use closefit_geometry::bounds::obb::Obb;
use closefit_methods::internals::binary_obb::{BinaryObb, ObbNode};

use crate::rng::Rng;

/// Returns a tree with all triangles in one leaf, in the mesh's order: nothing is ever skipped.
pub fn single_leaf(mesh: &Mesh) -> BinaryObb {
    let count = u32::try_from(mesh.triangles().len()).expect("small");
    let obb = around(mesh, &(0..count).collect::<Vec<_>>(), &Pose::IDENTITY);
    let nodes = vec![ObbNode { obb, first: 0, count }];
    BinaryObb { nodes, triangles: (0..count).collect(), ..BinaryObb::build(mesh) }
}

/// Returns a random tree: triangles scattered over the leaves or first sorted along a random direction,
/// leaves of 1 to 5 triangles, uneven halves, and boxes at random angles.
pub fn random(mesh: &Mesh, rng: &mut Rng) -> BinaryObb {
    let count = u32::try_from(mesh.triangles().len()).expect("small");
    let mut triangles: Vec<u32> = (0..count).collect();
    for i in (1..triangles.len()).rev() {
        triangles.swap(i, rng.index(i + 1));
    }
    if rng.coin() {
        let way = rng.point();
        let along = |t: u32| way.dot(mesh.corners(t).into_iter().sum());
        triangles.sort_by(|&s, &t| along(s).total_cmp(&along(t)));
    }
    let most = u32::try_from(rng.int(1, 5)).expect("small");
    let node = |first: u32, count: u32, rng: &mut Rng| {
        let turn = Pose::from_trs(rng.quaternion(), [1.0; 3], [0.0; 3]).expect("not of length 0");
        let members = &triangles[first as usize..(first + count) as usize];
        ObbNode { obb: around(mesh, members, &turn), first, count }
    };
    let mut nodes = vec![node(0, count, rng)];
    let mut pending = vec![0];
    while let Some(index) = pending.pop() {
        let ObbNode { first, count, .. } = nodes[index];
        if count <= most {
            continue;
        }
        let left = u32::try_from(rng.int(1, i64::from(count) - 1)).expect("below count");
        let child = nodes.len();
        nodes[index] = ObbNode { first: u32::try_from(child).expect("small"), count: 0, ..nodes[index] };
        nodes.push(node(first, left, rng));
        nodes.push(node(first + left, count - left, rng));
        pending.extend([child, child + 1]);
    }
    let tree = BinaryObb { nodes, triangles, ..BinaryObb::build(mesh) };
    tree.validate(mesh).expect("a tree");
    tree
}

fn around(mesh: &Mesh, members: &[u32], turn: &Pose) -> Obb {
    let axes = [0, 1, 2].map(|j| glam::DVec3::from_array([0, 1, 2].map(|i| turn.rows[i][j])));
    Obb::around(members.iter().flat_map(|&t| mesh.corners(t)), axes)
}

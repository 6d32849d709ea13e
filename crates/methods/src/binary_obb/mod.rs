//! RAPID's tree of oriented boxes (Lin et al. 1997, section 4.2.1).
//!
//! Built top down by a [`Recipe`]: a group's box is aligned with the covariance of its triangles or of their
//! hull, and sized by the extremal vertices. The group is split along the longest axis, or along the next one
//! where that leaves a side empty.

mod build;
#[cfg(any(test, feature = "testing"))]
mod faults;
mod measured;
mod natural;
mod point_bound;
mod posed;
mod search;
mod stretch;

use crate::with_mesh::WithMesh;
pub use build::{Fit, Recipe, Split};
use closefit::Work;
use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::moving::MovingTrees;
use closefit::internals::narrow::Nearest;
use closefit::method::Boxes;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
pub use measured::{Hits, Table};
pub use posed::PosedBinaryObb;
pub use stretch::StretchSearch;

/// A box and its contents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObbNode {
    /// Contains every vertex of every triangle below.
    pub obb: Obb,
    /// The first of two adjacent children in [`BinaryObb::nodes`] of an inner node (`count` 0). For a leaf,
    /// the first of `count` entries in [`BinaryObb::triangles`].
    pub first: u32,
    /// Number of triangles in a leaf; 0 for an inner node.
    pub count: u32,
}

/// The tree of one mesh in its own frame. ObbNode 0 is the root; children come after their parents.
#[derive(Clone, Debug, PartialEq)]
pub struct BinaryObb {
    /// All nodes, siblings adjacent, depth first.
    pub nodes: Vec<ObbNode>,
    /// Triangle indices, in the order of the leaves.
    pub triangles: Vec<u32>,
    /// Largest magnitude of a vertex coordinate.
    pub largest_coordinate: f64,
}

impl Hierarchy for BinaryObb {
    const NAME: &'static str = "rapid";
    const EXECUTORS: &'static [Executor] = &[Executor::Scalar];
    const ON_DEVICE: bool = false;
    const COMPARES_PROFILES: bool = false;
    const MOVING_BOXES: &'static [Boxes] = &[Boxes::Swept, Boxes::Natural];
    const HAS_BOX_OPTIONS: bool = true;

    type Posed<'a> = PosedBinaryObb<'a>;
    type Held = WithMesh<Self>;
    type Kept = ();
    type Residence = ();
    type Front = stretch::Item;
    type StretchSearch<'a> = StretchSearch<'a>;

    fn build(mesh: &Mesh) -> Self {
        Self::build(mesh)
    }

    fn bytes(&self) -> usize {
        self.stats().bytes
    }

    fn largest_coordinate(&self) -> f64 {
        self.largest_coordinate
    }

    fn place<'a>(&'a self, mesh: &'a Mesh, pose: &Pose, _executor: Executor) -> PosedBinaryObb<'a> {
        PosedBinaryObb::new(self, mesh, pose)
    }

    fn contacts(a: &PosedBinaryObb, b: &PosedBinaryObb, most: usize, work: &mut Work) -> Vec<[u32; 2]> {
        search::contacts(a, b, most, work)
    }

    fn touches(a: &PosedBinaryObb, b: &PosedBinaryObb, work: &mut Work) -> bool {
        search::touches(a, b, work)
    }

    fn nearest(a: &PosedBinaryObb, b: &PosedBinaryObb, bound: f64, work: &mut Work) -> Option<Nearest> {
        search::nearest(a, b, bound, work)
    }

    fn within(a: &PosedBinaryObb, b: &PosedBinaryObb, bound: f64, work: &mut Work) -> Option<[u32; 2]> {
        search::within(a, b, bound, work)
    }

    #[cfg(any(test, feature = "testing"))]
    fn inject(&mut self, fault: closefit::internals::bvh::faults::Fault, at: u64) -> bool {
        Self::inject(self, fault, closefit::internals::bvh::faults::Place(at))
    }

    fn stretch(trees: MovingTrees<'_, Self>) -> StretchSearch<'_> {
        StretchSearch::new(trees)
    }
}

/// Size and shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Number of inner nodes and leaves.
    pub nodes: usize,
    /// Number of leaves.
    pub leaves: usize,
    /// Number of edges from the root to the deepest leaf.
    pub depth: usize,
    /// Memory of nodes and triangle indices.
    pub bytes: usize,
}

impl ObbNode {
    /// True for a leaf, which holds triangles; false for an inner node.
    pub fn is_leaf(&self) -> bool {
        self.count > 0
    }
}

impl BinaryObb {
    /// Builds the tree. The same mesh gives the same tree.
    pub fn build(mesh: &Mesh) -> Self {
        Self::build_as(mesh, &Recipe::DEFAULT)
    }

    /// Returns the triangles of a leaf.
    pub fn leaf(&self, node: &ObbNode) -> &[u32] {
        &self.triangles[node.first as usize..(node.first + node.count) as usize]
    }

    /// Checks that every triangle is in exactly one leaf, and that every box provably contains the vertices
    /// of all triangles below it.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        let mut seen = vec![false; mesh.triangles().len()];
        let mut visited = 0;
        // Each entry carries the path from the root, so that every ancestor's box is checked at the leaf.
        let mut stack = vec![vec![0_u32]];
        while let Some(path) = stack.pop() {
            visited += 1;
            let index = path[path.len() - 1];
            let node = self.nodes.get(index as usize).ok_or(format!("node {index} is missing"))?;
            if node.count == 0 {
                if node.first <= index {
                    return Err(format!("node {index} comes after its child {}", node.first));
                }
                stack.extend([node.first, node.first + 1].map(|child| [path.as_slice(), &[child]].concat()));
                continue;
            }
            let range = node.first as usize..(node.first + node.count) as usize;
            let members = self.triangles.get(range).ok_or(format!("leaf {index} is out of range"))?;
            for &triangle in members {
                let slot = seen.get_mut(triangle as usize).ok_or(format!("no triangle {triangle}"))?;
                if std::mem::replace(slot, true) {
                    return Err(format!("triangle {triangle} is in two leaves"));
                }
                for &ancestor in &path {
                    let obb = &self.nodes[ancestor as usize].obb;
                    if !mesh.corners(triangle).into_iter().all(|p| obb.contains(p)) {
                        return Err(format!("the box of node {ancestor} misses triangle {triangle}"));
                    }
                }
            }
        }
        match seen.iter().position(|seen| !seen) {
            Some(triangle) => Err(format!("triangle {triangle} is in no leaf")),
            None if visited != self.nodes.len() => Err("some nodes hang loose".to_owned()),
            None => Ok(()),
        }
    }

    /// Counts nodes and bytes.
    pub fn stats(&self) -> Stats {
        let mut depths = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.count == 0) {
            let (child, depth) = (node.first as usize, depths[i] + 1);
            depths[child..child + 2].fill(depth);
        }
        Stats {
            nodes: self.nodes.len(),
            leaves: self.nodes.iter().filter(|node| node.count > 0).count(),
            depth: depths.into_iter().max().unwrap_or(0),
            bytes: size_of_val(self.nodes.as_slice()) + size_of_val(self.triangles.as_slice()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::ids::to_u32;
    use glam::DVec3;
    use proptest::prelude::*;

    fn mesh(triangles: &[[DVec3; 3]]) -> Mesh {
        let count = to_u32(triangles.len());
        let indices: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Mesh::new(&triangles.concat(), &indices).expect("valid")
    }

    /// Returns a tilted torus of `rings` times `sides` quads.
    fn torus(rings: u32, sides: u32) -> Mesh {
        let angle = |i: u32, n: u32| std::f64::consts::TAU * f64::from(i % n) / f64::from(n);
        let point = |i: u32, j: u32| {
            let (u, v) = (angle(i, rings), angle(j, sides));
            let r = 3.0 + libm::cos(v);
            let p = DVec3::new(r * libm::cos(u), r * libm::sin(u), libm::sin(v));
            DVec3::new(p.x, 0.8 * p.y - 0.6 * p.z, 0.6 * p.y + 0.8 * p.z)
        };
        let quads = (0..rings).flat_map(|i| (0..sides).map(move |j| (i, j)));
        let triangles: Vec<[DVec3; 3]> = quads
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
                [[a, b, c], [a, c, d]]
            })
            .collect();
        mesh(&triangles)
    }

    #[test]
    fn a_torus_gets_a_shallow_valid_tree() {
        let mesh = torus(60, 30);
        let tree = BinaryObb::build(&mesh);
        assert_eq!(tree.validate(&mesh), Ok(()));
        let stats = tree.stats();
        assert!(stats.depth < 20, "{stats:?}");
        assert_eq!(stats.nodes, 2 * stats.leaves - 1);
        assert!(stats.bytes < 300 * mesh.triangles().len(), "{stats:?}");
        let root = tree.nodes[0].obb;
        let mut half = root.half.to_array();
        half.sort_by(f64::total_cmp);
        for (found, expected) in half.into_iter().zip([1.0, 4.0, 4.0]) {
            assert!((found - expected).abs() < 0.05, "{root:?}");
        }
    }

    /// Every fit with every split, and what the paper prints.
    fn recipes() -> Vec<Recipe> {
        let fits = [Fit::Triangles, Fit::HullVertices, Fit::HullSurface];
        let splits = [Split::Mean, Split::MinMax, Split::LargerChild];
        let varied =
            fits.into_iter().flat_map(|fit| splits.map(|split| Recipe { fit, split, ..Recipe::DEFAULT }));
        varied.chain([Recipe::PRINTED]).collect()
    }

    #[test]
    fn recipes_make_other_trees_with_the_same_contacts() {
        let mesh = torus(24, 12);
        let other = Pose::translation([2.0, 0.5, 0.9]);
        let contacts = |tree: &BinaryObb| {
            let [a, b] = [Pose::IDENTITY, other].map(|pose| PosedBinaryObb::new(tree, &mesh, &pose));
            let mut found = search::contacts(&a, &b, usize::MAX, &mut Work::default());
            found.sort_unstable();
            found
        };
        let trees: Vec<BinaryObb> =
            recipes().iter().map(|recipe| BinaryObb::build_as(&mesh, recipe)).collect();
        let expected = contacts(&BinaryObb::build(&mesh));
        assert!(expected.len() > 50);
        for (i, tree) in trees.iter().enumerate() {
            assert_eq!(tree.validate(&mesh), Ok(()));
            assert_eq!(contacts(tree), expected);
            assert!(!trees[..i].contains(tree), "{:?}", recipes()[i]);
        }
    }

    #[test]
    fn what_no_plane_splits_stays_together_where_the_paper_says_so() {
        let one = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let mesh = mesh(&vec![one; 100_000]);
        let tree = BinaryObb::build_as(&mesh, &Recipe::PRINTED);
        assert_eq!(tree.validate(&mesh), Ok(()));
        assert_eq!((tree.nodes.len(), tree.nodes[0].count), (1, 100_000));
    }

    #[test]
    fn many_equal_triangles_build_a_balanced_tree() {
        let one = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let mesh = mesh(&vec![one; 1 << 15]);
        let tree = BinaryObb::build(&mesh);
        assert_eq!(tree.validate(&mesh), Ok(()));
        assert_eq!(tree.stats().depth, 14);
    }

    #[test]
    fn sizes_that_grow_geometrically_stay_within_the_depth_bound() {
        let triangles: Vec<_> = (-600..600)
            .map(|i| {
                [DVec3::ONE, DVec3::new(2.0, 1.0, 1.0), DVec3::new(1.0, 2.0, 1.0)].map(|p| p * 2f64.powi(i))
            })
            .collect();
        let mesh = mesh(&triangles);
        let tree = BinaryObb::build(&mesh);
        assert_eq!(tree.validate(&mesh), Ok(()));
        assert!(tree.stats().depth <= build::DEEPEST_SPLIT as usize + 32);
    }

    #[test]
    fn validate_sees_what_is_wrong() {
        let mesh = torus(6, 5);
        let tree = BinaryObb::build(&mesh);
        let mut small = tree.clone();
        small.nodes[0].obb.half *= 0.99;
        assert!(small.validate(&mesh).is_err());
        let mut twice = tree.clone();
        twice.triangles[0] = twice.triangles[1];
        assert!(twice.validate(&mesh).is_err());
        let mut short = tree;
        let leaf = short.nodes.iter().position(|n| n.count == 2).expect("a leaf of two");
        short.nodes[leaf].count = 1;
        assert!(short.validate(&mesh).is_err());
    }

    proptest! {
        /// Points of a coarse grid, of any size at any place: many coincide or form degenerate triangles.
        #[test]
        fn any_soup_gets_a_valid_tree(
            soup in prop::collection::vec(prop::array::uniform9(-3..4i32), 1..60),
            power in -250..1000i32,
            far in -1e3..1e3f64,
            noise in prop_oneof![Just(0.0), Just(1e-12)],
        ) {
            let scale = 2f64.powi(power);
            let point = |c: &[i32]| {
                let p = DVec3::new(f64::from(c[0]), f64::from(c[1]), f64::from(c[2]));
                (p + DVec3::splat(far) + noise * DVec3::new(p.y * p.z, p.x * p.z, p.x - p.y)) * scale
            };
            let triangles: Vec<[DVec3; 3]> =
                soup.iter().map(|c| [point(&c[..3]), point(&c[3..6]), point(&c[6..])]).collect();
            let mesh = mesh(&triangles);
            for recipe in recipes() {
                let tree = BinaryObb::build_as(&mesh, &recipe);
                prop_assert_eq!(tree.validate(&mesh), Ok(()));
                prop_assert!(!recipe.halves || tree.nodes.iter().all(|node| node.count <= recipe.leaf));
            }
        }
    }
}

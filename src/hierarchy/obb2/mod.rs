//! RAPID's tree of oriented boxes (Lin et al. 1997, section 4.2.1).
//!
//! Built top down: a group's box is aligned with the covariance of its hull's surface (or with the coordinate
//! axes where that box is smaller, because a cube's covariance has no direction of its own) and sized by the
//! extremal vertices. The group is split at the mean of its vertices along the longest axis, or along the
//! next one where that leaves a side empty.

mod point_bound;
mod posed;
mod search;
mod stretch;

use std::ops::{ControlFlow, RangeInclusive};

use glam::DVec3;

use super::moving::MovingTrees;
use super::spread::Spread;
use super::{Hierarchy, contacts_of_each};
use crate::bounds::aabb::Aabb;
use crate::bounds::obb::Obb;
use crate::continuous::method::Boxes;
use crate::executor::Executor;
use crate::gpu::Device;
use crate::hull::convex_hull::Hull;
use crate::ids::to_u32;
use crate::math::Triangle;
use crate::math::pose::Pose;
use crate::mesh::Mesh;
use crate::narrow::{Nearest, Spent, Work};
pub use posed::Posed;
pub use stretch::StretchSearch;

/// Largest number of triangles in a leaf.
pub const LEAF: u32 = 2;

/// Groups deeper than this are halved by position in the list. Splitting at the mean peels off single
/// triangles where sizes grow geometrically; halving bounds the depth by this plus 32.
const DEEPEST_MEAN_SPLIT: u32 = 64;

/// Sizes of groups that are aligned with their hull; others are aligned with their own surface. A few
/// triangles have no inside that could mislead, and the hull of very many takes too long.
const HULL_SIZES: RangeInclusive<usize> = 8..=100_000;

/// A box and its contents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Contains every vertex of every triangle below.
    pub obb: Obb,
    /// For an inner node (`count` 0), the first of two adjacent children in [`Obb2::nodes`]. For a leaf, the
    /// first of `count` entries in [`Obb2::triangles`].
    pub first: u32,
    /// Number of triangles in a leaf; 0 for an inner node.
    pub count: u32,
}

/// The tree of one mesh in its own frame. Node 0 is the root; children come after their parents.
#[derive(Clone, Debug, PartialEq)]
pub struct Obb2 {
    /// All nodes, siblings adjacent, depth first.
    pub nodes: Vec<Node>,
    /// Triangle indices, in the order of the leaves.
    pub triangles: Vec<u32>,
    /// Largest magnitude of a vertex coordinate.
    pub largest_coordinate: f64,
}

impl Hierarchy for Obb2 {
    const NAME: &'static str = "rapid";
    const EXECUTORS: &'static [Executor] = &[Executor::Scalar];
    const ON_DEVICE: bool = false;
    const COMPARES_PROFILES: bool = false;
    const MOVING_BOXES: &'static [Boxes] = &[Boxes::Swept];

    type Posed<'a> = Posed<'a>;
    type Residence<'a> = ();
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

    fn place<'a>(&'a self, mesh: &'a Mesh, pose: &Pose, _executor: Executor) -> Posed<'a> {
        Posed::new(self, mesh, pose)
    }

    fn contacts(a: &Posed, b: &Posed, most: usize, work: &mut Work) -> Vec<[u32; 2]> {
        search::contacts(a, b, most, work)
    }

    fn residence<'a>(_device: Option<Device>)
    where
        Self: 'a,
    {
    }

    fn contacts_of_all<'a>(_: &mut (), pairs: &[[&Posed<'a>; 2]], most: usize) -> Vec<(Vec<[u32; 2]>, Spent)>
    where
        Self: 'a,
    {
        contacts_of_each::<Self>(pairs, most)
    }

    fn touches(a: &Posed, b: &Posed, work: &mut Work) -> bool {
        search::touches(a, b, work)
    }

    fn nearest(a: &Posed, b: &Posed, bound: f64, work: &mut Work) -> Option<Nearest> {
        search::nearest(a, b, bound, work)
    }

    fn within(a: &Posed, b: &Posed, bound: f64, work: &mut Work) -> Option<[u32; 2]> {
        search::within(a, b, bound, work)
    }

    fn walk(
        posed: &Posed,
        enter: &mut dyn FnMut(&Aabb) -> bool,
        visit: &mut dyn FnMut(u32),
        work: &mut Work,
    ) {
        posed.walk(enter, visit, work);
    }

    fn in_box(
        posed: &Posed,
        bounds: &Aabb,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        posed.in_box(bounds, visit, work)
    }

    fn near_point(
        posed: &Posed,
        p: DVec3,
        bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        posed.near_point(p, bound, visit, work);
    }

    fn stretch(trees: MovingTrees<'_, Self>) -> StretchSearch<'_> {
        StretchSearch(trees)
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

impl Node {
    /// True for a leaf, which holds triangles; false for an inner node.
    pub fn is_leaf(&self) -> bool {
        self.count > 0
    }
}

impl Obb2 {
    /// Builds the tree. The same mesh gives the same tree.
    pub fn build(mesh: &Mesh) -> Self {
        let count = to_u32(mesh.triangles().len());
        let mut triangles: Vec<u32> = (0..count).collect();
        // A node holds its group's range until it is processed.
        let pending = |first, count| {
            let obb = Obb { center: DVec3::ZERO, axes: Obb::COORDINATE_AXES, half: DVec3::ZERO };
            Node { obb, first, count }
        };
        let mut nodes = vec![pending(0, count)];
        let mut stack = vec![(0, 0)];
        let mut group = Group::new(mesh);
        while let Some((index, depth)) = stack.pop() {
            let Node { first, count, .. } = nodes[index];
            let members = &mut triangles[first as usize..(first + count) as usize];
            group.gather(members, to_u32(index));
            let obb = group.fit();
            let children = to_u32(nodes.len());
            nodes[index] = if count <= LEAF {
                Node { obb, first, count }
            } else {
                let left = to_u32(split(mesh, members, &obb, depth));
                nodes.push(pending(first, left));
                nodes.push(pending(first + left, count - left));
                let left_child = children as usize;
                stack.extend([(left_child + 1, depth + 1), (left_child, depth + 1)]);
                Node { obb, first: children, count: 0 }
            };
        }
        nodes.shrink_to_fit();
        let largest_coordinate =
            mesh.vertices().iter().fold(0.0, |largest: f64, v| largest.max(v.abs().max_element()));
        Self { nodes, triangles, largest_coordinate }
    }

    /// Returns the triangles of a leaf.
    pub fn leaf(&self, node: &Node) -> &[u32] {
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

/// The triangles of one node and their distinct vertices; reused from node to node.
struct Group<'m> {
    mesh: &'m Mesh,
    /// For each vertex, 1 + the last node that gathered it.
    gathered: Vec<u32>,
    points: Vec<DVec3>,
    corners: Vec<[DVec3; 3]>,
}

impl<'m> Group<'m> {
    fn new(mesh: &'m Mesh) -> Self {
        Self { mesh, gathered: vec![0; mesh.vertices().len()], points: Vec::new(), corners: Vec::new() }
    }

    fn gather(&mut self, members: &[u32], node: u32) {
        self.points.clear();
        self.corners.clear();
        for &triangle in members {
            let vertices = self.mesh.triangles()[triangle as usize];
            for v in vertices.map(|v| v as usize) {
                if self.gathered[v] != node + 1 {
                    self.gathered[v] = node + 1;
                    self.points.push(self.mesh.vertices()[v]);
                }
            }
            self.corners.push(vertices.map(|v| self.mesh.vertices()[v as usize]));
        }
    }

    fn fit(&self) -> Obb {
        let around = |axes| Obb::around(self.points.iter().copied(), axes);
        let (aligned, fitted) = (around(Obb::COORDINATE_AXES), around(self.axes()));
        if fitted.area() < aligned.area() { fitted } else { aligned }
    }

    fn axes(&self) -> [DVec3; 3] {
        let origin = self.points[0];
        let with = |spread: Spread, t: Triangle| spread.with(Spread::of_triangle(t.map(|p| p - origin)));
        let surface = match self.hull() {
            Some(hull) => {
                let corners = hull.triangles().into_iter().map(|face| face.map(|v| self.points[v as usize]));
                corners.fold(Spread::NONE, with)
            }
            None => self.corners.iter().copied().fold(Spread::NONE, with),
        };
        if surface.weight > 0.0 {
            surface.axes()
        } else {
            // Triangles without area have the spread of their points.
            let points = self.points.iter().map(|&p| Spread::of_point(p - origin));
            points.fold(Spread::NONE, Spread::with).axes()
        }
    }

    /// Returns the hull of a group of a suitable size; `None` also beyond the range of exact predicates.
    fn hull(&self) -> Option<Hull> {
        HULL_SIZES.contains(&self.corners.len()).then(|| Hull::of(&self.points)).flatten()
    }
}

/// Moves the triangles whose centres lie below the mean to the front. Returns their number, which is neither
/// 0 nor all.
fn split(mesh: &Mesh, members: &mut [u32], obb: &Obb, depth: u32) -> usize {
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| obb.half[j].total_cmp(&obb.half[i]));
    for axis in order.into_iter().filter(|_| depth < DEEPEST_MEAN_SPLIT) {
        let along = |&triangle: &u32| {
            let [p, q, r] = mesh.corners(triangle).map(|p| (p - obb.center).dot(obb.axes[axis]));
            p + q + r
        };
        let mean = members.iter().map(along).sum::<f64>() / members.len() as f64;
        let mut left = 0;
        for i in 0..members.len() {
            if along(&members[i]) < mean {
                members.swap(i, left);
                left += 1;
            }
        }
        if left > 0 && left < members.len() {
            return left;
        }
    }
    members.len() / 2
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let tree = Obb2::build(&mesh);
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

    #[test]
    fn many_equal_triangles_build_a_balanced_tree() {
        let one = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let mesh = mesh(&vec![one; 1 << 15]);
        let tree = Obb2::build(&mesh);
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
        let tree = Obb2::build(&mesh);
        assert_eq!(tree.validate(&mesh), Ok(()));
        assert!(tree.stats().depth <= DEEPEST_MEAN_SPLIT as usize + 32);
    }

    #[test]
    fn validate_sees_what_is_wrong() {
        let mesh = torus(6, 5);
        let tree = Obb2::build(&mesh);
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
            let tree = Obb2::build(&mesh);
            prop_assert_eq!(tree.validate(&mesh), Ok(()));
            prop_assert!(tree.nodes.iter().all(|node| node.count <= LEAF));
        }
    }
}

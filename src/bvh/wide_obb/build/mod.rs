//! Building the tree: topology first, then vertices in the order of the leaves, then the boxes.

use glam::{DMat3, DVec3};

pub(super) mod fit;
mod in_plane;
mod lane_boxes;
mod lane_jacobi;
mod leaf_frames;

use super::{Block, Child, WideObb};
use crate::bvh::wide_topology::{LeafOrder, NormalFrame, Partition, put_vertices_of, vertices_before};
use crate::bvh::{Tell, largest_coordinate};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::mesh::Mesh;

impl WideObb {
    /// Builds the tree. The same mesh gives the same tree, whatever the number of threads.
    pub fn build(mesh: &Mesh) -> Self {
        Self::build_told(mesh, &|_| ())
    }

    /// Builds the same tree, and reports its triangles twice: when they have their places, and when they
    /// have boxes.
    pub(super) fn build_told(mesh: &Mesh, tell: Tell) -> Self {
        let bounds = Aabb::of(mesh.vertices().iter().copied());
        let frame = NormalFrame::of(bounds);
        let largest_coordinate = largest_coordinate(mesh.vertices());
        let Partition { children, triangles } = Partition::build(mesh, &frame, tell);
        let LeafOrder { corners, vertices } = LeafOrder::new(mesh, &triangles);
        let before = vertices_before(&corners);
        let blocks = fit::blocks(children, &frame, (&corners, &vertices, &before), tell);
        let NormalFrame { center, unit } = frame;
        let (triangles, corners, vertices) = (triangles.into(), corners.into(), vertices.into());
        let depth = deepest(&blocks);
        Self { blocks, triangles, corners, vertices, center, unit, largest_coordinate, depth, linear: None }
    }

    /// Returns the tree with its boxes refitted to moved vertices, given in the tree's order. Which
    /// triangles share a box stays as it is.
    ///
    /// # Panics
    /// If the number of vertices is not the tree's, or the tree serves one linear part only.
    pub fn refitted(&self, vertices: Vec<DVec3>) -> Self {
        assert!(vertices.len() == self.vertices.len() && self.linear.is_none());
        let frame = NormalFrame::of(Aabb::of(vertices.iter().copied()));
        let largest_coordinate = largest_coordinate(&vertices);
        let children = self.blocks.iter().map(|block| block.child).collect();
        let before = vertices_before(&self.corners);
        let blocks = fit::blocks(children, &frame, (&self.corners, &vertices, &before), &|_| ());
        let NormalFrame { center, unit } = frame;
        let (triangles, corners) = (self.triangles.clone(), self.corners.clone());
        let (vertices, depth) = (vertices.into(), self.depth);
        Self { blocks, triangles, corners, vertices, center, unit, largest_coordinate, depth, linear: None }
    }

    /// Returns the tree of the same mesh with moved vertices: refitted, unless it serves one linear part
    /// only.
    pub(super) fn refitted_to(&self, mesh: &Mesh) -> Self {
        if self.linear.is_some() {
            return Self::build(mesh);
        }
        let mut vertices = self.vertices.to_vec();
        put_vertices_of(mesh, &self.triangles, &self.corners, &mut vertices);
        self.refitted(vertices)
    }

    /// Builds the tree for poses with this linear part, which is not a similarity.
    pub fn build_for(mesh: &Mesh, linear: DMat3) -> Self {
        let mut tree = Self::build(&mesh.moved(|v| linear * v));
        tree.linear = Some(linear);
        tree.largest_coordinate = largest_coordinate(mesh.vertices());
        put_vertices_of(mesh, &tree.triangles, &tree.corners, &mut tree.vertices);
        tree
    }
}

/// Returns the number of blocks on the way from the root to the deepest leaf. Children come after their
/// parents.
fn deepest(blocks: &[Block]) -> u32 {
    let mut depths = vec![1; blocks.len()];
    for (index, block) in blocks.iter().enumerate() {
        for code in block.child {
            if let Child::Block(child) = Child::of(code) {
                depths[child as usize] = depths[index] + 1;
            }
        }
    }
    depths.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::testing::meshes_of_all_scenes;
    use crate::bvh::wide_obb::{Block, Child};
    use crate::bvh::wide_topology::MOST_DEPTH;
    use closefit_generate::Request;
    use closefit_geometry::ids::to_u32;
    use closefit_geometry::lanes::LANES;
    use closefit_geometry::math::testing::cases;
    use closefit_geometry::pool::Pool;
    use num_rational::BigRational;
    use num_traits::Signed;
    use proptest::prelude::*;

    fn mesh(triangles: &[[DVec3; 3]]) -> Mesh {
        let count = to_u32(triangles.len());
        let indices: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Mesh::new(&triangles.concat(), &indices).expect("valid")
    }

    #[test]
    fn every_generated_mesh_gets_a_valid_tree() {
        for soup in [false, true] {
            for (name, mesh) in meshes_of_all_scenes(20, soup) {
                assert_eq!(WideObb::build(&mesh).validate(&mesh), Ok(()), "{name}");
            }
        }
    }

    #[test]
    fn a_tree_of_moved_vertices_is_valid() {
        for (name, mesh) in meshes_of_all_scenes(20, false) {
            let moved = mesh.moved(|v| v + 0.1 * DVec3::new(v.y * v.z, v.x, v.x * v.x - v.y));
            let tree = WideObb::build(&mesh).refitted_to(&moved);
            assert_eq!(tree.validate(&moved), Ok(()), "{name}");
        }
    }

    #[test]
    fn equal_triangles_get_a_shallow_tree() {
        let mesh = mesh(&vec![[DVec3::ZERO, DVec3::X, DVec3::Y]; 1 << 15]);
        let tree = WideObb::build(&mesh);
        assert_eq!(tree.validate(&mesh), Ok(()));
        assert!(tree.stats().depth <= 8, "{:?}", tree.stats());
    }

    #[test]
    fn one_point_has_a_tree() {
        let mesh = mesh(&[[DVec3::splat(1e60); 3]]);
        let tree = WideObb::build(&mesh);
        assert_eq!(tree.validate(&mesh), Ok(()));
        assert_eq!((tree.blocks.len(), tree.vertices.len()), (1, 1));
    }

    #[test]
    fn any_number_of_threads_builds_the_same_tree() {
        for (name, size) in [("tori", 30_000), ("bolt-nut", 50_000)] {
            let request = Request { name: name.to_owned(), size: Some(size), seed: 0, soup: true };
            let scene = closefit_generate::generate(&request).expect("a scene");
            let build =
                |threads| Pool::of(threads).install(|| WideObb::build(&scene.meshes[0])).expect("threads");
            let one = build(1);
            assert_eq!(one.validate(&scene.meshes[0]), Ok(()));
            assert!(one.stats().bytes < 100 * one.triangles.len(), "{:?}", one.stats());
            assert!(one == build(2) && one == build(3), "{name}");
        }
    }

    #[test]
    fn what_is_small_in_a_large_mesh_is_told_apart() {
        // A fan near one corner, 2^-40 of the mesh's size, and one triangle far away.
        let tiny = 2f64.powi(-40);
        let spoke = |i: u32| DVec3::new(f64::from(i % 20), f64::from(i / 20), f64::from(i * i % 7)) * tiny;
        let mut triangles: Vec<_> =
            (0..400).map(|i| [spoke(i), spoke(i) + DVec3::X * tiny, spoke(i) + DVec3::Y * tiny]).collect();
        triangles.push([DVec3::ONE, DVec3::ONE + DVec3::X, DVec3::ONE + DVec3::Y]);
        let mesh = mesh(&triangles);
        let tree = WideObb::build(&mesh);
        assert_eq!(tree.validate(&mesh), Ok(()));
        let leaf = |half: [f32; 3]| half.into_iter().fold(0.0, f32::max) < 4.0 * tiny as f32;
        let small = tree.blocks.iter().flat_map(|block| {
            (0..LANES)
                .filter(|&lane| block.child[lane] != Child::None.code())
                .filter(move |&lane| leaf(block.half.map(|half| half[lane])))
        });
        assert!(small.count() >= 200);
    }

    #[test]
    fn sizes_that_grow_geometrically_stay_within_the_depth_bound() {
        let triangles: Vec<_> = (-600..600)
            .map(|i| {
                [DVec3::ONE, DVec3::new(2.0, 1.0, 1.0), DVec3::new(1.0, 2.0, 1.0)].map(|p| p * 2f64.powi(i))
            })
            .collect();
        let mesh = mesh(&triangles);
        let tree = WideObb::build(&mesh);
        assert_eq!(tree.validate(&mesh), Ok(()));
        assert!(tree.depth <= MOST_DEPTH);
    }

    #[test]
    fn validate_sees_what_is_wrong() {
        let request = Request { name: "tori".to_owned(), size: Some(1_000), seed: 0, soup: false };
        let scene = closefit_generate::generate(&request).expect("a scene");
        let (mesh, tree) = (&scene.meshes[0], WideObb::build(&scene.meshes[0]));
        assert_eq!(tree.validate(mesh), Ok(()));
        let wrong = |change: &dyn Fn(&mut WideObb)| {
            let mut tree = tree.clone();
            change(&mut tree);
            assert!(tree.validate(mesh).is_err());
        };
        wrong(&|tree| tree.blocks[3].half[1][0] *= 0.99999);
        wrong(&|tree| tree.blocks[3].axes[0][0][0] += 1e-5);
        wrong(&|tree| tree.blocks[3].child.swap(0, 1));
        wrong(&|tree| tree.blocks[3].child[0] = Child::None.code());
        wrong(&|tree| tree.blocks[0].half[0][7] = 0.0);
        wrong(&|tree| tree.triangles[0] = tree.triangles[1]);
        wrong(&|tree| tree.corners[0].rotate_left(1));
        wrong(&|tree| tree.unit *= 0.25);
        wrong(&|tree| tree.unit *= 1.5);
    }

    fn exact(x: impl Into<f64>) -> BigRational {
        BigRational::from_float(x.into()).expect("finite")
    }

    fn determinant(m: &[[BigRational; 3]; 3]) -> BigRational {
        let minor = |i: usize, j: usize| &m[1][i] * &m[2][j] - &m[1][j] * &m[2][i];
        &m[0][0] * minor(1, 2) - &m[0][1] * minor(0, 2) + &m[0][2] * minor(0, 1)
    }

    /// Decides whether a box contains a normal point, by Cramer's rule in rational arithmetic.
    fn contains_exactly(block: &Block, lane: usize, p: DVec3) -> bool {
        let of = |m: &[[f32; LANES]; 3]| m.map(|x| exact(x[lane]));
        let [a, b] = block.axes.each_ref().map(of);
        let minor = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
        let columns = [a.clone(), b.clone(), [minor(1, 2), minor(2, 0), minor(0, 1)]];
        let (center, half) = (of(&block.center), of(&block.half));
        let d: [BigRational; 3] = std::array::from_fn(|k| exact(p[k]) - exact(block.origin[k]) - &center[k]);
        let det = determinant(&columns).abs();
        (0..3).all(|i| {
            let mut replaced = columns.clone();
            replaced[i] = d.clone();
            determinant(&replaced).abs() <= &half[i] * &det
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(16)))]

        #[test]
        fn boxes_contain_exactly_what_is_below(
            soup in prop::collection::vec(prop::array::uniform9(-1.0..1.0f64), 1..120),
            size in -30..1i32,
            flat in prop_oneof![Just(1.0), Just(1e-7), Just(0.0)],
        ) {
            let point = |c: &[f64]| DVec3::new(c[0], 0.6 * c[1] - 0.8 * flat * c[2], 0.8 * c[1] + 0.6 * flat * c[2]);
            let triangles: Vec<[DVec3; 3]> = soup
                .iter()
                .map(|c| {
                    let [p, q, r] = [&c[..3], &c[3..6], &c[6..]].map(point);
                    [p, p + q * 2f64.powi(size), p + r * 2f64.powi(size)]
                })
                .collect();
            let mesh = mesh(&triangles);
            let tree = WideObb::build(&mesh);
            prop_assert_eq!(tree.validate(&mesh), Ok(()));
            for block in &tree.blocks {
                for lane in 0..LANES {
                    let mut below = vec![block.child[lane]];
                    while let Some(code) = below.pop() {
                        match Child::of(code) {
                            Child::None => {}
                            Child::Block(child) => below.extend(tree.blocks[child as usize].child),
                            Child::Leaf { first, count } => {
                                for &v in tree.corners[first as usize..(first + count) as usize].iter().flatten() {
                                    let p = tree.normal(tree.vertices[v as usize]);
                                    prop_assert!(contains_exactly(block, lane, p));
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    proptest! {
        /// Points of a coarse grid, of any size at any place: many coincide or form degenerate triangles.
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
            let tree = WideObb::build(&mesh);
            prop_assert_eq!(tree.validate(&mesh), Ok(()));
            // The same vertices give the same boxes, and others give boxes around them.
            prop_assert!(tree.refitted(tree.vertices.to_vec()) == tree);
            let bent = |v: DVec3| DVec3::new(v.x, v.x - 2.0 * v.z, far) * 0.75;
            let refitted = tree.refitted(tree.vertices.iter().map(|&v| bent(v)).collect());
            prop_assert_eq!(refitted.validate(&mesh.moved(bent)), Ok(()));
        }
    }
}

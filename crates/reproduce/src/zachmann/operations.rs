//! The operations of a search in BoxTrees. Steps of the traversal are counted on the reading copies of their
//! kernels. In leaves, a vertex is posed by nine multiplications and as many additions, boxes are compared by
//! up to six comparisons, and an edge meets a polygon as in `segment_meets`. The answer itself is exact.

use closefit::internals::bvh::Hierarchy;
use closefit::{Mesh, Pose};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::contact;
use closefit_geometry::executor::Executor;
use closefit_methods::internals::box_tree::{BoxTree, LeafWork, PosedEdge, PosedTriangle, touching_by};
use closefit_methods::internals::counted::{Counted, Operations, counted};

use crate::reference::segment_meets;

/// Counts what leaves cost. Comparisons count themselves.
#[derive(Default)]
struct Leaves {
    posed: u64,
}

impl LeafWork for Leaves {
    fn posed(&mut self, vertices: usize) {
        self.posed += vertices as u64;
    }

    fn box_tests<'b>(&mut self, one: &Aabb, others: impl ExactSizeIterator<Item = &'b Aabb>) {
        let less = |x: f64, y: f64| Counted(x) < Counted(y);
        others.for_each(|other| {
            let apart = |k: usize| less(one.hi[k], other.lo[k]) || less(other.hi[k], one.lo[k]);
            std::hint::black_box((0..3).any(apart));
        });
    }
}

/// Returns the operations of telling if two bodies with one tree are in contact.
///
/// # Panics
/// Panics for poses between which f32 cannot tell boxes apart.
pub fn of_asking(tree: &BoxTree, mesh: &Mesh, poses: &[Pose; 2]) -> Operations {
    let [a, b] = poses.each_ref().map(|pose| tree.place(mesh, pose, Executor::Scalar));
    let mut leaves = Leaves::default();
    let (answer, mut made) = counted(|| {
        touching_by::<Counted<f32>, _>(&a, &b, &mut leaves, |edge: &PosedEdge, triangle: &PosedTriangle| {
            let counted = |p: glam::DVec3| p.to_array().map(Counted);
            std::hint::black_box(segment_meets(edge.ends.map(counted), triangle.corners.map(counted)));
            contact::segment_meets(edge.ends, &triangle.corners)
        })
    });
    answer.expect("poses in a cage are comparable");
    made += Operations { multiplications: 9 * leaves.posed, additions: 9 * leaves.posed, ..Operations::NONE };
    made
}

//! The kernels on two leaves, with a form for every executor.

use glam::DVec3;

use super::pose_columns::PoseColumns;
use super::posed_leaf::{PosedLeaf, Side};
use super::triangle_distance;
use super::triangle_triangle::{self, Contact, Contacts};
use closefit_geometry::executor::{Lanes, Scalar};
use closefit_geometry::lanes::{Simd, SimdBase};
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;

/// Bounds of the distances of four pairs of triangles, by lane; infinite for spare lanes.
#[derive(Clone, Copy, Debug)]
pub struct LaneDistances {
    /// Lower bounds.
    pub at_least: [f64; 4],
    /// Upper bounds.
    pub at_most: [f64; 4],
}

/// Poses leaves and tests their pairs of triangles, one pair per lane, laid out as in [`PosedLeaf`].
pub trait LeafKernels: Copy {
    /// A pose prepared for posing vertices.
    type Columns;
    /// The posed triangles of a leaf.
    type Leaf: Copy;

    /// Prepares a pose.
    fn columns(self, pose: &Pose) -> Self::Columns;

    /// Returns a leaf without triangles.
    fn no_leaf(self) -> Self::Leaf;

    /// Poses the one or two triangles of a leaf.
    fn leaf(
        self,
        columns: &Self::Columns,
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        side: Side,
    ) -> Self::Leaf;

    /// Poses one triangle.
    fn corners(self, columns: &Self::Columns, vertices: &[DVec3], triangle: [u32; 3]) -> Triangle;

    /// Marks all lanes but these as spare.
    fn keep(self, leaf: &mut Self::Leaf, lanes: u32);

    /// Returns what is known of the contacts of two leaves: see [`triangle_triangle`].
    fn contacts(self, a: &Self::Leaf, b: &Self::Leaf) -> Contacts;

    /// Returns a mask in which bit `l` is set for spare lanes, and otherwise only if the distance in lane `l`
    /// exceeds `bound`: see [`triangle_distance`].
    fn beyond(self, a: &Self::Leaf, b: &Self::Leaf, bound: f64) -> u32;

    /// Returns bounds of the distances: see [`triangle_distance`].
    fn bounds(self, a: &Self::Leaf, b: &Self::Leaf) -> LaneDistances;
}

impl<S: Simd> LeafKernels for Lanes<S> {
    type Columns = PoseColumns<S>;
    type Leaf = PosedLeaf<S>;

    #[inline(always)]
    fn columns(self, pose: &Pose) -> PoseColumns<S> {
        PoseColumns::new(self.0, pose)
    }

    #[inline(always)]
    fn no_leaf(self) -> PosedLeaf<S> {
        PosedLeaf::none(self.0)
    }

    #[inline(always)]
    fn leaf(
        self,
        columns: &PoseColumns<S>,
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        side: Side,
    ) -> PosedLeaf<S> {
        PosedLeaf::posed(columns, vertices, triangles, side)
    }

    #[inline(always)]
    fn corners(self, columns: &PoseColumns<S>, vertices: &[DVec3], triangle: [u32; 3]) -> Triangle {
        columns.corners(vertices, triangle)
    }

    #[inline(always)]
    fn keep(self, leaf: &mut PosedLeaf<S>, lanes: u32) {
        leaf.lanes &= lanes;
    }

    #[inline(always)]
    fn contacts(self, a: &PosedLeaf<S>, b: &PosedLeaf<S>) -> Contacts {
        triangle_triangle::simd::contacts(self.0, a, b)
    }

    #[inline(always)]
    fn beyond(self, a: &PosedLeaf<S>, b: &PosedLeaf<S>, bound: f64) -> u32 {
        triangle_distance::simd::beyond(self.0, a, b, bound)
    }

    #[inline(always)]
    fn bounds(self, a: &PosedLeaf<S>, b: &PosedLeaf<S>) -> LaneDistances {
        let found = triangle_distance::simd::bounds(self.0, a, b);
        LaneDistances { at_least: found.at_least.to_array(), at_most: found.at_most.to_array() }
    }
}

/// The posed triangles of a leaf, by lane: the reading copy of [`PosedLeaf`].
#[derive(Clone, Copy, Debug)]
pub struct ScalarLeaf {
    /// The triangle in each lane.
    pub corner: [Triangle; 4],
    /// The lanes that are not spare.
    pub lanes: u32,
}

impl ScalarLeaf {
    /// Returns the lanes that hold a pair for which `test` is true.
    pub fn pairs(&self, other: &Self, test: impl Fn(&Triangle, &Triangle) -> bool) -> u32 {
        let there = self.lanes & other.lanes;
        let holds = |lane: &usize| there >> lane & 1 == 1 && test(&self.corner[*lane], &other.corner[*lane]);
        (0..4).filter(holds).map(|lane| 1 << lane).sum()
    }

    /// Returns the lanes that hold a pair for which `test` is true, and those without a pair.
    pub fn pairs_or_spare(&self, other: &Self, test: impl Fn(&Triangle, &Triangle) -> bool) -> u32 {
        self.pairs(other, test) | (0b1111 & !(self.lanes & other.lanes))
    }
}

impl LeafKernels for Scalar {
    type Columns = Pose;
    type Leaf = ScalarLeaf;

    fn columns(self, pose: &Pose) -> Pose {
        *pose
    }

    fn no_leaf(self) -> ScalarLeaf {
        ScalarLeaf { corner: [[DVec3::ZERO; 3]; 4], lanes: 0 }
    }

    fn leaf(self, pose: &Pose, vertices: &[DVec3], triangles: &[[u32; 3]], side: Side) -> ScalarLeaf {
        let posed = |triangle: &[u32; 3]| triangle.map(|v| pose.apply(vertices[v as usize]));
        let first = posed(&triangles[0]);
        let second = triangles.get(1).map(posed);
        let [one, two] = [first, second.unwrap_or(first)];
        let (corner, only_first) = match side {
            Side::A => ([one, one, two, two], 0b0011),
            Side::B => ([one, two, one, two], 0b0101),
        };
        ScalarLeaf { corner, lanes: if second.is_some() { 0b1111 } else { only_first } }
    }

    fn corners(self, pose: &Pose, vertices: &[DVec3], triangle: [u32; 3]) -> Triangle {
        triangle.map(|v| pose.apply(vertices[v as usize]))
    }

    fn keep(self, leaf: &mut ScalarLeaf, lanes: u32) {
        leaf.lanes &= lanes;
    }

    fn contacts(self, a: &ScalarLeaf, b: &ScalarLeaf) -> Contacts {
        let known = |as_this| a.pairs(b, |p, q| triangle_triangle::scalar::contact(p, q) == as_this);
        Contacts {
            meets: known(Contact::Meets),
            apart: known(Contact::Apart),
            unsure: known(Contact::Unsure),
        }
    }

    fn beyond(self, a: &ScalarLeaf, b: &ScalarLeaf, bound: f64) -> u32 {
        a.pairs_or_spare(b, |p, q| triangle_distance::scalar::beyond(p, q, bound))
    }

    fn bounds(self, a: &ScalarLeaf, b: &ScalarLeaf) -> LaneDistances {
        let mut bounds = LaneDistances { at_least: [f64::INFINITY; 4], at_most: [f64::INFINITY; 4] };
        let there = a.lanes & b.lanes;
        for lane in (0..4).filter(|lane| there >> lane & 1 == 1) {
            let found = triangle_distance::scalar::bounds(&a.corner[lane], &b.corner[lane]);
            (bounds.at_least[lane], bounds.at_most[lane]) = (found.at_least, found.at_most);
        }
        bounds
    }
}

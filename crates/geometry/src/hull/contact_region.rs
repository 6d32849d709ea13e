//! The intersection of two convex polytopes, which contains every contact of the meshes inside them (Ponamgi,
//! Manocha and Lin 1995, section 4.4): how far it reaches along a direction.
//!
//! *In*: two polytopes in normal coordinates, the map between them, and a direction `d`. *Out*: a *split* `d
//! = u + v`. For every point of both polytopes `d . x = u . x + v . x` is at most the sum of what the first
//! reaches along `u` and the second along `v`. The best split makes that sum as small as the reach of the
//! intersection: this is the duality of linear programs, with `u` and `v` the parts of `d` that the active
//! planes of either polytope take.
//!
//! Here the split is only proposed, in plain f64. The bound that the engine's `bvh::contact_region`
//! takes from it is proven by the vertices of both hulls, whatever the split. Therefore planes and poses may
//! be rounded, and no interior point is needed.
//!
//! The dual simplex method finds the split: three active planes, whose point walks inwards from plane to
//! violated plane until it lies in both polytopes. It may stop at any time. Ponamgi's way, a point inside
//! both hulls and the hull of the dual points of all planes, finds all corners of the intersection at once,
//! but needs that point and takes longer for the few directions that callers need.

use std::ops::AddAssign;

use glam::{DAffine3, DMat3, DVec3};

use super::polytope::Polytope;

/// The number of planes that may enter in the search for one split.
const CAP: usize = 64;

/// Height above a plane, in normal units of the first polytope, that counts as on it; and smallest factor to
/// divide by.
const ON_PLANE: f64 = 1e-10;

/// The work of finding contact regions and of clipping by them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionWork {
    /// Pairs whose region was searched.
    pub tried: u64,
    /// Regions found.
    pub found: u64,
    /// Planes that entered on the way to splits.
    pub entered: u64,
    /// Tests of a point against a plane.
    pub planes: u64,
    /// Sum, in millionths, of the share that the regions have of the volume of the smaller part's box.
    pub millionths_left: u64,
    /// Regions met by so few triangles of a part that these were searched one by one.
    pub searched: u64,
    /// The triangles of those parts that were dropped.
    pub dropped: u64,
}

impl AddAssign for RegionWork {
    fn add_assign(&mut self, other: Self) {
        self.tried += other.tried;
        self.found += other.found;
        self.entered += other.entered;
        self.planes += other.planes;
        self.millionths_left += other.millionths_left;
        self.searched += other.searched;
        self.dropped += other.dropped;
    }
}

/// A plane `normal . x = offset` of one of the polytopes, with a normal of about unit length.
#[derive(Clone, Copy)]
struct Active {
    normal: DVec3,
    offset: f64,
    is_of_first: bool,
}

/// Two polytopes, the second seen from the first.
#[derive(Clone, Copy, Debug)]
pub struct Intersection<'a> {
    polytopes: [&'a Polytope; 2],
    b_from_a: DAffine3,
    /// The length of the image of a length of 1.
    ratio: f64,
}

impl<'a> Intersection<'a> {
    /// Places the polytopes: `b_from_a` maps coordinates of the first to coordinates of the second.
    pub fn new(polytopes: [&'a Polytope; 2], b_from_a: DAffine3) -> Self {
        Self { polytopes, b_from_a, ratio: b_from_a.matrix3.x_axis.length() }
    }

    /// Returns the part `u` of the split of a direction of unit length, in coordinates of the first polytope.
    pub fn split(&self, d: DVec3, work: &mut RegionWork) -> DVec3 {
        // The first polytope lies within -1 to 1, and so d = u to begin with.
        let mut active = DMat3::IDENTITY.to_cols_array_2d().map(|axis| {
            let axis = DVec3::from_array(axis);
            let normal = if d.dot(axis) < 0.0 { -axis } else { axis };
            Active { normal, offset: 1.0, is_of_first: true }
        });
        let mut weights = d.abs();
        for _ in 0..CAP {
            let normals = DMat3::from_cols(active[0].normal, active[1].normal, active[2].normal);
            let inverse = normals.inverse();
            let x = inverse.transpose() * DVec3::from_array(active.map(|plane| plane.offset));
            let Some(entering) = self.most_violated(x, work) else { break };
            let shares = inverse * entering.normal;
            // The plane that leaves is the first whose weight falls to 0. Without one, no point is in both
            // polytopes.
            let falls = (0..3).filter(|&i| shares[i] > ON_PLANE).map(|i| (i, weights[i] / shares[i]));
            let Some((leaving, weight)) = falls.min_by(|x, y| x.1.total_cmp(&y.1)) else { break };
            active[leaving] = entering;
            weights = (weights - shares * weight).max(DVec3::ZERO);
            weights[leaving] = weight;
            work.entered += 1;
        }
        let of_first = (0..3).filter(|&i| active[i].is_of_first);
        of_first.map(|i| active[i].normal * weights[i]).sum()
    }

    /// Returns the plane above which a point lies highest, if it lies above any.
    fn most_violated(&self, x: DVec3, work: &mut RegionWork) -> Option<Active> {
        let [a, b] = self.polytopes;
        work.planes += (a.counts()[2] + b.counts()[2]) as u64;
        let (face, height) = a.highest_face(x);
        let (face_b, height_b) = b.highest_face(self.b_from_a.transform_point3(x));
        let height_b = height_b / self.ratio;
        if height_b > height && height_b > ON_PLANE {
            let normal = self.b_from_a.matrix3.transpose() * b.normal(face_b) / self.ratio;
            return Some(Active { normal, offset: normal.dot(x) - height_b, is_of_first: false });
        }
        (height > ON_PLANE).then(|| {
            let normal = a.normal(face);
            Active { normal, offset: normal.dot(x) - height, is_of_first: true }
        })
    }
}

//! The two ways of Ponamgi, Manocha and Lin (1995, section 4.5) to cut a cell of vertices into eight parts, two along
//! each axis.

use std::fmt::Debug;

use crate::bounds::aabb::Aabb;
use crate::lanes::LANES;

use glam::DVec3;

/// A vertex that holds triangles: those of which it is the lowest vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Holder {
    /// Its normal coordinates.
    pub at: DVec3,
    /// Its index in the mesh.
    pub vertex: u32,
}

/// A rule that cuts cells.
pub trait Cells: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Name of the kind of tree as typed and printed.
    const NAME: &'static str;

    /// Sorts the vertices of a cell by its parts, and returns the number of vertices in each part.
    fn cut(holders: &mut [Holder]) -> [usize; LANES];
}

/// Equal parts: planes through the middle of the box of the cell's vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform;

impl Cells for Uniform {
    const NAME: &'static str = "octree";

    fn cut(holders: &mut [Holder]) -> [usize; LANES] {
        let Aabb { lo, hi } = Aabb::of(holders.iter().map(|holder| holder.at));
        let middle = 0.5 * lo + 0.5 * hi;
        let part = |holder: &Holder| holder.at.cmpgt(middle).bitmask() as usize;
        holders.sort_by_key(part);
        let mut counts = [0; LANES];
        holders.iter().for_each(|holder| counts[part(holder)] += 1);
        counts
    }
}

/// Parts with equally many vertices: medians in x, in each half those in y, in each quarter those in z. Among equal
/// coordinates the lower vertex comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct Median;

impl Cells for Median {
    const NAME: &'static str = "octree-median";

    fn cut(holders: &mut [Holder]) -> [usize; LANES] {
        let mut counts = [0; LANES];
        let mut parts = counts.iter_mut();
        for half in halves(holders, 0) {
            for quarter in halves(half, 1) {
                for (part, count) in halves(quarter, 2).into_iter().zip(parts.by_ref()) {
                    *count = part.len();
                }
            }
        }
        counts
    }
}

/// Cuts vertices in two at the median of a coordinate. The first half has one more if their number is odd.
fn halves(holders: &mut [Holder], axis: usize) -> [&mut [Holder]; 2] {
    let middle = holders.len().div_ceil(2);
    if middle < holders.len() {
        // Adding 0 makes -0 equal to it.
        let along = |holder: &Holder| holder.at[axis] + 0.0;
        holders.select_nth_unstable_by(middle, |p, q| {
            along(p).total_cmp(&along(q)).then(p.vertex.cmp(&q.vertex))
        });
    }
    holders.split_at_mut(middle).into()
}

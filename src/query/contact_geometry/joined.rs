//! The patches: sets that share an exact point, directly or through others.
//!
//! Sets that share a corner are joined by its number. Others can share a point too, where a mesh crosses
//! itself or has an edge that ends on another. If the sets of (s, t) and (u, v) share a point, then so do
//! the sets of (s, t) and (s, v), and the sets of (s, v) and (u, v): it is enough to compare sets that lie
//! in one triangle.

use super::Sets;
use super::overlapping::overlapping;
use crate::bvh::posed_model::PosedModel;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::shared_point::{SharedPoint, turn};
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::disjoint_sets::DisjointSets;
use closefit_geometry::math::predicates::{Projection, Sign, projection_of};

/// Returns the number of patches, and the patch of each set; patches are in the order of their first sets.
pub(super) fn patches(sets: &Sets, bodies: [&PosedModel; 2]) -> (usize, Vec<u32>) {
    let mut groups = DisjointSets::new(sets.sets.len());
    let mut first: Vec<Option<u32>> = vec![None; sets.points.len()];
    for (set, corners) in sets.sets.iter().enumerate() {
        for &id in corners {
            let one = *first[id as usize].get_or_insert(to_u32(set));
            groups.join(one, to_u32(set));
        }
    }
    for (side, body) in bodies.into_iter().enumerate() {
        for in_one in in_triangles(sets, side) {
            let triangle = body.triangle(sets.triangles[in_one[0] as usize][side]);
            join_in(sets, &in_one, projection_of(triangle[0], triangle[1], triangle[2]), &mut groups);
        }
    }
    let mut count = 0;
    let mut patch_of: Vec<u32> = Vec::with_capacity(sets.sets.len());
    for set in 0..to_u32(sets.sets.len()) {
        // The leader of a group is its lowest member, so its patch is known.
        let leader = groups.find(set);
        let patch = if leader == set { count } else { patch_of[leader as usize] };
        count += u32::from(leader == set);
        patch_of.push(patch);
    }
    (count as usize, patch_of)
}

/// Returns the sets in each triangle of a side, ascending.
pub(super) fn in_triangles(sets: &Sets, side: usize) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..to_u32(sets.triangles.len())).collect();
    let of = |set: u32| sets.triangles[set as usize][side];
    order.sort_by_key(|&set| of(set));
    order.chunk_by(|&x, &y| of(x) == of(y)).map(<[u32]>::to_vec).collect()
}

/// Joins sets of one triangle that share a point.
fn join_in(sets: &Sets, in_one: &[u32], projection: Option<Projection>, groups: &mut DisjointSets) {
    let leader = groups.find(in_one[0]);
    if in_one.iter().all(|&set| groups.find(set) == leader) {
        return;
    }
    let boxes: Vec<(u32, Aabb)> = in_one.iter().map(|&set| (set, sets.bounds(set))).collect();
    overlapping(&boxes, |x, y| {
        if groups.find(x) != groups.find(y) && (Flat { sets, projection }).share([x, y]) {
            groups.join(x, y);
        }
    });
}

/// The plane of a triangle, or its line, if it has no area.
struct Flat<'a> {
    sets: &'a Sets,
    projection: Option<Projection>,
}

impl Flat<'_> {
    /// True when two convex sets share a point.
    fn share(&self, [x, y]: [u32; 2]) -> bool {
        let [x, y] = [x, y].map(|set| &self.sets.sets[set as usize][..]);
        let Some(projection) = self.projection else {
            // Along a line, the order of points is the order on the line.
            return x[0] <= y[y.len() - 1] && y[0] <= x[x.len() - 1];
        };
        let turn = |ids: [u32; 3]| turn(projection, ids.map(|id| self.point(id)));
        x.iter().any(|&p| holds(y, p, turn))
            || y.iter().any(|&p| holds(x, p, turn))
            || edges(x).any(|e| edges(y).any(|f| cross(e, f, turn)))
    }

    fn point(&self, id: u32) -> &SharedPoint {
        self.sets.point(id)
    }
}

/// True when a convex set holds a point.
fn holds(set: &[u32], p: u32, turn: impl Fn([u32; 3]) -> Sign) -> bool {
    match *set {
        [q] => p == q,
        [q, r] => q <= p && p <= r && turn([q, r, p]).is_eq(),
        _ => {
            let turns: Vec<Sign> = edges(set).map(|[q, r]| turn([q, r, p])).collect();
            !(turns.contains(&Sign::Less) && turns.contains(&Sign::Greater))
        }
    }
}

fn edges(set: &[u32]) -> impl Iterator<Item = [u32; 2]> + '_ {
    let count = if set.len() > 2 { set.len() } else { set.len() - 1 };
    (0..count).map(|k| [set[k], set[(k + 1) % set.len()]])
}

/// True when inner points of two edges cross.
fn cross([p, q]: [u32; 2], [r, s]: [u32; 2], turn: impl Fn([u32; 3]) -> Sign) -> bool {
    let parts = |[p, q]: [u32; 2], [r, s]: [u32; 2]| {
        let (of_r, of_s) = (turn([p, q, r]), turn([p, q, s]));
        of_r.is_ne() && of_r == of_s.reverse()
    };
    parts([p, q], [r, s]) && parts([r, s], [p, q])
}

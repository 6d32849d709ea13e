//! The boxes, lengths, areas and normals of patches.

use glam::DVec3;

use super::joined::in_triangles;
use super::overlapping::overlapping;
use super::{ContactPatch, RUN, Sets};
use crate::bvh::posed_model::PosedModel;
use crate::query::depth::exact::clip::Section;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::shared_point::{SharedPoint, area, in_line, unit_normal};
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::disjoint_sets::DisjointSets;
use closefit_geometry::math::predicates::{Projection, orient2d, projection_of};
use closefit_geometry::parallel;

impl Sets {
    /// Returns the box of a set's rounded corners. Rounding keeps the order, so sets whose boxes do not meet
    /// share no point.
    pub(super) fn bounds(&self, set: u32) -> Aabb {
        Aabb::of(self.sets[set as usize].iter().map(|&id| self.point(id).rounded()))
    }
}

pub(super) fn add_bounds(patches: &mut [ContactPatch], sets: &Sets, patch_of: &[u32]) {
    for (set, &patch) in (0..).zip(patch_of) {
        let ContactPatch { bounds: [lo, hi], .. } = &mut patches[patch as usize];
        let bounds = sets.bounds(set);
        (*lo, *hi) = (lo.min(bounds.lo), hi.max(bounds.hi));
    }
}

/// Adds the lengths of the segments, and marks the patches that are closed curves.
pub(super) fn add_lengths(patches: &mut [ContactPatch], sets: &Sets, patch_of: &[u32]) {
    let segments = sets.sets.iter().zip(patch_of);
    let mut segments: Vec<([u32; 2], u32)> =
        segments.filter_map(|(set, &patch)| Some((<[u32; 2]>::try_from(&set[..]).ok()?, patch))).collect();
    segments.sort_unstable();
    segments.dedup();
    let mut odd = vec![false; sets.points.len()];
    let whole = united(sets, &segments);
    for &([p, q], patch) in &whole {
        patches[patch as usize].length += sets.point(p).distance(sets.point(q));
        patches[patch as usize].closed = true;
        odd[p as usize] ^= true;
        odd[q as usize] ^= true;
    }
    for &(ends, patch) in &whole {
        patches[patch as usize].closed &= !ends.iter().any(|&end| odd[end as usize]);
    }
}

/// Returns segments with those that overlap along a line made one. The numbers of points on a line are in the
/// order on the line.
fn united(sets: &Sets, segments: &[([u32; 2], u32)]) -> Vec<([u32; 2], u32)> {
    let of = |[p, q]: [u32; 2]| Aabb::of([p, q].map(|id| sets.point(id).rounded()));
    let boxes: Vec<(usize, Aabb)> = segments.iter().map(|(ends, _)| of(*ends)).enumerate().collect();
    let mut groups = DisjointSets::new(segments.len());
    overlapping(&boxes, |x, y| {
        let ([[p, q], [r, s]], point) = ([x, y].map(|k| segments[k].0), |id| sets.point(id));
        let is_one = |end| end == p || end == q || in_line([point(p), point(q), point(end)]);
        if p.max(r) < q.min(s) && is_one(r) && is_one(s) {
            groups.join(to_u32(x), to_u32(y));
        }
    });
    let mut whole = segments.to_vec();
    for (k, &([p, q], _)) in segments.iter().enumerate() {
        let leader = groups.find(to_u32(k)) as usize;
        let [low, high] = &mut whole[leader].0;
        (*low, *high) = (p.min(*low), q.max(*high));
    }
    let leaders = (0..segments.len()).filter(|&k| groups.find(to_u32(k)) as usize == k);
    leaders.map(|k| whole[k]).collect()
}

/// Adds the areas of the polygons and the normals that follow from them.
pub(super) fn add_areas(
    patches: &mut [ContactPatch],
    sets: &Sets,
    patch_of: &[u32],
    [a, b]: [&PosedModel; 2],
) {
    let is_polygon = |set: &u32| sets.sets[*set as usize].len() > 2;
    let polygons: Vec<u32> = (0..to_u32(sets.sets.len())).filter(is_polygon).collect();
    if polygons.is_empty() {
        return;
    }
    let repeated = repeated(sets, [a, b]);
    let areas = parallel::map_items(&polygons, RUN, |&set| {
        let [ta, tb] = sets.triangles[set as usize];
        let (ta, tb) = (a.triangle(ta), b.triangle(tb));
        let before = repeated.partition_point(|(of, _)| *of < set);
        let cutters: Vec<Triangle> =
            repeated[before..].iter().take_while(|(of, _)| *of == set).map(|(_, t)| *t).collect();
        if cutters.is_empty() {
            let corners: Vec<SharedPoint> =
                sets.sets[set as usize].iter().map(|&id| sets.point(id).clone()).collect();
            return area(&corners, &ta);
        }
        new_area(&ta, &tb, cutters)
    });
    let sign = if is_mirrored(a) { -1.0 } else { 1.0 };
    let mut sums = vec![DVec3::ZERO; patches.len()];
    for (&set, area) in polygons.iter().zip(areas) {
        let face = a.oriented(sets.triangles[set as usize][0]);
        let patch = patch_of[set as usize] as usize;
        patches[patch].area += area;
        sums[patch] += unit_normal(&face) * (sign * area);
    }
    // A unit normal is off by fewer than 16 roundings, and each addition adds one of the sum so far.
    let noise = (16 + polygons.len()) as f64 * f64::EPSILON;
    for (patch, sum) in patches.iter_mut().zip(sums) {
        // Scaled first, so that the squares do not underflow.
        let largest = sum.abs().max_element();
        patch.normal = (largest > noise * patch.area).then(|| (sum / largest).normalize() + DVec3::ZERO);
    }
}

/// Returns the area of what two coplanar triangles share outside of others.
fn new_area(a: &Triangle, b: &Triangle, others: Vec<Triangle>) -> f64 {
    let all: Vec<Triangle> = others.iter().copied().chain([*b]).collect();
    let Some(section) = Section::of(a, &all) else { return 0.0 };
    let cells = section.cells_within(b, &others);
    let of = |cell| {
        let corners: Vec<SharedPoint> = section.corners(cell).into_iter().map(SharedPoint::from).collect();
        area(&corners, a)
    };
    cells.iter().map(of).sum()
}

fn is_mirrored(body: &PosedModel) -> bool {
    let [x, y, z] = body.pose.rows.map(|[x, y, z, _]| DVec3::new(x, y, z));
    x.dot(y.cross(z)) < 0.0
}

/// Returns the triangles that repeat a part of a set's area, ascending by set: triangles in the same
/// plane that share another polygon with one of its triangles, in an earlier pair. Meshes that do not lie
/// on themselves have none.
///
/// A point of the set of (s, t) that lies in the set of an earlier pair (u, v), with u < s or u = s and v <
/// t, also lies in the set of (u, t), or of (s, v).
fn repeated(sets: &Sets, bodies: [&PosedModel; 2]) -> Vec<(u32, Triangle)> {
    let mut found = Vec::new();
    for (side, other) in [(0, bodies[1]), (1, bodies[0])] {
        let number = |set: u32| sets.triangles[set as usize][1 - side];
        for in_one in in_triangles(sets, side) {
            let polygons = in_one.iter().filter(|&&set| sets.sets[set as usize].len() > 2);
            let boxes: Vec<(u32, Aabb)> = polygons.map(|&set| (set, sets.bounds(set))).collect();
            overlapping(&boxes, |x, y| {
                let [first, second] = [x.min(y), x.max(y)];
                let [t, u] = [first, second].map(|set| other.triangle(number(set)));
                if insides_meet(&t, &u) {
                    found.push((second, t));
                }
            });
        }
    }
    // The triangles of one set in the order of their sets, so that sums do not depend on the sweep.
    found.sort_by(|x, y| {
        let coordinates = |t: &Triangle| t.map(|p| p.to_array());
        x.0.cmp(&y.0).then_with(|| {
            coordinates(&x.1).partial_cmp(&coordinates(&y.1)).expect("posed coordinates are numbers")
        })
    });
    found
}

/// True when the insides of two triangles in one plane share a point: no edge has one on its outer side.
fn insides_meet(t: &Triangle, u: &Triangle) -> bool {
    let Some(projection) = projection_of(t[0], t[1], t[2]) else { return false };
    !has_beyond(t, u, projection) && !has_beyond(u, t, projection)
}

/// True when an edge of `t` has all of the other on its outer side or on its line.
fn has_beyond(t: &Triangle, other: &Triangle, projection: Projection) -> bool {
    let [t, other] = [t, other].map(|t| t.map(|p| projection.of(p)));
    let inner = orient2d(t[0], t[1], t[2]);
    (0..3).any(|k| other.iter().all(|&p| orient2d(t[k], t[(k + 1) % 3], p) != inner))
}

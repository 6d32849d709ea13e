//! Refinement of the patch with the largest bound: a better bound, or smaller patches.

use super::candidates::Candidate;
use super::patch::{Class, Patch};
use super::polygon::{Plane, Polygon};
use super::search::DepthSearch;
use super::split;
use closefit_geometry::bounds::aabb::Aabb;

/// A patch with more cutters than this is cut before anything else is tried.
const CROWDED: u32 = 8;

/// The number of passing cutters that are compared.
const MOST_COMPARED: u32 = 8;

/// The number of moves that may fail before most have to succeed.
const FEW_MOVES: usize = 4;

impl DepthSearch<'_> {
    /// Refines a patch until its bound is no longer the largest, or replaces it by smaller patches.
    pub fn refine(&mut self, side: u8, patch: &mut Patch, mut at_most: f64) {
        loop {
            if at_most <= self.limit() {
                self.discard(at_most);
                return;
            }
            if at_most < self.next_bound() {
                self.offer_patch(side, at_most, || *patch);
                return;
            }
            let solid = self.solid(side);
            let (few, convex) = (solid.is_few(), solid.is_convex());
            let early = (patch.level == 0 && !few) || patch.level == 2;
            let late = patch.level > 2 && patch.level % 3 == 2;
            let move_now = !convex && (!self.is_clash() || late || (early && self.moves_pay()));
            let crowded = patch.cutters[1] - patch.cutters[0] > CROWDED;
            let look_first =
                self.is_clash() && patch.class == Class::Inside && !patch.is_looked_up && !convex;
            if !patch.is_moved && move_now && !crowded && !look_first {
                patch.is_moved = true;
                self.asked_singly += 1;
                let moved_by = self.move_out(side, patch);
                self.moves[0] += 1;
                self.moves[1] += usize::from(moved_by.is_some());
                at_most = moved_by.map_or(at_most, |moved_by| at_most.min(moved_by));
            } else if !patch.is_looked_up && !convex {
                patch.is_looked_up = true;
                self.asked_singly += 1;
                let far = match patch.near {
                    Some(t) => self.solid(side).farthest(&patch.polygon, t).0,
                    None => patch.polygon.corners()[0],
                };
                let solid = self.solid_mut(side);
                if let Some(nearest) = solid.nearest_to_all(&patch.polygon, far, at_most) {
                    patch.near = Some(nearest.triangle);
                    at_most = at_most.min(solid.at_most(nearest.squared, patch.polygon.drift));
                    for v in self.surface(side).body.mesh.triangles()[patch.triangle as usize] {
                        self.near[side as usize].set(v, nearest.triangle);
                    }
                }
            } else if patch.class == Class::Mixed {
                self.cut(side, patch, at_most);
                return;
            } else {
                self.halve(side, patch, at_most);
                return;
            }
        }
    }

    /// True while most moves of patches have proved a bound, or few have been tried.
    fn moves_pay(&self) -> bool {
        let [tried, proved] = self.moves;
        2 * proved + FEW_MOVES >= tried
    }

    /// Replaces a patch by its parts. Each part keeps the nearer of two triangles: the patch's and another.
    fn divide(
        &mut self,
        side: u8,
        patch: &Patch,
        parts: &[Polygon; 2],
        at_most: f64,
        used: Option<u32>,
        other: Option<u32>,
    ) {
        let own = Plane::of(&self.surface(side).triangle(patch.triangle));
        for polygon in parts {
            if polygon.is_empty() {
                continue;
            }
            let solid = &self.parts[1 - side as usize];
            let noise = 4.0 * (polygon.drift + solid.error);
            let cutters = self.patches.filter(patch.cutters, |c| {
                Some(c) != used && crosses(&solid.triangle(c), polygon, own, noise)
            });
            let class = match patch.class {
                Class::Mixed if cutters[0] == cutters[1] => Class::Cell,
                class => class,
            };
            let way = solid.way_out_of(polygon);
            let (at_most, near) = self.by_near(side, polygon, [patch.near, other], at_most.min(way.at_most));
            self.offer_patch(side, at_most, || Patch {
                polygon: *polygon,
                class,
                cutters,
                way,
                near,
                level: patch.level + 1,
                is_moved: false,
                is_looked_up: false,
                ..*patch
            });
        }
    }

    /// Cuts a patch along the plane of a triangle that may pass through it. Among those compared, it takes
    /// the triangle that leaves most on both sides.
    fn cut(&mut self, side: u8, patch: &mut Patch, at_most: f64) {
        let solid = self.solid(side);
        let noise = 4.0 * (patch.polygon.drift + solid.error);
        let mut best = (noise, None);
        let mut passing = 0;
        for &cutter in self.patches.cutters(patch.cutters) {
            let Some(plane) = Plane::of(&solid.triangle(cutter)) else { continue };
            let heights = patch.polygon.heights(|p| plane.height(p));
            let [lo, hi] = patch.polygon.range(&heights);
            let smaller_side = hi.min(-lo);
            passing += u32::from(smaller_side > noise);
            if smaller_side > best.0 {
                best = (smaller_side, Some((cutter, heights)));
            }
            if passing == MOST_COMPARED {
                break;
            }
        }
        let Some((cutter, heights)) = best.1 else {
            patch.class = Class::Cell;
            self.halve(side, patch, at_most);
            return;
        };
        // A polygon with too many corners to split is halved, and keeps the cutter.
        match patch.polygon.split(&heights) {
            Some(parts) => self.divide(side, patch, &parts, at_most, Some(cutter), None),
            None => self.divide(side, patch, &patch.polygon.halved(), at_most, None, None),
        }
    }

    /// Finds points inside, or proves that all are outside, or halves the patch.
    fn halve(&mut self, side: u8, patch: &Patch, mut at_most: f64) {
        let drift = patch.polygon.drift;
        let governed = split::governed(self.solid(side), patch);
        let centre = patch.polygon.centre();
        // The mean of the corners is within their drift of the polygon, plus a few roundings.
        let off = drift + 16.0 * f64::EPSILON * centre.abs().max_element();
        let far =
            Candidate { at: governed.far, drift, near: patch.near, is_inside: patch.class == Class::Inside };
        let (mut inside, _) = self.try_candidate(side, far);
        if !self.solid(side).is_convex() {
            inside &= self.try_candidate(side, Candidate { at: centre, drift: off, ..far }).0;
        }
        if !inside
            && at_most > self.limit()
            && let Some(moved_by) = self.shrink_out(side, patch)
        {
            at_most = at_most.min(moved_by);
        }
        if at_most <= self.limit() {
            self.discard(at_most);
            return;
        }
        // When rounding is much of the remaining gap between the bounds, smaller patches do not narrow it.
        if drift + self.solid(side).error > 0.125 * (at_most - self.at_least) {
            self.blurred = Some(at_most);
            return;
        }
        let (parts, nearest) = split::parts(self.solid_mut(side), patch, &governed, at_most);
        self.divide(side, patch, &parts, at_most, None, nearest);
    }
}

/// False only if a triangle does not reach the interior of a polygon.
fn crosses(t: &[glam::DVec3; 3], polygon: &Polygon, own: Option<Plane>, noise: f64) -> bool {
    let mut bounds = Aabb::of(polygon.corners().iter().copied());
    bounds.lo -= noise;
    bounds.hi += noise;
    if !bounds.meets(&Aabb::of(*t)) {
        return false;
    }
    if let Some(plane) = Plane::of(t) {
        let [lo, hi] = polygon.range(&polygon.heights(|p| plane.height(p)));
        if lo > -noise || hi < noise {
            return false;
        }
    }
    let Some(own) = own else { return true };
    let corners = polygon.corners();
    (0..corners.len()).all(|k| {
        let (p, q) = (corners[k], corners[polygon.next(k)]);
        let Some(edge) = (q - p).try_normalize() else { return true };
        let outward = edge.cross(own.normal);
        !t.iter().all(|x| outward.dot(*x - p) > -noise)
    })
}

//! The depth of the overlap of two parts in exact arithmetic: the largest distance from a point of one part's
//! surface inside the other's solid to that solid's surface, as a certified bracket.
//!
//! One best-first search runs over patches of both surfaces. The distance to one triangle is convex, so its
//! maximum over a patch is at a corner. The smallest such maximum over the solid's triangles bounds a patch
//! from above, and the distance of any of its points inside bounds the depth from below. Another upper bound
//! is the distance by which a patch must be moved to lie outside as a whole: the surface is then in between.
//! Surface triangles that meet the solid's surface are cut into exact cells (`clip`) when their bound
//! matters, so a patch never passes through the surface; the others lie inside or outside as a whole.

pub mod clip;
mod fine;
mod needle;
mod patch;
mod peel;
pub mod spot;
mod surface;
#[cfg(test)]
mod tests;

use std::collections::{BinaryHeap, HashMap};

use glam::DVec3;

use super::{Deepest, DepthQuestion, Found, RATIO};
use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use crate::query::winding::inside;
use clip::Section;
use closefit_geometry::exact::distance::distance_of_point;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::rational_point::RationalPoint;
use fine::Fine;
use patch::{Bound, Corner, Patch, centre, split, spots};
use peel::peel;
use spot::{Rounded, Spot};
use surface::Direction;
pub use surface::{nearest_closed, nearest_within, seam_contacts};

/// Limits of the search: it gives up after this many patches plus this many per surface triangle. They bound
/// its time, and no ordinary pair comes near.
const MOST_PATCHES: usize = 1 << 17;
const MOST_PATCHES_PER_TRIANGLE: usize = 16;

/// The share of the solid's size below which a depth counts as shallow.
const SHALLOW: f64 = 1.0 / (1 << 20) as f64;

/// The share of the gap between the bounds above which rounding counts as much of it.
const BLURRED: f64 = 0.25;

/// A patch is divided along a triangle's projected edge if it reaches farther over it, on both sides, than
/// this share of the distance within which patches count as near. Points that reach less far over an edge are
/// as near to the triangle as to its plane, to within 1 %.
const OVERHANG: f64 = 0.125;

/// Returns the depth of two parts with the given contacts (sorted triangle pairs). At least one part has a
/// solid. `most` is a known upper bound, or infinity.
pub fn depth(
    a: &PosedModel,
    b: &PosedModel,
    contacts: &[[u32; 2]],
    question: DepthQuestion,
    most: f64,
) -> Found {
    let swapped = contacts.iter().map(|&[ta, tb]| [tb, ta]);
    let directions = [Direction::of(0, [a, b], contacts.iter().copied()), Direction::of(1, [b, a], swapped)];
    let measured = directions.into_iter().flatten().filter(|direction| question.measured[direction.side]);
    let directions: Vec<Direction> = measured.collect();
    let extent = directions.iter().map(|d| d.solid.bounds().diagonal()).fold(0.0, f64::max);
    // For smaller depths, the blur of points in f64 is more than the bracket may be wide.
    if most > spot::BLUR / BLURRED / (RATIO - 1.0) * extent
        && let Outcome::Found(found) = ExactDepth::<Rounded>::new(&directions, question, most).run()
    {
        return found;
    }
    match ExactDepth::<Fine>::new(&directions, question, most).run() {
        Outcome::Found(found) | Outcome::Blurred(found) => found,
    }
}

struct ExactDepth<'a, P> {
    directions: &'a [Direction<'a>],
    question: DepthQuestion,
    /// The number of patches after which the search gives up.
    most_patches: usize,
    heap: BinaryHeap<Patch<P>>,
    serial: usize,
    at_least: f64,
    deepest: Option<Deepest>,
    /// The largest upper bound of all discarded patches.
    discarded: f64,
}

enum Outcome {
    Found(Found),
    /// The best result with this kind of point: rounding is most of the remaining gap.
    Blurred(Found),
}

impl<'a, P: Spot> ExactDepth<'a, P> {
    fn new(directions: &'a [Direction<'a>], question: DepthQuestion, most: f64) -> Self {
        let triangles: usize = directions.iter().map(|d| d.surface.mesh.triangles().len()).sum();
        let mut search = Self {
            directions,
            question,
            most_patches: MOST_PATCHES + MOST_PATCHES_PER_TRIANGLE * triangles,
            heap: BinaryHeap::new(),
            serial: 0,
            at_least: 0.0,
            deepest: None,
            discarded: 0.0,
        };
        for (direction, d) in directions.iter().enumerate() {
            let mut known = HashMap::new();
            let mut corners = |t: u32| -> Vec<Corner<P>> {
                let vertices = d.surface.mesh.triangles()[t as usize].into_iter().zip(d.surface.triangle(t));
                let corner = |(v, p)| known.entry(v).or_insert_with(|| Corner::new(P::corner(p))).clone();
                vertices.map(corner).collect()
            };
            let mut hint = None;
            for t in d.inside() {
                hint = search.offer(direction, None, corners(t), hint, f64::INFINITY).or(hint);
            }
            for t in d.touching.triangles() {
                // A good bound of the depth inside is better than a bound of the whole triangle, and costs
                // nothing.
                if most < SHALLOW * d.solid.bounds().diagonal() {
                    let bound = Bound { nearest: u32::MAX, at_most: most, blur: 0.0 };
                    search.keep(direction, Some(t), Vec::new(), bound);
                } else {
                    search.offer(direction, Some(t), corners(t), d.touched_triangle(t), most);
                }
            }
        }
        search
    }

    /// Bounds a patch, by `most` at least, and queues it if it may hold the deepest point; returns a triangle
    /// near it.
    fn offer(
        &mut self,
        direction: usize,
        uncut: Option<u32>,
        corners: Vec<Corner<P>>,
        hint: Option<u32>,
        most: f64,
    ) -> Option<u32> {
        let solid = self.directions[direction].solid;
        // The largest distance of a corner from a triangle.
        let farthest =
            |t: u32| (t, corners.iter().map(|corner| corner.at_most(solid, t)).fold(0.0, f64::max));
        let mut best = hint.map(farthest);
        let mut deepest_corner = 0.0f64;
        if !best.is_some_and(|best| self.is_enough(best.1)) {
            let centre = Corner::new(centre(&spots(&corners)));
            for corner in std::iter::once(&centre).chain(&corners) {
                let (t, distance) = corner.nearest(solid, best.map(|best| best.0));
                deepest_corner = deepest_corner.max(distance);
                let found = farthest(t);
                if best.is_none_or(|best| found.1 < best.1) {
                    best = Some(found);
                }
                if uncut.is_none() && distance > self.at_least {
                    self.at_least = distance;
                    let on = self.directions[direction].side;
                    self.deepest = Some(Deepest { point: corner.spot.rounded(), on });
                }
                if best.is_some_and(|best| self.is_enough(best.1)) {
                    break;
                }
            }
        }
        let (nearest, mut at_most) = best?;
        at_most = at_most.min(most);
        if uncut.is_none() && !self.is_enough(at_most) {
            at_most = at_most.min(self.passing(direction, &spots(&corners), nearest, deepest_corner));
        }
        let blur =
            |Corner { spot, .. }: &Corner<P>| at_most - spot.at_least(at_most, spot.blur(solid.bounds()));
        let blur = corners.iter().map(blur).fold(0.0, f64::max);
        self.keep(direction, uncut, corners, Bound { nearest, at_most, blur });
        Some(nearest)
    }

    /// Queues a patch if its bound matters, or discards it.
    fn keep(&mut self, direction: usize, uncut: Option<u32>, corners: Vec<Corner<P>>, bound: Bound) {
        let Bound { nearest, at_most, blur } = bound;
        if self.is_enough(at_most) {
            self.discarded = self.discarded.max(at_most);
        } else {
            let serial = self.serial;
            self.serial += 1;
            self.heap.push(Patch { direction, uncut, corners, nearest, at_most, blur, serial });
        }
    }

    /// Returns a bound of a patch's depth from moving it past the surface, along the normal of the nearest
    /// triangle or its own. `depth` is the depth of its corners. Infinite if neither direction proves
    /// anything.
    fn passing(&self, direction: usize, corners: &[P], nearest: u32, depth: f64) -> f64 {
        let d = &self.directions[direction];
        let near: Vec<DVec3> = corners.iter().take(3).map(P::rounded).collect();
        let t = d.solid.triangle(nearest);
        let normal = |p: DVec3, q: DVec3, r: DVec3| (q - p).cross(r - p).normalize_or_zero();
        let outward = normal(t[0], t[1], t[2]);
        let own = if let [p, q, r] = near[..] { normal(p, q, r) } else { outward };
        // As far as the limit allows: farther out is more likely to be free.
        let height = (0.999 * self.limit()).max(depth * (1.0 + 0.4 * (RATIO - 1.0)));
        [outward, -outward, own, -own]
            .into_iter()
            .find_map(|way| d.passed_within(corners, way * height))
            .unwrap_or(f64::INFINITY)
    }

    /// Returns the largest bound of a patch that changes nothing.
    fn limit(&self) -> f64 {
        self.question.limit(self.at_least)
    }

    fn is_enough(&self, at_most: f64) -> bool {
        at_most <= self.limit()
    }

    fn run(mut self) -> Outcome {
        while let Some(patch) = self.heap.pop() {
            let (at_least, deepest, tolerance) = (self.at_least, self.deepest, self.question.tolerance);
            let at_most = patch.at_most.max(self.discarded);
            let straddles = at_least <= tolerance && tolerance < at_most;
            let is_narrow = straddles && at_most - at_least < tolerance / f64::from(1 << 30);
            let found = Found { at_least, at_most, deepest, decided: true, ended_early: false };
            if self.is_enough(at_most) || is_narrow {
                return Outcome::Found(found);
            }
            let unfinished =
                Found { decided: !straddles, ended_early: straddles || at_most > RATIO * at_least, ..found };
            if self.serial > self.most_patches {
                return Outcome::Found(unfinished);
            }
            if let Some(triangle) = patch.uncut {
                self.cut(patch.direction, triangle);
                continue;
            }
            // When rounding is much of the gap between the bounds, smaller patches do not narrow it.
            if patch.blur > BLURRED * (at_most - at_least) || !self.divide(patch) {
                return Outcome::Blurred(unfinished);
            }
        }
        let Self { at_least, deepest, discarded, .. } = self;
        Outcome::Found(Found {
            at_least,
            at_most: discarded.max(at_least),
            deepest,
            decided: true,
            ended_early: false,
        })
    }

    /// Replaces a triangle that meets the solid's surface by its cells inside.
    fn cut(&mut self, direction: usize, triangle: u32) {
        let d = &self.directions[direction];
        let t = d.surface.triangle(triangle);
        let cutters: Vec<Triangle> = d.touching.of_triangle(triangle).map(|c| d.cutter(c)).collect();
        count(Work::exact(cutters.len() as u64));
        let pieces: Vec<(Vec<RationalPoint>, RationalPoint)> = match Section::of(&t, &cutters) {
            Some(section) => {
                let cells = section.cells(&cutters).into_iter();
                cells.map(|cell| (section.corners(&cell), section.interior_point(&cell))).collect()
            }
            None => needle::pieces(&t, &cutters),
        };
        // A piece in one of the solid's faces is not inside, whichever way a ray from it goes.
        let is_on_surface = |p: &RationalPoint| {
            count(Work::exact(cutters.len() as u64));
            cutters.iter().any(|t| p.side(t).is_eq() && distance_of_point(p, t) == 0.0)
        };
        for (corners, inner) in pieces {
            if inside(d.solid, &inner) && !is_on_surface(&inner) {
                let corners = corners.iter().map(|p| Corner::new(P::rational(p))).collect();
                self.offer(direction, None, corners, None, f64::INFINITY);
            }
        }
    }

    /// Divides a patch at the triangle nearest to its farthest corner: along the projected edge that leaves
    /// most on both sides, or by cutting off what lies near that triangle. Returns false if rounding forbids
    /// it.
    fn divide(&mut self, patch: Patch<P>) -> bool {
        let Patch { direction, corners, nearest, at_most, .. } = patch;
        let solid = self.directions[direction].solid;
        let distances = corners.iter().map(|corner| corner.at_most(solid, nearest)).enumerate();
        let Some((far, _)) = distances.max_by(|x, y| x.1.total_cmp(&y.1)) else { return false };
        let (other, _) = corners[far].nearest(solid, None);
        let within = self.limit().max(0.5 * (corners[far].at_most(solid, other) + at_most));
        let spots = spots(&corners);
        let triangle = solid.triangle(other);
        let along_edges = (0..3).map(|edge| P::inward_of(&spots, &triangle, edge));
        let halves = match along_edges.max_by(|x, y| x.1.total_cmp(&y.1)) {
            Some((heights, reach)) if reach > OVERHANG * within => Some(split(&corners, &heights)),
            _ => peel(&corners, far, within, |corner| corner.at_most(solid, other)),
        };
        let Some([near, rest]) = halves else { return false };
        for (half, hint) in [(near, other), (rest, nearest)] {
            if !half.is_empty() {
                self.offer(direction, None, half, Some(hint), at_most);
            }
        }
        true
    }
}

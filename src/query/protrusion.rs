//! The largest distance of any point of some surfaces from bodies, 0 in a solid, as a certified bracket: how
//! far they reach out. It is the directed Hausdorff distance to the solids and open surfaces.
//!
//! One best-first search runs over triangular pieces of the surfaces, the piece with the largest bound first.
//! The distance from one triangle is convex, so its maximum over a piece is at a corner; the smallest such
//! maximum over some triangles near the piece bounds it (Tang et al. 2009, section 4). The distance from
//! solids changes no faster than the point moves, so the distance at a corner or in the middle, or the depth
//! there, bounds the piece as well. A point of the surfaces bounds the answer from below.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::depth::exact::spot::{Rounded, Spot};
use super::depth::nearest_closed;
use super::vertex_distances::{Others, is_within};
use crate::bvh::posed_model::PosedModel;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::parallel;

/// The ratio of upper to lower bound at which a bracket is narrow enough, however small the precision.
const RATIO: f64 = 1.01;

/// Limits of the search: it gives up after this many pieces plus this many per triangle. They bound its time.
const MOST_PIECES: usize = 1 << 18;
const MOST_PIECES_PER_TRIANGLE: usize = 16;

/// Number of consecutive vertices in a task. They are often near each other, and so are their closest
/// triangles.
const CHUNK: usize = 256;

/// A bracket of how far surfaces reach out of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Protrusion {
    /// Some point lies this far out.
    pub at_least: f64,
    /// No point lies farther out.
    pub at_most: f64,
    /// The point that lies `at_least` out, within rounding of the surface; `None` if that is 0.
    pub point: Option<DVec3>,
    /// The surface that has the point, by its index.
    pub surface: usize,
    /// True if the search gave up with a bracket wider than requested.
    pub ended_early: bool,
}

/// Returns how far surfaces reach out of bodies, as a bracket that is as narrow as the precision, or 1 % of
/// the answer if that is more. `None` if it is cancelled. There is a body.
pub fn protrusion(
    surfaces: &[&PosedModel],
    bodies: &[&PosedModel],
    precision: f64,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<Protrusion> {
    let around = surfaces.iter().fold(Aabb::EMPTY, |all, surface| all.union(*surface.bounds()));
    let seam_width = bodies.iter().map(|body| body.seam_width()).fold(0.0, f64::max);
    let bodies = Bodies { others: Others::near(bodies, &around), seam_width };
    let mut search = Search::new(&bodies, precision);
    let mut starts = Vec::new();
    for (index, surface) in surfaces.iter().enumerate() {
        let corners = corners_of(surface, &bodies, cancelled)?;
        for triangle in surface.mesh.triangles() {
            let corners = triangle.map(|vertex| corners[vertex as usize]);
            corners.iter().for_each(|corner| search.offer_point(corner, index));
            starts.push((index, corners));
        }
    }
    search.most = MOST_PIECES + MOST_PIECES_PER_TRIANGLE * starts.len();
    for (number, (index, corners)) in starts.into_iter().enumerate() {
        if number % CHUNK == 0 && cancelled() {
            return None;
        }
        search.offer(index, corners, f64::INFINITY);
    }
    search.run(cancelled)
}

/// Returns what is known of each vertex of a surface.
fn corners_of(
    surface: &PosedModel,
    bodies: &Bodies,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Corner>> {
    let vertices = surface.mesh.vertices();
    let runs = parallel::map_runs(vertices.len(), CHUNK, |run| {
        let mut hint = None;
        let of_vertex = |&vertex: &DVec3| {
            let corner = bodies.look(Rounded::corner(surface.pose.apply(vertex)), hint);
            hint = Some(corner.nearest);
            corner
        };
        (!cancelled()).then(|| vertices[run].iter().map(of_vertex).collect::<Vec<_>>())
    });
    Some(runs.into_iter().collect::<Option<Vec<_>>>()?.concat())
}

/// The bodies from which points are measured.
struct Bodies<'a> {
    others: Others<'a>,
    /// A bound of how far the seams of their solids are from their triangles.
    seam_width: f64,
}

/// A point, with what is known about it.
#[derive(Clone, Copy)]
struct Corner {
    spot: Rounded,
    /// The body, by its index, and the triangle that is nearest, or that is nearest of a body that holds it.
    nearest: (usize, u32),
    /// A lower bound of the distance from all bodies.
    at_least: f64,
    /// An upper bound of the distance, which counts as negative in a solid: no point is farther out than this
    /// and its own distance from here.
    excess: f64,
}

impl Corner {
    /// Returns a bound of the distance from any point within the drift of one corner to any within another's.
    fn distance(&self, other: &Self) -> f64 {
        self.spot.step_to(&other.spot) + other.spot.error()
    }
}

impl Bodies<'_> {
    /// Finds what is known of a point. `hint` affects only the time.
    fn look(&self, spot: Rounded, hint: Option<(usize, u32)>) -> Corner {
        let p = spot.rounded();
        let mut deepest: Option<(f64, usize, u32)> = None;
        for (index, body) in self.others.bodies().iter().enumerate().filter(|(_, body)| is_within(body, p)) {
            let of_body = hint.filter(|&(at, triangle)| at == index && body.is_closed(triangle));
            let (triangle, depth) = nearest_closed(body, &spot, of_body.map(|(_, triangle)| triangle));
            let depth = depth - self.seam_width;
            if deepest.is_none_or(|(known, ..)| depth > known) {
                deepest = Some((depth, index, triangle));
            }
        }
        if let Some((depth, index, triangle)) = deepest {
            return Corner { spot, nearest: (index, triangle), at_least: 0.0, excess: -depth };
        }
        let (at_most, index, triangle) = self.others.nearest(&spot, hint);
        let at_least = spot.at_least(at_most, spot.blur(self.others.around())) - self.seam_width;
        Corner { spot, nearest: (index, triangle), at_least: at_least.max(0.0), excess: at_most }
    }

    /// Returns an upper bound of the distance of all points of a piece from one triangle.
    fn largest_from_triangle(&self, corners: &[Corner; 3], (body, triangle): (usize, u32)) -> f64 {
        let triangle = self.others.bodies()[body].triangle(triangle);
        let of_corner = |corner: &Corner| {
            let blur = corner.spot.blur(self.others.around());
            corner.spot.at_most(&triangle, blur, f64::INFINITY).unwrap_or(f64::INFINITY)
        };
        corners.iter().map(of_corner).fold(0.0, f64::max)
    }

    /// Returns an upper bound of how far any point of a piece is out, from what is known of one point of it.
    fn bound(&self, corners: &[Corner; 3], known: &Corner) -> f64 {
        let reach = corners.iter().map(|corner| known.distance(corner)).fold(0.0, f64::max);
        let by_ball = (known.excess + reach) * (1.0 + f64::EPSILON);
        by_ball.max(0.0).min(self.largest_from_triangle(corners, known.nearest))
    }
}

/// A piece of a surface.
struct Piece {
    /// An upper bound of how far any of its points is out.
    at_most: f64,
    /// The order of insertion, to break ties.
    serial: usize,
    surface: usize,
    corners: [Corner; 3],
}

impl Ord for Piece {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at_most.total_cmp(&other.at_most).then(other.serial.cmp(&self.serial))
    }
}

impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Piece {}

struct Search<'a> {
    bodies: &'a Bodies<'a>,
    precision: f64,
    heap: BinaryHeap<Piece>,
    /// The number of pieces that were made.
    made: usize,
    /// The number of pieces after which the search gives up.
    most: usize,
    /// The largest upper bound of all pieces that are not kept.
    discarded: f64,
    at_least: f64,
    /// The point that is `at_least` out, and its surface.
    farthest: Option<(DVec3, usize)>,
}

impl<'a> Search<'a> {
    fn new(bodies: &'a Bodies<'a>, precision: f64) -> Self {
        let heap = BinaryHeap::new();
        Self { bodies, precision, heap, made: 0, most: 0, discarded: 0.0, at_least: 0.0, farthest: None }
    }

    /// Returns the largest bound that changes nothing.
    fn limit(&self) -> f64 {
        (self.at_least + self.precision).max(RATIO * self.at_least)
    }

    fn offer_point(&mut self, corner: &Corner, surface: usize) {
        if corner.at_least > self.at_least {
            self.at_least = corner.at_least;
            self.farthest = Some((corner.spot.rounded(), surface));
        }
    }

    /// Bounds a piece, no worse than by the bound that is known, and keeps it if it matters.
    fn offer(&mut self, surface: usize, corners: [Corner; 3], known: f64) {
        let mut at_most = known;
        for corner in &corners {
            at_most = at_most.min(self.bodies.bound(&corners, corner));
        }
        if at_most > self.limit() {
            let [a, b, c] = corners.map(|corner| corner.spot);
            let inner = self.bodies.look(a.halfway(&b).halfway(&c), Some(corners[2].nearest));
            self.offer_point(&inner, surface);
            at_most = at_most.min(self.bodies.bound(&corners, &inner));
        }
        if at_most > self.limit() {
            self.heap.push(Piece { at_most, serial: self.made, surface, corners });
        } else {
            self.discarded = self.discarded.max(at_most);
        }
        self.made += 1;
    }

    /// Searches until the bracket is narrow enough; `None` if it is cancelled.
    fn run(&mut self, cancelled: &dyn Fn() -> bool) -> Option<Protrusion> {
        let mut ended_early = false;
        let mut rest = 0.0;
        while let Some(top) = self.heap.pop() {
            if top.at_most <= self.limit() || self.made > self.most {
                ended_early = top.at_most > self.limit();
                rest = top.at_most;
                break;
            }
            if top.serial % CHUNK == 0 && cancelled() {
                return None;
            }
            self.halve(top);
        }
        let (point, surface) = self.farthest.unzip();
        let at_most = rest.max(self.discarded).max(self.at_least);
        let surface = surface.unwrap_or_default();
        Some(Protrusion { at_least: self.at_least, at_most, point, surface, ended_early })
    }

    /// Cuts a piece in the middle of its longest edge.
    fn halve(&mut self, Piece { at_most, surface, corners, .. }: Piece) {
        let length = |k: usize| corners[k].spot.rounded().distance(corners[(k + 1) % 3].spot.rounded());
        let k = (1..3).fold(0, |longest, k| if length(k) > length(longest) { k } else { longest });
        let [a, b, c] = [0, 1, 2].map(|i| corners[(k + i) % 3]);
        let middle = self.bodies.look(a.spot.halfway(&b.spot), Some(a.nearest));
        self.offer_point(&middle, surface);
        // The edge that is cut next comes first most times.
        self.offer(surface, [c, a, middle], at_most);
        self.offer(surface, [b, c, middle], at_most);
    }
}

//! The points that two triangles share: nothing, a point, a segment, or a convex polygon of at most six
//! corners.
//!
//! A corner of the shared set is the only common point of a face of each triangle (a corner, an edge or
//! the whole), inside both: so it is a corner of one that lies in the other, the crossing of two edges,
//! or the crossing of an edge with a triangle. Exact signs find these, for degenerate and coplanar triangles
//! too, and integers construct them.

use std::cmp::Ordering::{Equal, Greater, Less};

use glam::DVec3;

use super::contact::point_in_area;
use super::features::EDGES;
use super::shared_point::{SharedPoint, turn};
use super::sides::{side, sides};
use crate::math::Triangle;
use crate::math::grid::{Grid, cross, dot, sub};
use crate::math::predicates::{self, Projection, Sign, extremes, orient2d, projection_of};

/// A corner of the set that two triangles share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meeting {
    /// A corner of the first that lies in the second.
    OfFirst(DVec3),
    /// A corner of the second that lies in the first.
    OfSecond(DVec3),
    /// Inner points of two edges that cross.
    Edges([DVec3; 2], [DVec3; 2]),
    /// An inner point of an edge of the first that passes through the inside of the second.
    EdgeThroughSecond([DVec3; 2]),
    /// An inner point of an edge of the second that passes through the inside of the first.
    EdgeThroughFirst([DVec3; 2]),
}

/// Returns the corners of the set that two triangles share; a corner that both have comes twice. Empty for
/// triangles that do not meet.
pub fn meetings(a: &Triangle, b: &Triangle) -> Vec<Meeting> {
    let (a, b) = (Simplex::of(a), Simplex::of(b));
    let (of_a, of_b) = (b.sides(&a), a.sides(&b));
    let mut found = Vec::new();
    if is_beside(&of_a[..a.count]) || is_beside(&of_b[..b.count]) {
        return found;
    }
    for (k, &p) in a.corners().iter().enumerate() {
        if b.holds(p, of_a[k]) {
            found.push(Meeting::OfFirst(p));
        }
    }
    for (k, &p) in b.corners().iter().enumerate() {
        if a.holds(p, of_b[k]) {
            found.push(Meeting::OfSecond(p));
        }
    }
    found.extend(a.edges_through(&b, of_a).map(Meeting::EdgeThroughSecond));
    found.extend(b.edges_through(&a, of_b).map(Meeting::EdgeThroughFirst));
    for e in a.edges() {
        found
            .extend(b.edges().filter(|f| crossing_projection(e, *f).is_some()).map(|f| Meeting::Edges(e, f)));
    }
    found
}

/// True when two triangles of one surface share more than the vertices and edges that they have in common, by
/// the positions of their corners.
pub fn shares_more(a: &Triangle, b: &Triangle) -> bool {
    if touches_in_corners(b, a) || touches_in_corners(a, b) {
        return false;
    }
    let is_more = |meeting: &Meeting| match meeting {
        Meeting::OfFirst(p) => !b.contains(p),
        Meeting::OfSecond(p) => !a.contains(p),
        // A corner of a triangle without an area may be an inner point of its edge.
        Meeting::Edges([p, q], [r, s]) => {
            let is_there = |c: DVec3| predicates::collinear(*p, *q, c) && predicates::collinear(*r, *s, c);
            !a.iter().any(|c| b.contains(c) && is_there(*c))
        }
        _ => true,
    };
    let repeats = || a.iter().all(|p| b.contains(p)) && projection_of(a[0], a[1], a[2]).is_some();
    meetings(a, b).iter().any(is_more) || repeats()
}

/// True when all corners that only the first triangle has lie strictly on one side of the other's plane, and
/// there are any: it shares only a corner with that plane, or an edge, or nothing.
fn touches_in_corners(t: &Triangle, plane: &Triangle) -> bool {
    let sides = sides(t, plane);
    let mut own = (0..3).filter(|&k| !plane.contains(&t[k])).map(|k| sides[k]);
    own.next().is_some_and(|first| first.is_ne() && own.all(|side| side == first))
}

/// Returns the corners of the set that two triangles share: one for a point, two for a segment, in
/// ascending order of their coordinates, or the corners of a polygon, from the lowest on, counterclockwise as
/// seen from the side to which the normal of `a` points. Empty for triangles that do not meet.
pub fn shared_set(a: &Triangle, b: &Triangle) -> Vec<SharedPoint> {
    let mut points: Vec<SharedPoint> =
        meetings(a, b).iter().map(|meeting| construct(a, b, meeting)).collect();
    points.sort_by(SharedPoint::compare);
    points.dedup_by(|p, q| p.compare(q).is_eq());
    if let [lowest, rest @ ..] = &mut points[..]
        && rest.len() > 1
    {
        let projection = projection_of(a[0], a[1], a[2]).expect("triangles that share a polygon have areas");
        let [p, q, r] = a.map(|p| projection.of(p));
        let forward = orient2d(p, q, r);
        // All corners are extreme points, so no two of them are in line with the lowest.
        rest.sort_by(|p, q| if turn(projection, [lowest, p, q]) == forward { Less } else { Greater });
    }
    points
}

fn construct(a: &Triangle, b: &Triangle, meeting: &Meeting) -> SharedPoint {
    match *meeting {
        Meeting::OfFirst(p) | Meeting::OfSecond(p) => SharedPoint::at(p),
        Meeting::EdgeThroughSecond(edge) => through(edge, b),
        Meeting::EdgeThroughFirst(edge) => through(edge, a),
        Meeting::Edges([p, q], [r, s]) => {
            let projection = crossing_projection([p, q], [r, s]).expect("edges that cross");
            let grid = Grid::of(&[p, q, r, s]);
            let [p, q, r, s] = [p, q, r, s].map(|p| grid.vector(p));
            let along = sub(&s, &r);
            let [h, g] = [&p, &q].map(|p| cross(&along, &sub(p, &r))[projection as usize].clone());
            SharedPoint::between([&p, &q], [&h, &g], grid)
        }
    }
}

/// Returns the point in which an edge passes through the plane of a triangle.
fn through([p, q]: [DVec3; 2], t: &Triangle) -> SharedPoint {
    let grid = Grid::of(t.iter().chain([&p, &q]));
    let ([p, q], t) = ([p, q].map(|p| grid.vector(p)), t.map(|p| grid.vector(p)));
    let normal = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
    let [h, g] = [&p, &q].map(|p| dot(&normal, &sub(p, &t[0])));
    SharedPoint::between([&p, &q], [&h, &g], grid)
}

/// A triangle as what it is: with an area, a segment, or a point.
struct Simplex {
    /// The corners; the first `count` differ and span it.
    corners: Triangle,
    count: usize,
    /// A projection that preserves its area, if it has one.
    projection: Option<Projection>,
}

impl Simplex {
    fn of(t: &Triangle) -> Self {
        let projection = projection_of(t[0], t[1], t[2]);
        if projection.is_some() {
            return Self { corners: *t, count: 3, projection };
        }
        let [low, high] = extremes(t);
        Self { corners: [low, high, high], count: if low == high { 1 } else { 2 }, projection }
    }

    fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    fn edges(&self) -> impl Iterator<Item = [DVec3; 2]> + '_ {
        let count = [0, 0, 1, 3][self.count];
        EDGES[..count].iter().map(|&[i, j]| [self.corners[i], self.corners[j]])
    }

    /// Returns the sides of another's corners with respect to the plane; all are on it without an area.
    fn sides(&self, other: &Self) -> [Sign; 3] {
        if self.projection.is_some() { sides(&other.corners, &self.corners) } else { [Equal; 3] }
    }

    /// True when a point on this side of the plane lies in the triangle or on its border.
    fn holds(&self, p: DVec3, side: Sign) -> bool {
        let t = &self.corners;
        match self.projection {
            Some(projection) => side.is_eq() && point_in_area(projection.of(p), &t.map(|p| projection.of(p))),
            None => {
                let is_between = t[0].to_array() <= p.to_array() && p.to_array() <= t[1].to_array();
                is_between && predicates::collinear(t[0], t[1], p)
            }
        }
    }

    /// Returns the edges that pass through the inside of another triangle. `sides` are the sides of the
    /// corners with respect to its plane.
    fn edges_through(&self, other: &Self, sides: [Sign; 3]) -> impl Iterator<Item = [DVec3; 2]> {
        let t = &other.corners;
        let count = [0, 0, 1, 3][self.count];
        let passes = move |&[i, j]: &[usize; 2]| {
            let [p, q] = [self.corners[i], self.corners[j]];
            sides[i].is_ne() && sides[i] == sides[j].reverse() && {
                let turns = EDGES.map(|[i, j]| side(p, q, t[i], t[j]));
                turns[0].is_ne() && turns == [turns[0]; 3]
            }
        };
        EDGES[..count]
            .iter()
            .filter(move |edge| passes(edge))
            .map(|&[i, j]| [self.corners[i], self.corners[j]])
    }
}

/// True when all lie strictly on one side.
fn is_beside(sides: &[Sign]) -> bool {
    sides[0].is_ne() && sides.iter().all(|side| *side == sides[0])
}

/// Returns a projection that preserves the plane of two segments that cross in inner points of both; `None`
/// unless they do.
fn crossing_projection([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> Option<Projection> {
    if side(p, q, r, s).is_ne() {
        return None;
    }
    // Inner points alone cross, so no end lies on the other's line.
    let projection = projection_of(p, q, r)?;
    let [p, q, r, s] = [p, q, r, s].map(|p| projection.of(p));
    let parts = |p, q, r, s| {
        let (of_r, of_s) = (orient2d(p, q, r), orient2d(p, q, s));
        of_r.is_ne() && of_r == of_s.reverse()
    };
    (parts(p, q, r, s) && parts(r, s, p, q)).then_some(projection)
}

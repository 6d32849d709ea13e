//! Crossings: do two open surfaces pass through each other, rather than merely touch?

use std::cmp::Ordering::{self, Equal, Greater, Less};

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::fan;
use super::partners::Partners;
use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use closefit_geometry::math::Triangle;
use closefit_geometry::math::grid::{Grid, Quotient, Vector, cross, dot, sign, sub};
use closefit_geometry::math::rational_point::RationalPoint;

/// True when a contact of two triangles of open components is a crossing: they share a segment longer than
/// `tolerance`, and each has corners farther than that on both sides of the other's plane; or the segment
/// lies along an edge, and the triangles around it alternate between the parts: those that decide the order
/// have corners farther than the tolerance from each other's planes. Exact.
pub fn crossing(a: &PosedModel, b: &PosedModel, contacts: &[[u32; 2]], tolerance: f64) -> bool {
    let open: Vec<[u32; 2]> =
        contacts.iter().copied().filter(|&[ta, tb]| !a.is_closed(ta) && !b.is_closed(tb)).collect();
    let (with_a, with_b) =
        (Partners::of(open.iter().copied()), Partners::of(open.iter().map(|&[ta, tb]| [tb, ta])));
    let mut tests = 0;
    let crosses = open.iter().any(|&[ta, tb]| {
        tests += 1;
        let pair = TrianglePair::of(&a.triangle(ta), &b.triangle(tb), tolerance);
        let Some(segment) = pair.shared_segment() else { return false };
        if pair.passes_through() {
            return true;
        }
        // A triangle through the segment's middle is in contact with both triangles, so these lists are
        // complete.
        pair.along_an_edge(&segment)
            && fan::alternates(
                [(a, with_b.of_triangle(tb).collect()), (b, with_a.of_triangle(ta).collect())],
                &segment.middle(pair.grid),
                &segment.direction,
                |[ta, tb]| TrianglePair::of(&a.triangle(ta), &b.triangle(tb), tolerance).leave_planes(),
            )
    });
    count(Work::exact(tests));
    crosses
}

/// Two triangles with area in different planes, and the tolerance, on one grid.
struct TrianglePair {
    grid: Grid,
    a: [Vector; 3],
    b: [Vector; 3],
    normal_a: Vector,
    normal_b: Vector,
    tolerance: BigInt,
}

/// The segment that two triangles share.
struct Segment {
    direction: Vector,
    ends: [Point; 2],
}

/// A point `numerators / denominator`, the denominator positive.
#[derive(Clone)]
struct Point {
    numerators: Vector,
    denominator: BigInt,
}

impl Segment {
    fn middle(&self, grid: Grid) -> RationalPoint {
        let [p, q] = &self.ends;
        let sum =
            std::array::from_fn(|k| &p.numerators[k] * &q.denominator + &q.numerators[k] * &p.denominator);
        RationalPoint::new(sum, &p.denominator * &q.denominator * 2, grid)
    }
}

impl Point {
    fn along(&self, direction: &Vector) -> Quotient {
        Quotient { numerator: dot(&self.numerators, direction), denominator: self.denominator.clone() }
    }
}

impl TrianglePair {
    fn of(a: &Triangle, b: &Triangle, tolerance: f64) -> Self {
        let length = glam::DVec3::new(tolerance, 0.0, 0.0);
        let grid = Grid::of(a.iter().chain(b).chain(std::iter::once(&length)));
        let [a, b] = [a, b].map(|t| t.map(|p| grid.vector(p)));
        let normal = |t: &[Vector; 3]| cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
        let (normal_a, normal_b) = (normal(&a), normal(&b));
        Self { grid, a, b, normal_a, normal_b, tolerance: grid.integer(tolerance) }
    }

    /// Returns the segment that both triangles share, if it is longer than the tolerance and their planes
    /// differ.
    fn shared_segment(&self) -> Option<Segment> {
        let direction = cross(&self.normal_a, &self.normal_b);
        if direction.iter().all(Zero::is_zero) {
            return None;
        }
        let chord_a = chord(&self.a, &self.normal_b, &self.b[0], &direction)?;
        let chord_b = chord(&self.b, &self.normal_a, &self.a[0], &direction)?;
        let by = |x: &Point, y: &Point| x.along(&direction).compare(&y.along(&direction));
        let [a0, a1] = chord_a;
        let [b0, b1] = chord_b;
        let start = if by(&a0, &b0) == Less { b0 } else { a0 };
        let end = if by(&a1, &b1) == Greater { b1 } else { a1 };
        if by(&start, &end) != Less {
            return None;
        }
        // |end - start| > tolerance, with both over one denominator.
        let denominator = &start.denominator * &end.denominator;
        let apart = std::array::from_fn(|k| {
            &end.numerators[k] * &start.denominator - &start.numerators[k] * &end.denominator
        });
        let reach = &self.tolerance * &denominator;
        (dot(&apart, &apart) > &reach * &reach).then_some(Segment { direction, ends: [start, end] })
    }

    /// True when each triangle has corners farther than the tolerance on both sides of the other's plane.
    fn passes_through(&self) -> bool {
        self.sides().iter().all(|sides| sides.contains(&Less) && sides.contains(&Greater))
    }

    /// Returns for each triangle whether it has a corner farther than the tolerance from the other's plane.
    fn leave_planes(&self) -> [bool; 2] {
        self.sides().map(|sides| sides.iter().any(|side| side.is_ne()))
    }

    /// Returns for the corners of each triangle the side of the other's plane on which they lie; equal if
    /// they are no farther from it than the tolerance.
    fn sides(&self) -> [[Ordering; 3]; 2] {
        let sides = |t: &[Vector; 3], normal: &Vector, origin: &Vector| {
            let limit = &self.tolerance * &self.tolerance * dot(normal, normal);
            t.each_ref().map(|p| {
                let height = dot(normal, &sub(p, origin));
                if &height * &height > limit { sign(&height) } else { Equal }
            })
        };
        [sides(&self.a, &self.normal_b, &self.b[0]), sides(&self.b, &self.normal_a, &self.a[0])]
    }

    /// True when the segment lies on an edge of one of the triangles.
    fn along_an_edge(&self, segment: &Segment) -> bool {
        let on_edge =
            |t: &[Vector; 3]| (0..3).any(|k| segment.ends.iter().all(|p| on_line(p, &t[k], &t[(k + 1) % 3])));
        on_edge(&self.a) || on_edge(&self.b)
    }
}

fn on_line(p: &Point, from: &Vector, to: &Vector) -> bool {
    let away: Vector = std::array::from_fn(|k| &p.numerators[k] - &from[k] * &p.denominator);
    cross(&away, &sub(to, from)).iter().all(Zero::is_zero)
}

/// Returns the segment in which a triangle meets a plane, its ends ordered along a direction.
fn chord(t: &[Vector; 3], normal: &Vector, origin: &Vector, direction: &Vector) -> Option<[Point; 2]> {
    let heights = t.each_ref().map(|p| dot(normal, &sub(p, origin)));
    let mut points: Vec<Point> = Vec::new();
    for k in 0..3 {
        let (h, next) = (&heights[k], &heights[(k + 1) % 3]);
        if h.is_zero() {
            points.push(Point { numerators: t[k].clone(), denominator: BigInt::one() });
        } else if (h.is_negative() && next.is_positive()) || (h.is_positive() && next.is_negative()) {
            let mut denominator = h - next;
            let mut numerators: Vector = std::array::from_fn(|i| &t[(k + 1) % 3][i] * h - &t[k][i] * next);
            if denominator.is_negative() {
                denominator = -denominator;
                numerators = numerators.map(|x| -x);
            }
            points.push(Point { numerators, denominator });
        }
    }
    let by = |x: &&Point, y: &&Point| x.along(direction).compare(&y.along(direction));
    Some([points.iter().min_by(by)?.clone(), points.iter().max_by(by)?.clone()])
}

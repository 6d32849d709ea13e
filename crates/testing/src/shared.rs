//! The sets that triangles share, in exact rational numbers: convex sets clipped by half-spaces, one after
//! the other.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::rational::{Triangle, rational, rounded_sqrt};

/// A point with rational coordinates.
pub type Point = [BigRational; 3];

/// The points `x` with `normal . x >= least`.
type HalfSpace = (Point, BigRational);

fn minus(p: &Point, q: &Point) -> Point {
    std::array::from_fn(|k| &p[k] - &q[k])
}

fn dot(u: &Point, v: &Point) -> BigRational {
    &u[0] * &v[0] + &u[1] * &v[1] + &u[2] * &v[2]
}

fn cross(u: &Point, v: &Point) -> Point {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &u[j] * &v[k] - &u[k] * &v[j]
    })
}

fn is_zero(v: &Point) -> bool {
    v.iter().all(Zero::is_zero)
}

/// Returns the corners of a triangle that span it: three, or the two ends of a segment, or one point.
fn corners(t: &Triangle) -> Vec<Point> {
    let mut points: Vec<Point> = t.iter().map(|p| p.to_array().map(rational)).collect();
    if is_zero(&cross(&minus(&points[1], &points[0]), &minus(&points[2], &points[0]))) {
        points.sort();
        points.dedup();
        if points.len() == 3 {
            points.remove(1);
        }
    }
    points
}

/// Returns the normal of a plane.
fn normal(t: &[Point]) -> Point {
    cross(&minus(&t[1], &t[0]), &minus(&t[2], &t[0]))
}

fn from_point(normal: Point, p: &Point) -> HalfSpace {
    let least = dot(&normal, p);
    (normal, least)
}

fn negative(v: &Point) -> Point {
    v.each_ref().map(|x| -x)
}

/// Returns the half-spaces whose intersection a triangle is; those in its plane last.
fn half_spaces(t: &[Point]) -> Vec<HalfSpace> {
    let unit = |k: usize| -> Point {
        std::array::from_fn(|i| BigRational::from_integer(BigInt::from(i32::from(i == k))))
    };
    let both = |n: Point, p: &Point| [from_point(negative(&n), p), from_point(n, p)];
    match t {
        [p] => (0..3).flat_map(|k| both(unit(k), p)).collect(),
        [p, q] => {
            let along = minus(q, p);
            let across = (0..3).flat_map(|k| both(cross(&along, &unit(k)), p));
            across.chain([from_point(along.clone(), p), from_point(negative(&along), q)]).collect()
        }
        _ => both(normal(t), &t[0]).into_iter().chain(edges(t)).collect(),
    }
}

/// Returns the half-spaces on the inner sides of the edges of a convex polygon, perpendicular to its plane.
fn edges(t: &[Point]) -> impl Iterator<Item = HalfSpace> + '_ {
    let normal = normal(t);
    (0..t.len()).map(move |k| from_point(cross(&normal, &minus(&t[(k + 1) % t.len()], &t[k])), &t[k]))
}

/// Returns the part of a convex set, by its corners in order, that lies in a half-space.
fn clip(set: &[Point], (normal, least): &HalfSpace) -> Vec<Point> {
    let heights: Vec<BigRational> = set.iter().map(|p| dot(normal, p) - least).collect();
    let mut kept: Vec<Point> = Vec::new();
    for k in 0..set.len() {
        let next = (k + 1) % set.len();
        let (h, g) = (&heights[k], &heights[next]);
        if !h.is_negative() {
            kept.push(set[k].clone());
        }
        if (h.is_negative() && g.is_positive()) || (h.is_positive() && g.is_negative()) {
            let share = h / (h - g);
            let along = minus(&set[next], &set[k]);
            kept.push(std::array::from_fn(|i| &set[k][i] + &along[i] * &share));
        }
    }
    let mut unique: Vec<Point> = Vec::new();
    for p in kept {
        if !unique.contains(&p) {
            unique.push(p);
        }
    }
    unique
}

/// Returns the corners, in order, of what some triangles share; none where they share nothing.
pub fn shared(triangles: &[Triangle]) -> Vec<Point> {
    let set = corners(&triangles[0]);
    let others = triangles[1..].iter().flat_map(|t| half_spaces(&corners(t)));
    others.fold(set, |set, half_space| clip(&set, &half_space))
}

/// Returns the distance of two points, correctly rounded.
pub fn distance(p: &Point, q: &Point) -> f64 {
    let between = minus(q, p);
    rounded_sqrt(&dot(&between, &between))
}

/// Returns the length of the parts of a segment that none of the others covers.
pub fn uncovered(segment: &[Point], others: &[&[Point]]) -> f64 {
    let along = minus(&segment[1], &segment[0]);
    let squared = dot(&along, &along);
    let place = |p: &Point| dot(&minus(p, &segment[0]), &along) / &squared;
    let is_on = |p: &Point| is_zero(&cross(&minus(p, &segment[0]), &along));
    let number = |x: i32| BigRational::from_integer(BigInt::from(x));
    let mut parts = vec![(number(0), number(1))];
    for other in others.iter().filter(|other| other.iter().all(is_on)) {
        let (p, q) = (place(&other[0]), place(&other[1]));
        let (low, high) = if p < q { (p, q) } else { (q, p) };
        let cut = |(from, to): (BigRational, BigRational)| {
            let pieces = [(from.clone(), to.clone().min(low.clone())), (from.max(high.clone()), to)];
            pieces.into_iter().filter(|(from, to)| from < to)
        };
        parts = parts.into_iter().flat_map(cut).collect();
    }
    let share: BigRational = parts.into_iter().map(|(from, to)| to - from).sum();
    share.to_f64().expect("at most 1") * rounded_sqrt(&squared)
}

/// Returns the area of a convex polygon.
fn area(polygon: &[Point]) -> f64 {
    let fan =
        (2..polygon.len()).map(|k| normal(&[polygon[0].clone(), polygon[k - 1].clone(), polygon[k].clone()]));
    let sum = fan.fold(None, |sum: Option<Point>, n| match sum {
        None => Some(n),
        Some(sum) => Some(std::array::from_fn(|k| &sum[k] + &n[k])),
    });
    sum.map_or(0.0, |sum| 0.5 * rounded_sqrt(&dot(&sum, &sum)))
}

/// Returns the area of the parts of a convex polygon that none of the others covers.
pub fn uncovered_area(polygon: &[Point], others: &[&[Point]]) -> f64 {
    let mut pieces = vec![polygon.to_vec()];
    let n = normal(polygon);
    let is_on = |p: &Point| dot(&n, &minus(p, &polygon[0])).is_zero();
    for other in others.iter().filter(|other| other.iter().all(is_on)) {
        let mut next = Vec::new();
        for mut inner in pieces {
            for (normal, least) in edges(other) {
                let outer = clip(&inner, &(negative(&normal), -&least));
                if outer.len() > 2 {
                    next.push(outer);
                }
                inner = clip(&inner, &(normal, least));
                if inner.len() < 3 {
                    break;
                }
            }
        }
        pieces = next;
    }
    pieces.iter().map(|piece| area(piece)).sum()
}

/// True when a number is the f64 nearest to a rational one.
pub fn is_nearest(x: f64, exact: &BigRational) -> bool {
    let error = |x: f64| (rational(x) - exact).abs();
    let own = error(x);
    let ties_to_even = |other: f64| {
        let others = error(other);
        own < others || (own == others && x.to_bits() & 1 == 0)
    };
    ties_to_even(x.next_up()) && ties_to_even(x.next_down())
}

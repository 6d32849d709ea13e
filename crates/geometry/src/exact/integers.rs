//! Closest points of two triangles in integer arithmetic: exact, for what f64 and double-double cannot
//! decide.

use std::cmp::Ordering::Less;

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::features::{EDGES, Feature, Floats};
use crate::math::Triangle;
use crate::math::grid::{self, Grid, Quotient, Vector, cross, dot, round_quotient, round_root, sub};

/// Returns the correctly rounded distance of triangles that do not meet.
pub fn distance_apart(a: &Triangle, b: &Triangle, floats: &Floats) -> f64 {
    let closest = Integers::of(a, b).closest(&floats.candidates());
    round_root(&closest.squared.numerator, &closest.squared.denominator, closest.exponent)
}

/// Returns the closest points of triangles that do not meet (the witness points) on `a` and on `b`, each
/// coordinate rounded once. Among several closest pairs it takes the first in the order edge/edge,
/// corner/face, face/corner, and by corner index within each.
pub fn witness(a: &Triangle, b: &Triangle) -> [DVec3; 2] {
    let integers = Integers::of(a, b);
    let closest = integers.closest(&Floats::of(a, b).candidates());
    let [pa, pb] = [(&integers.a, closest.on_a), (&integers.b, closest.on_b)].map(|(t, foot)| match foot {
        Foot::Face => None,
        Foot::Corner(i) => Some((t[i].clone(), BigInt::one())),
        Foot::Edge { edge, numerator, denominator } => {
            let [p, q] = EDGES[edge].map(|i| &t[i]);
            let along = sub(q, p);
            let point = std::array::from_fn(|k| &p[k] * &denominator + &along[k] * &numerator);
            Some((point, denominator))
        }
    });
    let onto = |t: &[Vector; 3], (p, scale): &(Vector, BigInt)| {
        assert!(scale.is_one(), "only a corner projects onto a face");
        let normal = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
        let (height, squared) = (dot(&normal, &sub(p, &t[0])), dot(&normal, &normal));
        (std::array::from_fn(|k| &p[k] * &squared - &normal[k] * &height), squared)
    };
    let (pa, pb) = match (pa, pb) {
        (Some(pa), Some(pb)) => (pa, pb),
        (Some(pa), None) => (pa.clone(), onto(&integers.b, &pa)),
        (None, Some(pb)) => (onto(&integers.a, &pb), pb),
        (None, None) => unreachable!("one side of a closest pair is an edge or a corner"),
    };
    [pa, pb].map(|(p, scale)| {
        DVec3::from_array(std::array::from_fn(|k| round_quotient(&p[k], &scale, closest.exponent)))
    })
}

/// The feature of a triangle on which a closest point lies.
#[derive(Clone, Debug)]
pub enum Foot {
    Corner(usize),
    /// A point on an edge, at the fraction numerator / denominator of its length.
    Edge {
        edge: usize,
        numerator: BigInt,
        denominator: BigInt,
    },
    /// The projection of the other triangle's corner onto the face.
    Face,
}

struct Closest {
    squared: Quotient,
    /// log2 of the grid spacing.
    exponent: i32,
    on_a: Foot,
    on_b: Foot,
}

struct Integers {
    grid: Grid,
    a: [Vector; 3],
    b: [Vector; 3],
}

impl Integers {
    fn of(a: &Triangle, b: &Triangle) -> Self {
        let grid = Grid::of(a.iter().chain(b));
        Self { grid, a: a.map(|p| grid.vector(p)), b: b.map(|p| grid.vector(p)) }
    }

    fn closest(&self, candidates: &[Feature]) -> Closest {
        let mut best: Option<(Quotient, Foot, Foot)> = None;
        for &feature in candidates {
            let found = match feature {
                Feature::Edges(i, j) => Some(self.edges(i, j)),
                Feature::CornerFace(i) => {
                    corner_face(&self.a[i], &self.b).map(|d| (d, Foot::Corner(i), Foot::Face))
                }
                Feature::FaceCorner(j) => {
                    corner_face(&self.b[j], &self.a).map(|d| (d, Foot::Face, Foot::Corner(j)))
                }
            };
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| found.0.compare(&best.0).is_lt())
            {
                best = Some(found);
            }
        }
        // A corner/face candidate whose foot falls outside has its closest points on edges; those are at most
        // as far, so they are candidates too.
        let (squared, on_a, on_b) = best.expect("some edge/edge or interior corner/face pair is closest");
        Closest { squared, exponent: self.grid.exponent, on_a, on_b }
    }

    /// Returns the closest points of closed edge `i` of a and closed edge `j` of b, and their squared
    /// distance.
    fn edges(&self, i: usize, j: usize) -> (Quotient, Foot, Foot) {
        let ([p, p1], [q, q1]) = (EDGES[i].map(|k| &self.a[k]), EDGES[j].map(|k| &self.b[k]));
        let (u, v, r) = (sub(p1, p), sub(q1, q), sub(p, q));
        let (uu, vv, uv) = (dot(&u, &u), dot(&v, &v), dot(&u, &v));
        let (ur, vr) = (dot(&u, &r), dot(&v, &r));
        let area = &uu * &vv - &uv * &uv;
        if !area.is_zero() {
            let s = &uv * &vr - &ur * &vv;
            let t = &uu * &vr - &uv * &ur;
            let inside = |x: &BigInt| grid::sign(x).is_gt() && *x < area;
            if inside(&s) && inside(&t) {
                let volume = dot(&r, &cross(&u, &v));
                let squared = Quotient { numerator: &volume * &volume, denominator: area.clone() };
                let foot = |edge, numerator| Foot::Edge { edge, numerator, denominator: area.clone() };
                return (squared, foot(i, s), foot(j, t));
            }
        }
        let ends = |edge: usize| EDGES[edge];
        let mut best: Option<(Quotient, Foot, Foot)> = None;
        let mut offer = |squared: Quotient, on_a, on_b| {
            if best.as_ref().is_none_or(|b| squared.compare(&b.0).is_lt()) {
                best = Some((squared, on_a, on_b));
            }
        };
        for corner in ends(i) {
            let (squared, foot) = corner_edge(&self.a[corner], &self.b, j);
            offer(squared, Foot::Corner(corner), foot);
        }
        for corner in ends(j) {
            let (squared, foot) = corner_edge(&self.b[corner], &self.a, i);
            offer(squared, foot, Foot::Corner(corner));
        }
        best.expect("four ends were offered")
    }
}

/// Returns the squared distance of a corner from a closed edge, and the closest point on the edge.
pub fn corner_edge(p: &Vector, t: &[Vector; 3], edge: usize) -> (Quotient, Foot) {
    let [i, j] = EDGES[edge];
    let (along, from) = (sub(&t[j], &t[i]), sub(p, &t[i]));
    let (length, reach) = (dot(&along, &along), dot(&along, &from));
    let to_corner = |k: usize| {
        let w = sub(p, &t[k]);
        (Quotient { numerator: dot(&w, &w), denominator: BigInt::one() }, Foot::Corner(k))
    };
    if grid::sign(&reach).is_le() {
        to_corner(i)
    } else if reach >= length {
        to_corner(j)
    } else {
        let numerator = dot(&from, &from) * &length - &reach * &reach;
        let squared = Quotient { numerator, denominator: length.clone() };
        (squared, Foot::Edge { edge, numerator: reach, denominator: length })
    }
}

/// Returns the squared distance of a corner from a face; `None` unless the foot falls inside (the boundary
/// counts).
pub fn corner_face(p: &Vector, t: &[Vector; 3]) -> Option<Quotient> {
    let normal = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
    let squared = dot(&normal, &normal);
    if squared.is_zero() {
        return None;
    }
    let outside = EDGES.iter().any(|&[i, j]| {
        let turn = dot(&normal, &cross(&sub(&t[j], &t[i]), &sub(p, &t[i])));
        grid::sign(&turn) == Less
    });
    if outside {
        return None;
    }
    let height = dot(&normal, &sub(p, &t[0]));
    assert_ne!(grid::sign(&squared), Less);
    Some(Quotient { numerator: &height * &height, denominator: squared })
}

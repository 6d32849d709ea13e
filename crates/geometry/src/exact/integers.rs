//! Closest points of two triangles in integer arithmetic: exact, for what f64 and double-double cannot
//! decide.

use glam::DVec3;
use num_bigint::BigInt;

use super::features::{EDGES, Feature, Floats};
use crate::math::Triangle;
use crate::math::grid::{Grid, Number, Quotient, cross, dot, round_quotient, round_root, sub};
use crate::math::inline_integer::InlineInteger;

/// Bits of coordinates on their grid up to which all numbers fit into an [`InlineInteger`].
///
/// A difference of coordinates of b bits has b + 1. A scalar product of differences then has 2 b + 4, a
/// determinant of scalar products 4 b + 9, and a component of a vector product 2 b + 3. A volume has 3 b + 6.
/// The longest numbers are numerators of a squared distance, of 6 b + 12 bits. Coordinates of closest points
/// have 5 b + 11.
const MOST_BITS: i32 = 125;

const _: () = assert!(6 * MOST_BITS as usize + 12 <= InlineInteger::BITS);

/// Returns the correctly rounded distance of triangles that do not meet.
pub fn distance_apart(a: &Triangle, b: &Triangle, floats: &Floats) -> f64 {
    let grid = Grid::of(a.iter().chain(b));
    if has_short_coordinates(grid, a, b) {
        distance_in::<InlineInteger>(grid, a, b, floats)
    } else {
        distance_in::<BigInt>(grid, a, b, floats)
    }
}

/// Returns the closest points of triangles that do not meet (the witness points) on `a` and on `b`, each
/// coordinate rounded once. Among several closest pairs it takes the first in the order edge/edge,
/// corner/face, face/corner, and by corner index within each.
pub fn witness(a: &Triangle, b: &Triangle) -> [DVec3; 2] {
    let grid = Grid::of(a.iter().chain(b));
    if has_short_coordinates(grid, a, b) {
        witness_in::<InlineInteger>(grid, a, b)
    } else {
        witness_in::<BigInt>(grid, a, b)
    }
}

fn has_short_coordinates(grid: Grid, a: &Triangle, b: &Triangle) -> bool {
    grid.bits(a.iter().chain(b)) <= MOST_BITS
}

fn distance_in<N: Number>(grid: Grid, a: &Triangle, b: &Triangle, floats: &Floats) -> f64 {
    let Closest { squared, .. } = Integers::<N>::of(grid, a, b).closest(&floats.candidates());
    round_root(&squared.numerator.to_big(), &squared.denominator.to_big(), grid.exponent)
}

fn witness_in<N: Number>(grid: Grid, a: &Triangle, b: &Triangle) -> [DVec3; 2] {
    let integers = Integers::<N>::of(grid, a, b);
    let closest = integers.closest(&Floats::of(a, b).candidates());
    let [pa, pb] = [(&integers.a, closest.on_a), (&integers.b, closest.on_b)].map(|(t, foot)| match foot {
        Foot::Face => None,
        Foot::Corner(i) => Some((t.corners[i].clone(), N::shifted(1, 0))),
        Foot::Edge { edge, numerator, denominator } => {
            let [p, q] = EDGES[edge].map(|i| &t.corners[i]);
            let along = sub(q, p);
            let point = std::array::from_fn(|k| p[k].times(&denominator).plus(&along[k].times(&numerator)));
            Some((point, denominator))
        }
    });
    let onto = |face: &Face<N>, (p, scale): &([N; 3], N)| {
        assert!(*scale == N::shifted(1, 0), "only a corner projects onto a face");
        let Face { corners, normal, squared } = face;
        let height = dot(normal, &sub(p, &corners[0]));
        let point = std::array::from_fn(|k| p[k].times(squared).minus(&normal[k].times(&height)));
        (point, squared.clone())
    };
    let (pa, pb) = match (pa, pb) {
        (Some(pa), Some(pb)) => (pa, pb),
        (Some(pa), None) => (pa.clone(), onto(&integers.b, &pa)),
        (None, Some(pb)) => (onto(&integers.a, &pb), pb),
        (None, None) => unreachable!("one side of a closest pair is an edge or a corner"),
    };
    [pa, pb].map(|(p, scale)| {
        let scale = scale.to_big();
        DVec3::from_array(p.map(|x| round_quotient(&x.to_big(), &scale, grid.exponent)))
    })
}

/// The feature of a triangle on which a closest point lies.
#[derive(Clone, Debug)]
pub enum Foot<N> {
    Corner(usize),
    /// A point on an edge, at the fraction numerator / denominator of its length.
    Edge {
        edge: usize,
        numerator: N,
        denominator: N,
    },
    /// The projection of the other triangle's corner onto the face.
    Face,
}

struct Closest<N> {
    squared: Quotient<N>,
    on_a: Foot<N>,
    on_b: Foot<N>,
}

/// A triangle with its normal and the square of that, which is 0 for a triangle without area.
pub struct Face<N> {
    pub(super) corners: [[N; 3]; 3],
    normal: [N; 3],
    squared: N,
}

impl<N: Number> Face<N> {
    /// Computes the normal of a triangle.
    pub fn of(corners: [[N; 3]; 3]) -> Self {
        let [p, q, r] = &corners;
        let normal = cross(&sub(q, p), &sub(r, p));
        let squared = dot(&normal, &normal);
        Self { corners, normal, squared }
    }
}

struct Integers<N> {
    a: Face<N>,
    b: Face<N>,
}

impl<N: Number> Integers<N> {
    fn of(grid: Grid, a: &Triangle, b: &Triangle) -> Self {
        let [a, b] = [a, b].map(|t| Face::of(t.map(|p| grid.numbers(p))));
        Self { a, b }
    }

    fn closest(&self, candidates: &[Feature]) -> Closest<N> {
        let mut best: Option<Closest<N>> = None;
        for &feature in candidates {
            let found =
                match feature {
                    Feature::Edges(i, j) => Some(self.edges(i, j)),
                    Feature::CornerFace(i) => corner_face(&self.a.corners[i], &self.b)
                        .map(|squared| Closest { squared, on_a: Foot::Corner(i), on_b: Foot::Face }),
                    Feature::FaceCorner(j) => corner_face(&self.b.corners[j], &self.a)
                        .map(|squared| Closest { squared, on_a: Foot::Face, on_b: Foot::Corner(j) }),
                };
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| found.squared.compare(&best.squared).is_lt())
            {
                best = Some(found);
            }
        }
        // A corner/face candidate whose foot falls outside has its closest points on edges; those are at most
        // as far, so they are candidates too.
        best.expect("some edge/edge or interior corner/face pair is closest")
    }

    /// Returns the closest points of closed edge `i` of a and closed edge `j` of b, and their squared
    /// distance.
    fn edges(&self, i: usize, j: usize) -> Closest<N> {
        let (a, b) = (&self.a.corners, &self.b.corners);
        let ([p, p1], [q, q1]) = (EDGES[i].map(|k| &a[k]), EDGES[j].map(|k| &b[k]));
        let (u, v, r) = (sub(p1, p), sub(q1, q), sub(p, q));
        let (uu, vv, uv) = (dot(&u, &u), dot(&v, &v), dot(&u, &v));
        let (ur, vr) = (dot(&u, &r), dot(&v, &r));
        let area = uu.times(&vv).minus(&uv.times(&uv));
        if area.sign().is_ne() {
            let s = uv.times(&vr).minus(&ur.times(&vv));
            let t = uu.times(&vr).minus(&uv.times(&ur));
            let inside = |x: &N| x.sign().is_gt() && *x < area;
            if inside(&s) && inside(&t) {
                let volume = dot(&r, &cross(&u, &v));
                let foot = |edge, numerator| Foot::Edge { edge, numerator, denominator: area.clone() };
                let (on_a, on_b) = (foot(i, s), foot(j, t));
                let squared = Quotient { numerator: volume.times(&volume), denominator: area };
                return Closest { squared, on_a, on_b };
            }
        }
        let ends = |edge: usize| EDGES[edge];
        let mut best: Option<Closest<N>> = None;
        let mut offer = |squared: Quotient<N>, on_a, on_b| {
            if best.as_ref().is_none_or(|best| squared.compare(&best.squared).is_lt()) {
                best = Some(Closest { squared, on_a, on_b });
            }
        };
        for corner in ends(i) {
            let (squared, foot) = corner_edge(&a[corner], b, j);
            offer(squared, Foot::Corner(corner), foot);
        }
        for corner in ends(j) {
            let (squared, foot) = corner_edge(&b[corner], a, i);
            offer(squared, foot, Foot::Corner(corner));
        }
        best.expect("four ends were offered")
    }
}

/// Returns the squared distance of a corner from a closed edge, and the closest point on the edge.
pub fn corner_edge<N: Number>(p: &[N; 3], t: &[[N; 3]; 3], edge: usize) -> (Quotient<N>, Foot<N>) {
    let [i, j] = EDGES[edge];
    let (along, from) = (sub(&t[j], &t[i]), sub(p, &t[i]));
    let (length, reach) = (dot(&along, &along), dot(&along, &from));
    let to_corner = |k: usize| {
        let w = sub(p, &t[k]);
        (Quotient { numerator: dot(&w, &w), denominator: N::shifted(1, 0) }, Foot::Corner(k))
    };
    if reach.sign().is_le() {
        to_corner(i)
    } else if reach >= length {
        to_corner(j)
    } else {
        let numerator = dot(&from, &from).times(&length).minus(&reach.times(&reach));
        let squared = Quotient { numerator, denominator: length.clone() };
        (squared, Foot::Edge { edge, numerator: reach, denominator: length })
    }
}

/// Returns the squared distance of a corner from a face; `None` unless the foot falls inside (the boundary
/// counts).
pub fn corner_face<N: Number>(p: &[N; 3], face: &Face<N>) -> Option<Quotient<N>> {
    let Face { corners, normal, squared } = face;
    if squared.sign().is_eq() {
        return None;
    }
    let outside = EDGES.iter().any(|&[i, j]| {
        let turn = cross(&sub(&corners[j], &corners[i]), &sub(p, &corners[i]));
        dot(normal, &turn).sign().is_lt()
    });
    if outside {
        return None;
    }
    let height = dot(normal, &sub(p, &corners[0]));
    Some(Quotient { numerator: height.times(&height), denominator: squared.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::contact::triangles_meet;
    use crate::math::testing::{Stream, cases};

    /// Numbers of both kinds give the same distances and closest points: of ordinary triangles, of grids
    /// with corners in one plane, and of corners that are off it by rounding.
    #[test]
    fn numbers_of_both_kinds_find_the_same() {
        let mut stream = Stream(11);
        let (mut short, mut apart) = (0, 0);
        for case in 0..cases(4_000) {
            let spread = stream.pick(&[1.0, 1.0, 3.0]);
            let coarse = stream.below(2) == 0;
            let off = stream.pick(&[0.0, 1e-15, 1e-18, 1e-24]);
            let [a, b] = [0.0, stream.pick(&[1e-9, 0.25, 1.0])].map(|height| {
                [(); 3].map(|()| {
                    let p = stream.point() * spread;
                    let p = if coarse { (p * 4.0).round() * DVec3::new(1.0, 1.0, 0.0) } else { p };
                    p + DVec3::Z * height + stream.point() * off
                })
            });
            if triangles_meet(&a, &b) {
                continue;
            }
            let grid = Grid::of(a.iter().chain(&b));
            let floats = Floats::of(&a, &b);
            let expected = (distance_in::<BigInt>(grid, &a, &b, &floats), witness_in::<BigInt>(grid, &a, &b));
            apart += 1;
            assert_eq!((distance_apart(&a, &b, &floats), witness(&a, &b)), expected, "case {case}");
            short += u32::from(has_short_coordinates(grid, &a, &b));
        }
        assert!(short > apart / 2 && short < apart, "{short} of {apart}");
    }

    /// The longest coordinates that numbers in place take, with the longest differences, at a distance.
    #[test]
    fn the_longest_coordinates_fit() {
        let (largest, least) = (libm::ldexp(1.0, MOST_BITS - 1) * (2.0 - f64::EPSILON), 1.0);
        let (mut stream, mut asked) = (Stream(12), 0);
        for case in 0..cases(2_000) {
            let [a, b] = [1.0, -1.0].map(|side| {
                [(); 3].map(|()| {
                    let [x, y] =
                        [(); 2].map(|()| stream.pick(&[largest, -largest, 0.75 * largest, least, -least]));
                    DVec3::new(x, y, side * stream.pick(&[largest, 2.0 * least, 0.5 * largest]))
                })
            });
            let grid = Grid { exponent: 0 };
            if grid.bits(a.iter().chain(&b)) != MOST_BITS {
                continue;
            }
            let floats = Floats::of(&a, &b);
            let expected = (distance_in::<BigInt>(grid, &a, &b, &floats), witness_in::<BigInt>(grid, &a, &b));
            let found = (
                distance_in::<InlineInteger>(grid, &a, &b, &floats),
                witness_in::<InlineInteger>(grid, &a, &b),
            );
            assert_eq!(found, expected, "case {case}");
            asked += 1;
        }
        assert!(asked > cases(2_000) / 2, "{asked}");
    }
}

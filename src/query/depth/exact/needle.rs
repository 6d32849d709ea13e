//! The exact pieces of a triangle without area (a segment) between the cuts of other triangles.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use closefit_geometry::math::Triangle;
use closefit_geometry::math::grid::{Grid, Quotient, Vector, cross, dot, sign, sub};
use closefit_geometry::math::predicates::extremes;
use closefit_geometry::math::rational_point::RationalPoint;

/// Returns the ends and the middle of each piece between the cuts; empty for a triangle that is a single
/// point.
pub fn pieces(t: &Triangle, cutters: &[Triangle]) -> Vec<(Vec<RationalPoint>, RationalPoint)> {
    let grid = Grid::of(t.iter().chain(cutters.iter().flatten()));
    let [low, high] = extremes(t);
    let (start, end) = (grid.vector(low), grid.vector(high));
    let along = sub(&end, &start);
    if along.iter().all(Zero::is_zero) {
        return Vec::new();
    }
    let whole = |n: i32| Quotient { numerator: n.into(), denominator: BigInt::one() };
    let mut cuts = vec![whole(0), whole(1)];
    for cutter in cutters {
        let corners = cutter.map(|p| grid.vector(p));
        let normal = cross(&sub(&corners[1], &corners[0]), &sub(&corners[2], &corners[0]));
        // Cuts by the triangle's plane and, if the triangle lies along the segment, by its edges.
        let edges = (0..3).map(|k| (cross(&normal, &sub(&corners[(k + 1) % 3], &corners[k])), k));
        for (m, k) in std::iter::once((normal.clone(), 0)).chain(edges) {
            cuts.extend(cut(&m, &corners[k], &start, &along));
        }
    }
    cuts.sort_by(Quotient::compare);
    cuts.dedup_by(|x, y| x.compare(y).is_eq());
    let at = |numerator: &BigInt, denominator: &BigInt| {
        let point = std::array::from_fn(|k| &start[k] * denominator + &along[k] * numerator);
        RationalPoint::new(point, denominator.clone(), grid)
    };
    cuts.windows(2)
        .map(|pair| {
            let (x, y) = (&pair[0], &pair[1]);
            let sum = &x.numerator * &y.denominator + &y.numerator * &x.denominator;
            let middle = at(&sum, &(&x.denominator * &y.denominator * 2));
            ([x, y].map(|q| at(&q.numerator, &q.denominator)).to_vec(), middle)
        })
        .collect()
}

/// Returns the fraction of the way at which a plane cuts, if strictly between the ends.
fn cut(m: &Vector, through: &Vector, start: &Vector, along: &Vector) -> Option<Quotient> {
    let (mut numerator, mut denominator) = (dot(m, &sub(through, start)), dot(m, along));
    if sign(&denominator).is_lt() {
        (numerator, denominator) = (-numerator, -denominator);
    }
    (sign(&numerator).is_gt() && numerator < denominator).then_some(Quotient { numerator, denominator })
}

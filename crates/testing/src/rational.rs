//! Geometry of triangles in exact rational numbers: slow, plain, and sharing nothing with the engine.
//!
//! Every `f64` is a dyadic rational, so a set of points becomes integers times one power of two, and nothing
//! below rounds except where stated.

use glam::DVec3;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Float, One, Signed, ToPrimitive, Zero};

use crate::rng::power_of_two;

/// A point of the integer lattice.
pub type Point = [BigInt; 3];

/// Three corners.
pub type Triangle = [DVec3; 3];

/// Returns the points as integers, and the exponent of the power of two that they are multiples of.
pub fn integers(points: &[DVec3]) -> (Vec<Point>, i64) {
    let decode = |x: f64| {
        let (mantissa, exponent, sign) = x.integer_decode();
        if mantissa == 0 {
            return (BigInt::zero(), None);
        }
        let zeros = mantissa.trailing_zeros();
        (BigInt::from(mantissa >> zeros) * i64::from(sign), Some(i64::from(exponent) + i64::from(zeros)))
    };
    let decoded: Vec<_> = points.iter().map(|p| p.to_array().map(decode)).collect();
    let exponent = decoded.iter().flatten().filter_map(|(_, e)| *e).min().unwrap_or(0);
    let lift = |(mantissa, e): (BigInt, Option<i64>)| {
        mantissa << usize::try_from(e.unwrap_or(exponent) - exponent).expect("the lowest exponent")
    };
    (decoded.into_iter().map(|p| p.map(lift)).collect(), exponent)
}

/// Returns `x` times 2 to the `exponent`.
fn shifted(x: BigRational, exponent: i64) -> BigRational {
    let power = BigRational::from_integer(BigInt::one() << exponent.unsigned_abs());
    if exponent < 0 { x / power } else { x * power }
}

/// Returns the value of a finite number.
pub fn rational(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

fn minus(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|i| &a[i] - &b[i])
}

fn dot(a: &Point, b: &Point) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// Returns the determinant, by expansion along the first row; 1 for an empty matrix.
fn determinant(rows: &[Vec<BigInt>]) -> BigInt {
    let n = rows.len();
    if n == 0 {
        return BigInt::one();
    }
    let minor = |skip: usize| -> Vec<Vec<BigInt>> {
        rows[1..].iter().map(|r| (0..n).filter(|&j| j != skip).map(|j| r[j].clone()).collect()).collect()
    };
    (0..n)
        .map(|j| {
            let term = &rows[0][j] * determinant(&minor(j));
            if j % 2 == 0 { term } else { -term }
        })
        .sum()
}

/// Returns six times the signed volume under a list of triangles, in units of a power of two.
pub fn six_volumes(triangles: &[Triangle]) -> BigInt {
    let (corners, _) = integers(triangles.as_flattened());
    corners.chunks(3).map(|t| determinant(&[t[0].to_vec(), t[1].to_vec(), t[2].to_vec()])).sum()
}

/// The faces of a triangle: its corners, its edges and itself.
const FACES: [&[usize]; 7] = [&[0], &[1], &[2], &[0, 1], &[1, 2], &[2, 0], &[0, 1, 2]];

/// Returns the squared distance of two faces, as a fraction with a positive denominator, if their affine
/// hulls have a unique closest pair of points and both points lie in the faces.
fn closest_inside(a: &[&Point], b: &[&Point]) -> Option<(BigInt, BigInt)> {
    let between = minus(a[0], b[0]);
    let directions: Vec<Point> =
        a[1..].iter().map(|p| minus(p, a[0])).chain(b[1..].iter().map(|p| minus(b[0], p))).collect();
    let gram: Vec<Vec<BigInt>> =
        directions.iter().map(|u| directions.iter().map(|v| dot(u, v)).collect()).collect();
    let scale = determinant(&gram);
    if scale.is_zero() {
        return None;
    }
    // The normal equations by Cramer's rule: the weights are `weights[i] / scale`.
    let slopes: Vec<BigInt> = directions.iter().map(|u| dot(u, &between)).collect();
    let weights: Vec<BigInt> = (0..directions.len())
        .map(|column| {
            let mut replaced = gram.clone();
            for (row, slope) in replaced.iter_mut().zip(&slopes) {
                row[column] = -slope;
            }
            determinant(&replaced)
        })
        .collect();
    let (of_a, of_b) = weights.split_at(a.len() - 1);
    let inside = |w: &[BigInt]| w.iter().all(|x| !x.is_negative()) && w.iter().sum::<BigInt>() <= scale;
    if !(inside(of_a) && inside(of_b)) {
        return None;
    }
    let squared =
        dot(&between, &between) * &scale + weights.iter().zip(&slopes).map(|(w, s)| w * s).sum::<BigInt>();
    Some((squared, scale))
}

/// Returns the square of the distance of two closed triangles, degenerate or not.
///
/// The minimum is attained inside some pair of faces. If the closest pair of their affine hulls is not
/// unique, the squared distance is constant along a line that leaves the (bounded) pair through a smaller
/// one, so only the unique ones count.
pub fn distance_squared(a: &Triangle, b: &Triangle) -> BigRational {
    let (points, exponent) = integers(&[*a, *b].concat());
    let mut best: Option<(BigInt, BigInt)> = None;
    for face_a in FACES {
        for face_b in FACES {
            if face_a.len() + face_b.len() > 5 {
                continue; // four directions in space: never unique
            }
            let pick = |face: &[usize], first: usize| -> Vec<&Point> {
                face.iter().map(|&i| &points[first + i]).collect()
            };
            let Some((n, d)) = closest_inside(&pick(face_a, 0), &pick(face_b, 3)) else { continue };
            if best.as_ref().is_none_or(|(bn, bd)| &n * bd < bn * &d) {
                best = Some((n, d));
            }
        }
    }
    let (n, d) = best.expect("corner against corner is always unique");
    shifted(BigRational::new(n, d), 2 * exponent)
}

/// True when two closed triangles share a point. Solves a linear programme: weights `s, t >= 0` with
/// `sum s = sum t = 1` and `sum s_i a_i = sum t_j b_j`, by the first phase of the simplex method with Bland's
/// rule (which always terminates).
pub fn triangles_meet(a: &Triangle, b: &Triangle) -> bool {
    let (points, _) = integers(&[*a, *b].concat());
    let number = |x: &BigInt| BigRational::from_integer(x.clone());
    let constant = |x: i32| BigRational::from_integer(x.into());
    // Columns: three s, three t, the right side.
    let mut rows: Vec<Vec<BigRational>> = (0..3)
        .map(|axis| {
            let of_a = points[..3].iter().map(|p| number(&p[axis]));
            let of_b = points[3..].iter().map(|p| -number(&p[axis]));
            of_a.chain(of_b).chain([constant(0)]).collect()
        })
        .collect();
    rows.push([1, 1, 1, 0, 0, 0, 1].map(constant).to_vec());
    rows.push([0, 0, 0, 1, 1, 1, 1].map(constant).to_vec());
    // One artificial variable per row is the first basis; their sum must become 0.
    let mut basis: Vec<usize> = (6..11).collect();
    let mut cost: Vec<BigRational> =
        (0..7).map(|j| -rows.iter().map(|r| r[j].clone()).sum::<BigRational>()).collect();
    while let Some(enter) = (0..6).find(|&j| cost[j].is_negative()) {
        let leave = (0..rows.len())
            .filter(|&i| rows[i][enter].is_positive())
            .min_by_key(|&i| (&rows[i][6] / &rows[i][enter], basis[i]))
            .expect("the weights are bounded");
        let pivot = rows[leave][enter].clone();
        rows[leave].iter_mut().for_each(|x| *x /= &pivot);
        let pivot_row = rows[leave].clone();
        let eliminate = |row: &mut Vec<BigRational>| {
            let factor = row[enter].clone();
            for (x, p) in row.iter_mut().zip(&pivot_row) {
                *x -= &factor * p;
            }
        };
        rows.iter_mut().enumerate().filter(|(i, _)| *i != leave).for_each(|(_, row)| eliminate(row));
        eliminate(&mut cost);
        basis[leave] = enter;
    }
    cost[6].is_zero()
}

/// Returns the smallest positive distance that the engine reports.
pub fn smallest_distance() -> f64 {
    power_of_two(-1000)
}

/// True when `f` is the f64 nearest to the square root of `square` (the even one of two), or the smallest
/// positive distance if that root is smaller still.
pub fn is_correctly_rounded_sqrt(f: f64, square: &BigRational) -> bool {
    if square.is_zero() || f == 0.0 {
        return square.is_zero() && f == 0.0;
    }
    if !(f.is_finite() && f >= smallest_distance()) {
        return false;
    }
    let two = BigRational::from_integer(2.into());
    let middle = |other: f64| (rational(f) + rational(other)) / &two;
    let (below, above) = (middle(f.next_down()), middle(f.next_up()));
    let (below, above) = (&below * &below, &above * &above);
    let even = f.to_bits() & 1 == 0;
    let not_too_small = *square > below || (even && *square == below) || f == smallest_distance();
    not_too_small && (*square < above || (even && *square == above))
}

/// Returns the f64 nearest to the square root of `square` (the even one of two); at least the smallest
/// positive distance unless it is 0.
pub fn rounded_sqrt(square: &BigRational) -> f64 {
    if square.is_zero() {
        return 0.0;
    }
    let (n, d) = (square.numer(), square.denom());
    let bits = |x: &BigInt| i64::try_from(x.bits()).expect("small");
    // floor(sqrt(square) * 2^k) has 61 or 62 bits; a last bit is set if anything was cut off.
    let k = (122 - (bits(n) - bits(d))).div_euclid(2);
    let scaled = shifted(square.clone(), 2 * k);
    let root = scaled.to_integer().sqrt();
    let exact = BigRational::from_integer(&root * &root) == scaled;
    let digits: BigInt = root * 2 + i32::from(!exact);
    let digits = digits.to_u64().expect("63 bits") as f64; // rounds to nearest even
    let f = digits * power_of_two(-63);
    let exponent = 62 - k;
    if exponent < -1001 {
        return smallest_distance();
    }
    (f * power_of_two(exponent)).max(smallest_distance())
}

/// Returns the distance of two triangles, correctly rounded.
pub fn distance(a: &Triangle, b: &Triangle) -> f64 {
    rounded_sqrt(&distance_squared(a, b))
}

/// Returns the winding number of a point with respect to closed, oriented triangles (1 inside a shell whose
/// normals point outwards); `None` if the point lies on one of them.
///
/// Counts signed crossings of a ray. A direction that meets an edge or a corner is replaced by another.
pub fn winding(point: DVec3, triangles: &[Triangle]) -> Option<i64> {
    let (points, _) = integers(&[&[point][..], triangles.as_flattened()].concat());
    let corners: Vec<Point> = points[1..].iter().map(|p| minus(p, &points[0])).collect();
    let corners: Vec<&[Point; 3]> = corners.as_chunks().0.iter().collect();
    for i in 1..50 {
        let direction = [7919 * i + 1, 104_729 - 31 * i * i, 1_299_709 + 17 * i].map(BigInt::from);
        match crossings(&direction, &corners) {
            Crossings::Count(n) => return Some(n),
            Crossings::OnSurface => return None,
            Crossings::NotGeneric => {}
        }
    }
    assert!(corners.iter().any(|t| origin_in_hull(t)), "no generic direction");
    None
}

enum Crossings {
    Count(i64),
    OnSurface,
    NotGeneric,
}

fn cross(u: &Point, v: &Point) -> Point {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &u[j] * &v[k] - &u[k] * &v[j]
    })
}

/// Counts signed crossings of the triangles by the ray from the origin.
fn crossings(direction: &Point, triangles: &[&[Point; 3]]) -> Crossings {
    let mut count = 0;
    for [a, b, c] in triangles {
        let (ab, bc, ca) = (cross(a, b), cross(b, c), cross(c, a));
        // The side on which the ray's line passes each edge.
        let sides = [&ab, &bc, &ca].map(|edge| dot(direction, edge));
        let (some_left, some_right) =
            (sides.iter().any(Signed::is_positive), sides.iter().any(Signed::is_negative));
        if some_left && some_right {
            continue;
        }
        if sides.iter().any(Zero::is_zero) {
            return Crossings::NotGeneric;
        }
        // height = direction . normal * t, where the line meets the triangle's plane at t.
        let height = dot(a, &bc);
        if height.is_zero() {
            return Crossings::OnSurface;
        }
        if height.is_positive() == some_left {
            count += if some_left { 1 } else { -1 };
        }
    }
    Crossings::Count(count)
}

/// True when the origin lies in the triangle: on an edge, or in its plane and on one side of all edges.
fn origin_in_hull([a, b, c]: &[Point; 3]) -> bool {
    let (ab, bc, ca) = (cross(a, b), cross(b, c), cross(c, a));
    let on_segment =
        |p: &Point, q: &Point, pq: &Point| pq.iter().all(Zero::is_zero) && !dot(p, q).is_positive();
    on_segment(a, b, &ab)
        || on_segment(b, c, &bc)
        || on_segment(c, a, &ca)
        || (dot(a, &bc).is_zero() && dot(&ab, &bc).is_positive() && dot(&bc, &ca).is_positive())
}

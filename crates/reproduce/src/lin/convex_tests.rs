//! The tests of two boxes as convex polytopes that Lin et al. 1997 (section 4.2.2) name as alternatives to
//! theirs: linear programming, and the computation of closest features. Both are generic over their numbers,
//! so that operations can be counted.

use std::ops::Div;

use super::box_test::Boxes;
use crate::reference::{Number, cross, dot, minus};

/// A half space: the points whose product with a vector is at most a number.
struct HalfSpace<N> {
    normal: Vec<N>,
    most: N,
}

/// True if linear programming finds a point in both boxes: Seidel's incremental algorithm (1991), in three
/// variables, from the corner of the first box that lies farthest towards the second one.
pub fn have_common_point<N: Number + Div<Output = N>>(boxes: &Boxes<N>) -> bool {
    let Boxes { half: [a, b], turn, middle } = boxes;
    let faces = (0..3).flat_map(|j| {
        let along = dot(turn[j], *middle);
        let flipped = turn[j].map(|x| -x).to_vec();
        [
            HalfSpace { normal: turn[j].to_vec(), most: b[j] + along },
            HalfSpace { normal: flipped, most: b[j] - along },
        ]
    });
    farthest(a, middle, &faces.collect::<Vec<_>>()).is_some()
}

/// Returns the point that lies farthest along a vector, within bounds of the magnitudes of its coordinates
/// and within half spaces.
fn farthest<N: Number + Div<Output = N>>(
    bounds: &[N],
    along: &[N],
    half_spaces: &[HalfSpace<N>],
) -> Option<Vec<N>> {
    let zero = N::from(0.0);
    if let ([bound], [along]) = (bounds, along) {
        return farthest_on_line(*bound, *along >= zero, half_spaces).map(|x| vec![x]);
    }
    let corner = |(bound, along): (&N, &N)| if *along >= zero { *bound } else { -*bound };
    let mut point: Vec<N> = bounds.iter().zip(along).map(corner).collect();
    for (number, HalfSpace { normal, most }) in half_spaces.iter().enumerate() {
        if product(normal, &point) <= *most {
            continue;
        }
        // The solution is on this plane, which gives the coordinate with the largest factor.
        let out = (0..normal.len())
            .fold(0, |out, k| if normal[k].magnitude() > normal[out].magnitude() { k } else { out });
        if normal[out].magnitude() <= zero {
            return None;
        }
        let rest = |of: &[N]| -> Vec<N> { (0..of.len()).filter(|&k| k != out).map(|k| of[k]).collect() };
        let share: Vec<N> = rest(normal).into_iter().map(|x| x / normal[out]).collect();
        let at = *most / normal[out];
        let reduced = |of: &[N]| -> Vec<N> {
            rest(of).into_iter().zip(&share).map(|(x, share)| x - of[out] * *share).collect()
        };
        let before = half_spaces[..number].iter().map(|before| HalfSpace {
            normal: reduced(&before.normal),
            most: before.most - before.normal[out] * at,
        });
        let of_bound = [
            HalfSpace { normal: share.iter().map(|x| -*x).collect(), most: bounds[out] - at },
            HalfSpace { normal: share.clone(), most: bounds[out] + at },
        ];
        let within: Vec<HalfSpace<N>> = of_bound.into_iter().chain(before).collect();
        let mut solved = farthest(&rest(bounds), &reduced(along), &within)?;
        let missing = at - product(&share, &solved);
        solved.insert(out, missing);
        point = solved;
    }
    Some(point)
}

fn farthest_on_line<N: Number + Div<Output = N>>(
    bound: N,
    upwards: bool,
    half_spaces: &[HalfSpace<N>],
) -> Option<N> {
    let (zero, mut lo, mut hi) = (N::from(0.0), -bound, bound);
    for HalfSpace { normal, most } in half_spaces {
        let factor = normal[0];
        if factor > zero {
            let end = *most / factor;
            hi = if end < hi { end } else { hi };
        } else if factor < zero {
            let end = *most / factor;
            lo = if end > lo { end } else { lo };
        } else if *most < zero {
            return None;
        }
    }
    (lo <= hi).then_some(if upwards { hi } else { lo })
}

fn product<N: Number>(p: &[N], q: &[N]) -> N {
    let terms = p.iter().zip(q).map(|(x, y)| *x * *y);
    terms.reduce(|sum, term| sum + term).unwrap_or_else(|| N::from(0.0))
}

/// Largest number of steps towards the closest features of boxes; beyond it, they count as touching.
const STEPS: u32 = 64;

/// True if the closest features of two boxes are apart: the algorithm of Gilbert, Johnson and Keerthi (1988),
/// from their middles. It ends once no corner is closer than the features found, or once these are one point.
pub fn are_closest_features_apart<N: Number + Div<Output = N>>(boxes: &Boxes<N>) -> bool {
    let zero = N::from(0.0);
    let mut nearest = boxes.middle.map(|x| -x);
    let mut simplex: Vec<[N; 3]> = Vec::new();
    for _ in 0..STEPS {
        let square = dot(nearest, nearest);
        let corner = farthest_difference(boxes, nearest.map(|x| -x));
        // No corner is closer by more than rounding.
        let progress = square - dot(nearest, corner);
        if !simplex.is_empty() && progress <= square * N::from(1e-9) {
            return true;
        }
        simplex.push(corner);
        nearest = nearest_to_origin(&mut simplex);
        if simplex.len() == 4 || dot(nearest, nearest) <= N::from(1e-18) {
            return false;
        }
    }
    dot(nearest, nearest) > zero
}

/// Returns the corner of the difference of two boxes, the first less the second, that lies farthest along a
/// vector.
fn farthest_difference<N: Number>(boxes: &Boxes<N>, along: [N; 3]) -> [N; 3] {
    let Boxes { half: [a, b], turn, middle } = boxes;
    let zero = N::from(0.0);
    let mut corner: [N; 3] = std::array::from_fn(|i| if along[i] >= zero { a[i] } else { -a[i] });
    corner = minus(corner, *middle);
    for (axis, half) in turn.iter().zip(b) {
        let half = if dot(*axis, along) >= zero { *half } else { -*half };
        corner = std::array::from_fn(|i| corner[i] + half * axis[i]);
    }
    corner
}

/// Returns the point of a simplex nearest to the origin, and leaves the corners of the feature that it is on:
/// four where the origin is inside.
fn nearest_to_origin<N: Number + Div<Output = N>>(simplex: &mut Vec<[N; 3]>) -> [N; 3] {
    let (nearest, kept) = match simplex[..] {
        [a] => (a, vec![a]),
        [a, b] => on_segment(a, b),
        [a, b, c] => on_triangle(a, b, c),
        [a, b, c, d] => {
            let faces = [[a, b, c, d], [a, c, d, b], [a, d, b, c], [b, d, c, a]];
            let mut best: Option<([N; 3], Vec<[N; 3]>)> = None;
            for [p, q, r, inner] in faces {
                let normal = cross(minus(q, p), minus(r, p));
                let of_origin = -dot(normal, p);
                let of_inner = dot(normal, minus(inner, p));
                if of_origin * of_inner > N::from(0.0) {
                    continue; // the origin is on the inner side
                }
                let found = on_triangle(p, q, r);
                if best.as_ref().is_none_or(|best| dot(found.0, found.0) < dot(best.0, best.0)) {
                    best = Some(found);
                }
            }
            best.unwrap_or_else(|| ([N::from(0.0); 3], simplex.clone()))
        }
        _ => unreachable!("one to four corners"),
    };
    *simplex = kept;
    nearest
}

fn on_segment<N: Number + Div<Output = N>>(a: [N; 3], b: [N; 3]) -> ([N; 3], Vec<[N; 3]>) {
    let side = minus(b, a);
    let (along, whole) = (-dot(a, side), dot(side, side));
    if along <= N::from(0.0) {
        return (a, vec![a]);
    }
    if along >= whole {
        return (b, vec![b]);
    }
    let share = along / whole;
    (std::array::from_fn(|i| a[i] + share * side[i]), vec![a, b])
}

/// Returns the same for a triangle, by the regions of its corners, sides and face (Ericson 2005, section
/// 5.1.5).
fn on_triangle<N: Number + Div<Output = N>>(a: [N; 3], b: [N; 3], c: [N; 3]) -> ([N; 3], Vec<[N; 3]>) {
    let zero = N::from(0.0);
    let (ab, ac) = (minus(b, a), minus(c, a));
    let (d1, d2) = (-dot(ab, a), -dot(ac, a));
    if d1 <= zero && d2 <= zero {
        return (a, vec![a]);
    }
    let (d3, d4) = (-dot(ab, b), -dot(ac, b));
    if d3 >= zero && d4 <= d3 {
        return (b, vec![b]);
    }
    let of_c = d1 * d4 - d3 * d2;
    if of_c <= zero && d1 >= zero && d3 <= zero {
        return on_segment(a, b);
    }
    let (d5, d6) = (-dot(ab, c), -dot(ac, c));
    if d6 >= zero && d5 <= d6 {
        return (c, vec![c]);
    }
    let of_b = d5 * d2 - d1 * d6;
    if of_b <= zero && d2 >= zero && d6 <= zero {
        return on_segment(a, c);
    }
    let of_a = d3 * d6 - d5 * d4;
    if of_a <= zero && d4 - d3 >= zero && d5 - d6 >= zero {
        return on_segment(b, c);
    }
    let all = of_a + of_b + of_c;
    let (v, w) = (of_b / all, of_c / all);
    (std::array::from_fn(|i| a[i] + ab[i] * v + ac[i] * w), vec![a, b, c])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lin::box_test::{are_separated, boxes};
    use closefit_generate::random::Random;

    #[test]
    fn all_tests_of_boxes_agree() {
        let mut random = Random::new(10);
        let [mut apart, mut meet] = [0; 2];
        for _ in 0..20_000 {
            let boxes = boxes(&mut random);
            let separated = are_separated(&boxes);
            assert_eq!(have_common_point(&boxes), !separated, "{boxes:?}");
            assert_eq!(are_closest_features_apart(&boxes), separated, "{boxes:?}");
            *if separated { &mut apart } else { &mut meet } += 1;
        }
        assert!(apart > 4_000 && meet > 4_000, "{apart} {meet}");
    }
}

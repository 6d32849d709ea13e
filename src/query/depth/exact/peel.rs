//! The division of a patch that cuts off, around one corner, what lies near a triangle.

use super::patch::Corner;
use super::spot::Spot;

/// The search along an edge ends when it has found this share of the part that lies within the distance.
const MOST_OF: f64 = 0.8;

/// The number of points that are tried along an edge.
const MOST_TRIED: usize = 24;

/// Divides a convex patch along a straight line into a piece within a distance of some triangle, around a
/// corner that is within it, and the rest, which may be empty. `None` if rounding leaves no such piece.
///
/// The points within a distance of a triangle form a convex set. So the whole piece lies in it if its corners
/// do. Cuts at bisectors of planes alone do not end: near an obtuse edge of the solid they shave off ever
/// thinner slivers.
pub fn peel<P: Spot>(
    corners: &[Corner<P>],
    around: usize,
    within: f64,
    distance: impl Fn(&Corner<P>) -> f64,
) -> Option<[Vec<Corner<P>>; 2]> {
    let count = corners.len();
    let at = |k: usize| &corners[(around + k) % count];
    let is_within = |k: &usize| distance(at(*k)) <= within;
    // The corners from `start` to `count + end` are within, one after the other.
    let end = (1..count).take_while(is_within).count();
    if end == count - 1 {
        return Some([corners.to_vec(), Vec::new()]);
    }
    let start = count - (1..count - end).take_while(|k| is_within(&(count - k))).count();
    let leaving = last_within(at(end), at(end + 1), within, &distance);
    // A segment has one edge.
    let entering = if count > 2 { last_within(at(start), at(start - 1), within, &distance) } else { None };
    if leaving.is_none() && entering.is_none() && end + (count - start) < 2 {
        return None; // no corner is cut off
    }
    let (leaving, entering) = (leaving.unwrap_or(at(end).clone()), entering.unwrap_or(at(start).clone()));
    let between = |from: usize, to: usize| (from..to).map(|k| at(k).clone());
    let mut piece: Vec<_> = between(start, count + end + 1).chain([leaving.clone()]).collect();
    let mut rest: Vec<_> = std::iter::once(leaving).chain(between(end + 1, start)).collect();
    if count > 2 {
        piece.push(entering.clone());
        rest.push(entering);
    }
    Some([piece, rest])
}

/// Returns a point within the distance on the way from a corner that is within it to one that is not, far
/// along. `None` if rounding leaves none.
fn last_within<P: Spot>(
    from: &Corner<P>,
    to: &Corner<P>,
    within: f64,
    distance: &impl Fn(&Corner<P>) -> f64,
) -> Option<Corner<P>> {
    let nearest = distance(from);
    // Not quite the distance, so that rounding does not exceed it.
    let aim = nearest + 0.99 * (within - nearest);
    // Fractions of the way with their distances, the largest known within and the smallest known beyond.
    let (mut inner, mut outer) = ((0.0f64, nearest), (1.0f64, distance(to)));
    let mut last = None;
    for tried in 0..MOST_TRIED {
        // The distance is convex along the way: ahead it grows at least as fast as it did so far.
        let beyond = inner.0 * ((within - nearest) / (inner.1 - nearest).max(0.0));
        if inner.0 >= MOST_OF * outer.0.min(beyond) {
            break;
        }
        // On the chord, the distance is smaller than by linear interpolation. If it bends sharply, the chord
        // is slow.
        let chord = inner.0 + (outer.0 - inner.0) * ((aim - inner.1) / (outer.1 - inner.1));
        let fraction = if tried % 2 == 0 { chord } else { (inner.0 * outer.0).sqrt() };
        let corner = Corner::new(from.spot.towards(&to.spot, fraction));
        let found = (fraction, distance(&corner));
        if found.1 <= within {
            (inner, last) = (found, Some(corner));
        } else {
            outer = found;
        }
    }
    last
}

//! Oriented bounding boxes around pieces of surfaces, proven by interval arithmetic.

use glam::DVec3;

use super::{Implicit, Surface};
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::math::interval::{Interval, IntervalVec3};

/// Returns a box around the points over a box of parameters, along the tangents in its middle m. It uses the
/// mean-value form
///
/// `a . (p(u, v) - p(m)) = (u - m_u) a . p_u + (v - m_v) a . p_v`
///
/// with derivatives somewhere over the box. Along the normal it is therefore thin: the thickness goes with
/// the square of the size.
pub(super) fn parametric(surface: &dyn Surface, parameters: [Interval; 2]) -> Obb {
    let middle = parameters.map(|range| Interval::point(range.middle()));
    let (place, start) = (surface.place(parameters), surface.place(middle));
    let about = start.middle();
    let axes = tangent_frame(surface.tangents(middle).map(IntervalVec3::middle));
    let [by_u, by_v] = surface.tangents(parameters);
    let [du, dv] = [0, 1].map(|k| parameters[k] - middle[k]);
    let along = axes.map(|axis| {
        let axis = IntervalVec3::point(axis);
        let natural = axis.dot(place - IntervalVec3::point(about));
        let start = axis.dot(start - IntervalVec3::point(about));
        natural.meet(start + axis.dot(by_u) * du + axis.dot(by_v) * dv)
    });
    of_projections(about, axes, along)
}

/// Returns a box around the points of a cell at which the function f is 0, along its gradient g in the middle
/// m; `None` if there are none. It uses the mean-value form, for any number s,
///
/// `a . (p - m) = (a - s f') . (p - m) - s f(m)`
///
/// with f' somewhere in the cell. With `a = g / |g|` and `s = 1 / |g|` the box is thin along the normal.
pub(super) fn implicit(surface: &dyn Implicit, cell: IntervalVec3) -> Option<Obb> {
    if !surface.value(cell).contains(0.0) {
        return None;
    }
    let about = cell.middle();
    let middle = IntervalVec3::point(about);
    let (axes, scale, turned) = along_gradient(surface, cell);
    let way = cell - middle;
    let mut along = axes.map(|axis| IntervalVec3::point(axis).dot(way));
    along[0] = along[0].intersection(turned.dot(way) - scale * surface.value(middle))?;
    Some(of_projections(about, axes, along))
}

/// Returns a frame that begins with a, the number s, and `a - s f'` over the cell, as in [`implicit`].
fn along_gradient(surface: &dyn Implicit, cell: IntervalVec3) -> ([DVec3; 3], Interval, IntervalVec3) {
    let steepest = surface.gradient(IntervalVec3::point(cell.middle())).middle();
    // With s = 0, where the gradient gives no direction, the form gains nothing.
    let inverse = Some(steepest.length().recip()).filter(|s| s.is_finite()).unwrap_or(0.0);
    let axes = tangent_frame([steepest, DVec3::ZERO]);
    let scale = Interval::point(inverse);
    (axes, scale, IntervalVec3::point(axes[0]) - surface.gradient(cell).scale(scale))
}

/// Returns the contribution of each side of a cell to the size of its box: the side's length or, if that is
/// more, its contribution to the thickness, as for a sheet with both faces in the cell.
pub(super) fn sides(surface: &dyn Implicit, cell: IntervalVec3) -> [f64; 3] {
    let (_, _, turned) = along_gradient(surface, cell);
    [0, 1, 2].map(|k| cell.0[k].width() * turned.0[k].magnitude().max(1.0))
}

/// Returns a frame that begins with a unit direction.
fn with_first(direction: DVec3) -> [DVec3; 3] {
    let (second, third) = direction.any_orthonormal_pair();
    [direction, second, third]
}

/// Returns a frame of the plane of two directions. If they span no plane, it contains the one direction there
/// is, or is the coordinate frame.
fn tangent_frame([u, v]: [DVec3; 2]) -> [DVec3; 3] {
    let unit = |w: DVec3| (w / w.abs().max_element()).try_normalize();
    match (unit(u), unit(v)) {
        (Some(u), Some(v)) => match unit(u.cross(v)) {
            Some(normal) => [u, normal.cross(u), normal],
            None => with_first(u),
        },
        (Some(only), None) | (None, Some(only)) => with_first(only),
        (None, None) => Obb::COORDINATE_AXES,
    }
}

/// Returns the box of the points p whose projections `axes_i . (p - about)` are in the intervals `along`.
///
/// With `y_i = axes_i . (p - center)`, the coordinates of p are `x = y - (A^T A - I) x`. With d the largest
/// row sum of `|A^T A - I|`, `|x_i - y_i| <= d / (1 - d) max |y|`.
fn of_projections(about: DVec3, axes: [DVec3; 3], along: [Interval; 3]) -> Obb {
    let exact = axes.map(IntervalVec3::point);
    let row = |i: usize| {
        let entry = |j: usize| exact[i].dot(exact[j]) - if i == j { Interval::ONE } else { Interval::ZERO };
        (entry(0).abs() + entry(1).abs() + entry(2).abs()).hi
    };
    let skew = row(0).max(row(1)).max(row(2));
    let center = about + (0..3).map(|i| axes[i] * along[i].middle()).sum::<DVec3>();
    let moved = IntervalVec3::point(about) - IntervalVec3::point(center);
    let projected = [0, 1, 2].map(|i| (along[i] + exact[i].dot(moved)).magnitude());
    let most = Interval::point(projected.into_iter().fold(0.0, f64::max));
    let gain = Interval::point(skew) / (Interval::ONE - Interval::point(skew));
    let half = projected.map(|size| (Interval::point(size) + gain * most).hi);
    Obb { center, axes, half: DVec3::from_array(half) }
}

/// Number of times [`zero_near`] cuts its segment; the witness is then far smaller than its box.
const CUTS: u32 = 10;

/// Shares of the segment at which [`zero_near`] cuts it: in the middle, or aside if the middle is too close
/// to the zero to decide.
const SHARES: [f64; 2] = [0.5, 0.375];

/// Finds a short segment at whose ends the function is proven to have different signs, along the first axis
/// of an implicit patch's box, which crosses the surface. It starts from a segment as long as the box's
/// diagonal.
pub(super) fn zero_near(surface: &dyn Implicit, obb: &Obb) -> Option<IntervalVec3> {
    let sign = |p: DVec3| {
        let value = surface.value(IntervalVec3::point(p));
        if value.lo > 0.0 {
            Some(true)
        } else if value.hi < 0.0 {
            Some(false)
        } else {
            None
        }
    };
    let reach = obb.axes[0] * obb.half.length();
    let mut ends = [obb.center - reach, obb.center + reach];
    let signs = [sign(ends[0])?, sign(ends[1])?];
    if signs[0] == signs[1] {
        return None;
    }
    for _ in 0..CUTS {
        let points = SHARES.map(|share| (1.0 - share) * ends[0] + share * ends[1]);
        // Both too close to decide: keep what is proven so far.
        let Some((point, found)) = points.into_iter().find_map(|p| Some((p, sign(p)?))) else { break };
        ends[usize::from(found == signs[1])] = point;
    }
    // The zero is somewhere on the segment, which lies in the box of its ends.
    Some(IntervalVec3::point(ends[0]).hull(IntervalVec3::point(ends[1])))
}

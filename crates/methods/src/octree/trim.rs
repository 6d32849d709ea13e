//! Triangles trimmed to a region, in f64 with room for rounding.

use glam::DVec3;

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::TRIMMED;

/// Returns a box around the part of a triangle that is in a region without its lower sides; `None` if the
/// triangle certainly does not meet it. The triangle's coordinates are at most 1.
///
/// The region is widened by what the corners of a trimmed triangle may be off, so no point of the triangle in
/// the region is lost: it has the same place in the trimmed triangles, up to rounding, and is inside the
/// widened region there.
pub fn piece(corners: &Triangle, region: &Aabb) -> Option<Aabb> {
    let whole = Aabb::of(*corners);
    if !(whole.hi.cmpgt(region.lo).all() && whole.lo.cmple(region.hi).all()) {
        return None;
    }
    let wide = Aabb { lo: region.lo - TRIMMED, hi: region.hi + TRIMMED };
    let mut around = Aabb::EMPTY;
    trim(corners, &wide, 0, &mut around);
    // Both boxes hold the piece.
    let trimmed = Aabb { lo: (around.lo - TRIMMED).max(whole.lo), hi: (around.hi + TRIMMED).min(whole.hi) };
    (around != Aabb::EMPTY).then_some(trimmed)
}

/// Widens a box by the part of a triangle behind the sides of a region from the given one on: three lower and
/// three upper ones.
fn trim(corners: &Triangle, region: &Aabb, side: usize, around: &mut Aabb) {
    if side == 6 {
        *around = around.union(Aabb::of(*corners));
        return;
    }
    let axis = side % 3;
    let height = |p: &DVec3| if side < 3 { p[axis] - region.lo[axis] } else { region.hi[axis] - p[axis] };
    for part in above(corners, corners.each_ref().map(height)).into_iter().flatten() {
        trim(&part, region, side + 1, around);
    }
}

/// Returns the part of a triangle where a height, given at its corners and linear between them, is not
/// negative: no, one or two triangles. Triangles, unlike polygons, have no shape that rounding could spoil.
pub fn above(corners: &Triangle, heights: [f64; 3]) -> [Option<Triangle>; 2] {
    let is_above = heights.map(|height| height >= 0.0);
    let rotated = |k: usize| [k, (k + 1) % 3, (k + 2) % 3];
    let meeting = |i: usize, j: usize| {
        corners[i] + (corners[j] - corners[i]) * (heights[i] / (heights[i] - heights[j]))
    };
    let count = is_above.iter().filter(|&&is_above| is_above).count();
    let odd = |is: bool| rotated(is_above.iter().position(|&is_above| is_above == is).unwrap_or(0));
    match count {
        0 => [None, None],
        1 => {
            let [p, q, r] = odd(true);
            [Some([corners[p], meeting(p, q), meeting(p, r)]), None]
        }
        2 => {
            let [r, p, q] = odd(false);
            let (of_p, of_q) = (meeting(p, r), meeting(q, r));
            [Some([corners[p], corners[q], of_q]), Some([corners[p], of_q, of_p])]
        }
        _ => [Some(*corners), None],
    }
}

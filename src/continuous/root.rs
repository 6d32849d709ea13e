//! The common parts of the elementary tests: moving points in centred form, and the search for the first root
//! (Redon et al. 2002, sections 3.2, 4.2 and 4.3).

use glam::DVec3;

use closefit_geometry::lanes::{Simd, SimdBase, f64x4};
use closefit_geometry::lanes::{Triangles4, Vec3x4};
use closefit_geometry::math::Triangle;
use closefit_geometry::motion::cells::{Cells, Stretch};
use closefit_geometry::motion::moment::Moment;

/// A point of one part as seen from the other, over a stretch: it is at `at + x path`, x from -1 to 1, up to
/// the [deviation](Moment::deviation) of its part in any direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Position at the middle.
    pub at: DVec3,
    /// Movement in half the stretch, at the velocity at the middle.
    pub path: DVec3,
}

impl Moved {
    /// Creates a moving point from a posed point of a part (0 the first, 1 the second).
    pub fn of(moment: &Moment, side: usize, at: DVec3) -> Self {
        let half = if side == 1 { moment.half } else { -moment.half };
        Self { at, path: (moment.velocity + moment.angular.cross(at)) * half }
    }

    /// Creates the three corners of a triangle.
    pub fn triangle(moment: &Moment, side: usize, corners: &Triangle) -> [Self; 3] {
        corners.map(|at| Self::of(moment, side, at))
    }
}

/// Four moving points, in lanes; see [`Moved`].
#[derive(Clone, Copy, Debug)]
pub struct Moved4<S: Simd> {
    /// Positions at the middle.
    pub at: Vec3x4<S>,
    /// Movements in half the stretch.
    pub path: Vec3x4<S>,
}

impl<S: Simd> Moved4<S> {
    /// Creates four moving points from posed points, as [`Moved::of`] does.
    #[inline(always)]
    pub fn of(moment: &Moment, side: usize, at: Vec3x4<S>) -> Self {
        let simd = at[0].simd;
        let half = f64x4::splat(simd, if side == 1 { moment.half } else { -moment.half });
        let (v, w) = (Vec3x4::splat(simd, moment.velocity), Vec3x4::splat(simd, moment.angular));
        Self { at, path: (v + w.cross(at)) * half }
    }

    /// Creates the corners of four triangles.
    #[inline(always)]
    pub fn triangle(moment: &Moment, side: usize, corners: &Triangles4<S>) -> [Self; 3] {
        let [p, q, r] = *corners;
        [Self::of(moment, side, p), Self::of(moment, side, q), Self::of(moment, side, r)]
    }
}

/// Returns the level at which, by equation 11, none of these points of a part moves farther than `precision`
/// within a stretch; at most the level of the cells.
pub fn finest(cells: &Cells, moment: &Moment, side: usize, points: &[DVec3], precision: f64) -> u32 {
    let at_most = |p: &DVec3| {
        (moment.velocity + moment.angular.cross(*p)).length()
            + (cells.to - cells.from) * moment.acceleration_bound[side]
    };
    let path = points.iter().map(at_most).fold(0.0, f64::max) * (cells.to - cells.from);
    (0..cells.level).find(|&level| path / (1u64 << level) as f64 <= precision).unwrap_or(cells.level)
}

/// Returns the first stretch of level `finest` such that neither it nor any stretch that contains it can be
/// excluded. Searches the earlier half first, and the later one only if nothing is found.
pub fn first_root(
    within: Stretch,
    finest: u32,
    excluded: &mut impl FnMut(Stretch) -> bool,
) -> Option<Stretch> {
    if excluded(within) {
        return None;
    }
    if within.level >= finest {
        return Some(within);
    }
    within.halves().into_iter().find_map(|half| first_root(half, finest, excluded))
}

//! What the elementary tests share: features that move, in centred form, and the search for the first root
//! (Redon et al. 2002, sections 3.2, 4.2 and 4.3).

use glam::DVec3;

use crate::lanes::{Simd, SimdBase, f64x4};
use crate::lanes::{Triangles4, Vec3x4};
use crate::math::Triangle;
use crate::motion::cells::{Cells, Stretch};
use crate::motion::moment::Moment;

/// A point of one part as seen from the other, over a stretch: it is at `at + x path`, x from -1 to 1, but for
/// the [sag](Moment::sag) of its part, in any direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// In the middle.
    pub at: DVec3,
    /// Half the way that it would go at the velocity it has there.
    pub path: DVec3,
}

impl Moved {
    /// A posed point of a part (0 the first, 1 the second).
    pub fn of(moment: &Moment, side: usize, at: DVec3) -> Self {
        let half = if side == 1 { moment.half } else { -moment.half };
        Self { at, path: (moment.velocity + moment.angular.cross(at)) * half }
    }

    /// The corners of a triangle.
    pub fn triangle(moment: &Moment, side: usize, corners: &Triangle) -> [Self; 3] {
        corners.map(|at| Self::of(moment, side, at))
    }
}

/// Four of them.
#[derive(Clone, Copy, Debug)]
pub struct Moved4<S: Simd> {
    /// In the middle.
    pub at: Vec3x4<S>,
    /// Half the ways.
    pub path: Vec3x4<S>,
}

impl<S: Simd> Moved4<S> {
    /// As [`Moved::of`].
    #[inline(always)]
    pub fn of(moment: &Moment, side: usize, at: Vec3x4<S>) -> Self {
        let simd = at[0].simd;
        let half = f64x4::splat(simd, if side == 1 { moment.half } else { -moment.half });
        let (v, w) = (Vec3x4::splat(simd, moment.velocity), Vec3x4::splat(simd, moment.angular));
        Self { at, path: (v + w.cross(at)) * half }
    }

    /// The corners of four triangles.
    #[inline(always)]
    pub fn triangle(moment: &Moment, side: usize, corners: &Triangles4<S>) -> [Self; 3] {
        let [p, q, r] = *corners;
        [Self::of(moment, side, p), Self::of(moment, side, q), Self::of(moment, side, r)]
    }
}

/// The level at which stretches are short enough, by equation 11: none of these points of a part moves farther
/// than `precision` in one. No finer than the cells.
pub fn finest(cells: &Cells, moment: &Moment, side: usize, points: &[DVec3], precision: f64) -> u32 {
    let at_most = |p: &DVec3| {
        (moment.velocity + moment.angular.cross(*p)).length() + (cells.to - cells.from) * moment.bend[side]
    };
    let path = points.iter().map(at_most).fold(0.0, f64::max) * (cells.to - cells.from);
    (0..cells.level).find(|&level| path / (1u64 << level) as f64 <= precision).unwrap_or(cells.level)
}

/// The first of the stretches of a level that cannot be excluded, nor any that it is part of: the earlier half
/// is searched first, the later one only if nothing is found.
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

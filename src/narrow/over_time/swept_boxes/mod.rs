//! One moving box against the eight of a block: separating axes that hold over a stretch of time.
//!
//! Redon et al. 2002, section 4.1.2, with another bound in place of interval arithmetic. The axes are those
//! of the middle of the stretch, fixed to the block. Along a unit axis n, a point of the single box goes
//! `n . v(p)` times half the stretch, and sags no more than the second derivative lets it; over the box,
//! `|n . v(p)| <= |n . v(c)| + sum e_k |x_k . (n x w)|`, c the centre, `e_k`, `x_k` half extents and axes, w
//! the angular velocity. So each axis has its own bound, and what moves along a face stays separated from it.
//!
//! Beside the discrete test ([`box_box`](crate::hierarchy::box_box)) every radius grows by that, by the sag and
//! by the limit. The argument for its rounding holds as it stands: boxes that come within the limit during
//! the stretch have centres no farther apart than both radii, all that is added included; so
//! [`MovingSingle::sag`] is to contain [`F32_EXTENT`](crate::math::error_bounds::F32_EXTENT) of the sum of
//! what is added, and covers the roundings of the added terms, fewer than 16 of each, too.

pub mod scalar;
pub mod simd;

use crate::hierarchy::box_box::Single;

/// A box in the frame of a block, and how it moves as seen from there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MovingSingle {
    /// Where it is at the middle.
    pub single: Single,
    /// Along its own axes, how far its centre goes in half the stretch.
    pub way: [f32; 3],
    /// Along its own axes, by how much it turns in half the stretch, in radians.
    pub turn: [f32; 3],
    /// What is added to all radii: the limit, the sag, and rounding.
    pub sag: f32,
}

impl MovingSingle {
    /// How far its points go in half the stretch, about.
    #[inline(always)]
    pub fn path(&self) -> f32 {
        let [x, y, z] = self.way;
        let [u, v, w] = self.turn;
        let [a, b, c] = self.single.half;
        (x.abs() + y.abs() + z.abs()) + (u.abs() + v.abs() + w.abs()) * (a + b + c)
    }

    /// The sum of its extents.
    #[inline(always)]
    pub fn size(&self) -> f32 {
        let [a, b, c] = self.single.half;
        a + b + c
    }
}

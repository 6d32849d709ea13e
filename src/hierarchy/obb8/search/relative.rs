//! Two posed trees, each in the other's normal coordinates.

use glam::{DMat3, DVec3, Mat3A, Vec3A};

use crate::hierarchy::obb8::Block;
use crate::hierarchy::obb8::box_box::{SKEW_LIMIT, Single};
use crate::hierarchy::obb8::posed::Posed;
use crate::math::error_bounds::{F32_EXTENT, RELATIVE};

/// Largest ratio of the scales of two trees, and a quarter of that of distances to them, compared in f32:
/// squares stay below 2^128.
const LARGEST_RATIO: f64 = (1u64 << 60) as f64;

/// Margin that covers products too small for f32, in normal units.
const TINY: f64 = 1e-30;

/// Relative error of conversions between units of f64 and f32: 16 roundings of f32 and the poses' skew.
pub(crate) const ROOM: f32 = 1.0 / (1 << 18) as f32;

/// Returns a squared distance, in units of `scale`, that no box nearer than `distance` in the world exceeds.
pub(super) fn squared_limit(distance: f64, scale: f64) -> f32 {
    let normal = (distance / scale * (1.0 + f64::from(ROOM))) as f32 * (1.0 + ROOM);
    // Sums of squares near the limit of f32 may come out larger by this much.
    normal * normal * (1.0 + ROOM) + f32::MIN_POSITIVE
}

/// Returns a bound of how far a point is displaced by mapping normal coordinates of one tree to those of
/// another, in f64 or f32. The point lies within `ratio` of the origin, in normal units there. Both poses are
/// within 2^-20 of similarities.
pub(super) fn rounding(of: &Posed, to: &Posed) -> f64 {
    let shift = (of.origin - to.origin).abs().max_element() * 2.0 / to.scale;
    RELATIVE * (1.0 + of.scale / to.scale + shift) + TINY
}

/// The boxes of one tree, as seen from another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relative {
    /// Linear part: maps directions.
    pub linear: DMat3,
    /// Image of the normal origin.
    pub shift: DVec3,
    rotation: Mat3A,
    scale: f32,
    /// Bound of the distance between vertices and their images by the frames, in normal units here.
    pub margin: f32,
}

impl Relative {
    /// Maps boxes of `of` to normal coordinates of `to`. Returns `None` where f32 cannot tell: for a pose
    /// with shear or uneven scale, or sizes that differ too much. Nothing may be excluded then.
    pub(crate) fn new(of: &Posed, to: &Posed) -> Option<Self> {
        let ratio = of.scale / to.scale;
        let rigid = of.skew + to.skew < SKEW_LIMIT;
        let inverse = to.linear.inverse();
        let linear = inverse * of.linear;
        let shift = inverse * (of.origin - to.origin);
        let comparable = (1.0 / LARGEST_RATIO..LARGEST_RATIO).contains(&ratio);
        if !(rigid && comparable && shift.abs().max_element() < 4.0 * LARGEST_RATIO) {
            return None; // a NaN as well
        }
        let rotation = linear * ratio.recip();
        let margin = (of.error + to.error) / to.scale + rounding(of, to);
        Some(Self {
            linear,
            shift,
            rotation: rotation.as_mat3().into(),
            scale: ratio as f32,
            margin: margin as f32 * (1.0 + ROOM),
        })
    }

    /// Returns the box of a lane relative to an origin of the other tree, widened by all rounding.
    #[inline(always)]
    pub(crate) fn single(&self, block: &Block, lane: usize, origin: &[f32; 3]) -> Single {
        // Written out, because closures over arrays would not be inlined everywhere on this hot path.
        let (o, c) = (&block.origin, &block.center);
        let place = |k: usize| f64::from(o[k]) + f64::from(c[k][lane]);
        let to = DVec3::new(f64::from(origin[0]), f64::from(origin[1]), f64::from(origin[2]));
        let center = self.linear * DVec3::new(place(0), place(1), place(2)) + (self.shift - to);
        let axis = |j: usize| {
            let v = &block.axes[j];
            self.rotation * Vec3A::new(v[0][lane], v[1][lane], v[2][lane])
        };
        let (first, second) = (axis(0), axis(1));
        let third = first.cross(second);
        let half = Vec3A::new(block.half[0][lane], block.half[1][lane], block.half[2][lane]) * self.scale;
        let half = half + Vec3A::splat((half.x + half.y + half.z) * F32_EXTENT as f32 + self.margin);
        Single {
            center: center.as_vec3().to_array(),
            axes: [first.to_array(), second.to_array(), third.to_array()],
            half: half.to_array(),
        }
    }
}

//! Two posed trees, each in the other's normal coordinates.

use glam::{DMat3, DVec3, Mat3A, Vec3A};

use crate::bvh::placement::{FrameMap, Placement, ROOM};
use crate::bvh::wide_obb::Block;
use crate::bvh::wide_obb::box_box::Single;
use closefit_geometry::math::error_bounds::F32_EXTENT;

/// The boxes of one tree, as seen from another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relative {
    /// Linear part: maps directions.
    pub linear: DMat3,
    /// Image of the normal origin.
    pub shift: DVec3,
    /// Approximate length of the image of a length of 1.
    pub ratio: f64,
    rotation: Mat3A,
    /// Bound of the distance between vertices and their images by the frames, in normal units here.
    pub margin: f32,
}

impl Relative {
    /// Maps boxes of `of` to normal coordinates of `to`. Returns `None` where f32 cannot tell: see
    /// [`FrameMap::new`].
    pub(crate) fn new(of: &Placement, to: &Placement) -> Option<Self> {
        let FrameMap { linear, shift, ratio, margin } = FrameMap::new(of, to)?;
        let rotation = linear * ratio.recip();
        Some(Self {
            linear,
            shift,
            ratio,
            rotation: rotation.as_mat3().into(),
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
        let half =
            Vec3A::new(block.half[0][lane], block.half[1][lane], block.half[2][lane]) * self.ratio as f32;
        let half = half + Vec3A::splat((half.x + half.y + half.z) * F32_EXTENT as f32 + self.margin);
        Single {
            center: center.as_vec3().to_array(),
            axes: [first.to_array(), second.to_array(), third.to_array()],
            half: half.to_array(),
        }
    }
}

//! Two posed trees, each in the other's normal coordinates.

use glam::{DMat3, DVec3};

use super::box_box::{SKEW_LIMIT, Single};
use crate::hierarchy::posed::Posed;
use crate::hierarchy::wide_tree::Block;
use crate::math::error_bounds::RELATIVE;

/// Scales of two trees farther apart than this are not compared in f32.
const LARGEST_RATIO: f64 = (1u64 << 40) as f64;

/// Margins that cover products too small for f32, in normal units.
const TINY: f64 = 1e-30;

/// How boxes of one tree look from another.
#[derive(Clone, Copy, Debug)]
pub struct Relative {
    linear: DMat3,
    shift: DVec3,
    rotation: [[f32; 3]; 3],
    scale: f32,
    margin: f32,
    /// A world length of 1, in normal units here.
    unit: f64,
}

impl Relative {
    /// Boxes of `of` in normal coordinates of `to`. `None` where f32 cannot tell: a pose with shear or
    /// uneven scale, or sizes too different; nothing may be excluded then.
    pub fn new(of: &Posed, to: &Posed) -> Option<Self> {
        let ratio = of.scale / to.scale;
        let rigid = of.skew + to.skew < SKEW_LIMIT;
        let inverse = to.linear.inverse();
        let linear = inverse * of.linear;
        let shift = inverse * (of.origin - to.origin);
        let comparable = (1.0 / LARGEST_RATIO..LARGEST_RATIO).contains(&ratio);
        if !(rigid && comparable && shift.abs().max_element() < LARGEST_RATIO * LARGEST_RATIO) {
            return None; // a NaN as well
        }
        let rotation = linear * ratio.recip();
        let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        let unit = to.scale.recip();
        let mut relative = Self {
            linear,
            shift,
            rotation: columns.map(|v| v.as_vec3().to_array()),
            scale: ratio as f32,
            margin: 0.0,
            unit,
        };
        let rounding = RELATIVE * (1.0 + ratio + shift.abs().max_element()) + TINY;
        relative.margin = ((of.error + to.error) * unit * (1.0 + 1e-6) + rounding) as f32 * (1.0 + 1e-6);
        Some(relative)
    }

    /// Half extents widened so far that boxes within `distance` (of the world) of each other meet.
    #[inline(always)]
    pub fn margin_for(&self, distance: f64) -> f32 {
        (distance * self.unit * (1.0 + 1e-6)) as f32 * (1.0 + 1e-6) + self.margin
    }

    /// The box of a lane, relative to an origin of the other tree, widened by a margin.
    #[inline(always)]
    pub fn single(&self, block: &Block, lane: usize, origin: &[f32; 3], margin: f32) -> Single {
        let center = DVec3::from_array([0, 1, 2].map(|k| f64::from(block.origin[k]) + f64::from(block.center[k][lane])));
        let origin = DVec3::from_array(origin.map(f64::from));
        let center = self.linear * center + (self.shift - origin);
        let [x, y, z] = &self.rotation;
        let turn = |v: [f32; 3]| [0, 1, 2].map(|k| x[k] * v[0] + y[k] * v[1] + z[k] * v[2]);
        let [a, b] = block.axes.each_ref().map(|axis| turn([axis[0][lane], axis[1][lane], axis[2][lane]]));
        let c = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        let half = [0, 1, 2].map(|k| block.half[k][lane] * self.scale);
        let mut single = Single { center: center.as_vec3().to_array(), axes: [a, b, c], half };
        single.widen(margin);
        single
    }
}

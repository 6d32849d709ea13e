//! How one tree moves in another's normal coordinates.

use glam::{DVec3, Vec3};

use super::relative::ROOM;
use crate::hierarchy::box_box::Single;
use crate::hierarchy::posed::Posed;
use crate::motion::pair::Moment;
use crate::narrow::over_time::swept_boxes::MovingSingle;

/// Relative rounding of all that is added to a radius: what the poses' skew, their conversion to f32 and the
/// kernel's own arithmetic may take, [`F32_EXTENT`](crate::math::error_bounds::F32_EXTENT) included.
const WIDER: f32 = 1.0 / (1 << 16) as f32;

/// A moment, in normal coordinates of a tree.
#[derive(Clone, Copy, Debug)]
pub(in crate::narrow) struct Drift {
    /// Half the way of the other tree's point at the normal origin.
    way: Vec3,
    /// By how much the other tree turns in half the moment.
    turn: Vec3,
    /// The limit and the sag.
    added: f32,
}

impl Drift {
    /// How the parts of a side (0 the moment's first, 1 its second) move past `to`, the other's tree.
    pub(in crate::narrow) fn of(moment: &Moment, side: usize, to: &Posed, limit: f64) -> Self {
        let inverse = to.linear.inverse();
        let velocity = moment.velocity + moment.angular.cross(to.origin);
        let handed = to.scale * to.linear.determinant().signum();
        let single = |v: DVec3| (v * moment.half).as_vec3();
        Self {
            way: single(inverse * velocity),
            turn: single(inverse * moment.angular * handed),
            added: ((limit + moment.sag(side)) / to.scale) as f32 * (1.0 + ROOM),
        }
    }

    /// A box of the other tree that is placed relative to an origin.
    #[inline(always)]
    pub(in crate::narrow) fn moving(&self, single: Single, origin: &[f32; 3]) -> MovingSingle {
        let center = Vec3::from_array(single.center) + Vec3::from_array(*origin);
        let half = Vec3::from_array(single.half);
        let way = self.way + self.turn.cross(center);
        let [x, y, z] = single.axes;
        let (x, y, z) = (Vec3::from_array(x), Vec3::from_array(y), Vec3::from_array(z));
        let moved = way.abs().element_sum()
            + self.turn.abs().element_sum() * (half.element_sum() + center.abs().element_sum());
        MovingSingle {
            single,
            way: [x.dot(way), y.dot(way), z.dot(way)],
            turn: [x.dot(self.turn), y.dot(self.turn), z.dot(self.turn)],
            sag: self.added + (self.added + moved) * WIDER + f32::MIN_POSITIVE,
        }
    }
}

//! The motion of one tree in another's normal coordinates.

use glam::Vec3;

use super::swept_boxes::{MovingSingle, WIDER};
use crate::bvh::placement::ROOM;
use crate::bvh::wide_obb::box_box::Single;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::continuous::method::K;
use closefit_geometry::motion::moment::Moment;

/// The motion of the second part past the first, in normal coordinates of the tree of either.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drift {
    /// Half the path of the second part's point at the normal origin.
    pub way: Vec3,
    /// Half the turn of the second part over the moment.
    pub turn: Vec3,
    /// The limit plus the deviation.
    pub added: f32,
    /// The part of the deviation that comes from acceleration.
    pub by_acceleration: f32,
    /// See [`MovingSingle::enough`].
    enough: f32,
}

/// Returns a bound of how much farther a turn carries the posed vertices of two trees than the images of
/// their normal coordinates, which are off by
/// [`Placement::error`](crate::bvh::placement::Placement::error).
pub(super) fn swung(moment: &Moment, of: &PosedWideObb, to: &PosedWideObb) -> f64 {
    moment.half * moment.angular.length() * (of.error + to.error)
}

impl Drift {
    /// Returns the drift for boxes of `of` placed in the tree `to`.
    pub(crate) fn of(moment: &Moment, of: &PosedWideObb, to: &PosedWideObb, limit: f64) -> Self {
        let inverse = to.linear.inverse();
        let velocity = moment.velocity + moment.angular.cross(to.origin);
        let turn = inverse * moment.angular * (to.scale * to.linear.determinant().signum());
        let added = ((limit + moment.deviation(1) + swung(moment, of, to)) / to.scale) as f32 * (1.0 + ROOM);
        let by_acceleration = (moment.deviation_by_acceleration(1) / to.scale) as f32;
        let enough = if moment.half > 0.0 { (limit / to.scale) as f32 } else { -1.0 };
        let [way, turn] = [inverse * velocity, turn].map(|v| (v * moment.half).as_vec3());
        Self::centred(way, turn, [added, by_acceleration, enough])
    }

    /// Combines half the path of the normal origin, half the turn, the limit plus the deviation, the part of
    /// the deviation that comes from acceleration, and the distance that is [enough](MovingSingle::enough).
    pub(crate) fn centred(way: Vec3, turn: Vec3, [added, by_acceleration, enough]: [f32; 3]) -> Self {
        Self { way, turn, added, by_acceleration, enough }
    }

    /// Returns half the path of the centre of a box of the other tree, placed relative to an origin.
    pub(crate) fn way_of(&self, single: &Single, origin: &[f32; 3]) -> Vec3 {
        self.way + self.turn.cross(Vec3::from_array(single.center) + Vec3::from_array(*origin))
    }

    /// Returns a box of the other tree as it stands at the ends of the stretch, but for rounding and for what
    /// half the turn lacks of its Cayley transform. Which end is the start depends on the side that moves.
    pub(crate) fn ends(&self, single: &Single, origin: &[f32; 3]) -> [Single; 2] {
        let origin = Vec3::from_array(*origin);
        [-1.0, 1.0].map(|sign| {
            let (way, turn) = (sign * self.way, sign * self.turn);
            let center = turned(turn, Vec3::from_array(single.center) + origin) + way - origin;
            let axes = single.axes.map(|axis| turned(turn, Vec3::from_array(axis)).to_array());
            Single { center: center.to_array(), axes, ..*single }
        })
    }

    /// Adds the motion, and the constant of the subdivision test, to a box of the other tree, placed relative
    /// to an origin.
    #[inline(always)]
    pub(crate) fn moving(&self, single: Single, is_leaf: bool, origin: &[f32; 3], k: K) -> MovingSingle {
        let center = Vec3::from_array(single.center) + Vec3::from_array(*origin);
        let half = Vec3::from_array(single.half);
        let way = self.way_of(&single, origin);
        let [x, y, z] = single.axes;
        let (x, y, z) = (Vec3::from_array(x), Vec3::from_array(y), Vec3::from_array(z));
        let moved = way.abs().element_sum()
            + self.turn.abs().element_sum() * (half.element_sum() + center.abs().element_sum());
        MovingSingle {
            single,
            way: [x.dot(way), y.dot(way), z.dot(way)],
            turn: [x.dot(self.turn), y.dot(self.turn), z.dot(self.turn)],
            deviation: self.added + (self.added + moved) * WIDER + f32::MIN_POSITIVE,
            by_acceleration: self.by_acceleration,
            enough: self.enough,
            k,
            is_leaf,
        }
    }
}

/// Returns a vector turned by the Cayley transform of a turn: a rotation by `2 atan(|turn| / 2)` that takes
/// no sine, so that it is the same on every machine.
fn turned(turn: Vec3, v: Vec3) -> Vec3 {
    let once = turn.cross(v);
    v + (once + 0.5 * turn.cross(once)) / (1.0 + 0.25 * turn.length_squared())
}

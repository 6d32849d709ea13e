//! The motion of a pair of trees over a stretch of time, for the device.

use bytemuck::{Pod, Zeroable};

use crate::bvh::placement::ROOM;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::bvh::wide_obb::stretch::drift::Drift;
use closefit_geometry::motion::moment::Moment;

/// The motion of one part of a pair past the other. `shaders/shared/passing.wgsl` declares the same struct.
/// Vectors and lengths are in the normal coordinates of home and of guest, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Motion {
    /// Half the path of the moving part's point at the normal origin. A point `p` moves by `way + turn x p`.
    pub way: [[f32; 3]; 2],
    /// Half the turn of the moving part.
    pub turn: [[f32; 3]; 2],
    /// The limit plus the largest deviation from that motion.
    pub added: [f32; 2],
    /// The part of the deviation that a shorter stretch would not have.
    pub by_acceleration: [f32; 2],
    /// The same as `added`, for the other part's motion as seen from the moving part.
    pub added_back: [f32; 2],
    /// Upper bound of the turn's length, in radians.
    pub turned: f32,
    /// The side that moves: 0 for home, 1 for guest.
    pub mover: u32,
    /// Number of times that the stretch is halved.
    pub levels: u32,
}

/// Largest coordinate of a motion, in normal units. Products of such numbers stay finite; and over so long a
/// path nothing would be excluded.
const FASTEST: f32 = (1u32 << 20) as f32;

/// A deviation with which nothing is excluded, since all distances on the device are smaller.
const ALWAYS_NEAR: f32 = (1u32 << 30) as f32;

/// Half the diagonal of the cube of normal coordinates, rounded up.
const HALF_DIAGONAL: f64 = 1.7320509;

/// Room for the rounding of a few operations on lengths.
pub const ROUNDED_UP: f64 = 1.0 + 1e-12;

/// Returns the motion of the second tree past the first over a stretch that is halved so many times, for a
/// limit. `home` is the index of the home tree. Returns `None` if the motion is too fast or the limit too
/// large for the device.
pub fn motion(
    trees: [&PosedWideObb; 2],
    moment: &Moment,
    limit: f64,
    home: usize,
    levels: u32,
) -> Option<Motion> {
    let [a, b] = [trees[home], trees[1 - home]];
    let drifts = |moment: &Moment| [Drift::of(moment, b, a, limit), Drift::of(moment, a, b, limit)];
    let [of_home, of_guest] = drifts(moment);
    let back = moment.flipped();
    let motion = Motion {
        way: [of_home.way, of_guest.way].map(|v| v.to_array()),
        turn: [of_home.turn, of_guest.turn].map(|v| v.to_array()),
        added: [of_home.added, of_guest.added],
        by_acceleration: [of_home.by_acceleration, of_guest.by_acceleration],
        added_back: drifts(&back).map(|drift| drift.added.min(ALWAYS_NEAR)),
        turned: (moment.angular.length() * moment.half) as f32 * (1.0 + ROOM),
        mover: 1 - home as u32,
        levels,
    };
    let vectors = [motion.way, motion.turn].into_iter().flatten().flatten();
    let all = vectors.chain(motion.added).chain(motion.by_acceleration);
    all.into_iter().all(|x| x.abs() < FASTEST).then_some(motion)
}

/// Returns bounds of the distance between any point of one tree and any point of the other, from spheres
/// around both.
pub fn distances_by_spheres([a, b]: [&PosedWideObb; 2]) -> [f64; 2] {
    let radius = |of: &PosedWideObb| of.scale * (1.0 + of.skew).sqrt() * HALF_DIAGONAL + of.error;
    let rounding = (a.origin.length() + b.origin.length()) * (ROUNDED_UP - 1.0);
    let (between, radii) = ((b.origin - a.origin).length(), (radius(a) + radius(b)) * ROUNDED_UP + rounding);
    [between / ROUNDED_UP - radii, between * ROUNDED_UP + radii]
}

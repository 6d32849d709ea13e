//! The subdivision test of Redon et al. 2002, section 4.1.2, as printed.

use glam::Vec3;

use super::drift::Drift;
use crate::bvh::wide_obb::Block;
use crate::bvh::wide_obb::box_box::Single;
use crate::continuous::method::K;
use closefit_geometry::lanes::LANES;

/// Returns the given lanes for which time is to be halved before boxes are opened: where the single box's
/// extent along the path, plus the path, exceeds k times the other box's extent. The path is the path of
/// the single box's centre. Its direction is the unit vector that the inequality needs to compare lengths.
/// A lane is decided on its own, so every executor decides alike.
pub fn as_printed(single: &Single, block: &Block, drift: &Drift, k: K, lanes: u32) -> u32 {
    let half_path = drift.way_of(single, &block.origin);
    let direction = half_path.normalize_or_zero();
    let along = |axis: Vec3, half: f32| half * direction.dot(axis).abs();
    let of_single: f32 = (0..3).map(|k| along(Vec3::from_array(single.axes[k]), single.half[k])).sum();
    let is_long = |lane: usize| {
        let [x, y] = block.axes.map(|axis| Vec3::from_array(axis.map(|column| column[lane])));
        let half = block.half.map(|column| column[lane]);
        let of_block = along(x, half[0]) + along(y, half[1]) + along(x.cross(y), half[2]);
        of_single + 2.0 * half_path.length() > k.value() * of_block
    };
    (0..LANES).filter(|&lane| lanes >> lane & 1 == 1 && is_long(lane)).map(|lane| 1 << lane).sum()
}

//! The distance of two boxes that are far longer than wide, along the way between their middle lines.
//!
//! Boxes are kept wide enough for the arithmetic of f32, in proportion to their length, and a bound in f32
//! loses as large a share of it again. For a long and thin part that is more than its thickness, and its
//! boxes look near whatever they pass. f64 needs no such room. The axes of two long boxes that cross do not
//! separate them either; the direction across both middle lines does.

use glam::DVec3;

use super::Block;
use super::search::Relative;
use closefit_geometry::math::error_bounds::{BOX_GAP, F32_CENTER, F32_EXTENT};

/// Longest half extent of a slender box, as a multiple of the second longest.
const SLENDER: f32 = 8.0;

/// Share of what a box was widened by for f32 that is not taken off: see [`NarrowBox::of`].
const KEPT: f64 = 1.0 / (1 << 12) as f64;

/// Share of the squared gap that the bound gives away, for the quotient by a length, its square, and the
/// rounding to f32: below 2^-23 in all.
const TO_F32: f64 = 1.0 / (1 << 22) as f64;

/// True for half extents of a box that is far longer than wide.
#[inline(always)]
pub(super) fn is_long([x, y, z]: [f32; 3]) -> bool {
    let longest = x.max(y).max(z);
    let second = x.min(y).max(x.max(y).min(z));
    longest > SLENDER * second
}

/// True for the box of a lane if it is far longer than wide.
fn is_slender(block: &Block, lane: usize) -> bool {
    is_long(block.half.map(|half| half[lane]))
}

/// A box in f64, relative to the origin of its block, without the room for the arithmetic of f32.
pub(super) struct NarrowBox {
    /// Centre.
    pub center: DVec3,
    /// Axes.
    pub axes: [DVec3; 3],
    /// Half extents along the axes.
    pub half: DVec3,
}

impl NarrowBox {
    /// Narrows the box of a lane.
    ///
    /// The builder makes half extents of `e_k + g`, with `S = e_0 + e_1 + e_2` and `g = (G + E) S + C c`: G
    /// is [`F32_SKEW_GAIN`](closefit_geometry::math::error_bounds::F32_SKEW_GAIN), E is [`F32_EXTENT`], C is
    /// [`F32_CENTER`], and c the size of the centre. `E S + C c` is what is taken off. The sum of the half
    /// extents less `3 C c` is S, lengthened by less than 3 (G + E) < 2^-15 and, because half extents are
    /// rounded up, by 2^-22 of them all. [`KEPT`] covers both.
    /// [`WideObb::validate`](super::WideObb::validate) proves for each box of a tree that is read that it
    /// holds its vertices like this as well.
    pub fn of(block: &Block, lane: usize) -> Self {
        let vector = |v: &[[f32; 8]; 3]| DVec3::new(v[0][lane].into(), v[1][lane].into(), v[2][lane].into());
        let [a, b] = [vector(&block.axes[0]), vector(&block.axes[1])];
        let (center, half) = (vector(&block.center), vector(&block.half));
        let size = center.abs().max_element() * F32_CENTER;
        let extents = (half.element_sum() - 3.0 * size).max(0.0);
        let room = (F32_EXTENT * extents + size) * (1.0 - KEPT);
        Self { center, axes: [a, b, a.cross(b)], half: (half - room).max(DVec3::ZERO) }
    }

    /// Returns half of the middle line.
    fn middle(&self, axes: &[DVec3; 3]) -> DVec3 {
        let [x, y, z] = self.half.to_array();
        let longest = if x >= y && x >= z { 0 } else { 1 + usize::from(z > y) };
        axes[longest] * self.half[longest]
    }
}

/// Raises lower bounds of the squared distances, times `unit`, between the box of a lane, seen through
/// `frame`, and slender boxes of a block, in the lanes given. Returns the lanes that remain within
/// `farthest`.
#[inline(never)]
pub(super) fn raise(
    frame: &Relative,
    (of, lane): (&Block, usize),
    block: &Block,
    (mut lanes, bounds): (u32, &mut [f32; 8]),
    [unit, farthest]: [f32; 2],
) -> u32 {
    let one = NarrowBox::of(of, lane);
    let at = |block: &Block| DVec3::from_array(block.origin.map(f64::from));
    let axes = one.axes.map(|axis| frame.linear * axis);
    let center = frame.linear * (at(of) + one.center) + (frame.shift - at(block));
    let along = one.middle(&axes);
    let mut left = lanes;
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        if !is_slender(block, lane) {
            continue;
        }
        let other = NarrowBox::of(block, lane);
        let offset = other.center - center;
        let way = between(along, other.middle(&other.axes), offset);
        let gap = gap((&one.half, &axes), &other, frame, offset, way);
        let squared = (gap * gap * (1.0 - TO_F32)) as f32 * unit;
        if gap > 0.0 && squared > bounds[lane] {
            bounds[lane] = squared;
            lanes &= !(u32::from(squared > farthest) << lane);
        }
    }
    lanes
}

/// Returns a lower bound of the distance of what two boxes contain, by their gap along a direction, which may
/// be any; possibly negative, or NaN for a direction of no length. `offset` goes from the centre of the
/// first box to the centre of the second. The axes of the first are mapped to the frame of the second.
fn gap(
    (half, axes): (&DVec3, &[DVec3; 3]),
    other: &NarrowBox,
    frame: &Relative,
    offset: DVec3,
    way: DVec3,
) -> f64 {
    let length = way.length();
    let margin = f64::from(frame.margin);
    let mut radius = margin * length;
    for k in 0..3 {
        radius += half[k] * way.dot(axes[k]).abs() + other.half[k] * way.dot(other.axes[k]).abs();
    }
    let extents = half.element_sum() * frame.ratio + other.half.element_sum();
    let error = BOX_GAP * length * (offset.length() + extents + margin);
    (way.dot(offset).abs() - radius - error) / length
}

/// Returns the way between the closest points of two segments, or across both if they pass each other: a hint
/// along which direction to look. `u` and `v` are half of them, and `t` goes from the middle of the first to
/// the middle of the second.
fn between(u: DVec3, v: DVec3, t: DVec3) -> DVec3 {
    let (uu, vv, uv, ut, vt) = (u.dot(u), v.dot(v), u.dot(v), u.dot(t), v.dot(t));
    let clamped = |at: f64| if at.is_nan() { 0.0 } else { at.clamp(-1.0, 1.0) };
    let area = uu * vv - uv * uv;
    let is_crossing = area > 1e-12 * uu * vv;
    let s = if is_crossing { clamped((ut * vv - vt * uv) / area) } else { 0.0 };
    let r = clamped((s * uv - vt) / vv);
    let s = clamped((r * uv + ut) / uu);
    if is_crossing && s.abs() < 1.0 && r.abs() < 1.0 { u.cross(v) } else { t + v * r - u * s }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::placement::squared_limit;
    use crate::bvh::wide_obb::posed::PosedWideObb;
    use crate::bvh::wide_obb::search::{PosedPair, used};
    use crate::bvh::wide_obb::{Child, WideObb};
    use closefit_geometry::exact::distance::enclose;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::math::testing::{Stream, cases, pose_of};
    use closefit_geometry::mesh::Mesh;
    use glam::DMat3;

    /// Returns needles along a line, some far from the origin, tiny or huge.
    fn needles(stream: &mut Stream) -> Mesh {
        let [along, from] = [stream.point(), stream.point()];
        let thin = stream.pick(&[1e-2, 1e-4, 1e-6, 0.0]);
        let far = stream.point() * stream.pick(&[0.0, 0.0, 1e3, 1e9]);
        let size = libm::ldexp(1.0, stream.pick(&[0, 0, 0, -150, 120]));
        let corners: Vec<DVec3> = (0..3 * (1 + stream.below(12)))
            .map(|_| (far + from + along * stream.signed() + stream.point() * thin) * size)
            .collect();
        let triangles: Vec<[u32; 3]> =
            (0..corners.len() as u32 / 3).map(|i| [0, 1, 2].map(|k| 3 * i + k)).collect();
        Mesh::new(&corners, &triangles).expect("admissible")
    }

    /// Returns a pose that brings a mesh to about unit size, turned, at the origin or next to it.
    fn near(stream: &mut Stream, mesh: &Mesh) -> Pose {
        let tree = WideObb::build(mesh);
        let scale = stream.pick(&[1.0, 1.0, 0.01, 50.0]) / tree.unit;
        let linear: DMat3 = stream.f32_rotations(2) * scale;
        let beside = stream.point() * stream.pick(&[1e-7, 1e-4, 1e-2, 1.0]);
        pose_of(&linear, beside - linear * tree.center)
    }

    /// Returns the triangles below a box.
    fn below(tree: &PosedWideObb, block: usize, lane: usize) -> Vec<[DVec3; 3]> {
        match Child::of(tree.blocks[block].child[lane]) {
            Child::None => Vec::new(),
            Child::Leaf { first, count } => (first..first + count).map(|t| tree.triangle(t)).collect(),
            Child::Block(child) => (0..8).flat_map(|lane| below(tree, child as usize, lane)).collect(),
        }
    }

    /// No bound exceeds the distance of what two boxes contain, and most are near it.
    #[test]
    fn bounds_are_below_the_distance_of_what_boxes_contain() {
        let mut stream = Stream(31);
        let (mut asked, mut tight) = (0, 0);
        for case in 0..cases(3000) {
            let meshes = [needles(&mut stream), needles(&mut stream)];
            let poses = meshes.each_ref().map(|mesh| near(&mut stream, mesh));
            let trees = meshes.each_ref().map(WideObb::build);
            let [a, b] = [0, 1].map(|i| PosedWideObb::new(&trees[i], &poses[i]));
            let pair = PosedPair::new(&a, &b);
            let Some(frames) = &pair.frames else { continue };
            for (opened, other) in [(0, 1), (1, 0)] {
                let trees = [&a, &b];
                let ratio = (b.scale / a.scale) as f32;
                let unit = [1.0, ratio * ratio * (1.0 - crate::bvh::placement::ROOM)][opened];
                for (of, lane) in
                    (0..trees[other].blocks.len()).flat_map(|of| (0..8).map(move |lane| (of, lane)))
                {
                    let own = &trees[other].blocks[of];
                    if used(own) >> lane & 1 == 0 || !is_slender(own, lane) {
                        continue;
                    }
                    let contents = below(trees[other], of, lane);
                    for (index, block) in trees[opened].blocks.iter().enumerate() {
                        let mut bounds = [0.0; 8];
                        raise(
                            &frames[opened],
                            (own, lane),
                            block,
                            (used(block), &mut bounds),
                            [unit, f32::MAX],
                        );
                        for to in (0..8).filter(|&to| is_slender(block, to) && used(block) >> to & 1 == 1) {
                            let others = below(trees[opened], index, to);
                            let apart = contents
                                .iter()
                                .flat_map(|s| others.iter().map(move |t| enclose(s, t).at_most));
                            let apart = apart.fold(f64::INFINITY, f64::min);
                            let limit = squared_limit(apart, a.scale);
                            assert!(bounds[to] <= limit, "case {case}: {:e} > {limit:e}", bounds[to]);
                            asked += 1;
                            tight += u32::from(bounds[to] > 0.8 * limit);
                        }
                    }
                }
            }
        }
        assert!(asked > 10_000 && tight > asked / 4, "{tight} of {asked}");
    }

    #[test]
    fn what_is_slender() {
        let mut block = Block::EMPTY;
        for (lane, half) in
            [[8.1, 1.0, 0.1], [7.9, 1.0, 0.1], [0.0, 9.0, 0.0], [0.0, 0.0, 0.0]].into_iter().enumerate()
        {
            (0..3).for_each(|k| block.half[k][lane] = half[k]);
        }
        assert_eq!([0, 1, 2, 3].map(|lane| is_slender(&block, lane)), [true, false, true, false]);
    }
}

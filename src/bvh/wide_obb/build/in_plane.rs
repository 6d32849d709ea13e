//! Turns the box around a block about its shortest side until its area is small.
//!
//! The spread of a surface gives the normal of a patch well, but in the plane of a patch as wide as long it
//! says little or nothing, and a square turned by an eighth takes a box of twice the area. The boxes of the
//! block stand for its contents here: they only guide the choice of axes, and the box is fitted to all
//! vertices afterwards.

use glam::Vec3;

use super::super::Block;
use closefit_geometry::lanes::*;

/// Angles that are tried in turn, either way: an eighth of a full turn, then half as much each time.
const TURNS: [Turn; 4] = [
    Turn::of_half_tangent(0.414_213_57),
    Turn::of_half_tangent(0.198_912_37),
    Turn::of_half_tangent(0.098_491_4),
    Turn::of_half_tangent(0.049_126_85),
];

/// An angle.
#[derive(Clone, Copy)]
struct Turn {
    cos: f32,
    sin: f32,
}

impl Turn {
    const NONE: Self = Self { cos: 1.0, sin: 0.0 };

    /// Returns the angle of whose half the tangent is given.
    const fn of_half_tangent(t: f32) -> Self {
        Self { cos: (1.0 - t * t) / (1.0 + t * t), sin: 2.0 * t / (1.0 + t * t) }
    }

    #[inline(always)]
    fn back(self) -> Self {
        Self { sin: -self.sin, ..self }
    }

    /// Returns the sum of both angles.
    #[inline(always)]
    fn then(self, other: Self) -> Self {
        Self {
            cos: self.cos * other.cos - self.sin * other.sin,
            sin: self.sin * other.cos + self.cos * other.sin,
        }
    }

    /// Turns two axes.
    #[inline(always)]
    fn apply(self, a: Vec3, b: Vec3) -> [Vec3; 2] {
        [a * self.cos + b * self.sin, b * self.cos - a * self.sin]
    }
}

/// Returns two axes of a small box around the boxes of a block, given two of a larger box. Axes that are no
/// frame are returned as they are.
#[inline(always)]
pub(super) fn turned<S: Simd>(simd: S, contents: &Block, [first, second]: [Vec3; 2]) -> [Vec3; 2] {
    let contents = Contents::new(simd, contents);
    let axes = [first, second, first.cross(second)];
    let shadows = [contents.along(axes[0]), contents.along(axes[1]), contents.along(axes[2])];
    let spans = [shadows[0].span(), shadows[1].span(), shadows[2].span()];
    let mut shortest = 0;
    for k in 1..3 {
        shortest = if spans[k] < spans[shortest] { k } else { shortest };
    }
    let [i, j] = [(shortest + 1) % 3, (shortest + 2) % 3];
    let area = |length: f32, width: f32| length * width + (length + width) * spans[shortest];
    let (mut best, mut least) = (Turn::NONE, area(spans[i], spans[j]));
    for turn in TURNS {
        for turn in [turn, turn.back()] {
            let turn = best.then(turn);
            let [length, width] = spans_after(simd, turn, &shadows[i], &shadows[j]);
            let found = area(length, width);
            // A NaN is not less.
            if found < least {
                (best, least) = (turn, found);
                break;
            }
        }
    }
    let mut turned = axes;
    [turned[i], turned[j]] = best.apply(axes[i], axes[j]);
    [turned[0], turned[1]]
}

/// The boxes of a block: their centres, and their half axes as long as their half extents.
struct Contents<S: Simd> {
    simd: S,
    center: Vector<f32x8<S>>,
    half: [Vector<f32x8<S>>; 3],
}

/// The centres and half axes of boxes along one axis.
struct Shadow<S: Simd> {
    center: f32x8<S>,
    half: [f32x8<S>; 3],
}

impl<S: Simd> Contents<S> {
    /// Takes the boxes. A lane without a box becomes the block's origin, the middle of all others.
    #[inline(always)]
    fn new(simd: S, block: &Block) -> Self {
        let (first, second) = (load(simd, &block.axes[0]), load(simd, &block.axes[1]));
        let half = load(simd, &block.half);
        let third = first.cross(second) * half[2];
        Self { simd, center: load(simd, &block.center), half: [first * half[0], second * half[1], third] }
    }

    #[inline(always)]
    fn along(&self, axis: Vec3) -> Shadow<S> {
        let simd = self.simd;
        let axis =
            Vector([f32x8::splat(simd, axis.x), f32x8::splat(simd, axis.y), f32x8::splat(simd, axis.z)]);
        let [a, b, c] = self.half;
        Shadow { center: self.center.dot(axis), half: [a.dot(axis), b.dot(axis), c.dot(axis)] }
    }
}

impl<S: Simd> Shadow<S> {
    /// Returns the extent of all boxes.
    #[inline(always)]
    fn span(&self) -> f32 {
        let radius = self.half[0].abs() + self.half[1].abs() + self.half[2].abs();
        let ((a, b), (c, d)) = ((self.center + radius).split(), (self.center - radius).split());
        a.max(b).reduce_max() - c.min(d).reduce_min()
    }
}

/// Returns the extents along two axes after a turn, given the shadows before.
#[inline(always)]
fn spans_after<S: Simd>(simd: S, turn: Turn, a: &Shadow<S>, b: &Shadow<S>) -> [f32; 2] {
    let (cos, sin) = (f32x8::splat(simd, turn.cos), f32x8::splat(simd, turn.sin));
    let ([a0, a1, a2], [b0, b1, b2]) = (a.half, b.half);
    let first = Shadow {
        center: a.center * cos + b.center * sin,
        half: [a0 * cos + b0 * sin, a1 * cos + b1 * sin, a2 * cos + b2 * sin],
    };
    let second = Shadow {
        center: b.center * cos - a.center * sin,
        half: [b0 * cos - a0 * sin, b1 * cos - a1 * sin, b2 * cos - a2 * sin],
    };
    [first.span(), second.span()]
}

#[inline(always)]
fn load<S: Simd>(simd: S, lanes: &[[f32; LANES]; 3]) -> Vector<f32x8<S>> {
    let [x, y, z] = lanes;
    Vector([f32x8::load_array_ref(simd, x), f32x8::load_array_ref(simd, y), f32x8::load_array_ref(simd, z)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::wide_obb::Child;
    use closefit_geometry::math::testing::Stream;
    use glam::{DQuat, DVec3};

    fn rotation(stream: &mut Stream) -> DQuat {
        DQuat::from_array([(); 4].map(|()| stream.signed())).normalize()
    }

    /// Returns a block of boxes, and their corners.
    fn block(
        stream: &mut Stream,
        place: impl Fn(&mut Stream) -> (DVec3, DQuat, DVec3),
    ) -> (Block, Vec<DVec3>) {
        let (mut block, mut corners) = (Block::EMPTY, Vec::new());
        for lane in 0..1 + (stream.bits() % 8) as usize {
            let (center, turn, half) = place(stream);
            block.child[lane] = Child::Leaf { first: 0, count: 1 }.code();
            for k in 0..3 {
                block.center[k][lane] = center[k] as f32;
                block.half[k][lane] = half[k] as f32;
                block.axes[0][k][lane] = (turn * DVec3::X)[k] as f32;
                block.axes[1][k][lane] = (turn * DVec3::Y)[k] as f32;
            }
            for corner in 0..8 {
                let sign = |bit: u32| if corner >> bit & 1 == 0 { 1.0 } else { -1.0 };
                corners.push(center + turn * (half * DVec3::new(sign(0), sign(1), sign(2))));
            }
        }
        corners.push(DVec3::ZERO); // the block's origin
        (block, corners)
    }

    /// Returns half of the surface area of the box around points along the axes, and the axes' deviation from
    /// a frame.
    fn area(points: &[DVec3], [a, b]: [Vec3; 2]) -> (f64, f64) {
        let [a, b] = [a.as_dvec3(), b.as_dvec3()];
        let [x, y, z] = [a, b, a.cross(b)].map(|axis| {
            let along = points.iter().map(|p| axis.dot(*p));
            along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
        });
        let off = (a.dot(a) - 1.0).abs().max((b.dot(b) - 1.0).abs()).max(a.dot(b).abs());
        (x * y + y * z + z * x, off)
    }

    fn axes(turn: DQuat) -> [Vec3; 2] {
        [(turn * DVec3::X).as_vec3(), (turn * DVec3::Y).as_vec3()]
    }

    #[test]
    fn boxes_are_no_larger_than_before() {
        let (mut stream, mut smaller) = (Stream(1), 0);
        for _ in 0..20_000 {
            let size = [1.0, 1e-3, 1e-12][(stream.bits() % 3) as usize];
            let somewhere = |stream: &mut Stream| {
                let three = |stream: &mut Stream| DVec3::from_array([(); 3].map(|()| stream.signed()));
                (three(stream) * size, rotation(stream), three(stream).abs() * size * 0.3)
            };
            let (block, corners) = block(&mut stream, somewhere);
            let start = axes(rotation(&mut stream));
            let found = in_lanes!(simd => turned(simd, &block, start));
            let ((before, _), (now, off)) = (area(&corners, start), area(&corners, found));
            assert!(off < 1e-5, "{off}");
            assert!(now <= before * (1.0 + 1e-5), "{now} {before}");
            smaller += u32::from(now < 0.99 * before);
        }
        assert!(smaller > 10_000, "{smaller}");
    }

    /// A square plate, from any start in its plane, gets a box of its own size.
    #[test]
    fn a_square_is_found() {
        let mut stream = Stream(2);
        for _ in 0..1_000 {
            let own = rotation(&mut stream);
            let plate = |_: &mut Stream| (DVec3::ZERO, own, DVec3::new(1.0, 1.0, 0.01));
            let (block, corners) = block(&mut stream, plate);
            let start = axes(own * DQuat::from_rotation_z(stream.signed() * 4.0));
            let (now, _) = area(&corners, in_lanes!(simd => turned(simd, &block, start)));
            let best = 4.0 + 2.0 * 0.04;
            assert!(now < 1.15 * best, "{now} {best}");
        }
    }

    #[test]
    fn no_frame_stays_no_frame() {
        let (block, _) = block(&mut Stream(3), |_| (DVec3::ZERO, DQuat::IDENTITY, DVec3::ONE));
        let found = in_lanes!(simd => turned(simd, &block, [Vec3::NAN; 2]));
        assert!(found[0].is_nan() && found[1].is_nan());
    }
}

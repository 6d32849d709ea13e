//! The items that the topology puts into order: boxes of pairs of triangles and of single ones. They are in
//! f32 because they decide no answer.

use glam::{DVec3, Vec4, Vec4Swizzles};

use super::normal_frame::NormalFrame;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::lanes::*;
use closefit_geometry::mesh::Mesh;

/// Added to a triangle's index so that the sum has the bits of an f32 of at least 1. Tags take part in all
/// arithmetic of the lanes next to them, and many CPUs take a hundred times as long where a result is
/// subnormal. Differences of such tags are 0 or at least 2^-23, and products of two differences that are
/// not 0 at least 2^-46.
const FIRST_TAG: u32 = 1.0f32.to_bits();

// Every tag is finite.
const _: () = assert!(closefit_geometry::mesh::MOST <= (f32::INFINITY.to_bits() - FIRST_TAG) as usize);

/// Returns the tag of a triangle.
#[inline(always)]
fn tag(triangle: u32) -> f32 {
    f32::from_bits(triangle + FIRST_TAG)
}

/// The sides of a box: its least coordinates, negated, and a number, then its largest coordinates and a
/// number. The larger of each of two boxes' sides are the sides of the box around both.
type Sides = [f32; 8];

/// The box of two triangles in some frame, and the triangles' tags, the first one negated. A single triangle
/// is listed twice.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct SplitItem(Sides);

impl SplitItem {
    #[inline(always)]
    pub(super) fn of(mesh: &Mesh, frame: &NormalFrame, [first, second]: [u32; 2]) -> Self {
        let [mut lo, mut hi] = range(mesh, first);
        if first != second {
            let [other_lo, other_hi] = range(mesh, second);
            (lo, hi) = (lo.min(other_lo), hi.max(other_hi));
        }
        // Rounding keeps the order.
        let (lo, hi) = (frame.enter(lo).as_vec3(), frame.enter(hi).as_vec3());
        Self([-lo.x, -lo.y, -lo.z, -tag(first), hi.x, hi.y, hi.z, tag(second)])
    }

    /// Returns both triangles.
    #[inline(always)]
    pub(super) fn pair(&self) -> [u32; 2] {
        [-self.0[3], self.0[7]].map(|tag| tag.to_bits() - FIRST_TAG)
    }

    /// Returns the number of triangles, one or two.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        1 + u32::from(-self.0[3] != self.0[7])
    }

    /// Returns twice the centre of the box.
    #[inline(always)]
    pub(super) fn twice_center(&self) -> Vec4 {
        let [negated_lo, hi] = halves(&self.0);
        hi - negated_lo
    }

    /// Returns one coordinate of twice the centre.
    #[inline(always)]
    pub(super) fn twice_center_along(&self, axis: usize) -> f32 {
        self.0[4 + axis] - self.0[axis]
    }

    /// Returns the box.
    #[inline(always)]
    pub(super) fn bounds<S: Simd>(&self, simd: S) -> LaneBounds<S> {
        LaneBounds(f32x8::load_array_ref(simd, &self.0))
    }
}

#[inline(always)]
fn halves(sides: &Sides) -> [Vec4; 2] {
    [Vec4::from_slice(&sides[..4]), Vec4::from_slice(&sides[4..])]
}

/// Returns the least and largest coordinates of a triangle.
#[inline(always)]
fn range(mesh: &Mesh, triangle: u32) -> [DVec3; 2] {
    let [a, b, c] = mesh.corners(triangle);
    [a.min(b).min(c), a.max(b).max(c)]
}

/// The box of several items.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Bounds(Sides);

impl Bounds {
    pub(super) const EMPTY: Self = Self([f32::NEG_INFINITY; 8]);

    pub(super) fn of<'a>(items: impl IntoIterator<Item = &'a SplitItem>) -> Self {
        let [mut negated_lo, mut hi] = halves(&Self::EMPTY.0);
        for item in items {
            let [other_lo, other_hi] = halves(&item.0);
            (negated_lo, hi) = (negated_lo.max(other_lo), hi.max(other_hi));
        }
        let ([a, b, c, d], [e, f, g, h]) = (negated_lo.to_array(), hi.to_array());
        Self([a, b, c, d, e, f, g, h])
    }

    /// Returns half of the surface area.
    #[inline(always)]
    pub(super) fn area(&self) -> f32 {
        let [negated_lo, hi] = halves(&self.0);
        area(hi + negated_lo)
    }

    /// Returns the longest side.
    pub(super) fn size(&self) -> f32 {
        let [negated_lo, hi] = halves(&self.0);
        (hi + negated_lo).xyz().max_element()
    }

    /// Returns the box in lanes.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S) -> LaneBounds<S> {
        LaneBounds(f32x8::load_array_ref(simd, &self.0))
    }
}

/// The box of several items, in lanes.
#[derive(Clone, Copy)]
pub(super) struct LaneBounds<S: Simd>(f32x8<S>);

impl<S: Simd> LaneBounds<S> {
    #[inline(always)]
    pub(super) fn empty(simd: S) -> Self {
        Self(f32x8::splat(simd, f32::NEG_INFINITY))
    }

    /// Returns the box around both.
    #[inline(always)]
    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// Returns half of the surface area.
    #[inline(always)]
    pub(super) fn area(self) -> f32 {
        let (negated_lo, hi) = self.0.split();
        area(Vec4::from_array((hi + negated_lo).to_array()))
    }

    #[inline(always)]
    pub(super) fn store(self) -> Bounds {
        Bounds(self.0.to_array())
    }
}

/// Returns half of the surface area of a box with these sides.
#[inline(always)]
fn area(size: Vec4) -> f32 {
    let sides = size * size.yzxw();
    sides.x + sides.y + sides.z
}

/// True when all triangles fit into one leaf.
#[inline(always)]
pub(super) fn is_leaf(items: &[SplitItem]) -> bool {
    items.len() == 1 || items.len() == 2 && items.iter().all(|item| item.count() == 1)
}

/// Puts the items into the frame of their common box.
pub(super) fn reframe(mesh: &Mesh, items: &mut [SplitItem]) {
    let corners = |item: &SplitItem| item.pair().into_iter().flat_map(|triangle| mesh.corners(triangle));
    let frame = NormalFrame::of(Aabb::of(items.iter().flat_map(corners)));
    for item in items {
        *item = SplitItem::of(mesh, &frame, item.pair());
    }
}

#[cfg(test)]
mod tests {
    use super::tag;
    use closefit_geometry::math::testing::Stream;
    use closefit_geometry::mesh::MOST;

    /// A result that is subnormal would make trees take twice as long to build, on some CPUs.
    #[test]
    fn differences_of_tags_and_their_products_are_normal_or_zero() {
        let last = u32::try_from(MOST - 1).unwrap();
        let mut stream = Stream(11);
        let mut some: Vec<u32> = (0..40).flat_map(|i| [i, (1 << 23) - 20 + i, last - i]).collect();
        some.extend((0..30).map(|bit| 1 << bit));
        some.extend((0..200).map(|_| stream.below(u64::from(last)) as u32));
        let is_fast = |x: f32| x == 0.0 || !x.is_subnormal();
        for &t in &some {
            assert!(tag(t).is_finite() && tag(t) >= 1.0);
            for &u in &some {
                let difference = tag(t) - tag(u);
                assert!(is_fast(difference) && (difference == 0.0) == (t == u), "{t} {u}: {difference:e}");
                assert!(is_fast(difference * difference), "{t} {u}: {difference:e}");
            }
        }
    }
}

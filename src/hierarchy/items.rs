//! The boxes of triangles as the topology sees them: in f32, for they decide no answer.

use glam::{Vec4, Vec4Swizzles};

use super::frame::Frame;
use crate::bounds::aabb::Aabb;
use crate::scene::Mesh;

/// Added to a triangle's index, so that its bits are those of a normal f32: arithmetic on others is slow.
const FIRST_TAG: u32 = 0x0080_0000;

/// A triangle's box in some frame, in the first three coordinates; the fourth is the triangle's tag.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub lo: Vec4,
    pub hi: Vec4,
}

impl Item {
    pub(super) fn of(mesh: &Mesh, frame: &Frame, triangle: u32) -> Self {
        let tag = f32::from_bits(triangle + FIRST_TAG);
        let [a, b, c] = mesh.triangles()[triangle as usize];
        let corner = |v: u32| frame.enter(mesh.vertices()[v as usize]).as_vec3().extend(tag);
        let (a, b, c) = (corner(a), corner(b), corner(c));
        Self { lo: a.min(b).min(c), hi: a.max(b).max(c) }
    }

    pub(super) fn triangle(&self) -> u32 {
        self.lo.w.to_bits() - FIRST_TAG
    }

    /// Twice the middle of the box.
    #[inline(always)]
    pub(super) fn twice_center(&self) -> Vec4 {
        self.lo + self.hi
    }
}

/// The box of several items; the fourth coordinate means nothing.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub lo: Vec4,
    pub hi: Vec4,
}

impl Bounds {
    pub(super) const EMPTY: Self = Self { lo: Vec4::INFINITY, hi: Vec4::NEG_INFINITY };

    #[inline(always)]
    pub(super) fn of<'a>(items: impl IntoIterator<Item = &'a Item>) -> Self {
        items.into_iter().fold(Self::EMPTY, |bounds, item| bounds.with(item.lo, item.hi))
    }

    #[inline(always)]
    pub(super) fn with(self, lo: Vec4, hi: Vec4) -> Self {
        Self { lo: self.lo.min(lo), hi: self.hi.max(hi) }
    }

    /// Half of the surface area.
    #[inline(always)]
    pub(super) fn area(&self) -> f32 {
        let size = self.hi - self.lo;
        let sides = size * size.yzxw();
        sides.x + sides.y + sides.z
    }

    /// The longest side.
    pub(super) fn size(&self) -> f32 {
        (self.hi - self.lo).xyz().max_element()
    }
}

/// Puts the items into the frame of what they are together.
pub(super) fn reframe(mesh: &Mesh, items: &mut [Item]) {
    let corners = |item: &Item| mesh.corners(item.triangle());
    let frame = Frame::of(Aabb::of(items.iter().flat_map(corners)));
    for item in items {
        *item = Item::of(mesh, &frame, item.triangle());
    }
}

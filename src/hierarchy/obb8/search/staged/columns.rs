//! Columns of plain old data between the stages: one stage writes them and the next one reads them, on any
//! device.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use crate::hierarchy::obb8::Block;
use crate::hierarchy::obb8::search::{Leaf, Opened, Slot, Slots};
use crate::narrow::triangle_triangle::Contacts;

/// A test of the eight boxes of a block against one box of the other tree.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct BoxItem {
    /// Number of the question.
    pub query: u32,
    /// The block. The highest bit is set if it is the second tree's.
    pub block: u32,
    /// The box: eight times its block, plus its lane.
    pub other: Slot,
    /// A lower bound of the squared distance, in normal units of the first tree.
    pub at_least: f32,
}

/// A test of two leaves' pairs of triangles.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LeafItem {
    /// Number of the question.
    pub query: u32,
    /// The first triangle of each leaf, by its place in the tree.
    pub first: [u32; 2],
    /// Bit 0 is set if the first tree's leaf has two triangles, bit 1 if the second's has.
    pub two: u32,
}

const SECOND: u32 = 1 << 31;

impl BoxItem {
    pub fn new(query: u32, opened: Opened, [a, b]: Slots, at_least: f32) -> Self {
        let (side, other) = if opened.side == 0 { (0, b) } else { (SECOND, a) };
        Self { query, block: opened.block | side, other, at_least }
    }

    /// Returns the block, and the box twice: only the entry of the other tree is used.
    #[inline(always)]
    pub fn opened(&self) -> (Opened, Slots) {
        let side = usize::from(self.block & SECOND != 0);
        (Opened { side, block: self.block & !SECOND }, [self.other; 2])
    }
}

impl LeafItem {
    pub fn new(query: u32, [a, b]: [Leaf; 2]) -> Self {
        let two = u32::from(a.count == 2) | u32::from(b.count == 2) << 1;
        Self { query, first: [a.first, b.first], two }
    }

    #[inline(always)]
    pub fn leaves(&self) -> [Leaf; 2] {
        let leaf = |side: usize| Leaf { first: self.first[side], count: 1 + (self.two >> side & 1) };
        [leaf(0), leaf(1)]
    }
}

// Sizes and offsets that device code relies on.
const _: () = {
    assert!(size_of::<BoxItem>() == 16 && size_of::<LeafItem>() == 16 && size_of::<Contacts>() == 12);
    assert!(offset_of!(BoxItem, query) == 0 && offset_of!(BoxItem, block) == 4);
    assert!(offset_of!(BoxItem, other) == 8 && offset_of!(BoxItem, at_least) == 12);
    assert!(offset_of!(LeafItem, query) == 0 && offset_of!(LeafItem, first) == 4);
    assert!(offset_of!(LeafItem, two) == 12);
    assert!(offset_of!(Contacts, meets) == 0 && offset_of!(Contacts, apart) == 4);
    assert!(offset_of!(Contacts, unsure) == 8);
    assert!(size_of::<Block>() == 448 && align_of::<Block>() == 64);
    assert!(offset_of!(Block, center) == 0 && offset_of!(Block, axes) == 96);
    assert!(offset_of!(Block, half) == 288 && offset_of!(Block, child) == 384);
    assert!(offset_of!(Block, origin) == 416 && offset_of!(Block, padding) == 428);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_say_what_they_were_made_of() {
        for side in [0, 1] {
            let (opened, slots) = BoxItem::new(7, Opened { side, block: 5 }, [11, 13], 0.5).opened();
            assert_eq!((opened.side, opened.block, slots[1 - side]), (side, 5, [13, 11][side]));
        }
        for counts in [[1, 1], [1, 2], [2, 1], [2, 2]] {
            let leaves = [0, 1].map(|k| Leaf { first: 3 + k as u32, count: counts[k] });
            let item = LeafItem::new(2, leaves);
            assert_eq!(item.leaves().map(|leaf| (leaf.first, leaf.count)), [(3, counts[0]), (4, counts[1])]);
            assert_eq!(bytemuck::bytes_of(&item).len(), 16);
        }
    }
}

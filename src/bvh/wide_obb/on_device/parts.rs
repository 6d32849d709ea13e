//! Pairs of trees in batches: a batch binds one arena of home trees and one of guests, and searches pairs of
//! pieces.

use std::collections::BTreeMap;

use super::Placed;
use super::arena::Piece;
use super::columns::{BoxItem, GUEST_BIT, LeafItem, Pair};
use super::residence::Residence;
use crate::bvh::wide_obb::Child;
use crate::bvh::wide_obb::search::Leaf;
use closefit_geometry::ids::to_u32;

/// Part of a pair of trees: one piece of each, home first.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Index of the placed pair.
    pub placed: usize,
    pub pieces: [Piece; 2],
}

/// The item or the leaf pair with which a search begins.
pub(super) enum Beginning {
    Boxes(BoxItem),
    Leaves(LeafItem),
}

impl Part {
    /// Returns the pair with the places of its pieces.
    pub fn pair(&self, placed: &Placed) -> Pair {
        let [home, guest] = self.pieces;
        let of_both = |i: usize| [home.at[i], guest.at[i]];
        Pair {
            blocks: of_both(0),
            corners: of_both(1),
            vertices: of_both(2),
            any: placed.any,
            ..*placed.pair()
        }
    }

    /// Returns the item or the leaf pair with which the search of the pair with this number begins.
    pub fn beginning(&self, placed: &Placed, number: u32) -> Beginning {
        let ([home, guest], ratio) = (self.pieces, placed.relation.ratio as f32);
        let in_home = |block| BoxItem { pair: number, block, other: guest.lane };
        let in_guest = |block| BoxItem { pair: number, block: block | GUEST_BIT, other: home.lane };
        match (home.root, guest.root) {
            (Child::Leaf { first: a, count: na }, Child::Leaf { first: b, count: nb }) => {
                Beginning::Leaves(LeafItem { pair: number, first: [a, b], two: (na - 1) | (nb - 1) << 1 })
            }
            (Child::Block(block), Child::Leaf { .. }) => Beginning::Boxes(in_home(block)),
            (Child::Leaf { .. }, Child::Block(block)) => Beginning::Boxes(in_guest(block)),
            (Child::Block(of_home), Child::Block(of_guest)) => {
                let is_larger = home.volume >= guest.volume * ratio * ratio * ratio;
                Beginning::Boxes(if is_larger { in_home(of_home) } else { in_guest(of_guest) })
            }
            (Child::None, _) | (_, Child::None) => unreachable!("a piece holds something"),
        }
    }

    /// Returns leaves of a record as places in the trees, in the order of the trees, and true if that is
    /// guest first.
    pub fn in_order(&self, placed: &Placed, [mut home, mut guest]: [Leaf; 2]) -> ([Leaf; 2], bool) {
        home.first += self.pieces[0].first;
        guest.first += self.pieces[1].first;
        if placed.relation.home == 0 { ([home, guest], false) } else { ([guest, home], true) }
    }
}

/// Renumbers a mask of lanes for the other order of two leaves.
pub(super) fn swapped_lanes(mask: u32) -> u32 {
    mask & 9 | (mask & 2) << 1 | (mask & 4) >> 1
}

/// The input of a batch: the pairs, and the items and leaf pairs with which their searches begin.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub pairs: Vec<Pair>,
    pub items: Vec<BoxItem>,
    pub leaves: Vec<LeafItem>,
    /// The largest pair, and the largest place of a leaf in a home and in a guest tree.
    pub largest: [u32; 3],
}

impl Residence {
    /// Returns the parts of placed pairs by the arenas of their pieces, home first.
    pub(super) fn parts(&self, placed: &[Placed]) -> BTreeMap<[usize; 2], Vec<Part>> {
        let mut parts: BTreeMap<[usize; 2], Vec<Part>> = BTreeMap::new();
        for (index, p) in placed.iter().enumerate() {
            for home in self.pieces(p.trees[p.relation.home].tree) {
                for guest in self.pieces(p.trees[1 - p.relation.home].tree) {
                    let part = Part { placed: index, pieces: [*home, *guest] };
                    parts.entry([home.arena, guest.arena]).or_default().push(part);
                }
            }
        }
        parts
    }
}

/// Returns the total depth of the deepest pair of trees, in blocks.
pub(super) fn depth(placed: &[Placed]) -> u32 {
    placed.iter().map(depth_of).max().unwrap_or(0)
}

/// Returns the total depth of a pair of trees, in blocks.
pub(super) fn depth_of(placed: &Placed) -> u32 {
    placed.trees[0].tree.depth + placed.trees[1].tree.depth
}

/// Returns the pairs of a batch, and the item or leaf pair with which each search begins.
pub(super) fn batch(parts: &[Part], placed: &[Placed]) -> Batch {
    let mut batch = pairs_of(parts, placed);
    for (number, part) in (0..).zip(parts) {
        match part.beginning(&placed[part.placed], number) {
            Beginning::Boxes(item) => batch.items.push(item),
            Beginning::Leaves(item) => batch.leaves.push(item),
        }
    }
    batch
}

/// Returns the pairs of a batch, without items and leaf pairs.
pub(super) fn pairs_of(parts: &[Part], placed: &[Placed]) -> Batch {
    let mut batch = Batch::default();
    for (number, part) in (0..).zip(parts) {
        let p = &placed[part.placed];
        for (word, of) in [(1, p.relation.home), (2, 1 - p.relation.home)] {
            batch.largest[word] = batch.largest[word].max(to_u32(p.trees[of].tree.triangles.len()));
        }
        batch.largest[0] = number;
        batch.pairs.push(part.pair(p));
    }
    batch
}

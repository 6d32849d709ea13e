//! Sorted lists kept from one search of two trees to the next (Ponamgi, Manocha and Lin 1995, section 4.7).
//! If the trees move little in between, the lists are nearly sorted, and an insertion sort exchanges few
//! ends.
//!
//! The paper also begins where the last search ended and climbs; here each search begins at the roots,
//! because the blocks that it opens are those whose lists it needs.

use hashbrown::HashMap;

use super::sorted_ends::Orders;
use crate::volumes::Slots;

/// Numbers and memory of the lists that a [`KeptLists`] has. Three lists, one along each axis, count as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListCounts {
    /// Number of lists made so far.
    pub made: u64,
    /// Number of those that a later search did not use, and gave back.
    pub given_back: u64,
    /// Number of lists that the last search used.
    pub alive: usize,
    /// Memory, also of room for lists that were given back.
    pub bytes: usize,
}

/// The orders of the ends in the blocks that the last search opened, always of the same two trees. No answer
/// depends on it.
#[derive(Clone, Debug, Default)]
pub struct KeptLists {
    of_blocks: HashMap<Slots, Kept>,
    /// Number of searches so far.
    searches: u64,
    /// Number of lists made so far.
    made: u64,
}

#[derive(Clone, Debug, Default)]
struct Kept {
    orders: Orders,
    /// The number of the search that used it last.
    search: u64,
}

impl KeptLists {
    /// Begins a search.
    pub fn begin(&mut self) {
        self.searches += 1;
    }

    /// Returns the orders of two blocks, as they were left.
    pub fn of(&mut self, blocks: Slots) -> &mut Orders {
        let kept = self.of_blocks.entry(blocks).or_insert_with(|| {
            self.made += 1;
            Kept::default()
        });
        kept.search = self.searches;
        &mut kept.orders
    }

    /// Ends a search: gives back the lists that it did not use.
    pub fn end(&mut self) {
        let search = self.searches;
        self.of_blocks.retain(|_, kept| kept.search == search);
    }

    /// Counts the lists, one for each pair of blocks.
    pub fn counts(&self) -> ListCounts {
        let alive = self.of_blocks.len();
        ListCounts {
            made: self.made,
            given_back: self.made - alive as u64,
            alive,
            bytes: self.of_blocks.allocation_size(),
        }
    }
}

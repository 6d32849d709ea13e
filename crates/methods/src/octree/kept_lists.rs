//! Sorted lists kept from one search of two trees to the next (Ponamgi, Manocha and Lin 1995, section 4.7).
//! If the trees move little in between, the lists are nearly sorted, and an insertion sort exchanges few
//! ends.
//!
//! The paper also begins where the last search ended and climbs; here each search begins at the roots,
//! because the blocks that it opens are those whose lists it needs.

use hashbrown::HashMap;

use super::face_lists::FaceLists;
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
    of_blocks: HashMap<Slots, Kept<Orders>>,
    /// The lists of the faces of two cells, by the places of their first triangles.
    of_cells: HashMap<[u32; 2], Kept<FaceLists>>,
    /// Number of searches so far.
    searches: u64,
    /// Number of lists made so far.
    made: u64,
}

#[derive(Clone, Debug, Default)]
struct Kept<L> {
    lists: L,
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
        kept(&mut self.of_blocks, blocks, self.searches, &mut self.made)
    }

    /// Returns the lists of the faces of two cells, as they were left.
    pub fn of_cells(&mut self, first: [u32; 2]) -> &mut FaceLists {
        kept(&mut self.of_cells, first, self.searches, &mut self.made)
    }

    /// Ends a search: gives back the lists that it did not use.
    pub fn end(&mut self) {
        let search = self.searches;
        self.of_blocks.retain(|_, kept| kept.search == search);
        self.of_cells.retain(|_, kept| kept.search == search);
    }

    /// Counts the lists, one for each pair of blocks or of cells.
    pub fn counts(&self) -> ListCounts {
        let alive = self.of_blocks.len() + self.of_cells.len();
        let of_faces = self.of_cells.values().map(|kept| kept.lists.bytes()).sum::<usize>();
        ListCounts {
            made: self.made,
            given_back: self.made - alive as u64,
            alive,
            bytes: self.of_blocks.allocation_size() + self.of_cells.allocation_size() + of_faces,
        }
    }
}

/// Returns the lists of a pair, which a search uses.
fn kept<'k, L: Default>(
    of: &'k mut HashMap<[u32; 2], Kept<L>>,
    pair: [u32; 2],
    search: u64,
    made: &mut u64,
) -> &'k mut L {
    let kept = of.entry(pair).or_insert_with(|| {
        *made += 1;
        Kept::default()
    });
    kept.search = search;
    &mut kept.lists
}

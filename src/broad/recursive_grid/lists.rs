//! Lists of ids that grow and shrink, all in one column. The room of a list is a power of two. Room that a
//! list has left is used again, whole or in halves.

use closefit_geometry::ids::to_u32;

/// Room of the smallest list, as a power of two.
const LEAST: u8 = 3;

/// All lists.
#[derive(Default)]
pub(super) struct Lists {
    ids: Vec<u32>,
    /// Starts of unused rooms, by size.
    unused: [Vec<u32>; 32],
}

/// A list: where its ids are in the column.
#[derive(Clone, Copy, Default)]
pub(super) struct List {
    first: u32,
    len: u32,
    /// The room as a power of two; 0 for none.
    room: u8,
}

impl List {
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// True when the next id needs more room.
    pub fn is_full(&self) -> bool {
        self.room == 0 || self.len == 1 << self.room
    }
}

impl Lists {
    /// Returns the ids of a list, in no particular order.
    pub fn ids(&self, list: List) -> &[u32] {
        &self.ids[list.first as usize..][..list.len()]
    }

    /// Adds an id to a list.
    pub fn push(&mut self, list: &mut List, id: u32) {
        if list.is_full() {
            let larger = self.with_room((list.room + 1).max(LEAST), list.len);
            let from = list.first as usize;
            self.ids.copy_within(from..from + list.len(), larger.first as usize);
            self.discard(std::mem::replace(list, larger));
        }
        self.ids[list.first as usize + list.len()] = id;
        list.len += 1;
    }

    /// Removes an id from a list. Returns false if it is not there.
    pub fn remove(&mut self, list: &mut List, id: u32) -> bool {
        let ids = &mut self.ids[list.first as usize..][..list.len()];
        let Some(at) = ids.iter().position(|&other| other == id) else { return false };
        ids[at] = ids[ids.len() - 1];
        list.len -= 1;
        if list.len == 0 {
            self.discard(std::mem::take(list));
        }
        true
    }

    /// Empties a list and returns what was in it.
    pub fn take(&mut self, list: &mut List) -> Vec<u32> {
        let ids = self.ids(*list).to_vec();
        self.discard(std::mem::take(list));
        ids
    }

    /// Removes all lists.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.unused.iter_mut().for_each(Vec::clear);
    }

    /// Returns the memory of all lists, in bytes.
    pub fn bytes(&self) -> usize {
        let unused: usize = self.unused.iter().map(Vec::capacity).sum();
        size_of::<u32>() * (self.ids.capacity() + unused)
    }

    fn with_room(&mut self, room: u8, len: u32) -> List {
        let (least, sizes) = (usize::from(room), self.unused.len());
        let Some(size) = (least..sizes).find(|&size| !self.unused[size].is_empty()) else {
            let first = to_u32(self.ids.len());
            self.ids.resize(self.ids.len() + (1 << room), 0);
            return List { first, len, room };
        };
        let first = self.unused[size].pop().expect("found");
        (least..size).for_each(|half| self.unused[half].push(first + (1 << half)));
        List { first, len, room }
    }

    fn discard(&mut self, list: List) {
        if list.room > 0 {
            self.unused[usize::from(list.room)].push(list.first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_ids_while_others_grow_and_shrink() {
        let (mut lists, mut kept) = (Lists::default(), Vec::new());
        let mut all = [List::default(); 5];
        for id in 0..1000u32 {
            let of = (id * id % 7) as usize % all.len();
            lists.push(&mut all[of], id);
            kept.push((of, id));
            if id % 3 == 0 {
                let (of, id) = kept.swap_remove((id as usize * 31) % kept.len());
                assert!(lists.remove(&mut all[of], id) && !lists.remove(&mut all[of], id));
            }
        }
        for (of, list) in all.iter().enumerate() {
            let mut ids = lists.ids(*list).to_vec();
            ids.sort_unstable();
            let mut expected: Vec<u32> = kept.iter().filter(|k| k.0 == of).map(|k| k.1).collect();
            expected.sort_unstable();
            assert_eq!(ids, expected);
        }
    }

    #[test]
    fn room_is_used_again() {
        let (mut lists, mut list) = (Lists::default(), List::default());
        for round in 0..100 {
            (0..50).for_each(|id| lists.push(&mut list, id));
            assert_eq!(lists.take(&mut list).len(), 50, "round {round}");
        }
        assert_eq!(lists.ids.len(), 8 + 16 + 32 + 64);
        let mut small = [List::default(); 15];
        small.iter_mut().for_each(|list| (0..8).for_each(|id| lists.push(list, id)));
        assert_eq!(lists.ids.len(), 8 + 16 + 32 + 64, "fifteen lists of eight");
        assert!(small.iter().all(|&list| lists.ids(list) == [0, 1, 2, 3, 4, 5, 6, 7]));
    }
}

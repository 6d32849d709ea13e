//! Sweep and prune over many frames (Lin et al. 1997, section 3). Three lists of the boxes' ends are kept
//! sorted by insertion. A box that moves little costs one step per end that it passes; at each such step a
//! pair begins or stops overlapping along an axis.

use std::cmp::Ordering;

use super::{Pairs, apart, pair, without};
use closefit_geometry::bounds::aabb::{Aabb, difference_tail};
use closefit_geometry::ids::to_u32;

/// Insertion steps per end and axis above which sorting from scratch is cheaper.
const STEPS: usize = 64;

/// Fixed and moving boxes from frame to frame. Pairs of two fixed boxes are left out.
#[derive(Clone, Debug)]
pub struct SortedLists {
    reach: f64,
    fixed: usize,
    /// Largest number of near pairs.
    most: usize,
    boxes: Vec<Aabb>,
    lists: [Vec<End>; 3],
    near: Pairs,
    begun: Pairs,
    ended: Pairs,
    work: ListWork,
}

/// The work of sorted lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListWork {
    /// Ends that passed each other, along each axis.
    pub exchanges: [u64; 3],
    /// Tests of two boxes.
    pub box_tests: u64,
}

/// There are more near pairs than there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyPairs;

/// One end of a box along an axis; an upper end includes the reach. `value + tail` is exact.
#[derive(Clone, Copy, Debug)]
struct End {
    value: f64,
    tail: f64,
    /// Twice the position of the box, plus one for the upper end.
    owner: u32,
}

impl End {
    /// Creates an end. Zeros are made positive, so that the total order of f64 is the order of the numbers.
    fn new(boxes: &[Aabb], axis: usize, owner: u32, reach: f64) -> Self {
        let b = &boxes[owner as usize / 2];
        if owner.is_multiple_of(2) {
            return Self { value: b.lo[axis] + 0.0, tail: 0.0, owner };
        }
        let value = b.hi[axis] + reach + 0.0;
        let tail = if value.is_finite() { difference_tail(b.hi[axis], -reach, value) } else { 0.0 };
        Self { value, tail: tail + 0.0, owner }
    }

    fn is_upper(&self) -> bool {
        self.owner & 1 == 1
    }

    /// Compares two ends of a list. Equal ends have the lower end first, because boxes that touch are near. A
    /// rounded sum and its error order as the exact sums do.
    fn order(&self, other: &Self) -> Ordering {
        let by_value = self.value.total_cmp(&other.value).then(self.tail.total_cmp(&other.tail));
        by_value.then(self.is_upper().cmp(&other.is_upper()))
    }
}

impl SortedLists {
    /// Creates the lists. The boxes after the first `fixed` may move later (positions are part ids). Two
    /// boxes are near if they are not apart by more than `reach`.
    ///
    /// # Errors
    /// [`TooManyPairs`] if more than `most` pairs are near.
    pub fn new(boxes: &[Aabb], fixed: usize, reach: f64, most: usize) -> Result<Self, TooManyPairs> {
        let (boxes, lists) = (boxes.to_vec(), [Vec::new(), Vec::new(), Vec::new()]);
        let [near, begun, ended] = [Pairs::new(), Pairs::new(), Pairs::new()];
        let mut new =
            Self { reach, fixed, most, boxes, lists, near, begun, ended, work: ListWork::default() };
        new.start_over()?;
        Ok(new)
    }

    /// Sets the boxes of the moving parts for the next frame.
    ///
    /// # Errors
    /// [`TooManyPairs`]; the lists are then of no use.
    ///
    /// # Panics
    /// If there are not as many as moving parts.
    pub fn update(&mut self, moved: &[Aabb]) -> Result<(), TooManyPairs> {
        assert_eq!(moved.len(), self.moving(), "one box for each moving part");
        self.boxes[self.fixed..].copy_from_slice(moved);
        let (mut met, mut parted) = (Vec::new(), Vec::new());
        for axis in 0..3 {
            if !self.insert(axis, &mut met, &mut parted) {
                return self.start_over();
            }
        }
        for pairs in [&mut met, &mut parted] {
            pairs.sort_unstable();
            pairs.dedup();
        }
        let (boxes, reach) = (&self.boxes, self.reach);
        self.work.box_tests += met.len() as u64;
        met.retain(|&(a, b)| !apart(&boxes[a.index()], &boxes[b.index()], reach));
        met.retain(|p| self.near.binary_search(p).is_err());
        parted.retain(|p| self.near.binary_search(p).is_ok());
        self.near = merge(&self.near, &met, &parted);
        (self.begun, self.ended) = (met, parted);
        if self.near.len() > self.most { Err(TooManyPairs) } else { Ok(()) }
    }

    /// Returns the number of moving boxes.
    pub fn moving(&self) -> usize {
        self.boxes.len() - self.fixed
    }

    /// Returns the work so far.
    pub fn work(&self) -> ListWork {
        self.work
    }

    /// Returns all near pairs.
    pub fn near(&self) -> &Pairs {
        &self.near
    }

    /// Returns the pairs that are near and were not in the previous frame; all of them at first.
    pub fn begun(&self) -> &Pairs {
        &self.begun
    }

    /// Returns the pairs that were near in the previous frame and no longer are.
    pub fn ended(&self) -> &Pairs {
        &self.ended
    }

    /// Sorts a list by insertion and records the pairs whose ends have passed each other. Each record holds
    /// at the end of the frame, because two ends pass each other at most once in it. Returns false when it
    /// takes too many steps.
    fn insert(&mut self, axis: usize, met: &mut Pairs, parted: &mut Pairs) -> bool {
        let list = &mut self.lists[axis];
        let mut steps = STEPS * list.len();
        for end in list.iter_mut().filter(|end| (end.owner / 2) as usize >= self.fixed) {
            *end = End::new(&self.boxes, axis, end.owner, self.reach);
        }
        for k in 1..list.len() {
            let end = list[k];
            let mut at = k;
            while at > 0 && list[at - 1].order(&end).is_gt() {
                let passed = list[at - 1];
                let ids = [end, passed].map(|e| (e.owner / 2) as usize);
                if end.is_upper() != passed.is_upper() && ids[0] != ids[1] && ids[0].max(ids[1]) >= self.fixed
                {
                    if end.is_upper() { &mut *parted } else { &mut *met }.push(pair(ids[0], ids[1]));
                }
                list[at] = passed;
                at -= 1;
                self.work.exchanges[axis] += 1;
                if steps == 0 {
                    return false;
                }
                steps -= 1;
            }
            list[at] = end;
        }
        true
    }

    /// Sorts the lists and finds the pairs from scratch.
    fn start_over(&mut self) -> Result<(), TooManyPairs> {
        let count = to_u32(2 * self.boxes.len());
        self.lists = [0, 1, 2].map(|axis| {
            let mut list: Vec<End> = (0..count).map(|o| End::new(&self.boxes, axis, o, self.reach)).collect();
            list.sort_by(End::order);
            list
        });
        let near = self.walk()?;
        self.begun = without(&near, &self.near);
        self.ended = without(&self.near, &near);
        self.near = near;
        Ok(())
    }

    /// Finds the near pairs by walking along the list in which the fewest boxes overlap: a box that begins is
    /// tested against those that have begun and not ended.
    fn walk(&mut self) -> Result<Pairs, TooManyPairs> {
        let overlaps = |list: &&Vec<End>| {
            let (mut open, mut overlaps) = (0u64, 0);
            for end in *list {
                if end.is_upper() {
                    open -= 1;
                } else {
                    overlaps += open;
                    open += 1;
                }
            }
            overlaps
        };
        let list = self.lists.iter().min_by_key(overlaps).expect("three");
        let (mut near, mut open) = (Pairs::new(), Vec::new());
        let mut places = vec![0; self.boxes.len()];
        for end in list {
            let id = (end.owner / 2) as usize;
            if end.is_upper() {
                let place: usize = places[id];
                open.swap_remove(place);
                open.get(place).into_iter().for_each(|&moved: &usize| places[moved] = place);
                continue;
            }
            for &other in open.iter().filter(|&&other| id.max(other) >= self.fixed) {
                self.work.box_tests += 1;
                if !apart(&self.boxes[id], &self.boxes[other], self.reach) {
                    if near.len() == self.most {
                        return Err(TooManyPairs);
                    }
                    near.push(pair(id, other));
                }
            }
            places[id] = open.len();
            open.push(id);
        }
        near.sort_unstable();
        Ok(near)
    }
}

/// Returns the sorted pairs with `more` added and `fewer`, which must all be among them, removed.
fn merge(pairs: &Pairs, more: &Pairs, fewer: &Pairs) -> Pairs {
    let (mut more, mut fewer) = (more.iter().peekable(), fewer.iter().peekable());
    let mut merged = Vec::with_capacity(pairs.len() + more.len());
    for p in pairs {
        merged.extend(std::iter::from_fn(|| more.next_if(|m| *m < p)));
        if fewer.next_if_eq(&p).is_none() {
            merged.push(*p);
        }
    }
    merged.extend(more);
    merged
}

#[cfg(test)]
mod tests {
    use super::super::{brute, cases};
    use super::*;
    use closefit_geometry::math::testing::cases;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(150)))]

        #[test]
        fn follows_what_brute_force_finds(
            frames in cases::frames(prop_oneof![cases::boxes(150).boxed(), cases::sizes(200).boxed()]),
            reach in cases::reaches(),
            share in 0..3usize,
        ) {
            let first = &frames[0];
            let fixed = first.len() * (2 - share) / 3;
            let mut boxes = first.clone();
            let mut lists = SortedLists::new(first, fixed, reach, usize::MAX).expect("no limit");
            let mut before = BTreeSet::new();
            for (k, frame) in frames.iter().enumerate() {
                if k > 0 {
                    boxes[fixed..].copy_from_slice(&frame[fixed..]);
                    lists.update(&frame[fixed..]).expect("no limit");
                }
                let mut near = brute::near_pairs(&boxes, reach);
                near.retain(|p| p.1.index() >= fixed);
                prop_assert_eq!(lists.near(), &near);
                let near: BTreeSet<_> = near.into_iter().collect();
                prop_assert_eq!(lists.begun(), &near.difference(&before).copied().collect::<Vec<_>>());
                prop_assert_eq!(lists.ended(), &before.difference(&near).copied().collect::<Vec<_>>());
                before = near;
            }
        }
    }

    #[test]
    fn a_gap_equal_to_the_reach_is_near_and_the_next_larger_is_not() {
        let cube = |x: f64| Aabb::of([glam::DVec3::splat(x), glam::DVec3::splat(x + 1.0)]);
        let mut lists = SortedLists::new(&[cube(0.0), cube(1.5)], 1, 0.5, 1).unwrap();
        assert_eq!(lists.near().len(), 1);
        lists.update(&[cube(1.5f64.next_up())]).unwrap();
        assert_eq!((lists.near().len(), lists.ended().len()), (0, 1));
        lists.update(&[cube(1.5)]).unwrap();
        assert_eq!((lists.begun().len(), lists.ended().len()), (1, 0));
    }

    #[test]
    fn more_pairs_than_allowed_are_refused() {
        let cube = |x: f64| Aabb::of([glam::DVec3::splat(x), glam::DVec3::splat(x + 1.0)]);
        let boxes = [cube(0.0), cube(0.5), cube(1.25)];
        assert_eq!(SortedLists::new(&boxes, 0, 0.0, 1).map(|_| ()), Err(TooManyPairs));
        let mut lists = SortedLists::new(&boxes, 0, 0.0, 2).expect("two");
        assert_eq!(lists.update(&[cube(0.0), cube(0.5), cube(1.0)]), Err(TooManyPairs));
    }
}

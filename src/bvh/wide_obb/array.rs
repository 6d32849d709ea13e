//! The arrays of a tree, which its clones share, on huge pages where they are large and the system has such
//! pages.
//!
//! A query reads a few dozen blocks out of megabytes. On pages of 4 KiB nearly every one of them is also on a
//! page whose address the processor has to look up, in tables that may not be in its caches either; in a
//! virtual machine it looks up each of those addresses as well.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use bytemuck::Pod;

/// Size of a huge page in bytes, on most systems.
#[cfg(target_os = "linux")]
const PAGE: usize = 1 << 21;

/// An array of fixed length. Clones share it until one of them is changed.
pub struct Array<T>(Arc<Memory<T>>);

enum Memory<T> {
    Heap(Vec<T>),
    #[cfg(target_os = "linux")]
    Pages(mapped::Pages<T>),
}

impl<T: Pod> Array<T> {
    /// Collects items into an array.
    pub fn collect(items: impl ExactSizeIterator<Item = T>) -> Self {
        #[cfg(target_os = "linux")]
        if let Some(mut pages) = mapped::Pages::of(items.len()) {
            pages.slice_mut().iter_mut().zip(items).for_each(|(slot, item)| *slot = item);
            return Self(Arc::new(Memory::Pages(pages)));
        }
        Self(Arc::new(Memory::Heap(items.collect())))
    }
}

impl<T: Pod> From<Vec<T>> for Array<T> {
    /// Moves the items: a large array is copied, a small one is not.
    fn from(items: Vec<T>) -> Self {
        #[cfg(target_os = "linux")]
        if mapped::is_large::<T>(items.len()) {
            return Self::collect(items.into_iter());
        }
        Self(Arc::new(Memory::Heap(items)))
    }
}

impl<T: Pod> Deref for Array<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &*self.0 {
            Memory::Heap(items) => items,
            #[cfg(target_os = "linux")]
            Memory::Pages(pages) => pages.slice(),
        }
    }
}

impl<T: Pod> DerefMut for Array<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        if Arc::get_mut(&mut self.0).is_none() {
            *self = Self::collect(self.iter().copied());
        }
        match Arc::get_mut(&mut self.0).expect("no clone shares it") {
            Memory::Heap(items) => items,
            #[cfg(target_os = "linux")]
            Memory::Pages(pages) => pages.slice_mut(),
        }
    }
}

impl<'a, T: Pod> IntoIterator for &'a Array<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Pod + PartialEq> PartialEq for Array<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(target_os = "linux")]
mod mapped {
    use std::marker::PhantomData;

    use bytemuck::Pod;
    use memmap2::{Advice, MmapMut};

    use super::PAGE;

    /// True for arrays that fill at least half a huge page.
    pub(super) fn is_large<T>(count: usize) -> bool {
        count.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes >= PAGE / 2)
    }

    /// An array on huge pages.
    pub(super) struct Pages<T> {
        map: MmapMut,
        /// Offset of the first item in bytes, at the start of a page.
        start: usize,
        bytes: usize,
        items: PhantomData<T>,
    }

    impl<T: Pod> Pages<T> {
        /// Maps memory for a large array of zeros. Returns `None` for a small one, or if the system has none.
        pub(super) fn of(count: usize) -> Option<Self> {
            if !is_large::<T>(count) {
                return None;
            }
            let bytes = count * size_of::<T>();
            // Memory that is never touched takes no room.
            let map = MmapMut::map_anon(bytes.checked_next_multiple_of(PAGE)?.checked_add(PAGE)?).ok()?;
            // A system without huge pages refuses the advice, and the array is no worse for it.
            let _ = map.advise(Advice::HugePage);
            let start = map.as_ptr().align_offset(PAGE);
            Some(Self { map, start, bytes, items: PhantomData })
        }

        pub(super) fn slice(&self) -> &[T] {
            bytemuck::cast_slice(&self.map[self.start..self.start + self.bytes])
        }

        pub(super) fn slice_mut(&mut self) -> &mut [T] {
            bytemuck::cast_slice_mut(&mut self.map[self.start..self.start + self.bytes])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::wide_obb::Block;

    /// Around half a page, one page and several, an array holds what it was made of, and is changed alone.
    #[test]
    fn arrays_of_any_length_hold_their_items() {
        const HALF: usize = 1 << 18;
        for count in [0, 1, HALF - 1, HALF, HALF + 1, 2 * HALF, 2 * HALF + 1, 5 * HALF + 3] {
            let items: Vec<u32> = (0..count as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
            let array = Array::from(items.clone());
            assert_eq!(*array, *items);
            assert_eq!(Array::collect(items.iter().copied()), array);
            let mut other = array.clone();
            if let Some(last) = other.last_mut() {
                *last ^= 1;
                assert_ne!(other, array);
            }
            assert_eq!(*array, *items);
        }
        let blocks = Array::collect(std::iter::repeat_n(Block::EMPTY, 10_000));
        assert!(blocks.iter().all(|block| *block == Block::EMPTY));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn large_arrays_begin_on_huge_pages() {
        let array = Array::from(vec![1.0_f64; PAGE]);
        assert!(matches!(*array.0, Memory::Pages(_)));
        assert_eq!(array.as_ptr().align_offset(PAGE), 0);
        assert!(matches!(*Array::from(vec![1.0_f64; 1000]).0, Memory::Heap(_)));
    }
}

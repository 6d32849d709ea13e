//! Large buffers, which a thread keeps from one picture to the next: to have their pages from the system
//! again would take a third of the time of a picture.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::thread::LocalKey;

/// The largest buffer that is kept, in bytes: the buffer of a picture of 400 x 300 pixels fits.
const LARGEST: usize = 4 << 20;

/// The most buffers of a type that are kept: one for the picture, and one for the closer look in it.
const MOST: usize = 2;

/// The number of values that are filled in one by one.
const FILLED: usize = 1024;

/// A value that each sample has.
pub trait Sample: Copy + 'static {
    /// Returns the buffers of this thread that are not in use.
    fn spare() -> &'static LocalKey<RefCell<Vec<Vec<Self>>>>;
}

macro_rules! samples {
    ($($sample:ty),*) => {$(
        impl Sample for $sample {
            fn spare() -> &'static LocalKey<RefCell<Vec<Vec<Self>>>> {
                thread_local!(static SPARE: RefCell<Vec<Vec<$sample>>> = const { RefCell::new(Vec::new()) });
                &SPARE
            }
        }
    )*};
}

samples!(u8, u32, f64, [u8; 3]);

/// A value per sample.
pub struct Buffer<T: Sample>(Vec<T>);

impl<T: Sample> Buffer<T> {
    /// Returns the same value for every sample.
    pub fn of(samples: usize, value: T) -> Self {
        let mut values = Self::spare();
        values.resize(samples.min(FILLED), value);
        // Memory is copied faster than it is filled with values of three bytes.
        while values.len() < samples {
            let more = values.len().min(samples - values.len());
            values.extend_from_within(..more);
        }
        Self(values)
    }

    /// Returns a buffer with undefined values, which the caller must replace. It is not cleared.
    pub fn of_any(samples: usize, value: T) -> Self {
        let mut values = T::spare().with_borrow_mut(Vec::pop).unwrap_or_default();
        values.resize(samples, value);
        Self(values)
    }

    fn spare() -> Vec<T> {
        let mut values = T::spare().with_borrow_mut(Vec::pop).unwrap_or_default();
        values.clear();
        values
    }
}

impl<T: Sample> Drop for Buffer<T> {
    fn drop(&mut self) {
        let values = std::mem::take(&mut self.0);
        let keep = |spare: &mut Vec<Vec<T>>| {
            if spare.len() < MOST && values.capacity() * size_of::<T>() <= LARGEST {
                spare.push(values);
            }
        };
        // A thread that ends keeps nothing.
        _ = T::spare().try_with(|spare| keep(&mut spare.borrow_mut()));
    }
}

impl<T: Sample> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Sample> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

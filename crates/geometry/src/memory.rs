//! The memory that a run may take: it is accounted for before it is allocated, so that a run that would need
//! too much ends with an error instead of an abort.
//!
//! Accounted for is what grows with the input and the answer: meshes, trees, parts, motions, pairs. The
//! estimates err on the high side, and do not depend on the machine or the number of threads.

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytesize::ByteSize;

/// An account of memory with a limit.
#[derive(Debug)]
pub struct MemoryAccount {
    limit: u64,
    taken: AtomicU64,
}

/// The refusal of memory beyond the limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause} would take memory to {}, beyond the limit of {}", size(*.needed), size(*.limit))]
pub struct OutOfMemory {
    /// The thing that does not fit, as the subject of a sentence.
    pub cause: String,
    /// Bytes that it would bring the account to.
    pub needed: u64,
    /// The limit in bytes.
    pub limit: u64,
}

fn size(bytes: u64) -> impl Display {
    ByteSize(bytes).display().si()
}

impl MemoryAccount {
    /// Opens an account with a limit in bytes, or without one.
    pub fn new(limit: Option<u64>) -> Self {
        Self { limit: limit.unwrap_or(u64::MAX), taken: AtomicU64::new(0) }
    }

    /// Takes `count` times `bytes`, or refuses it because of the cause and takes nothing.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn take(
        &self,
        count: usize,
        bytes: usize,
        cause: impl FnOnce() -> String,
    ) -> Result<(), OutOfMemory> {
        let more = (count as u64).saturating_mul(bytes as u64);
        let before = self.taken.fetch_add(more, Relaxed);
        let needed = before.saturating_add(more);
        if needed <= self.limit {
            return Ok(());
        }
        self.taken.fetch_sub(more, Relaxed);
        Err(OutOfMemory { cause: cause(), needed, limit: self.limit })
    }

    /// Refuses `count` times `bytes` that are certain to be taken later. Takes nothing.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn foresee(
        &self,
        count: usize,
        bytes: usize,
        cause: impl FnOnce() -> String,
    ) -> Result<(), OutOfMemory> {
        self.take(count, bytes, cause)?;
        self.give_back(count, bytes);
        Ok(())
    }

    /// Gives back `count` times `bytes` that had been taken.
    pub fn give_back(&self, count: usize, bytes: usize) {
        self.taken.fetch_sub((count * bytes) as u64, Relaxed);
    }

    /// Returns the bytes that can still be taken.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.taken.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_and_not_taken() {
        let memory = MemoryAccount::new(Some(3_000_000));
        let cause = || "a list of 4 items".to_owned();
        memory.take(2, 1_000_000, cause).unwrap();
        let error = memory.take(2, 1_000_000, cause).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a list of 4 items would take memory to 4.0 MB, beyond the limit of 3.0 MB"
        );
        memory.take(1, 1_000_000, cause).unwrap();
        assert_eq!(memory.left(), 0);
        memory.give_back(3, 500_000);
        memory.take(1_500_000, 1, cause).unwrap();
        memory.foresee(2, 1_000_000, cause).unwrap_err();
        memory.foresee(1, 1, cause).unwrap_err();
        memory.give_back(1, 1_000_000);
        memory.foresee(1, 1_000_000, cause).unwrap();
        assert_eq!(memory.left(), 1_000_000);
        MemoryAccount::new(None).take(usize::MAX, usize::MAX - 1, cause).unwrap();
    }
}

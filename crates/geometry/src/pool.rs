//! Threads that a caller asks for by their number: kept from call to call, and renewed after a fork.
//!
//! A process that was forked has only the thread that forked it. Rayon's pools do not know that, so the child
//! would wait for their threads for ever; here it gets a new pool when it first needs one. No pool is ever
//! taken down: a child could not, since it would have to wake threads that it does not have.

use std::process;
use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// False in a web page, where no thread can be started: all work is then done on the calling one.
const HAS_THREADS: bool = !cfg!(target_family = "wasm");

/// A number of threads, for everything that runs inside [`Pool::install`]. No answer depends on it.
///
/// The threads are started on first use, and wait for the next one. They are the process's own: a child that
/// was forked from it starts others.
///
/// ```
/// use closefit_geometry::pool::Pool;
///
/// let two = Pool::of(2);
/// assert_eq!(two.install(closefit_geometry::parallel::threads)?, 2);
/// # Ok::<(), closefit_geometry::pool::PoolError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pool {
    /// 0: as many as rayon starts by default.
    threads: usize,
}

/// The reason why threads could not be started.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct PoolError(#[from] ThreadPoolBuildError);

impl Pool {
    /// A number of threads; 0, the default, is one for each core, or as many as the environment says in
    /// `RAYON_NUM_THREADS`.
    pub const fn of(threads: usize) -> Self {
        Self { threads }
    }

    /// Does work on a thread of the pool, which all of its threads share.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses to start the threads.
    pub fn install<R: Send>(self, work: impl FnOnce() -> R + Send) -> Result<R, PoolError> {
        let (mut work, mut result) = (Some(work), None);
        self.enter(&mut || result = work.take().map(|work| work()))?;
        Ok(result.expect("the work was done"))
    }

    /// Starts work on a thread of the pool, and does not wait for its end.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses to start the threads.
    pub fn spawn(self, work: impl FnOnce() + Send + 'static) -> Result<(), PoolError> {
        if HAS_THREADS {
            self.kept()?.spawn(work);
        } else {
            work();
        }
        Ok(())
    }

    /// Calls a function on a thread of the pool. Compiled once, for all kinds of work.
    fn enter(self, work: &mut (dyn FnMut() + Send)) -> Result<(), PoolError> {
        if HAS_THREADS {
            self.kept()?.install(work);
        } else {
            work();
        }
        Ok(())
    }

    /// Returns the pool of this process, started on first use.
    fn kept(self) -> Result<&'static ThreadPool, PoolError> {
        let own = (process::id(), self);
        let mut place = &FIRST;
        loop {
            match place.get() {
                Some(kept) if kept.of == own => return Ok(&kept.pool),
                Some(kept) => place = &kept.next,
                None => {
                    let pool = ThreadPoolBuilder::new().num_threads(self.threads).build()?;
                    // Another thread may take the place first; its pool is then looked at.
                    let _ = place.set(Box::new(Kept { of: own, pool, next: OnceLock::new() }));
                }
            }
        }
    }
}

/// The pools of this process and of those from which it was forked: a list that only grows, since a lock over
/// it could be held at the moment of a fork, and then for ever.
static FIRST: OnceLock<Box<Kept>> = OnceLock::new();

struct Kept {
    /// The process that started the threads, and their number.
    of: (u32, Pool),
    pool: ThreadPool,
    next: OnceLock<Box<Kept>>,
}

/// Does work on the calling thread if it is one of a rayon pool, and otherwise on the threads of the default
/// [`Pool`]: never on rayon's global one, which does not outlive a fork.
///
/// # Panics
/// Panics if the system refuses to start the threads.
pub fn on_threads<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match rayon::current_thread_index() {
        Some(_) => work(),
        None => Pool::default().install(work).expect("the system starts threads"),
    }
}

/// Calls a function as [`on_threads`] does work. Compiled once, for all loops.
///
/// # Panics
/// Panics if the system refuses to start the threads.
pub(crate) fn enter(work: &mut (dyn FnMut() + Send)) {
    match rayon::current_thread_index() {
        Some(_) => work(),
        None => Pool::default().enter(work).expect("the system starts threads"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel;

    #[test]
    fn a_pool_is_kept_for_each_number_of_threads() {
        let address = |threads| std::ptr::from_ref(Pool::of(threads).kept().expect("threads")).addr();
        let asked = [1, 2, 3, 0];
        let all: Vec<[usize; 4]> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| asked.map(address))).collect();
            threads.into_iter().map(|one| one.join().expect("no panic")).collect()
        });
        assert!(all.iter().all(|addresses| *addresses == all[0]), "{all:?}");
        assert_eq!(asked.map(address), all[0]);
        let numbers = [1, 2, 3].map(|threads| Pool::of(threads).install(parallel::threads).expect("threads"));
        assert_eq!(numbers, [1, 2, 3]);
    }

    #[test]
    fn work_stays_in_the_pool_where_it_is() {
        let inside = || on_threads(parallel::threads);
        assert_eq!(Pool::of(3).install(inside).expect("threads"), 3);
        assert_eq!(inside(), Pool::default().install(parallel::threads).expect("threads"));
    }
}

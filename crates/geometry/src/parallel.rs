//! Loops on the threads of the current pool; outside of any pool, on the threads of the default
//! [`Pool`](crate::pool::Pool). This file and `pool` alone name rayon.
//!
//! A loop is cut into runs of consecutive items, of a length that the caller gives: enough items to be worth
//! about a microsecond, and one where items take long or differ greatly. The cuts depend on nothing else, so
//! what is made of a run does not depend on the number of threads. Runs are halved down to one, and idle
//! threads take the larger halves first. Results are in the order of the items. A panic reaches the caller
//! once the other half is done.
//!
//! The walk over the runs is compiled once, behind `dyn`: an iterator of rayon costs four times as much code
//! in every place that has a loop.

use std::cmp::Ordering;
use std::ops::Range;

use rayon::slice::ParallelSliceMut;

use crate::pool::{enter, on_threads};

/// The length of a run of items that take some nanoseconds.
pub const TINY: usize = 1 << 12;

/// The length of a run of items that take up to a microsecond.
pub const SMALL: usize = 16;

/// Calls `each` with every run of `run` numbers below `count`; the last may be shorter.
pub fn for_each_run(count: usize, run: usize, each: &(dyn Fn(Range<usize>) + Sync)) {
    fn halve(runs: Range<usize>, run: usize, each: &(dyn Fn(Range<usize>) + Sync)) {
        let Some(middle) = middle(runs.len(), run) else { return each(runs) };
        let (first, last) = (runs.start..runs.start + middle, runs.start + middle..runs.end);
        join(&mut || halve(first.clone(), run, each), &mut || halve(last.clone(), run, each));
    }
    match count {
        0 => {}
        _ if count <= run => each(0..count),
        _ => enter(&mut || halve(0..count, run, each)),
    }
}

/// Calls `each` with every number below `count`; a thread takes `run` of them, one after the other.
pub fn for_each(count: usize, run: usize, each: &(dyn Fn(usize) + Sync)) {
    for_each_run(count, run, &|numbers| numbers.for_each(each));
}

/// Calls `each` with every run of `run` items and the place of its first one; the last may be shorter.
pub fn for_each_part<T: Send>(items: &mut [T], run: usize, each: &(dyn Fn(usize, &mut [T]) + Sync)) {
    fn halve<T: Send>(first: usize, items: &mut [T], run: usize, each: &(dyn Fn(usize, &mut [T]) + Sync)) {
        let Some(middle) = middle(items.len(), run) else { return each(first, items) };
        let (before, after) = items.split_at_mut(middle);
        join(&mut || halve(first, before, run, each), &mut || halve(first + middle, after, run, each));
    }
    match items.len() {
        0 => {}
        count if count <= run => each(0, items),
        _ => enter(&mut || halve(0, &mut *items, run, each)),
    }
}

/// Returns where to cut a number of items, so that each half but the last has whole runs; `None` for one run.
fn middle(count: usize, run: usize) -> Option<usize> {
    let run = run.max(1);
    (count > run).then(|| count.div_ceil(run) / 2 * run)
}

/// Does two things, the second on another thread if one is idle.
fn join(one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send)) {
    rayon::join(one, other);
}

/// Returns what two functions return; another thread calls the second if one is idle.
pub fn both<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut one, mut other) = (Some(one), Some(other));
    let (mut a, mut b) = (None, None);
    let mut call_one = || a = one.take().map(|one| one());
    let mut call_other = || b = other.take().map(|other| other());
    enter(&mut || join(&mut call_one, &mut call_other));
    a.zip(b).expect("both were called")
}

/// Returns what two functions return. The calling thread calls the first. Meanwhile another thread of its
/// pool calls the second, if one is idle.
pub fn both_here<A, B: Send>(here: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    if thread_index().is_none() {
        return (here(), other());
    }
    let mut b = None;
    let a = rayon::in_place_scope(|scope| {
        scope.spawn(|_| b = Some(other()));
        here()
    });
    (a, b.expect("a scope waits for what it has started"))
}

/// Sets each place of a list to what `of` returns for its number: the loop for items that take a few
/// nanoseconds.
pub fn fill<T: Send>(items: &mut [T], run: usize, of: impl Fn(usize) -> T + Sync) {
    for_each_part(items, run, &|first, part| {
        part.iter_mut().enumerate().for_each(|(place, item)| *item = of(first + place));
    });
}

/// Returns what `of` returns for each number below `count`.
pub fn map<T: Send>(count: usize, run: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut found: Vec<Option<T>> = Vec::new();
    found.resize_with(count, || None);
    fill(&mut found, run, |number| Some(of(number)));
    unwrapped(found)
}

/// Returns what `of` returns for each item.
pub fn map_items<A: Sync, T: Send>(items: &[A], run: usize, of: impl Fn(&A) -> T + Sync) -> Vec<T> {
    map(items.len(), run, |number| of(&items[number]))
}

/// Returns what `of` returns for the number of each item and the item, which it consumes.
pub fn map_owned<A: Send, T: Send>(items: Vec<A>, run: usize, of: impl Fn(usize, A) -> T + Sync) -> Vec<T> {
    let run = run.max(1);
    // An `Option` of most types is no larger than the type, so both lists become lists of options in place.
    let mut found: Vec<Option<T>> = Vec::new();
    found.resize_with(items.len(), || None);
    let mut items: Vec<Option<A>> = items.into_iter().map(Some).collect();
    let mut runs: Vec<_> = items.chunks_mut(run).zip(found.chunks_mut(run)).collect();
    for_each_part(&mut runs, 1, &|first, runs| {
        for (number, (items, found)) in (first..).zip(runs) {
            for (number, (item, found)) in (number * run..).zip(items.iter_mut().zip(found.iter_mut())) {
                *found = item.take().map(|item| of(number, item));
            }
        }
    });
    unwrapped(found)
}

fn unwrapped<T>(found: impl IntoIterator<Item = Option<T>>) -> Vec<T> {
    found.into_iter().map(|one| one.expect("every run was called")).collect()
}

/// Returns what `of` returns for each run of numbers below `count`.
pub fn map_runs<T: Send>(count: usize, run: usize, of: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let run = run.max(1);
    map(count.div_ceil(run), 1, |number| of(number * run..count.min((number + 1) * run)))
}

/// Returns what `each` appends to lists of its own for each run of numbers below `count`.
pub fn gather<T: Send>(count: usize, run: usize, each: impl Fn(Range<usize>, &mut Vec<T>) + Sync) -> Vec<T> {
    let lists = map_runs(count, run, |numbers| {
        let mut list = Vec::new();
        each(numbers, &mut list);
        list
    });
    let mut all = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    lists.into_iter().for_each(|mut list| all.append(&mut list));
    all
}

/// Returns what `with` makes, from the first to the last, of what `of` returns for each number below `count`;
/// `None` for no number.
pub fn reduce<T: Send>(
    count: usize,
    run: usize,
    of: impl Fn(usize) -> T + Sync,
    with: impl Fn(T, T) -> T + Sync,
) -> Option<T> {
    map_runs(count, run, |numbers| numbers.map(&of).reduce(&with)).into_iter().flatten().reduce(&with)
}

/// Sorts items by their keys. Items with equal keys come in any order.
pub fn sort_unstable_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync) {
    sort_unstable_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts items; equal ones in any order.
pub fn sort_unstable_by<T: Send>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering + Sync) {
    enter(&mut || items.par_sort_unstable_by(&order));
}

/// Returns the number of threads of the current pool.
pub fn threads() -> usize {
    on_threads(rayon::current_num_threads)
}

/// Returns the number of the calling thread in its pool; `None` outside of any pool.
pub fn thread_index() -> Option<usize> {
    rayon::current_thread_index()
}

/// Returns what each thread of the current pool returns.
pub fn on_each_thread<T: Send>(of: impl Fn() -> T + Sync) -> Vec<T> {
    on_threads(|| rayon::broadcast(|_| of()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::panic::catch_unwind;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::pool::Pool;

    /// Runs a test on pools of one, two and three threads, and outside of any pool.
    fn on_all(test: impl Fn() + Sync) {
        test();
        for threads in [1, 2, 3] {
            Pool::of(threads).install(&test).expect("threads");
        }
    }

    #[test]
    fn runs_cover_every_number_once() {
        on_all(|| {
            for (count, run) in [(0, 1), (1, 1), (1, 0), (7, 3), (9, 3), (100, 1), (100, 99), (5, usize::MAX)]
            {
                let seen = Mutex::new(Vec::new());
                for_each_run(count, run, &|numbers| seen.lock().expect("no panic").push(numbers));
                let mut seen = seen.into_inner().expect("no panic");
                seen.sort_unstable_by_key(|numbers| numbers.start);
                let run = run.max(1);
                let expected =
                    (0..count.div_ceil(run)).map(|k| k * run..count.min((k + 1).saturating_mul(run)));
                assert!(seen.iter().cloned().eq(expected), "{count} by {run}: {seen:?}");
            }
        });
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        on_all(|| {
            for count in [0, 1, 2, 1000] {
                let squares: Vec<usize> = (0..count).map(|n| n * n).collect();
                let texts: Vec<String> = squares.iter().map(usize::to_string).collect();
                for run in [1, 7, TINY] {
                    assert_eq!(map(count, run, |n| n * n), squares);
                    assert_eq!(map_items(&squares, run, usize::to_string), texts);
                    let numbered = map_owned(texts.clone(), run, |n, text| (n, text));
                    assert!(numbered.into_iter().eq(texts.iter().cloned().enumerate()));
                    let mut filled = vec![0; count];
                    fill(&mut filled, run, |n| n * n);
                    assert_eq!(filled, squares);
                    let odd = gather(count, run, |numbers, odd| odd.extend(numbers.filter(|n| n % 2 == 1)));
                    assert!(odd.into_iter().eq((0..count).filter(|n| n % 2 == 1)));
                    let joined = reduce(count, run, |n| texts[n].clone(), |a, b| a + &b);
                    assert_eq!(joined, (count > 0).then(|| texts.concat()));
                    let mut sorted: Vec<usize> = squares.iter().rev().copied().collect();
                    sort_unstable_by_key(&mut sorted, |&n| n);
                    assert_eq!(sorted, squares);
                }
            }
        });
    }

    #[test]
    fn a_sum_of_floats_depends_on_runs_and_not_on_threads() {
        let sum = || reduce(10_000, 10, |n| 1.0 / (1.0 + n as f64), |a: f64, b| a + b);
        let one = Pool::of(1).install(sum).expect("a thread");
        (0..20).for_each(|_| assert_eq!(Pool::of(3).install(sum).expect("threads"), one));
    }

    #[test]
    fn loops_may_be_nested() {
        on_all(|| {
            let rows = map(20, 1, |row| map(20, 1, |column| both(|| row, || column)));
            for (row, columns) in rows.into_iter().enumerate() {
                assert!(columns.into_iter().eq((0..20).map(|column| (row, column))));
            }
        });
    }

    #[test]
    fn a_panic_reaches_the_caller_and_other_runs_are_done() {
        on_all(|| {
            let done = AtomicUsize::new(0);
            let thrown = catch_unwind(std::panic::AssertUnwindSafe(|| {
                for_each(64, 1, &|number| {
                    assert!(number != 0, "the first fails");
                    done.fetch_add(1, Relaxed);
                });
            }));
            let message = thrown.expect_err("it fails");
            assert_eq!(message.downcast_ref::<&str>(), Some(&"the first fails"));
            assert_eq!(done.into_inner(), 63);
            assert!(catch_unwind(|| both(|| 1, || -> u8 { panic!("the other fails") })).is_err());
            assert!(catch_unwind(|| both_here(|| 1, || -> u8 { panic!("the other fails") })).is_err());
            assert_eq!(map(3, 1, |n| n), [0, 1, 2], "the threads live on");
        });
    }

    #[test]
    fn other_threads_take_runs_and_none_takes_part_of_one() {
        let here = || thread::current().id();
        let ids = Pool::of(2).install(|| {
            let both_came = AtomicUsize::new(0);
            // Each run waits for the other, for some time.
            map(2, 1, |_| {
                let start = Instant::now();
                both_came.fetch_add(1, Relaxed);
                while both_came.load(Relaxed) < 2 && start.elapsed() < Duration::from_secs(60) {
                    thread::yield_now();
                }
                here()
            })
        });
        assert_eq!(ids.expect("threads").into_iter().collect::<HashSet<_>>().len(), 2);
        let inside = Pool::of(2).install(|| (map(1000, 1000, |_| here()), here())).expect("threads");
        assert!(inside.0.iter().all(|&id| id == inside.1));
        assert!(map(10, 10, |_| here()).iter().all(|&id| id == here()), "one run needs no pool");
    }

    #[test]
    fn threads_are_those_of_the_current_pool() {
        for count in [1, 3] {
            let (number, each) =
                Pool::of(count).install(|| (threads(), on_each_thread(thread_index))).unwrap();
            assert_eq!(number, count);
            assert!(each.into_iter().eq((0..count).map(Some)));
        }
        assert_eq!(thread_index(), None);
        assert_eq!(threads(), Pool::default().install(threads).expect("threads"));
    }
}

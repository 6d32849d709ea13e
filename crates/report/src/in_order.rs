//! Results of many items, made on all threads and taken in the order of the items.

use closefit_geometry::parallel;

/// The number of items that are worked on at once, and of items whose results wait while as many more
/// are made.
const FEW: usize = 64;
const MANY: usize = 64 * FEW;

/// Calls `make` with a few items at a time, on all threads of the current pool, and `take`, on the calling
/// thread, with what it makes, in the order of the items. Outside a pool, the caller does everything: no
/// other thread is started.
///
/// # Errors
/// Whatever `take` returns.
pub fn in_order<'i, T: Sync, M: Send, E>(
    items: &'i [T],
    make: impl Fn(&'i [T]) -> M + Sync,
    mut take: impl FnMut(M) -> Result<(), E>,
) -> Result<(), E> {
    if parallel::thread_index().is_none() || parallel::threads() == 1 {
        // Each result is taken, and its memory free, before the next is made.
        return items.chunks(FEW).try_for_each(|few| take(make(few)));
    }
    let mut take_all = |made: Vec<M>| made.into_iter().try_for_each(&mut take);
    let mut waiting = Vec::new();
    for many in items.chunks(MANY) {
        let make_all = || parallel::map_runs(many.len(), FEW, |few| make(&many[few]));
        let (taken, made) = parallel::both_here(|| take_all(waiting), make_all);
        taken?;
        waiting = made;
    }
    take_all(waiting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::pool::Pool;

    #[test]
    fn items_stay_in_order() {
        let items: Vec<usize> = (0..2 * MANY + 7).collect();
        let taken = || {
            let mut taken = Vec::new();
            let done = in_order(&items, <[usize]>::to_vec, |few| {
                taken.extend(few);
                if taken.len() > MANY + FEW { Err(taken.len()) } else { Ok(()) }
            });
            (taken.clone(), done)
        };
        let (alone, ended) = taken();
        assert_eq!((&alone[..], ended), (&items[..MANY + 2 * FEW], Err(MANY + 2 * FEW)));
        for threads in [1, 3] {
            assert_eq!(Pool::of(threads).install(taken).expect("threads"), (alone.clone(), ended));
        }
    }
}

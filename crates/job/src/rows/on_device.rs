//! Rows whose contacts a compute device searches. While it searches some, the CPU decides earlier ones.

use std::mem;

use super::{FoundRow, RowCheck, run};
use crate::error::JobError;
use closefit::{NearRow, RowsOnDevice};
use closefit_geometry::parallel;

/// A search of rows on a device, and the rows that have been searched but not decided.
pub(super) struct Searching<'a> {
    search: RowsOnDevice<'a>,
    searched: Vec<Near>,
}

/// A row that waits to be searched or decided.
pub(super) struct Near {
    pub row: u64,
    pub id: Option<String>,
    pub at: Option<f64>,
    /// The row with the pairs that bounds leave open, or the reason why it cannot be checked.
    pub near: Result<NearRow, String>,
}

impl<'a> Searching<'a> {
    /// Begins without rows; `None` without a device.
    pub fn begin(check: &RowCheck<'a>) -> Option<Self> {
        Some(Self { search: check.check.on_device()?, searched: Vec::new() })
    }

    /// Searches the next rows while earlier ones are decided. Returns what `make` makes of the earlier ones.
    pub fn next<T: Send>(
        &mut self,
        check: &RowCheck,
        mut next: Vec<Near>,
        make: &(impl Fn(FoundRow) -> T + Sync),
    ) -> Result<Vec<T>, JobError> {
        let (search, before) = (&mut self.search, mem::take(&mut self.searched));
        let mut near: Vec<&mut NearRow> = next.iter_mut().filter_map(|row| row.near.as_mut().ok()).collect();
        let ((), made) = parallel::both(|| search.search(&mut near), || decided(check, before, make));
        self.searched = next;
        made
    }
}

fn decided<T: Send>(
    check: &RowCheck,
    rows: Vec<Near>,
    make: &(impl Fn(FoundRow) -> T + Sync),
) -> Result<Vec<T>, JobError> {
    let decide = |near| check.check.decide(near, check.ends_at_clash);
    let run = run(rows.len());
    let made = parallel::map_owned(rows, run, |_, Near { row, id, at, near }| {
        check.unless_stopped(|| make(FoundRow { row, id, at, pairs: near.map(decide) }))
    });
    made.into_iter().collect()
}

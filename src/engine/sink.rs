//! The interface through which a run hands on each pair as soon as it is decided, and takes what is known of
//! pairs already: from an earlier run that was stopped, or of pairs that another machine decides.

use std::borrow::Cow;
use std::ops::Range;

use closefit_geometry::ids::PartId;

/// The task of a run about a near pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// It is to be decided.
    Open,
    /// It is entered with what the sink has of it.
    Settled,
    /// Another run decides it, and the ledger says so.
    Elsewhere,
}

/// The entry of a pair that is not decided now.
#[derive(Clone, Debug, PartialEq)]
pub enum Settled<R> {
    /// It is clear, and so it is not listed.
    Clear,
    /// It is listed with this record.
    Listed(R),
    /// It stays undecided, for this reason.
    Undecided(&'static str),
}

/// Receives the records of a run's pairs, and says which of them are to be decided. By default all are, and
/// nothing is kept. All methods but [`PairSink::begin`] may be called from many threads at once, and should
/// return quickly.
pub trait PairSink<R>: Sync {
    /// The near pairs have been found, so many of them.
    fn begin(&self, _near: u64) {}
    /// Returns false if every pair is open, so that no task needs to be asked for.
    fn is_selective(&self) -> bool {
        false
    }
    /// Returns the task about a near pair, the `at`-th in the order of ids. An open pair may become settled
    /// while the run lasts; nothing else changes.
    fn task(&self, _at: u64, _pair: [PartId; 2]) -> Task {
        Task::Open
    }
    /// Returns the entry of a pair whose task is [`Task::Settled`], at its place in the order of ids.
    fn settled(&self, _at: u64, _pair: [PartId; 2]) -> Settled<R> {
        Settled::Clear
    }
    /// Returns how many of the pairs from a place on may be decided together, with no other pair meanwhile.
    /// `None` if that does not matter.
    fn together(&self, _at: u64) -> Option<u64> {
        None
    }
    /// The open pairs at these places are decided now, and all before them have been.
    fn begins(&self, _places: Range<u64>) {}
    /// Returns the reason why no other pair is to be decided, once there is one: those still open stay
    /// undecided.
    fn ended(&self) -> Option<&'static str> {
        None
    }
    /// A pair has been decided.
    fn decided(&self, _record: &R) {}
    /// Returns true if the run should stop without a result.
    fn stopped(&self) -> bool {
        false
    }
}

/// A sink that keeps nothing, of a run that decides every pair.
pub struct Unkept;

impl<R> PairSink<R> for Unkept {}

/// The near pairs of a run in order, and the sink that is asked about them.
pub(super) struct Tasks<'a, R> {
    sink: &'a dyn PairSink<R>,
    /// The number of pairs so far.
    pub at: u64,
}

impl<'a, R> Tasks<'a, R> {
    pub fn new(sink: &'a dyn PairSink<R>) -> Self {
        Self { sink, at: 0 }
    }

    /// Returns the open pairs among the next ones, and passes each of the others to `other` with its place
    /// among them, and that among all.
    pub fn open<'b>(
        &mut self,
        next: &'b [(PartId, PartId)],
        mut other: impl FnMut([u64; 2], [PartId; 2], Task),
    ) -> Cow<'b, [(PartId, PartId)]> {
        let first = self.at;
        self.at += next.len() as u64;
        if !self.sink.is_selective() {
            return Cow::Borrowed(next);
        }
        let mut open = Vec::new();
        for (place, &(a, b)) in (0..).zip(next) {
            match self.sink.task(first + place, [a, b]) {
                Task::Open => open.push((a, b)),
                task => other([place, first + place], [a, b], task),
            }
        }
        Cow::Owned(open)
    }
}

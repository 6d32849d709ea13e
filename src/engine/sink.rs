//! The interface through which a run hands on each pair as soon as it is decided, and takes what is known of
//! pairs already: from an earlier run that was stopped, or of pairs that another machine decides.

use std::borrow::Cow;

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
    /// Returns the entry of a pair whose task is [`Task::Settled`].
    fn settled(&self, _pair: [PartId; 2]) -> Settled<R> {
        Settled::Clear
    }
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
    at: u64,
}

impl<'a, R> Tasks<'a, R> {
    pub fn new(sink: &'a dyn PairSink<R>) -> Self {
        Self { sink, at: 0 }
    }

    /// Returns the open pairs among the next ones, and passes each of the others to `other` with its place
    /// among them.
    pub fn open<'b>(
        &mut self,
        next: &'b [(PartId, PartId)],
        mut other: impl FnMut(usize, [PartId; 2], Task),
    ) -> Cow<'b, [(PartId, PartId)]> {
        if !self.sink.is_selective() {
            return Cow::Borrowed(next);
        }
        let mut open = Vec::new();
        for (place, &(a, b)) in next.iter().enumerate() {
            match self.sink.task(self.at, [a, b]) {
                Task::Open => open.push((a, b)),
                task => other(place, [a, b], task),
            }
            self.at += 1;
        }
        Cow::Owned(open)
    }
}

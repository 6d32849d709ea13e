//! The interface through which a run hands on each pair as soon as it is decided, and takes what is known of
//! pairs already: from an earlier run that was stopped, or of pairs that another machine decides.

use std::borrow::Cow;
use std::ops::Range;

use closefit_geometry::ids::PartId;

/// The state of a candidate pair, by which a run knows what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairState {
    /// It decides the pair.
    Pending,
    /// It enters what the journal has of the pair.
    Known,
    /// It leaves the pair to another run, and the ledger says so.
    OtherShard,
}

/// The entry of a pair that is known.
#[derive(Clone, Debug, PartialEq)]
pub enum KnownPair<R> {
    /// It is clear, and so it is not listed.
    Clear,
    /// It is listed with this record.
    Listed(R),
    /// It stays undecided, for this reason.
    Undecided(&'static str),
}

/// Receives the records of a run's pairs, and says which of them are to be decided. By default all are, and
/// nothing is kept. All methods but [`PairJournal::begin`] may be called from many threads at once, and
/// should return quickly.
pub trait PairJournal<R>: Sync {
    /// Called once, with the number of candidate pairs.
    fn begin(&self, _candidates: u64) {}
    /// Returns false if every pair is pending, so that nobody needs to look up a state.
    fn is_selective(&self) -> bool {
        false
    }
    /// Returns the state of the `at`-th candidate pair in the order of ids. A pending pair may become known
    /// while the run lasts; nothing else changes.
    fn state(&self, _at: u64, _pair: [PartId; 2]) -> PairState {
        PairState::Pending
    }
    /// Returns the entry of a pair that is [known](PairState::Known), by its place in the order of ids.
    fn known(&self, _at: u64, _pair: [PartId; 2]) -> KnownPair<R> {
        KnownPair::Clear
    }
    /// Returns the number of pairs from a place on that are decided as one batch, with no other pair
    /// meanwhile: a pair that crashes the program can be found so. `None` for any number.
    fn together(&self, _at: u64) -> Option<u64> {
        None
    }
    /// Called before the pending pairs at these places are decided, and after all before them have been.
    fn begins(&self, _places: Range<u64>) {}
    /// Returns the reason to decide no other pair, once there is one, such as a spent budget: pairs that are
    /// still pending stay undecided.
    fn ended(&self) -> Option<&'static str> {
        None
    }
    /// Called for each pair that has been decided.
    fn decided(&self, _record: &R) {}
    /// Returns true if the run should stop without a result.
    fn stopped(&self) -> bool {
        false
    }
}

/// A journal that keeps nothing, of a run that decides every pair.
pub struct NoJournal;

impl<R> PairJournal<R> for NoJournal {}

/// The candidate pairs of a run in order, and the journal that knows their states.
pub(super) struct PairStates<'a, R> {
    journal: &'a dyn PairJournal<R>,
    /// The number of pairs so far.
    pub at: u64,
}

impl<'a, R> PairStates<'a, R> {
    pub fn new(journal: &'a dyn PairJournal<R>) -> Self {
        Self { journal, at: 0 }
    }

    /// Returns the open pairs among the next ones, and passes each of the others to `other` with its place
    /// among them, and that among all.
    pub fn open<'b>(
        &mut self,
        next: &'b [(PartId, PartId)],
        mut other: impl FnMut([u64; 2], [PartId; 2], PairState),
    ) -> Cow<'b, [(PartId, PartId)]> {
        let first = self.at;
        self.at += next.len() as u64;
        if !self.journal.is_selective() {
            return Cow::Borrowed(next);
        }
        let mut open = Vec::new();
        for (place, &(a, b)) in (0..).zip(next) {
            match self.journal.state(first + place, [a, b]) {
                PairState::Pending => open.push((a, b)),
                state => other([place, first + place], [a, b], state),
            }
        }
        Cow::Owned(open)
    }
}

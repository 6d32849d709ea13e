//! The direction in which a finding has changed. What is not known any more is never better.

use super::row::Change;
use crate::document::Finding;
use closefit::Verdict;

/// Returns the direction from one finding to another, if they differ.
pub(super) fn change<P: Finding>(old: &P, new: &P, slack: f64) -> Option<Change> {
    match (old.verdict(), new.verdict()) {
        (was, is) if was == is => of_equal_verdicts(old, new, slack),
        (_, Verdict::Undecided) => Some(Change::Unknown),
        // Parts that meet clash or touch: which of the two was not checked.
        (Verdict::Meets, Verdict::Clash | Verdict::Contact)
        | (Verdict::Clash | Verdict::Contact, Verdict::Meets) => None,
        (was, is) => Some(if is < was { Change::Worse } else { Change::Better }),
    }
}

/// Returns the direction by the brackets of two findings with the same verdict. Undecided pairs, and depths
/// in doubt, have no upper end.
fn of_equal_verdicts<P: Finding>(old: &P, new: &P, slack: f64) -> Option<Change> {
    let is_bounded = |pair: &P| pair.verdict() != Verdict::Undecided && pair.doubt().is_none();
    let has_depth = |pair: &P| is_bounded(pair) && pair.overlap().is_some_and(|[least, _]| least >= 0.0);
    match apart(old, new, slack) {
        Some(Change::Better) if is_bounded(new) => Some(Change::Better),
        Some(Change::Worse) => Some(Change::Worse),
        _ if new.verdict() == Verdict::Clash && has_depth(old) && !has_depth(new) => Some(Change::Unknown),
        _ => None,
    }
}

/// Returns the direction from one bracket to another, if they have nothing in common. Distances are single
/// numbers, and differ by rounding when both parts move together, from 0 as well: within `slack`, the
/// tolerance, they are the same.
pub(super) fn apart<P: Finding>(old: &P, new: &P, slack: f64) -> Option<Change> {
    let ([old_least, old_most], [new_least, new_most]) = (old.overlap()?, new.overlap()?);
    let slack = if old_most < 0.0 || new_most < 0.0 { slack } else { 0.0 };
    if new_least > old_most + slack {
        Some(Change::Worse)
    } else if new_most < old_least - slack {
        Some(Change::Better)
    } else {
        None
    }
}

//! The outcomes of claims for the true surfaces, which triangles approximate.

use super::judge::Judgement;
use closefit_report::certificate::{Outcome, SurfacesRow};

/// Returns the outcome of a claim that no distance is less than `least`, for surfaces that are no farther
/// from their triangles than the deflection. Two parts may be nearer or farther by twice that.
pub(super) fn outcome(judged: &Judgement, least: f64, deflection: f64) -> SurfacesRow {
    // Where solids overlap, what was found is a depth, or how far one lies inside the other.
    let overlaps = judged.deciding.first().is_some_and(|finding| finding.overlaps);
    let [at_least, at_most] = if overlaps { [0.0; 2] } else { judged.found };
    let both = 2.0 * deflection;
    // The next number is beyond what rounding has done to the sum.
    let outcome = match judged.outcome {
        Outcome::Holds if (at_least - both).next_down() >= least => Outcome::Holds,
        Outcome::Violated if (at_most + both).next_up() < least => Outcome::Violated,
        _ => Outcome::Undecided,
    };
    SurfacesRow { deflection, outcome }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::judge::clearance;
    use crate::claims::judge::tests::finding;
    use closefit::Verdict;

    #[test]
    fn surfaces_may_be_nearer_or_farther_by_twice_the_deflection() {
        let of = |found: [f64; 2], verdict: Verdict| {
            outcome(&clearance(&[finding("k", verdict, found)], 1.0), 1.0, 0.25).outcome
        };
        let distance = |found: f64| of([found; 2], Verdict::Clearance);
        assert_eq!([1.51, 1.49].map(distance), [Outcome::Holds, Outcome::Undecided]);
        assert_eq!([0.51, 0.49].map(distance), [Outcome::Undecided, Outcome::Violated]);
        assert_eq!(of([3.0; 2], Verdict::Clash), Outcome::Violated, "one lies inside the other");
        assert_eq!(of([9.0; 2], Verdict::Undecided), Outcome::Undecided);
        assert_eq!(of([1.4, 1.6], Verdict::Clearance), Outcome::Undecided, "a bracket");
    }
}

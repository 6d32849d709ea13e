//! What a claim about triangles means for the surfaces that they stand for.

use super::judge::Judgement;
use closefit_report::certificate::{Measure, Outcome, SurfacesRow};

/// Returns the outcome of a claim that no distance is less than `least` for surfaces of which no point, and of
/// no triangle one, is farther from the other than the deflection. Two parts may so be nearer or farther by
/// twice that.
pub(super) fn outcome(judged: &Judgement, least: f64, deflection: f64) -> SurfacesRow {
    let [at_least, at_most] = match judged.measure {
        Measure::Distance => judged.found,
        Measure::Depth => [0.0; 2],
    };
    let both = 2.0 * deflection;
    let outcome = match judged.outcome {
        Outcome::Undecided => Outcome::Undecided,
        // The next number is beyond what rounding has done to the sum.
        _ if (at_least - both).next_down() >= least => Outcome::Holds,
        _ if (at_most + both).next_up() < least => Outcome::Violated,
        _ => Outcome::Undecided,
    };
    SurfacesRow { deflection, outcome }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_may_be_nearer_or_farther_by_twice_the_deflection() {
        let of = |found: [f64; 2], judged: Outcome, measure: Measure| {
            let judged = Judgement { outcome: judged, why: None, measure, found, deciding: Vec::new() };
            outcome(&judged, 1.0, 0.25).outcome
        };
        let distance = |found: f64, outcome| of([found; 2], outcome, Measure::Distance);
        assert_eq!(distance(1.51, Outcome::Holds), Outcome::Holds);
        assert_eq!(distance(1.49, Outcome::Holds), Outcome::Undecided);
        assert_eq!(distance(0.51, Outcome::Violated), Outcome::Undecided);
        assert_eq!(distance(0.49, Outcome::Violated), Outcome::Violated);
        assert_eq!(of([3.0; 2], Outcome::Violated, Measure::Depth), Outcome::Violated, "they overlap");
        assert_eq!(of([9.0; 2], Outcome::Undecided, Measure::Distance), Outcome::Undecided);
        assert_eq!(of([1.4, 1.6], Outcome::Holds, Measure::Distance), Outcome::Undecided, "a bracket");
    }
}

//! The common face of the pairs of a check and of a sweep, for what treats both alike.

use std::cmp::Ordering;

use super::{ContainedRow, MovingPairRow, PairRow, RuleOfPair, Sides};
use closefit::internals::query::Verdict;

/// A listed pair, of a check or of a sweep.
pub trait Finding {
    /// Returns its two parts.
    fn sides(&self) -> &Sides;

    /// Returns its verdict.
    fn verdict(&self) -> Verdict;

    /// Returns what rules say of it.
    fn rule(&self) -> &RuleOfPair;

    /// Returns what rules say of it, to be changed.
    fn rule_mut(&mut self) -> &mut RuleOfPair;

    /// Returns the id of the rule that decided it, if any.
    fn rule_id(&self) -> Option<&str> {
        self.rule().rule.as_deref()
    }

    /// Returns one place of it.
    fn at(&self) -> Option<[f64; 3]>;

    /// Returns the lowest and the highest corner of a box around it.
    fn bounds(&self) -> Option<[[f64; 3]; 2]>;

    /// Returns a bracket of how far the parts overlap: of the depth or, below zero, of the distance. `None`
    /// if they touch and the depth is not known.
    fn overlap(&self) -> Option<[f64; 2]>;

    /// Returns the reason why something about it is not known.
    fn unknown(&self) -> Option<&str>;

    /// Orders findings: the worst verdict first, then the deepest or the nearest, then by key.
    fn worst_first(&self, other: &Self) -> Ordering {
        let depth = |pair: &Self| pair.overlap().map_or(f64::NEG_INFINITY, |[at_least, _]| at_least);
        let order = self.verdict().cmp(&other.verdict()).then(depth(other).total_cmp(&depth(self)));
        order.then_with(|| self.sides().key.cmp(&other.sides().key))
    }
}

impl Finding for PairRow {
    fn sides(&self) -> &Sides {
        &self.sides
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }

    fn rule(&self) -> &RuleOfPair {
        &self.rule
    }

    fn rule_mut(&mut self) -> &mut RuleOfPair {
        &mut self.rule
    }

    fn at(&self) -> Option<[f64; 3]> {
        self.at
    }

    fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        let around = |[p, q]: [[f64; 3]; 2]| {
            let corner = |choose: fn(f64, f64) -> f64| [0, 1, 2].map(|axis| choose(p[axis], q[axis]));
            [corner(f64::min), corner(f64::max)]
        };
        self.location.map(|found| found.bounds).or(self.points.map(around))
    }

    fn overlap(&self) -> Option<[f64; 2]> {
        match self.depth {
            Some(depth) => Some([depth.at_least, depth.at_most]),
            None => self.known_distance().filter(|&distance| distance > 0.0).map(|distance| [-distance; 2]),
        }
    }

    fn unknown(&self) -> Option<&str> {
        why(&self.contained, &self.depth_unknown)
    }
}

impl Finding for MovingPairRow {
    fn sides(&self) -> &Sides {
        &self.sides
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }

    fn rule(&self) -> &RuleOfPair {
        &self.rule
    }

    fn rule_mut(&mut self) -> &mut RuleOfPair {
        &mut self.rule
    }

    fn at(&self) -> Option<[f64; 3]> {
        self.at
    }

    fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        self.at.map(|point| [point; 2])
    }

    fn overlap(&self) -> Option<[f64; 2]> {
        match self.pressed.flatten() {
            Some(found) => Some([found.at_least, found.at_most]),
            None => self.clearance.map(|found| [-found.at_most, -found.at_least]),
        }
    }

    fn unknown(&self) -> Option<&str> {
        why(&self.contained, &self.depth_unknown)
    }
}

fn why<'r>(contained: &'r Option<ContainedRow>, depth_unknown: &'r Option<String>) -> Option<&'r str> {
    match contained {
        Some(ContainedRow::Unknown { undecidable }) => Some(undecidable),
        _ => depth_unknown.as_deref(),
    }
}

//! The common face of the pairs of a check and of a sweep, for what treats both alike.

use std::cmp::Ordering;

use super::{ContainedRow, MovingPairRow, PairRow, PartOfPair, RuleOfPair, Sides, Status};
use closefit::Verdict;

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

    /// Returns the reason why the depth, if one is known, may not be all of the overlap.
    fn doubt(&self) -> Option<&str> {
        self.unknown()
    }

    /// Returns the reason why the run did not look at it, if it did not.
    fn left_open(&self) -> Option<&'static str>;

    /// Returns points of the surfaces of its parts where these stand in the list of parts: the part, 0 or 1,
    /// and the point.
    fn surface_points(&self) -> Vec<(usize, [f64; 3])>;

    /// True if a waiver accepts it: it then fails no run. Waivers are about depths at rest.
    fn is_accepted(&self) -> bool {
        false
    }

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
        self.location.as_ref().map(|found| found.bounds).or(self.points.as_deref().copied().map(around))
    }

    fn overlap(&self) -> Option<[f64; 2]> {
        match self.depth {
            Some(depth) => Some([depth.at_least, depth.at_most]),
            None => self.known_distance().filter(|&distance| distance > 0.0).map(|distance| [-distance; 2]),
        }
    }

    fn unknown(&self) -> Option<&str> {
        why(self.contained.as_deref(), self.depth_unknown.as_deref())
    }

    fn doubt(&self) -> Option<&str> {
        match self.contained.as_deref() {
            Some(ContainedRow::Unknown { undecidable }) => Some(undecidable),
            _ if self.crossing => Some("open surfaces pass through each other"),
            _ => self.depth_unknown.as_deref(),
        }
    }

    fn left_open(&self) -> Option<&'static str> {
        self.contained.as_deref().and_then(ContainedRow::left_open)
    }

    fn is_accepted(&self) -> bool {
        self.status.status == Some(Status::Accepted)
    }

    fn surface_points(&self) -> Vec<(usize, [f64; 3])> {
        let closest = self.points.as_deref().into_iter().flatten().copied().enumerate();
        let deepest =
            self.location.iter().filter_map(|found| Some((found.on?, found.point, *found.to.as_deref()?)));
        let deepest = deepest.flat_map(|(on, point, to)| match on {
            PartOfPair::A => [(0, point), (1, to)],
            PartOfPair::B => [(1, point), (0, to)],
        });
        let shared = self.location.iter().filter(|found| self.contacts > 0 && found.on.is_none());
        let shared = shared.flat_map(|found| [(0, found.point), (1, found.point)]);
        closest.chain(deepest).chain(shared).collect()
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
        why(self.contained.as_ref(), self.depth_unknown.as_deref())
    }

    fn left_open(&self) -> Option<&'static str> {
        self.contained.as_ref().and_then(ContainedRow::left_open)
    }

    /// Returns none: its points are of times at which the parts are elsewhere.
    fn surface_points(&self) -> Vec<(usize, [f64; 3])> {
        Vec::new()
    }
}

fn why<'r>(contained: Option<&'r ContainedRow>, depth_unknown: Option<&'r str>) -> Option<&'r str> {
    match contained {
        Some(ContainedRow::Unknown { undecidable }) => Some(undecidable),
        _ => depth_unknown,
    }
}

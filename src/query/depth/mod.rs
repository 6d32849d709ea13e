//! How deep two parts overlap: the largest distance from a point of one's surface that lies inside the
//! other's solid to that solid's surface, as a certified bracket.
//!
//! One best-first search over patches of both surfaces, in f64 ([`search`]): a queue holds what may contain the
//! deepest point, each with a proven upper bound, and the largest bound is refined until it is no more than the
//! tolerance, or than 1.01 times the depth of a point that has been found.
//!
//! - **A lower bound** is the depth of a single point in f64 that an exact winding number finds inside, with an
//!   enclosed distance: a point of the surface is within its drift, and on the same side.
//! - **Upper bounds** need no classification. The distance to one triangle is convex, so over a patch it is largest
//!   at a corner; so is the way out of a plane that has the whole solid behind it (`part`). And if a patch, a
//!   whole surface, or a part, moved by some length, meets nothing and lies outside, then whatever of it was inside
//!   is no deeper than that length: on its way out it crossed the surface (`moves`, `inset`, `displacement`).
//! - **Patches** are convex polygons in f64 that carry a bound of their drift. They are cut along the solid's triangles
//!   and halved along bisectors of the planes that govern them (`split`). Where to cut is a heuristic: whatever it
//!   does, the halves cover the whole.
//!
//! What f64 cannot resolve, because tolerance or depth is little more than its rounding, goes to a search in rational
//! and fixed-point arithmetic ([`exact`]).

mod candidates;
mod displacement;
pub mod exact;
mod inset;
mod marks;
mod memory;
mod moves;
mod near;
mod open;
mod part;
mod patch;
mod planes;
mod polygon;
mod queue;
mod refine;
mod search;
mod split;
mod surface;
mod unqueue;
mod ways;

use std::cmp::Ordering;

use glam::DVec3;

use crate::hierarchy::body::Body;
use crate::hierarchy::pair::Pair;
pub use exact::nearest_closed;
use memory::Memory;
use search::{Outcome, Search};

/// The bracket, and a deepest point found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Some point lies at least this deep; 0 where none is known to be deeper than the tolerance.
    pub at_least: f64,
    /// No point lies deeper.
    pub at_most: f64,
    /// A point that lies `at_least` deep, if that is not 0.
    pub deepest: Option<DVec3>,
    /// False when the search gave up with the tolerance still inside the bracket.
    pub decided: bool,
    /// The search gave up, undecided or with a bracket wider than was asked.
    pub ended_early: bool,
}

/// The bracket is good enough when it is this narrow, unless the tolerance lies inside.
const RATIO: f64 = 1.01;

/// A bracket that straddles the tolerance is narrow enough at this share of it.
const NARROW: f64 = 1.0 / (1 << 30) as f64;

/// What is asked about a depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// What is no deeper is settled; 0 or more.
    pub tolerance: f64,
    /// Whether a bracket on one side of the tolerance is narrow enough, however wide.
    pub only_verdict: bool,
}

impl Question {
    /// A bound up to this changes nothing, with a point found that lies `at_least` deep: it is within the
    /// tolerance, or what is deeper than that is known well enough.
    fn limit(&self, at_least: f64) -> f64 {
        if at_least <= self.tolerance {
            self.tolerance
        } else if self.only_verdict {
            f64::INFINITY
        } else {
            RATIO * at_least
        }
    }
}

/// The depth of two parts with the given contacts (sorted triangle pairs), at least one of them with a solid. The order
/// of the parts does not show.
pub fn depth(pair: &dyn Pair, contacts: &[[u32; 2]], question: Question) -> Found {
    let [a, b] = pair.bodies();
    if order(a, b).is_le() {
        return in_order(Ordered { pair, first: 0 }, contacts, question);
    }
    let mut swapped: Vec<[u32; 2]> = contacts.iter().map(|&[ta, tb]| [tb, ta]).collect();
    swapped.sort_unstable();
    in_order(Ordered { pair, first: 1 }, &swapped, question)
}

/// A pair whose parts are taken in an order of their own.
#[derive(Clone, Copy)]
struct Ordered<'a> {
    pair: &'a dyn Pair,
    /// Which of the pair comes first.
    first: usize,
}

impl<'a> Ordered<'a> {
    fn bodies(self) -> [&'a Body<'a>; 2] {
        let bodies = self.pair.bodies();
        [bodies[self.first], bodies[1 - self.first]]
    }
}

fn in_order(pair: Ordered, contacts: &[[u32; 2]], question: Question) -> Found {
    let mut memory = Memory::take();
    let [a, b] = pair.bodies();
    let mut search = Search::new(pair, contacts, question, &mut memory);
    let outcome = search.run();
    search.give_back(&mut memory);
    memory.put();
    let found = match outcome {
        Outcome::Found(found) => found,
        Outcome::Blurred { at_most } => exact::depth(a, b, contacts, question, at_most),
    };
    if found.at_most > question.tolerance {
        return found;
    }
    // What is no deeper than the tolerance needs no lower bound, and it would depend on the way it was found.
    Found { at_least: 0.0, deepest: None, ..found }
}

/// An order of bodies that does not depend on which is the first.
fn order(a: &Body, b: &Body) -> Ordering {
    let corners = |p: DVec3, q: DVec3| {
        let (p, q) = (p.to_array(), q.to_array());
        (0..3).map(|k| p[k].total_cmp(&q[k])).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let boxes = corners(a.bounds.lo, b.bounds.lo).then_with(|| corners(a.bounds.hi, b.bounds.hi));
    boxes.then_with(|| a.len().cmp(&b.len())).then_with(|| {
        let triangles = (0..a.len()).flat_map(|t| a.triangle(t).into_iter().zip(b.triangle(t)));
        triangles.map(|(p, q)| corners(p, q)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    })
}

//! The depth of the overlap of two parts: the largest distance from a point of one part's surface inside the
//! other's solid to that solid's surface, as a certified bracket.
//!
//! The module `search` runs one best-first search over patches of both surfaces, in f64. Its queue holds
//! everything that may contain the deepest point, each item with a proven upper bound. The largest bound is
//! refined until it is at most the tolerance, or at most 1.01 times the depth of a point already found.
//!
//! - **The lower bound** is the depth of a single f64 point that an exact winding number places inside, with
//!   an enclosed distance. A point of the surface lies within its drift, on the same side.
//! - **Upper bounds** need no classification. The distance to one triangle is convex, so its maximum over a
//!   patch is at a corner; the same holds for the way out through a plane with the whole solid behind it
//!   (`part`). Also, if a patch, a whole surface or a part is moved by some length and then meets nothing and
//!   lies outside, then its points that were inside are no deeper than that length: on the way out they
//!   crossed the surface (`moves`, `inset`, `displacement`).
//! - **Patches** are convex polygons in f64 with a bound of their drift. They are cut along the solid's
//!   triangles and halved along bisectors of the planes that govern them (`split`). The choice of the cut is
//!   a heuristic: for any cut, the halves cover the whole.
//!
//! Two convex solids with few triangles rarely need any of this: linear programs find the deepest point, and
//! prove that none is deeper (`convex`).
//!
//! A search in rational and fixed-point arithmetic ([`exact`]) takes over when f64 cannot resolve the depth,
//! because the tolerance or the depth is little more than rounding.

mod back_off;
mod candidates;
mod convex;
mod discard;
mod displacement;
pub mod exact;
mod exit_directions;
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
mod thickness;

use std::cmp::Ordering;

use glam::DVec3;

use crate::bvh::posed_model::PosedModel;
use crate::bvh::static_pair::StaticPair;
use crate::narrow::witness;
use closefit_geometry::math::Triangle;
pub use exact::nearest_closed;
use exact::nearest_within;
use exact::spot::{Rounded, Spot};
pub use inset::Corner;
use memory::Memory;
use part::Part;
use search::{DepthSearch, Outcome};
pub use thickness::thickness;

/// A point of one part's surface, inside the other part's solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deepest {
    /// The point, within rounding of the surface.
    pub point: DVec3,
    /// The part of the pair whose surface it lies on: 0 or 1.
    pub on: usize,
}

impl Deepest {
    /// Returns the point of the solid's surface that is nearest to it.
    pub fn nearest(&self, solid: &PosedModel) -> DVec3 {
        self.nearest_in(&self.nearest_triangle(solid))
    }

    /// Returns the triangle of the solid's surface that is nearest to it.
    pub fn nearest_triangle(&self, solid: &PosedModel) -> Triangle {
        let point = Rounded::corner(self.point);
        let blur = point.blur(solid.bounds());
        let (mut triangle, distance) = nearest_within(solid, &point, blur, None);
        if distance * ROUNDED < blur {
            // The solid is so large that rounding may have chosen a triangle that is farther away.
            (triangle, _) = nearest_within(solid, &point, 0.0, Some(triangle));
        }
        solid.triangle(triangle)
    }

    /// Returns the point of a triangle that is nearest to it.
    pub fn nearest_in(&self, triangle: &Triangle) -> DVec3 {
        witness(&[self.point; 3], triangle)[1]
    }
}

/// A bracket of the depth, with a deepest point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// A lower bound of the depth: some point lies this deep. 0 when the depth is within the tolerance.
    pub at_least: f64,
    /// An upper bound of the depth.
    pub at_most: f64,
    /// A point that lies `at_least` deep, unless that is 0.
    pub deepest: Option<Deepest>,
    /// False if the search gave up with the tolerance still inside the bracket.
    pub decided: bool,
    /// True when the search gave up, undecided or with a bracket wider than requested.
    pub ended_early: bool,
}

/// The ratio of upper to lower bound at which a bracket is narrow enough, unless the tolerance lies inside.
pub const RATIO: f64 = 1.01;

/// The width, as a share of the tolerance, at which a bracket that straddles the tolerance is narrow enough.
const NARROW: f64 = 1.0 / (1 << 30) as f64;

/// The largest share of the distance from a deepest point that rounding may take.
const ROUNDED: f64 = 1.0 / (1 << 30) as f64;

/// A question about a depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthQuestion {
    /// The tolerance, 0 or more. A depth up to this needs no narrower bracket.
    pub tolerance: f64,
    /// True when any bracket on one side of the tolerance is narrow enough.
    pub only_verdict: bool,
    /// True for each part of the pair whose surface is measured in the other's solid.
    pub measured: [bool; 2],
}

impl DepthQuestion {
    /// Returns the largest bound that changes nothing, given a point that lies `at_least` deep: such a bound
    /// is within the tolerance, or close enough to the depth already proven.
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

/// Returns the depth of two parts with the given contacts (sorted triangle pairs). At least one part has a
/// solid. The result does not depend on the order of the parts.
pub fn depth(pair: &dyn StaticPair, contacts: &[[u32; 2]], question: DepthQuestion) -> Found {
    let mut memory = Memory::take();
    let [a, b] = pair.bodies();
    let found = if order(a, b).is_le() {
        in_order(Ordered { pair, first: 0 }, contacts, question, &mut memory)
    } else {
        let [first, second] = question.measured;
        let question = DepthQuestion { measured: [second, first], ..question };
        let found = in_order(Ordered { pair, first: 1 }, contacts, question, &mut memory);
        let deepest = found.deepest.map(|Deepest { point, on }| Deepest { point, on: 1 - on });
        Found { deepest, ..found }
    };
    memory.put();
    found
}

/// A pair whose parts are taken in a canonical order.
#[derive(Clone, Copy)]
struct Ordered<'a> {
    pair: &'a dyn StaticPair,
    /// Index in the pair of the part that comes first.
    first: usize,
}

impl<'a> Ordered<'a> {
    fn bodies(self) -> [&'a PosedModel<'a>; 2] {
        let bodies = self.pair.bodies();
        [bodies[self.first], bodies[1 - self.first]]
    }
}

/// Returns the depth of a pair with the given contacts, whose triangles are in the order of the pair.
fn in_order(pair: Ordered, contacts: &[[u32; 2]], question: DepthQuestion, memory: &mut Memory) -> Found {
    let [a, b] = pair.bodies();
    let both = a.bounds().union(*b.bounds());
    let span = (both.hi - both.lo).max_element();
    let [first, second] = &mut memory.parts;
    let parts = [Part::new(a, span, std::mem::take(first)), Part::new(b, span, std::mem::take(second))];
    if let Some(found) = convex::depth(&parts, question, &mut memory.convex) {
        memory.parts = parts.map(Part::into_memory);
        return found;
    }
    let mut swapped = std::mem::take(&mut memory.swapped);
    swapped.clear();
    let contacts = if pair.first == 0 {
        contacts
    } else {
        swapped.extend(contacts.iter().map(|&[ta, tb]| [tb, ta]));
        swapped.sort_unstable();
        &swapped[..]
    };
    let mut search = DepthSearch::new(pair, parts, contacts, question, memory);
    let outcome = search.run();
    search.give_back(memory);
    let found = match outcome {
        Outcome::Found(found) => found,
        Outcome::Blurred { at_most } => exact::depth(a, b, contacts, question, at_most),
    };
    memory.swapped = swapped;
    if found.at_most > question.tolerance {
        return found;
    }
    // A depth within the tolerance needs no lower bound, and its value would depend on the path of the
    // search.
    Found { at_least: 0.0, deepest: None, ..found }
}

/// Compares two bodies by their geometry, independently of their order in the pair.
fn order(a: &PosedModel, b: &PosedModel) -> Ordering {
    let corners = |p: DVec3, q: DVec3| {
        let (p, q) = (p.to_array(), q.to_array());
        (0..3).map(|k| p[k].total_cmp(&q[k])).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let boxes = corners(a.bounds().lo, b.bounds().lo).then_with(|| corners(a.bounds().hi, b.bounds().hi));
    boxes.then_with(|| a.len().cmp(&b.len())).then_with(|| {
        let triangles = (0..a.len()).flat_map(|t| a.triangle(t).into_iter().zip(b.triangle(t)));
        triangles.map(|(p, q)| corners(p, q)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    })
}

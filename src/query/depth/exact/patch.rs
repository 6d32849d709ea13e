//! Convex pieces of surface triangles, stored by their corners.

use std::cell::{OnceCell, RefCell};
use std::cmp::Ordering;
use std::rc::Rc;

use super::spot::Spot;
use super::surface::nearest_closed;
use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};

/// A corner of patches, with its distances from the solid, computed once for all patches that share it.
#[derive(Clone)]
pub struct Corner<P> {
    pub spot: P,
    distances: Rc<Distances>,
}

#[derive(Default)]
struct Distances {
    /// The result of [`nearest_closed`].
    nearest: OnceCell<(u32, f64)>,
    /// Results of [`Spot::at_most`] by triangle.
    at_most: RefCell<Vec<(u32, f64)>>,
}

impl<P: Spot> Corner<P> {
    pub fn new(spot: P) -> Self {
        Self { spot, distances: Rc::default() }
    }

    pub fn nearest(&self, solid: &PosedModel, hint: Option<u32>) -> (u32, f64) {
        *self.distances.nearest.get_or_init(|| nearest_closed(solid, &self.spot, hint))
    }

    /// Returns an upper bound of the distance from a triangle of the solid.
    pub fn at_most(&self, solid: &PosedModel, triangle: u32) -> f64 {
        let mut known = self.distances.at_most.borrow_mut();
        if let Some(&(_, at_most)) = known.iter().find(|(t, _)| *t == triangle) {
            return at_most;
        }
        count(Work::exact(1));
        let at_most = self
            .spot
            .at_most(&solid.triangle(triangle), self.spot.blur(solid.bounds()), f64::INFINITY)
            .unwrap_or(f64::INFINITY);
        known.push((triangle, at_most));
        at_most
    }
}

pub fn spots<P: Spot>(corners: &[Corner<P>]) -> Vec<P> {
    corners.iter().map(|corner| corner.spot.clone()).collect()
}

/// A convex piece of a surface triangle.
pub struct Patch<P> {
    pub direction: usize,
    /// The surface triangle, if the patch is a whole triangle that meets the solid's surface and is yet to be
    /// cut.
    pub uncut: Option<u32>,
    pub corners: Vec<Corner<P>>,
    /// The solid's triangle that gives the upper bound.
    pub nearest: u32,
    /// An upper bound of the depth of its points.
    pub at_most: f64,
    /// The share of that bound that may be rounding.
    pub blur: f64,
    /// The order of insertion, to break ties.
    pub serial: usize,
}

impl<P> Ord for Patch<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at_most.total_cmp(&other.at_most).then(other.serial.cmp(&self.serial))
    }
}

impl<P> PartialOrd for Patch<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for Patch<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<P> Eq for Patch<P> {}

/// An upper bound of a patch's depth.
pub struct Bound {
    /// The solid's triangle that gives the bound, or `u32::MAX` if none does.
    pub nearest: u32,
    pub at_most: f64,
    pub blur: f64,
}

/// Returns the mean of some points.
pub fn centre<P: Spot>(points: &[P]) -> P {
    let mut centre = points[0].clone();
    for (k, point) in (2..).zip(&points[1..]) {
        centre = centre.towards(point, 1.0 / f64::from(k));
    }
    centre
}

/// Returns the corners on each side of a plane given by signed heights. Corners on the plane are on both
/// sides.
pub fn split<P: Spot>(corners: &[Corner<P>], heights: &[P::Height]) -> [Vec<Corner<P>>; 2] {
    let mut halves = [Vec::new(), Vec::new()];
    for (k, (p, h)) in corners.iter().zip(heights).enumerate() {
        let next = (k + 1) % corners.len();
        let (side, next_side) = (P::sign(h), P::sign(&heights[next]));
        if side.is_ge() {
            halves[0].push(p.clone());
        }
        if side.is_le() {
            halves[1].push(p.clone());
        }
        // A segment has one edge, which the loop passes twice.
        if side.is_ne() && side == next_side.reverse() && (k < next || corners.len() > 2) {
            let crossing = Corner::new(p.spot.between(&corners[next].spot, h, &heights[next]));
            halves.iter_mut().for_each(|half| half.push(crossing.clone()));
        }
    }
    halves
}

//! The way out of an overlap: a short translation of one part that parts the two.
//!
//! No shorter translation than the depth parts them, since the deepest point has to come that far. So
//! lengths from the depth up are tried, each in the 26 directions of a cube's faces, edges and corners and
//! along the way from the deepest point to the surface, until some direction parts the two. Its length is
//! then bisected, and the direction turned by smaller and smaller angles as long as that is shorter. Every
//! translation that counts has been tried exactly: afterwards the surfaces share no point, and neither part
//! lies inside the other.

use glam::DVec3;

use super::Containment;
use super::containment::containment;
use crate::bvh::static_pair::StaticPair;
use crate::narrow::Work;
use closefit_geometry::math::directions::{directions, vector};

/// Number of lengths that are tried while the length doubles.
const PER_DOUBLING: i32 = 4;

/// Share of its length to which a translation is found.
const FINE: f64 = 1.0 / 256.0;

/// Share of its length by which a translation along an axis may be longer than another, and is preferred.
const AXIS_WORTH: f64 = 0.01;

/// The least share of the surest way out from which lengths are tried.
const LEAST: f64 = 1.0 / (1u64 << 20) as f64;

/// Number of times the angle by which directions are turned is halved, and how often each is turned by it.
const ROUNDS: [usize; 2] = [6, 4];

/// The search for the way out of one part of a pair.
pub struct SeparationSearch<'a> {
    /// The pair.
    pub pair: &'a dyn StaticPair,
    /// The part that is moved: 0 or 1.
    pub side: usize,
    /// A lower bound of the length of every translation that parts the two.
    pub at_least: f64,
    /// The way from the deepest point to the surface, for the part that is moved.
    pub way: Option<DVec3>,
    /// The tolerance of the check.
    pub tolerance: f64,
}

/// A translation that parts the two: a direction of length 1, and the length.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Try {
    way: DVec3,
    length: f64,
}

impl Try {
    fn step(&self) -> DVec3 {
        self.way * self.length + DVec3::ZERO // not -0
    }
}

impl SeparationSearch<'_> {
    /// Returns the shortest translation found that parts the two.
    pub fn shortest(&self) -> Option<DVec3> {
        let best = self.turned(self.coarse()?);
        Some(self.along_axis(best).unwrap_or(best).step())
    }

    /// Returns the shortest translation along the directions that are tried first.
    fn coarse(&self) -> Option<Try> {
        let ways: Vec<DVec3> = axes_first().chain(self.way.into_iter().flat_map(|way| [way, -way])).collect();
        let surest = self.surest()?;
        let first = self.at_least.max(surest * LEAST);
        let lengths = (0..).map(|k| first * libm::exp2(f64::from(k) / f64::from(PER_DOUBLING)));
        let lengths = lengths.take_while(|&length| length < surest).chain([surest]);
        let mut before = 0.0;
        for length in lengths {
            let parting =
                ways.iter().map(|&way| Try { way, length }).filter(|found| self.parts(found.step()));
            let found: Vec<Try> = parting.map(|found| self.halved(before, found)).collect();
            // Of equal lengths the first stays first.
            if let Some(&best) = found.iter().min_by(|a, b| a.length.total_cmp(&b.length)) {
                return Some(best);
            }
            before = length;
        }
        None
    }

    /// Returns the length of the shortest translation along an axis that parts the boxes.
    fn surest(&self) -> Option<f64> {
        let [moved, fixed] = [self.side, 1 - self.side].map(|side| self.pair.bodies()[side].bounds());
        let ways = (fixed.hi - moved.lo).min(moved.hi - fixed.lo);
        let size = (moved.hi - moved.lo).max(fixed.hi - fixed.lo).max_element();
        let most = moved.lo.abs().max(moved.hi.abs()).max(fixed.lo.abs()).max(fixed.hi.abs()).max_element();
        // As much farther as rounding, and the touch of two boxes, can take.
        let surest = ways.min_element() + 64.0 * f64::EPSILON * (most + size);
        (surest > 0.0 && surest.is_finite()).then_some(surest)
    }

    /// Returns a shorter translation in the same direction, longer than `before`, at which none is expected.
    fn halved(&self, before: f64, found: Try) -> Try {
        let [mut before, mut length] = [before, found.length];
        while length - before > FINE * length {
            let middle = 0.5 * before + 0.5 * length;
            match self.parts(found.way * middle) {
                true => length = middle,
                false => before = middle,
            }
        }
        Try { length, ..found }
    }

    /// Turns the direction by smaller and smaller angles as long as that shortens the translation.
    fn turned(&self, mut best: Try) -> Try {
        let [rounds, times] = ROUNDS;
        let mut angle = 0.5;
        for _ in 0..rounds {
            for _ in 0..times {
                if best.length <= (1.0 + AXIS_WORTH) * self.at_least {
                    return best;
                }
                let length = (1.0 - FINE) * best.length;
                let tries = around(best.way, angle).map(|way| Try { way, length });
                let Some(found) = tries.into_iter().find(|found| self.parts(found.step())) else { break };
                best = self.halved(self.at_least.min(length), found);
            }
            angle *= 0.5;
        }
        best
    }

    /// Returns a translation along an axis that is not much longer, if there is one.
    fn along_axis(&self, best: Try) -> Option<Try> {
        let length = (1.0 + AXIS_WORTH) * best.length;
        let along = axes_first().take(6).map(|way| Try { way, length });
        let found = along.filter(|found| self.parts(found.step()));
        let found = found.map(|found| self.halved(self.at_least.min(length), found));
        found.min_by(|a, b| a.length.total_cmp(&b.length))
    }

    /// True when the two share no point after a translation, and neither lies inside the other.
    fn parts(&self, step: DVec3) -> bool {
        self.pair.ask_after(self.side, step, |pair| {
            let [a, b] = pair.bodies();
            !pair.touches(&mut Work::default())
                && !matches!(containment(a, b, self.tolerance), Containment::AInB | Containment::BInA)
        })
    }
}

/// Returns the directions of a cube's faces, edges and corners, each of length 1: those along axes first.
pub fn axes_first() -> impl Iterator<Item = DVec3> {
    directions::<13>().into_iter().map(|way| vector(way).normalize()).flat_map(|way| [way, -way])
}

/// Returns eight directions that are turned from one, each by about an angle.
fn around(way: DVec3, angle: f64) -> [DVec3; 8] {
    let (x, y) = way.any_orthonormal_pair();
    let diagonal = std::f64::consts::FRAC_1_SQRT_2;
    let sides =
        [x, -x, y, -y, (x + y) * diagonal, -(x + y) * diagonal, (x - y) * diagonal, (y - x) * diagonal];
    sides.map(|side| (way + side * angle).normalize())
}

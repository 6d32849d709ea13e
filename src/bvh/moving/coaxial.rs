//! The proof by profiles for two moving shapes, made when a search over a span has become long.

use std::cell::OnceCell;
use std::ops::Range;

use super::MovingPair;
use crate::continuous::fronts::Foresight;
use crate::continuous::profile::{Axis, PosedProfile, ProfileTree};
use crate::narrow::Work;
use closefit_geometry::motion::cells::Cells;
use closefit_geometry::motion::coaxial::Coaxial;

/// The number of tests for each triangle after which a search asks for the proof.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience(u64);

impl Patience {
    /// Number of tests that take about as long as to build the proof's trees. So the proof, in vain, doubles
    /// a search's time at most.
    const START: u64 = 192;
    const LEAST: u64 = Self::START / 4;
    const MOST: u64 = Self::START << 10;

    /// Makes the next search ask earlier if the proof held, or later.
    fn learn(&mut self, holds: bool) {
        self.0 = if holds { Self::LEAST.max(self.0 / 2) } else { Self::MOST.min(self.0 * 2) };
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self(Self::START)
    }
}

/// The proof for one span. What it is built from is built when it is first needed.
pub(super) struct CoaxialProof<'a> {
    pair: &'a MovingPair<'a>,
    patience: &'a mut Patience,
    /// `None` inside if the parts do not turn about one axis.
    profiles: OnceCell<Option<Profiles<'a>>>,
}

/// The profiles of both parts about their axis.
struct Profiles<'a> {
    coaxial: Coaxial,
    posed: [PosedProfile<'a>; 2],
    trees: [ProfileTree; 2],
}

impl<'a> Profiles<'a> {
    fn of(pair: &'a MovingPair) -> Option<Self> {
        let coaxial = pair.motion.coaxial()?;
        let meshes = pair.shapes.meshes();
        let posed = [0, 1].map(|side| PosedProfile {
            mesh: meshes[side],
            pose: coaxial.poses[side],
            axis: Axis::from(&coaxial),
            constant: coaxial.constant,
        });
        Some(Self { coaxial, trees: posed.each_ref().map(ProfileTree::build), posed })
    }

    fn stay_beyond(&self, cells: Range<u64>, of: &Cells, limit: f64, work: &mut Work) -> bool {
        let Self { coaxial, posed, trees: [a, b] } = self;
        let slid = |cell: u64| coaxial.slide * (of.start(of.cell(cell)) - coaxial.middle);
        let (from, to) = (slid(cells.start), slid(cells.end));
        ProfileTree::farther([a, b], posed, [from.min(to), from.max(to)], [limit, coaxial.slack], work)
    }
}

impl<'a> CoaxialProof<'a> {
    pub(super) fn new(pair: &'a MovingPair<'a>, patience: &'a mut Patience) -> Self {
        Self { pair, patience, profiles: OnceCell::new() }
    }
}

impl Foresight for CoaxialProof<'_> {
    fn patience(&self) -> u64 {
        let shapes = self.pair.shapes;
        let triangles = shapes.meshes().into_iter().map(|mesh| mesh.triangles().len() as u64);
        match self.profiles.get() {
            None if shapes.compares_profiles() => self.patience.0 * triangles.sum::<u64>(),
            Some(Some(_)) => 0,
            _ => u64::MAX,
        }
    }

    fn stays_beyond(&mut self, cells: Range<u64>, limit: f64, work: &mut Work) -> bool {
        let is_first = self.profiles.get().is_none();
        let Some(profiles) = self.profiles.get_or_init(|| Profiles::of(self.pair)) else { return false };
        let holds = profiles.stay_beyond(cells, self.pair.cells, limit, work);
        if is_first {
            self.patience.learn(holds);
        }
        holds
    }

    fn is_known_beyond(&self, cells: &Range<u64>, limit: f64) -> bool {
        self.pair.known.is_some_and(|known| known.covers(cells, limit))
    }
}

#[cfg(test)]
mod tests;

//! Time of contact of two moving surfaces: finds when they first come near each other.

use super::SurfaceError;
use super::contacts::{Near, near, standing};
use super::passage::{MovingSurface, Passage, over};
use super::search::SurfaceSearch;
use closefit::Work;
use closefit::internals::continuous::fronts::{self, TreePair};

/// A bracket of the time at which two surfaces come together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfImpact {
    /// Time up to which the surfaces are proven to be apart from the start; the start itself if they are near
    /// there.
    pub after: f64,
    /// Time at which they are near.
    pub before: f64,
    /// One of the places where they are near at `before`, and how near.
    pub near: Near,
}

/// Finds when two surfaces first come within `precision` of each other, from the first keyframe of either to
/// the last. `None` proves that they are apart throughout. After a contact at the start, the search ends.
///
/// As for meshes, time is cut into cells in which nothing moves farther than half of `precision`. The answer
/// is the start and the middle of the first cell at whose middle the two are not proven to be farther apart
/// than that. If they are near from the start or from a jump on, both times are the start or the jump.
/// Patches that are not proven to be farther apart come [within](Near::at_most) the precision.
///
/// # Errors
/// [`SurfaceError::NoTime`], [`SurfaceError::OutOfRange`], [`SurfaceError::Precision`].
pub fn time_of_impact(
    a: &MovingSurface,
    b: &MovingSurface,
    precision: f64,
) -> Result<Option<TimeOfImpact>, SurfaceError> {
    Ok(over(a, b, precision, |passage| passage.first())?.flatten())
}

impl Passage<'_> {
    /// Returns the first cell at whose middle the two are not proven to be farther apart than half the
    /// precision.
    fn first(&self) -> Option<TimeOfImpact> {
        let [from, to] = self.range;
        let (jumps, limit) = (self.motion.jumps(self.range), self.limit());
        let (mut scratch, mut work) = (fronts::Scratch::default(), Work::default());
        for (span, cells) in &self.spans {
            let start = cells.from;
            if (start == from || jumps.contains(&start))
                && let Some(found) = self.near_at(start, start)
            {
                return Some(found);
            }
            let (time, mut next) = ((span, cells), 0);
            while let Some(index) = fronts::first_within(
                &self.search,
                time,
                next..cells.count(),
                limit,
                &mut fronts::NoForesight,
                &mut scratch,
                &mut work,
            ) {
                let cell = cells.cell(index);
                let found = self.near_at(cells.start(cell), cells.middle(cell));
                if found.is_some() {
                    return found;
                }
                // Larger boxes sometimes prove what the smaller boxes found over a stretch do not.
                next = index + 1;
            }
        }
        if jumps.contains(&to) { self.near_at(to, to) } else { None }
    }

    /// Returns the first pair of patches that is not proven to be farther apart than the limit at the time
    /// `before`.
    fn near_at(&self, after: f64, before: f64) -> Option<TimeOfImpact> {
        let SurfaceSearch { patches, .. } = self.search;
        let poses = self.motion.poses(before);
        let mut found = None;
        let mut whole = vec![self.search.whole()];
        self.search.visit(&standing(poses), self.limit(), &mut whole, &mut Work::default(), |pair| {
            found = Some(near(patches, &pair, &poses));
            true
        });
        found.map(|near| TimeOfImpact { after, before, near })
    }

    /// Returns the distance that the surfaces are proven to exceed where they are not near each other.
    fn limit(&self) -> f64 {
        0.5 * self.precision
    }
}

//! Time of contact of two moving surfaces: finds when they first come near each other.

use glam::DVec3;

use super::SurfaceError;
use super::contacts::{Near, near, standing};
use super::patches::Patches;
use super::search::{Search, checked};
use crate::bounds::aabb::Aabb;
use crate::continuous::fronts::{self, TreePair};
use crate::math::interval::IntervalVec3;
use crate::math::pose::{LARGEST, Pose};
use crate::motion::cells::Cells;
use crate::motion::pair::{PairMotion, PlacedPart};
use crate::motion::span::PairSpan;
use crate::motion::swept::SweptPart;
use crate::motion::{Frames, Joint, Motion};
use crate::narrow::Work;

/// [`Patches`] along a [`Motion`], made by [`Patches::along`].
#[derive(Clone, Copy, Debug)]
pub struct MovingSurface<'a> {
    patches: &'a Patches,
    motion: &'a Motion,
}

/// A bracket of the time at which two surfaces come together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfContact {
    /// Time up to which the surfaces are proven to be apart from the start; the start itself if they are near
    /// there.
    pub after: f64,
    /// Time at which they are near.
    pub before: f64,
    /// One of the places where they are near at `before`, and how near.
    pub near: Near,
}

impl Patches {
    /// Moves the patches along a motion.
    pub fn along<'a>(&'a self, motion: &'a Motion) -> MovingSurface<'a> {
        MovingSurface { patches: self, motion }
    }
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
pub fn time_of_contact(
    a: &MovingSurface,
    b: &MovingSurface,
    precision: f64,
) -> Result<Option<TimeOfContact>, SurfaceError> {
    let mut frames = Frames::default();
    let placed_parts = [a, b].map(|one| {
        let frame = frames.add(None, Joint::Moving(one.motion.clone()));
        placed(one.patches.place(), frame)
    });
    let [from, to] = frames.time_range().filter(|[from, to]| from < to).ok_or(SurfaceError::NoTime)?;
    let patches = [a.patches, b.patches];
    let mut reach = 0.0_f64;
    for (patches, placed) in patches.into_iter().zip(placed_parts) {
        let place = patches.place().0;
        let own = Aabb {
            lo: DVec3::from_array(place.map(|side| side.lo)),
            hi: DVec3::from_array(place.map(|side| side.hi)),
        };
        let part = SweptPart::new(&frames, placed, &own);
        let swept = part.over(from, to).union(part.over(to, to));
        let farthest = swept.lo.abs().max(swept.hi.abs()).max_element();
        if farthest.is_nan() || farthest > LARGEST {
            return Err(SurfaceError::OutOfRange);
        }
        reach = reach.max(farthest);
    }
    let precision = checked(precision, reach)?;
    let motion = PairMotion::new(&frames, placed_parts);
    let spans =
        motion.spans([from, to], precision).map_err(|smallest| SurfaceError::Precision { smallest })?;
    if patches.iter().any(|patches| patches.whole().is_none()) {
        return Ok(None);
    }
    // Half the precision plus twice the sum of two half diagonals: within three quarters, plus rounding.
    let search = Search { patches, finest: 0.0625 * precision };
    let passage = Passage { search, spans, motion: &motion, limit: 0.5 * precision };
    Ok(passage.first([from, to]))
}

/// Returns a surface as its motion needs it.
fn placed(place: IntervalVec3, frame: crate::motion::FrameId) -> PlacedPart {
    let center = place.middle();
    let radius = (place - IntervalVec3::point(center)).length().hi;
    PlacedPart { pose: Pose::IDENTITY, frame: Some(frame), reach: place.length().hi, center, radius }
}

struct Passage<'a> {
    search: Search<'a>,
    spans: Vec<(PairSpan<'a>, Cells)>,
    motion: &'a PairMotion<'a>,
    limit: f64,
}

impl Passage<'_> {
    fn first(&self, [from, to]: [f64; 2]) -> Option<TimeOfContact> {
        let jumps = self.motion.jumps([from, to]);
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
                self.limit,
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
    fn near_at(&self, after: f64, before: f64) -> Option<TimeOfContact> {
        let Search { patches, .. } = self.search;
        let poses = self.motion.poses(before);
        let mut found = None;
        let mut whole = vec![self.search.whole()];
        self.search.visit(&standing(poses), self.limit, &mut whole, &mut Work::default(), |pair| {
            found = Some(near(patches, &pair, &poses));
            true
        });
        found.map(|near| TimeOfContact { after, before, near })
    }
}

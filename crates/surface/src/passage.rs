//! Two surfaces on their way along their motions.

use glam::DVec3;

use super::SurfaceError;
use super::patches::Patches;
use super::search::{SurfaceSearch, checked};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::interval::IntervalVec3;
use closefit_geometry::math::pose::{LARGEST, Pose};
use closefit_geometry::motion::cells::Cells;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::span::PairSpan;
use closefit_geometry::motion::swept::SweptPart;
use closefit_geometry::motion::{FrameId, Frames, Joint, Motion};

/// [`Patches`] along a [`Motion`], made by [`Patches::along`].
#[derive(Clone, Copy, Debug)]
pub struct MovingSurface<'a> {
    patches: &'a Patches,
    motion: &'a Motion,
}

impl Patches {
    /// Moves the patches along a motion.
    pub fn along<'a>(&'a self, motion: &'a Motion) -> MovingSurface<'a> {
        MovingSurface { patches: self, motion }
    }
}

/// Two surfaces that have points, from the first keyframe of either to the last.
pub(super) struct Passage<'a> {
    pub search: SurfaceSearch<'a>,
    pub motion: &'a PairMotion<'a>,
    /// The spans of the motion. In half a cell nothing moves farther than a quarter of the precision.
    pub spans: Vec<(PairSpan<'a>, Cells)>,
    pub range: [f64; 2],
    pub precision: f64,
}

/// Returns what `ask` says of two surfaces on their way; `None` if one of them has no points.
///
/// # Errors
/// [`SurfaceError::NoTime`], [`SurfaceError::OutOfRange`], [`SurfaceError::Precision`].
pub(super) fn over<T>(
    a: &MovingSurface,
    b: &MovingSurface,
    precision: f64,
    ask: impl FnOnce(Passage) -> T,
) -> Result<Option<T>, SurfaceError> {
    let mut frames = Frames::default();
    let placed_parts = [a, b].map(|one| {
        let frame = frames.add(None, Joint::Moving(one.motion.clone()));
        placed(one.patches.place(), frame)
    });
    let range = frames.time_range().filter(|[from, to]| from < to).ok_or(SurfaceError::NoTime)?;
    let [from, to] = range;
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
    let spans = motion.spans(range, precision).map_err(|smallest| SurfaceError::Precision { smallest })?;
    if patches.iter().any(|patches| patches.whole().is_none()) {
        return Ok(None);
    }
    // The points of two boxes that no axis separates by more than some length are no farther apart than that
    // and twice the sum of two half diagonals: a quarter of the precision, plus rounding.
    let search = SurfaceSearch { patches, finest: 0.0625 * precision };
    Ok(Some(ask(Passage { search, motion: &motion, spans, range, precision })))
}

/// Returns a surface as its motion needs it.
fn placed(place: IntervalVec3, frame: FrameId) -> PlacedPart {
    let center = place.middle();
    let radius = (place - IntervalVec3::point(center)).length().hi;
    PlacedPart { pose: Pose::IDENTITY, frame: Some(frame), reach: place.length().hi, center, radius }
}

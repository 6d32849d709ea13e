//! SurfaceSearch for the patches of two surfaces that are near each other, at one time or over a stretch of
//! time.

use super::SurfaceError;
use super::patches::{Patches, Piece};
use closefit::Work;
use closefit::internals::continuous::fronts::TreePair;
use closefit_geometry::bounds::separating_axes::PosedBoxes;
use closefit_geometry::math::interval::{Interval, IntervalMat3};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::moment::Moment;
use closefit_methods::internals::moving_boxes;

/// A piece of each surface.
pub(super) type PiecePair = [Piece; 2];

/// Two surfaces that have points, and the size to which they are cut.
pub(super) struct SurfaceSearch<'a> {
    pub patches: [&'a Patches; 2],
    /// Half diagonal, in the world, at or below which the box of a patch is not cut further.
    pub finest: f64,
}

/// Both surfaces at two poses.
pub(super) struct PosedSurfaces {
    pub boxes: PosedBoxes,
    /// Upper bounds on the lengths that the poses give to a unit vector.
    pub gains: [f64; 2],
    /// The size of the whole surfaces.
    size: f64,
}

/// Boxes of size s, of surfaces of size S, that move by more than this multiple of `s^2 / S` are not opened
/// before time is halved. That is about the thickness of a patch, and so the movement that separates two.
/// With s instead, as for triangles, surfaces about to touch were cut into more patches by a factor of `S`
/// over the path.
const SUBDIVIDE: f64 = 1.0;

/// Smallest precision as a share of the largest coordinate in the motion: 2^-40. Boxes around single points,
/// with a few dozen roundings, and their separation (`error_bounds::AXIS` of some five such coordinates) are
/// uncertain by less than 2^-44 of it. That is a sixteenth of the precision, the size to which patches are
/// cut.
const LEAST_PRECISION: f64 = f64::from_bits((1023 - 40) << 52);

/// Returns the precision if f64 can resolve it among coordinates of this size.
pub(super) fn checked(precision: f64, reach: f64) -> Result<f64, SurfaceError> {
    let smallest = LEAST_PRECISION * reach;
    if precision >= smallest && precision > 0.0 && precision.is_finite() {
        Ok(precision)
    } else {
        Err(SurfaceError::Precision { smallest })
    }
}

/// Returns an upper bound on the length that a pose gives to a unit vector: the root of the largest row sum
/// of `|L^T L|`.
fn gain(pose: &Pose) -> f64 {
    let linear = IntervalMat3::of_pose(pose);
    let columns = [0, 1, 2].map(|j| linear.column(j));
    let row = |i: usize| columns.map(|column| columns[i].dot(column).abs());
    let sums = [0, 1, 2].map(row).map(|[x, y, z]| x + y + z);
    sums.into_iter().fold(Interval::ZERO, |most, sum| Interval::point(most.hi.max(sum.hi))).sqrt().hi
}

impl SurfaceSearch<'_> {
    /// Calls `keep` with the pairs of the stack that are not proven to be farther apart than `limit` over a
    /// moment, cut as finely as is worthwhile, until `keep` returns true. In a moment without extent, they
    /// are patches of the finest size.
    pub(super) fn visit(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<PiecePair>,
        work: &mut Work,
        mut keep: impl FnMut(PiecePair) -> bool,
    ) -> bool {
        let posed = self.posed(&moment.poses);
        while let Some(pair) = stack.pop() {
            work.box_tests += 1;
            let [a, b] = &pair;
            if moving_boxes::separated(&posed.boxes, &a.obb, &b.obb, moment, limit) {
                continue;
            }
            if (self.waits(moment, &posed, &pair) || !self.open(&pair, posed.gains, stack)) && keep(pair) {
                return true;
            }
        }
        false
    }

    /// Prepares the boxes of both surfaces at two poses.
    pub(super) fn posed(&self, [a, b]: &[Pose; 2]) -> PosedSurfaces {
        let reach = self.patches.map(|patches| patches.place().0.map(Interval::magnitude));
        let [reach_a, reach_b] = reach.map(|sides| sides.into_iter().fold(0.0, f64::max));
        let boxes = PosedBoxes::new(a, reach_a, b, reach_b);
        let [whole_a, whole_b] = self.whole();
        PosedSurfaces { gains: [gain(a), gain(b)], size: boxes.size(&whole_a.obb, &whole_b.obb), boxes }
    }

    /// True when time is to be halved before a pair is opened: it is small compared with its movement.
    fn waits(&self, moment: &Moment, posed: &PosedSurfaces, [a, b]: &PiecePair) -> bool {
        let size = posed.boxes.size(&a.obb, &b.obb);
        moment.half * moment.speed * posed.size > SUBDIVIDE * size * size
    }

    /// Pushes the parts of the larger piece, each paired with the other piece, with the first on top. Returns
    /// false if both are as small as required, or as f64 can make them.
    pub(super) fn open(&self, pair: &PiecePair, gains: [f64; 2], stack: &mut Vec<PiecePair>) -> bool {
        let size = |side: usize| gains[side] * pair[side].obb.half.length();
        let larger = usize::from(size(0) < size(1));
        let below = stack.len();
        let opened = [larger, 1 - larger].into_iter().any(|side| {
            let piece = &pair[side];
            let coarse = piece.patch.is_none() || size(side) > self.finest;
            coarse
                && self.patches[side].open(piece, |part| {
                    let mut parts = *pair;
                    parts[side] = part;
                    stack.push(parts);
                })
        });
        stack[below..].reverse();
        opened
    }
}

impl TreePair for SurfaceSearch<'_> {
    type Item = PiecePair;

    fn whole(&self) -> PiecePair {
        self.patches.map(|patches| patches.whole().expect("with points"))
    }

    fn narrow(
        &self,
        moment: &Moment,
        limit: f64,
        stack: &mut Vec<PiecePair>,
        left: &mut Vec<PiecePair>,
        work: &mut Work,
    ) {
        self.visit(moment, limit, stack, work, |pair| {
            left.push(pair);
            false
        });
    }

    fn is_within(&self, moment: &Moment, limit: f64, stack: &mut Vec<PiecePair>, work: &mut Work) -> bool {
        self.visit(moment, limit, stack, work, |_| true)
    }
}

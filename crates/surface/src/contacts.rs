//! Contacts of two surfaces at rest: finds the patches that come near each other.

use glam::DVec3;

use super::SurfaceError;
use super::patches::{Patch, Patches};
use super::search::{PiecePair, SurfaceSearch, checked};
use closefit::Work;
use closefit::internals::continuous::fronts::TreePair;
use closefit_geometry::math::interval::Interval;
use closefit_geometry::math::pose::{LARGEST, Pose};
use closefit_geometry::motion::moment::Moment;

/// [`Patches`] at a pose, made by [`Patches::at`].
#[derive(Clone, Copy, Debug)]
pub struct PlacedSurface<'a> {
    patches: &'a Patches,
    pose: Pose,
    /// Largest magnitude of a coordinate.
    reach: f64,
}

/// A pair of patches near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// One patch of each surface.
    pub patches: [Patch; 2],
    /// Witness points in world coordinates, rounded: one on each surface, on its patch or near it.
    pub points: [DVec3; 2],
    /// Proven upper bound on the distance of the surfaces here. `None` if an [`Implicit`](super::Implicit)
    /// surface does not change its sign, so that no point is proven to be on it.
    pub at_most: Option<f64>,
}

impl Patches {
    /// Places the patches at a pose.
    ///
    /// # Errors
    /// [`SurfaceError::OutOfRange`].
    pub fn at(&self, pose: &Pose) -> Result<PlacedSurface<'_>, SurfaceError> {
        let place = self.place().posed(pose);
        let reach = place.0.map(Interval::magnitude).into_iter().fold(0.0, f64::max);
        if pose.is_finite() && reach <= LARGEST {
            Ok(PlacedSurface { patches: self, pose: *pose, reach })
        } else {
            Err(SurfaceError::OutOfRange)
        }
    }
}

/// Finds where two surfaces touch or may touch: all pairs of patches, in boxes smaller than `precision`, that
/// are not proven to be apart, in the order of their parameters. An empty result proves that the surfaces are
/// apart. Otherwise they come within `precision`, as each pair [states](Near::at_most).
///
/// Time and memory grow with the length of the curve in which the surfaces meet, divided by the precision;
/// where surfaces coincide, with the square of that. A coarse precision finds out where to look.
///
/// # Errors
/// [`SurfaceError::Precision`].
pub fn contacts(a: &PlacedSurface, b: &PlacedSurface, precision: f64) -> Result<Vec<Near>, SurfaceError> {
    let precision = checked(precision, a.reach.max(b.reach))?;
    let patches = [a.patches, b.patches];
    let mut found = Vec::new();
    if patches.iter().all(|patches| patches.whole().is_some()) {
        // Boxes that are not apart are within twice their half diagonals, so any of their points are within
        // twice the sum of those: half the precision.
        let search = SurfaceSearch { patches, finest: 0.125 * precision };
        let standing = standing([a.pose, b.pose]);
        search.visit(&standing, 0.0, &mut vec![search.whole()], &mut Work::default(), |pair| {
            found.push(near(patches, &pair, &standing.poses));
            false
        });
    }
    Ok(found)
}

/// Returns the moment of two parts at rest.
pub(super) fn standing(poses: [Pose; 2]) -> Moment {
    Moment {
        poses,
        time: 0.0,
        half: 0.0,
        velocity: DVec3::ZERO,
        angular: DVec3::ZERO,
        acceleration_bound: [0.0; 2],
        speed: 0.0,
        slack: 0.0,
    }
}

/// Returns the distance bound and witness points of a pair of pieces, which must be patches.
pub(super) fn near(patches: [&Patches; 2], pair: &PiecePair, poses: &[Pose; 2]) -> Near {
    let witness = |side: usize| Some(patches[side].witness(&pair[side])?.posed(&poses[side]));
    let witnesses = [witness(0), witness(1)];
    let at_most = match witnesses {
        [Some(a), Some(b)] => Some((a - b).length().hi),
        _ => None,
    };
    Near {
        patches: pair.map(|piece| piece.patch.expect("cut down to patches")),
        points: [0, 1].map(|side| {
            witnesses[side].map_or_else(|| poses[side].apply(pair[side].obb.center), |place| place.middle())
        }),
        at_most,
    }
}

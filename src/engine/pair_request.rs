//! The request of each pair: with the lengths that the scene's rules give it, or else as it was made.
//!
//! If the mesh of a part only approximates its surface, the clearance of its pairs is raised by as much: no
//! pair is left out whose true surfaces may be nearer.

use crate::broad::apart;
use crate::query::CheckRequest;
use crate::query::moving_pair::SweepRequest;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::scene::Scene;
use closefit_geometry::scene::pair_rules::Lengths;

/// A request whose lengths can differ from pair to pair.
pub(super) trait PairRequest: Copy {
    /// Returns the request with other lengths, where they are given.
    fn with(self, lengths: Lengths) -> Self;

    /// Returns the request with a clearance that is larger by so much.
    fn beyond(self, chords: f64) -> Self;

    /// Returns the distance beyond which the boxes of a pair prove it clear.
    fn box_reach(&self) -> f64;
}

impl PairRequest for CheckRequest {
    fn with(self, Lengths { clearance, tolerance }: Lengths) -> Self {
        self.clearance(clearance.unwrap_or(self.clearance)).tolerance(tolerance.unwrap_or(self.tolerance))
    }

    fn beyond(self, chords: f64) -> Self {
        self.clearance(sum(self.clearance, chords))
    }

    fn box_reach(&self) -> f64 {
        self.reach()
    }
}

impl PairRequest for SweepRequest {
    fn with(self, Lengths { clearance, tolerance }: Lengths) -> Self {
        self.clearance(clearance.unwrap_or(self.clearance)).tolerance(tolerance.unwrap_or(self.tolerance))
    }

    fn beyond(self, chords: f64) -> Self {
        self.clearance(sum(self.clearance, chords))
    }

    fn box_reach(&self) -> f64 {
        // Rounded up, with two roundings to spare for the last steps of the clearance search.
        (self.clearance + self.precision) * (1.0 + 8.0 * f64::EPSILON)
    }
}

/// Returns a clearance that is larger by the chords of two parts, no less than their exact sum.
pub(super) fn sum(clearance: f64, chords: f64) -> f64 {
    if chords == 0.0 { clearance } else { (clearance + chords).next_up() }
}

/// Returns the request of a pair in the scope of the check.
pub(super) fn request_of<R: PairRequest>(scene: &Scene, request: &R, ids: [PartId; 2]) -> R {
    ruled(scene, request, ids).beyond(scene.chords(ids))
}

/// Returns the request about the meshes of a pair.
pub(super) fn ruled<R: PairRequest>(scene: &Scene, request: &R, [a, b]: [PartId; 2]) -> R {
    let rules = scene.rules.as_ref();
    rules.and_then(|rules| rules.asked(a, b).ok()).map_or(*request, |lengths| request.with(lengths))
}

/// Returns the largest reach of a pair's boxes, which the broad phase needs.
pub(super) fn largest_reach<R: PairRequest>(scene: &Scene, request: &R) -> f64 {
    let chords = 2.0 * scene.parts.iter().map(|part| part.chord).fold(0.0, f64::max);
    let Some(rules) = &scene.rules else { return request.beyond(chords).box_reach() };
    rules.lengths().map(|lengths| request.with(lengths).beyond(chords).box_reach()).fold(0.0, f64::max)
}

/// True for a pair in the scope of the check, if its boxes are within the pair's own reach. The broad phase
/// has found these boxes near each other.
pub(super) fn is_candidate<R: PairRequest>(
    scene: &Scene,
    request: &R,
    boxes: &[Aabb],
    (a, b): (PartId, PartId),
) -> bool {
    scene.asked(a, b).is_ok_and(|lengths| {
        let reach = request.with(lengths).beyond(scene.chords([a, b])).box_reach();
        !apart(&boxes[a.index()], &boxes[b.index()], reach)
    })
}

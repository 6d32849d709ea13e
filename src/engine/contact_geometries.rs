//! The geometry of the contacts that a check has found.

use super::found_pairs::FoundPairs;
use super::{CheckError, Observer, PosedBoxes};
use crate::bvh::static_pair::StaticPair;
use crate::narrow::Work;
use crate::query::contact_geometry::{ContactGeometry, contact_geometry};
use crate::query::{CheckRequest, PairRecord};
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::scene::Scene;

/// Bytes of what a pair of triangles shares, with its exact points, while it is found.
const SHARED_BYTES: usize = 1024;

/// Returns the geometry of each pair that is in contact, with at most `points` points for a solver in each
/// patch; `None` for others. The pairs are some of a check of the scene with this request.
///
/// # Errors
/// [`CheckError`].
pub fn contact_geometries(
    scene: &Scene,
    posed: &PosedBoxes,
    request: &CheckRequest,
    (pairs, points): (&[PairRecord], usize),
    observer: &dyn Observer,
) -> Result<Vec<Option<ContactGeometry>>, CheckError> {
    let memory = MemoryAccount::new(request.memory);
    let all = pairs.iter().map(|pair| pair.contacts as usize).sum();
    memory.take(all, SHARED_BYTES, || "what triangles in contact share".to_owned())?;
    let geometry = |pair: &PairRecord, two: &dyn StaticPair| {
        let search = || two.contacts(&mut Work::default());
        let contacts = pair.triangles.clone().unwrap_or_else(search);
        contact_geometry(two.bodies(), contacts, points)
    };
    FoundPairs { scene, posed, request, pairs }.ask(&memory, |pair| pair.contacts > 0, geometry, observer)
}

//! A few points of each patch for a solver: far from each other, so that they hold a body like the whole
//! patch.

use glam::DVec3;

use super::{ContactPatch, Sets};

/// Adds at most `most` points to each patch: the first, then each time the one farthest from those
/// chosen, in a tie the first in the order of sets.
pub(super) fn add_points(patches: &mut [ContactPatch], sets: &Sets, patch_of: &[u32], most: usize) {
    let mut candidates: Vec<Vec<u32>> = vec![Vec::new(); patches.len()];
    let mut known = vec![false; sets.points.len()];
    for (corners, &patch) in sets.sets.iter().zip(patch_of) {
        for &id in corners {
            // A point belongs to one patch alone.
            if !std::mem::replace(&mut known[id as usize], true) {
                candidates[patch as usize].push(id);
            }
        }
    }
    for (patch, ids) in patches.iter_mut().zip(&candidates) {
        let points: Vec<DVec3> = ids.iter().map(|&id| sets.point(id).rounded()).collect();
        patch.points = spread(&points, most);
    }
}

/// Returns points far from each other.
fn spread(points: &[DVec3], most: usize) -> Vec<DVec3> {
    let mut squared = vec![f64::INFINITY; points.len()];
    let mut chosen: Vec<DVec3> = Vec::new();
    while chosen.len() < most {
        let farthest = squared
            .iter()
            .enumerate()
            .fold((0.0, None), |best, (k, &far)| if far > best.0 { (far, Some(k)) } else { best });
        let Some(next) = farthest.1 else { break };
        chosen.push(points[next]);
        for (far, p) in squared.iter_mut().zip(points) {
            *far = far.min(p.distance_squared(points[next]));
        }
    }
    chosen
}

//! The answers of a pair of which few triangles are in the contact region.

use super::pair::Known;
use super::stage_work::StageWork;
use crate::hierarchy::body::Body;
use crate::hierarchy::clipped::Few;
use crate::hierarchy::contact_region::ContactRegion;
use crate::narrow::SLACK;
use closefit_geometry::bounds::aabb::Aabb;

/// Two bodies, and the greatest distance that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct ClippedPair<'p> {
    /// The bodies.
    pub bodies: [&'p Body<'p>; 2],
    /// Their contact region.
    pub region: &'p ContactRegion,
    /// The greatest distance.
    pub limit: f64,
}

impl ClippedPair<'_> {
    /// Returns the contacts of the pair, if few triangles of a part are in its region and these have no more
    /// than `most`; and the closest triangles of a pair without contact, if few are so near.
    pub fn known(&self, most: usize, work: &mut StageWork) -> Option<Known> {
        let Self { bodies, region, limit } = *self;
        let trees = bodies.map(|body| &body.tree);
        let order = if bodies[0].len() <= bodies[1].len() { [0, 1] } else { [1, 0] };
        let StageWork { contacts, distance, regions, .. } = work;
        regions.millionths_left += millionths(region, bodies.map(|body| &body.bounds));
        let few = contacts.on(|work| Few::of(trees, order, region, 0.0, work))?;
        let found = contacts.on(|work| few.contacts(trees, most, work))?;
        regions.searched += 1;
        regions.dropped += u64::from(bodies[few.side].len()) - few.count() as u64;
        // From the other side of the box of both, nothing is dropped.
        let is_local = limit * SLACK < bodies[0].bounds.union(bodies[1].bounds).diagonal();
        if !found.is_empty() || !is_local {
            return Some(Known::of(found));
        }
        let nearest = distance.on(|work| {
            let few = Few::of(trees, order, region, limit * SLACK, work)?;
            Some(few.nearest(trees, limit, work))
        });
        Some(Known { nearest, ..Known::of(found) })
    }
}

/// Returns the share, in millionths, that the region's box has of the smaller of two boxes.
fn millionths(region: &ContactRegion, bounds: [&Aabb; 2]) -> u64 {
    let volume = |bounds: &Aabb| (bounds.hi - bounds.lo).max(glam::DVec3::ZERO).element_product();
    let of_both = volume(bounds[0]).min(volume(bounds[1]));
    let share = volume(&region.clip(0, 0.0).bounds()) / of_both;
    // Flat parts have no volume, and nothing is left out of it.
    if share < 1.0 { (share * 1e6) as u64 } else { 1_000_000 }
}

//! The filter by convex hulls: what the hulls of a pair at rest tell of it before its trees are searched.

use crate::bvh::contact_region::{ContactRegion, Few};
use crate::bvh::mesh_hull::{MeshHull, Separation, red_pairs_of};
use crate::bvh::posed_model::PosedModel;
use crate::narrow::{SLACK, Work};
use crate::query::CheckRequest;
use crate::query::pair::Known;
use crate::query::stage_work::StageWork;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::enclose;
use closefit_geometry::hull::closest_features::HullWork;
use closefit_geometry::hull::filter::HullFilter;
use closefit_geometry::hull::polytope::Feature;

/// Two bodies, their hulls, and the request about them.
#[derive(Clone, Copy)]
pub(super) struct HullPair<'p> {
    pub hulls: [&'p MeshHull; 2],
    pub bodies: [&'p PosedModel<'p>; 2],
    pub request: &'p CheckRequest,
}

impl HullPair<'_> {
    /// Returns what the hulls prove about the pair, and the work done. Apart: no contacts, and either
    /// "beyond the limit" or an upper bound of the distance from red features. Few triangles in the contact
    /// region: the contacts, if there are no more than `most`, or the nearest of those. Otherwise `None`.
    /// The pair counts as decided all the same, and its containment is still to be found.
    pub fn known(&self, most: usize) -> (Option<Known>, StageWork) {
        let Self { hulls, bodies, request } = *self;
        let mut work = StageWork::default();
        let [a, b] = &[0, 1].map(|side| hulls[side].at(&bodies[side].pose));
        let executor = request.strategy.executor();
        let StageWork { hull, walks, regions, .. } = &mut work;
        let Separation { at_least, features } = hull.on(|_| Separation::of([a, b], executor, walks));
        if at_least > 0.0 {
            walks.proven += 1;
            let is_beyond = at_least > request.reach() * SLACK;
            let nearest = is_beyond.then_some(None);
            let near = features.filter(|_| !is_beyond);
            let at_most = near.map_or(f64::INFINITY, |features| {
                hull.on(|work| {
                    let before = walks.settled;
                    let at_most = self.distance_at(features, walks);
                    work.triangle_tests += walks.settled - before;
                    at_most
                })
            });
            return (Some(Known { nearest, at_most, ..Known::of(Vec::new()) }), work);
        }
        if request.hull != HullFilter::ContactRegion {
            return (None, work);
        }
        let region = hull.on(|_| ContactRegion::of([a, b], executor, regions));
        let known = region.and_then(|region| self.known_in(&region, most, &mut work));
        (known, work)
    }

    /// Returns whether the surfaces touch, as far as the hulls tell: they do not where a gap parts the hulls,
    /// and they do where triangles at red features meet (Lin et al. 1997, section 4.1.4). `None` if neither
    /// is so.
    pub fn touches(&self, work: &mut StageWork) -> Option<bool> {
        let Self { hulls, bodies, request } = *self;
        let [a, b] = &[0, 1].map(|side| hulls[side].at(&bodies[side].pose));
        let StageWork { hull, walks, .. } = work;
        hull.on(|work| {
            let Separation { at_least, features } =
                Separation::of([a, b], request.strategy.executor(), walks);
            if at_least > 0.0 {
                walks.proven += 1;
                return Some(false);
            }
            let meshes = bodies.map(|body| body.mesh);
            let mut pairs = red_pairs_of(hulls, meshes, features?, walks);
            let meet = |[t, u]: [u32; 2]| {
                *work += Work::exact(1);
                triangles_meet(&bodies[0].triangle(t), &bodies[1].triangle(u))
            };
            pairs.any(meet).then_some(true)
        })
    }

    /// Returns the least distance of triangles at two features of the hulls; infinity unless both are red.
    fn distance_at(&self, features: [Feature; 2], walks: &mut HullWork) -> f64 {
        let Self { hulls, bodies, .. } = *self;
        let pairs = red_pairs_of(hulls, bodies.map(|body| body.mesh), features, walks);
        let at_most = |[t, u]: [u32; 2]| enclose(&bodies[0].triangle(t), &bodies[1].triangle(u)).at_most;
        pairs.map(at_most).fold(f64::INFINITY, f64::min)
    }

    /// Returns the contacts of the pair, if few triangles of a part are in its contact region and these have
    /// no more than `most`; and the closest triangles of a pair without contact, if few are so near.
    fn known_in(&self, region: &ContactRegion, most: usize, work: &mut StageWork) -> Option<Known> {
        let (bodies, limit) = (self.bodies, self.request.reach());
        let trees = bodies.map(|body| &body.tree);
        let order = if bodies[0].len() <= bodies[1].len() { [0, 1] } else { [1, 0] };
        let StageWork { contacts, distance, regions, .. } = work;
        regions.millionths_left += millionths(region, bodies.map(|body| body.bounds()));
        let few = contacts.on(|work| Few::of(trees, order, region, 0.0, work))?;
        let found = contacts.on(|work| few.contacts(trees, most, work))?;
        regions.searched += 1;
        regions.dropped += u64::from(bodies[few.side].len()) - few.count() as u64;
        // From the other side of the box of both, nothing is dropped.
        let is_local = limit * SLACK < bodies[0].bounds().union(*bodies[1].bounds()).diagonal();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::posed_model::Model;
    use crate::bvh::wide_obb::WideObb;
    use closefit_geometry::executor::Executor;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::mesh::Mesh;
    use glam::DVec3;

    /// The sides of a prism over a polygon in the plane z = 0, from there to z = 1; ends are left open.
    fn sides(polygon: &[[f64; 2]]) -> Mesh {
        let count = polygon.len() as u32;
        let at = |z: f64| polygon.iter().map(move |&[x, y]| DVec3::new(x, y, z));
        let vertices: Vec<DVec3> = at(0.0).chain(at(1.0)).collect();
        let side = |i: u32| {
            let (j, up) = ((i + 1) % count, count);
            [[i, j, up + j], [i, up + j, up + i]]
        };
        Mesh::new(&vertices, &(0..count).flat_map(side).collect::<Vec<_>>()).expect("valid")
    }

    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    const L: [[f64; 2]; 6] = [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];

    /// Hulls that are apart show that there is no contact, and red features of hulls that overlap that there
    /// is one. In the notch of an L they tell nothing.
    #[test]
    fn hulls_tell_whether_surfaces_touch_where_they_can() {
        let cases = [
            ([1.5, 0.25, 0.25], &SQUARE[..], Some(false), 0),
            ([0.9, 0.25, 0.25], &SQUARE[..], Some(true), 1),
            ([1.5, 1.5, 0.25], &L[..], None, 0),
        ];
        for (shift, polygon, expected, red) in cases {
            let meshes = [sides(polygon), sides(&SQUARE)];
            let models =
                meshes.each_ref().map(|mesh| Model::<WideObb>::of(mesh, Executor::Simd, Default::default()));
            let poses = [Pose::IDENTITY, Pose::translation(shift)];
            let [a, b] = [0, 1].map(|k| {
                PosedModel::new(&meshes[k], &models[k], poses[k], meshes[k].posed_bounds(&poses[k]))
            });
            let hulls = meshes.each_ref().map(|mesh| MeshHull::of(mesh, None).expect("admissible"));
            let (request, bodies): (_, [&PosedModel; 2]) = (&CheckRequest::default(), [&a, &b]);
            let pair = HullPair { hulls: hulls.each_ref(), bodies, request };
            let mut work = StageWork::default();
            assert_eq!(pair.touches(&mut work), expected, "{shift:?}: {work:?}");
            assert_eq!((work.walks.red_red, work.walks.settled > 0), (red, red > 0), "{shift:?}");
            assert_eq!(work.hull.exact_tests > 0, red > 0);
        }
    }
}

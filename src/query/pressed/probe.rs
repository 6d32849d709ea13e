//! A point of one part's surface that is deep in the other's solid, found in a fraction of the time that the
//! depth of a pose takes. It shows no upper bound.
//!
//! From corners of triangles in contact, edges are followed to vertices that are deeper and deeper. Around
//! the deepest one the point moves on through its triangles. Each choice compares distances of points from
//! single triangles in f64, so the point is the same for every kind of tree, executor and number of threads.

use super::pose::AtPose;
use crate::bvh::posed_model::PosedModel;
use crate::bvh::static_pair::StaticPair;
use crate::narrow::point_triangle::{Face, scalar};
use crate::narrow::{Work, count};
use crate::query::depth::exact::spot::{Rounded, Spot};
use crate::query::depth::{Deepest, nearest_closed};
use crate::query::stage_work::StageWork;
use closefit_geometry::math::Triangle;

/// Number of contacts from which vertices are followed, spread over all of them.
const STARTS: usize = 4;

/// Rounding of a distance, for each unit of the largest coordinate: far more than `error_bounds::LENGTH`,
/// 2^-47, for a reach of a few times that coordinate.
const ROUNDING: f64 = 1e-9;

/// Largest number of edges that are followed from each.
const MOST_EDGES: u32 = 64;

/// Number of times that the steps through triangles become half as long.
const HALVINGS: u32 = 6;

/// Returns a pose's depth as far as a quick look shows: a point that lies so deep, and the way out from it.
/// `None` if it shows none. Surfaces in contact are looked at only.
pub(super) fn probe(pair: &dyn StaticPair, work: &mut StageWork) -> Option<AtPose> {
    let contacts = work.contacts.on(|work| pair.contacts(work));
    work.depth.ask(|| {
        let bodies = pair.bodies();
        let of = |on: usize| {
            let [surface, solid] = [bodies[on], bodies[1 - on]];
            let size = |body: &PosedModel| body.bounds().lo.abs().max(body.bounds().hi.abs()).max_element();
            let error = ROUNDING * size(surface).max(size(solid));
            let look = Look { surface, solid, error };
            look.solid.has_solid().then(|| look.deepest(on, &contacts)).flatten().map(|found| (on, found))
        };
        let found = of(0).into_iter().chain(of(1));
        let (on, Deep { spot, near, .. }) =
            found.max_by(|(_, a), (_, b)| a.distance.total_cmp(&b.distance))?;
        let (near, at_least) = nearest_closed(bodies[1 - on], &spot, Some(near));
        let deepest = Deepest { point: spot.rounded(), on };
        let way = deepest.nearest_in(&bodies[1 - on].triangle(near)) - deepest.point;
        Some(AtPose {
            at_least,
            at_most: f64::INFINITY,
            way: Some((on, way)),
            deepest: Some(deepest),
            is_complete: false,
        })
    })
}

/// A surface, and the solid in which its points are measured.
struct Look<'a> {
    surface: &'a PosedModel<'a>,
    solid: &'a PosedModel<'a>,
    /// A bound of the errors of distances in f64.
    error: f64,
}

/// A point of the surface inside the solid.
#[derive(Clone, Copy)]
struct Deep {
    spot: Rounded,
    /// The closed triangle nearest to it.
    near: u32,
    /// Its distance from that, nearly.
    distance: f64,
}

impl Look<'_> {
    /// Returns the deepest point that is found from some contacts, sorted pairs of the first part's triangles
    /// and the second's.
    fn deepest(&self, on: usize, contacts: &[[u32; 2]]) -> Option<Deep> {
        let mut best: Option<(u32, Deep)> = None;
        for some in contacts.chunks(contacts.len().div_ceil(STARTS).max(1)) {
            let Some((vertex, near)) = self.start(on, some) else { continue };
            let known = best.map_or(0.0, |(_, deep)| deep.distance);
            let Some(begun) = self.deeper(self.corner(vertex), near, 0.0) else { continue };
            let (vertex, climbed) = self.climb(vertex, begun);
            if climbed.distance > known {
                best = Some((vertex, climbed));
            }
        }
        best.map(|(vertex, deep)| self.move_on(vertex, deep))
    }

    /// Returns the corner of touching triangles that is farthest from the triangle touched, with that
    /// triangle.
    fn start(&self, on: usize, contacts: &[[u32; 2]]) -> Option<(u32, u32)> {
        let closed = contacts.iter().filter(|pair| self.solid.is_closed(pair[1 - on]));
        let corners = closed.flat_map(|pair| {
            let (surface, met) = (pair[on], pair[1 - on]);
            let face = Face::of(&self.solid.triangle(met));
            self.surface.mesh.triangles()[surface as usize]
                .map(|vertex| (scalar::squared(self.corner(vertex).rounded(), &face), vertex, met))
        });
        let farther = |a: &(f64, u32, u32), b: &(f64, u32, u32)| {
            a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)).then_with(|| b.2.cmp(&a.2))
        };
        let is_inside = |&(_, vertex, _): &(f64, u32, u32)| self.holds(&self.corner(vertex));
        let mut corners: Vec<(f64, u32, u32)> = corners.collect();
        count(Work::triangles(corners.len() as u64));
        corners.sort_unstable_by(|a, b| farther(b, a));
        corners.into_iter().find(is_inside).map(|(_, vertex, met)| (vertex, met))
    }

    fn corner(&self, vertex: u32) -> Rounded {
        Rounded::corner(self.surface.pose.apply(self.surface.mesh.vertices()[vertex as usize]))
    }

    fn holds(&self, spot: &Rounded) -> bool {
        self.solid.may_contain(spot.rounded()) && spot.is_inside(self.solid)
    }

    /// Returns a point, if it is inside and deeper than a length. `near` is a triangle that may be near.
    fn deeper(&self, spot: Rounded, near: u32, than: f64) -> Option<Deep> {
        let p = spot.rounded();
        let squared = |corners: &Triangle| scalar::squared(p, &Face::of(corners));
        let mut best = (squared(&self.solid.triangle(near)), near);
        count(Work::triangles(1));
        let enough = than * than;
        if best.0 > enough {
            // Room for the rounding of squares, so that the same triangles are compared in every tree.
            let reach = |squared: f64| squared.sqrt() * (1.0 + 1e-9) + self.error;
            let mut bound = reach(best.0);
            self.solid.near_point(p, bound, &mut |triangle, corners| {
                if self.solid.is_closed(triangle) {
                    let offered = (squared(corners), triangle);
                    if offered < best {
                        best = offered;
                        bound = if best.0 > enough { reach(best.0) } else { -1.0 };
                    }
                }
                bound
            });
        }
        let (squared, near) = best;
        let is_deeper = squared > enough && self.holds(&spot);
        is_deeper.then(|| Deep { spot, near, distance: squared.sqrt() })
    }

    /// Follows edges to deeper vertices.
    fn climb(&self, mut vertex: u32, mut best: Deep) -> (u32, Deep) {
        for _ in 0..MOST_EDGES {
            let centre = vertex;
            for &triangle in self.surface.incidence().at(centre) {
                for corner in self.surface.mesh.triangles()[triangle as usize] {
                    if corner != centre
                        && let Some(found) = self.deeper(self.corner(corner), best.near, best.distance)
                    {
                        (vertex, best) = (corner, found);
                    }
                }
            }
            if vertex == centre {
                break;
            }
        }
        (vertex, best)
    }

    /// Moves on from a vertex through each triangle around it, towards corners, as long as that is deeper.
    fn move_on(&self, vertex: u32, deep: Deep) -> Deep {
        let mut best = deep;
        for &triangle in self.surface.incidence().at(vertex) {
            let corners = self.surface.mesh.triangles()[triangle as usize].map(|corner| self.corner(corner));
            let (mut at, mut near, mut share) = (deep.spot, best.near, 0.5);
            for _ in 0..HALVINGS {
                let mut is_deeper = false;
                for corner in &corners {
                    if let Some(found) = self.deeper(at.towards(corner, share), near, best.distance) {
                        (best, at, near, is_deeper) = (found, found.spot, found.near, true);
                    }
                }
                if !is_deeper {
                    share *= 0.5;
                }
            }
        }
        best
    }
}

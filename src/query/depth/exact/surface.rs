//! One part's surface against the other's solid: the triangles that touch it, and those inside.

use glam::DVec3;

use super::spot::Spot;
use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use crate::query::partners::Partners;
use crate::query::winding::inside;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::contact;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::disjoint_sets::DisjointSets;

/// One surface against the other's solid.
pub struct Direction<'a> {
    /// The part whose points are measured: 0 or 1.
    pub side: usize,
    /// That part.
    pub surface: &'a PosedModel<'a>,
    /// The part whose solid contains them.
    pub solid: &'a PosedModel<'a>,
    /// Surface triangles that meet the solid's closed components, each with the triangles that it meets.
    pub touching: Partners,
}

impl<'a> Direction<'a> {
    /// The direction of a surface and a solid, or `None` if the other part has no solid.
    pub fn of(
        side: usize,
        [surface, solid]: [&'a PosedModel<'a>; 2],
        contacts: impl Iterator<Item = [u32; 2]>,
    ) -> Option<Self> {
        if !solid.has_solid() {
            return None;
        }
        let contacts = contacts.filter(|pair| solid.is_closed(pair[1]));
        let touching = Partners::of(contacts.chain(seam_contacts(surface, solid)));
        Some(Self { side, surface, solid, touching })
    }

    /// Returns the posed corners of a touched triangle: one of the solid, or one of its seams, which are
    /// numbered after its triangles.
    pub fn cutter(&self, touched: u32) -> Triangle {
        match touched.checked_sub(self.solid.len()) {
            None => self.solid.triangle(touched),
            Some(seam) => self.solid.seam_triangles()[seam as usize],
        }
    }

    /// Returns a triangle of the solid, not of a seam, that a surface triangle touches.
    pub fn touched_triangle(&self, surface: u32) -> Option<u32> {
        self.touching.of_triangle(surface).next().filter(|&touched| touched < self.solid.len())
    }

    /// Returns the triangles inside the solid that do not meet its surface, ascending. Triangles that share a
    /// corner lie on the same side.
    pub fn inside(&self) -> Vec<u32> {
        let (surface, fits) = (self.surface, *self.solid.bounds());
        // Triangles inside lie in the solid's box.
        let mut triangles = Vec::new();
        surface.walk(
            |node| node.meets(&fits),
            |t| {
                if fits.strictly_contains(&Aabb::of(surface.triangle(t)))
                    && self.touching.of_triangle(t).next().is_none()
                {
                    triangles.push(t);
                }
            },
        );
        triangles.sort_unstable();
        let corners = |t: u32| surface.mesh.triangles()[t as usize];
        let mut vertices: Vec<u32> = triangles.iter().flat_map(|&t| corners(t)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let place = |vertex: u32| to_u32(vertices.partition_point(|&v| v < vertex));
        let mut groups = DisjointSets::new(vertices.len());
        for &t in &triangles {
            let [x, y, z] = corners(t).map(place);
            groups.join(x, y);
            groups.join(x, z);
        }
        let mut winds: Vec<Option<bool>> = vec![None; vertices.len()];
        triangles.retain(|&t| {
            let group = groups.find(place(corners(t)[0])) as usize;
            *winds[group].get_or_insert_with(|| inside(self.solid, &surface.triangle(t)[0]))
        });
        triangles
    }

    /// Returns a bound of the depth of a convex piece inside the solid, for any triangles around it: if the
    /// piece, moved out along a direction, lies outside as a whole, then the surface lies in between.
    pub fn passed_within<P: Spot>(&self, corners: &[P], step: DVec3) -> Option<f64> {
        let moved: Vec<P> = corners.iter().map(|corner| corner.moved(step)).collect();
        // The distance from the true corner to its moved position, including the roundings of both.
        let far = |(from, to): (&P, &P)| from.step_to(to);
        let reach = corners.iter().zip(&moved).map(far).fold(0.0, f64::max);
        // A fan of triangles; for a segment, the segment.
        let fan: Vec<[P; 3]> = match &moved[..] {
            [p, q] => vec![[p.clone(), q.clone(), q.clone()]],
            _ => moved[1..]
                .windows(2)
                .map(|pair| [moved[0].clone(), pair[0].clone(), pair[1].clone()])
                .collect(),
        };
        let error = moved.iter().fold(0.0, |e: f64, spot| e.max(spot.error()));
        let mut bounds = Aabb::of(moved.iter().map(P::rounded));
        bounds.lo -= error;
        bounds.hi += error;
        let mut work = Work::NONE;
        let mut misses = |t: &Triangle| {
            if !Aabb::of(*t).meets(&bounds) {
                return true;
            }
            work.exact_tests += 1;
            fan.iter().all(|piece| P::misses(piece, t))
        };
        let seams = self.solid.seam_triangles();
        let mut is_free = seams.iter().all(&mut misses);
        // Tested for every triangle whose box meets the piece's, for any tree: a test may fail to prove a
        // miss.
        self.solid.walk(
            |node| node.meets(&bounds),
            |t| is_free = is_free && (!self.solid.is_closed(t) || misses(&self.solid.triangle(t))),
        );
        work.triangle_tests = seams.len() as u64;
        count(work);
        (is_free && !moved[0].is_inside(self.solid)).then_some(reach)
    }
}

/// Returns pairs of surface triangles and the seam triangles that they touch, numbered after the solid's own.
pub fn seam_contacts(surface: &PosedModel, solid: &PosedModel) -> Vec<[u32; 2]> {
    let mut contacts = Vec::new();
    for (seam, number) in solid.seam_triangles().iter().zip(solid.len()..) {
        let bounds = Aabb::of(*seam);
        if !surface.bounds().meets(&bounds) {
            continue;
        }
        let mut exact_tests = 0;
        surface.walk(
            |node| node.meets(&bounds),
            |t| {
                exact_tests += 1;
                if contact::triangles_meet(&surface.triangle(t), seam) {
                    contacts.push([t, number]);
                }
            },
        );
        count(Work { exact_tests, ..Work::NONE });
    }
    contacts
}

/// Returns the closed triangle nearest to a spot, and a lower bound of the distance to all of them. The body
/// has a solid; `hint` is a closed triangle that may be near, and affects only the time.
///
/// The nearest triangle is the one with the smallest [`Spot::at_most`], the lowest number among ties; no tree
/// affects it. The search skips no triangle that could be nearest: if a triangle's distance from the spot
/// exceeds a bound already found, or if its distance from the rounded spot exceeds that bound by more than
/// the error, then its own bound is larger.
pub fn nearest_closed(solid: &PosedModel, spot: &impl Spot, hint: Option<u32>) -> (u32, f64) {
    nearest_within(solid, spot, spot.blur(solid.bounds()), hint)
}

/// Returns what [`nearest_closed`] returns, with another [`Spot::blur`]. With none, distances are exact.
pub fn nearest_within(solid: &PosedModel, spot: &impl Spot, blur: f64, hint: Option<u32>) -> (u32, f64) {
    let error = spot.error();
    let mut best = (f64::INFINITY, u32::MAX);
    let mut offer = |t: u32, corners: &Triangle| {
        if let Some(at_most) = spot.at_most(corners, blur, best.0)
            && (at_most, t) < best
        {
            best = (at_most, t);
        }
        (best.0 + error).next_up()
    };
    count(Work::triangles(hint.is_some().into()));
    let bound = hint.map_or(f64::INFINITY, |t| offer(t, &solid.triangle(t)));
    let mut reach = bound;
    solid.near_point(spot.rounded(), bound, &mut |t, corners| {
        if solid.is_closed(t) && Some(t) != hint {
            reach = offer(t, corners);
        }
        reach
    });
    (best.1, spot.at_least(best.0, blur))
}

//! The proof that two moving surfaces cross for a while: a vertex of one lies deep in the other's solid, and
//! another one, to which edges lead, lies outside.
//!
//! A point at a distance `d` from a closed surface is on the same side of it until it has moved by `d`, as
//! seen from there. While one vertex is inside and the other outside, the edges between them lead through the
//! surface. So the two parts touch for as long as a contact is deep, whatever the size of the triangles that
//! pierce each other. Which vertices are taken affects time alone: each is reached along edges, as long as
//! the next one is farther from the surface.

use glam::DVec3;

use super::lasting::stays;
use super::winding::inside;
use crate::bvh::moving::MovingPair;
use crate::bvh::posed_model::PosedModel;
use crate::bvh::world_box;
use crate::narrow::{Work, count};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::exact::distance::enclose_point;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::moment::Moment;

/// Largest number of edges along which a vertex is looked for at a pose.
const MOST_EDGES: u32 = 64;

/// Ratio of the distances of both vertices from which on the one outside is far enough: it may come nearer.
const FARTHER: f64 = 2.0;

/// Share of the distances of known vertices, from the time when they were looked for, down to which no others
/// are looked for.
const STILL_FAR: f64 = 0.75;

/// Two vertices on either side of a surface, once some are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Immersion {
    known: Option<Vertices>,
    /// The boxes of both meshes in their own frames, once they are needed.
    own: Option<[Obb; 2]>,
}

impl Immersion {
    /// Returns for how long after a moment's middle the surfaces certainly cross, as known vertices show; 0
    /// if they do not, and then they are forgotten.
    pub fn lasting(&mut self, pair: &MovingPair, moment: &Moment, work: &mut Work) -> f64 {
        let Some(known) = self.known.take() else { return 0.0 };
        let found = self.ask((pair, moment), work, |bodies| known.lasting(bodies, moment));
        self.known = found.map(|(_, vertices)| vertices);
        found.map_or(0.0, |(lasting, _)| lasting)
    }

    /// Looks for vertices around two triangles, one of each part, that are near each other. Returns for how
    /// long the surfaces certainly cross as these show, if that is longer than a time; then they are known.
    pub fn find(
        &mut self,
        (pair, moment): (&MovingPair, &Moment),
        triangles: [u32; 2],
        longer_than: f64,
        work: &mut Work,
    ) -> Option<f64> {
        let found = self.ask((pair, moment), work, |bodies| {
            let of = |on: usize| Vertices::around(bodies, on, triangles[on])?.lasting(bodies, moment);
            of(1).into_iter().chain(of(0)).max_by(|(a, _), (b, _)| a.total_cmp(b))
        });
        let (lasting, vertices) = found.filter(|&(lasting, _)| lasting > longer_than)?;
        self.known = Some(vertices);
        Some(lasting)
    }

    /// Returns what both bodies answer at the middle of a moment. Their boxes contain their vertices.
    fn ask<R>(
        &mut self,
        (pair, moment): (&MovingPair, &Moment),
        work: &mut Work,
        question: impl FnOnce([&PosedModel; 2]) -> R,
    ) -> R {
        let own = self.own.get_or_insert_with(|| {
            pair.shapes.meshes().map(|mesh| {
                let Aabb { lo, hi } = mesh.posed_bounds(&Pose::IDENTITY);
                Obb { center: 0.5 * (lo + hi), axes: Obb::COORDINATE_AXES, half: 0.5 * (hi - lo) }
            })
        });
        let placed = [0, 1].map(|side| {
            let (pose, Obb { center, half, .. }) = (moment.poses[side], own[side]);
            let margin = world_box::margin(&pose, (center.abs() + half).max_element());
            (pose, world_box::around(&own[side], &pose, margin))
        });
        pair.shapes.ask_at(placed, [false; 2], |asked| work.ask(|| question(asked.bodies())))
    }
}

/// Two vertices of a part. Edges lead from one to the other.
#[derive(Clone, Copy, Debug)]
struct Vertices {
    /// The part (0 or 1).
    on: usize,
    /// The vertex inside the other part's solid.
    inside: End,
    /// The vertex outside.
    outside: End,
    /// The smaller of their distances from the surface when they were looked for.
    margin: f64,
}

/// A vertex on one side of a surface.
#[derive(Clone, Copy, Debug)]
struct End {
    vertex: u32,
    /// A closed triangle that was nearest to it, or to a vertex before it. It is asked first.
    near: Option<u32>,
}

impl Vertices {
    /// Returns corners of a triangle of a part on either side of the other's surface.
    fn around(bodies: [&PosedModel; 2], on: usize, triangle: u32) -> Option<Self> {
        let [surface, solid] = [bodies[on], bodies[1 - on]];
        // Nothing touches a part where it passes through a seam.
        if !solid.topology.seam_triangles.is_empty() {
            return None;
        }
        let corners = surface.mesh.triangles()[triangle as usize];
        let are_inside = corners.map(|v| holds(solid, posed(surface, v)));
        let one = |is_inside: bool| {
            let vertex = corners.into_iter().zip(are_inside).find(|&(_, is)| is == is_inside)?.0;
            Some(End { vertex, near: None })
        };
        Some(Self { on, inside: one(true)?, outside: one(false)?, margin: f64::INFINITY })
    }

    /// Returns for how long after a moment's middle two vertices certainly stay on either side, and the
    /// vertices: these, or others along edges that are farther from the surface.
    fn lasting(self, bodies: [&PosedModel; 2], moment: &Moment) -> Option<(f64, Self)> {
        let (on, sides) = (self.on, [bodies[self.on], bodies[1 - self.on]]);
        let there = |end, is_inside| stand(sides, end, is_inside);
        let (mut inside, mut outside) = (there(self.inside, true)?, there(self.outside, false)?);
        let mut margin = self.margin;
        if inside.1.min(outside.1) < STILL_FAR * margin {
            inside = climb(sides, inside, true, f64::INFINITY);
            outside = climb(sides, outside, false, FARTHER * inside.1);
            margin = inside.1.min(outside.1);
        }
        let seen = if on == 0 { moment.flipped() } else { *moment };
        let stays_there = |(end, margin): (End, f64)| stays(&seen, &[posed(sides[0], end.vertex)], margin);
        let lasting = stays_there(inside).min(stays_there(outside));
        Some((lasting, Self { on, inside: inside.0, outside: outside.0, margin }))
    }
}

/// Returns a vertex with a lower bound of its distance from a solid's surface; `None` if it is on the other
/// side, or may be on the surface.
fn stand([surface, solid]: [&PosedModel; 2], end: End, is_inside: bool) -> Option<(End, f64)> {
    let found = beyond([surface, solid], end, 0.0)?;
    (holds(solid, posed(surface, end.vertex)) == is_inside).then_some(found)
}

/// Goes from a vertex along edges to ones that are farther from a solid's surface, on the same side, until
/// one is `enough`. Returns it with a lower bound of its distance.
fn climb(
    [surface, solid]: [&PosedModel; 2],
    mut best: (End, f64),
    is_inside: bool,
    enough: f64,
) -> (End, f64) {
    let is_there = |vertex| holds(solid, posed(surface, vertex)) == is_inside;
    for _ in 0..MOST_EDGES {
        let (centre, before) = best;
        let around = surface.incidence().at(centre.vertex).iter();
        let corners = around.flat_map(|&t| surface.mesh.triangles()[t as usize]);
        for vertex in corners.filter(|&vertex| vertex != centre.vertex) {
            // A triangle near the last vertex is mostly near the next.
            if let Some(found) = beyond([surface, solid], End { vertex, ..best.0 }, best.1)
                && is_there(vertex)
            {
                best = found;
            }
        }
        if best.1 == before || best.1 >= enough {
            break;
        }
    }
    best
}

fn posed(body: &PosedModel, vertex: u32) -> DVec3 {
    body.pose.apply(body.mesh.vertices()[vertex as usize])
}

/// True if a point lies inside a solid.
fn holds(solid: &PosedModel, p: DVec3) -> bool {
    solid.bounds().strictly_contains(&Aabb { lo: p, hi: p }) && inside(solid, &p)
}

/// Returns a vertex with a lower bound of its distance from a solid's surface, if it is larger than `bound`.
fn beyond([surface, solid]: [&PosedModel; 2], from: End, bound: f64) -> Option<(End, f64)> {
    let (p, mut near, mut tests) = (posed(surface, from.vertex), from.near, 0);
    let (mut at_least, mut at_most) = (f64::INFINITY, f64::INFINITY);
    let mut offer = |triangle, corners: &Triangle| {
        tests += 1;
        let distance = enclose_point(p, corners);
        at_least = at_least.min(distance.at_least);
        if distance.at_most < at_most {
            (at_most, near) = (distance.at_most, Some(triangle));
        }
        if at_least > bound { at_most } else { -1.0 }
    };
    let known = from.near.map_or(f64::INFINITY, |triangle| offer(triangle, &solid.triangle(triangle)));
    if known >= 0.0 {
        let mut reach = known;
        solid.near_point(p, known, &mut |triangle, corners| {
            if solid.is_closed(triangle) && Some(triangle) != from.near {
                reach = offer(triangle, corners);
            }
            reach
        });
    }
    count(Work::triangles(tests));
    (at_least > bound).then_some((End { near, ..from }, at_least))
}

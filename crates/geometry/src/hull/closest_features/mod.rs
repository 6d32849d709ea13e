//! The closest features of two convex polytopes, by walking from feature to neighbouring feature (Lin and
//! Canny 1991; Lin et al. 1997, section 4.1). The case analysis is the one in V-Clip (Mirtich 1998), with
//! clamped closest points for two edges, and with the pseudo-internal cells of Ponamgi, Manocha and Lin
//! (1995, section 4.1) below faces.
//!
//! *In*: two polytopes in normal coordinates, the maps between them, and two features to start from. *Out*:
//! the closest features and a point on each, or that the polytopes meet, or that the walk got nowhere.
//!
//! Two features are closest if the closest point of each lies in the cell of the other. A point outside a
//! cell has crossed a plane to a neighbour's, and the walk goes there: to a feature of higher dimension,
//! which is closer, or to one of lower dimension, which is as close. A point below a face is led out through
//! the pyramids of the inside.
//!
//! Nothing here is proven. Arithmetic is rounded, and the poses need not be similarities to the last bit. But
//! the direction from one closest point to the other is the best along which to try a proof: see [`gap`].
//!
//! The walk uses plain f64 without fused operations, so that it takes the same steps everywhere.

mod against_face;
mod points;

use std::ops::AddAssign;

use glam::{DAffine3, DVec3};

use super::polytope::{Exit, Feature, Polytope, Tested};
use crate::executor::Executor;
use crate::math::error_bounds::RELATIVE;
use points::closest_points;

/// The number of steps, for each feature of both polytopes, after which a walk gives up.
const CAP: u64 = 4;

/// Two polytopes, the first in its own coordinates, the second placed there.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    polytopes: [&'a Polytope; 2],
    /// The map to the coordinates of each polytope, from the coordinates of the other.
    enter: [DAffine3; 2],
    /// The length of a unit of each in units of the first.
    unit: [f64; 2],
    /// The error of a point of the other in the coordinates of each: [`RELATIVE`] per unit of its size.
    room: [f64; 2],
}

/// The outcome of a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// The closest features, and the closest point of each in coordinates of the first polytope.
    Apart {
        /// The features.
        features: [Feature; 2],
        /// The points.
        points: [DVec3; 2],
    },
    /// The polytopes meet, or are apart by no more than rounding.
    Meet {
        /// The features at which the walk found out.
        features: [Feature; 2],
    },
    /// The walk stalled or took too many steps.
    Unknown,
}

/// The work of walks and of the proofs along the directions that they found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HullWork {
    /// Walks.
    pub walks: u64,
    /// Walks that began at features remembered from an earlier query.
    pub remembered: u64,
    /// Pairs of features that walks came to, the first included.
    pub steps: u64,
    /// The most steps of one walk.
    pub most_steps: u64,
    /// Tests of a point against a plane of a cell.
    pub plane_steps: u64,
    /// Walks that ended because the polytopes meet.
    pub meetings: u64,
    /// Walks that ended because a step did not lead closer, or because the inside of a polytope has no cells.
    pub stalled: u64,
    /// Walks that ended because they took too many steps.
    pub capped: u64,
    /// Directions along which a proof was tried.
    pub proofs: u64,
    /// Proofs that the polytopes are farther apart than was requested.
    pub proven: u64,
    /// Vertices projected on such directions.
    pub vertices: u64,
    /// Questions that needed no walk, because an earlier proof still held after the movement since.
    pub kept: u64,
    /// Pairs of features at which walks ended, both red: the meshes have them too.
    pub red_red: u64,
    /// Pairs with one red feature.
    pub red_green: u64,
    /// Pairs without a red feature.
    pub green_green: u64,
    /// Pairs of triangles at red features that were settled before a search.
    pub settled: u64,
}

impl AddAssign for HullWork {
    fn add_assign(&mut self, other: Self) {
        self.walks += other.walks;
        self.remembered += other.remembered;
        self.steps += other.steps;
        self.most_steps = self.most_steps.max(other.most_steps);
        self.plane_steps += other.plane_steps;
        self.meetings += other.meetings;
        self.stalled += other.stalled;
        self.capped += other.capped;
        self.proofs += other.proofs;
        self.proven += other.proven;
        self.vertices += other.vertices;
        self.kept += other.kept;
        self.red_red += other.red_red;
        self.red_green += other.red_green;
        self.green_green += other.green_green;
        self.settled += other.settled;
    }
}

/// The next step of a walk.
enum Step {
    To([Feature; 2]),
    /// The same after a jump through the inside of a polytope, which may lead farther away for once.
    Out([Feature; 2]),
    Closest([DVec3; 2]),
    Meet,
    Stalled,
}

impl<'a> Placed<'a> {
    /// Places the second polytope: `a_from_b` maps its coordinates to the coordinates of the first, and
    /// `b_from_a` back.
    pub fn new(polytopes: [&'a Polytope; 2], a_from_b: DAffine3, b_from_a: DAffine3) -> Self {
        let enter = [a_from_b, b_from_a];
        let ratio = enter.map(|map| map.matrix3.x_axis.length());
        let size = |side: usize| 1.0 + ratio[side] + enter[side].translation.abs().max_element();
        Self { polytopes, enter, unit: [1.0, ratio[0]], room: [0, 1].map(|side| RELATIVE * size(side)) }
    }

    /// Walks from two features, or from the vertices that are extreme along the line of the centres.
    pub fn walk(&self, start: Option<[Feature; 2]>, work: &mut HullWork) -> Outcome {
        let features = start.unwrap_or_else(|| self.extreme());
        let mut walk =
            Walk { placed: self, nearest: f64::INFINITY, tried: f64::INFINITY, tested: Tested::default() };
        let cap = CAP * self.polytopes.iter().flat_map(|polytope| polytope.counts()).sum::<usize>() as u64;
        let (steps, outcome) = walk.run(features, cap);
        work.walks += 1;
        work.remembered += u64::from(start.is_some());
        work.steps += steps;
        work.most_steps = work.most_steps.max(steps);
        work.plane_steps += walk.tested.planes;
        work.meetings += u64::from(matches!(outcome, Outcome::Meet { .. }));
        work.capped += u64::from(steps > cap);
        work.stalled += u64::from(outcome == Outcome::Unknown && steps <= cap);
        outcome
    }

    fn extreme(&self) -> [Feature; 2] {
        let towards = [self.enter[0].translation, self.enter[1].translation];
        [0, 1].map(|side| Feature::Vertex(self.polytopes[side].extreme(towards[side])))
    }

    /// Returns a vertex or the ends of an edge of one polytope, in coordinates of another.
    fn segment(&self, side: usize, feature: Feature, seen_from: usize) -> [DVec3; 2] {
        let ends = self.polytopes[side].segment(feature);
        if side == seen_from { ends } else { ends.map(|p| self.enter[seen_from].transform_point3(p)) }
    }
}

/// A walk on its way.
struct Walk<'a> {
    placed: &'a Placed<'a>,
    /// The smallest distance from which the walk has gone on to a feature of higher dimension.
    nearest: f64,
    /// The smallest distance at which it has gone on without being certain.
    tried: f64,
    tested: Tested,
}

impl Walk<'_> {
    /// Returns the number of steps, and the outcome. More steps than `cap` mean that it gave up.
    fn run(&mut self, mut features: [Feature; 2], cap: u64) -> (u64, Outcome) {
        for steps in 1..=cap {
            let step = match features {
                [Feature::Face(_), Feature::Face(_)] => self.between_faces(features),
                [Feature::Face(face), other] => self.against_face(0, face, other),
                [other, Feature::Face(face)] => self.against_face(1, face, other),
                _ => self.between_edges(features),
            };
            match step {
                Step::To(next) => features = next,
                Step::Out(next) => {
                    self.nearest = f64::INFINITY;
                    features = next;
                }
                Step::Closest(points) => return (steps, Outcome::Apart { features, points }),
                Step::Meet => return (steps, Outcome::Meet { features }),
                Step::Stalled => return (steps, Outcome::Unknown),
            }
        }
        (cap + 1, Outcome::Unknown)
    }

    /// Goes on from two faces, at which a walk may only start, to a vertex of the second.
    fn between_faces(&self, [a, b]: [Feature; 2]) -> Step {
        let Feature::Face(face) = b else { unreachable!("the caller has matched two faces") };
        Step::To([a, Feature::Vertex(self.placed.polytopes[1].corner_of(face))])
    }

    /// Goes on from two features that are vertices or edges.
    fn between_edges(&mut self, features: [Feature; 2]) -> Step {
        let placed = self.placed;
        let points = closest_points(placed.segment(0, features[0], 0), placed.segment(1, features[1], 0));
        let distance = points[0].distance(points[1]);
        if distance <= placed.room[0] {
            return Step::Meet;
        }
        for side in [0, 1] {
            if let Some(step) = self.leave(side, features, points[1 - side], distance) {
                return step;
            }
        }
        Step::Closest(points)
    }

    /// Returns the step by which a point, in coordinates of the first polytope, leaves the cell of the vertex
    /// or edge of a side. The features are at a distance in units of the first polytope.
    ///
    /// A feature of higher dimension must be closer than all before. Where rounding hides whether the point
    /// is in its cell, the step is tried, once at each distance: in exact arithmetic one of the two cells
    /// would be right.
    fn leave(&mut self, side: usize, features: [Feature; 2], x: DVec3, distance: f64) -> Option<Step> {
        let Placed { polytopes, enter, room, .. } = self.placed;
        let x = if side == 0 { x } else { enter[1].transform_point3(x) };
        let (polytope, room) = (polytopes[side], room[side]);
        let Exit { to, is_certain } = match features[side] {
            Feature::Vertex(v) => polytope.leave_vertex(v, x, room, &mut self.tested),
            Feature::Edge(edge) => polytope.leave_edge(edge, x, room, &mut self.tested),
            Feature::Face(_) => None,
        }?;
        if dimension(to) > dimension(features[side]) {
            if is_certain && distance > self.nearest + self.placed.room[0] {
                return Some(Step::Stalled);
            }
            if !is_certain {
                if distance >= self.tried {
                    return None;
                }
                self.tried = distance;
            }
            self.nearest = self.nearest.min(distance);
        }
        let mut next = features;
        next[side] = to;
        Some(Step::To(next))
    }
}

fn dimension(feature: Feature) -> u32 {
    match feature {
        Feature::Vertex(_) => 0,
        Feature::Edge(_) => 1,
        Feature::Face(_) => 2,
    }
}

/// Returns how much farther all of the second polytope reaches along a direction than any of the first, up to
/// rounding. The direction is given in coordinates of each, and the result is without the distance of their
/// origins.
pub fn gap(
    polytopes: [&Polytope; 2],
    directions: [DVec3; 2],
    executor: Executor,
    work: &mut HullWork,
) -> f64 {
    let [a, b] = polytopes;
    work.proofs += 1;
    work.vertices += (a.corners.len() + b.corners.len()) as u64;
    -b.reach(-directions[1], executor) - a.reach(directions[0], executor)
}

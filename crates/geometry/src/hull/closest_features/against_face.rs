//! Steps from a face, and a vertex or an edge of the other polytope.

use glam::DVec3;

use super::points::closest_points;
use super::{Step, Walk};
use crate::hull::polytope::Feature;

/// The part of an edge in the prism above and below a face.
struct Clipped {
    /// The place along the edge, from 0, the tail, to 1, the head.
    range: [f64; 2],
    /// The half-edge of the face at whose side plane each end lies; none for an end of the edge.
    at: [Option<u32>; 2],
    /// True if nothing is left.
    is_empty: bool,
}

impl Walk<'_> {
    /// Goes on from a face of the polytope of a side, and a vertex or edge of the other's. All is seen from
    /// the face's.
    pub(super) fn against_face(&mut self, side: usize, face: u32, other: Feature) -> Step {
        let ends = self.placed.segment(1 - side, other, side);
        match other {
            Feature::Edge(_) => self.edge_against_face(side, face, other, ends),
            _ => self.vertex_against_face(side, face, other, ends[0]),
        }
    }

    fn vertex_against_face(&mut self, side: usize, face: u32, vertex: Feature, x: DVec3) -> Step {
        let (polytope, room) = (self.placed.polytopes[side], self.placed.room[side]);
        if let Some(edge) = polytope.leave_face(face, x, room, &mut self.tested) {
            return Step::To(pair(side, edge, vertex));
        }
        let height = polytope.height(face, x);
        self.tested.planes += 1;
        if height < -room {
            return self.out_of(side, face, vertex, x);
        }
        if height <= room {
            return Step::Meet;
        }
        let foot = x - polytope.normal(face) * height;
        let enter = self.placed.enter[0];
        let [foot, x] = if side == 0 { [foot, x] } else { [foot, x].map(|p| enter.transform_point3(p)) };
        let (features, distance) = (pair(side, Feature::Face(face), vertex), height * self.placed.unit[side]);
        let closest = if side == 0 { [foot, x] } else { [x, foot] };
        self.leave(1 - side, features, foot, distance).unwrap_or(Step::Closest(closest))
    }

    /// Leads a vertex below a face out through the inside: to the face that the ray from the centroid leaves
    /// by, if the vertex is above it. Otherwise the vertex is inside.
    fn out_of(&mut self, side: usize, face: u32, vertex: Feature, x: DVec3) -> Step {
        let (polytope, room) = (self.placed.polytopes[side], self.placed.room[side]);
        if let Some(back) = polytope.back(face) {
            return Step::Out(pair(side, Feature::Face(back), vertex));
        }
        let mut at = face;
        // The ray's height above the centroid grows with each face, so none is met twice, up to rounding.
        for _ in 0..polytope.counts()[2] {
            match polytope.leave_pyramid(at, x, &mut self.tested) {
                None => return Step::Stalled,
                Some(Some(next)) => at = next,
                Some(None) if polytope.height(at, x) > room => {
                    return Step::Out(pair(side, Feature::Face(at), vertex));
                }
                Some(None) => return Step::Meet,
            }
        }
        Step::Stalled
    }

    fn edge_against_face(&mut self, side: usize, face: u32, edge: Feature, ends: [DVec3; 2]) -> Step {
        let (polytope, room) = (self.placed.polytopes[side], self.placed.room[side]);
        self.tested.planes += 2 * polytope.around(face).len() as u64;
        let Clipped { range, at, is_empty } = self.clip(side, face, ends);
        if is_empty {
            return Step::To(pair(side, self.nearest_side(side, face, ends), edge));
        }
        self.tested.planes += 2;
        let heights = ends.map(|p| polytope.height(face, p));
        let [low, high] = range.map(|t| polytope.height(face, ends[0].lerp(ends[1], t)));
        if low.abs().min(high.abs()) <= room || (low > 0.0) != (high > 0.0) {
            return Step::Meet;
        }
        // The slope of the whole edge decides, because little of it may be left.
        let nearer = match (heights[1] - heights[0]) * low {
            0.0 => usize::from(at[0].is_some() && at[1].is_none()),
            rise => usize::from(rise < 0.0),
        };
        Step::To(match at[nearer] {
            Some(half_edge) => pair(side, polytope.edge(half_edge), edge),
            None => pair(side, Feature::Face(face), self.end(1 - side, edge, nearer)),
        })
    }

    fn clip(&self, side: usize, face: u32, ends: [DVec3; 2]) -> Clipped {
        let mut clipped = Clipped { range: [0.0, 1.0], at: [None; 2], is_empty: false };
        for (half_edge, [tail, head]) in self.placed.polytopes[side].side_heights(face, ends) {
            if tail < 0.0 && head < 0.0 {
                clipped.is_empty = true;
            } else if tail < 0.0 || head < 0.0 {
                let (t, end) = (tail / (tail - head), usize::from(head < 0.0));
                let inside = if end == 0 { t > clipped.range[0] } else { t < clipped.range[1] };
                if inside {
                    (clipped.range[end], clipped.at[end]) = (t, Some(half_edge));
                }
            }
        }
        clipped.is_empty |= clipped.range[0] > clipped.range[1];
        clipped
    }

    /// Returns the edge of a face that is closest to a segment outside its prism: one of those that an end is
    /// beyond.
    fn nearest_side(&self, side: usize, face: u32, ends: [DVec3; 2]) -> Feature {
        let polytope = self.placed.polytopes[side];
        let beyond = polytope.side_heights(face, ends).filter(|(_, [tail, head])| *tail < 0.0 || *head < 0.0);
        let distances = beyond.map(|(half_edge, _)| {
            let edge = polytope.edge(half_edge);
            let [p, q] = closest_points(polytope.segment(edge), ends);
            (edge, p.distance_squared(q))
        });
        let nearest = distances.min_by(|(_, p), (_, q)| p.total_cmp(q));
        nearest.expect("an end is outside the prism").0
    }

    fn end(&self, side: usize, edge: Feature, end: usize) -> Feature {
        let Feature::Edge(edge) = edge else { unreachable!("only edges are clipped") };
        Feature::Vertex(self.placed.polytopes[side].ends_of(edge)[end])
    }
}

/// Returns a feature of a side and one of the other, in the order of the polytopes.
fn pair(side: usize, feature: Feature, other: Feature) -> [Feature; 2] {
    if side == 0 { [feature, other] } else { [other, feature] }
}

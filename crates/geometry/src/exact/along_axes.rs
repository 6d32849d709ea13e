//! The closest points of two triangles that are as close as boxes around them along the axes: such as faces
//! and edges of blocks that nobody turned, which have many closest points.
//!
//! Let the boxes be apart along some axes. A corner is level if it lies in the faces of its box that look at
//! the other box across these gaps. No points of the triangles are closer than the boxes. Points that are as
//! close lie where level parts of the triangles share a point once the gaps are closed. Of these, the first
//! is taken, in the order of [`super::integers::witness`]. Each of its coordinates is a corner's, so that
//! nothing is rounded.

use glam::DVec3;

use super::contact::{in_box, point_in_area};
use super::features::EDGES;
use crate::bounds::aabb::Aabb;
use crate::math::Triangle;
use crate::math::predicates::{Projection, Sign, orient2d};

/// Returns the first of the closest points on `a` and on `b`, if they are as close as boxes around the
/// triangles, and if each of their coordinates is a corner's.
pub fn witness(a: &Triangle, b: &Triangle) -> Option<[DVec3; 2]> {
    let [of_a, of_b] = Level::of(a, b)?;
    // Points of the one side, and of the other side across the gap.
    let [onto_a, onto_b] = [&of_a, &of_b].map(|of| move |p: DVec3| of.across(p));
    for e in EDGES {
        for f in EDGES {
            if of_a.has(e) && of_b.has(f) && crosses(e.map(|k| of_a.flat[k]), f.map(|k| of_b.flat[k])) {
                let on_a = crossing(e.map(|k| a[k]), f.map(|k| b[k]), &of_a)?;
                return Some(unsigned([on_a, onto_b(on_a)]));
            }
            if let Some(corner) = e.into_iter().find(|&corner| of_b.edge_holds(f, &of_a, corner)) {
                return Some(unsigned([a[corner], onto_b(a[corner])]));
            }
            if let Some(corner) = f.into_iter().find(|&corner| of_a.edge_holds(e, &of_b, corner)) {
                return Some(unsigned([onto_a(b[corner]), b[corner]]));
            }
        }
    }
    if let Some(corner) = (0..3).find(|&corner| of_b.face_holds(&of_a, corner)) {
        return Some(unsigned([a[corner], onto_b(a[corner])]));
    }
    let corner = (0..3).find(|&corner| of_a.face_holds(&of_b, corner))?;
    Some(unsigned([onto_a(b[corner]), b[corner]]))
}

/// Returns the only closest points, if boxes around the triangles show them: corners between which there is a
/// gap along each axis; or `a`, if it is a point, and its foot on a face across an axis.
pub fn only_points(a: &Triangle, b: &Triangle) -> Option<[DVec3; 2]> {
    if a[0] == a[1] && a[1] == a[2] {
        return foot(a[0], b).map(|on_b| unsigned([a[0], on_b]));
    }
    let [x, y, z] = facing(a, b);
    let (x, y, z) = (x?, y?, z?);
    let [on_a, on_b] = [0, 1].map(|side| DVec3::new(x[side], y[side], z[side]));
    (a.contains(&on_a) && b.contains(&on_b)).then(|| unsigned([on_a, on_b]))
}

/// Returns the foot of a point on a face across an axis.
fn foot(p: DVec3, face: &Triangle) -> Option<DVec3> {
    let axis = (0..3).find(|&axis| face[0][axis] == face[1][axis] && face[1][axis] == face[2][axis])?;
    let flat = face.map(|corner| Projection::ALL[axis].of(corner));
    let is_face = orient2d(flat[0], flat[1], flat[2]).is_ne();
    let mut foot = p;
    foot[axis] = face[0][axis];
    (is_face && point_in_area(Projection::ALL[axis].of(p), &flat)).then_some(foot)
}

/// True for two gaps between boxes that have a corner of their triangle there: such triangles mostly have
/// [`witness`] points.
pub fn have_corners_at_two_gaps(a: &Triangle, b: &Triangle) -> bool {
    let facing = facing(a, b);
    let is_at_gaps = |p: &DVec3, side: usize| {
        (0..3).all(|axis| facing[axis].is_none_or(|faces: [f64; 2]| p[axis] == faces[side]))
    };
    facing.iter().flatten().count() == 2
        && a.iter().any(|p| is_at_gaps(p, 0))
        && b.iter().any(|p| is_at_gaps(p, 1))
}

/// Returns the faces of the boxes around two triangles that look at each other across a gap, along each axis
/// that has one.
fn facing(a: &Triangle, b: &Triangle) -> [Option<[f64; 2]>; 3] {
    let [of_a, of_b] = [a, b].map(|t| Aabb::of(*t));
    std::array::from_fn(|axis| {
        if of_a.hi[axis] < of_b.lo[axis] {
            Some([of_a.hi[axis], of_b.lo[axis]])
        } else if of_b.hi[axis] < of_a.lo[axis] {
            Some([of_a.lo[axis], of_b.hi[axis]])
        } else {
            None
        }
    })
}

/// Returns points in which 0 is not negative.
fn unsigned(points: [DVec3; 2]) -> [DVec3; 2] {
    points.map(|point| point + DVec3::ZERO)
}

/// A triangle at a gap between two boxes.
struct Level {
    /// The coordinate of the face of the box that looks at the other box, for each axis with a gap.
    faces: [Option<f64>; 3],
    /// True for level corners.
    is_level: [bool; 3],
    /// The corners along the other axes; the second coordinate is 0 if there is one such axis, and both are
    /// if there is none.
    flat: [[f64; 2]; 3],
}

impl Level {
    /// Returns both triangles at the gap between their boxes, if there is one.
    fn of(a: &Triangle, b: &Triangle) -> Option<[Self; 2]> {
        let facing = facing(a, b);
        let faces = [0, 1].map(|side| facing.map(|faces| faces.map(|faces| faces[side])));
        let gap = faces[0].iter().position(Option::is_some)?;
        let at_gap = |t: &Triangle, faces: [Option<f64>; 3]| {
            let is_level = t.map(|p| (0..3).all(|axis| faces[axis].is_none_or(|face| p[axis] == face)));
            let flat = t.map(|p| {
                let closed: [f64; 3] =
                    std::array::from_fn(|axis| if faces[axis].is_some() { 0.0 } else { p[axis] });
                Projection::ALL[gap].of(DVec3::from_array(closed))
            });
            Self { faces, is_level, flat }
        };
        Some([at_gap(a, faces[0]), at_gap(b, faces[1])])
    }

    /// Returns a level point of the other triangle, as it is on this side of the gap.
    fn across(&self, p: DVec3) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|axis| self.faces[axis].unwrap_or(p[axis])))
    }

    /// True if both ends of an edge are level.
    fn has(&self, [i, j]: [usize; 2]) -> bool {
        self.is_level[i] && self.is_level[j]
    }

    /// True if a corner of the other triangle lies on the level part of an edge once the gaps are closed.
    fn edge_holds(&self, [i, j]: [usize; 2], other: &Self, corner: usize) -> bool {
        if !other.is_level[corner] {
            return false;
        }
        let p = other.flat[corner];
        let ends = match [i, j].map(|end| self.is_level[end].then_some(self.flat[end])) {
            [Some(start), Some(end)] => [start, end],
            [Some(only), None] | [None, Some(only)] => [only; 2],
            [None, None] => return false,
        };
        in_box(p, ends[0], ends[1]) && orient2d(ends[0], ends[1], p).is_eq()
    }

    /// True if a corner of the other triangle lies on this one once the gaps are closed. Edges hold none.
    fn face_holds(&self, other: &Self, corner: usize) -> bool {
        let [p, q, r] = self.flat;
        let is_face = self.is_level == [true; 3] && orient2d(p, q, r).is_ne();
        is_face && other.is_level[corner] && point_in_area(other.flat[corner], &self.flat)
    }
}

/// True if two edges cross in a point that is no end of either.
fn crosses([p, q]: [[f64; 2]; 2], [r, s]: [[f64; 2]; 2]) -> bool {
    let opposite = |x: Sign, y: Sign| x.is_ne() && x == y.reverse();
    opposite(orient2d(p, q, r), orient2d(p, q, s)) && opposite(orient2d(r, s, p), orient2d(r, s, q))
}

/// Returns the point of edge `e` where edge `f` crosses it, if both are along axes.
fn crossing(e: [DVec3; 2], f: [DVec3; 2], of_e: &Level) -> Option<DVec3> {
    let along = |[p, q]: [DVec3; 2]| {
        let mut differs = (0..3).filter(|&axis| p[axis] != q[axis]);
        differs.next().filter(|_| differs.next().is_none())
    };
    let (axis, _) = (along(e)?, along(f)?);
    let mut point = of_e.across(e[0]);
    point[axis] = f[0][axis];
    Some(point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::contact::triangles_meet;
    use crate::exact::integers;
    use crate::math::ascending;
    use crate::math::testing::{Stream, cases};

    #[test]
    fn points_are_those_of_integers() {
        let mut random = Stream(23);
        let (mut apart, mut found, mut only) = (0u32, 0u32, 0u32);
        for case in 0..cases(20_000) {
            let far = if random.below(4) == 0 { random.point() * 1e6 } else { DVec3::ZERO };
            // Few places, so that many edges are parallel, overlap, and are as close as others.
            let places = 2 + random.below(3);
            let by = DVec3::from_array([0; 3].map(|_| random.below(5) as f64 - 2.0));
            let mut triangle = |at: DVec3| -> Triangle {
                ascending(&[0; 3].map(|_| {
                    let of_grid = DVec3::from_array([0; 3].map(|_| random.below(places) as f64));
                    of_grid * DVec3::new(0.1, 0.7, 1.3) + at + far
                }))
            };
            let (a, b) = (triangle(DVec3::ZERO), triangle(by));
            if triangles_meet(&a, &b) {
                continue;
            }
            apart += 1;
            // Boxes show few pairs of points alone, and more feet of points.
            for (p, q) in [(a, b), ([a[0]; 3], b), ([b[0]; 3], a)] {
                if !triangles_meet(&p, &q)
                    && let Some(points) = only_points(&p, &q)
                {
                    only += 1;
                    assert_eq!(points, integers::witness(&p, &q), "{case}: {p:?} {q:?}");
                }
            }
            if let Some(points) = witness(&a, &b) {
                found += 1;
                assert_eq!(points, integers::witness(&a, &b), "{case}: {a:?} {b:?}");
            }
        }
        assert!(8 * found > apart, "only {found} of {apart}");
        assert!(20 * only > apart, "only {only} of {apart}");
        eprintln!("{found} of {apart}");
    }

    #[test]
    fn edges_that_are_not_along_axes_are_left_to_others() {
        let t = |points: [[f64; 3]; 3]| points.map(DVec3::from_array);
        let low = t([[0.0, 0.0, 0.0], [3.0, 1.0, 0.0], [0.0, 0.0, -1.0]]);
        let high = |x: f64| t([[0.0, 1.0, 1.0], [x, 0.0, 1.0], [x, 0.0, 2.0]]);
        assert_eq!(witness(&low, &high(3.0)), None);
        let crossed = t([[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [1.0, 0.0, -1.0]]);
        let over = t([[0.0, 1.0, 1.0], [3.0, 1.0, 1.0], [3.0, 1.0, 2.0]]);
        let points = [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]].map(DVec3::from_array);
        assert_eq!(witness(&crossed, &over), Some(points));
    }
}

//! Quickhull (Barber, Dobkin, Huhdanpaa 1993) with exact sides.
//!
//! A point is outside a face only if it is strictly above the face's plane. A face coplanar with a new point
//! therefore stays, new faces are never degenerate, and the faces visible from a point always form a disc. At
//! the end, coplanar triangles are joined, and points that are not corners of the joined faces are dropped.

use glam::DVec3;

use super::polygons::Polygons;
use crate::ids::to_u32;
use crate::math::predicates::{Sign, collinear, orient3d};

/// Marks the end of a list of points, or a face that is not known yet.
const NONE: u32 = u32::MAX;

struct Face {
    /// Counterclockwise from outside.
    corners: [u32; 3],
    /// Neighbouring face across each edge, from corner i to corner i + 1.
    across: [u32; 3],
    /// Neither normalised nor exact: used only to choose the next point.
    normal: DVec3,
    /// First of the points listed with this face, which lie above it (and perhaps above others).
    outside: u32,
    /// The farthest of those points; its height follows.
    eye: u32,
    height: f64,
    alive: bool,
    /// The last point tested against this face, and whether the face is visible from it.
    seen: (u32, bool),
}

struct Quickhull<'p> {
    points: &'p [DVec3],
    faces: Vec<Face>,
    /// Links of the lists of outside points.
    next: Vec<u32>,
}

/// Returns the faces of the hull. `d` must lie strictly below the plane of `a, b, c`.
pub(super) fn quickhull(points: &[DVec3], [a, b, c, d]: [u32; 4]) -> Polygons {
    let mut hull = Quickhull { points, faces: Vec::new(), next: vec![NONE; points.len()] };
    hull.add_face([a, b, c], [1, 2, 3]);
    hull.add_face([b, a, d], [0, 3, 2]);
    hull.add_face([c, b, d], [0, 1, 3]);
    hull.add_face([a, c, d], [0, 2, 1]);
    for point in 0..to_u32(points.len()) {
        hull.assign(point, 0);
    }
    let mut pending: Vec<u32> = (0..4).collect();
    let mut starting_at = vec![NONE; points.len()];
    while let Some(face) = pending.pop() {
        let Face { alive: true, outside, eye, .. } = hull.faces[face as usize] else { continue };
        if outside != NONE {
            let first = to_u32(hull.faces.len());
            hull.add_point(eye, face, &mut starting_at);
            pending.extend(first..to_u32(hull.faces.len()));
        }
    }
    hull.polygons(&mut starting_at)
}

impl Quickhull<'_> {
    fn at(&self, point: u32) -> DVec3 {
        self.points[point as usize]
    }

    fn side(&self, corners: [u32; 3], point: u32) -> Sign {
        let [a, b, c] = corners.map(|v| self.at(v));
        orient3d(a, b, c, self.at(point))
    }

    fn add_face(&mut self, corners: [u32; 3], across: [u32; 3]) {
        let [a, b, c] = corners.map(|v| self.at(v));
        let normal = (b - a).cross(c - a);
        self.faces.push(Face {
            corners,
            across,
            normal,
            outside: NONE,
            eye: NONE,
            height: 0.0,
            alive: true,
            seen: (NONE, false),
        });
    }

    /// Adds the point to the list of a face, from `first` on, that it lies above. A point above none is
    /// inside.
    fn assign(&mut self, point: u32, first: u32) {
        for i in first as usize..self.faces.len() {
            if self.side(self.faces[i].corners, point) == Sign::Greater {
                let (p, corner) = (self.at(point), self.at(self.faces[i].corners[0]));
                let face = &mut self.faces[i];
                let height = face.normal.dot(p - corner);
                if face.outside == NONE || height > face.height {
                    (face.eye, face.height) = (point, height);
                }
                self.next[point as usize] = face.outside;
                face.outside = point;
                return;
            }
        }
    }

    /// Replaces the faces visible from `eye` by a cone from their horizon to it. A point outside both a
    /// replaced face and the new hull lies above one of the new faces, so only those need to be tried.
    fn add_point(&mut self, eye: u32, face: u32, starting_at: &mut [u32]) {
        let first = to_u32(self.faces.len());
        let (visible, horizon) = self.look(eye, face);
        for (k, &[u, v, outer]) in horizon.iter().enumerate() {
            let new = first + to_u32(k);
            starting_at[u as usize] = new;
            self.add_face([u, v, eye], [outer, NONE, NONE]);
            let outer = &mut self.faces[outer as usize];
            let edge = (0..3).find(|&e| outer.corners[e] == v).expect("the face across shares the edge");
            outer.across[edge] = new;
        }
        for (new, &[_, v, _]) in (first..).zip(&horizon) {
            let following = starting_at[v as usize];
            self.faces[new as usize].across[1] = following;
            self.faces[following as usize].across[2] = new;
        }
        for face in visible {
            let mut point = self.faces[face as usize].outside;
            while point != NONE {
                let next = self.next[point as usize];
                if point != eye {
                    self.assign(point, first);
                }
                point = next;
            }
        }
    }

    /// Marks the faces visible from `eye` as dead. Returns them, and the horizon edges, each with the face
    /// beyond it.
    fn look(&mut self, eye: u32, face: u32) -> (Vec<u32>, Vec<[u32; 3]>) {
        self.faces[face as usize].seen = (eye, true);
        self.faces[face as usize].alive = false;
        let (mut visible, mut horizon) = (vec![face], Vec::new());
        let mut done = 0;
        while let Some(&face) = visible.get(done) {
            done += 1;
            let Face { corners, across, .. } = self.faces[face as usize];
            for edge in 0..3 {
                let other = across[edge];
                if self.faces[other as usize].seen.0 != eye {
                    let sees = self.side(self.faces[other as usize].corners, eye) == Sign::Greater;
                    self.faces[other as usize].seen = (eye, sees);
                    if sees {
                        self.faces[other as usize].alive = false;
                        visible.push(other);
                    }
                }
                if !self.faces[other as usize].seen.1 {
                    horizon.push([corners[edge], corners[(edge + 1) % 3], other]);
                }
            }
        }
        (visible, horizon)
    }

    /// Joins coplanar triangles into convex polygons, and keeps only their corners.
    fn polygons(&self, next_on_rim: &mut [u32]) -> Polygons {
        let mut polygon_of = vec![NONE; self.faces.len()];
        let mut polygons = Polygons::default();
        for start in (0..to_u32(self.faces.len())).filter(|&f| self.faces[f as usize].alive) {
            if polygon_of[start as usize] != NONE {
                continue;
            }
            polygon_of[start as usize] = start;
            let plane = self.faces[start as usize].corners;
            let (mut members, mut rim) = (vec![start], Vec::new());
            let mut done = 0;
            while let Some(&face) = members.get(done) {
                done += 1;
                let Face { corners, across, .. } = self.faces[face as usize];
                for edge in 0..3 {
                    let (u, v, other) = (corners[edge], corners[(edge + 1) % 3], across[edge]);
                    if polygon_of[other as usize] == start {
                        continue;
                    }
                    let apex = self.faces[other as usize].corners.into_iter().find(|&w| w != u && w != v);
                    if apex.is_some_and(|w| self.side(plane, w).is_eq()) {
                        polygon_of[other as usize] = start;
                        members.push(other);
                    } else {
                        next_on_rim[u as usize] = v;
                        rim.push(u);
                    }
                }
            }
            let next = |v: u32| next_on_rim[v as usize];
            let cycle = std::iter::successors(Some(rim[0]), |&v| Some(next(v)).filter(|&v| v != rim[0]));
            let is_corner = |v: &u32| {
                let [a, b, c] = [*v, next(*v), next(next(*v))].map(|v| self.at(v));
                !collinear(a, b, c)
            };
            polygons.push(cycle.filter(is_corner).map(next));
        }
        polygons
    }
}

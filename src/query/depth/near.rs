//! Distances of points and polygons from a solid's triangles.

use glam::DVec3;

use super::exact::nearest_closed;
use super::exact::spot::{Rounded, Spot};
use super::part::Part;
use super::polygon::{MOST, Plane, Polygon};
use crate::narrow::point_triangle::{Face, Faces4, Points4, scalar, simd};
use crate::narrow::{Work, count, witness};
use closefit_geometry::lanes::{SimdBase, in_lanes};
use closefit_geometry::math::Triangle;

/// The triangle nearest to a point, or to the farthest corner of a polygon.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// The triangle's number.
    pub triangle: u32,
    /// The squared distance in f64: an approximate upper bound.
    pub squared: f64,
}

impl Nearest {
    const NONE: Self = Self { triangle: u32::MAX, squared: f64::INFINITY };

    /// Takes a triangle that is nearer. Returns true if it is.
    fn offer(&mut self, squared: f64, triangle: u32) -> bool {
        let nearer = (squared, triangle) < (self.squared, self.triangle);
        if nearer {
            *self = Self { triangle, squared };
        }
        nearer
    }
}

impl Part<'_> {
    /// Returns the closed triangles in lanes, for a part with few triangles.
    fn faces(&mut self) -> &[(Faces4, [u32; 4])] {
        if self.memory.faces.is_empty() {
            let closed = (0..self.body.len()).filter(|&t| self.body.is_closed(t));
            let mut lane = 0;
            for t in closed {
                let face = Face::of(&self.triangle(t));
                if lane == 0 {
                    self.memory.faces.push((Faces4::splat(&face), [t; 4]));
                } else {
                    let (faces, numbers) = self.memory.faces.last_mut().expect("begun");
                    faces.set(lane, &face);
                    numbers[lane] = t;
                }
                lane = (lane + 1) % 4;
            }
        }
        &self.memory.faces
    }

    /// Returns the closed triangle with the least squared distance from a point; the lowest number among
    /// ties.
    pub fn nearest(&mut self, p: DVec3, hint: Option<u32>) -> Nearest {
        if self.is_few() {
            return self.nearest_of_few(&[p]);
        }
        count(Work::triangles(hint.is_some().into()));
        let from = hint.map_or(Nearest::NONE, |triangle| {
            let squared = scalar::squared(p, &Face::of(&self.triangle(triangle)));
            Nearest { triangle, squared }
        });
        self.least([p, p], from, |face| scalar::squared(p, face))
    }

    /// Returns the closed triangle that minimises the largest squared distance from a polygon's corners.
    /// `far` is one of the corners, and `at_most` a bound of the polygon's depth: `None` if it is known that
    /// none gives a lower one.
    pub fn nearest_to_all(&mut self, polygon: &Polygon, far: DVec3, at_most: f64) -> Option<Nearest> {
        if self.is_few() {
            return Some(self.nearest_of_few(polygon.corners()));
        }
        let known = (at_most - self.error - polygon.drift).max(0.0);
        let known = Nearest { squared: known * known, ..Nearest::NONE };
        let mut blocks = [Points4::of(&[far]); MOST / 4];
        let count = polygon
            .corners()
            .chunks(4)
            .zip(&mut blocks)
            .map(|(four, block)| *block = Points4::of(four))
            .count();
        let blocks = &blocks[..count];
        // No triangle is near all corners unless it is near two that are far apart.
        let apart = |p: &&DVec3| p.distance_squared(far);
        let other = polygon.corners().iter().max_by(|p, q| apart(p).total_cmp(&apart(q)));
        let ends = [far, *other.unwrap_or(&far)];
        let nearest = self.least(ends, known, |face| {
            in_lanes!(simd => {
                let mut most = simd::squared_of_points(simd, &blocks[0], face);
                for points in &blocks[1..] {
                    most = most.max(simd::squared_of_points(simd, points, face));
                }
                most.reduce_max()
            })
        });
        (nearest.triangle != Nearest::NONE.triangle).then_some(nearest)
    }

    fn nearest_of_few(&mut self, points: &[DVec3]) -> Nearest {
        let faces = self.faces();
        count(Work::triangles(4 * faces.len() as u64));
        let mut best = Nearest::NONE;
        in_lanes!(simd => {
            for (faces, numbers) in faces {
                let mut most = simd::squared(simd, points[0], faces);
                for &p in &points[1..] {
                    most = most.max(simd::squared(simd, p, faces));
                }
                for (lane, squared) in most.to_array().into_iter().enumerate() {
                    best.offer(squared, numbers[lane]);
                }
            }
        });
        best
    }

    /// Returns the closed triangle with the least `value`, which is at least the squared distance from either
    /// of two points, if it is less than what is known; the lowest number among ties.
    fn least(&self, ends: [DVec3; 2], known: Nearest, value: impl Fn(&Face) -> f64) -> Nearest {
        let mut best = known;
        let reach = |best: &Nearest| (best.squared.sqrt() + self.error).next_up();
        let from = reach(&best);
        let mut bound = from;
        let mut visit = |t: u32, corners: &Triangle| {
            if self.body.is_closed(t) && t != known.triangle && best.offer(value(&Face::of(corners)), t) {
                bound = reach(&best);
            }
            bound
        };
        match ends {
            [p, other] if p == other => self.body.near_point(p, from, &mut visit),
            _ => self.body.near_both(ends, from, &mut visit),
        }
        best
    }

    /// Returns the polygon's corner farthest from a triangle, and its squared distance.
    pub fn farthest(&self, polygon: &Polygon, triangle: u32) -> (DVec3, f64) {
        count(Work::triangles(1));
        let face = Face::of(&self.triangle(triangle));
        let mut farthest = (polygon.corners()[0], -1.0);
        for &p in polygon.corners() {
            let squared = scalar::squared(p, &face);
            if squared > farthest.1 {
                farthest = (p, squared);
            }
        }
        farthest
    }

    /// Returns the distance of a point from a triangle: an approximate upper bound.
    pub fn distance(&self, p: DVec3, triangle: u32) -> f64 {
        count(Work::triangles(1));
        scalar::squared(p, &Face::of(&self.triangle(triangle))).sqrt()
    }

    /// Returns the same for the corners of a box.
    pub fn distances(&self, corners: &[DVec3; 8], triangle: u32) -> [f64; 8] {
        count(Work::triangles(8));
        let face = Face::of(&self.triangle(triangle));
        let (first, second) = corners.split_at(4);
        let [first, second] = [Points4::of(first), Points4::of(second)];
        let mut squared = [0.0; 8];
        in_lanes!(simd => {
            squared[..4].copy_from_slice(&simd::squared_of_points(simd, &first, &face).to_array());
            squared[4..].copy_from_slice(&simd::squared_of_points(simd, &second, &face).to_array());
        });
        squared.map(f64::sqrt)
    }

    /// Returns the step to a point from the nearest point of a triangle, nearly.
    pub fn way_from(&self, p: DVec3, triangle: u32) -> DVec3 {
        p - witness(&[p; 3], &self.triangle(triangle))[1]
    }

    /// Returns an upper bound of the depth of a polygon from its squared distance from a triangle.
    pub fn at_most(&self, squared: f64, drift: f64) -> f64 {
        (squared.sqrt() + self.error + drift).next_up()
    }

    /// Returns a lower bound of the distance of a point from the closed triangles.
    pub fn at_least(&self, p: DVec3, hint: Option<u32>) -> f64 {
        if self.is_convex() {
            return self.way_out(p) - 2.0 * self.error;
        }
        nearest_closed(self.body, &Rounded::corner(p), hint).1
    }

    /// Returns the direction out for a point inside: along the normal of a near triangle's plane, or of a
    /// plane with the whole solid behind it.
    pub fn outward(&self, p: DVec3, near: Option<u32>) -> Option<DVec3> {
        if !self.is_convex()
            && let Some(t) = near
        {
            let plane = Plane::of(&self.triangle(t))?;
            return Some(if plane.height(p) > 0.0 { -plane.normal } else { plane.normal });
        }
        self.memory.planes.iter().max_by(|x, y| x.height(p).total_cmp(&y.height(p))).map(|plane| plane.normal)
    }
}

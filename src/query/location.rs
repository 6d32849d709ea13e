//! The location of a contact, for display: in f64, the same on every machine.

use glam::DVec3;

use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::Body;
use crate::math::Triangle;

/// Returns a box around everything that the triangles in contact share, and the first shared point. At least one pair
/// must be in contact.
pub fn contact_region(a: &Body, b: &Body, contacts: &[[u32; 2]]) -> (Aabb, DVec3) {
    let mut pairs = Pairs::new(a, b);
    let first = shared(&pairs.of(contacts[0])).0[0];
    let mut region = Aabb::of([first]);
    // The points that two triangles share lie in the intersection of their boxes, so most pairs change nothing once
    // the outermost pairs are included.
    let mut outermost = [(f64::INFINITY, 0); 6];
    for (i, &contact) in contacts.iter().enumerate() {
        let Aabb { lo, hi } = pairs.of(contact).common();
        for (side, x) in lo.to_array().into_iter().chain((-hi).to_array()).enumerate() {
            if x < outermost[side].0 {
                outermost[side] = (x, i);
            }
        }
    }
    for i in outermost.map(|(_, i)| i).into_iter().chain(0..contacts.len()) {
        let pair = pairs.of(contacts[i]);
        let common = pair.common();
        if !(region.lo.cmple(common.lo).all() && common.hi.cmple(region.hi).all()) {
            let (points, count) = shared(&pair);
            region = points[..count].iter().fold(region, |region, &p| region.with(p));
        }
    }
    (region, first)
}

/// Two triangles with their boxes.
#[derive(Clone, Copy)]
struct BoxedTriangles {
    corners: [Triangle; 2],
    bounds: [Aabb; 2],
}

impl BoxedTriangles {
    /// Returns the intersection of their boxes.
    fn common(&self) -> Aabb {
        let [a, b] = &self.bounds;
        Aabb { lo: a.lo.max(b.lo), hi: a.hi.min(b.hi) }
    }
}

/// Looks up triangles in contact; successive pairs often share the first triangle.
struct Pairs<'a> {
    a: &'a Body<'a>,
    b: &'a Body<'a>,
    last: u32,
    pair: BoxedTriangles,
}

impl<'a> Pairs<'a> {
    fn new(a: &'a Body<'a>, b: &'a Body<'a>) -> Self {
        let pair = BoxedTriangles { corners: [[DVec3::ZERO; 3]; 2], bounds: [Aabb::EMPTY; 2] };
        Self { a, b, last: u32::MAX, pair }
    }

    fn of(&mut self, [ta, tb]: [u32; 2]) -> BoxedTriangles {
        let BoxedTriangles { corners, bounds } = &mut self.pair;
        if ta != self.last {
            self.last = ta;
            corners[0] = self.a.triangle(ta);
            bounds[0] = Aabb::of(corners[0]);
        }
        corners[1] = self.b.triangle(tb);
        bounds[1] = Aabb::of(corners[1]);
        self.pair
    }
}

/// The largest number of shared points found for two triangles: 12 for each, three points clipped three times.
const MOST: usize = 24;

/// Returns the corners of the common segment or polygon, and their number: for each triangle, the part that remains
/// after clipping by the other's sides. If rounding leaves nothing, the lowest corner of the common box.
fn shared(pair: &BoxedTriangles) -> ([DVec3; MOST], usize) {
    let common = pair.common();
    let [a, b] = &pair.corners;
    let normal = |t: &Triangle| (t[1] - t[0]).cross(t[2] - t[0]);
    let mut points = [common.lo; MOST];
    let mut count = 0;
    for (t, other) in [(a, b), (b, a)] {
        let n = normal(other);
        let mut polygon = chord(t, other, n);
        for k in 0..3 {
            let inward = n.cross(other[(k + 1) % 3] - other[k]);
            polygon = polygon.clip(|p| inward.dot(p - other[k]));
        }
        for &p in polygon.points() {
            // Rounding must not move a point out of the common box.
            points[count] = p.max(common.lo).min(common.hi);
            count += 1;
        }
    }
    (points, count.max(1))
}

/// A convex polygon with few corners, or a segment, or a point.
struct Polygon {
    corners: [DVec3; MOST / 2],
    count: usize,
}

impl Polygon {
    const NONE: Self = Self { corners: [DVec3::ZERO; MOST / 2], count: 0 };

    fn points(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    fn push(&mut self, p: DVec3) {
        self.corners[self.count] = p;
        self.count += 1;
    }

    /// Returns the part where `height` is not negative.
    fn clip(&self, height: impl Fn(DVec3) -> f64) -> Self {
        let mut kept = Self::NONE;
        for (k, &p) in self.points().iter().enumerate() {
            let q = self.corners[(k + 1) % self.count];
            let (hp, hq) = (height(p), height(q));
            if hp >= 0.0 {
                kept.push(p);
            }
            if opposite(hp, hq) {
                kept.push(p + (q - p) * (hp / (hp - hq)));
            }
        }
        kept
    }
}

/// Returns the part of a triangle in the other's plane: all of it if the planes agree.
fn chord(t: &Triangle, other: &Triangle, normal: DVec3) -> Polygon {
    let heights = t.map(|p| normal.dot(p - other[0]));
    let mut chord = Polygon::NONE;
    for k in 0..3 {
        let next = (k + 1) % 3;
        if heights[k] == 0.0 {
            chord.push(t[k]);
        } else if opposite(heights[k], heights[next]) {
            chord.push(t[k] + (t[next] - t[k]) * (heights[k] / (heights[k] - heights[next])));
        }
    }
    chord
}

/// True when one number is positive and the other negative; unlike their product, this cannot underflow.
fn opposite(x: f64, y: f64) -> bool {
    (x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0)
}

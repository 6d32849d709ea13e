//! The location of a contact, for display: in f64, the same on every machine.

use glam::DVec3;

use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::Body;
use crate::math::Triangle;
use crate::narrow::{Work, count};

/// Returns a box around everything that the triangles in contact share, and the first shared point. At least one pair
/// must be in contact.
pub fn contact_region(a: &Body, b: &Body, contacts: &[[u32; 2]]) -> (Aabb, DVec3) {
    let mut pairs = Pairs::new(a, b);
    let mut polygons = [Polygon::NONE; 2];
    let mut first = None;
    shared(pairs.of(contacts[0]), &mut polygons, |p| {
        first.get_or_insert(p);
    });
    let first = first.expect("a point of the common box, if no other");
    let mut region = Aabb::of([first]);
    // The points that two triangles share lie in the intersection of their boxes, so most pairs change nothing once
    // the outermost pairs are included.
    let mut outermost = [(f64::INFINITY, 0); 6];
    let mut boxes = [Aabb::EMPTY; KEPT];
    for (i, &contact) in contacts.iter().enumerate() {
        let common = pairs.of(contact).common();
        if let Some(kept) = boxes.get_mut(i) {
            *kept = common;
        }
        for (side, x) in common.lo.to_array().into_iter().chain((-common.hi).to_array()).enumerate() {
            if x < outermost[side].0 {
                outermost[side] = (x, i);
            }
        }
    }
    let mut triangle_tests = 1;
    for i in outermost.map(|(_, i)| i).into_iter().chain(0..contacts.len()) {
        let common = boxes.get(i).copied().unwrap_or_else(|| pairs.of(contacts[i]).common());
        if !(region.lo.cmple(common.lo).all() && common.hi.cmple(region.hi).all()) {
            triangle_tests += 1;
            shared(pairs.of(contacts[i]), &mut polygons, |p| region = region.with(p));
        }
    }
    count(Work { box_tests: contacts.len() as u64, triangle_tests, exact_tests: 0 });
    (region, first)
}

/// The boxes that are kept rather than computed twice: enough for two cubes.
const KEPT: usize = 24;

/// Two triangles with their boxes.
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

    fn of(&mut self, [ta, tb]: [u32; 2]) -> &BoxedTriangles {
        let BoxedTriangles { corners, bounds } = &mut self.pair;
        if ta != self.last {
            self.last = ta;
            corners[0] = self.a.triangle(ta);
            bounds[0] = Aabb::of(corners[0]);
        }
        corners[1] = self.b.triangle(tb);
        bounds[1] = Aabb::of(corners[1]);
        &self.pair
    }
}

/// Calls `found` with the corners of the common segment or polygon: for each triangle, the part that remains after
/// clipping by the other's sides. If rounding leaves nothing, with the lowest corner of the common box. The polygons are
/// buffers.
fn shared(pair: &BoxedTriangles, [polygon, spare]: &mut [Polygon; 2], mut found: impl FnMut(DVec3)) {
    let common = pair.common();
    let [a, b] = &pair.corners;
    let mut none = true;
    let (mut polygon, mut spare) = (polygon, spare);
    for (t, other) in [(a, b), (b, a)] {
        let normal = (other[1] - other[0]).cross(other[2] - other[0]);
        polygon.set_chord(t, other, normal);
        for k in 0..3 {
            let inward = normal.cross(other[(k + 1) % 3] - other[k]);
            if polygon.clip(|p| inward.dot(p - other[k]), spare) {
                std::mem::swap(&mut polygon, &mut spare);
            }
        }
        for &p in polygon.points() {
            // Rounding must not move a point out of the common box.
            found(p.max(common.lo).min(common.hi));
            none = false;
        }
    }
    if none {
        found(common.lo);
    }
}

/// The largest number of corners: three, clipped three times.
const MOST: usize = 12;

/// A convex polygon with few corners, or a segment, or a point.
#[derive(Clone, Copy)]
struct Polygon {
    corners: [DVec3; MOST],
    count: usize,
}

impl Polygon {
    const NONE: Self = Self { corners: [DVec3::ZERO; MOST], count: 0 };

    fn points(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    fn push(&mut self, p: DVec3) {
        self.corners[self.count] = p;
        self.count += 1;
    }

    /// Becomes the part of a triangle in the other's plane: all of it if the planes agree.
    fn set_chord(&mut self, t: &Triangle, other: &Triangle, normal: DVec3) {
        let heights = t.map(|p| normal.dot(p - other[0]));
        self.count = 0;
        for k in 0..3 {
            let next = (k + 1) % 3;
            if heights[k] == 0.0 {
                self.push(t[k]);
            } else if opposite(heights[k], heights[next]) {
                self.push(t[k] + (t[next] - t[k]) * (heights[k] / (heights[k] - heights[next])));
            }
        }
    }

    /// Puts into `kept` the part where `height` is not negative. Returns false, and leaves `kept` alone, if that is
    /// everything.
    fn clip(&self, height: impl Fn(DVec3) -> f64, kept: &mut Self) -> bool {
        let mut heights = [0.0; MOST];
        for (known, &p) in heights.iter_mut().zip(self.points()) {
            *known = height(p);
        }
        // Places beyond the corners hold 0.
        if heights.iter().all(|&known| known >= 0.0) {
            return false;
        }
        kept.count = 0;
        for (k, &p) in self.points().iter().enumerate() {
            let next = if k + 1 < self.count { k + 1 } else { 0 };
            let (hp, hq) = (heights[k], heights[next]);
            if hp >= 0.0 {
                kept.push(p);
            }
            if opposite(hp, hq) {
                kept.push(p + (self.corners[next] - p) * (hp / (hp - hq)));
            }
        }
        true
    }
}

/// True when one number is positive and the other negative; unlike their product, this cannot underflow.
fn opposite(x: f64, y: f64) -> bool {
    (x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0)
}

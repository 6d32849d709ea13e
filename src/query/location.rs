//! The location of a contact, for display: in f64, the same on every machine.

use glam::DVec3;

use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;

/// The place of a contact.
pub struct Place {
    /// A box around everything that the triangles in contact share.
    pub bounds: Aabb,
    /// The lowest of the points that bound what they share, by x, then y, then z; if it was not asked for,
    /// any of these points.
    pub point: DVec3,
}

/// Returns the place of triangles in contact. At least one pair must be. The order of the bodies and of their
/// triangles does not matter.
pub fn place(a: &PosedModel, b: &PosedModel, contacts: &[[u32; 2]], asks_point: bool) -> Place {
    let mut pairs = Pairs([a, b].map(PosedCache::new));
    let mut polygons = [Polygon::NONE; 2];
    let mut place = Place { bounds: Aabb::EMPTY, point: DVec3::INFINITY };
    shared(pairs.of(contacts[0]), &mut polygons, |p| place.add(p));
    // The points that two triangles share lie in the intersection of their boxes, so most pairs change
    // nothing once the outermost pairs are included.
    let mut outermost = [(f64::INFINITY, 0); 6];
    let mut boxes = [Aabb::EMPTY; KEPT];
    for (i, &contact) in contacts.iter().enumerate() {
        let common = common(pairs.of(contact));
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
    for i in outermost.map(|(_, i)| i).into_iter().chain(1..contacts.len()).filter(|&i| i > 0) {
        let common = boxes.get(i).copied().unwrap_or_else(|| common(pairs.of(contacts[i])));
        let Place { bounds: Aabb { lo, hi }, point } = place;
        let is_within = lo.cmple(common.lo).all() && common.hi.cmple(hi).all();
        if !is_within || (asks_point && !is_higher(common.lo, point)) {
            triangle_tests += 1;
            shared(pairs.of(contacts[i]), &mut polygons, |p| place.add(p));
        }
    }
    count(Work { triangle_tests, ..Work::boxes(contacts.len() as u64) });
    place
}

/// True only if a point, and so every point beyond it along all axes, is higher than another: by x, then y,
/// then z. Zeros of either sign are equal here; [`Place::add`] tells them apart.
fn is_higher(p: DVec3, than: DVec3) -> bool {
    p.x > than.x || (p.x == than.x && (p.y > than.y || (p.y == than.y && p.z > than.z)))
}

impl Place {
    fn add(&mut self, p: DVec3) {
        let q = self.point;
        let order = p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z));
        self.bounds = self.bounds.with(p);
        self.point = if order.is_lt() { p } else { q };
    }
}

/// The boxes that are kept rather than computed twice: enough for two cubes.
const KEPT: usize = 24;

/// A posed triangle with its box.
#[derive(Clone, Copy)]
struct BoxedTriangle {
    corners: Triangle,
    bounds: Aabb,
}

/// Returns the intersection of the boxes of two triangles.
fn common([a, b]: [&BoxedTriangle; 2]) -> Aabb {
    Aabb { lo: a.bounds.lo.max(b.bounds.lo), hi: a.bounds.hi.min(b.bounds.hi) }
}

/// The number of triangles that are kept posed.
const PLACES: usize = 16;

/// The triangles of a body, each kept once posed until another takes its place: a triangle in contact usually
/// meets several, and a box has only twelve.
struct PosedCache<'a> {
    body: &'a PosedModel<'a>,
    /// The number of the triangle in each place.
    numbers: [u32; PLACES],
    triangles: [BoxedTriangle; PLACES],
}

impl<'a> PosedCache<'a> {
    fn new(body: &'a PosedModel<'a>) -> Self {
        let none =
            BoxedTriangle { corners: [DVec3::ZERO; 3], bounds: Aabb { lo: DVec3::ZERO, hi: DVec3::ZERO } };
        Self { body, numbers: [u32::MAX; PLACES], triangles: [none; PLACES] }
    }

    #[inline]
    fn get(&mut self, number: u32) -> &BoxedTriangle {
        let place = number as usize % PLACES;
        if self.numbers[place] != number {
            let corners = self.body.triangle(number);
            self.numbers[place] = number;
            self.triangles[place] = BoxedTriangle { corners, bounds: Aabb::of(corners) };
        }
        &self.triangles[place]
    }
}

/// Looks up triangles in contact.
struct Pairs<'a>([PosedCache<'a>; 2]);

impl Pairs<'_> {
    fn of(&mut self, [ta, tb]: [u32; 2]) -> [&BoxedTriangle; 2] {
        let [a, b] = &mut self.0;
        [a.get(ta), b.get(tb)]
    }
}

/// Calls `found` with the corners of the common segment or polygon: for each triangle, the part that remains
/// after clipping by the other's sides. If rounding leaves nothing, with the lowest corner of the common box.
/// The polygons are buffers.
fn shared(pair: [&BoxedTriangle; 2], polygons: &mut [Polygon; 2], mut found: impl FnMut(DVec3)) {
    let common = common(pair);
    let [a, b] = pair.map(|triangle| &triangle.corners);
    let mut none = true;
    for (t, other) in [(a, b), (b, a)] {
        let part = clipped(t, other, &common, polygons);
        for &p in polygons[part].points() {
            found(p);
            none = false;
        }
    }
    if none {
        found(common.lo);
    }
}

/// Returns what two triangles in contact share, in f64: one point or two, or the corners of a polygon in
/// order around the first triangle.
pub fn shared_polygon<'p>(a: &Triangle, b: &Triangle, polygons: &'p mut [Polygon; 2]) -> &'p [DVec3] {
    let [first, second] = [a, b].map(|&corners| BoxedTriangle { corners, bounds: Aabb::of(corners) });
    let common = common([&first, &second]);
    let mut part = clipped(a, b, &common, polygons);
    // Of the two parts, rounding may leave nothing of one.
    if polygons[part].points().is_empty() {
        part = clipped(b, a, &common, polygons);
    }
    if polygons[part].points().is_empty() {
        polygons[part].set_point(common.lo);
    }
    polygons[part].points()
}

/// Clips a triangle to another one's plane and sides, and to a box. Returns the index of the buffer that
/// holds what is left.
fn clipped(t: &Triangle, other: &Triangle, common: &Aabb, [first, second]: &mut [Polygon; 2]) -> usize {
    let (mut polygon, mut spare, mut index) = (first, second, 0);
    let normal = (other[1] - other[0]).cross(other[2] - other[0]);
    polygon.set_chord(t, other, normal);
    for k in 0..3 {
        let inward = normal.cross(other[(k + 1) % 3] - other[k]);
        if polygon.clip(|p| inward.dot(p - other[k]), spare) {
            std::mem::swap(&mut polygon, &mut spare);
            index = 1 - index;
        }
    }
    // Rounding must not move a point out of the common box.
    polygon.corners[..polygon.count].iter_mut().for_each(|p| *p = p.max(common.lo).min(common.hi));
    index
}

/// The largest number of corners: three, clipped three times.
const MOST: usize = 12;

/// A convex polygon with few corners, or a segment, or a point.
#[derive(Clone, Copy, Debug)]
pub struct Polygon {
    corners: [DVec3; MOST],
    count: usize,
}

impl Polygon {
    /// A polygon without corners.
    pub const NONE: Self = Self { corners: [DVec3::ZERO; MOST], count: 0 };

    fn set_point(&mut self, p: DVec3) {
        (self.corners[0], self.count) = (p, 1);
    }

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

    /// Puts into `kept` the part where `height` is not negative. Returns false if that is everything.
    fn clip(&self, height: impl Fn(DVec3) -> f64, kept: &mut Self) -> bool {
        let points = self.points();
        let mut heights = [0.0; MOST];
        let mut is_cut = false;
        for (at, p) in heights.iter_mut().zip(points) {
            *at = height(*p);
            is_cut |= *at < 0.0 || at.is_nan();
        }
        if !is_cut {
            return false;
        }
        kept.count = 0;
        for (at, &p) in points.iter().enumerate() {
            let next = if at + 1 < points.len() { at + 1 } else { 0 };
            let (hp, hq) = (heights[at], heights[next]);
            if hp >= 0.0 {
                kept.push(p);
            }
            if opposite(hp, hq) {
                kept.push(p + (points[next] - p) * (hp / (hp - hq)));
            }
        }
        true
    }
}

/// True when one number is positive and the other negative; unlike their product, this cannot underflow.
fn opposite(x: f64, y: f64) -> bool {
    (x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0)
}

//! Points of contact for a solver: few for each patch of a contact, with a normal and a depth, in f64 and
//! without exact constructions.
//!
//! Pairs of triangles in contact form a patch where they have a triangle in common. Its normal is the vector
//! of the area that the patch bounds on the first surface: of the faces that share areas, or else of the
//! curves in which the surfaces cross, by `1/2 sum (p x dp)`. Arms `p` start in the middle of the curves: of
//! a closed curve the area is the same from everywhere, and of one that ends at the border of an open mesh it
//! depends on nothing but the curve.

use glam::DVec3;

use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::bvh::wide_obb::search::contacts::Contact;
use crate::query::location::{Polygon, shared_polygon};
use crate::query::touch::{least_movement, unit};
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::Triangle;

/// The most points of a patch.
pub const MOST: usize = 4;

/// Bound of how far a point of a patch is off, and of how far two computations of it are apart, as a share
/// of the largest coordinate of the triangles: each is a corner, or is cut off an edge up to four times, by
/// some roundings each. Points of planes that are nearly parallel may be farther off.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A point of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The place, in the world.
    pub point: DVec3,
    /// The unit normal of its patch, from the first body to the second; zero if there is no direction.
    pub normal: DVec3,
    /// The length by which its two triangles overlap along the normal: a shift of the second body along it
    /// after which these two at most touch.
    pub depth: f64,
}

/// Buffers reused between contacts.
#[derive(Debug)]
pub struct Scratch {
    /// The first contact of the patch of each contact.
    leaders: Vec<u32>,
    /// The contacts in some order.
    order: Vec<u32>,
    candidates: Vec<Candidate>,
    polygons: [Polygon; 2],
}

impl Default for Scratch {
    fn default() -> Self {
        let (leaders, order, candidates) = Default::default();
        Self { leaders, order, candidates, polygons: [Polygon::NONE; 2] }
    }
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    point: DVec3,
    /// The place of its contact in the list.
    contact: u32,
    depth: f64,
    /// The squared distance from the nearest chosen point.
    away: f64,
}

/// Calls `each` with the points of all patches, in the order of their first contacts: in each patch the
/// deepest point, then each time the one farthest from those chosen; in a tie, of the lowest triangles.
/// A point that differs from a chosen one by no more than [`ROUNDING`] is the same.
pub fn contact_points(
    pair: [&PosedWideObb; 2],
    contacts: &[Contact],
    scratch: &mut Scratch,
    mut each: impl FnMut(ContactPoint),
) {
    scratch.find_patches(contacts);
    let mut from = 0;
    while from < contacts.len() {
        let leader = scratch.leaders[scratch.order[from] as usize];
        let in_patch = |&&contact: &&u32| scratch.leaders[contact as usize] == leader;
        let to = from + scratch.order[from..].iter().take_while(in_patch).count();
        scratch.choose(pair, contacts, from..to, &mut each);
        from = to;
    }
}

impl Scratch {
    /// Finds the patches, and orders the contacts by patch, then by triangles.
    fn find_patches(&mut self, contacts: &[Contact]) {
        let count = to_u32(contacts.len());
        let Self { leaders, order, .. } = self;
        leaders.clear();
        leaders.extend(0..count);
        order.clear();
        order.extend(0..count);
        for side in 0..2 {
            let triangle = |contact: u32| contacts[contact as usize].triangles[side];
            order.sort_unstable_by_key(|&contact| (triangle(contact), contact));
            for k in 1..order.len() {
                let [one, other] = [order[k - 1], order[k]];
                if triangle(one) == triangle(other) {
                    let [one, other] = [one, other].map(|contact| leader(leaders, contact));
                    leaders[one.max(other) as usize] = one.min(other);
                }
            }
        }
        (0..count).for_each(|contact| leaders[contact as usize] = leader(leaders, contact));
        order.sort_unstable_by_key(|&contact| (leaders[contact as usize], contact));
    }

    /// Calls `each` with the points of a patch, a range of the order.
    fn choose(
        &mut self,
        [a, b]: [&PosedWideObb; 2],
        contacts: &[Contact],
        patch: std::ops::Range<usize>,
        each: &mut impl FnMut(ContactPoint),
    ) {
        let Self { order, candidates, polygons, .. } = self;
        let patch = &order[patch];
        let triangles = |contact: u32| {
            let [of_a, of_b] = contacts[contact as usize].places;
            (a.triangle(of_a), b.triangle(of_b))
        };
        candidates.clear();
        let (first, opposite) = triangles(patch[0]);
        let mut bounded = Bounded::from(first[0]);
        let mut largest = 0.0_f64;
        for &contact in patch {
            let (t, u) = triangles(contact);
            largest = t.iter().chain(&u).map(|p| p.abs().max_element()).fold(largest, f64::max);
            let points = shared_polygon(&t, &u, polygons);
            bounded.add(&t, &u, points);
            let candidate = |&point: &DVec3| Candidate { point, contact, depth: 0.0, away: f64::INFINITY };
            candidates.extend(points.iter().map(candidate));
        }
        let normal = bounded.normal().unwrap_or_else(|| {
            let (_, least) = least_movement(&first, &opposite);
            let outwards = unit(face(&first)) - unit(face(&opposite));
            if least.dot(outwards) < 0.0 { -least } else { least }
        });
        let (mut known, mut depth) = (u32::MAX, 0.0);
        for candidate in candidates.iter_mut() {
            if candidate.contact != known {
                let (t, u) = triangles(candidate.contact);
                // Measured from a corner, so that no digits are lost far from the origin.
                let along = |p: &DVec3| normal.dot(*p - t[0]);
                let reach = t.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
                let back = u.iter().map(along).fold(f64::INFINITY, f64::min);
                (known, depth) = (candidate.contact, (reach - back).max(0.0));
            }
            candidate.depth = depth;
        }
        let mut next = best(candidates, |candidate| candidate.depth);
        for _ in 0..MOST {
            let Candidate { point, depth, away, .. } = candidates[next];
            if away.sqrt() <= ROUNDING * largest {
                break;
            }
            each(ContactPoint { point, normal, depth });
            for candidate in candidates.iter_mut() {
                candidate.away = candidate.away.min((candidate.point - point).length_squared());
            }
            next = best(candidates, |candidate| candidate.away);
        }
    }
}

/// Returns the first contact of a patch so far.
fn leader(leaders: &mut [u32], mut contact: u32) -> u32 {
    while leaders[contact as usize] != contact {
        let next = leaders[contact as usize];
        leaders[contact as usize] = leaders[next as usize];
        contact = next;
    }
    contact
}

/// Returns the index of the first candidate with the largest measure.
fn best(candidates: &[Candidate], measure: impl Fn(&Candidate) -> f64) -> usize {
    let larger = |best: usize, next: usize| measure(&candidates[next]) > measure(&candidates[best]);
    (1..candidates.len()).fold(0, |best, next| if larger(best, next) { next } else { best })
}

/// Returns a normal of a triangle, of twice the length of its area.
fn face(t: &Triangle) -> DVec3 {
    (t[1] - t[0]).cross(t[2] - t[0])
}

/// The area of the first surface that a patch bounds, as a vector.
struct Bounded {
    /// A point near the patch.
    origin: DVec3,
    /// The sum of normals of faces of the first surface, each as long as the area that it shares.
    shared: DVec3,
    /// The sum over the curves, with arms from the origin.
    inside: DVec3,
    /// The sum of their middles, from the origin, each times its length.
    middles: DVec3,
    /// The sum of their pieces: zero if all curves are closed.
    ends: DVec3,
    /// The length of the curves.
    length: f64,
    /// The largest coordinate of a point.
    largest: f64,
}

impl Bounded {
    fn from(origin: DVec3) -> Self {
        Self {
            origin,
            shared: DVec3::ZERO,
            inside: DVec3::ZERO,
            middles: DVec3::ZERO,
            ends: DVec3::ZERO,
            length: 0.0,
            largest: 0.0,
        }
    }

    /// Adds what two triangles share.
    fn add(&mut self, t: &Triangle, u: &Triangle, points: &[DVec3]) {
        let largest = |p: &DVec3| p.abs().max_element();
        self.largest = points.iter().map(largest).fold(self.largest, f64::max);
        let along = unit(face(t)).cross(unit(face(u)));
        if along == DVec3::ZERO {
            let fan = points.windows(2).map(|pair| (pair[0] - points[0]).cross(pair[1] - points[0]));
            self.shared += unit(face(t)) * (0.5 * fan.fold(DVec3::ZERO, |sum, area| sum + area).length());
            return;
        }
        // Along the curve the inside of the second surface is on the left, seen from outside of the first.
        let end = |sign: f64| {
            let further = |p: &DVec3, q: &DVec3| (sign * along.dot(*p)).total_cmp(&(sign * along.dot(*q)));
            points.iter().copied().max_by(further).expect("triangles in contact share a point")
        };
        let [from, to] = [end(-1.0), end(1.0)];
        let (middle, piece) = (0.5 * (from + to) - self.origin, to - from);
        self.inside += middle.cross(piece) * 0.5;
        self.middles += middle * piece.length();
        self.ends += piece;
        self.length += piece.length();
    }

    /// Returns the direction of the area, if rounding cannot have made it.
    fn normal(&self) -> Option<DVec3> {
        if self.shared != DVec3::ZERO {
            return Some(unit(self.shared));
        }
        // Each end is off by some roundings of its coordinates, and so is its arm.
        let error = ROUNDING * self.largest * self.length;
        let middle = if self.length > 0.0 { self.middles / self.length } else { DVec3::ZERO };
        let inside = self.inside - middle.cross(self.ends) * 0.5;
        (inside.length() > error).then(|| unit(inside))
    }
}

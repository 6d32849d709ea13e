//! The closest points of the convex hulls of a few points, by the method of Gilbert, Johnson and Keerthi
//! (1988), in f64.
//!
//! The search walks over the Minkowski difference of the two sets, whose corners are the differences of a
//! point of each. It keeps up to three corners, and the point of their hull that is closest to the origin;
//! the next corner is the one farthest against that point. Nothing here is proven: rounding may end the
//! search early.

use glam::DVec3;

/// A corner of the Minkowski difference: the points of both sets, by their indices, and its share in the
/// closest point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Corner {
    /// Index of the point of the first set, and of the second.
    pub points: [u8; 2],
    /// Share of the corner: more than 0. The shares of all corners add up to 1, up to rounding.
    pub share: f64,
    /// The second point less the first.
    offset: DVec3,
}

/// The corners between which the closest point lies: one, two or three.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Simplex {
    corners: [Corner; 3],
    count: usize,
}

impl Simplex {
    /// Returns the corners.
    pub fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    /// Returns the vector between the closest points, up to rounding.
    fn offset(&self) -> DVec3 {
        self.corners().iter().map(|corner| corner.offset * corner.share).sum()
    }

    #[inline]
    fn of(corners: &[(Corner, f64)]) -> Self {
        let mut simplex = Self::default();
        for &(corner, share) in corners.iter().filter(|(_, share)| *share > 0.0) {
            simplex.corners[simplex.count] = Corner { share, ..corner };
            simplex.count += 1;
        }
        simplex
    }
}

/// Rounding error of a scalar product with a difference, per unit of both lengths: 5 roundings each.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Number of steps after which a search gives up. Eight points a set take 4 to 8.
const MOST_STEPS: usize = 32;

/// Returns the closest features of the hulls of two sets of up to 256 points, as far as f64 can tell; `None`
/// if one hull seems to reach into the other, or rounding lets the search go round in circles.
pub fn closest(a: &[DVec3], b: &[DVec3]) -> Option<Simplex> {
    let corner = |points: [u8; 2]| {
        let [i, j] = points.map(usize::from);
        Corner { points, share: 1.0, offset: b[j] - a[i] }
    };
    let mut simplex = Simplex::of(&[(corner([0, 0]), 1.0)]);
    for _ in 0..MOST_STEPS {
        let offset = simplex.offset();
        let next = corner([lowest(a, -offset), lowest(b, offset)]);
        let is_known = simplex.corners().iter().any(|corner| corner.points == next.points);
        // The plane through the closest point supports the hull, up to the rounding of these products.
        let rounding = ROUNDING * offset.length() * (offset.length() + next.offset.length());
        if is_known || offset.dot(offset - next.offset) <= rounding {
            return Some(simplex);
        }
        simplex = match *simplex.corners() {
            [p] => on_segment(p, next),
            [p, q] => on_triangle(p, q, next),
            [p, q, r] => on_faces([p, q, r, next])?,
            _ => unreachable!("a simplex has one to three corners"),
        };
    }
    None
}

/// Returns the index of the point that is farthest against a direction.
fn lowest(points: &[DVec3], direction: DVec3) -> u8 {
    let mut lowest = (0, f64::INFINITY);
    for (index, point) in (0..).zip(points) {
        let height = point.dot(direction);
        if height < lowest.1 {
            lowest = (index, height);
        }
    }
    lowest.0
}

/// Returns the part of a segment on which the point closest to the origin lies.
fn on_segment(p: Corner, q: Corner) -> Simplex {
    let along = q.offset - p.offset;
    let share = (-p.offset.dot(along) / along.length_squared()).clamp(0.0, 1.0);
    Simplex::of(&[(p, 1.0 - share), (q, share)])
}

/// Returns the part of a triangle on which the point closest to the origin lies (Ericson, "Real-Time
/// Collision Detection", section 5.1.5).
fn on_triangle(p: Corner, q: Corner, r: Corner) -> Simplex {
    let (u, v) = (q.offset - p.offset, r.offset - p.offset);
    let [at_p, at_q, at_r] = [p, q, r].map(|corner| [-u.dot(corner.offset), -v.dot(corner.offset)]);
    if at_p[0] <= 0.0 && at_p[1] <= 0.0 {
        return Simplex::of(&[(p, 1.0)]);
    }
    if at_q[0] >= 0.0 && at_q[1] <= at_q[0] {
        return Simplex::of(&[(q, 1.0)]);
    }
    if at_r[1] >= 0.0 && at_r[0] <= at_r[1] {
        return Simplex::of(&[(r, 1.0)]);
    }
    let beside_r = at_p[0] * at_q[1] - at_q[0] * at_p[1];
    if beside_r <= 0.0 && at_p[0] >= 0.0 && at_q[0] <= 0.0 {
        return on_segment(p, q);
    }
    let beside_q = at_r[0] * at_p[1] - at_p[0] * at_r[1];
    if beside_q <= 0.0 && at_p[1] >= 0.0 && at_r[1] <= 0.0 {
        return on_segment(p, r);
    }
    let beside_p = at_q[0] * at_r[1] - at_r[0] * at_q[1];
    if beside_p <= 0.0 && at_q[1] >= at_q[0] && at_r[0] >= at_r[1] {
        return on_segment(q, r);
    }
    let sum = beside_p + beside_q + beside_r;
    let [of_q, of_r] = [beside_q / sum, beside_r / sum];
    Simplex::of(&[(p, 1.0 - of_q - of_r), (q, of_q), (r, of_r)])
}

/// Returns the part of a tetrahedron's surface on which the point closest to the origin lies; `None` if the
/// origin is inside.
fn on_faces(corners: [Corner; 4]) -> Option<Simplex> {
    let mut closest: Option<(Simplex, f64)> = None;
    for opposite in 0..4 {
        let [p, q, r] = [1, 2, 3].map(|k| corners[(opposite + k) % 4]);
        let normal = (q.offset - p.offset).cross(r.offset - p.offset);
        let [origin, inside] = [-p.offset, corners[opposite].offset - p.offset].map(|way| normal.dot(way));
        // A face between the origin and the fourth corner; a flat tetrahedron has no inside.
        if origin * inside <= 0.0 {
            let simplex = on_triangle(p, q, r);
            let squared = simplex.offset().length_squared();
            if closest.is_none_or(|(_, least)| squared < least) {
                closest = Some((simplex, squared));
            }
        }
    }
    closest.map(|(simplex, _)| simplex)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::Stream;

    fn cube(at: DVec3) -> Vec<DVec3> {
        (0..8).map(|k| at + DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2))).collect()
    }

    fn distance(a: &[DVec3], b: &[DVec3]) -> Option<f64> {
        closest(a, b).map(|simplex| simplex.offset().length())
    }

    #[test]
    fn corners_edges_and_faces_of_cubes() {
        let a = cube(DVec3::ZERO);
        assert_eq!(distance(&a, &cube(DVec3::splat(3.0))), Some(12f64.sqrt()));
        assert_eq!(distance(&a, &cube(DVec3::new(3.0, 3.0, 0.25))), Some(8f64.sqrt()));
        assert_eq!(distance(&a, &cube(DVec3::new(0.5, 0.25, -3.0))), Some(2.0));
        assert!(distance(&a, &cube(DVec3::splat(0.5))).is_none_or(|distance| distance == 0.0));
        assert_eq!(distance(&a, &[DVec3::new(0.3, 0.4, 1.5)]), Some(0.5));
    }

    #[test]
    fn random_hulls_agree_with_a_dense_sample_of_directions() {
        let mut stream = Stream(1);
        for case in 0..500 {
            let mut points = |at: f64| -> Vec<DVec3> {
                (0..4 + case % 9).map(|_| stream.point() * 0.5 + DVec3::X * at).collect()
            };
            let (a, b) = (points(0.0), points(1.25));
            let simplex = closest(&a, &b).expect("they are apart");
            let offset = simplex.offset();
            // No direction sees a gap greater than the distance, and that between the closest points sees all
            // of it.
            let gap = |n: DVec3| b[lowest(&b, n) as usize].dot(n) - a[lowest(&a, -n) as usize].dot(n);
            assert!((gap(offset.normalize()) - offset.length()).abs() < 1e-12, "{case}");
        }
    }
}

//! The proof that two moving triangles stay near each other while they slide: a point of one keeps its
//! height over the face of the other, however fast it moves along it.

use glam::DVec3;

use crate::narrow::SLACK;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::{PIERCED, UNIT};
use closefit_geometry::motion::moment::Moment;

/// Returns for how long after a moment's middle, at most for its half width, the second part's triangle `b`
/// certainly stays within `limit` of the first part's triangle `a`, as some points of `b` show; 0 if they
/// show nothing.
///
/// As seen from the first part, a point p of `b` is, after a time t, off from `p + t v` by at most `t^2 K /
/// 2` and the slack along any direction, with its velocity v and the acceleration bound K. Let h be its
/// height over the plane of `a`, along the unit normal n, and e its distance from the plane through an edge
/// of `a` along n, with the unit normal m into the triangle. While `e + t m.v - t^2 K / 2 - slack >= 0` for
/// all three edges, the foot of p is on `a`, and the distance is at most the height. That is within the
/// limit while `h + t n.v + t^2 K / 2 + slack <= limit`, and the same for `-h` and `-v`. So movement along
/// the face counts only until the face ends.
///
/// The normals are off by rounding: see [`PIERCED`]. While the proof holds, p moves by a few sizes of `a`
/// and twice the limit at most, so rates times the time are off by no more than a few times what heights
/// are.
pub(super) fn beside(moment: &Moment, a: &Triangle, b: &Triangle, limit: f64) -> f64 {
    longest(moment, [a, b], limit, true)
}

/// Returns a time that [`beside`] hardly exceeds: on its way along the face's normal, a point crosses no more
/// than the limit on either side. Twice that time leaves room for rounding.
pub(super) fn may_last(moment: &Moment, a: &Triangle, b: &Triangle, limit: f64) -> f64 {
    let normal = (a[1] - a[0]).cross(a[2] - a[0]);
    let rates = b.map(|p| normal.dot(moment.velocity + moment.angular.cross(p)));
    let slowest = match rates {
        _ if rates.iter().all(|&rate| rate > 0.0) => rates.into_iter().fold(f64::INFINITY, f64::min),
        _ if rates.iter().all(|&rate| rate < 0.0) => -rates.into_iter().fold(f64::NEG_INFINITY, f64::max),
        _ => return f64::INFINITY,
    };
    2.0 * (2.0 * limit * normal.length()) / slowest
}

/// Returns for how long after a moment's middle, at most for its half width, some point of the second
/// triangle is certainly over the first, if it is no farther than `limit` from the first's plane all that
/// time.
pub(super) fn over(moment: &Moment, triangles: [&Triangle; 2], limit: f64) -> f64 {
    longest(moment, triangles, limit, false)
}

fn longest(moment: &Moment, [a, b]: [&Triangle; 2], limit: f64, asks_height: bool) -> f64 {
    let Some(face) = Face::of(a, b) else { return 0.0 };
    let over = face.over(b);
    let Some(centre) = middle(&over) else { return 0.0 };
    // The lowest points often lie on the border of what is over the face.
    let points = over.iter().map(|p| 0.5 * (*p + centre)).chain([centre]);
    points.map(|p| face.lasting(moment, p, limit, asks_height)).fold(0.0, f64::max)
}

/// A triangle, from its first corner on, with unit normals in rounded numbers.
struct Face {
    origin: DVec3,
    corners: Triangle,
    normal: DVec3,
    /// Normals of the edges, into the triangle; edge `i` goes from corner `i` to the next.
    inward: [DVec3; 3],
    /// Bound of the errors of heights, without the error from the limit.
    error: f64,
    /// The error for each unit of length.
    share: f64,
}

impl Face {
    /// Returns the face of a triangle, for points of another one; `None` for a needle.
    fn of(a: &Triangle, b: &Triangle) -> Option<Self> {
        let origin = a[0];
        let corners = a.map(|p| p - origin);
        let size = a.iter().chain(b).map(|p| (*p - origin).length()).fold(0.0, f64::max);
        let [_, u, v] = corners;
        let cross = u.cross(v);
        let (normal, share) = unit_normal(cross, size)?;
        let along = [u, v - u, -v];
        let inward = along.map(|edge| normal.cross(edge) / edge.length());
        let error = share * (size + origin.abs().max_element());
        Some(Self { origin, corners, normal, inward, error, share })
    }

    /// Returns the distances of a point from the edges, inwards.
    fn inside(&self, p: DVec3) -> [f64; 3] {
        [0, 1, 2].map(|i| self.inward[i].dot(p - self.corners[i]))
    }

    /// Returns the corners of the part of a triangle that is over the face, relative to the origin.
    fn over(&self, b: &Triangle) -> Vec<DVec3> {
        let mut left = b.map(|p| p - self.origin).to_vec();
        for edge in 0..3 {
            let mut cut = Vec::with_capacity(left.len() + 1);
            for (i, &p) in left.iter().enumerate() {
                let q = left[(i + 1) % left.len()];
                let [s, r] = [p, q].map(|p| self.inside(p)[edge]);
                if s >= 0.0 {
                    cut.push(p);
                }
                if (s >= 0.0) != (r >= 0.0) {
                    cut.push(p + (q - p) * (s / (s - r)));
                }
            }
            left = cut;
        }
        left
    }

    /// Returns for how long the foot of a point, relative to the origin, stays on the triangle and, if
    /// `asks_height`, the point stays within a limit of it.
    fn lasting(&self, moment: &Moment, p: DVec3, limit: f64, asks_height: bool) -> f64 {
        let velocity = moment.velocity + moment.angular.cross(self.origin + p);
        let slack = moment.slack + self.error + self.share * limit;
        let (height, rate) = (self.normal.dot(p), self.normal.dot(velocity));
        let time = |room: f64, closing: f64| time_within(room - slack, closing, moment.acceleration_bound[1]);
        let inside = self.inside(p);
        let on = (0..3).map(|i| time(inside[i], -self.inward[i].dot(velocity))).fold(moment.half, f64::min);
        let allowed = limit / SLACK;
        if asks_height { on.min(time(allowed - height, rate)).min(time(allowed + height, -rate)) } else { on }
    }
}

/// Returns the unit normal along a cross product of two edges, and the error of a height along it by
/// [`PIERCED`] for each unit of length. Points are up to `size` apart. Returns `None` for a needle, which
/// has no plane that rounding leaves alone.
pub(super) fn unit_normal(cross: DVec3, size: f64) -> Option<(DVec3, f64)> {
    let area = cross.length();
    let has_plane = area > 1e-6 * size * size;
    has_plane.then(|| (cross / area, PIERCED * (size * size / area)))
}

/// Returns for how long a room lasts that closes at a speed, which grows by an acceleration at most.
fn time_within(room: f64, closing: f64, acceleration: f64) -> f64 {
    if room.is_nan() || room <= 0.0 {
        return 0.0;
    }
    let root = (closing * closing + 2.0 * acceleration * room).sqrt();
    let time = match closing > 0.0 {
        true => 2.0 * room / (closing + root),
        false if acceleration == 0.0 => f64::INFINITY,
        false => (root - closing) / acceleration,
    };
    // A NaN lasts for no time.
    if time > 0.0 { time * (1.0 - 64.0 * UNIT) } else { 0.0 }
}

/// Returns the mean of points, if there are any.
fn middle(points: &[DVec3]) -> Option<DVec3> {
    let sum: DVec3 = points.iter().copied().sum();
    (!points.is_empty()).then(|| sum / points.len() as f64)
}

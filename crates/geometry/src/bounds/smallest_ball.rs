//! The centre of a small ball around points.

use glam::DVec3;

use crate::bounds::aabb::Aabb;

/// Number of points up to which the ball is the smallest.
const FEW: usize = 32;

/// Number of steps by which the centre of a ball around many points moves toward the farthest one.
const STEPS: usize = 24;

/// Returns the centre of the smallest ball around up to 32 points (Welzl 1991), up to rounding; for more
/// points, of a ball that is a little larger (Bădoiu and Clarkson 2003, from Ritter's start). It lies in the
/// box of the points, and depends on the points in their order alone.
pub fn smallest_ball(points: impl Iterator<Item = DVec3> + Clone) -> DVec3 {
    let Aabb { lo, hi } = Aabb::of(points.clone());
    if lo.x > hi.x {
        return DVec3::ZERO;
    }
    // The centre of the smallest ball lies among the points. Rounding can take it anywhere for points nearly
    // on a line.
    small_ball(points).max(lo).min(hi)
}

fn small_ball(points: impl Iterator<Item = DVec3> + Clone) -> DVec3 {
    if points.clone().nth(FEW).is_none() {
        let mut few: Vec<DVec3> = points.collect();
        return welzl(&mut few, &mut Vec::with_capacity(4)).map_or(DVec3::ZERO, |ball| ball.center);
    }
    let farthest = |from: DVec3| {
        let farther = |best: (f64, DVec3), p: DVec3| {
            let squared = p.distance_squared(from);
            if squared > best.0 { (squared, p) } else { best }
        };
        points.clone().fold((-1.0, from), farther).1
    };
    let start = points.clone().next().unwrap_or_default();
    let one = farthest(start);
    let other = farthest(one);
    let mut center = one.midpoint(other);
    for step in 1..=STEPS {
        // From the middle of the farthest pair, shorter steps than those from a single point suffice.
        center += (farthest(center) - center) / (2 * step + 2) as f64;
    }
    center
}

#[derive(Clone, Copy)]
struct Ball {
    center: DVec3,
    squared: f64,
}

impl Ball {
    /// True if the ball contains a point, up to rounding.
    fn contains(&self, p: DVec3) -> bool {
        p.distance_squared(self.center) <= self.squared * (1.0 + 1e-9)
    }

    /// Returns the smallest ball with up to four points on its surface; `None` without points, or where the
    /// points leave it open.
    fn through(points: &[DVec3]) -> Option<Self> {
        let (&origin, others) = points.split_first()?;
        // The centre is origin + sum of w_i d_i with d_i . (centre - origin) = |d_i|^2 / 2.
        let offset = match *others {
            [] => DVec3::ZERO,
            [p] => (p - origin) * 0.5,
            [p, q] => {
                let (d, e) = (p - origin, q - origin);
                let n = d.cross(e);
                (e.cross(n) * d.length_squared() + n.cross(d) * e.length_squared())
                    / (2.0 * n.length_squared())
            }
            [p, q, r] => {
                let (d, e, f) = (p - origin, q - origin, r - origin);
                let sum = e.cross(f) * d.length_squared()
                    + f.cross(d) * e.length_squared()
                    + d.cross(e) * f.length_squared();
                sum / (2.0 * d.dot(e.cross(f)))
            }
            _ => return None,
        };
        offset.is_finite().then(|| Self { center: origin + offset, squared: offset.length_squared() })
    }
}

/// Returns the smallest ball around `points` with `on` on its surface. Moves points that define a ball to the
/// front. If rounding leaves no ball through the points, returns the ball without the last of them.
fn welzl(points: &mut [DVec3], on: &mut Vec<DVec3>) -> Option<Ball> {
    let mut ball = Ball::through(on);
    if on.len() == 4 {
        return ball;
    }
    for i in 0..points.len() {
        let p = points[i];
        if ball.is_none_or(|ball| !ball.contains(p)) {
            on.push(p);
            ball = welzl(&mut points[..i], on).or(ball);
            on.pop();
            points[..=i].rotate_right(1);
        }
    }
    ball
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::Stream;

    fn radius(points: &[DVec3]) -> f64 {
        let center = smallest_ball(points.iter().copied());
        points.iter().map(|p| p.distance(center)).fold(0.0, f64::max)
    }

    #[test]
    fn balls_of_known_size() {
        let cube = |n: u32| DVec3::from_array([0, 1, 2].map(|k| f64::from(n >> k & 1)));
        let corners: Vec<DVec3> = (0..8).map(cube).collect();
        assert!((radius(&corners) - 0.75f64.sqrt()).abs() < 1e-12);
        let obtuse = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.1, 0.0)];
        assert!((radius(&obtuse) - 0.5).abs() < 1e-12);
        assert_eq!(radius(&[DVec3::ONE; 5]), 0.0);
        let line: Vec<DVec3> = (0..20).map(|i| DVec3::ONE * f64::from(i)).collect();
        assert!((radius(&line) - 9.5 * 3f64.sqrt()).abs() < 1e-9);
        assert_eq!(smallest_ball(std::iter::empty()), DVec3::ZERO);
    }

    /// The circle through three points nearly on a line is huge, and rounding may take it for the smallest.
    #[test]
    fn balls_around_points_nearly_on_a_line_are_as_small() {
        let mut stream = Stream(8);
        for _ in 0..100_000 {
            let mut power = || stream.signed() * 2f64.powi(-(stream.below(160) as i32));
            let points: [DVec3; 3] = std::array::from_fn(|_| DVec3::new(power(), power(), power()));
            let diameter = (0..3).map(|i| points[i].distance(points[(i + 1) % 3])).fold(0.0, f64::max);
            assert!(radius(&points) <= 2.0 * diameter, "{points:?}");
        }
    }

    /// No ball is smaller than half the diameter, and by Jung's theorem none needs more than its sqrt(3/2).
    #[test]
    fn random_points_have_a_ball_of_about_the_least_size() {
        let mut stream = Stream(7);
        for count in [1, 2, 3, 4, 5, 12, 32, 33, 100, 1000] {
            for flat in [1.0, 1e-3, 0.0] {
                let points: Vec<DVec3> =
                    (0..count).map(|_| stream.point() * DVec3::new(1.0, 1.0, flat)).collect();
                let apart = |p: &DVec3| points.iter().map(|q| p.distance(*q)).fold(0.0, f64::max);
                let diameter = points.iter().map(apart).fold(0.0, f64::max);
                let most = 0.5 * diameter * if count <= FEW { 1.5f64.sqrt() + 1e-9 } else { 1.3 };
                assert!(radius(&points) <= most, "{count} {flat}: {} {diameter}", radius(&points));
            }
        }
    }
}

//! A box at a pose, prepared once for comparison with many others.

use glam::DVec3;

use super::obb::Obb;
use super::separating_axes::{Parallelepiped, SHORTEST, ScaledPose, any_axis, gap};
use crate::math::error_bounds::QUOTIENT;
use crate::math::pose::{Pose, SMALLEST};

/// A posed box, and a ball around it.
///
/// Distances are between the contents of two boxes, posed as by [`Pose::apply`]: rounded, and 0 below 2^-200.
#[derive(Clone, Debug)]
pub struct PosedBox {
    placed: Parallelepiped,
    radius: f64,
    /// The reach of the box along each direction of its own edges, which need not be of unit length.
    along: DVec3,
    /// The lengths of these directions.
    lengths: DVec3,
    /// The distance by which rounding may place the contents beyond the box. It holds for any other box.
    slack: f64,
}

impl PosedBox {
    /// Poses a box. `reach` bounds the magnitude of every coordinate of its contents.
    pub fn new(obb: &Obb, pose: &Pose, reach: f64) -> Self {
        let scaled = ScaledPose::new(pose);
        let placed = scaled.place(obb);
        let [x, y, z] = [0, 1, 2].map(|k| placed.directions[k] * placed.half[k]);
        // The largest squared length of x + y + z over all signs of the three.
        let mixed = x.dot(y).abs() + y.dot(z).abs() + z.dot(x).abs();
        let squared = x.length_squared() + y.length_squared() + z.length_squared() + 2.0 * mixed;
        // Flushing to 0, and underflow, as for two boxes that are compared once.
        let slack = 4.0 * SMALLEST + scaled.margin(reach) + placed.slack;
        let [p, q, r] = placed.directions;
        let along = |n: DVec3| n.dot(x).abs() + n.dot(y).abs() + n.dot(z).abs();
        Self {
            radius: squared.sqrt() * (1.0 + QUOTIENT),
            along: DVec3::new(along(p), along(q), along(r)),
            lengths: DVec3::new(p.length(), q.length(), r.length()),
            placed,
            slack,
        }
    }

    /// True only if the directions of this box's edges prove that the distance between the contents of two
    /// boxes exceeds `bound`. For a turned box, these are the normals of its faces.
    #[inline]
    fn is_farther_along_edges(&self, other: &Self, between: DVec3, bound: f64) -> bool {
        let [x, y, z] = [0, 1, 2].map(|k| other.placed.directions[k] * other.placed.half[k]);
        (0..3).any(|i| {
            let n = self.placed.directions[i];
            let reach = n.dot(x).abs() + n.dot(y).abs() + n.dot(z).abs() + self.along[i];
            let gap = n.dot(between).abs() - reach;
            // An infinite gap, or one along next to no direction, proves nothing.
            gap * (1.0 - 2.0 * QUOTIENT) > bound * self.lengths[i]
                && gap < f64::INFINITY
                && self.lengths[i] > SHORTEST
        })
    }

    /// True only if the distance between the contents of two boxes exceeds `bound`. Balls around both are
    /// compared first, then the directions of edges: they decide nearly all pairs that are apart.
    #[inline]
    pub fn is_farther(&self, other: &Self, bound: f64) -> bool {
        let slack = self.slack + other.slack;
        let between: DVec3 = self.placed.center - other.placed.center;
        // The ball is a little larger for the roundings of its radius, and of the sums here.
        let apart = between.length() * (1.0 - QUOTIENT) - (self.radius + other.radius) * (1.0 + QUOTIENT);
        // NaN: not farther
        apart - slack > bound
            || self.is_farther_along_edges(other, between, bound + slack)
            || other.is_farther_along_edges(self, between, bound + slack)
            || any_axis(&self.placed, &other.placed, |n| {
                gap(n, &self.placed, &other.placed) * (1.0 - QUOTIENT) - slack > bound
            })
    }
}

impl PosedBox {
    /// True only if a point lies outside the box, and therefore outside the hull of its contents.
    pub fn excludes(&self, p: DVec3) -> bool {
        let point = Parallelepiped { center: p, half: DVec3::ZERO, slack: 0.0, ..self.placed };
        let is_beyond = |n: DVec3| gap(n, &self.placed, &point) * (1.0 - QUOTIENT) > self.slack;
        self.placed.directions.into_iter().any(is_beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::separating_axes::PosedBoxes;
    use crate::math::testing::Stream;

    /// Clouds of points at poses that turn, scale and mirror; near and far, tiny and huge.
    #[test]
    fn what_is_farther_is_farther() {
        let mut stream = Stream(7);
        let (mut farther, mut by_axes, mut excluded) = (0, 0, 0);
        for case in 0..20_000 {
            let unit = stream.pick(&[1e-30, 1.0, 1e20]);
            let far = unit * stream.pick(&[0.0, 0.0, 1e3, 1e9]);
            let sides = [(); 2].map(|()| {
                let stretch = DVec3::new(1.0, stream.pick(&[1.0, 0.1]), stream.pick(&[1.0, 0.01]));
                let points: Vec<DVec3> = (0..5).map(|_| stream.point() * stretch * unit).collect();
                let [x, y, z] = stream.point().to_array();
                let scale = stream.pick(&[1.0, 1.0, -0.5, 2.0]);
                let at = stream.point() * unit * 3.0 + far;
                let pose = Pose::from_trs([x, y, z, 1.0], [scale; 3], at.to_array()).expect("a rotation");
                (points, pose)
            });
            let reach = sides
                .each_ref()
                .map(|(points, _)| points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max));
            let boxes =
                sides.each_ref().map(|(points, _)| Obb::around(points.iter().copied(), Obb::COORDINATE_AXES));
            let posed = [0, 1].map(|side| PosedBox::new(&boxes[side], &sides[side].1, reach[side]));
            let at = |side: usize| sides[side].0.iter().map(move |p| (side, *p));
            let place = |(side, p): (usize, DVec3)| sides[side].1.apply(p);
            let least = at(0)
                .flat_map(|p| at(1).map(move |q| (p, q)))
                .map(|(p, q)| place(p).distance(place(q)))
                .fold(f64::INFINITY, f64::min);
            for (side, p) in at(0) {
                assert!(!posed[side].excludes(place((side, p))), "case {case}");
                let beyond = posed[1].excludes(place((side, p)));
                excluded += u32::from(beyond);
                assert!(!beyond || at(1).all(|q| place(q) != place((side, p))), "case {case}");
            }
            for bound in [0.0, 0.5 * least, 0.9 * least, least] {
                let found = posed[0].is_farther(&posed[1], bound);
                assert_eq!(found, posed[1].is_farther(&posed[0], bound), "case {case}");
                assert!(!found || bound < least, "case {case}: {bound} and {least}");
                farther += u32::from(found);
            }
            let pair = PosedBoxes::new(&sides[0].1, reach[0], &sides[1].1, reach[1]);
            if pair.separated_by_more_than(&boxes[0], &boxes[1], 0.0) {
                assert!(posed[0].is_farther(&posed[1], 0.0), "case {case}");
                by_axes += 1;
            }
        }
        println!("{farther} farther, {by_axes} proven by axes");
        assert!(farther > 20_000 && by_axes > 5_000 && excluded > 20_000);
    }

    #[test]
    fn hopeless_numbers_are_never_farther() {
        let cube = Obb::around([DVec3::NEG_ONE, DVec3::ONE].into_iter(), Obb::COORDINATE_AXES);
        let everything = Obb { half: DVec3::INFINITY, ..cube };
        let at = |x: f64| Pose::translation([x, 0.0, 0.0]);
        let near = PosedBox::new(&cube, &at(0.0), 1.0);
        assert!(near.is_farther(&PosedBox::new(&cube, &at(1e6), 1.0), 0.0));
        assert!(!near.is_farther(&PosedBox::new(&everything, &at(1e6), 1.0), 0.0));
        assert!(!near.is_farther(&PosedBox::new(&cube, &at(f64::NAN), 1.0), 0.0));
        assert!(!near.is_farther(&PosedBox::new(&cube, &at(1e6), 1.0), f64::NAN));
        assert!(!near.is_farther(&PosedBox::new(&cube, &at(2.0), 1.0), 0.0), "touching is not apart");
    }
}

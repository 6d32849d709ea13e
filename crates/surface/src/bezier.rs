//! Bézier patches: tensor products of any two degrees.

use glam::DVec3;

use super::{Surface, SurfaceError};
use closefit_geometry::math::interval::{Interval, IntervalVec3};
use closefit_geometry::math::pose::LARGEST;

/// The patch `sum_ij B_i^m(u) B_j^n(v) p_ij` with Bernstein polynomials, for u and v from 0 to 1.
///
/// Points over a box of parameters are in the hull of that box's own control points, which repeated averages
/// give (de Casteljau's algorithm; Farin 2002, sections 4.6 and 14.6).
#[derive(Clone, Debug, PartialEq)]
pub struct Bezier {
    net: Net,
    /// Nets of the derivatives by u and by v.
    tangents: [Net; 2],
}

/// A net of control points `p_00, p_01, ..`, ordered by u first.
#[derive(Clone, Debug, PartialEq)]
struct Net {
    points: Vec<IntervalVec3>,
    /// Numbers of points in u and in v.
    size: [usize; 2],
}

/// Returns the number of control points for two degrees.
pub(super) fn points([m, n]: [u32; 2]) -> u128 {
    (u128::from(m) + 1) * (u128::from(n) + 1)
}

impl Bezier {
    /// Creates a patch of degrees m and n from the `(m + 1) (n + 1)` points `p_00, p_01, .., p_0n, p_10, ..`.
    ///
    /// # Errors
    /// [`SurfaceError::Net`], [`SurfaceError::ControlPoint`].
    pub fn new(degrees: [u32; 2], control: &[DVec3]) -> Result<Self, SurfaceError> {
        if control.len() as u128 != points(degrees) {
            return Err(SurfaceError::Net { degrees, count: control.len() });
        }
        for (index, point) in control.iter().enumerate() {
            if let Some(value) = point.to_array().into_iter().find(|x| x.is_nan() || x.abs() > LARGEST) {
                return Err(SurfaceError::ControlPoint { index, value });
            }
        }
        let points = control.iter().map(|&p| IntervalVec3::point(p)).collect();
        let net = Net { points, size: degrees.map(|degree| degree as usize + 1) };
        let tangents = [0, 1].map(|axis| net.derivative(axis));
        Ok(Self { net, tangents })
    }
}

impl Surface for Bezier {
    fn domain(&self) -> [Interval; 2] {
        [Interval::new(0.0, 1.0); 2]
    }

    fn place(&self, parameters: [Interval; 2]) -> IntervalVec3 {
        self.net.hull_over(parameters)
    }

    fn tangents(&self, parameters: [Interval; 2]) -> [IntervalVec3; 2] {
        self.tangents.each_ref().map(|net| net.hull_over(parameters))
    }
}

impl Net {
    /// Returns the start of each row along an axis, and the distance between the points of a row.
    fn rows(&self, axis: usize) -> (impl Iterator<Item = usize> + use<>, usize) {
        let [_, n] = self.size;
        let (step, apart) = if axis == 0 { (n, 1) } else { (1, n) };
        ((0..self.size[1 - axis]).map(move |row| row * apart), step)
    }

    /// Returns the net of the derivative: differences of neighbours, times the degree.
    fn derivative(&self, axis: usize) -> Self {
        let degree = self.size[axis] - 1;
        if degree == 0 {
            return Self { points: vec![IntervalVec3::ZERO], size: [1, 1] };
        }
        let mut size = self.size;
        size[axis] -= 1;
        let (_, step) = self.rows(axis);
        let times = Interval::point(degree as f64);
        let difference = |i: usize, j: usize| {
            let at = i * self.size[1] + j;
            (self.points[at + step] - self.points[at]).scale(times)
        };
        let points = (0..size[0]).flat_map(|i| (0..size[1]).map(move |j| difference(i, j))).collect();
        Self { points, size }
    }

    /// Returns a box around the control points of a part of the patch.
    fn hull_over(&self, parameters: [Interval; 2]) -> IntervalVec3 {
        let mut part = self.clone();
        for (axis, range) in parameters.into_iter().enumerate() {
            part.restrict(axis, range);
        }
        part.points.into_iter().reduce(IntervalVec3::hull).expect("a net has a point")
    }

    /// Restricts the net to a range of one parameter. The new point i of degree m is the blossom at
    /// `range.hi` (i times) and `range.lo` (m - i times).
    fn restrict(&mut self, axis: usize, range: Interval) {
        let degree = self.size[axis] - 1;
        let (rows, step) = self.rows(axis);
        for first in rows {
            let row: Vec<_> = (0..=degree).map(|i| self.points[first + i * step]).collect();
            for i in 0..=degree {
                let mut averaged = row.clone();
                for round in 0..degree {
                    let at = Interval::point(if round < i { range.hi } else { range.lo });
                    for k in 0..degree - round {
                        let way = averaged[k + 1] - averaged[k];
                        averaged[k] = averaged[k] + way.scale(at);
                    }
                }
                self.points[first + i * step] = averaged[0];
            }
        }
    }
}

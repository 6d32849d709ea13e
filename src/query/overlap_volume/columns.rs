//! Integrals of products of winding numbers, by vertical columns over pairs of triangles.
//!
//! The winding number of a closed surface at a point is the number of upper faces above it, less the number
//! of lower faces: `w(p) = sum s_f [p is below f]`, with `s_f` the sign of the face's projected area. So
//! the integral of the product of two winding numbers over a box is a sum over pairs of faces (f, g), of
//! `s_f s_g` times the integral, over what their projections share in the box, of the lower of both heights
//! above the floor of the box, at most the height of the box. Each term depends continuously on the corners:
//! faces that coincide, edges that cross or vertical walls are no special cases.
//!
//! # Rounding
//!
//! Arithmetic is in double-double numbers, in units of the box; `v` is their unit, 2^-106. Let `L` be the
//! largest extent of f, g and the box across the columns, and `S` the smallest of the three.
//!
//! - A polygon is cut by a line where the height over it is 0 between two corners. A height is off by at
//!   most 64 v times the length of the edge and the distance from it, and the place is a mean of the two
//!   corners, so it is within 128 v L of the line, however nearly parallel both are. What is cut off too
//!   much or too little is in a strip of that width along the polygon, which is no longer than 4 S. No
//!   later cut makes it larger. Seven cuts take the box and the edges, and three the heights: below 2^14
//!   v L S of area, at most as high as the box.
//! - A face's height at a point is off by its slope times 2^10 v L, or, by its corners' weights, 2^10 v
//!   L_f^2 H_f / A, where `A` is twice its projected area. The lower of two heights, and a height limited
//!   to the height of the box, are as exact as the worse of both. The area that it counts for is at most
//!   S^2 and at most A / 2.
//! - A face with `A` below 2^-90 L_f^2 is left out: it covers at most 2^-87 S L_f of the box.
//! - Heights are compared on triangles: there they are linear, and where two are equal but for rounding,
//!   no place is below both or neither.
//! - Sums take 2^6 v of the terms, each at most S^2 times the height of the box.
//!
//! All this is below 2^-86 (L S H + min(S^2, A) times L_f^2 H_f / A), for either face.

use glam::DVec3;

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::double_double::{DoubleDouble, power_of_two_below};

/// The error of a term, in the units of the module's text.
const ERROR: f64 = 1.0 / (1u64 << 43) as f64 / (1u64 << 43) as f64; // 2^-86

/// The share of a square that the projection of a face must cover.
const THINNEST: f64 = ERROR / 16.0; // 2^-90

/// The error of products that underflow.
const UNDERFLOW: f64 = f64::from_bits((1023 - 400) << 52); // 2^-400

/// A box in which integrals are taken, and the units of their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The box.
    pub(super) bounds: Aabb,
    /// A power of two: the unit of lengths.
    pub(super) unit: f64,
}

/// A sum of integrals in the units of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    /// The integrals of 1, x, y and z.
    pub(super) moments: [DoubleDouble; 4],
    /// A bound of the error of the first.
    pub(super) error: f64,
}

impl Sum {
    pub(super) const ZERO: Self = Self { moments: [DoubleDouble::ZERO; 4], error: 0.0 };

    pub(super) fn plus(self, other: Self) -> Self {
        let moments = std::array::from_fn(|k| self.moments[k] + other.moments[k]);
        Self { moments, error: (self.error + other.error) * (1.0 + f64::EPSILON) }
    }

    fn add(&mut self, moments: [DoubleDouble; 4], is_negative: bool) {
        for (sum, moment) in self.moments.iter_mut().zip(moments) {
            *sum = *sum + if is_negative { -moment } else { moment };
        }
    }
}

/// A corner of a polygon: its place, and the heights of both faces there.
#[derive(Clone, Copy)]
struct Corner {
    x: DoubleDouble,
    y: DoubleDouble,
    heights: [DoubleDouble; 2],
}

/// A face in the units of a frame, counterclockwise as seen from above.
pub(super) struct Face {
    corners: [[DoubleDouble; 3]; 3],
    /// True if it was clockwise: a lower face.
    is_lower: bool,
    /// Twice its projected area; `None` if that is next to nothing.
    area: Option<DoubleDouble>,
    /// The larger of its extents in x and y, and its extent in z.
    extent: f64,
    height: f64,
    bounds: Aabb,
}

impl Frame {
    /// Makes a frame of a box that has an extent along each axis.
    pub(super) fn new(bounds: Aabb) -> Self {
        Self { bounds, unit: power_of_two_below((bounds.hi - bounds.lo).max_element()) }
    }

    /// Returns the part of a box's columns that is not below the frame's floor.
    pub(super) fn column(&self, of: &Aabb, top: f64) -> Aabb {
        let (mut lo, mut hi) = (of.lo.max(self.bounds.lo), of.hi.min(self.bounds.hi));
        (lo.z, hi.z) = (self.bounds.lo.z, top.max(self.bounds.lo.z));
        Aabb { lo, hi }
    }

    /// Returns an oriented triangle as a face; `None` if it covers no part of the box from above.
    pub(super) fn face(&self, t: &Triangle) -> Option<Face> {
        let bounds = Aabb::of(*t);
        let (lo, hi) = (self.bounds.lo, self.bounds.hi);
        let is_beside =
            bounds.hi.x <= lo.x || bounds.hi.y <= lo.y || bounds.lo.x >= hi.x || bounds.lo.y >= hi.y;
        if is_beside || bounds.hi.z <= lo.z {
            return None;
        }
        let mut corners = t.map(|p| self.place(p));
        let mut area = turn(&corners[0], &corners[1], &corners[2]);
        let is_lower = area.high < 0.0;
        if is_lower {
            corners.swap(1, 2);
            area = -area;
        }
        let size = (bounds.hi - bounds.lo) / self.unit;
        let extent = size.x.max(size.y);
        let area = (area.high > THINNEST * extent * extent).then_some(area);
        Some(Face { corners, is_lower, area, extent, height: size.z, bounds })
    }

    /// Adds the term of a pair of faces.
    pub(super) fn add_pair(&self, f: &Face, g: &Face, sum: &mut Sum) {
        let (p, q) = (&f.bounds, &g.bounds);
        let is_beside = p.hi.x <= q.lo.x || q.hi.x <= p.lo.x || p.hi.y <= q.lo.y || q.hi.y <= p.lo.y;
        if is_beside {
            return;
        }
        let size = (self.bounds.hi - self.bounds.lo) / self.unit;
        let across = size.x.max(size.y);
        let (large, small) = (across.max(f.extent).max(g.extent), across.min(f.extent).min(g.extent));
        sum.error += ERROR * large * small * size.z + UNDERFLOW;
        let (Some(area_f), Some(area_g)) = (f.area, g.area) else { return };
        for (face, area) in [(f, area_f.high), (g, area_g.high)] {
            sum.error += ERROR * (small * small).min(area) * (face.extent / area) * face.extent * face.height;
        }
        let polygon = self.shared(f, g, area_g);
        let is_negative = f.is_lower != g.is_lower;
        let rise = |c: &Corner| c.heights[1] - c.heights[0];
        for triangle in fan(&polygon) {
            let [below, above] = split(&triangle, rise);
            fan(&below).for_each(|t| self.add_under(&t, 0, is_negative, sum));
            fan(&above).for_each(|t| self.add_under(&t, 1, is_negative, sum));
        }
    }

    /// Returns a point from the lowest corner of the box, in units.
    fn place(&self, p: DVec3) -> [DoubleDouble; 3] {
        [0, 1, 2].map(|k| {
            let DoubleDouble { high, low } = DoubleDouble::difference(p[k], self.bounds.lo[k]);
            DoubleDouble { high: high / self.unit, low: low / self.unit }
        })
    }

    /// Returns the polygon that the projections of two faces share in the box, with both heights.
    fn shared(&self, f: &Face, g: &Face, area: DoubleDouble) -> Vec<Corner> {
        let zero = DoubleDouble::ZERO;
        let corner = |&[x, y, z]: &[DoubleDouble; 3]| Corner { x, y, heights: [z, zero] };
        let mut polygon: Vec<Corner> = f.corners.iter().map(corner).collect();
        let [wide, deep, _] = self.place(self.bounds.hi);
        polygon = cut(&polygon, |c| c.x);
        polygon = cut(&polygon, |c| wide - c.x);
        polygon = cut(&polygon, |c| c.y);
        polygon = cut(&polygon, |c| deep - c.y);
        let [a, b, c] = &g.corners;
        for [from, to] in [[a, b], [b, c], [c, a]] {
            polygon = cut(&polygon, |c| turn(from, to, &[c.x, c.y, zero]));
        }
        for corner in &mut polygon {
            let p = [corner.x, corner.y, zero];
            let [of_b, of_c] = [turn(c, a, &p), turn(a, b, &p)];
            corner.heights[1] = a[2] + (of_b * (b[2] - a[2]) + of_c * (c[2] - a[2])).quotient(area);
        }
        polygon
    }

    /// Adds the columns of a triangle from the floor of the box to one of the heights, or to the box's top.
    fn add_under(&self, triangle: &[Corner; 3], which: usize, is_negative: bool, sum: &mut Sum) {
        let top = self.place(self.bounds.hi)[2];
        for above_floor in fan(&cut(triangle, |c| c.heights[which])) {
            let [within, beyond] = split(&above_floor, |c| top - c.heights[which]);
            for (part, height) in [(within, None), (beyond, Some(top))] {
                for corners in fan(&part) {
                    let heights = corners.map(|c| height.unwrap_or(c.heights[which]));
                    sum.add(prism(corners.map(|c| [c.x, c.y]), heights), is_negative);
                }
            }
        }
    }
}

/// Returns the triangles from the first corner of a polygon; none of fewer than three corners.
fn fan(polygon: &[Corner]) -> impl Iterator<Item = [Corner; 3]> + '_ {
    let rest = polygon.get(1..).unwrap_or_default();
    rest.windows(2).map(|two| [polygon[0], two[0], two[1]])
}

/// Returns the integrals of 1, x, y and z over a prism that stands on a triangle, with three heights.
fn prism(at: [[DoubleDouble; 2]; 3], h: [DoubleDouble; 3]) -> [DoubleDouble; 4] {
    let zero = DoubleDouble::ZERO;
    let area = turn(&[at[0][0], at[0][1], zero], &[at[1][0], at[1][1], zero], &[at[2][0], at[2][1], zero]);
    let of = |x: [DoubleDouble; 3]| {
        (x[0] + x[1] + x[2]) * (h[0] + h[1] + h[2]) + (x[0] * h[0] + x[1] * h[1] + x[2] * h[2])
    };
    let part = |count: f64| area.quotient(DoubleDouble::from(count));
    [
        part(6.0) * (h[0] + h[1] + h[2]),
        part(24.0) * of(at.map(|p| p[0])),
        part(24.0) * of(at.map(|p| p[1])),
        part(48.0) * of(h),
    ]
}

/// Returns twice the signed area of three points as seen from above.
fn turn(a: &[DoubleDouble; 3], b: &[DoubleDouble; 3], c: &[DoubleDouble; 3]) -> DoubleDouble {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Returns the parts of a polygon where a linear function is not negative, and where it is not positive; all
/// of it as the first where it is 0 throughout.
fn split(polygon: &[Corner], value: impl Fn(&Corner) -> DoubleDouble) -> [Vec<Corner>; 2] {
    if polygon.iter().all(|corner| value(corner).high >= 0.0) {
        return [polygon.to_vec(), Vec::new()];
    }
    [cut(polygon, &value), cut(polygon, |corner| -value(corner))]
}

/// Returns the part of a polygon where a linear function is not negative.
fn cut(polygon: &[Corner], value: impl Fn(&Corner) -> DoubleDouble) -> Vec<Corner> {
    let values: Vec<DoubleDouble> = polygon.iter().map(value).collect();
    if values.iter().all(|value| value.high >= 0.0) {
        return polygon.to_vec();
    }
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, (p, &of_p)) in polygon.iter().zip(&values).enumerate() {
        let next = (k + 1) % polygon.len();
        let (q, of_q) = (&polygon[next], values[next]);
        if of_p.high >= 0.0 {
            kept.push(*p);
        }
        if (of_p.high > 0.0 && of_q.high < 0.0) || (of_p.high < 0.0 && of_q.high > 0.0) {
            let share = of_p.quotient(of_p - of_q);
            let between = |p: DoubleDouble, q: DoubleDouble| p + (q - p) * share;
            kept.push(Corner {
                x: between(p.x, q.x),
                y: between(p.y, q.y),
                heights: [0, 1].map(|k| between(p.heights[k], q.heights[k])),
            });
        }
    }
    kept
}

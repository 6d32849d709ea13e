//! Rounding bounds of the filters, as formulas of the unit roundoff, each with its count of operations.
//!
//! Notation: `u` is [`UNIT`]; a value that passes `k` roundings is off by at most `k u (1 + k u)` of its
//! size. Every bound below is the count rounded up far enough to take in the `(1 + k u)`.

/// Unit roundoff: the largest relative error of one f64 operation.
pub const UNIT: f64 = f64::EPSILON / 2.0;

/// Bound on the rounding of `max_row sum_j |a_i . a_j - [i = j]|` for columns with `|a_i|^2 <= 3/2`:
/// three dot products of three roundings each on values of at most 3/2, 13.5 u, and two additions.
pub const SKEW: f64 = 16.0 * UNIT;

/// Error of a box's extent per unit of span `D = max |p - c|`, for axes with `|a|_1 <= sqrt(3 * 3/2) < 2.13`:
/// one rounding in `p - c` and three in the dot product, 4 * 2.13 u, and one of at most 2.2 u where the
/// bound is added to the extent: 10.8 u.
pub const EXTENT: f64 = 12.0 * UNIT;

/// Gain of the skew `d` of a box's axes on its extent, per unit of span: `d / (1 - d) * |a|_1` with
/// `d <= 1/2`, below 2 * 2.13 d.
pub const EXTENT_PER_SKEW: f64 = 5.0;

/// Error of the gap along any axis, per unit of `S` (see [`crate::bounds::separating_axes`]): the
/// centres' difference takes 5 roundings and its dot product 3, the subtraction 1; a radius takes 3 for
/// the direction and 3 for the dot product, then 6 for the products and sums of six terms, on entries of
/// at most sqrt(3/2): 14.7 u. The two do not multiply the same term. By `|n|_1 <= sqrt(3) |n|`: 26 u.
pub const AXIS: f64 = 32.0 * UNIT;

/// Distance of a posed vertex from its exact place, per unit of `sum |m_j| |v_j| + |m_3|`: four roundings
/// in each of three coordinates, 4 sqrt(3) u.
pub const POSED: f64 = 8.0 * UNIT;

/// Relative error of `gap / |n|` and of one subtraction after it: 2.5 u for the length, 1 u each.
pub const QUOTIENT: f64 = 8.0 * UNIT;

/// Error of the difference of two points `p + s u` and `q + t v` of triangles in double-double arithmetic,
/// per unit of their reach `R`, for corners within R of an origin in each coordinate and s, t from 0 to 1:
/// products 20 u^2 each (on edges of 2 R), differences 16 u^2 and 24 u^2 (on up to 6 R), times sqrt(3); for
/// a point of a face 28 u^2 more, since its s + t may exceed 1 by 8 u^2.
pub const POINTS_APART: f64 = 192.0 * UNIT * UNIT;

/// Error of `n . p - n . q` in double-double arithmetic, per unit of `R |n|_1`: 18 u^2 for either product and
/// 4 u^2 for each in their difference.
pub const GAP_SEEN: f64 = 48.0 * UNIT * UNIT;

/// Error of the difference of two f64 projections on a rounded direction, per unit of `R |n|_1`: in each one
/// rounding of the direction, one of the point's difference from the origin, three of the product.
pub const PROJECTED: f64 = 16.0 * UNIT;

/// Error of a determinant of differences of points, per unit of its permanent: three roundings of the
/// differences, two of the products, one of a minor's difference, two of the sum.
pub const VOLUME: f64 = 10.0 * UNIT;

/// The same in double-double arithmetic on exact differences: 14 u^2 for a minor, 18 u^2 for the scalar
/// product.
pub const VOLUME_DOUBLE_DOUBLE: f64 = 40.0 * UNIT * UNIT;

//! Rounding bounds of the filters, as multiples of the unit roundoff, each with its count of operations.
//!
//! Notation: `u` is [`UNIT`]. A value that passes `k` roundings is off by at most `k u (1 + k u)` of its
//! size. Every bound below is the count rounded up far enough to cover the factor `(1 + k u)`.

/// Unit roundoff: the largest relative error of one f64 operation.
pub const UNIT: f64 = f64::EPSILON / 2.0;

/// Rounding error of `max_row sum_j |a_i . a_j - [i = j]|` for columns with `|a_i|^2 <= 3/2`: three dot
/// products of three roundings each, on values of at most 3/2, give 13.5 u; two additions follow.
pub const SKEW: f64 = 16.0 * UNIT;

/// Error of a box's extent per unit of span `D = max |p - c|`, for axes with `|a|_1 <= sqrt(3 * 3/2) < 2.13`:
/// one rounding in `p - c` and three in the dot product give 4 * 2.13 u, and adding the bound to the extent
/// at most 2.2 u: 10.8 u in all.
pub const EXTENT: f64 = 12.0 * UNIT;

/// Increase of a box's extent caused by the skew `d` of its axes, per unit of span: `d / (1 - d) * |a|_1`
/// with `d <= 1/2` is below 2 * 2.13 d.
pub const EXTENT_PER_SKEW: f64 = 5.0;

/// Error of the gap along any axis, per unit of `S` (see [`crate::bounds::separating_axes`]). The difference
/// of the centres takes 5 roundings, its dot product 3, and the subtraction 1. A radius takes 3 for the
/// direction, 3 for the dot product and 6 for the products and sums of six terms, on entries of at most
/// sqrt(3/2): 14.7 u. The two counts do not apply to the same term. With `|n|_1 <= sqrt(3) |n|`: 26 u.
pub const AXIS: f64 = 32.0 * UNIT;

/// Distance of a posed vertex from its exact position, per unit of `sum |m_j| |v_j| + |m_3|`: four roundings
/// in each of three coordinates give 4 sqrt(3) u.
pub const POSED: f64 = 8.0 * UNIT;

/// Relative error of `gap / |n|` and of one subtraction after it: 2.5 u for the length, 1 u for each
/// operation.
pub const QUOTIENT: f64 = 8.0 * UNIT;

/// Distance between a vertex as the contract poses it and its normal coordinates mapped to the world, per
/// unit of `l (reach + unit) + |t|`. Posing takes 4 roundings per coordinate; subtracting the centre, posing
/// the difference and the centre, and adding them takes 12. Times sqrt(3), both together give 28 u. If the
/// tree has a linear part of its own, mapping the vertex by it takes 3 more, and so does comparing the
/// product of both maps with the pose's: 38 u. A linear part that is replaced by a similarity takes 1 for the
/// difference, and their lengths less than 1 of their size, below 2^-17: 2 u. Mapping the centre of a ball to
/// the world takes 4 per coordinate, 7 u.
pub const PLACED: f64 = 64.0 * UNIT;

/// Share by which the square root of the largest row sum of `A^T A` may be less than the largest factor by
/// which A lengthens. With entries of at most 1, A takes 1 rounding, and a product of two columns 5 u of
/// their lengths. No column is longer than that root, so three products are off by 15 u of its square, and
/// their sum by 2 u. That is halved by the root; the root, the size of A, a radius that is multiplied, and a
/// length that is added take 4 u: 13 u.
pub const STRETCH: f64 = 16.0 * UNIT;

/// Error of a point mapped from one tree's normal coordinates to another's, per unit of
/// `1 + ratio + |shift|`. The inverse of a matrix within 2^-20 of a similarity takes 12 roundings, products
/// and sums take 8 more, each on terms of up to 3 times that unit: below 100 u.
pub const RELATIVE: f64 = 256.0 * UNIT;

/// Share by which a distance is lessened when it is kept for later poses and when it is used again, and by
/// which the movement in between is enlarged. A length in normal coordinates times the scale is that in the
/// world up to the pose's skew, below 2^-20. The scale takes 12 roundings, the movement 11, and the quotient,
/// products, sums and differences 8, each relative to a result with one sign: 31 u. The errors of the places
/// themselves are apart from this: [`PLACED`] and [`RELATIVE`].
pub const KEPT: f64 = 1.0 / (1 << 18) as f64;

/// Error of the gap of two polytopes along a direction n, per unit of `|n| (l_a + l_b + |o|)`: the largest
/// row sums of the linear parts that place them, and the largest coordinate of the difference of their
/// origins. Vertices have coordinates of at most 1. A direction takes 3 roundings to be mapped and a vertex 3
/// to be projected on it: 6 sqrt(3) u. The difference of the origins takes 1 and its projection 3: 4 sqrt(3)
/// u. Two sums add 2 sqrt(3) u: 14 u.
pub const SUPPORT: f64 = 16.0 * UNIT;

/// Largest magnitude of an entry of `A^T A - I` for the f32 axes of a box in a `wide_obb` tree. Rounding to
/// f32 moves the entries of a frame by at most 2^-25, and so the products of its columns by 2 sqrt(3) 2^-25 <
/// 2^-23.
pub const F32_SKEW: f64 = 1.0 / (1 << 22) as f64;

/// Error of a projection onto such f32 axes, per unit of `max |p - o| + max |c|`. Two columns are exact and
/// the third rounds once; `p - o` takes 1 rounding, a dot product 3 and the difference from the projection of
/// `c` 1, all on values of at most `|a|_1 <= 1.74` units: 10.5 u.
pub const F32_PROJECTION: f64 = 16.0 * UNIT;

/// Increase of the extents along such f32 axes, per unit of their sum. The third column is perpendicular to
/// the others, and its length differs from 1 by little more than two entries, so the skew is below 2^-20.99,
/// and so is `d / (1 - d)`. The rest covers the roundings of adding this term.
pub const F32_SKEW_GAIN: f64 = 4.0 * F32_SKEW;

/// Amount by which a box of a `wide_obb` tree is widened for the f32 arithmetic of the kernels, per unit of
/// the sum of its extents: 128 units of f32 roundoff, the sum of the terms listed in `bvh::wide_obb::box_box`
/// of `closefit`.
pub const F32_EXTENT: f64 = 1.0 / (1 << 17) as f64;

/// The same per unit of the largest coordinate of the box's centre relative to the block's origin: each of
/// the two centres loses a unit of f32 roundoff and their difference another. 16 units cover any scale at
/// which the other tree sees the box.
pub const F32_CENTER: f64 = 1.0 / (1 << 20) as f64;

/// Error of the gap of two boxes along a direction n in f64, per unit of `|n|`, of the distance of their
/// centres, of all half extents and of the margin of the map between their frames. The difference of the
/// centres takes 1 rounding and its product 3: 4 u. An axis that is mapped by a matrix near a similarity
/// takes 3 in each coordinate, 3 sqrt(3) u; its product with n 3, the product with the extent 1, and up to 8
/// sums of all terms 8: 17.2 u. The margin's product with the length takes 4, and those sums 8. The length in
/// this bound itself takes 3, and sums and products 6.
pub const BOX_GAP: f64 = 32.0 * UNIT;

/// Error of the corners of a triangle cut by up to six planes along the coordinate axes, for coordinates of
/// at most 1. The place of a new corner along its edge takes 4 roundings, relative to a share of the edge,
/// which is at most 2 long; the edge and the product take 2 more, and the sum 1: 13 u for each plane. Adding
/// this bound takes 1.
pub const TRIMMED: f64 = 96.0 * UNIT;

/// Error of a determinant of three differences of coordinates, `(p - q) . ((r - s) x (v - w))`, however the
/// points are paired, per unit of the volume `V` of a box that contains them. Each of six products is at most
/// `V` and takes 3 roundings for the differences, 2 as a product and 3 in sums: 48 u. `V` itself takes 5.
///
/// Nothing under- or overflows. Differences of admissible coordinates are 0 or at least 2^-252 (an ulp of
/// 2^-200) and at most 2^201, products of two are above 2^-504, differences of those are 0 or above 2^-557,
/// and products of three are below 2^606.
pub const DETERMINANT: f64 = 50.0 * UNIT;

/// Error of the position of a point along `((p - q) x (r - s)) x (t - v)`, per unit of the sum `W` of the
/// squared areas of a box's three faces. The twelve products add up to at most 4 W and take 4 roundings for
/// the differences, 3 as products and 4 in sums: 44 u. `W` itself takes 9. Products of four factors may
/// underflow; [`UNDERFLOW`] covers that.
pub const IN_PLANE: f64 = 46.0 * UNIT;

/// Upper bound on the loss of more than a hundred products of numbers below 1 that underflow, 2^-1075 each.
pub const UNDERFLOW: f64 = f64::MIN_POSITIVE;

/// Error of the difference of two points `p + s u` and `q + t v` of triangles in double-double arithmetic,
/// per unit of their reach `R`, for corners within R of an origin in each coordinate and s, t from 0 to 1.
/// Products take 20 u^2 each (on edges of 2 R), differences 16 u^2 and 24 u^2 (on up to 6 R), times sqrt(3).
/// A point of a face takes 28 u^2 more, because its s + t may exceed 1 by 8 u^2.
pub const POINTS_APART: f64 = 192.0 * UNIT * UNIT;

/// Error of `n . p - n . q` in double-double arithmetic, per unit of `R |n|_1`: 18 u^2 for each product and 4
/// u^2 for each term of their difference.
pub const GAP_SEEN: f64 = 48.0 * UNIT * UNIT;

/// Error of `d . n` for the normal `n = u x v` of exact vectors in double-double arithmetic, per unit of
/// `|u|_1 |v|_1 |d|_1`: 14 u^2 for a minor, where the minors of a normal add up to `|u|_1 |v|_1`, and 18
/// u^2 for the scalar product: 32 u^2. Here and below, 8 u^2 and more are left for the roundings of the
/// sizes.
pub const ALONG_NORMAL: f64 = 40.0 * UNIT * UNIT;

/// Error of `(w x v) . n` for such a normal, per unit of `|w|_1 |v|_1 |u|_1 |v|_1`: 14 u^2 for either
/// normal and 18 u^2 for the scalar product, 46 u^2. `n . n`, less one such product or two, takes 4 u^2
/// for each subtraction: 54 u^2 of the sum of their units.
pub const NORMALS: f64 = 64.0 * UNIT * UNIT;

/// Error of a coordinate of `n (n . w) / (n . n)` for such a normal, per unit of `|w|_1 s`, where `s = |u|_1
/// |v|_1 / |n|`, at least 1, is below 2^40, so that products of errors do not count. The quotient is at most
/// `|w|`, and n is off by 14 u^2 s of its length: once as a factor, 32 u^2 in `n . w` (see [`ALONG_NORMAL`]),
/// and twice in `n . n`, which loses 18 u^2 more. The quotient takes 32 u^2 and the product 10 u^2: 134 u^2.
pub const FOOT_ON_FACE: f64 = 160.0 * UNIT * UNIT;

/// Error of the share `(w x v) . n / (n . n)`, from 0 to 1, and of its product with a coordinate, per
/// unit of that coordinate and of `s (1 + |w|_1 |v|_1 / |n|)`, with s as in [`FOOT_ON_FACE`]. The
/// numerator's 14 u^2 s for n, and 32 u^2, belong to the second term. `n . n` takes 28 u^2 s and 18 u^2,
/// the quotient 32 u^2 and the product 10 u^2: 88 u^2.
pub const CROSSING: f64 = 96.0 * UNIT * UNIT;

/// Error of a scalar product of exact vectors, per unit of the sum of the sizes of its terms: 18 u^2.
pub const SCALAR_PRODUCT: f64 = 24.0 * UNIT * UNIT;

/// Error of `v . w` and of `v . v - v . w`, for exact vectors, per unit of `|v|_1 (|v|_1 + |w|_1)`: 18
/// u^2 for either product and 4 u^2 for the difference.
pub const ON_LINE: f64 = 32.0 * UNIT * UNIT;

/// Error of a coordinate of `f v` and of `w - f v`, where `f = v . w / (v . v)` is from 0 to 1, per unit
/// of `|w|_1`. The numerator's 18 u^2 `|v|_1 |w|_1` give up to sqrt(3) times as much, since `|v|_1 <=
/// sqrt(3) |v|`; the denominator takes 18 u^2, the quotient 32 u^2, the product 10 u^2, all on `f |v| <=
/// |w|`, and the difference 4 u^2 of either: 100 u^2.
pub const FOOT_ON_EDGE: f64 = 112.0 * UNIT * UNIT;

/// Error of `d . (w - f v)` for an exact d, per unit of `|d|_1 |w|_1`: [`FOOT_ON_EDGE`], and 18
/// u^2 for the scalar product.
pub const FROM_EDGE: f64 = 144.0 * UNIT * UNIT;

/// Error of the distance of two hulls and of the heights of points along the way between them, in f64, per
/// unit of their reach `R`: the largest coordinate, relative to one of the points. Each recentred coordinate
/// is off by u R. A closest point takes shares of up to three corners, each within 4 u, that add up to 1
/// within 16 u, and 5 roundings: 25 sqrt(3) u; and so does the other. A height takes 3 roundings for the unit
/// direction, 3 for the product and 1 for recentring, by `|n|_1 <= sqrt(3)`: 13 u for either side.
/// Sums of two add 8 u: 122 u. 2^8 u leave room for the roundings of the margins derived from it.
pub const HULLS_APART: f64 = 256.0 * UNIT;

/// Distance of the directions between two from the hull of four computed points: both, and where the tangents
/// there meet the one of the direction in the middle. A difference of two posed points, its length and the
/// quotient leave a direction within 8 u. The sum of both, at least 1/4 long, turns the one in the middle by
/// 72 u, and its own roundings by 8 u. The point where tangents meet, `(a + m) / (1 + a . m)`, is no longer
/// than sqrt(2): its numerator takes 90 u, its denominator, at least 1, 95 sqrt(2) u, and the quotient 2
/// sqrt(2) u.
pub const DIRECTION: f64 = 256.0 * UNIT;

/// Error of the difference of two f64 projections on a rounded direction, per unit of `R |n|_1`. Each
/// projection takes one rounding of the direction, one of the point's difference from the origin and three of
/// the product.
pub const PROJECTED: f64 = 16.0 * UNIT;

/// Error of a determinant of differences of points, per unit of its permanent: three roundings of the
/// differences, two of the products, one of a minor's difference and two of the sum.
pub const VOLUME: f64 = 10.0 * UNIT;

/// The same error in double-double arithmetic on exact differences: 14 u^2 for a minor, 18 u^2 for the scalar
/// product.
pub const VOLUME_DOUBLE_DOUBLE: f64 = 40.0 * UNIT * UNIT;

/// Error of a distance between two triangles, or of their gap along a direction, per unit of the reach `R`,
/// the largest extent of the box around both. Coordinates are relative to a corner, so they are at most R.
///
/// Two points: recentering moves each coordinate by u R, so the difference of two corners is off by 4 u R and
/// a fraction of an edge by 6 u R, for each of two edges. The two sums in which they appear, differences of
/// points of the triangles, are off by 2 u R each. A foot on a face may lie 2 u R outside: 22 sqrt(3) u R in
/// all. A gap: 2 sqrt(3) u R for recentering and 6 sqrt(3) u R for the two scalar products. The length, the
/// quotient and the sum each add at most 5 u times 2 sqrt(3) R: 56 u R.
///
/// The direction of a gap needs no error bound, only a squared length of at least [`SHORTEST`], which makes
/// underflow, 2^-1075 at a time, far smaller than a unit roundoff of it. Other lengths that underflow are
/// below 2^-530, far below u R, which is 2^-305 or 0.
pub const LENGTH: f64 = 64.0 * UNIT;

/// Smallest squared length that cannot have lost digits to underflow: 2^-960.
pub const SHORTEST: f64 = f64::from_bits((1023 - 960) << 52);

/// Upper bound on the relative error of comparing two squares, each a sum of squares of differences: 8
/// roundings.
pub const SQUARES: f64 = 16.0 * UNIT;

/// Distance between a vertex posed by a chain of n joints and its intended position, per unit of `n` and of
/// the sum of all lengths along the chain. The quaternion of a joint takes up to 24 roundings (sine, cosine,
/// product, its own length), its matrix 12 more, a translation on a helix 20, the product with the frame
/// above 4, and the vertex 4, each on terms of at most 3 times those lengths: below 200 u.
pub const MOVED: f64 = 256.0 * UNIT;

/// Error of the middle of a stretch of a span, and of half its width, per unit of the largest magnitude `m`
/// of a time in the span. The span's width, at most 2 m, takes 1 rounding, its product with an exact fraction
/// 1 more, and the sum with the span's start 1 on m: 5 u. Half the width takes 1 on m and its sum with this
/// term 1 more: 7 u.
pub const TIME: f64 = 8.0 * UNIT;

/// Amount by which radii and heights about the computed axis of a turn change, per joint of the chain plus
/// one and per unit of the distance from the axis' point. A chain's linear part is off by up to 200 u a
/// joint, and so are the origin of the turn, its velocity and its angular velocity; the axis' point `o + w x
/// v / |w|^2` adds 4 times that on its distance from o, 20 u of its own, and the arc of a stored chord 16 u:
/// below 1400 u at two times.
pub const TURNED: f64 = 4096.0 * UNIT;

/// Error of a point that is carried along the screws of a chain, per joint of the chain plus one, and per
/// unit of the lengths of all axes' points, slides and vertices together, times one and the chain's turn in
/// radians. A computed axis is off as in [`TURNED`], at one time. Its frame is orthonormal within 16 u. To
/// enter and to leave it takes 8 roundings each. The turn takes 4, of intervals whose ends are each one of
/// four products. The angle takes 4 u of itself: below 2100 u.
pub const SCREWED: f64 = 8192.0 * UNIT;

/// Error of the distance of two places in a half plane, per unit of the largest distance of a vertex from the
/// axis' point. The difference from that point takes 1 rounding in each coordinate, the height 3 more, the
/// radius 8 more with the rounding of the direction's length, and a place along another radius 10 more: 20
/// sqrt(2) u, for both parts. Projections on a direction of length 1 take 4 sqrt(2) u each, the length and
/// their difference 8 u.
pub const PROFILE: f64 = 128.0 * UNIT;

/// Error of the relative velocity of a point, per joint of the longer chain plus one, and per unit of the sum
/// over the joints of their speed and of their angular rate times all lengths. The frame above takes 40
/// roundings a joint, velocities take up to 30, and their sum with `w x p` takes 12.
pub const VELOCITY: f64 = 64.0 * UNIT;

/// Error of the speed `|v + w x p|` of a point, and of the speed of a ball around it, per unit of `|v| + |w|
/// (|p| + r)`. A coordinate of the product takes 3 roundings on terms of up to `|w| |p|`, times sqrt(3), and
/// the sum 1; lengths, the product with the radius and the last sum take 6: 13 u. The point's own error is
/// part of the radius.
pub const FIELD: f64 = 16.0 * UNIT;

/// Error of `|u . (d x c)| - |u . (d' x c + d x c')| - |u . (d' x c')|`, where u, c and d are differences of
/// points, per unit of `R^3` for the largest coordinate R of all. There are 24 products, each with 2
/// roundings of differences, 2 of products, 1 of a minor, 1 of the sum of two and 2 of the scalar product,
/// and 4 roundings of sums of up to 24 R^3: 288 u.
pub const VOLUME_OVER_TIME: f64 = 320.0 * UNIT;

/// Error of a normal `u x (d - c)` or `u x (d' - c')` of such vectors, per unit of `R^2`. Each coordinate has
/// two products of up to 2 R^2 with 4 roundings, and one rounding of their difference: 18 u, times sqrt(3),
/// for both normals.
pub const NORMAL_OVER_TIME: f64 = 80.0 * UNIT;

/// Upper bound on the relative error of a short sum of positive lengths and products of lengths: 16
/// roundings.
pub const SUMS: f64 = 32.0 * UNIT;

/// Error of a gap along a direction between moving points, per unit of the largest coordinate R of half paths
/// and of positions relative to one of the points: 2 sqrt(3) u for recentering, 9 sqrt(3) u for three scalar
/// products, and 5 u for sums and the length on up to 4 sqrt(3) R: 54 u.
pub const GAP_OVER_TIME: f64 = 64.0 * UNIT;

/// Error of a point `p + (q - p) t` with t from 0 to 1, per unit of the largest coordinate of p and q: up to
/// 4 u for the difference, 2 u for the product and 1 u for the sum, in each coordinate; times sqrt(3).
pub const SPLIT: f64 = 16.0 * UNIT;

/// Error of the height of a point above the plane through another along a unit normal, per unit of the
/// largest coordinate of their difference: one rounding of the difference and three of the product, by `|n|_1
/// <= sqrt(3)`, both for the point and for what the plane supports, and 5 u for the normal's length: 24 u.
pub const WAY_OUT: f64 = 32.0 * UNIT;

/// Error of the heights of an edge's ends beyond a triangle's plane, and of the distance of the point where
/// it meets that from the triangle's edges, per unit of the largest length between the points and of their
/// largest coordinate, and times the square c of that length by the length of the normal, which is 1 or more.
/// Differences of points take 1 rounding of a coordinate, 2 u sqrt(3). The normal is off by up to 16 u of the
/// square, so its direction by 16 u c; a height is off by 32 u c, and the point by twice as much times the
/// edge's length by its height, which the margin divides by the same. 2^10 u c leave room for sums and
/// quotients.
pub const PIERCED: f64 = (1u64 << 10) as f64 * UNIT;

/// Error of a sum of up to three products in f32, of terms converted to f32 and with an offset, per unit of
/// the sum of the sizes of all terms: 2 conversions, 1 product and 3 sums for each, 6 units of f32 roundoff;
/// 16 leave room for the bound's own rounding.
pub const F32_ROUNDINGS: f64 = 1.0 / (1 << 20) as f64;

/// Amount by which a slab is widened for the f32 arithmetic of a line's crossing with its planes, per unit of
/// the sum of the sizes of all terms. The line's origin takes 1 conversion, 1 product and 2 sums for each
/// term, a plane 2, their difference 1, and the quotient 3 with the rounding of the reciprocal: 10 units of
/// f32 roundoff. The direction is rounded once, and entries below [`LEAST_ENTRY`] are replaced. 32 units
/// leave room for the bound's own rounding.
pub const F32_LINE: f64 = 1.0 / (1 << 19) as f64;

/// Smallest entry of a line's direction, per unit of its length, by which crossings are divided. A smaller
/// one moves no point of a line within -1 to 1 by more than 2^-29, which [`F32_LINE`] includes.
pub const LEAST_ENTRY: f64 = 1.0 / (1 << 30) as f64;

/// Amount by which a gap of two boxes along an axis is lessened for its f32 arithmetic, per unit of the sum
/// of the sizes of all terms. Middles and extents take 2 roundings, the difference of the middles 8, its
/// product with an axis 6, and the extents 8, in units of f32 roundoff. Poses are within 2^-20, 16 units, of
/// similarities, which changes each of three extents along an axis by up to 2 such deviations: 120 units in
/// all.
pub const F32_AXES: f64 = 1.0 / (1 << 17) as f64;

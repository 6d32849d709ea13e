//! Error bounds for kernels on a compute device, each with its derivation. `shaders/shared/bounds.wgsl` has
//! the same constants under the same names; a test compares the two.
//!
//! WGSL may round `+ - *` to either neighbour, so here `v` = 2^-23. It may reassociate and fuse operations,
//! and some drivers distribute products over sums. An expression is therefore bounded over its expanded
//! monomials: the error is at most `k v` times the sum of their sizes if no monomial passes more than k
//! roundings in any order. `fence` in a shader ends an expression. Subnormals may become 0; every margin
//! contains a length that is far larger. A quotient is taken to be off by 3 v and a root by 5 v, since an
//! NVIDIA H100 is off by 2.6 v and 4.62 v where WGSL promises 2.5 and 4.5.
//!
//! **Boxes.** Let `T` be the difference of two boxes' centres, `c` and `s` the centres of the other and of
//! the single box relative to their blocks' origins, and `P` the difference of these origins, all in units of
//! the opened tree. `P` comes from integers: 3 v for its conversion. If the boxes meet, `|T| <= Ha + Hb`, the
//! sums of their half extents; and `|P| <= |T| + |c| + |s|`.
//!
//! - Centre of the single box. If it is a guest's: `P + R s` with a fence after `R s`: 4 v |P| + 8 v |s|.
//!   If it is a home box: `R^T (s - P) / ratio` with a fence after the difference: 12 v of the result and 3
//!   v |P|. With the inequalities above, at most 15 v |T| + 15 v |c| + 12 v |s|.
//! - `T` along the single box's axes: six monomials and a fence, 6 v (|T| + 2 |c|) sqrt(3). Together with the
//!   centre: 26 v |T| + 36 v |c| + 12 v |s|. [`CENTER`] covers the parts of `c` and `s`; the boxes on the
//!   device already contain it.
//! - The single box's axes `q_i`, fenced: 4 sqrt(3) v for a product with a rotation. So `q_0` and `q_1` are
//!   orthonormal within 24 v (with the 2 v of the stored axes and 8 v of the poses' skew), and their cross
//!   product within 54 v. The row sums of `Q^T Q - I` are at most 68 v with the skew of the other box's axes.
//!   Compared with the box's exact axes, no product with one axis is off by more than 40 v, and no vector of
//!   three such products by more than 70 v.
//! - The other box's axes `b_j`, the third one a cross product within 6 v: the products `c_ij = q_i . b_j`,
//!   fenced, are off by at most 10 v.
//!
//! A separating test is valid for any direction, so the test uses the directions that the computed numbers
//! represent. Face axes `q_i` of the single box: the extents of the single box are off by 40 v and those
//! of the other box by 10 v, which [`PARALLEL`] covers. Face axes of the other box, `n = Q c_j`: the
//! extents of the single box are off by 70 v and 10 v ([`PARALLEL`]), those of the other by 68 v of their
//! sum, `T` by 26 v and its product by 10 sqrt(3) v, the sum of the radius by 5 v. Edge axes `n = Q w`,
//! `w_i1 = c_ji2`, `w_i2 = -c_ji1`: the terms left out of a radius are at most 70 v |w| of it, `T` is off
//! by 28 v |w| |T|, and a product of two columns differs from the third by 119 v ([`PARALLEL`]).
//! [`EXTENT`] covers the multiples of |w|: for the single box through its own two columns of w, for the
//! other box through `|c_j1i| + |c_j2i|`. In a rotation, |w| and the length of (c_j1i, c_j2i) are equal,
//! and the products are within 60 v of one, so the sum is at most 170 v less than |w|. That leaves 42 v *
//! 170 v of the sum of the other box's half extents. [`PARALLEL`] covers it, since each of them is at
//! least [`EXTENT`] times their sum.
//!
//! **Triangles.** Corners of a leaf pair are integers on a common grid, relative to the first corner of the
//! home leaf, with magnitudes below 2^30 in steps of 2^-29. Their differences are exact and are rounded once,
//! when converted to f32. Let `size` be the extents of the box around two triangles, each enlarged by twice
//! the error d of a corner's position;
//! `V` the product of the extents, and `F` the sum of the products of two of them. What stays undecided is
//! tested in doubles made of integers, with the CPU's bounds.

/// Largest relative rounding error of a WGSL operation: 2^-23, since it may round to either neighbour.
pub const UNIT: f32 = 1.0 / (1 << 23) as f32;

/// Widening of a box on the device, per unit of the sum of its half extents: 26 v + 18 v + 68 v + 5 v for the
/// difference of centres, its product, the axes and the sum of a radius, and less in the other tests; 2 v for
/// scaling the extents.
pub const EXTENT: f32 = 128.0 * UNIT;

/// Widening of a box on the device, per unit of the largest coordinate of its centre: 36 sqrt(3) v.
pub const CENTER: f32 = 64.0 * UNIT;

/// Added to the size of each scalar product of two axes: 119 v, and 42 v * 170 v / (2 * 128 v) = 28 v for
/// edges that are almost parallel.
pub const PARALLEL: f32 = 160.0 * UNIT;

/// Share of the distance of two boxes' centres that bounds of their distance give away. [`EXTENT`] and
/// [`CENTER`] cover all errors in proportion to the boxes' sizes and places, since the gap is seen along one
/// direction `n`, not longer than 1 by more than 5 v: the single box's radius is off by 79 v, the other's by
/// 28 v. What remains goes with the distance `|T|`: 26 v for the difference of the centres, 3 v for its
/// product with n and 9 v for the gap, a difference of three numbers; 39 v for the length of the direction in
/// the world, 34 v of them for the axes' skew; 8 v because a guest's frame is entered by the transpose of a
/// rotation; 10 v for the change of units. That is 95 v. The upper bound, the distance of the centres and
/// half of both diagonals, is off by 26 v + 34 v, by 8 v for the roots and 12 v for sums and units, and by 16
/// v for the poses' skew: in the world, home units may differ by 8 v between two places, and distances that
/// round to the same number count as equal.
pub const FAR: f32 = 128.0 * UNIT;

/// Error of a distance of two triangles, or of their gap along a direction, per unit of the reach R, the
/// largest extent of the box around both. Differences of corners are exact but for one rounding, and at most
/// R.
///
/// Two points: an offset of corners and a fraction of two edges, 4 roundings each, are off by 12 sqrt(3) v R.
/// A foot on a face may lie 2 v R outside: 4 v R. Its fractions are fenced: of a thin face they are
/// differences of large numbers, and must not be computed twice in different ways. So are the offset, before
/// it is squared, and the direction of a gap. The root of the squares adds 8 v of at most sqrt(3) R, the sum
/// and the change of units 3 v, and the poses' skew 16 v as for [`FAR`]: 72 v R. A gap: 4 sqrt(3) v R for
/// each of two scalar products, 2 sqrt(3) v R for their difference, 10 sqrt(3) v R for the length and the
/// quotient, 3 sqrt(3) v R for the difference from the error and the change of units: 40 v R. The direction
/// of a gap needs no error bound, only a squared length of at least 1e-27, below which products might vanish.
pub const LENGTH: f32 = 96.0 * UNIT;

/// Share of all that motion adds to a radius, for its rounding. Let `A` be the limit plus the deviation, `d`
/// the path of the moving box's centre, `w` the turn, `h` the half extents of the moving box, and `L` the sum
/// of the sizes of `h`, of the single box's centre, of the block's origin and of the other box's place in its
/// block; for a block that moves, also of `T`. [`WIDER`] multiplies `A + |d| + |w| L`, with sums of sizes as
/// lengths. Boxes that come within the limit have centres with `|T| <= Ha + Hb + A + |d| + |w| |h|`.
///
/// - Errors in proportion to `|T|`: 44 v for `T` and its products (see Boxes above, as for [`EXTENT`]), here
///   of the part that the half extents do not cover.
/// - The path at the single box's centre: 15 v |w| L for that place, 3 v more for the origin; 8 v for the
///   sum, whose terms are at most |d| + 2 |w| L; 64 v for the poses' skew, as on the CPU; 6 v for products
///   with the axes. At a block's box 32 v more, for `T` along the axes, and 6 v for the product.
/// - Products with the turn. In the coordinates of three axes whose row sums of `Q^T Q - I` are at most
///   68 v, a triple product of directions is off by three times that, and by 100 v for the determinant:
///   304 v |w| |h|. The moving box's own axes are off by 40 v, and 10 roundings remain.
/// - Directions longer than 1: 68 v of `A`, for an edge axis 119 v. What [`PARALLEL`] adds to a lever is no
///   error.
/// - Sums, 12 v; conversions on the CPU, 4 v.
///
/// Triangles take it for their corners, whose paths have the same errors but for the axes and less than 8 v
/// for products with a direction, its length and quotients; there `L` is the reach of the corners from the
/// normal origin.
///
/// A part of a stretch shifts the centre of what moves by `m d`, its path up to the middle of the part,
/// where m is between -1 and 1: 2 v of |d|, and 44 v of it for the products of T, which is longer by as
/// much. The sum rounds T once more, by 1 v of the half extents, for which [`EXTENT`] has room. The path in
/// half of the part is d times a power of two, which is exact. What turns does so over the whole stretch.
///
/// The total is below 750 v. The radius of the boxes themselves is fenced, so [`EXTENT`] covers it with one
/// more rounding.
///
/// `interval_boxes` adds the same to all axes, with `T` and the extents of both boxes in `L`. Face axes are
/// as above, each as seen from its own part. An edge axis moves, from its middle `n` by `n'` to either end:
/// for axis i of the single box and axis j of the other, `n = Q (g_i x c_j)` and `n' = Q (g_i x c'_j)`, with
/// a unit vector `g_i` and the computed `c'_j = w x c_j`. Any directions may be tested, so it does not matter
/// how the axes of the boxes turn meanwhile. As seen from the single box, a point `q` of the other box moves
/// by `t u(q)`, for t from -1 to 1, and deviates by some e. From a point `p` of the single box,
///
/// `(n + t n') . (q + t u(q) + e - p) = n . (q - p) + t (n' . (q - p) + n . u(q)) + t^2 n' . u(q) + (n + t
/// n') . e`.
///
/// - The first two terms, for the centres: 44 v of `|T|` as above, and once more of `|w| |T|`; for u, of the
///   path and `|w| L`, as for the other axes, and 10 v of both for the product with n.
/// - The same for the extents. Those of the single box are multiplied by coordinates of `c_j` and of `c'_j`,
///   off by 90 v |w|. Those of the other box are multiplied by `c_l` and `c'_l`, because the derivative of
///   `c_j x c_k` is that of `c_l`: 119 v for the product of two columns, 119 v for its derivative, 304 v as
///   above for n . (w x y), and less than 20 v for roundings. With the sums that is 600 v |w| L.
/// - The third term is at most `|w| |u(q)|`, and |u(q)| at most the path of the centre plus |w| times the
///   half extents. Its relative error is below 200 v, of at most twice `|w| (|d| + |w| L)`, and u is off by
///   less than 200 v of that: [`WIDER`] times
///   |w| is added for it.
/// - In the last term, and where the limit is compared, the direction is longer than 1: by at most `|w|^2 /
///   2`, and by 119 v. The bound of all of `A` is multiplied by that.
///
/// Over a part of the stretch, t goes from m - h to m + h, within -1 and 1. The first two terms are then
/// those at m, which adds 2 v of the second one, and h times the second one; the third and the fourth are
/// bounded as for the whole.
///
/// The total is below 900 v.
pub const WIDER: f32 = 1024.0 * UNIT;

/// Error of a gap between two triangles along a direction `n`, in a part of a stretch, per unit of `R`: the
/// largest extent of the box around both plus the largest coordinate of a path in half of the stretch.
/// Positions relative to the standing triangle's first corner are fenced: 1 v for a difference of corners, 2
/// v for the path up to the middle of the part. Scalar products with n add 3 v: 6 sqrt(3) v R for a moving
/// corner, 4 sqrt(3) v R for a standing one, and 3 sqrt(3) v R for a path, since its product with a power of
/// two is exact. The two differences of these add 5 sqrt(3) v R: 32 v R. The length of n and its product with
/// all that is wanted are off by 8 v of that, and nothing is excluded if that is more than the gap, 2 sqrt(3)
/// R: 28 v R. Errors of the paths themselves and of the corners' places are in [`WIDER`] and [`GRID`]; the
/// part of a path before the middle of a part and that in half of it are no longer than the whole.
pub const GAP_OVER_TIME: f32 = 64.0 * UNIT;

/// Error of a point placed in fixed point, in steps of 2^-48. A product of two numbers with four limbs of 12
/// bits leaves out 9 limb products of weight 2^-72, 6 of 2^-84 and 3 of 2^-96, up to 2^24 each: 2^-44.8. The
/// matrix is rounded to 2^-49 per entry and multiplies vectors of up to 3: 2^-47.4. Further terms are the
/// floor of the sum, 2^-48, the rounding of the shift, 2^-49, and those of the coordinates and the centres of
/// both trees, 2^-47. The total is below 2^-44.1; times sqrt(3), 26 steps.
pub const PLACED: f32 = 32.0;

/// Error of a point that the device places by the frames of two trees, in steps of 2^-48, beyond [`PLACED`],
/// and beyond eight times the skew of the home pose. A point of the guest comes to lie less than 8 units from
/// the home origin, because balls about both trees of 1.7321 units meet and the margin is below 1; the
/// transpose of a rotation of that skew is its inverse but for as much. Of a product of two matrices, and of
/// that with a vector, limbs leave out 9.2 steps and a floor 1; with a single number, 3.1 and 1.
///
/// - Entries of the linear parts, over powers of two that make their columns shorter than 1, are rounded to
///   fixed point: 0.5 steps. Those of their product are off by 0.5 steps of two vectors, 1.8, and by 10.2:
///   12. By the quarter, which is at most 1 and off by 0.7, and times four: 4 (12 + 0.7 + 4.1), 67.2. They
///   multiply coordinates of up to 3: 202 steps.
/// - The origins are rounded to the grid, together 1 step, in units of up to two home units, of which they
///   are up to 8 apart. By the linear part: 7.0 and 1.8 and 10.2, 19. By the quarter, off by 0.6 of up to 8
///   units, and times four: 4 (19 + 4.8 + 4.1), 112 steps.
///
/// The sum for three coordinates is sqrt(3) 314, 544 steps. The skew itself is off by 14 steps at most.
pub const BY_FRAMES: f32 = 576.0;

/// Error of a corner's position relative to a corner of the other tree, in steps of the grid, beyond
/// [`PLACED`]: half a step for each rounding to the grid (a home edge, the difference of the first corners, a
/// guest edge), and 2^-14 for the product of an edge of 48 bits with the rotation: 1.51 sqrt(3).
pub const GRID: f32 = 3.0;

/// Error of a determinant of three differences, per unit of `V`: six monomials of up to V, 10 roundings each
/// (3 of differences, 2 of products, 5 of sums); 4 v for V itself.
pub const DETERMINANT: f32 = 66.0 * UNIT;

/// Change of such a determinant due to the errors of its points, per unit of `d F`. One of the three
/// differences is off by 2 d and the other two are within the enlarged box, so that their cross product is at
/// most 2 F long: 12 in all, and 8 v for rounding.
pub const MOVED_DETERMINANT: f32 = 12.0 + 64.0 * UNIT;

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::math::error_bounds;

    /// Returns the names and values of the shaders' constants. An integer is the upper word of a double.
    fn of_shaders() -> Vec<(String, f64)> {
        let source = include_str!("../../shaders/shared/bounds.wgsl");
        let module = naga::front::wgsl::parse_str(source).expect("valid WGSL");
        let constants = module.constants.iter().map(|(_, constant)| {
            let name = constant.name.clone().expect("a name");
            match module.global_expressions[constant.init] {
                naga::Expression::Literal(naga::Literal::F32(value)) => (name, f64::from(value)),
                naga::Expression::Literal(naga::Literal::U32(word)) => {
                    (name, f64::from_bits(u64::from(word) << 32))
                }
                ref other => panic!("{name} is {other:?}"),
            }
        });
        constants.collect()
    }

    #[test]
    fn shaders_have_the_same_constants() {
        let ours = [
            ("PARALLEL", PARALLEL),
            ("FAR", FAR),
            ("GRID", GRID),
            ("DETERMINANT", DETERMINANT),
            ("MOVED_DETERMINANT", MOVED_DETERMINANT),
            ("LENGTH", LENGTH),
            ("WIDER", WIDER),
            ("GAP_OVER_TIME", GAP_OVER_TIME),
        ]
        .map(|(name, value)| (name.to_owned(), f64::from(value)));
        let f64_ones =
            [("F64_DETERMINANT", error_bounds::DETERMINANT), ("F64_IN_PLANE", error_bounds::IN_PLANE)]
                .map(|(name, value)| (name.to_owned(), value));
        assert_eq!(of_shaders(), [&ours[..], &f64_ones].concat());
    }
}

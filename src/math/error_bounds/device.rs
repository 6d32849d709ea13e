//! Bounds for kernels on a compute device, each with the derivation of its value. `shaders/shared/bounds.wgsl` has the
//! same constants under the same names; a test compares the two.
//!
//! WGSL rounds `+ - *` to either neighbour, so here `v` = 2^-23. It may reassociate and fuse operations, and some drivers
//! distribute products over sums. So an expression is bounded over its expanded monomials: `k v` times the sum of their
//! sizes, where no monomial passes more than k roundings in any order. `fence` in a shader ends an expression.
//! Subnormals may become 0; every margin contains a length that is far larger.
//!
//! **Boxes.** Let `T` be the difference of two boxes' centres, `c` and `s` the centres relative to their blocks' origins,
//! and `P` the difference of these origins, all in units of the opened tree. `P` comes from integers: 3 v for its
//! conversion. If the boxes meet, `|T| <= Ha + Hb`, the sums of their half extents; and `|P| <= |T| + |c| + |s|`.
//!
//! - The single box's centre. Of a guest: `P + R s` with a fence after `R s`: 4 v |P| + 8 v |s|. Of a home box: `R^T (s -
//!   P) / ratio` with a fence after the difference: 12 v of the result and 3 v |P|. With the above, at most
//!   15 v |T| + 15 v |c| + 12 v |s|.
//! - `T` along the single box's axes, six monomials and a fence: 6 v (|T| + 2 |c|) sqrt(3). Together 26 v |T| + 36 v |c| +
//!   12 v |s|. The parts of `c` and `s` are [`CENTER`]'s, which the boxes on the device already contain.
//! - The single box's axes `q_i`, fenced: 4 sqrt(3) v for a product with a rotation, so that `q_0` and `q_1` are orthonormal
//!   within 24 v (with the 2 v of the stored ones and 8 v of the poses' skew), and their cross product within 54 v; the
//!   sums of rows of `Q^T Q - I` are at most 68 v with the skew of the other box's axes. From the exact axes of the box they
//!   differ so much that no product with them is off by more than 40 v, and no vector of three by more than 70 v.
//! - The other box's axes `b_j`, the third one a cross product within 6 v: products `c_ij = q_i . b_j` are off by at most
//!   10 v, fenced.
//!
//! Any direction may be tested, so those that the computed numbers stand for are. Face axes `q_i` of the single box: the
//! extents of the single one are off by 40 v, those of the other one by 10 v, which [`PARALLEL`] covers. Face axes of the
//! other, `n = Q c_j`: the extents of the single box are off by 70 v and 10 v ([`PARALLEL`]), those of the other by
//! 68 v of their sum, `T` by 26 v and its product by 10 sqrt(3) v, the sum of the radius by 5 v. Edge axes `n = Q w`, `w_i1 =
//! c_ji2`, `w_i2 = -c_ji1`: what a radius leaves out is off by at most 70 v |w| of it, `T` by 28 v |w| |T|, and a product of
//! two columns differs from the third by 119 v ([`PARALLEL`]). [`EXTENT`] covers the multiples of |w|: of the single box
//! by its own two columns of w, of the other box by `|c_j1i| + |c_j2i|`, of which the squares add up to |w|^2 but for 130
//! v. Where |w| is small that is less than |w| by up to sqrt(130 v) = 4e-3: 42 v of that is [`EDGE`]'s.
//!
//! **Triangles.** Corners of a leaf pair are integers on a common grid, relative to the first corner of the home leaf:
//! |x| < 2^30 in steps of 2^-29. Differences are exact and take one rounding as f32. Let `size` be the extents of the box
//! around two triangles, each enlarged by twice the error d of a corner's place; `V` their product, `F` the sum of the
//! products of two of them, `W` the sum of the squares of these, `S` the sum of all three.

/// Unit roundoff of WGSL.
pub const UNIT: f32 = 1.0 / (1 << 23) as f32;

/// Widening of a box on the device, per unit of the sum of its half extents: 26 v + 18 v + 68 v + 5 v for the difference of
/// centres, its product, the axes and the sum of a radius, and less elsewhere; 2 v for scaling the extents.
pub const EXTENT: f32 = 128.0 * UNIT;

/// Widening of a box on the device, per unit of the largest coordinate of its centre: 36 sqrt(3) v.
pub const CENTER: f32 = 64.0 * UNIT;

/// Added to the size of each scalar product of two axes: 119 v.
pub const PARALLEL: f32 = 128.0 * UNIT;

/// Added to the radius of an edge axis, per unit of the sum of all half extents: 42 v * 4e-3, and 2 v / 8 for the sum.
pub const EDGE: f32 = UNIT;

/// Error of a point placed in fixed point, in its steps of 2^-48. A product of two numbers of four limbs of 12 bits leaves
/// out 9 products of limbs of weight 2^-72, 6 of 2^-84 and 3 of 2^-96, up to 2^24 each: 2^-44.8. The matrix is rounded
/// to 2^-49 per entry, on vectors of up to 3: 2^-47.4; then there are the sum's floor, 2^-48, the rounding of the
/// shift, 2^-49, and of the coordinates of both points, 2^-48. Their sum is below 2^-44.3; times sqrt(3), 23 steps.
pub const PLACED: f32 = 32.0;

/// Error of a corner's place relative to that of another tree's corner, in steps of the grid, beyond [`PLACED`]: half a step
/// for each rounding to the grid (a home edge, the difference of the first corners, a guest edge), and 2^-14 for the
/// product of an edge of 48 bits with the rotation: 1.51 sqrt(3).
pub const GRID: f32 = 3.0;

/// Error of a determinant of three differences, per unit of `V`: six monomials of up to V, 10 roundings each (3 of
/// differences, 2 of products, 5 of sums); 4 v for V itself.
pub const DETERMINANT: f32 = 66.0 * UNIT;

/// Change of such a determinant by the places of its points, per unit of `d F`: of three differences one is off by 2 d and
/// the others are within the enlarged box, so that their cross product is at most 2 F long: 12, and 8 v.
pub const MOVED_DETERMINANT: f32 = 12.0 + 64.0 * UNIT;

/// Error of the position of a point along `((p - q) x (r - s)) x (t - u)`, per unit of `W`: twelve monomials that add up to
/// at most 4 W, 18 roundings each (4 of differences, 3 of products, 11 of sums); 8 v for W itself.
pub const IN_PLANE: f32 = 80.0 * UNIT;

/// Change of that position by the places of the points, per unit of `d S^3`: 2 d for the point, for the edge, and for both
/// vectors of the cross product, each with vectors within the enlarged box: at most 8, and room for rounding.
pub const MOVED_IN_PLANE: f32 = 9.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// The shaders' constants, by name.
    fn of_shaders() -> Vec<(String, f32)> {
        let source = include_str!("../../../shaders/shared/bounds.wgsl");
        let module = naga::front::wgsl::parse_str(source).expect("valid WGSL");
        let constants = module.constants.iter().map(|(_, constant)| {
            let name = constant.name.clone().expect("a name");
            match module.global_expressions[constant.init] {
                naga::Expression::Literal(naga::Literal::F32(value)) => (name, value),
                ref other => panic!("{name} is {other:?}"),
            }
        });
        constants.collect()
    }

    #[test]
    fn shaders_have_the_same_constants() {
        let ours = [
            ("PARALLEL", PARALLEL),
            ("EDGE", EDGE),
            ("GRID", GRID),
            ("DETERMINANT", DETERMINANT),
            ("MOVED_DETERMINANT", MOVED_DETERMINANT),
            ("IN_PLANE", IN_PLANE),
            ("MOVED_IN_PLANE", MOVED_IN_PLANE),
        ];
        let theirs = of_shaders();
        assert_eq!(theirs, ours.map(|(name, value)| (name.to_owned(), value)));
    }
}

//! Eigenvectors of symmetric 3x3 matrices by cyclic Jacobi rotations.

use glam::DVec3;

/// Number of Jacobi sweeps. They converge quadratically; eight annihilate the off-diagonal of any f64 matrix.
const SWEEPS: usize = 8;

/// Returns the eigenvectors of the symmetric matrix with these rows, orthonormal up to rounding, in no
/// particular order.
///
/// Entries that are not finite give axes that are not finite. The caller must check for that, as it must
/// check orthonormality.
pub fn eigenvectors(symmetric: [[f64; 3]; 3]) -> [DVec3; 3] {
    let mut m = symmetric;
    let mut columns = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..SWEEPS {
        if m[0][1] == 0.0 && m[0][2] == 0.0 && m[1][2] == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut m, &mut columns, p, q);
        }
    }
    columns
}

/// Rotates a matrix, and the columns with it, in the plane of axes p and q so that entry (p, q) becomes zero.
pub fn rotate(m: &mut [[f64; 3]; 3], columns: &mut [DVec3; 3], p: usize, q: usize) {
    let off = m[p][q];
    if off == 0.0 {
        return;
    }
    let theta = (m[q][q] - m[p][p]) / (2.0 * off);
    let size = theta.abs();
    // Beyond 2^500 the square would overflow; the angle equals 1 / (2 theta) to the last bit long before
    // that.
    let t = if size > 1e150 { 0.5 / size } else { 1.0 / (size + (size * size + 1.0).sqrt()) };
    let t = if theta < 0.0 { -t } else { t };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let r = 3 - p - q;
    let (to_p, to_q) = (m[r][p], m[r][q]);
    m[p][p] -= t * off;
    m[q][q] += t * off;
    m[p][q] = 0.0;
    m[q][p] = 0.0;
    m[r][p] = c * to_p - s * to_q;
    m[p][r] = m[r][p];
    m[r][q] = s * to_p + c * to_q;
    m[q][r] = m[r][q];
    (columns[p], columns[q]) = (c * columns[p] - s * columns[q], s * columns[p] + c * columns[q]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn diagonalises_and_stays_orthonormal(d in prop::array::uniform6(-1.0..1.0f64), power in -150..150i32) {
            let scale = 2f64.powi(power);
            let [a, b, c, e, f, g] = d.map(|x| x * scale);
            let m = [[a, b, c], [b, e, f], [c, f, g]];
            let axes = eigenvectors(m);
            let product = |v: DVec3| DVec3::from_array(m.map(|row| DVec3::from_array(row).dot(v)));
            for i in 0..3 {
                for j in 0..3 {
                    let identity = if i == j { 1.0 } else { 0.0 };
                    prop_assert!((axes[i].dot(axes[j]) - identity).abs() < 64.0 * f64::EPSILON);
                    if i != j {
                        prop_assert!(axes[i].dot(product(axes[j])).abs() < 64.0 * f64::EPSILON * scale);
                    }
                }
            }
        }
    }

    #[test]
    fn keeps_axes_that_are_already_right() {
        assert_eq!(
            eigenvectors([[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]]),
            [DVec3::X, DVec3::Y, DVec3::Z]
        );
    }
}

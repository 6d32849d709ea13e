//! Poses: 3x4 matrices of f64, in the exact operation order of the contract.

use glam::{DMat3, DVec3};

/// Posed coordinates smaller than this in magnitude are 0.
pub const SMALLEST: f64 = f64::from_bits((1023 - 200) << 52); // 2^-200
/// Posed coordinates larger than this in magnitude are an input error.
pub const LARGEST: f64 = f64::from_bits((1023 + 200) << 52); // 2^200

/// Returns the point with coordinates smaller than 2^-200 replaced by 0 (never -0).
#[inline]
pub fn flush_tiny(p: DVec3) -> DVec3 {
    let flush = |x: f64| if x.abs() < SMALLEST { 0.0 } else { x };
    DVec3::new(flush(p.x), flush(p.y), flush(p.z))
}

/// An affine map from a part's frame to the world, as rows `[m0, m1, m2, m3]`.
///
/// Any linear part is admitted (scaled, mirrored, sheared, not quite orthonormal) and used unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Three rows of four entries: a row of the linear part, then of the translation.
    pub rows: [[f64; 4]; 3],
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self::translation([0.0; 3]);

    /// Creates a translation.
    pub const fn translation([x, y, z]: [f64; 3]) -> Self {
        Self { rows: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]] }
    }

    /// True when no coordinate of magnitude up to `largest` can exceed 2^200 once posed; false for NaN and infinity.
    pub fn keeps_in_range(&self, largest: f64) -> bool {
        let row = |m: &[f64; 4]| (m[0].abs() + m[1].abs() + m[2].abs()) * largest + m[3].abs();
        // Summed so that a NaN remains NaN.
        self.rows.iter().map(row).sum::<f64>() < LARGEST
    }

    /// Creates a pose from a quaternion `[x, y, z, w]` (first divided by its length), a scale that multiplies
    /// the columns of the rotation, and a translation. Returns `None` for a quaternion whose length is zero
    /// or not finite.
    pub fn from_trs(rotation: [f64; 4], scale: [f64; 3], translation: [f64; 3]) -> Option<Self> {
        let [x, y, z, w] = rotation;
        let length = (((x * x + y * y) + z * z) + w * w).sqrt();
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        let (x, y, z, w) = (x / length, y / length, z / length, w / length);
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, xy, xz) = (x * x2, x * y2, x * z2);
        let (yy, yz, zz) = (y * y2, y * z2, z * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        let r = [
            [1.0 - (yy + zz), xy - wz, xz + wy],
            [xy + wz, 1.0 - (xx + zz), yz - wx],
            [xz - wy, yz + wx, 1.0 - (xx + yy)],
        ];
        let [sx, sy, sz] = scale;
        Some(Self {
            rows: std::array::from_fn(|i| [r[i][0] * sx, r[i][1] * sy, r[i][2] * sz, translation[i]]),
        })
    }

    /// Creates a scaling along the axes.
    pub const fn scaling([x, y, z]: [f64; 3]) -> Self {
        Self { rows: [[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0]] }
    }

    /// Returns the linear part.
    pub fn linear(&self) -> DMat3 {
        let [x, y, z] = self.rows.map(|m| DVec3::new(m[0], m[1], m[2]));
        DMat3::from_cols(x, y, z).transpose()
    }

    /// Returns the translation.
    pub fn shift(&self) -> DVec3 {
        DVec3::from_array(self.rows.map(|m| m[3]))
    }

    /// Returns `parent * child`, which applies the child's map first, then the parent's.
    pub fn compose(parent: &Self, child: &Self) -> Self {
        let (p, c) = (&parent.rows, &child.rows);
        let entry = |i: usize, j: usize| (p[i][0] * c[0][j] + p[i][1] * c[1][j]) + p[i][2] * c[2][j];
        Self { rows: std::array::from_fn(|i| [entry(i, 0), entry(i, 1), entry(i, 2), entry(i, 3) + p[i][3]]) }
    }

    /// Returns the posed point, rounded in the contract's order. Tiny coordinates become 0 (never -0).
    #[inline]
    pub fn apply(&self, v: DVec3) -> DVec3 {
        let coordinate = |m: &[f64; 4]| ((m[0] * v.x + m[1] * v.y) + m[2] * v.z) + m[3];
        flush_tiny(DVec3::new(
            coordinate(&self.rows[0]),
            coordinate(&self.rows[1]),
            coordinate(&self.rows[2]),
        ))
    }

    /// True when every entry is finite.
    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|x| x.is_finite())
    }
}

//! The poses of one thing in four rows, one per lane, with the bits of [`Pose`].

use super::{Select, Simd, SimdBase, SimdFloat, SimdMask, Vec3x4, Vector, f64x4};
use crate::math::pose::{Pose, SMALLEST};

/// Number of rows whose poses are in one vector.
pub const ROWS: usize = 4;

/// A number in each of four rows.
pub type FourNumbers = [f64; ROWS];

/// The poses of one part in four rows, which are searched together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub struct FourPoses {
    /// The entries of [`Pose::rows`], each in all lanes.
    entries: [[FourNumbers; 4]; 3],
}

impl FourPoses {
    /// The same pose in all rows.
    pub fn splat(pose: &Pose) -> Self {
        Self { entries: pose.rows.map(|row| row.map(|entry| [entry; ROWS])) }
    }

    /// Returns the pose in a row.
    #[inline]
    pub fn get(&self, lane: usize) -> Pose {
        assert!(lane < ROWS);
        let [p, q, r] = &self.entries;
        let at = |row: &[FourNumbers; 4]| [row[0][lane], row[1][lane], row[2][lane], row[3][lane]];
        Pose { rows: [at(p), at(q), at(r)] }
    }

    /// Sets the pose in a row.
    pub fn set(&mut self, lane: usize, pose: &Pose) {
        for (entries, row) in self.entries.iter_mut().zip(&pose.rows) {
            for (entry, &to) in entries.iter_mut().zip(row) {
                entry[lane] = to;
            }
        }
    }

    /// Loads the poses.
    #[inline(always)]
    pub fn load<S: Simd>(&self, simd: S) -> Poses4<S> {
        let [p, q, r] = &self.entries;
        Poses4 { rows: [loaded(simd, p), loaded(simd, q), loaded(simd, r)] }
    }
}

#[inline(always)]
fn loaded<S: Simd>(simd: S, [a, b, c, d]: &[FourNumbers; 4]) -> [f64x4<S>; 4] {
    let [a, b] = [f64x4::load_array_ref(simd, a), f64x4::load_array_ref(simd, b)];
    [a, b, f64x4::load_array_ref(simd, c), f64x4::load_array_ref(simd, d)]
}

/// Four poses in vectors.
#[derive(Clone, Copy, Debug)]
pub struct Poses4<S: Simd> {
    /// The entries of [`Pose::rows`].
    pub rows: [[f64x4<S>; 4]; 3],
}

impl<S: Simd> Poses4<S> {
    /// Puts the same pose in every lane.
    #[inline(always)]
    pub fn splat(simd: S, pose: &Pose) -> Self {
        let [p, q, r] = &pose.rows;
        Self { rows: [splat(simd, p), splat(simd, q), splat(simd, r)] }
    }

    /// The poses of the rotations by quaternions `[x, y, z, w]`, each divided by its length, as by
    /// [`Pose::from_quaternion`]; all entries are NaN where that returns `None`.
    #[inline(always)]
    pub fn rotations(simd: S, [x, y, z, w]: [f64x4<S>; 4]) -> Self {
        let length = (((x * x + y * y) + z * z) + w * w).sqrt();
        let (x, y, z, w) = (x / length, y / length, z / length, w / length);
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, xy, xz) = (x * x2, x * y2, x * z2);
        let (yy, yz, zz) = (y * y2, y * z2, z * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        let [zero, one] = [f64x4::splat(simd, 0.0), f64x4::splat(simd, 1.0)];
        let rows = [
            [one - (yy + zz), xy - wz, xz + wy, zero],
            [xy + wz, one - (xx + zz), yz - wx, zero],
            [xz - wy, yz + wx, one - (xx + yy), zero],
        ];
        let is_turn = length.simd_gt(0.0) & length.simd_lt(f64::INFINITY);
        if is_turn.to_bitmask() == 0b1111 {
            return Self { rows };
        }
        let nowhere = f64x4::splat(simd, f64::NAN);
        let mut turns = Self { rows };
        for row in &mut turns.rows {
            for entry in row {
                *entry = is_turn.select(*entry, nowhere);
            }
        }
        turns
    }

    /// Returns [`Pose::compose`] of the poses in each lane.
    #[inline(always)]
    pub fn compose(parent: &Self, child: &Self) -> Self {
        let [p, q, r] = &parent.rows;
        Self { rows: [child.row_below(p), child.row_below(q), child.row_below(r)] }
    }

    #[inline(always)]
    fn row_below(&self, p: &[f64x4<S>; 4]) -> [f64x4<S>; 4] {
        let [x, y, z] = &self.rows;
        [
            (p[0] * x[0] + p[1] * y[0]) + p[2] * z[0],
            (p[0] * x[1] + p[1] * y[1]) + p[2] * z[1],
            (p[0] * x[2] + p[1] * y[2]) + p[2] * z[2],
            ((p[0] * x[3] + p[1] * y[3]) + p[2] * z[3]) + p[3],
        ]
    }

    /// Returns [`Pose::apply`] of the pose in each lane.
    #[inline(always)]
    pub fn apply(&self, simd: S, v: Vec3x4<S>) -> Vec3x4<S> {
        let [p, q, r] = &self.rows;
        Vector([coordinate(simd, p, v), coordinate(simd, q, v), coordinate(simd, r, v)])
    }

    /// Stores the poses.
    #[inline(always)]
    pub fn store(&self) -> FourPoses {
        let [p, q, r] = &self.rows;
        FourPoses { entries: [stored(p), stored(q), stored(r)] }
    }
}

#[inline(always)]
fn splat<S: Simd>(simd: S, row: &[f64; 4]) -> [f64x4<S>; 4] {
    let [a, b] = [f64x4::splat(simd, row[0]), f64x4::splat(simd, row[1])];
    [a, b, f64x4::splat(simd, row[2]), f64x4::splat(simd, row[3])]
}

#[inline(always)]
fn coordinate<S: Simd>(simd: S, m: &[f64x4<S>; 4], v: Vec3x4<S>) -> f64x4<S> {
    let posed = ((m[0] * v[0] + m[1] * v[1]) + m[2] * v[2]) + m[3];
    posed.abs().simd_lt(SMALLEST).select(f64x4::splat(simd, 0.0), posed)
}

#[inline(always)]
fn stored<S: Simd>(row: &[f64x4<S>; 4]) -> [FourNumbers; 4] {
    [row[0].to_array(), row[1].to_array(), row[2].to_array(), row[3].to_array()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::in_lanes;
    use crate::math::testing::Stream;

    /// Products, posed points and rotations, among them points that are flushed to 0 and quaternions without
    /// a direction.
    #[test]
    fn each_row_has_the_bits_of_one_alone() {
        let mut stream = Stream(41);
        let number = |stream: &mut Stream| {
            let special = [0.0, -0.0, 1e-150, 1e-61, 1e200, f64::INFINITY];
            if stream.below(20) == 0 { stream.pick(&special) } else { stream.signed() }
        };
        let same = |x: f64, y: f64| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
        for case in 0..5_000 {
            let mut pose =
                || Pose { rows: [(); 3].map(|()| [(); 4].map(|()| number(&mut stream) * 1e-61_f64.sqrt())) };
            let rows = [(); ROWS].map(|()| [pose(), pose()]);
            let point = stream.point() * stream.pick(&[1e-45, 1.0]);
            let quaternions = [(); ROWS].map(|()| match stream.below(10) {
                0 => [0.0; 4],
                _ => [(); 4].map(|()| number(&mut stream)),
            });
            let four = |side: usize| {
                let mut poses = FourPoses::splat(&Pose::IDENTITY);
                rows.iter().enumerate().for_each(|(lane, row)| poses.set(lane, &row[side]));
                poses
            };
            let [a, b] = [four(0), four(1)];
            let product = in_lanes!(simd => Poses4::compose(&a.load(simd), &b.load(simd)).store());
            let applied = in_lanes!(simd => {
                let Vector([x, y, z]) = a.load(simd).apply(simd, Vec3x4::splat(simd, point));
                [x.to_array(), y.to_array(), z.to_array()]
            });
            let [x, y, z, w] = [0, 1, 2, 3].map(|i| quaternions.map(|quaternion| quaternion[i]));
            let turns = in_lanes!(simd => {
                let [x, y] = [f64x4::load_array(simd, x), f64x4::load_array(simd, y)];
                let [z, w] = [f64x4::load_array(simd, z), f64x4::load_array(simd, w)];
                Poses4::rotations(simd, [x, y, z, w]).store()
            });
            for (lane, [a, b]) in rows.iter().enumerate() {
                let nowhere = Pose { rows: [[f64::NAN; 4]; 3] };
                let turn = Pose::from_quaternion(quaternions[lane]).unwrap_or(nowhere);
                for (found, expected, what) in
                    [(product.get(lane), Pose::compose(a, b), "product"), (turns.get(lane), turn, "turn")]
                {
                    let (found, expected) = (found.rows.as_flattened(), expected.rows.as_flattened());
                    let is_same = found.iter().zip(expected).all(|(&x, &y)| same(x, y));
                    assert!(is_same, "case {case}, row {lane}, {what}");
                }
                let expected = a.apply(point).to_array();
                let is_same = (0..3).all(|i| same(applied[i][lane], expected[i]));
                assert!(is_same, "case {case}, row {lane}, point");
            }
        }
    }
}

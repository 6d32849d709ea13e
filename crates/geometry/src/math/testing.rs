//! Random numbers and strategies for tests.

use glam::{DMat3, DVec3, Mat3};
use proptest::prelude::*;

use super::pose::Pose;

/// Returns the number of cases of a property: the environment variable `CLOSEFIT_CASES`, or `default`.
pub fn cases<N: std::str::FromStr>(default: N) -> N {
    let Ok(text) = std::env::var("CLOSEFIT_CASES") else { return default };
    text.parse().unwrap_or_else(|_| panic!("CLOSEFIT_CASES is a whole number"))
}

/// A deterministic stream of uniform random numbers (Steele, Lea, Flood 2014: SplitMix). The state is the
/// seed.
pub struct Stream(pub u64);

impl Stream {
    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a whole number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// Returns a number uniform in -1..1.
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Returns a point uniform in the cube from -1 to 1.
    pub fn point(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// Returns the product of some rotation matrices in f32, as exporters write it.
    pub fn f32_rotations(&mut self, count: u64) -> DMat3 {
        f32_product((0..count).map(|_| [(); 4].map(|()| self.signed())))
    }

    /// Returns one of the given values.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Returns the product in f32 of the rotations by some quaternions.
pub fn f32_product(quaternions: impl Iterator<Item = [f64; 4]>) -> DMat3 {
    let rotations = quaternions.filter_map(|q| Pose::from_trs(q, [1.0; 3], [0.0; 3]));
    rotations.fold(Mat3::IDENTITY, |product, pose| product * pose.linear().as_mat3()).as_dmat3()
}

/// Returns the pose with a linear part and a shift.
pub fn pose_of(linear: &DMat3, shift: DVec3) -> Pose {
    let rows = [0, 1, 2].map(|i| linear.row(i).extend(shift[i]).to_array());
    Pose { rows }
}

/// Points of a cube around the origin, of half edge `size`.
pub fn points(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
}

/// Quaternions of various lengths.
pub fn quaternions() -> impl Strategy<Value = [f64; 4]> {
    prop::array::uniform4(-1.0..1.0f64)
        .prop_filter("has a direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 0.01)
}

//! Numbers for tests.

use glam::DVec3;
use proptest::prelude::*;

/// Spread evenly, the same every time (Steele, Lea, Flood 2014: SplitMix). Another state gives other numbers.
pub struct Stream(pub u64);

impl Stream {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// Uniform in -1..1.
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// In the cube of that size around the origin.
    pub fn point(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Points of a cube around the origin.
pub fn points(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
}

/// Quaternions of some length.
pub fn quaternions() -> impl Strategy<Value = [f64; 4]> {
    prop::array::uniform4(-1.0..1.0f64)
        .prop_filter("has a direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 0.01)
}

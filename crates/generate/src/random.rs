//! A small seeded generator, so that a seed means the same scene on every machine and in every release.

use glam::DVec3;

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a whole number below `n`, which must not be 0. The bias of `n / 2^64` does not matter for
    /// scenes.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Returns a number uniform in `lo..hi`, on a grid of 2^-32 of the range.
    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.next() >> 32) as f64 / 4_294_967_296.0)
    }

    /// Returns a direction uniform on the sphere: z and the longitude are uniform (Archimedes).
    pub fn direction(&mut self) -> DVec3 {
        let z = self.between(-1.0, 1.0);
        let longitude = self.between(-std::f64::consts::PI, std::f64::consts::PI);
        let radius = (1.0 - z * z).sqrt();
        DVec3::new(radius * libm::cos(longitude), radius * libm::sin(longitude), z)
    }

    /// Shuffles items so that every order is equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

//! A seeded generator (SplitMix64): the same numbers everywhere, from the seed alone.

use glam::DVec3;

/// The state of the generator.
pub struct Rng(u64);

impl Rng {
    /// Creates a generator from a seed and the name of its purpose, so that neighbouring seeds do not share
    /// numbers.
    pub fn new(purpose: &str, seed: u64) -> Self {
        // FNV-1a of the name.
        let hash = purpose
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        Self(hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns an integer from `lo` to `hi`, both included.
    pub fn int(&mut self, lo: i64, hi: i64) -> i64 {
        let span = u64::try_from(hi - lo).expect("lo <= hi") + 1;
        lo + i64::try_from(self.bits() % span).expect("small spans")
    }

    /// Returns an index below `n`.
    pub fn index(&mut self, n: usize) -> usize {
        usize::try_from(self.bits() % n as u64).expect("below n")
    }

    /// Returns a random boolean.
    pub fn coin(&mut self) -> bool {
        self.bits() & 1 == 1
    }

    /// Returns a number uniform from -1 up to 1, with all 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Returns a point of the cube from -1 to 1.
    pub fn point(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }

    /// Returns a point with integer coordinates from `-reach` to `reach`.
    pub fn lattice(&mut self, reach: i64) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| self.int(-reach, reach) as f64))
    }

    /// Returns a lattice point that is not the origin.
    pub fn lattice_direction(&mut self, reach: i64) -> DVec3 {
        loop {
            let d = self.lattice(reach);
            if d != DVec3::ZERO {
                return d;
            }
        }
    }

    /// Returns a power of two with an exponent from `lo` to `hi`.
    pub fn power_of_two(&mut self, lo: i64, hi: i64) -> f64 {
        power_of_two(self.int(lo, hi))
    }

    /// Returns a quaternion of any length but 0.
    pub fn quaternion(&mut self) -> [f64; 4] {
        loop {
            let q: [f64; 4] = std::array::from_fn(|_| self.unit());
            if q.iter().map(|x| x * x).sum::<f64>() > 0.01 {
                return q;
            }
        }
    }
}

/// Returns 2 to the `exponent`, for normal numbers.
pub fn power_of_two(exponent: i64) -> f64 {
    assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(u64::try_from(exponent + 1023).expect("in range") << 52)
}

//! A prediction from the cost model: whether a device would save a run more time than it takes to open it.
//!
//! The constants come from `benches/record/gpu-model.md`, for an RTX 4090 at a tenth of its peak, from
//! `benches/record/2026-11-gpu.md`, and from an H100 (`benches/record/2026-11-h100.md`). They decide whether
//! a run takes a device, never what it answers.

/// Seconds to open a device and to compile its kernels: 1.85 s on an H100 whose driver had compiled none
/// before.
const START: f64 = 2.0;

/// Seconds of the CPU to place a pair for the device and to take up its results: 0.40 s beside an H100 for
/// the contacts of 100 000 poses of two tori.
const PER_PAIR: f64 = 4e-6;

/// Box tests of a pair of meshes, divided by the square root of the number of their triangles. Surfaces cross
/// along curves, so tests grow as the square root: 3 480 for two tori of 10 000 triangles, 36 000 for two of
/// 1 000 000 (2026-11-gpu.md).
const BOX_TESTS: f64 = 25.0;

/// The question that a run asks about its pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Contacts and clearances of parts at rest.
    Check,
    /// Times at which moving parts come near.
    Sweep,
}

impl Asked {
    /// Returns the seconds of one core that a device saves for each box test, with the triangle tests that
    /// follow from it.
    fn saved(self) -> f64 {
        match self {
            // 31.7 ms for the contacts of tori in 1 000 poses, with 3.48 million box tests (gpu-model.md).
            Self::Check => 9.1e-9,
            // 13.9 ms for 155 ways of such tori, half of that in a released program (gpu-model.md), of which
            // a device saves two fifths: so many of the CPU's tests were spared in the median of eight
            // motions (2026-11-gpu.md, Sweeps).
            Self::Sweep => 0.4 * 12.7e-9,
        }
    }

    /// Returns the seconds of the device for each of these box tests.
    fn taken(self) -> f64 {
        match self {
            // 5.87 ms for the same contacts (gpu-model.md). An H100 takes 1.2 ns.
            Self::Check => 1.7e-9,
            // 3.20 ms for the same ways, and 0.30 ms of the link (gpu-model.md).
            Self::Sweep => 6.4e-9,
        }
    }
}

/// The size of a run, known before its pairs are decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// The question.
    pub asked: Asked,
    /// Number of candidate pairs.
    pub pairs: u64,
    /// Mean number of triangles of a pair.
    pub triangles: f64,
    /// Number of threads, each of which has a core.
    pub threads: usize,
}

impl Workload {
    /// Returns true if a hardware GPU is predicted to save more time than it takes. At a tenth of its peak it
    /// does not for a sweep of any size, and for a check only beside few cores.
    pub fn is_worth_a_device(&self) -> bool {
        self.pairs as f64 * self.gain() > START
    }

    /// Returns a number of pairs, about the least, from which on a device is worth it; `None` if it never is.
    pub fn least_pairs(&self) -> Option<u64> {
        let pairs = (START / self.gain()).ceil();
        (pairs > 0.0 && pairs < u64::MAX as f64).then_some(pairs as u64 + 1)
    }

    /// Returns the seconds that a device saves for each pair; negative if it takes longer.
    fn gain(&self) -> f64 {
        let tests = BOX_TESTS * self.triangles.sqrt();
        let saved = tests * self.asked.saved() / self.threads.max(1) as f64;
        let taken = tests * self.asked.taken() + PER_PAIR;
        saved - taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLES: [f64; 5] = [0.0, 24.0, 2e4, 2e6, 1.5e7];

    fn check(pairs: u64, triangles: f64, threads: usize) -> bool {
        Workload { asked: Asked::Check, pairs, triangles, threads }.is_worth_a_device()
    }

    #[test]
    fn a_device_is_worth_it_from_some_size_on() {
        for triangles in TRIANGLES {
            for threads in 1..=128 {
                assert!(!check(0, triangles, threads) && !check(10, triangles, threads));
                let sizes: Vec<bool> = (0..50).map(|k| check(1 << k, triangles, threads)).collect();
                assert!(sizes.is_sorted(), "{triangles} triangles, {threads} threads: {sizes:?}");
                // What does not pay beside some cores does not pay beside more.
                let beside_more = (0..50).all(|k| !check(1 << k, triangles, threads + 1) || sizes[k]);
                assert!(beside_more, "{triangles} triangles, {threads} threads");
            }
        }
    }

    #[test]
    fn sizes_are_those_of_the_model() {
        // 32.2 µs of one core against 6.0 µs and 4.0 µs: two seconds are made up for after 90 000 poses of
        // two tori.
        assert!(!check(80_000, 2e4, 1) && check(100_000, 2e4, 1) && check(10_000_000, 2e4, 1));
        // "From pairs: sixteen: never" in the model's table; cubes take the CPU less time than their
        // transfer.
        let least =
            |threads| Workload { asked: Asked::Check, pairs: 0, triangles: 2e4, threads }.least_pairs();
        let from = least(1).expect("on one thread");
        assert!(check(from, 2e4, 1) && !check(from - 2, 2e4, 1) && least(16).is_none());
        assert!(!check(u64::MAX, 2e4, 16) && !check(1 << 50, 24.0, 16));
        assert!(!check(200_000, 24.0, 2));
    }

    #[test]
    fn a_sweep_stays_on_the_cpu() {
        for triangles in TRIANGLES {
            let sweep = Workload { asked: Asked::Sweep, pairs: u64::MAX, triangles, threads: 1 };
            assert!(!sweep.is_worth_a_device());
        }
    }
}

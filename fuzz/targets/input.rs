//! Scenes out of raw bytes.

use closefit::internals::engine::check;
use closefit::{BroadPhase, CheckError, CheckRequest, CheckResult, HullFilter, Strategy, Unobserved};
use closefit::scene::Scene;

/// Takes numbers off the front; `None` at the end.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// A whole number from -3 to 3.
    pub fn small(&mut self) -> Option<f64> {
        Some(f64::from(self.byte()? % 7) - 3.0)
    }

    /// Any bits.
    #[allow(dead_code, reason = "not all targets take them")]
    pub fn double(&mut self) -> Option<f64> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(f64::from_le_bytes(*first))
    }
}

/// Up to `limit` triangles of coordinates from `next`.
pub fn triangles(limit: usize, mut next: impl FnMut() -> Option<f64>) -> Vec<[glam::DVec3; 3]> {
    let mut soup = Vec::new();
    while soup.len() < limit {
        let numbers: Option<Vec<f64>> = (0..9).map(|_| next()).collect();
        let Some(n) = numbers else { break };
        soup.push(std::array::from_fn(|i| glam::DVec3::new(n[3 * i], n[3 * i + 1], n[3 * i + 2])));
    }
    soup
}

/// A kind of tree with an executor, a broad phase and a filter by hulls, all picked by one byte: no answer
/// depends on them. A byte of 0 picks the defaults.
#[derive(Clone, Copy, Debug)]
pub struct Methods {
    strategy: Strategy,
    broad: BroadPhase,
    hull: HullFilter,
}

impl Methods {
    pub fn of(byte: u8) -> Self {
        let mut rest = usize::from(byte);
        let mut below = |count: usize| {
            let digit = rest % count;
            rest /= count;
            digit
        };
        Self {
            strategy: closefit_methods::strategies().nth(below(closefit_methods::strategies().count())).expect("below the count"),
            hull: HullFilter::ALL[below(HullFilter::ALL.len())],
            broad: BroadPhase::ALL[below(BroadPhase::ALL.len())],
        }
    }
}

/// Every pair is listed, unless it is infinitely far away.
pub fn check_all(scene: &Scene, tolerance: f64, by: Methods) -> Result<CheckResult, CheckError> {
    let Methods { strategy, broad, hull } = by;
    let request = CheckRequest::default().strategy(strategy).broad(broad).hull(hull);
    check(scene, &request.clearance(f64::MAX).tolerance(tolerance).list_contacts(), &Unobserved)
}

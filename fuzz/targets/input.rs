//! Scenes out of raw bytes.

use closefit::internals::engine::{CheckError, CheckResult, Unobserved, check};
use closefit::internals::query::CheckRequest;
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

/// Every pair is listed, unless it is infinitely far away.
pub fn check_all(scene: &Scene, tolerance: f64) -> Result<CheckResult, CheckError> {
    check(scene, &CheckRequest::default().clearance(f64::MAX).tolerance(tolerance).list_contacts(), &Unobserved)
}

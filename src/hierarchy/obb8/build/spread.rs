//! Mean and covariance of surfaces, in a form that adds up without cancellation (Chan et al. 1979).

use glam::DVec3;

/// Of a surface, weighted by area.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub weight: f64,
    pub mean: DVec3,
    /// Weight times covariance: xx, yy, zz, xy, yz, zx.
    pub second: [f64; 6],
}

impl Spread {
    /// Of nothing.
    pub(super) const NONE: Self = Self { weight: 0.0, mean: DVec3::ZERO, second: [0.0; 6] };

    /// Of all together.
    pub(super) fn of_all<'a>(parts: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let weight: f64 = parts.clone().map(|part| part.weight).sum();
        if weight <= 0.0 {
            return Self::NONE;
        }
        let mean = parts.clone().map(|part| part.mean * part.weight).sum::<DVec3>() / weight;
        let mut second = [0.0; 6];
        for part in parts {
            let DVec3 { x, y, z } = part.mean - mean;
            let moved = [x * x, y * y, z * z, x * y, y * z, z * x];
            for ((sum, own), moved) in second.iter_mut().zip(part.second).zip(moved) {
                *sum += own + part.weight * moved;
            }
        }
        Self { weight, mean, second }
    }

    /// The covariance, over its own trace; not numbers where there is none.
    pub(super) fn shape(&self) -> [f32; 6] {
        let trace = self.second[0] + self.second[1] + self.second[2];
        self.second.map(|x| (x / trace) as f32)
    }
}

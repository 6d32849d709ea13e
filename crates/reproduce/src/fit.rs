//! Exponents of growth.

/// Returns the slope of the line that fits points best on two logarithmic axes: the exponent of a power. Both
/// coordinates must be positive.
///
/// # Panics
/// Panics for less than two points.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    assert!(points.len() >= 2, "a line has two points");
    // Logarithms by libm are the same on every machine.
    let logs: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (libm::log(x), libm::log(y))).collect();
    let count = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let covariance: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let variance: f64 = logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    covariance / variance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_have_their_exponents() {
        for power in [-1.0, 0.0, 0.8, 1.0, 2.0] {
            let points: Vec<_> = (1..9).map(|i| (f64::from(i), 3.0 * f64::from(i).powf(power))).collect();
            assert!((exponent(&points) - power).abs() < 1e-12);
        }
    }
}

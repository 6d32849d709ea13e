//! The cost formula, fitted to what was measured.

use glam::{DMat3, DVec3};

use super::Row;

/// Solves the normal equations of a least-squares fit of relative errors, without negative costs: a cost that
/// comes out negative is left out.
pub fn fit(rows: &[Row]) -> [f64; 3] {
    let mut kept = [true; 3];
    loop {
        let mut m = [[0.0; 4]; 3];
        for Row { work, seconds } in rows {
            let n = [work.box_tests, work.triangle_tests, work.updates].map(|n| n as f64 * 1e-9 / seconds);
            for i in 0..3 {
                for j in 0..3 {
                    m[i][j] += n[i] * n[j];
                }
                m[i][3] += n[i];
            }
        }
        for i in 0..3 {
            kept[i] &= m[i][i] > 0.0;
            if !kept[i] {
                m[i] = [0.0; 4];
                m.iter_mut().for_each(|row| row[i] = 0.0);
                m[i][i] = 1.0;
            }
        }
        let [a, b, c] = [0, 1, 2].map(|j| DVec3::new(m[0][j], m[1][j], m[2][j]));
        let costs = DMat3::from_cols(a, b, c).inverse() * DVec3::new(m[0][3], m[1][3], m[2][3]);
        let costs = costs.to_array();
        match (0..3).filter(|&i| costs[i] < 0.0).min_by(|&i, &j| costs[i].total_cmp(&costs[j])) {
            Some(least) => kept[least] = false,
            None => return costs,
        }
    }
}

/// Returns the mean of the relative errors of the cost formula.
pub fn error(rows: &[Row], costs: [f64; 3]) -> f64 {
    let off = |Row { work, seconds }: &Row| {
        let n = [work.box_tests, work.triangle_tests, work.updates];
        let predicted: f64 = n.iter().zip(costs).map(|(&n, cost)| n as f64 * cost * 1e-9).sum();
        (predicted / seconds - 1.0).abs()
    };
    rows.iter().map(off).sum::<f64>() / rows.len() as f64
}

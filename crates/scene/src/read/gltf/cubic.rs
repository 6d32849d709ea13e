//! Approximation of cubic splines by linear pieces, with a proven error bound.
//!
//! A piece is halved, as a Bézier curve, until the bound holds. The distance between a curve P over 0 to 1
//! and its chord is at most max |P''| / 8, and P'' lies between six times the second differences of its
//! control points. For quaternions, r = P / |P| is compared with the great arc g between its ends. r - g is 0
//! at both ends, so |r - g| <= max |r'' - g''| / 8. With rho <= |P|, |r'| <= |P'| / rho and |r''| <= |P''| /
//! rho + 3 |P'|^2 / rho^2; g is no longer than r, so |g''| <= |r'|^2. A rotation turns by twice the angle of
//! its quaternions: (|P''| / rho + 4 |P'|^2 / rho^2) / 4.

/// Tolerance relative to the travel, and in radians.
const TOLERANCE: f64 = 1e-6;
/// Share of the tolerance that pieces may use. The rest covers the rounding of pieces and of times, which are
/// f32 in files and f64 in pieces.
const ROOM: f64 = 0.99;
/// Largest number of halvings of a piece between two keyframes. Translations need 12.
const MOST_HALVINGS: u32 = 20;

/// A keyframe of a cubic spline: the value, and the derivatives by time before and after it.
#[derive(Clone, Copy)]
pub(super) struct Knot<const N: usize> {
    pub time: f64,
    pub arriving: [f64; N],
    pub value: [f64; N],
    pub leaving: [f64; N],
}

/// The control points of a piece.
type Controls<const N: usize> = [[f64; N]; 4];

/// Linear pieces that approximate a spline.
pub(super) struct Pieces<const N: usize> {
    pub times: Vec<f64>,
    pub values: Vec<[f64; N]>,
    /// Largest distance from the spline at any time: a length, or radians.
    pub error: f64,
}

impl Pieces<3> {
    /// Approximates translations within 1e-6 of the travel, which is the diagonal of the box around all
    /// control points. Returns `None` if that takes more than `most` pieces.
    pub fn of_translations(knots: &[Knot<3>], most: usize) -> Option<Self> {
        let controls = knots.windows(2).flat_map(|pair| controls(&pair[0], &pair[1]));
        let all: Vec<[f64; 3]> = controls.chain(knots.iter().map(|knot| knot.value)).collect();
        let extent = |k: usize| {
            let (lo, hi) = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), point| {
                (lo.min(point[k]), hi.max(point[k]))
            });
            hi - lo
        };
        let travel = length(std::array::from_fn::<f64, 3, _>(extent));
        Self::new(knots, TOLERANCE * travel, most, |piece| 0.75 * second_difference(piece))
    }
}

impl Pieces<4> {
    /// Approximates rotations within 1e-6 rad. Returns `None` if that takes more than `most` pieces, or if
    /// the spline comes so close to 0 that it has no direction.
    pub fn of_rotations(knots: &[Knot<4>], most: usize) -> Option<Self> {
        Self::new(knots, TOLERANCE, most, |piece| {
            let middle: [f64; 4] = std::array::from_fn(|k| piece[0][k] + piece[3][k]);
            let along = |point: &[f64; 4]| (0..4).map(|k| point[k] * middle[k]).sum::<f64>();
            // Along the direction of its middle, all of the piece lies beyond the nearest control point.
            let nearest = piece.iter().map(along).fold(f64::INFINITY, f64::min) / length(middle);
            if nearest.is_nan() || nearest <= 0.0 {
                return f64::INFINITY;
            }
            let speed =
                3.0 * (0..3).map(|i| distance(&piece[i], &piece[i + 1])).fold(0.0, f64::max) / nearest;
            0.25 * (6.0 * second_difference(piece) / nearest + 4.0 * speed * speed)
        })
    }
}

impl<const N: usize> Pieces<N> {
    fn new(
        knots: &[Knot<N>],
        tolerance: f64,
        most: usize,
        error: impl Fn(&Controls<N>) -> f64,
    ) -> Option<Self> {
        let first = knots.first()?;
        let mut pieces = Self { times: vec![first.time], values: vec![first.value], error: 0.0 };
        for pair in knots.windows(2) {
            let mut open = vec![(pair[0].time, pair[1].time, controls(&pair[0], &pair[1]), 0)];
            while let Some((from, to, piece, halvings)) = open.pop() {
                let off = error(&piece);
                if off <= ROOM * tolerance {
                    pieces.error = pieces.error.max(off / ROOM);
                    pieces.times.push(to);
                    pieces.values.push(piece[3]);
                    continue;
                }
                let middle = 0.5 * (from + to);
                let room = pieces.times.len() + open.len() < most;
                if halvings == MOST_HALVINGS || !room || !(from < middle && middle < to) {
                    return None;
                }
                let [before, after] = halves(&piece);
                open.push((middle, to, after, halvings + 1));
                open.push((from, middle, before, halvings + 1));
            }
        }
        Some(pieces)
    }
}

/// Converts the Hermite spline between two knots to a Bézier curve.
fn controls<const N: usize>(a: &Knot<N>, b: &Knot<N>) -> Controls<N> {
    let third = (b.time - a.time) / 3.0;
    let leaving = std::array::from_fn(|k| a.value[k] + third * a.leaving[k]);
    let arriving = std::array::from_fn(|k| b.value[k] - third * b.arriving[k]);
    [a.value, leaving, arriving, b.value]
}

/// Halves a curve by de Casteljau's construction.
fn halves<const N: usize>([a, b, c, d]: &Controls<N>) -> [Controls<N>; 2] {
    let half = |p: &[f64; N], q: &[f64; N]| -> [f64; N] { std::array::from_fn(|k| 0.5 * (p[k] + q[k])) };
    let (ab, bc, cd) = (half(a, b), half(b, c), half(c, d));
    let (abc, bcd) = (half(&ab, &bc), half(&bc, &cd));
    let middle = half(&abc, &bcd);
    [[*a, ab, abc, middle], [middle, bcd, cd, *d]]
}

/// Returns the larger of `|a - 2b + c|` and `|b - 2c + d|`.
fn second_difference<const N: usize>(piece: &Controls<N>) -> f64 {
    let at = |i: usize| -> [f64; N] {
        std::array::from_fn(|k| (piece[i][k] - piece[i + 1][k]) - (piece[i + 1][k] - piece[i + 2][k]))
    };
    length(at(0)).max(length(at(1)))
}

fn distance<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    length::<N>(std::array::from_fn(|k| a[k] - b[k]))
}

fn length<const N: usize>(v: [f64; N]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::motion::turn::Turn;

    /// Evaluates the specification's own formula, appendix C.5.
    fn hermite<const N: usize>(a: &Knot<N>, b: &Knot<N>, s: f64) -> [f64; N] {
        let (d, s2, s3) = (b.time - a.time, s * s, s * s * s);
        std::array::from_fn(|k| {
            (2.0 * s3 - 3.0 * s2 + 1.0) * a.value[k]
                + d * (s3 - 2.0 * s2 + s) * a.leaving[k]
                + (-2.0 * s3 + 3.0 * s2) * b.value[k]
                + d * (s3 - s2) * b.arriving[k]
        })
    }

    fn knots<const N: usize>(seed: f64) -> Vec<Knot<N>> {
        let wild = |i: usize, k: usize, c: f64| libm::sin(seed + 17.1 * i as f64 + 5.3 * k as f64 + c);
        let knot = |i: usize| Knot {
            time: 0.5 + 0.75 * i as f64,
            arriving: std::array::from_fn(|k| 3.0 * wild(i, k, 1.0)),
            value: std::array::from_fn(|k| wild(i, k, 0.0) + if k == 3 { 2.0 } else { 0.0 }),
            leaving: std::array::from_fn(|k| 3.0 * wild(i, k, 2.0)),
        };
        (0..4).map(knot).collect()
    }

    /// Compares samples of the spline with the pieces at the same times.
    fn samples<const N: usize>(
        knots: &[Knot<N>],
        pieces: &Pieces<N>,
        mut each: impl FnMut([f64; N], [f64; N], [f64; N], f64),
    ) {
        for pair in knots.windows(2) {
            for i in 0..2000 {
                let s = (f64::from(i) + 0.5) / 2000.0;
                let time = pair[0].time + s * (pair[1].time - pair[0].time);
                let after = pieces.times.partition_point(|&t| t <= time);
                let (from, to) = (pieces.times[after - 1], pieces.times[after]);
                let [a, b] = [after - 1, after].map(|i| pieces.values[i]);
                each(hermite(&pair[0], &pair[1], s), a, b, (time - from) / (to - from));
            }
        }
    }

    #[test]
    fn translations_stay_within_the_bound() {
        for seed in 0..5 {
            let knots = knots::<3>(f64::from(seed));
            let pieces = Pieces::of_translations(&knots, 100_000).unwrap();
            let mut worst: f64 = 0.0;
            samples(&knots, &pieces, |p, a, b, s| {
                worst = worst.max(distance(&p, &std::array::from_fn(|k| a[k] + s * (b[k] - a[k]))));
            });
            assert!(worst <= pieces.error && worst > 0.2 * pieces.error, "{worst} {}", pieces.error);
            assert!(pieces.error <= 5e-6 && pieces.times.len() < 10_000, "{}", pieces.times.len());
        }
    }

    #[test]
    fn rotations_stay_within_the_bound() {
        for seed in 0..5 {
            let knots = knots::<4>(f64::from(seed));
            let pieces = Pieces::of_rotations(&knots, 100_000).unwrap();
            let mut worst: f64 = 0.0;
            samples(&knots, &pieces, |p, a, b, s| {
                let p = p.map(|x| x / length(p));
                let slerp = Turn::shortest(a, b).unwrap().at(s);
                worst = worst.max(4.0 * libm::asin(0.5 * distance(&p, &slerp)));
            });
            assert!(worst <= pieces.error && worst > 0.1 * pieces.error, "{worst} {}", pieces.error);
            assert!(pieces.error <= TOLERANCE && pieces.times.len() < 20_000, "{}", pieces.times.len());
        }
    }

    #[test]
    fn straight_lines_are_one_piece_and_zero_is_refused() {
        let knot = |time: f64, value: f64, slope: f64| Knot::<3> {
            time,
            arriving: [slope; 3],
            value: [value; 3],
            leaving: [slope; 3],
        };
        let line = [knot(0.0, 1.0, 2.0), knot(2.0, 5.0, 2.0)];
        let pieces = Pieces::of_translations(&line, 10).unwrap();
        assert!(pieces.times.len() == 2 && pieces.error < 1e-14);
        let still = [knot(0.0, 1.0, 0.0), knot(2.0, 1.0, 0.0)];
        assert_eq!(Pieces::of_translations(&still, 10).unwrap().times.len(), 2);
        let bent = [knot(0.0, 1.0, 0.0), knot(2.0, 5.0, 0.0)];
        assert!(Pieces::of_translations(&bent, 10).is_none());
        let turned = |time: f64, w: f64| Knot::<4> {
            time,
            arriving: [0.0; 4],
            value: [0.0, 0.0, 0.0, w],
            leaving: [0.0; 4],
        };
        assert!(Pieces::of_rotations(&[turned(0.0, 1.0), turned(1.0, -1.0)], 1 << 20).is_none());
    }
}

//! The cost of the exact predicates: nanoseconds per pair of triangles, as the median of interleaved rounds,
//! for every category of pairs of the tests; and the number of distances in 1000 that take integers.

use std::hint::black_box;
use std::time::Instant;

use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::{distance_apart, distance_without_integers, enclose};
use closefit_testing::triangles::{CATEGORIES, Pair, pair};

const PAIRS: u64 = 300;
const ROUNDS: usize = 15;

/// Returns the nanoseconds per pair of one pass.
fn pass<T>(pairs: &[Pair], answer: impl Fn(&Pair) -> T) -> f64 {
    let start = Instant::now();
    for pair in pairs {
        black_box(answer(black_box(pair)));
    }
    start.elapsed().as_nanos() as f64 / pairs.len().max(1) as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    println!("{:<34} {:>8} {:>8} {:>8} {:>8}", "ns per pair", "meet", "apart", "enclose", "in 1000");
    for category in CATEGORIES {
        let pairs: Vec<Pair> = (0..PAIRS).map(|seed| pair(category, seed)).collect();
        let apart: Vec<Pair> = pairs.iter().copied().filter(|[a, b]| !triangles_meet(a, b)).collect();
        let [mut meet, mut distance, mut enclosing] = [const { Vec::new() }; 3];
        for _ in 0..ROUNDS {
            meet.push(pass(&pairs, |[a, b]| triangles_meet(a, b)));
            distance.push(pass(&apart, |[a, b]| distance_apart(a, b)));
            enclosing.push(pass(&apart, |[a, b]| enclose(a, b)));
        }
        let integers = apart.iter().filter(|[a, b]| distance_without_integers(a, b).is_none()).count();
        let [meet, distance, enclosing] = [meet, distance, enclosing].map(median);
        println!(
            "{:<34} {meet:>8.0} {distance:>8.0} {enclosing:>8.0} {:>8}",
            category.0,
            integers * 1000 / apart.len().max(1),
        );
    }
}

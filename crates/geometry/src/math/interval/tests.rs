use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use proptest::prelude::*;

use super::*;

/// Binary places of the reference values: some 120 bits for the smallest number.
const PLACES: usize = 1200;

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

/// True when an interval, whose ends may be infinite, contains a rational number.
fn holds(interval: Interval, x: &BigRational) -> bool {
    (interval.lo == f64::NEG_INFINITY || exact(interval.lo) <= *x)
        && (interval.hi == f64::INFINITY || *x <= exact(interval.hi))
}

fn fixed(x: &BigRational) -> BigInt {
    (x.numer() << PLACES) / x.denom()
}

/// Returns `atan(1 / n)` by its series.
fn arctangent_of_inverse(n: u32) -> BigInt {
    let (mut power, mut sum, mut k) = ((BigInt::from(1) << PLACES) / n, BigInt::zero(), 1u32);
    while !power.is_zero() {
        sum += if k % 4 == 1 { &power / k } else { -(&power / k) };
        power /= n * n;
        k += 2;
    }
    sum
}

/// Returns pi by Machin's formula.
fn pi() -> BigInt {
    (arctangent_of_inverse(5) * 4 - arctangent_of_inverse(239)) * 4
}

/// Sums the series of the sine (1) or the cosine (0) at a fixed-point number, after reducing it to within pi
/// of 0.
fn series(x: &BigInt, from: u32) -> BigRational {
    let turn = pi() * 2;
    let shifted: BigInt = x * 2 + &turn;
    let turns = &shifted / (&turn * 2) - i32::from(shifted.is_negative());
    let x: BigInt = x - turns * turn;
    let one = BigInt::from(1) << PLACES;
    let mut term = if from == 0 { one.clone() } else { x.clone() };
    let (mut sum, mut k) = (BigInt::zero(), from);
    while !term.is_zero() {
        sum += &term;
        term = ((term * &x) >> PLACES) * &x;
        term = -(term >> PLACES) / ((k + 1) * (k + 2));
        k += 2;
    }
    // The truncated tail must not lead past the crests.
    BigRational::new(sum.clamp(-&one, one.clone()), one)
}

/// Numbers of all magnitudes and signs, zeros, and numbers whose sums and products are exact.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -10.0..10.0f64,
        2 => (-10.0..10.0f64, -300..300i32).prop_map(|(x, e)| x * 2f64.powi(e)),
        1 => (-1.0..1.0f64, Just(-1070)).prop_map(|(x, e)| x * 2f64.powi(e / 2) * 2f64.powi(e / 2)),
        1 => (-1.0..1.0f64).prop_map(|x| x * f64::MAX),
        1 => Just(0.0),
        1 => Just(-0.0),
        1 => (-4..4i32).prop_map(f64::from),
        1 => Just(f64::MAX),
        1 => Just(f64::from_bits(1)),
    ]
}

fn interval() -> impl Strategy<Value = Interval> {
    prop_oneof![
        3 => (number(), number()).prop_map(|(a, b)| Interval::new(a.min(b), a.max(b))),
        1 => number().prop_map(Interval::point),
        1 => number().prop_map(|x| Interval::new(x, x.next_up().min(f64::MAX))),
        1 => number().prop_map(|x| Interval::within(x.abs())),
    ]
}

/// Returns the ends, the middle and a point in between.
fn members(x: Interval, share: f64) -> [f64; 4] {
    let between = (x.lo + share * (x.hi * 0.5 - x.lo * 0.5) * 2.0).clamp(x.lo, x.hi);
    [x.lo, x.hi, x.middle(), if between.is_finite() { between } else { x.lo }]
}

/// Returns a part of an interval.
fn part(x: Interval, share: f64) -> Interval {
    let [a, _, m, b] = members(x, share);
    Interval::new(m.min(b), m.max(b)).hull(if share < 0.3 { Interval::point(a) } else { Interval::point(b) })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn operations_contain_the_exact_results(a in interval(), b in interval(), share in 0.0..1.0f64) {
        let root = a.sqrt();
        for x in members(a, share).map(exact) {
            for y in members(b, share).map(exact) {
                prop_assert!(holds(a + b, &(&x + &y)));
                prop_assert!(holds(a - b, &(&x - &y)));
                prop_assert!(holds(a * b, &(&x * &y)));
                prop_assert!(holds(a.hull(b), &x) && holds(a.hull(b), &y));
                if !y.is_zero() {
                    prop_assert!(holds(a / b, &(&x / &y)));
                }
            }
            prop_assert!(holds(a.abs(), &x.abs()) && holds(a.square(), &(&x * &x)) && holds(-a, &-&x));
            if !x.is_negative() {
                prop_assert!(exact(root.lo) * exact(root.lo) <= x && x <= exact(root.hi) * exact(root.hi));
            }
        }
        if let Some(both) = a.intersection(b) {
            prop_assert!(a.includes(both) && b.includes(both));
        } else {
            prop_assert!(a.hi < b.lo || b.hi < a.lo);
        }
    }

    /// An operation on wider intervals gives a result that includes the result on narrower ones.
    #[test]
    fn operations_are_monotone(a in interval(), b in interval(), (s, t) in (0.0..1.0f64, 0.0..1.0f64)) {
        let (x, y) = (part(a, s), part(b, t));
        prop_assert!(a.includes(x) && b.includes(y));
        prop_assert!((a + b).includes(x + y) && (a - b).includes(x - y) && (a * b).includes(x * y));
        prop_assert!((a / b).includes(x / y) && a.abs().includes(x.abs()) && a.square().includes(x.square()));
        prop_assert!(a.sqrt().includes(x.sqrt()));
    }

    #[test]
    fn sums_and_products_are_off_by_a_step(a in number(), b in number()) {
        for (found, rounded) in [
            (Interval::point(a) + Interval::point(b), a + b),
            (Interval::point(a) * Interval::point(b), a * b),
        ] {
            prop_assert!(found.lo >= rounded.next_down() && found.hi <= rounded.next_up());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn waves_contain_the_series(
        from in prop_oneof![-8.0..8.0f64, (-1.0..1.0f64, -40..45i32).prop_map(|(x, e)| x * 2f64.powi(e)), Just(0.0)],
        width in prop_oneof![Just(0.0), 0.0..8.0f64, (0.0..1.0f64, -60..0i32).prop_map(|(x, e)| x * 2f64.powi(e))],
        share in 0.0..1.0f64,
    ) {
        let a = Interval::new(from, from + width);
        for x in members(a, share) {
            let (sine, cosine) = (series(&fixed(&exact(x)), 1), series(&fixed(&exact(x)), 0));
            prop_assert!(holds(a.sin(), &sine), "{a:?} {x}");
            prop_assert!(holds(a.cos(), &cosine), "{a:?} {x}");
            prop_assert!(holds(a.versine(), &(BigRational::from_integer(1.into()) - &cosine)), "{a:?} {x}");
        }
        let inner = part(a, share);
        prop_assert!(a.sin().includes(inner.sin()) && a.cos().includes(inner.cos()));
        // The width is limited by the slope, except for rounding and for crests that cannot be excluded.
        let crest = (a.magnitude() * 2e-15).powi(2);
        prop_assert!(a.sin().width() <= a.width() * (1.0 + 1e-12) + 2e-15 + crest);
        prop_assert!(a.cos().width() <= a.width() * (1.0 + 1e-12) + 2e-15 + crest);
    }

    /// Tests around crests, troughs and zeros, where reductions and quadrants can go wrong.
    #[test]
    fn waves_turn_where_they_should(quarter in -4000..4000i32, steps in -3..4i32, width in 0..5i32) {
        let near = f64::from(quarter) * std::f64::consts::FRAC_PI_2;
        let step = |x: f64, n: i32| (0..n.abs()).fold(x, |x, _| if n < 0 { x.next_down() } else { x.next_up() });
        let a = Interval::new(step(near, steps), step(near, steps + width));
        let place = pi() * quarter / 2;
        let lo = fixed(&exact(a.lo));
        let hi = fixed(&exact(a.hi));
        let inside = lo <= place && place <= hi;
        for x in [&lo, &hi].into_iter().chain(inside.then_some(&place)) {
            prop_assert!(holds(a.sin(), &series(x, 1)));
            prop_assert!(holds(a.cos(), &series(x, 0)));
        }
    }
}

#[test]
fn tiny_huge_and_infinite_arguments() {
    for x in [1e-300, f64::MIN_POSITIVE, f64::from_bits(1), 1e-9] {
        let found = Interval::point(x).sin();
        // x - x^3 / 6 < sin x < x
        let cube = exact(x) * exact(x) * exact(x) / BigRational::from_integer(6.into());
        assert!(holds(found, &exact(x)) || holds(found, &(exact(x) - cube)));
        assert!(found.lo > 0.0 || x < 1e-300);
        assert!(Interval::point(x).cos().hi == 1.0);
    }
    assert_eq!(Interval::point(0.0).sin(), Interval::ZERO);
    assert_eq!(Interval::point(0.0).cos(), Interval::ONE);
    for a in [
        Interval::WHOLE,
        Interval::new(1.0, f64::INFINITY),
        Interval::point(1e300),
        Interval::within(f64::MAX),
    ] {
        assert_eq!([a.sin(), a.cos()], [Interval::UNIT; 2]);
        assert!(
            [a + a, a - a, a * a, a / a, a.square(), a.sqrt(), a.abs(), a * Interval::ZERO]
                .iter()
                .all(|r| r.lo < f64::INFINITY && r.hi > f64::NEG_INFINITY)
        );
    }
    assert_eq!(Interval::WHOLE * Interval::ZERO, Interval::ZERO);
    assert_eq!(Interval::ONE / Interval::UNIT, Interval::WHOLE);
}

#[test]
fn the_enclosure_of_the_inverse_of_pi() {
    let one = BigInt::from(1) << (2 * PLACES);
    let inverse = BigRational::new(one / pi(), BigInt::from(1) << PLACES);
    assert!(holds(INVERSE_PI, &inverse));
}

#[test]
fn vectors_contain_products_of_their_points() {
    let lo = [-1.0, 0.1, 3.0].map(|x| Interval::new(x, x + 0.5));
    let (a, b) = (IntervalVec3(lo), IntervalVec3([2.0, -0.3, 0.1].map(|x| Interval::new(x, x + 0.1))));
    let point = |v: IntervalVec3, k: usize| {
        glam::DVec3::from_array([0, 1, 2].map(|i| if k >> i & 1 == 0 { v.0[i].lo } else { v.0[i].hi }))
    };
    for (p, q) in (0..64).map(|k| (point(a, k), point(b, k >> 3))) {
        assert!(a.dot(b).contains(p.dot(q)) && a.cross(b).contains(p.cross(q)));
        assert!(a.length().contains(p.length()) && (a + b).contains(p + q) && (a - b).contains(p - q));
        assert!(a.hull(b).contains(p) && a.radius() >= 0.5 * (point(a, 0) - point(a, 7)).length());
    }
}

//! Boxes for testing the broad phases.

use glam::DVec3;
use proptest::prelude::*;

use closefit_geometry::bounds::aabb::Aabb;

/// Up to `count` boxes: equal, touching, flat and identical ones, near the origin and far away, small and
/// large.
pub(super) fn boxes(count: usize) -> impl Strategy<Value = Vec<Aabb>> {
    // Grid values produce equal, touching, flat and identical boxes; other values hardly ever touch.
    let grid = (-4..5i32).prop_map(f64::from);
    let coordinate = prop_oneof![grid.boxed(), (-4.0..4.0f64).boxed()];
    let one = (prop::array::uniform3(coordinate.clone()), prop::array::uniform3(coordinate))
        .prop_map(|(a, b)| Aabb::of([DVec3::from_array(a), DVec3::from_array(b)]));
    let shrunk = (one, prop_oneof![Just(1.0), Just(0.25), Just(0.0)], prop::array::uniform3(-4..5i32))
        .prop_map(|(b, size, at)| {
            let at = DVec3::new(f64::from(at[0]), f64::from(at[1]), f64::from(at[2]));
            Aabb { lo: b.lo * size + at, hi: b.hi * size + at }
        });
    let scale = prop_oneof![4 => Just(1.0), 1 => Just(1e-60), 1 => Just(1e60)];
    let far = prop_oneof![3 => Just(0.0), 1 => Just(1e15)];
    (prop::collection::vec(shrunk, 0..count), scale, far).prop_map(|(boxes, scale, far)| {
        let place = |p: DVec3| (p + DVec3::new(far, 0.0, -far)) * scale;
        boxes.iter().map(|b| Aabb { lo: place(b.lo), hi: place(b.hi) }).collect()
    })
}

/// Up to `count` boxes whose sizes span six decades, in a cube or on a line, with some far outside.
pub(super) fn sizes(count: usize) -> impl Strategy<Value = Vec<Aabb>> {
    let decades = prop_oneof![Just(0.0), Just(2.0), Just(6.0)];
    let one = (prop::array::uniform3(0.0..1.0f64), prop::array::uniform3(0.0..1.0f64), 0.0..1.0f64, 0..200);
    (prop::collection::vec(one, 0..count), decades, any::<bool>(), any::<bool>()).prop_map(
        |(boxes, decades, line, long)| {
            let make = |(at, extent, size, outlier): ([f64; 3], [f64; 3], f64, i32)| {
                let [x, y, z] = at;
                let at = if line { DVec3::new(x, x * 0.5, y * 1e-3) } else { DVec3::new(x, y, z) };
                let at = at * if outlier == 0 { 1e9 } else { 1.0 };
                let size = 0.5 * 10f64.powf(-size * decades);
                let extent = if long {
                    DVec3::new(size, 1e-3 * size, 1e-6)
                } else {
                    DVec3::splat(size) * DVec3::from(extent)
                };
                Aabb { lo: at - extent, hi: at + extent }
            };
            boxes.into_iter().map(make).collect()
        },
    )
}

/// Reaches: distances within which two boxes count as near.
pub(super) fn reaches() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(0.5), Just(1.0), 0.0..2.0f64, Just(f64::INFINITY)]
}

/// Several frames of boxes: the start, then frames in which some boxes drift and some jump.
pub(super) fn frames(start: impl Strategy<Value = Vec<Aabb>>) -> impl Strategy<Value = Vec<Vec<Aabb>>> {
    let moves =
        prop::collection::vec((any::<u64>(), prop_oneof![Just(0), Just(2), Just(50), Just(100)]), 1..6);
    (start, moves).prop_map(|(start, moves)| {
        let mut frames = vec![start];
        for (seed, jumps) in moves {
            let mut random = seed | 1;
            let mut next = || {
                // The multiplier of Knuth's MMIX generator. The upper bits are random enough here.
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (random >> 40) as f64 / f64::from(1 << 24) - 0.5
            };
            let last = &frames[frames.len() - 1];
            let moved = last.iter().map(|b| {
                let by = if (next() + 0.5) * 100.0 < f64::from(jumps) { 8.0 } else { 0.1 };
                let by = DVec3::new(next(), next(), next()) * by * b.diagonal().clamp(1e-70, 1e70);
                Aabb { lo: b.lo + by, hi: b.hi + by }
            });
            frames.push(moved.collect());
        }
        frames
    })
}

/// Evenly spread boxes without a generator, from fractional parts of multiples of irrationals.
pub(super) fn even(count: usize) -> Vec<Aabb> {
    let spread = |i: usize| {
        let x = |k: f64| (i as f64 * k).fract() * 100.0;
        DVec3::new(x(2f64.sqrt()), x(3f64.sqrt()), x(5f64.sqrt()))
    };
    (0..count).map(spread).map(|p| Aabb { lo: p, hi: p + DVec3::new(1.0, 2.0, 3.0) }).collect()
}

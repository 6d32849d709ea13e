use std::collections::BTreeSet;

use super::*;
use crate::math::testing::{Stream, cases};

fn flat(points: Vec<[f64; 2]>) -> Flat {
    Flat { points, is_in_range: true }
}

fn polygon(points: &[[f64; 2]]) -> Vec<DVec3> {
    points.iter().map(|&[x, y]| DVec3::new(x, y, 0.0)).collect()
}

/// Clips corners as their definition says, looking at every corner before each. An ear stays one while its
/// neighbours do.
fn by_definition(flat: &Flat) -> Option<Vec<[u32; 3]>> {
    let mut left: Vec<u32> = (0..to_u32(flat.points.len())).collect();
    let (mut triangles, mut known) = (Vec::new(), BTreeSet::new());
    let point = |i: u32| flat.points[i as usize];
    while left.len() > 2 {
        let n = left.len();
        let around = |at: usize| [left[(at + n - 1) % n], left[at], left[(at + 1) % n]];
        let turn = |at: usize| {
            let [a, b, c] = around(at).map(point);
            flat.turn(a, b, c)
        };
        let turns_back = |at: usize| {
            let [a, b, c] = around(at).map(point);
            // The scalar product of both edges, exact for small integers.
            (0..2).map(|k| (b[k] - a[k]) * (c[k] - b[k])).sum::<f64>() <= 0.0
        };
        let is_free = |at: usize| {
            let [a, b, c] = around(at).map(point);
            (0..n).filter(|&other| !around(at).contains(&left[other])).all(|other| {
                let edges = [[a, b], [b, c], [c, a]];
                let [before, here, after] = around(other).map(point);
                let sides = edges.map(|[p, q]| flat.turn(p, q, here));
                let inside = |to: [f64; 2]| {
                    (0..3).all(|k| sides[k].is_gt() || flat.turn(edges[k][0], edges[k][1], to).is_gt())
                };
                sides.iter().any(|side| side.is_lt()) || !inside(before) && !inside(after)
            })
        };
        known.extend((0..n).filter(|&at| turn(at).is_gt() && is_free(at)).map(around));
        let corner = (0..n)
            .find(|&at| turn(at).is_eq() && turns_back(at))
            .or_else(|| (0..n).find(|&at| known.contains(&around(at))))
            .or_else(|| (0..n).find(|&at| turn(at).is_eq()))?;
        let mut triangle = around(corner);
        triangle.sort_unstable();
        triangles.push(triangle);
        left.remove(corner);
    }
    Some(triangles)
}

/// Corners on a small grid, in an order that rarely crosses itself: those around a point by their angle, with
/// some repeated, or all that the stream brings.
fn random(stream: &mut Stream) -> Vec<[f64; 2]> {
    let count = 4 + stream.below(12);
    let mut points: Vec<[f64; 2]> =
        (0..count).map(|_| [stream.below(7) as f64, stream.below(7) as f64]).collect();
    if stream.below(4) > 0 {
        let from = |p: &[f64; 2]| (p[1] - 2.9).atan2(p[0] - 3.1);
        points.sort_by(|a, b| from(a).total_cmp(&from(b)));
        for _ in 0..stream.below(3) {
            let [at, to] = [0; 2].map(|_| stream.below(points.len() as u64) as usize);
            points.insert(at, points[to]);
        }
    }
    points
}

#[test]
fn ears_are_those_of_the_definition() {
    let mut stream = Stream(1);
    let (mut cut, mut stuck) = (0, 0);
    for _ in 0..cases(20_000) {
        let flat = flat(random(&mut stream));
        let expected = by_definition(&flat);
        let found = ears::clip(&flat).expect("a small polygon");
        assert_eq!(found, expected, "{:?}", flat.points);
        *(if found.is_some() { &mut cut } else { &mut stuck }) += 1;
    }
    assert!(cut > 1_000 && stuck > 1_000, "{cut} {stuck}");
}

/// The way around triangles of a grid that are joined across edges like a tree: it may touch itself in
/// corners, along edges, and from both sides of a slit. Corners on straight lines are left out or doubled.
fn around_a_tree(stream: &mut Stream) -> Vec<[f64; 2]> {
    let size = 1 + stream.below(5);
    let mut triangles = Vec::new();
    for (x, y) in (0..size).flat_map(|x| (0..size).map(move |y| (x, y))) {
        let [a, b, c, d] = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)];
        let cut = if stream.below(2) == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        triangles.extend(cut);
    }
    let mut around = triangles.swap_remove(stream.below(triangles.len() as u64) as usize).to_vec();
    for _ in 0..stream.below(12 * size * size) {
        let at = stream.below(around.len() as u64) as usize;
        let edge = [around[(at + 1) % around.len()], around[at]];
        let is_across = |t: &[_; 3]| (0..3).any(|k| [t[k], t[(k + 1) % 3]] == edge);
        let Some(next) = triangles.iter().position(is_across) else { continue };
        let tip = triangles.swap_remove(next).into_iter().find(|corner| !edge.contains(corner));
        around.insert(at + 1, tip.expect("a triangle has three corners"));
    }
    let mut points: Vec<[f64; 2]> = around.into_iter().map(|(x, y)| [x as f64, y as f64]).collect();
    for _ in 0..points.len() {
        let (n, at) = (points.len(), stream.below(points.len() as u64) as usize);
        let [a, b, c] = [points[(at + n - 1) % n], points[at], points[(at + 1) % n]];
        let is_straight = flat(Vec::new()).turn(a, b, c).is_eq() && (a < b && b < c || c < b && b < a);
        match stream.below(8) {
            0 => points.insert(at, b),
            1..4 if is_straight => drop(points.remove(at)),
            _ => {}
        }
    }
    points
}

#[test]
fn polygons_that_touch_themselves_are_cut_into_triangles() {
    let mut stream = Stream(3);
    // A slit, from (1, 4) to (1, 3), that comes to lie on the edges of triangles.
    let slit =
        [[1, 5], [0, 5], [0, 4], [0, 3], [1, 2], [1, 1], [2, 1], [2, 4], [1, 4], [1, 3], [1, 4], [2, 5]];
    let slit = slit.map(|point| point.map(f64::from)).to_vec();
    for points in std::iter::once(slit).chain((0..cases(20_000)).map(|_| around_a_tree(&mut stream))) {
        let Cut { triangles, is_right } = cut(&polygon(&points)).expect("a small polygon");
        assert!(is_right, "{points:?}");
        let turn = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|corner| points[corner as usize]);
            flat(Vec::new()).turn(a, b, c)
        };
        assert!(triangles.iter().all(|triangle| turn(triangle).is_ge()), "{points:?}");
    }
}

#[test]
fn the_fan_is_kept_where_it_is_right_or_nothing_is() {
    let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
    let fan = vec![[0, 1, 2], [0, 2, 3]];
    assert_eq!(cut(&polygon(&square)), Ok(Cut { triangles: fan.clone(), is_right: true }));
    // A dart is a fan from its tip or its notch, and no fan from between.
    let dart = [[0.0, 0.0], [4.0, 2.0], [0.0, 4.0], [1.0, 2.0]];
    let cut_from = |first: usize| {
        let mut dart = dart;
        dart.rotate_left(first);
        cut(&polygon(&dart)).expect("small")
    };
    let other = vec![[0, 1, 3], [1, 2, 3]];
    assert_eq!([0, 1, 2, 3].map(|first| cut_from(first).triangles == fan), [false, true, false, true]);
    assert_eq!([0, 2].map(|first| cut_from(first).triangles), [other.clone(), other]);
    assert!((0..4).all(|first| cut_from(first).is_right));
    let wrong = |points: &[[f64; 2]]| {
        let Cut { triangles, is_right } = cut(&polygon(points)).expect("small");
        assert!(!is_right, "{points:?}");
        assert_eq!(triangles[0], [0, 1, 2]);
    };
    wrong(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]);
    wrong(&[[0.0, 0.0], [3.0, 3.0], [3.0, 0.0], [0.0, 2.0]]);
    wrong(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]);
}

#[test]
fn holes_on_a_doubled_edge_are_cut_out() {
    let keyhole = [
        [0.0, 0.0],
        [4.0, 0.0],
        [4.0, 4.0],
        [0.0, 4.0],
        [0.0, 0.0],
        [1.0, 1.0],
        [1.0, 3.0],
        [3.0, 3.0],
        [3.0, 1.0],
        [1.0, 1.0],
    ];
    for first in 0..keyhole.len() {
        let mut keyhole = keyhole;
        keyhole.rotate_left(first);
        let Cut { triangles, is_right } = cut(&polygon(&keyhole)).expect("small");
        assert!(is_right && triangles.len() == 8);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| DVec3::new(keyhole[i as usize][0], keyhole[i as usize][1], 0.0));
            (b - a).cross(c - a).z
        };
        assert!(triangles.iter().all(|t| area(t) > 0.0), "{first}: {triangles:?}");
        assert_eq!(triangles.iter().map(area).sum::<f64>(), 24.0);
    }
}

#[test]
fn coordinates_of_any_size_are_cut_alike() {
    let comb = [[0.0, 0.0], [7.0, 0.0], [7.0, 5.0], [5.0, 1.0], [3.0, 5.0], [2.0, 1.0], [0.0, 3.0]];
    let [expected, tiny, huge] = [1.0, 2f64.powi(-1060), 2f64.powi(1020)].map(|size| {
        let points: Vec<DVec3> = comb.iter().map(|&[x, y]| DVec3::new(size * y, 0.0, size * x)).collect();
        cut(&points).expect("small")
    });
    assert!(expected.is_right && expected.triangles != cut(&polygon(&comb[..6])).expect("small").triangles);
    assert_eq!([&tiny, &huge], [&expected; 2]);
}

#[test]
fn long_polygons_take_time_by_their_length() {
    let count: u32 = cases(20_000);
    let angle = |i: u32| f64::from(i) * std::f64::consts::TAU / f64::from(count);
    let star = |radius: &dyn Fn(u32) -> f64| -> Vec<DVec3> {
        (0..count).map(|i| DVec3::new(angle(i).cos(), angle(i).sin(), 0.0) * radius(i)).collect()
    };
    let comb: Vec<DVec3> = (0..count)
        .map(|i| DVec3::new(f64::from(i), if i % 2 == 0 { 1000.0 } else { f64::from(i % 7) }, 0.0))
        .chain([DVec3::new(f64::from(count), -1.0, 0.0), DVec3::new(-1.0, -1.0, 0.0)])
        .collect();
    let spiral: Vec<DVec3> = (0..count / 2)
        .map(|i| (i, 0.0))
        .chain((0..count / 2).rev().map(|i| (i, 2.0)))
        .map(|(i, more)| {
            let turned = angle(i) * 200.0;
            DVec3::new(turned.cos(), turned.sin(), 0.0) * (turned + 1.0 + more)
        })
        .collect();
    let mut stream = Stream(7);
    let noise: Vec<f64> = (0..count).map(|_| 1.0 + stream.below(1000) as f64).collect();
    let polygons = [
        star(&|i| if i % 2 == 0 { 1.0 } else { 1.3 }),
        star(&|i| if i < 10 { 0.9 } else { 1.0 }),
        star(&|i| noise[i as usize]),
        comb,
        spiral,
    ];
    for (i, polygon) in polygons.iter().enumerate() {
        let Cut { is_right, triangles } = cut(polygon).expect("a natural polygon");
        assert!(is_right, "{i}");
        assert_eq!(triangles.len(), polygon.len() - 2);
    }
}

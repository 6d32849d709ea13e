//! The fifteen elementary tests of two moving triangles: nine of edge and edge, six of vertex and face (Redon
//! et al. 2002, section 4.2).
//!
//! When two separate triangles first touch, one of the fifteen pairs of features does. So if all features
//! stay beyond the limit over a stretch, and the triangles are beyond it at one time of the stretch, they are
//! so throughout. The condition is needed: triangles that pierce each other may have no two such features
//! near each other.

use super::edge_edge_time;
use super::root::{Moved, Moved4};
use super::vertex_face_time;
use closefit_geometry::lanes::Simd;
use closefit_geometry::lanes::Triangles4;
use closefit_geometry::math::Triangle;
use closefit_geometry::motion::moment::Moment;

/// True only if all features of two posed triangles, the first part's and the second's, stay farther apart
/// than `limit` throughout a moment.
pub fn beyond(triangles: &[Triangle; 2], moment: &Moment, limit: f64) -> bool {
    let [a, b] = triangles;
    let moved_b = Moved::triangle(moment, 1, b);
    let (deviation_a, deviation_b) = (moment.deviation(0), moment.deviation(1));
    moved_b.iter().all(|q| vertex_face_time::scalar::beyond(a, q, deviation_b, limit))
        && Moved::triangle(moment, 0, a)
            .iter()
            .all(|p| vertex_face_time::scalar::beyond(b, p, deviation_a, limit))
        && (0..9).all(|k| {
            let (i, j) = (k / 3, k % 3);
            let (fixed, moving) = ([a[i], a[(i + 1) % 3]], [moved_b[j], moved_b[(j + 1) % 3]]);
            edge_edge_time::scalar::beyond(&fixed, &moving, deviation_b, limit)
        })
}

/// Tests four pairs of triangles: sets bit `l` only if all features of lane `l` stay farther apart than
/// `limit`.
#[inline(always)]
pub fn beyond4<S: Simd>(a: &Triangles4<S>, b: &Triangles4<S>, moment: &Moment, limit: f64) -> u32 {
    let moved_b = Moved4::triangle(moment, 1, b);
    let (deviation_a, deviation_b) = (moment.deviation(0), moment.deviation(1));
    let mut beyond = 0b1111;
    for q in moved_b {
        beyond &= vertex_face_time::simd::beyond(a, q, deviation_b, limit);
    }
    if beyond == 0 {
        return 0;
    }
    for p in Moved4::triangle(moment, 0, a) {
        beyond &= vertex_face_time::simd::beyond(b, p, deviation_a, limit);
    }
    for i in 0..3 {
        for j in 0..3 {
            if beyond == 0 {
                return 0;
            }
            let (fixed, moving) = ([a[i], a[(i + 1) % 3]], [moved_b[j], moved_b[(j + 1) % 3]]);
            beyond &= edge_edge_time::simd::beyond(fixed, moving, deviation_b, limit);
        }
    }
    beyond
}

/// Number of the tests. The first nine are of the edges of both triangles, edge `i` of the first
/// against edge `j` of the second in test `3 i + j`; then each vertex of the second against the first's face,
/// and each of the first against the second's.
pub const TESTS: usize = 15;

/// Returns the part that moves in a test, as seen from the other (0 the first, 1 the second), and the corners
/// of its feature; for a vertex, twice the same.
pub fn moving_corners(test: usize) -> (usize, [usize; 2]) {
    match test {
        0..9 => (1, [test % 3, (test + 1) % 3]),
        9..12 => (1, [test - 9; 2]),
        _ => (0, [test - 12; 2]),
    }
}

/// True only if the features of one test stay farther apart than `limit` throughout a moment.
pub fn test_beyond(triangles: &[Triangle; 2], test: usize, moment: &Moment, limit: f64) -> bool {
    let (side, corners) = moving_corners(test);
    let (fixed, deviation) = (&triangles[1 - side], moment.deviation(side));
    let moving = corners.map(|k| Moved::of(moment, side, triangles[side][k]));
    if test < 9 {
        let edge = [fixed[test / 3], fixed[(test / 3 + 1) % 3]];
        edge_edge_time::scalar::beyond(&edge, &moving, deviation, limit)
    } else {
        vertex_face_time::scalar::beyond(fixed, &moving[0], deviation, limit)
    }
}

/// Does [`test_beyond`] for four pairs of triangles: bit `l` is for lane `l`.
#[inline(always)]
pub fn test_beyond4<S: Simd>(
    a: &Triangles4<S>,
    b: &Triangles4<S>,
    test: usize,
    moment: &Moment,
    limit: f64,
) -> u32 {
    let (side, corners) = moving_corners(test);
    let (fixed, of) = if side == 1 { (a, b) } else { (b, a) };
    let deviation = moment.deviation(side);
    let moving = |k: usize| Moved4::of(moment, side, of[k]);
    if test < 9 {
        let (edge, moving) = ([fixed[test / 3], fixed[(test / 3 + 1) % 3]], corners.map(moving));
        edge_edge_time::simd::beyond(edge, moving, deviation, limit)
    } else {
        vertex_face_time::simd::beyond(fixed, moving(corners[0]), deviation, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::continuous::root::{finest, first_root};
    use crate::narrow::testing::{Pairs, block};
    use closefit_geometry::lanes::{Level, dispatch, level};
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::math::testing::Stream;
    use closefit_geometry::motion::cells::Stretch;
    use closefit_geometry::motion::frames::Frames;
    use closefit_geometry::motion::joint::{Between, Joint, Keyframe, Motion};
    use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
    use glam::{DQuat, DVec3};

    fn edges_apart(a: [DVec3; 2], b: [DVec3; 2]) -> f64 {
        let (u, v, r) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
        let fraction = |x: f64, of: f64| if of > 0.0 { (x / of).clamp(0.0, 1.0) } else { 0.0 };
        let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
        let mut best = f64::INFINITY;
        for s in [0.0, 1.0, fraction(u.dot(r) * vv - uv * v.dot(r), uu * vv - uv * uv)] {
            let t = fraction(v.dot(u * s - r), vv);
            let s = fraction(u.dot(r + v * t), uu);
            best = best.min((r + v * t - u * s).length());
        }
        best
    }

    fn vertex_from_face(p: DVec3, t: &Triangle) -> f64 {
        let edges = (0..3).map(|i| edges_apart([t[i], t[(i + 1) % 3]], [p, p])).fold(f64::INFINITY, f64::min);
        let normal = (t[1] - t[0]).cross(t[2] - t[0]);
        let inside = (0..3).all(|i| (t[(i + 1) % 3] - t[i]).cross(p - t[i]).dot(normal) > 0.0);
        if inside { (p - t[0]).dot(normal).abs() / normal.length() } else { edges }
    }

    /// Returns the fifteen distances: nine of edges, three from a's face, three from b's.
    fn distances(a: &Triangle, b: &Triangle) -> [f64; 15] {
        let edge = |t: &Triangle, i: usize| [t[i], t[(i + 1) % 3]];
        std::array::from_fn(|k| match k {
            0..9 => edges_apart(edge(a, k / 3), edge(b, k % 3)),
            9..12 => vertex_from_face(b[k - 9], a),
            _ => vertex_from_face(a[k - 12], b),
        })
    }

    fn excluded(a: &Triangle, b: &Triangle, moment: &Moment, limit: f64) -> [bool; 15] {
        let (moved_a, moved_b) = (Moved::triangle(moment, 0, a), Moved::triangle(moment, 1, b));
        std::array::from_fn(|k| match k {
            0..9 => {
                let (i, j) = (k / 3, k % 3);
                let (fixed, moving) = ([a[i], a[(i + 1) % 3]], [moved_b[j], moved_b[(j + 1) % 3]]);
                edge_edge_time::scalar::beyond(&fixed, &moving, moment.deviation(1), limit)
            }
            9..12 => vertex_face_time::scalar::beyond(a, &moved_b[k - 9], moment.deviation(1), limit),
            _ => vertex_face_time::scalar::beyond(b, &moved_a[k - 12], moment.deviation(0), limit),
        })
    }

    /// Draws a screw motion of the second triangle, for triangles of any size and position.
    fn moment(stream: &mut Stream, [a, b]: &[Triangle; 2]) -> (Moment, f64) {
        let extent = a.iter().chain(b).fold(0.0f64, |size, p| size.max((*p - a[0]).abs().max_element()));
        let largest = a.iter().chain(b).fold(0.0f64, |size, p| size.max(p.abs().max_element()));
        let half = stream.pick(&[1.0, 1e-3]);
        let angular = stream.point() * (stream.pick(&[0.0, 1e-3, 0.1, 1.0]) / half);
        let slide = stream.point() * (stream.pick(&[0.0, 1e-3, 0.1, 1.0]) * extent / half);
        let velocity = slide - angular.cross(b[0]);
        let at = |p: DVec3| velocity + angular.cross(p);
        let acceleration_bound =
            [a, b].map(|t| t.iter().map(|p| angular.cross(at(*p)).length()).fold(0.0, f64::max));
        let moment = Moment {
            poses: [Pose::IDENTITY; 2],
            time: 0.0,
            half,
            velocity,
            angular,
            acceleration_bound,
            speed: f64::INFINITY,
            slack: 1e-14 * largest,
        };
        (moment, extent)
    }

    /// Returns the triangle at a time from -1 to 1.
    fn moved(t: &Triangle, moment: &Moment, x: f64) -> Triangle {
        let time = x * moment.half;
        let square = moment.angular.length_squared();
        if square == 0.0 {
            return t.map(|p| p + moment.velocity * time);
        }
        let slide = moment.angular * (moment.angular.dot(moment.velocity) / square);
        let turn = DQuat::from_scaled_axis(moment.angular * time);
        // Relative to a point on the axis near the triangle.
        let pivot = t[0] + moment.angular.cross(moment.velocity + moment.angular.cross(t[0])) / square;
        t.map(|p| pivot + turn * (p - pivot) + slide * time)
    }

    #[test]
    fn what_is_beyond_stays_beyond() {
        let (mut pairs, mut stream) = (Pairs::new(11), Stream(12));
        let (mut apart, mut found) = (0, 0);
        for _ in 0..15_000 {
            let [a, b] = pairs.pair();
            let (moment, extent) = moment(&mut stream, &[a, b]);
            let limit = extent * stream.pick(&[0.0, 1e-9, 0.01, 0.3]);
            let excluded = excluded(&a, &b, &moment, limit);
            let mut least = [f64::INFINITY; 15];
            for k in -12..=12 {
                let found = distances(&a, &moved(&b, &moment, f64::from(k) / 12.0));
                least = std::array::from_fn(|i| least[i].min(found[i]));
            }
            for i in 0..15 {
                let error = moment.slack + 1e-12 * extent;
                assert!(
                    !excluded[i] || least[i] > limit - error,
                    "{i}: {} {limit} {a:?} {b:?} {moment:?}",
                    least[i]
                );
                // Features that touch exactly at the middle.
                let touches = match i {
                    0..9 => [a[i / 3], a[(i / 3 + 1) % 3]]
                        .iter()
                        .any(|p| *p == b[i % 3] || *p == b[(i % 3 + 1) % 3]),
                    9..12 => a.contains(&b[i - 9]),
                    _ => b.contains(&a[i - 12]),
                };
                assert!(!(touches && excluded[i]), "{i} {a:?} {b:?}");
                let turn = moment.angular.length() * moment.half;
                if turn < 0.01 && least[i] > limit + 2.0 * error + 0.01 * extent {
                    apart += 1;
                    found += u32::from(excluded[i]);
                }
            }
            assert_eq!(beyond(&[a, b], &moment, limit), excluded.iter().all(|e| *e));
            let one_by_one: [bool; TESTS] = std::array::from_fn(|k| test_beyond(&[a, b], k, &moment, limit));
            assert_eq!(one_by_one, excluded);
        }
        assert!(apart > 50_000 && found * 100 > apart * 80, "{found} of {apart}");
    }

    #[inline(always)]
    fn in_lanes<S: Simd>(simd: S, pairs: &[[Triangle; 2]; 4], moment: &Moment, limit: f64) -> u32 {
        let [a, b] = block(simd, pairs);
        beyond4(&a.corner, &b.corner, moment, limit)
    }

    #[inline(always)]
    fn each_in_lanes<S: Simd>(
        simd: S,
        pairs: &[[Triangle; 2]; 4],
        moment: &Moment,
        limit: f64,
    ) -> [u32; TESTS] {
        let [a, b] = block(simd, pairs);
        std::array::from_fn(|test| test_beyond4(&a.corner, &b.corner, test, moment, limit))
    }

    #[test]
    fn lanes_say_what_the_reading_copy_says() {
        let (mut pairs, mut stream, mut count) = (Pairs::new(13), Stream(14), 0);
        for _ in 0..20_000 {
            let four = [0; 4].map(|_| pairs.pair());
            let (moment, extent) = moment(&mut stream, &four[0]);
            let limit = extent * stream.pick(&[0.0, 1e-9, 0.01, 0.3]);
            let expected: u32 =
                four.iter().enumerate().map(|(l, pair)| u32::from(beyond(pair, &moment, limit)) << l).sum();
            assert_eq!(dispatch!(level(), simd => in_lanes(simd, &four, &moment, limit)), expected);
            assert_eq!(dispatch!(Level::baseline(), simd => in_lanes(simd, &four, &moment, limit)), expected);
            let each: [u32; TESTS] = std::array::from_fn(|test| {
                let of = |pair: &[Triangle; 2]| u32::from(test_beyond(pair, test, &moment, limit));
                four.iter().enumerate().map(|(l, pair)| of(pair) << l).sum()
            });
            assert_eq!(dispatch!(level(), simd => each_in_lanes(simd, &four, &moment, limit)), each);
            count += expected.count_ones();
        }
        assert!((5_000..60_000).contains(&count), "{count}");
    }

    /// Two features are within the limit at the middle of no cell before the one found.
    #[test]
    fn first_roots_come_first() {
        let mut stream = Stream(15);
        let (mut roots, mut sharp, mut none) = (0, 0, 0);
        for _ in 0..400 {
            let (a, b) = ([0; 3].map(|_| stream.point()), [0; 3].map(|_| stream.point() * 0.5));
            let spread = stream.pick(&[0.5, 1.0]);
            let keys = [0.0, 1.0].map(|time| Keyframe {
                time,
                rotation: [stream.point().x, stream.point().x, stream.point().x, 1.0],
                translation: stream.point() * spread + DVec3::Z * 0.5,
            });
            let mut frames = Frames::default();
            let motion = Motion::through(&keys, Between::Screw, [1.0; 3]).unwrap();
            let frame = frames.add(None, Joint::Moving(motion));
            let placed_parts =
                [PlacedPart::of(Pose::IDENTITY, None, &a), PlacedPart::of(Pose::IDENTITY, Some(frame), &b)];
            let pair = PairMotion::new(&frames, placed_parts);
            let span = pair.span(0.0, 1.0);
            let cells = span.cells(0.02).unwrap();
            let limit = 0.01;
            let placed =
                |moment: &Moment| [(&a, 0), (&b, 1)].map(|(t, side)| t.map(|p| moment.poses[side].apply(p)));
            let mut excluded = |stretch| {
                let moment = span.over(&cells, stretch);
                beyond(&placed(&moment), &moment, limit)
            };
            let found = first_root(Stretch::WHOLE, cells.level, &mut excluded);
            let within = |cell: u64, limit: f64| {
                let [a, b] = placed(&span.over(&cells, cells.cell(cell)));
                distances(&a, &b).into_iter().fold(f64::INFINITY, f64::min) <= limit
            };
            let first = (0..cells.count()).find(|&cell| within(cell, limit - 1e-12));
            match found {
                None => assert_eq!(first, None),
                Some(stretch) => {
                    assert!(first.is_none_or(|first| stretch.index <= first));
                    roots += 1;
                    sharp += u32::from(first == Some(stretch.index));
                }
            }
            none += u32::from(found.is_none());
            // The paper's threshold: short enough, and no shorter than needed.
            let middle = span.over(&cells, Stretch::WHOLE);
            let corners = placed(&middle)[1];
            let level = finest(&cells, &middle, 1, &corners, 0.1);
            let width = 1.0 / (1u64 << level) as f64;
            for k in 0..64 {
                let from = f64::from(k) / 64.0 * (1.0 - width);
                let [p, q] = [from, from + width].map(|t| pair.poses(t)[1]);
                assert!(b.iter().all(|v| p.apply(*v).distance(q.apply(*v)) <= 0.1 + 1e-12));
            }
        }
        assert!(roots > 50 && none > 50 && sharp * 10 > roots * 9, "{roots} {sharp} {none}");
    }
}

//! Pairs of triangles by category, from a seed alone: all kinds of touching, almost touching, degenerate,
//! tiny, huge, flat and far.

use closefit::Pose;
use glam::DVec3;

use crate::rational::Triangle;
use crate::rng::{Rng, power_of_two};

/// Two triangles.
pub type Pair = [Triangle; 2];

/// The name of a category and the function that makes one of its pairs.
pub type Category = (&'static str, fn(&mut Rng) -> Pair);

/// All categories.
pub const CATEGORIES: &[Category] = &[
    ("general", general),
    ("close", close),
    ("near miss: corner and face", corner_near_face),
    ("near miss: edge and edge", edge_near_edge),
    ("near miss: one ulp off a touch", one_ulp_off),
    ("shared corner", |r| shared(r, 1)),
    ("shared edge", |r| shared(r, 2)),
    ("same corners", |r| shared(r, 3)),
    ("corner on edge", corner_on_edge),
    ("corner in face", corner_in_face),
    ("edge crosses edge", edge_crosses_edge),
    ("edge crosses face", edge_crosses_face),
    ("coplanar, tilted lattice", |r| coplanar(r, 3)),
    ("coplanar, wide tilted lattice", |r| coplanar(r, 1000)),
    ("coplanar, axis-aligned", coplanar_axis_aligned),
    ("coplanar, common corner", |r| coplanar_shared(r, 1)),
    ("coplanar, common edge", |r| coplanar_shared(r, 2)),
    ("coplanar, nested", coplanar_nested),
    ("coplanar, apart", coplanar_apart),
    ("parallel planes, tiny gap", parallel_planes),
    ("slivers", slivers),
    ("slivers that touch", touching_slivers),
    ("edges almost parallel", almost_parallel),
    ("segment and triangle", |r| degenerate(r, 1, 2)),
    ("point and triangle", |r| degenerate(r, 0, 2)),
    ("segment and segment", |r| degenerate(r, 1, 1)),
    ("segments on one line", collinear_segments),
    ("point and segment", |r| degenerate(r, 0, 1)),
    ("point and point", |r| degenerate(r, 0, 0)),
    ("lattice of 3", |r| lattice(r, 1)),
    ("lattice of 7", |r| lattice(r, 3)),
    ("scaled by 1e9", |r| scaled(r, 1e9)),
    ("scaled by 1e-9", |r| scaled(r, 1e-9)),
    ("far away", far_away),
    ("far away, on a lattice", far_away_exactly),
    ("scaled by 2^188", |r| scaled(r, power_of_two(188))),
    ("scaled by 2^-188", |r| scaled(r, power_of_two(-188))),
    ("huge and tiny", huge_and_tiny),
    ("f32 coordinates", single_precision),
    ("touching, posed alike", |r| posed(r, true)),
    ("touching, posed apart", |r| posed(r, false)),
    ("any exponent", any_exponent),
    ("any exponent, common corner", any_exponent_shared),
];

/// Returns pair number `seed` of a category.
pub fn pair(category: &Category, seed: u64) -> Pair {
    let mut rng = Rng::new(category.0, seed);
    let [mut a, mut b] = (category.1)(&mut rng).map(|t| t.map(admissible));
    a.rotate_left(rng.index(3));
    b.rotate_left(rng.index(3));
    if rng.coin() {
        a.swap(1, 2);
    }
    if rng.coin() { [a, b] } else { [b, a] }
}

/// Returns the point as a pose would give it: tiny coordinates become 0.
fn admissible(p: DVec3) -> DVec3 {
    Pose::IDENTITY.apply(p)
}

fn triangle(r: &mut Rng) -> Triangle {
    std::array::from_fn(|_| r.point())
}

fn lattice_triangle(r: &mut Rng, reach: i64) -> Triangle {
    std::array::from_fn(|_| r.lattice(reach))
}

fn moved(t: Triangle, by: DVec3) -> Triangle {
    t.map(|p| p + by)
}

fn general(r: &mut Rng) -> Pair {
    [triangle(r), triangle(r)]
}

/// Returns pairs of triangles. About half meet; the others are near each other.
fn close(r: &mut Rng) -> Pair {
    let by = r.point() * 0.3;
    [triangle(r), moved(triangle(r), by)]
}

/// Returns a random point inside, as f64 gives it: a few ulps off the plane.
fn inside(r: &mut Rng, t: &Triangle) -> DVec3 {
    let [u, v, w] = std::array::from_fn(|_| r.unit().abs() + 0.01);
    (t[0] * u + t[1] * v + t[2] * w) / (u + v + w)
}

fn corner_near_face(r: &mut Rng) -> Pair {
    let a = triangle(r);
    let tip = inside(r, &a);
    let normal = (a[1] - a[0]).cross(a[2] - a[0]);
    let side = if r.coin() { normal } else { -normal };
    let (p, q) = (r.point(), r.point());
    let away = |x: DVec3| if x.dot(side) < 0.0 { -x } else { x };
    [a, [tip + side * r.power_of_two(-60, -10), tip + away(p), tip + away(q)]]
}

fn edge_near_edge(r: &mut Rng) -> Pair {
    let (at, u, v) = (r.point(), r.point(), r.point());
    let normal = u.cross(v);
    let gap = normal * r.power_of_two(-60, -10);
    let up = normal * (r.unit().abs() + 0.1);
    let (s, t) = (r.unit().abs() + 0.1, r.unit().abs() + 0.1);
    [[at - u * s, at + u, at - up], [at + gap - v * t, at + gap + v, at + gap + up]]
}

/// Returns an exact touch of one of the other kinds with one coordinate moved to a neighbouring f64.
fn one_ulp_off(r: &mut Rng) -> Pair {
    const TOUCHES: [fn(&mut Rng) -> Pair; 5] =
        [corner_on_edge, corner_in_face, edge_crosses_edge, |r| coplanar(r, 4), |r| shared(r, 2)];
    let mut pair = TOUCHES[r.index(TOUCHES.len())](r);
    let x = &mut pair[r.index(2)][r.index(3)][r.index(3)];
    *x = if r.coin() { x.next_up() } else { x.next_down() };
    pair
}

fn shared(r: &mut Rng, corners: usize) -> Pair {
    let a = triangle(r);
    let mut b = triangle(r);
    b[..corners].copy_from_slice(&a[..corners]);
    [a, b]
}

/// Whole numbers; a corner of b is exactly inside an edge of a.
fn corner_on_edge(r: &mut Rng) -> Pair {
    let (at, along) = (r.lattice(1000), r.lattice_direction(300));
    let (back, forth) = (r.int(1, 5) as f64, r.int(1, 5) as f64);
    [[at - along * back, at + along * forth, r.lattice(1000)], [at, r.lattice(1000), r.lattice(1000)]]
}

/// Whole numbers; a corner of b is exactly inside a.
fn corner_in_face(r: &mut Rng) -> Pair {
    let (at, u, v) = (r.lattice(1000), r.lattice_direction(100), r.lattice_direction(100));
    let (i, j) = (r.int(1, 4) as f64, r.int(1, 4) as f64);
    let a = [at + u * i, at + v * j, at - u - v];
    [a, [at, r.lattice(1000), r.lattice(1000)]]
}

/// Whole numbers; two edges cross in a point.
fn edge_crosses_edge(r: &mut Rng) -> Pair {
    let (at, u, v) = (r.lattice(1000), r.lattice_direction(100), r.lattice_direction(100));
    let [i, j, k, l] = std::array::from_fn(|_| r.int(1, 5) as f64);
    [[at - u * i, at + u * j, r.lattice(1000)], [at - v * k, at + v * l, r.lattice(1000)]]
}

/// Whole numbers; an edge of b passes through the inside of a.
fn edge_crosses_face(r: &mut Rng) -> Pair {
    let [a, _] = corner_in_face(r);
    let at = (a[0] + a[1] + a[2]) / 3.0;
    let (along, i, j) = (r.lattice_direction(100), r.int(1, 5) as f64, r.int(1, 5) as f64);
    [a, [at - along * i, at + along * j, r.lattice(1000)]]
}

/// An exact plane: an origin and two directions of whole numbers.
struct Plane {
    origin: DVec3,
    u: DVec3,
    v: DVec3,
}

impl Plane {
    fn new(r: &mut Rng) -> Self {
        Self { origin: r.lattice(100), u: r.lattice_direction(9), v: r.lattice_direction(9) }
    }

    fn at(&self, i: i64, j: i64) -> DVec3 {
        self.origin + self.u * i as f64 + self.v * j as f64
    }

    fn triangle(&self, r: &mut Rng, reach: i64) -> Triangle {
        std::array::from_fn(|_| self.at(r.int(-reach, reach), r.int(-reach, reach)))
    }
}

fn coplanar(r: &mut Rng, reach: i64) -> Pair {
    let plane = Plane::new(r);
    [plane.triangle(r, reach), plane.triangle(r, reach)]
}

/// Triangles in a coordinate plane; the other two coordinates may be anything.
fn coplanar_axis_aligned(r: &mut Rng) -> Pair {
    let (axis, height) = (r.index(3), r.unit());
    let mut flat = |reach: f64| {
        let mut t = triangle(r).map(|p| p * reach);
        t.iter_mut().for_each(|p| p[axis] = height);
        t
    };
    [flat(1.0), flat(0.7)]
}

fn coplanar_shared(r: &mut Rng, corners: usize) -> Pair {
    let plane = Plane::new(r);
    let a = plane.triangle(r, 50);
    let mut b = plane.triangle(r, 50);
    b[..corners].copy_from_slice(&a[..corners]);
    [a, b]
}

fn coplanar_nested(r: &mut Rng) -> Pair {
    let plane = Plane::new(r);
    let k = r.int(4, 40);
    [[plane.at(-k, -k), plane.at(2 * k, -k), plane.at(-k, 2 * k)], plane.triangle(r, k / 2)]
}

fn coplanar_apart(r: &mut Rng) -> Pair {
    let plane = Plane::new(r);
    let a = plane.triangle(r, 20);
    let b = plane.triangle(r, 20);
    [a, moved(b, plane.u * r.int(41, 60) as f64)]
}

/// Triangles that overlap in projection, with a gap down to one ulp.
fn parallel_planes(r: &mut Rng) -> Pair {
    if r.coin() {
        let [a, mut b] = coplanar_axis_aligned(r);
        let axis = (0..3).find(|&i| a[0][i] == b[0][i] && a[1][i] == b[1][i]).expect("flat");
        let ulps = 1u64 << r.int(0, 40);
        b.iter_mut().for_each(|p| p[axis] += ulps as f64 * power_of_two(-53));
        [a, b]
    } else {
        let [a, b] = coplanar(r, 5);
        let by = r.lattice_direction(3) * r.power_of_two(-43, 0);
        [a, moved(b, by)]
    }
}

/// Returns a triangle as thin as 2^-50 of its length.
fn sliver(r: &mut Rng) -> Triangle {
    let (p, q) = (r.point(), r.point());
    let near = r.unit().abs();
    [p, q, p + (q - p) * near + r.point() * r.power_of_two(-52, -20)]
}

fn slivers(r: &mut Rng) -> Pair {
    [sliver(r), if r.coin() { sliver(r) } else { triangle(r) }]
}

fn touching_slivers(r: &mut Rng) -> Pair {
    let (a, mut b) = (sliver(r), sliver(r));
    let at = match r.index(3) {
        0 => a[r.index(3)],
        1 => (a[0] + a[1]) / 2.0,
        _ => inside(r, &a),
    };
    let shift = at - b[0];
    b = moved(b, shift);
    b[0] = at;
    [a, b]
}

fn almost_parallel(r: &mut Rng) -> Pair {
    let [p, along, offset] = [r.point(), r.point(), r.point() * r.power_of_two(-30, -2)];
    let mut turn = || r.point() * r.power_of_two(-52, -20);
    let b = [p + offset + turn(), p + along + offset + turn()];
    let (side, other) = (r.point(), r.point());
    [[p, p + along, p + side], [b[0], b[1], b[0] + other]]
}

/// Returns a lattice triangle, so that coincidences occur, of dimension 0 (a point), 1 (a segment) or 2.
fn of_dimension(r: &mut Rng, dimension: usize, reach: i64) -> Triangle {
    let [p, q, s] = lattice_triangle(r, reach);
    match dimension {
        0 => [p; 3],
        // Repeated corners, or three on one line with any of them in the middle.
        1 => match r.index(3) {
            0 => [p, q, q],
            1 => [p, q, p],
            _ => [p, p + (q - p) * r.int(-2, 3) as f64, q],
        },
        _ => [p, q, s],
    }
}

fn degenerate(r: &mut Rng, first: usize, second: usize) -> Pair {
    let reach = r.int(1, 3);
    let pair = [of_dimension(r, first, reach), of_dimension(r, second, reach)];
    // Every other pair is in general position: turned and rounded.
    if r.coin() {
        return pair;
    }
    let pose = pose(r);
    pair.map(|t| t.map(|p| pose.apply(p)))
}

fn collinear_segments(r: &mut Rng) -> Pair {
    let (at, along) = (r.lattice(50), r.lattice_direction(9));
    let mut segment = || {
        let mut end = || at + along * r.int(-6, 6) as f64;
        [end(), end(), end()]
    };
    [segment(), segment()]
}

fn lattice(r: &mut Rng, reach: i64) -> Pair {
    [lattice_triangle(r, reach), lattice_triangle(r, reach)]
}

/// Returns a pair of one of the exact kinds, or a random one.
fn mixed(r: &mut Rng) -> Pair {
    const KINDS: [fn(&mut Rng) -> Pair; 7] = [
        general,
        close,
        corner_on_edge,
        corner_in_face,
        edge_crosses_edge,
        |r| coplanar(r, 4),
        |r| lattice(r, 2),
    ];
    KINDS[r.index(KINDS.len())](r)
}

/// A factor that is not a power of two turns exact touches into touches up to rounding.
fn scaled(r: &mut Rng, factor: f64) -> Pair {
    mixed(r).map(|t| t.map(|p| p * factor))
}

fn far_away(r: &mut Rng) -> Pair {
    let by = r.point() * 1e6;
    mixed(r).map(|t| moved(t, by))
}

fn far_away_exactly(r: &mut Rng) -> Pair {
    let by = r.lattice(1_000_000_000);
    lattice(r, 5).map(|t| moved(t, by))
}

fn huge_and_tiny(r: &mut Rng) -> Pair {
    let a = triangle(r).map(|p| p * 1e6);
    let at = match r.index(4) {
        0 => a[0],
        1 => (a[0] + a[1]) / 2.0,
        2 => inside(r, &a),
        _ => r.point() * 1e6,
    };
    [a, triangle(r).map(|p| at + p * r.power_of_two(-40, 0))]
}

fn single_precision(r: &mut Rng) -> Pair {
    let [a, b] = general(r);
    let narrow =
        |t: Triangle| t.map(|p| DVec3::from_array(p.to_array().map(|x| f64::from((x * 1000.0) as f32))));
    let (a, mut b) = (narrow(a), narrow(b));
    match r.index(3) {
        0 => b[0] = a[0],
        1 => b = narrow(moved(b, (a[0] - b[0]) / 1000.0)),
        _ => {}
    }
    [a, b]
}

fn pose(r: &mut Rng) -> Pose {
    let by = r.point() * 10.0;
    Pose::from_trs(r.quaternion(), [1.0; 3], by.to_array()).expect("not of length 0")
}

/// Returns exact touches seen through inexact rotations. With `alike`, common corners stay common; otherwise
/// the second triangle is posed in another way and touches up to rounding only.
fn posed(r: &mut Rng, alike: bool) -> Pair {
    let [a, b] = mixed(r);
    let parent = pose(r);
    if alike {
        return [a, b].map(|t| t.map(|p| parent.apply(p)));
    }
    let q = r.quaternion();
    let back = [-q[0], -q[1], -q[2], q[3]];
    let turn = |q| Pose::from_trs(q, [1.0; 3], [0.0; 3]).expect("not of length 0");
    let (there, child) = (turn(back), Pose::compose(&parent, &turn(q)));
    [a.map(|p| parent.apply(p)), b.map(|p| child.apply(there.apply(p)))]
}

fn wild(r: &mut Rng) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| match r.index(8) {
        0 => 0.0,
        1 => power_of_two(r.int(-200, 199)),
        _ => r.unit() * power_of_two(r.int(-199, 200)),
    }))
}

fn any_exponent(r: &mut Rng) -> Pair {
    [std::array::from_fn(|_| wild(r)), std::array::from_fn(|_| wild(r))]
}

fn any_exponent_shared(r: &mut Rng) -> Pair {
    let [a, mut b] = any_exponent(r);
    match r.index(3) {
        0 => b[0] = a[0],
        1 => b[..2].copy_from_slice(&a[..2]),
        _ => b[0] = (a[0] + a[1]) / 2.0,
    }
    [a, b]
}

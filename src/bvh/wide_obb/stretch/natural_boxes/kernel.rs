//! The test, on numbers or on lanes of them, which return the same bits: see [`ends`](super::ends).

use glam::{DMat3, DVec3};

use super::ends::{Ends, Number};
use super::{Carried, NaturalPair, Start};
use crate::bvh::wide_obb::Block;
use crate::bvh::wide_obb::box_box::PARALLEL;
use crate::continuous::method::Axes;
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::error_bounds::F32_EXTENT;
use closefit_geometry::motion::screws::{Screw, ScrewOver};

type Three<N> = [Ends<N>; 3];

#[inline(always)]
fn dot<N: Number>(p: &Three<N>, q: &Three<N>) -> Ends<N> {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

/// Returns the coordinate of a vector along a direction.
#[inline(always)]
fn along<N: Number>(v: &Three<N>, direction: DVec3) -> Ends<N> {
    let like = v[0].lo;
    v[0].times(like.number(direction.x))
        + v[1].times(like.number(direction.y))
        + v[2].times(like.number(direction.z))
}

#[inline(always)]
fn moved<N: Number>(p: &Three<N>, by: DVec3) -> Three<N> {
    let like = p[0].lo;
    let [x, y, z] = [like.number(by.x), like.number(by.y), like.number(by.z)];
    [p[0] + Ends::point(x), p[1] + Ends::point(y), p[2] + Ends::point(z)]
}

/// Returns a direction carried by a screw: the linear part of the paper's equation 6.
#[inline(always)]
fn turned<N: Number>(v: &Three<N>, (screw, over): &(Screw, ScrewOver)) -> Three<N> {
    let (like, to) = (v[0].lo, &screw.frame);
    let [x, y, z] = [along(v, to.x_axis), along(v, to.y_axis), along(v, to.z_axis)];
    let (sin, cos) = (Ends::of(like, over.sin), Ends::of(like, over.cos));
    out_of(to, &[x * cos - y * sin, x * sin + y * cos, z])
}

/// Returns a point carried by a screw: the paper's equation 6.
#[inline(always)]
fn carried<N: Number>(p: &Three<N>, (screw, over): &(Screw, ScrewOver)) -> Three<N> {
    let (like, to) = (p[0].lo, &screw.frame);
    let v = moved(p, -screw.through);
    let [x, y, z] = [along(&v, to.x_axis), along(&v, to.y_axis), along(&v, to.z_axis)];
    let (sin, cos) = (Ends::of(like, over.sin), Ends::of(like, over.cos));
    let slide = &over.slide.0;
    let there = [
        x * cos - y * sin + Ends::of(like, slide[0]),
        x * sin + y * cos + Ends::of(like, slide[1]),
        z + Ends::of(like, slide[2]),
    ];
    moved(&out_of(to, &there), screw.through)
}

/// Returns a vector, given in a frame, in the world.
#[inline(always)]
fn out_of<N: Number>(frame: &DMat3, v: &Three<N>) -> Three<N> {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = *frame;
    [
        along(v, DVec3::new(x.x, y.x, z.x)),
        along(v, DVec3::new(x.y, y.y, z.y)),
        along(v, DVec3::new(x.z, y.z, z.z)),
    ]
}

/// Returns a vector of points, given in a frame, in the world.
#[inline(always)]
fn mapped<N: Number>(frame: &DMat3, [x, y, z]: [N; 3]) -> Three<N> {
    out_of(frame, &[Ends::point(x), Ends::point(y), Ends::point(z)])
}

/// A box over a stretch of time, in the world; or one in each of some lanes.
#[derive(Clone, Copy, Debug)]
struct Solid<N> {
    center: Three<N>,
    axes: [Three<N>; 3],
    half: [N; 3],
}

impl<N: Number> Solid<N> {
    /// Returns the boxes of a block from a lane on.
    #[inline(always)]
    fn of(like: N, Carried { start, screws }: &Carried, block: &Block, from: usize) -> Self {
        let Start { turn, scale, origin } = start;
        let scale = like.number(*scale);
        let (o, [c, d]) = (&block.origin, &block.axes);
        let place = [
            (like.number(f64::from(o[0])) + like.of_column(&block.center[0], from)) * scale,
            (like.number(f64::from(o[1])) + like.of_column(&block.center[1], from)) * scale,
            (like.number(f64::from(o[2])) + like.of_column(&block.center[2], from)) * scale,
        ];
        let first = [like.of_column(&c[0], from), like.of_column(&c[1], from), like.of_column(&c[2], from)];
        let second = [like.of_column(&d[0], from), like.of_column(&d[1], from), like.of_column(&d[2], from)];
        let third = [
            first[1] * second[2] - first[2] * second[1],
            first[2] * second[0] - first[0] * second[2],
            first[0] * second[1] - first[1] * second[0],
        ];
        let mut center = moved(&mapped(turn, place), *origin);
        let mut axes = [mapped(turn, first), mapped(turn, second), mapped(turn, third)];
        let mut at = screws.len();
        while at > 0 {
            at -= 1;
            center = carried(&center, &screws[at]);
            axes =
                [turned(&axes[0], &screws[at]), turned(&axes[1], &screws[at]), turned(&axes[2], &screws[at])];
        }
        let half = [
            like.of_column(&block.half[0], from),
            like.of_column(&block.half[1], from),
            like.of_column(&block.half[2], from),
        ];
        let wider = (half[0] + half[1] + half[2]) * like.number(F32_EXTENT);
        let half = [(half[0] + wider) * scale, (half[1] + wider) * scale, (half[2] + wider) * scale];
        Self { center, axes, half }
    }
}

impl Solid<f64> {
    /// Returns the box in every lane.
    #[inline(always)]
    fn in_lanes<N: Number>(&self, like: N) -> Solid<N> {
        let Self { center, axes: [x, y, z], half } = self;
        Solid {
            center: spread(like, center),
            axes: [spread(like, x), spread(like, y), spread(like, z)],
            half: [like.number(half[0]), like.number(half[1]), like.number(half[2])],
        }
    }
}

#[inline(always)]
fn spread<N: Number>(like: N, v: &Three<f64>) -> Three<N> {
    let [x, y, z] = *v;
    [
        Ends { lo: like.number(x.lo), hi: like.number(x.hi) },
        Ends { lo: like.number(y.lo), hi: like.number(y.hi) },
        Ends { lo: like.number(z.lo), hi: like.number(z.hi) },
    ]
}

/// Returns the lanes in which no tried axis keeps two boxes farther apart than what is added to radii.
#[inline(always)]
fn met<N: Number>(a: &Solid<N>, b: &Solid<N>, added: f64, tried: Axes) -> u32 {
    let like = a.half[0];
    let all = (1 << N::COUNT) - 1;
    let (added, parallel) = (like.number(added), like.number(f64::from(PARALLEL)));
    // Lanes without a box.
    let mut apart = like.number(0.0).exceeding(b.half[0]);
    let t = [b.center[0] - a.center[0], b.center[1] - a.center[1], b.center[2] - a.center[2]];
    let ta = [dot(&a.axes[0], &t), dot(&a.axes[1], &t), dot(&a.axes[2], &t)];
    let mut c = [ta; 3];
    let mut r = [a.half; 3];
    for i in 0..3 {
        for j in 0..3 {
            c[i][j] = dot(&a.axes[i], &b.axes[j]);
            r[i][j] = c[i][j].magnitude().hi + parallel;
        }
    }
    let (ha, hb) = (&a.half, &b.half);
    for i in 0..3 {
        let radius = ha[i] + (hb[0] * r[i][0] + hb[1] * r[i][1] + hb[2] * r[i][2]) + added;
        apart |= ta[i].magnitude().lo.exceeding(radius);
    }
    for j in 0..3 {
        let radius = hb[j] + (ha[0] * r[0][j] + ha[1] * r[1][j] + ha[2] * r[2][j]) + added;
        apart |= dot(&b.axes[j], &t).magnitude().lo.exceeding(radius);
    }
    if apart == all || tried == Axes::Faces {
        return all & !apart;
    }
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let distance = (ta[i2] * c[i1][j] - ta[i1] * c[i2][j]).magnitude().lo;
            let from_a = ha[i1] * r[i2][j] + ha[i2] * r[i1][j];
            let from_b = hb[j1] * r[i][j2] + hb[j2] * r[i][j1];
            apart |= distance.exceeding(from_a + from_b + added);
        }
    }
    all & !apart
}

/// Returns the given lanes of a block of one tree (0 the first) that no tried axis keeps farther
/// than the limit from a box of the other throughout. `like` is any number of the form in which the test
/// computes.
#[inline(always)]
pub fn meeting<N: Number>(
    like: N,
    over: &NaturalPair,
    (side, block, lanes): (usize, &Block, u32),
    (of, lane): (&Block, usize),
    tried: Axes,
) -> u32 {
    let one = Solid::of(0.0, &over.sides[1 - side], of, lane).in_lanes(like);
    let (mut left, mut from) = (0, 0);
    while from < LANES {
        let asked = lanes >> from & ((1 << N::COUNT) - 1);
        if asked != 0 {
            let boxes = Solid::of(like, &over.sides[side], block, from);
            left |= (asked & met(&one, &boxes, over.added, tried)) << from;
        }
        from += N::COUNT;
    }
    left
}

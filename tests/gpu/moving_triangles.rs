//! Triangles, one of them moving, that barely meet or barely miss at some time of a stretch.

use bytemuck::Zeroable;
use closefit::Device;
use closefit::internals::bvh::moving::LEVELS;
use closefit::internals::bvh::wide_obb::on_device::columns::{Pair, UNFINISHED};
use closefit::internals::bvh::wide_obb::on_device::fixed_point::{fixed, words};
use closefit::internals::bvh::wide_obb::on_device::kernels::SWEPT_BOXES;
use closefit::internals::bvh::wide_obb::on_device::motions::Motion;
use closefit::internals::gpu::Kernel;
use closefit::internals::gpu::error_bounds::PLACED;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_testing::rng::Rng;
use glam::{DMat3, DVec3};

use crate::kernels::{LeftOfStretch, resume_stretches};
use crate::perturbed::{Rounding, with_rounding};
use crate::triangles::{self, push_triangle, rounded};

/// A pair of triangles in the middle of a stretch, and how one of them moves in home coordinates. At `time`,
/// from -1 to 1, they barely meet or barely miss.
pub struct Case {
    middle: triangles::Case,
    mover: usize,
    pub way: DVec3,
    pub turn: DVec3,
    pub time: f64,
}

impl Case {
    /// Takes a pair that barely meets or misses and moves one triangle back by its motion. Every number is
    /// exact in f64.
    fn new(rng: &mut Rng) -> Self {
        let mut middle = triangles::Case::new(rng);
        while middle.meet.is_some() {
            middle = triangles::Case::new(rng);
        }
        let mover = rng.index(2);
        let way = rounded((rng.point() * rng.power_of_two(-20, -1)).as_vec3().as_dvec3(), 44);
        // Towards the other triangle.
        let [of_home, of_guest] = [middle.home, middle.placed].map(|t| t[0] + t[1] + t[2]);
        let across = if mover == 0 { of_guest - of_home } else { of_home - of_guest };
        let way = if way.dot(across) < 0.0 { -way } else { way };
        let mut quarter = || [0.0, 0.0, 0.25, -0.25][rng.index(4)];
        let turn = DVec3::new(quarter(), quarter(), quarter());
        let turn = if rng.coin() { turn } else { DVec3::ZERO };
        // A turn about a point near the triangle, so that the path of the origin and the turn cancel.
        let first = if mover == 0 { middle.home[0] } else { middle.placed[0] };
        let way = if turn != DVec3::ZERO && rng.coin() {
            rounded(way * rng.power_of_two(-12, 0) - turn.cross(first), 22)
        } else {
            way
        };
        // The ends, the ends of parts of the stretch, and times within parts.
        let time = match rng.index(4) {
            0 => 1.0,
            1 if turn == DVec3::ZERO => rng.int(-8, 8) as f64 / 8.0,
            _ => rng.int(-4, 4) as f64 / 4.0,
        };
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis + turn.cross(axis) * time);
        let inverse = DMat3::from_cols_array_2d(&axes.map(|axis| axis.to_array())).inverse();
        let back = |p: DVec3| rounded(inverse * (p - way * time), 47);
        if mover == 0 {
            middle.home = middle.home.map(back);
        } else {
            // The guest stays as it is but for its place; its first corner comes back to where it was.
            let by = middle.placed[0] - back(middle.placed[0]);
            middle.placed = middle.placed.map(|p| p - by);
            middle.shift -= by;
            middle.pair.shift = fixed(middle.shift).map(words);
        }
        Self { middle, mover, way, turn, time }
    }

    /// Returns both triangles at a time from -1 to 1.
    pub fn at(&self, time: f64) -> [[DVec3; 3]; 2] {
        let image = |p: DVec3| p + (self.way + self.turn.cross(p)) * time;
        match self.mover {
            0 => [self.middle.home.map(image), self.middle.placed],
            _ => [self.middle.home, self.middle.placed.map(image)],
        }
    }

    /// Returns true if the triangles share a point at the time at which they barely meet or miss.
    fn meets(&self) -> bool {
        let [home, guest] = self.at(self.time);
        triangles_meet(&home, &guest)
    }

    /// Returns true if all coordinates are small enough to be exact.
    fn is_exact(&self) -> bool {
        let below = |triangles: [[DVec3; 3]; 2], most: f64| {
            triangles.as_flattened().iter().all(|p| p.abs().max_element() < most)
        };
        below([self.middle.home, self.middle.placed], 1.5) && below(self.at(self.time), 2.0)
    }
}

type Triangle = [DVec3; 3];

/// Returns the distance of two edges: that of two of their points, so that it is never too small.
fn edges_apart([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let (u, v, r) = (b - a, d - c, c - a);
    let fraction = |x: f64, of: f64| if of > 0.0 { (x / of).clamp(0.0, 1.0) } else { 0.0 };
    let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
    let apart = |s: f64| {
        let t = fraction(v.dot(u * s - r), vv);
        let s = fraction(u.dot(r + v * t), uu);
        (r + v * t - u * s).length()
    };
    let s = fraction(u.dot(r) * vv - uv * v.dot(r), uu * vv - uv * uv);
    [0.0, 1.0, s].map(apart).into_iter().fold(f64::INFINITY, f64::min)
}

/// Returns the distance of a vertex from a face, as that from one of its points.
fn vertex_from_face(p: DVec3, t: &Triangle) -> f64 {
    let edges = (0..3).map(|i| edges_apart([t[i], t[(i + 1) % 3]], [p, p])).fold(f64::INFINITY, f64::min);
    let (e, f, at) = (t[1] - t[0], t[2] - t[0], p - t[0]);
    let normal = e.cross(f);
    let squared = normal.dot(normal);
    let [x, y] = [at.cross(f).dot(normal) / squared, e.cross(at).dot(normal) / squared];
    if x >= 0.0 && y >= 0.0 && x + y <= 1.0 { edges.min((at - e * x - f * y).length()) } else { edges }
}

/// Returns the least distance of two features of triangles, one of each.
fn distance([a, b]: &[Triangle; 2]) -> f64 {
    let edge = |t: &Triangle, i: usize| [t[i], t[(i + 1) % 3]];
    let of_edges = (0..9).map(|k| edges_apart(edge(a, k / 3), edge(b, k % 3)));
    let of_b = b.iter().map(|&p| vertex_from_face(p, a));
    let of_a = a.iter().map(|&p| vertex_from_face(p, b));
    of_edges.chain(of_b).chain(of_a).fold(f64::INFINITY, f64::min)
}

/// Error of a distance computed here.
const ERROR: f64 = 1e-14;

/// Returns a limit by which triangles barely stay apart, or barely do not, at the time at which they
/// barely meet, or at the time when they are nearest; and the least distance.
fn limit(rng: &mut Rng, case: &Case) -> (f32, f64) {
    let times = (-8..=8).map(|k| f64::from(k) / 8.0);
    let least = times.map(|time| distance(&case.at(time))).fold(f64::INFINITY, f64::min);
    let then = distance(&case.at(case.time));
    let [a, b] = case.at(case.time);
    let reach = a.iter().chain(&b).map(|p| (*p - a[0]).abs().max_element()).fold(0.0, f64::max);
    let unit = [reach, case.way.length() + case.turn.length()][rng.index(2)] * 2f64.powi(-24);
    let units = [rng.int(-64, 64), rng.int(0, 8), rng.int(-1024, 0)][rng.index(3)] as f64;
    let about = [0.0, then, then, least][rng.index(4)] + units * unit;
    (about.max(0.0) as f32, least.min(then))
}

/// What the limits of cases are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limits {
    /// 0: triangles are excluded unless they meet.
    Zero,
    /// About the least distance of the triangles.
    Near,
}

/// Returns the number of pairs of triangles that a kernel excludes from a part of the stretch although they
/// meet then or, with limits, from all parts although they come within the limit.
pub fn wrong(device: Device, source: &'static str, limits: Limits, cases: usize, seed: u64) -> usize {
    let mut rng = Rng::new("moving triangles", seed);
    let mut cases: Vec<Case> = (0..cases).map(|_| Case::new(&mut rng)).collect();
    cases.retain(Case::is_exact);
    let (mut arenas, mut pairs, mut motions, mut left) = ([Vec::new(), Vec::new()], vec![], vec![], vec![]);
    let mut is_within = Vec::new();
    for case in &cases {
        let [home, guest] = &mut arenas;
        let at = [push_triangle(home, &case.middle.home), push_triangle(guest, &case.middle.guest)];
        pairs.push(Pair { blur: PLACED, corners: at, vertices: at.map(|at| at + 3), ..case.middle.pair });
        let (limit, least) = match limits {
            Limits::Zero => (0.0, f64::INFINITY),
            Limits::Near => limit(&mut rng, case),
        };
        is_within.push(least + ERROR <= f64::from(limit));
        motions.push(Motion {
            way: [case.way.as_vec3().to_array(); 2],
            turn: [case.turn.as_vec3().to_array(); 2],
            added: [limit; 2],
            mover: case.mover as u32,
            levels: LEVELS,
            ..Motion::zeroed()
        });
        left.push(LeftOfStretch { words: [0, 0], are_leaves: true, part: 1 });
    }
    let kernel = Kernel::new(&device, "swept_boxes", source).expect("compiled");
    let arenas = arenas.each_ref().map(|arena| &arena[..]);
    let open = resume_stretches(device, &kernel, (&pairs, &motions), arenas, &left, 1);
    let all = (1 << (1 << LEVELS)) - 1;
    let (mut meeting, mut excluded, mut in_part, mut wrong) = (0, 0, 0, 0);
    for ((case, open), is_within) in cases.iter().zip(open).zip(is_within) {
        assert_eq!(open & UNFINISHED, 0);
        let meets = case.meets();
        // The parts that end or begin at the time, or contain it.
        let parts = f64::from(1 << LEVELS);
        let at = 0.5 * (case.time + 1.0) * parts;
        let [before, after] = [(at.ceil() as u32).max(1) - 1, (at.floor() as u32).min((1 << LEVELS) - 1)];
        let then = 1 << before | 1 << after;
        meeting += usize::from(meets || is_within);
        excluded += usize::from(open == 0);
        in_part += usize::from(open != 0 && open != all);
        wrong += usize::from((meets && open & then != then) || (is_within && open == 0));
    }
    println!(
        "moving triangles, {limits:?}: {} pairs, {meeting} meet, {excluded} excluded, {in_part} in parts, {wrong} wrongly",
        cases.len(),
    );
    assert!(100 * excluded > cases.len() && 10 * in_part > cases.len() && 10 * meeting > cases.len());
    wrong
}

pub fn what_is_excluded_of_moving_triangles_stays_apart(device: Device) {
    for limits in [Limits::Zero, Limits::Near] {
        for seed in crate::seeds(30_000, 4) {
            assert_eq!(wrong(device, SWEPT_BOXES, limits, 30_000, seed), 0);
        }
        for &rounding in Rounding::tested() {
            for seed in crate::seeds(30_000, 2) {
                let wrong =
                    with_rounding(device, rounding, || wrong(device, SWEPT_BOXES, limits, 30_000, seed));
                assert_eq!(wrong, 0, "{rounding:?}");
            }
        }
    }
}

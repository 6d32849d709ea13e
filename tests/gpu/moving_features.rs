//! Edges, vertices and faces of triangles, some of them moving, that barely meet or barely miss at some time
//! of a stretch.

use bytemuck::Zeroable;
use closefit::Device;
use closefit::internals::bvh::wide_obb::on_device::columns::{Queue, Record};
use closefit::internals::bvh::wide_obb::on_device::kernels::{EDGE_EDGE_TIME, VERTEX_FACE_TIME};
use closefit::internals::gpu::Kernel;
use closefit_testing::rng::Rng;
use glam::DVec3;

use crate::kernels::{column, run};
use crate::moving_triangles::{Case, Given};
use crate::perturbed::{Rounding, with_rounding};

/// A kernel of features, and the least distance of its features.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    pub source: &'static str,
    pub distance: fn(&[Triangle; 2]) -> f64,
}

/// The two kernels.
pub const KINDS: [Kind; 2] = [
    Kind { name: "edge_edge_time", source: EDGE_EDGE_TIME, distance: of_edges },
    Kind { name: "vertex_face_time", source: VERTEX_FACE_TIME, distance: of_vertices },
];

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

fn of_edges([a, b]: &[Triangle; 2]) -> f64 {
    let edge = |t: &Triangle, i: usize| [t[i], t[(i + 1) % 3]];
    (0..9).map(|k| edges_apart(edge(a, k / 3), edge(b, k % 3))).fold(f64::INFINITY, f64::min)
}

fn of_vertices([a, b]: &[Triangle; 2]) -> f64 {
    let of_b = b.iter().map(|&p| vertex_from_face(p, a));
    of_b.chain(a.iter().map(|&p| vertex_from_face(p, b))).fold(f64::INFINITY, f64::min)
}

/// Error of a distance computed here.
const ERROR: f64 = 1e-14;

/// Returns a limit by which features barely stay apart, or barely do not, at the time at which their
/// triangles do, or at the time when they are nearest; and the least distance.
fn limit(rng: &mut Rng, kind: Kind, case: &Case) -> (f32, f64) {
    let times = (-8..=8).map(|k| f64::from(k) / 8.0);
    let least = times.map(|time| (kind.distance)(&case.at(time))).fold(f64::INFINITY, f64::min);
    let then = (kind.distance)(&case.at(case.time));
    let [a, b] = case.at(case.time);
    let reach = a.iter().chain(&b).map(|p| (*p - a[0]).abs().max_element()).fold(0.0, f64::max);
    let unit = [reach, case.way.length() + case.turn.length()][rng.index(2)] * 2f64.powi(-24);
    let units = [rng.int(-64, 64), rng.int(0, 8), rng.int(-1024, 0)][rng.index(3)] as f64;
    let about = [0.0, then, then, least][rng.index(4)] + units * unit;
    (about.max(0.0) as f32, least.min(then))
}

/// Returns the number of triangle pairs that a kernel excludes although some of its features come within the
/// limit.
pub fn wrong(device: Device, kind: Kind, cases: usize, seed: u64) -> usize {
    let mut rng = Rng::new(kind.name, seed);
    let Given { cases: all, home, guest, pairs, mut motions } = Given::new(cases, seed);
    let limits: Vec<(f32, f64)> = all.iter().map(|case| limit(&mut rng, kind, case)).collect();
    for (motion, (limit, _)) in motions.iter_mut().zip(&limits) {
        motion.added = [*limit; 2];
    }
    let record = |pair| Record { pair, first: [0, 0], found: 1 << 12 };
    let records: Vec<Record> = (0..all.len() as u32).map(record).collect();
    let mut queue = Queue::zeroed();
    queue.counts.records = records.len() as u32;
    let buffers = [
        column(device, &home),
        column(device, &guest),
        column(device, &pairs),
        column(device, &motions),
        column(device, &records),
        column(device, &[queue]),
        column(device, &vec![0u32; pairs.len()]),
    ];
    let bound: Vec<&wgpu::Buffer> = buffers.iter().map(|b| &**b).collect();
    let kernel = Kernel::new(&device, kind.name, kind.source).expect("compiled");
    let done = run::<u32>(device, &kernel, &bound, (bound[6], all.len()));
    let (mut within, mut excluded, mut wrong) = (0, 0, 0);
    for ((limit, least), done) in limits.into_iter().zip(done) {
        let (is_within, is_excluded) = (least + ERROR <= f64::from(limit), done == 0);
        within += usize::from(is_within);
        excluded += usize::from(is_excluded);
        wrong += usize::from(is_within && is_excluded);
    }
    println!("{}: {} pairs, {within} within, {excluded} excluded, {wrong} wrongly", kind.name, all.len());
    assert!(30 * excluded > all.len() && 10 * within > all.len(), "{}", kind.name);
    wrong
}

pub fn what_is_excluded_of_features_stays_apart(device: Device) {
    for kind in KINDS {
        for seed in crate::seeds(30_000, 2) {
            assert_eq!(wrong(device, kind, 30_000, seed), 0, "{}", kind.name);
        }
        for &rounding in Rounding::tested() {
            for seed in crate::seeds(30_000, 1) {
                let wrong = with_rounding(device, rounding, || wrong(device, kind, 30_000, seed));
                assert_eq!(wrong, 0, "{} {rounding:?}", kind.name);
            }
        }
    }
}

//! Triangles, one of them moving, that barely meet or barely miss at the end of a stretch.

use bytemuck::Zeroable;
use closefit::internals::exact::contact::triangles_meet;
use closefit::internals::gpu::{Device, Kernel};
use closefit::internals::hierarchy::obb8::on_device::columns::{LeafItem, Pair, Queue};
use closefit::internals::hierarchy::obb8::on_device::fixed_point::{fixed, words};
use closefit::internals::hierarchy::obb8::on_device::kernels::MOVING_TRIANGLES;
use closefit::internals::hierarchy::obb8::on_device::motions::Motion;
use closefit::internals::math::error_bounds::device::PLACED;
use glam::{DMat3, DVec3};

use crate::kernels::{column, run};
use crate::perturbed::{Rounding, with_rounding};
use crate::support::rng::Rng;
use crate::triangles::{self, push_triangle, rounded};

/// A pair of triangles in the middle of a stretch, and how one of them moves in home coordinates.
struct Case {
    at: triangles::Case,
    mover: usize,
    way: DVec3,
    turn: DVec3,
}

impl Case {
    /// Takes a pair that barely meets or misses and moves one triangle back by its motion. Every number is exact in f64.
    fn new(rng: &mut Rng) -> Self {
        let mut at = triangles::Case::new(rng);
        while at.meet.is_some() {
            at = triangles::Case::new(rng);
        }
        let mover = rng.index(2);
        let way = rounded((rng.point() * rng.power_of_two(-20, -1)).as_vec3().as_dvec3(), 44);
        // Towards the other triangle.
        let [of_home, of_guest] = [at.home, at.placed].map(|t| t[0] + t[1] + t[2]);
        let across = if mover == 0 { of_guest - of_home } else { of_home - of_guest };
        let way = if way.dot(across) < 0.0 { -way } else { way };
        let mut quarter = || [0.0, 0.0, 0.25, -0.125][rng.index(4)];
        let turn = DVec3::new(quarter(), quarter(), quarter());
        let turn = if rng.coin() { turn } else { DVec3::ZERO };
        // A turn about a point near the triangle, so that the path of the origin and the turn cancel.
        let first = if mover == 0 { at.home[0] } else { at.placed[0] };
        let way = if turn != DVec3::ZERO && rng.coin() {
            rounded(way * rng.power_of_two(-12, 0) - turn.cross(first), 22)
        } else {
            way
        };
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis + turn.cross(axis));
        let inverse = DMat3::from_cols_array_2d(&axes.map(|axis| axis.to_array())).inverse();
        let back = |p: DVec3| rounded(inverse * (p - way), 47);
        if mover == 0 {
            at.home = at.home.map(back);
        } else {
            // The guest stays as it is but for its place; its first corner comes back to where it was.
            let by = at.placed[0] - back(at.placed[0]);
            at.placed = at.placed.map(|p| p - by);
            at.shift -= by;
            at.pair.shift = fixed(at.shift).map(words);
        }
        Self { at, mover, way, turn }
    }

    /// Returns true if the triangles share a point at the end of the stretch.
    fn meets(&self) -> bool {
        let image = |p: DVec3| p + (self.way + self.turn.cross(p));
        match self.mover {
            0 => triangles_meet(&self.at.home.map(image), &self.at.placed),
            _ => triangles_meet(&self.at.home, &self.at.placed.map(image)),
        }
    }
}

/// Returns the number of pairs of triangles that a shader excludes although they meet.
pub fn wrong(device: Device, source: &'static str, cases: usize, seed: u64) -> usize {
    let mut rng = Rng::new("moving triangles", seed);
    let mut all: Vec<Case> = (0..cases).map(|_| Case::new(&mut rng)).collect();
    all.retain(|case| case.at.home.iter().chain(&case.at.placed).all(|p| p.abs().max_element() < 1.5));
    let (mut home, mut guest, mut pairs, mut leaves) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut motions = Vec::new();
    for (number, case) in (0..).zip(&all) {
        let at = [push_triangle(&mut home, &case.at.home), push_triangle(&mut guest, &case.at.guest)];
        pairs.push(Pair { blur: PLACED, corners: at, vertices: at.map(|at| at + 3), ..case.at.pair });
        leaves.push(LeafItem { pair: number, first: [0, 0], two: 0 });
        motions.push(Motion {
            way: [case.way.as_vec3().to_array(); 2],
            turn: [case.turn.as_vec3().to_array(); 2],
            mover: case.mover as u32,
            ..Motion::zeroed()
        });
    }
    let mut queue = Queue::zeroed();
    queue.counts.drain = leaves.len() as u32;
    let buffers = [
        column(device, &home),
        column(device, &guest),
        column(device, &pairs),
        column(device, &motions),
        column(device, &leaves),
        column(device, &[queue]),
        column(device, &vec![0u32; pairs.len()]),
    ];
    let bound: Vec<&wgpu::Buffer> = buffers.iter().map(|b| &**b).collect();
    let kernel = Kernel::new(&device, "moving_triangles", source).expect("compiled");
    let done = run::<u32>(device, &kernel, &bound, (bound[6], all.len()));
    let excluded: Vec<&Case> =
        all.iter().zip(&done).filter(|(_, done)| **done == 0).map(|(case, _)| case).collect();
    let meeting = all.iter().filter(|case| case.meets()).count();
    let wrong = excluded.iter().filter(|case| case.meets()).count();
    println!(
        "moving triangles: {} pairs, {meeting} meet, {} excluded, {wrong} wrongly",
        all.len(),
        excluded.len()
    );
    assert!(30 * excluded.len() > all.len() && 8 * meeting > all.len());
    wrong
}

pub fn what_is_excluded_of_moving_triangles_stays_apart(device: Device) {
    for seed in crate::seeds(30_000, 4) {
        assert_eq!(wrong(device, MOVING_TRIANGLES, 30_000, seed), 0);
    }
    for &rounding in Rounding::tested() {
        for seed in crate::seeds(30_000, 2) {
            let wrong = with_rounding(device, rounding, || wrong(device, MOVING_TRIANGLES, 30_000, seed));
            assert_eq!(wrong, 0, "{rounding:?}");
        }
    }
}

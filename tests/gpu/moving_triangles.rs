//! Triangles, one of them moving, that barely meet or barely miss at some time of a stretch.

use bytemuck::Zeroable;
use closefit::Device;
use closefit::internals::bvh::wide_obb::on_device::columns::{Counts, LeafItem, Pair, Queue, Record};
use closefit::internals::bvh::wide_obb::on_device::fixed_point::{fixed, words};
use closefit::internals::bvh::wide_obb::on_device::kernels::MOVING_TRIANGLES;
use closefit::internals::bvh::wide_obb::on_device::motions::Motion;
use closefit::internals::gpu::Kernel;
use closefit::internals::gpu::error_bounds::PLACED;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_testing::rng::Rng;
use glam::{DMat3, DVec3};

use bytemuck::pod_collect_to_vec;

use crate::kernels::{column, run};
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
        self.meets_at(self.time)
    }

    fn meets_at(&self, time: f64) -> bool {
        let [home, guest] = self.at(time);
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

/// Cases, and the device buffers that hold them: one leaf pair, of one triangle pair, for each.
pub struct Given {
    pub cases: Vec<Case>,
    pub home: Vec<u32>,
    pub guest: Vec<u32>,
    pub pairs: Vec<Pair>,
    pub motions: Vec<Motion>,
}

impl Given {
    pub fn new(cases: usize, seed: u64) -> Self {
        let mut rng = Rng::new("moving triangles", seed);
        let mut cases: Vec<Case> = (0..cases).map(|_| Case::new(&mut rng)).collect();
        cases.retain(Case::is_exact);
        let (mut home, mut guest, mut pairs, mut motions) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for case in &cases {
            let at =
                [push_triangle(&mut home, &case.middle.home), push_triangle(&mut guest, &case.middle.guest)];
            pairs.push(Pair { blur: PLACED, corners: at, vertices: at.map(|at| at + 3), ..case.middle.pair });
            motions.push(Motion {
                way: [case.way.as_vec3().to_array(); 2],
                turn: [case.turn.as_vec3().to_array(); 2],
                mover: case.mover as u32,
                ..Motion::zeroed()
            });
        }
        Self { cases, home, guest, pairs, motions }
    }
}

/// Returns the number of pairs of triangles that a shader excludes although they meet, or leaves open
/// although they meet in the middle.
pub fn wrong(device: Device, source: &'static str, cases: usize, seed: u64) -> usize {
    let Given { cases: all, home, guest, pairs, motions } = Given::new(cases, seed);
    let leaf = |pair| LeafItem { pair, first: [0, 0], two: 0 };
    let leaves: Vec<LeafItem> = (0..all.len() as u32).map(leaf).collect();
    let mut queue = Queue::zeroed();
    queue.counts.drain = leaves.len() as u32;
    let buffers = [
        column(device, &home),
        column(device, &guest),
        column(device, &pairs),
        column(device, &motions),
        column(device, &leaves),
        column(device, &vec![Record::zeroed(); all.len()]),
        column(device, &[queue]),
        column(device, &vec![0u32; pairs.len()]),
    ];
    let bound: Vec<&wgpu::Buffer> = buffers.iter().map(|b| &**b).collect();
    let kernel = Kernel::new(&device, "moving_triangles", source).expect("compiled");
    let mut open = run::<u32>(device, &kernel, &bound, (bound[7], all.len()));
    let read = [(bound[6], size_of::<Counts>() as u64), (bound[5], (all.len() * size_of::<Record>()) as u64)];
    let read = device.wait(device.submit(&[], &read).expect("submitted")).expect("read");
    let (counts, records) = read.split_at(size_of::<Counts>());
    let counts: Counts = bytemuck::pod_read_unaligned(counts);
    let records: Vec<Record> = pod_collect_to_vec(records);
    for record in &records[..counts.records as usize] {
        assert_eq!((record.first, record.unsure(), open[record.pair as usize]), ([0, 0], 1, 0));
        open[record.pair as usize] = 1;
    }
    let records = &records[..counts.records as usize];
    let met = records.iter().filter(|record| all[record.pair as usize].meets_at(0.0)).count();
    let excluded: Vec<&Case> =
        all.iter().zip(&open).filter(|(_, open)| **open == 0).map(|(case, _)| case).collect();
    let meeting = all.iter().filter(|case| case.meets()).count();
    let wrong = met + excluded.iter().filter(|case| case.meets()).count();
    println!(
        "moving triangles: {} pairs, {meeting} meet, {} excluded, {} open, {wrong} wrongly",
        all.len(),
        excluded.len(),
        counts.records,
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

//! Bounds of the distance of boxes, compared with distances of their points in f64.

use bytemuck::{Zeroable, bytes_of};
use closefit::Device;
use closefit::internals::bvh::wide_obb::on_device::arena::push_block;
use closefit::internals::bvh::wide_obb::on_device::columns::{GUEST_BIT, LeafItem, Pair};
use closefit::internals::bvh::wide_obb::on_device::kernels::BOX_DISTANCE;
use closefit::internals::bvh::wide_obb::on_device::near_columns::{NearItem, NearSettings, Progress, Search};
use closefit::internals::bvh::wide_obb::{Block, Child};
use closefit::internals::gpu::{Kernel, Use};
use closefit_testing::rng::Rng;
use glam::{DMat3, DVec3};

use crate::boxes::{Placed, block, frame, placed};
use crate::kernels::{column, pair, run};
use crate::perturbed::{Rounding, with_rounding};

/// An item: the opened block, the other block, of which lane 0 counts, and the guest's placement.
struct Case {
    blocks: [Block; 2],
    map: DMat3,
    shift: DVec3,
    side: usize,
    pair: Pair,
}

impl Case {
    /// Returns boxes and points, from almost touching to far apart for their sizes.
    fn new(rng: &mut Rng) -> Self {
        let turned = frame(rng).to_cols_array().map(|x| (x * 2f64.powi(30)).round() / 2f64.powi(30));
        let (map, shift) =
            (DMat3::from_cols_array(&turned), (rng.point() * 2f64.powi(30)).round() / 2f64.powi(30));
        let (size, at) = (rng.power_of_two(-16, -2), rng.point() * 0.3);
        let apart = rng.point() * [3.0 * size, 0.05, 1.0][rng.index(3)];
        let mut blocks = [block(rng, size, map * at + shift + apart), block(rng, size, at)];
        for block in &mut blocks {
            if rng.coin() {
                block.half = [[0.0; 8]; 3];
            }
        }
        Self { blocks, map, shift, side: rng.index(2), pair: pair(map, shift) }
    }

    fn placed(&self, side: usize, lane: usize) -> Placed {
        let (map, shift) = if side == 0 { (DMat3::IDENTITY, DVec3::ZERO) } else { (self.map, self.shift) };
        placed(&self.blocks[side], lane, map, shift)
    }
}

/// Returns the point of a box nearest to another point, up to rounding.
fn nearest_in((center, axes): &Placed, p: DVec3) -> DVec3 {
    let within = |axis: &DVec3| {
        let squared = axis.length_squared();
        if squared == 0.0 { DVec3::ZERO } else { *axis * (axis.dot(p - center) / squared).clamp(-1.0, 1.0) }
    };
    *center + axes.iter().map(within).sum::<DVec3>()
}

/// Returns the distance of two points of the boxes that are almost the closest.
fn distance(a: &Placed, b: &Placed) -> f64 {
    let mut p = a.0;
    for _ in 0..40 {
        p = nearest_in(a, nearest_in(b, p));
    }
    p.distance(nearest_in(b, p))
}

/// Returns the largest distance of two points of the boxes.
fn farthest(a: &Placed, b: &Placed) -> f64 {
    let corner = |of: &Placed, k: usize| {
        of.0 + (0..3).map(|i| if k >> i & 1 == 0 { of.1[i] } else { -of.1[i] }).sum::<DVec3>()
    };
    (0..64).map(|k| corner(a, k / 8).distance(corner(b, k % 8))).fold(0.0, f64::max)
}

/// Returns the number of wrong bounds of a shader: lower bounds above a distance, and upper bounds below one.
pub fn wrong(device: Device, source: &'static str, cases: usize, seed: u64) -> [usize; 2] {
    let mut rng = Rng::new("near boxes", seed);
    let all: Vec<Case> = (0..cases).map(|_| Case::new(&mut rng)).collect();
    let (mut arenas, mut pairs, mut items) = ([Vec::new(), Vec::new()], Vec::new(), Vec::new());
    for (number, case) in (0..).zip(&all) {
        let mut blocks = [0; 2];
        for side in 0..2 {
            blocks[side] = arenas[side].len() as u32;
            // Each box of the opened block has a block of its own below it, which names it in the results.
            let child = |lane: usize| match side == case.side {
                true => Child::Block(lane as u32 + 1),
                false => Child::Leaf { first: 0, count: 1 },
            };
            push_block(&mut arenas[side], &case.blocks[side], child).expect("finite");
        }
        pairs.push(Pair { blocks, query: number, ..case.pair });
        let bit = if case.side == 0 { 0 } else { GUEST_BIT };
        items.push(NearItem { pair: number, block: bit, other: 0, at_least: 0 });
    }
    let capacity = 8 * cases as u32;
    let mut buffer = vec![NearItem::zeroed(); 2 * capacity as usize];
    buffer.extend(&items);
    let settings = device.lend(Use::Settings, size_of::<NearSettings>() as u64).expect("memory");
    device.write(&settings, 0, bytes_of(&NearSettings { capacity, ..NearSettings::zeroed() }));
    let search = Search { limit: 1e6f32.to_bits(), ..Search::zeroed() };
    let progress = Progress { half: 1, opened: cases as u32, ..Progress::zeroed() };
    let buffers = [
        column(device, &arenas[0]),
        column(device, &arenas[1]),
        column(device, &pairs),
        column(device, &buffer),
        column(device, &[LeafItem::zeroed()]),
        column(device, &[progress]),
        column(device, &vec![search; cases]),
    ];
    let mut bound: Vec<&wgpu::Buffer> = vec![&settings];
    bound.extend(buffers.iter().map(|b| &**b));
    let kernel = Kernel::new(&device, "box_distance", source).expect("compiled");
    let counts = run::<Progress>(device, &kernel, &bound, (bound[6], 1));
    let read = |buffer: &wgpu::Buffer, bytes: usize| {
        device.wait(device.submit(&[], &[(buffer, bytes as u64)]).expect("submitted")).expect("read")
    };
    let survivors: Vec<NearItem> =
        bytemuck::pod_collect_to_vec(&read(bound[4], counts[0].next as usize * size_of::<NearItem>()));
    let limits: Vec<Search> = bytemuck::pod_collect_to_vec(&read(bound[7], cases * size_of::<Search>()));
    let mut bounds = vec![[None; 8]; cases];
    for item in survivors {
        let lane = (item.block & !GUEST_BIT) as usize - 1;
        bounds[(item.pair & 0xffff) as usize][lane] = Some(f32::from_bits(item.at_least));
    }
    judge(&all, &bounds, &limits)
}

fn judge(all: &[Case], bounds: &[[Option<f32>; 8]], limits: &[Search]) -> [usize; 2] {
    let (mut wrong, mut tight, mut dropped) = ([0, 0], 0, 0);
    for ((case, bounds), limit) in all.iter().zip(bounds).zip(limits) {
        let limit = f64::from(f32::from_bits(limit.limit));
        let other = case.placed(1 - case.side, 0);
        let mut least = f64::INFINITY;
        for (lane, bound) in bounds.iter().enumerate() {
            let opened = case.placed(case.side, lane);
            let distance = distance(&opened, &other);
            least = least.min(farthest(&opened, &other));
            // A dropped box is farther than the limit.
            let bound = bound.map_or(limit, f64::from);
            dropped += usize::from(bound == limit);
            wrong[0] += usize::from(bound > distance);
            tight += usize::from(distance > 0.0 && bound >= distance * 0.999);
        }
        wrong[1] += usize::from(limit < least);
    }
    println!("near boxes: {} pairs, {dropped} dropped, {tight} tight, wrong bounds {wrong:?}", 8 * all.len());
    assert!(2 * tight > all.len() && 2 * dropped > all.len());
    wrong
}

pub fn bounds_of_boxes_hold(device: Device) {
    for seed in crate::seeds(8 * 8_000, 2) {
        assert_eq!(wrong(device, BOX_DISTANCE, 8_000, seed), [0, 0]);
    }
    for &rounding in Rounding::tested() {
        for seed in crate::seeds(8 * 8_000, 1) {
            let wrong = with_rounding(device, rounding, || wrong(device, BOX_DISTANCE, 8_000, seed));
            assert_eq!(wrong, [0, 0], "{rounding:?}");
        }
    }
}

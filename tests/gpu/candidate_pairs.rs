//! Candidate pairs found on the device: the sets that brute force finds, of boxes that barely touch or barely
//! do not, of all sizes, with little room and with much.

use bytemuck::bytes_of;
use closefit::internals::broad::counts::Counts;
use closefit::internals::broad::frames::Frames;
use closefit::internals::broad::on_device::columns::{CHUNK, Ends, SweepSettings};
use closefit::internals::broad::on_device::kernels::SWEEP_LENGTHS;
use closefit::internals::broad::on_device::{Frame, Limits};
use closefit::internals::broad::{Pairs, brute, sweep_and_prune};
use closefit::internals::gpu::{Kernel, Use};
use closefit::{Aabb, BroadPhase, Device, PartId};
use closefit_testing::rng::Rng;
use glam::DVec3;

use crate::kernels::{column, run};

/// Number of boxes in a scene.
const BOXES: usize = 600;

/// The traits of a scene of boxes.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Evenly spread boxes of one size.
    Even,
    /// Boxes whose sizes span six decades.
    Sizes,
    /// Thin boxes, long along one axis.
    Rods,
    Points,
    /// All boxes are flat and lie in one plane.
    Plane,
    /// Equal boxes.
    Copies,
    /// Small boxes, and some as large as all of them together.
    Worlds,
    /// Corners on a small grid: equal, touching and flat boxes.
    Grid,
}

const SHAPES: [Shape; 8] = [
    Shape::Even,
    Shape::Sizes,
    Shape::Rods,
    Shape::Points,
    Shape::Plane,
    Shape::Copies,
    Shape::Worlds,
    Shape::Grid,
];

/// Exponents of scales of scenes, with the distances from the origin in units of the scene.
const PLACES: [(i32, f64); 6] = [(0, 0.0), (0, 1e9), (0, 1e15), (150, 0.0), (-150, 4.0), (-150, 1e6)];

/// Returns the boxes of a scene, and the distance within which two of them are near.
fn scene(shape: Shape, rng: &mut Rng) -> (Vec<Aabb>, f64) {
    let boxes = (0..BOXES).map(|i| one(shape, i, rng)).collect();
    (boxes, [0.0, 0.0, 0.01, 1.0][rng.index(4)])
}

fn one(shape: Shape, number: usize, rng: &mut Rng) -> Aabb {
    let mut unit = || (rng.bits() >> 11) as f64 / (1u64 << 53) as f64;
    let at = DVec3::new(unit(), unit(), unit());
    let extent = DVec3::new(unit(), unit(), unit());
    let size = match shape {
        Shape::Even => extent * 0.1,
        Shape::Sizes => DVec3::splat(10f64.powf(-6.0 * unit())),
        Shape::Rods => DVec3::new(1e-3, 0.7, 1e-3),
        Shape::Points => DVec3::ZERO,
        Shape::Plane => DVec3::new(0.2 * extent.x, 0.0, 0.2 * extent.z),
        Shape::Copies => DVec3::ONE,
        Shape::Worlds if number.is_multiple_of(50) => DVec3::ONE,
        Shape::Worlds => extent * 1e-2,
        Shape::Grid => (extent * 3.0).floor(),
    };
    let at = match shape {
        Shape::Plane => DVec3::new(at.x, 0.5, at.z),
        Shape::Copies => DVec3::ZERO,
        Shape::Worlds if number.is_multiple_of(50) => DVec3::ZERO,
        Shape::Grid => (at * 9.0).floor(),
        _ => at,
    };
    Aabb { lo: at, hi: at + size }
}

/// Brings boxes to another size and place. Then shifts every third box along one axis until its gap from the
/// box before is `reach`, or next to it: by a unit in the last place of f64, or of the integers that the
/// device compares.
fn placed(boxes: &[Aabb], reach: f64, (scale, far): (f64, f64), rng: &mut Rng) -> Vec<Aabb> {
    let far = DVec3::new(far, -far, 0.5 * far);
    let mut boxes: Vec<Aabb> =
        boxes.iter().map(|b| Aabb { lo: (b.lo + far) * scale, hi: (b.hi + far) * scale }).collect();
    for i in (1..boxes.len()).step_by(3) {
        let axis = rng.index(3);
        let touching = boxes[i - 1].hi[axis] + reach;
        let coarse = touching * (1.0 + f64::from(f32::EPSILON) * rng.int(-1, 1) as f64);
        let fine = if rng.coin() { touching.next_up() } else { touching.next_down() };
        let lo = [touching, fine, coarse][rng.index(3)];
        let size = boxes[i].hi[axis] - boxes[i].lo[axis];
        boxes[i].lo[axis] = lo;
        boxes[i].hi[axis] = lo + size;
        for other in 0..3 {
            if other != axis && rng.coin() {
                boxes[i].lo[other] = boxes[i - 1].lo[other];
                boxes[i].hi[other] = boxes[i - 1].hi[other].max(boxes[i].lo[other]);
            }
        }
    }
    boxes
}

/// Returns limits of few boxes in a page and few pairs that wait.
fn of_few(page: u32, pairs: u32) -> Limits {
    Limits { page, pairs, ..Limits::default() }
}

/// Returns the limits for a scene: with little room, few boxes fit a page and few pairs the buffer.
fn limits(number: u64) -> Limits {
    let all = [Limits::default(), of_few(150, 1000), of_few(400, 1 << 13)];
    if closefit_testing::on_device::has_little_room() { all[1] } else { all[number as usize % 3] }
}

pub fn pairs_are_those_of_brute_force(device: Device) {
    let (mut found, mut boxes_asked, before) = (0, 0, device.tally());
    for seed in crate::seeds(BOXES as u64, 48) {
        let rng = &mut Rng::new("candidate pairs", seed);
        let shape = SHAPES[seed as usize % SHAPES.len()];
        let (boxes, reach) = scene(shape, rng);
        let (exponent, far) = PLACES[rng.index(PLACES.len())];
        let scale = 2f64.powi(exponent);
        let (boxes, reach) = (placed(&boxes, reach * scale, (scale, far), rng), reach * scale);
        let limits = limits(rng.bits());
        let expected = brute::near_pairs(&boxes, reach);
        let frame = Frame::new(device, limits, &boxes, reach);
        let odd = |(a, b): (PartId, PartId)| (a.0 + b.0) % 2 == 1;
        let all = frame.near_pairs(0..BOXES as u32, |_| true);
        assert!(all == expected, "seed {seed}: {shape:?} {scale:e} {far:e} {reach:e} {limits:?}");
        let middle = 250..400;
        let kept: Pairs =
            expected.iter().copied().filter(|&near| odd(near) && middle.contains(&near.0.0)).collect();
        assert!(frame.near_pairs(middle, odd) == kept, "seed {seed}");
        found += expected.len();
        boxes_asked += boxes.len();
    }
    let after = device.tally();
    println!(
        "{boxes_asked} boxes, {found} pairs; on the device {} tests, {} pairs",
        after.broad_tests - before.broad_tests,
        after.broad_pairs - before.broad_pairs
    );
    assert_eq!(device.failure(), None);
    assert!(after.broad_boxes - before.broad_boxes == 2 * boxes_asked as u64);
}

/// Checks the kernel `sweep_lengths` by itself, at ends that are equal or next to each other.
pub fn sweeps_are_as_long_as_they_must_be(device: Device) {
    let kernel = Kernel::new(&device, "sweep_lengths", SWEEP_LENGTHS).expect("it compiles");
    for seed in 0..20 {
        let rng = &mut Rng::new("lengths of sweeps", seed);
        let values = if seed % 2 == 0 { 40 } else { u32::MAX.into() };
        let mut end = || (rng.bits() % (values + 1)) as u32;
        let mut boxes: Vec<Ends> =
            (0..700).map(|id| Ends { lo: [end(), 0, 0], strip: end() % 5, hi: [end(), 0, 0], id }).collect();
        boxes.sort_unstable_by_key(|b| (b.strip >> 1, b.lo[0]));
        let (own, others) = boxes.split_at(500);
        for (first, rows, other_page) in [(0, 500, false), (100, 256, false), (0, 500, true), (499, 1, true)]
        {
            let others = if other_page { others } else { own };
            let settings = SweepSettings {
                first,
                rows,
                others: others.len() as u32,
                own: u32::from(!other_page),
                ..SweepSettings::default()
            };
            let uniform = device.lend(Use::Settings, size_of::<SweepSettings>() as u64).expect("memory");
            device.write(&uniform, 0, bytes_of(&settings));
            let padded = (rows as usize / 256 + 1) * 256;
            let [a, b] = [column(device, own), column(device, others)];
            let chunks = column(device, &vec![u32::MAX; padded]);
            let found: Vec<u32> = run(device, &kernel, &[&uniform, &a, &b, &chunks], (&chunks, padded));
            let expected = (0..rows).map(|row| {
                let leaves = own[(first + row) as usize];
                let from = if other_page { 0 } else { (first + row + 1) as usize };
                let enters = |b: &&Ends| b.strip >> 1 == leaves.strip >> 1 && b.lo[0] <= leaves.hi[0];
                (others[from..].iter().filter(enters).count() as u32).div_ceil(CHUNK)
            });
            assert!(
                found[..rows as usize].iter().copied().eq(expected),
                "{seed} {first} {rows} {other_page}"
            );
            assert!(found[rows as usize..].iter().all(|&padding| padding == 0));
        }
    }
}

/// Checks many boxes of unlike sizes: in one page and in many, in all and in ranges of lower ids.
pub fn many_boxes_in_many_pages(device: Device) {
    let rng = &mut Rng::new("many boxes", 0);
    let boxes: Vec<Aabb> = (0..40_000)
        .map(|i| {
            let b = one(if i % 1000 == 0 { Shape::Sizes } else { Shape::Even }, i, rng);
            Aabb { lo: b.lo, hi: b.lo + (b.hi - b.lo) * 0.3 }
        })
        .collect();
    let expected = sweep_and_prune::near_pairs(&boxes, 1e-3);
    assert!(expected.len() > 20_000);
    for limits in [Limits::default(), of_few(10_000, 20_000), of_few(1500, 1 << 20)] {
        let frame = Frame::new(device, limits, &boxes, 1e-3);
        let all = frame.near_pairs(0..40_000, |_| true);
        assert!(all == expected, "{limits:?}");
        println!("{limits:?}: {} tests, {} pairs", frame.box_tests(), all.len());
        let parts = [0..100, 100..25_000, 25_000..40_000].map(|lower| frame.near_pairs(lower, |_| true));
        assert!(parts.concat() == expected);
        let [counted, by_cpu] = [(); 2].map(|()| Counts::new(boxes.len()));
        frame.count(&counted, |_| true);
        sweep_and_prune::Frame::new(&boxes, 1e-3).count(&by_cpu, |_| true);
        assert!(counted.into_parts() == by_cpu.into_parts());
    }
    assert_eq!(device.failure(), None);
}

/// Checks boxes of which all overlap along two axes, and copies, of which all pairs are near.
pub fn long_sweeps_and_many_pairs(device: Device) {
    let rod = |i: usize| {
        let at = DVec3::new(0.0, 0.0, 2.0 * i as f64);
        Aabb { lo: at, hi: at + DVec3::ONE }
    };
    let rods: Vec<Aabb> = (0..3000).map(rod).collect();
    let turned = |b: &Aabb| Aabb { lo: DVec3::new(b.lo.z, 0.0, 0.0), hi: DVec3::new(b.hi.z + 3e4, 1.0, 1.0) };
    let long: Vec<Aabb> = rods.iter().map(turned).collect();
    let copies = vec![rod(0); 1000];
    for boxes in [rods, long, copies] {
        let expected = sweep_and_prune::near_pairs(&boxes, 0.0);
        for limits in [Limits::default(), of_few(1000, CHUNK << 8)] {
            let frame = Frame::new(device, limits, &boxes, 0.0);
            assert!(frame.near_pairs(0..boxes.len() as u32, |_| true) == expected, "{limits:?}");
        }
    }
    assert_eq!(device.failure(), None);
}

/// Checks frames of boxes as the engine asks for them: a device serves the default broad phase for many
/// boxes.
pub fn frames_ask_the_device(device: Device) {
    let rng = &mut Rng::new("frames", 0);
    let many = Limits::default().from;
    // A device with little room also serves few.
    let few_asked = if closefit_testing::on_device::has_little_room() { many as u64 - 1 } else { 0 };
    let boxes: Vec<Aabb> = (0..many).map(|i| one(Shape::Even, i, rng)).collect();
    for (method, count, asked) in [
        (BroadPhase::SweepAndPrune, many, many as u64),
        (BroadPhase::SweepAndPrune, many - 1, few_asked),
        (BroadPhase::Grid, many, 0),
    ] {
        let [mut with, mut without] = [Some(device), None].map(|device| Frames::new(method, 0.0).on(device));
        let before = device.tally();
        let [with, without] = [&mut with, &mut without].map(|frames| {
            let frame = frames.next(&boxes[..count]).expect("no limit");
            let pairs = frame.near_pairs(0..count as u32, |_| true);
            assert!(frame.work().method == method && frame.work().box_tests > 0);
            pairs
        });
        assert!(with == without && !with.is_empty());
        assert_eq!(device.tally().broad_boxes - before.broad_boxes, asked);
    }
}

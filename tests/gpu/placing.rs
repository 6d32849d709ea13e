//! Pairs that the device places: the reference implementation against rational numbers, and the kernel
//! against the reference implementation, bit by bit.

use bytemuck::{Zeroable, bytes_of};
use closefit::internals::bvh::wide_obb::on_device::columns::{GroupSettings, Pair};
use closefit::internals::bvh::wide_obb::on_device::fixed_point::ONE;
use closefit::internals::bvh::wide_obb::on_device::frames::{Frame, PlacedPiece, Unplaced, are_apart};
use closefit::internals::bvh::wide_obb::on_device::kernels::PLACE_PAIRS;
use closefit::internals::bvh::wide_obb::on_device::placing::{piece_of, relate};
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::gpu::error_bounds::{BY_FRAMES, PLACED};
use closefit::internals::gpu::{Kernel, Use};
use closefit::{Device, Pose};
use closefit_testing::cases;
use closefit_testing::rng::Rng;
use glam::{DMat3, DVec3};
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

use crate::kernels::column;
use crate::scenes::trees;

/// Returns two poses around a place near the origin or far from it, of which the first is mostly the larger.
fn poses(rng: &mut Rng) -> [Pose; 2] {
    let (size, far) = ([1.0, 0.37, 1e-3, 1e9][rng.index(4)], [0.0, 1.0, 1e6][rng.index(3)]);
    let middle = rng.point() * (far * size);
    [size, size * [1.0, 0.99, -0.5, 1e-5][rng.index(4)]].map(|by| {
        let at = middle + rng.point() * (2.0 * size);
        let mut pose = Pose::from_trs(rng.quaternion(), [by; 3], at.to_array()).expect("a direction");
        // Some are similarities but for a little.
        let skew = [0.0, 4e-15][rng.index(2)];
        pose.rows.iter_mut().for_each(|row| row[..3].iter_mut().for_each(|x| *x *= 1.0 + skew * rng.unit()));
        pose
    })
}

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

/// Returns the number of two words, as an integer below 2^53.
fn number([lo, hi]: [u32; 2]) -> f64 {
    (u64::from(hi) << 32 | u64::from(lo)).cast_signed() as f64
}

fn times(rows: &[[BigRational; 3]; 3], v: &[BigRational; 3]) -> [BigRational; 3] {
    let row = |row: &[BigRational; 3]| {
        row.iter().zip(v).map(|(a, x)| a * x).fold(BigRational::zero(), |sum, x| sum + x)
    };
    rows.each_ref().map(row)
}

/// Checks the bound of errors: where a vertex of the guest comes to lie by the frames of both trees, and by
/// the placed pair.
pub fn a_pair_is_placed_as_precisely_as_promised() {
    let (trees, _) = trees("tori", 200);
    let mut rng = Rng::new("a placed pair", 0);
    let (mut worst, mut placed) = (0.0_f64, 0);
    let wanted = cases(10_000);
    for _ in 0..wanted {
        let poses = poses(&mut rng);
        let [a, b] = [0, 1].map(|i| PosedWideObb::new(&trees[i], &poses[i]));
        let relation = relate([&a, &b]).expect("their sizes are near enough");
        let [home, guest] = if relation.home == 0 { [&a, &b] } else { [&b, &a] };
        let Some(unplaced) = Unplaced::new([home, guest], &relation, 0).filter(|_| !are_apart([&a, &b]))
        else {
            continue;
        };
        let piece = PlacedPiece::zeroed();
        let pair = unplaced.placed([home, guest].map(Frame::of).each_ref(), [&piece; 2]);
        let v = rng.point().to_array().map(exact);
        let scaled = |words: [u32; 2], by: u32| exact(number(words)) / exact(ONE * f64::from(1 << by));
        let turn: [[BigRational; 3]; 3] =
            [0, 1, 2].map(|i| [0, 1, 2].map(|j| scaled(pair.turn[3 * i + j], pair.exponent)));
        let turned = times(&turn, &v);
        let image = [0, 1, 2].map(|i| &turned[i] + scaled(pair.shift[i], 0));
        // In the world, in home units.
        let rows = |linear: &DMat3| [0, 1, 2].map(|i| linear.row(i).to_array().map(exact));
        let (found, expected) = (times(&rows(&home.linear), &image), times(&rows(&guest.linear), &v));
        let off = DVec3::from_array([0, 1, 2].map(|i| {
            let between = exact(guest.origin[i]) - exact(home.origin[i]);
            (&found[i] - &expected[i] - between).to_f64().expect("finite")
        }));
        worst = worst.max((off.length() / home.scale - 8.0 * home.skew) * ONE);
        for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
            let ratio = number(unplaced.quarter_scaled) / number(unplaced.quarter);
            let expected = number(pair.turn[3 * i + j]) / ONE / ratio;
            let off = (f64::from(pair.rotation[3 * j + i]) - expected).abs();
            // Rounded once, but for what is rounded in fixed point.
            assert!(
                off <= 0.5 * f64::from(f32::EPSILON) * expected.abs() + 256.0 / ONE,
                "{off:e} {expected}"
            );
        }
        placed += 1;
    }
    println!("{placed} placed, off by up to {worst} steps");
    // Without `BY_FRAMES` the margin would be too small.
    let expected = f64::from(PLACED)..f64::from(BY_FRAMES);
    assert!(placed > wanted / 4 && expected.contains(&worst), "{placed}, {worst}");
}

pub fn pairs_are_those_of_the_twin(device: Device) {
    let (trees, _) = trees("tori", 200);
    let mut rng = Rng::new("placed pairs", 0);
    let (mut frames, mut unplaced, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    let pieces = [0, 1].map(|i| PlacedPiece {
        blocks: 3 + i,
        corners: 5 + i,
        vertices: 7 + i,
        ..piece_of(&trees[i as usize])
    });
    let wanted = cases(10_000_usize);
    while unplaced.len() < wanted {
        let poses = poses(&mut rng);
        let [a, b] = [0, 1].map(|i| PosedWideObb::new(&trees[i], &poses[i]));
        let relation = relate([&a, &b]).expect("their sizes are near enough");
        let posed = if relation.home == 0 { [&a, &b] } else { [&b, &a] };
        let numbers = [0, 1].map(|side| (unplaced.len() * 2 + side) as u32);
        let of_pieces = [relation.home as u32, 1 - relation.home as u32];
        let any = rng.index(2) as u32;
        let Some(one) = Unplaced::new(posed, &relation, any) else { continue };
        let one = Unplaced { frames: numbers, pieces: of_pieces, ..one };
        let of_frames = posed.map(Frame::of);
        let of_pieces = of_pieces.map(|i| &pieces[i as usize]);
        expected.push(one.placed(of_frames.each_ref(), of_pieces));
        frames.extend(of_frames);
        unplaced.push(one);
    }
    let settings = device.lend(Use::Settings, size_of::<GroupSettings>() as u64).expect("memory");
    let questions = unplaced.len() as u32;
    device.write(&settings, 0, bytes_of(&GroupSettings { questions, ..GroupSettings::zeroed() }));
    let kernel = Kernel::new(&device, "place_pairs", PLACE_PAIRS).expect("compiled");
    let found = column(device, &vec![Pair::zeroed(); expected.len()]);
    let buffers: [&wgpu::Buffer; 5] =
        [&settings, &column(device, &frames), &column(device, &pieces), &column(device, &unplaced), &found];
    let launched = kernel.launch(&device, &buffers, questions.div_ceil(64));
    let bytes = expected.len() * size_of::<Pair>();
    let pending = device.submit(&[launched], &[(&*found, bytes as u64)]).expect("submitted");
    let found: Vec<Pair> = bytemuck::pod_collect_to_vec(&device.wait(pending).expect("computed")[..bytes]);
    for ((one, found), expected) in unplaced.iter().zip(found).zip(expected) {
        assert_eq!(bytes_of(&found), bytes_of(&expected), "{one:?}\n{found:?}\n{expected:?}");
    }
}

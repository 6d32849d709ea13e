//! Doubles made of integers on the device, compared with the CPU's: sums and products bit by bit, and the
//! answers of the kernel that is written in them.

use bytemuck::Zeroable;
use closefit::internals::bvh::wide_obb::on_device::columns::{Counts, Pair, Queue, Record};
use closefit::internals::bvh::wide_obb::on_device::fixed_point::{of_double, words};
use closefit::internals::bvh::wide_obb::on_device::kernels::POSED_TRIANGLES;
use closefit::internals::gpu::Kernel;
use closefit::internals::narrow::triangle_triangle::{Contact, scalar::contact};
use closefit::{Device, Pose};
use closefit_testing::rng::Rng;
use closefit_testing::triangles;
use glam::DVec3;

use crate::kernels::{column, run};

const SOURCE: &str = concat!(
    include_str!("../../shaders/shared/fixed_point.wgsl"),
    include_str!("../../shaders/shared/doubles.wgsl"),
    r"
@group(0) @binding(0) var<storage, read> given: array<array<vec2<u32>, 6>>;
@group(0) @binding(1) var<storage, read> exponents: array<i32>;
@group(0) @binding(2) var<storage, read_write> found: array<array<vec2<u32>, 11>>;

fn three(i: u32, k: u32) -> Doubles {
    let x = given[i][k];
    let y = given[i][k + 1u];
    let z = given[i][k + 2u];
    return Doubles(vec3<u32>(x.x, y.x, z.x), vec3<u32>(x.y, y.y, z.y));
}

@compute @workgroup_size(64)
fn twins(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    for (var i = thread.x; i < 100000u; i += 64u * workgroups.x) {
        let a = three(i, 0u);
        let b = three(i, 3u);
        out_of_range = false;
        let total = sum(a, b);
        let is_sum_lost = out_of_range;
        out_of_range = false;
        let product = times(a, b);
        let integers = of_doubles(a.lo, a.hi, exponents[i]);
        let below = is_below(a, b);
        for (var k = 0u; k < 3u; k++) {
            found[i][k] = vec2<u32>(total.lo[k], total.hi[k]);
            found[i][k + 3u] = vec2<u32>(product.lo[k], product.hi[k]);
            found[i][k + 6u] = vec2<u32>(integers.lo[k], u32(integers.hi[k]));
        }
        found[i][9] = vec2<u32>(select(0u, 1u, is_sum_lost), select(0u, 1u, out_of_range));
        found[i][10] = vec2<u32>(dot(vec3<u32>(below), vec3<u32>(1u, 2u, 4u)), 0u);
    }
}
"
);

/// Returns a double that makes sums and products hard: halves of an ulp, long runs of equal bits, and any
/// exponent.
fn double(rng: &mut Rng) -> f64 {
    let fraction = match rng.index(6) {
        0 => 0,
        1 => rng.bits() >> rng.index(53),
        2 => u64::MAX << rng.index(53),
        3 => 1 << rng.index(52),
        4 => (1 << 52) - 1,
        _ => rng.bits(),
    } & ((1 << 52) - 1);
    let power = match rng.index(12) {
        0 => rng.int(1, 2046),
        1 => rng.int(970, 1076),
        2 => return 0.0,
        _ => rng.int(1020, 1026),
    } as u64;
    f64::from_bits(rng.bits() & (1 << 63) | power << 52 | fraction)
}

pub fn sums_and_products_are_those_of_the_cpu(device: Device) {
    let mut rng = Rng::new("doubles", 0);
    let (mut given, mut exponents): (Vec<[f64; 6]>, Vec<i32>) = (Vec::new(), Vec::new());
    for _ in 0..100_000 {
        let mut six = [0; 6].map(|_| double(&mut rng));
        // Nearly opposite numbers, which cancel.
        let near = six[0].to_bits() ^ rng.bits() >> (rng.index(56) + 8);
        if rng.coin() && (1..2047).contains(&(near >> 52 & 2047)) {
            six[3] = -f64::from_bits(near);
        }
        given.push(six);
        exponents.push(rng.int(-150, 250) as i32);
    }
    let of_bits = |six: &[f64; 6]| six.map(|x| words(x.to_bits() as i64));
    let as_words: Vec<[u32; 12]> =
        given.iter().map(|six| of_bits(six).as_flattened().try_into().expect("12 words")).collect();
    let kernel = Kernel::new(&device, "twins", SOURCE).expect("compiled");
    let found = column(device, &vec![[0u32; 22]; given.len()]);
    let [of_given, of_exponents] = [column(device, &as_words), column(device, &exponents)];
    let found: Vec<[u32; 22]> =
        run(device, &kernel, &[&of_given, &of_exponents, &found], (&found, given.len()));
    let is_normal = |x: f64| x == 0.0 || x.is_normal();
    let (mut in_range, mut lost) = (0, 0);
    for ((six, exponent), found) in given.iter().zip(exponents).zip(&found) {
        let [a, b] = [&six[..3], &six[3..]];
        let sums = [0, 1, 2].map(|k| a[k] + b[k]);
        let products = [0, 1, 2].map(|k| a[k] * b[k]);
        let vanishes = |k: usize| products[k] == 0.0 && a[k] != 0.0 && b[k] != 0.0;
        let expected_lost = [
            !sums.iter().all(|x| is_normal(*x)),
            !products.iter().all(|x| is_normal(*x)) || (0..3).any(vanishes),
        ];
        // A subnormal product may round up to the smallest normal number: then both answers are right.
        let bits = |at: usize| u64::from(found[2 * at]) | u64::from(found[2 * at + 1]) << 32;
        assert_eq!(found[18] == 1, expected_lost[0], "{six:?}");
        if products.iter().all(|x| x.abs() > 2.0 * f64::MIN_POSITIVE || *x == 0.0) {
            assert_eq!(found[19] == 1, expected_lost[1], "{six:?}");
        }
        for k in 0..3 {
            if !expected_lost[0] {
                assert_eq!(bits(k), (sums[k] + 0.0).to_bits(), "{} + {}", a[k], b[k]);
            }
            if found[19] == 0 {
                assert_eq!(bits(3 + k), (products[k] + 0.0).to_bits(), "{} * {}", a[k], b[k]);
            }
            assert_eq!(bits(6 + k) as i64, of_double(a[k], exponent), "{} 2^{exponent}", a[k]);
            assert_eq!(found[20] >> k & 1 == 1, a[k] + 0.0 < b[k] + 0.0, "{} < {}", a[k], b[k]);
        }
        in_range += usize::from(!expected_lost[0] && found[19] == 0);
        lost += usize::from(expected_lost[0] || found[19] == 1);
    }
    println!("doubles: {in_range} in range, {lost} not");
    assert!(in_range > 50_000 && lost > 1_000);
}

/// A pair of triangles in their own frames, with poses.
struct Case {
    triangles: triangles::Pair,
    poses: [Pose; 2],
    /// True if some product may leave the range of doubles.
    is_extreme: bool,
}

fn cases(seeds: std::ops::Range<u64>) -> Vec<Case> {
    let mut rng = Rng::new("poses", seeds.start);
    let mut found = Vec::new();
    for category in triangles::CATEGORIES {
        for seed in seeds.clone() {
            let pose = |rng: &mut Rng| {
                let shift = (rng.point() * [1.0, 1e-3, 1e3][rng.index(3)]).to_array();
                Pose::from_trs(rng.quaternion(), [1.0, [1.0, -1.0, 0.3][rng.index(3)], 1.0], shift)
                    .expect("a turn")
            };
            let poses = match rng.index(4) {
                0 => [Pose::IDENTITY; 2],
                1 => [Pose::translation(rng.point().to_array()); 2],
                2 => [pose(&mut rng); 2],
                _ => [pose(&mut rng), Pose::IDENTITY],
            };
            let name = category.0;
            let is_extreme = name.contains("any exponent") || name.contains("2^") || name.contains("tiny");
            found.push(Case { triangles: triangles::pair(category, seed), poses, is_extreme });
        }
    }
    found
}

/// Checks that the kernel proves of posed triangles what the CPU's kernel proves, no more and no less.
pub fn posed_triangles_are_told_as_by_the_cpu(device: Device) {
    for seed in crate::seeds(600 * triangles::CATEGORIES.len() as u64, 1) {
        assert_eq!(wrong(device, POSED_TRIANGLES, 600 * seed..600 * (seed + 1)), 0);
    }
}

/// Returns the number of a shader's answers that are not those of the CPU's kernel.
pub fn wrong(device: Device, source: &'static str, seeds: std::ops::Range<u64>) -> usize {
    let all = cases(seeds);
    let (mut home, mut guest, mut pairs, mut records) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, case) in (0..).zip(&all) {
        let push = |words_of: &mut Vec<u32>, corners: &[DVec3; 3]| {
            let at = words_of.len() as u32;
            words_of.extend([0, 1, 2]);
            for p in corners {
                words_of.extend(p.to_array().map(|x| words(x.to_bits() as i64)).as_flattened());
            }
            at
        };
        let at = [push(&mut home, &case.triangles[0]), push(&mut guest, &case.triangles[1])];
        let row_words = |pose: &Pose| {
            let entries: Vec<[u32; 2]> =
                pose.rows.as_flattened().iter().map(|x| words(x.to_bits() as i64)).collect();
            entries.try_into().expect("twelve entries")
        };
        let poses = [0, 1].map(|i| row_words(&case.poses[i]));
        pairs.push(Pair { poses, corners: at, vertices: at.map(|at| at + 3), ..Pair::zeroed() });
        records.push(Record { pair: number, first: [0, 0], found: 0x1000 });
    }
    let kernel = Kernel::new(&device, "posed_triangles", source).expect("compiled");
    let mut queue =
        Queue { counts: Counts { records: records.len() as u32, ..Counts::default() }, ..Queue::zeroed() };
    let (mut decided, mut unsure, mut shy, mut wrong) = (0, 0, 0, 0);
    // A thread takes sixteen records at most, and a run has 1024 threads.
    for from in (0..records.len()).step_by(16 * 1024) {
        let slice = &records[from..records.len().min(from + 16 * 1024)];
        queue.counts.records = slice.len() as u32;
        let buffers = [
            column(device, &home),
            column(device, &guest),
            column(device, &pairs),
            column(device, slice),
            column(device, &[queue]),
            column(device, &vec![0u32; pairs.len()]),
        ];
        let bound: Vec<&wgpu::Buffer> = buffers.iter().map(|b| &**b).collect();
        let found: Vec<Record> = run(device, &kernel, &bound, (bound[3], slice.len()));
        for record in &found {
            let case = &all[record.pair as usize];
            let [a, b] = [0, 1].map(|i| case.triangles[i].map(|p| case.poses[i].apply(p)));
            let expected = contact(&a, &b);
            let answer = match (record.meets(), record.unsure()) {
                (0, 0) => Contact::Apart,
                (1, 0) => Contact::Meets,
                (0, 1) => Contact::Unsure,
                other => panic!("{other:?}"),
            };
            match answer {
                Contact::Unsure if expected == Contact::Unsure => unsure += 1,
                Contact::Unsure if case.is_extreme => shy += 1,
                _ => {
                    wrong += usize::from(answer != expected);
                    decided += 1;
                }
            }
        }
    }
    println!("posed triangles: {decided} decided, {wrong} wrongly, {unsure} unsure, {shy} out of range");
    assert!(decided * 2 > all.len() && shy * 10 < all.len());
    wrong
}

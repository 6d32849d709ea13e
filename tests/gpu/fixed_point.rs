//! Integer arithmetic on the device, compared with its Rust implementation bit by bit.

use closefit::Device;
use closefit::internals::bvh::wide_obb::on_device::fixed_point::{product, shifted_down, words};
use closefit::internals::gpu::Kernel;
use closefit_testing::rng::Rng;

use crate::kernels::{column, run};

const SOURCE: &str = concat!(
    include_str!("../../shaders/shared/fixed_point.wgsl"),
    r"
@group(0) @binding(0) var<storage, read> given: array<array<vec2<u32>, 12>>;
@group(0) @binding(1) var<storage, read> shifts: array<u32>;
@group(0) @binding(2) var<storage, read_write> found: array<array<vec2<u32>, 6>>;

fn vector(i: u32, k: u32) -> Fixed3 {
    let x = given[i][k];
    let y = given[i][k + 1u];
    let z = given[i][k + 2u];
    return Fixed3(vec3<u32>(x.x, y.x, z.x), vec3<i32>(vec3<u32>(x.y, y.y, z.y)));
}

@compute @workgroup_size(64)
fn twins(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    for (var i = thread.x; i < 100000u; i += 64u * workgroups.x) {
        let rows = array<Limbs, 3>(limbs(vector(i, 0u)), limbs(vector(i, 3u)), limbs(vector(i, 6u)));
        let turned = product(rows, vector(i, 9u));
        let by = shifts[i];
        let moved = plus(shifted_down(minus(vector(i, 9u), turned), by), shifted_up(turned, by % 12u));
        for (var k = 0u; k < 3u; k++) {
            found[i][k] = vec2<u32>(turned.lo[k], u32(turned.hi[k]));
            found[i][k + 3u] = vec2<u32>(moved.lo[k], u32(moved.hi[k]));
        }
    }
}
"
);

pub fn integers_are_those_of_the_twin(device: Device) {
    let mut rng = Rng::new("fixed point", 0);
    // Matrices with rows shorter than 1, vectors in the unit cube; extremes of both, and small numbers.
    let mut number = |most: i64| match rng.index(8) {
        0 => [0, most, -most, 1, -1, most - 1][rng.index(6)],
        1 => rng.int(-4096, 4096),
        _ => rng.int(-most, most),
    };
    let (mut given, mut shifts) = (Vec::new(), Vec::new());
    for i in 0..100_000u32 {
        given.push(std::array::from_fn::<i64, 12, _>(|k| number(if k < 9 { 1 << 47 } else { 1 << 48 })));
        shifts.push(i % 63);
    }
    let as_words: Vec<[u32; 24]> =
        given.iter().map(|numbers| numbers.map(words).as_flattened().try_into().expect("24 words")).collect();
    let kernel = Kernel::new(&device, "twins", SOURCE).expect("compiled");
    let found = column(device, &vec![[0u32; 12]; given.len()]);
    let found: Vec<[u32; 12]> = run(
        device,
        &kernel,
        &[&column(device, &as_words), &column(device, &shifts), &found],
        (&found, given.len()),
    );
    for ((given, by), found) in given.iter().zip(shifts).zip(found) {
        let rows = [0, 3, 6].map(|k| [given[k], given[k + 1], given[k + 2]]);
        let turned = product(&rows, [given[9], given[10], given[11]]);
        let moved = [0, 1, 2].map(|k| shifted_down(given[9 + k] - turned[k], by) + (turned[k] << (by % 12)));
        let expected: Vec<u32> = turned.into_iter().chain(moved).flat_map(words).collect();
        assert_eq!(found.as_slice(), expected, "{given:?} {by}");
    }
}

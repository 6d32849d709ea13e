//! Bounds of the distance of triangles, compared with exact distances.

use bytemuck::Zeroable;
use closefit::Device;
use closefit::internals::bvh::wide_obb::on_device::columns::{LeafItem, Pair};
use closefit::internals::bvh::wide_obb::on_device::fixed_point::ONE;
use closefit::internals::bvh::wide_obb::on_device::kernels::TRIANGLE_DISTANCE;
use closefit::internals::bvh::wide_obb::on_device::near_columns::{NearRecord, Progress, Search};
use closefit::internals::gpu::Kernel;
use closefit::internals::gpu::error_bounds::PLACED;
use closefit_geometry::exact::distance::enclose;
use closefit_testing::rng::Rng;

use crate::kernels::{column, run};
use crate::perturbed::{Rounding, with_rounding};
use crate::triangles::{Case, push_triangle};

/// Returns the number of wrong bounds of a shader: lower bounds above the distance, and upper bounds below
/// it.
pub fn wrong(device: Device, source: &'static str, blur: f32, cases: usize, seed: u64) -> [usize; 2] {
    let mut rng = Rng::new("near triangles", seed);
    let mut all: Vec<Case> = (0..cases).map(|_| Case::new(&mut rng)).collect();
    all.retain(|case| case.home.iter().all(|p| p.abs().max_element() < 2.0));
    let (mut home, mut guest, mut pairs, mut leaves) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, case) in (0..).zip(&all) {
        let at = [push_triangle(&mut home, &case.home), push_triangle(&mut guest, &case.guest)];
        pairs.push(Pair { blur, corners: at, vertices: at.map(|at| at + 3), query: number, ..case.pair });
        leaves.push(LeafItem { pair: number, first: [0, 0], two: 0 });
    }
    let search = Search { limit: 1e6f32.to_bits(), ..Search::zeroed() };
    let buffers = [
        column(device, &home),
        column(device, &guest),
        column(device, &pairs),
        column(device, &leaves),
        column(device, &vec![NearRecord::zeroed(); all.len()]),
        column(device, &[Progress { leaves: all.len() as u32, ..Progress::zeroed() }]),
        column(device, &vec![search; all.len()]),
    ];
    let bound: Vec<&wgpu::Buffer> = buffers.iter().map(|b| &**b).collect();
    let kernel = Kernel::new(&device, "triangle_distance", source).expect("compiled");
    let searches = run::<Search>(device, &kernel, &bound, (bound[6], all.len()));
    let again = device.submit(&[], &[(bound[4], (all.len() * size_of::<NearRecord>()) as u64)]);
    let records: Vec<NearRecord> =
        bytemuck::pod_collect_to_vec(&device.wait(again.expect("submitted")).expect("read"));
    let (mut wrong, mut tight) = ([0, 0], 0);
    for record in records {
        let case = &all[record.pair() as usize];
        let exact = enclose(&case.home, &case.placed);
        // The corners of some cases are rounded by a third of a step.
        let rounded = if case.meet.is_some() { 1.0 / ONE } else { 0.0 };
        let at_least = f64::from(f32::from_bits(record.at_least));
        let at_most = f64::from(f32::from_bits(searches[record.pair() as usize].limit));
        wrong[0] += usize::from(at_least > exact.at_most + rounded);
        wrong[1] += usize::from(at_most < exact.at_least - rounded);
        tight += usize::from(exact.at_least > 0.0 && at_least > 0.0);
    }
    println!("near triangles: {} pairs, {tight} with a lower bound, wrong bounds {wrong:?}", all.len());
    assert!(tight * 10 > all.len());
    wrong
}

pub fn bounds_of_triangles_hold(device: Device) {
    for seed in crate::seeds(60_000, 2) {
        assert_eq!(wrong(device, TRIANGLE_DISTANCE, PLACED, 60_000, seed), [0, 0]);
    }
    for &rounding in Rounding::tested() {
        for seed in crate::seeds(60_000, 1) {
            let wrong =
                with_rounding(device, rounding, || wrong(device, TRIANGLE_DISTANCE, PLACED, 60_000, seed));
            assert_eq!(wrong, [0, 0], "{rounding:?}");
        }
    }
}

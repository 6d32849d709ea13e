//! The memory of a device besides trees, over questions of all kinds in one process.

use closefit::internals::broad::on_device as broad;
use closefit::internals::bvh::wide_obb::on_device::Limits;
use closefit::internals::bvh::wide_obb::on_device::columns::Record;
use closefit::internals::bvh::wide_obb::on_device::results::sorted;
use closefit::internals::gpu::{Use, WORKING_MEMORY};
use closefit::{Aabb, Device};
use glam::DVec3;

use crate::kernels::column;
use crate::{distances, groups, scenes, stretches};

/// Checks that buffers out of use make room for others, and that trees do not.
pub fn idle_buffers_make_room(device: Device) {
    device.release_idle();
    let lend = |what_for, bytes: u64| drop(device.lend(what_for, bytes).expect("memory"));
    lend(Use::Trees, 64 << 20);
    // Each is too large for the next one, so none of them is used again.
    for megabytes in [64, 60, 56, 52, 48, 44, 40, 36] {
        lend(Use::Storage, megabytes << 20);
    }
    let peak = device.tally();
    assert!(200 << 20 < peak.peak_working_bytes && peak.peak_working_bytes <= WORKING_MEMORY);
    assert!(peak.peak_bytes - peak.peak_working_bytes >= 64 << 20);
    // The last one is the least likely to go.
    lend(Use::Storage, 36 << 20);
    assert_eq!(device.tally().peak_working_bytes, peak.peak_working_bytes);
}

/// Number of boxes along each side of a lattice: more than a page of them.
const SIDE: u32 = 84;

/// Checks that contacts, distances, stretches of time, candidate pairs and a sort of as many records as there
/// is room for stay within the working memory. The buffers of candidate pairs are in use meanwhile.
pub fn working_memory_is_limited(device: Device) {
    let lattice: Vec<Aabb> = (0..SIDE.pow(3))
        .map(|i| {
            let corner = DVec3::new((i % SIDE).into(), (i / SIDE % SIDE).into(), (i / SIDE / SIDE).into());
            Aabb::EMPTY.with(corner).with(corner + 0.4)
        })
        .collect();
    let records: Vec<Record> = (0..Limits::default().leaves)
        .map(|i| Record { pair: 0, first: [i.wrapping_mul(0x9e37_79b9), 0], found: i })
        .collect();
    device.release_idle();
    let frame = broad::Frame::new(device, broad::Limits::default(), &lattice, 0.0);
    for _ in 0..2 {
        scenes::compare(device, Limits::default(), "tori", 2_000, 2);
        scenes::compare(device, groups::all_questions(), "tori", 2_000, 30);
        distances::compare(device, Limits::default(), "tori", 300, 1);
        stretches::by_default_limits(device);
        assert!(frame.near_pairs(0..SIDE.pow(3), |_| true).is_empty());
        let sorted = sorted::<Record>(device, &column(device, &records), records.len(), [0, u32::MAX, 0]);
        let sorted = sorted.expect("it computes");
        assert!(sorted.is_sorted_by_key(|record| record.first[0]) && sorted.len() == records.len());
    }
    assert_eq!(device.failure(), None);
    let peak = device.tally().peak_working_bytes;
    println!("{peak} bytes besides trees");
    // More than candidate pairs alone take, so that questions share.
    assert!(132 << 20 < peak && peak <= WORKING_MEMORY);
}

//! Fronts of stretches, item by item: what is kept of them, and what their halves begin with.

use bytemuck::{Zeroable, bytes_of, pod_collect_to_vec};
use closefit::Device;
use closefit::internals::bvh::wide_obb::on_device::columns::{
    BY_FEATURES, BoxItem, GUEST_BIT, KeptFronts, LeafItem, NO_ROOM, Pair, Queue, Record,
};
use closefit::internals::bvh::wide_obb::on_device::kernels::{BEGIN_AT_FRONTS, KEEP_RECORDS};
use closefit::internals::gpu::{Kernel, Use};

use crate::kernels::{column, run};

/// Flags of the shaders.
const ENDED: u32 = 1 << 30;
const AGAIN: u32 = 1 << 31;
const SWAPPED: u32 = 1 << 31;

const NO_HALF: u32 = u32::MAX;

/// Checks that both halves get all items, those at which the search ended in the second segment, and that
/// sides change places.
pub fn halves_get_all_items(device: Device) {
    let (mut stack, mut leaves) = ([BoxItem::zeroed(); 64], [LeafItem::zeroed(); 64]);
    let item = |pair, block, other, around| BoxItem { pair, block, other, around };
    stack[32..36].copy_from_slice(&[
        item(0, 9, 17, 1),
        item(0, 4 | GUEST_BIT | ENDED, 18, 2 | AGAIN),
        item(1, 5, 19, 3),
        item(2, 6 | ENDED, 20, 4),
    ]);
    let leaf = |pair, first, two| LeafItem { pair, first, two };
    leaves[40..43].copy_from_slice(&[leaf(0, [30, 40], 1), leaf(1, [31, 41], 2), leaf(2, [32, 42], 3)]);
    let mut queue = Queue::zeroed();
    (queue.ends[0], queue.begins[1], queue.ends[1], queue.counts.leaves) = (2, 20, 20, 1);
    let fronts = KeptFronts { boxes: 32, boxes_end: 36, leaves: 40, leaves_end: 43 };
    let settings = device.lend(Use::Settings, size_of::<KeptFronts>() as u64).expect("memory");
    device.write(&settings, 0, bytes_of(&fronts));
    let halves = [[7, 8 | SWAPPED], [NO_HALF, NO_HALF], [NO_HALF, 9]];
    let buffers =
        [column(device, &halves), column(device, &stack), column(device, &leaves), column(device, &[queue])];
    let mut bound: Vec<&wgpu::Buffer> = vec![&settings];
    bound.extend(buffers.iter().map(|b| &**b));
    let kernel = Kernel::new(&device, "begin_at_fronts", BEGIN_AT_FRONTS).expect("compiled");
    let queue = run::<Queue>(device, &kernel, &bound, (bound[4], 1))[0];
    let read = device.submit(&[], &[(bound[2], 64 * 16), (bound[3], 64 * 16)]).expect("submitted");
    let read = device.wait(read).expect("read");
    let (stack, leaves) = read.split_at(64 * 16);
    let (stack, leaves): (Vec<BoxItem>, Vec<LeafItem>) =
        (pod_collect_to_vec(stack), pod_collect_to_vec(leaves));
    let sorted = |items: &[BoxItem]| {
        let mut items = items.to_vec();
        items.sort_by_key(|item| item.pair);
        items
    };
    assert_eq!((queue.ends[0], queue.ends[1], queue.counts.leaves), (4, 23, 4));
    assert_eq!(sorted(&stack[2..4]), [item(7, 9, 17, 1 | AGAIN), item(8, 9 | GUEST_BIT, 17, 1 | AGAIN)]);
    let ended = [item(7, 4 | GUEST_BIT, 18, 2 | AGAIN), item(8, 4, 18, 2 | AGAIN), item(9, 6, 20, 4 | AGAIN)];
    assert_eq!(sorted(&stack[20..23]), ended);
    let mut leaves = leaves[1..4].to_vec();
    leaves.sort_by_key(|item| item.pair);
    assert_eq!(leaves, [leaf(7, [30, 40], 1), leaf(8, [40, 30], 2), leaf(9, [32, 42], 3)]);
}

/// Checks that the records of pairs that are done are kept, that one without room is noticed, and that the
/// other pair notes that tests of features excluded its triangles.
pub fn records_are_kept(device: Device) {
    let record = |pair, first, found| Record { pair, first, found };
    let records = [
        record(0, [1, 2], 1 << 12),
        record(1, [3, 4], 3 | 1 << 12),
        record(2, [5, 6], 1 | 1 << 13),
        record(2, [7, 8], 2 | 1 << 14),
    ];
    let pairs = [10, 11, 12].map(|query| Pair { query, ..Pair::zeroed() });
    for (room, kept) in [(3, 3), (2, 2)] {
        let mut queue = Queue::zeroed();
        (queue.counts.records, queue.counts.kept_leaves, queue.counts.kept_leaves_end) = (4, 5, 5 + room);
        let buffers = [
            column(device, &pairs),
            column(device, &records),
            column(device, &[LeafItem::zeroed(); 16]),
            column(device, &[queue]),
            column(device, &[0u32, 1, 4]),
        ];
        let bound: Vec<&wgpu::Buffer> = buffers.iter().map(|b| &**b).collect();
        let kernel = Kernel::new(&device, "keep_records", KEEP_RECORDS).expect("compiled");
        let done = run::<u32>(device, &kernel, &bound, (bound[4], 3));
        let read = device.submit(&[], &[(bound[2], 16 * 16)]).expect("submitted");
        let mut leaves: Vec<LeafItem> = pod_collect_to_vec(&device.wait(read).expect("read"));
        let after = leaves.split_off(5 + room as usize);
        leaves.drain(..5);
        leaves.sort_by_key(|item| item.first);
        assert!(after.iter().all(|item| *item == LeafItem::zeroed()));
        assert_eq!(done[0], BY_FEATURES);
        let of = |word: &u32| (word & !NO_ROOM) as usize;
        assert_eq!(of(&done[1]) + of(&done[2]), 1 + 4 + kept);
        assert_eq!((done[1] | done[2]) & NO_ROOM != 0, kept < 3);
        let all = [(11, [3, 4], 3), (12, [5, 6], 1), (12, [7, 8], 2)];
        let all = all.map(|(pair, first, two)| LeafItem { pair, first, two });
        assert!(leaves.len() == kept && leaves.iter().all(|item| all.contains(item)), "{leaves:?}");
        leaves.dedup();
        assert_eq!(leaves.len(), kept);
    }
}

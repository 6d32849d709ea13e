//! Sorts records on the device, as results leave it.

use closefit::internals::gpu::Device;
use closefit::internals::hierarchy::obb8::on_device::Limits;
use closefit::internals::hierarchy::obb8::on_device::columns::Record;
use closefit::internals::hierarchy::obb8::on_device::queue::sorted;

use crate::kernels::column;
use crate::scenes::compare;
use crate::support::rng::Rng;

/// Orders of records before they are sorted.
#[derive(Clone, Copy, Debug)]
enum Order {
    Random,
    Sorted,
    Reversed,
    /// All keys are equal, so the records keep their order.
    Equal,
    /// Keys below these.
    Below([u64; 3]),
}

/// Returns records whose last word tells where they were.
fn records(order: Order, count: usize) -> Vec<Record> {
    let mut rng = Rng::new("sorting", count as u64);
    let largest = match order {
        Order::Equal => [1; 3],
        Order::Below(largest) => largest,
        _ => [1 << 14, 1 << 27, 1 << 32],
    };
    let mut keys: Vec<[u32; 3]> =
        (0..count).map(|_| largest.map(|below| (rng.bits() % below) as u32)).collect();
    match order {
        Order::Sorted => keys.sort_unstable(),
        Order::Reversed => keys.sort_unstable_by(|a, b| b.cmp(a)),
        _ => {}
    }
    (0..).zip(keys).map(|(found, [pair, a, b])| Record { pair, first: [a, b], found }).collect()
}

pub fn records_are_sorted_as_on_the_cpu(device: Device) {
    let orders = [
        Order::Random,
        Order::Sorted,
        Order::Reversed,
        Order::Equal,
        Order::Below([3, 300, 70_000]),
        Order::Below([1, 2, 1]),
    ];
    for order in orders {
        for count in [1, 2, 255, 256, 257, 5_000, 70_000] {
            let before = records(order, count);
            let largest = [0, 1, 2].map(|word| before.iter().map(|r| key(r)[word]).max().expect("a record"));
            let buffer = column(device, &before);
            let found = sorted(device, &buffer, count, largest).expect("it computes");
            let mut expected = before;
            // A stable sort, as that of the device.
            expected.sort_by_key(key);
            assert!(found == expected, "{order:?}, {count}");
        }
    }
}

fn key(record: &Record) -> [u32; 3] {
    [record.pair, record.first[0], record.first[1]]
}

/// Checks contacts of whole scenes whose results the device sorts.
pub fn sorted_results_change_nothing(device: Device) {
    let limits = Limits { sort_from: 0, ..crate::limits() };
    for (name, size) in [("tori", 10_000), ("pipes", 1_000)] {
        compare(device, limits, name, size, 4);
    }
}

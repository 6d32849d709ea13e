//! Sorts records on the device, as results leave it.

use closefit::Device;
use closefit::internals::bvh::wide_obb::on_device::Limits;
use closefit::internals::bvh::wide_obb::on_device::columns::Record;
use closefit::internals::bvh::wide_obb::on_device::near_columns::NearRecord;
use closefit::internals::bvh::wide_obb::on_device::results::{Sortable, sorted};
use closefit_testing::rng::Rng;

use crate::failures::{Fault, are_found, play_fault};
use crate::kernels::column;
use crate::{distances, scenes};

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

/// Returns keys in some order.
fn keys(order: Order, count: usize) -> Vec<[u32; 3]> {
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
    keys
}

/// Returns a contact with a key, and in its last word where it was.
fn contact(number: u32, [pair, a, b]: [u32; 3]) -> Record {
    Record { pair, first: [a, b], found: number }
}

/// Does the same for a leaf pair that may be the closest, with some leaves and lanes in the upper half of the
/// pair's word.
fn near(number: u32, [pair, a, b]: [u32; 3]) -> NearRecord {
    NearRecord { pair: pair | number.wrapping_mul(0x9e37_79b9) << 16, first: [a, b], at_least: number }
}

const ORDERS: [Order; 6] = [
    Order::Random,
    Order::Sorted,
    Order::Reversed,
    Order::Equal,
    Order::Below([3, 300, 70_000]),
    Order::Below([1, 2, 1]),
];

/// Returns how often the device sorts records otherwise than a stable sort on the CPU does.
fn wrong<T: Sortable + PartialEq>(device: Device, record: fn(u32, [u32; 3]) -> T) -> usize {
    let mut wrong = 0;
    for order in ORDERS {
        for count in [1, 2, 255, 256, 257, 5_000, 70_000] {
            let keys = keys(order, count);
            let largest = [0, 1, 2].map(|word| keys.iter().map(|key| key[word]).max().expect("a record"));
            let mut expected: Vec<T> = (0..).zip(keys).map(|(number, key)| record(number, key)).collect();
            let buffer = column(device, &expected);
            let found = sorted::<T>(device, &buffer, count, largest).expect("it computes");
            expected.sort_by_key(T::key);
            if found[..] != expected[..] {
                println!("not sorted: {order:?}, {count}");
                wrong += 1;
            }
        }
    }
    wrong
}

pub fn records_are_sorted_as_on_the_cpu(device: Device) {
    assert_eq!([wrong(device, contact), wrong(device, near)], [0, 0]);
}

/// Checks contacts and distances of whole scenes whose results the device sorts.
pub fn sorted_results_change_nothing(device: Device) {
    let limits = Limits { sort_from: 0, ..closefit_testing::on_device::limits() };
    for (name, size) in [("tori", 10_000), ("pipes", 1_000)] {
        scenes::compare(device, limits, name, size, 4);
    }
    for (name, size) in [("tori", 300), ("nested", 100)] {
        distances::compare(device, limits, name, size, 2);
    }
}

/// Faults of the kernels.
const FAULTS: [Fault; 3] = [
    ("digits of one byte only", ">> digit.shift", ">> 0u"),
    ("equal digits in any order", "(1u << (thread % 32u)) - 1u", "~(1u << (thread % 32u))"),
    ("lanes in the pair's half", "(item.two | near.lanes) << 16u", "(item.two | near.lanes) << 8u"),
];

/// Injects one of the faults if `failure` names it, and checks that it is found. Returns true if it does.
pub fn play(failure: &str, device: Device) -> bool {
    play_fault(&FAULTS, failure, device, || {
        records_are_sorted_as_on_the_cpu(device);
        sorted_results_change_nothing(device);
    })
}

/// Checks that faults of the sort, and of what it sorts, are found. Each has a process, and so kernels, of
/// its own.
pub fn faults_are_found(_: Device) {
    are_found(&FAULTS);
}

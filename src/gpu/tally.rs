//! What a device has done, for the record of a run.

use std::ops::AddAssign;

/// Counts of the work of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Batches of pairs of parts that were sent.
    pub batches: u64,
    /// Pairs of parts in them.
    pub pairs: u64,
    /// Pairs of parts that stayed on the CPU: sheared, too different in size, too far apart or too deep.
    pub refused: u64,
    /// Rounds of the queue.
    pub rounds: u64,
    /// Pairs of boxes opened.
    pub items: u64,
    /// Pairs of boxes tested.
    pub box_tests: u64,
    /// Pairs of triangles tested.
    pub triangle_tests: u64,
    /// Of these, proven to meet.
    pub meets: u64,
    /// Of these, left unsure.
    pub unsure: u64,
    /// Of the unsure, those that the CPU's f64 kernel decided: more would have been decided on the device in f64.
    pub extra_unsure: u64,
    /// Bytes sent to the device.
    pub bytes_up: u64,
    /// Bytes read back.
    pub bytes_down: u64,
    /// The largest amount of device memory held at once.
    pub peak_bytes: u64,
    /// Seconds spent waiting for the device.
    pub waited_s: f64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.batches += other.batches;
        self.pairs += other.pairs;
        self.refused += other.refused;
        self.rounds += other.rounds;
        self.items += other.items;
        self.box_tests += other.box_tests;
        self.triangle_tests += other.triangle_tests;
        self.meets += other.meets;
        self.unsure += other.unsure;
        self.extra_unsure += other.extra_unsure;
        self.bytes_up += other.bytes_up;
        self.bytes_down += other.bytes_down;
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
        self.waited_s += other.waited_s;
    }
}

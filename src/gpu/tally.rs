//! Counts of a device's work, for the record of a run.

use std::ops::{AddAssign, Sub};

/// Counts of part pairs that a device cannot search, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Refused {
    /// A pose has shear or uneven scale.
    pub sheared: u64,
    /// The parts' sizes are more than `2^20` apart.
    pub sizes_differ: u64,
    /// The parts are several times their size apart.
    pub far_apart: u64,
    /// The poses round positions by more than the parts' size.
    pub imprecise: u64,
    /// A part's boxes are not finite in f32.
    pub not_finite: u64,
}

impl Refused {
    /// Returns the number of pairs.
    pub fn total(&self) -> u64 {
        self.sheared + self.sizes_differ + self.far_apart + self.imprecise + self.not_finite
    }
}

impl AddAssign for Refused {
    fn add_assign(&mut self, other: Self) {
        self.sheared += other.sheared;
        self.sizes_differ += other.sizes_differ;
        self.far_apart += other.far_apart;
        self.imprecise += other.imprecise;
        self.not_finite += other.not_finite;
    }
}

impl Sub for Refused {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            sheared: self.sheared - other.sheared,
            sizes_differ: self.sizes_differ - other.sizes_differ,
            far_apart: self.far_apart - other.far_apart,
            imprecise: self.imprecise - other.imprecise,
            not_finite: self.not_finite - other.not_finite,
        }
    }
}

/// Counts of the work that a device has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Batches of part pairs sent to the device.
    pub batches: u64,
    /// Part pairs in these batches.
    pub pairs: u64,
    /// Part pairs left to the CPU.
    pub refused: Refused,
    /// Rounds of the device's queue.
    pub rounds: u64,
    /// Kernels launched, in rounds with and without work.
    pub launches: u64,
    /// Queue items processed: a block of one tree against a box of the other.
    pub items: u64,
    /// Box pairs tested.
    pub box_tests: u64,
    /// Triangle pairs tested.
    pub triangle_tests: u64,
    /// Undecided triangle pairs that the device tested again, in doubles.
    pub posed_tests: u64,
    /// Triangle pairs that the device proved to be in contact.
    pub meets: u64,
    /// Triangle pairs that the device could not decide.
    pub unsure: u64,
    /// Undecided triangle pairs that the CPU's f64 kernel decided; f64 on the device would have decided them
    /// too.
    pub extra_unsure: u64,
    /// Pairs of trees (or of their pieces) whose distance the device searched.
    pub distances: u64,
    /// Rounds of these searches; `rounds` counts them as well.
    pub distance_rounds: u64,
    /// Triangle pairs tested in these searches; `triangle_tests` counts them as well.
    pub distance_triangle_tests: u64,
    /// Triangle pairs that may be the closest, whose distance the CPU compared exactly.
    pub survivors: u64,
    /// Stretches of time that the device searched, each of one part pair.
    pub stretches: u64,
    /// Stretches among them whose search began at the front of a longer one.
    pub stretches_at_fronts: u64,
    /// Triangle pairs tested over them; `triangle_tests` counts them as well.
    pub stretch_triangle_tests: u64,
    /// Pairs of edges, or of a vertex and a face, tested over them, in the triangle pairs that those tests
    /// left open.
    pub feature_tests: u64,
    /// Stretches among them throughout which the device proved the parts apart.
    pub stretches_apart: u64,
    /// Stretches of `stretches_apart` that only the feature tests proved apart.
    pub stretches_by_features: u64,
    /// Part boxes given to the device's broad phase, summed over frames.
    pub broad_boxes: u64,
    /// Box tests of the broad phase.
    pub broad_tests: u64,
    /// Pairs of boxes that overlap on the device, to which the CPU applied the exact predicate.
    pub broad_pairs: u64,
    /// Trees sent to the device.
    pub trees: u64,
    /// Bytes sent to the device for them.
    pub tree_bytes_up: u64,
    /// Bytes sent to the device, with those for trees.
    pub bytes_up: u64,
    /// Bytes read back.
    pub bytes_down: u64,
    /// Largest number of bytes of device memory allocated at once.
    pub peak_bytes: u64,
    /// The same without trees.
    pub peak_working_bytes: u64,
    /// Seconds spent waiting for the device.
    pub waited_s: f64,
}

impl Tally {
    /// Returns the number of triangle pairs tested for contact.
    pub fn contact_tests(&self) -> u64 {
        self.triangle_tests - self.distance_triangle_tests - self.stretch_triangle_tests
    }

    /// Returns the number of these that the device proved apart.
    pub fn proven_apart(&self) -> u64 {
        self.contact_tests().saturating_sub(self.meets + self.unsure)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.batches += other.batches;
        self.pairs += other.pairs;
        self.refused += other.refused;
        self.rounds += other.rounds;
        self.launches += other.launches;
        self.items += other.items;
        self.box_tests += other.box_tests;
        self.triangle_tests += other.triangle_tests;
        self.posed_tests += other.posed_tests;
        self.meets += other.meets;
        self.unsure += other.unsure;
        self.extra_unsure += other.extra_unsure;
        self.distances += other.distances;
        self.distance_rounds += other.distance_rounds;
        self.distance_triangle_tests += other.distance_triangle_tests;
        self.survivors += other.survivors;
        self.stretches += other.stretches;
        self.stretches_at_fronts += other.stretches_at_fronts;
        self.stretch_triangle_tests += other.stretch_triangle_tests;
        self.feature_tests += other.feature_tests;
        self.stretches_apart += other.stretches_apart;
        self.stretches_by_features += other.stretches_by_features;
        self.broad_boxes += other.broad_boxes;
        self.broad_tests += other.broad_tests;
        self.broad_pairs += other.broad_pairs;
        self.trees += other.trees;
        self.tree_bytes_up += other.tree_bytes_up;
        self.bytes_up += other.bytes_up;
        self.bytes_down += other.bytes_down;
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
        self.peak_working_bytes = self.peak_working_bytes.max(other.peak_working_bytes);
        self.waited_s += other.waited_s;
    }
}
